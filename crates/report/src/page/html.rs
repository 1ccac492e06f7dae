//! The HTML page of a report.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::escape::html;
use super::player::{PlayerData, player};
use super::table::ReportTable;
use meshreplay_base::words::counted;
use meshreplay_figures::draw::{Drawing, joined};
use meshreplay_results::text::well_formed;

/// The content of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The title of the page.
    pub title: String,
    /// The question that the results answer; empty for a report on a paper.
    pub question: String,
    /// What was replayed, as HTML; empty for a report on a paper.
    pub replayed: String,
    /// The answer in plain sentences.
    pub plain: Vec<String>,
    /// A drawing of one job placed well and placed badly, as HTML; empty for none.
    pub example: String,
    /// The figure of closeness against waiting; `None` unless several replays are compared.
    pub tradeoff: Option<ReportFigure>,
    /// The answer of the results in words: the sentences with which the command closes.
    pub answer: Vec<String>,
    /// A remark on the answer, such as the meaning of its intervals; empty for none.
    pub remark: String,
    /// The origin of the numbers: pairs of a name and a value.
    pub provenance: Vec<(String, String)>,
    /// The commands that give the results again.
    pub commands: Vec<String>,
    /// Whether replays of several logs, machines, schedulers or loads are compared, so that readers choose
    /// among them.
    pub is_study: bool,
    /// The tables, in the order of the page.
    pub tables: Vec<ReportTable>,
    /// The figures, in the order of the page.
    pub plots: Vec<ReportFigure>,
    /// The data of the player, which shows the machine over time; `None` for a report without a player.
    pub played: Option<PlayerData>,
}

/// A figure of a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportFigure {
    /// The name of the figure, which is its identifier in the page.
    pub name: String,
    /// The content of the figure, for screen readers.
    pub label: String,
    /// The drawings as SVG, each with the name of its panel; an empty name if it shows several or all.
    pub parts: Vec<(String, String)>,
}

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = concat!(
    include_str!("script.js"),
    include_str!("player/geometry.js"),
    include_str!("player/state.js"),
    include_str!("player/mesh.js"),
    include_str!("player/cube.js"),
    include_str!("player/player.js")
);

/// How to read the first figure. The script fills in the names of the highlighted replays.
const READING: &str = "<div class=\"reading\">\n<p>Each point is a replay. The lower it is, the \
    closer together lie the nodes of a job; the farther left it is, the less jobs wait. The best place is at \
    the lower left.</p>\n<p>Coloured are up to eight: those that no other replay beats in both numbers, the \
    worst, and the closest of each family. Point at a grey one to see its name, or choose it in the \
    table.</p>\n\
    <div class=\"names\" role=\"group\" aria-label=\"Coloured replays\"></div>\n</div>\n";

/// The names of the highlighted replays above the figures, which the script fills in.
const LEGEND: &str = "<p class=\"lead\">The figures show the replays chosen in the table, eight at most, \
    each in a colour of its own. Press a name to leave it out.</p>\n<p class=\"tools\"><button \
    type=\"button\" id=\"others\" aria-pressed=\"false\">Others in grey</button></p>\n\
    <p class=\"tools\" id=\"kinds\" hidden></p>\n\
    <div class=\"names above\" role=\"group\" aria-label=\"Coloured replays\"></div>\n";

/// The table of logs and allocators, which the script fills in from the table of all replays.
const STUDY: &str = "<p class=\"tools\" id=\"choices\"></p>\n<p class=\"lead\" id=\"measured\"></p>\n\
    <div class=\"scroll\" role=\"group\" aria-label=\"Logs and allocators\" id=\"pivot\"></div>\n";

/// A section of the page: its identifier, its heading and its content.
type Section = (String, String, String);

impl Report {
    /// Returns the whole page as HTML.
    pub fn html(&self) -> String {
        let title = html(&self.title);
        let sections = self.sections();
        let link = |(id, heading, _): &Section| format!("<a href=\"#{id}\">{}</a>\n", html(heading));
        let links: String = sections.iter().map(link).collect();
        let section = |(id, heading, content): &Section| {
            format!(
                "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n{content}</section>\n",
                html(heading)
            )
        };
        let sections: String = sections.iter().map(section).collect();
        let (mark, policy) = (meshreplay_figures::mark::PAGE, policy(STYLE, SCRIPT));
        well_formed(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{mark}\n{policy}\n\
             <meta name=\"viewport\" content=\"width=device-width, \
             initial-scale=1\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1><button id=\"theme\" \
             type=\"button\">Light or dark</button>\n\
             <nav aria-label=\"Sections\">\n{links}</nav></header>\n<main>\n{sections}</main>\n\
             <div id=\"tip\" role=\"tooltip\" hidden></div>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
        ))
    }

    /// Returns the sections of the page, in their order.
    fn sections(&self) -> Vec<Section> {
        let named = |id: &str, heading: &str, content: String| (id.to_owned(), heading.to_owned(), content);
        let mut sections = Vec::new();
        if !self.answer.is_empty() || !self.plain.is_empty() {
            let question = if self.question.is_empty() { "The answer" } else { &self.question };
            sections.push(named("answer", question, self.answer_html()));
        }
        if self.is_study {
            sections.push(named("study", "Logs and allocators", STUDY.to_owned()));
        }
        if let Some(figure) = &self.tradeoff {
            let content = format!("<div class=\"plots one\">\n{}{READING}</div>\n", figure.html());
            sections.push(named("closeness", "Closeness against waiting", content));
        }
        if !self.is_study {
            sections.extend(self.table_sections());
        }
        if !self.plots.is_empty() {
            let plots: String = self.plots.iter().map(ReportFigure::html).collect();
            let is_chosen =
                self.tables.iter().flat_map(|table| &table.rows).flatten().any(|cell| cell.choice.is_some());
            let legend = if is_chosen { LEGEND } else { "" };
            let content = format!("{legend}<div class=\"plots\">\n{plots}</div>\n");
            sections.push(named("figures", "Figures", content));
        }
        if self.is_study {
            sections.extend(self.table_sections());
        }
        if let Some(played) = &self.played {
            sections.push(named("machine", "The machine over time", player(played)));
        }
        sections.push(named("origin", "Where the numbers come from", self.origin_html()));
        sections
    }

    /// Returns a section for each table. The tables of a study are folded.
    fn table_sections(&self) -> impl Iterator<Item = Section> {
        self.tables.iter().enumerate().map(|(i, table)| {
            let content = if self.is_study {
                let words = format!("All {}, with all numbers", counted(table.rows.len(), "row"));
                format!("<details class=\"full\"><summary>{words}</summary>\n{}</details>\n", table.html())
            } else {
                table.html()
            };
            (format!("table-{}", i + 1), table.title.clone(), content)
        })
    }

    fn answer_html(&self) -> String {
        let item = |text: &String| format!("<li>{}</li>\n", html(text));
        let sentences: String = self.answer.iter().map(item).collect();
        let remark = match self.remark.as_str() {
            "" => String::new(),
            remark => format!("<p class=\"quiet\">{}</p>\n", html(remark)),
        };
        let mut lines = format!("<ul class=\"answer\">\n{sentences}</ul>\n{remark}");
        if self.plain.is_empty() {
            return format!("{}{lines}", self.replayed);
        }
        if self.answer.is_empty() {
            lines = String::new();
        } else {
            let title = if self.remark.is_empty() { "In full" } else { "In full, with confidence intervals" };
            lines = format!("<details class=\"full\"><summary>{title}</summary>\n{lines}</details>\n");
        }
        let paragraph = |text: &String| format!("<p>{}</p>\n", html(text));
        let mut plain: String = self.plain.iter().map(paragraph).collect();
        if self.plain.iter().any(|text| text.contains("not significant")) {
            plain += "<p class=\"quiet\">Not significant: the difference may be chance.</p>\n";
        }
        format!(
            "{}<div class=\"first\">\n<div class=\"plain\">\n{plain}</div>\n{}</div>\n{lines}",
            self.replayed, self.example
        )
    }

    fn origin_html(&self) -> String {
        let row = |(what, which): &(String, String)| {
            format!(
                "<tr><th class=\"words\" scope=\"row\">{}</th><td class=\"words long\">{}</td></tr>\n",
                html(what),
                html(which)
            )
        };
        let rows: String = self.provenance.iter().map(row).collect();
        let command = |(i, command): (usize, &String)| {
            format!(
                "<div class=\"command\"><pre id=\"command-{i}\" tabindex=\"0\">{}</pre>\
                 <button type=\"button\" class=\"copy\" data-of=\"command-{i}\">Copy</button></div>\n",
                html(command)
            )
        };
        let commands: String = self.commands.iter().enumerate().map(command).collect();
        let lead = if self.commands.is_empty() {
            ""
        } else {
            "<p class=\"lead\">This gives the numbers again, with the files of the logs in place of their \
                 names:</p>\n"
        };
        format!(
            "{lead}{commands}<div class=\"scroll\" role=\"group\" aria-label=\"Origin\" tabindex=\"0\">\n\
             <table class=\"facts\">\n<caption><span>The run, its logs, and each algorithm with every \
             default written out.</span></caption>\n\
             <tbody>\n{rows}</tbody></table></div>\n"
        )
    }
}

impl ReportFigure {
    /// Returns a figure of drawings. Its label is the text before the first semicolon.
    pub(super) fn new(name: &str, label: &str, drawings: Vec<Drawing>) -> Self {
        let label = label.split(';').next().unwrap_or_default().to_owned();
        let parts = drawings.into_iter().map(|drawing| (drawing.panel.clone(), drawing.svg())).collect();
        Self { name: name.to_owned(), label, parts }
    }

    /// Returns the figure as HTML. Its drawings have names for screen readers, and those of several panels
    /// the name of their panel, by which the script shows some of them.
    fn html(&self) -> String {
        let name = html(&self.name);
        let part = |(panel, svg): &(String, String)| {
            let label = html(&joined(&[&self.label, panel]));
            let svg = svg.replacen("<svg", &format!("<svg aria-label=\"{label}\""), 1);
            match self.parts.len() {
                1 => svg,
                _ => format!("<div class=\"part\" data-panel=\"{}\">{svg}</div>\n", html(panel)),
            }
        };
        let parts: String = self.parts.iter().map(part).collect();
        format!("<figure id=\"{name}\">{parts}</figure>\n")
    }
}

/// Returns the Content-Security-Policy of a page as an element of its head. It allows only the inline style
/// sheet and the inline script, by their SHA-256, so that a changed script does not run.
fn policy(style: &str, script: &str) -> String {
    let source = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src \
         {}; base-uri 'none'; form-action 'none'\">",
        source(style),
        source(script)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BlockTree, ReplayData, Report, ReportCell, ReportColumn, Strip};
    use meshreplay_figures::Span;
    use meshreplay_figures::mark::{MARKED, is_marked};
    use meshreplay_results::frame::{Down, PlacedJob};
    use meshreplay_sim::metrics::JobRow;

    /// Returns the data of a player with a job, a run that was lost, outages and blocks.
    fn some_jobs() -> PlayerData {
        let row = JobRow { number: 7, start_s: 1.5, end_s: 2.0, procs: 3, ..JobRow::default() };
        let job = PlacedJob { row, nodes: vec![(0, 1), (4, 4)], killed_in: None };
        let lost = PlacedJob { killed_in: Some(1), ..job.clone() };
        let replay = ReplayData {
            name: "<b>".to_owned(),
            colour: "#0095ff",
            strip: Strip { queue: vec![2, 0], busy: vec![0, 1000] },
            extents: [4, 2, 1],
            wraps: [true, false, false],
            levels: None,
            blocks: Some(BlockTree { tops: vec![[0, 0, 0, 2, 2, 1]], splits: vec![[2, 2, 1, 1, 1, 1]] }),
            unavailable: vec![(6, 7)],
            down: vec![
                Down { from_s: 2.0, until_s: 3.5, nodes: vec![(4, 4)] },
                Down { from_s: 4.0, until_s: f64::INFINITY, nodes: vec![(0, 1)] },
            ],
            jobs: vec![job, lost],
        };
        let window_s = Span::new(0.0, 10.0);
        PlayerData { window_s, clock: None, note: "all".to_owned(), replays: vec![replay] }
    }

    #[test]
    fn a_page_needs_nothing_from_elsewhere_and_shows_what_it_is_given() {
        let report = Report {
            title: "a & b".to_owned(),
            provenance: vec![("log".to_owned(), "</script>".to_owned())],
            tables: vec![ReportTable {
                title: "t".to_owned(),
                columns: vec![ReportColumn::words("name"), ReportColumn::numbers("n")],
                rows: vec![vec![ReportCell::words("x"), ReportCell::number("1,000".to_owned(), 1000.0)]],
                ..ReportTable::default()
            }],
            plots: vec![ReportFigure {
                name: "frontier".to_owned(),
                label: "cost & quality".to_owned(),
                parts: vec![(String::new(), "<svg></svg>".to_owned())],
            }],
            answer: vec!["a: 1 % below <b>".to_owned()],
            plain: vec!["a is <best>.".to_owned()],
            question: "Which?".to_owned(),
            remark: "r".to_owned(),
            tradeoff: Some(ReportFigure { name: "tradeoff".to_owned(), ..ReportFigure::default() }),
            ..Report::default()
        };
        let report = Report {
            commands: vec!["meshreplay replay 'x<y'".to_owned()],
            played: Some(some_jobs()),
            ..report
        };
        let page = report.html();
        for part in [
            "<title>a &amp; b</title>",
            "data-value=\"1000\">1,000</td>",
            "&lt;b&gt;</figcaption>",
            "\"queue\":[2,0]",
            "\"busy\":[0,1000]",
            "[[7,0.0,1.5,2.0,3,[0,1,4,4]],[7,0.0,1.5,2.0,3,[0,1,4,4],1]]",
            "\"down\":[[2.0,3.5,[4,4]],[4.0,null,[0,1]]]",
            "</span> down, while its job still runs</p>",
            "\"unavailable\":[6,7]",
            "\"wraps\":[true,false,false]",
            "\"blocks\":{\"splits\":[[2,2,1,1,1,1]],\"tops\":[[0,0,0,2,2,1]]}",
            "<figure id=\"frontier\"><svg aria-label=\"cost &amp; quality\"></svg></figure>",
            "<li>a: 1 % below &lt;b&gt;</li>",
            "<p>a is &lt;best&gt;.</p>",
            "<h2 id=\"answer\">Which?</h2>",
            "<th scope=\"row\" class=\"words\">x</th>",
            "meshreplay replay &#39;x&lt;y&#39;</pre>",
            "&lt;/script&gt;",
        ] {
            assert!(page.contains(part), "{part}");
        }
        // No element runs code of its own; the page's only script is that of the policy.
        assert!(
            !page.contains(" onclick=") && !page.contains(" style=") && page.matches("<script>").count() == 1
        );
        // The page contains no address of anything outside.
        assert!(!page.contains("://") && !page.contains("src=") && !page.contains("@import"));
    }

    #[test]
    fn pages_have_their_mark_where_it_is_looked_for() {
        let page = Report::default().html();
        assert!(is_marked(&page.as_bytes()[..MARKED.min(page.len())]));
    }

    #[test]
    fn hashes_are_those_of_the_standard() {
        // The example of the W3C's recommendation "Content Security Policy Level 3", section 8.2.
        let policy = policy("", "alert('Hello, world.');");
        let expected = "script-src 'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";
        assert!(policy.contains(expected), "{policy}");
    }
}
