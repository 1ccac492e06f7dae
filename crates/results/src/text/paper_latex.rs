//! Tables of papers in LaTeX, with spanning headings.

use super::escaped;
use super::paper_table::{PaperCell, PaperTable};

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
mod tests {
    use super::super::Screen;
    use super::super::paper_table::tests::example;
    use super::*;

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
