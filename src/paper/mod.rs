//! Published experiments: for each figure its studies, the numbers that were printed, and how ours compare.
//!
//! A [`Figure`] names the studies that measure it, as study files whose logs are names of [`Dataset`]s, and a function
//! that turns what was measured, the [`Evidence`], into [`Item`]s: published value, measured value, verdict. Verdicts
//! are computed, never written down.
//!
//! Beside its figures a [`Paper`] has the [`Sentence`]s in which it states results. A test holds them against the items:
//! each is judged by one or says why it cannot be.

mod chang_mohapatra1998;
mod comparisons;
mod dataset;
mod diessel1996;
mod evidence;
mod figure;
mod gabl2006;
mod item;
mod load_curves;
mod median;
mod qna2013;
mod registry;
mod sentence;
mod stream;
mod walker2010;

pub use dataset::{DATASETS, Dataset, Located, Locating};
pub use evidence::{At, Evidence, LogFacts};
pub use figure::{Embedded, Experiment, Figure, MODEL, Paper, ROUNDS};
pub use item::{Item, Place, Published, Tolerance, Verdict};
pub use registry::PAPERS;
pub use sentence::{Judged, Sentence};
pub use stream::{STREAM, stream_logs, write_stream};
