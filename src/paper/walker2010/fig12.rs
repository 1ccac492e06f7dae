//! Fig. 12 and the text of §V-A: buddy strategies and the snake by MC1x1, in two shapes per log.
//!
//! The heights of the bars are not in the text, nor are the percentages under them, so both are measured only; the
//! sentences about them are checked one by one. The paper names no three-dimensional shape for HPC2N: the most cubic one of 240 nodes stands for it.

use super::{At, Comparisons, Embedded, Evidence, Item, Published, sizes, study};
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
pub(super) const SHAPES: [(&str, [&str; 2]); 5] = [
    ("KTH-SP2-1996", ["10x10", "5x5x4"]),
    ("HPC2N-2002", ["16x15", "8x6x5"]),
    ("SDSC-SP2-1998", ["16x8", "8x4x4"]),
    ("LLNL-T3D-1996", ["16x16", "8x8x4"]),
    ("LLNL-uBGL-2006", ["64x32", "16x16x8"]),
];

const POWERS: &str = "authors:sizes=powers-of-two";
const PARALLEL: &str = "authors:sizes=parallel";
const STRATEGIES: [&str; 4] = ["granular-mbs", "layered-mbs", "octet-mbs", "column-snake+bf"];

/// The axis of the bars.
const BARS: &str = "ratio to mc1x1";

/// Mean pairwise sum by that of MC1x1.
pub(super) fn ratio(
    found: &Evidence,
    dataset: &str,
    machine: &str,
    rules: &str,
    allocator: &str,
) -> Option<f64> {
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
                let item = item.on_curve(allocator, BARS, &format!("{log} {machine}"));
                items.extend(ratio(found, dataset, machine, "authors", allocator).map(|x| item.measured(x)));
            }
        }
        items.extend(sizes::percentages(found, dataset, &log));
    }
    items.extend(strategies(found));
    items.extend(against_mc1x1(found));
    items.extend(sizes::judge(found));
    items.extend(experiments(found));
    items.extend(removals(found));
    items
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
        nearest_on_flat_ubgl(found),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Layered MBS comes nearest to Granular MBS on LLNL-uBGL, 64×32, and stays further behind on 16×16×8.
fn nearest_on_flat_ubgl(found: &Evidence) -> Option<Item> {
    let lead = |dataset: &str, machine: &str| -> Named {
        let of = |allocator| found.pairwise_sum(At { dataset, machine, allocator, ..At::default() });
        let by = || Some(of("layered-mbs")? / of("granular-mbs")?);
        (format!("layered by granular on {dataset} {machine}"), by())
    };
    let (ubgl, [flat, _]) = SHAPES[4];
    let mut comparisons = Comparisons::default();
    for (dataset, machines) in SHAPES {
        for machine in machines.into_iter().filter(|machine| (dataset, *machine) != (ubgl, flat)) {
            comparisons.below(named(&lead(ubgl, flat)), named(&lead(dataset, machine)));
        }
    }
    comparisons.item(
        "Granular's lead on Layered is least on LLNL-uBGL 64x32, 16x16x8 among the others",
        "",
        "",
    )
}

/// The sentences that compare Granular MBS with MC1x1 and the snake.
fn against_mc1x1(found: &Evidence) -> Vec<Item> {
    let of = |dataset: &str, machine: &str| -> Named {
        let name = format!("granular-mbs by mc1x1 {dataset} {machine}");
        (name, ratio(found, dataset, machine, "authors", "granular-mbs"))
    };
    let [mut llnl, mut loses, mut worse] = [(); 3].map(|()| Comparisons::default());
    let one = ("1", Some(1.0));
    let mut margins = Vec::new();
    for (dataset, machines) in SHAPES {
        for (i, machine) in machines.into_iter().enumerate() {
            let granular = of(dataset, machine);
            let snake = ratio(found, dataset, machine, "authors", "column-snake+bf");
            match dataset {
                "LLNL-T3D-1996" | "LLNL-uBGL-2006" => {
                    llnl.below(named(&granular), one);
                    llnl.below(named(&granular), ("the snake's", snake));
                }
                "HPC2N-2002" => {
                    worse.below(one, named(&granular));
                    for (other, shapes) in [SHAPES[0], SHAPES[2]] {
                        worse.below(named(&of(other, shapes[i])), named(&granular));
                    }
                }
                _ => {
                    loses.below(one, named(&granular));
                    loses.below(("the snake's", snake), named(&granular));
                    for (other, by) in [("mc1x1", Some(1.0)), ("the snake", snake)] {
                        let (Some(log), Some(granular), Some(by)) = (found.log(dataset), granular.1, by)
                        else {
                            continue;
                        };
                        let item = Item::new(
                            &format!("margin by which granular-mbs loses to {other}, percent"),
                            &log,
                            machine,
                        );
                        margins.push(item.measured(100.0 * (granular / by - 1.0)));
                    }
                }
            }
        }
    }
    let mut items: Vec<Item> = [
        llnl.item("Granular below MC1x1 and the snake on the LLNL logs", "", ""),
        loses.item("Granular above MC1x1 and the snake on SDSC-SP2 and KTH-SP2", "", ""),
    ]
    .into_iter()
    .flatten()
    .collect();
    items.extend(margins);
    items.extend(worse.item(
        "Granular above MC1x1 on HPC2N, further than on SDSC-SP2 and KTH-SP2, where the margin is small",
        "",
        "",
    ));
    items
}

/// The four ratios of Granular MBS to MC1x1 in the text, and what is concluded from them.
fn experiments(found: &Evidence) -> Vec<Item> {
    let dataset = "KTH-SP2-1996";
    let Some(log) = found.log(dataset) else { return Vec::new() };
    let mut items = Vec::new();
    let granular = |rules, machine| ratio(found, dataset, machine, rules, "granular-mbs");
    for (what, rules, machine, printed) in [
        ("powers of two only", POWERS, "10x10", "1.024"),
        ("powers of two only", POWERS, "5x5x4", "1.016"),
        ("all jobs", "authors", "16x8", "1.093"),
        ("all jobs", "authors", "8x4x4", "1.138"),
    ] {
        if let (Some(published), Some(measured)) = (Published::parse(printed), granular(rules, machine)) {
            let item = Item::new(&format!("granular-mbs by mc1x1, {what}"), &log, machine);
            let item = item.compared(published, measured, Tolerance::Absolute(0.003));
            items.push(item.because(&tried(found, machine)));
        }
    }
    let mut comparisons = Comparisons::default();
    for (old, new) in [("10x10", "16x8"), ("5x5x4", "8x4x4")] {
        comparisons.below(
            (&format!("powers of two only on {old}"), granular(POWERS, old)),
            (&format!("all jobs on {new}"), granular("authors", new)),
        );
    }
    let fact = "Sizes that are powers of two help more than sides that are";
    items.extend(comparisons.item(fact, &log, ""));
    items
}

/// What was tried for the number that does not come out: the other strategies.
fn tried(found: &Evidence, machine: &str) -> String {
    let of = |allocator: &str| {
        let ratio = ratio(found, "KTH-SP2-1996", machine, "authors", allocator)?;
        Some(format!("{allocator} {ratio:.3}"))
    };
    let others: Vec<String> = STRATEGIES.into_iter().skip(1).filter_map(of).collect();
    format!("tried: the other strategies, {}", others.join(", "))
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
        helps.nearly("Leaving out serial jobs helps in nearly all cases", "", ""),
    ]
    .into_iter()
    .flatten()
    .collect()
}
