//! What a paper says of its results, sentence by sentence, and what judges each.

use super::finding::{Finding, Verdict};

/// A sentence of a paper that states a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Where the paper says it: `III-B`, `Fig. 9`.
    pub section: String,
    /// The figure of `reproduce` that looks at it.
    pub figure: String,
    /// What it claims, in our words.
    pub claim: String,
    /// The rules of the figure whose findings judge it; none if nothing can.
    pub judged_by: Vec<String>,
    /// Why nothing can judge it.
    pub not_measurable: Option<String>,
}

impl Sentence {
    /// Why none of the figure's findings judges the sentence; `None` if one does. `missing` are datasets that were not found.
    pub fn not_measured(&self, findings: &[Finding], missing: &[&str]) -> Option<String> {
        if let Some(reason) = &self.not_measurable {
            return Some(reason.clone());
        }
        let judges = |finding: &Finding| {
            let is_verdict = !matches!(finding.verdict, Verdict::None | Verdict::NotMeasured(_));
            is_verdict && self.is_judged_by(finding)
        };
        if findings.iter().any(judges) {
            return None;
        }
        Some(match missing {
            [] => "the replays that it needs did not end".to_owned(),
            _ => format!("not found: {}", missing.join(", ")),
        })
    }

    /// Whether the finding is one of those that judge the sentence.
    pub fn is_judged_by(&self, finding: &Finding) -> bool {
        self.judged_by.contains(&finding.rule)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::frame::schemas;
    use crate::paper::{Evidence, Figure, Located, LogFacts, MODEL, Paper, ROUNDS, STREAM, papers, stream_logs, write_stream};
    use crate::study::{Manifest, Options, Study};

    type Tested = Result<(), Box<dyn std::error::Error>>;

    fn mix(mut x: u64) -> u64 {
        x ^= x >> 30; x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9); x ^= x >> 27; x = x.wrapping_mul(0x94d0_49bb_1331_11eb); x ^ (x >> 31)
    }
    fn unit(parts: &[u64]) -> f64 {
        let mut h = 0x1234_5678_u64;
        for p in parts { h = mix(h ^ p.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1)); }
        (h >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn salted(paper: &Paper, figure: &Figure, folder: &Path, salt: u64) -> Result<(Vec<Finding>, Vec<String>), Box<dyn std::error::Error>> {
        let mut found = Evidence::default();
        let mut missing = Vec::new();
        let lacks = |name: &str| salt >= 4 && unit(&[salt, name.len() as u64, name.bytes().map(u64::from).sum()]) < 0.3;
        let located = |name: &str| Located { path: folder.join(name), name: format!("{name}-9"), version: "1".to_owned(), used_instead_of: None };
        for (i, name) in figure.surveyed.iter().enumerate() {
            if lacks(name) { missing.push(name.clone()); continue; }
            fs::copy(folder.join("log.swf"), folder.join(name))?;
            let share = |k: u64| unit(&[salt, i as u64, k]);
            found.add_log(name, located(name), Some(LogFacts { jobs: 900 + i + salt as usize, processors: if salt == 3 { None } else { Some(128) }, serial: share(1), powers: [if salt == 2 { 1.0 } else { share(2) }, share(3), share(4)] }));
        }
        let names: Vec<String> = schemas().into_iter().filter(|frame| frame.name == "summary").flat_map(|frame| frame.columns).map(|column| column.name.to_string()).collect();
        for embedded in &figure.studies {
            if ![STREAM, MODEL].contains(&embedded.dataset.as_str()) {
                if lacks(&embedded.dataset) { missing.push(embedded.dataset.clone()); continue; }
                found.add_log(&embedded.dataset, located(&embedded.dataset), None);
            }
            let find = |log: &str| { let path = folder.join(log); if path.exists() { path } else { folder.join("log.swf") } };
            let plan = Options { timed: figure.timed, ..Options::default() };
            let study = Study::plan(Path::new(&embedded.name), embedded.text, plan, &find)?;
            let mut manifest = Manifest::from(&study);
            for round in 0..ROUNDS {
                let same = if figure.timed { round } else { 0 };
                let spread = [0.5, 0.05, 3.0, 0.2, 1.0, 0.02][(salt % 6) as usize];
                let noise = [0.1, 0.02, 0.3, 0.0, 0.5, 0.001][(salt % 6) as usize];
                let study_salt: u64 = embedded.name.bytes().map(u64::from).sum();
                let numbers = |cell: usize| -> BTreeMap<String, f64> {
                    names.iter().enumerate().filter(|(c, _)| salt < 5 || unit(&[salt, study_salt, cell as u64, *c as u64, round as u64, 7]) > 0.03).map(|(c, name)| {
                        let own = unit(&[salt, study_salt, cell as u64, c as u64]);
                        let chance = unit(&[salt, study_salt, cell as u64, c as u64, round as u64 + 1]);
                        let trend = if salt == 1 { 0.001 * cell as f64 } else { 0.0 };
                        let value = 1.0 + spread * own + noise * chance + trend;
                        let value = if name == "jobs" { 1000.0 } else if name.starts_with("compactions") && salt == 0 { (100.0 * value).floor() } else if name == "turnaround_s_mean" && salt == 3 { 40.0 * value * value } else { value };
                        (name.clone(), value)
                    }).collect()
                };
                found.add_made(&embedded.dataset, &manifest.cells, same, &numbers);
                found.add_reading(&embedded.dataset, 0.5 + unit(&[salt, study_salt, round as u64]));
                manifest.cells.iter_mut().for_each(|cell| cell.spec.seed += u64::from(!figure.timed));
            }
        }
        Ok((paper.findings(figure, &mut found)?, missing))
    }

    #[test]
    fn dump() -> Tested {
        use std::fmt::Write as _;
        let folder = tempfile::tempdir()?;
        for (log, seed) in stream_logs() { write_stream(&folder.path().join(log), seed)?; }
        fs::write(folder.path().join("log.swf"), "; MaxProcs: 128\n1 0 1 2 3 -1 -1 3 9 -1 1 1 1 1 1 -1 -1 -1\n")?;
        let mut text = String::new(); let mut rules = String::new();
        for paper in papers()? {
            writeln!(text, "PAPER {} | {} | {}", paper.name, paper.source, paper.versions)?;
            for figure in &paper.figures {
                writeln!(text, "FIGURE {} | {} | {} | {:?} | {:?}", figure.name, figure.title, figure.timed, figure.surveyed, figure.studies.iter().map(|s| (s.name.as_str(), s.dataset.as_str())).collect::<Vec<_>>())?;
                for salt in 0..8 {
                    let (items, missing) = salted(paper, figure, folder.path(), salt)?;
                    writeln!(text, "SALT {salt} missing {missing:?}")?;
                    for item in &items {
                        if figure.name == "cost" { writeln!(text, "{} | {} | {}", item.item, item.log, item.machine)?; continue; }
                        let place = item.place.as_ref().map(|p| (p.curve.clone(), p.axis.clone(), p.at.clone(), p.drawn != crate::paper::Drawn::Table));
                        writeln!(text, "{} | {} | {} | {:?} | {:?} | {:?} | {:?} | {} | {}", item.item, item.log, item.machine, item.published.map(|p| (p.value, p.decimals)), item.measured, item.half_width, place, item.is_ordering, item.verdict)?;
                    }
                    if salt == 0 { for item in &items { let p = item.place.as_ref(); writeln!(rules, "{}|{}|{}|{}|{}|{:?}|{:?}", paper.name, figure.name, item.rule, item.item, item.verdict != Verdict::None, p.map(|p| (p.series.clone(), p.look.clone(), p.quantity.clone(), p.curve.clone())), item.below_bars)?; } }
                    for sentence in paper.sentences.iter().filter(|s| s.figure == figure.name) {
                        let judges: Vec<&str> = items.iter().filter(|i| i.verdict != Verdict::None && sentence.is_judged_by(i)).map(|i| i.item.as_str()).collect();
                        writeln!(text, "SENTENCE {} | {} | {:?} | {:?}", sentence.section, sentence.claim, sentence.not_measured(&items, &missing.iter().map(String::as_str).collect::<Vec<_>>()), if figure.name == "cost" { vec![] } else { judges })?;
                    }
                }
            }
        }
        fs::write("/tmp/s17/pp/rules.txt", rules)?;
        fs::write(std::env::var("DUMP").unwrap_or_else(|_| "/tmp/s17/paper-dump.txt".into()), text)?;
        Ok(())
    }
}
