//! Fig. 4 and the text of 4.1 and 4.2: queue delay, allocation delay, completion time and utilization on the
//! SDSC Paragon, and on the array of the NAS task set. A period is the maximum intertask arrival period, M,
//! in seconds.

use super::{FIRST_FIT, FREE, LEFT, MORE, MORE_WORDS, TEN_SECONDS, TEN_SECONDS_WORDS};
use crate::comparisons::rounded;
use crate::evidence::Point;
use crate::finding::{Drawn, Place, Tolerance, Verdict};
use crate::findings::{Findings, item, pairs};

const ALLOCATORS: [&str; 3] = [FIRST_FIT, LEFT, FREE];
const COMPACTIONS: [&str; 2] = [LEFT, FREE];
const ALLOCATION_DELAY: &str = "allocation_delay_s_mean";
const QUEUE_DELAY: &str = "queue_delay_s_mean";
const COMPARED_DELAYS: [(&str, &str); 2] = [("queue", QUEUE_DELAY), ("allocation", ALLOCATION_DELAY)];
const AXIS: &str = "maximum intertask arrival period M (s)";

/// What the text prints of a quantity at M = 0, in percent.
struct Printed {
    name: &'static str,
    column: &'static str,
    /// −1 for a quantity that compaction increases.
    sign: f64,
    left: &'static str,
    free: &'static str,
    /// The points between the two.
    gap: &'static str,
}

const PRINTED: [Printed; 4] = [
    Printed { name: "queue delay", column: QUEUE_DELAY, sign: 1.0, left: "17.2", free: "17.5", gap: "0.3" },
    Printed {
        name: "allocation delay",
        column: ALLOCATION_DELAY,
        sign: 1.0,
        left: "16.5",
        free: "16.8",
        gap: "0.3",
    },
    Printed {
        name: "completion time",
        column: "makespan_s",
        sign: 1.0,
        left: "16.3",
        free: "16.5",
        gap: "0.2",
    },
    Printed {
        name: "gain in utilization",
        column: "utilization",
        sign: -1.0,
        left: "19.4",
        free: "19.8",
        gap: "0.4",
    },
];

/// What a step may cost, in seconds; a tenth of a second is usual.
const STEPS: [(&str, &str); 5] = [
    ("0.001", "left-compaction:step_time=0.001"),
    ("0.01", "left-compaction:step_time=0.01"),
    ("0.1", LEFT),
    ("1", "left-compaction:step_time=1"),
    ("3", "left-compaction:step_time=3"),
];
const TRIED: [(&str, &str); 6] = [
    ("a step of 0.001 s", "left-compaction:step_time=0.001"),
    ("0.01 s", "left-compaction:step_time=0.01"),
    ("1 s", "left-compaction:step_time=1"),
    ("3 s", "left-compaction:step_time=3"),
    ("1 s per record and task looked at", "left-compaction:schedule_cost=1,select_cost=1"),
    ("10 s per record and task looked at", "left-compaction:schedule_cost=10,select_cost=10"),
];

/// The results of a task set by period.
struct Results<'a> {
    all: Point<'a>,
    /// Ten periods in ascending order: saturated up to the third, beyond saturation from the fifth on.
    periods: [&'static str; 10],
}

impl<'a> Results<'a> {
    fn at(&self, period: &str, allocator: &str) -> Point<'a> {
        self.all.rules(&format!("allocated:arrivals=uniform:max={period}")).allocator(allocator)
    }

    fn number(&self, column: &str, period: &str, allocator: &str) -> Option<f64> {
        self.at(period, allocator).number(column)
    }

    /// Returns by how many percent a column is below that of first fit.
    fn reduction(&self, column: &str, period: &str, allocator: &str) -> Option<f64> {
        let first_fit = self.number(column, period, FIRST_FIT)?;
        Some(100.0 * (1.0 - self.number(column, period, allocator)? / first_fit))
    }

    /// Returns the benefit of a compaction at M = 0, in percent.
    fn benefit(&self, printed: &Printed, allocator: &str) -> Option<f64> {
        Some(printed.sign * self.reduction(printed.column, "0", allocator)?)
    }

    /// Returns by how many points a compaction is below cost-free compaction at M = 0.
    fn gap(&self, printed: &Printed, allocator: &str) -> Option<f64> {
        Some(self.benefit(printed, FREE)? - self.benefit(printed, allocator)?)
    }

    fn draw_curves(&self, findings: &mut Findings<'_>) {
        for (name, column) in [("allocation delay", ALLOCATION_DELAY), ("queue delay", QUEUE_DELAY)] {
            for (allocator, period) in pairs(ALLOCATORS, self.periods) {
                let place = Place::new(&format!("{allocator}, {name}"), AXIS, period).series(allocator);
                item("curves", format!("{allocator}, {name}, M = {period}"))
                    .measured(self.at(period, allocator).mean(column))
                    .place(place.quantity(&format!("average {name} (s)")))
                    .add_to(findings);
            }
        }
    }

    /// Adds the numbers that are printed of the SDSC Paragon at M = 0.
    fn judge_printed(&self, findings: &mut Findings<'_>) {
        for printed in &PRINTED {
            let name = printed.name;
            for (compaction, percent) in [(LEFT, printed.left), (FREE, printed.free)] {
                item(name, format!("{name}, {compaction}, percent, M = 0"))
                    .measured(self.benefit(printed, compaction))
                    .published(percent, Tolerance::Points(3.0))
                    .add_to(findings);
            }
            for (step, allocator) in STEPS {
                let curve = format!("left below cost-free compaction, {name}, points");
                item("steps", format!("{curve}, a step of {step} s"))
                    .measured(self.gap(printed, allocator))
                    .place(Place::new(&curve, "a step, s", step).drawn(Drawn::Table))
                    .add_to(findings);
            }
            let tried = TRIED.into_iter().filter_map(|(words, allocator)| {
                Some(format!("{} with {words}", rounded(self.gap(printed, allocator)?)))
            });
            // Each of the two numbers is printed to a tenth.
            item("gap", format!("{name}, left below cost-free compaction, points, M = 0"))
                .measured(self.gap(printed, LEFT))
                .published(printed.gap, Tolerance::Points(0.1))
                .tried("", tried)
                .add_to(findings);
            item(name, format!("{name}, {MORE}, percent, M = 0"))
                .measured(self.benefit(printed, MORE))
                .published(printed.left, Tolerance::Points(3.0))
                .add_to(findings);
            let gap = |allocator: &str| {
                item("gap", format!("{name}, {allocator} below cost-free compaction, points, M = 0"))
                    .measured(self.gap(printed, allocator))
                    .published(printed.gap, Tolerance::Points(0.1))
            };
            gap(MORE).add_to(findings);
            gap(TEN_SECONDS).fitted(1, TEN_SECONDS_WORDS).add_to(findings);
        }
        let words = Verdict::Note(MORE_WORDS.to_owned());
        item("gap", format!("{MORE}: what it rests on")).verdict(words).add_to(findings);
        item("over-15", "benefits of left compaction at M = 0 are over 15 percent")
            .holds_if(|is| {
                for printed in &PRINTED {
                    is.below("15", 15.0, printed.name, self.benefit(printed, LEFT));
                }
            })
            .add_to(findings);
    }

    /// Adds the text about up to where the array is saturated.
    fn judge_saturated(&self, findings: &mut Findings<'_>) {
        findings.claim("delays", "first fit > left compaction ≥ cost-free compaction, both delays", |is| {
            for (period, (name, column)) in pairs(self.periods, COMPARED_DELAYS) {
                let [first_fit, left, free] = ALLOCATORS.map(|a| self.number(column, period, a));
                let words = |allocator| format!("{allocator} {name} at {period}");
                is.below(words(LEFT), left, words(FIRST_FIT), first_fit);
                is.at_most(words(FREE), free, words(LEFT), left);
            }
        });
        let words = "the reduction of the queue delay grows with M up to saturation";
        findings.claim("reduction-grows", words, |is| {
            for (compaction, step) in pairs(COMPACTIONS, self.periods[..4].windows(2)) {
                let reduction = |period| self.reduction(QUEUE_DELAY, period, compaction);
                let words = |period| format!("{compaction} at {period}, percent");
                is.below(words(step[0]), reduction(step[0]), words(step[1]), reduction(step[1]));
            }
        });
        let delay = |period: &str, allocator: &str| self.number(ALLOCATION_DELAY, period, allocator);
        findings.claim("constant", "allocation delay is constant while the array is saturated", |is| {
            for (allocator, period) in pairs(ALLOCATORS, &self.periods[1..3]) {
                let both = delay(period, allocator).zip(delay("0", allocator));
                let change = both.map(|(delay, at_0)| (delay / at_0 - 1.0).abs());
                is.at_most(format!("{allocator}, change from M = 0 to {period}"), change, "0.01", 0.01);
            }
        });
        for (words, share) in [("largest period, M", 1.0), ("mean period, M / 2", 0.5)] {
            let words = format!("allocation delay falls from where the {words}, is longer than it was");
            findings.claim("constant", words, |is| {
                for allocator in ALLOCATORS {
                    let Some(at_0) = delay("0", allocator) else { continue };
                    let is_longer =
                        |period: &&str| period.parse().is_ok_and(|period: f64| share * period - at_0 > 0.0);
                    let Some(period) = self.periods.into_iter().find(is_longer) else { continue };
                    let words = format!("{allocator} at {period}");
                    is.below(words, delay(period, allocator), "99 % of it at 0", 0.99 * at_0);
                }
            });
        }
    }

    /// Adds the text about longer periods. `doubled` are two periods beyond saturation, one twice the other.
    fn judge_beyond(&self, findings: &mut Findings<'_>, doubled: [&str; 2]) {
        let delay = |period: &str, allocator: &str| self.number(ALLOCATION_DELAY, period, allocator);
        findings.claim("falls", "allocation delay falls beyond saturation", |is| {
            for (allocator, step) in pairs(ALLOCATORS, self.periods[4..].windows(2)) {
                let words = |period| format!("{allocator} at {period}");
                let [before, after] = [step[0], step[1]].map(|period| delay(period, allocator));
                is.below(words(step[1]), after, words(step[0]), before);
            }
        });
        // The load that is sustained ends where the allocation delay is 1 % below that at saturation.
        let words =
            "compaction sustains higher rates: the allocation delay falls (by 1 %) from a smaller M on";
        findings.claim("sustains", words, |is| {
            let first = |allocator| -> Option<f64> {
                let at_0 = delay("0", allocator)?;
                let falls =
                    |period: &&str| delay(period, allocator).is_some_and(|delay| 0.99 * at_0 - delay > 0.0);
                self.periods.into_iter().find(falls)?.parse().ok()
            };
            for compaction in COMPACTIONS {
                is.below(compaction, first(compaction), FIRST_FIT, first(FIRST_FIT));
            }
        });
        for (words, column, name, factor) in [
            ("completion time grows in proportion to M beyond saturation", "makespan_s", "2", 2.0),
            ("utilization falls in inverse proportion to M beyond saturation", "utilization", "1/2", 0.5),
        ] {
            findings.claim("linear", words, |is| {
                for allocator in ALLOCATORS {
                    let [half, whole] = doubled.map(|period| self.number(column, period, allocator));
                    let words = format!("{allocator}, {} by {}", doubled[1], doubled[0]);
                    is.near(&words, whole.zip(half).map(|(whole, half)| whole / half), name, factor);
                }
            });
        }
        let longest = &self.periods[8..];
        let words = "delays are still significantly lower with compaction at high periods";
        findings.claim("still-lower", words, |is| {
            for compaction in COMPACTIONS {
                for (period, (name, column)) in pairs(longest, COMPARED_DELAYS) {
                    let samples = |allocator| self.at(period, allocator).by_workload(column);
                    let low = format!("{compaction} {name} at {period}");
                    is.clearly_below(low, &samples(compaction), FIRST_FIT, &samples(FIRST_FIT));
                }
            }
        });
        let words = "completion time and utilization are no better then (less than 1 %)";
        findings.claim("no-better", words, |is| {
            for compaction in COMPACTIONS {
                for (period, (name, column)) in
                    pairs(longest, [("completion", "makespan_s"), ("utilization", "utilization")])
                {
                    let change = self.reduction(column, period, compaction).map(f64::abs);
                    is.at_most(format!("{compaction} {name} at {period}, percent"), change, "1", 1.0);
                }
            }
        });
    }

    /// Marks the delays at M = 0 that follow from what is printed.
    fn mark_printed(&self, findings: &mut Findings<'_>) {
        for printed in &PRINTED[..2] {
            for (compaction, percent) in [(LEFT, printed.left), (FREE, printed.free)] {
                let share: f64 = percent.parse().unwrap_or(f64::NAN);
                let first_fit = self.number(printed.column, "0", FIRST_FIT);
                let place = Place::new(compaction, AXIS, "0");
                let words = format!("{compaction} at M = 0, {percent} % below linear-first-fit as measured");
                findings.mark(
                    place.quantity(&format!("average {} (s)", printed.name)),
                    first_fit.map(|delay| (1.0 - share / 100.0) * delay),
                    &words,
                );
            }
        }
    }
}

/// Fig. 4 and the text of 4.1: the SDSC Paragon.
pub(super) fn fig4(findings: &mut Findings<'_>) {
    let Some(log) = findings.log("SDSC-Par-1996") else { return };
    findings.about(log, "400");
    let all = findings.at("SDSC-Par-1996").machine("400").scheduler("fcfs");
    let periods = ["0", "500", "1000", "1500", "1750", "2000", "2500", "3000", "4000", "6000"];
    let results = Results { all, periods };
    results.draw_curves(findings);
    results.judge_printed(findings);
    results.judge_saturated(findings);
    results.judge_beyond(findings, ["3000", "6000"]);
    results.mark_printed(findings);
}

/// The text of 4.2: the NAS task set. The paper prints no number of it.
pub(super) fn nas(findings: &mut Findings<'_>) {
    let Some(log) = findings.log("NASA-iPSC-1993") else { return };
    findings.about(log, "128");
    let all = findings.at("NASA-iPSC-1993").machine("128").scheduler("fcfs");
    let periods = ["0", "100", "200", "300", "400", "500", "600", "800", "1200", "2400"];
    let results = Results { all, periods };
    results.draw_curves(findings);
    let words =
        "benefits of left compaction at M = 0 are much lower than the printed ones of SDSC (less than half)";
    findings.claim("lower", words, |is| {
        for printed in &PRINTED {
            let Printed { name, left, .. } = printed;
            let half = left.parse().ok().map(|left: f64| left / 2.0);
            is.below(
                format!("{name}, percent"),
                results.benefit(printed, LEFT),
                format!("half of {left}"),
                half,
            );
        }
    });
    results.judge_saturated(findings);
    results.judge_beyond(findings, ["1200", "2400"]);
}
