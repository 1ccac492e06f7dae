//! Escapes text for Markdown, LaTeX and CSV, and writes the body of LaTeX tables.

use std::borrow::Cow;
use std::fmt::Write;

use super::table::wrapped_words;

/// Returns whether a character changes the direction of text. Such a character in a name could reorder the
/// text after it on the screen (N. Boucher, R. Anderson, "Trojan Source", 2021).
fn turns_text(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Escapes control characters and characters that change the direction of text by their numbers, such as
/// `\u{1b}`. A name from a file can then neither control a terminal nor break a line. Backslashes stay, as in
/// `DOMAIN\user`: a name looks the same as another one only if it has such a number spelt out, and not if it
/// has a part such as `\t`. Borrows a text without such characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| c.is_control() || turns_text(c);
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_odd(c) { escaped.extend(c.escape_unicode()) } else { escaped.push(c) }
    }
    Cow::Owned(escaped)
}

/// Escapes a whole text for a terminal: line breaks, tabs and the sequences for bold and coloured letters
/// stay, other control characters become as in [`printable`]. Not for data such as comma-separated values,
/// which keep names unchanged.
pub fn for_terminal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_control() && !matches!(c, '\n' | '\t') || turns_text(c)) {
        shown += &rest[..at];
        rest = &rest[at..];
        let sequence = rest.strip_prefix("\u{1b}[").and_then(|look| {
            let length = look.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
            look[length..].starts_with('m').then_some(length + 3)
        });
        let length = sequence.or_else(|| rest.chars().next().map(char::len_utf8)).unwrap_or(rest.len());
        let (odd, behind) = rest.split_at(length);
        shown += &if sequence.is_some() { Cow::Borrowed(odd) } else { printable(odd) };
        rest = behind;
    }
    shown + rest
}

/// Escapes the control characters that XML and HTML forbid even as entities, by their numbers, such as
/// `\\u{1b}`. Line breaks and tabs stay. Characters that change the direction of text become as in JSON, such
/// as `\\u202e`, because they may be inside JSON in the document.
pub fn well_formed(document: String) -> String {
    let is_wrong =
        |c: char| c.is_control() && !matches!(c, '\n' | '\t') || matches!(c, '\u{fffe}' | '\u{ffff}');
    if !document.contains(|c| is_wrong(c) || turns_text(c)) {
        return document;
    }
    let mut whole = String::with_capacity(document.len() + 16);
    for c in document.chars() {
        match c {
            c if turns_text(c) => {
                // Writing to memory cannot fail.
                let _ = write!(whole, "\\u{:04x}", u32::from(c));
            }
            c if is_wrong(c) => whole.extend(c.escape_unicode()),
            c => whole.push(c),
        }
    }
    whole
}

/// Returns `text` escaped for a cell of a Markdown table, so that it contains no markup and does not end the
/// cell. Code between backticks stays code.
pub(super) fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut is_code = false;
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // A backtick switches code on or off.
        is_code ^= c == '`';
        let is_special = match c {
            '*' | '<' | '[' | ']' | '\\' => true,
            // Within a word, Markdown takes an underscore for a plain character.
            '_' => ![before, rest.peek().copied()].iter().all(|c| c.is_some_and(char::is_alphanumeric)),
            _ => false,
        };
        // A bar ends a cell even within code, where nothing else is special.
        if c == '|' || is_special && !is_code {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
    escaped
}

/// The characters with which a formula of a spreadsheet begins.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Returns whether a spreadsheet could take `text` for a formula, which can load files and run programs.
/// Numbers and single characters are none.
fn is_formula(text: &str) -> bool {
    text.starts_with(FORMULA) && text.len() > 1 && text.parse::<f64>().is_err()
}

/// Returns `text` for a cell of comma-separated values. A text that a spreadsheet could take for a formula
/// gets an apostrophe in front. So does a text that begins with apostrophes before such a text, which makes
/// this reversible: see [`from_cell`].
pub fn to_cell(text: &str) -> Cow<'_, str> {
    if is_formula(text.trim_start_matches('\'')) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns the text that [`to_cell`] has put into a cell.
pub fn from_cell(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if is_formula(text.trim_start_matches('\'')) => text,
        _ => cell,
    }
}

/// Returns a line of comma-separated values with a line feed at its end. Cells are quoted if they hold
/// commas, quotation marks or line breaks. What could be a formula begins with an apostrophe, see
/// [`to_cell`]. Control characters except line feeds and tabs are escaped as in [`printable`]: readers take a
/// carriage return for the end of the line, and terminals obey escapes.
pub fn csv_line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |text: &'a str| {
        let text = to_cell(text);
        let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        let text = if text.contains(is_odd) {
            let spelt = |c: char| if is_odd(c) { c.escape_unicode().to_string() } else { c.to_string() };
            Cow::Owned(text.chars().map(spelt).collect())
        } else {
            text
        };
        if text.contains([',', '"', '\n', '\r']) {
            Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
        } else {
            text
        }
    };
    cells.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// Returns `text` escaped for LaTeX, which then prints it unchanged.
pub(super) fn latex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    for (i, c) in text.chars().enumerate() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '~' => escaped += r"\textasciitilde{}",
            '^' => escaped += r"\textasciicircum{}",
            '\\' => escaped += r"\textbackslash{}",
            '|' => escaped += r"\textbar{}",
            '<' => escaped += r"\textless{}",
            '>' => escaped += r"\textgreater{}",
            // After `\\`, LaTeX would read a star or a bracket as an argument of the line break.
            '[' | '*' if i == 0 => escaped.extend(['{', c, '}']),
            // LaTeX joins two of these characters into one dash or one quotation mark (ligatures).
            '-' | '\'' | '`' if before == Some(c) => escaped.extend(['{', '}', c]),
            '−' => escaped += "$-$",
            '≤' => escaped += r"$\leq$",
            '≥' => escaped += r"$\geq$",
            '→' => escaped += r"$\to$",
            'Σ' => escaped += r"$\Sigma$",
            'σ' => escaped += r"$\sigma$",
            'λ' => escaped += r"$\lambda$",
            '√' => escaped += r"$\surd$",
            _ => escaped.push(c),
        }
        before = Some(c);
    }
    escaped
}

/// A LaTeX tabular in the style of booktabs.
pub(super) struct Tabular<'a> {
    /// The content of the table, for a comment above it.
    pub(super) title: &'a str,
    /// One letter for each column.
    pub(super) alignment: String,
    /// The lines of the head, as LaTeX.
    pub(super) heads: Vec<String>,
    /// The cells, escaped.
    pub(super) rows: Vec<Vec<String>>,
    /// The notes below the table.
    pub(super) notes: Vec<String>,
    /// The width of the table in characters, for which notes are broken into lines.
    pub(super) width: usize,
}

/// The least width of notes below a table, in characters.
const NARROWEST: usize = 40;

/// Returns a line of a tabular.
pub(super) fn latex_line(cells: &[String]) -> String {
    format!("{} \\\\", cells.join(" & "))
}

impl Tabular<'_> {
    /// Returns the tabular. Its notes are lines of it, so that they move and scale with it.
    pub(super) fn latex(&self) -> String {
        // A comment in LaTeX ends with its line, so a title must not contain line breaks.
        let title = self.title.replace(['\n', '\r'], " ");
        let mut text = format!("% {title} (needs \\usepackage{{booktabs}})\n");
        text += &["\\begin{tabular}{", &self.alignment, "}\n\\toprule\n"].concat();
        let columns = self.alignment.len();
        let notes: Vec<String> =
            self.notes.iter().map(|note| wrapped_words(note, self.width.max(NARROWEST))).collect();
        let note = |line: &str| {
            latex_line(&[format!("\\multicolumn{{{columns}}}{{l}}{{\\footnotesize {}}}", latex(line))])
        };
        let rows = self.rows.iter().map(|row| latex_line(row));
        let lines = self.heads.iter().cloned().chain(["\\midrule".to_owned()]).chain(rows);
        for line in lines
            .chain(["\\bottomrule".to_owned()])
            .chain(notes.iter().flat_map(|note| note.lines().map(str::trim)).map(note))
        {
            text += &line;
            text.push('\n');
        }
        text + "\\end{tabular}\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(printable("a\u{1b}[31mb\nc\u{85}\u{7}"), r"a\u{1b}[31mb\u{a}c\u{85}\u{7}");
        // Two users, also in files of CSV.
        assert_eq!(printable("a\tb"), r"a\u{9}b");
        assert_eq!(printable(r"a\tb DOMAIN\user"), r"a\tb DOMAIN\user");
        assert_eq!(printable("ä·→"), "ä·→");
        assert_eq!(
            well_formed("<a>\u{1b}\u{0}\n\t\u{ffff}ä</a>".to_owned()),
            "<a>\\u{1b}\\u{0}\n\t\\u{ffff}ä</a>"
        );
    }

    /// `user\u{202e}0.1` would reverse the rest of the line.
    #[test]
    fn names_turn_no_text() {
        assert_eq!(printable("a\u{202e}b\u{2066}"), r"a\u{202e}b\u{2066}");
        assert_eq!(well_formed("<a>\u{202e}ש</a>".to_owned()), r"<a>\u202eש</a>");
    }

    #[test]
    fn terminals_get_colours_and_nothing_else() {
        for (text, shown) in [
            ("a,b\nc\t\u{1b}[1;31md\u{1b}[0m\n", "a,b\nc\t\u{1b}[1;31md\u{1b}[0m\n"),
            ("\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}", r"\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}"),
            ("a\u{202e}b\u{9b}31m", r"a\u{202e}b\u{9b}31m"),
            ("", ""),
        ] {
            assert_eq!(for_terminal(text), shown);
        }
    }

    #[test]
    fn formulas_are_texts_in_cells() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("@SUM(1)", "'@SUM(1)"),
            ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("-1.5e3", "-1.5e3"),
            ("-", "-"),
            ("'a", "'a"),
            ("a=1", "a=1"),
            ("", ""),
        ] {
            assert_eq!(to_cell(text), cell);
            assert_eq!(from_cell(cell), text);
        }
        assert_eq!(csv_line(["=A(\"b\")", "-1"]), "\"'=A(\"\"b\"\")\",-1\n");
        assert_eq!(csv_line(["a\rb", "\u{1b}[2J", "c\nd"]), "a\\u{d}b,\\u{1b}[2J,\"c\nd\"\n");
    }

    #[test]
    fn special_characters_are_only_themselves() {
        for (text, expected) in [
            ("best-of:a|b", r"best-of:a\|b"),
            ("a*b <c> \\d", r"a\*b \<c> \\d"),
            ("`a*b|c_` * d_e _f_", r"`a*b\|c_` \* d_e \_f\_"),
            ("[a](http:b)", r"\[a\](http:b)"),
        ] {
            assert_eq!(markdown(text), expected);
        }
        for (text, expected) in [
            ("50% of a_b & #1 {$}", r"50\% of a\_b \& \#1 \{\$\}"),
            (
                "~^\\|<>",
                r"\textasciitilde{}\textasciicircum{}\textbackslash{}\textbar{}\textless{}\textgreater{}",
            ),
            ("[a] *", "{[}a] *"),
            ("* [b]", "{*} [b]"),
            ("a---b", "a-{}-{}-b"),
            ("−1 ≤ ±2", r"$-$1 $\leq$ ±2"),
        ] {
            assert_eq!(latex(text), expected);
        }
    }
}
