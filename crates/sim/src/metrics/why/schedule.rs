//! Causes of waiting in a finished schedule, such as that of a log.

use std::collections::VecDeque;

use super::accumulator::Why;
use super::cause::{JobWhy, TotalWhy, WaitCause, WhyShares};
use meshreplay_base::job::{JobId, Period, Time};

/// A job of a finished schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRun {
    /// Submission.
    pub submit: Time,
    /// Start.
    pub start: Time,
    /// End.
    pub end: Time,
    /// Nodes held.
    pub nodes: u32,
    /// Limit of the run time; `None` without one.
    pub limit: Option<Time>,
}

/// The waiting times of a schedule by cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Waiting times of each job, in the order of the schedule.
    pub jobs: Vec<JobWhy>,
    /// Waiting times of all jobs.
    pub total: TotalWhy,
    /// Share of the starts that overtook a job submitted earlier, from 0 to 1.
    pub overtaking: f64,
}

impl Explained {
    /// Returns the shares of the waiting time and of the starts.
    pub fn shares(&self) -> WhyShares {
        WhyShares { free: self.total.share(WaitCause::Free), overtaking: self.overtaking }
    }
}

/// What happens to a job or the machine, in the order within an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The machine has another number of nodes.
    Size(u32),
    End(JobId),
    Arrival(JobId),
    Start(JobId),
    /// A run of no length.
    Blink(JobId),
}

/// Explains the waits of `runs`, in any order, inside `period` if there is one, on a machine that has sizes
/// from given times on, the first of them at the latest before the first submission, with known outages of
/// the whole machine. A job that starts before its submission has not waited.
///
/// O(J·(log J + √Q·log Q + R)) for J jobs, Q waiting and R running ones.
pub fn explain(
    runs: &[JobRun],
    sizes: &[(Time, u32)],
    outages: &[(Time, Time)],
    period: Option<Period>,
) -> Explained {
    let mut events = Vec::with_capacity(3 * runs.len() + sizes.len());
    events.extend(sizes.iter().map(|&(time, nodes)| (time, Event::Size(nodes))));
    for (run, job) in runs.iter().zip(0..) {
        events.push((run.submit.min(run.start), Event::Arrival(job)));
        if run.end > run.start {
            events.extend([(run.start, Event::Start(job)), (run.end, Event::End(job))]);
        } else {
            events.push((run.start, Event::Blink(job)));
        }
    }
    events.sort_unstable();
    let largest = sizes.iter().map(|&(_, nodes)| nodes).max().unwrap_or(0);
    let mut why = Why::new(largest).with_outages(outages).with_period(period);
    let mut jobs = vec![JobWhy::default(); runs.len()];
    for (time, event) in events {
        why.advance(time);
        match event {
            Event::Size(nodes) => why.resize(nodes),
            Event::Arrival(job) => {
                let run = runs[job as usize];
                why.arrive(job, run.submit.min(run.start), run.nodes, run.limit);
            }
            Event::Start(job) => why.start(job, runs[job as usize].nodes),
            Event::Blink(job) => {
                why.start(job, 0);
                jobs[job as usize] = why.remove(job);
            }
            Event::End(job) => jobs[job as usize] = why.remove(job),
        }
    }
    Explained { jobs, total: *why.total(), overtaking: why.overtaking_share() }
}

/// Returns the most nodes in use within `span` before or after each time, as sizes from given times on. Runs
/// of no length use nothing. O(J·log J) for J jobs.
pub fn peak_within(runs: &[JobRun], span: Time) -> Vec<(Time, u32)> {
    let mut changes: Vec<(Time, i64)> = runs
        .iter()
        .filter(|run| run.end > run.start)
        .flat_map(|run| [(run.start, i64::from(run.nodes)), (run.end, -i64::from(run.nodes))])
        .collect();
    changes.sort_unstable_by_key(|&(time, _)| time);
    // The levels of use from given times on, and the times at which each level enters and leaves the window.
    let (mut used, mut levels) = (0_i64, Vec::<(Time, i64)>::new());
    for (time, change) in changes {
        used += change;
        match levels.last_mut() {
            Some(last) if last.0 == time => last.1 = used,
            _ => levels.push((time, used)),
        }
    }
    let begins = levels.first().map_or(Time::ZERO, |&(time, _)| time - span);
    let mut peaks = vec![(runs.iter().map(|run| run.submit.min(run.start)).fold(begins, Time::min), 0)];
    let mut add = |time, level: i64| {
        let nodes = u32::try_from(level).unwrap_or(u32::MAX);
        match peaks.last_mut() {
            Some(last) if last.0 == time => last.1 = nodes,
            Some(last) if last.1 == nodes => {}
            _ => peaks.push((time, nodes)),
        }
    };
    // The levels in the window with the times at which they leave, each lower than those before it.
    let mut window = VecDeque::<(Time, i64)>::new();
    for at in 0..=levels.len() {
        let level = levels.get(at);
        let enters = level.map_or(Time::MAX, |&(time, _)| time - span);
        while let Some(&(left, _)) = window.front().filter(|(leaves, _)| *leaves <= enters) {
            window.pop_front();
            add(left, window.front().map_or(0, |&(_, level)| level));
        }
        let Some(&(_, level)) = level else { break };
        while window.back().is_some_and(|&(_, last)| last <= level) {
            window.pop_back();
        }
        let leaves = levels.get(at + 1).map_or(Time::MAX, |&(next, _)| next + span);
        window.push_back((leaves, level));
        add(enters, window.front().map_or(level, |&(_, highest)| highest));
    }
    peaks
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_testing::Numbers;

    #[test]
    fn peaks_are_those_of_all_runs_nearby() {
        let mut numbers = Numbers(5);
        let at = |seconds: u32| Time::from_seconds(i64::from(seconds));
        for span_s in [0, 1, 3, 10] {
            let mut run = |_| {
                let (submit, nodes) = (numbers.below(60), 1 + numbers.below(9));
                let start = submit + numbers.below(9);
                let end = start + numbers.below(7);
                JobRun { submit: at(submit), start: at(start), end: at(end), nodes, limit: None }
            };
            let runs: Vec<JobRun> = (0..20).map(&mut run).collect();
            let used = |s: i64| {
                let now = Time::from_seconds(s);
                runs.iter().filter(|run| run.start <= now && now < run.end).map(|run| run.nodes).sum::<u32>()
            };
            let peaks = peak_within(&runs, at(span_s));
            assert!(peaks.is_sorted_by(|one, next| one.0 < next.0), "{peaks:?}");
            for now in peaks[0].0.as_micros() / 1_000_000..100 {
                let expected = (now - i64::from(span_s)..=now + i64::from(span_s)).map(used).max();
                let found = peaks.iter().rfind(|(time, _)| *time <= Time::from_seconds(now));
                assert_eq!(found.map(|&(_, nodes)| nodes), expected, "{now} {span_s} {runs:?}");
            }
        }
    }
}
