//! The HTML page of a report.

use super::escape::html;
use super::played::Played;

/// A cell of a sortable table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportCell {
    /// The text that is shown.
    pub text: String,
    /// The number by which the column is sorted; `None` to sort it by its text.
    pub value: Option<f64>,
    /// The CSS classes of the cell, such as `holds`, `differs` and `long`; empty for none.
    pub class: &'static str,
}

/// A table that readers can sort by its columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportTable {
    /// The title of the table.
    pub title: String,
    /// The title of each column, and whether the column holds words (if false, numbers).
    pub columns: Vec<(String, bool)>,
    /// The rows; each has one cell for every column.
    pub rows: Vec<Vec<ReportCell>>,
}

/// The content of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The title of the page.
    pub title: String,
    /// The origin of the numbers: pairs of a name and a value.
    pub provenance: Vec<(String, String)>,
    /// The tables, in the order of the page.
    pub tables: Vec<ReportTable>,
    /// The plots: pairs of a name and an SVG drawing.
    pub plots: Vec<(String, String)>,
    /// The data of the player, which shows the machine over time; `None` for a report without a player.
    pub played: Option<Played>,
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

impl ReportCell {
    /// Returns a cell of words.
    pub fn words(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Returns a cell of a number, which is shown as `text` and sorted by `value`.
    pub fn number(text: String, value: f64) -> Self {
        Self { text, value: Some(value), class: "" }
    }
}

impl Report {
    /// Returns the whole page as HTML.
    pub fn html(&self) -> String {
        let title = html(&self.title);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{}\n<title>{title}</title>\n\
             <style>\n{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1>\
             <button id=\"theme\" type=\"button\">Light or dark</button></header>\n",
            crate::figure::mark::PAGE
        );
        for table in &self.tables {
            page += &section(&table.title, &table.html());
        }
        if let Some(played) = &self.played {
            page += &section("The machine over time", &player(played));
        }
        if !self.plots.is_empty() {
            let figure =
                |(name, svg): &(String, String)| format!("<figure id=\"{}\">{svg}</figure>\n", html(name));
            let plots = self.plots.iter().map(figure).collect::<Vec<_>>().concat();
            page += &section("Plots", &format!("<div class=\"plots\">\n{plots}</div>\n"));
        }
        let row = |(what, which): &(String, String)| {
            format!(
                "<tr><th class=\"words\" scope=\"row\">{}</th><td class=\"words long\">{}</td></tr>\n",
                html(what),
                html(which)
            )
        };
        let rows: String = self.provenance.iter().map(row).collect();
        page += &section(
            "Where the numbers come from",
            &format!("<div class=\"scroll\"><table>\n{rows}</table></div>\n"),
        );
        page + "<script>\n" + SCRIPT + "</script>\n</body>\n</html>\n"
    }
}

/// Returns a section of the page with a heading.
fn section(title: &str, content: &str) -> String {
    format!("<section>\n<h2>{}</h2>\n{content}</section>\n", html(title))
}

impl ReportTable {
    fn html(&self) -> String {
        let class = |is_words: bool| if is_words { " class=\"words\"" } else { "" };
        let head = |(title, is_words): &(String, bool)| {
            format!(
                "<th scope=\"col\"{}><button type=\"button\">{}</button></th>",
                class(*is_words),
                html(title)
            )
        };
        let heads: String = self.columns.iter().map(head).collect();
        let cell = |(cell, (_, is_words)): (&ReportCell, &(String, bool))| {
            let value = cell.value.map(|value| format!(" data-value=\"{value}\"")).unwrap_or_default();
            let words = if *is_words { "words " } else { "" };
            format!("<td class=\"{words}{}\"{value}>{}</td>", cell.class, html(&cell.text))
        };
        let row = |cells: &Vec<ReportCell>| {
            let cells: String = cells.iter().zip(&self.columns).map(cell).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = self.rows.iter().map(row).collect();
        format!(
            "<div class=\"scroll\"><table class=\"sortable\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n\
             </table></div>\n"
        )
    }
}

/// The legend of the player of replays with outages.
const LEGEND: &str = "<p class=\"legend\"><span class=\"state free\"></span> free\n\
    <span class=\"state down\">×</span> down\n\
    <span class=\"state draining\">×</span> down, while its job still runs</p>\n";

/// Returns the HTML of the player: its controls, one canvas for each replay, and the data.
fn player(played: &Played) -> String {
    let (from, to) = played.window_s;
    let step = (to - from) / 2000.0;
    let mesh = |name: &str| {
        let name = html(name);
        format!(
            "<figure><figcaption>{name}</figcaption><canvas tabindex=\"0\" role=\"img\" aria-label=\"{name}\"></canvas></figure>\n"
        )
    };
    let meshes: String = played.replays.iter().map(|replay| mesh(&replay.name)).collect();
    let has_outages = played.replays.iter().any(|replay| !replay.down.is_empty());
    let legend = if has_outages { LEGEND } else { "" };
    format!(
        "<p class=\"quiet\">{}</p>\n<div class=\"controls\">\
         <button id=\"play\" type=\"button\" aria-pressed=\"false\">Play</button>\n\
         <label>speed <select id=\"speed\"><option value=\"0.25\">¼</option><option value=\"1\" selected>1</option>\
         <option value=\"4\">4</option></select></label>\n\
         <input id=\"time\" type=\"range\" min=\"{from}\" max=\"{to}\" step=\"{step}\" value=\"{from}\" aria-label=\"time\">\n\
         <output id=\"clock\"></output></div>\n{legend}<div class=\"meshes\">\n{meshes}</div>\n<p id=\"facts\" aria-live=\"polite\"></p>\n\
         <script id=\"schedule\" type=\"application/json\">{}</script>\n",
        html(&played.note),
        played.json()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Down;
    use crate::report::{PlayedJob, PlayedReplay};

    #[test]
    fn a_page_needs_nothing_from_elsewhere_and_shows_what_it_is_given() {
        let job = PlayedJob {
            number: 7,
            times_s: [0.0, 1.5, 2.0],
            procs: 3,
            nodes: vec![(0, 1), (4, 4)],
            is_killed: false,
        };
        let lost = PlayedJob { is_killed: true, ..job.clone() };
        let replay = PlayedReplay {
            name: "<b>".to_owned(),
            extents: [4, 2, 1],
            unavailable: vec![(6, 7)],
            down: vec![
                Down { from_s: 2.0, until_s: 3.5, nodes: vec![(4, 4)] },
                Down { from_s: 4.0, until_s: f64::INFINITY, nodes: vec![(0, 1)] },
            ],
            jobs: vec![job, lost],
        };
        let report = Report {
            title: "a & b".to_owned(),
            provenance: vec![("log".to_owned(), "</script>".to_owned())],
            tables: vec![ReportTable {
                title: "t".to_owned(),
                columns: vec![("name".to_owned(), true), ("n".to_owned(), false)],
                rows: vec![vec![ReportCell::words("x"), ReportCell::number("1,000".to_owned(), 1000.0)]],
            }],
            plots: vec![("frontier".to_owned(), "<svg></svg>".to_owned())],
            played: Some(Played { window_s: (0.0, 10.0), note: "all".to_owned(), replays: vec![replay] }),
        };
        let page = report.html();
        for part in [
            "<title>a &amp; b</title>",
            "data-value=\"1000\">1,000</td>",
            "<figcaption>&lt;b&gt;</figcaption>",
            "[[7,0.0,1.5,2.0,3,[0,1,4,4]],[7,0.0,1.5,2.0,3,[0,1,4,4],1]]",
            "\"down\":[[2.0,3.5,[4,4]],[4.0,null,[0,1]]]",
            "</span> down, while its job still runs</p>",
            "\"unavailable\":[6,7]",
            "<figure id=\"frontier\"><svg></svg></figure>",
            "&lt;/script&gt;",
        ] {
            assert!(page.contains(part), "{part}");
        }
        // The page contains no address of anything outside.
        assert!(!page.contains("http") && !page.contains("src=") && !page.contains("@import"));
    }
}
