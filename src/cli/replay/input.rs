//! What is replayed: a log that was read, or a workload model.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;

use super::Args;
use crate::cli::{Failure, complain};
use crate::job::Job;
use crate::spec::SpecError;
use crate::study::{self, Combination, JobSource, JobsError, LoadedLog, Replay, ReplaySpec, Requests};
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
    pub(super) fn cells(&self, args: &Args, points: &[Combination]) -> Result<Vec<Replay>, JobsError> {
        let Some(first) = points.first() else { return Ok(Vec::new()) };
        let scaled = match self {
            Self::Log(log) => Arc::new(study::scaled_jobs(log, first.spec.arrival_scale)?),
            Self::Model(_) => Arc::default(),
        };
        let of_machine = |points: &[Combination]| match self {
            Self::Log(log) => self.recorded((log, &scaled), args, points),
            Self::Model(model) => {
                let source = JobSource::Drawn {
                    model: Box::new(model.clone()),
                    rules: points[0].spec.rules.clone(),
                    arrival_scale: points[0].spec.arrival_scale,
                };
                self.served(args, points, &source)
            }
        };
        let mut cells = Vec::with_capacity(points.len());
        for points in points.chunk_by(|a, b| a.spec.machine == b.spec.machine) {
            cells.extend(of_machine(points)?);
        }
        Ok(cells)
    }

    /// The cells of points that replay the jobs of a log, arrivals scaled, on one machine.
    fn recorded(
        &self,
        (log, scaled): (&LoadedLog, &Arc<Vec<Job>>),
        args: &Args,
        points: &[Combination],
    ) -> Result<Vec<Replay>, JobsError> {
        let (name, ReplaySpec { machine, rules, arrival_scale, .. }) = (self.name(), &points[0].spec);
        let (jobs, large) = study::fitting(&name, scaled, machine, rules.oversize)?;
        if large > 0 && !args.quiet {
            complain(&format!("note: {name}: left out {large} larger than machine {machine}"));
        }
        let (skipped, arrivals) = (log.workload.left_out.total() + large, rules.arrivals);
        let source = JobSource::Recorded { jobs, skipped, arrivals, arrival_scale: *arrival_scale };
        self.served(args, points, &source)
    }

    /// The cells of points that replay the jobs of `source` on one machine, without the allocators that were asked for as
    /// some of all and have no place for one of these jobs; those are named on standard error.
    fn served(
        &self,
        args: &Args,
        points: &[Combination],
        source: &JobSource,
    ) -> Result<Vec<Replay>, JobsError> {
        let (name, sha256) = (self.name(), self.sha256());
        let requests = if points.iter().any(|point| point.of_all) {
            source.requests(
                &name,
                args.plan().replications.seeds(points[0].spec.seed),
                &points[0].spec.machine,
            )?
        } else {
            Requests::new()
        };
        let mut found: BTreeMap<String, bool> = BTreeMap::new();
        let mut cells = Vec::with_capacity(points.len());
        for point in points {
            let allocator = point.spec.allocator.to_string();
            let is_left_out = match found.get(&allocator) {
                Some(&is_left_out) => is_left_out,
                None if point.of_all => {
                    let note = study::left_out(&name, &requests, &point.spec.machine, &point.spec.allocator)?;
                    if let Some(note) = note.as_ref().filter(|_| !args.quiet) {
                        complain(&format!("note: {note}"));
                    }
                    note.is_some()
                }
                None => false,
            };
            found.insert(allocator, is_left_out);
            if !is_left_out {
                let (log, log_sha256) = (name.clone(), sha256.clone());
                let spec = ReplaySpec { log, log_sha256, ..point.spec.clone() };
                cells.push(Replay { spec, source: source.clone() });
            }
        }
        Ok(cells)
    }
}

/// What was left out, and what was odd, on standard error.
fn report(path: &Path, log: &LoadedLog) {
    if log.workload.left_out.total() > 0 {
        complain(&format!("note: {}: left out {}", path.display(), log.workload.left_out));
    }
    let surplus = log.summary.irregularities.surplus_field_lines;
    if surplus > 0 {
        complain(&format!(
            "note: {}: {surplus} lines have more than 18 fields; the rest is ignored",
            path.display()
        ));
    }
}
