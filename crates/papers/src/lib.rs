//! Published experiments: for each figure of a paper its studies, the printed numbers, and the comparison
//! with ours.
//!
//!
//! A [`Paper`] is a folder. A [`Figure`] names the studies that measure it; the logs of these studies are
//! names of [`Dataset`]s. It also names a function that turns the measurements, the [`Evidence`], into
//! [`Finding`]s: published value, measured value, verdict. Verdicts are always computed. The function reads
//! numbers from a `Point` of the results and adds `Item`s: a measured number with its published one, or a
//! statement with its comparisons.
//!
//!
//! A paper also has its results as [`Sentence`]s. A test checks that each sentence has a finding that judges
//! it, or a reason why nothing can.
#![forbid(unsafe_code)]

mod chang_mohapatra1998;
mod comparisons;
mod dataset;
mod diessel1996;
mod estimate;
mod evidence;
mod finding;
mod findings;
mod gabl2006;
mod load;
mod plot;
mod qna2013;
mod regenerate;
mod registry;
mod rfold2025;
mod shown;
mod stream;
mod walker2010;

pub use dataset::{DATASETS, Dataset, Located, Locating};
pub use estimate::Median;
pub use evidence::{Evidence, LogFacts};
pub use finding::{Drawn, Finding, Mark, Place, Published, Tolerance, Verdict};
pub use load::{Embedded, Figure, MODEL, Paper, ROUNDS, Sentence};
pub use plot::{BESIDE, Plot, plots};
pub use regenerate::{Comparison, RegenerateError, Regeneration, Replays};
pub use registry::PAPERS;
pub use shown::{Format, shown};
pub use stream::{STREAM, stream_logs, write_stream};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
