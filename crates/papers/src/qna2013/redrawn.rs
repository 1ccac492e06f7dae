//! Exponential sides that are drawn again if they are longer than the machine.
//!
//! The paper does not say what becomes of sides beyond 16. By default they are cut off at 16
//! (`outside=clamp`), so that about one side in seven is 16. With `outside=redraw` jobs are smaller, and the
//! ratios of Fig. 11 come nearer to the printed ones, while the utilization of Fig. 7 moves away. The
//! parameter was chosen for Fig. 11, so it judges nothing.

use super::NON_CONTIGUOUS;
use super::loads::{FIG11, judge_lists};
use crate::evidence::Point;
use crate::finding::Tolerance;
use crate::findings::{Findings, item, pairs};

const READING: &str = "sides beyond the machine are drawn again";

/// Returns the replays at a load, in jobs per time unit.
fn at<'a>(findings: &Findings<'a>, rate: &str) -> Point<'a> {
    let log = format!("{},outside=redraw", FIG11.log(rate));
    let network = "wormhole:compute=none,pattern=all-to-all";
    findings.at("synthetic").machine("16x16").scheduler("fcfs").network(network).log(&log)
}

/// Adds the ratios of Fig. 11.
pub(super) fn fig11(findings: &mut Findings<'_>) {
    let at = at(findings, FIG11.rate);
    let samples = |allocator: &str| at.allocator(allocator).by_workload(FIG11.column);
    let share = |other: &str| samples("qna").share(&samples(other));
    let [first_fit, paging, mbs] = FIG11.percent;
    item("ratios", format!("qna by first-fit in percent, load {}, outside=redraw", FIG11.rate))
        .measured(share("first-fit").map(|share| 100.0 * share))
        .published(first_fit, Tolerance::Points(3.0))
        .fitted(1, READING)
        .add_to(findings);
    judge_lists(findings, &format!("load {}, outside=redraw", FIG11.rate), [paging, mbs], 1, &share);
}

/// Adds the ratios to MBS at the low loads of Fig. 5, where QNA is not below it otherwise.
pub(super) fn fig5(findings: &mut Findings<'_>) {
    for rate in ["0.01", "0.02"] {
        let at = at(findings, rate);
        let samples = |allocator: &str| at.allocator(allocator).by_workload("turnaround_s_mean");
        item("below", format!("qna by mbs in percent (below 100), load {rate}, outside=redraw"))
            .measured(samples("qna").share(&samples("mbs")).map(|share| 100.0 * share))
            .fitted(1, READING)
            .add_to(findings);
    }
}

/// Adds the utilization of Fig. 7.
pub(super) fn fig7(findings: &mut Findings<'_>) {
    for (allocator, at) in pairs(NON_CONTIGUOUS, [at(findings, "1")]) {
        let words = format!("all-to-all, {allocator}, utilization in percent (71 to 76), outside=redraw");
        item("utilization", words)
            .measured(at.allocator(allocator).mean("utilization").map(|share| 100.0 * share))
            .fitted(1, READING)
            .add_to(findings);
    }
}
