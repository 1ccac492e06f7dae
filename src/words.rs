//! The words of messages: numbers with their nouns.

use std::fmt::Display;

/// Returns a number with its noun, which is in the plural unless the number is 1: `1 node`, `0 nodes`, `1,024 nodes`.
/// `count` is a whole number, or the digits of one.
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{plural}")
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
}
