//! The plain twin: the definition, computed anew for every waiting job at every instant.

use super::{JobWhy, WaitCause};
use meshreplay_base::job::{JobId, Time};

/// An event of a schedule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Advance(Time),
    Arrive(JobId, Time, u32, Option<Time>),
    Start(JobId),
    End(JobId),
    Requeue(JobId),
    Refuse(JobId),
    Up(u32),
}

/// A job that has arrived and has not left.
#[derive(Clone, Copy, Debug)]
pub(super) struct TwinJob {
    pub(super) id: JobId,
    pub(super) submit: Time,
    pub(super) nodes: u32,
    pub(super) limit: Option<Time>,
    /// The start of the current run, or `None` if it waits.
    pub(super) start: Option<Time>,
    refused: bool,
    why: JobWhy,
}

#[derive(Clone, Debug)]
pub(super) struct Twin {
    pub(super) now: Time,
    nodes: u32,
    up: u32,
    outages: Vec<(Time, Time)>,
    pub(super) jobs: Vec<TwinJob>,
}

impl Twin {
    pub(super) fn new(nodes: u32, outages: &[(Time, Time)]) -> Self {
        let now = Time::from_micros(i64::MIN);
        Self { now, nodes, up: nodes, outages: outages.to_vec(), jobs: Vec::new() }
    }

    pub(super) fn job(&mut self, id: JobId) -> &mut TwinJob {
        self.jobs.iter_mut().find(|job| job.id == id).expect("it has arrived")
    }

    /// Carries out an event. Returns the times of the job that leaves.
    pub(super) fn apply(&mut self, event: Event) -> Option<JobWhy> {
        let now = self.now;
        match event {
            Event::Advance(to) => self.advance(to),
            Event::Arrive(id, submit, nodes, limit) => {
                let why = JobWhy::default();
                self.jobs.push(TwinJob { id, submit, nodes, limit, start: None, refused: false, why });
                self.jobs.sort_by_key(|job| (job.submit, job.id));
            }
            Event::Start(id) => self.job(id).start = Some(now),
            Event::End(id) => {
                let why = self.job(id).why;
                self.jobs.retain(|job| job.id != id);
                return Some(why);
            }
            Event::Requeue(id) => self.job(id).start = None,
            Event::Refuse(id) => self.job(id).refused = true,
            Event::Up(up) => self.up = up,
        }
        None
    }

    fn advance(&mut self, to: Time) {
        while self.now < to {
            let bounds = self.outages.iter().flat_map(|&(begin, end)| [begin, end]);
            let next = bounds.filter(|&bound| bound > self.now).min().map_or(to, |bound| bound.min(to));
            self.wait_until(next);
            self.now = next;
        }
        self.jobs.iter_mut().for_each(|job| job.refused = false);
    }

    /// Adds the interval up to `next` to all waiting jobs.
    fn wait_until(&mut self, next: Time) {
        let now = self.now;
        let used: u32 = self.jobs.iter().filter(|job| job.start.is_some()).map(|job| job.nodes).sum();
        let is_down = self.outages.iter().any(|&(begin, end)| begin <= now && now < end);
        let free = if is_down { 0 } else { self.up.saturating_sub(used) };
        let outage = self.outages.iter().map(|&(begin, _)| begin).find(|&begin| begin > now);
        let would_end = |job: &TwinJob, start: Time| job.limit.map_or(Time::MAX, |limit| start + limit);
        let is_interrupted =
            |job: &TwinJob, start: Time| outage.is_some_and(|outage| would_end(job, start) > outage);
        let mut ends: Vec<(Time, u32)> = Vec::new();
        for job in &self.jobs {
            ends.extend(job.start.map(|start| (would_end(job, start).max(now), job.nodes)));
        }
        let free_at = |time: Time| {
            let ended = ends.iter().filter(|(end, _)| *end <= time);
            free + ended.map(|&(_, nodes)| nodes).sum::<u32>()
        };
        // The shadow time and the extra nodes of the oldest job that is blocked, but not until after an
        // outage.
        let reservation = |head: &TwinJob| {
            let is_blocked = head.start.is_none() && head.nodes <= self.nodes && head.nodes > free;
            let fits = |end: &Time| is_blocked && free_at(*end) >= head.nodes;
            let shadow = ends.iter().map(|&(end, _)| end).filter(fits).min()?;
            (!is_interrupted(head, shadow)).then(|| (shadow, free_at(shadow) - head.nodes))
        };
        let reserved = self.jobs.iter().find_map(reservation);
        let (nodes, room) = (self.nodes, self.nodes.saturating_sub(used));
        for job in self.jobs.iter_mut().filter(|job| job.start.is_none()) {
            let delays = |(shadow, extra): (Time, u32)| {
                job.limit.is_none_or(|limit| now + limit > shadow) && job.nodes > extra
            };
            let cause = if job.nodes > nodes {
                WaitCause::TooLarge
            } else if job.nodes > room {
                WaitCause::NoRoom
            } else if job.nodes > free || is_interrupted(job, now) {
                WaitCause::Outage
            } else if reserved.is_some_and(delays) {
                WaitCause::Reserved
            } else if job.refused {
                WaitCause::NoPlace
            } else {
                WaitCause::Free
            };
            job.why.add(cause, next - now);
        }
    }
}
