//! What fits the terminal: tables lose their least useful columns, and other text goes on in further lines.

use super::escaped::printable;
use super::table::{TextTable, wrapped_words};

/// The terminal that a text is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// The number of characters of a line; `None` if lines may have any length, as in a pipe.
    pub width: Option<usize>,
    /// Whether letters may be bold.
    pub is_bold: bool,
}

impl Screen {
    /// Returns the table, with its marked cells in bold letters if the screen has them. Columns that have no
    /// room are left out, the first of `by_use` first, and a line below the table names them.
    pub fn table(self, table: &TextTable, by_use: &[&str]) -> String {
        let mut shown = table.clone();
        let removed = self.width.map(|width| shown.fit(width, by_use)).unwrap_or_default();
        let text = if self.is_bold { shown.bold_text() } else { shown.text() };
        text + &self.no_room_for(&removed)
    }

    /// Returns the table as [`Self::table`] does; columns are left out from the right, and the first `kept`
    /// stay.
    pub fn table_from_left(self, table: &TextTable, kept: usize) -> String {
        let (mut shown, mut removed) = (table.clone(), Vec::new());
        while self.width.is_some_and(|width| shown.width() > width) && shown.titles().count() > kept {
            removed.extend(shown.pop_column());
        }
        removed.reverse();
        shown.text() + &self.no_room_for(&removed)
    }

    /// Returns a line with the columns that had no room and how to see them, after an empty line; an empty
    /// text if all had room.
    pub fn no_room_for(self, removed: &[String]) -> String {
        if removed.is_empty() {
            return String::new();
        }
        let note = format!("no room for: {} (COLUMNS=200 or a pipe shows all)", removed.join(", "));
        format!("\n{}", self.words(&note))
    }

    /// Returns the items with dots between them, in lines with a blank before each; an empty text without
    /// items.
    pub fn items(self, items: &[String]) -> String {
        let (mut text, mut line) = (String::new(), String::new());
        for item in items {
            // A blank at the beginning, and a dot with its blanks between the two.
            let length = 1 + line.chars().count() + 3 + item.chars().count();
            if !line.is_empty() && self.width.is_some_and(|width| length > width) {
                text += &[" ", line.as_str(), "\n"].concat();
                line.clear();
            }
            if !line.is_empty() {
                line += " · ";
            }
            line += item;
        }
        if line.is_empty() { text } else { text + &format!(" {line}\n") }
    }

    /// Returns a sentence in lines with a blank before each.
    pub fn words(self, text: &str) -> String {
        wrapped_words(text, self.width.unwrap_or(usize::MAX))
    }

    /// Wraps the lines of a text; continuation lines begin with `indent` blanks. A word that is longer than a
    /// line stays whole. Control characters are escaped, because names in the text may come from files.
    pub fn hanging(self, text: &str, indent: usize) -> String {
        let mut shown = String::new();
        for line in text.lines() {
            let line = printable(line);
            let Some(width) = self.width else {
                shown += &[&line, "\n"].concat();
                continue;
            };
            let mut length = 0;
            // Leading blanks and alignment are kept.
            for word in line.split_inclusive(' ') {
                let letters = word.trim_end().chars().count();
                if length > indent && letters > 0 && length + letters > width {
                    shown.truncate(shown.trim_end().len());
                    shown += &["\n", &" ".repeat(indent)].concat();
                    length = indent;
                }
                shown += word;
                length += word.chars().count();
            }
            shown.push('\n');
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::super::Align;
    use super::*;

    const NARROW: Screen = Screen { width: Some(24), is_bold: false };

    fn example() -> TextTable {
        let mut table = TextTable::new(&["name", "what", "source"].map(|title| (title, Align::Left)));
        table.add(["first", "some words", "A. Author, 1990"].map(str::to_owned).into());
        table
    }

    #[test]
    fn columns_without_room_are_named() {
        let text = NARROW.table_from_left(&example(), 1);
        assert!(text.starts_with(" name   what\n first  some words\n\n no room for: source"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 24), "{text}");
        assert_eq!(Screen::default().table_from_left(&example(), 1), example().text());
        let text = NARROW.table(&example(), &["what"]);
        assert!(text.contains("no room for: what"), "{text}");
    }

    #[test]
    fn long_lines_go_on_below_their_values() {
        let text = "log     a file of words and more\nsha256  0123456789abcdef0123456789\n";
        let expected = "log     a file of words\n        and more\nsha256  0123456789abcdef0123456789\n";
        assert_eq!(NARROW.hanging(text, 8), expected);
        assert_eq!(Screen::default().hanging(text, 8), text);
    }

    #[test]
    fn items_are_never_broken() {
        let items = ["machine 16x16", "scheduler easy", "seed 1", "scale 2"].map(str::to_owned);
        assert_eq!(NARROW.items(&items), " machine 16x16\n scheduler easy · seed 1\n scale 2\n");
        assert_eq!(Screen::default().items(&items), " machine 16x16 · scheduler easy · seed 1 · scale 2\n");
        assert_eq!(NARROW.items(&[]), "");
    }
}
