//! Planning: turns a study file or a command line into a list of replays with content keys and costs. Reads
//! every log once.

mod cost;
mod machines;
mod parts;
mod sharing;
mod survey;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use self::parts::{LogOfParts, PartChooser};
use self::survey::{Counts, PartSurvey, SurveyScope};
use crate::study::axes::{Axes, Combination};
use crate::study::jobs::JobsError;
use crate::study::key::{Keys, own_key, sha256, unique};
use crate::study::log::{LoadedLog, LogSource, LogStart, RecordedNodesError, load_most};
use crate::study::options::Options;
use crate::study::planned::{PlannedReplay, Study, StudyLog};
use crate::study::replay::{algorithms_need_all_jobs, check_outages, rules_need_all_jobs};
use crate::study::replay_spec::ReplaySpec;
use crate::study::shared_jobs::{LoadJobsError, check_jobs, load_jobs};
use meshreplay_alloc::allocator::follows_lists;
use meshreplay_base::job::{Job, Time};
use meshreplay_base::prediction::PredictionError;
use meshreplay_base::spec::SpecError;
use meshreplay_logs::{Facts, LogSummary, LogUnit, TraceError, formats};
use meshreplay_machine::machine::node_map::NodeMapError;
use meshreplay_machine::machine::outages::OutageFileError;
use meshreplay_sim::execution::RECORDED;
use meshreplay_sim::metrics::{Has, Needs};
use meshreplay_workload::Rules;

/// A study file or a command line, before its logs are read.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The name of the study.
    pub name: String,
    /// Purpose of the study, if one is given.
    pub description: Option<String>,
    /// The options that all replays share.
    pub options: Options,
    /// Logs of the study, or models in place of logs.
    pub logs: Vec<LogSource>,
    /// Values whose combinations are replayed.
    pub axes: Axes,
    /// Whether the study comes from a command line. A command has a single set of rules, keeps its loaded
    /// logs, and replays equal combinations once.
    pub is_of_command: bool,
    /// Most jobs of a log that are kept in memory. A longer log is read again while replays run, unless
    /// something needs all jobs at once. Must be `usize::MAX` if outcomes hold single jobs.
    pub most_kept: usize,
    /// Notes from before planning.
    pub notes: Vec<String>,
}

/// The reason why a study cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A log cannot be read.
    #[error("{source}")]
    Log {
        /// Position of the log in [`Draft::logs`], from 0.
        number: usize,
        /// The reason.
        source: Box<TraceError>,
    },
    /// Two logs have the same name in results.
    #[error(
        "'{first}' and '{second}' would both be called '{name}' in results; rename the file of one, or leave \
             one out"
    )]
    SameName {
        /// The first log, as given.
        first: String,
        /// The second log, as given.
        second: String,
        /// The name.
        name: String,
    },
    /// A name does not exist, or two names cannot be used together.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The outages cannot be read, or do not suit a machine.
    #[error(transparent)]
    Outages(#[from] OutageFileError),
    /// The node map cannot be read, or does not suit a machine.
    #[error(transparent)]
    NodeMap(#[from] NodeMapError),
    /// The predictions cannot be read, or miss jobs.
    #[error(transparent)]
    Predictions(#[from] PredictionError),
    /// Recorded nodes cannot be mapped to a machine.
    #[error(transparent)]
    RecordedNodes(#[from] RecordedNodesError),
    /// The jobs of a log cannot be replayed on a machine.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// The jobs of a log do not suit the requested machines or partitions, in words.
    #[error("{0}")]
    Unsuited(String),
    /// An option answers nothing in this study.
    #[error("{problem}")]
    Useless {
        /// The name of the option.
        option: &'static str,
        /// The reason, with the remedy.
        problem: String,
    },
    /// A log has no jobs, or they cannot be loaded.
    #[error(transparent)]
    LoadJobsError(#[from] LoadJobsError),
}

/// Fails if one of the logs `before` has the name of `log`.
pub(in crate::study) fn check_name(before: &[LogSource], log: &LogSource) -> Result<(), PlanError> {
    let Some(other) = before.iter().find(|other| other.name == log.name) else { return Ok(()) };
    let (first, second, name) = (other.file.clone(), log.file.clone(), log.name.clone());
    Err(PlanError::SameName { first, second, name })
}

impl Draft {
    /// Reads the logs and plans the study. Adds notes for the user to `notes`, even on failure.
    pub fn plan(mut self, notes: &mut Vec<String>) -> Result<Study, PlanError> {
        notes.append(&mut self.notes);
        self.logs.iter_mut().for_each(|log| log.read.limits = self.options.log_limits);
        // Names are checked first, so that a wrong name fails at once.
        let given = self.name_logs()?;
        self.check_options()?;
        let known = if self.axes.follow_from_logs() { None } else { Some(self.combinations(given, notes)?) };
        if known.is_none() && self.axes.autos.is_empty() {
            self.axes.combinations()?;
        }
        self.check_files()?;
        check_predictions(&self.axes.rules, &[])?;
        let (mut logs, surveys) = self.survey(notes)?;
        self.name_zone(&logs, notes);
        notes.extend(self.without_users(&surveys));
        let combinations = if let Some(combinations) = known {
            combinations
        } else {
            self.size_machines(&surveys, notes)?;
            self.keep_parts(&mut logs)?;
            self.check_files()?;
            self.combinations(given, notes)?
        };
        let of_rules = |rules: &Rules| self.axes.rules.iter().position(|other| other == rules).unwrap_or(0);
        let mut known: BTreeMap<String, bool> = BTreeMap::new();
        let mut cells = Vec::with_capacity(combinations.len());
        let has = self.axes.has(&self.options);
        let (unique, mut keys) = (unique(), Keys::new(&self.options, has));
        let sha256s: Vec<Arc<str>> = logs.iter().map(|log| log.sha256.as_str().into()).collect();
        for Combination { log, spec, of_all } in combinations {
            let part = surveys[log].iter().position(|part| part.partition == spec.partition).unwrap_or(0);
            let survey = &surveys[log][part].by_rules[of_rules(&spec.rules)];
            if of_all {
                // The requests that an allocator can serve depend neither on the scheduler nor on the
                // network, so each case is checked once.
                let ReplaySpec { rules, arrival_scale, machine, allocator, seed, .. } = &spec;
                let jobs = format!("{log} {part} {rules} {arrival_scale} {machine} {allocator} {seed}");
                if !known.contains_key(&jobs) {
                    let note = survey.left_out(&logs[log], &spec, &self.options)?;
                    notes.extend(
                        note.iter().filter(|note| !notes.contains(note)).cloned().collect::<Vec<_>>(),
                    );
                    known.insert(jobs.clone(), note.is_some());
                }
                if known[&jobs] {
                    continue;
                }
            }
            let spec = ReplaySpec { log_sha256: Arc::clone(&sha256s[log]), ..spec };
            let key = own_key(keys.of(&spec), &spec, &unique);
            let load = survey.offered_load(spec.machine.available()).map(|load| load / spec.arrival_scale);
            let cost = survey.jobs.max(1).saturating_mul(cost::of_job(&spec, load));
            let (jobs, pools_partitions) = (survey.jobs, surveys[log][part].pools_partitions);
            cells.push(PlannedReplay { spec, log, key, jobs, cost, source: None, pools_partitions });
        }
        let follows_lists = cells.iter().any(|cell| follows_lists(&cell.spec.allocator));
        let has = has.with(Needs::RecordedNodes, follows_lists);
        notes.extend(self.note_on_node_map(has));
        let Self { name, description, options, is_of_command, axes, most_kept, .. } = self;
        let guests = axes.guests;
        let notes_of_study = Vec::new();
        let mut study =
            Study { name, description, options, has, logs, cells, guests, notes: notes_of_study, most_kept };
        if is_of_command {
            load_jobs(&mut study, notes)?;
            check_recorded_nodes(&study)?;
        }
        Ok(study)
    }

    /// Fails if an option answers nothing: times that are not measured, or shaken run times in a single run,
    /// in jobs that are drawn anew anyway, or below a network that sets run times itself.
    fn check_options(&self) -> Result<(), PlanError> {
        let useless = |option, problem| Err(PlanError::Useless { option, problem });
        if self.options.latency && !self.options.timed {
            return useless("latency", "--no-timing measures no times; leave out one of the two".to_owned());
        }
        let Some(shake) = self.options.shake else { return Ok(()) };
        let network = self.axes.networks.iter().find(|given| given.spec.name != RECORDED);
        let model = self.logs.iter().find_map(|log| log.model.as_ref());
        let problem = if !self.options.replications.are_several() && self.axes.seeds.len() < 2 {
            format!(
                "one run with run times changed by {shake} answers nothing; give --replications 20, or leave \
                 out --shake"
            )
        } else if let Some(model) = model {
            format!(
                "'{model}' draws other jobs from each seed, which says more than shaking; leave out --shake, \
                 or shake one log of the model, which `meshreplay trace generate` writes"
            )
        } else if let Some(network) = network {
            let network = &network.spec;
            format!(
                "run times are those of network '{network}', not of the log; leave out --shake or --network"
            )
        } else {
            return Ok(());
        };
        useless("shake", problem)
    }

    /// Returns a note if no replay uses the given node map.
    fn note_on_node_map(&self, has: Has) -> Option<String> {
        let has_no_effect = self.options.node_map.is_some() && !has.has(Needs::RecordedNodes);
        has_no_effect.then(|| {
            "the node map has no effect, as no replay has the allocator recorded; add that allocator or \
             leave out --node-map"
                .to_owned()
        })
    }

    /// Names the logs in the axes. A command drops repeated logs. Returns the number of given logs. Fails if
    /// two logs have one name.
    fn name_logs(&mut self) -> Result<usize, PlanError> {
        let given = self.logs.len();
        if self.is_of_command {
            let mut seen = BTreeSet::new();
            self.logs.retain(|log| seen.insert(log.file.clone()));
        }
        for (number, log) in self.logs.iter().enumerate() {
            check_name(&self.logs[..number], log)?;
        }
        self.axes.logs = self.logs.iter().map(|log| log.name.as_str().into()).collect();
        Ok(given)
    }

    /// Adds the time zone of dates to the options if none was given, because results depend on it and the
    /// next machine may have another one.
    fn name_zone(&mut self, logs: &[StudyLog], notes: &mut Vec<String>) {
        let mut formats =
            logs.iter().zip(&self.logs).map(|(log, given)| (&log.source.read.format, &given.read.format));
        let Some((Some(named), _)) = formats.find(|(named, given)| named != given) else { return };
        if let (false, Some(zone)) = (self.is_of_command, formats::time_zone(named)) {
            notes.push(format!(
                "dates without a zone are read as {zone}, the zone of this machine if that is known; the \
                 line input_format = \"{named}\" of the study makes them the same on every machine"
            ));
        }
        self.options.input_format = Some(named.clone());
    }

    /// Returns the combinations to replay, and adds notes on those left out. `given` is the number of given
    /// logs.
    fn combinations(&mut self, given: usize, notes: &mut Vec<String>) -> Result<Vec<Combination>, SpecError> {
        let mut combinations = self.axes.combinations()?;
        notes.extend(self.axes.unserved());
        self.without_outages(&mut combinations, notes)?;
        if self.is_of_command {
            let asked = combinations.len() / self.logs.len().max(1) * given;
            let mut seen = BTreeSet::new();
            combinations.retain(|Combination { log, spec, .. }| seen.insert((*log, spec.identity())));
            let twice = asked - combinations.len();
            if twice > 0 {
                notes.push(format!("{twice} of {asked} replays are the same as others and are left out"));
            }
        }
        Ok(combinations)
    }

    /// Checks the combinations against the outages. Removes incompatible combinations of `all`, with a note
    /// for each allocator and machine. Fails on any other incompatible combination.
    fn without_outages(
        &self,
        combinations: &mut Vec<Combination>,
        notes: &mut Vec<String>,
    ) -> Result<(), SpecError> {
        if self.options.outages.is_none() {
            return Ok(());
        }
        // Compatibility depends on these three coordinates only.
        let part = |spec: &ReplaySpec| format!("{} {} {}", spec.machine, spec.allocator, spec.network);
        let mut checked: BTreeMap<String, bool> = BTreeMap::new();
        for Combination { spec, of_all, .. } in &*combinations {
            if checked.contains_key(&part(spec)) {
                continue;
            }
            let compatible = check_outages(spec, &self.options);
            checked.insert(part(spec), compatible.is_ok());
            match compatible {
                Ok(()) => {}
                Err(error) if *of_all => notes.push(format!("all leaves out: {error}")),
                Err(error) => return Err(error),
            }
        }
        combinations.retain(|Combination { spec, .. }| checked.get(&part(spec)).is_none_or(|&can| can));
        Ok(())
    }

    /// Checks options against every machine, and reads the outage file and the node map for it, so that a
    /// mistake is found before any log is read.
    fn check_files(&self) -> Result<(), PlanError> {
        for machine in self.axes.all_machines() {
            if machine.levels().is_some() {
                self.options.check_tree(machine).map_err(PlanError::Unsuited)?;
            }
            if let Some(source) = self.options.outages.as_ref().filter(|source| source.path().is_some()) {
                source.on(machine, 0, Time::ZERO)?;
            }
            if let Some(map) = &self.options.node_map {
                map.on(machine)?;
            }
        }
        Ok(())
    }

    /// Returns a note for each log without users under a predictor that distinguishes users.
    fn without_users(&self, surveys: &[Vec<PartSurvey>]) -> Vec<String> {
        let needs_users = |rules: &Rules| rules.prediction().is_some_and(|given| given.predictor.needs_users);
        let lacks_users = |of_log: &(&LogSource, &Vec<PartSurvey>)| {
            let of_part = |part: &PartSurvey| {
                let mut surveys = self.axes.rules.iter().zip(&part.by_rules);
                surveys.any(|(rules, survey)| needs_users(rules) && !survey.names_users)
            };
            of_log.1.iter().any(of_part)
        };
        let note = |(log, _): (&LogSource, &Vec<PartSurvey>)| {
            format!(
                "{}: no job names its user (field 12), so every prediction by users is the requested time",
                log.name
            )
        };
        self.logs.iter().zip(surveys).filter(lacks_users).map(note).collect()
    }

    /// Reads every log. Returns the logs, and the surveys of their parts.
    fn survey(&self, notes: &mut Vec<String>) -> Result<(Vec<StudyLog>, Vec<Vec<PartSurvey>>), PlanError> {
        let wanted = SurveyScope {
            requests: !self.is_of_command || self.axes.ask_for_all(),
            size: !self.axes.autos.is_empty(),
            given: !self.axes.machines.is_empty(),
        };
        let rules = self.axes.rules.len();
        let (mut logs, mut surveys) = (Vec::new(), Vec::new());
        for (number, source) in self.logs.iter().enumerate() {
            if let Some(model) = &source.model {
                if self.axes.has_partitions() {
                    return Err(PlanError::Unsuited(format!(
                        "{} is a workload model, which has no partitions; leave out --partition",
                        source.name
                    )));
                }
                let (records, sha256) = (u64::from(model.jobs()), sha256(&model.spec().to_string()));
                logs.push(StudyLog { source: source.clone(), sha256, records, starts: None, loaded: None });
                surveys.push(vec![PartSurvey::of_model(model, rules)]);
                continue;
            }
            let failed = |source| PlanError::Log { number, source: Box::new(source) };
            let mut counts = Counts::new(rules, wanted);
            let (summary, names, loaded) = if self.is_of_command {
                let log = self.read(source, &mut counts).map_err(failed)?;
                notes.extend(log.notes(&source.name));
                check_jobs(&log, &self.axes.rules[0])?;
                check_predictions(&self.axes.rules, &log.workload.jobs)?;
                (Arc::clone(&log.summary), Arc::clone(&log.names), Some(Arc::new(log)))
            } else {
                let summary = count_jobs(source, &self.axes.rules, &mut counts).map_err(failed)?;
                let names = Arc::new(summary.names());
                (Arc::new(summary), names, None)
            };
            let log = LogOfParts {
                name: &source.name,
                names: &names,
                header: &summary.header,
                lists: &summary.facts.names,
                unit: LogUnit::new(summary.format, source.read.format.as_ref()),
                is_of_command: self.is_of_command,
            };
            surveys.push(PartChooser::new(counts, log).chosen(&self.axes.partitions, notes)?);
            let (sha256, records) = (summary.sha256.clone(), summary.records);
            let (source, starts) = (with_assumed_zone(source, &summary.facts), LogStart::of(&names));
            logs.push(StudyLog { source, sha256, records, starts, loaded });
        }
        Ok((logs, surveys))
    }

    /// Returns the most jobs of a log that are kept: all, if any replay may need them at once or the log
    /// cannot be read again.
    fn most_kept_of(&self, log: &LogSource) -> usize {
        let Axes { rules, schedulers, allocators, networks, .. } = &self.axes;
        // Standard input and pipes cannot be read again, regardless of their names.
        let needs_all = log.path == Path::new("-")
            || !log.path.is_file()
            || self.axes.ask_for_all()
            || self.options.need_all_jobs()
            || self.axes.has_partitions()
            || rules.iter().any(rules_need_all_jobs)
            || schedulers.iter().any(|scheduler| {
                allocators.iter().any(|allocator| {
                    networks.iter().any(|network| {
                        algorithms_need_all_jobs(&scheduler.spec, &allocator.spec, &network.spec)
                    })
                })
            });
        if needs_all { usize::MAX } else { self.most_kept }
    }

    /// Reads a log of a command, and adds its jobs to `counts`.
    fn read(&self, source: &LogSource, counts: &mut Counts) -> Result<LoadedLog, TraceError> {
        let (rules, most) = (self.axes.rules[0].clone(), self.most_kept_of(source));
        load_most(&source.path, source.read.clone(), rules, most, &mut |job| counts.add(0, job))
    }
}

/// Counts the jobs of a log for each set of rules, without keeping them.
fn count_jobs(source: &LogSource, rules: &[Rules], counts: &mut Counts) -> Result<LogSummary, TraceError> {
    meshreplay_logs::read(&source.path, source.read.clone(), |record| {
        for (i, rules) in rules.iter().enumerate() {
            if let Ok(job) = rules.job(record) {
                counts.add(i, &job);
            }
        }
    })
}

/// Builds the predictors of `rules` for `jobs`, so that a mistake in a prediction file is found before any
/// replay runs.
fn check_predictions(rules: &[Rules], jobs: &[Job]) -> Result<(), PredictionError> {
    for prediction in rules.iter().filter_map(Rules::prediction) {
        prediction.build(jobs)?;
    }
    Ok(())
}

/// Maps recorded nodes once for each log and machine, so that a mistake is found before any replay runs.
fn check_recorded_nodes(study: &Study) -> Result<(), RecordedNodesError> {
    let mut checked = BTreeSet::new();
    for PlannedReplay { spec, source, .. } in &study.cells {
        let Some(source) = source.as_ref().filter(|_| follows_lists(&spec.allocator)) else { continue };
        if checked.insert((&spec.log, &spec.partition, spec.machine.to_string())) {
            source.recorded_nodes(&spec.log, study.options.node_map.as_ref(), &spec.machine)?;
        }
    }
    Ok(())
}

/// Returns the log with the assumed time zone of its dates in its format.
fn with_assumed_zone(source: &LogSource, facts: &Facts) -> LogSource {
    let mut source = source.clone();
    if let Some(zone) = facts.assumed_zone() {
        source.read.format =
            Some(formats::with_parameter(source.read.format.take(), formats::TIME_ZONE, zone));
    }
    source
}
