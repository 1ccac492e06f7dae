//! Figs. 3 to 6: turnaround by traffic ratio, scheduler and allocator.

use crate::estimate::{Estimate, Samples};
use crate::evidence::Point;
use crate::finding::{Place, Tolerance};
use crate::findings::{Findings, item, pairs};

const RATIOS: [&str; 7] = ["0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"];
const MEAN: &str = "turnaround_s_mean";
const MEAN_TITLE: &str = "average turnaround time (time units)";
const FCFS: Scheduler = Scheduler { short: "FCFS", spec: "fcfs" };
const LARGEST: Scheduler =
    Scheduler { short: "BQ(100)", spec: "bypass-queue:rule=strict-fcfs,threshold=100" };
/// Thresholds of the bypass queue. The first two are small.
const BYPASS: [Scheduler; 4] = [
    Scheduler { short: "BQ(10)", spec: "bypass-queue:rule=strict-fcfs,threshold=10" },
    Scheduler { short: "BQ(25)", spec: "bypass-queue:rule=strict-fcfs,threshold=25" },
    Scheduler { short: "BQ(50)", spec: "bypass-queue:rule=strict-fcfs,threshold=50" },
    LARGEST,
];
const ALL: [Scheduler; 5] = [FCFS, BYPASS[0], BYPASS[1], BYPASS[2], BYPASS[3]];
/// A system counts as saturated with a mean turnaround above ten service times.
const SATURATED: f64 = 50.0;

/// A scheduler and its name in figures.
#[derive(Clone, Copy)]
struct Scheduler {
    short: &'static str,
    spec: &'static str,
}

/// A distribution of sides: parameters of the workload, and the words before an item.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    parameters: &'static str,
    before: &'static str,
}

pub(super) const UNIFORM: Sides = Sides { parameters: "", before: "" };
pub(super) const NORMAL: [Sides; 2] = [
    Sides { parameters: ",sides=normal,sigma=6.6", before: "σ = 6.6: " },
    Sides { parameters: ",sides=normal,sigma=2.569", before: "σ = 2.569: " },
];

impl Sides {
    fn log(self, ratio: &str) -> String {
        format!("synthetic:ratio={ratio}{}", self.parameters)
    }

    /// Returns the replays with a traffic ratio, a scheduler and an allocator.
    fn at<'a>(self, all: &Point<'a>, ratio: &str, scheduler: Scheduler, allocator: &str) -> Point<'a> {
        all.log(&self.log(ratio)).scheduler(scheduler.spec).allocator(allocator)
    }
}

/// Returns the replays of all workloads.
fn all<'a>(findings: &Findings<'a>) -> Point<'a> {
    findings.at("synthetic").machine("32x32")
}

/// A quantity of figures by ratio.
struct Quantity {
    column: &'static str,
    name: &'static str,
    title: &'static str,
}

const TURNAROUND: Quantity = Quantity { column: MEAN, name: "turnaround", title: MEAN_TITLE };
const VARIANCE: Quantity =
    Quantity { column: "turnaround_s_variance", name: "variance", title: "variance of the turnaround time" };

/// Adds the curve of an allocator under a scheduler.
fn draw_curve(
    findings: &mut Findings<'_>,
    quantity: &Quantity,
    sides: Sides,
    scheduler: Scheduler,
    allocator: &str,
) {
    let Quantity { column, name, title } = quantity;
    let all = all(findings);
    let curve = format!("{}{allocator}, {}", sides.before, scheduler.short);
    for ratio in RATIOS {
        item("curves", format!("{curve}, {name}, ratio {ratio}"))
            .log(&sides.log(ratio))
            .measured(sides.at(&all, ratio, scheduler, allocator).mean(column))
            .place(Place::new(&curve, "traffic ratio", ratio).look(allocator).quantity(title))
            .add_to(findings);
    }
}

/// Fig. 3 and the text of 3.1: the bypass queue with first fit and adaptive scan. Jobs queue from the ratio
/// at `first_queued` on.
pub(super) fn bypass_queue(findings: &mut Findings<'_>, kinds: &[Sides], first_queued: usize) {
    findings.about("", "32x32");
    let all = all(findings);
    let allocators = ["first-fit", "adaptive-scan"];
    for &sides in kinds {
        let before = sides.before;
        for (allocator, scheduler) in pairs(allocators, ALL) {
            draw_curve(findings, &TURNAROUND, sides, scheduler, allocator);
        }
        let words = format!("{before}the bypass queue reduces turnaround at every ratio");
        let samples = |allocator: &str, scheduler: Scheduler, ratio: &str| {
            sides.at(&all, ratio, scheduler, allocator).by_workload(MEAN)
        };
        findings.claim("reduces", words, |is| {
            for allocator in allocators {
                for (scheduler, ratio) in pairs(BYPASS, &RATIOS[first_queued..]) {
                    let low = format!("{allocator}, {} at {ratio}", scheduler.short);
                    let high = format!("{allocator}, FCFS");
                    let bypass = samples(allocator, scheduler, ratio);
                    is.clearly_below(low, &bypass, high, &samples(allocator, FCFS, ratio));
                }
            }
        });
        let words = format!("{before}saturation (turnaround above 50) comes at a higher ratio");
        findings.claim("saturation", words, |is| {
            for allocator in allocators {
                let [fcfs, bypass] =
                    [FCFS, LARGEST].map(|scheduler| saturating_ratio(&all, sides, scheduler, allocator));
                is.below(format!("{allocator}, FCFS"), fcfs, format!("{allocator}, BQ(100)"), bypass);
            }
        });
        for allocator in allocators {
            judge_saturation(findings, sides, allocator);
        }
    }
}

/// Returns the first ratio that saturates the system, infinity if no ratio does, or `None` if nothing was
/// measured.
fn saturating_ratio(all: &Point<'_>, sides: Sides, scheduler: Scheduler, allocator: &str) -> Option<f64> {
    let turnaround = |ratio: &str| sides.at(all, ratio, scheduler, allocator).number(MEAN);
    let measured: Vec<(&str, f64)> =
        RATIOS.into_iter().filter_map(|ratio| Some((ratio, turnaround(ratio)?))).collect();
    let first = measured.iter().find(|(_, turnaround)| turnaround - SATURATED > 0.0);
    match first {
        Some((ratio, _)) => ratio.parse().ok(),
        None => (!measured.is_empty()).then_some(f64::INFINITY),
    }
}

fn judge_saturation(findings: &mut Findings<'_>, sides: Sides, allocator: &str) {
    let words = format!(
        "{}{allocator} under FCFS saturates quickly above ratio 1.5 (turnaround above 50 at 1.75)",
        sides.before
    );
    let all = all(findings);
    let turnaround = |ratio| sides.at(&all, ratio, FCFS, allocator).mean(MEAN);
    findings.claim("saturates", words, |is| {
        if let (Some(before), Some(after)) = (turnaround("1.5"), turnaround("1.75")) {
            let words = format!("50 above turnaround at 1.5 ({:.1})", before.number());
            is.above(words, Some(SATURATED - before), 0.0);
            let words = format!("turnaround at 1.75 ({:.1}) above 50", after.number());
            is.above(words, Some(after - SATURATED), 0.0);
        }
    });
}

/// Fig. 4(a): first fit, fixed orientation and adaptive scan under FCFS, uniform sides.
pub(super) fn fig4a(findings: &mut Findings<'_>) {
    findings.about("", "32x32");
    judge_allocators(findings, UNIFORM);
    let all = all(findings);
    let below = |ratio| below(&all, UNIFORM, ratio, "fixed-orientation", "first-fit");
    let words = "fixed-orientation is nowhere further below first-fit than at ratio 1.5";
    findings.claim("largest-reduction", words, |is| {
        for ratio in RATIOS.into_iter().filter(|ratio| *ratio != "1.5") {
            let words = format!("points by which the reduction at 1.5 is above that at {ratio}");
            is.above(words, below("1.5").zip(below(ratio)).map(|(most, other)| most - other), 0.0);
        }
    });
    item("reduction", "fixed-orientation below first-fit by percent, ratio 1.5")
        .log(&UNIFORM.log("1.5"))
        .measured(below("1.5"))
        .published("42", Tolerance::Points(4.0))
        .add_to(findings);
    let first_fit = UNIFORM.at(&all, "1.5", FCFS, "first-fit").number(MEAN);
    let place = Place::new("fixed-orientation, FCFS", "traffic ratio", "1.5").quantity(MEAN_TITLE);
    let words = "fixed-orientation at 1.5, 42 % below first-fit as measured";
    findings.mark(place, first_fit.map(|mean| (1.0 - 0.42) * mean), words);
}

/// Fig. 4(b): the same with normal sides.
pub(super) fn fig4b(findings: &mut Findings<'_>) {
    findings.about("", "32x32");
    for sides in NORMAL {
        judge_allocators(findings, sides);
        let words = format!("{}fixed-orientation below first-fit by percent, ratio 1.5", sides.before);
        let percent = below(&all(findings), sides, "1.5", "fixed-orientation", "first-fit");
        item("reduction", words).log(&sides.log("1.5")).measured(percent).add_to(findings);
    }
}

/// Returns by how many percent the turnaround of an allocator is below that of another one under FCFS.
fn below(all: &Point<'_>, sides: Sides, ratio: &str, allocator: &str, other: &str) -> Option<Estimate> {
    let samples = |allocator| sides.at(all, ratio, FCFS, allocator).by_workload(MEAN);
    Some(-samples(allocator).above(&samples(other))?)
}

/// Adds the statements of the text about the three allocators under FCFS.
fn judge_allocators(findings: &mut Findings<'_>, sides: Sides) {
    let (all, before) = (all(findings), sides.before);
    for allocator in ["first-fit", "fixed-orientation", "adaptive-scan"] {
        draw_curve(findings, &TURNAROUND, sides, FCFS, allocator);
    }
    let samples = |ratio, allocator| -> Samples { sides.at(&all, ratio, FCFS, allocator).by_workload(MEAN) };
    let lead = |ratio| below(&all, sides, ratio, "adaptive-scan", "fixed-orientation");
    findings.claim(
        "fixed-below",
        format!("{before}fixed-orientation below first-fit at every ratio"),
        |is| {
            for ratio in RATIOS {
                let (low, high) = (samples(ratio, "fixed-orientation"), samples(ratio, "first-fit"));
                is.clearly_below(
                    format!("fixed-orientation, FCFS at {ratio}"),
                    &low,
                    "first-fit, FCFS",
                    &high,
                );
            }
        },
    );
    let words = format!("{before}adaptive-scan at most fixed-orientation at every ratio");
    findings.claim("scan-at-most", words, |is| {
        for ratio in RATIOS {
            let (low, high) = (samples(ratio, "adaptive-scan"), samples(ratio, "fixed-orientation"));
            let words = format!("adaptive-scan, FCFS at {ratio}");
            is.not_above(&words, &low, "fixed-orientation, FCFS", &high);
        }
    });
    for ratio in RATIOS {
        let words = format!("{before}adaptive-scan below fixed-orientation by percent, ratio {ratio}");
        item("lead", words).log(&sides.log(ratio)).measured(lead(ratio)).add_to(findings);
    }
    let words = format!("{before}adaptive-scan is negligibly better at low ratios (5 percent, up to 1)");
    findings.claim("negligibly", words, |is| {
        for ratio in &RATIOS[..3] {
            let words = format!("5 less lead at {ratio}, percent");
            is.above(words, lead(ratio).map(|lead| 5.0 - lead), 0.0);
        }
    });
    let words = format!("{before}adaptive-scan is slightly better at higher ratios (up to 10 percent)");
    findings.claim("slightly", words, |is| {
        for ratio in &RATIOS[3..] {
            is.above(format!("lead at {ratio}, percent"), lead(ratio), 0.0);
            let words = format!("10 less lead at {ratio}, percent");
            is.above(words, lead(ratio).map(|lead| 10.0 - lead), 0.0);
        }
    });
}

/// Fig. 5: fixed orientation under the bypass queue, and adaptive scan under FCFS.
pub(super) fn fig5(findings: &mut Findings<'_>) {
    findings.about("", "32x32");
    let all = all(findings);
    for scheduler in BYPASS {
        draw_curve(findings, &TURNAROUND, UNIFORM, scheduler, "fixed-orientation");
    }
    draw_curve(findings, &TURNAROUND, UNIFORM, FCFS, "adaptive-scan");
    for scheduler in &BYPASS[..2] {
        let words = format!("{} of fixed-orientation below FCFS of adaptive-scan", scheduler.short);
        findings.claim("both-better", words, |is| {
            for ratio in RATIOS {
                let low = format!("fixed-orientation, {} at {ratio}", scheduler.short);
                let both = UNIFORM.at(&all, ratio, *scheduler, "fixed-orientation").by_workload(MEAN);
                let scan = UNIFORM.at(&all, ratio, FCFS, "adaptive-scan").by_workload(MEAN);
                is.clearly_below(low, &both, "adaptive-scan, FCFS", &scan);
            }
        });
    }
    judge_thresholds(findings, "a larger threshold reduces turnaround further", MEAN, &BYPASS);
}

/// Fig. 6: the variance of turnaround by threshold.
pub(super) fn fig6(findings: &mut Findings<'_>) {
    findings.about("", "32x32");
    for scheduler in ALL {
        draw_curve(findings, &VARIANCE, UNIFORM, scheduler, "fixed-orientation");
    }
    let words = "a larger threshold reduces the variance of turnaround";
    judge_thresholds(findings, words, VARIANCE.column, &ALL);
}

/// Adds the statement that each scheduler has less of a quantity than the one before it.
fn judge_thresholds(findings: &mut Findings<'_>, words: &str, column: &str, schedulers: &[Scheduler]) {
    let all = all(findings);
    let samples =
        |ratio, scheduler| UNIFORM.at(&all, ratio, scheduler, "fixed-orientation").by_workload(column);
    findings.claim("larger", words, |is| {
        for (step, ratio) in pairs(schedulers.windows(2), RATIOS) {
            let low = format!("fixed-orientation, {} at {ratio}", step[1].short);
            let high = format!("fixed-orientation, {}", step[0].short);
            is.clearly_below(low, &samples(ratio, step[1]), high, &samples(ratio, step[0]));
        }
    });
}
