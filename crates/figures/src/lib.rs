//! Pictures of results: plots of saved results, and drawings of machines for a terminal.
#![forbid(unsafe_code)]

mod clock;
mod curves;
mod details;
pub mod draw;
mod error;
mod intervals;
mod kind;
mod kinds;
mod load;
mod looks;
pub mod mark;
mod picture_format;
mod results;
pub mod show;
mod span;
mod tradeoff;

pub use clock::{Clock, TimeWindow};
pub use curves::Curve;
pub use details::{ShownJob, downtimes, visit_shown_jobs};
pub use error::FigureError;
pub use intervals::{InMeans, Ratios};
pub use kind::{Drawn, LoadAxis, PlotKind, PlotOptions, Setting};
pub use kinds::{PLOT_KINDS, plot_kind};
pub use load::{Load, LoadKind};
pub use looks::{look, looks};
pub use mark::{MARKED, OverwriteError, check_overwrite, is_marked, marked_png, marked_svg};
pub use picture_format::{NoFormat, PICTURE_FORMATS, PictureFormat, format_of_file, picture_format};
pub use results::{Filter, Results, filtered};
pub use span::Span;
pub use tradeoff::{Tradeoff, draw_tradeoffs, tradeoffs};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
