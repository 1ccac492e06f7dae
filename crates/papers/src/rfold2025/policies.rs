//! The two numbers of the abstract: utilization gains 57 points, completion times fall to as little as 1/11.
//!
//! The abstract names neither policies nor workloads. Completion times are compared on the same machine,
//! where the same jobs run. Of jobs that a policy never places, the simulator takes no account either.

use crate::estimate::Estimate;
use crate::finding::Tolerance;
use crate::findings::{Findings, item};

const TORUS: &str = "torus:16x16x16";
const CUBES: &str = "ocs:64x4x4x4";
/// The policies, each with its machine.
const POLICIES: [(&str, &str); 5] = [
    ("rfold-first-fit", TORUS),
    ("rfold-folding", TORUS),
    ("hilbert+ff", TORUS),
    ("rfold-reconfig", CUBES),
    ("rfold", CUBES),
];

/// Judges the abstract on a workload. `because` explains why its numbers differ.
pub(super) fn judge(findings: &mut Findings<'_>, log: &str, because: &str) {
    let at = findings.at("synthetic").log(log).scheduler("fcfs").rules("authors:oversize=skip");
    let at = |(policy, machine): (&str, &str)| at.allocator(policy).machine(machine);
    findings.about(log, TORUS);
    for (id, column, words, unit) in [
        ("utilization", "utilization", "utilization in percent", (|x| 100.0 * x) as fn(Estimate) -> Estimate),
        ("never-fit", "never_fit", "jobs of 1,000 that are never placed", |x| x),
        (
            "completion",
            "turnaround_s_mean",
            "mean completion time of the jobs that are placed, in hours",
            |x| x.scaled(|seconds| seconds / 3600.0),
        ),
    ] {
        for policy in POLICIES {
            let words = format!("{}, {words}", policy.0);
            item(id, words).machine(policy.1).measured(at(policy).mean(column).map(unit)).add_to(findings);
        }
    }
    // "Over existing methods", which the paper does not name.
    let rfold = ("rfold", CUBES);
    let existing = [
        ("first fit", ("rfold-first-fit", TORUS)),
        ("folding", ("rfold-folding", TORUS)),
        ("reconfiguration", ("rfold-reconfig", CUBES)),
    ];
    for (name, policy) in existing {
        let both = at(rfold).mean("utilization").zip(at(policy).mean("utilization"));
        item("gain", format!("rfold above {name}, points of utilization"))
            .machine(policy.1)
            .measured(both.map(|(rfold, other)| 100.0 * (rfold - other)))
            .published("57", Tolerance::Points(5.0))
            .because(because)
            .add_to(findings);
    }
    let [reconfig, rfold_time] =
        [("rfold-reconfig", CUBES), rfold].map(|policy| at(policy).by_workload("turnaround_s_mean"));
    item("speed-up", "mean completion time of rfold-reconfig by that of rfold")
        .machine(CUBES)
        .measured(reconfig.share(&rfold_time))
        .published("11", Tolerance::Percent(10.0))
        .because(format!(
            "the paper says up to, and the simulator's plots are of percentiles \
                 (medians of 5.52 and 0.47 hours); {because}"
        ))
        .add_to(findings);
    let words = "rfold has a higher utilization than first fit, folding and reconfiguration";
    item("order", words)
        .log("")
        .holds_if(|is| {
            for (name, policy) in existing {
                let [low, high] = [policy, rfold].map(|policy| at(policy).by_workload("utilization"));
                is.clearly_below(name, &low, "rfold", &high);
            }
        })
        .add_to(findings);
}
