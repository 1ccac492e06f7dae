//! What the paper says of its results.

use crate::paper::sentence::Judged::{self, By, NotMeasurable};
use crate::paper::sentence::Sentence;

const fn says(section: &'static str, figure: &'static str, claim: &'static str, judged: Judged) -> Sentence {
    Sentence { section, figure, claim, judged }
}

pub(super) const SENTENCES: &[Sentence] = &[
    says(
        "2.2, Fig. 1",
        "fig1",
        "of four jobs first fit leaves one waiting that fixed orientation places",
        By(&["first-fit, jobs placed", "fixed-orientation, jobs placed"]),
    ),
    says(
        "2.3",
        "cost",
        "the bypass queue adds no significant overhead",
        NotMeasurable(
            "the paper gives no number; a pass of any scheduler is not timed apart from the calls it makes",
        ),
    ),
    says(
        "3.1, Fig. 3",
        "fig3",
        "the bypass queue reduces turnaround with first fit and adaptive scan, more so with larger thresholds",
        By(&["the bypass queue reduces turnaround", "a larger threshold never raises"]),
    ),
    says(
        "3.1, Fig. 3",
        "fig3",
        "under FCFS the system saturates quickly above a traffic ratio of 1.5",
        By(&["first-fit under FCFS saturates", "adaptive-scan under FCFS saturates"]),
    ),
    says(
        "3.1, Fig. 3",
        "fig3",
        "with the bypass queue it saturates at a higher ratio",
        By(&["saturation (turnaround above 50)"]),
    ),
    says("3.1", "fig3-normal", "normal sides behave alike", By(&["σ = "])),
    says(
        "3.2, Fig. 4",
        "fig4a",
        "fixed orientation is below first fit at all ratios",
        By(&["fixed-orientation below first-fit at every ratio"]),
    ),
    says(
        "3.2, Fig. 4(a)",
        "fig4a",
        "by as much as 42 % at 1.5",
        By(&["fixed-orientation below first-fit by percent"]),
    ),
    says(
        "3.2, Fig. 4",
        "fig4a",
        "adaptive scan is nearly identical, slightly better at high ratios",
        By(&["adaptive-scan at most", "adaptive-scan is negligibly", "adaptive-scan is slightly"]),
    ),
    says("3.2, Fig. 4(b)", "fig4b", "so it is with normal sides", By(&["σ = "])),
    says(
        "3.2",
        "cost",
        "adaptive scan takes 20 to 30 % more time to allocate",
        By(&["adaptive-scan above fixed-orientation"]),
    ),
    says(
        "3.3, Fig. 5",
        "fig5",
        "both together are better than adaptive scan under FCFS with a small threshold",
        By(&["BQ(10) of", "BQ(25) of"]),
    ),
    says(
        "3.3, Fig. 5",
        "fig5",
        "a larger threshold reduces turnaround further",
        By(&["a larger threshold never raises turnaround"]),
    ),
    says(
        "3.3, Fig. 6",
        "fig6",
        "the variance falls as the threshold grows",
        By(&["a larger threshold never raises the variance"]),
    ),
    says(
        "3.3",
        "fig6",
        "that is so because most jobs are served within a short time",
        NotMeasurable("it explains a result and states none"),
    ),
];
