//! The list of all papers whose figures can be regenerated.

use super::load::Paper;

/// Every paper, in the order of `reproduce list`.
pub static PAPERS: &[Paper] = &[
    super::walker2010::PAPER,
    super::chang_mohapatra1998::PAPER,
    super::diessel1996::PAPER,
    super::gabl2006::PAPER,
    super::qna2013::PAPER,
    super::rfold2025::PAPER,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::{
        Comparison, Evidence, Figure, Finding, Located, LogFacts, MODEL, ROUNDS, STREAM, Verdict, plots,
        stream_logs, write_stream,
    };
    use meshreplay_figures::draw::Page;
    use meshreplay_results::frame::FrameSchema;
    use meshreplay_study::study::{Manifest, Options, Study};

    type Tested = Result<(), Box<dyn std::error::Error>>;

    /// Returns made-up numbers for the summary of a replay, different for each replay.
    fn numbers(replay: usize) -> BTreeMap<String, f64> {
        let names = FrameSchema::summary().columns.into_iter().map(|column| column.name.to_string());
        // By the name and not by the place, so that another column changes nothing.
        let place = |name: &str| name.bytes().map(usize::from).sum::<usize>();
        let value = |name: &str| 1.0 + ((replay * 31 + place(name) * 17) % 101) as f64 / 100.0;
        names.map(|name| (name.clone(), value(&name))).collect()
    }

    /// Returns a directory with a log and the streams, for studies that are only planned.
    fn logs() -> Result<tempfile::TempDir, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        for (log, seed) in stream_logs() {
            write_stream(&folder.path().join(log), seed)?;
        }
        fs::write(
            folder.path().join("log.swf"),
            "; MaxProcs: 128\n1 0 1 2 3 -1 -1 3 9 -1 1 1 1 1 1 -1 -1 -1\n",
        )?;
        Ok(folder)
    }

    /// Returns a figure as if all logs were there and every replay had ended, with numbers that mean nothing.
    fn comparison(
        paper: &'static Paper,
        figure: &'static Figure,
        folder: &Path,
    ) -> Result<Comparison, Box<dyn std::error::Error>> {
        let mut evidence = Evidence::default();
        let located = |name: &str| Located {
            path: folder.join(name),
            name: name.to_owned(),
            version: "1".to_owned(),
            used_instead_of: None,
        };
        for (i, &name) in figure.surveyed.iter().enumerate() {
            fs::copy(folder.join("log.swf"), folder.join(name))?;
            let share = 0.1 * i as f64;
            let facts = LogFacts { jobs: 9, processors: Some(9), serial: share, powers: [share; 3] };
            evidence.add_log(name, located(name), Some(facts));
        }
        for embedded in figure.studies() {
            if ![STREAM, MODEL].contains(&embedded.dataset.as_str()) {
                evidence.add_log(&embedded.dataset, located(&embedded.dataset), None);
            }
            let find = |log: &str| {
                let path = folder.join(log);
                if path.exists() { path } else { folder.join("log.swf") }
            };
            let options = Options { timed: figure.timed, ..Options::default() };
            let study = Study::plan(Path::new(&embedded.name), embedded.text, options, &find)?;
            let mut manifest = Manifest::from(&study);
            // Several rounds or seeds, so that means have intervals.
            for round in 0..ROUNDS {
                let same = if figure.timed { round } else { 0 };
                evidence.add_made(&embedded.dataset, &manifest.cells, same, &numbers);
                evidence.add_reading(&embedded.dataset, 1.0);
                manifest.cells.iter_mut().for_each(|cell| cell.spec.seed += u64::from(!figure.timed));
            }
        }
        let (findings, marks) = figure.judge(&evidence);
        Ok(Comparison { paper, figure, findings, marks, versions: Vec::new(), missing: Vec::new() })
    }

    /// Returns what is wrong with the sentences of a figure, given its findings. Each sentence must be judged
    /// or say why not. Each finding with a published number or a verdict must belong to a sentence.
    fn problems(paper: &Paper, figure: &Figure, findings: &[Finding]) -> Vec<String> {
        let mut problems = Vec::new();
        let mut sentences = paper.sentences();
        sentences.retain(|sentence| sentence.is_about(figure));
        for sentence in &sentences {
            let is_said = !sentence.section.is_empty() && !sentence.claim.is_empty();
            let says_why = sentence.not_measurable.as_ref().is_some_and(|why| !why.is_empty());
            if !is_said || sentence.judged_by.is_empty() != says_why {
                problems.push(format!("{sentence:?}: no section, claim or reason, or a needless one"));
            }
            for id in &sentence.judged_by {
                let judges = |finding: &Finding| finding.id == *id && finding.verdict != Verdict::None;
                if !findings.iter().any(judges) {
                    problems.push(format!("no finding of '{id}' has a verdict"));
                }
            }
        }
        let stands_beside =
            |finding: &Finding| matches!(finding.verdict, Verdict::Fitted { .. } | Verdict::Note(_));
        let judged = |finding: &&Finding| {
            !stands_beside(finding) && (finding.verdict != Verdict::None || finding.published.is_some())
        };
        for finding in findings.iter().filter(judged) {
            let belongs = sentences.iter().any(|sentence| sentence.is_judged_by(finding));
            if !belongs || finding.verdict == Verdict::None {
                problems.push(format!("'{}' belongs to no sentence or has no verdict", finding.item));
            }
        }
        problems
    }

    #[test]
    fn every_sentence_is_judged_and_every_verdict_belongs_to_a_sentence() -> Tested {
        let folder = logs()?;
        for paper in PAPERS {
            for sentence in paper.sentences() {
                let is_figure = |name: &String| paper.figure(name).is_some();
                assert!(sentence.figures.iter().all(is_figure), "{}: {sentence:?}", paper.name);
            }
            for figure in paper.figures {
                let findings = comparison(paper, figure, folder.path())?.findings;
                let problems = problems(paper, figure, &findings);
                assert!(problems.is_empty(), "{} {}:\n{}", paper.name, figure.name, problems.join("\n"));
            }
        }
        Ok(())
    }

    /// The figures of five papers that are charts, as one finds them by reading. Tables and drawings are no
    /// charts.
    const CHARTS: [(&str, &[&str]); 5] = [
        ("walker2010", &["fig12", "fig13", "fig14", "fig15", "fig16"]),
        ("chang-mohapatra1998", &["fig3", "fig4a", "fig4b", "fig5", "fig6"]),
        ("diessel1996", &["fig4", "fig5"]),
        ("gabl2006", &["fig3", "fig4", "fig5"]),
        ("qna2013", &["fig2", "fig3", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10", "fig11"]),
    ];

    /// Returns the words of a drawing in their order, and how many elements of each class it has.
    fn structure(svg: &str) -> String {
        let (mut words, mut classes) = (Vec::new(), BTreeMap::<&str, usize>::new());
        for part in svg.split('<').skip(1) {
            let (tag, rest) = part.split_once('>').unwrap_or((part, ""));
            if tag.starts_with("text ") {
                words.push(rest.trim());
            } else if let Some(class) = tag.split("class=\"").nth(1).and_then(|rest| rest.split('"').next()) {
                *classes.entry(class).or_default() += 1;
            }
        }
        let classes = classes.iter().map(|(class, count)| format!("{count} {class}\n"));
        words.join("\n") + "\n\n" + &classes.collect::<String>()
    }

    #[test]
    fn every_chart_of_the_papers_is_drawn_in_its_form() -> Tested {
        let folder = logs()?;
        let mut wrong = Vec::new();
        for (name, charts) in CHARTS {
            let paper = PAPERS.iter().find(|paper| paper.name == name).ok_or(name)?;
            let drawn: Vec<&str> =
                paper.figures.iter().filter(|figure| figure.is_chart).map(|figure| figure.name).collect();
            assert_eq!(drawn, charts, "{name}");
            for figure in paper.figures.iter().filter(|figure| figure.is_chart) {
                let label = format!("{name} {}", figure.name);
                let comparison = comparison(paper, figure, folder.path())?;
                let svgs: Vec<String> =
                    plots(&comparison, Page::default()).into_iter().map(|plot| plot.drawing.svg()).collect();
                let svg = svgs.first().cloned().ok_or_else(|| label.clone())?;
                let all = svgs.concat();
                // The picture of the figure is one chart, as in the paper; additions of ours are in another.
                assert!(!svg.contains("Not in the paper") && svgs.len() <= 2, "{label}");
                assert!(!svg.contains("measured by published") && !svg.contains("NaN"), "{label}");
                // Every published number is in the picture; without any, the picture has a note.
                let shown = all.matches(", published: ").count();
                assert_eq!(shown, comparison.marks.len(), "{label}");
                assert_eq!(svg.contains("prints none of them"), shown == 0, "{label}");
                assert!(svgs[1..].iter().all(|svg| svg.contains("Not in the paper")), "{label}");
                let golden = format!("tests/golden/paper-{name}-{}.txt", figure.name);
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&golden);
                let (drawn, committed) = (structure(&svg), fs::read_to_string(&path).unwrap_or_default());
                if drawn != committed && std::env::var_os("BLESS").is_some_and(|value| value == "1") {
                    fs::write(path, drawn)?;
                } else if drawn != committed {
                    wrong.push(format!("{golden} is not what is drawn; `make bless` writes it:\n{drawn}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }
}
