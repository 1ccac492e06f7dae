//! Runs the studies of a figure on the logs that are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, anyhow};

use super::super::runner::Runner;
use super::super::{Failure, complain};
use super::Args;
use super::report::Comparison;
use crate::disk::{Claim, Unfinished};
use crate::frame::{Sheet, StudyFolder};
use crate::paper::{
    Dataset, Embedded, Evidence, Figure, Located, LogFacts, MODEL, Paper, ROUNDS, STREAM, stream_logs,
    write_stream,
};
use crate::study::{Manifest, Options, Study, load};
use crate::trace::ReadOptions;
use crate::workload::Rules;

/// Where figures are measured: logs, threads, a directory for results.
pub(super) struct Workshop<'a> {
    args: &'a Args,
    /// For replays whose times do not matter, and for those whose times do.
    runners: [Runner; 2],
    folder: PathBuf,
    /// Holds the directory if its results are not to be kept.
    _temporary: Option<tempfile::TempDir>,
    _unfinished: Option<Unfinished>,
    /// Nobody replaces what is there meanwhile.
    _claim: Claim,
    /// Datasets whose lack was said.
    missing: BTreeSet<&'static str>,
    /// Replays that failed.
    pub(super) failed: usize,
}

impl<'a> Workshop<'a> {
    pub(super) fn open(args: &'a Args) -> Result<Self, Failure> {
        let (temporary, unfinished) = match args.output {
            Some(_) => (None, None),
            None => Unfinished::make(tempfile::tempdir, tempfile::TempDir::path)
                .map(|(folder, unfinished)| (Some(folder), Some(unfinished)))
                .context("cannot make a temporary directory")?,
        };
        let folder = match (&args.output, &temporary) {
            (Some(folder), _) => folder.clone(),
            (None, Some(folder)) => folder.path().to_owned(),
            (None, None) => PathBuf::new(),
        };
        // Results that need no replays are kept there too.
        std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let claim = Claim::shared(&folder)?;
        let untimed = Runner::new(args.threads, usize::MAX, args.quiet)?;
        let timed = untimed.with_one_thread()?;
        let (missing, failed) = (BTreeSet::new(), 0);
        Ok(Self {
            args,
            runners: [untimed, timed],
            folder,
            _temporary: temporary,
            _unfinished: unfinished,
            _claim: claim,
            missing,
            failed,
        })
    }

    /// Measures a figure.
    pub(super) fn regenerate(
        &mut self,
        paper: &'static Paper,
        figure: &'static Figure,
    ) -> Result<Comparison, Failure> {
        let experiment = &figure.experiment;
        let mut missing = Vec::new();
        let mut evidence = Evidence::default();
        for name in experiment.surveyed {
            if let Some(located) = self.locate(name)? {
                let log = load(&located.path, ReadOptions::default(), Rules::default())?;
                evidence.add_log(name, located, Some(LogFacts::from(&log)));
            } else {
                missing.push(*name);
            }
        }
        for embedded in experiment.studies {
            if embedded.dataset == STREAM {
                self.make_streams(paper)?;
            } else if embedded.dataset == MODEL {
                // Its logs are drawn.
            } else if let Some(located) = self.locate(embedded.dataset)? {
                evidence.add_log(embedded.dataset, located, None);
            } else {
                if !missing.contains(&embedded.dataset) {
                    missing.push(embedded.dataset);
                }
                continue;
            }
            if !experiment.timed {
                let sheet = self.measure(paper, embedded, None, &evidence)?;
                if let Some(sheet) = sheet {
                    evidence.add_sheet(embedded.dataset, &sheet, 0);
                }
            }
        }
        if experiment.timed {
            self.measure_in_rounds(paper, figure, &mut evidence)?;
        }
        let versions = evidence.logs().filter(|_| paper.versions).filter_map(|(dataset, located)| {
            let used = located.used_instead_of?;
            let version = Some(located.version.as_str()).filter(|version| !version.is_empty());
            Some(format!("{dataset}: version {}; the paper's is {used}", version.unwrap_or("unknown")))
        });
        let versions = versions.collect();
        let items = (experiment.judge)(&evidence);
        if items.is_empty() && !self.args.quiet {
            complain(&format!("note: {} {} is left out for want of logs", paper.name, figure.name));
        }
        Ok(Comparison { paper, figure, items, versions, missing })
    }

    /// Measures the studies of a figure whose times are wanted: all of them once in each round.
    fn measure_in_rounds(
        &mut self,
        paper: &Paper,
        figure: &Figure,
        evidence: &mut Evidence,
    ) -> Result<(), Failure> {
        for round in 0..ROUNDS {
            for embedded in figure.experiment.studies {
                let located = evidence.logs().find(|(dataset, _)| *dataset == embedded.dataset);
                let path = located.map(|(_, located)| located.path.clone());
                if path.is_none() && embedded.dataset != MODEL {
                    continue;
                }
                if let Some(path) = path {
                    let began = Instant::now();
                    load(&path, ReadOptions::default(), Rules::default())?;
                    evidence.add_reading(embedded.dataset, began.elapsed().as_secs_f64());
                }
                let sheet = self.measure(paper, embedded, Some(round), evidence)?;
                if let Some(sheet) = sheet {
                    evidence.add_sheet(embedded.dataset, &sheet, round);
                }
            }
        }
        Ok(())
    }

    /// The file of a dataset; if there is none, that is said once.
    fn locate(&mut self, name: &str) -> Result<Option<Located>, Failure> {
        let dataset = Dataset::find(name).ok_or_else(|| anyhow!("no dataset is called '{name}'"))?;
        let traces = &self.args.traces;
        let located = if traces.exists() { dataset.locate(traces)? } else { None };
        if located.is_none() && self.missing.insert(dataset.name) && !self.args.quiet {
            let (folder, command) = (traces.display(), dataset.fetch_command(traces));
            complain(&format!("missing: no {name}-* in {folder}; to fetch it:\n  {command}"));
        }
        Ok(located)
    }

    /// Where the results of a paper are.
    fn results(&self, paper: &Paper) -> PathBuf {
        self.folder.join(paper.name)
    }

    fn make_streams(&self, paper: &Paper) -> Result<(), Failure> {
        let folder = self.results(paper);
        std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        for (log, seed) in stream_logs() {
            write_stream(&folder.join(log), seed)?;
        }
        Ok(())
    }

    /// Replays what is missing of a study, in this round if times are wanted; its summary, if any cell finished.
    fn measure(
        &mut self,
        paper: &Paper,
        embedded: &Embedded,
        round: Option<usize>,
        evidence: &Evidence,
    ) -> Result<Option<Sheet>, Failure> {
        let timed = round.is_some();
        let results = self.results(paper);
        let find = |log: &str| {
            let mut logs = evidence.logs();
            let located = logs.find(|(dataset, _)| *dataset == log).map(|(_, located)| located.path.clone());
            located.unwrap_or_else(|| results.join(log))
        };
        let name = format!("{}/{}.toml", paper.name, embedded.name);
        let options = Options { timed, ..Options::default() };
        let study = Study::plan(Path::new(&name), embedded.text, options, &find)?;
        let folder = match round {
            Some(round) => format!("{}-round-{}", embedded.name, round + 1),
            None => embedded.name.to_owned(),
        };
        let (manifest, folder) = (Manifest::from(&study), StudyFolder::new(&results.join(folder), None));
        let _claim = folder.prepare(&manifest)?;
        let cells = folder.missing(&manifest);
        let runner = &self.runners[usize::from(timed)];
        let tally = runner.run_into(&folder, &study, &cells);
        if runner.is_interrupted() {
            let kept = match &self.args.output {
                Some(folder) => {
                    format!("what is finished is in {}, and the same command goes on", folder.display())
                }
                None => "nothing is kept without -o".to_owned(),
            };
            return Err(anyhow!("interrupted; {kept}").into());
        }
        self.failed += tally.failed;
        folder.write_summary(&manifest)?;
        let any = folder.missing(&manifest).len() < manifest.cells.len();
        Ok(if any { Some(Sheet::read(folder.path())?) } else { None })
    }
}
