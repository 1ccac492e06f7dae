//! Schedulers against plain loops over lists, written exactly as published, and their promises.

use std::collections::BTreeMap;

use meshreplay_base::job::{Job, Shape, Time};

use super::support::{Numbers, Tested, replay};

const NODES: u32 = 12;
const TICK: Time = Time::from_micros(1);

/// Relation of estimates to run times.
#[derive(Clone, Copy, PartialEq)]
enum Estimates {
    Exact,
    Long,
    Any,
}

/// Jobs that arrive after 10,000 s, where the logarithms in the orders f1 to f4 neither vanish nor dominate.
fn random_jobs(seed: u64, count: i64, kind: Estimates) -> Vec<Job> {
    let mut numbers = Numbers(seed);
    let mut submit_s = 10_000;
    let mut job = |number| {
        submit_s += i64::from(numbers.below(24) / 3);
        let run_s = i64::from(numbers.below(30));
        let more_s = i64::from(numbers.below(40));
        let estimate_s = match kind {
            // A job of 0 s would leave its reservation early.
            Estimates::Exact => run_s.max(1),
            Estimates::Long => run_s + more_s,
            Estimates::Any => (run_s + more_s - 20).max(0),
        };
        let run_s = if kind == Estimates::Exact { estimate_s } else { run_s };
        let [submit, run, estimate] = [submit_s, run_s, estimate_s].map(Time::from_seconds);
        Job {
            number,
            submit,
            run,
            estimate,
            procs: 1 + numbers.below(9),
            shape: Shape::NearSquare,
            ..Job::default()
        }
    };
    (0..count).map(&mut job).collect()
}

fn starts(jobs: &[Job], scheduler: &str, allocator: &str) -> Result<Vec<Time>, Box<dyn std::error::Error>> {
    let outcome = replay(jobs, "4x3", scheduler, allocator)?;
    Ok(outcome.jobs.iter().map(|job| &job.record).map(|record| record.start).collect())
}

/// A machine that only counts nodes, and its waiting jobs in order of arrival.
struct Plain<'a> {
    jobs: &'a [Job],
    now: Time,
    queue: Vec<usize>,
    starts: Vec<Option<Time>>,
    ended: Vec<bool>,
}

/// The cause of a pass.
#[derive(Clone, Copy, PartialEq)]
enum Event {
    All,
    Departures,
    Arrival(usize),
}

impl Plain<'_> {
    /// Running jobs and their starts.
    fn running(&self) -> Vec<(usize, Time)> {
        let running = |j: usize| self.starts[j].filter(|_| !self.ended[j]).map(|start| (j, start));
        (0..self.jobs.len()).filter_map(running).collect()
    }

    fn free(&self) -> u32 {
        NODES - self.running().iter().map(|&(j, _)| self.jobs[j].procs).sum::<u32>()
    }

    /// Starts `j` if it fits.
    fn try_start(&mut self, j: usize) -> bool {
        let fits = self.jobs[j].procs <= self.free();
        if fits {
            self.queue.retain(|&other| other != j);
            self.starts[j] = Some(self.now);
        }
        fits
    }
}

/// Replays `jobs` with one call of `pass` per instant, or with `separate` after the departures and after each
/// arrival.
fn play(jobs: &[Job], separate: bool, mut pass: impl FnMut(&mut Plain<'_>, Event)) -> Vec<Time> {
    let (queue, starts, ended) = (Vec::new(), vec![None; jobs.len()], vec![false; jobs.len()]);
    let mut plain = Plain { jobs, now: Time::ZERO, queue, starts, ended };
    let mut arrived = 0;
    loop {
        let ends = plain.running().into_iter().map(|(j, start)| start + jobs[j].run);
        let Some(now) = ends.chain(jobs.get(arrived).map(|job| job.submit)).min() else { break };
        plain.now = now;
        let ending: Vec<usize> = plain.running().into_iter().map(|(j, _)| j).collect();
        let ending: Vec<usize> = ending
            .into_iter()
            .filter(|&j| plain.starts[j].map(|start| start + jobs[j].run) == Some(now))
            .collect();
        for &j in &ending {
            plain.ended[j] = true;
        }
        if separate && !ending.is_empty() {
            pass(&mut plain, Event::Departures);
        }
        while jobs.get(arrived).is_some_and(|job| job.submit == now) {
            plain.queue.push(arrived);
            arrived += 1;
            if separate {
                pass(&mut plain, Event::Arrival(arrived - 1));
            }
        }
        if !separate {
            pass(&mut plain, Event::All);
        }
    }
    plain.starts.into_iter().map(|start| start.expect("every job starts")).collect()
}

/// Figure 2 of Chang and Mohapatra. The strict rule (not `literal`) continues after a started head of any
/// age.
fn bypass_pass(plain: &mut Plain<'_>, event: Event, threshold: Time, literal: bool) {
    if let Event::Arrival(j) = event {
        // Arrival, steps 2 and 3. The job is already at the tail.
        if plain.queue == [j] {
            plain.try_start(j);
        }
        return;
    }
    // Departure, step 1.
    let Some(&first) = plain.queue.first() else { return };
    let (mut candidate, mut submission) = (first, plain.jobs[first].submit);
    loop {
        // Step 2.
        let is_first = plain.queue.first() == Some(&candidate);
        let next = plain.queue.iter().copied().find(|&j| j > candidate);
        let started = plain.try_start(candidate);
        let Some(next) = next else { return };
        // Step 3.
        if plain.now - submission >= threshold && (literal || !is_first || !started) {
            return;
        }
        candidate = next;
        submission = plain.jobs[plain.queue[0]].submit;
    }
}

#[test]
fn the_bypass_queue_equals_the_figure() -> Tested {
    for seed in 0..40 {
        let jobs = random_jobs(seed, 120, Estimates::Any);
        for (threshold, threshold_s) in [("0", 0), ("7", 7), ("40", 40), ("150", 150), ("inf", i64::MAX)] {
            for (rule, literal) in [("strict-fcfs", false), ("literal", true)] {
                let scheduler = format!("bypass-queue:threshold={threshold},rule={rule}");
                let threshold = Time::from_seconds(threshold_s);
                let expected =
                    play(&jobs, true, |plain, event| bypass_pass(plain, event, threshold, literal));
                assert_eq!(starts(&jobs, &scheduler, "naive")?, expected, "{scheduler}, seed {seed}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_threshold_of_nothing_is_first_come_first_served() -> Tested {
    for seed in 0..40 {
        let jobs = random_jobs(seed, 200, Estimates::Any);
        for allocator in ["naive", "first-fit", "paging"] {
            let found = starts(&jobs, "bypass-queue:threshold=0", allocator)?;
            assert_eq!(found, starts(&jobs, "fcfs", allocator)?, "{allocator}, seed {seed}");
        }
    }
    Ok(())
}

#[test]
fn nobody_is_bypassed_after_the_threshold_and_many_are_before() -> Tested {
    for (threshold, threshold_s) in [("0.5", 0.5), ("20", 20.0), ("100", 100.0)] {
        for rule in ["strict-fcfs", "literal"] {
            for allocator in ["naive", "first-fit"] {
                let mut bypassed = 0;
                for seed in 0..20 {
                    let jobs = random_jobs(seed, 150, Estimates::Any);
                    let scheduler = format!("bypass-queue:threshold={threshold},rule={rule}");
                    let starts = starts(&jobs, &scheduler, allocator)?;
                    for old in 0..jobs.len() {
                        for young in (old + 1..jobs.len()).filter(|&young| starts[young] < starts[old]) {
                            let waited_s = (starts[young] - jobs[old].submit).as_seconds();
                            assert!(waited_s < threshold_s, "{scheduler}, seed {seed}: {old}, {young}");
                            bypassed += 1;
                        }
                    }
                }
                assert!(bypassed > 0 || threshold_s < 1.0, "{threshold}, {rule}, {allocator}");
            }
        }
    }
    Ok(())
}

#[test]
fn without_a_threshold_nobody_fits_after_a_departure() -> Tested {
    for seed in 0..40 {
        let jobs = random_jobs(seed, 150, Estimates::Any);
        for rule in ["strict-fcfs", "literal"] {
            let starts = starts(&jobs, &format!("bypass-queue:rule={rule}"), "naive")?;
            let ends: Vec<Time> = (0..jobs.len()).map(|j| starts[j] + jobs[j].run).collect();
            // A job that arrives at the time of a departure is handled after it.
            for &now in &ends {
                let running = (0..jobs.len()).filter(|&j| starts[j] <= now && ends[j] > now);
                let free = NODES - running.map(|j| jobs[j].procs).sum::<u32>();
                let fits = (0..jobs.len())
                    .find(|&j| jobs[j].submit < now && starts[j] > now && jobs[j].procs <= free);
                assert_eq!(fits, None, "seed {seed}, {now}");
            }
        }
    }
    Ok(())
}

/// The sort key of an order; the lowest key is first. Definitions and constants are from the literature cited
/// in the order's source file.
fn value(order: &str, job: &Job, now: Time) -> f64 {
    let (r, n) = (job.estimate.as_seconds(), f64::from(job.procs));
    let (s, w) = (job.submit.as_seconds(), (now - job.submit).as_seconds());
    let (r1, s1) = (r.max(1.0), s.max(1.0));
    match order {
        "sjf" => r,
        "ljf" => -r,
        "smallest" => n,
        "largest" => -n,
        "ssd" => r * n,
        "wfp3" => -(w / r1).powi(3) * n,
        "unicef" => -w / (n.log2().max(1.0) * r1),
        "f1" => r1.log10() * n + 870.0 * s1.log10(),
        "f2" => r1.sqrt() * n + 25_600.0 * s1.log10(),
        "f3" => r1 * n + 6_860_000.0 * s1.log10(),
        "f4" => r1 * n.sqrt() + 530_000.0 * s1.log10(),
        _ => s,
    }
}

/// Starts one job after another, each time from the first in `order`, until no job may start.
fn ordered_pass(plain: &mut Plain<'_>, order: &str, easy: bool) {
    loop {
        let (jobs, now, free) = (plain.jobs, plain.now, plain.free());
        let mut sorted = plain.queue.clone();
        sorted.sort_by(|&a, &b| value(order, &jobs[a], now).total_cmp(&value(order, &jobs[b], now)));
        let Some(&head) = sorted.first() else { return };
        let ends: Vec<(Time, u32)> = plain
            .running()
            .iter()
            .map(|&(j, start)| ((start + jobs[j].estimate).max(now), jobs[j].procs))
            .collect();
        let free_at = |at: Time| free + ends.iter().filter(|end| end.0 <= at).map(|end| end.1).sum::<u32>();
        let shadow = ends.iter().map(|end| end.0).filter(|&at| free_at(at) >= jobs[head].procs).min();
        let may_start = |&&j: &&usize| {
            let harmless = shadow.is_some_and(|shadow| {
                now + jobs[j].estimate <= shadow || free_at(shadow) >= jobs[head].procs + jobs[j].procs
            });
            jobs[j].procs <= free && (j == head || !easy || harmless)
        };
        let Some(&next) = sorted.iter().find(may_start) else { return };
        assert!(plain.try_start(next));
    }
}

#[test]
fn ordered_schedulers_equal_sorted_lists() -> Tested {
    let orders =
        ["arrival", "sjf", "ljf", "smallest", "largest", "ssd", "wfp3", "unicef", "f1", "f2", "f3", "f4"];
    for order in orders {
        for name in ["easy", "first-fit-queue"] {
            let (scheduler, mut others) = (format!("{name}:order={order}"), 0);
            for seed in 0..25 {
                let jobs = random_jobs(seed, 120, Estimates::Any);
                let expected = play(&jobs, false, |plain, _| ordered_pass(plain, order, name == "easy"));
                let found = starts(&jobs, &scheduler, "naive")?;
                assert_eq!(found, expected, "{scheduler}, seed {seed}");
                others += usize::from(found != starts(&jobs, name, "naive")?);
            }
            assert!(others > 10 || order == "arrival", "{scheduler}: {others} differ from order of arrival");
        }
    }
    Ok(())
}

/// Conservative backfilling with lists of intervals: the ends of running jobs, and the planned starts.
#[derive(Default)]
struct Reservations {
    starts: BTreeMap<usize, Time>,
    promised: BTreeMap<usize, Time>,
}

impl Reservations {
    /// The earliest start of `j` if all other reservations stay.
    fn earliest(&self, plain: &Plain<'_>, j: usize) -> Time {
        let until = |start: Time, j: usize| start + plain.jobs[j].estimate.max(TICK);
        let running = plain.running();
        let waiting = self.starts.iter().filter(|(other, _)| **other != j).map(|(&j, &start)| (j, start));
        let taken: Vec<(Time, Time, u32)> = running
            .into_iter()
            .chain(waiting)
            .map(|(j, start)| (start, until(start, j), plain.jobs[j].procs))
            .collect();
        let fits_at = |at: Time| {
            let busy = taken.iter().filter(|other| other.0 <= at && other.1 > at).map(|other| other.2);
            busy.sum::<u32>() + plain.jobs[j].procs <= NODES
        };
        let fits = |start: Time| {
            let inside = |at: Time| at > start && at < until(start, j);
            fits_at(start) && taken.iter().all(|other| !inside(other.0) || fits_at(other.0))
        };
        let ends = taken.iter().map(|other| other.1).filter(|&end| end > plain.now);
        ends.chain([plain.now]).filter(|&start| fits(start)).min().expect("all ends are in the list")
    }

    fn pass(&mut self, plain: &mut Plain<'_>) {
        loop {
            let before = self.starts.clone();
            for j in before.keys().copied() {
                let start = self.earliest(plain, j);
                assert!(start <= self.starts[&j], "nobody moves back");
                self.starts.insert(j, start);
            }
            if before == self.starts {
                break;
            }
        }
        for j in plain.queue.clone() {
            if !self.starts.contains_key(&j) {
                let start = self.earliest(plain, j);
                self.starts.insert(j, start);
                self.promised.insert(j, start);
            }
        }
        for j in plain.queue.clone() {
            if self.starts[&j] == plain.now {
                assert!(plain.try_start(j), "its nodes are reserved");
                self.starts.remove(&j);
            }
        }
    }
}

#[test]
fn conservative_backfilling_equals_lists_and_keeps_its_promises() -> Tested {
    for (estimates, seeds) in [(Estimates::Exact, 0..30), (Estimates::Long, 30..60)] {
        let (mut kept, mut better) = (0, 0);
        for seed in seeds {
            let jobs = random_jobs(seed, 100, estimates);
            let mut plan = Reservations::default();
            let expected = play(&jobs, false, |plain, _| plan.pass(plain));
            let found = starts(&jobs, "conservative", "naive")?;
            assert_eq!(found, expected, "seed {seed}");
            for (j, &start) in found.iter().enumerate() {
                assert!(start <= plan.promised[&j], "seed {seed}, job {j}");
                kept += usize::from(start == plan.promised[&j] && start > jobs[j].submit);
                better += usize::from(start < plan.promised[&j]);
            }
        }
        match estimates {
            Estimates::Exact => {
                assert!(kept > 100 && better == 0, "{kept} jobs kept theirs, {better} were early");
            }
            _ => assert!(better > 100, "{better} jobs were early"),
        }
    }
    Ok(())
}

/// Jobs outlive their estimates; allocators refuse jobs that fit by count, or give more nodes than requested.
#[test]
fn conservative_backfilling_starts_every_job_whatever_goes_wrong() -> Tested {
    let schedulers = [
        "conservative",
        "conservative:pass=per-event,compress=once",
        "conservative:pass=ends-first,compress=once",
    ];
    for allocator in ["naive", "first-fit", "frame-sliding", "paging:size=1", "round-up-mbs"] {
        for seed in 0..40 {
            for estimates in [Estimates::Any, Estimates::Long] {
                let jobs = random_jobs(seed, 150, estimates);
                let outcome = replay(&jobs, "4x4", schedulers[seed as usize % 3], allocator)?;
                // The machine is never idle while a job waits.
                let mut ends: Vec<Time> =
                    outcome.jobs.iter().map(|job| &job.record).map(|record| record.end).collect();
                ends.sort_unstable();
                for (job, record) in jobs.iter().zip(outcome.jobs.iter().map(|job| &job.record)) {
                    let busy = |at: Time| {
                        outcome.jobs.iter().map(|job| &job.record).any(|r| r.start <= at && r.end > at)
                    };
                    let idle =
                        ends.iter().find(|&&end| end >= job.submit && end < record.start && !busy(end));
                    assert_eq!(idle, None, "{allocator}, seed {seed}, job {}", job.number);
                }
            }
        }
    }
    Ok(())
}
