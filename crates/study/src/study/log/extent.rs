//! Statistics of the jobs of a log that is not kept in memory.
//! One of them is the deviation of the log from the order of arrival.

use std::collections::{BTreeMap, VecDeque};

use crate::study::jobs::TimeRange;
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::{Job, Time};

/// Most jobs of a log that are kept in memory. A longer log is read again while replays run.
pub const MOST_KEPT: usize = 1 << 19;

/// The jobs of one size and shape.
#[derive(Clone, Copy, Debug)]
pub(in crate::study) struct KindCount {
    /// Number of jobs.
    pub(in crate::study) count: u64,
    /// Position of the first job in the log, and its number.
    pub(in crate::study) first: (u64, i64),
    /// Earliest arrival.
    pub(in crate::study) arrives: Time,
}

impl KindCount {
    /// Adds jobs of the same size and shape.
    fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.first = self.first.min(other.first);
        self.arrives = self.arrives.min(other.arrives);
    }
}

/// Number of cache slots, a power of two.
const SLOTS: usize = 64;

/// Statistics of the jobs of a log, accumulated while it is read.
#[derive(Clone, Debug)]
pub(in crate::study) struct Extent {
    /// The number of jobs.
    pub(in crate::study) jobs: u64,
    /// Jobs by request, without those in [`Self::recent`] until the end.
    pub(in crate::study) kinds: BTreeMap<Request, KindCount>,
    /// A direct-mapped cache in front of the tree, indexed by the number of processors. Most logs have few
    /// sizes, and the tree is slower.
    recent: Vec<Option<(Request, KindCount)>>,
    /// Latest arrival and sum of run times.
    pub(in crate::study) range: TimeRange,
    /// Deviation of the log from the order of arrival.
    pub(in crate::study) lateness: Lateness,
}

impl Extent {
    /// Returns the statistics of these jobs.
    pub(in crate::study) fn of(jobs: &[Job]) -> Self {
        let mut extent = Self {
            jobs: 0,
            kinds: BTreeMap::new(),
            recent: vec![None; SLOTS],
            range: TimeRange::EMPTY,
            lateness: Lateness::default(),
        };
        for job in jobs {
            extent.add(job);
        }
        extent
    }

    /// Adds the next job of the log.
    pub(in crate::study) fn add(&mut self, job: &Job) {
        let kind = Request::from(job).kind();
        let one = KindCount { count: 1, first: (self.jobs, job.number), arrives: job.submit };
        match &mut self.recent[job.procs as usize % SLOTS] {
            Some((of, recent)) if *of == kind => recent.join(&one),
            slot => {
                let evicted = slot.replace((kind, one));
                self.count(evicted);
            }
        }
        self.jobs += 1;
        self.range.add(job);
        self.lateness.add(job.submit);
    }

    /// Moves the jobs of a cache slot to the tree.
    fn count(&mut self, recent: Option<(Request, KindCount)>) {
        if let Some((kind, recent)) = recent {
            self.kinds.entry(kind).and_modify(|kind_count| kind_count.join(&recent)).or_insert(recent);
        }
    }

    /// Finishes the statistics. Times are counted from `origin`.
    pub(in crate::study) fn since(mut self, origin: Time) -> Self {
        for recent in std::mem::take(&mut self.recent) {
            self.count(recent);
        }
        self.range.last_arrival = self.range.last_arrival - origin;
        self.kinds.values_mut().for_each(|kind_count| kind_count.arrives = kind_count.arrives - origin);
        self
    }
}

/// Largest reorder buffer of a streamed log, in jobs.
const LARGEST_BUFFER: usize = 1 << 16;

/// Finds, while a log is read, the size of the reorder buffer that restores the order of arrival.
#[derive(Clone, Debug)]
pub(in crate::study) struct Lateness {
    /// The running maximum of arrivals after each of the last jobs, so a non-decreasing list.
    latest: VecDeque<Time>,
    largest_buffer: usize,
    buffer_size: Option<usize>,
}

impl Default for Lateness {
    fn default() -> Self {
        Self::within(LARGEST_BUFFER)
    }
}

impl Lateness {
    /// For a buffer of at most `largest_buffer` jobs.
    fn within(largest_buffer: usize) -> Self {
        Self { latest: VecDeque::new(), largest_buffer, buffer_size: Some(0) }
    }

    /// Adds the arrival of the next job. O(1), or O(log `largest_buffer`) for a job that arrived before an
    /// earlier one of the log.
    pub(in crate::study) fn add(&mut self, submit: Time) {
        let Some(buffer_size) = self.buffer_size else { return };
        let latest = self.latest.back().copied().unwrap_or(submit);
        if submit < latest {
            // The job comes before all of these, so the first of them waits for it in the buffer.
            let overtaken = self.latest.len() - self.latest.partition_point(|&latest| latest <= submit);
            self.buffer_size = (overtaken <= self.largest_buffer).then(|| buffer_size.max(overtaken));
        }
        if self.latest.len() > self.largest_buffer {
            self.latest.pop_front();
        }
        self.latest.push_back(latest.max(submit));
    }

    /// Returns the size of the buffer, 0 if the log has the order of arrival; `None` if it exceeds the limit.
    pub(in crate::study) fn buffer_size(&self) -> Option<usize> {
        self.buffer_size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::job::Shape;

    /// Cache and tree are joined, in any order of jobs that share a slot.
    #[test]
    fn jobs_are_counted_by_what_they_ask_for() {
        let slots = SLOTS as u32;
        let sizes = [3, 3 + slots, 3, 7, 3 + 2 * slots, 3, 3 + slots, 7, 7];
        let shapes = [Shape::NearSquare, Shape::Row];
        let job = |i: usize| Job {
            number: 100 + i as i64,
            submit: Time::from_seconds((i as i64 * 7 + 50) % 60),
            procs: sizes[i % sizes.len()],
            shape: shapes[i / 4 % 2],
            ..Job::default()
        };
        let jobs: Vec<Job> = (0..40).map(job).collect();
        let mut extent = Extent::of(&jobs[..5]);
        jobs[5..].iter().for_each(|job| extent.add(job));
        let origin = Time::from_seconds(2);
        let extent = extent.since(origin);
        assert!(extent.jobs == 40 && extent.kinds.len() == 7);
        for (request, kind_count) in &extent.kinds {
            let mut same = jobs.iter().zip(0..).filter(|(job, _)| Request::from(*job).kind() == *request);
            let arrives = same.clone().map(|(job, _)| job.submit - origin).min();
            let count = same.clone().count() as u64;
            let first = same.next().map(|(job, at): (_, u64)| (at, job.number));
            assert_eq!(
                (kind_count.count, Some(kind_count.first), Some(kind_count.arrives)),
                (count, first, arrives)
            );
        }
    }
}

#[cfg(test)]
mod lateness_tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;

    /// Returns the times as they leave a buffer of `buffer_size` jobs.
    fn handed_out(times: &[i64], buffer_size: usize) -> Vec<(i64, usize)> {
        let (mut heap, mut out) = (BinaryHeap::new(), Vec::new());
        for (at, &time) in times.iter().enumerate() {
            heap.push(Reverse((time, at)));
            if heap.len() > buffer_size {
                out.extend(heap.pop().map(|Reverse(next)| next));
            }
        }
        out.extend(std::iter::from_fn(|| heap.pop().map(|Reverse(next)| next)));
        out
    }

    /// All logs of six jobs with four different arrivals: the buffer is large enough and as small as
    /// possible.
    #[test]
    fn as_many_jobs_are_held_back_as_the_order_takes() {
        for code in 0..4_u32.pow(6) {
            let times: Vec<i64> = (0..6).map(|i| i64::from(code / 4_u32.pow(i) % 4)).collect();
            let mut sorted: Vec<(i64, usize)> = times.iter().copied().zip(0..).collect();
            sorted.sort_unstable();
            let least = (0..6).find(|&buffer_size| handed_out(&times, buffer_size) == sorted);
            for most in 0..6 {
                let mut lateness = Lateness::within(most);
                for &time in &times {
                    lateness.add(Time::from_seconds(time));
                }
                match lateness.buffer_size() {
                    Some(buffer_size) => {
                        assert!(
                            buffer_size <= most && handed_out(&times, buffer_size) == sorted,
                            "{times:?} {most}"
                        );
                        assert_eq!(buffer_size == 0, least == Some(0), "{times:?}");
                    }
                    None => assert!(times.windows(2).any(|pair| pair[0] > pair[1]), "{times:?}"),
                }
                assert!(most < 5 || lateness.buffer_size().is_some(), "{times:?}");
            }
        }
    }
}
