//! Longer packets, and a larger mesh: whether the ranking stays and QNA's lead grows.

use super::{ALLOCATORS, OTHERS};
use crate::evidence::Point;
use crate::finding::Place;
use crate::findings::{Findings, Load, item, pairs, rates};

const LENGTHS: [&str; 4] = ["8", "16", "32", "64"];
const COLUMN: &str = "turnaround_s_mean";

/// Adds the curves at some loads; `at` is the point of an allocator and a log.
fn draw_curves(findings: &mut Findings<'_>, name: &str, at: &Point<'_>, loads: &[Load]) {
    for (allocator, Load { rate, log }) in pairs(ALLOCATORS, loads) {
        let curve = format!("{name}, {allocator}");
        item("curves", format!("{curve}, turnaround, load {rate}"))
            .log(log)
            .measured(at.allocator(allocator).log(log).mean(COLUMN))
            .place(Place::new(&curve, "load", rate).look(allocator).quantity("turnaround"))
            .add_to(findings);
    }
}

/// Adds the statement that QNA is below the others at some loads.
fn judge_ranking(findings: &mut Findings<'_>, id: &str, words: &str, at: &Point<'_>, loads: &[Load]) {
    findings.claim(id, words, |is| {
        for (other, Load { rate, log }) in pairs(OTHERS, loads) {
            let turnaround = |allocator| at.allocator(allocator).log(log).by_workload(COLUMN);
            is.clearly_below(format!("qna at {rate}"), &turnaround("qna"), other, &turnaround(other));
        }
    });
}

/// Judges the text about messages in this pattern.
pub(super) fn judge(findings: &mut Findings<'_>, pattern: &str) {
    let at = findings.at("synthetic").scheduler("fcfs");
    let of_length = |length: &str| {
        let network = format!("wormhole:compute=none,length={length},pattern={pattern}");
        at.machine("16x16").network(&network)
    };
    findings.about("", "16x16");
    for length in &LENGTHS[1..] {
        // At a rate of 1 all jobs are waiting from the beginning on. Near saturation turnaround depends more
        // on what share of the network's capacity a load is than on anything else; here it is the same for
        // all lengths.
        let loads = findings.loads_of(&format!("{pattern}-length-{length}"));
        let ordinary = &loads[..3];
        draw_curves(findings, &format!("{length} flits"), &of_length(length), &loads);
        let words = format!("qna is below the others with {length} flits, at {}", rates(ordinary));
        judge_ranking(findings, "below", &words, &of_length(length), ordinary);
    }
    let loads = findings.loads_of(&format!("{pattern}-32x32"));
    let larger = at.machine("32x32").network(&format!("wormhole:compute=none,pattern={pattern}"));
    findings.about("", "32x32");
    draw_curves(findings, "32x32", &larger, &loads);
    let words = "qna is below the others on 32x32, at every load";
    judge_ranking(findings, "larger-mesh", words, &larger, &loads);
    // The workloads of different lengths have nothing in common.
    findings.about("", "16x16");
    for other in OTHERS {
        let ratio = |length: &str| {
            let at = of_length(length).log("synthetic:jobs=1000,rate=1");
            let turnaround = |allocator| at.allocator(allocator).by_workload(COLUMN);
            turnaround(other).share(&turnaround("qna"))
        };
        findings.claim("grows", format!("{other} by qna grows with the length, at heavy load"), |is| {
            for step in LENGTHS.windows(2) {
                let (Some(short), Some(long)) = (ratio(step[0]), ratio(step[1])) else { continue };
                let (a, b) = (long.number(), short.number());
                let words = format!(
                    "{other} by qna with {} flits ({a:.2}) above that with {} ({b:.2})",
                    step[1], step[0]
                );
                is.above(words, Some(long - short), 0.0);
            }
        });
    }
}
