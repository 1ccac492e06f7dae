//! A study, planned: its file read, its logs surveyed, every cell with its key and cost.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::all::{ALL, Requests, left_out};
use super::axes::{Axes, Combination, resolve};
use super::error::StudyError;
use super::jobs::JobsError;
use super::key::{content_key, sha256};
use super::log::log_name;
use super::options::Options;
use super::planned::{PlannedReplay, Study, StudyLog};
use super::replay_spec::ReplaySpec;
use super::shard;
use super::source::JobSource;
use super::toml_keys::{Entry, Keys, Value, beside, read};
use crate::allocator::{self, Request};
use crate::execution::{self, RECORDED};
use crate::machine::Mesh;
use crate::metrics::Replications;
use crate::scheduler;
use crate::spec::{Spec, SpecError};
use crate::trace::{self, ReadOptions};
use crate::workload::{Rules, Synthetic};

/// What a study file says, checked as far as that is possible without its logs.
struct StudyFile {
    name: Option<String>,
    description: Option<String>,
    logs: Vec<Entry<String>>,
    axes: Axes,
    replications: Option<Replications>,
}

impl Study {
    /// Reads the study file at `path`, and its logs once: their names, sizes and checksums.
    pub fn read(path: &Path, options: Options) -> Result<Self, StudyError> {
        Self::plan(path, &read(path)?, options, &|log| beside(path, log))
    }

    /// Plans the study of this text; `find` says where its logs are, and `path` is what messages call it.
    pub fn plan(
        path: &Path,
        text: &str,
        mut options: Options,
        find: &dyn Fn(&str) -> PathBuf,
    ) -> Result<Self, StudyError> {
        let mut file = StudyFile::parse(path, text)?;
        let replications = file.replications.clone().unwrap_or_else(|| options.replications.clone());
        let traffic = file.axes.networks.iter().any(|network| network.name != RECORDED);
        options.traffic = traffic;
        options.replications = replications;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let mut logs: Vec<StudyLog> = Vec::new();
        let mut surveyed = Vec::new();
        for (log, line) in &file.logs {
            let (found, counts) = survey(path, (log, find(log)), *line, &file.axes.rules)?;
            if let Some(other) = logs.iter().find(|other| other.name == found.name) {
                let problem = format!(
                    "key 'logs': '{}' and '{log}' would both be called '{}' in results; rename one",
                    other.file, found.name
                );
                return Err(StudyError::Wrong { path: path.to_owned(), line: *line, problem });
            }
            logs.push(found);
            surveyed.push(counts);
        }
        let wrong = |problem: String| StudyError::Wrong { path: path.to_owned(), line: 1, problem };
        file.axes.logs = logs.iter().map(|log| log.name.clone()).collect();
        let combinations = file.axes.combinations().map_err(|error| wrong(error.to_string()))?;
        let mut notes = file.axes.unserved();
        let of_rules = |rules: &Rules| file.axes.rules.iter().position(|other| other == rules).unwrap_or(0);
        let mut kept = Vec::with_capacity(combinations.len());
        for combination in combinations {
            let survey = &surveyed[combination.log][of_rules(&combination.spec.rules)];
            match survey
                .left_out(&logs[combination.log], &combination, &options)
                .map_err(|error| wrong(error.to_string()))?
            {
                None => kept.push(combination),
                Some(note) if notes.contains(&note) => {}
                Some(note) => notes.push(note),
            }
        }
        let planned = |Combination { log, spec, .. }: Combination| {
            let spec = ReplaySpec { log_sha256: logs[log].sha256.clone(), ..spec };
            let jobs = surveyed[log][of_rules(&spec.rules)].jobs;
            let key = content_key(&spec, &options);
            let cost = jobs.max(1) * shard::weight(&spec.allocator);
            PlannedReplay { spec, log, key, jobs, cost }
        };
        let cells: Vec<PlannedReplay> = kept.into_iter().map(planned).collect();
        let name = file.name.or(stem).unwrap_or_default();
        let study = Self { name, description: file.description, options, logs, cells, notes };
        study.check_unique(path)?;
        Ok(study)
    }

    fn check_unique(&self, path: &Path) -> Result<(), StudyError> {
        let mut seen = BTreeMap::new();
        for (i, cell) in self.cells.iter().enumerate() {
            if let Some(first) = seen.insert(&cell.key, i) {
                let (path, label) = (path.to_owned(), self.label(i));
                return Err(StudyError::Twice { path, first: first + 1, second: i + 1, label });
            }
        }
        Ok(())
    }

    /// Replay `i` in words.
    pub fn label(&self, i: usize) -> String {
        self.cells[i].spec.label()
    }
}

/// What planning needs of the jobs of a log by some rules.
#[derive(Clone, Debug, Default)]
struct Survey {
    /// How many there are.
    jobs: u64,
    /// What they ask for; nothing of a workload model, which draws them for each machine.
    requests: Requests,
}

impl Survey {
    /// Why a combination is left out that was asked for as one of all; `None` if it is not.
    fn left_out(
        &self,
        log: &StudyLog,
        combination: &Combination,
        options: &Options,
    ) -> Result<Option<String>, JobsError> {
        let ReplaySpec { rules, arrival_scale, machine, allocator, seed, .. } = &combination.spec;
        if !combination.of_all {
            return Ok(None);
        }
        let Some(model) = &log.model else { return left_out(&log.name, &self.requests, machine, allocator) };
        let source = JobSource::Drawn {
            model: Box::new(model.clone()),
            rules: rules.clone(),
            arrival_scale: *arrival_scale,
        };
        let requests = source.requests(&log.name, options.replications.seeds(*seed), machine)?;
        left_out(&log.name, &requests, machine, allocator)
    }
}

/// Reads a log for what planning needs of it, by each of `rules`.
fn survey(
    study: &Path,
    (file, path): (&str, PathBuf),
    line: usize,
    rules: &[Rules],
) -> Result<(StudyLog, Vec<Survey>), StudyError> {
    if Synthetic::is_spec(file) {
        return modelled(study, file, line, rules.len());
    }
    let mut surveys = vec![Survey::default(); rules.len()];
    let summary = trace::read(&path, ReadOptions::default(), |record| {
        for (survey, rules) in surveys.iter_mut().zip(rules) {
            if let Ok(job) = rules.job(record) {
                survey.jobs += 1;
                survey.requests.insert(Request::from(&job));
            }
        }
    })
    .map_err(|error| StudyError::Log { path: study.to_owned(), line, source: Box::new(error) })?;
    let (name, file) = (log_name(&path), file.to_owned());
    Ok((
        StudyLog { name, file, path, sha256: summary.sha256, records: summary.records, model: None },
        surveys,
    ))
}

/// A workload model in place of a log.
fn modelled(
    study: &Path,
    text: &str,
    line: usize,
    rules: usize,
) -> Result<(StudyLog, Vec<Survey>), StudyError> {
    let model = text.parse().and_then(|spec| Synthetic::new(&spec)).map_err(|error| StudyError::Wrong {
        path: study.to_owned(),
        line,
        problem: format!("key 'logs': {error}"),
    })?;
    let records = u64::from(model.jobs());
    let log = StudyLog {
        name: model.to_string(),
        file: text.to_owned(),
        path: PathBuf::new(),
        sha256: sha256(&model.spec().to_string()),
        records,
        model: Some(model),
    };
    Ok((log, vec![Survey { jobs: records, requests: Requests::new() }; rules]))
}

impl StudyFile {
    fn parse(path: &Path, text: &str) -> Result<Self, StudyError> {
        let keys = Keys::parse(path, text)?;
        let logs = keys.required(
            "logs",
            strings(|text| match text {
                "-" => Err("standard input cannot be a log of a study, which may read it again; give a file"
                    .to_owned()),
                _ => Ok(text.to_owned()),
            }),
        )?;
        let rules =
            keys.list("rules", strings(|text| text.parse::<Rules>().map_err(|error| error.to_string())))?;
        let machines = keys
            .required("machines", strings(|text| text.parse::<Mesh>().map_err(|error| error.to_string())))?;
        let schedulers = keys.list("schedulers", strings(scheduler_spec))?;
        let shapes: Vec<Mesh> = machines.into_iter().map(|(machine, _)| machine).collect();
        let allocators = keys.required("allocators", strings(|text| allocator_spec(text, &shapes)))?;
        let networks = keys.list("networks", strings(|text| network_spec(text, &shapes)))?;
        let arrival_scales = keys.list("arrival_scales", scale)?;
        let seeds = keys.list("seeds", seed)?;
        let parsed = |text: &str| text.parse().map_err(|error: SpecError| error.to_string());
        let replications: Option<Entry<Replications>> = keys.scalar("replications", parsed)?;
        if let (Some((replications, line)), Some([_, _, ..])) = (&replications, seeds.as_deref())
            && replications.are_several()
        {
            let problem = "key 'replications': there are several seeds already, and each replication has the next one; \
                           give one seed";
            return Err(StudyError::Wrong {
                path: path.to_owned(),
                line: *line,
                problem: problem.to_owned(),
            });
        }
        Ok(Self {
            name: keys.string("name")?,
            description: keys.string("description")?,
            axes: Axes {
                logs: Vec::new(),
                rules: values(rules, Rules::default()),
                arrival_scales: values(arrival_scales, 1.0),
                machines: shapes,
                schedulers: values(schedulers, Spec::named("easy")),
                allocators: values(Some(allocators), Spec::named(ALL)),
                networks: values(networks, Spec::named(RECORDED)),
                seeds: values(seeds, 1),
            },
            logs,
            replications: replications.map(|(replications, _)| replications),
        })
    }
}

/// The entries without their lines; only `default` where the key is left out.
fn values<T>(list: Option<Vec<Entry<T>>>, default: T) -> Vec<T> {
    list.map_or_else(|| vec![default], |list| list.into_iter().map(|(value, _)| value).collect())
}

/// A parser of strings as a parser of values.
fn strings<T>(parse: impl Fn(&str) -> Result<T, String>) -> impl Fn(&Value<'_>) -> Option<Result<T, String>> {
    move |value| match value {
        Value::Text(text) => Some(parse(text)),
        Value::Number(_) => None,
    }
}

fn scheduler_spec(text: &str) -> Result<Spec, String> {
    let built = text.parse().and_then(|spec| scheduler::build(&spec));
    built.map(|(_, resolved)| resolved).map_err(|error| error.to_string())
}

/// An allocator that serves every machine of the study, in its canonical spelling.
fn allocator_spec(text: &str, machines: &[Mesh]) -> Result<Spec, String> {
    let spec: Spec = text.parse().map_err(|error: SpecError| error.to_string())?;
    if spec == Spec::named(ALL) {
        return Ok(spec);
    }
    for machine in machines {
        resolve(&spec, machine).map_err(|error| error.to_string())?;
    }
    allocator::find(&spec).map(|(_, spec)| spec).map_err(|error| error.to_string())
}

/// A network that serves every machine of the study, with every default written out.
fn network_spec(text: &str, machines: &[Mesh]) -> Result<Spec, String> {
    let mut spec: Spec = text.parse().map_err(|error: SpecError| error.to_string())?;
    for mesh in machines {
        let setup = execution::Setup { mesh, jobs: 0, seed: 0 };
        spec = execution::build(&spec, &setup).map_err(|error| error.to_string())?.1;
    }
    Ok(spec)
}

fn scale(value: &Value<'_>) -> Option<Result<f64, String>> {
    let Value::Number(text) = value else { return None };
    let number: f64 = text.parse().ok()?;
    let problem = || format!("found {text}, expected a number above 0");
    Some(if number.is_finite() && number > 0.0 { Ok(number) } else { Err(problem()) })
}

fn seed(value: &Value<'_>) -> Option<Result<u64, String>> {
    match value {
        Value::Number(text) => text.parse().ok().map(Ok),
        Value::Text(_) => None,
    }
}
