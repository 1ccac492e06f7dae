//! Feasibility of a schedule on a machine.
//!
//! An event-driven pass over the schedule. At each instant, ending jobs free their nodes, then jobs arrive,
//! then jobs start. A job without run time holds no nodes. Jobs are read in the order of their first events,
//! so memory holds only waiting and running jobs. O(J log J + nodes of all placements) for J jobs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::convert::Infallible;

use super::policy::{PolicyCheck, Rules};
use super::state::{AuditCounts, JobAt, State, Violation};
use super::{Schedule, ScheduledJob};
use meshreplay_base::job::{Period, Time};
use meshreplay_machine::machine::Mesh;

/// Checks a schedule on the machine `mesh`, and against a policy if `promised` is given. Returns counts of
/// what was checked, or the first violation.
pub fn audit(
    schedule: &Schedule,
    mesh: &Mesh,
    mut promised: Option<PolicyCheck<'_>>,
) -> Result<AuditCounts, Violation> {
    let mut jobs: Vec<(u64, &ScheduledJob)> = (0..).zip(&schedule.jobs).collect();
    jobs.sort_by_key(|(_, job)| job.first_event());
    let jobs = jobs.into_iter().map(|(position, job)| Ok::<_, Infallible>((position, job.clone())));
    match follow(jobs, mesh, &mut promised, None) {
        Ok(found) => found,
        Err(never) => match never {},
    }
}

/// Checks jobs like [`audit`]. They come with their positions in the schedule, in the order of their first
/// events. With a period, instants from its end on are not checked. Fails if a job cannot be read, even after
/// a violation.
pub(super) fn follow<E>(
    jobs: impl Iterator<Item = Result<(u64, ScheduledJob), E>>,
    mesh: &Mesh,
    promised: &mut Option<PolicyCheck<'_>>,
    period: Option<Period>,
) -> Result<Result<AuditCounts, Violation>, E> {
    let mut pending = PendingJobs { jobs, next: None, count: 0 };
    pending.read()?;
    let result = match check(&mut pending, mesh, promised, period) {
        Ok(checked) => Ok(checked),
        Err(Stop::Violation(violation)) => Err(violation),
        Err(Stop::Jobs(error)) => return Err(error),
    };
    while pending.next.is_some() {
        pending.read()?;
    }
    Ok(result.map(|checked| AuditCounts { jobs: pending.count, ..checked }))
}

/// The reason why a check ends early.
enum Stop<E> {
    Violation(Violation),
    /// A job cannot be read.
    Jobs(E),
}

impl<E> From<Violation> for Stop<E> {
    fn from(violation: Violation) -> Self {
        Self::Violation(violation)
    }
}

/// Jobs before their first events.
struct PendingJobs<I> {
    jobs: I,
    /// The first job, with its position.
    next: Option<(u64, ScheduledJob)>,
    /// Number of jobs that were read.
    count: u64,
}

impl<E, I: Iterator<Item = Result<(u64, ScheduledJob), E>>> PendingJobs<I> {
    fn first_event(&self) -> Option<Time> {
        self.next.as_ref().map(|(_, job)| job.first_event())
    }

    /// Reads the next job, and returns the first one.
    fn read(&mut self) -> Result<Option<(u64, ScheduledJob)>, E> {
        let first = self.next.take();
        self.next = self.jobs.next().transpose()?;
        self.count += u64::from(self.next.is_some());
        Ok(first)
    }
}

/// Starts or ends of jobs, as a min-heap by time and position in the schedule.
type Events = BinaryHeap<Reverse<(Time, JobAt)>>;

/// Pops a job whose event is due.
fn due(events: &mut Events, now: Time) -> Option<JobAt> {
    let Reverse((time, _)) = events.peek()?;
    if *time > now {
        return None;
    }
    events.pop().map(|Reverse((_, at))| at)
}

/// Checks the pending jobs up to the end of the period.
fn check<E, I: Iterator<Item = Result<(u64, ScheduledJob), E>>>(
    pending: &mut PendingJobs<I>,
    mesh: &Mesh,
    promised: &mut Option<PolicyCheck<'_>>,
    period: Option<Period>,
) -> Result<AuditCounts, Stop<E>> {
    let mut state = State::idle(mesh);
    let mut rules = promised.as_mut().map(|promised| Rules::new(promised, mesh));
    let mut checked = AuditCounts::default();
    let (mut starts, mut ends, mut started) = (Events::new(), Events::new(), Vec::new());
    loop {
        let first = |events: &Events| events.peek().map(|Reverse((time, _))| *time);
        let next = [pending.first_event(), first(&starts), first(&ends)];
        let now = next.into_iter().flatten().min();
        let now = now.filter(|&now| period.is_none_or(|period| now < period.to));
        let Some(now) = now else { return Ok(checked) };
        state.now = now;
        checked.instants += u64::from(period.is_none_or(|period| now >= period.from));
        if let Some(rules) = &mut rules {
            rules.before(&state, &mut checked)?;
        }
        while let Some(at) = due(&mut ends, now) {
            let job = state.end(at);
            if let Some(rules) = &mut rules {
                rules.ended(&job);
            }
        }
        while pending.first_event() == Some(now)
            && let Some((position, job)) = pending.read().map_err(Stop::Jobs)?
        {
            let (submit, start) = (job.submit, job.start);
            let at = state.jobs.add(position, job);
            starts.push(Reverse((start, at)));
            // A job that starts before it arrives is reported below.
            if let Some(rules) = rules.as_mut().filter(|_| submit == now) {
                rules.arrived(&state, at);
            }
        }
        started.extend(std::iter::from_fn(|| due(&mut starts, now)));
        started.iter().try_for_each(|&at| state.start(at, &mut checked))?;
        checked.peak = checked.peak.max(state.used());
        if let Some(rules) = &mut rules {
            rules.after(&state, &started, &mut checked)?;
        }
        for at in started.drain(..) {
            let ScheduledJob { start, end, .. } = state.jobs[at];
            if end > start {
                ends.push(Reverse((end, at)));
            } else {
                // A job without run time never occupies nodes, so its end frees none.
                state.jobs.remove(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::job;
    use super::*;

    /// Returns an array of nine nodes; node 8 is unavailable.
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
        let expected =
            AuditCounts { jobs: 4, instants: 4, peak: 8, placed: 2, moved: 1, ..AuditCounts::default() };
        assert_eq!(checked, expected);
        Ok(())
    }
}
