//! Fig. 7: curves on a real machine.
//!
//! The paper timed jobs that broadcast on a Cray XT3/4 cabinet of 20x4 nodes. What is published of the jobs
//! is their sizes, their number, that each does 25 all-to-all broadcasts, and FCFS. Here the broadcasts go
//! over a network of our own, all jobs being there at the beginning; as in the paper the mean of three
//! streams counts. A second table has the mean pairwise sums of twenty streams with run times drawn at
//! random.

use crate::comparisons::Comparisons;
use crate::estimate::{Estimate, Samples};
use crate::evidence::Point;
use crate::finding::{PrintedTable, Tolerance};
use crate::findings::{Findings, item};
use crate::stream::STREAM;

const MACHINE: &str = "20x4";
/// The curves from best to worst.
const ORDERS: [&str; 4] = ["column-snake", "spliced-hilbert", "zoltan-hilbert", "row-snake"];
const SELECTIONS: [&str; 3] = ["bf", "ss", "ff"];

/// A selection that the published table has below another one.
struct Step {
    low: &'static str,
    high: &'static str,
}

/// Which selections the published table has below which, by curve.
const PUBLISHED_STEPS: [(&str, [Step; 2]); 4] = [
    ("column-snake", [Step { low: "bf", high: "ss" }, Step { low: "ss", high: "ff" }]),
    ("spliced-hilbert", [Step { low: "bf", high: "ff" }, Step { low: "ss", high: "ff" }]),
    ("zoltan-hilbert", [Step { low: "ss", high: "bf" }, Step { low: "bf", high: "ff" }]),
    ("row-snake", [Step { low: "ss", high: "bf" }, Step { low: "bf", high: "ff" }]),
];

fn at<'a>(findings: &mut Findings<'a>) -> Point<'a> {
    findings.about(STREAM, MACHINE);
    findings.at(STREAM).machine(MACHINE).scheduler("fcfs")
}

fn table() -> PrintedTable {
    PrintedTable::parse(include_str!("fig7.tsv"))
}

/// The published makespans.
pub(super) fn makespans(findings: &mut Findings<'_>) {
    let network = "wormhole:pattern=all-to-all,quota=rounds,messages=25,law=constant,compute=none";
    let at = at(findings).network(network);
    let samples = |allocator: &str| at.allocator(allocator).by_workload("makespan_s");
    for (selection, order, printed) in table().cells() {
        let share = samples(&format!("{order}+{selection}")).share(&samples("mc1x1"));
        // The smallest published distance of a ratio from 1.
        item("makespans", format!("makespan of {order}+{selection} by mc1x1"))
            .measured(share.map(Estimate::number))
            .published(printed, Tolerance::Absolute(0.003))
            .because("jobs here do nothing but broadcast, over a network that was not fitted to the machine")
            .add_to(findings);
    }
    judge_orders(findings, &samples);
    judge_routing(findings);
}

/// Networks that were chosen because their ratios come near the printed ones: the cost of a hop is routing
/// and not length, and in the second one the recorded run time of a job, drawn from 60 to 140 s, comes on top
/// of its messages, which take about as long in all. Each with the parameters that differ from the usual
/// ones.
const ROUTING: [(&str, u32, &str); 2] = [
    ("compute=none,length=2,ts=60,buffer=packet,injection=blocking", 4, "routing costs, length does not"),
    (
        "length=2,ts=60,buffer=packet,injection=blocking,cycle=0.00125",
        6,
        "the same, and as much compute time again",
    ),
];

/// Adds the ratios over fitted networks, which judge nothing.
fn judge_routing(findings: &mut Findings<'_>) {
    for (parameters, count, reading) in ROUTING {
        let network =
            format!("wormhole:pattern=all-to-all,quota=rounds,messages=25,law=constant,{parameters}");
        let at = at(findings).network(&network);
        let samples = |allocator: &str| at.allocator(allocator).by_workload("makespan_s");
        for (selection, order, printed) in table().cells().filter(|(selection, ..)| *selection == "bf") {
            let share = samples(&format!("{order}+{selection}")).share(&samples("mc1x1"));
            item("routing", format!("makespan of {order}+{selection} by mc1x1, {reading}"))
                .measured(share.map(Estimate::number))
                .published(printed, Tolerance::Absolute(0.003))
                .fitted(count, parameters)
                .add_to(findings);
        }
    }
}

/// Mean pairwise sums, which the paper does not have.
pub(super) fn sums(findings: &mut Findings<'_>) {
    let at = at(findings);
    let samples = |allocator: &str| at.allocator(allocator).by_workload("pairwise_sum_mean");
    for (selection, order, _) in table().cells() {
        let share = samples(&format!("{order}+{selection}")).share(&samples("mc1x1"));
        let words = format!("pairwise sum of {order}+{selection} by mc1x1");
        item("sums", words).measured(share.map(Estimate::number)).add_to(findings);
    }
    judge_orders(findings, &samples);
}

/// Adds the orders of the curves and of the selections.
fn judge_orders(findings: &mut Findings<'_>, samples: &dyn Fn(&str) -> Samples) {
    let compare = |is: &mut Comparisons, [low, high]: [String; 2]| {
        let words = format!("{high} above {low}, percent");
        is.above(words, samples(&high).above(&samples(&low)), 0.0);
    };
    let orders = ORDERS.join(" < ");
    findings.claim("curves", format!("order of the curves, mean of the selections: {orders}"), |is| {
        for step in ORDERS.windows(2) {
            // By stream, the sum over the selections.
            let sum = |order: &str| {
                let [bf, ss, ff] = SELECTIONS.map(|selection| samples(&format!("{order}+{selection}")));
                Samples::join([&bf, &ss, &ff], |[bf, ss, ff]| bf + ss + ff)
            };
            let above = Samples::join([&sum(step[1]), &sum(step[0])], |[a, b]| 100.0 * (a / b - 1.0));
            is.above(format!("{} above {}, percent", step[1], step[0]), above.mean(), 0.0);
        }
    });
    for selection in SELECTIONS {
        findings.claim("curves", format!("order of the curves, {selection}: {orders}"), |is| {
            for step in ORDERS.windows(2) {
                compare(is, [step[0], step[1]].map(|order| format!("{order}+{selection}")));
            }
        });
    }
    for (order, [first, second]) in PUBLISHED_STEPS {
        let words = format!(
            "order of the selections, {order}: {} < {}, {} < {}",
            first.low, first.high, second.low, second.high
        );
        findings.claim("selections", words, |is| {
            for step in [&first, &second] {
                compare(is, [step.low, step.high].map(|selection| format!("{order}+{selection}")));
            }
        });
    }
}
