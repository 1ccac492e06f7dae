//! What a paper says of its results, sentence by sentence, and what judges each.

use super::item::{Item, Verdict};

/// A sentence of a paper that states a result.
#[derive(Clone, Copy, Debug)]
pub struct Sentence {
    /// Where the paper says it: `III-B`, `Fig. 9`.
    pub section: &'static str,
    /// The figure of `reproduce` that looks at it.
    pub figure: &'static str,
    /// What it claims, in our words.
    pub claim: &'static str,
    /// What judges it.
    pub judged: Judged,
}

/// What judges a sentence.
#[derive(Clone, Copy, Debug)]
pub enum Judged {
    /// The items of the sentence's figure whose names begin with one of these.
    By(&'static [&'static str]),
    /// Nothing can; why.
    NotMeasurable(&'static str),
}

impl Sentence {
    /// Why none of the figure's items judges the sentence; `None` if one does. `missing` are datasets that were not found.
    pub fn not_measured(&self, items: &[Item], missing: &[&str]) -> Option<String> {
        if let Judged::NotMeasurable(reason) = self.judged {
            return Some(reason.to_owned());
        }
        let judges = |item: &Item| {
            let is_verdict = !matches!(item.verdict, Verdict::None | Verdict::NotMeasured(_));
            is_verdict && self.is_judged_by(&item.item)
        };
        if items.iter().any(judges) {
            return None;
        }
        Some(match missing {
            [] => "the replays that it needs did not end".to_owned(),
            _ => format!("not found: {}", missing.join(", ")),
        })
    }

    /// Whether the item of this name is one of those that judge the sentence.
    pub fn is_judged_by(&self, item: &str) -> bool {
        match self.judged {
            Judged::By(names) => names.iter().any(|name| item.starts_with(name)),
            Judged::NotMeasurable(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::frame::FrameSchema;
    use crate::paper::figure::MODEL;
    use crate::paper::{
        Evidence, Figure, Located, LogFacts, PAPERS, ROUNDS, STREAM, stream_logs, write_stream,
    };
    use crate::study::{Manifest, Options, Study};

    type Tested = Result<(), Box<dyn std::error::Error>>;

    /// Every number of a cell's summary, made up; different ones in every cell.
    fn numbers(cell: usize) -> BTreeMap<String, f64> {
        let names = FrameSchema::summary().columns.into_iter().map(|column| column.name);
        let value = |place: usize| 1.0 + ((cell * 31 + place * 17) % 101) as f64 / 100.0;
        names.enumerate().map(|(place, name)| (name.to_string(), value(place))).collect()
    }

    /// The items of a figure if all logs are there and every replay ends, with numbers that mean nothing.
    fn items(figure: &Figure, folder: &Path) -> Result<Vec<Item>, Box<dyn std::error::Error>> {
        let mut found = Evidence::default();
        let located = |name: &str| Located {
            path: folder.join(name),
            name: name.to_owned(),
            version: "1".to_owned(),
            used_instead_of: None,
        };
        for (i, name) in figure.experiment.surveyed.iter().enumerate() {
            fs::copy(folder.join("log.swf"), folder.join(name))?;
            let share = 0.1 * i as f64;
            found.add_log(
                name,
                located(name),
                Some(LogFacts { jobs: 9, processors: Some(9), serial: share, powers: [share; 3] }),
            );
        }
        for embedded in figure.experiment.studies {
            if ![STREAM, MODEL].contains(&embedded.dataset) {
                found.add_log(embedded.dataset, located(embedded.dataset), None);
            }
            let find = |log: &str| {
                let path = folder.join(log);
                if path.exists() { path } else { folder.join("log.swf") }
            };
            let options = Options { timed: figure.experiment.timed, ..Options::default() };
            let study = Study::plan(Path::new(embedded.name), embedded.text, options, &find)?;
            let mut manifest = Manifest::from(&study);
            // Several rounds or seeds, so that means have intervals.
            for round in 0..ROUNDS {
                let same = if figure.experiment.timed { round } else { 0 };
                found.add_made(embedded.dataset, &manifest.cells, same, &numbers);
                found.add_reading(embedded.dataset, 1.0);
                manifest
                    .cells
                    .iter_mut()
                    .for_each(|cell| cell.spec.seed += u64::from(!figure.experiment.timed));
            }
        }
        Ok((figure.experiment.judge)(&found))
    }

    #[test]
    fn a_sentence_that_no_item_judges_says_why() {
        let judged = Judged::By(&["a is below", "a is least"]);
        let sentence = Sentence { section: "II", figure: "fig1", claim: "a is best", judged };
        let item = |name: &str, verdict| Item { verdict, ..Item::new(name, "", "") };
        let least = item("a is least on 4x4", Verdict::OrderingHolds);
        let others = [item("a is below b", Verdict::None), item("b is least", Verdict::Exact)];
        assert_eq!(sentence.not_measured(&[least], &["LOG"]), None);
        assert_eq!(
            sentence.not_measured(&others, &["LOG", "LOG-2"]).as_deref(),
            Some("not found: LOG, LOG-2")
        );
        let never = Sentence { judged: Judged::NotMeasurable("no numbers"), ..sentence };
        assert_eq!(never.not_measured(&others, &[]).as_deref(), Some("no numbers"));
    }

    /// Each sentence of a paper is judged or says why not, and whatever has a published number or a verdict belongs to a
    /// sentence.
    #[test]
    fn every_sentence_is_judged_and_every_verdict_belongs_to_a_sentence() -> Tested {
        let folder = tempfile::tempdir()?;
        for (log, seed) in stream_logs() {
            write_stream(&folder.path().join(log), seed)?;
        }
        fs::write(
            folder.path().join("log.swf"),
            "; MaxProcs: 128\n1 0 1 2 3 -1 -1 3 9 -1 1 1 1 1 1 -1 -1 -1\n",
        )?;
        let mut wrong = Vec::new();
        for paper in PAPERS.iter().filter(|paper| !paper.sentences.is_empty()) {
            for sentence in paper.sentences {
                let known = paper.figure(sentence.figure).is_some();
                let said = !sentence.section.is_empty() && !sentence.claim.is_empty();
                if !known || !said || matches!(sentence.judged, Judged::NotMeasurable("")) {
                    wrong.push(format!("{} {sentence:?}: no figure, section, claim or reason", paper.name));
                }
            }
            for figure in paper.figures {
                let items = items(figure, folder.path())?;
                let sentences = || paper.sentences.iter().filter(|sentence| sentence.figure == figure.name);
                for sentence in sentences() {
                    let Judged::By(names) = sentence.judged else { continue };
                    for name in names {
                        let judges =
                            |item: &Item| item.item.starts_with(name) && item.verdict != Verdict::None;
                        if !items.iter().any(judges) {
                            wrong.push(format!(
                                "{} {}: no item '{name}' has a verdict",
                                paper.name, figure.name
                            ));
                        }
                    }
                }
                for item in
                    items.iter().filter(|item| item.verdict != Verdict::None || item.published.is_some())
                {
                    let belongs = sentences().any(|sentence| sentence.is_judged_by(&item.item));
                    if !belongs || item.verdict == Verdict::None {
                        let (name, figure) = (paper.name, figure.name);
                        wrong.push(format!(
                            "{name} {figure}: '{}' belongs to no sentence or has no verdict",
                            item.item
                        ));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }
}
