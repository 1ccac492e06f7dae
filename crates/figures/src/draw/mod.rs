//! Charts, bars and grids as SVG drawings, and PNG pictures and PDF pages made from them.
//!
//! The same drawing serves files, reports and PNG pictures. Its elements have colours as attributes for all
//! viewers, and CSS classes (`ink`, `grid`, `paper`, `quiet`) for themes of a page. We draw the axes
//! ourselves, because no available plotting library keeps legends off the data, supports themes and renders
//! pixels from the same drawing.

mod axis;
mod bars;
mod boxes;
mod chart;
mod data;
mod drawing;
mod grid;
mod legend;
mod look;
mod page;
mod panels;
mod point_labels;
mod rendering;
mod text;

pub use axis::{Axis, Scale};
pub use bars::{BarGroup, Bars, Range};
pub use boxes::{BOX_SHARES, BoxRow, Boxes};
pub use chart::{Chart, Kind, Point, Reference, Series};
pub use data::{PlotColumn, PlotValues};
pub use drawing::Drawing;
pub(crate) use drawing::PATTERNS;
pub use grid::{Grid, GridAxis, GridCell};
pub use look::Look;
pub(crate) use look::{COLOURS, DASHES, MARKERS, colour_of_hue};
#[cfg(test)]
pub(crate) use look::{contrast, luminance};
pub use page::{Names, Page, SizeMm};
pub use panels::{Panel, Panels};
pub use point_labels::PointLabel;
pub use rendering::{RenderError, pdf, png};
pub use text::{capitalized, decimals, joined};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_below_each_other_are_one() {
        let chart = |title: &str| Chart { title: title.to_owned(), ..Chart::default() }.draw();
        let one = chart("one").svg();
        assert_eq!(Drawing::stacked(vec![chart("one")]).svg(), one);
        let both = Drawing::stacked(vec![chart("one"), chart("two")]).svg();
        assert_eq!((both.matches("<svg").count(), both.matches("</svg>").count()), (1, 1));
        assert!(both.contains("translate(0 472)") && both.contains("height=\"944\""), "{both}");
        let heights =
            |svg: &str| u32::from_be_bytes(png(svg, 1.0).expect("pixels")[20..24].try_into().expect("four"));
        assert_eq!(heights(&both), 2 * heights(&one));
    }
}
