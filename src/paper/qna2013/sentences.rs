//! What the paper says of its results.

use crate::paper::sentence::Judged::{self, By, NotMeasurable};
use crate::paper::sentence::Sentence;

const fn says(section: &'static str, figure: &'static str, claim: &'static str, judged: Judged) -> Sentence {
    Sentence { section, figure, claim, judged }
}

const BETTER: &str = "QNA is better than first fit, paging and MBS, far better than first fit";
const IS_BETTER: Judged = By(&["qna is below the others", "first-fit is far above"]);
const RATIOS: Judged = By(&["qna by ", "load at which qna by "]);

pub(super) const SENTENCES: &[Sentence] = &[
    says(
        "III, Fig. 1",
        "fig1",
        "last_covered of the example, and where its jobs of 3×2 and 6×2 go",
        By(&["the first job covers", "last_covered is", "3x2 goes to", "6x2 goes to", "qna-scan takes"]),
    ),
    says("IV, Fig. 2", "fig2", BETTER, IS_BETTER),
    says(
        "IV, Fig. 2",
        "fig2",
        "at 0.0205 QNA is 65 % better than first fit, 36 than paging, 30 than MBS",
        RATIOS,
    ),
    says("IV, Fig. 3", "fig3", BETTER, IS_BETTER),
    says(
        "IV",
        "longer-one-to-all",
        "packets of 16, 32, 64 flits give the same ranking",
        By(&[
            "qna is below the others with 16",
            "qna is below the others with 32",
            "qna is below the others with 64",
        ]),
    ),
    says(
        "IV",
        "longer-one-to-all",
        "the difference grows with the length of packets",
        By(&["first-fit by qna grows", "paging by qna grows", "mbs by qna grows"]),
    ),
    says(
        "V",
        "longer-one-to-all",
        "QNA is better on larger meshes too",
        By(&["qna is below the others on 32x32"]),
    ),
    says("IV, Fig. 4", "fig4", BETTER, IS_BETTER),
    says("IV, Fig. 4", "fig4", "at 0.0305 QNA is 20, 24, 38 % of first fit, paging, MBS", RATIOS),
    says("IV, Fig. 5", "fig5", BETTER, IS_BETTER),
    says(
        "IV",
        "longer-all-to-all",
        "packets of 16, 32, 64 flits give the same results for all-to-all",
        By(&[
            "qna is below the others with 16",
            "qna is below the others with 32",
            "qna is below the others with 64",
            "first-fit by qna grows",
            "paging by qna grows",
            "mbs by qna grows",
        ]),
    ),
    says(
        "V",
        "longer-all-to-all",
        "QNA is better on larger meshes too",
        By(&["qna is below the others on 32x32"]),
    ),
    says(
        "IV, Fig. 6",
        "fig6",
        "non-contiguous allocators use 71 to 76 % at heavy load and first fit at most 50 %, uniform sides",
        By(&["one-to-all, ", "all-to-all, "]),
    ),
    says(
        "IV, Fig. 7",
        "fig7",
        "non-contiguous allocators use 71 to 76 % at heavy load and first fit at most 50 %, exponential sides",
        By(&["one-to-all, ", "all-to-all, "]),
    ),
    says(
        "IV",
        "fig6",
        "non-contiguous allocators are nearly equal in that",
        By(&[
            "one-to-all, non-contiguous allocators are nearly equal",
            "all-to-all, non-contiguous allocators are nearly equal",
        ]),
    ),
    says(
        "IV",
        "fig6",
        "they never fail while enough processors are free",
        NotMeasurable(
            "it is a property, not a measurement; every allocator that promises it is held to it by tests",
        ),
    ),
    says("IV, Fig. 8", "fig8", BETTER, IS_BETTER),
    says("IV, Fig. 8", "fig8", "at 0.0205 QNA waits 35, 64, 70 % as long as first fit, paging, MBS", RATIOS),
    says("IV, Fig. 9", "fig9", BETTER, IS_BETTER),
    says(
        "IV",
        "fig9",
        "that is so because its processors are more contiguous, so that messages go shorter ways",
        NotMeasurable("it explains a result and states none"),
    ),
    says("IV, Fig. 10", "fig10", BETTER, IS_BETTER),
    says("IV, Fig. 11", "fig11", BETTER, IS_BETTER),
    says("IV, Fig. 11", "fig11", "at 0.05 QNA waits 19, 27, 50 % as long as first fit, paging, MBS", RATIOS),
    says(
        "IV",
        "readings",
        "the same ratios, and that their loads can be borne, under other readings of the network",
        By(&["fig2, ", "fig4, ", "fig11, "]),
    ),
];
