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

/// Drawings of this module below each other, as one.
pub fn stacked(drawings: &[String]) -> String {
    if let [drawing] = drawings {
        return drawing.clone();
    }
    let (mut widest, mut high, mut inner) = (0.0_f64, 0.0_f64, String::new());
    for drawing in drawings {
        let Some((head, body)) = drawing.split_once('>') else { continue };
        let side = |name: &str| -> f64 {
            let value = head.split(name).nth(1).and_then(|rest| rest.split('"').next());
            value.and_then(|value| value.parse().ok()).unwrap_or_default()
        };
        let body = body.trim_end().trim_end_matches("</svg>");
        inner += &[&format!("<g transform=\"translate(0 {high})\">"), body, "</g>\n"].concat();
        widest = widest.max(side(" width=\""));
        high += side(" height=\"");
    }
    let [family, size] = ["DejaVu Sans, Verdana, sans-serif", "12"];
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {widest} {high}\" width=\"{widest}\" height=\"{high}\" \
         role=\"img\" font-family=\"{family}\" font-size=\"{size}\">\n\
         <rect class=\"paper\" width=\"{widest}\" height=\"{high}\" fill=\"#ffffff\"/>\n{inner}</svg>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_below_each_other_are_one() {
        let chart = |title: &str| Chart { title: title.to_owned(), ..Chart::default() }.svg();
        let (one, two) = (chart("one"), chart("two"));
        assert_eq!(stacked(std::slice::from_ref(&one)), one);
        let both = stacked(&[one.clone(), two]);
        assert_eq!((both.matches("<svg").count(), both.matches("</svg>").count()), (1, 1));
        assert!(both.contains("translate(0 468)") && both.contains("height=\"936\""), "{both}");
        let heights =
            |svg: &str| u32::from_be_bytes(png(svg, 1.0).expect("pixels")[20..24].try_into().expect("four"));
        assert_eq!(heights(&both), 2 * heights(&one));
    }
}
