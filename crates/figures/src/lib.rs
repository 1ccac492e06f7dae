//! Pictures of results: plots of saved results, and drawings of machines for a terminal.
#![forbid(unsafe_code)]

mod clock;
mod downtimes;
pub mod draw;
mod error;
mod first_seeds;
mod in_means;
mod kind;
mod kinds;
mod load;
mod looks;
pub mod mark;
mod overwrite;
mod picture_format;
mod results;
pub mod show;

pub use clock::{Clock, Window};
pub use downtimes::downtimes;
pub use error::FigureError;
pub use first_seeds::{ShownJob, visit_shown_jobs};
pub use in_means::InMeans;
pub use kind::{Drawn, LoadAxis, Needs, PlotKind, PlotOptions, Setting};
pub use kinds::{PLOT_KINDS, pictures, plot_kind};
pub use load::Load;
pub use looks::looks;
pub use mark::{MARKED, is_marked, marked_png, marked_svg};
pub use overwrite::{OverwriteError, check_overwrite};
pub use picture_format::{NoFormat, PICTURE_FORMATS, PictureFormat, format_of_file, picture_format};
pub use results::{Curve, Results};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
