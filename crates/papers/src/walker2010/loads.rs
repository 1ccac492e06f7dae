//! Figs. 13 to 16: mean pairwise sum by the utilization that different loads bring about.

use super::{GRANULAR, LAYERED, OCTET, SNAKE};
use crate::comparisons::Curve;
use crate::estimate::Estimate;
use crate::evidence::Point;
use crate::finding::{Drawn, Place, Tolerance};
use crate::findings::{Findings, item, pairs};

/// The factors of arrival times, the lowest load first.
const SCALES: [&str; 14] =
    ["1.2", "1.15", "1.1", "1.05", "1", "0.95", "0.9", "0.85", "0.8", "0.75", "0.7", "0.65", "0.6", "0.55"];
const MC1X1: &str = "mc1x1";
const ALLOCATORS: [&str; 5] = [GRANULAR, LAYERED, OCTET, SNAKE, MC1X1];
const OTHER_THAN_OCTET: [&str; 4] = [GRANULAR, LAYERED, SNAKE, MC1X1];

/// A scheduler, with the best gain of Granular MBS on MC1x1 under it as printed, in percent.
struct Scheduler {
    name: &'static str,
    axis: &'static str,
    best_gain: &'static str,
}

const EASY: Scheduler = Scheduler { name: "easy", axis: "utilization under EASY (%)", best_gain: "8.3" };
const FCFS: Scheduler = Scheduler { name: "fcfs", axis: "utilization under FCFS (%)", best_gain: "9.6" };
const SCHEDULERS: [Scheduler; 2] = [EASY, FCFS];

/// What was measured at a load; `None` if it was not.
#[derive(Clone, Copy)]
struct Measured {
    scale: &'static str,
    utilization: Option<f64>,
    sum: Option<f64>,
}

/// The results of one log on one machine.
struct Results<'a>(Point<'a>);

impl<'a> Results<'a> {
    /// Returns the results, and makes them the subject of the items; `None` if the log was not found.
    fn new(findings: &mut Findings<'a>, dataset: &'static str, machine: &str) -> Option<Self> {
        findings.about(findings.log(dataset)?, machine);
        Some(Self(findings.at(dataset).machine(machine)))
    }

    fn loads(&self, scheduler: &Scheduler, allocator: &str) -> Vec<Measured> {
        let at = self.0.scheduler(scheduler.name).allocator(allocator);
        let measured = |scale| {
            let at = at.scale(scale);
            Measured { scale, utilization: at.number("utilization"), sum: at.number("pairwise_sum_mean") }
        };
        SCALES.map(measured).to_vec()
    }

    /// Returns the loads in ascending order of the utilization with an allocator.
    fn by_utilization(&self, scheduler: &Scheduler, allocator: &str) -> Vec<(f64, Measured)> {
        let loads = self.loads(scheduler, allocator).into_iter();
        let mut loads: Vec<_> = loads.filter_map(|load| Some((load.utilization?, load))).collect();
        loads.sort_by(|a, b| a.0.total_cmp(&b.0));
        loads
    }

    /// Returns the sums of an allocator by utilization; `None` if nothing was measured.
    fn curve(&self, scheduler: &Scheduler, allocator: &str) -> Option<Curve> {
        let loads = self.loads(scheduler, allocator).into_iter();
        Curve::from_points(loads.filter_map(|load| Some((load.utilization?, load.sum?))).collect())
    }

    /// Returns the largest value of a property of the curves of all allocators.
    fn largest(&self, scheduler: &Scheduler, property: fn(&Curve) -> f64) -> Option<f64> {
        let curves = ALLOCATORS.into_iter().filter_map(|allocator| self.curve(scheduler, allocator));
        curves.map(|curve| property(&curve)).max_by(f64::total_cmp)
    }

    /// Returns the gain of Granular MBS on MC1x1 at a load, in percent.
    fn gain(&self, scheduler: &Scheduler, scale: &str) -> Option<f64> {
        let at = self.0.scheduler(scheduler.name).scale(scale);
        let sum = |allocator| at.allocator(allocator).number("pairwise_sum_mean");
        Some(100.0 * (1.0 - sum(GRANULAR)? / sum(MC1X1)?))
    }

    /// Returns the largest gain of Granular MBS on MC1x1, in percent.
    fn largest_gain(&self, scheduler: &Scheduler) -> Option<f64> {
        SCALES.into_iter().filter_map(|scale| self.gain(scheduler, scale)).max_by(f64::total_cmp)
    }

    /// Returns the utilization with the largest gain.
    fn utilization_of_gain(&self, scheduler: &Scheduler) -> Option<f64> {
        let at = self.0.scheduler(scheduler.name).allocator(GRANULAR);
        let loads = self.by_utilization(scheduler, MC1X1).into_iter();
        let gains = loads.filter_map(|(_, Measured { scale, .. })| {
            Some((self.gain(scheduler, scale)?, at.scale(scale).number("utilization")?))
        });
        gains.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, utilization)| utilization)
    }

    fn draw_curves(&self, findings: &mut Findings<'_>) {
        for scheduler in &SCHEDULERS {
            for allocator in ALLOCATORS {
                for (utilization, Measured { scale, sum, .. }) in self.by_utilization(scheduler, allocator) {
                    let factor: f64 = scale.parse().unwrap_or(f64::NAN);
                    let words = format!(
                        "{allocator}, pairwise sum (hops), {} × {factor:.2}, utilization {utilization:.4}",
                        scheduler.name
                    );
                    let place = place(scheduler, allocator, &format!("{:.2}", 100.0 * utilization));
                    item("curves", words).measured(sum).place(place).add_to(findings);
                }
            }
        }
    }

    /// Lists the largest fall and the number of steps down of each curve. A step counts as large if it is
    /// deeper than any under FCFS, as the paper sees no large violation of the trend there.
    fn list_violations(&self, findings: &mut Findings<'_>) {
        let large = self.largest(&FCFS, Curve::deepest_step);
        for (scheduler, allocator) in pairs(&SCHEDULERS, ALLOCATORS) {
            let curve = self.curve(scheduler, allocator);
            let falls = curve.as_ref().map(|curve| 100.0 * curve.largest_fall());
            let steps = curve.as_ref().map(|curve| curve.steps_deeper(0.0));
            let large_steps = curve.as_ref().zip(large).map(|(curve, large)| curve.steps_deeper(large));
            for (column, number) in [
                ("largest fall, percent", falls),
                ("steps down", steps),
                ("steps down deeper than any under FCFS", large_steps),
            ] {
                let row = format!("{allocator}, {}", scheduler.name);
                let axis = "where the sum falls as utilization grows";
                let words = format!("{row}, {column}");
                let place = Place::new(&row, axis, column).drawn(Drawn::Table);
                item("violations", words).measured(number).place(place).add_to(findings);
            }
        }
    }

    fn judge_trend(&self, findings: &mut Findings<'_>) {
        let words = "the sum rises with utilization: Kendall's rank correlation above chance";
        findings.claim("trend", words, |is| {
            for (scheduler, allocator) in pairs(&SCHEDULERS, ALLOCATORS) {
                let tau = self.curve(scheduler, allocator).and_then(|curve| curve.tau());
                let words = format!("Kendall's tau of {allocator}, {}", scheduler.name);
                is.above(words, tau.map(Estimate::Median), 0.0);
            }
        });
        findings.claim("saturation", "points are closest together at the highest utilization", |is| {
            for scheduler in &SCHEDULERS {
                // Every allocator gives the same utilization, as no allocator ever refuses a job.
                let curve = ALLOCATORS.into_iter().find_map(|allocator| self.curve(scheduler, allocator));
                let last_step = curve.as_ref().and_then(Curve::last_step).map(|step| 100.0 * step);
                let least_other = curve.as_ref().and_then(Curve::least_other_step).map(|step| 100.0 * step);
                let words = format!("{}: last step in points of utilization", scheduler.name);
                is.below(words, last_step, "the least of the others", least_other);
            }
        });
    }

    fn judge_violations(&self, findings: &mut Findings<'_>) {
        findings.claim("only-under-easy", "large falls of the sum occur under EASY, not under FCFS", |is| {
            let [fcfs, easy] = [FCFS, EASY]
                .map(|scheduler| self.largest(&scheduler, Curve::largest_fall).map(|fall| 100.0 * fall));
            let words = "the largest fall of all allocators under FCFS in percent";
            is.below(words, fcfs, "that under EASY", easy);
        });
        let easy = |allocator| self.curve(&EASY, allocator);
        findings.claim("largest-with-octet", "the largest falls under EASY occur with Octet MBS", |is| {
            let fall = |allocator| Some(100.0 * easy(allocator)?.largest_fall());
            for other in OTHER_THAN_OCTET {
                let words = format!("the largest fall in percent of {other}");
                is.below(words, fall(other), "that of octet-mbs", fall(OCTET));
            }
        });
        // Both ways of counting: all steps down, and large steps down.
        findings.claim("most-with-octet", "the most frequent falls under EASY occur with Octet MBS", |is| {
            let large = self.largest(&FCFS, Curve::deepest_step);
            for (name, depth) in [("steps down", Some(0.0)), ("steps down deeper than any under FCFS", large)]
            {
                let Some(depth) = depth else { continue };
                let steps = |allocator| Some(easy(allocator)?.steps_deeper(depth));
                for other in OTHER_THAN_OCTET {
                    is.below(format!("{name} of {other}"), steps(other), "that of octet-mbs", steps(OCTET));
                }
            }
        });
    }

    fn judge_granular(&self, findings: &mut Findings<'_>) {
        findings.claim("granular-lowest", "Granular MBS below MC1x1 and the snake at every load", |is| {
            for scheduler in &SCHEDULERS {
                for higher in [SNAKE, MC1X1] {
                    for (_, Measured { scale, sum, .. }) in self.by_utilization(scheduler, higher) {
                        let granular = self.0.scheduler(scheduler.name).allocator(GRANULAR).scale(scale);
                        let Some(utilization) = granular.number("utilization") else { continue };
                        let words = format!("granular-mbs {} at {utilization:.4}", scheduler.name);
                        is.below(words, granular.number("pairwise_sum_mean"), higher, sum);
                    }
                }
            }
        });
    }

    fn judge_flatness(&self, findings: &mut Findings<'_>) {
        let words = "the sums of Granular MBS rise less with utilization than those of MC1x1 and the snake";
        findings.claim("flatter", words, |is| {
            let rise = |allocator| Some(100.0 * self.curve(&EASY, allocator)?.rise()?);
            for higher in [SNAKE, MC1X1] {
                let words = format!("that of {higher}");
                is.below("the rise of granular-mbs in percent", rise(GRANULAR), words, rise(higher));
            }
        });
    }

    /// Adds what all four figures share.
    fn judge(&self, findings: &mut Findings<'_>) {
        self.draw_curves(findings);
        self.list_violations(findings);
        self.judge_trend(findings);
        self.judge_violations(findings);
        self.judge_granular(findings);
    }
}

fn place(scheduler: &Scheduler, allocator: &str, at: &str) -> Place {
    Place::new(allocator, scheduler.axis, at).quantity("pairwise sum (hops)")
}

/// Figs. 13 and 14: LLNL-T3D, where the gains are smaller than on LLNL-uBGL.
pub(super) fn t3d(findings: &mut Findings<'_>, machine: &str) {
    let Some(results) = Results::new(findings, "LLNL-T3D-1996", machine) else { return };
    results.judge(findings);
    for scheduler in &SCHEDULERS {
        let Some(utilization) = results.utilization_of_gain(scheduler) else { continue };
        let words = format!(
            "largest gain of granular-mbs on mc1x1, {}, percent, at utilization {utilization:.4}",
            scheduler.name
        );
        item("gains", words).measured(results.largest_gain(scheduler)).add_to(findings);
    }
    findings.claim("best-gain", "Granular MBS gains less on MC1x1 than is printed of LLNL-uBGL", |is| {
        for scheduler in &SCHEDULERS {
            let words = format!("the largest gain in percent, {}", scheduler.name);
            let best = scheduler.best_gain.parse().ok();
            is.below(words, results.largest_gain(scheduler), "that on LLNL-uBGL as printed", best);
        }
    });
}

/// Fig. 15: LLNL-uBGL on a mesh of three dimensions.
pub(super) fn fig15(findings: &mut Findings<'_>) {
    let Some(results) = Results::new(findings, "LLNL-uBGL-2006", "16x16x8") else { return };
    results.judge(findings);
    results.judge_flatness(findings);
}

/// Fig. 16: LLNL-uBGL on a flat mesh. Granular MBS is at best 8.3 % below MC1x1 under EASY, at a utilization
/// of 67.5 %, and 9.6 % under FCFS.
pub(super) fn fig16(findings: &mut Findings<'_>) {
    let Some(results) = Results::new(findings, "LLNL-uBGL-2006", "64x32") else { return };
    results.judge(findings);
    results.judge_flatness(findings);
    let largest_gain = |scheduler: &Scheduler| {
        item("best", format!("largest gain of granular-mbs on mc1x1, {}, percent", scheduler.name))
            .measured(results.largest_gain(scheduler))
            .published(scheduler.best_gain, Tolerance::Points(1.0))
    };
    largest_gain(&EASY).add_to(findings);
    item("best", "where the largest gain under easy is, utilization in percent")
        .measured(results.utilization_of_gain(&EASY).map(|utilization| 100.0 * utilization))
        .published("67.5", Tolerance::Points(1.0))
        .add_to(findings);
    largest_gain(&FCFS).add_to(findings);
    // Where all sizes are powers of four and the mesh is flat, Layered and Granular MBS are the same.
    let [layered, granular] = [LAYERED, GRANULAR].map(|allocator| results.loads(&EASY, allocator));
    let apart = layered
        .into_iter()
        .zip(granular)
        .filter_map(|(layered, granular)| Some((100.0 * (layered.sum? / granular.sum? - 1.0)).abs()));
    item("one-line", "layered-mbs and granular-mbs are one line, percent apart")
        .measured(apart.max_by(f64::total_cmp))
        .no_further_apart(1.0)
        .add_to(findings);
    // The load with the utilization nearest to the printed 67.5 %.
    let distance = |utilization: f64| (100.0 * utilization - 67.5).abs();
    let loads = results.loads(&EASY, MC1X1).into_iter();
    let loads = loads.filter_map(|load| Some((distance(load.utilization?), load)));
    let nearest = loads.min_by(|a, b| a.0.total_cmp(&b.0));
    let sum = nearest.and_then(|(_, load)| load.sum);
    let words = "granular-mbs at 67.5 %, 8.3 % below mc1x1 as measured at the nearest load";
    findings.mark(place(&EASY, GRANULAR, "67.5"), sum.map(|sum| (1.0 - 0.083) * sum), words);
}
