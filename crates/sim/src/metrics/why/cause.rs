//! The causes of waiting, and the time that a job waited for each.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Index, IndexMut};

use meshreplay_base::job::Time;

/// The cause of a second of waiting.
///
/// At each instant, after its arrivals, starts and ends, every waiting job gets the first cause that holds,
/// and keeps it until the next instant with an event. A job without a limit never ends. Running jobs that
/// have outlived their limits end now.
///
/// Shadow time and extra nodes are those of EASY: D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995.
/// So under EASY no job is ever [`Self::Free`] if the allocator refuses no job that fits by count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitCause {
    /// The job exceeds the machine.
    TooLarge,
    /// The job exceeds the nodes that no job uses.
    NoRoom,
    /// The job exceeds the free nodes because nodes are down, or would by its limit run into the next known
    /// outage of the whole machine. During a known outage no node is free.
    Outage,
    /// The job would delay the oldest blocked job: the oldest waiting job that does not fit now, but will
    /// after ends of running jobs. Its *shadow time* is the first of these ends, by limits, with enough free
    /// nodes, and the *extra* nodes are free then beyond its need. The job would by its limit end after the
    /// shadow time, and needs more than the extra nodes.
    ///
    /// Nothing is reserved for a job that has to wait for the end of a known outage, so that the next blocked
    /// job is the oldest one.
    Reserved,
    /// The allocator refused the job in the last pass, although enough nodes are free.
    NoPlace,
    /// Free to start: the job fitted, would have delayed no other, and was not started.
    Free,
}

impl WaitCause {
    /// All causes in the order of the definition.
    pub const ALL: [Self; 6] =
        [Self::TooLarge, Self::NoRoom, Self::Outage, Self::Reserved, Self::NoPlace, Self::Free];

    /// Returns the column of the `jobs` frame with the seconds of a job.
    pub const fn column(self) -> &'static str {
        match self {
            Self::TooLarge => "wait_too_large_s",
            Self::NoRoom => "wait_no_room_s",
            Self::Outage => "wait_outage_s",
            Self::Reserved => "wait_reserved_s",
            Self::NoPlace => "wait_no_place_s",
            Self::Free => "wait_free_s",
        }
    }
}

impl WaitCause {
    /// Returns the column of the `summary` frame with the mean over jobs.
    pub const fn mean_column(self) -> &'static str {
        match self {
            Self::TooLarge => "wait_too_large_s_mean",
            Self::NoRoom => "wait_no_room_s_mean",
            Self::Outage => "wait_outage_s_mean",
            Self::Reserved => "wait_reserved_s_mean",
            Self::NoPlace => "wait_no_place_s_mean",
            Self::Free => "wait_free_s_mean",
        }
    }
}

/// The waiting time of a job by cause. The sum is the wait, less the runs that a requeued job lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobWhy([Time; WaitCause::ALL.len()]);

impl Index<WaitCause> for JobWhy {
    type Output = Time;

    fn index(&self, cause: WaitCause) -> &Time {
        &self.0[cause as usize]
    }
}

impl IndexMut<WaitCause> for JobWhy {
    fn index_mut(&mut self, cause: WaitCause) -> &mut Time {
        &mut self.0[cause as usize]
    }
}

impl AddAssign<&JobWhy> for JobWhy {
    fn add_assign(&mut self, other: &JobWhy) {
        for cause in WaitCause::ALL {
            self.add(cause, other[cause]);
        }
    }
}

impl JobWhy {
    /// Returns the times in seconds, in the order of [`WaitCause::ALL`], as read from a file.
    pub fn from_seconds(seconds: [f64; WaitCause::ALL.len()]) -> Self {
        Self(seconds.map(|seconds| Time::from_micros((seconds * 1e6).round() as i64)))
    }

    /// Returns the time waited for all causes together.
    pub fn sum(&self) -> Time {
        self.0.iter().fold(Time::ZERO, |sum, &time| sum + time)
    }

    /// Adds a time waited for `cause`.
    pub(super) fn add(&mut self, cause: WaitCause, time: Time) {
        self[cause] = self[cause] + time;
    }
}

/// The waiting time of all jobs by cause, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TotalWhy([i128; WaitCause::ALL.len()]);

impl TotalWhy {
    /// Adds the waiting time of a job.
    pub fn add(&mut self, job: &JobWhy) {
        for cause in WaitCause::ALL {
            self.0[cause as usize] += i128::from(job[cause].as_micros());
        }
    }

    /// Returns the share of the waiting time with this cause, from 0 to 1; 0 if no job waited.
    pub fn share(&self, cause: WaitCause) -> f64 {
        let sum: i128 = self.0.iter().sum();
        if sum > 0 { self.0[cause as usize] as f64 / sum as f64 } else { 0.0 }
    }

    /// Returns the seconds waited for `cause`.
    pub fn seconds(&self, cause: WaitCause) -> f64 {
        self.0[cause as usize] as f64 / 1e6
    }
}

/// Returns the share of each reason in the seconds of all jobs, the largest first, from the seconds by
/// reason; `None` stands for jobs without a reason. Reasons without seconds are left out.
pub fn shares_of<R>(seconds: BTreeMap<Option<R>, f64>) -> Vec<(R, f64)> {
    let all: f64 = seconds.values().sum();
    let named = seconds.into_iter().filter(|&(_, seconds)| seconds > 0.0);
    let mut shares: Vec<(R, f64)> =
        named.filter_map(|(reason, seconds)| Some((reason?, seconds / all))).collect();
    shares.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    shares
}

/// The shares that decide what may be said of recorded waits, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WhyShares {
    /// The share of the waiting time that jobs were free to start.
    pub free: f64,
    /// The share of the starts that overtook a job submitted earlier.
    pub overtaking: f64,
}
