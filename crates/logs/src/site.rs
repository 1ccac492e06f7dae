//! What the runs of a log show about their site: the size of the machine, the period that the log covers, and
//! maintenance.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "levels are at most 2^24, sums of times are in 128 bits, and jobs are counted in memory; times \
              are differences of instants that are in range"
)]

use super::nodes::{NodeUse, RecordedRun};
use super::unit::LogUnit;
use meshreplay_base::words::counted;

// Maintenance: nothing runs although jobs wait. Each of these jobs fits the machine, because it ran later.

/// The shortest such time in seconds, and how long before its end a job must have been submitted.
const SHORTEST_S: i64 = 6 * 3600;
const WAITING_S: i64 = 600;

/// Returns the beginning and the end of each maintenance of 6 h or more, in order. Runs must be sorted by
/// start, in seconds; runs with unknown times do not count. O(n) for n runs.
pub(crate) fn idle_spans(runs: &[RecordedRun]) -> Vec<[i64; 2]> {
    let lasting: Vec<&RecordedRun> =
        runs.iter().filter(|run| run.is_known() && run.start < run.end).collect();
    // The earliest submission of this run and all later ones.
    let least = |least: &mut i64, run: &&RecordedRun| {
        *least = run.submit.min(*least);
        Some(*least)
    };
    let mut earliest: Vec<i64> =
        lasting.iter().rev().scan(i64::MAX, |state, run| least(state, run)).collect();
    earliest.reverse();
    let (mut spans, mut until) = (Vec::new(), i64::MAX);
    for (run, &submit) in lasting.iter().zip(&earliest) {
        let is_long = run.start.saturating_sub(until) >= SHORTEST_S;
        if is_long && submit < run.start.saturating_sub(WAITING_S) {
            spans.push([until, run.start]);
        }
        until = if until == i64::MAX { run.end } else { until.max(run.end) };
    }
    spans
}

// The size of a machine from the time at each level of use.
//
// A busy machine spends much time just below its size and next to none above it. The *edge* is the level with
// the greatest ratio of the time in the 5 % below to the time in the 5 % above. The maximum alone is no
// size: one overlap of a second, after a change of the clock, raises it.

/// The highest level with a time of its own, the most nodes of a machine. Higher levels count as this one.
const HIGHEST: u64 = 1 << 24;

/// Width of the bands below and above an edge, as a share of the edge.
const BAND: f64 = 0.05;
/// Largest share of the busy time above an edge.
const MOST_ABOVE: f64 = 0.02;
/// Share of the busy time that is added to the time in the band above, so that short times are no edges.
const LEAST_ABOVE: f64 = 0.0005;
/// Least ratio of the times in both bands.
const LEAST_SCORE: f64 = 20.0;

/// The time at each level of use: the number of processors in use at once. Runs of zero length do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// By level, from 0; in the unit of the runs. The last one is above 0 but for level 0.
    times: Vec<i64>,
    /// The most processors in use at once, and for how long.
    peak: (u64, i64),
}

impl Levels {
    /// Sums up runs, each as start, end and processors, which must be sorted by start. O(n·log n) for n runs.
    pub(crate) fn new(runs: impl Iterator<Item = (i64, i64, u32)> + Clone) -> Self {
        let runs = runs.filter(|(start, end, _)| start < end);
        let mut ends: Vec<(i64, u32)> = runs.clone().map(|(_, end, procs)| (end, procs)).collect();
        ends.sort_unstable();
        let (mut levels, mut ends, mut starts) =
            (Self::default(), ends.into_iter().peekable(), runs.peekable());
        let (mut used, mut now) = (0_u64, 0);
        while let Some(&(end, of_end)) = ends.peek() {
            let next = starts.peek().map_or(end, |&(start, ..)| start.min(end));
            if next > now && used > 0 {
                levels.add(used, next - now);
            }
            now = next;
            // Ends of an instant come before its starts.
            if end == next {
                used -= u64::from(of_end);
                ends.next();
            } else if let Some((_, _, procs)) = starts.next() {
                used += u64::from(procs);
            }
        }
        levels
    }

    fn add(&mut self, level: u64, time: i64) {
        let at_peak = if level == self.peak.0 { self.peak.1 } else { 0 };
        if level >= self.peak.0 {
            self.peak = (level, at_peak.saturating_add(time));
        }
        let at = level.min(HIGHEST) as usize;
        if self.times.len() <= at {
            self.times.resize(at + 1, 0);
        }
        self.times[at] = self.times[at].saturating_add(time);
    }

    /// Returns the most processors in use at once, and for how long; zeros without runs.
    pub fn peak(&self) -> (u64, i64) {
        self.peak
    }

    /// Returns the level of the edge, at least `largest`, the processors of the largest job. `None`
    /// without a clear edge. O(levels).
    ///
    /// Candidates are the levels from `largest` on that are exceeded in at most 2 % of the busy time.
    pub fn edge(&self, largest: u64) -> Option<u64> {
        // The time at this level and below.
        let mut sum = 0_i128;
        let up_to: Vec<i128> = self.times.iter().map(|&time| (sum += i128::from(time), sum).1).collect();
        let between = |low: f64, high: f64| {
            let up_to = |level: f64| up_to.get(level as usize).copied().unwrap_or(sum);
            (up_to(high) - up_to(low)) as f64
        };
        let (total, mut best) = (sum as f64, (0.0, 0_usize));
        for (level, _) in self.times.iter().enumerate().filter(|(_, time)| **time > 0) {
            if (level as u64) < largest || (sum - up_to[level]) as f64 > MOST_ABOVE * total {
                continue;
            }
            let edge = level as f64;
            let below = between((edge * (1.0 - BAND)).floor(), edge);
            let above = between(edge, (edge * (1.0 + BAND)).ceil());
            let score = below / (above + LEAST_ABOVE * total);
            if score >= best.0 {
                best = (score, level);
            }
        }
        (best.0 >= LEAST_SCORE).then_some(best.1 as u64)
    }
}

/// The size of a machine, from its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteSize {
    /// The size, and its source.
    Known(u64, SizeSource),
    /// Unknown. The sentence, without a full stop, gives the most processors in use at once.
    Unknown(String),
}

/// The source of the size of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeSource {
    /// The header.
    Header,
    /// The names of nodes.
    Names,
    /// The edge of the levels of use.
    Edge,
}

impl SizeSource {
    /// Returns words that follow the number.
    pub fn words(self) -> &'static str {
        match self {
            Self::Header => "processors by its header",
            Self::Names => "nodes in its lists of nodes",
            Self::Edge => "processors that its jobs fill and hardly ever exceed",
        }
    }
}

impl SiteSize {
    /// Returns the size of the machine with this use, in a log whose processors are of this unit. `largest`
    /// are the processors of the largest job. Times are in seconds.
    ///
    /// If every run has as many names of nodes as processors, the size is the number of names. Otherwise it
    /// is the edge of the levels of use, or the number of names if no more processors were in use at once.
    pub fn of_use(node_use: &NodeUse, levels: &Levels, unit: LogUnit, largest: u64) -> Self {
        let names = if unit.counts_nodes(node_use) { node_use.nodes } else { 0 };
        let (peak, peak_s) = levels.peak();
        let edge = levels.edge(largest);
        if names > 0 && (node_use.names_all() || names >= edge.unwrap_or(peak).max(largest)) {
            return Self::Known(names, SizeSource::Names);
        }
        match edge {
            Some(edge) => Self::Known(edge, SizeSource::Edge),
            None => Self::Unknown(format!(
                "the size of its machine is not known: its jobs had up to {} in use at once, for {peak_s} s, \
                 and the largest has {largest}",
                counted(peak, "processor")
            )),
        }
    }
}

// Detection of logs that are a window of a site's history, such as the dump of one month.
//
// Such a dump has every job that ran in the month. It lacks the jobs that were submitted as early as its
// oldest ones and ended before the month. The test counts these missing jobs: at the rate and with the
// turnarounds of the later jobs, how many should have ended between the first submission and the first end?

/// Fewest jobs missing before the first end, and smallest share of jobs or node time before it, in a window.
const LEAST_MISSING: f64 = 10.0;
const LEAST_SHARE: f64 = 0.002;

/// Least number of jobs after the first end. The rate of fewer jobs says nothing.
const LEAST_LATER: u64 = 10;

/// Least number of jobs that wait at the beginning of a dump of the jobs that started in a window.
const LEAST_QUEUE: usize = 10;

/// The beginning of a window of a site's history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteWindow {
    /// First instant with all running and waiting jobs in the log.
    pub start: i64,
    /// Jobs submitted before the first end.
    pub carried: u64,
    /// Whether the log has the jobs that started in the window, so that the instant is an estimate.
    pub is_by_start: bool,
}

impl SiteWindow {
    /// Returns the window; `None` if `runs` are a whole log. Runs with unknown times do not count; the others
    /// must be sorted by start. O(n·log n) for n runs.
    pub(crate) fn find(runs: &[RecordedRun]) -> Option<Self> {
        let known = || runs.iter().filter(|run| run.is_known());
        let first_end = known().filter(|run| run.end > run.start).map(|run| run.end).min()?;
        let (mut first, mut before, mut jobs) = (i64::MAX, 0_u64, 0_u64);
        let (mut work, mut early_work) = (0_i128, 0_i128);
        for run in known() {
            first = first.min(run.submit);
            before += u64::from(run.submit < first_end);
            jobs += 1;
            let node_time = run.length() * i128::from(run.procs);
            work += node_time;
            early_work += if run.start < first_end { node_time } else { 0 };
        }
        let share = f64::max(before as f64 / jobs as f64, early_work as f64 / work as f64);
        let missing = missing_ends(first, first_end, known().map(|run| (run.submit, run.end)));
        (missing >= LEAST_MISSING && share >= LEAST_SHARE).then(|| {
            let start = start_of_starts(first_end, runs);
            Self { start: start.unwrap_or(first_end), carried: before, is_by_start: start.is_some() }
        })
    }
}

/// Returns the expected number of ends between `first` and `first_end`, if earlier jobs were like the later
/// ones. A job is given by its beginning and its end. 0 with fewer than [`LEAST_LATER`] of them.
fn missing_ends(first: i64, first_end: i64, jobs: impl Iterator<Item = (i64, i64)>) -> f64 {
    let (mut sum, mut last, mut later) = (0.0, first_end, 0_u64);
    for (begin, end) in jobs.filter(|(begin, _)| *begin >= first_end) {
        later += 1;
        last = last.max(begin);
        sum += f64::max(0.0, (first_end - first) as f64 - (end - begin) as f64);
    }
    if later < LEAST_LATER {
        return 0.0;
    }
    // The rate of beginnings times the mean over as many jobs.
    sum / (last - first_end).max(1) as f64
}

/// Returns the first instant at which no run is missing in a dump of the jobs that started in a window: the
/// first start plus the longest run. `None` for other dumps, in which the machine is as full at the first end
/// as later, or jobs started long before it.
fn start_of_starts(first_end: i64, runs: &[RecordedRun]) -> Option<i64> {
    let lasting = || runs.iter().filter(|run| run.is_known() && run.end > run.start);
    let first_start = lasting().map(|run| run.start).min()?;
    let (peak, _) = Levels::new(lasting().map(RecordedRun::usage)).peak();
    let used: u64 = lasting().filter(|run| run.start < first_end).map(|run| u64::from(run.procs)).sum();
    let queue = lasting().filter(|run| run.submit < first_end && run.start >= first_end).count();
    let missing = missing_ends(first_start, first_end, lasting().map(|run| (run.start, run.end)));
    let longest = lasting().map(|run| run.end - run.start).max()?;
    let is_by_start = 2 * used < peak && queue >= LEAST_QUEUE && missing < LEAST_MISSING;
    is_by_start.then(|| first_start.saturating_add(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(runs: &[(i64, i64, u32)]) -> Levels {
        let mut runs = runs.to_vec();
        runs.sort_unstable();
        Levels::new(runs.iter().copied())
    }

    #[test]
    fn time_is_counted_at_each_level() {
        let found = levels(&[(0, 10, 4), (10, 15, 3), (12, 13, 2), (40, 40, 99), (50, 60, 3)]);
        assert_eq!(found.times, [0, 0, 0, 14, 10, 1]);
        assert_eq!(found.peak(), (5, 1));
        assert_eq!(levels(&[(3, 3, 7)]).peak(), (0, 0));
        assert_eq!(levels(&[(0, 9, u32::MAX)]).peak(), (u64::from(u32::MAX), 9));
    }

    #[test]
    fn a_size_is_where_time_ends() {
        // A machine of 100 nodes is full for a third of the time, and for 3 of 10,000 s beyond that.
        let mut runs = vec![(0, 4000, 60), (0, 3400, 40), (3400, 3403, 70), (4000, 10_000, 50)];
        assert_eq!(levels(&runs).edge(60), Some(100));
        // No job is larger than the machine.
        assert_eq!(levels(&runs).edge(101), None);
        // Time that falls off evenly has no edge.
        let mut start = 0;
        let run = |level: u32| {
            let end = start + 1 + 1_000_000 / i64::from(level).pow(3);
            (std::mem::replace(&mut start, end), end, level)
        };
        runs = (1..=1000).map(run).collect();
        assert_eq!(levels(&runs).edge(1), None);
        assert_eq!(levels(&[]).edge(0), None);
    }
}
