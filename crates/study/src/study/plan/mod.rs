//! Planning: turns a study file or a command line into a list of replays with content keys and costs. Reads
//! every log once.

mod checks;
mod cost;
mod maintenance;
mod parts;
mod period;
mod survey;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use self::checks::{check_predictions, check_recorded_nodes};
use self::maintenance::Known;
use self::parts::{LogOfParts, PartChooser};
use self::period::{LogPeriod, LoggedTimes};
pub use self::period::{PeriodChoice, covered};
use self::survey::{Counts, PartSurvey, Survey, SurveyScope};
use crate::study::axes::{Axes, Combination};
use crate::study::jobs::JobsError;
use crate::study::key::{Keys, own_key, unique};
use crate::study::log::{LoadedLog, LogSource, LogStart, RecordedNodesError, load_most};
use crate::study::options::Options;
use crate::study::planned::{PlannedReplay, Study, StudyLog};
use crate::study::replay::{algorithms_need_all_jobs, check_outages, explains, rules_need_all_jobs};
use crate::study::replay_spec::ReplaySpec;
use crate::study::shared_jobs::{LoadJobsError, check_jobs, load_jobs};
use meshreplay_base::job::Time;
use meshreplay_base::prediction::PredictionError;
use meshreplay_base::spec::SpecError;
use meshreplay_logs::{Facts, LogEntry, LogSummary, LogUnit, Reader, TraceError, formats};
use meshreplay_machine::machine::node_map::NodeMapError;
use meshreplay_machine::machine::outages::{OutageFileError, OutageSource};
use meshreplay_workload::{Arrivals, Rules, with_limit};

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
        let Surveyed { mut logs, surveys, periods } = self.survey(notes)?;
        self.name_zone(&logs, notes);
        notes.extend(self.without_users(&surveys));
        let combinations = if let Some(combinations) = known {
            combinations
        } else {
            self.size_machines(&surveys, notes)?;
            self.check_files()?;
            self.combinations(given, notes)?
        };
        self.keep_parts(&mut logs, &periods)?;
        self.check_limits(&combinations, &logs, &surveys)?;
        let of_rules = |rules: &Rules| self.axes.rules.iter().position(|other| other == rules).unwrap_or(0);
        let mut known: BTreeMap<String, bool> = BTreeMap::new();
        let mut cells = Vec::with_capacity(combinations.len());
        let (unique, mut keys) = (unique(), Keys::new(&self.options, self.axes.has(&self.options)));
        let mut maintenance = Known::new(self.options.outages.as_ref());
        let sha256s: Vec<Arc<str>> = logs.iter().map(|log| log.sha256.as_str().into()).collect();
        for Combination { log, spec, of_all } in combinations {
            let part = surveys[log].iter().position(|part| part.partition == spec.partition).unwrap_or(0);
            let survey = &surveys[log][part].by_rules[of_rules(&spec.rules)];
            if of_all && self.is_left_out(survey, (&logs[log], &spec), &mut known, notes)? {
                continue;
            }
            let period = periods[log].period.filter(|_| spec.rules.arrivals == Arrivals::Recorded);
            let planned = periods[log].planned.get(of_rules(&spec.rules)).cloned().unwrap_or_default();
            let spec = ReplaySpec { log_sha256: Arc::clone(&sha256s[log]), period, planned, ..spec };
            let assumes_size = self.assumes_size(&surveys[log][part], &spec);
            let explains = explains(&spec, logs[log].is_of_site, assumes_size);
            let key = own_key(keys.of(&spec, explains), &spec, &unique);
            let load = survey.offered_load(spec.machine.available()).map(|load| load / spec.arrival_scale);
            let cost = survey.jobs.max(1).saturating_mul(cost::of_job(&spec, load));
            let reasons = [
                &doubt_of_left_out(&spec.rules),
                &periods[log].doubt,
                &maintenance.doubt(log, &periods[log], &spec),
                &surveys[log][part].doubt,
                &self.doubt_of_size(&surveys[log][part], &spec),
                &survey.doubt(&logs[log], &spec.rules),
            ];
            let doubt = reasons.into_iter().flatten().next().cloned();
            cells.push(PlannedReplay {
                spec,
                log,
                key,
                jobs: survey.jobs,
                cost,
                source: None,
                pools_partitions: surveys[log][part].pools_partitions,
                assumes_size,
                doubt,
            });
        }
        let of_log = |(log, note): (usize, String)| format!("{}: {note}", self.logs[log].name);
        notes.extend(maintenance.notes(&periods).into_iter().map(of_log));
        self.into_study(logs, cells, notes)
    }

    /// Returns the study with these logs and replays. A command loads its jobs.
    fn into_study(
        self,
        logs: Vec<StudyLog>,
        cells: Vec<PlannedReplay>,
        notes: &mut Vec<String>,
    ) -> Result<Study, PlanError> {
        let has = checks::with_cells(self.axes.has(&self.options), self.options.why, &cells, &logs);
        notes.extend(self.note_on_node_map(has));
        let Self { name, description, options, is_of_command, axes, most_kept, .. } = self;
        let (guests, notes_of_plan) = (axes.guests, Vec::new());
        let mut study =
            Study { name, description, options, has, logs, cells, guests, notes: notes_of_plan, most_kept };
        if is_of_command {
            load_jobs(&mut study, notes)?;
            check_recorded_nodes(&study)?;
        }
        Ok(study)
    }

    /// Returns whether an allocator of `all` cannot serve a job of a log, and adds a note on it. `known` has
    /// the answers by log, rules, machine, allocator and seed: the requests that an allocator can serve
    /// depend neither on the scheduler nor on the network.
    fn is_left_out(
        &self,
        survey: &Survey,
        (log, spec): (&StudyLog, &ReplaySpec),
        known: &mut BTreeMap<String, bool>,
        notes: &mut Vec<String>,
    ) -> Result<bool, PlanError> {
        let ReplaySpec { log: name, partition, rules, arrival_scale, machine, allocator, seed, .. } = spec;
        let part = partition.as_ref().map(ToString::to_string).unwrap_or_default();
        let jobs = format!("{name} {part} {rules} {arrival_scale} {machine} {allocator} {seed}");
        if let Some(&known) = known.get(&jobs) {
            return Ok(known);
        }
        let note = survey.left_out(log, spec, &self.options)?;
        known.insert(jobs, note.is_some());
        let is_left_out = note.is_some();
        notes.extend(note.filter(|note| !notes.contains(note)));
        Ok(is_left_out)
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
            notes.extend(note_on_repeats(asked - combinations.len(), asked));
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
    fn survey(&self, notes: &mut Vec<String>) -> Result<Surveyed, PlanError> {
        let wanted = SurveyScope {
            requests: !self.is_of_command || self.axes.ask_for_all(),
            size: !self.axes.autos.is_empty(),
            given: !self.axes.machines.is_empty(),
            period: false,
            outages: self.options.outages == Some(OutageSource::Recorded),
        };
        let rules = self.axes.rules.len();
        let Surveyed { mut logs, mut surveys, mut periods } = Surveyed::default();
        for (number, source) in self.logs.iter().enumerate() {
            if let Some(model) = &source.model {
                if self.axes.has_partitions() {
                    return Err(PlanError::Unsuited(format!(
                        "{} is a workload model, which has no partitions; leave out --partition",
                        source.name
                    )));
                }
                logs.push(StudyLog::of_model(source, model));
                surveys.push(vec![PartSurvey::of_model(model, rules)]);
                periods.push(LogPeriod::default());
                continue;
            }
            let failed = |source| PlanError::Log { number, source: Box::new(source) };
            let mut counts = Counts::new(rules, wanted);
            let (summary, names, loaded) = if self.is_of_command {
                let log = self.read(source, &mut counts).map_err(failed)?;
                check_jobs(&log, &self.axes.rules[0])
                    .inspect_err(|_| notes.extend(log.notes(&source.name, None)))?;
                check_predictions(&self.axes.rules, &log.workload.jobs)?;
                (Arc::clone(&log.summary), Arc::clone(&log.names), Some(Arc::new(log)))
            } else {
                let summary = self.count_jobs(source, &mut counts).map_err(failed)?;
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
            let limits = std::mem::take(&mut counts.limits);
            let chooser = PartChooser::new(counts, log);
            let times = LoggedTimes { name: &source.name, names: &names, summary: &summary };
            let period = self.period(&times, &limits, chooser.runs(), notes)?;
            notes.extend(loaded.iter().flat_map(|log| log.notes(&source.name, period.period)));
            notes.extend(period.note.iter().map(|note| format!("{}: {note}", source.name)));
            periods.push(period);
            let parts = chooser.chosen(&self.axes.partitions, notes)?;
            let is_of_site = summary.format.is_of_site();
            let without_limits = parts.iter().filter_map(|part| part.note_on_limits(&source.name));
            notes.extend(without_limits.filter(|_| is_of_site));
            surveys.push(parts);
            let (sha256, records) = (summary.sha256.clone(), summary.records);
            let (source, starts) = (with_assumed_zone(source, &summary.facts), LogStart::of(&names));
            let has_doubtful_limits = summary.facts.has_doubtful_limits;
            logs.push(StudyLog { source, sha256, records, is_of_site, has_doubtful_limits, starts, loaded });
        }
        Ok(Surveyed { logs, surveys, periods })
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
        load_most(&source.path, source.read.clone(), rules, most, &mut |format, job| {
            counts.wanted.period =
                counts.wanted.outages || PeriodChoice::is_found(self.options.period.as_ref(), format);
            counts.add(0, job);
        })
    }

    /// Counts the jobs of a log for each set of rules, without keeping them.
    fn count_jobs(&self, source: &LogSource, counts: &mut Counts) -> Result<LogSummary, TraceError> {
        let mut reader = Reader::open(&source.path, source.read.clone())?;
        let format = reader.format();
        counts.wanted.period =
            counts.wanted.outages || PeriodChoice::is_found(self.options.period.as_ref(), format);
        while let Some(entry) = reader.next_entry()? {
            let LogEntry::Record { record, .. } = entry else { continue };
            let record = with_limit(record, format);
            for (i, rules) in self.axes.rules.iter().enumerate() {
                if let Ok(job) = rules.job(&record) {
                    counts.add(i, &job);
                }
            }
        }
        reader.finish()
    }
}

/// The logs of a study after they were read, each with the surveys of its parts and its period.
#[derive(Default)]
struct Surveyed {
    logs: Vec<StudyLog>,
    surveys: Vec<Vec<PartSurvey>>,
    periods: Vec<LogPeriod>,
}

/// Returns the reason why the recorded waits of a log may be those of more jobs than are replayed.
fn doubt_of_left_out(rules: &Rules) -> Option<String> {
    rules.leaves_out_runs().map(|option| format!("{option} can leave out jobs that ran"))
}

/// Returns a note on replays that are left out because they are the same as others.
pub(super) fn note_on_repeats(repeats: usize, replays: usize) -> Option<String> {
    let note = || format!("{repeats} of {replays} replays are the same as others and are left out");
    (repeats > 0).then(note)
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
