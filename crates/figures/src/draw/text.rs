//! Texts of drawings: their width before they are drawn, line breaks, and numbers with four digits.

use meshreplay_results::text::grouped;

/// Height of a line of labels, in pixels.
pub(super) const LINE: f64 = 16.0;
/// Size of the font, in pixels.
pub(super) const SIZE: f64 = 12.0;

/// Returns the approximate width of a text in pixels, from typical widths of letters in a sans-serif font of
/// 12 pixels.
pub(super) fn width(text: &str) -> f64 {
    let em = |c: char| match c {
        'i' | 'l' | 'j' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | '!' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '—' => 0.92,
        c if c.is_uppercase() => 0.72,
        _ => 0.63,
    };
    text.chars().map(em).sum::<f64>() * SIZE
}

/// Returns the width of the widest text in pixels; 0 if there is none.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>) -> f64 {
    texts.into_iter().map(width).fold(0.0, f64::max)
}

/// Breaks a text at blanks into lines of at most `room` pixels. A wider word is broken behind its commas, and
/// a part without commas may be wider.
pub(super) fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let parts: Vec<&str> =
            if width(word) > room { word.split_inclusive(',').collect() } else { vec![word] };
        for (i, part) in parts.into_iter().enumerate() {
            let gap = if i == 0 { " " } else { "" };
            match lines.last_mut() {
                Some(line) if width(&[&**line, gap, part].concat()) <= room => *line += &[gap, part].concat(),
                last => {
                    // A dot joins parts of a line, so no line ends or begins with one.
                    if let Some(line) = last
                        && let Some(before) = line.strip_suffix(" ·")
                    {
                        *line = before.to_owned();
                    }
                    lines.push(part.to_owned());
                }
            }
        }
    }
    lines
}

/// Joins the parts of a subtitle with dots. Empty parts are left out.
pub fn joined<S: AsRef<str>>(parts: &[S]) -> String {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).filter(|part| !part.is_empty()).collect();
    parts.join(" · ")
}

/// Returns a text with a capital letter at its beginning.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the number of decimals with which `value` has `digits` significant digits, 9 at most.
pub fn decimals(value: f64, digits: i32) -> usize {
    if value == 0.0 || value.is_nan() {
        return 0;
    }
    (f64::from(digits - 1) - value.abs().log10().floor()).clamp(0.0, 9.0) as usize
}

/// Returns a number as text with four significant digits.
pub(super) fn four_digits(value: f64) -> String {
    grouped(value, decimals(value, 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_ends_with_a_dot_that_joins() {
        assert_eq!(wrapped("random · KTH · 10x10 · easy", 160.0), ["random · KTH · 10x10", "easy"]);
    }
}
