//! Comparison of two schedules of the same jobs: the first difference, the state of both schedules at that
//! moment, and how far starts differ.
//! Jobs are paired as they are read, and differences are accumulated one pair at a time.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "pairs are counted one by one, and ranks are below their number"
)]

use std::io;

use super::ScheduleStream;
use super::stream::{IN_MEMORY, pack, unpack};
use crate::audit::ScheduledJob;
use meshreplay_base::disk::Sorter;
use meshreplay_base::job::{Period, Time};
use meshreplay_base::words::counted;

/// The reason why two schedules cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; compare schedules of the same jobs")]
pub struct NotSameJobs(pub(super) String);

/// The differences between two schedules of the same jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The number of jobs.
    pub jobs: usize,
    /// The earliest difference; `None` if the schedules are equal.
    pub first: Option<Divergence>,
    /// Differences of starts in seconds, second schedule minus first, over the jobs with different starts.
    pub starts: Spread,
    /// Jobs with different run times.
    pub runs: usize,
    /// Jobs that start at the same time on other nodes, or on another number of nodes.
    pub places: usize,
}

/// Statistics of a list of differences, in seconds. All are 0 for an empty list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The number of differences.
    pub count: usize,
    /// The mean of the signed differences.
    pub mean_s: f64,
    /// The median of the absolute differences.
    pub p50_s: f64,
    /// The 99th percentile of the absolute differences.
    pub p99_s: f64,
    /// The largest absolute difference.
    pub max_s: f64,
}

/// The kind of the first difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivergenceKind {
    /// A job starts in only one of the schedules at this time.
    Start,
    /// A job starts in both schedules, but on other nodes.
    Place,
    /// A job ends in only one of the schedules at this time.
    End,
}

/// The first difference between two schedules.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// Its time.
    pub at: Time,
    /// The log's number of the job.
    pub number: i64,
    /// The kind of difference.
    pub kind: DivergenceKind,
    /// The job in both schedules.
    pub jobs: [ScheduledJob; 2],
    /// The state of both schedules at that time.
    pub sides: [Side; 2],
}

/// The state of a schedule at a moment, after the ends and before the starts of that moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Nodes in use.
    pub used: u32,
    /// Running jobs.
    pub running: usize,
    /// Waiting jobs, in the order of arrival, without their nodes.
    pub waiting: Vec<ScheduledJob>,
    /// Numbers of the waiting jobs that start at the moment.
    pub started: Vec<i64>,
}

/// Reads a schedule from its first job on, on each call.
pub type Read<'f, 'w, E> = &'f mut dyn FnMut() -> Result<ScheduleStream<'w, E>, E>;

/// Compares two schedules. Jobs are matched by number if the numbers are unique, otherwise by position. The
/// inner error means that the schedules do not have the same jobs. Fails if a job cannot be read, whatever
/// else is wrong. O(J log J) for J jobs.
///
/// With a period, both schedules must have its jobs only, and starts and ends count as if they were at its
/// beginning or end if they are outside.
///
/// Memory holds the jobs that wait at the first difference. If the schedules list jobs in different orders,
/// both are sorted, in temporary files if they are long.
pub fn compare<E: From<io::Error>>(
    schedules: [Read<'_, '_, E>; 2],
    period: Option<Period>,
) -> Result<Result<Comparison, NotSameJobs>, E> {
    compare_within(Limits { in_memory: IN_MEMORY, period }, schedules)
}

/// How much of schedules is compared, and with how much memory.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Bytes of jobs that are sorted in memory.
    in_memory: usize,
    /// The period that counts; `None` for all times.
    period: Option<Period>,
}

/// Compares like [`compare`] within these limits.
fn compare_within<E: From<io::Error>>(
    limits: Limits,
    [a, b]: [Read<'_, '_, E>; 2],
) -> Result<Result<Comparison, NotSameJobs>, E> {
    let beside = in_step([a()?, b()?], limits)?;
    if beside.counts[0] != beside.counts[1] {
        return Ok(Err(NotSameJobs(format!(
            "{} and {}",
            counted(beside.counts[0], "job"),
            beside.counts[1]
        ))));
    }
    let differences = match beside.differences {
        Ok(differences) => differences,
        Err(Mismatch::NotSame(problem)) => return Ok(Err(problem)),
        Err(Mismatch::Order(number)) => match by_number([a()?, b()?], number, limits)? {
            Ok(differences) => differences,
            Err(problem) => return Ok(Err(problem)),
        },
    };
    let Differences { first, starts, runs, places, .. } = differences;
    let first = match first {
        None => None,
        Some((at, kind, jobs)) => {
            let [a_ordered, b_ordered] = beside.is_ordered;
            let sides = [side(a()?, at, a_ordered)?, side(b()?, at, b_ordered)?];
            Some(Divergence { at, number: jobs[0].number, kind, jobs: *jobs, sides })
        }
    };
    let jobs = usize::try_from(beside.counts[0]).unwrap_or(usize::MAX);
    Ok(Ok(Comparison { jobs, first, starts: starts.spread()?, runs, places }))
}

/// Returns the state of a schedule at a moment. `is_ordered`: its jobs are sorted by first events.
fn side<E>(schedule: ScheduleStream<'_, E>, at: Time, is_ordered: bool) -> Result<Side, E> {
    let mut side = Side::default();
    for job in schedule {
        let job = job?;
        if is_ordered && job.first_event() > at {
            // All further jobs arrive and start later.
            break;
        }
        if job.start < at && job.end > at {
            side.used = side.used.saturating_add(job.allocated);
            side.running += 1;
        }
        if job.submit <= at && job.start >= at {
            side.waiting.push(ScheduledJob { nodes: None, ..job });
        }
    }
    side.waiting.sort_by_key(|job| job.submit);
    side.started = side.waiting.iter().filter(|job| job.start == at).map(|job| job.number).collect();
    Ok(side)
}

/// Accumulated differences between two schedules.
#[derive(Debug)]
struct Differences {
    /// The earliest difference: its time, its kind and the job in each schedule.
    first: Option<(Time, DivergenceKind, Box<[ScheduledJob; 2]>)>,
    /// Differences of starts.
    starts: Starts,
    /// Jobs with different run times.
    runs: usize,
    /// Jobs that start at the same time on other nodes, or on another number of nodes.
    places: usize,
    /// The period that counts; `None` for all times.
    period: Option<Period>,
}

impl Differences {
    /// Before the first pair.
    fn none(Limits { in_memory, period }: Limits) -> Self {
        let starts = Starts { count: 0, sum_s: 0.0, sizes_s: Sorter::of_pieces(in_memory) };
        Self { first: None, starts, runs: 0, places: 0, period }
    }

    /// Adds a job of both schedules. Fails if a temporary file cannot be written.
    fn add(&mut self, x: ScheduledJob, y: ScheduledJob) -> io::Result<()> {
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
struct Starts {
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
    fn spread(self) -> io::Result<Spread> {
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

/// The result of reading two schedules in step.
struct InStep {
    /// Jobs of each schedule.
    counts: [u64; 2],
    /// Whether each schedule is sorted by first events.
    is_ordered: [bool; 2],
    /// Differences between jobs at equal positions, or the first reason why these are not pairs.
    differences: Result<Differences, Mismatch>,
}

/// The reason why two jobs at one position are not a pair.
enum Mismatch {
    /// Their numbers are equal, but not their requests.
    NotSame(NotSameJobs),
    /// Their numbers differ. This is the number in the first schedule.
    Order(i64),
}

/// Reads two schedules in step, to their ends.
fn in_step<E: From<io::Error>>(
    [mut a, mut b]: [ScheduleStream<'_, E>; 2],
    limits: Limits,
) -> Result<InStep, E> {
    let (mut counts, mut is_ordered, mut last) = ([0; 2], [true; 2], [None::<Time>; 2]);
    let mut differences = Ok(Differences::none(limits));
    loop {
        let x = a.next().transpose()?;
        let y = match b.next() {
            Some(Err(error)) => {
                // An error of the first schedule takes precedence.
                a.try_for_each(|job| job.map(drop))?;
                return Err(error);
            }
            y => y.transpose()?,
        };
        if x.is_none() && y.is_none() {
            return Ok(InStep { counts, is_ordered, differences });
        }
        for (i, job) in [&x, &y].into_iter().enumerate() {
            let Some(event) = job.as_ref().map(ScheduledJob::first_event) else { continue };
            counts[i] = counts[i].saturating_add(1);
            is_ordered[i] &= last[i].replace(event).is_none_or(|last| last <= event);
        }
        if let (Ok(known), Some(x), Some(y)) = (&mut differences, x, y) {
            let apart = if x.number == y.number {
                match add(known, x, y)? {
                    Ok(()) => continue,
                    Err(problem) => Mismatch::NotSame(problem),
                }
            } else {
                Mismatch::Order(x.number)
            };
            differences = Err(apart);
        }
    }
}

/// Adds a job with the same number in both schedules. Fails if the requests differ.
fn add(known: &mut Differences, x: ScheduledJob, y: ScheduledJob) -> io::Result<Result<(), NotSameJobs>> {
    // A log in the Standard Workload Format has both the allocated and the requested processors. The latter
    // are fewer where blocks are whole.
    let asks = |job: &ScheduledJob, procs: u32| job.procs == procs || job.asked == Some(procs);
    let is_same = asks(&x, y.procs) || y.asked.is_some_and(|asked| asks(&x, asked));
    if x.submit != y.submit || !is_same {
        let request = |job: &ScheduledJob| format!("{} at {}", counted(job.procs, "processor"), job.submit);
        let (first, second) = (request(&x), request(&y));
        return Ok(Err(NotSameJobs(format!("job {} asks for {first} and for {second}", x.number))));
    }
    known.add(x, y).map(Ok)
}

/// Sort order of the two jobs of a pair.
const FIRST: u64 = 0;
const SECOND: u64 = 1;

/// Returns the differences of two schedules whose jobs are matched by number: a merge join of the sorted
/// schedules, and a second sort that restores the order of the first schedule. `apart` is the number of its
/// first job that has another number at the same position of the second schedule. If a number occurs twice in
/// the second schedule, jobs are matched by position, so `apart` has no partner.
fn by_number<E: From<io::Error>>(
    [a, b]: [ScheduleStream<'_, E>; 2],
    apart: i64,
    limits: Limits,
) -> Result<Result<Differences, NotSameJobs>, E> {
    let alone = |number: i64| Ok(Err(NotSameJobs(format!("job {number} is in the first only"))));
    // Of equal numbers, the job of the second schedule comes first, so that the partner is known.
    let mut jobs = Sorter::of_pieces(limits.in_memory);
    for (schedule, order) in [(a, SECOND), (b, FIRST)] {
        for (job, position) in schedule.zip(0..) {
            let job = job?;
            jobs.add((job.number, order), &pack(&job, position))?;
        }
    }
    // Pairs in the order of the first schedule, whose jobs come first.
    let (mut jobs, mut pairs) = (jobs.sorted()?, Sorter::of_pieces(limits.in_memory));
    let mut partner: Option<(i64, Vec<u8>)> = None;
    while let Some(((number, order), job)) = jobs.next()? {
        let same = partner.as_ref().filter(|(other, _)| *other == number);
        if order == FIRST {
            if same.is_some() {
                return alone(apart);
            }
            partner = Some((number, job.to_vec()));
            continue;
        }
        let (position, _) = unpack(job)?;
        pairs.add((position.cast_signed(), FIRST), job)?;
        if let Some((_, partner)) = same {
            pairs.add((position.cast_signed(), SECOND), partner)?;
        }
    }
    let (mut pairs, mut known) = (pairs.sorted()?, Differences::none(limits));
    let mut waiting: Option<ScheduledJob> = None;
    while let Some(((_, order), job)) = pairs.next()? {
        let (_, job) = unpack(job)?;
        match (waiting.take(), order) {
            (Some(x), SECOND) => {
                if let Err(problem) = add(&mut known, x, job)? {
                    return Ok(Err(problem));
                }
            }
            (Some(x), _) => return alone(x.number),
            (None, _) => waiting = Some(job),
        }
    }
    waiting.map_or(Ok(Ok(known)), |x| alone(x.number))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::fixture::{job, stream};
    use super::*;

    /// Compares jobs in memory.
    fn compare(a: &[ScheduledJob], b: &[ScheduledJob]) -> Result<Comparison, NotSameJobs> {
        compare_within::<io::Error>(
            Limits { in_memory: 1 << 10, period: None },
            [&mut || Ok(stream(a)), &mut || Ok(stream(b))],
        )
        .expect("jobs in memory")
    }

    #[test]
    fn the_first_difference_is_found_with_what_both_knew() -> Result<(), NotSameJobs> {
        let a = [job(1, [0, 0, 100], 6), job(2, [0, 100, 150], 8), job(3, [5, 150, 155], 2)];
        let b = [job(1, [0, 0, 100], 6), job(2, [0, 101, 151], 8), job(3, [5, 5, 10], 2)];
        assert_eq!(compare(&a, &a)?.first, None);
        // The rows of one file may be in another order.
        let turned = [b[2].clone(), b[1].clone(), b[0].clone()];
        let found = compare(&a, &turned)?;
        let first = found.first.ok_or_else(|| NotSameJobs("equal".to_owned()))?;
        assert_eq!((first.at, first.number, first.kind), (Time::from_seconds(5), 3, DivergenceKind::Start));
        let numbers = |side: &Side| side.waiting.iter().map(|job| job.number).collect::<Vec<_>>();
        assert_eq!(first.sides.each_ref().map(numbers), [[2, 3], [2, 3]]);
        assert_eq!(first.sides.each_ref().map(|side| side.started.clone()), [vec![], vec![3]]);
        assert_eq!(first.sides.map(|side| (side.used, side.running)), [(6, 1), (6, 1)]);
        let starts = Spread { count: 2, mean_s: -72.0, p50_s: 1.0, p99_s: 145.0, max_s: 145.0 };
        assert_eq!((found.starts, found.runs, found.places), (starts, 0, 0));
        Ok(())
    }

    #[test]
    fn places_and_ends_count_too() -> Result<(), NotSameJobs> {
        let a = [job(1, [0, 0, 100], 6), job(2, [0, 0, 150], 2)];
        let on =
            |nodes: (u32, u32), job: &ScheduledJob| ScheduledJob { nodes: Some(vec![nodes]), ..job.clone() };
        let [x, y] = [on((0, 5), &a[0]), on((1, 6), &a[0])];
        let found = compare(&[x, a[1].clone()], &[y, job(2, [0, 0, 151], 2)])?;
        assert_eq!((found.runs, found.places, found.starts.count), (1, 1, 0));
        assert_eq!(found.first.map(|first| (first.number, first.kind)), Some((1, DivergenceKind::Place)));
        Ok(())
    }

    #[test]
    fn times_outside_a_period_count_as_its_ends() -> Result<(), NotSameJobs> {
        let limits = Limits { in_memory: 1 << 10, period: "10..100".parse().ok() };
        let compared = |a: &[ScheduledJob], b: &[ScheduledJob]| {
            compare_within::<io::Error>(limits, [&mut || Ok(stream(a)), &mut || Ok(stream(b))])
                .expect("jobs in memory")
        };
        let a = [job(1, [0, 1, 50], 6), job(2, [5, 20, 30], 8), job(3, [9, 120, 130], 2)];
        // Job 1 starts later before the period, and job 3 after it.
        let b = [job(1, [0, 2, 50], 6), job(2, [5, 20, 30], 8), job(3, [9, 140, 150], 2)];
        assert_eq!((compared(&a, &b)?.first, compared(&a, &b)?.starts), (None, Spread::default()));
        // Job 1 starts inside, 5 s after the beginning, and job 2 after the end, 80 s later inside.
        let b = [job(1, [0, 15, 64], 6), job(2, [5, 200, 210], 8), job(3, [9, 99, 109], 2)];
        let found = compared(&a, &b)?;
        let first = found.first.map(|first| (first.at, first.number));
        assert_eq!(first, Some((Time::from_seconds(10), 1)));
        let starts = Spread { count: 3, mean_s: 28.0, p50_s: 5.0, p99_s: 80.0, max_s: 80.0 };
        assert_eq!(found.starts, starts);
        Ok(())
    }

    #[test]
    fn other_jobs_are_refused() {
        let [a, b, c] = [job(1, [0, 0, 9], 6), job(2, [0, 0, 9], 6), job(1, [0, 0, 9], 5)];
        for (x, y, problem) in [
            (vec![a.clone()], vec![], "1 job and 0"),
            (vec![a.clone()], vec![b], "job 1 is in the first only"),
            (vec![a], vec![c], "job 1 asks for 6 processors at 0 s and for 5 processors at 0 s"),
        ] {
            let found = compare(&x, &y).expect_err("other jobs").to_string();
            assert_eq!(found, format!("{problem}; compare schedules of the same jobs"));
        }
    }

    /// The time and the job of the first difference, how starts differ, and how many places do.
    type Found = (Option<(Time, i64)>, Spread, usize);

    /// Compares jobs that are all in memory, and finds the pairs and the first difference only.
    fn naive(a: &[ScheduledJob], b: &[ScheduledJob]) -> Result<Found, String> {
        if a.len() != b.len() {
            return Err(format!("{} and {}", counted(a.len(), "job"), b.len()));
        }
        let by_number: HashMap<i64, &ScheduledJob> = b.iter().map(|job| (job.number, job)).collect();
        let unique = by_number.len() == b.len();
        let (mut first, mut differences, mut places) = (None, Vec::new(), 0);
        for (x, beside) in a.iter().zip(b) {
            let y = if unique { by_number.get(&x.number).copied() } else { Some(beside) };
            let Some(y) = y.filter(|y| y.number == x.number) else {
                return Err(format!("job {} is in the first only", x.number));
            };
            if (x.submit, x.procs) != (y.submit, y.procs) {
                return Err(format!("job {} asks", x.number));
            }
            let is_elsewhere = x.allocated != y.allocated;
            places += usize::from(is_elsewhere && x.start == y.start);
            let at = match (x.start == y.start, is_elsewhere, x.end == y.end) {
                (false, ..) => x.start.min(y.start),
                (_, true, _) => x.start,
                (_, _, false) => x.end.min(y.end),
                _ => continue,
            };
            differences.extend((x.start != y.start).then(|| (y.start - x.start).as_seconds()));
            if first.is_none_or(|(earliest, _)| at < earliest) {
                first = Some((at, x.number));
            }
        }
        let count = differences.len();
        let mean_s = differences.iter().sum::<f64>() / count.max(1) as f64;
        let mut sizes: Vec<f64> = differences.into_iter().map(f64::abs).collect();
        sizes.sort_by(f64::total_cmp);
        let rank =
            |percent: usize| sizes.get((count * percent).div_ceil(100).max(1) - 1).copied().unwrap_or(0.0);
        Ok((first, Spread { count, mean_s, p50_s: rank(50), p99_s: rank(99), max_s: rank(100) }, places))
    }

    /// Schedules in one order, in another one, with numbers that come twice, and with other jobs.
    #[test]
    fn jobs_that_are_read_one_by_one_give_what_all_at_once_give() {
        let noise = |seed: u64, below: u64| ((seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 31) % below) as i64;
        let (mut found, mut refused) = (0, 0);
        for seed in 0..400 {
            let count = 1 + noise(seed, 120) as u64;
            let scheduled = |i: u64, side: u64| {
                let draw = |k: u64, below: u64| noise(seed * 7919 + i * 131 + k, below);
                let twice = seed % 5 == 1 && draw(1, 30) == 0;
                let submit = draw(2, 500) - i64::from(side > 0 && seed % 7 == 2 && draw(3, 40) == 0);
                let start =
                    submit + draw(4, 50) + side as i64 * i64::from(draw(5, 3) == 0) * (draw(6, 400) - 200);
                let end = start + draw(7, 90) + side as i64 * i64::from(draw(8, 4) == 0);
                let number = i as i64 - i64::from(twice)
                    + i64::from(side > 0 && seed % 11 == 3 && draw(9, 80) == 0) * 9000;
                let allocated = 4 + u32::from(side > 0 && draw(10, 5) == 0);
                ScheduledJob { allocated, ..job(number, [submit, start, end], 4) }
            };
            let [mut a, mut b] =
                [0, 1].map(|side| (0..count).map(|i| scheduled(i, side)).collect::<Vec<_>>());
            if seed % 3 == 0 {
                b.sort_by_key(|job| noise(job.number as u64 * 5 + seed, 1 << 20));
            }
            if seed % 4 == 0 {
                a.sort_by_key(|job| job.submit);
            }
            if seed % 13 == 5 {
                b.pop();
            }
            match (compare(&a, &b), naive(&a, &b)) {
                (Ok(compared), Ok((first, starts, places))) => {
                    let told = compared.first.as_ref().map(|first| (first.at, first.number));
                    assert_eq!((told, compared.starts, compared.places), (first, starts, places), "{seed}");
                    if let Some(Divergence { at, sides, .. }) = compared.first {
                        let all = [&a, &b].map(|jobs| side(stream(jobs), at, false).expect("jobs in memory"));
                        assert_eq!(sides, all, "{seed}");
                    }
                    found += 1;
                }
                (Err(NotSameJobs(problem)), Err(expected)) => {
                    assert!(problem.starts_with(&expected), "{seed}: {problem}, {expected}");
                    refused += 1;
                }
                (compared, expected) => panic!("{seed}: {compared:?}, {expected:?}"),
            }
        }
        assert!(found > 150 && refused > 60, "{found} {refused}");
    }
}
