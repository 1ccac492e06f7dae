//! Tables with labels for rows and columns, as papers print them. They can be written as aligned text,
//! Markdown, LaTeX, CSV and JSON.

use std::collections::BTreeSet;

use serde_json::Value;

use super::escaped;
use super::screen::Screen;
use crate::frame::FrameSchema;
use meshreplay_sim::metrics::ColumnType;

/// A table with labels for rows and columns.
#[derive(Clone, Debug, Default)]
pub struct PaperTable {
    /// The title, which is printed above the table.
    pub title: String,
    /// The names of the row labels, one for each column of labels.
    pub corner: Vec<String>,
    /// The names of the labels of columns, one for each title line; empty if the labels need none.
    pub column_names: Vec<String>,
    /// The labels of each column. All columns have the same number of labels, and label `i` is printed in
    /// title line `i`.
    pub columns: Vec<Vec<String>>,
    /// The rows: the labels of each row, and its cells.
    pub rows: Vec<(Vec<String>, Vec<PaperCell>)>,
    /// The notes, which are printed below the table.
    pub notes: Vec<String>,
    /// Positions of columns, least useful first, which are left out where there is no room. Columns not in
    /// this list go after these, the last one first.
    pub least_useful: Vec<usize>,
}

/// A cell of a [`PaperTable`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaperCell {
    /// The number as text; empty if there is no number.
    pub text: String,
    /// Whether the number is the best of those that it is compared with.
    pub best: bool,
}

/// The number of columns without room that are named one by one.
const NAMED: usize = 8;

/// The text in place of a missing number.
const NONE: &str = "—";

impl PaperTable {
    /// Returns the table as lines of aligned text, with the best values in bold if the screen has bold
    /// letters. Columns that have no room are left out, and a line below the table names them.
    pub fn text(&self, screen: Screen) -> String {
        let printable = self.printable();
        let removed = screen.width.map(|width| printable.without_room(width)).unwrap_or_default();
        let kept = |j: &usize| !removed.contains(j);
        let mut shown = Self { columns: Vec::new(), rows: Vec::new(), ..printable.clone() };
        for j in (0..self.columns.len()).filter(kept) {
            shown.columns.push(printable.columns[j].clone());
        }
        for (labels, cells) in &printable.rows {
            let cells = (0..cells.len()).filter(kept).map(|j| cells[j].clone()).collect();
            shown.rows.push((labels.clone(), cells));
        }
        let mut names: Vec<String> =
            removed.iter().take(NAMED).map(|&j| printable.columns[j].join(" ")).collect();
        names.extend(removed.len().checked_sub(NAMED + 1).map(|more| format!("{} more columns", more + 1)));
        let notes: String = printable.notes.iter().map(|note| screen.words(note)).collect();
        let gap = if notes.is_empty() { "" } else { "\n" };
        let (title, lines) = (screen.words(&printable.heading()), shown.lines(screen.is_bold));
        format!("{title}\n{lines}{gap}{notes}{}", screen.no_room_for(&names))
    }

    /// Returns the positions of the columns that have to be left out of lines of `width` characters, in their
    /// order. One column stays.
    fn without_room(&self, width: usize) -> BTreeSet<usize> {
        let lines = self.head_lines();
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
        let of_heads = |j: usize| widest(&mut lines.iter().map(|line| line[j].chars().count()));
        let labels = self.corner.len();
        let of_label =
            |j| of_heads(j).max(widest(&mut self.rows.iter().map(|(row, _)| row[j].chars().count())));
        let of_column = |j: usize| {
            let cells = &mut self.rows.iter().map(|(_, cells)| shown(&cells[j]).chars().count());
            of_heads(labels + j).max(widest(cells))
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(of_column).collect();
        // Two blanks precede each column, and one the first.
        let mut taken: usize =
            (0..labels).map(of_label).chain(widths.iter().copied()).map(|width| width + 2).sum();
        taken = taken.saturating_sub(1);
        let others = (0..self.columns.len()).rev().filter(|j| !self.least_useful.contains(j));
        let order: Vec<usize> = self.least_useful.iter().copied().chain(others).collect();
        let mut removed = BTreeSet::new();
        for &j in order.iter().take(self.columns.len().saturating_sub(1)) {
            if taken <= width {
                break;
            }
            taken -= widths[j] + 2;
            removed.insert(j);
        }
        removed
    }

    /// Escapes the control characters of the texts, which may contain names of files.
    pub(super) fn printable(&self) -> Self {
        let of_text = |text: &String| escaped::printable(text).into_owned();
        let of_all = |texts: &Vec<String>| texts.iter().map(of_text).collect::<Vec<_>>();
        let of_lines =
            |text: &String| text.split('\n').map(escaped::printable).collect::<Vec<_>>().join("\n");
        Self {
            title: of_lines(&self.title),
            corner: of_all(&self.corner),
            column_names: of_all(&self.column_names),
            columns: self.columns.iter().map(of_all).collect(),
            rows: self.rows.iter().map(|(labels, cells)| (of_all(labels), cells.clone())).collect(),
            notes: self.notes.iter().map(of_lines).collect(),
            least_useful: self.least_useful.clone(),
        }
    }

    /// Returns the lines of the table, without its title and its notes.
    fn lines(&self, bold: bool) -> String {
        let mut lines = self.head_lines();
        let heads = lines.len();
        for (labels, cells) in &self.rows {
            lines.push(labels.iter().cloned().chain(cells.iter().map(shown)).collect());
        }
        let width = |j: usize| lines.iter().map(|line| line[j].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.corner.len() + self.columns.len()).map(width).collect();
        let mut text = String::new();
        for (i, line) in lines.iter().enumerate() {
            let mut out = String::new();
            for (j, cell) in line.iter().enumerate() {
                let blanks = " ".repeat(widths[j] - cell.chars().count());
                let best = bold && i >= heads && j >= self.corner.len() && {
                    self.rows[i - heads].1[j - self.corner.len()].best
                };
                let cell = if best { format!("\x1b[1m{cell}\x1b[0m") } else { cell.clone() };
                let gap = if j == 0 { " " } else { "  " };
                out += gap;
                out += &if j < self.corner.len() { cell + &blanks } else { blanks + &cell };
            }
            text += out.trim_end();
            text.push('\n');
        }
        text
    }

    /// Returns the title lines: one line for each label of a column. The last line also has the names of the
    /// row labels.
    fn head_lines(&self) -> Vec<Vec<String>> {
        let depth = self.columns.first().map_or(1, Vec::len);
        let line = |k: usize| {
            let corner =
                self.corner.iter().map(|name| if k + 1 == depth { name.clone() } else { String::new() });
            corner.chain(self.columns.iter().map(|labels| labels[k].clone())).collect()
        };
        (0..depth).map(line).collect()
    }

    /// Returns the table in Markdown. The best values are in bold (`**`).
    pub fn markdown(&self) -> String {
        let whole = self.printable();
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let titles = whole.corner.iter().cloned().chain(whole.columns.iter().map(|labels| labels.join(" ")));
        let mut text = format!("{}\n\n", whole.heading());
        text += &line(titles.map(|title| escaped::markdown(&title)).collect());
        let rules = whole.corner.iter().map(|_| ":---").chain(whole.columns.iter().map(|_| "---:"));
        text += &line(rules.map(str::to_owned).collect());
        for (labels, cells) in &whole.rows {
            let value = |cell: &PaperCell| match shown(cell) {
                text if cell.best => format!("**{text}**"),
                text => text,
            };
            text += &line(
                labels.iter().map(|label| escaped::markdown(label)).chain(cells.iter().map(value)).collect(),
            );
        }
        for note in &whole.notes {
            text += &["\n", note, "\n"].concat();
        }
        text
    }

    /// Returns whether the labels in a title line are bare numbers, which need the name of their column.
    fn is_numbers(&self, line: usize) -> bool {
        line < self.column_names.len()
            && self
                .columns
                .iter()
                .all(|labels| labels.get(line).is_some_and(|label| label.parse::<f64>().is_ok()))
    }

    /// Returns the title, with the names of the columns' labels if some are bare numbers.
    fn heading(&self) -> String {
        let needs_names = (0..self.column_names.len()).any(|line| self.is_numbers(line));
        let names = if needs_names { self.column_names.join(", ") } else { String::new() };
        if names.is_empty() { self.title.clone() } else { format!("{} · columns: {names}", self.title) }
    }

    /// Returns the table as a JSON list with an object for each row. Labels are texts, cells are numbers, and
    /// a missing number is null.
    pub fn json(&self) -> String {
        let titles: Vec<String> = self.columns.iter().map(|labels| labels.join(" ")).collect();
        let schema = FrameSchema::summary();
        let is_number = |name: &str| schema.column(name).is_some_and(|column| column.kind != ColumnType::Str);
        // Columns keep their order, which a JSON object of the library would lose.
        let row = |(labels, cells): &(Vec<String>, Vec<PaperCell>)| {
            let labels = self.corner.iter().zip(labels);
            let entry = |name: &str, value: Value| format!("{}:{value}", Value::from(name));
            let number = |text: &str| text.parse().map_or(Value::Null, Value::Number);
            let labels = labels.map(|(name, label)| {
                let label = if is_number(name) { number(label) } else { Value::from(label.as_str()) };
                entry(name, label)
            });
            let cells = titles.iter().zip(cells).map(|(title, cell)| entry(title, number(&cell.text)));
            format!("{{{}}}", labels.chain(cells).collect::<Vec<_>>().join(","))
        };
        let rows: Vec<String> = self.rows.iter().map(|cells| format!("  {}", row(cells))).collect();
        if rows.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", rows.join(",\n")) }
    }

    /// Returns the table as comma-separated values. A missing number is an empty cell.
    pub fn csv(&self) -> String {
        let line = |cells: Vec<String>| escaped::csv_line(cells.iter().map(String::as_str));
        let titles = self.corner.iter().cloned().chain(self.columns.iter().map(|labels| labels.join(" ")));
        let mut text = line(titles.collect());
        for (labels, cells) in &self.rows {
            let values = cells.iter().map(|cell| cell.text.clone());
            text += &line(labels.iter().cloned().chain(values).collect());
        }
        text
    }
}

/// Returns the text of a cell, or a dash if it has no number.
fn shown(cell: &PaperCell) -> String {
    if cell.text.is_empty() { NONE.to_owned() } else { cell.text.clone() }
}

/// A heading above columns.
struct Heading {
    /// The text, escaped.
    label: String,
    /// The number of columns.
    columns: usize,
}

impl PaperTable {
    /// Returns the table as a LaTeX tabular in the style of booktabs, with spanning headings. The best values
    /// are in bold (`\textbf`), and a label of rows is printed once for adjacent rows.
    pub fn latex(&self) -> String {
        let whole = self.printable();
        let value = |cell: &PaperCell| match (cell.text.is_empty(), cell.best) {
            (true, _) => "---".to_owned(),
            (false, true) => format!("\\textbf{{{}}}", escaped::latex(&cell.text)),
            (false, false) => escaped::latex(&cell.text),
        };
        let mut above: &[String] = &[];
        let mut rows = Vec::new();
        for (labels, cells) in &whole.rows {
            let same = labels.iter().zip(above).take_while(|(label, above)| label == above).count();
            let shown = labels.iter().enumerate().map(|(i, label)| {
                if i < same && i + 1 < labels.len() { String::new() } else { escaped::latex(label) }
            });
            rows.push(shown.chain(cells.iter().map(value)).collect());
            above = labels;
        }
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
        let of_label = |i: usize| widest(&mut whole.rows.iter().map(|(labels, _)| labels[i].chars().count()));
        let of_column =
            |j: usize| widest(&mut whole.rows.iter().map(|(_, cells)| cells[j].text.chars().count()));
        let labels = (0..whole.corner.len()).map(of_label);
        let tabular = escaped::Tabular {
            title: &whole.title,
            alignment: "l".repeat(whole.corner.len()) + &"r".repeat(whole.columns.len()),
            heads: whole.latex_heads(),
            rows,
            notes: std::iter::once(&whole.title).chain(&whole.notes).cloned().collect(),
            width: labels.chain((0..whole.columns.len()).map(of_column)).map(|width| width + 2).sum(),
        };
        tabular.latex()
    }

    /// Returns the lines of the head in LaTeX. Adjacent columns with equal labels have one heading. Bare
    /// numbers have the name of their column in the heading above.
    fn latex_heads(&self) -> Vec<String> {
        let depth = self.columns.first().map_or(1, Vec::len);
        let name = |line: usize| {
            if self.is_numbers(line) { escaped::latex(&self.column_names[line]) } else { String::new() }
        };
        let mut lines = Vec::new();
        for line in 0..depth {
            // The heading of the first line, if it has one, spans all columns.
            let above: Vec<Heading> = match line {
                0 => vec![Heading { label: String::new(), columns: self.columns.len() }],
                _ => self.headings(line - 1),
            };
            let titled = above.iter().map(|Heading { label, columns }| Heading {
                label: [&**label, &name(line)]
                    .iter()
                    .filter(|text| !text.is_empty())
                    .copied()
                    .collect::<Vec<_>>()
                    .join(", "),
                columns: *columns,
            });
            let titled: Vec<Heading> = titled.collect();
            if titled.iter().any(|heading| !heading.label.is_empty()) {
                lines.extend(self.spanning(&titled));
            }
        }
        let labels = self.columns.iter().map(|labels| labels.last().map_or("", String::as_str));
        let cells = self.corner.iter().map(String::as_str).chain(labels);
        lines.push(escaped::latex_line(&cells.map(escaped::latex).collect::<Vec<_>>()));
        lines
    }

    /// Returns the headings of a title line: one for adjacent columns with equal labels up to this line.
    fn headings(&self, line: usize) -> Vec<Heading> {
        let same = |a: &Vec<String>, b: &Vec<String>| a[..=line] == b[..=line];
        let heading = |columns: &[Vec<String>]| Heading {
            label: escaped::latex(&columns[0][line]),
            columns: columns.len(),
        };
        self.columns.chunk_by(same).map(heading).collect()
    }

    /// Returns a line of headings, and the rules below those of several columns.
    fn spanning(&self, headings: &[Heading]) -> Vec<String> {
        let mut cells = vec![String::new(); self.corner.len()];
        let (mut rules, mut first) = (Vec::new(), self.corner.len() + 1);
        for Heading { label, columns } in headings {
            let last = first + columns - 1;
            cells.push(if *columns == 1 {
                label.clone()
            } else {
                format!("\\multicolumn{{{columns}}}{{c}}{{{label}}}")
            });
            rules.extend((*columns > 1).then(|| format!("\\cmidrule(lr){{{first}-{last}}}")));
            first = last + 1;
        }
        let rules = if rules.is_empty() { None } else { Some(rules.join(" ")) };
        std::iter::once(escaped::latex_line(&cells)).chain(rules).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::text) fn example() -> PaperTable {
        let cell = |text: &str, best| PaperCell { text: text.to_owned(), best };
        PaperTable {
            title: "pairwise_sum_mean".to_owned(),
            corner: vec!["allocator".to_owned()],
            column_names: vec!["log".to_owned(), "machine".to_owned()],
            columns: vec![
                vec!["A_1".to_owned(), "16x8".to_owned()],
                vec!["A_1".to_owned(), "8x8x4".to_owned()],
            ],
            rows: vec![
                (vec!["best-of:a|b".to_owned()], vec![cell("1,234.5", false), cell("", false)]),
                (vec!["x,y".to_owned()], vec![cell("7.0", true), cell("10.0", true)]),
            ],
            notes: vec!["a note".to_owned()],
            least_useful: Vec::new(),
        }
    }

    #[test]
    fn columns_without_room_are_left_out_by_their_use_and_named() {
        let on = |table: &PaperTable, width| table.text(Screen { width: Some(width), is_bold: false });
        let widest = |text: &str| text.lines().map(|line| line.chars().count()).max();
        // The widest line of the whole table has 28 characters.
        assert_eq!(on(&example(), 28), example().text(Screen::default()));
        let narrow = on(&example(), 27);
        assert!(narrow.contains("allocator       16x8\n") && !narrow.contains("16x8 "), "{narrow}");
        assert!(narrow.contains("no room for: A_1 8x8x4") && widest(&narrow) <= Some(27), "{narrow}");
        let narrow = on(&PaperTable { least_useful: vec![0], ..example() }, 27);
        assert!(
            narrow.contains("allocator    8x8x4\n") && narrow.contains("no room for: A_1 16x8"),
            "{narrow}"
        );
        // One column stays, however narrow the terminal is.
        assert!(on(&example(), 5).contains("best-of:a|b  1,234.5\n"), "{}", on(&example(), 5));
        let mut many = PaperTable { columns: vec![vec!["0123456789".to_owned()]; 12], ..example() };
        many.rows = vec![(vec!["a".to_owned()], vec![PaperCell::default(); 12])];
        assert!(
            on(&many, 24).replace("\n ", " ").contains("0123456789, 3 more columns"),
            "{}",
            on(&many, 24)
        );
    }

    #[test]
    fn text_is_aligned_whether_bold_or_not() {
        let plain = " pairwise_sum_mean\n\n                  A_1    A_1\n allocator       16x8  8x8x4\n \
                     best-of:a|b  1,234.5      —\n x,y              7.0   10.0\n\n a note\n";
        assert_eq!(example().text(Screen::default()), plain);
        let bold = example().text(Screen { is_bold: true, ..Screen::default() });
        assert!(bold.contains("\x1b[1m7.0\x1b[0m   \x1b[1m10.0\x1b[0m"), "{bold}");
        assert_eq!(bold.replace("\x1b[1m", "").replace("\x1b[0m", ""), plain);
    }

    #[test]
    fn markdown_has_its_bars_escaped() {
        let text = "pairwise_sum_mean\n\n| allocator | A_1 16x8 | A_1 8x8x4 |\n| :--- | ---: | ---: |\n\
                    | best-of:a\\|b | 1,234.5 | — |\n| x,y | **7.0** | **10.0** |\n\na note\n";
        assert_eq!(example().markdown(), text);
    }

    #[test]
    fn csv_has_its_commas_quoted() {
        let text = "allocator,A_1 16x8,A_1 8x8x4\nbest-of:a|b,\"1,234.5\",\n\"x,y\",7.0,10.0\n";
        assert_eq!(example().csv(), text);
    }

    #[test]
    fn latex_has_its_special_characters_escaped() {
        let text = "% pairwise_sum_mean (needs \\usepackage{booktabs})\n\\begin{tabular}{lrr}\n\\toprule\n & \
                    \\multicolumn{2}{c}{A\\_1} \\\\\n\\cmidrule(lr){2-3}\nallocator & 16x8 & 8x8x4 \\\\\n\\midrule\n\
                    best-of:a\\textbar{}b & 1,234.5 & --- \\\\\nx,y & \\textbf{7.0} & \\textbf{10.0} \\\\\n\
                    \\bottomrule\n\\multicolumn{3}{l}{\\footnotesize pairwise\\_sum\\_mean} \\\\\n\
                    \\multicolumn{3}{l}{\\footnotesize a note} \\\\\n\\end{tabular}\n";
        assert_eq!(example().latex(), text);
    }

    #[test]
    fn bare_numbers_have_a_heading() {
        let columns = |texts: &[&str]| -> Vec<Vec<String>> {
            texts.iter().map(|text| text.split(' ').map(str::to_owned).collect()).collect()
        };
        let names = |text: &str| text.split(' ').map(str::to_owned).collect();
        let heads = |column_names, columns| PaperTable { column_names, columns, ..example() }.latex_heads();
        let head = heads(names("log scale"), columns(&["a 1", "a 0.8", "b 1"]));
        assert_eq!(
            head,
            [
                r" & \multicolumn{2}{c}{a, scale} & b, scale \\",
                r"\cmidrule(lr){2-3}",
                r"allocator & 1 & 0.8 & 1 \\"
            ]
        );
        let head = heads(names("scale log"), columns(&["1 a", "1 b", "0.8 a"]));
        assert_eq!(
            head,
            [
                r" & \multicolumn{3}{c}{scale} \\",
                r"\cmidrule(lr){2-4}",
                r" & \multicolumn{2}{c}{1} & 0.8 \\",
                r"\cmidrule(lr){2-3}",
                r"allocator & a & b & a \\"
            ]
        );
        let table =
            PaperTable { column_names: names("log scale"), columns: columns(&["a 1", "a 0.8"]), ..example() };
        assert!(table.markdown().starts_with("pairwise_sum_mean · columns: log, scale\n"));
        assert!(table.text(Screen::default()).starts_with(" pairwise_sum_mean · columns: log, scale\n"));
    }
}
