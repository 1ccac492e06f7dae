//! Fig. 12 and the text of §V-A: buddy strategies and the snake by MC1x1, in two shapes per log.
//!
//! The heights of the bars are not in the text, so the ratios are measured only; the sentences about them are checked
//! one by one. The paper names no three-dimensional shape for HPC2N: the most cubic one of 240 nodes stands for it.

use super::{At, Comparisons, Embedded, Evidence, Item, Published, study};
use crate::paper::figure::Experiment;
use crate::paper::item::Tolerance;

const STUDIES: &[Embedded] = &[
    study!("fig12-kth", "KTH-SP2-1996"),
    study!("fig12-hpc2n", "HPC2N-2002"),
    study!("fig12-sp2", "SDSC-SP2-1998"),
    study!("fig12-t3d", "LLNL-T3D-1996"),
    study!("fig12-ubgl", "LLNL-uBGL-2006"),
    study!("fig12-kth-128", "KTH-SP2-1996"),
];

pub(super) const EXPERIMENT: Experiment = Experiment {
    studies: STUDIES,
    surveyed: &["KTH-SP2-1996", "HPC2N-2002", "SDSC-SP2-1998", "LLNL-T3D-1996", "LLNL-uBGL-2006"],
    timed: false,
    judge,
};

/// Dataset, the flat shape, the cubic one.
const SHAPES: [(&str, [&str; 2]); 5] = [
    ("KTH-SP2-1996", ["10x10", "5x5x4"]),
    ("HPC2N-2002", ["16x15", "8x6x5"]),
    ("SDSC-SP2-1998", ["16x8", "8x4x4"]),
    ("LLNL-T3D-1996", ["16x16", "8x8x4"]),
    ("LLNL-uBGL-2006", ["64x32", "16x16x8"]),
];

const POWERS: &str = "authors:sizes=powers-of-two";
const PARALLEL: &str = "authors:sizes=parallel";
const STRATEGIES: [&str; 4] = ["granular-mbs", "layered-mbs", "octet-mbs", "column-snake+bf"];

/// Mean pairwise sum by that of MC1x1.
fn ratio(found: &Evidence, dataset: &str, machine: &str, rules: &str, allocator: &str) -> Option<f64> {
    let sum = |allocator| found.pairwise_sum(At { dataset, machine, allocator, rules, ..At::default() });
    Some(sum(allocator)? / sum("mc1x1")?)
}

/// A measured number with its name, for comparisons.
type Named = (String, Option<f64>);

fn named((name, value): &Named) -> (&str, Option<f64>) {
    (name, *value)
}

fn judge(found: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    for (dataset, machines) in SHAPES {
        let Some(log) = found.log(dataset) else { continue };
        for machine in machines {
            for allocator in STRATEGIES {
                let item = Item::new(&format!("{allocator} by mc1x1"), &log, machine);
                items.extend(ratio(found, dataset, machine, "authors", allocator).map(|x| item.measured(x)));
            }
        }
        items.extend(sizes(found, dataset, &log));
    }
    items.extend(strategies(found));
    items.extend(against_mc1x1(found));
    items.extend(experiments(found));
    items.extend(removals(found));
    items
}

/// Statistics of job sizes, on which the text rests.
fn sizes(found: &Evidence, dataset: &str, log: &str) -> Vec<Item> {
    let Some(facts) = found.facts(dataset) else { return Vec::new() };
    [
        ("jobs of one processor, share", facts.serial),
        ("jobs of a power of two, share", facts.powers_of_two),
        ("jobs of a power of four, share", facts.powers_of_four),
    ]
    .map(|(item, share)| Item::new(item, log, "").measured(share))
    .to_vec()
}

/// The sentences that compare the buddy strategies with each other.
fn strategies(found: &Evidence) -> Vec<Item> {
    let [mut granular, mut octet, mut flat] = [(); 3].map(|()| Comparisons::default());
    for (dataset, [square, cube]) in SHAPES {
        let of = |machine: &str, allocator: &str| -> Named {
            let name = format!("{allocator} {dataset} {machine}");
            (name, found.pairwise_sum(At { dataset, machine, allocator, ..At::default() }))
        };
        for machine in [square, cube] {
            for other in ["layered-mbs", "octet-mbs"] {
                granular.below(named(&of(machine, "granular-mbs")), named(&of(machine, other)));
            }
        }
        octet.below(named(&of(cube, "octet-mbs")), named(&of(cube, "layered-mbs")));
        flat.below(named(&of(square, "column-snake+bf")), named(&of(square, "octet-mbs")));
    }
    [
        granular.item("Granular below Layered and Octet in all cases", "", ""),
        octet.item("Octet below Layered on all 3D meshes", "", ""),
        flat.item("Octet poor on 2D meshes: above the snake", "", ""),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The sentences that compare Granular MBS with MC1x1 and the snake.
fn against_mc1x1(found: &Evidence) -> Vec<Item> {
    let of = |dataset: &str, machine: &str| -> Named {
        let name = format!("granular-mbs by mc1x1 {dataset} {machine}");
        (name, ratio(found, dataset, machine, "authors", "granular-mbs"))
    };
    let [mut llnl, mut small, mut worse] = [(); 3].map(|()| Comparisons::default());
    let one = ("1", Some(1.0));
    for (dataset, machines) in SHAPES {
        for (i, machine) in machines.into_iter().enumerate() {
            match dataset {
                "LLNL-T3D-1996" | "LLNL-uBGL-2006" => {
                    let snake = ratio(found, dataset, machine, "authors", "column-snake+bf");
                    llnl.below(named(&of(dataset, machine)), one);
                    llnl.below(named(&of(dataset, machine)), ("the snake's", snake));
                }
                "HPC2N-2002" => {
                    for (other, shapes) in [SHAPES[0], SHAPES[2]] {
                        worse.below(named(&of(other, shapes[i])), named(&of(dataset, machine)));
                    }
                }
                _ => {
                    small.below(one, named(&of(dataset, machine)));
                    small.below(named(&of(dataset, machine)), ("1.1", Some(1.1)));
                }
            }
        }
    }
    let [flat, cube] = SHAPES[4].1.map(|machine| {
        let layered = ratio(found, SHAPES[4].0, machine, "authors", "layered-mbs");
        let granular = ratio(found, SHAPES[4].0, machine, "authors", "granular-mbs");
        Some(layered? / granular?)
    });
    let mut handily = Comparisons::default();
    handily.below(("layered by granular on 64x32", flat), ("on 16x16x8", cube));
    [
        llnl.item("Granular below MC1x1 and the snake on the LLNL logs", "", ""),
        small.item("Granular above MC1x1 by a small margin (below 10 %) on SDSC-SP2 and KTH-SP2", "", ""),
        worse.item("Granular further above MC1x1 on HPC2N than on those", "", ""),
        handily.item("Granular's lead on Layered is larger on 16x16x8 than on 64x32", "", ""),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The four ratios of Granular MBS to MC1x1 in the text.
fn experiments(found: &Evidence) -> Vec<Item> {
    let dataset = "KTH-SP2-1996";
    let Some(log) = found.log(dataset) else { return Vec::new() };
    let mut items = Vec::new();
    for (what, rules, machine, printed) in [
        ("powers of two only", POWERS, "10x10", "1.024"),
        ("powers of two only", POWERS, "5x5x4", "1.016"),
        ("all jobs", "authors", "16x8", "1.093"),
        ("all jobs", "authors", "8x4x4", "1.138"),
    ] {
        let measured = ratio(found, dataset, machine, rules, "granular-mbs");
        if let (Some(published), Some(measured)) = (Published::parse(printed), measured) {
            let item = Item::new(&format!("granular-mbs by mc1x1, {what}"), &log, machine);
            items.push(item.compared(published, measured, Tolerance::Absolute(0.003)));
        }
    }
    items
}

/// The sentences about leaving out serial jobs and those of sizes that are no powers of two.
fn removals(found: &Evidence) -> Vec<Item> {
    let [mut powers, mut serial, mut helps] = [(); 3].map(|()| Comparisons::default());
    for (dataset, machines) in &SHAPES[..3] {
        for machine in machines {
            let of = |words: &str, rules: &str| -> Named {
                let name = format!("{words} on {dataset} {machine}");
                (name, ratio(found, dataset, machine, rules, "granular-mbs"))
            };
            let all = of("all jobs", "authors");
            let [power, parallel] = [("powers of two", POWERS), ("no serial jobs", PARALLEL)]
                .map(|(words, rules)| of(words, rules));
            if *dataset == "HPC2N-2002" {
                serial.below(named(&parallel), named(&power));
            } else {
                powers.below(named(&power), named(&parallel));
            }
            helps.below(named(&parallel), named(&all));
        }
    }
    [
        powers.item(
            "Leaving out other sizes than powers of two helps more than serial jobs: KTH-SP2, SDSC-SP2",
            "",
            "",
        ),
        serial.item("The reverse on HPC2N", "", ""),
        helps.nearly("Leaving out serial jobs helps in nearly all cases (all but one)", "", ""),
    ]
    .into_iter()
    .flatten()
    .collect()
}
