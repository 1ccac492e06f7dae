//! Published experiments: for each figure its studies, the numbers that were printed, and how ours compare.
//!
//! A [`Paper`] is a folder of data: a [`Figure`] names the studies that measure it, as study files whose logs are names
//! of [`Dataset`]s, and the rules by which what was measured, the [`Evidence`], becomes [`Finding`]s: published value,
//! measured value, verdict. Verdicts are computed, never written down. What no rule can measure is code beside the
//! data.
//!
//! Beside its figures a paper has the [`Sentence`]s in which it states results. A test holds them against the findings:
//! each is judged by one or says why it cannot be.

mod chang_mohapatra1998;
mod comparisons;
mod dataset;
mod diessel1996;
mod evidence;
mod finding;
mod gabl2006;
mod load;
mod median;
mod plot;
mod qna2013;
mod regenerate;
mod registry;
mod rules;
mod sentence;
mod shown;
mod stream;
mod walker2010;

pub use dataset::{DATASETS, Dataset, Located, Locating};
pub use evidence::{At, Evidence, LogFacts};
pub use finding::{Drawn, Finding, Place, Published, Tolerance, Verdict};
pub use load::{Embedded, Figure, MODEL, Paper, PaperError, ROUNDS};
pub use median::Median;
pub use plot::plot;
pub use regenerate::{Comparison, RegenerateError, Regeneration, Replays};
pub use registry::papers;
pub use rules::RuleError;
pub use sentence::Sentence;
pub use shown::{Format, shown};
pub use stream::{STREAM, stream_logs, write_stream};
