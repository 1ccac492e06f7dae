//! How pairs of jobs differ, which are added one by one.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "pairs are counted one by one, and ranks are below their number"
)]

use std::io;

use super::{Spread, What};
use crate::audit::ScheduledJob;
use meshreplay_base::disk::Sorter;
use meshreplay_base::job::Time;

/// The differences between two schedules so far.
#[derive(Debug)]
pub(super) struct Differences {
    /// The earliest one: its time, its kind and the job in each schedule.
    pub(super) first: Option<(Time, What, Box<[ScheduledJob; 2]>)>,
    /// The differences of the starts.
    pub(super) starts: Starts,
    /// The number of jobs with different run times.
    pub(super) runs: usize,
    /// The number of jobs that start at the same time on different nodes, or on different numbers of nodes.
    pub(super) places: usize,
}

impl Differences {
    /// Returns the differences before the first pair, of which at most `in_memory` bytes are in memory.
    pub(super) fn none(in_memory: usize) -> Self {
        let starts = Starts { count: 0, sum_s: 0.0, sizes_s: Sorter::of_pieces(in_memory) };
        Self { first: None, starts, runs: 0, places: 0 }
    }

    /// Adds a job as both schedules have it. Fails if differences cannot be kept in a temporary file.
    pub(super) fn add(&mut self, x: ScheduledJob, y: ScheduledJob) -> io::Result<()> {
        let elsewhere =
            x.allocated != y.allocated || (x.nodes.is_some() && y.nodes.is_some() && x.nodes != y.nodes);
        self.runs += usize::from(x.end - x.start != y.end - y.start);
        let (at, what) = if x.start != y.start {
            self.starts.add((y.start - x.start).as_seconds())?;
            (x.start.min(y.start), What::Start)
        } else if elsewhere {
            self.places += 1;
            (x.start, What::Place)
        } else if x.end != y.end {
            (x.end.min(y.end), What::End)
        } else {
            return Ok(());
        };
        if self.first.as_ref().is_none_or(|(earliest, ..)| at < *earliest) {
            self.first = Some((at, what, Box::new([x, y])));
        }
        Ok(())
    }
}

/// Differences of starts, in seconds.
#[derive(Debug)]
pub(super) struct Starts {
    count: usize,
    sum_s: f64,
    /// Their sizes without sign, as the bits of floats, which are ordered as these are.
    sizes_s: Sorter,
}

impl Starts {
    fn add(&mut self, difference_s: f64) -> io::Result<()> {
        self.count += 1;
        self.sum_s += difference_s;
        self.sizes_s.add((difference_s.abs().to_bits().cast_signed(), 0), &[])
    }

    /// Returns their statistics. Percentiles are values of the list, by the nearest-rank method.
    pub(super) fn spread(self) -> io::Result<Spread> {
        let Self { count, sum_s, sizes_s } = self;
        let mut sizes_s = sizes_s.sorted()?;
        let mut spread = Spread { count, mean_s: sum_s / count.max(1) as f64, ..Spread::default() };
        let rank = |percent: usize| (count * percent).div_ceil(100).max(1);
        let mut at = 0;
        while let Some(((bits, _), _)) = sizes_s.next()? {
            at += 1;
            spread.max_s = f64::from_bits(bits.cast_unsigned());
            for (percent, value) in [(50, &mut spread.p50_s), (99, &mut spread.p99_s)] {
                if at == rank(percent) {
                    *value = spread.max_s;
                }
            }
        }
        Ok(spread)
    }
}
