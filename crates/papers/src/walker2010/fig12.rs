//! Fig. 12 and the text about it: buddy strategies and the snake by MC1x1, in two shapes per log.
//!
//! The heights of the bars are not in the text, nor are the percentages under them, so both are measured
//! only; the sentences about them are checked one by one. The paper names no three-dimensional shape for
//! HPC2N: the most cubic one of 240 nodes stands for it.

use super::{GRANULAR, LAYERED, OCTET, SNAKE};
use crate::comparisons::Comparisons;
use crate::evidence::{Evidence, LogFacts};
use crate::finding::{Drawn, Place, Tolerance};
use crate::findings::{Findings, item, pairs};
use meshreplay_alloc::allocator::{Setup, build};
use meshreplay_machine::machine::Mesh;

const MC1X1: &str = "mc1x1";

/// Rules that select records: all, parallel jobs, sizes that are powers of two.
const ALL: &str = "authors";
const PARALLEL: &str = "authors:sizes=parallel";
const POWERS: &str = "authors:sizes=powers-of-two";

/// A log of the figure, with its machines.
#[derive(Clone, Copy, PartialEq)]
struct Log {
    dataset: &'static str,
    flat: &'static str,
    cube: &'static str,
}

const KTH: Log = Log { dataset: "KTH-SP2-1996", flat: "10x10", cube: "5x5x4" };
const HPC2N: Log = Log { dataset: "HPC2N-2002", flat: "16x15", cube: "8x6x5" };
const SP2: Log = Log { dataset: "SDSC-SP2-1998", flat: "16x8", cube: "8x4x4" };
const T3D: Log = Log { dataset: "LLNL-T3D-1996", flat: "16x16", cube: "8x8x4" };
const UBGL: Log = Log { dataset: "LLNL-uBGL-2006", flat: "64x32", cube: "16x16x8" };
const LOGS: [Log; 5] = [KTH, HPC2N, SP2, T3D, UBGL];

impl Log {
    fn machines(self) -> [&'static str; 2] {
        [self.flat, self.cube]
    }
}

/// Returns every log with each of its machines.
fn meshes(logs: &[Log]) -> impl Iterator<Item = (&'static str, &'static str)> {
    logs.iter().flat_map(|log| log.machines().map(|machine| (log.dataset, machine)))
}

/// Mean pairwise sums.
struct Sums<'a>(&'a Evidence);

impl Sums<'_> {
    fn sum(&self, dataset: &str, machine: &str, allocator: &str) -> Option<f64> {
        self.with_rules(ALL, dataset, machine, allocator)
    }

    fn with_rules(&self, rules: &str, dataset: &str, machine: &str, allocator: &str) -> Option<f64> {
        let at = self.0.at(dataset).machine(machine).rules(rules);
        at.allocator(allocator).number("pairwise_sum_mean")
    }

    /// Adds the comparison that the sum of `low` is less than that of `high`.
    fn compare(&self, is: &mut Comparisons, dataset: &str, machine: &str, low: &str, high: &str) {
        let words = |allocator| format!("{allocator} {dataset} {machine}");
        let sum = |allocator| self.sum(dataset, machine, allocator);
        is.below(words(low), sum(low), words(high), sum(high));
    }

    /// Returns the sum of an allocator by that of MC1x1.
    fn by_mc1x1(&self, rules: &str, dataset: &str, machine: &str, allocator: &str) -> Option<f64> {
        let sum = |allocator| self.with_rules(rules, dataset, machine, allocator);
        Some(sum(allocator)? / sum(MC1X1)?)
    }

    /// Returns the sum of Granular MBS by that of MC1x1.
    fn granular(&self, dataset: &str, machine: &str) -> Option<f64> {
        self.by_mc1x1(ALL, dataset, machine, GRANULAR)
    }
}

/// Judges the figure and the text about it.
pub(super) fn judge(findings: &mut Findings<'_>) {
    for log in LOGS {
        draw_bars(findings, log);
    }
    judge_buddies(findings);
    judge_granular(findings);
    judge_sizes(findings);
    judge_ratios(findings);
    judge_subsets(findings);
}

fn draw_bars(findings: &mut Findings<'_>, log: Log) {
    let Some(file) = findings.log(log.dataset) else { return };
    findings.about(file, "");
    for (machine, strategy) in pairs(log.machines(), [GRANULAR, LAYERED, OCTET, SNAKE]) {
        let ratio = Sums(findings.evidence).by_mc1x1(ALL, log.dataset, machine, strategy);
        let place = Place::new(strategy, "ratio to mc1x1", &format!("{file} {machine}"));
        item("bars", format!("{strategy} by mc1x1"))
            .machine(machine)
            .measured(ratio)
            .place(place.drawn(Drawn::Bars))
            .add_to(findings);
    }
    if let Some(LogFacts { serial, powers: [of_2, of_4, of_8], .. }) = findings.facts(log.dataset) {
        for (title, label, share) in [
            ("", "serial jobs", serial),
            ("parallel jobs", "powers of 2", of_2),
            ("parallel jobs", "powers of 4", of_4),
            ("parallel jobs", "powers of 8", of_8),
        ] {
            let comma = if title.is_empty() { "" } else { ", " };
            let words = format!("{title}{comma}{label}, percent");
            let percentage = item("percentages", words).measured(Some(100.0 * share));
            percentage.below_bars(title, label).add_to(findings);
        }
    }
    findings.about("", "");
}

/// Buddy strategies and each other.
fn judge_buddies(findings: &mut Findings<'_>) {
    let sums = Sums(findings.evidence);
    item("granular-beats-buddies", "Granular below Layered and Octet in all cases")
        .holds_if(|is| {
            for ((dataset, machine), buddy) in pairs(meshes(&LOGS), [LAYERED, OCTET]) {
                sums.compare(is, dataset, machine, GRANULAR, buddy);
            }
        })
        .add_to(findings);
    findings.claim("octet-beats-layered", "Octet below Layered on all 3D meshes", |is| {
        for Log { dataset, cube, .. } in LOGS {
            sums.compare(is, dataset, cube, OCTET, LAYERED);
        }
    });
    findings.claim("octet-poor", "Octet poor on 2D meshes: above the snake and above Layered", |is| {
        for Log { dataset, flat, .. } in LOGS {
            sums.compare(is, dataset, flat, SNAKE, OCTET);
            sums.compare(is, dataset, flat, LAYERED, OCTET);
        }
    });
    let words = "Granular's lead on Layered is least on LLNL-uBGL 64x32, 16x16x8 among the others";
    findings.claim("layered-nearest", words, |is| {
        let lead = |dataset, machine| {
            Some(sums.sum(dataset, machine, LAYERED)? / sums.sum(dataset, machine, GRANULAR)?)
        };
        let words = |dataset, machine| format!("layered by granular on {dataset} {machine}");
        let (log, flat) = (UBGL.dataset, UBGL.flat);
        for (dataset, machine) in meshes(&LOGS).filter(|mesh| *mesh != (log, flat)) {
            is.below(words(log, flat), lead(log, flat), words(dataset, machine), lead(dataset, machine));
        }
    });
}

/// Granular MBS, MC1x1 and the snake.
fn judge_granular(findings: &mut Findings<'_>) {
    let sums = Sums(findings.evidence);
    let words = |dataset, machine| format!("granular-mbs by mc1x1 {dataset} {machine}");
    let snake = |dataset, machine| sums.by_mc1x1(ALL, dataset, machine, SNAKE);
    let title = "Granular below MC1x1 and the snake on the LLNL logs";
    findings.claim("granular-beats-mc1x1", title, |is| {
        for (dataset, machine) in meshes(&[T3D, UBGL]) {
            let granular = sums.granular(dataset, machine);
            is.below(words(dataset, machine), granular, "1", 1.0);
            is.below(words(dataset, machine), granular, "the snake's", snake(dataset, machine));
        }
    });
    let title = "Granular above MC1x1 and the snake on SDSC-SP2 and KTH-SP2";
    findings.claim("granular-loses", title, |is| {
        for (dataset, machine) in meshes(&[KTH, SP2]) {
            let granular = sums.granular(dataset, machine);
            is.below("1", 1.0, words(dataset, machine), granular);
            is.below("the snake's", snake(dataset, machine), words(dataset, machine), granular);
        }
    });
    for (dataset, machine) in meshes(&[KTH, SP2]) {
        let Some(log) = findings.log(dataset) else { continue };
        for (to, by) in [("mc1x1", MC1X1), ("the snake", SNAKE)] {
            let both = sums.granular(dataset, machine).zip(sums.by_mc1x1(ALL, dataset, machine, by));
            item("margins", format!("margin by which granular-mbs loses to {to}, percent"))
                .log(log)
                .machine(machine)
                .measured(both.map(|(granular, other)| 100.0 * (granular / other - 1.0)))
                .add_to(findings);
        }
    }
    let title =
        "Granular above MC1x1 on HPC2N, further than on SDSC-SP2 and KTH-SP2, where the margin is small";
    findings.claim("granular-worse", title, |is| {
        for shape in 0..2 {
            let granular = |log: Log| sums.granular(log.dataset, log.machines()[shape]);
            let words = |log: Log| words(log.dataset, log.machines()[shape]);
            is.below("1", 1.0, words(HPC2N), granular(HPC2N));
            is.below(words(KTH), granular(KTH), words(HPC2N), granular(HPC2N));
            is.below(words(SP2), granular(SP2), words(HPC2N), granular(HPC2N));
        }
    });
}

/// Sizes of jobs, and of blocks.
fn judge_sizes(findings: &mut Findings<'_>) {
    let evidence = findings.evidence;
    let facts = |log: Log| evidence.facts(log.dataset);
    let powers_of_2 = |log: Log| Some(100.0 * facts(log)?.powers[0]);
    let serial = |log: Log| Some(100.0 * facts(log)?.serial);
    for log in [T3D, UBGL] {
        let Some(file) = findings.log(log.dataset) else { continue };
        item("all-powers-of-2", "all parallel jobs of the LLNL logs are powers of 2, percent")
            .log(file)
            .measured(powers_of_2(log))
            .published("100", Tolerance::Points(0.5))
            .add_to(findings);
    }
    findings.claim("powers-of-4", "More than 99 % of the jobs on LLNL-uBGL are powers of 4", |is| {
        let powers_of_4 = facts(UBGL).map(|facts| 100.0 * facts.powers[1]);
        is.below("99 percent", 99.0, "parallel jobs of a power of 4 on LLNL-uBGL", powers_of_4);
    });
    let sums = Sums(findings.evidence);
    // "Roughly", in the paper: every two logs but HPC2N and KTH-SP2, an exception that it names.
    let words =
        "The more jobs are powers of 2, the lower is Granular by MC1x1, roughly (but for HPC2N and KTH-SP2)";
    item("corresponds", words)
        .nearly_holds_if(|is| {
            let granular = |log: Log| {
                let [flat, cube] = log.machines().map(|machine| sums.granular(log.dataset, machine));
                Some(f64::midpoint(flat?, cube?))
            };
            let measured = |log: Log| Some((log.dataset, powers_of_2(log)?, granular(log)?));
            let words = |dataset, percent| format!("{dataset} with {percent:.1} % powers of 2");
            for (i, a) in LOGS.into_iter().enumerate() {
                for b in LOGS[i + 1..].iter().copied().filter(|b| (a, *b) != (KTH, HPC2N)) {
                    let (Some(a), Some(b)) = (measured(a), measured(b)) else { continue };
                    let (more, fewer) = if a.1 > b.1 { (a, b) } else { (b, a) };
                    if more.1 > fewer.1 {
                        is.below(words(more.0, more.1), more.2, words(fewer.0, fewer.1), fewer.2);
                    }
                }
            }
        })
        .add_to(findings);
    findings.claim("hpc2n", "HPC2N has more jobs of powers of 2 than KTH-SP2", |is| {
        let words = "powers of 2 on KTH-SP2, percent";
        is.below(words, powers_of_2(KTH), "on HPC2N", powers_of_2(HPC2N));
    });
    findings.claim("hpc2n", "Granular does better on KTH-SP2 than on HPC2N all the same", |is| {
        for (kth, hpc2n) in KTH.machines().into_iter().zip(HPC2N.machines()) {
            let words = format!("granular-mbs by mc1x1 on KTH-SP2 {kth}");
            let granular = sums.granular(KTH.dataset, kth);
            is.below(words, granular, format!("on HPC2N {hpc2n}"), sums.granular(HPC2N.dataset, hpc2n));
        }
    });
    findings.claim("serial-on-hpc2n", "The share of serial jobs is largest on HPC2N", |is| {
        for log in [KTH, SP2, T3D, UBGL] {
            let words = format!("serial jobs of {}, percent", log.dataset);
            is.below(words, serial(log), HPC2N.dataset, serial(HPC2N));
        }
    });
    if let Some(mbs) = largest_block("mbs") {
        let because = format!(
            "the paper's own construction pairs two 8x8 to 16x8; 8x8, {mbs:.1} %, is the largest block of MBS"
        );
        item("largest-block", "the largest block of Granular MBS on 16x15, percent of the nodes")
            .machine(HPC2N.flat)
            .measured(largest_block(GRANULAR))
            .published("27", Tolerance::Points(0.5))
            .because(because)
            .add_to(findings);
    }
}

/// Returns the share of the largest block of an allocator in the nodes of the mesh for HPC2N, in percent;
/// `None` if the allocator has no blocks.
fn largest_block(allocator: &str) -> Option<f64> {
    let mesh: Mesh = HPC2N.flat.parse().ok()?;
    let built = build(&allocator.parse().ok()?, &Setup::new(&mesh, 0)).ok()?;
    let blocks = built.strategy.blocks?(&mesh);
    let nodes = blocks.iter().map(|block| block.sizes.iter().product::<u32>()).max()?;
    Some(100.0 * f64::from(nodes) / f64::from(mesh.nodes()))
}

/// The four ratios of Granular MBS to MC1x1 in the text, and what is concluded from them.
fn judge_ratios(findings: &mut Findings<'_>) {
    let Some(log) = findings.log(KTH.dataset) else { return };
    findings.about(log, "");
    for (what, rules, machine, printed) in [
        ("powers of two only", POWERS, "10x10", "1.024"),
        ("powers of two only", POWERS, "5x5x4", "1.016"),
        ("all jobs", ALL, "16x8", "1.093"),
        ("all jobs", ALL, "8x4x4", "1.138"),
    ] {
        let sums = Sums(findings.evidence);
        let others = [LAYERED, OCTET, SNAKE].map(|other| {
            sums.by_mc1x1(ALL, KTH.dataset, machine, other).map(|ratio| format!("{other} {ratio:.3}"))
        });
        item("ratios", format!("granular-mbs by mc1x1, {what}"))
            .machine(machine)
            .measured(sums.by_mc1x1(rules, KTH.dataset, machine, GRANULAR))
            .published(printed, Tolerance::Absolute(0.003))
            .tried("the other strategies, ", others.into_iter().flatten())
            .add_to(findings);
    }
    let sums = Sums(findings.evidence);
    item("sizes-help", "Sizes that are powers of two help more than sides that are")
        .holds_if(|is| {
            for (old, new) in [("10x10", "16x8"), ("5x5x4", "8x4x4")] {
                let powers = sums.by_mc1x1(POWERS, KTH.dataset, old, GRANULAR);
                let words = format!("powers of two only on {old}");
                is.below(words, powers, format!("all jobs on {new}"), sums.granular(KTH.dataset, new));
            }
        })
        .add_to(findings);
    findings.about("", "");
}

/// Leaving out serial jobs, or sizes that are not powers of two.
fn judge_subsets(findings: &mut Findings<'_>) {
    let sums = Sums(findings.evidence);
    let granular = |rules, dataset, machine| sums.by_mc1x1(rules, dataset, machine, GRANULAR);
    let words = |rules, dataset, machine| {
        let name = match rules {
            POWERS => "powers of two",
            PARALLEL => "no serial jobs",
            _ => "all jobs",
        };
        format!("{name} on {dataset} {machine}")
    };
    let below = |id, title, logs: &[Log], low, high| {
        let compare = |is: &mut Comparisons| {
            for (dataset, machine) in meshes(logs) {
                let [a, b] = [low, high].map(|rules| words(rules, dataset, machine));
                is.below(a, granular(low, dataset, machine), b, granular(high, dataset, machine));
            }
        };
        // Serial jobs: "in nearly all cases".
        if high == ALL { item(id, title).nearly_holds_if(compare) } else { item(id, title).holds_if(compare) }
    };
    let title = "Leaving out other sizes than powers of two helps more than serial jobs: KTH-SP2, SDSC-SP2";
    let items = [
        below("powers-help", title, &[KTH, SP2], POWERS, PARALLEL),
        below("reverse-on-hpc2n", "The reverse on HPC2N", &[HPC2N], PARALLEL, POWERS),
        below(
            "serial-helps",
            "Leaving out serial jobs helps in nearly all cases",
            &[KTH, HPC2N, SP2],
            PARALLEL,
            ALL,
        ),
    ];
    for item in items {
        item.add_to(findings);
    }
}
