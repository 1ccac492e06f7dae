//! Conservative backfilling as the module describes it, with a count of free nodes for each second. The
//! scheduler must equal it in every reserved start. It looks at every reservation and searches all of the
//! time up to its start.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::fake::Fake;
use super::tests::SHORT;
use super::*;

/// A job with its length, and the second of its reserved or actual start.
#[derive(Clone, Copy, Debug)]
struct Planned {
    job: JobId,
    procs: u32,
    length: usize,
    start: usize,
}

/// The plain scheduler. It requires jobs that end by their estimates, and an allocator that never refuses.
struct Plain {
    order: EventOrder,
    repeat: bool,
    free: Vec<i64>,
    waiting: Vec<Planned>,
    running: Vec<Planned>,
}

impl Plain {
    fn take(&mut self, planned: Planned, sign: i64) {
        for free in &mut self.free[planned.start..planned.start + planned.length] {
            *free -= sign * i64::from(planned.procs);
        }
    }

    fn earliest(&self, Planned { procs, length, .. }: Planned, now: usize) -> usize {
        let mut start = now;
        // The last second of a window that is too full determines the next candidate.
        let full =
            |start: usize| self.free[start..start + length].iter().rposition(|&free| free < i64::from(procs));
        while let Some(full) = full(start) {
            start += full + 1;
        }
        start
    }

    fn compress(&mut self, now: usize) {
        loop {
            let mut moved = false;
            for number in 0..self.waiting.len() {
                let old = self.waiting[number];
                self.take(old, -1);
                let new = Planned { start: self.earliest(old, now), ..old };
                self.take(new, 1);
                self.waiting[number] = new;
                moved |= new.start < old.start;
            }
            if !(moved && self.repeat) {
                return;
            }
        }
    }

    fn end(&mut self, ended: &[Planned], now: usize) {
        let mut early = false;
        for one in ended.iter().filter(|one| one.start + one.length > now) {
            self.take(Planned { start: now, length: one.start + one.length - now, ..*one }, -1);
            early = true;
        }
        if early || !self.repeat && !ended.is_empty() {
            self.compress(now);
        }
    }

    fn reserve(&mut self, arrived: &[Planned], now: usize) {
        for &job in arrived {
            let planned = Planned { start: self.earliest(job, now), ..job };
            self.take(planned, 1);
            self.waiting.push(planned);
        }
    }

    /// Makes a pass and returns the jobs that start.
    fn pass(&mut self, now: usize, ended: &[JobId], arrived: &[Planned]) -> Vec<JobId> {
        let (mut ended, running): (Vec<Planned>, _) =
            self.running.iter().partition(|running| ended.contains(&running.job));
        self.running = running;
        ended.sort_by_key(|ended| (ended.start, ended.job));
        match self.order {
            EventOrder::Batch => {
                self.end(&ended, now);
                self.reserve(arrived, now);
            }
            EventOrder::EndsFirst => {
                ended.chunks(1).for_each(|one| self.end(one, now));
                self.reserve(arrived, now);
            }
            EventOrder::PerEvent => {
                self.reserve(arrived, now);
                ended.chunks(1).for_each(|one| self.end(one, now));
            }
        }
        let (due, waiting): (Vec<Planned>, _) = self.waiting.iter().partition(|job| job.start <= now);
        self.waiting = waiting;
        self.running.extend(&due);
        due.iter().map(|job| job.job).collect()
    }
}

/// The parameters of a random history.
#[derive(Clone, Copy, Debug)]
struct Style {
    nodes: u32,
    widest: u32,
    /// Estimates are multiples of this number of seconds.
    unit_s: i64,
    /// Jobs of the first instant.
    first: usize,
    passes: usize,
}

/// Plays a random history, with several ends per instant. Returns the number of moved
/// reservations, and the most waiting jobs.
fn play(seed: u64, style: Style) -> (usize, usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let order = [EventOrder::Batch, EventOrder::EndsFirst, EventOrder::PerEvent][seed as usize % 3];
    let repeat = (seed / 3).is_multiple_of(2);
    let (mut fake, mut scheduler) =
        (Fake::new(style.nodes, &[]), Conservative::with_tuning(order, repeat, SHORT));
    let mut free = vec![i64::from(style.nodes); 200_000];
    // Planned outages in every other history.
    for begin in (0..40).map(|i| 100 + 997 * i).filter(|_| seed % 2 == 1) {
        let length = 30 + begin % 211;
        fake.planned.push([begin, begin + length].map(|at| Time::from_seconds(at as i64)));
        free[begin..begin + length].fill(0);
    }
    let mut plain = Plain { order, repeat, free, waiting: Vec::new(), running: Vec::new() };
    let (mut now, mut jobs, mut moves, mut most) = (0, 0, 0, 0);
    for pass in 0..style.passes {
        // With `once` a reserved start may need a wake-up, so a pass comes every second.
        now += if repeat { rng.random_range(1..4) } else { 1 };
        let due = scheduler.next_start.as_micros() / 1_000_000;
        now = if pass > 0 && scheduler.next_start < Time::MAX { now.min(due as usize) } else { now };
        let ends = fake.running().iter().filter(|one| one.estimated_end <= Time::from_seconds(now as i64));
        now = ends.map(|one| (one.estimated_end.as_micros() / 1_000_000) as usize).fold(now, usize::min);
        let (at, early) = (Time::from_seconds(now as i64), rng.random_bool(0.5));
        let ends = fake.running().iter().map(|one| (one.job, one.estimated_end <= at));
        let ended: Vec<(JobId, bool)> = ends.collect();
        let ended = ended.into_iter().filter(|&(_, over)| over || early && rng.random_bool(0.2));
        let ended: Vec<JobId> = ended.map(|one| one.0).collect();
        let count = if pass == 0 { style.first } else { rng.random_range(0..3) };
        let arrived: Vec<(u32, i64)> = (0..count)
            .map(|_| {
                let procs = rng.random_range(1..=style.widest).min(rng.random_range(1..=style.widest));
                (procs, style.unit_s * rng.random_range(1..=200 / style.unit_s))
            })
            .collect();
        let planned: Vec<Planned> = (jobs..)
            .zip(&arrived)
            .map(|(job, &(procs, length))| Planned { job, procs, length: length as usize, start: 0 })
            .collect();
        jobs += arrived.len() as JobId;
        let known = fake.started.len();
        let before: Vec<Planned> = plain.waiting.clone();
        fake.depart(now as i64, &ended);
        fake.advance(now as i64, &arrived);
        scheduler.start_jobs(&mut fake);
        let started = plain.pass(now, &ended, &planned);
        let context = format!("seed {seed}, {style:?}, {now} s");
        assert_eq!(fake.started[known..], started, "{context}");
        let starts = scheduler.reservations.all().map(|reservation| reservation.start);
        let expected = plain.waiting.iter().map(|job| Time::from_seconds(job.start as i64));
        assert!(starts.eq(expected), "{context}: {:?}, {:?}", scheduler.reservations, plain.waiting);
        assert_eq!(scheduler.profile.all().count(), scheduler.profile.len(), "{context}");
        let has_moved = |old: &&Planned| {
            let new = plain.waiting.binary_search_by_key(&old.job, |new| new.job);
            new.is_ok_and(|new| plain.waiting[new].start < old.start)
        };
        moves += before.iter().filter(has_moved).count();
        most = most.max(plain.waiting.len());
    }
    (moves, most)
}

#[test]
fn every_reserved_start_equals_that_of_a_plain_scheduler() {
    let narrow = Style { nodes: 16, widest: 16, unit_s: 1, first: 5, passes: 120 };
    let equal = Style { nodes: 64, widest: 8, unit_s: 100, first: 150, passes: 60 };
    let long = Style { nodes: 128, widest: 64, unit_s: 1, first: 300, passes: 40 };
    let rounded = Style { nodes: 64, widest: 64, unit_s: 20, first: 300, passes: 40 };
    let saturated = Style { nodes: 128, widest: 64, unit_s: 50, first: 700, passes: 12 };
    for style in [narrow, equal, long, rounded, saturated] {
        let (mut moves, mut most) = (0, 0);
        for seed in 0..12 {
            let (count, waiting) = play(seed, style);
            (moves, most) = (moves + count, most.max(waiting));
        }
        assert!(moves > 1000 && most >= style.first * 3 / 4, "{style:?}: {moves} moves, {most} wait");
    }
}
