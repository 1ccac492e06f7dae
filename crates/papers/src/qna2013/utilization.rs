//! Figs. 6 and 7: utilization when all jobs are waiting from the beginning on.

use super::{ALLOCATORS, NON_CONTIGUOUS};
use crate::estimate::Estimate;
use crate::finding::{Drawn, Place};
use crate::findings::{Findings, item, pairs};

const PATTERNS: [&str; 2] = ["one-to-all", "all-to-all"];

/// Judges a figure. `sides` is the distribution of sides in the spec of the workload.
pub(super) fn judge(findings: &mut Findings<'_>, sides: &str) {
    let at = findings.at("synthetic").log(&format!("synthetic:jobs=1000,rate=1{sides}"));
    let at = at.machine("16x16").scheduler("fcfs");
    let percent = |pattern: &str, allocator: &str| -> Option<Estimate> {
        let at = at.network(&format!("wormhole:compute=none,pattern={pattern}"));
        Some(100.0 * at.allocator(allocator).mean("utilization")?)
    };
    let place = |allocator: &str, pattern: &str| Place::new(allocator, "system utilization (%)", pattern);
    findings.about("", "16x16");
    for (pattern, allocator) in pairs(PATTERNS, ALLOCATORS) {
        item("bars", format!("{pattern}, {allocator}, utilization in percent"))
            .measured(percent(pattern, allocator))
            .place(place(allocator, pattern).drawn(Drawn::BarsFromZero))
            .add_to(findings);
    }
    for pattern in PATTERNS {
        for allocator in NON_CONTIGUOUS {
            let words = format!("{pattern}, {allocator}, utilization in percent (71 to 76)");
            let measured = percent(pattern, allocator);
            item("utilization", words).measured(measured).in_range([71.0, 76.0]).add_to(findings);
        }
        let words = format!("{pattern}, first-fit, utilization in percent (at most 50)");
        let measured = percent(pattern, "first-fit");
        item("utilization", words).measured(measured).in_range([0.0, 50.0]).add_to(findings);
        findings.claim("equal", format!("{pattern}, non-contiguous allocators are nearly equal"), |is| {
            let percents = || NON_CONTIGUOUS.iter().filter_map(|allocator| percent(pattern, allocator));
            let largest = percents().map(Estimate::number).max_by(f64::total_cmp);
            let least = percents().map(Estimate::number).min_by(f64::total_cmp);
            let between = largest.zip(least).map(|(largest, least)| largest - least);
            is.at_most("points between them", between, "those published", 5.0);
        });
    }
    for (pattern, allocator) in pairs(PATTERNS, NON_CONTIGUOUS) {
        let printed = "71 to 76 % with non-contiguous allocators";
        findings.mark_range(place(allocator, pattern), [71.0, 76.0], printed);
    }
    for pattern in PATTERNS {
        findings.mark_range(place("first-fit", pattern), [0.0, 50.0], "at most 50 % with first-fit");
    }
}
