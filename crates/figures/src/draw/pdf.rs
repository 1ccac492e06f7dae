//! Renders drawings as PDF pages, whose letters can be selected and whose fonts are embedded.

use svg2pdf::{ConversionOptions, PageOptions, to_pdf};

use super::rendering::{RenderError, tree};

/// The number of CSS pixels in an inch. It makes a drawing that is 84 mm wide a page that is 84 mm wide.
const PIXELS_PER_INCH: f32 = 96.0;

/// Returns an SVG drawing as a PDF file of one page, which is as large as the drawing. Its last line is a
/// comment with `mark`. Fonts and colours come in an order that differs between runs, so two files of one
/// drawing show the same page and need not have the same bytes.
pub fn pdf(svg: &str, mark: &str) -> Result<Vec<u8>, RenderError> {
    let page = PageOptions { dpi: PIXELS_PER_INCH };
    let mut file = to_pdf(&tree(svg)?, ConversionOptions::default(), page)
        .map_err(|error| RenderError::Page(error.to_string()))?;
    file.extend_from_slice(format!("\n% {mark}\n").as_bytes());
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drawing with two fonts and bands of two opacities.
    const DRAWING: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"84mm\" height=\"60mm\" \
         viewBox=\"0 0 420 300\" font-family=\"DejaVu Sans\" font-size=\"12\"><text x=\"9\" y=\"20\">thin τ \
         ≤ é</text><text x=\"9\" y=\"60\" font-weight=\"bold\">bold</text><path d=\"M0 0 L9 9 L9 0 Z\" \
         fill=\"#ff0000\" fill-opacity=\"0.16\"/><path d=\"M0 0 L9 9 L9 0 Z\" fill=\"#0000ff\" \
         fill-opacity=\"0.5\"/></svg>";

    #[test]
    fn a_page_has_the_size_and_the_fonts_of_its_drawing() -> Result<(), Box<dyn std::error::Error>> {
        let file = pdf(DRAWING, "mark")?;
        let text = String::from_utf8_lossy(&file).into_owned();
        let numbers_of =
            |key: &str| text.split(key).nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
        let sides: Vec<f64> =
            numbers_of("/MediaBox [").split_whitespace().filter_map(|number| number.parse().ok()).collect();
        let points = [0.0, 0.0, 84.0 / 25.4 * 72.0, 60.0 / 25.4 * 72.0];
        assert_eq!(sides.len(), 4, "{text}");
        assert!(sides.iter().zip(points).all(|(side, wanted)| (side - wanted).abs() < 0.01), "{sides:?}");
        let count = |word: &str| text.matches(word).count();
        assert_eq!((count("/FontFile2"), count("/ToUnicode")), (2, 2), "{text}");
        assert!(text.contains("+DejaVuSans\n") && text.contains("+DejaVuSans-Bold\n"), "{text}");
        assert!(!text.contains("Date") && text.ends_with("%%EOF\n% mark\n"), "{text}");
        Ok(())
    }
}
