//! Words in messages: numbers with nouns, and excerpts of the input.

use std::fmt::Display;

/// Returns a number with its noun, in the plural unless the number is 1: `1 node`, `0 nodes`, `1,024 nodes`.
/// `count` is a whole number, or its digits.
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Characters in an excerpt.
const MOST: usize = 40;

/// Returns the beginning of an input text for a message, with unprintable characters escaped and `…` after a
/// cut.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    for letter in text.chars().take(MOST) {
        // Messages put an excerpt between single quotes.
        match letter {
            '"' => shown.push(letter),
            _ => shown.extend(letter.escape_debug()),
        }
    }
    if text.chars().nth(MOST).is_some() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_no_plural() {
        let words =
            [counted(1, "node"), counted(0, "node"), counted("1,024", "record"), counted(11_u64, "job")];
        assert_eq!(words, ["1 node", "0 nodes", "1,024 records", "11 jobs"]);
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt("a\tb\u{1b}"), "a\\tb\\u{1b}");
        assert_eq!(excerpt("{\"id\": '7'}"), "{\"id\": \\'7\\'}");
        assert_eq!(excerpt(&"ä".repeat(40)), "ä".repeat(40));
        assert_eq!(excerpt(&"ä".repeat(41)), "ä".repeat(40) + "…");
    }
}
