//! What is replayed: a log that was read, or a workload model.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;

use super::Args;
use crate::cli::{Failure, complain};
use crate::spec::SpecError;
use crate::study::{self, Cell, JobSource, JobsError, LoadedLog, Point};
use crate::workload::Synthetic;

/// One of the logs of the command line.
pub(super) enum Input {
    Log(LoadedLog),
    Model(Synthetic),
}

impl Input {
    /// Reads a log; what was left out of it, and what was odd, is said on standard error.
    pub(super) fn read(args: &Args, path: &Path) -> Result<Self, Failure> {
        if let Some(text) = path.to_str().filter(|text| Synthetic::is_spec(text)) {
            let model = text.parse().and_then(|spec| Synthetic::new(&spec));
            return Ok(Self::Model(model.map_err(|error: SpecError| Failure::Usage(error.into()))?));
        }
        let log = study::load(path, args.read_options(), args.rules())?;
        if !args.quiet {
            report(path, &log);
        }
        if log.workload.jobs.is_empty() {
            let left_out = match log.workload.left_out.total() {
                0 => "it has no records".to_owned(),
                _ => format!("left out: {}", log.workload.left_out),
            };
            return Err(anyhow!("{}: no job to replay; {left_out}", path.display()).into());
        }
        Ok(Self::Log(log))
    }

    /// What it is called in results.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Log(log) => log.name.clone(),
            Self::Model(model) => model.to_string(),
        }
    }

    pub(super) fn sha256(&self) -> String {
        match self {
            Self::Log(log) => log.summary.sha256.clone(),
            Self::Model(model) => study::sha256(&model.spec().to_string()),
        }
    }

    pub(super) fn records(&self) -> u64 {
        match self {
            Self::Log(log) => log.summary.records,
            Self::Model(model) => u64::from(model.jobs()),
        }
    }

    /// Records that are not replayed on any machine, by reason.
    pub(super) fn left_out(&self) -> BTreeMap<&'static str, u64> {
        match self {
            Self::Log(log) => {
                log.workload.left_out.iter().map(|(reason, count)| (reason.words(), count)).collect()
            }
            Self::Model(_) => BTreeMap::new(),
        }
    }

    /// The cells of points that replay the same jobs, but for those that are larger than a machine; how many those are is
    /// said on standard error.
    pub(super) fn cells(&self, args: &Args, points: &[Point]) -> Result<Vec<Cell>, JobsError> {
        let (name, sha256) = (self.name(), self.sha256());
        let log = match self {
            Self::Log(log) => log,
            Self::Model(model) => {
                let drawn = |point: &Point| JobSource::Drawn {
                    model: Box::new(model.clone()),
                    rules: point.rules.clone(),
                    arrival_scale: point.arrival_scale,
                };
                return Ok(points.iter().map(|point| point.cell(&name, &sha256, drawn(point))).collect());
            }
        };
        let Some(first) = points.first() else { return Ok(Vec::new()) };
        let scaled = Arc::new(study::scaled_jobs(log, first.arrival_scale)?);
        let mut cells = Vec::with_capacity(points.len());
        for points in points.chunk_by(|a, b| a.machine == b.machine) {
            let Point { machine, rules, .. } = &points[0];
            let (jobs, large) = study::fitting(&name, &scaled, machine, rules.oversize)?;
            if large > 0 && !args.quiet {
                complain(&format!("note: {name}: left out {large} larger than machine {machine}"));
            }
            let skipped = log.workload.left_out.total() + large;
            let (arrivals, arrival_scale) = (rules.arrivals, first.arrival_scale);
            let source = || JobSource::Recorded { jobs: Arc::clone(&jobs), skipped, arrivals, arrival_scale };
            cells.extend(points.iter().map(|point| point.cell(&name, &sha256, source())));
        }
        Ok(cells)
    }
}

/// What was left out, and what was odd, on standard error.
fn report(path: &Path, log: &LoadedLog) {
    if log.workload.left_out.total() > 0 {
        complain(&format!("note: {}: left out {}", path.display(), log.workload.left_out));
    }
    let surplus = log.summary.findings.surplus_field_lines;
    if surplus > 0 {
        complain(&format!(
            "note: {}: {surplus} lines have more than 18 fields; the rest is ignored",
            path.display()
        ));
    }
}
