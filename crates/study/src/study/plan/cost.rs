//! Cost estimates of replays, which balance shards.

use crate::study::replay_spec::ReplaySpec;
use meshreplay_alloc::allocator::members_of_best_of;
use meshreplay_base::spec::Spec;

/// Numbers of nodes of the measured machines.
const SIZES: [u32; 4] = [100, 256, 1024, 4096];

/// A value for each measured machine.
type BySize = [u64; SIZES.len()];

/// Schedulers that ask the allocator only for the head of the queue, or for a job that their plan starts.
/// They count as FCFS, which was measured, and all others as EASY.
const AT_HEAD: [&str; 3] = ["conservative", "fcfs", "recorded"];

/// Time of a whole replay per job for each allocator, in units of 0.15 µs, on a machine of each of [`SIZES`].
/// The first numbers hold for schedulers that ask at the head of the queue. The others repeat requests while
/// an allocator refuses jobs although enough nodes are free, more often with a longer queue; the second
/// numbers are theirs, at an offered load of 0.75. `scripts/weights.py` measures both under FCFS and EASY,
/// and names the logs. Other allocators count as [`OTHERS`]. A wrong weight makes shards uneven, but no
/// result wrong.
const WEIGHTS: &[(&str, BySize, Option<BySize>)] = &[
    ("adaptive-scan", [23, 15, 19, 50], Some([180, 180, 120, 510])),
    ("anca", [20, 23, 21, 150], Some([130, 120, 190, 1200])),
    ("best-fit", [17, 24, 25, 120], Some([160, 160, 190, 640])),
    ("buddy-2d", [7, 7, 10, 17], Some([75, 75, 1100, 390])),
    ("busy-list", [22, 22, 29, 99], Some([130, 180, 250, 650])),
    ("first-fit", [12, 11, 11, 35], Some([150, 120, 77, 330])),
    ("fixed-orientation", [12, 11, 12, 36], Some([150, 120, 80, 330])),
    ("frame-sliding", [19, 16, 15, 48], Some([550, 200, 90, 500])),
    ("gabl", [33, 33, 260, 150], None),
    ("gen-alg", [13, 260, 760, 14_000], None),
    ("max-periphery", [15, 15, 17, 100], Some([96, 140, 140, 530])),
    ("mc", [18, 43, 48, 3700], None),
    ("mc-pair", [120, 670, 1400, 15_000], None),
    ("mc1x1", [21, 50, 83, 1100], None),
    ("mc1x1-shells", [16, 30, 41, 240], None),
    ("mm", [18, 440, 1400, 19_000], None),
    ("mm-inc", [34, 510, 1600, 27_000], None),
    ("octet-mbs", [7, 8, 11, 52], None),
    ("qna", [16, 21, 71, 110], None),
    ("qna-scan", [19, 14, 15, 43], Some([160, 150, 110, 360])),
    ("random", [8, 16, 29, 86], None),
    ("rbs", [17, 14, 18, 46], Some([180, 130, 240, 360])),
    ("rfold", [35, 34, 69, 190], Some([550, 620, 500, 4800])),
    ("rfold-first-fit", [14, 13, 14, 52], Some([110, 130, 130, 400])),
    ("rfold-folding", [16, 15, 16, 53], Some([130, 150, 150, 450])),
    ("rfold-reconfig", [31, 29, 65, 170], Some([480, 570, 460, 4600])),
    ("slurm-torus3d", [25, 25, 33, 190], Some([210, 210, 280, 1700])),
    ("snug", [15, 33, 45, 220], None),
    ("stack-based", [22, 15, 15, 44], Some([210, 190, 120, 370])),
    ("worst-fit", [19, 27, 36, 130], Some([470, 530, 1500, 1800])),
];

/// Weights of allocators with negligible time of their own, and of guests, whose time is unknown.
const OTHERS: BySize = [7, 7, 7, 30];

/// Growth of the second numbers per hundredth of offered load, and the load of the measurement in hundredths.
const GROWTH: f64 = 1.066;
const MEASURED_PERCENT: i32 = 75;

/// Range of offered loads, in hundredths. Loads from 70 to 96 were measured; the growth is extrapolated
/// slightly.
const LOADS_PERCENT: (i32, i32) = (55, 100);

/// Estimates the cost of replaying one job, in units of 0.15 µs. The cost of a replay is this times its
/// number of jobs. `load` is the offered load; `None` if unknown. The result does not depend on the current
/// machine, because all processes that plan a study must agree on it.
pub(super) fn of_job(spec: &ReplaySpec, load: Option<f64>) -> u64 {
    let asks_behind = !AT_HEAD.contains(&spec.scheduler.name.as_str());
    allocator_weight(&spec.allocator, spec.machine.nodes(), asks_behind.then(|| growth(load)))
}

/// Returns the growth of the weights at an offered load. It is a repeated product, because powers differ in
/// the last digit between machines.
fn growth(load: Option<f64>) -> f64 {
    let percent = load.map_or(MEASURED_PERCENT, |load| (load * 100.0).round() as i32);
    let percent = percent.clamp(LOADS_PERCENT.0, LOADS_PERCENT.1);
    let grown = (MEASURED_PERCENT..percent).fold(1.0, |factor, _| factor * GROWTH);
    (percent..MEASURED_PERCENT).fold(grown, |factor, _| factor / GROWTH)
}

/// Returns the weight of an allocator on a machine of `nodes` nodes. `queue` is the factor for the queue;
/// `None` for schedulers that only ask for its head.
fn allocator_weight(allocator: &Spec, nodes: u32, queue: Option<f64>) -> u64 {
    if allocator.name == "best-of" {
        // Each member is asked.
        let members = members_of_best_of(allocator.members.as_deref()).unwrap_or_default();
        return members
            .iter()
            .map(|member| allocator_weight(member, nodes, queue))
            .sum::<u64>()
            .max(interpolated(&OTHERS, nodes));
    }
    match (WEIGHTS.iter().find(|(name, ..)| *name == allocator.name), queue) {
        (Some((_, _, Some(asked_again))), Some(queue)) => {
            ((interpolated(asked_again, nodes) as f64 * queue) as u64).max(interpolated(&OTHERS, nodes))
        }
        (Some((_, at_head, _)), _) => interpolated(at_head, nodes),
        (None, _) => interpolated(&OTHERS, nodes),
    }
}

/// Interpolates linearly between the two nearest measured machines, and clamps beyond them.
fn interpolated(weights: &BySize, nodes: u32) -> u64 {
    let larger = SIZES.partition_point(|&size| size < nodes);
    if larger == 0 || larger == SIZES.len() {
        return weights[larger.min(SIZES.len() - 1)];
    }
    let (below, above) = (weights[larger - 1], weights[larger]);
    let (from, to) = (u64::from(SIZES[larger - 1]), u64::from(SIZES[larger]));
    let beyond = u64::from(nodes) - from;
    (below * (to - from - beyond) + above * beyond) / (to - from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_alloc::allocator::ALLOCATORS;
    use meshreplay_sim::scheduler::SCHEDULERS;

    fn cost(
        machine: &str,
        (scheduler, allocator): (&str, &str),
        load: f64,
    ) -> Result<u64, Box<dyn std::error::Error>> {
        let spec = ReplaySpec::new(machine.parse()?, scheduler.parse()?, allocator.parse()?);
        Ok(of_job(&spec, Some(load)))
    }

    #[test]
    fn rows_name_registered_algorithms() {
        for (name, _, asked_again) in WEIGHTS {
            let entry = ALLOCATORS.iter().find(|entry| entry.name == *name).expect("an allocator");
            let never_refuses = entry.default_promises().complete;
            assert_eq!(asked_again.is_none(), never_refuses, "{name}");
        }
        for name in AT_HEAD {
            assert!(SCHEDULERS.iter().any(|entry| entry.name == name), "{name}");
        }
    }

    #[test]
    fn who_refuses_is_dearer_the_longer_the_queue() -> Result<(), Box<dyn std::error::Error>> {
        let loads = [0.1, 0.6, 0.75, 0.8, 0.9, 3.0];
        for (scheduler, allocator, grows) in
            [("easy", "first-fit", true), ("fcfs", "first-fit", false), ("easy", "mc1x1", false)]
        {
            let costs = loads.map(|load| cost("32x32", (scheduler, allocator), load).unwrap_or_default());
            assert!(costs.is_sorted() && (costs[1] < costs[4]) == grows, "{scheduler} {allocator} {costs:?}");
            let unknown =
                of_job(&ReplaySpec::new("32x32".parse()?, scheduler.parse()?, allocator.parse()?), None);
            assert_eq!(unknown, costs[2]);
        }
        Ok(())
    }

    #[test]
    fn weights_lie_on_lines_between_measured_machines() {
        let weights = [10, 166, 70, 1000];
        let sizes = [
            (1, 10),
            (100, 10),
            (101, 11),
            (178, 88),
            (256, 166),
            (640, 118),
            (1024, 70),
            (1025, 70),
            (4095, 999),
        ];
        for (nodes, weight) in sizes.into_iter().chain([(4096, 1000), (1 << 20, 1000)]) {
            assert_eq!(interpolated(&weights, nodes), weight, "{nodes}");
        }
    }

    #[test]
    fn best_of_costs_what_its_members_do() -> Result<(), Box<dyn std::error::Error>> {
        let of = |allocator: &str| cost("16x16", ("fcfs", allocator), 0.7);
        assert_eq!(of("best-of:mm|naive")?, of("mm")? + of("naive")?);
        assert_eq!(of("best-of")?, of("best-of:mc1x1|mm|column-snake+bf|granular-mbs")?);
        Ok(())
    }
}
