//! Causes of waiting in a finished schedule, such as that of a log.

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
