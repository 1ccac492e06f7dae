//! §3.2: "the adaptive-scan takes 20 % to 30 % more time to complete the allocation process".
//!
//! Both allocators are asked for a place for the same job on the same machine, one right after the other, the first one by
//! turns; only one of them decides what happens next. So they meet the same states, and what slows the machine down slows
//! both. Times of a call are too short to compare; those of [`BATCH`] calls are summed.

use std::time::Instant;

use super::MACHINE;
use crate::allocator::{Placement, Request, Setup, Strategy, build};
use crate::job::{Job, Time};
use crate::machine::Machine;
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::{Item, Verdict};
use crate::paper::median::Median;
use crate::workload::Synthetic;

pub(super) const EXPERIMENT: Experiment = Experiment { studies: &[], surveyed: &[], timed: false, judge };

const LOGS: [&str; 3] = ["synthetic:ratio=1", "synthetic:ratio=1.5", "synthetic:ratio=1.75"];
const FIXED: &str = "fixed-orientation";
const SCAN: &str = "adaptive-scan";
/// What was published, in percent.
const RANGE: std::ops::RangeInclusive<f64> = 20.0..=30.0;
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
const BATCH: usize = 250;

/// Two allocators that are asked together; the first one's placements are carried out.
struct Both {
    allocators: [Strategy; 2],
    machine: Machine,
    calls: usize,
    /// Nanoseconds of both in this batch, and in those before.
    batch: (f64, f64),
    batches: Vec<(f64, f64)>,
}

impl Both {
    fn new(names: [&str; 2]) -> Option<Self> {
        let machine = Machine::new(MACHINE.parse().ok()?);
        let built = |name: &str| -> Option<Strategy> {
            Some(build(&name.parse().ok()?, &Setup { mesh: machine.mesh(), seed: 1 }).ok()?.strategy)
        };
        let allocators = [built(names[0])?, built(names[1])?];
        Some(Self { allocators, machine, calls: 0, batch: (0.0, 0.0), batches: Vec::new() })
    }

    /// Asks both; the place of the first one, in use.
    fn place(&mut self, request: &Request) -> Option<Placement> {
        let mut found = [None, None];
        let turn = self.calls % 2;
        for which in [turn, 1 - turn] {
            let began = Instant::now();
            let answer = self.allocators[which].propose(request, &self.machine);
            let ns = began.elapsed().as_secs_f64() * 1e9;
            *(if which == 0 { &mut self.batch.0 } else { &mut self.batch.1 }) += ns;
            found[which] = answer;
        }
        self.calls += 1;
        if self.calls.is_multiple_of(BATCH) {
            self.batches.push(std::mem::take(&mut self.batch));
        }
        let [first, _] = found;
        let mut placement = first?;
        // Rank order is nothing to an allocator that is told of somebody else's submesh.
        placement.nodes.sort_unstable();
        self.machine.occupy(&placement.nodes).ok()?;
        self.allocators[1].taken(&placement, &self.machine);
        Some(placement)
    }

    fn release(&mut self, placement: &Placement) {
        self.machine.vacate(&placement.nodes);
        for allocator in &mut self.allocators {
            allocator.released(placement, &self.machine);
        }
    }

    /// Replays jobs first come, first served: the head of the queue is tried after every departure and arrival.
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
            let placed = if job.submit <= now {
                self.place(&Request { procs: job.procs, shape: job.shape })
            } else {
                None
            };
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

/// Nanoseconds of both allocators in batches of calls, of which the first one decides.
fn batches(log: &str, names: [&str; 2]) -> Option<Vec<(f64, f64)>> {
    let model = Synthetic::new(&log.parse().ok()?).ok()?;
    let mut all = Vec::new();
    for seed in SEEDS {
        let mut both = Both::new(names)?;
        let jobs = model.draw(seed, both.machine.mesh().extents(), 1.0).ok()?;
        both.replay(&jobs);
        all.extend(both.batches);
    }
    Some(all)
}

fn judge(_: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    for log in LOGS {
        for (names, whose) in
            [([FIXED, SCAN], "fixed-orientation's states"), ([SCAN, FIXED], "adaptive-scan's states")]
        {
            let Some(mut pairs) = batches(log, names) else { continue };
            if names[0] == FIXED {
                for (fixed, scan) in &mut pairs {
                    std::mem::swap(fixed, scan);
                }
            }
            // Adaptive scan first now.
            let per_call =
                |of: fn(&(f64, f64)) -> f64| Median::of(pairs.iter().map(|pair| of(pair) / BATCH as f64));
            for (name, median) in [(SCAN, per_call(|pair| pair.0)), (FIXED, per_call(|pair| pair.1))] {
                let item = Item::new(&format!("{name}, ns per call, {whose}"), log, MACHINE);
                items.extend(median.map(|median| item.measured(median.middle)));
            }
            let Some(ratio) = Median::of_ratios(&pairs) else { continue };
            let [low, middle, high] =
                [ratio.low, ratio.middle, ratio.high].map(|ratio| 100.0 * (ratio - 1.0));
            let name = format!("adaptive-scan above fixed-orientation, percent (20 to 30), {whose}");
            let verdict = verdict(low, middle, high);
            items.push(Item { verdict, ..Item::new(&name, log, MACHINE).measured(middle) });
        }
    }
    items
}

/// A median of which an interval is known, beside the published range.
fn verdict(low: f64, middle: f64, high: f64) -> Verdict {
    let interval = format!("{middle:.0} % more ({low:.0} to {high:.0})");
    if RANGE.contains(&low) && RANGE.contains(&high) {
        Verdict::OrderingHolds
    } else if high < *RANGE.start() || low > *RANGE.end() {
        Verdict::Differs(format!("{interval}; another machine and other data structures"))
    } else {
        Verdict::NotDecided(interval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_met_or_missed_by_the_whole_interval() {
        for (low, middle, high, expected) in [
            (21.0, 25.0, 29.0, "ordering holds"),
            (19.0, 25.0, 29.0, "not decided: 25 % more (19 to 29)"),
            (10.0, 12.0, 14.0, "differs: 12 % more (10 to 14); another machine and other data structures"),
            (29.0, 31.0, 33.0, "not decided: 31 % more (29 to 33)"),
        ] {
            assert_eq!(verdict(low, middle, high).to_string(), expected);
        }
    }

    #[test]
    fn both_are_asked_on_the_same_states() {
        let mut both = Both::new([FIXED, SCAN]).expect("allocators of that name");
        let tall = Request::sides([2, 30, 1]);
        let placements: Vec<Placement> = (0..17).filter_map(|_| both.place(&tall)).collect();
        // Laid along x, sixteen of them are above each other, and none fits beside them in that orientation.
        assert_eq!(placements.len(), 16);
        assert_eq!(both.machine.free_count(), 1024 - 16 * 60);
        // Adaptive scan finds what is left, two columns, if it knows what the other one took.
        let answer = both.allocators[1].propose(&tall, &both.machine).expect("two columns are free");
        assert!(answer.nodes.iter().all(|node| node % 32 >= 30), "{answer:?}");
        for placement in &placements {
            both.release(placement);
        }
        assert!(both.place(&Request::sides([32, 32, 1])).is_some() && both.calls == 18);
    }
}
