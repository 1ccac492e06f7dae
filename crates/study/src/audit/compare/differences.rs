//! Differences between pairs of jobs, accumulated one pair at a time.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "pairs are counted one by one, and ranks are below their number"
)]

use std::io;

use super::{DivergenceKind, Limits, Spread};
use crate::audit::ScheduledJob;
use meshreplay_base::disk::Sorter;
use meshreplay_base::job::{Period, Time};

/// Accumulated differences between two schedules.
#[derive(Debug)]
pub(super) struct Differences {
    /// The earliest difference: its time, its kind and the job in each schedule.
    pub(super) first: Option<(Time, DivergenceKind, Box<[ScheduledJob; 2]>)>,
    /// Differences of starts.
    pub(super) starts: Starts,
    /// Jobs with different run times.
    pub(super) runs: usize,
    /// Jobs that start at the same time on other nodes, or on another number of nodes.
    pub(super) places: usize,
    /// The period that counts; `None` for all times.
    period: Option<Period>,
}

impl Differences {
    /// Before the first pair.
    pub(super) fn none(Limits { in_memory, period }: Limits) -> Self {
        let starts = Starts { count: 0, sum_s: 0.0, sizes_s: Sorter::of_pieces(in_memory) };
        Self { first: None, starts, runs: 0, places: 0, period }
    }

    /// Adds a job of both schedules. Fails if a temporary file cannot be written.
    pub(super) fn add(&mut self, x: ScheduledJob, y: ScheduledJob) -> io::Result<()> {
        let elsewhere =
            x.allocated != y.allocated || (x.nodes.is_some() && y.nodes.is_some() && x.nodes != y.nodes);
        let inside = |time: Time| self.period.map_or(time, |Period { from, to }| time.clamp(from, to));
        let [starts, ends] = [[x.start, y.start], [x.end, y.end]].map(|times| times.map(inside));
        self.runs += usize::from(x.end - x.start != y.end - y.start);
        let (at, kind) = if starts[0] != starts[1] {
            self.starts.add((starts[1] - starts[0]).as_seconds())?;
            (starts[0].min(starts[1]), DivergenceKind::Start)
        } else if elsewhere && starts[0] == x.start && self.period.is_none_or(|period| x.start < period.to) {
            self.places += 1;
            (x.start, DivergenceKind::Place)
        } else if ends[0] != ends[1] {
            (ends[0].min(ends[1]), DivergenceKind::End)
        } else {
            return Ok(());
        };
        if self.first.as_ref().is_none_or(|(earliest, ..)| at < *earliest) {
            self.first = Some((at, kind, Box::new([x, y])));
        }
        Ok(())
    }
}

/// Differences of starts, in seconds.
#[derive(Debug)]
pub(super) struct Starts {
    count: usize,
    sum_s: f64,
    /// Absolute differences, as the bits of floats, which sort like the floats.
    sizes_s: Sorter,
}

impl Starts {
    fn add(&mut self, difference_s: f64) -> io::Result<()> {
        self.count += 1;
        self.sum_s += difference_s;
        self.sizes_s.add((difference_s.abs().to_bits().cast_signed(), 0), &[])
    }

    /// Returns the statistics. Percentiles use the nearest-rank method.
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
