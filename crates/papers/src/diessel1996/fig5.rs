//! Fig. 5 and the text of 4.2: allocation delays and compactions on the NAS log by the size of the array.

use super::{FIRST_FIT, FREE, LEFT, TEN_SECONDS, TEN_SECONDS_WORDS};
use crate::comparisons::rounded;
use crate::evidence::Point;
use crate::finding::{Drawn, Place, Tolerance};
use crate::findings::{Findings, item, pairs};

const DATASET: &str = "NASA-iPSC-1993";
/// Left compaction whose decisions take seconds, so that tasks end meanwhile. The paper's chart does not have
/// it; a second chart does.
const COSTLY: &str = "left-compaction:schedule_cost=1,select_cost=1";
const SIZES: [&str; 10] = ["128", "192", "256", "320", "384", "448", "512", "640", "768", "1024"];
const AXIS: &str = "size of the array (processors)";
const REDUCTION: &str = "reduction of the average allocation delay (%)";

/// The numbers of compactions that are shown.
const COUNTS: [(&str, &str); 5] = [
    ("compactions", "compactions"),
    ("aborted", "compactions_aborted"),
    ("delayed", "compactions_delayed"),
    ("overrunning", "compactions_overrun"),
    ("moves of tasks", "moves"),
];

/// Other settings, measured where the number of compactions differs from the paper.
const TRIED: [(&str, &str, &str); 5] = [
    ("1 s per record and task looked at, at 128", COSTLY, "128"),
    ("the same at 512", COSTLY, "512"),
    ("the same at 1024", COSTLY, "1024"),
    ("cost-free compaction at 128", FREE, "128"),
    ("the same at 1024", FREE, "1024"),
];

/// A statement about the number of compactions.
struct Trend {
    id: &'static str,
    words: &'static str,
    column: &'static str,
    rises: bool,
}

const TRENDS: [Trend; 4] = [
    Trend {
        id: "allocations",
        words: "the number of allocations by left compaction falls as the array grows",
        column: "compactions",
        rises: false,
    },
    Trend {
        id: "aborted",
        words: "compaction is aborted more often as the array grows (the paper's guess)",
        column: "compactions_aborted",
        rises: true,
    },
    Trend {
        id: "late",
        words: "the number of delayed schedules grows with the array",
        column: "compactions_delayed",
        rises: true,
    },
    Trend {
        id: "late",
        words: "the number of overrunning schedules grows with the array",
        column: "compactions_overrun",
        rises: true,
    },
];

/// The results by size of the array.
struct Results<'a>(Point<'a>);

impl<'a> Results<'a> {
    fn at(&self, size: &str, allocator: &str) -> Point<'a> {
        self.0.machine(size).allocator(allocator)
    }

    /// Returns by how many percent the allocation delay is below that of first fit.
    fn reduction(&self, size: &str, allocator: &str) -> Option<f64> {
        let delay = |allocator| self.at(size, allocator).number("allocation_delay_s_mean");
        Some(100.0 * (1.0 - delay(allocator)? / delay(FIRST_FIT)?))
    }

    fn draw_reductions(&self, findings: &mut Findings<'_>, allocator: &str, title: &str) {
        let curve = format!("{allocator}, percent");
        for size in SIZES {
            item("curves", format!("{curve}, {size} processors"))
                .machine(size)
                .measured(self.reduction(size, allocator))
                .place(Place::new(&curve, AXIS, size).series(allocator).quantity(title))
                .add_to(findings);
        }
    }

    fn draw_counts(&self, findings: &mut Findings<'_>) {
        for (name, column) in COUNTS {
            // Cost-free compactions are never aborted or late.
            let is_of_costs = ["aborted", "delayed", "overrunning"].contains(&name);
            let allocators: &[&str] = if is_of_costs { &[LEFT, COSTLY] } else { &[LEFT, COSTLY, FREE] };
            for allocator in allocators {
                let curve = format!("{allocator}, {name}");
                for size in SIZES {
                    item("counts", format!("{curve}, {size} processors"))
                        .machine(size)
                        .measured(self.at(size, allocator).mean(column))
                        .place(Place::new(&curve, AXIS, size).series(allocator).quantity(name))
                        .add_to(findings);
                }
            }
        }
    }

    fn judge_reductions(&self, findings: &mut Findings<'_>) {
        let words = "on 128 processors the benefit is much lower than on SDSC's (less than half)";
        findings.claim("much-lower", words, |is| {
            for (compaction, of_sdsc) in [(LEFT, 16.5), (FREE, 16.8)] {
                let twice = self.reduction("128", compaction).map(|percent| 2.0 * percent);
                is.below(format!("twice {compaction} at 128, percent"), twice, "SDSC's as printed", of_sdsc);
            }
        });
        let words = "the reduction grows with the array up to three times the largest request";
        findings.claim("three-times", words, |is| {
            for (compaction, step) in pairs([LEFT, FREE], ["128", "256", "384"].windows(2)) {
                let words = |size| format!("{compaction} at {size}, percent");
                let [before, after] = [step[0], step[1]].map(|size| self.reduction(size, compaction));
                is.below(words(step[0]), before, words(step[1]), after);
            }
        });
        let words = "left compaction falls further behind cost-free compaction as the array grows";
        findings.claim("behind", words, |is| {
            for step in SIZES.windows(2) {
                let behind = |size| Some(self.reduction(size, FREE)? - self.reduction(size, LEFT)?);
                let words = |size| format!("points at {size}");
                is.below(words(step[0]), behind(step[0]), words(step[1]), behind(step[1]));
            }
        });
        for compaction in [LEFT, FREE] {
            let words = format!("{compaction}, allocation delay, percent, three times the largest request");
            item("three-times", words)
                .machine("384")
                .measured(self.reduction("384", compaction))
                .published("20", Tolerance::Points(3.0))
                .add_to(findings);
        }
    }

    /// Adds the number of compactions if decisions take as long as was fitted.
    fn list_fitted(&self, findings: &mut Findings<'_>) {
        for size in SIZES {
            let place = Place::new("allocations by left compaction", "by size of the array", size);
            item("allocations", format!("compactions, {TEN_SECONDS}, {size} processors"))
                .machine(size)
                .measured(self.at(size, TEN_SECONDS).mean("compactions"))
                .place(place.drawn(Drawn::Table))
                .fitted(1, TEN_SECONDS_WORDS)
                .add_to(findings);
        }
    }

    fn judge_trend(&self, findings: &mut Findings<'_>, trend: &Trend) {
        let Trend { id, words, column, rises } = *trend;
        let number = |size, allocator| self.at(size, allocator).number(column);
        // Ten numbers in a row need not be repeated: they are a curve.
        let ends = number("128", LEFT).zip(number("1024", LEFT)).and_then(|(first, last)| {
            let word = if last > first { "rises" } else { "falls" };
            let is_wrong = rises != (last > first);
            is_wrong.then(|| format!("it {word} from {first:.1} at 128 to {last:.1} at 1024"))
        });
        let tried = TRIED.into_iter().filter_map(|(words, allocator, size)| {
            Some(format!("{} with {words}", rounded(number(size, allocator)?)))
        });
        let statement = item(id, words).holds_if(|is| {
            for step in SIZES.windows(2) {
                let (low, high) = if rises { (step[0], step[1]) } else { (step[1], step[0]) };
                let samples = |size| self.at(size, LEFT).by_workload(column);
                let words = |size| format!("left-compaction at {size}");
                is.not_above(&words(low), &samples(low), &words(high), &samples(high));
            }
        });
        statement.instead(ends).tried("", tried).add_to(findings);
    }
}

/// Judges the figure.
pub(super) fn judge(findings: &mut Findings<'_>) {
    let words = "about 20 % at about three times the largest request";
    findings.mark(Place::new(LEFT, AXIS, "384").quantity(REDUCTION), Some(20.0), words);
    let Some(log) = findings.log(DATASET) else { return };
    findings.about(log, "");
    let results = Results(findings.at(DATASET).scheduler("fcfs").rules("allocated:arrivals=uniform:max=2"));
    results.draw_reductions(findings, LEFT, REDUCTION);
    results.draw_reductions(findings, FREE, REDUCTION);
    let title = "reduction of the average allocation delay if decisions take time (%)";
    results.draw_reductions(findings, COSTLY, title);
    results.draw_counts(findings);
    results.judge_reductions(findings);
    for trend in &TRENDS {
        results.judge_trend(findings, trend);
    }
    results.list_fitted(findings);
}
