//! Fig. 8: the logs of the study of curves.

use crate::finding::Tolerance;
use crate::findings::Findings;
use crate::item::item;

/// The logs, with their jobs and processors as printed.
const LOGS: [(&str, &str, &str); 5] = [
    ("NASA-iPSC-1993", "18,239", "128"),
    ("LANL-CM5-1994", "122,057", "1,024"),
    ("LLNL-T3D-1996", "21,323", "256"),
    ("SDSC-SP2-1998", "54,041", "128"),
    ("LLNL-uBGL-2006", "19,405", "2,048"),
];

/// Judges jobs and processors of the logs.
pub(super) fn judge(findings: &mut Findings<'_>) {
    for (dataset, jobs, processors) in LOGS {
        let (Some(log), Some(facts)) = (findings.log(dataset), findings.facts(dataset)) else { continue };
        findings.about(log, "");
        let tolerance = Tolerance::Percent(2.0);
        item("logs", "jobs").measured(Some(facts.jobs as f64)).published(jobs, tolerance).add_to(findings);
        item("logs", "processors")
            .measured(facts.processors.map(|processors| processors as f64))
            .published(processors, tolerance)
            .not_measured_because("the log has no header that says how many processors there were")
            .add_to(findings);
    }
}
