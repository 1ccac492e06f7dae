//! Snapshots: the running jobs at one moment of a replay, with their nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::options::Options;
use super::replay::{Feed, Fitting, Replay, Replication, RunError, opening, outages};
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::NodeId;
use meshreplay_machine::machine::outages::Treatment;
use meshreplay_sim::engine::{Observer, OutagePlan, Placed, ReplayError};
use meshreplay_sim::metrics::Monitor;

/// A running job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningJob {
    /// The job.
    pub job: Job,
    /// The time when the job started.
    pub start: Time,
    /// Nodes by rank.
    pub nodes: Vec<NodeId>,
}

/// The running jobs and the number of waiting jobs at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Running jobs by start. Jobs that started at the same time are in the order of the scheduler.
    pub running: Vec<RunningJob>,
    /// Jobs that have arrived and not yet started, or were killed and wait to run again.
    pub waiting: usize,
    /// Nodes that are down, ascending, including those still in use.
    pub down: Vec<NodeId>,
}

/// An observer that records the nodes of jobs until the time `at`. Ignores later events.
struct Watcher {
    at: Time,
    /// Running jobs and their nodes by first node, which is unique.
    running: BTreeMap<NodeId, (JobId, Vec<NodeId>)>,
    /// The start of each job, and the number of starts before it. A moved job keeps its first start; a killed
    /// and waiting job has none.
    started: BTreeMap<JobId, (Time, usize)>,
    /// Number of starts.
    starts: usize,
    /// Kills of each job.
    kills: BTreeMap<JobId, u32>,
    /// Times that a job returns to the queue.
    limit: u32,
    /// Stops the replay after the time of the snapshot.
    stop: Stop,
}

impl Watcher {
    /// Returns whether `now` is after the time of the snapshot, and then stops the replay.
    fn is_past(&self, now: Time) -> bool {
        if now > self.at {
            self.stop.throw();
        }
        now > self.at
    }
}

impl Observer for Watcher {
    fn allocated(&mut self, _job: JobId, _placed: Option<Placed<'_>>, _cost_ns: u64) {}

    fn released(&mut self, _cost_ns: u64) {}

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], now: Time) {
        if let (false, Some(&first)) = (self.is_past(now), nodes.first()) {
            self.starts += 1;
            self.started.entry(job).or_insert((now, self.starts));
            self.running.insert(first, (job, nodes.to_vec()));
        }
    }

    fn vacated(&mut self, nodes: &[NodeId], now: Time) {
        if let (false, Some(first)) = (self.is_past(now), nodes.first()) {
            self.running.remove(first);
        }
    }

    fn killed(&mut self, job: JobId, _nodes: u32, _ran: Time, now: Time) {
        if self.is_past(now) {
            return;
        }
        let kills = self.kills.entry(job).or_insert(0);
        *kills += 1;
        // A given-up job does not wait.
        if *kills <= self.limit {
            self.started.remove(&job);
        }
    }
}

/// An observer that finds the first moment with the most nodes in use.
#[derive(Default)]
struct Busiest {
    in_use: usize,
    now: Time,
    most: usize,
    at: Time,
}

impl Busiest {
    /// Counts the nodes in use until `now`, when they change.
    fn advance(&mut self, now: Time) {
        if now != self.now && self.in_use > self.most {
            (self.most, self.at) = (self.in_use, self.now);
        }
        self.now = now;
    }
}

impl Observer for Busiest {
    fn allocated(&mut self, _job: JobId, _placed: Option<Placed<'_>>, _cost_ns: u64) {}

    fn released(&mut self, _cost_ns: u64) {}

    fn occupied(&mut self, _job: JobId, nodes: &[NodeId], now: Time) {
        self.advance(now);
        self.in_use += nodes.len();
    }

    fn vacated(&mut self, nodes: &[NodeId], now: Time) {
        self.advance(now);
        self.in_use -= nodes.len();
    }
}

impl Replay {
    /// Replays all events and returns the first time with the most nodes in use. Fails if the replay
    /// fails.
    pub fn busiest(&self, options: &Options) -> Result<Time, RunError> {
        outages::check(&self.spec, options)?;
        let monitor = Monitor::default();
        let Fitting { jobs, first_arrival, .. } = self.jobs(self.spec.seed, &monitor.stop)?;
        let outages = outages::plan(&self.spec, options, first_arrival, self.spec.seed)?;
        let mut busiest = Busiest::default();
        self.watch(&jobs, outages, options, &monitor, &mut busiest)?;
        Ok(busiest.at)
    }

    /// Replays `jobs` without measuring anything.
    fn watch(
        &self,
        jobs: &[Job],
        outages: Option<OutagePlan>,
        options: &Options,
        monitor: &Monitor,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let recorded = self.recorded_nodes(options)?;
        let options = &Options { timed: false, audit: false, ..options.clone() };
        let replication = Replication { replay: self, seed: self.spec.seed, options, monitor };
        let (jobs, opening) = opening::begin(replication.replay.spec.period, jobs);
        replication.drive(Feed::Listed(&jobs, opening), outages, recorded.as_ref(), observer).map(drop)
    }

    /// Replays all events up to and including the time `at`, and returns the running jobs. Of `options` only
    /// outages and the node map count. Fails if the replay fails.
    pub fn snapshot(&self, at: Time, options: &Options) -> Result<Snapshot, RunError> {
        outages::check(&self.spec, options)?;
        let monitor = Monitor::default();
        let Fitting { jobs, first_arrival, .. } = self.jobs(self.spec.seed, &monitor.stop)?;
        let outages = outages::plan(&self.spec, options, first_arrival, self.spec.seed)?;
        // Changes up to `at`, including those after the last end of a job.
        let mut changes = outages.as_ref().map(|plan| plan.changes.clone());
        let mut down = BTreeSet::new();
        while let Some(change) = changes.as_mut().and_then(|changes| changes.take_due(at)) {
            if change.is_down {
                down.insert(change.node);
            } else {
                down.remove(&change.node);
            }
        }
        let down: Vec<NodeId> = down.into_iter().collect();
        let limit = match options.on_outage {
            Treatment::Requeue { limit } => limit,
            Treatment::Drain => 0,
        };
        let mut watcher = Watcher {
            at,
            running: BTreeMap::new(),
            started: BTreeMap::new(),
            starts: 0,
            kills: BTreeMap::new(),
            limit,
            stop: monitor.stop.clone(),
        };
        match self.watch(&jobs, outages, options, &monitor, &mut watcher) {
            // The watcher itself stops the replay after the time of the snapshot.
            Ok(()) | Err(RunError::Replay(ReplayError::Interrupted)) => {}
            Err(error) => return Err(error),
        }
        let started = watcher.started;
        let mut placed: Vec<_> = watcher.running.into_values().collect();
        placed.sort_unstable_by_key(|(job, _)| started.get(job).map(|(_, before)| *before));
        let arrived = jobs.iter().filter(|job| job.submit <= at).count();
        let running = placed.into_iter().map(|(job, nodes)| {
            let start = started.get(&job).map_or(at, |(start, _)| *start);
            RunningJob { job: jobs[job as usize], start, nodes }
        });
        Ok(Snapshot { running: running.collect(), waiting: arrived - started.len(), down })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::study::{JobSource, ReplaySpec};
    use meshreplay_base::job::Shape;

    #[test]
    fn jobs_that_move_have_started_once() -> Result<(), Box<dyn std::error::Error>> {
        let job = |number, submit, run, procs| {
            let [submit, run] = [submit, run].map(Time::from_seconds);
            Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
        };
        // Jobs 1 and 3 end at 10 and leave two gaps of two nodes. Job 5 needs four consecutive nodes.
        let jobs =
            vec![job(1, 0, 10, 2), job(2, 0, 100, 2), job(3, 0, 10, 2), job(4, 0, 100, 2), job(5, 5, 50, 4)];
        let cell = Replay::new(
            ReplaySpec::new("8".parse()?, "fcfs".parse()?, "left-compaction".parse()?),
            JobSource::recorded(Arc::new(jobs), 0),
        );
        let found = cell.snapshot(Time::from_seconds(30), &Options::default())?;
        let starts: Vec<(i64, bool)> =
            found.running.iter().map(|running| (running.job.number, running.start == Time::ZERO)).collect();
        assert_eq!((starts, found.waiting), (vec![(2, true), (4, true), (5, false)], 0));
        assert_eq!(found.running.iter().map(|running| running.nodes.len()).sum::<usize>(), 8);
        Ok(())
    }

    #[test]
    fn killed_jobs_wait_again_and_nodes_are_down() -> Result<(), Box<dyn std::error::Error>> {
        let job = |number, submit, run, procs| {
            let [submit, run] = [submit, run].map(Time::from_seconds);
            Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
        };
        let cell = Replay::new(
            ReplaySpec::new("4".parse()?, "fcfs".parse()?, "naive".parse()?),
            JobSource::recorded(Arc::new(vec![job(1, 0, 60, 4), job(2, 1, 90, 2)]), 0),
        );
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("o.csv");
        std::fs::write(&file, "10,3,down\n30,3,up\n200,0,down\n")?;
        let outages = Some(file.to_str().ok_or("no text")?.parse()?);
        let requeue = Options { outages, ..Options::default() };
        let drain = Options { on_outage: "drain".parse()?, ..requeue.clone() };
        let given_up = Options { on_outage: "requeue:limit=0".parse()?, ..requeue.clone() };
        for (options, at, running, waiting, down) in [
            (&requeue, 9, vec![1], 1, vec![]),
            (&requeue, 10, vec![], 2, vec![3]),
            (&requeue, 30, vec![1], 1, vec![]),
            (&requeue, 300, vec![], 0, vec![0]),
            (&drain, 10, vec![1], 1, vec![3]),
            (&given_up, 10, vec![2], 0, vec![3]),
        ] {
            let found = cell.snapshot(Time::from_seconds(at), options)?;
            let numbers: Vec<i64> = found.running.iter().map(|running| running.job.number).collect();
            assert_eq!((numbers, found.waiting, found.down), (running, waiting, down), "{at}");
        }
        Ok(())
    }

    #[test]
    fn a_moment_is_what_has_happened_until_it() -> Result<(), Box<dyn std::error::Error>> {
        let job = |number, submit, run, procs| {
            let [submit, run] = [submit, run].map(Time::from_seconds);
            Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
        };
        let jobs = vec![job(1, 0, 60, 4), job(2, 0, 90, 4), job(3, 10, 30, 8)];
        let cell = Replay::new(
            ReplaySpec::new("4x2".parse()?, "fcfs".parse()?, "hilbert+bf".parse()?),
            JobSource::recorded(Arc::new(jobs), 0),
        );
        for (at, running, waiting) in [
            (-1, vec![], 0),
            (0, vec![1, 2], 0),
            (59, vec![1, 2], 1),
            (60, vec![2], 1),
            (90, vec![3], 0),
            (500, vec![], 0),
        ] {
            let found = cell.snapshot(Time::from_seconds(at), &Options::default())?;
            let numbers: Vec<i64> = found.running.iter().map(|running| running.job.number).collect();
            assert_eq!((numbers, found.waiting), (running, waiting), "{at}");
        }
        // Jobs 1 and 2 fill the machine from 0 on, and job 3 again at 90.
        assert_eq!(cell.busiest(&Options::default())?, Time::ZERO);
        Ok(())
    }

    #[test]
    fn starts_and_ends_of_one_instant_are_counted_together() -> Result<(), Box<dyn std::error::Error>> {
        let job = |number, submit, run, procs| {
            let [submit, run] = [submit, run].map(Time::from_seconds);
            Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
        };
        // Five nodes are in use until 10, then four, and six from 20 to 30.
        let jobs = vec![job(1, 0, 10, 5), job(2, 10, 30, 4), job(3, 20, 10, 2)];
        let cell = Replay::new(
            ReplaySpec::new("8".parse()?, "fcfs".parse()?, "naive".parse()?),
            JobSource::recorded(Arc::new(jobs), 0),
        );
        assert_eq!(cell.busiest(&Options::default())?, Time::from_seconds(20));
        Ok(())
    }
}
