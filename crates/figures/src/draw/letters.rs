//! The size of letters, lines and texts, as far as it is known before they are drawn.

/// The height of a line of labels, in pixels.
pub(super) const LINE: f64 = 16.0;
/// The size of the font, in pixels.
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
