//! Laws of schedulers on random logs: laws for every scheduler, and the promises of each registry row.

use meshreplay_alloc::allocator::{self, Served, Setup};
use meshreplay_base::job::{Job, LogNumber, Logged, Shape, Time};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::scheduler::{self, Laws, SCHEDULERS, orders};
use meshreplay_study::audit::{Fits, Policy, PolicyCheck, Schedule, audit};
use meshreplay_workload::Rules;

use super::head_promise::{schedule, served};
use super::support::{Numbers, Tested, replay_by};

/// A mesh, and a larger mesh with unavailable nodes and the same number of available nodes.
const MACHINES: [&str; 2] = ["4x4", "5x5:without=3,7-10,20,22-24"];

/// Allocators whose service depends on the count of free nodes, on free submeshes or on more of the state.
/// Some give more nodes than requested.
const ALLOCATORS: [&str; 8] = [
    "naive",
    "hilbert+bf",
    "mbs",
    "round-up-mbs",
    "paging:size=1",
    "first-fit:turn=yes",
    "frame-sliding",
    "buddy-2d",
];

/// Every scheduler of the registry, and variants.
pub(crate) fn schedulers() -> Result<Vec<Spec>, Box<dyn std::error::Error>> {
    let mut specs: Vec<Spec> = SCHEDULERS.iter().map(|row| Spec::named(row.name)).collect();
    for order in orders() {
        for name in ["easy", "first-fit-queue"] {
            specs.push(Spec::named(name).with("order", order));
        }
    }
    for text in [
        "easy:pass=per-event",
        "easy:backfill=sjbf",
        "easy:backfill=sjbf,pass=per-event",
        "easy:backfill=sjbf,order=wfp3",
        "conservative:pass=ends-first",
        "conservative:pass=per-event,compress=once",
        "bypass-queue:threshold=0",
        "bypass-queue:threshold=7,rule=literal",
        "bypass-queue:threshold=40",
    ] {
        specs.push(text.parse()?);
    }
    Ok(specs)
}

/// The promises of a scheduler.
fn laws(spec: &Spec) -> Result<Laws, Box<dyn std::error::Error>> {
    let (_, resolved) = scheduler::build(spec)?;
    let row = SCHEDULERS.iter().find(|row| row.name == resolved.name).ok_or("not registered")?;
    Ok((row.laws)(&resolved))
}

/// Jobs that arrive in bursts. Estimates are exact, too long, or with `overrun` too short.
fn random_jobs(seed: u64, overrun: bool) -> Vec<Job> {
    let mut numbers = Numbers(seed);
    let mut submit_s = 0;
    let mut job = |number| {
        submit_s += i64::from(numbers.below(12) / 3);
        let run_s = 1 + i64::from(numbers.below(30));
        let least_s = if overrun { 0 } else { run_s };
        let estimate_s = least_s + i64::from(numbers.below(40));
        let [submit, run, estimate] = [submit_s, run_s, estimate_s].map(Time::from_seconds);
        // Every tenth job has no recorded wait.
        let wait = (number % 10 > 0).then(|| Time::from_seconds(number * 7 % 23));
        let logged = Logged { wait, user: LogNumber::of(number % 3), ..Logged::default() };
        Job { number, submit, run, estimate, procs: 1 + numbers.below(9), shape: Shape::NearSquare, logged }
    };
    (1..=80).map(&mut job).collect()
}

/// The schedule of a replay, the promises of its scheduler, and a label for messages.
struct Case {
    schedule: Schedule,
    laws: Laws,
    label: String,
}

impl Case {
    /// Returns the times of events, with the waiting jobs after each, oldest first, and the number of free
    /// nodes.
    fn instants(&self, nodes: u32) -> Vec<(Time, Vec<usize>, u32)> {
        let jobs = &self.schedule.jobs;
        let mut times: Vec<Time> = jobs.iter().flat_map(|job| [job.submit, job.start, job.end]).collect();
        times.sort_unstable();
        times.dedup();
        let state = |now: Time| {
            let waiting = (0..jobs.len()).filter(|&j| jobs[j].submit <= now && jobs[j].start > now).collect();
            let running = jobs.iter().filter(|job| job.start <= now && job.end > now);
            (now, waiting, nodes - running.map(|job| job.allocated).sum::<u32>())
        };
        times.into_iter().map(state).collect()
    }

    /// Every job starts once, not before its arrival, and has exclusive nodes until it ends. The machine is
    /// never idle while a job waits.
    fn check_all(&self, jobs: &[Job], mesh: &Mesh) -> Tested {
        let nodes = mesh.available();
        audit(&self.schedule, mesh, None).map_err(|violation| format!("{}: {violation}", self.label))?;
        assert_eq!(self.schedule.jobs.len(), jobs.len(), "{}", self.label);
        for (scheduled, job) in self.schedule.jobs.iter().zip(jobs) {
            let label = || format!("{}, job {}", self.label, job.number);
            assert!(
                scheduled.start >= job.submit && scheduled.end == scheduled.start + job.run,
                "{}",
                label()
            );
            assert!(scheduled.allocated >= job.procs, "{}", label());
        }
        for (now, waiting, free) in self.instants(nodes).into_iter().filter(|_| !self.laws.as_recorded) {
            assert!(waiting.is_empty() || free < nodes, "{} at {now}: nothing runs", self.label);
        }
        Ok(())
    }

    /// If promised, no job starts before its recorded start, and with an allocator that serves by count no
    /// job that fits waits longer.
    fn check_recorded(&self, jobs: &[Job], nodes: u32, by_count: bool) {
        if !self.laws.as_recorded {
            return;
        }
        let start = |j: usize| jobs[j].recorded_start().unwrap_or(jobs[j].submit);
        for (j, scheduled) in self.schedule.jobs.iter().enumerate() {
            assert!(scheduled.start >= start(j), "{}: {j} starts before its recorded start", self.label);
        }
        for (now, waiting, free) in self.instants(nodes).into_iter().filter(|_| by_count) {
            let fits = |&&j: &&usize| start(j) <= now && self.schedule.jobs[j].allocated <= free;
            let due = waiting.iter().find(fits);
            assert!(due.is_none(), "{} at {now}: {due:?} is due and fits", self.label);
        }
    }

    /// No job passes an older one, unless the registry row allows it.
    fn check_order(&self) {
        let jobs = &self.schedule.jobs;
        for old in 0..jobs.len() {
            for young in (old + 1..jobs.len()).filter(|&young| jobs[young].start < jobs[old].start) {
                let waited = jobs[young].start - jobs[old].submit;
                assert!(!self.laws.in_order, "{}: {young} starts before {old}", self.label);
                let allowed = self.laws.passed_until.is_none_or(|until| waited < until);
                assert!(allowed, "{}: {young} passes {old} after {waited}", self.label);
            }
        }
    }

    /// If promised, no job waits while it could run. Only for allocators that serve by count.
    fn check_waiting(&self, nodes: u32) {
        for (now, waiting, free) in self.instants(nodes) {
            let fits = |&&j: &&usize| self.schedule.jobs[j].allocated <= free;
            let head = waiting.first().filter(fits);
            assert!(!self.laws.head_does_not_fit || head.is_none(), "{} at {now}: {head:?} fits", self.label);
            let anybody = waiting.iter().find(fits);
            assert!(!self.laws.nobody_fits || anybody.is_none(), "{} at {now}: {anybody:?} fits", self.label);
        }
    }
}

#[test]
fn every_scheduler_keeps_what_all_keep_and_what_its_row_says() -> Tested {
    let mut shadow_times = 0;
    let of_trees = ["slurm-tree", "slurm-tree:switches=2", "slurm-block", "kueue:mode=required,level=2"];
    let on_meshes = MACHINES.map(|machine| (machine, &ALLOCATORS[..]));
    for (machine, allocators) in on_meshes.into_iter().chain([("tree:2x2x4", &of_trees[..])]) {
        let mesh: Mesh = machine.parse()?;
        for allocator in allocators {
            for scheduler in schedulers()? {
                shadow_times += keeps_its_laws(&mesh, allocator, &scheduler, &Rules::default())?;
            }
        }
    }
    assert!(shadow_times > 200, "{shadow_times} shadow times were checked");
    Ok(())
}

/// The same with predicted run times. The promise to the head holds unless a job outlives its prediction. No
/// job starves, although conservative backfilling discards its plans repeatedly.
#[test]
fn every_scheduler_keeps_its_laws_with_predictions() -> Tested {
    let mut shadow_times = 0;
    let mesh: Mesh = MACHINES[1].parse()?;
    for estimate in ["predicted:user-last-two", "predicted:exact", "predicted:user-last-two+correct=request"]
    {
        let rules: Rules = format!("authors:estimate={estimate}").parse()?;
        for allocator in ALLOCATORS {
            for scheduler in schedulers()? {
                shadow_times += keeps_its_laws(&mesh, allocator, &scheduler, &rules)?;
            }
        }
    }
    assert!(shadow_times > 200, "{shadow_times} shadow times were checked");
    Ok(())
}

/// Checks a scheduler with an allocator on several logs. Returns the number of shadow times.
fn keeps_its_laws(
    mesh: &Mesh,
    allocator: &str,
    scheduler: &Spec,
    rules: &Rules,
) -> Result<u64, Box<dyn std::error::Error>> {
    let (spec, nodes) = (allocator.parse::<Spec>()?, mesh.available());
    let by_count = allocator::build(&spec, &Setup::new(mesh, 1))?.strategy.served;
    let by_count = matches!(by_count, Served::ByCount);
    let mut shadow_times = 0;
    for seed in 0..4 {
        let overrun = seed % 2 == 0;
        let jobs = served(&spec, mesh, &random_jobs(seed, overrun));
        let names = [&mesh.to_string(), &scheduler.to_string(), allocator];
        let outcome = replay_by(rules, &jobs, names)?;
        let label = format!("{scheduler}, {allocator} on {mesh}, seed {seed}, {rules}");
        let case = Case { schedule: schedule(&outcome)?, laws: laws(scheduler)?, label };
        case.check_all(&jobs, mesh)?;
        case.check_order();
        case.check_recorded(&jobs, nodes, by_count);
        if by_count {
            case.check_waiting(nodes);
        }
        if by_count && case.laws.head_in_time && (!overrun || rules.prediction().is_some()) {
            let promised = PolicyCheck { policy: Policy::Easy, fits: Fits::Counts };
            let audited = audit(&case.schedule, mesh, Some(promised))
                .map_err(|violation| format!("{}: {violation}", case.label))?;
            shadow_times += audited.promises - audited.void;
        }
    }
    Ok(shadow_times)
}

#[test]
fn the_rows_say_which_laws_their_variants_keep() -> Tested {
    for (text, expected) in [
        ("fcfs", Laws { in_order: true, head_does_not_fit: true, ..Laws::default() }),
        ("easy", Laws { head_does_not_fit: true, head_in_time: true, ..Laws::default() }),
        ("easy:order=sjf", Laws::default()),
        ("first-fit-queue:order=sjf", Laws { nobody_fits: true, head_does_not_fit: true, ..Laws::default() }),
        ("bypass-queue", Laws::default()),
        ("recorded", Laws { as_recorded: true, ..Laws::default() }),
        (
            "bypass-queue:threshold=0",
            Laws { in_order: true, passed_until: Some(Time::ZERO), ..Laws::default() },
        ),
        ("bypass-queue:threshold=7", Laws { passed_until: Some(Time::from_seconds(7)), ..Laws::default() }),
    ] {
        assert_eq!(laws(&text.parse()?)?, expected, "{text}");
    }
    Ok(())
}
