//! Fig. 8: the logs of the study of curves.

use super::{Evidence, Item, Published};
use crate::paper::figure::Experiment;
use crate::paper::item::{Tolerance, Verdict};

pub(super) const EXPERIMENT: Experiment = Experiment {
    studies: &[],
    surveyed: &["NASA-iPSC-1993", "LANL-CM5-1994", "LLNL-T3D-1996", "SDSC-SP2-1998", "LLNL-uBGL-2006"],
    timed: false,
    judge,
};

/// Dataset, jobs, processors.
const PRINTED: [(&str, &str, &str); 5] = [
    ("NASA-iPSC-1993", "18,239", "128"),
    ("LANL-CM5-1994", "122,057", "1,024"),
    ("LLNL-T3D-1996", "21,323", "256"),
    ("SDSC-SP2-1998", "54,041", "128"),
    ("LLNL-uBGL-2006", "19,405", "2,048"),
];

const NO_HEADER: &str = "the log has no header that says how many processors there were";

fn judge(evidence: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    for (dataset, jobs, processors) in PRINTED {
        let (Some(log), Some(facts)) = (evidence.log(dataset), evidence.facts(dataset)) else { continue };
        let found = [
            ("jobs", jobs, Some(facts.jobs as f64)),
            ("processors", processors, facts.processors.map(|processors| processors as f64)),
        ];
        for (item, printed, measured) in found {
            let (item, published) = (Item::new(item, &log, ""), Published::parse(printed));
            items.push(match (published, measured) {
                (Some(published), Some(measured)) => {
                    item.compared(published, measured, Tolerance::Percent(2.0))
                }
                _ => Item { published, verdict: Verdict::NotMeasured(NO_HEADER.to_owned()), ..item },
            });
        }
    }
    items
}
