//! Figs. 13 to 16: mean pairwise sum by the utilization that different loads bring about.

use super::{At, Comparisons, Embedded, Evidence, Item, Published, study};
use crate::paper::figure::Experiment;
use crate::paper::item::{Tolerance, Verdict};

const T3D: &str = "LLNL-T3D-1996";
const UBGL: &str = "LLNL-uBGL-2006";

pub(super) const FIG13: Experiment = Experiment {
    studies: FIG13_STUDIES,
    surveyed: &[],
    timed: false,
    judge: |found| judge(found, T3D, "16x16"),
};
pub(super) const FIG14: Experiment = Experiment {
    studies: FIG14_STUDIES,
    surveyed: &[],
    timed: false,
    judge: |found| judge(found, T3D, "8x8x4"),
};
pub(super) const FIG15: Experiment = Experiment {
    studies: FIG15_STUDIES,
    surveyed: &[],
    timed: false,
    judge: |found| judge(found, UBGL, "16x16x8"),
};
pub(super) const FIG16: Experiment = Experiment {
    studies: FIG16_STUDIES,
    surveyed: &[],
    timed: false,
    judge: |found| {
        let mut items = judge(found, UBGL, "64x32");
        items.extend(best_improvements(found));
        items.extend(layered_is_granular(found));
        items
    },
};

const FIG13_STUDIES: &[Embedded] = &[study!("fig13", T3D)];
const FIG14_STUDIES: &[Embedded] = &[study!("fig14", T3D)];
const FIG15_STUDIES: &[Embedded] = &[study!("fig15", UBGL)];
const FIG16_STUDIES: &[Embedded] = &[study!("fig16", UBGL)];

const ALLOCATORS: [&str; 5] = ["granular-mbs", "layered-mbs", "octet-mbs", "column-snake+bf", "mc1x1"];
const SCHEDULERS: [&str; 2] = ["easy", "fcfs"];

/// What arrival times are multiplied by, the lowest load first.
fn scales() -> impl Iterator<Item = f64> {
    (11..=24).rev().map(|twentieths| f64::from(twentieths) / 20.0)
}

/// Utilization and mean pairwise sum by load, lowest load first.
fn series(found: &Evidence, dataset: &str, machine: &str, scheduler: &str, allocator: &str) -> Vec<[f64; 3]> {
    let point = |arrival_scale: f64| {
        let at = At { dataset, machine, allocator, scheduler, arrival_scale, ..At::default() };
        Some([arrival_scale, found.value(at, "utilization")?, found.pairwise_sum(at)?])
    };
    scales().filter_map(point).collect()
}

/// The two coordinates of every point, and what the text says of them.
fn judge(found: &Evidence, dataset: &str, machine: &str) -> Vec<Item> {
    let Some(log) = found.log(dataset) else { return Vec::new() };
    let mut items = Vec::new();
    for scheduler in SCHEDULERS {
        for allocator in ALLOCATORS {
            for [scale, utilization, sum] in series(found, dataset, machine, scheduler, allocator) {
                for (quantity, value) in [("utilization", utilization), ("pairwise sum", sum)] {
                    let curve = format!("{allocator} {scheduler}, {quantity}");
                    let at = format!("{scale:.2}");
                    let item = Item::new(&format!("{curve} × {at}"), &log, machine).measured(value);
                    items.push(item.on_curve(&curve, "arrivals ×", &at));
                }
            }
        }
    }
    let mut comparisons = Comparisons::default();
    for allocator in ALLOCATORS {
        let [easy, fcfs] =
            SCHEDULERS.map(|scheduler| largest_fall(&series(found, dataset, machine, scheduler, allocator)));
        let [easy_name, fcfs_name] = SCHEDULERS.map(|scheduler| format!("{allocator} {scheduler}"));
        comparisons.at_most((&fcfs_name, fcfs), (&easy_name, easy));
    }
    items.extend(comparisons.item(
        "largest fall of the sum where utilization grows: FCFS ≤ EASY",
        &log,
        machine,
    ));
    items
}

/// The largest relative fall of the pairwise sum below what a lower utilization had.
fn largest_fall(series: &[[f64; 3]]) -> Option<f64> {
    let mut sorted = series.to_vec();
    sorted.sort_by(|a, b| a[1].total_cmp(&b[1]));
    let mut highest = sorted.first()?[2];
    let mut fall: f64 = 0.0;
    for [_, _, sum] in sorted {
        highest = highest.max(sum);
        fall = fall.max(1.0 - sum / highest);
    }
    Some(fall)
}

/// Granular MBS is at best 8.3 % below MC1x1 under EASY and 9.6 % under FCFS.
fn best_improvements(found: &Evidence) -> Vec<Item> {
    let Some(log) = found.log(UBGL) else { return Vec::new() };
    let mut items = Vec::new();
    for (scheduler, printed) in [("easy", "8.3"), ("fcfs", "9.6")] {
        let [granular, mc1x1] =
            ["granular-mbs", "mc1x1"].map(|allocator| series(found, UBGL, "64x32", scheduler, allocator));
        let percent = |(granular, mc1x1): (&[f64; 3], &[f64; 3])| 100.0 * (1.0 - granular[2] / mc1x1[2]);
        let best = granular.iter().zip(&mc1x1).map(percent).max_by(f64::total_cmp);
        if let (Some(published), Some(measured)) = (Published::parse(printed), best) {
            let item = Item::new(
                &format!("largest gain of granular-mbs on mc1x1, {scheduler}, percent"),
                &log,
                "64x32",
            );
            items.push(item.compared(published, measured, Tolerance::Absolute(1.0)));
        }
    }
    items
}

/// Where all sizes are powers of four and the mesh is flat, Layered and Granular MBS are the same.
fn layered_is_granular(found: &Evidence) -> Option<Item> {
    let [granular, layered] =
        ["granular-mbs", "layered-mbs"].map(|allocator| series(found, UBGL, "64x32", "easy", allocator));
    let apart = granular.iter().zip(&layered).map(|(a, b)| 100.0 * (b[2] / a[2] - 1.0).abs());
    let most = apart.max_by(f64::total_cmp)?;
    let verdict = if most <= 1.0 {
        Verdict::Within(Tolerance::Percent(1.0))
    } else {
        Verdict::Differs(format!("{most:.1} % apart at most"))
    };
    let item =
        Item::new("layered-mbs and granular-mbs are one line, percent apart", &found.log(UBGL)?, "64x32");
    Some(Item { verdict, ..item.measured(most) })
}
