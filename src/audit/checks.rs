//! The check whether a machine can carry a schedule out.
//!
//! It makes one pass over the instants with events. At each instant jobs that end give their nodes back, then jobs
//! arrive, then jobs start. A job that runs for no time holds no nodes. O(J log J + nodes of all placements) for J
//! jobs.

use super::policy::{Promised, Rules};
use super::state::{Checked, State, Violation};
use super::{Schedule, ScheduledJob};
use crate::job::Time;
use crate::machine::Mesh;

/// Checks a schedule on the machine `mesh`, and against a policy if `promised` is given. Returns how much was
/// checked. Fails with the first violation.
pub fn audit(schedule: &Schedule, mesh: &Mesh, promised: Option<Promised<'_>>) -> Result<Checked, Violation> {
    let jobs = schedule.jobs.as_slice();
    let mut state = State::idle(jobs, mesh);
    let mut rules = promised.map(|promised| Rules::new(promised, jobs));
    let mut checked = Checked { jobs: jobs.len() as u64, ..Checked::default() };
    let sorted = |time: fn(&ScheduledJob) -> Time| {
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|&i| time(&jobs[i]));
        order
    };
    let (arrivals, starts, mut ends) =
        (sorted(|job| job.submit), sorted(|job| job.start), sorted(|job| job.end));
    // A job that runs for no time never occupies nodes, so its end has nothing to free.
    ends.retain(|&i| jobs[i].end > jobs[i].start);
    let (mut arrived, mut started, mut ended) = (0, 0, 0);
    loop {
        let next = [
            arrivals.get(arrived).map(|&i| jobs[i].submit),
            starts.get(started).map(|&i| jobs[i].start),
            ends.get(ended).map(|&i| jobs[i].end),
        ];
        let Some(now) = next.into_iter().flatten().min() else { break };
        state.now = now;
        checked.instants += 1;
        if let Some(rules) = &mut rules {
            rules.before(&state, &mut checked)?;
        }
        let due = |order: &[usize], from: usize, time: fn(&ScheduledJob) -> Time| {
            from + order[from..].partition_point(|&i| time(&jobs[i]) <= now)
        };
        let until = due(&ends, ended, |job| job.end);
        for &i in &ends[ended..until] {
            state.end(i);
            if let Some(rules) = &mut rules {
                rules.ended(&jobs[i]);
            }
        }
        ended = until;
        let until = due(&arrivals, arrived, |job| job.submit);
        if let Some(rules) = &mut rules {
            arrivals[arrived..until].iter().for_each(|&i| rules.arrived(i));
        }
        arrived = until;
        let until = due(&starts, started, |job| job.start);
        for &i in &starts[started..until] {
            state.start(i, &mut checked)?;
        }
        checked.peak = checked.peak.max(state.used());
        if let Some(rules) = &mut rules {
            rules.after(&state, &starts[started..until], &mut checked)?;
        }
        started = until;
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::job;
    use super::*;

    /// Returns an array of nine nodes of which node 8 is unavailable.
    fn eight() -> Mesh {
        Mesh::new(&[9]).expect("a machine").without(&[(8, 8)]).expect("eight nodes are left")
    }

    /// Returns the first violation of a schedule on 8 nodes, in words.
    fn first(jobs: &[ScheduledJob]) -> String {
        let schedule = Schedule { jobs: jobs.to_vec(), left_out: 0 };
        audit(&schedule, &eight(), None).expect_err("wrong").to_string()
    }

    fn on(nodes: &[(u32, u32)], job: &ScheduledJob) -> ScheduledJob {
        ScheduledJob { nodes: Some(nodes.to_vec()), ..job.clone() }
    }

    #[test]
    fn every_kind_of_violation_is_named() {
        let (a, b) = (job(1, [0, 0, 10], 5), job(2, [0, 5, 10], 4));
        assert_eq!(
            first(&[job(7, [5, 4, 9], 1)]),
            "at 4 s, job 7 (row 7) starts before it arrives; expected 5 s or later"
        );
        assert_eq!(
            first(&[job(1, [0, 4, 3], 1)]),
            "at 4 s, job 1 (row 1) ends before it starts, at 3 s; expected a later end"
        );
        assert_eq!(
            first(&[a.clone(), b.clone()]),
            "at 5 s, job 2 (row 2) takes 4 processors while 5 of 8 are in use; expected at most 3"
        );
        let small = ScheduledJob { allocated: 3, ..a.clone() };
        assert_eq!(
            first(&[small]),
            "at 0 s, job 1 (row 1) has a placement of 3 nodes; expected 5, which it asks for"
        );
        assert_eq!(
            first(&[on(&[(0, 3)], &a)]),
            "at 0 s, job 1 (row 1) has a placement of 4 nodes; expected 5, which it is said to hold"
        );
        assert_eq!(
            first(&[on(&[(0, 3), (9, 9)], &a)]),
            "at 0 s, job 1 (row 1) holds node 9; expected a node from 0 to 8"
        );
        assert_eq!(
            first(&[on(&[(0, 3), (8, 8)], &a)]),
            "at 0 s, job 1 (row 1) takes node 8, which is unavailable; expected a free node"
        );
        assert_eq!(
            first(&[on(&[(0, 3), (2, 2)], &a)]),
            "at 0 s, job 1 (row 1) names node 2 twice; expected a free node"
        );
        let both = [on(&[(0, 4)], &a), on(&[(4, 6)], &job(2, [0, 5, 12], 3))];
        assert_eq!(
            first(&both),
            "at 5 s, job 2 (row 2) takes node 4, which job 1 holds until 10 s; expected a free node"
        );
    }

    #[test]
    fn nodes_are_free_again_at_the_end_and_moved_jobs_are_only_counted() -> Result<(), Violation> {
        let mut jobs = vec![
            on(&[(0, 4)], &job(1, [0, 0, 10], 5)),
            on(&[(0, 4)], &job(2, [3, 10, 12], 5)),
            on(&[(0, 7)], &job(3, [3, 12, 12], 8)),
        ];
        jobs.push(ScheduledJob { moved: true, ..on(&[(0, 2)], &job(4, [0, 10, 12], 3)) });
        let checked = audit(&Schedule { jobs, left_out: 0 }, &eight(), None)?;
        let expected = Checked { jobs: 4, instants: 4, peak: 8, placed: 2, moved: 1, ..Checked::default() };
        assert_eq!(checked, expected);
        Ok(())
    }
}
