//! Plots: charts, bars and grids as SVG, and as PNG made of it.
//!
//! One drawing serves files, reports and pixels: elements carry their colours as attributes, which any viewer understands,
//! and classes (`ink`, `grid`, `paper`, `quiet`), by which a page in another theme restyles them. A library for plots would
//! have drawn the axes; none at hand keeps legends off the data, knows themes, and makes pixels of the same drawing.

mod bars;
mod canvas;
mod chart;
mod grid;
mod png;
mod style;
mod ticks;

pub use bars::{BarGroup, Bars};
pub use chart::{Axis, Chart, Kind, Point, Series};
pub use grid::{Grid, GridCell};
pub use png::{PngError, png};
pub use style::Style;
pub use ticks::Scale;
