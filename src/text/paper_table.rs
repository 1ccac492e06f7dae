//! Tables with labels for rows and columns, as papers print them. They can be written as aligned text, Markdown, LaTeX,
//! CSV and JSON.

use serde_json::Value;

use super::escaped;
use super::screen::Screen;

/// A table with labels for rows and columns.
#[derive(Clone, Debug, Default)]
pub struct PaperTable {
    /// The title, which is printed above the table.
    pub title: String,
    /// The names of the row labels, one for each column of labels.
    pub corner: Vec<String>,
    /// The labels of each column. All columns have the same number of labels, and label `i` is printed in title line
    /// `i`.
    pub columns: Vec<Vec<String>>,
    /// The rows: the labels of each row, and its cells.
    pub rows: Vec<(Vec<String>, Vec<PaperCell>)>,
    /// The notes, which are printed below the table.
    pub notes: Vec<String>,
}

/// A cell of a [`PaperTable`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaperCell {
    /// The number as text; empty if there is no number.
    pub text: String,
    /// Whether the number is the best of its column.
    pub best: bool,
}

/// The text in place of a missing number.
const NONE: &str = "—";

impl PaperTable {
    /// Returns the table as lines of aligned text, with the best values in bold if the screen has bold letters. The last
    /// columns are left out if they have no room, and a line below the table says how many.
    pub fn text(&self, screen: Screen) -> String {
        let mut shown = self.clone();
        while screen.width.is_some_and(|width| shown.width() > width) && shown.columns.len() > 1 {
            shown.columns.pop();
            shown.rows.iter_mut().for_each(|(_, cells)| drop(cells.pop()));
        }
        let (count, left) = (self.columns.len(), self.columns.len() - shown.columns.len());
        let removed = (left > 0).then(|| format!("{left} of {count} columns"));
        let lines = shown.lines(screen.is_bold);
        let notes: String = self.notes.iter().map(|note| screen.words(note)).collect();
        let gap = if notes.is_empty() { "" } else { "\n" };
        let title = screen.words(&self.title);
        format!("{title}\n{lines}{gap}{notes}{}", screen.no_room_for(removed.as_slice()))
    }

    /// Returns the number of characters of the widest line of the table itself.
    fn width(&self) -> usize {
        self.lines(false).lines().map(|line| line.chars().count()).max().unwrap_or(0)
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

    /// Returns the title lines: one line for each label of a column. The last line also has the names of the row
    /// labels.
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
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let titles = self.corner.iter().cloned().chain(self.columns.iter().map(|labels| labels.join(" ")));
        let mut text = format!("{}\n\n", self.title);
        text += &line(titles.map(|title| escaped::markdown(&title)).collect());
        let rules = self.corner.iter().map(|_| ":---").chain(self.columns.iter().map(|_| "---:"));
        text += &line(rules.map(str::to_owned).collect());
        for (labels, cells) in &self.rows {
            let value = |cell: &PaperCell| match shown(cell) {
                text if cell.best => format!("**{text}**"),
                text => text,
            };
            text += &line(
                labels.iter().map(|label| escaped::markdown(label)).chain(cells.iter().map(value)).collect(),
            );
        }
        for note in &self.notes {
            text += &["\n", note, "\n"].concat();
        }
        text
    }

    /// Returns the table as a LaTeX tabular in the style of booktabs. The best values are in bold (`\textbf`).
    pub fn latex(&self) -> String {
        let escape_all = |cells: &[String]| cells.iter().map(|cell| escaped::latex(cell)).collect::<Vec<_>>();
        let value = |cell: &PaperCell| match (cell.text.is_empty(), cell.best) {
            (true, _) => "---".to_owned(),
            (false, true) => format!("\\textbf{{{}}}", escaped::latex(&cell.text)),
            (false, false) => escaped::latex(&cell.text),
        };
        let row = |(labels, cells): &(Vec<String>, Vec<PaperCell>)| {
            escape_all(labels).into_iter().chain(cells.iter().map(value)).collect()
        };
        let remarks: Vec<String> = std::iter::once(&self.title).chain(&self.notes).cloned().collect();
        let alignment = "l".repeat(self.corner.len()) + &"r".repeat(self.columns.len());
        let heads: Vec<Vec<String>> = self.head_lines().iter().map(|line| escape_all(line)).collect();
        escaped::tabular(&remarks, &alignment, &heads, &self.rows.iter().map(row).collect::<Vec<_>>())
    }

    /// Returns the table as a JSON list with an object for each row. Labels are texts, cells are numbers, and a missing
    /// number is null.
    pub fn json(&self) -> String {
        let titles: Vec<String> = self.columns.iter().map(|labels| labels.join(" ")).collect();
        // Columns keep their order, which a JSON object of the library would lose.
        let row = |(labels, cells): &(Vec<String>, Vec<PaperCell>)| {
            let labels = self.corner.iter().zip(labels);
            let entry = |name: &str, value: Value| format!("{}:{value}", Value::from(name));
            let labels = labels.map(|(name, label)| entry(name, Value::from(label.as_str())));
            let number = |cell: &PaperCell| cell.text.parse().map_or(Value::Null, Value::Number);
            let cells = titles.iter().zip(cells).map(|(title, cell)| entry(title, number(cell)));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> PaperTable {
        let cell = |text: &str, best| PaperCell { text: text.to_owned(), best };
        PaperTable {
            title: "pairwise_sum_mean".to_owned(),
            corner: vec!["allocator".to_owned()],
            columns: vec![
                vec!["A_1".to_owned(), "16x8".to_owned()],
                vec!["A_1".to_owned(), "8x8x4".to_owned()],
            ],
            rows: vec![
                (vec!["best-of:a|b".to_owned()], vec![cell("1,234.5", false), cell("", false)]),
                (vec!["x,y".to_owned()], vec![cell("7.0", true), cell("10.0", true)]),
            ],
            notes: vec!["a note".to_owned()],
        }
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
    fn latex_has_its_special_characters_escaped() {
        let text = "% pairwise_sum_mean (needs \\usepackage{booktabs})\n% a note\n\\begin{tabular}{lrr}\n\\toprule\n \
                    & A\\_1 & A\\_1 \\\\\nallocator & 16x8 & 8x8x4 \\\\\n\\midrule\n\
                    best-of:a\\textbar{}b & 1,234.5 & --- \\\\\nx,y & \\textbf{7.0} & \\textbf{10.0} \\\\\n\
                    \\bottomrule\n\\end{tabular}\n";
        assert_eq!(example().latex(), text);
    }

    #[test]
    fn csv_has_its_commas_quoted() {
        let text = "allocator,A_1 16x8,A_1 8x8x4\nbest-of:a|b,\"1,234.5\",\n\"x,y\",7.0,10.0\n";
        assert_eq!(example().csv(), text);
    }
}
