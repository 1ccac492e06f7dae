//! What the paper says of its results.

use crate::paper::sentence::Judged::{self, By, NotMeasurable};
use crate::paper::sentence::Sentence;

const fn says(section: &'static str, figure: &'static str, claim: &'static str, judged: Judged) -> Sentence {
    Sentence { section, figure, claim, judged }
}

const CONCLUSION: Judged = By(&["gabl is below the others", "first-fit is far above"]);

pub(super) const SENTENCES: &[Sentence] = &[
    says(
        "4.1",
        "fig4",
        "an allocation takes O(b·m²) and a release O(m) for b parts of a job and m in all",
        NotMeasurable("bounds that no number of runs can prove; a reading of the code can"),
    ),
    says(
        "4.2, Fig. 3",
        "fig3",
        "at low loads all finish at the same time",
        By(&["finish times are the same"]),
    ),
    says(
        "4.2, Fig. 3",
        "fig3",
        "at medium and high loads GABL finishes first",
        By(&["gabl finishes before the others"]),
    ),
    says(
        "4.2, Fig. 3",
        "fig3",
        "at high loads it is substantially superior to all others",
        By(&["gabl finishes substantially before the others"]),
    ),
    says(
        "4.2, Fig. 4",
        "fig4",
        "its turnaround is much better than that of all others",
        By(&["gabl is below the others", "gabl is much below the others"]),
    ),
    says(
        "4.2, Fig. 4",
        "fig4",
        "it is substantially superior to first fit",
        By(&["first-fit is far above (twice the others)"]),
    ),
    says("4.2", "length16", "packets of 16 flits lead to the same conclusion", CONCLUSION),
    says("4.2", "length32", "packets of 32 flits lead to the same conclusion", CONCLUSION),
    says("4.2", "length64", "packets of 64 flits lead to the same conclusion", CONCLUSION),
    says(
        "4.2",
        "lengths",
        "its relative advantage over all others grows with the length",
        By(&["gabl's advantage over"]),
    ),
    says(
        "4.2, Fig. 5",
        "fig5",
        "the utilization of non-contiguous allocators is above that of first fit at every load",
        By(&["non-contiguous allocators are above first-fit"]),
    ),
    says(
        "4.2, Fig. 5",
        "fig5",
        "that of GABL is slightly above that of the other non-contiguous ones",
        By(&["gabl is above the others"]),
    ),
    says(
        "5",
        "fig4",
        "the busy list makes it efficient on large meshes",
        NotMeasurable("an expectation; times of calls on any mesh are in the results of every replay"),
    ),
];
