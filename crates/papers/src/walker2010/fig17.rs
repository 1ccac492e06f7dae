//! Fig. 17: how long whole simulations take, reading the log included.
//!
//! The paper's seconds are of a laptop of 2006 and of a program in Java, so that ratios are compared, never
//! seconds. All simulations are repeated in rounds; a ratio is that of two simulations of the same round, and
//! its estimate is the median with a confidence interval of 95 %. A ratio whose interval contains the bound
//! is not decided.
//!
//! Here all centres of MC1x1 are scored at once, in vectorised passes. So the paper's statements on the cost
//! of MC1x1 are judged by another figure, `fig17-plain`, which runs MC1x1 as written: a walk over the shells
//! around every free node. That takes minutes, so it has a single round, and its ratios have no intervals.

use super::{GRANULAR, LAYERED, OCTET, SNAKE};
use crate::estimate::{Estimate, Samples};
use crate::evidence::Evidence;
use crate::finding::{Drawn, Place, PrintedTable, Tolerance, Verdict};
use crate::findings::{Findings, item};

const MC1X1: &str = "mc1x1-shells";
const FASTER: [&str; 4] = [SNAKE, LAYERED, OCTET, GRANULAR];
const BUDDIES: [&str; 3] = [LAYERED, OCTET, GRANULAR];
/// Why the accelerated MC1x1 judges no sentence about the cost of MC1x1.
const ACCELERATED: &str = "accelerated here; fig17-plain runs MC1x1 as published";
const TEN_PERCENT: Tolerance = Tolerance::Percent(10.0);

/// Returns words in the place of a verdict on the accelerated MC1x1.
fn accelerated() -> Verdict {
    Verdict::Note(ACCELERATED.to_owned())
}

/// A log of the figure, with its flat machine and its cubic one.
struct Log {
    dataset: &'static str,
    flat: &'static str,
    cube: &'static str,
}

const HPC2N: Log = Log { dataset: "HPC2N-2002", flat: "16x16", cube: "8x8x4" };
const CM5: Log = Log { dataset: "LANL-CM5-1994", flat: "32x32", cube: "16x8x8" };

/// Measured and printed seconds.
struct Seconds<'a> {
    evidence: &'a Evidence,
    printed: PrintedTable,
}

impl Seconds<'_> {
    fn simulations(&self, dataset: &str, machine: &str, allocator: &str) -> Samples {
        self.evidence.at(dataset).machine(machine).allocator(allocator).simulations()
    }

    fn ratio(&self, dataset: &str, machine: &str, allocator: &str, other: &str) -> Option<Estimate> {
        self.simulations(dataset, machine, allocator).median_ratio(&self.simulations(dataset, machine, other))
    }

    fn printed(&self, dataset: &str, machine: &str, allocator: &str) -> Option<f64> {
        Some(self.printed.cell(allocator, &format!("{dataset} {machine}"))?.value)
    }

    /// Returns the printed ratio of MC1x1 to another allocator in seconds.
    fn printed_factor(&self, dataset: &str, machine: &str, other: &str) -> Option<f64> {
        Some(self.printed(dataset, machine, MC1X1)? / self.printed(dataset, machine, other)?)
    }
}

/// Judges the ratios and the text about them.
pub(super) fn judge(findings: &mut Findings<'_>) {
    let printed = PrintedTable::parse(include_str!("fig17.tsv"));
    let seconds = Seconds { evidence: findings.evidence, printed };
    for (allocator, column, _) in seconds.printed.cells() {
        let Some((dataset, machine)) = column.split_once(' ') else { continue };
        let Some(log) = findings.log(dataset) else { continue };
        let median = seconds.simulations(dataset, machine, allocator).median();
        let place = Place::new(allocator, "seconds here", &format!("{log} {machine}"));
        item("seconds", format!("{allocator}, seconds"))
            .log(log)
            .machine(machine)
            .measured(median.map(Estimate::number))
            .place(place.drawn(Drawn::Table))
            .add_to(findings);
    }
    for log in [HPC2N, CM5] {
        judge_ratios(findings, &seconds, &log);
    }
    for log in [HPC2N, CM5] {
        judge_factor(findings, &seconds, &log);
    }
    judge_growth(findings, &seconds);
    for log in [HPC2N, CM5] {
        judge_machines(findings, &log);
    }
    judge_octet(findings, &seconds);
}

fn judge_ratios(findings: &mut Findings<'_>, seconds: &Seconds<'_>, log: &Log) {
    let Some(file) = findings.log(log.dataset) else { return };
    for machine in [log.flat, log.cube] {
        findings.about(file, machine);
        for other in FASTER {
            item("ratios", format!("mc1x1-shells by {other}"))
                .measured(seconds.ratio(log.dataset, machine, MC1X1, other))
                .expected(seconds.printed_factor(log.dataset, machine, other), TEN_PERCENT)
                .verdict(accelerated())
                .add_to(findings);
        }
    }
    findings.about("", "");
}

/// "By a factor of up to 27 on the HPC2N trace and 205 on the LANL-CM5 trace".
fn judge_factor(findings: &mut Findings<'_>, seconds: &Seconds<'_>, log: &Log) {
    let Some(file) = findings.log(log.dataset) else { return };
    let pairs = || [log.flat, log.cube].into_iter().flat_map(|machine| FASTER.map(|other| (machine, other)));
    let measured = pairs().filter_map(|(machine, other)| seconds.ratio(log.dataset, machine, MC1X1, other));
    let printed = pairs().filter_map(|(machine, other)| seconds.printed_factor(log.dataset, machine, other));
    item("factors", "largest factor by which MC1x1 is slower")
        .log(file)
        .measured(measured.max_by(|a, b| a.number().total_cmp(&b.number())))
        .expected(printed.max_by(f64::total_cmp), TEN_PERCENT)
        .verdict(accelerated())
        .add_to(findings);
}

/// Seconds per job of MC1x1 grow from 0.0056 on 16x16 to 0.15 on 32x32; as printed, 18,059 s are for 122,057
/// jobs.
fn judge_growth(findings: &mut Findings<'_>, seconds: &Seconds<'_>) {
    let evidence = seconds.evidence;
    let jobs = |log: &Log| Some(evidence.facts(log.dataset)?.jobs as f64);
    let simulations = |log: &Log| seconds.simulations(log.dataset, log.flat, MC1X1);
    let ratio = simulations(&CM5).median_ratio(&simulations(&HPC2N));
    let (Some(ratio), Some(hpc2n_jobs), Some(cm5_jobs)) = (ratio, jobs(&HPC2N), jobs(&CM5)) else { return };
    let growth = (hpc2n_jobs / cm5_jobs) * ratio;
    for (log, jobs) in [(HPC2N, hpc2n_jobs), (CM5, cm5_jobs)] {
        let Some(file) = findings.log(log.dataset) else { continue };
        let microseconds = simulations(&log).median().map(|seconds| 1_000_000.0 * seconds.number() / jobs);
        item("per-job", "mc1x1-shells, microseconds per job")
            .log(file)
            .machine(log.flat)
            .measured(microseconds)
            .add_to(findings);
    }
    let printed = seconds.printed(CM5.dataset, CM5.flat, MC1X1).map(|seconds| seconds / 122_057.0 / 0.0056);
    item("growth", "growth of seconds per job of MC1x1 from 16x16 to 32x32")
        .measured(Some(growth))
        .expected(printed, TEN_PERCENT)
        .verdict(accelerated())
        .add_to(findings);
}

/// Adds the statements of the text about allocators and shapes, on one log.
fn judge_machines(findings: &mut Findings<'_>, log: &Log) {
    let Log { dataset, flat, cube } = *log;
    let Some(file) = findings.log(dataset) else { return };
    let at = findings.at(dataset);
    let seconds = |machine: &str, allocator: &str| at.machine(machine).allocator(allocator).simulations();
    // The paper's own seconds of Octet MBS on 32x32 say otherwise.
    let is_exception = |machine: &str, allocator: &str| machine == "32x32" && allocator == OCTET;
    for machine in [flat, cube] {
        findings.about(file, machine);
        let ratio = |a, b| seconds(machine, a).median_ratio(&seconds(machine, b));
        // "Much faster", without a number. Twice as fast is our choice.
        findings.claim("slowest", "MC1x1 takes much longer than the others (twice as long or more)", |is| {
            for other in FASTER {
                is.above(format!("mc1x1-shells by {other}"), ratio(MC1X1, other), 2.0);
            }
        });
        // "The curve-based strategies are consistently slower than the buddy systems".
        findings.claim("curves-slower", "the snake is slower than the buddy systems", |is| {
            for buddy in BUDDIES.into_iter().filter(|buddy| !is_exception(machine, buddy)) {
                is.above(format!("column-snake+bf by {buddy}"), ratio(SNAKE, buddy), 1.0);
            }
        });
    }
    findings.about(file, "");
    let words = format!("mc1x1-shells, {flat} by {cube}");
    item("cube-faster", words)
        .measured(seconds(flat, MC1X1).median_ratio(&seconds(cube, MC1X1)))
        .verdict(accelerated())
        .add_to(findings);
    findings.claim("less-dependent", "curves and buddies depend on the shape less than MC1x1", |is| {
        for other in FASTER.into_iter().filter(|other| !is_exception(flat, other)) {
            let words = format!("how much more the logarithm of flat by cube is for MC1x1 than for {other}");
            let [a, b] = [flat, cube].map(|machine| seconds(machine, MC1X1));
            let [c, d] = [flat, cube].map(|machine| seconds(machine, other));
            let difference =
                Samples::join([&a, &b, &c, &d], |[a, b, c, d]| (a / b).ln().abs() - (c / d).ln().abs());
            is.above(words, difference.median(), 0.0);
        }
    });
    findings.about("", "");
}

/// Octet MBS is anomalously slow on 32x32, which is more than to be slower than the others there and on the
/// other shape.
fn judge_octet(findings: &mut Findings<'_>, seconds: &Seconds<'_>) {
    let Some(file) = findings.log(CM5.dataset) else { return };
    findings.about(file, "");
    let octet = seconds.simulations(CM5.dataset, CM5.flat, OCTET);
    let words = "Octet MBS is anomalously slow on 32x32 (twice as slow or more)";
    item("octet-slow", words)
        .machine(CM5.flat)
        .holds_if(|is| {
            for (words, allocator, machine) in [
                ("octet-mbs by layered-mbs", LAYERED, CM5.flat),
                ("octet-mbs by granular-mbs", GRANULAR, CM5.flat),
                ("octet-mbs on 32x32 by octet-mbs on 16x8x8", OCTET, CM5.cube),
            ] {
                is.above(
                    words,
                    octet.median_ratio(&seconds.simulations(CM5.dataset, machine, allocator)),
                    2.0,
                );
            }
        })
        .add_to(findings);
    let [flat, cube] = [CM5.flat, CM5.cube].map(|machine| seconds.printed(CM5.dataset, machine, OCTET));
    item("octet-slow", "Octet MBS, 32x32 by 16x8x8")
        .measured(octet.median_ratio(&seconds.simulations(CM5.dataset, CM5.cube, OCTET)))
        .expected(flat.zip(cube).map(|(flat, cube)| flat / cube), TEN_PERCENT)
        .add_to(findings);
}

/// MC1x1 as written, with the figures of a single round.
const PLAIN: &str = "mc1x1-shells:search=plain";

/// Judges the statements on the cost of MC1x1, by MC1x1 as written.
pub(super) fn judge_plain(findings: &mut Findings<'_>) {
    let plain =
        Plain { evidence: findings.evidence, printed: PrintedTable::parse(include_str!("fig17.tsv")) };
    for log in [HPC2N, CM5] {
        if let Some(file) = findings.log(log.dataset) {
            plain.judge_log(&log, file, findings);
        }
    }
    findings.about("", "");
    let per_job = |log: &Log| {
        let jobs = plain.evidence.facts(log.dataset)?.jobs as f64;
        Some(plain.seconds(log, log.flat, PLAIN)? / jobs)
    };
    let growth = per_job(&CM5).zip(per_job(&HPC2N)).map(|(large, small)| large / small);
    let printed = plain.printed(&CM5, CM5.flat, MC1X1).map(|seconds| seconds / 122_057.0 / 0.0056);
    item("growth", "growth of seconds per job of MC1x1 from 16x16 to 32x32")
        .measured(growth)
        .expected(printed, TEN_PERCENT)
        .add_to(findings);
    findings.claim("growth", "seconds per job of MC1x1 grow with the machine", |is| {
        is.above("seconds per job on 32x32 by those on 16x16", growth.map(Estimate::Number), 1.0);
    });
}

/// Seconds of whole simulations with MC1x1 as published, reading included.
struct Plain<'a> {
    evidence: &'a Evidence,
    printed: PrintedTable,
}

impl Plain<'_> {
    fn seconds(&self, log: &Log, machine: &str, allocator: &str) -> Option<f64> {
        let point = self.evidence.at(log.dataset).machine(machine).allocator(allocator);
        Some(point.simulations().median()?.number())
    }

    fn printed(&self, log: &Log, machine: &str, allocator: &str) -> Option<f64> {
        Some(self.printed.cell(allocator, &format!("{} {machine}", log.dataset))?.value)
    }

    /// Judges the ratios to the other allocators, and between both machines, on one log, read from `file`.
    fn judge_log(&self, log: &Log, file: &str, findings: &mut Findings<'_>) {
        let mut factors = Vec::new();
        for machine in [log.flat, log.cube] {
            findings.about(file, machine);
            let seconds = |allocator| self.seconds(log, machine, allocator);
            item("seconds", format!("{PLAIN}, seconds")).measured(seconds(PLAIN)).add_to(findings);
            for other in FASTER {
                let ratio = seconds(PLAIN).zip(seconds(other)).map(|(a, b)| a / b);
                let printed = self.printed(log, machine, MC1X1).zip(self.printed(log, machine, other));
                let printed = printed.map(|(a, b)| a / b);
                factors.extend(ratio.zip(printed));
                item("ratios", format!("{PLAIN} by {other}"))
                    .measured(ratio)
                    .expected(printed, TEN_PERCENT)
                    .add_to(findings);
            }
            let text = "MC1x1 takes much longer than the others (twice as long or more)";
            findings.claim("slowest", text, |is| {
                for other in FASTER {
                    let twice = seconds(other).map(|seconds| 2.0 * seconds);
                    is.below(format!("twice {other}"), twice, PLAIN, seconds(PLAIN));
                }
            });
        }
        findings.about(file, "");
        let largest = |side: fn(&(f64, f64)) -> f64| factors.iter().map(side).max_by(f64::total_cmp);
        item("factors", "largest factor by which MC1x1 is slower")
            .measured(largest(|pair| pair.0))
            .expected(largest(|pair| pair.1), TEN_PERCENT)
            .add_to(findings);
        let [flat, cube] = [log.flat, log.cube].map(|machine| self.seconds(log, machine, PLAIN));
        let printed = self.printed(log, log.flat, MC1X1).zip(self.printed(log, log.cube, MC1X1));
        item("cube-faster", format!("seconds on {} by those on {}", log.flat, log.cube))
            .measured(flat.zip(cube).map(|(flat, cube)| flat / cube))
            .expected(printed.map(|(flat, cube)| flat / cube), TEN_PERCENT)
            .add_to(findings);
        findings.claim("cube-faster", "MC1x1 is faster on the cube-like shape", |is| {
            is.below(format!("seconds on {}", log.cube), cube, log.flat, flat);
        });
    }
}
