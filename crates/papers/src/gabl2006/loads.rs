//! Figs. 3 to 5 and the text of 4.2: finish times, turnaround and utilization by load and length of packets.
//!
//! The paper does not print its loads. Of ours the fifth to the eighth are medium or high, the last two of
//! them high; a ninth is beyond.

use crate::comparisons::Comparisons;
use crate::estimate::{Estimate, Samples};
use crate::evidence::Point;
use crate::finding::{Drawn, Place, Verdict};
use crate::findings::{Findings, Load, item, pairs, rates};

const ALLOCATORS: [&str; 4] = ["gabl", "mbs", "paging", "first-fit"];
const OTHERS: [&str; 3] = ["mbs", "paging", "first-fit"];
const NON_CONTIGUOUS: [&str; 3] = ["gabl", "mbs", "paging"];
const RIVALS: [&str; 2] = ["mbs", "paging"];
/// The lengths of packets, in flits.
const LENGTHS: [&str; 4] = ["8", "16", "32", "64"];
/// The workload for all lengths. The paper does not say that loads fall with the length, so there is one
/// load: the sixth of our eight loads with 64 flits, and a low one with 8.
const ONE_LOAD: &str = "synthetic:jobs=1000,rate=0.012";

/// GABL by the text of §3, where the largest free submesh is that of the largest area.
const AREA: &str = "gabl:search=area";
/// Paging and MBS with unsorted lists, which this paper does not mention.
const UNSORTED: [&str; 2] = ["paging:list=returned", "mbs:join=no"];
const UNSORTED_WORDS: &str =
    "the paper says nothing of the order of free pages and of free blocks, nor of joining them";

/// Adds a row on the basis of the fitted rows.
fn note_unsorted(findings: &mut Findings<'_>) {
    let note = Verdict::Note(UNSORTED_WORDS.to_owned());
    item("unsorted", format!("{}: what they rest on", UNSORTED.join(" and "))).verdict(note).add_to(findings);
}

/// A column of the results with packets of one length.
struct Results<'a> {
    at: Point<'a>,
    column: &'static str,
    loads: Vec<Load>,
}

/// Returns the results with packets of `length` flits.
fn at<'a>(findings: &Findings<'a>, length: &str) -> Point<'a> {
    let network = format!("wormhole:compute=none,length={length}");
    findings.at("synthetic").machine("16x16").scheduler("fcfs").network(&network)
}

impl<'a> Results<'a> {
    fn new(findings: &mut Findings<'a>, length: &str, column: &'static str) -> Self {
        findings.about("", "16x16");
        let loads = findings.loads();
        Self { at: at(findings, length), column, loads }
    }

    fn samples(&self, allocator: &str, load: &Load) -> Samples {
        self.at.log(&load.log).allocator(allocator).by_workload(self.column)
    }

    /// Returns by how many percent GABL is below another allocator.
    fn lead(&self, other: &str, load: &Load) -> Option<Estimate> {
        Some(100.0 * (1.0 - self.samples("gabl", load).share(&self.samples(other, load))?))
    }

    fn draw_curves(&self, findings: &mut Findings<'_>, name: &str, title: &str, unit: f64) {
        for (allocator, Load { rate, log }) in pairs(ALLOCATORS, &self.loads) {
            let mean = self.at.log(log).allocator(allocator).mean(self.column);
            let place = Place::new(allocator, "system load (jobs per time unit)", rate).quantity(title);
            let words = format!("{allocator}, {name}, load {rate}");
            item("curves", words)
                .log(log)
                .measured(mean.map(|mean| unit * mean))
                .place(place)
                .add_to(findings);
        }
    }

    fn list_leads(&self, findings: &mut Findings<'_>, loads: &[Load]) {
        for (other, load) in pairs(OTHERS, loads) {
            let rate = &load.rate;
            let place = Place::new(&format!("gabl below {other}"), "lead in percent by load", rate);
            item("lead", format!("gabl below {other}, percent, load {rate}"))
                .measured(self.lead(other, load))
                .place(place.drawn(Drawn::Table))
                .add_to(findings);
        }
    }

    /// Adds the leads over paging and MBS with unsorted lists. They judge nothing.
    fn list_unsorted(&self, findings: &mut Findings<'_>, loads: &[Load]) {
        for (other, load) in pairs(UNSORTED, loads) {
            item("unsorted", format!("gabl below {other}, percent, load {}", load.rate))
                .measured(self.lead(other, load))
                .fitted(if other == UNSORTED[0] { 1 } else { 2 }, "")
                .add_to(findings);
        }
        note_unsorted(findings);
    }

    /// Compares the leads of GABL by area with 5 percent.
    fn judge_area(&self, findings: &mut Findings<'_>, words: &str, loads: &[Load]) {
        let words = format!("{AREA} {words} (by 5 percent or more), at {}", rates(loads));
        findings.claim("area", words, |is| {
            for (other, load) in pairs(OTHERS, loads) {
                let share = self.samples(AREA, load).share(&self.samples(other, load));
                let lead = share.map(|share| 100.0 * (1.0 - share));
                is.above(format!("{AREA} below {other} at {}, percent", load.rate), lead, 5.0);
            }
        });
    }

    /// Compares GABL with the others: it should be below each of them.
    fn compare(&self, is: &mut Comparisons, loads: &[Load]) {
        for (other, load) in pairs(OTHERS, loads) {
            let low = format!("gabl at {}", load.rate);
            is.clearly_below(low, &self.samples("gabl", load), other, &self.samples(other, load));
        }
    }

    /// Compares the leads of GABL with 5 percent.
    fn compare_leads(&self, is: &mut Comparisons, loads: &[Load]) {
        for (other, load) in pairs(OTHERS, loads) {
            let words = format!("gabl below {other} at {}, percent", load.rate);
            is.above(words, self.lead(other, load), 5.0);
        }
    }

    /// Adds the statements of the text about turnaround.
    fn judge_turnaround(&self, findings: &mut Findings<'_>, with_leads: bool) {
        let (loaded, high) = (&self.loads[4..], &self.loads[6..8]);
        findings.claim("below", "gabl is below the others, at every load", |is| {
            self.compare(is, &self.loads);
        });
        if with_leads {
            self.list_leads(findings, loaded);
        }
        let words = format!("gabl is much below the others (by 5 percent or more), at {}", rates(loaded));
        findings.claim("much-below", words, |is| {
            self.compare_leads(is, loaded);
        });
        let words = format!("first-fit is far above (twice the others), at {}", rates(high));
        findings.claim("far-above", words, |is| {
            for Load { rate, log } in high {
                let mean = |allocator| self.at.log(log).allocator(allocator).number(self.column);
                for other in NON_CONTIGUOUS {
                    let twice = mean(other).map(|mean| mean * 2.0);
                    is.below(format!("2 times {other} at {rate}"), twice, "first-fit", mean("first-fit"));
                }
            }
        });
    }
}

/// Fig. 3: finish times.
pub(super) fn fig3(findings: &mut Findings<'_>) {
    let results = Results::new(findings, "8", "makespan_s");
    results.draw_curves(findings, "finish time", "finish time (time units)", 1.0);
    let (lowest, loaded, highest) = (&results.loads[..2], &results.loads[4..], &results.loads[6..]);
    findings.claim("same", format!("finish times are the same, at {}", rates(lowest)), |is| {
        for (other, load) in pairs(OTHERS, lowest) {
            let share = results.samples("gabl", load).share(&results.samples(other, load));
            let words = format!("percent that gabl and {other} are less than 1 apart at {}", load.rate);
            is.above(words, share.map(|share| 1.0 - (100.0 * (share - 1.0)).abs()), 0.0);
        }
    });
    findings.claim("first", format!("gabl finishes before the others, at {}", rates(loaded)), |is| {
        results.compare(is, loaded);
    });
    results.list_leads(findings, highest);
    // The paper gives no number for what is substantial.
    let at = rates(highest);
    let words = format!("gabl finishes substantially before the others (by 5 percent or more), at {at}");
    findings.claim("substantially", words, |is| {
        results.compare_leads(is, highest);
    });
    results.judge_area(findings, "finishes substantially before the others", highest);
    results.list_unsorted(findings, highest);
}

/// Fig. 4: turnaround.
pub(super) fn fig4(findings: &mut Findings<'_>) {
    let results = Results::new(findings, "8", "turnaround_s_mean");
    results.draw_curves(findings, "turnaround", "average turnaround time (time units)", 1.0);
    results.judge_turnaround(findings, true);
    let loaded = &results.loads[4..];
    results.judge_area(findings, "is much below the others", loaded);
    results.list_unsorted(findings, loaded);
}

/// The text of 4.2: turnaround with longer packets.
pub(super) fn longer(findings: &mut Findings<'_>, length: &str) {
    let results = Results::new(findings, length, "turnaround_s_mean");
    results.draw_curves(findings, "turnaround", "average turnaround time (time units)", 1.0);
    results.judge_turnaround(findings, false);
}

/// Fig. 5: utilization.
pub(super) fn fig5(findings: &mut Findings<'_>) {
    let results = Results::new(findings, "8", "utilization");
    results.draw_curves(findings, "utilization in percent", "system utilization (%)", 100.0);
    let (medium, high, beyond) = (&results.loads[4..8], &results.loads[6..8], &results.loads[8..]);
    for (words, loads) in [("every load".to_owned(), &results.loads[..]), (rates(high), high)] {
        let words = format!("non-contiguous allocators are above first-fit, at {words}");
        findings.claim("above-first-fit", words, |is| {
            for (allocator, load) in pairs(NON_CONTIGUOUS, loads) {
                let (low, high) = (results.samples("first-fit", load), results.samples(allocator, load));
                is.clearly_below(format!("first-fit at {}", load.rate), &low, allocator, &high);
            }
        });
    }
    // Below saturation the allocator with the longest services has the highest utilization.
    for loads in [medium, beyond] {
        findings.claim("above", format!("gabl is above the others, at {}", rates(loads)), |is| {
            for (rival, load) in pairs(RIVALS, loads) {
                let (low, high) = (results.samples(rival, load), results.samples("gabl", load));
                is.clearly_below(format!("{rival} at {}", load.rate), &low, "gabl", &high);
            }
        });
    }
    for (other, load) in pairs(UNSORTED, &results.loads[4..]) {
        let above =
            Samples::join([&results.samples("gabl", load), &results.samples(other, load)], |[a, b]| {
                100.0 * (a - b)
            });
        item("unsorted", format!("gabl above {other}, points, load {}", load.rate))
            .measured(above.mean())
            .fitted(if other == UNSORTED[0] { 1 } else { 2 }, "")
            .add_to(findings);
    }
}

/// The text of 4.2: GABL's advantage by the length of packets. All lengths have the same jobs.
pub(super) fn lengths(findings: &mut Findings<'_>) {
    findings.about(ONE_LOAD, "16x16");
    let results: Vec<Point<'_>> =
        LENGTHS.into_iter().map(|length| at(findings, length).log(ONE_LOAD)).collect();
    let advantage = |other: &str, at: &Point<'_>| {
        let turnaround = |allocator| at.allocator(allocator).by_workload("turnaround_s_mean");
        turnaround(other).share(&turnaround("gabl"))
    };
    for other in OTHERS.into_iter().chain(UNSORTED) {
        let fitted = UNSORTED.iter().position(|name| *name == other);
        for (length, at) in LENGTHS.into_iter().zip(&results) {
            let place = Place::new(&format!("{other} by gabl"), "turnaround by length, flits", length);
            let row = item("advantage", format!("{other} by gabl, {length} flits"))
                .measured(advantage(other, at))
                .place(place.drawn(Drawn::Table));
            match fitted {
                Some(place) => row.fitted(place as u32 + 1, "").add_to(findings),
                None => row.add_to(findings),
            }
        }
        if fitted.is_some() {
            continue;
        }
        let words = format!("gabl's advantage over {other} grows with the length");
        let grows = item("grows", words).holds_if(|is| {
            for (step, lengths) in results.windows(2).zip(LENGTHS.windows(2)) {
                let (Some(short), Some(long)) = (advantage(other, &step[0]), advantage(other, &step[1]))
                else {
                    continue;
                };
                let words = format!(
                    "{other} by gabl with {} flits ({:.3}) above that with {} ({:.3})",
                    lengths[1],
                    long.number(),
                    lengths[0],
                    short.number()
                );
                is.above(words, Some(long - short), 0.0);
            }
        });
        grows.add_to(findings);
    }
    note_unsorted(findings);
}
