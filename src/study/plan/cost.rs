//! The estimated costs of replays, by which they are divided among shards.

use crate::allocator::members_of_best_of;
use crate::spec::Spec;
use crate::study::replay_spec::ReplaySpec;

/// The most nodes of a machine in each class of sizes but the last.
const CLASSES: [u32; 3] = [128, 512, 2048];

/// A number for each class.
type ByClass = [u64; CLASSES.len() + 1];

/// The schedulers that ask the allocator for no job behind the head of the queue, or only for one that their plan starts. They count as
/// FCFS, which was measured, and all others as EASY.
const AT_HEAD: [&str; 3] = ["conservative", "fcfs", "recorded"];

/// The time of a whole replay per job for each allocator, in units of 0.15 µs, by the class of the machine's size. The first numbers are those of schedulers that ask at the head of the queue. An allocator that refuses
/// jobs for which enough nodes are free is asked again and again by the others, the more often the longer the queue: the second
/// numbers are theirs at an offered load of 0.75. They were measured under FCFS and EASY on machines of 100, 256, 1,024 and 4,096
/// nodes, with KTH-SP2, the bundled log and 20,000 jobs of LANL-CM5 with arrivals times 1, 0.9 and 0.8, and with a Lublin log (`mc-pair` anew under EASY only, beside
/// other work). An allocator that is not listed counts [`OTHERS`]. A wrong weight makes shards uneven, but no result wrong.
const WEIGHTS: &[(&str, ByClass, Option<ByClass>)] = &[
    ("adaptive-scan", [31, 22, 28, 110], Some([200, 170, 180, 640])),
    ("anca", [30, 37, 42, 410], Some([190, 150, 340, 2100])),
    ("best-fit", [21, 31, 37, 170], Some([170, 150, 280, 960])),
    ("buddy-2d", [9, 9, 12, 35], Some([74, 74, 1700, 280])),
    ("busy-list", [30, 31, 43, 200], Some([160, 180, 350, 760])),
    ("first-fit", [16, 15, 22, 59], Some([180, 110, 130, 310])),
    ("fixed-orientation", [15, 15, 22, 48], Some([180, 110, 120, 270])),
    ("frame-sliding", [29, 23, 25, 81], Some([690, 240, 160, 590])),
    ("gabl", [40, 44, 280, 240], None),
    ("gen-alg", [19, 320, 940, 14_000], None),
    ("max-periphery", [20, 24, 28, 230], Some([120, 110, 200, 920])),
    ("mc", [24, 58, 64, 5600], None),
    ("mc-pair", [130, 730, 2600, 12_000], None),
    ("mc1x1", [32, 79, 120, 1500], None),
    ("mc1x1-shells", [24, 46, 64, 280], None),
    ("mm", [30, 570, 2300, 31_000], None),
    ("mm-inc", [46, 660, 2400, 42_000], None),
    ("octet-mbs", [10, 14, 19, 82], None),
    ("qna", [23, 33, 110, 180], None),
    ("qna-scan", [23, 20, 23, 60], Some([190, 150, 160, 490])),
    ("random", [12, 22, 39, 120], None),
    ("rbs", [24, 20, 28, 63], Some([200, 140, 310, 510])),
    ("rfold", [39, 36, 72, 130], Some([530, 480, 450, 2700])),
    ("rfold-first-fit", [21, 26, 26, 77], Some([150, 140, 170, 510])),
    ("rfold-folding", [22, 25, 29, 64], Some([170, 130, 220, 570])),
    ("rfold-reconfig", [37, 30, 64, 120], Some([460, 460, 430, 2800])),
    ("slurm-torus3d", [32, 32, 40, 220], Some([170, 170, 330, 1200])),
    ("snug", [18, 39, 54, 240], None),
    ("stack-based", [32, 22, 25, 66], Some([260, 240, 180, 400])),
    ("worst-fit", [23, 35, 52, 180], Some([530, 550, 2100, 1300])),
];

/// The weights of the allocators that take next to no time themselves, and of those from outside, of which nothing is known.
const OTHERS: ByClass = [10, 11, 12, 37];

/// What the second numbers grow by when the offered load grows by a hundredth, and the hundredths for which they were measured.
const GROWTH: f64 = 1.066;
const MEASURED_PERCENT: i32 = 75;

/// The least and the greatest offered load, in hundredths, that are told apart. Loads from 70 to 96 were measured; a little beyond
/// them the growth is taken to go on.
const LOADS_PERCENT: (i32, i32) = (55, 100);

/// Returns the estimated cost of replaying one job, in units of 0.15 µs. The cost of a replay is this times its
/// number of jobs. `load` is the offered load; `None` if it is not known. All processes that plan a study must agree on the result,
/// so nothing here depends on the machine on which it runs.
pub(super) fn of_job(spec: &ReplaySpec, load: Option<f64>) -> u64 {
    let asks_behind = !AT_HEAD.contains(&spec.scheduler.name.as_str());
    of_allocator(&spec.allocator, spec.machine.nodes(), asks_behind.then(|| growth(load)))
}

/// Returns what the weights for an offered load grow by. It is a product, as powers differ in the last digit from one machine to
/// another.
fn growth(load: Option<f64>) -> f64 {
    let percent = load.map_or(MEASURED_PERCENT, |load| (load * 100.0).round() as i32);
    let percent = percent.clamp(LOADS_PERCENT.0, LOADS_PERCENT.1);
    let grown = (MEASURED_PERCENT..percent).fold(1.0, |factor, _| factor * GROWTH);
    (percent..MEASURED_PERCENT).fold(grown, |factor, _| factor / GROWTH)
}

/// Returns the weight of an allocator on a machine of so many nodes. `queue` is the factor for the queue; `None` if nobody asks for
/// jobs behind its head.
fn of_allocator(allocator: &Spec, nodes: u32, queue: Option<f64>) -> u64 {
    let class = CLASSES.iter().filter(|&&most| nodes > most).count();
    if allocator.name == "best-of" {
        // It asks each member.
        let members = members_of_best_of(allocator.members.as_deref()).unwrap_or_default();
        return members
            .iter()
            .map(|member| of_allocator(member, nodes, queue))
            .sum::<u64>()
            .max(OTHERS[class]);
    }
    match (WEIGHTS.iter().find(|(name, ..)| *name == allocator.name), queue) {
        (Some((_, _, Some(asked_again))), Some(queue)) => {
            ((asked_again[class] as f64 * queue) as u64).max(OTHERS[class])
        }
        (Some((_, at_head, _)), _) => at_head[class],
        (None, _) => OTHERS[class],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::ALLOCATORS;
    use crate::scheduler::SCHEDULERS;

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
    fn best_of_costs_what_its_members_do() -> Result<(), Box<dyn std::error::Error>> {
        let of = |allocator: &str| cost("16x16", ("fcfs", allocator), 0.7);
        assert_eq!(of("best-of:mm|naive")?, of("mm")? + of("naive")?);
        assert_eq!(of("best-of")?, of("best-of:mc1x1|mm|column-snake+bf|granular-mbs")?);
        Ok(())
    }
}
