//! What a step of the mesh, its height and the way matter.

use super::{FIRST_FIT, FREE, LEFT};
use crate::finding::Place;
use crate::findings::{Findings, item};

const LOG: &str = "SDSC-Par-1996";
const ALLOCATORS: [&str; 10] = [
    FIRST_FIT,
    FREE,
    "left-compaction:step_time=0.001",
    "left-compaction:step_time=0.01",
    LEFT,
    "left-compaction:step_time=1",
    "left-compaction:height=4,step_time=1",
    "left-compaction:height=16,step_time=1",
    "right-compaction:step_time=1",
    "ordered-compaction:step_time=1",
];

/// Lists the reduction of delays, and how long tasks are suspended.
pub(super) fn judge(findings: &mut Findings<'_>) {
    let Some(log) = findings.log(LOG) else { return };
    findings.about(log, "400");
    let at = findings.at(LOG).machine("400").scheduler("fcfs").rules("allocated:arrivals=uniform:max=0");
    for allocator in ALLOCATORS {
        let place = |column| Place::new(allocator, "reduction, percent", column);
        let number = |allocator, column| at.allocator(allocator).number(column);
        for (name, column) in
            [("queue delay", "queue_delay_s_mean"), ("allocation delay", "allocation_delay_s_mean")]
        {
            let both = number(allocator, column).zip(number(FIRST_FIT, column));
            item("reduction", format!("{name}, {allocator}, percent"))
                .measured(both.map(|(delay, first_fit)| 100.0 * (1.0 - delay / first_fit)))
                .place(place(name))
                .add_to(findings);
        }
        item("suspended", format!("suspended, {allocator}, s"))
            .measured(number(allocator, "suspended_s_mean"))
            .place(place("suspended, s"))
            .add_to(findings);
    }
}
