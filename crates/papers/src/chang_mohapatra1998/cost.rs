//! §3.2: "the adaptive-scan takes 20 % to 30 % more time to complete the allocation process".
//!
//! Both allocators are asked to place the same job on the same machine, one right after the other, in
//! alternating order. Only one of them decides where the job goes. So both are measured on the same states,
//! and a disturbance of the computer slows both. A single call is too short to be timed well, so the times of
//! [`BATCH`] calls are added up.
//!
//! The verdict is about the number of orientations that adaptive scan looks at, which no computer changes.
//! The paper names no traffic ratio, and the number depends on it: every ratio is judged. Nanoseconds are
//! listed without a verdict, with one plain scan for both (`search=plain`) and with the accelerated searches:
//! each is the time of a scan of ours.

use std::time::Instant;

use crate::estimate::{Estimate, Median};
use crate::findings::{Findings, item, pairs};
use meshreplay_alloc::allocator::{Placement, Request, Setup, Strategy, build};
use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::{Machine, Submesh};
use meshreplay_sim::metrics::Interval;
use meshreplay_workload::Model;

const MACHINE: &str = "32x32";
/// The traffic ratios, and the distributions of sides, each with its name.
const RATIOS: [&str; 6] = ["0.6", "0.7", "0.8", "0.9", "1", "1.5"];
const SIDES: [(&str, &str); 2] = [("uniform", ""), ("normal", ",sides=normal,sigma=6.6")];
/// The logs whose calls are timed.
const TIMED: [&str; 3] = ["synthetic:ratio=1", "synthetic:ratio=1.5", "synthetic:ratio=1.75"];
const FIXED: &str = "fixed-orientation";
const SCAN: &str = "adaptive-scan";
const PLAIN_FIXED: &str = "fixed-orientation:search=plain";
const PLAIN_SCAN: &str = "adaptive-scan:search=plain";
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
/// The number of calls whose times are added up.
const BATCH: usize = 250;

/// Two allocators that are asked together. The placements of the first one are carried out.
struct Both {
    allocators: [Strategy; 2],
    /// Which of them is adaptive scan.
    scan: usize,
    machine: Machine,
    calls: usize,
    /// Orientations of jobs that adaptive scan has looked at; fixed orientation looks at one per call.
    orientations: usize,
    /// Nanoseconds of both allocators in this batch (`batch`), and in each batch before it (`batches`).
    batch: [f64; 2],
    batches: Vec<[f64; 2]>,
}

impl Both {
    fn new(names: [&str; 2]) -> Option<Self> {
        let machine = Machine::new(MACHINE.parse().ok()?);
        let built = |name: &str| -> Option<Strategy> {
            Some(build(&name.parse().ok()?, &Setup::new(machine.mesh(), 1)).ok()?.strategy)
        };
        let allocators = [built(names[0])?, built(names[1])?];
        let scan = usize::from(names[1].starts_with(SCAN));
        Some(Self {
            allocators,
            scan,
            machine,
            calls: 0,
            orientations: 0,
            batch: [0.0; 2],
            batches: Vec::new(),
        })
    }

    /// Asks both allocators. Returns the placement of the first one, with its nodes in use; `None` if it
    /// finds none.
    fn place(&mut self, request: &Request) -> Option<Placement> {
        let mut answers = [None, None];
        let turn = self.calls % 2;
        for which in [turn, 1 - turn] {
            let began = Instant::now();
            answers[which] = self.allocators[which].propose(request, &self.machine);
            self.batch[which] += began.elapsed().as_secs_f64() * 1e9;
        }
        self.calls += 1;
        if self.calls.is_multiple_of(BATCH) {
            self.batches.push(std::mem::take(&mut self.batch));
        }
        self.orientations += orientations(request, answers[self.scan].as_ref(), &self.machine);
        let [first, _] = answers;
        let mut placement = first?;
        self.allocators[0].accepted(&placement, &self.machine);
        // The second allocator did not choose these nodes, so their rank order means nothing to it.
        placement.nodes.sort_unstable();
        self.machine.occupy(&placement.nodes).ok()?;
        self.allocators[1].taken(&placement, &self.machine);
        Some(placement)
    }

    /// Frees the nodes of a job and informs both allocators.
    fn release(&mut self, placement: &Placement) {
        self.machine.vacate(&placement.nodes);
        for allocator in &mut self.allocators {
            allocator.released(placement, &self.machine);
        }
    }

    /// Replays jobs first come, first served: after every arrival and departure the head of the queue is
    /// tried.
    fn replay(&mut self, jobs: &[Job]) {
        let (mut head, mut running): (usize, Vec<(Time, Placement)>) = (0, Vec::new());
        let mut now = Time::ZERO;
        while let Some(job) = jobs.get(head) {
            let ended = running.iter().enumerate().filter(|(_, (end, _))| *end <= now).map(|(i, _)| i).next();
            if let Some(i) = ended {
                let (_, placement) = running.swap_remove(i);
                self.release(&placement);
                continue;
            }
            let placed = if job.submit <= now { self.place(&Request::from(job)) } else { None };
            if let Some(placement) = placed {
                running.push((now + job.run, placement));
                head += 1;
                continue;
            }
            let arrival = Some(job.submit).filter(|submit| *submit > now);
            let Some(next) = running.iter().map(|(end, _)| *end).chain(arrival).min() else { return };
            now = next;
        }
    }
}

/// Returns the number of orientations of a job that adaptive scan looks at for this answer: one if it finds
/// the job's own orientation or the job is a square, otherwise two.
fn orientations(request: &Request, answer: Option<&Placement>, machine: &Machine) -> usize {
    let sides = request.sides_on(machine.mesh());
    let is_square = sides.is_some_and(|[a, b, _]| a == b);
    let found = answer.and_then(|placement| Submesh::around(machine.mesh(), &placement.nodes));
    if is_square || found.is_some_and(|place| Some(place.sizes) == sides) { 1 } else { 2 }
}

/// The cost of both allocators on one log. The first one decides.
#[derive(Default)]
struct Costs {
    /// Nanoseconds of both for each batch of calls.
    batches: Vec<[f64; 2]>,
    /// The orientations that adaptive scan looks at beyond one per call, in percent, for each seed.
    more: Vec<f64>,
}

/// Measures both allocators on the jobs of a model; `None` if a name is wrong.
fn measure(log: &str, names: [&str; 2]) -> Option<Costs> {
    let model = Model::new(&log.parse().ok()?).ok()?;
    let mut all = Costs::default();
    for seed in SEEDS {
        let mut both = Both::new(names)?;
        let jobs = model.draw(seed, both.machine.mesh().extents(), 1.0).ok()?;
        both.replay(&jobs);
        all.batches.extend(both.batches);
        all.more.push(100.0 * (both.orientations as f64 / both.calls.max(1) as f64 - 1.0));
    }
    Some(all)
}

/// Judges the orientations that adaptive scan looks at, and lists the times of calls of both allocators, once
/// on the states of each.
pub(super) fn judge(findings: &mut Findings<'_>) {
    for ((name, sides), ratio) in pairs(SIDES, RATIOS) {
        let log = format!("synthetic:ratio={ratio}{sides}");
        findings.about(&log, MACHINE);
        let Costs { more, .. } = measure(&log, [SCAN, FIXED]).unwrap_or_default();
        item(
            "orientations",
            format!("orientations beyond one per call, percent (20 to 30), {name} sides, ratio {ratio}"),
        )
        .measured(Interval::of(&more).map(Estimate::Mean))
        .in_range([20.0, 30.0])
        .add_to(findings);
    }
    for log in TIMED {
        findings.about(log, MACHINE);
        for (fixed, scan, search) in
            [(PLAIN_FIXED, PLAIN_SCAN, "one plain scan"), (FIXED, SCAN, "accelerated")]
        {
            for names in [[fixed, scan], [scan, fixed]] {
                list_times(findings, log, names, search);
            }
        }
    }
}

/// Adds the times of a call of two allocators, the first one deciding, and the ratio of adaptive scan to
/// fixed orientation.
fn list_times(findings: &mut Findings<'_>, log: &str, names: [&str; 2], search: &str) {
    let Costs { batches, .. } = measure(log, names).unwrap_or_default();
    let decides = if names[0].starts_with(SCAN) { SCAN } else { FIXED };
    let (scan, fixed) = if decides == SCAN { (0, 1) } else { (1, 0) };
    for (timed, which) in [(SCAN, scan), (FIXED, fixed)] {
        let words = format!("{timed}, {search}, ns per call, {decides}'s states");
        let median = Median::from_values(batches.iter().map(|batch| batch[which] / BATCH as f64));
        item("calls", words).measured(median.map(|median| median.middle)).add_to(findings);
    }
    let ratios = batches.iter().map(|batch| batch[scan] / batch[fixed]);
    let percent = Median::from_values(ratios).map(|ratio| 100.0 * (Estimate::Median(ratio) - 1.0));
    item("here", format!("{SCAN} above {FIXED}, {search}, percent, {decides}'s states"))
        .measured(percent.map(Estimate::number))
        .add_to(findings);
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_testing::Numbers;

    #[test]
    fn both_are_asked_on_the_same_states() {
        let mut both = Both::new([FIXED, SCAN]).expect("allocators of that name");
        let tall = Request::sides([2, 30, 1]);
        let placements: Vec<Placement> = (0..17).filter_map(|_| both.place(&tall)).collect();
        // Laid along x, sixteen of them fill 32 rows of 30 columns; the two columns left need the other
        // orientation.
        assert_eq!(placements.len(), 16);
        assert_eq!(both.machine.free_count(), 1024 - 16 * 60);
        // Adaptive scan finds the two free columns only if it knows the nodes that the other allocator took.
        let answer = both.allocators[1].propose(&tall, &both.machine).expect("two columns are free");
        assert!(answer.nodes.iter().all(|node| node % 32 >= 30), "{answer:?}");
        for placement in &placements {
            both.release(placement);
        }
        assert!(both.place(&Request::sides([32, 32, 1])).is_some() && both.calls == 18);
    }

    /// Whether a rectangle of these sides is free anywhere.
    fn is_somewhere(machine: &Machine, [a, b]: [u32; 2]) -> bool {
        let bases = (0..=32 - b).flat_map(|y| (0..=32 - a).map(move |x| [x, y, 0]));
        bases.into_iter().any(|base| Submesh { base, sizes: [a, b, 1] }.is_free(machine))
    }

    /// The scan looks at the sides as requested; only if they are free nowhere, and the job is not a square,
    /// it looks at the turned sides.
    #[test]
    fn orientations_are_counted_as_by_hand_on_a_thousand_histories() {
        let mut numbers = Numbers(1);
        for _ in 0..1000 {
            let mut both = Both::new([SCAN, FIXED]).expect("allocators of that name");
            let (mut running, mut counted, mut turned) = (Vec::new(), 0, 0);
            for _ in 0..12 {
                if !running.is_empty() && numbers.below(4) == 0 {
                    let job: Placement = running.swap_remove(numbers.below(running.len() as u32) as usize);
                    both.release(&job);
                }
                let sides = [1 + numbers.below(32), 1 + numbers.below(32)];
                let is_second = sides[0] != sides[1] && !is_somewhere(&both.machine, sides);
                (counted, turned) = (counted + 1 + usize::from(is_second), turned + usize::from(is_second));
                running.extend(both.place(&Request::sides([sides[0], sides[1], 1])));
            }
            assert_eq!((both.orientations, both.calls), (counted, 12), "{turned} turned");
        }
    }
}
