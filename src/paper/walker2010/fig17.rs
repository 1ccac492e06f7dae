//! Fig. 17: how long whole simulations take, reading the log included.
//!
//! The paper's seconds are of a laptop of 2006 and of a program in Java, so that ratios are compared, never seconds. All
//! simulations are repeated in rounds; a ratio is that of two simulations of the same round, and what is said of it is its
//! median with a confidence interval of 95 %. What both signs are possible of is not decided.

use std::collections::BTreeMap;

use super::{At, Comparisons, Embedded, Evidence, Item, Printed, Published, study};
use crate::paper::figure::Experiment;
use crate::paper::item::{Tolerance, Verdict};
use crate::paper::median::Median;

pub(super) const EXPERIMENT: Experiment =
    Experiment { studies: STUDIES, surveyed: &[HPC2N, CM5], timed: true, judge };

const STUDIES: &[Embedded] = &[study!("fig17-hpc2n", HPC2N), study!("fig17-cm5", CM5)];

const HPC2N: &str = "HPC2N-2002";
const CM5: &str = "LANL-CM5-1994";
/// Log, its flat machine, its cubic one.
const MACHINES: [(&str, [&str; 2]); 2] = [(HPC2N, ["16x16", "8x8x4"]), (CM5, ["32x32", "16x8x8"])];

const MC1X1: &str = "mc1x1-shells";
const SNAKE: &str = "column-snake+bf";
const OCTET: &str = "octet-mbs";
const BUDDIES: [&str; 3] = ["layered-mbs", OCTET, "granular-mbs"];
const FASTER: [&str; 4] = [SNAKE, "layered-mbs", OCTET, "granular-mbs"];

/// A simulation: log, machine, allocator.
type Simulation<'a> = (&'a str, &'a str, &'a str);

/// Seconds of simulations of the same rounds.
fn rounds<const N: usize>(found: &Evidence, simulations: [Simulation<'_>; N]) -> Vec<[f64; N]> {
    let seconds = simulations.map(|(dataset, machine, allocator)| {
        found.simulations(At { dataset, machine, allocator, ..At::default() })
    });
    let round = |round: &usize| -> Option<[f64; N]> {
        let of: Vec<f64> = seconds.iter().filter_map(|seconds| seconds.get(round).copied()).collect();
        of.try_into().ok()
    };
    seconds.iter().take(1).flat_map(BTreeMap::keys).filter_map(round).collect()
}

/// How often one simulation takes as long as another, measured one after the other.
fn times(found: &Evidence, a: Simulation<'_>, b: Simulation<'_>) -> Option<Median> {
    let pairs: Vec<(f64, f64)> = rounds(found, [a, b]).into_iter().map(|[a, b]| (a, b)).collect();
    Median::of_ratios(&pairs)
}

/// What was tried where ratios are smaller than the published ones.
const TRIED: &str =
    "whole simulations, reading included, as in the paper; MC1x1 scores all centres at once here";

/// How many percent a ratio may be off the one that follows from published numbers.
const OFF_PERCENT: f64 = 10.0;

/// A ratio beside the one that follows from published numbers: within so many percent if its whole interval is, and
/// different if none of it is.
fn ratio(item: &str, (log, machine): (&str, &str), published: f64, measured: Median) -> Item {
    let Median { low, middle, high } = measured;
    let tolerance = Tolerance::Percent(OFF_PERCENT);
    let item = Item::new(item, log, machine);
    let mut item = item.compared(Published { value: published, decimals: 1 }, middle, tolerance);
    let (least, most) = (published * (1.0 - OFF_PERCENT / 100.0), published * (1.0 + OFF_PERCENT / 100.0));
    let interval = format!("median {middle:.2}, {low:.2} to {high:.2}");
    if low >= least && high <= most {
        item.verdict = Verdict::Within(tolerance);
    } else if low <= most && high >= least {
        item.verdict = Verdict::NotDecided(interval.clone());
    }
    item.because(&interval)
}

fn judge(found: &Evidence) -> Vec<Item> {
    let printed = Printed::parse(include_str!("fig17.tsv"));
    let mut items = Vec::new();
    for (allocator, dataset, machine, _) in printed.cells() {
        let simulations = found.simulations(At { dataset, machine, allocator, ..At::default() });
        if let (Some(log), Some(seconds)) = (found.log(dataset), Median::of(simulations.into_values())) {
            let item = Item::new(&format!("{allocator}, seconds"), &log, machine).measured(seconds.middle);
            items.push(item.in_table(allocator, "seconds here", &format!("{log} {machine}")));
        }
    }
    items.extend(ratios(found, &printed));
    items.extend(factors(found, &printed));
    items.extend(growth(found, &printed));
    for (dataset, machines) in MACHINES {
        let Some(log) = found.log(dataset) else { continue };
        for machine in machines {
            items.extend(slowest(found, dataset, machine, &log));
            items.extend(curves_slower(found, dataset, machine, &log));
        }
        items.extend(shapes(found, dataset, machines, &log));
    }
    items.extend(anomaly(found, &printed));
    items
}

/// The published seconds of a simulation.
fn seconds(printed: &Printed, simulation: Simulation<'_>) -> Option<f64> {
    let found = printed
        .cells()
        .find(|(allocator, dataset, machine, _)| (*dataset, *machine, *allocator) == simulation);
    Some(found?.3?.value)
}

/// MC1x1 by each of the others.
fn ratios(found: &Evidence, printed: &Printed) -> Vec<Item> {
    let mut items = Vec::new();
    for (dataset, machines) in MACHINES {
        for (machine, other) in machines.into_iter().flat_map(|machine| FASTER.map(|other| (machine, other)))
        {
            let (mc1x1, other) = ((dataset, machine, MC1X1), (dataset, machine, other));
            let published = seconds(printed, mc1x1).zip(seconds(printed, other));
            if let (Some(log), Some((a, b)), Some(times)) =
                (found.log(dataset), published, times(found, mc1x1, other))
            {
                items.push(ratio(&format!("{MC1X1} by {}", other.2), (&log, machine), a / b, times));
            }
        }
    }
    items
}

/// "By a factor of up to 27 on the HPC2N trace and 205 on the LANL-CM5 trace".
fn factors(found: &Evidence, printed: &Printed) -> Vec<Item> {
    let mut items = Vec::new();
    for (dataset, machines) in MACHINES {
        let pairs = || machines.into_iter().flat_map(|machine| FASTER.map(|other| (machine, other)));
        let of = |(machine, other)| [(dataset, machine, MC1X1), (dataset, machine, other)];
        let largest = pairs().filter_map(|pair| {
            let [mc1x1, other] = of(pair);
            Some(seconds(printed, mc1x1)? / seconds(printed, other)?)
        });
        let measured = pairs().filter_map(|pair| {
            let [mc1x1, other] = of(pair);
            times(found, mc1x1, other)
        });
        let (published, measured) =
            (largest.max_by(f64::total_cmp), measured.max_by(|a, b| a.middle.total_cmp(&b.middle)));
        if let (Some(log), Some(published), Some(measured)) = (found.log(dataset), published, measured) {
            let item = ratio("largest factor by which MC1x1 is slower", (&log, ""), published, measured);
            items.push(item.because(TRIED));
        }
    }
    items
}

/// Seconds per job of MC1x1 grow from 0.0056 on 16×16 to 0.15 on 32×32.
fn growth(found: &Evidence, printed: &Printed) -> Vec<Item> {
    let [small, large] = [(HPC2N, "16x16", MC1X1), (CM5, "32x32", MC1X1)];
    let jobs = |dataset| found.facts(dataset).map(|facts| facts.jobs as f64);
    let (Some(on_small), Some(on_large), Some(times)) = (jobs(HPC2N), jobs(CM5), times(found, large, small))
    else {
        return Vec::new();
    };
    let per_job = on_small / on_large;
    let grown =
        Median { low: times.low * per_job, middle: times.middle * per_job, high: times.high * per_job };
    let mut items = Vec::new();
    for (simulation, jobs) in [(small, on_small), (large, on_large)] {
        let all = found.simulations(At {
            dataset: simulation.0,
            machine: simulation.1,
            allocator: MC1X1,
            ..At::default()
        });
        if let Some(seconds) = Median::of(all.into_values()) {
            let log = found.log(simulation.0).unwrap_or_default();
            let item = Item::new("mc1x1-shells, microseconds per job", &log, simulation.1);
            items.push(item.measured(1e6 * seconds.middle / jobs));
        }
    }
    // As printed: 18,059 s for 122,057 jobs, and 0.0056 s.
    if let Some(published) = seconds(printed, large).map(|seconds| seconds / 122_057.0 / 0.0056) {
        let item =
            ratio("growth of seconds per job of MC1x1 from 16x16 to 32x32", ("", ""), published, grown);
        items.push(item.because(TRIED));
    }
    let mut comparisons = Comparisons::default();
    comparisons.between(
        "seconds per job on 32x32 by those on 16x16",
        (grown.low, grown.middle, grown.high),
        1.0,
    );
    items.extend(comparisons.item("seconds per job of MC1x1 grow with the machine", "", ""));
    items
}

/// That the first of two simulations takes longer.
fn longer(found: &Evidence, comparisons: &mut Comparisons, a: Simulation<'_>, b: Simulation<'_>) {
    if let Some(Median { low, middle, high }) = times(found, a, b) {
        let name = |one: Simulation<'_>| {
            if a.1 == b.1 { one.2.to_owned() } else { format!("{} on {}", one.2, one.1) }
        };
        comparisons.between(&format!("{} by {}", name(a), name(b)), (low, middle, high), 1.0);
    }
}

fn slowest(found: &Evidence, dataset: &str, machine: &str, log: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for other in FASTER {
        longer(found, &mut comparisons, (dataset, machine, MC1X1), (dataset, machine, other));
    }
    comparisons.item("MC1x1 takes longest", log, machine)
}

/// "The curve-based strategies are consistently slower than the buddy systems"; of Octet MBS on 32×32 the paper's own
/// seconds say otherwise.
fn curves_slower(found: &Evidence, dataset: &str, machine: &str, log: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for buddy in BUDDIES.into_iter().filter(|buddy| (machine, *buddy) != ("32x32", OCTET)) {
        longer(found, &mut comparisons, (dataset, machine, SNAKE), (dataset, machine, buddy));
    }
    comparisons.item("the snake is slower than the buddy systems", log, machine)
}

/// MC1x1 is faster on the cube, and the others depend on the shape less than it does.
fn shapes(found: &Evidence, dataset: &str, [flat, cube]: [&str; 2], log: &str) -> Vec<Item> {
    let [mut faster, mut less] = [(); 2].map(|()| Comparisons::default());
    longer(found, &mut faster, (dataset, flat, MC1X1), (dataset, cube, MC1X1));
    for other in FASTER.into_iter().filter(|other| (flat, *other) != ("32x32", OCTET)) {
        let [mc1x1, other_one] =
            [MC1X1, other].map(|allocator| [(dataset, flat, allocator), (dataset, cube, allocator)]);
        let [a, b] = mc1x1;
        let [c, d] = other_one;
        // How much larger the logarithm of the ratio of the shapes is for MC1x1.
        let more = rounds(found, [a, b, c, d])
            .into_iter()
            .map(|[a, b, c, d]| (a / b).ln().abs() - (c / d).ln().abs());
        if let Some(Median { low, middle, high }) = Median::of(more) {
            let words = format!("how much more the logarithm of flat by cube is for MC1x1 than for {other}");
            less.between(&words, (low, middle, high), 0.0);
        }
    }
    [
        faster.item("MC1x1 is faster on the cube-like shape", log, ""),
        less.item("curves and buddies depend on the shape less than MC1x1", log, ""),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Octet MBS is anomalously slow on 32×32.
fn anomaly(found: &Evidence, printed: &Printed) -> Vec<Item> {
    let (Some(log), octet) = (found.log(CM5), (CM5, "32x32", OCTET)) else { return Vec::new() };
    let others = [(CM5, "32x32", "layered-mbs"), (CM5, "32x32", "granular-mbs"), (CM5, "16x8x8", OCTET)];
    let mut comparisons = Comparisons::default();
    for other in others {
        longer(found, &mut comparisons, octet, other);
    }
    let mut items: Vec<Item> =
        comparisons.item("Octet MBS is slow on 32x32", &log, "32x32").into_iter().collect();
    let published = seconds(printed, octet).zip(seconds(printed, others[2]));
    if let (Some((flat, cube)), Some(times)) = (published, times(found, octet, others[2])) {
        items.push(ratio("Octet MBS, 32x32 by 16x8x8", (&log, ""), flat / cube, times));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_judged_by_its_whole_interval() {
        for (low, middle, high, expected) in [
            (9.5, 10.0, 10.5, "within 10 %"),
            (8.0, 10.0, 10.5, "not decided: median 10.00, 8.00 to 10.50"),
            (7.0, 8.0, 9.1, "not decided: median 8.00, 7.00 to 9.10"),
            (7.0, 8.0, 8.9, "differs: 20.0 % below, more than 10 %; median 8.00, 7.00 to 8.90"),
        ] {
            let item = ratio("a by b", ("", ""), 10.0, Median { low, middle, high });
            assert_eq!(item.verdict.to_string(), expected);
        }
    }
}
