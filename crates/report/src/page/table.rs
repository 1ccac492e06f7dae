//! Tables of a report, which readers can sort by their columns.

use super::escape::html;
use meshreplay_figures::draw::Look;

/// The choice of a row: whether the figures highlight its curves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The look of the curves.
    pub look: Look,
    /// Whether they are highlighted until the reader chooses.
    pub is_on: bool,
}

/// A cell of a sortable table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportCell {
    /// The text that is shown.
    pub text: String,
    /// The sort key; `None` to sort by text.
    pub value: Option<f64>,
    /// The CSS classes of the cell, such as `holds`, `differs` and `long`; empty for none.
    pub class: &'static str,
    /// Whether the number is the best among the comparable numbers of its column.
    pub is_best: bool,
    /// The choice of the row, in its first cell; `None` if figures show no curve of it.
    pub choice: Option<Choice>,
}

/// A column of a sortable table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportColumn {
    /// The title.
    pub title: String,
    /// The unit of the numbers, which stands below the title; empty for none.
    pub unit: String,
    /// Whether the column holds words (if false, numbers).
    pub is_words: bool,
    /// The identifier of the number, which refers to its meaning below the table; `None` for a column without
    /// an explanation.
    pub explained: Option<&'static str>,
    /// Whether the column is shown only on request.
    pub is_extra: bool,
    /// Whether the column names the place of a replay: its log, partition or machine.
    pub is_place: bool,
}

/// The meaning of a number, for the list below a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meaning {
    /// The identifier of the number.
    pub name: &'static str,
    /// The title of its column.
    pub title: String,
    /// The meaning, in sentences.
    pub text: String,
}

/// A table that readers can sort by its columns. The first column names the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportTable {
    /// The title of the table.
    pub title: String,
    /// The caption, in sentences; empty for none.
    pub caption: String,
    /// The columns.
    pub columns: Vec<ReportColumn>,
    /// The rows; each has one cell for every column.
    pub rows: Vec<Vec<ReportCell>>,
    /// Shared values of all rows: pairs of a title and a value, each with the identifier of its number as in
    /// [`ReportColumn::explained`].
    pub shared: Vec<(ReportColumn, String)>,
    /// The meanings of the numbers.
    pub meanings: Vec<Meaning>,
}

impl ReportCell {
    /// Returns a cell of words.
    pub fn words(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Returns a cell of a number, which is shown as `text` and sorted by `value`.
    pub fn number(text: String, value: f64) -> Self {
        Self { text, value: Some(value), ..Self::default() }
    }

    fn html(&self, column: &ReportColumn, is_first: bool) -> String {
        let mut classes: Vec<&str> = column.classes();
        classes.extend(self.class.split_whitespace());
        classes.extend(self.is_best.then_some("best"));
        let class =
            if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
        let value = self.value.map(|value| format!(" data-value=\"{value}\"")).unwrap_or_default();
        // Long specs may be broken behind a comma.
        let text = html(&self.text).replace(',', if self.class == "long" { ",<wbr>" } else { "," });
        // The star is for the eye, and the word for screen readers.
        let star = "<span class=\"star\" aria-hidden=\"true\">★</span>";
        let text =
            if self.is_best { format!("{star}{text}<span class=\"unseen\"> (best)</span>") } else { text };
        let text = self.choice.map_or(text.clone(), |choice| choice.html(&text));
        if is_first {
            format!("<th scope=\"row\"{class}{value}>{text}</th>")
        } else {
            format!("<td{class}{value}>{text}</td>")
        }
    }
}

impl Choice {
    /// Returns the button that chooses the row with this text.
    fn html(self, text: &str) -> String {
        let look = self.look.class();
        let look = look.split(' ').next_back().unwrap_or_default();
        // The page needs no size of a sample other than its own.
        let sample =
            self.look.sample().replacen("<svg", "<svg aria-hidden=\"true\"", 1).replace(" role=\"img\"", "");
        format!(
            "<button type=\"button\" class=\"choice\" aria-pressed=\"{}\" \
             data-look=\"{look}\">{}<span>{text}</span></button>",
            self.is_on,
            sample.replace('\n', "")
        )
    }
}

impl ReportColumn {
    /// Returns a column of words.
    pub fn words(title: &str) -> Self {
        Self { title: title.to_owned(), is_words: true, ..Self::default() }
    }

    /// Returns a column of numbers that needs no explanation.
    pub fn numbers(title: &str) -> Self {
        Self { title: title.to_owned(), ..Self::default() }
    }

    /// Returns the attribute that leads from the title to its explanation, for screen readers and the
    /// pointer.
    fn described(&self) -> String {
        self.explained.map(|name| format!(" aria-describedby=\"about-{name}\"")).unwrap_or_default()
    }

    /// Returns the CSS classes of the cells of the column.
    fn classes(&self) -> Vec<&'static str> {
        let words = self.is_words.then_some("words");
        let place = self.is_place.then_some("place");
        words.into_iter().chain(self.is_extra.then_some("extra")).chain(place).collect()
    }

    fn html(&self) -> String {
        let classes = self.classes();
        let class =
            if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
        let unit = if self.unit.is_empty() {
            String::new()
        } else {
            format!(" <span class=\"unit\">{}</span>", html(&self.unit))
        };
        format!(
            "<th scope=\"col\"{class}><button type=\"button\"{}>{}{unit}</button></th>",
            self.described(),
            html(&self.title)
        )
    }
}

impl ReportTable {
    /// Returns the table as HTML, with shared values above and the meanings of its columns below.
    pub(super) fn html(&self) -> String {
        let heads: String = self.columns.iter().map(ReportColumn::html).collect();
        let cells = |cells: &Vec<ReportCell>| -> String {
            let cells = cells.iter().zip(&self.columns).enumerate();
            cells.map(|(i, (cell, column))| cell.html(column, i == 0)).collect()
        };
        let row = |row: &Vec<ReportCell>| format!("<tr>{}</tr>\n", cells(row));
        let rows: String = self.rows.iter().map(row).collect();
        let caption = if self.caption.is_empty() { &self.title } else { &self.caption };
        format!(
            "{}<div class=\"scroll\" role=\"group\" aria-label=\"{}\" tabindex=\"0\">\n<table \
             class=\"sortable\">\n\
             <caption><span>{}</span></caption>\n<thead><tr>{heads}</tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table></div>\n{}{}",
            self.tools_html(),
            html(&self.title),
            html(caption),
            self.shared_html(),
            self.meanings_html()
        )
    }

    /// Returns the button above the table; empty without extra columns.
    fn tools_html(&self) -> String {
        let extra = self.columns.iter().filter(|column| column.is_extra).count();
        if extra == 0 {
            return String::new();
        }
        format!(
            "<p class=\"tools\"><button type=\"button\" class=\"columns\" aria-pressed=\"false\">All {} \
             columns</button></p>\n",
            self.columns.len()
        )
    }

    /// Returns the list of shared values; empty if there are none.
    fn shared_html(&self) -> String {
        if self.shared.is_empty() {
            return String::new();
        }
        let entry = |(column, text): &(ReportColumn, String)| {
            let unit =
                if column.unit.is_empty() { String::new() } else { format!(" {}", html(&column.unit)) };
            format!("<div><dt>{}</dt><dd>{}{unit}</dd></div>", html(&column.title), html(text))
        };
        let entries: String = self.shared.iter().map(entry).collect();
        format!("<p class=\"lead\">The same in all rows:</p>\n<dl class=\"shared\">{entries}</dl>\n")
    }

    /// Returns the list of meanings; empty if there are none.
    fn meanings_html(&self) -> String {
        if self.meanings.is_empty() {
            return String::new();
        }
        let entry = |Meaning { name, title, text }: &Meaning| {
            format!("<div><dt>{}</dt><dd id=\"about-{name}\">{}</dd></div>\n", html(title), html(text))
        };
        let entries: String = self.meanings.iter().map(entry).collect();
        format!(
            "<details class=\"meanings\"><summary>What the columns \
             mean</summary>\n<dl>\n{entries}</dl></details>\n"
        )
    }
}
