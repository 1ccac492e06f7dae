//! Tables in blocks: one panel per measure with a row per log and machine and a column per allocator.

use std::ops::Range;

use super::PaperTable;
use super::escaped::{self, latex, latex_line};
use super::paper_table::PaperCell;
use super::screen::Screen;

/// A table in blocks, whose panels all have the same columns.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The content of the table in a few words.
    pub title: String,
    /// The classes of adjacent columns, in order.
    pub classes: Vec<ColumnClass>,
    /// The blocks, such as one per scheduler and load.
    pub blocks: Vec<LayoutBlock>,
    /// The notes below all blocks.
    pub notes: Vec<String>,
}

/// Adjacent columns with a common heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnClass {
    /// The heading.
    pub title: String,
    /// The number of columns.
    pub columns: usize,
}

/// A block of a [`Layout`].
#[derive(Clone, Debug, Default)]
pub struct LayoutBlock {
    /// What the block is about, such as the scheduler and the load.
    pub title: String,
    /// One table per measure, with one label per column and titles that name the measures.
    pub panels: Vec<PaperTable>,
}

impl Layout {
    /// Returns the table as lines of aligned text, with the best values in bold if the screen has bold
    /// letters.
    pub fn text(&self, screen: Screen) -> String {
        let notes: Vec<String> =
            self.notes.iter().map(|note| screen.words(&escaped::printable(note))).collect();
        self.titled().map(|panel| panel.text(screen) + "\n").chain(notes).collect()
    }

    /// Returns the table in Markdown. The best values are in bold (`**`).
    pub fn markdown(&self) -> String {
        let notes: Vec<String> = self.notes.iter().map(|note| escaped::markdown(note) + "\n").collect();
        let panels = self.titled().map(|panel| panel.markdown());
        panels.chain(notes).collect::<Vec<_>>().join("\n")
    }

    /// Returns the panels, with the titles of their blocks in front of their own.
    fn titled(&self) -> impl Iterator<Item = PaperTable> {
        self.blocks.iter().flat_map(|block| {
            let titled = |panel: &PaperTable| PaperTable {
                title: format!("{} · {}", block.title, panel.title),
                ..panel.clone()
            };
            block.panels.iter().map(titled)
        })
    }
}

// Tables in blocks as LaTeX of a given width: the type gets smaller, down to 7 points, blocks get fewer
// columns, and long names become letters with a legend, until every line fits. Widths of texts are upper
// bounds for Computer Modern, and hold for narrower fonts.

/// Points per millimetre.
const POINTS_PER_MM: f64 = 72.27 / 25.4;
/// Sizes of type in points for tables with all columns in one block, and whether names are broken.
const WHOLE: [(u8, bool); 5] = [(9, false), (9, true), (8, false), (8, true), (7, true)];
/// Sizes of type in points for tables with fewer columns per block.
const SPLIT: [u8; 2] = [8, 7];
/// The greatest width of a name beside or above numbers, in ems, where there is little room.
const LONGEST: f64 = 7.0;
/// Space between columns, in points.
const GAP: f64 = 6.0;
/// The text in place of a missing number.
const NONE: &str = "---";

/// The form of a table on paper.
struct Form {
    /// The size of type in points.
    points: u8,
    /// Whether names of columns that are wider than the numbers below them are broken into lines.
    is_broken: bool,
    /// The columns of each part of a block.
    parts: Vec<Range<usize>>,
}

/// A table that is wider than the paper in the smallest type, even with one column of numbers per block.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the table is wider than {given_mm} mm in the smallest type; --size {needed_mm}mm has room for it")]
pub struct TooWide {
    /// The given width in millimetres.
    pub given_mm: f64,
    /// A width in millimetres with room for the table.
    pub needed_mm: f64,
}

impl Form {
    /// Returns a sort key: less for the better form.
    fn badness(&self) -> (usize, u8) {
        (self.parts.len(), u8::MAX - self.points)
    }
}

impl Layout {
    /// Returns the table as LaTeX of at most `width_mm` for booktabs: a tabular per block, or several with
    /// fewer columns, and the notes below them. Long names get a legend if that at least halves the parts.
    /// Fails if one column of numbers is too wide.
    pub fn latex(&self, width_mm: f64) -> Result<String, TooWide> {
        let short = self.with_legend();
        match (self.form(width_mm), short.form(width_mm)) {
            (Ok(form), Ok(other)) if 2 * other.parts.len() <= form.parts.len() => {
                Ok(short.typeset(width_mm, &other))
            }
            (Ok(form), _) => Ok(self.typeset(width_mm, &form)),
            (Err(_), other) => Ok(short.typeset(width_mm, &other?)),
        }
    }

    /// Returns the table with letters and numbers in place of long names, and a note with the names.
    fn with_legend(&self) -> Self {
        let mut short = self.clone();
        let mut legend = Legend::default();
        for panel in short.blocks.iter_mut().flat_map(|block| &mut block.panels) {
            for (labels, _) in &mut panel.rows {
                labels.iter_mut().zip(&panel.corner).for_each(|(label, kind)| legend.shorten(kind, label));
            }
            for label in panel.columns.iter_mut().filter_map(|labels| labels.last_mut()) {
                legend.shorten("allocator", label);
            }
        }
        let names: Vec<String> =
            legend.names.iter().map(|(name, short)| format!("{short}: {name}")).collect();
        short.notes.splice(0..0, (!names.is_empty()).then(|| names.join("; ") + "."));
        short
    }

    /// Returns the table in a form with which it fits.
    fn typeset(&self, width_mm: f64, form: &Form) -> String {
        let title = self.title.replace(['\n', '\r'], " ");
        let leading = f64::from(form.points) * 1.2;
        let mut text = format!(
            "% {title}, {width_mm} mm wide (needs \\usepackage{{booktabs}})\n\\par\\begingroup\n\
             \\fontsize{{{}}}{{{leading:.1}}}\\selectfont\n\\setlength{{\\tabcolsep}}{{{}pt}}\
             \\setlength{{\\parindent}}{{0pt}}\n",
            form.points,
            GAP / 2.0,
        );
        let paragraph = |text: &str| format!("\\parbox{{{width_mm}mm}}{{\\raggedright {text}}}\\par\n");
        for block in &self.blocks {
            let heading = format!("\\textbf{{{}}}", breakable(&block.title));
            text += &paragraph(&heading);
            for (i, part) in form.parts.iter().enumerate() {
                text += if i == 0 { "\\nopagebreak\\vspace{2pt}\n" } else { "\\vspace{4pt}\n" };
                text += &self.tabular(form, block, part);
            }
            text += "\\vspace{8pt}\n";
        }
        let notes = self.notes.iter().map(|note| breakable(note));
        text += &paragraph(&notes.collect::<Vec<_>>().join("\\par\n"));
        text + "\\endgroup\n"
    }

    /// Returns a block, or some of its columns, as a tabular.
    fn tabular(&self, form: &Form, block: &LayoutBlock, part: &Range<usize>) -> String {
        let Some(first) = block.panels.first().map(PaperTable::printable) else { return String::new() };
        let labels = first.corner.len();
        let count = labels + part.len();
        let is_number = |i: usize| first.rows.iter().all(|(row, _)| row[i].parse::<f64>().is_ok());
        let letters: String = (0..labels).map(|i| if is_number(i) { 'r' } else { 'l' }).collect();
        let mut lines = vec![
            format!("\\begin{{tabular}}{{@{{}}{letters}{}@{{}}}}", "r".repeat(part.len())),
            "\\toprule".to_owned(),
        ];
        lines.extend(self.class_lines(labels, part));
        let heads = &self.heads(form.is_broken)[part.clone()];
        let stacked = |lines: &Vec<String>| match lines.as_slice() {
            [line] => latex(line),
            lines => {
                let lines: Vec<String> = lines.iter().map(|line| latex(line)).collect();
                format!("\\shortstack[r]{{{}}}", lines.join("\\\\"))
            }
        };
        let corner = first.corner.iter().map(|name| latex(name));
        lines.push(latex_line(&corner.chain(heads.iter().map(stacked)).collect::<Vec<_>>()));
        for panel in &block.panels {
            let panel = panel.printable();
            lines.push("\\midrule".to_owned());
            lines.push(format!(
                "\\multicolumn{{{count}}}{{@{{}}l@{{}}}}{{\\emph{{{}}}}} \\\\",
                latex(&panel.title)
            ));
            let mut above: &[String] = &[];
            for (labels, cells) in &panel.rows {
                let same = labels.iter().zip(above).take_while(|(label, above)| label == above).count();
                let shown = labels.iter().enumerate().map(|(i, label)| {
                    if i < same && i + 1 < labels.len() { String::new() } else { latex(label) }
                });
                let cells = cells[part.clone()].iter().map(number);
                lines.push(latex_line(&shown.chain(cells).collect::<Vec<_>>()));
                above = labels;
            }
        }
        lines.push("\\bottomrule".to_owned());
        lines.push("\\end{tabular}\\par\n".to_owned());
        lines.join("\n")
    }

    /// Returns the line of the classes of some columns, with the rules below it; none if all columns are of
    /// one class.
    fn class_lines(&self, labels: usize, part: &Range<usize>) -> Vec<String> {
        if self.classes.len() < 2 {
            return Vec::new();
        }
        let (mut cells, mut rules) = (vec![String::new(); labels], Vec::new());
        let mut start = 0;
        for class in &self.classes {
            let shown = start.max(part.start)..(start + class.columns).min(part.end);
            start += class.columns;
            if shown.is_empty() {
                continue;
            }
            let title = latex(&class.title);
            cells.push(format!("\\multicolumn{{{}}}{{c}}{{{title}}}", shown.len()));
            let [from, to] = [shown.start, shown.end - 1].map(|at| labels + 1 + at - part.start);
            rules.push(format!("\\cmidrule(lr){{{from}-{to}}}"));
        }
        vec![latex_line(&cells), rules.join(" ")]
    }

    /// Returns the size of type and the columns per block with which all lines have at most this width.
    fn form(&self, width_mm: f64) -> Result<Form, TooWide> {
        let room = width_mm * POINTS_PER_MM;
        let columns = self.heads(false).len();
        for (points, is_broken) in WHOLE {
            if self.widths(points, is_broken).of(0..columns) <= room {
                return Ok(Form { points, is_broken, parts: std::iter::once(0..columns).collect() });
            }
        }
        let split = |points: u8| {
            let parts = self.widths(points, true).parts(columns, room)?;
            Some(Form { points, is_broken: true, parts })
        };
        // Type that is a little smaller is better than one more part.
        if let Some(form) = SPLIT.iter().filter_map(|&points| split(points)).min_by_key(Form::badness) {
            return Ok(form);
        }
        let widths = self.widths(SPLIT[SPLIT.len() - 1], true);
        let needed = (0..columns).map(|column| widths.of(column..column + 1)).fold(0.0, f64::max);
        Err(TooWide { given_mm: width_mm, needed_mm: (needed / POINTS_PER_MM).ceil() })
    }

    /// Returns the lines of the heading of each column. With `is_broken`, names that are wider than the
    /// numbers below them are broken after punctuation.
    fn heads(&self, is_broken: bool) -> Vec<Vec<String>> {
        let Some(first) = self.panels().next() else { return Vec::new() };
        let name = |(j, labels): (usize, &Vec<String>)| {
            let widest = || self.panels().map(|panel| widest_number(panel, j)).fold(0.0, f64::max);
            let room = if is_broken { widest() } else { f64::INFINITY };
            broken(&escaped::printable(labels.last().map_or("", String::as_str)), room)
        };
        first.columns.iter().enumerate().map(name).collect()
    }

    fn panels(&self) -> impl Iterator<Item = &PaperTable> {
        self.blocks.iter().flat_map(|block| &block.panels)
    }

    /// Returns the widths of the parts of a line in this size of type.
    fn widths(&self, points: u8, is_broken: bool) -> Widths {
        let labels = self.panels().next().map_or(0, |panel| panel.corner.len());
        let of_label = |i: usize| {
            let texts = self.panels().flat_map(|panel| {
                panel.rows.iter().map(move |(labels, _)| &labels[i]).chain([&panel.corner[i]])
            });
            texts.map(|text| ems(text)).fold(0.0, f64::max)
        };
        let of_column = |(j, head): (usize, &Vec<String>)| {
            let numbers = self.panels().map(|panel| widest_number(panel, j));
            numbers.chain(head.iter().map(|line| ems(line))).fold(0.0, f64::max)
        };
        let titles = self.panels().map(|panel| ems(&panel.title)).fold(0.0, f64::max);
        let em = f64::from(points) * optical(points);
        Widths {
            title: titles * em,
            labels: (0..labels).map(|i| of_label(i) * em + GAP).sum(),
            columns: self.heads(is_broken).iter().enumerate().map(|of| of_column(of) * em + GAP).collect(),
            classes: self.classes.iter().map(|class| (ems(&class.title) * em + GAP, class.columns)).collect(),
        }
    }
}

/// Widths in points.
struct Widths {
    /// The widest title of a panel.
    title: f64,
    /// All columns of labels.
    labels: f64,
    /// Each column of numbers.
    columns: Vec<f64>,
    /// The heading of each class, and its columns.
    classes: Vec<(f64, usize)>,
}

impl Widths {
    /// Returns the columns of each part of a block: as many as have room. `None` if one has no room.
    fn parts(&self, columns: usize, room: f64) -> Option<Vec<Range<usize>>> {
        let mut parts: Vec<Range<usize>> = Vec::new();
        for column in 0..columns {
            match parts.last_mut() {
                Some(part) if self.of(part.start..column + 1) <= room => part.end = column + 1,
                _ => parts.push(column..column + 1),
            }
        }
        parts.iter().all(|part| self.of(part.clone()) <= room).then_some(parts)
    }

    /// Returns the width of a tabular with these columns. A heading widens the columns below it.
    fn of(&self, part: Range<usize>) -> f64 {
        let (mut numbers, mut start) = (0.0, 0);
        for &(heading, columns) in &self.classes {
            let shown = start.max(part.start)..(start + columns).min(part.end);
            start += columns;
            if !shown.is_empty() {
                numbers += self.columns[shown].iter().sum::<f64>().max(heading);
            }
        }
        (self.labels + numbers).max(self.title)
    }
}

/// Short names for long ones.
#[derive(Default)]
struct Legend {
    /// Names and what stands for them, in the order of the table.
    names: Vec<(String, String)>,
}

impl Legend {
    /// Replaces a name that is too long, even if it is broken into two lines, by the first letter of its kind
    /// and a number.
    fn shorten(&mut self, kind: &str, name: &mut String) {
        let lines = broken(name, LONGEST);
        if lines.len() <= if kind == "allocator" { 2 } else { 1 }
            && lines.iter().all(|line| ems(line) <= LONGEST)
        {
            return;
        }
        if let Some((_, short)) = self.names.iter().find(|(known, _)| known == name) {
            name.clone_from(short);
            return;
        }
        let letter = kind.chars().next().unwrap_or_default().to_ascii_uppercase();
        let number = self.names.iter().filter(|(_, short)| short.starts_with(letter)).count() + 1;
        let long = std::mem::replace(name, format!("{letter}{number}"));
        self.names.push((long, name.clone()));
    }
}

/// Returns a text as LaTeX whose long words may be broken after punctuation.
fn breakable(text: &str) -> String {
    let word = |word: &str| match broken(word, 0.0).as_slice() {
        parts if ems(word) > LONGEST => {
            parts.iter().map(|part| latex(part)).collect::<Vec<_>>().join("\\allowbreak{}")
        }
        _ => latex(word),
    };
    escaped::printable(text).split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn number(cell: &PaperCell) -> String {
    match (cell.text.is_empty(), cell.best) {
        (true, _) => NONE.to_owned(),
        (false, true) => format!("\\textbf{{{}}}", latex(&cell.text)),
        (false, false) => latex(&cell.text),
    }
}

/// Returns the width of the widest number of a column in ems of the regular font.
fn widest_number(panel: &PaperTable, column: usize) -> f64 {
    /// Bold letters are wider.
    const BOLD: f64 = 1.18;
    let of = |(_, cells): &(Vec<String>, Vec<PaperCell>)| {
        let cell = &cells[column];
        ems(&cell.text).max(ems(NONE)) * if cell.best { BOLD } else { 1.0 }
    };
    panel.rows.iter().map(of).fold(0.0, f64::max)
}

/// Breaks a name after punctuation into lines of at most `room` ems, as far as it has punctuation.
fn broken(name: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in name.split_inclusive(['-', '+', ':', ',', '|', '/', '=']) {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && ems(&lines[last]) + ems(word) > room {
            lines.push(word.to_owned());
        } else {
            lines[last] += word;
        }
    }
    lines
}

/// Returns an upper bound of the width of a text in ems of Computer Modern at 10 points.
fn ems(text: &str) -> f64 {
    let of = |c: char| match c {
        'i' | 'l' | ',' | '.' | ':' | ';' | '\'' | '!' => 0.28,
        'f' | 'j' | 'r' | 's' | 't' | '-' | ' ' | '(' | ')' | '[' | ']' => 0.40,
        '0'..='9' | 'a' | 'c' | 'e' | 'g' | 'o' | 'z' | '†' => 0.50,
        'b' | 'd' | 'h' | 'k' | 'n' | 'p' | 'q' | 'u' | 'v' | 'x' | 'y' => 0.56,
        'm' | 'w' | '%' => 0.84,
        'M' | 'W' | '—' => 1.03,
        _ => 0.79,
    };
    text.chars().map(of).sum()
}

/// Returns how much wider letters of this size are, relative to their size, than those of 10 points.
fn optical(points: u8) -> f64 {
    match points {
        9.. => 1.03,
        8 => 1.07,
        _ => 1.15,
    }
}
