//! What the paper says of its results.

use crate::paper::sentence::Judged::{self, By, NotMeasurable};
use crate::paper::sentence::Sentence;

const fn says(section: &'static str, figure: &'static str, claim: &'static str, judged: Judged) -> Sentence {
    Sentence { section, figure, claim, judged }
}

pub(super) const SENTENCES: &[Sentence] = &[
    says(
        "3, Fig. 3",
        "fig3",
        "the example: six processors are covered, seven steps, the rightmost sequence starts in the fifth, nobody waits",
        By(&["processors covered", "sequences that move", "step in which", "steps in all", "most steps"]),
    ),
    says(
        "4.1",
        "fig4",
        "with all tasks there at once left (cost-free) compaction lowers the queue delay by 17.2 (17.5) %",
        By(&["queue delay, left-compaction", "queue delay, cost-free-compaction"]),
    ),
    says(
        "4.1",
        "fig4",
        "that improvement grows with the arrival period up to where the array is no longer saturated",
        By(&["the reduction of the queue delay grows"]),
    ),
    says(
        "4.1",
        "fig4",
        "left and cost-free compaction are close, so that costs are insignificant",
        By(&[
            "queue delay, left below",
            "allocation delay, left below",
            "completion time, left below",
            "gain in utilization, left below",
        ]),
    ),
    says(
        "4.1",
        "fig4",
        "the queue delay falls because the allocation delay does",
        By(&["first fit > left compaction"]),
    ),
    says(
        "4.1",
        "fig4",
        "the allocation delay falls by 16.5 (16.8) % on the saturated array",
        By(&["allocation delay, left-compaction", "allocation delay, cost-free-compaction"]),
    ),
    says(
        "4.1",
        "fig4",
        "allocation delay and improvement are constant until the largest period exceeds that delay at saturation",
        By(&["allocation delay is constant", "allocation delay falls from where"]),
    ),
    says(
        "4.1",
        "fig4",
        "compaction sustains higher arrival rates",
        By(&["compaction sustains higher rates"]),
    ),
    says(
        "4.1",
        "fig4",
        "completion time falls by 16.3 (16.5) % at saturation",
        By(&["completion time, left-compaction", "completion time, cost-free-compaction"]),
    ),
    says(
        "4.1",
        "fig4",
        "utilization rises by 19.4 (19.8) %",
        By(&["gain in utilization, left-compaction", "gain in utilization, cost-free-compaction"]),
    ),
    says("4.1", "fig4", "beyond saturation delays fall towards zero", By(&["allocation delay falls beyond"])),
    says(
        "4.1",
        "fig4",
        "completion time then grows linearly with the period and utilization falls inversely",
        By(&["completion time grows in proportion", "utilization falls in inverse"]),
    ),
    says(
        "4.1",
        "fig4",
        "at high periods delays are still significantly lower with compaction",
        By(&["delays are still significantly lower"]),
    ),
    says(
        "4.1",
        "fig4",
        "completion time and utilization gain nothing then",
        By(&["completion time and utilization are no better"]),
    ),
    says(
        "5",
        "fig4",
        "benefits are over 15 % on actual logs if tasks are waiting",
        By(&["benefits of left compaction at M = 0"]),
    ),
    says(
        "5",
        "fig4",
        "the load that can be borne grows in proportion to the reduction of the allocation delay",
        NotMeasurable("where the array stops being saturated is known between two of ten periods only"),
    ),
    says("4.1, Table 1", "table1", "the numbers of the table", By(&["finishing "])),
    says("4.1", "table1", "14.4 % of the tasks run for longer", By(&["tasks with longer run times"])),
    says("4.1", "table1", "only 0.03 % of the tasks finish later", By(&["tasks that finish later, percent"])),
    says(
        "4.1",
        "table1",
        "those had started at the same time under both, and were moved later",
        By(&["tasks that finish later had started"]),
    ),
    says(
        "4.1",
        "table1",
        "the overwhelming majority finish earlier",
        By(&["tasks that finish earlier", "the overwhelming majority"]),
    ),
    says("4.1", "table1", "run times grow by less than 1 % on average", By(&["running times are extended"])),
    says(
        "4.2",
        "fig5",
        "on 128 processors the benefits on the NAS log are much lower",
        By(&["on 128 processors"]),
    ),
    says(
        "4.2",
        "fig5",
        "the NAS log asks for more large blocks than SDSC's does",
        NotMeasurable("it explains a result and states none"),
    ),
    says(
        "4.2, Fig. 5",
        "fig5",
        "the allocation delay falls by about 20 % on an array of three times the largest request",
        By(&[
            "the reduction grows",
            "left-compaction, allocation delay",
            "cost-free-compaction, allocation delay",
        ]),
    ),
    says(
        "4.2, Fig. 5",
        "fig5",
        "left compaction falls behind cost-free compaction as the array grows",
        By(&["left compaction falls further behind"]),
    ),
    says(
        "4.2, Fig. 5",
        "fig5",
        "the number of allocations by left compaction falls as the array grows",
        By(&["the number of allocations by left compaction"]),
    ),
    says(
        "4.2",
        "fig5",
        "it is thought to be aborted more often then",
        By(&["compaction is aborted more often"]),
    ),
    says(
        "4.2",
        "fig5",
        "delayed and overrunning schedules become more",
        By(&["the number of delayed schedules", "the number of overrunning schedules"]),
    ),
];
