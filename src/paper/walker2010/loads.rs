//! Figs. 13 to 16: mean pairwise sum by the utilization that different loads bring about.

use std::cmp::Ordering;

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
    judge: |found| {
        let mut items = judge(found, UBGL, "16x16x8");
        items.extend(granular_flatter(found, "16x16x8"));
        items
    },
};
pub(super) const FIG16: Experiment = Experiment {
    studies: FIG16_STUDIES,
    surveyed: &[],
    timed: false,
    judge: |found| {
        let mut items = judge(found, UBGL, FLAT);
        items.extend(granular_flatter(found, FLAT));
        items.extend(best_improvements(found));
        items.extend(layered_is_granular(found));
        items
    },
};

const FIG13_STUDIES: &[Embedded] = &[study!("fig13", T3D)];
const FIG14_STUDIES: &[Embedded] = &[study!("fig14", T3D)];
const FIG15_STUDIES: &[Embedded] = &[study!("fig15", UBGL)];
const FIG16_STUDIES: &[Embedded] = &[study!("fig16", UBGL)];

/// The flat shape of LLNL-uBGL.
const FLAT: &str = "64x32";

const GRANULAR: &str = "granular-mbs";
const LAYERED: &str = "layered-mbs";
const OCTET: &str = "octet-mbs";
const SNAKE: &str = "column-snake+bf";
const MC1X1: &str = "mc1x1";
const ALLOCATORS: [&str; 5] = [GRANULAR, LAYERED, OCTET, SNAKE, MC1X1];

const EASY: &str = "easy";
const FCFS: &str = "fcfs";
const SCHEDULERS: [&str; 2] = [EASY, FCFS];

/// What arrival times are multiplied by, the lowest load first.
fn scales() -> impl Iterator<Item = f64> {
    (11..=24).rev().map(|twentieths| f64::from(twentieths) / 20.0)
}

/// A point of a curve.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// What arrival times were multiplied by.
    scale: f64,
    utilization: f64,
    /// Mean pairwise sum.
    sum: f64,
}

/// The curve of an allocator under a scheduler.
#[derive(Clone, Debug)]
struct Curve {
    allocator: &'static str,
    scheduler: &'static str,
    /// By utilization.
    points: Vec<Point>,
}

impl Curve {
    fn label(&self) -> String {
        format!("{}, {}", self.allocator, self.scheduler)
    }

    /// How much deeper than the point before it each point lies, as a share; nothing for those that do not.
    fn falls(&self) -> impl Iterator<Item = f64> + '_ {
        let fall = |pair: &[Point]| 1.0 - pair[1].sum / pair[0].sum;
        self.points.windows(2).map(fall).filter(|fall| *fall > 0.0)
    }

    /// The most that a point lies below any of a lower utilization, as a share.
    fn largest_fall(&self) -> f64 {
        let (mut highest, mut largest): (f64, f64) = (0.0, 0.0);
        for point in &self.points {
            highest = highest.max(point.sum);
            largest = largest.max(1.0 - point.sum / highest);
        }
        largest
    }

    /// Kendall's rank correlation of utilization and sum, and the least that is not chance with a confidence of 95 %, by
    /// the normal approximation.
    fn trend(&self) -> Option<(f64, f64)> {
        let count = self.points.len();
        let pairs = (count * count.saturating_sub(1) / 2) as f64;
        let sign = |i: usize, j: usize| -> f64 {
            match self.points[j].sum.total_cmp(&self.points[i].sum) {
                Ordering::Less => -1.0,
                Ordering::Equal => 0.0,
                Ordering::Greater => 1.0,
            }
        };
        let score: f64 = (0..count).flat_map(|j| (0..j).map(move |i| (i, j))).map(|(i, j)| sign(i, j)).sum();
        let deviation = (pairs * (2 * count + 5) as f64 / 9.0).sqrt();
        (pairs > 0.0).then(|| (score / pairs, (1.96 * deviation + 1.0) / pairs))
    }
}

/// The curves of a machine that were measured, by allocator under EASY, then under FCFS.
fn curves(found: &Evidence, dataset: &str, machine: &str) -> Vec<Curve> {
    let mut curves = Vec::new();
    for scheduler in SCHEDULERS {
        for allocator in ALLOCATORS {
            let point = |scale: f64| {
                let at = At { dataset, machine, allocator, scheduler, arrival_scale: scale, ..At::default() };
                let (utilization, sum) = (found.value(at, "utilization")?, found.pairwise_sum(at)?);
                Some(Point { scale, utilization, sum })
            };
            let mut points: Vec<Point> = scales().filter_map(point).collect();
            points.sort_by(|a, b| a.utilization.total_cmp(&b.utilization));
            if !points.is_empty() {
                curves.push(Curve { allocator, scheduler, points });
            }
        }
    }
    curves
}

/// The points of every curve, and what the text says of them.
fn judge(found: &Evidence, dataset: &str, machine: &str) -> Vec<Item> {
    let Some(log) = found.log(dataset) else { return Vec::new() };
    let curves = curves(found, dataset, machine);
    let mut items = Vec::new();
    for curve in &curves {
        let axis =
            if curve.scheduler == EASY { "utilization under EASY (%)" } else { "utilization under FCFS (%)" };
        for Point { scale, utilization, sum } in &curve.points {
            let at = format!("{:.2}", 100.0 * utilization);
            let name = format!(
                "{}, pairwise sum (hops), {} × {scale:.2}, utilization {utilization:.4}",
                curve.allocator, curve.scheduler
            );
            let item = Item::new(&name, &log, machine).measured(*sum);
            items.push(item.on_curve(curve.allocator, axis, &at));
        }
    }
    items.extend(violations(&curves).into_iter().map(|(curve, kind, value)| {
        let item = Item::new(&format!("{curve}, {kind}"), &log, machine);
        item.measured(value).in_table(&curve, "where the sum falls as utilization grows", kind)
    }));
    let facts = [
        trend(&curves, &log, machine),
        saturation(&curves, &log, machine),
        only_under_easy(&curves, &log, machine),
        largest_with_octet(&curves, &log, machine),
        most_frequent_with_octet(&curves, &log, machine),
        granular_lowest(&curves, &log, machine),
    ];
    items.extend(facts.into_iter().flatten());
    if dataset == T3D {
        items.extend(gains(&curves, &log, machine));
    }
    items
}

/// The curves under a scheduler.
fn under<'a>(curves: &'a [Curve], scheduler: &'a str) -> impl Iterator<Item = &'a Curve> + Clone {
    curves.iter().filter(move |curve| curve.scheduler == scheduler)
}

/// The deepest step down of any curve under FCFS, where the paper sees no large violation: what is deeper is large.
fn large(curves: &[Curve]) -> f64 {
    under(curves, FCFS).flat_map(Curve::falls).fold(0.0, f64::max)
}

fn large_falls(curve: &Curve, large: f64) -> f64 {
    curve.falls().filter(|fall| *fall > large).count() as f64
}

/// Of each curve its largest fall, its steps down, and those that are large.
fn violations(curves: &[Curve]) -> Vec<(String, &'static str, f64)> {
    let large = large(curves);
    let of = |curve: &Curve| {
        [
            ("largest fall, percent", 100.0 * curve.largest_fall()),
            ("steps down", curve.falls().count() as f64),
            ("steps down deeper than any under FCFS", large_falls(curve, large)),
        ]
        .map(|(kind, value)| (curve.label(), kind, value))
    };
    curves.iter().flat_map(of).collect()
}

/// The general trend is that sums rise with utilization.
fn trend(curves: &[Curve], log: &str, machine: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for curve in curves {
        if let Some((tau, least)) = curve.trend() {
            comparisons.between(
                &format!("Kendall's tau of {}", curve.label()),
                (tau - least, tau, tau + least),
                0.0,
            );
        }
    }
    comparisons.item("the sum rises with utilization: Kendall's rank correlation above chance", log, machine)
}

/// Points are closest together where the machine saturates.
fn saturation(curves: &[Curve], log: &str, machine: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for scheduler in SCHEDULERS {
        // Utilization is the same with every allocator: none of them ever refuses.
        let Some(curve) = under(curves, scheduler).next() else { continue };
        let steps: Vec<f64> =
            curve.points.windows(2).map(|pair| 100.0 * (pair[1].utilization - pair[0].utilization)).collect();
        let Some((last, others)) = steps.split_last() else { continue };
        let smallest = others.iter().copied().min_by(f64::total_cmp);
        comparisons.below(
            (&format!("{scheduler}: last step in points of utilization"), Some(*last)),
            ("the least of the others", smallest),
        );
    }
    comparisons.item("points are closest together at the highest utilization", log, machine)
}

/// Large violations occur under EASY and not under FCFS.
fn only_under_easy(curves: &[Curve], log: &str, machine: &str) -> Option<Item> {
    let largest = |scheduler| under(curves, scheduler).map(Curve::largest_fall).max_by(f64::total_cmp);
    let percent = |scheduler| largest(scheduler).map(|fall| 100.0 * fall);
    let mut comparisons = Comparisons::default();
    comparisons.below(
        ("the largest fall of all allocators under FCFS in percent", percent(FCFS)),
        ("that under EASY", percent(EASY)),
    );
    comparisons.item("large falls of the sum occur under EASY, not under FCFS", log, machine)
}

/// What is counted or measured of a curve, and what it is called.
type Quantity<'a> = (&'a str, &'a dyn Fn(&Curve) -> f64);

/// That quantities of Octet MBS under EASY are above those of each other allocator.
fn octet_above(
    curves: &[Curve],
    quantities: &[Quantity<'_>],
    (fact, log, machine): (&str, &str, &str),
) -> Option<Item> {
    let octet = under(curves, EASY).find(|curve| curve.allocator == OCTET)?;
    let mut comparisons = Comparisons::default();
    for (words, number) in quantities {
        for other in under(curves, EASY).filter(|curve| curve.allocator != OCTET) {
            comparisons.below(
                (&format!("{words} of {}", other.allocator), Some(number(other))),
                (&format!("that of {OCTET}"), Some(number(octet))),
            );
        }
    }
    comparisons.item(fact, log, machine)
}

fn largest_with_octet(curves: &[Curve], log: &str, machine: &str) -> Option<Item> {
    let percent = |curve: &Curve| 100.0 * curve.largest_fall();
    let fact = "the largest falls under EASY occur with Octet MBS";
    octet_above(curves, &[("the largest fall in percent", &percent)], (fact, log, machine))
}

/// Both ways of counting: all steps down, and those that are large.
fn most_frequent_with_octet(curves: &[Curve], log: &str, machine: &str) -> Option<Item> {
    let large = large(curves);
    let all = |curve: &Curve| curve.falls().count() as f64;
    let deep = |curve: &Curve| large_falls(curve, large);
    let quantities: [Quantity<'_>; 2] =
        [("steps down", &all), ("steps down deeper than any under FCFS", &deep)];
    let fact = "the most frequent falls under EASY occur with Octet MBS";
    octet_above(curves, &quantities, (fact, log, machine))
}

/// Granular MBS lies below MC1x1 and the snake at every load.
fn granular_lowest(curves: &[Curve], log: &str, machine: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for (curve, granular, point) in beside_granular(curves) {
        if [SNAKE, MC1X1].contains(&curve.allocator) {
            let name = format!("{GRANULAR} {} at {:.4}", curve.scheduler, granular.utilization);
            comparisons.below((&name, Some(granular.sum)), (curve.allocator, Some(point.sum)));
        }
    }
    comparisons.item("Granular MBS below MC1x1 and the snake at every load", log, machine)
}

/// Every point of a curve with that of Granular MBS at the same load and under the same scheduler, which comes first.
fn beside_granular(curves: &[Curve]) -> impl Iterator<Item = (&Curve, Point, Point)> {
    let of = move |curve: &Curve, scale: f64| {
        let granular = under(curves, curve.scheduler).find(|other| other.allocator == GRANULAR)?;
        granular.points.iter().find(|point| (point.scale - scale).abs() < 1e-9).copied()
    };
    curves.iter().flat_map(move |curve| {
        curve.points.iter().filter_map(move |point| Some((curve, of(curve, point.scale)?, *point)))
    })
}

/// The largest gain of Granular MBS on MC1x1 under a scheduler, in percent, and the utilization where it is.
fn largest_gain(curves: &[Curve], scheduler: &str) -> Option<(f64, f64)> {
    let to_mc1x1 = beside_granular(curves)
        .filter(|(curve, ..)| curve.allocator == MC1X1 && curve.scheduler == scheduler)
        .map(|(_, granular, mc1x1)| (100.0 * (1.0 - granular.sum / mc1x1.sum), granular.utilization));
    to_mc1x1.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The best that the paper saw of Granular MBS against MC1x1, by scheduler: in percent, both on LLNL-uBGL.
const BEST: [(&str, &str); 2] = [(EASY, "8.3"), (FCFS, "9.6")];

/// The gains on LLNL-T3D, which are not the best.
fn gains(curves: &[Curve], log: &str, machine: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut comparisons = Comparisons::default();
    for (scheduler, printed) in BEST {
        let Some((gain, utilization)) = largest_gain(curves, scheduler) else { continue };
        let name = format!(
            "largest gain of {GRANULAR} on {MC1X1}, {scheduler}, percent, at utilization {utilization:.4}"
        );
        items.push(Item::new(&name, log, machine).measured(gain));
        comparisons.below(
            (&format!("the largest gain in percent, {scheduler}"), Some(gain)),
            ("that on LLNL-uBGL as printed", Published::parse(printed).map(|published| published.value)),
        );
    }
    items.extend(comparisons.item(
        "the best gain of Granular MBS on MC1x1 is that on LLNL-uBGL",
        log,
        machine,
    ));
    items
}

/// Granular MBS is at best 8.3 % below MC1x1 under EASY, at a utilization of 67.5 %, and 9.6 % under FCFS.
fn best_improvements(found: &Evidence) -> Vec<Item> {
    let Some(log) = found.log(UBGL) else { return Vec::new() };
    let curves = curves(found, UBGL, FLAT);
    let mut items = Vec::new();
    for (scheduler, printed) in BEST {
        let (Some(published), Some((gain, utilization))) =
            (Published::parse(printed), largest_gain(&curves, scheduler))
        else {
            continue;
        };
        let name = format!("largest gain of {GRANULAR} on {MC1X1}, {scheduler}, percent");
        items.push(Item::new(&name, &log, FLAT).compared(published, gain, Tolerance::Absolute(1.0)));
        if let (EASY, Some(published)) = (scheduler, Published::parse("67.5")) {
            let item = Item::new("where the largest gain under easy is, utilization in percent", &log, FLAT);
            items.push(item.compared(published, 100.0 * utilization, Tolerance::Absolute(1.0)));
        }
    }
    items
}

/// Where all sizes are powers of four and the mesh is flat, Layered and Granular MBS are the same.
fn layered_is_granular(found: &Evidence) -> Option<Item> {
    let curves = curves(found, UBGL, FLAT);
    let beside = beside_granular(&curves);
    let layered = beside.filter(|(curve, ..)| curve.allocator == LAYERED && curve.scheduler == EASY);
    let apart = layered.map(|(_, granular, layered)| 100.0 * (layered.sum / granular.sum - 1.0).abs());
    let most = apart.max_by(f64::total_cmp)?;
    let verdict = if most <= 1.0 {
        Verdict::Within(Tolerance::Percent(1.0))
    } else {
        Verdict::Differs(format!("{most:.1} % apart at most"))
    };
    let item = Item::new("layered-mbs and granular-mbs are one line, percent apart", &found.log(UBGL)?, FLAT);
    Some(Item { verdict, ..item.measured(most) })
}

/// On LLNL-uBGL the sums of Granular MBS rise less with utilization than those of the others.
fn granular_flatter(found: &Evidence, machine: &str) -> Option<Item> {
    let curves = curves(found, UBGL, machine);
    let rise = |curve: &Curve| Some(100.0 * (curve.points.last()?.sum / curve.points.first()?.sum - 1.0));
    let granular = under(&curves, EASY).find(|curve| curve.allocator == GRANULAR)?;
    let mut comparisons = Comparisons::default();
    for other in under(&curves, EASY).filter(|curve| [SNAKE, MC1X1].contains(&curve.allocator)) {
        comparisons.below(
            (&format!("the rise of {GRANULAR} in percent"), rise(granular)),
            (&format!("that of {}", other.allocator), rise(other)),
        );
    }
    let fact = "the sums of Granular MBS rise less with utilization than those of MC1x1 and the snake";
    comparisons.item(fact, &found.log(UBGL)?, machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(sums: &[f64]) -> Curve {
        let point = |(i, sum): (usize, &f64)| Point { scale: 1.0, utilization: i as f64, sum: *sum };
        Curve { allocator: MC1X1, scheduler: EASY, points: sums.iter().enumerate().map(point).collect() }
    }

    #[test]
    fn falls_are_steps_down_and_the_largest_is_below_any_point_before() {
        let found = curve(&[100.0, 120.0, 114.0, 115.0, 108.0]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let falls: Vec<f64> = found.falls().collect();
        assert!(falls.len() == 2 && near(falls[0], 0.05) && near(falls[1], 7.0 / 115.0), "{falls:?}");
        assert!(near(found.largest_fall(), 0.1) && near(curve(&[1.0, 2.0]).largest_fall(), 0.0));
        assert!(near(large_falls(&found, 0.055), 1.0));
    }

    #[test]
    fn a_trend_is_kendalls_rank_correlation() {
        let rising: Vec<f64> = (0..14).map(f64::from).collect();
        let (tau, least) = curve(&rising).trend().unwrap_or_default();
        // 37 of 91 are more than chance, as tables have it.
        assert!((tau - 1.0).abs() < 1e-12 && (35.0..37.0).contains(&(least * 91.0)), "{tau} {least}");
        let (tau, least) = curve(&[1.0, 3.0, 2.0, 3.0]).trend().unwrap_or_default();
        assert!((tau - 3.0 / 6.0).abs() < 1e-12 && tau < least, "{tau} {least}");
        assert_eq!(curve(&[1.0]).trend(), None);
    }
}
