//! Reads study files. Names and values are checked before the logs are read.

mod toml_keys;

pub use toml_keys::StudyKey;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use self::toml_keys::{Keys, ListEntry, Value, beside, read};
use super::axes::{ALL, Axes, AxisValues, MachineArg, MachinesWithTopology, UNAVAILABLE_OF_AUTO, resolve};
use super::log::{LogSource, MOST_KEPT};
use super::options::{Flag, OPTIONS, Options, ReplayOption};
use super::plan::{Draft, PlanError, check_name, note_on_repeats};
use super::planned::Study;
use super::replay_spec::{Coordinate, ReplaySpec};
use meshreplay_base::spec::{GivenSpec, Spec, SpecError};
use meshreplay_logs::{ReadOptions, TraceError};
use meshreplay_machine::machine::node_map::NodeMapSource;
use meshreplay_machine::machine::outages::OutageSource;
use meshreplay_machine::machine::{Mesh, make_unavailable};
use meshreplay_sim::guest::Guests;
use meshreplay_workload::{Estimate, Rules};

impl Study {
    /// Reads the study file at `path` and plans the study. Each log is read once for its size, checksum and
    /// requests. `options` come from the command line.
    pub fn read(path: &Path, options: Options) -> Result<Self, StudyError> {
        Self::planned(path, &read(path)?, options, &|log| beside(path, log), None)
    }

    /// Reads a study file as [`Self::read`] does. `change` adds algorithms of the caller to the draft. Equal
    /// replays are run once, with a note.
    pub fn read_with(path: &Path, options: Options, change: &dyn Fn(&mut Draft)) -> Result<Self, StudyError> {
        Self::planned(path, &read(path)?, options, &|log| beside(path, log), Some(change))
    }

    /// Plans a study from the text of its file. Messages call the file `path`. `find` resolves paths in the
    /// study file. `options` come from the command line and may not repeat keys of the file.
    pub fn plan(
        path: &Path,
        text: &str,
        options: Options,
        find: &dyn Fn(&str) -> PathBuf,
    ) -> Result<Self, StudyError> {
        Self::planned(path, text, options, find, None)
    }

    fn planned(
        path: &Path,
        text: &str,
        options: Options,
        find: &dyn Fn(&str) -> PathBuf,
        change: Option<&dyn Fn(&mut Draft)>,
    ) -> Result<Self, StudyError> {
        let keys = Keys::parse(path, text)?;
        check_twice(&options, &keys, path)?;
        let options = with_resolved_paths(with_keys(options, &keys)?, &keys, find);
        check_effects(&options, &keys, path)?;
        let logs = logs(&keys, path, options.input_format.as_ref(), find)?;
        let (options, machines, notes) = machines(&keys, options, find)?;
        let axes = axes(&keys, path, machines, find)?;
        if let Some(line) = keys.line_of("replications")
            && options.replications.are_several()
            && axes.count("seed") > 1
        {
            let problem = "key 'replications': there are several seeds already, and each replication has the \
                 next one; give one seed";
            return Err(StudyError::at_line(path, line, problem.to_owned()));
        }
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let (logs, lines): (Vec<LogSource>, Vec<usize>) = logs.into_iter().unzip();
        // The jobs of a cell are written after it has ended.
        let most_kept = if options.jobs { usize::MAX } else { MOST_KEPT };
        let mut draft = Draft {
            name: keys.string("name")?.or(stem).unwrap_or_default(),
            description: keys.string("description")?,
            options,
            logs,
            axes,
            is_of_command: false,
            most_kept,
            notes,
        };
        if let Some(change) = change {
            change(&mut draft);
        }
        let mut notes = Vec::new();
        let of_option = |name: &'static str, problem: String| match keys.line_of(name) {
            Some(line) => StudyError::at_line(path, line, format!("key '{name}': {problem}")),
            None => StudyError::Wrong { place: flag_of(name), problem },
        };
        let mut study = draft.plan(&mut notes).map_err(|error| match error {
            PlanError::Log { number, source } => {
                StudyError::Log { place: format!("{}:{}", path.display(), lines[number]), source }
            }
            PlanError::Outages(error) => of_option("outages", error.to_string()),
            PlanError::NodeMap(error) => of_option("node_map", error.to_string()),
            PlanError::Useless { option, problem } => of_option(option, problem),
            PlanError::Predictions(error) => {
                let line = keys.line_of("rules").unwrap_or(1);
                StudyError::at_line(path, line, format!("key 'rules': {error}"))
            }
            other => StudyError::at_line(path, 1, other.to_string()),
        })?;
        if change.is_none() {
            check_unique(&study, path)?;
        } else {
            // The file may have what is added.
            let (asked, mut seen) = (study.cells.len(), BTreeSet::new());
            study.cells.retain(|cell| seen.insert(cell.key.clone()));
            notes.extend(note_on_repeats(asked - study.cells.len(), asked));
        }
        Ok(Self { notes, ..study })
    }
}

/// Fails if two cells are the same replay.
fn check_unique(study: &Study, path: &Path) -> Result<(), StudyError> {
    let mut seen = BTreeMap::new();
    for (i, cell) in study.cells.iter().enumerate() {
        if let Some(first) = seen.insert(&cell.key, i) {
            let (first, second, label) = (first + 1, i + 1, study.label(i));
            let problem = format!("cells {first} and {second} are the same replay: {label}; name it once");
            return Err(StudyError::of_file(path, problem));
        }
    }
    Ok(())
}

/// Fails if the command line gives an option that is also a key of the file.
fn check_twice(options: &Options, keys: &Keys<'_>, path: &Path) -> Result<(), StudyError> {
    let is_flag = |row: &&ReplayOption| row.flag.as_ref().is_some_and(|flag| flag.is_of_sweep);
    let mut given = OPTIONS.iter().filter(is_flag).filter(|row| row.key.is_some() && row.is_given(options));
    let Some((row, line)) = given.find_map(|row| Some((row, keys.line_of(row.name)?))) else { return Ok(()) };
    let problem = format!("key '{}': {} is given, too; leave one of them out", row.name, flag_of(row.name));
    Err(StudyError::at_line(path, line, problem))
}

/// Returns the command-line flag of an option, such as `--on-outage`; the option's name without one.
fn flag_of(name: &str) -> String {
    let row = OPTIONS.iter().find(|row| row.name == name);
    row.and_then(|row| row.flag.as_ref()).map_or_else(|| name.to_owned(), Flag::argument)
}

/// Sets the options whose names are keys of the file.
fn with_keys(mut options: Options, keys: &Keys<'_>) -> Result<Options, StudyError> {
    for option in OPTIONS.iter().filter(|option| option.key.is_some()) {
        let set = |text: &str| {
            let mut changed = options.clone();
            (option.set)(&mut changed, text).map(|()| changed)
        };
        if let Some(changed) = keys.scalar(option.name, set)? {
            options = changed;
        }
    }
    Ok(options)
}

/// Fails if a key of the file, or a flag, has no effect because it needs another key that is absent.
fn check_effects(options: &Options, keys: &Keys<'_>, path: &Path) -> Result<(), StudyError> {
    let line_of = |row: &ReplayOption| if row.key.is_some() { keys.line_of(row.name) } else { None };
    // Options without a key are left to the command line.
    let is_given = |row: &ReplayOption| line_of(row).is_some() || row.key.is_some() && row.is_given(options);
    let mut given = OPTIONS.iter().filter(|row| is_given(row));
    let alone = given.find_map(|row| Some((row, row.needed().filter(|needed| !needed.is_given(options))?)));
    let Some((row, needed)) = alone else { return Ok(()) };
    let name = match line_of(row) {
        Some(_) => format!("key '{}'", row.name),
        None => flag_of(row.name),
    };
    let problem = format!(
        "{name} has no effect without key '{}'; add a line such as {} = \"{}\", or leave it out",
        needed.name, needed.name, needed.example
    );
    Err(StudyError::at_line(path, line_of(row).unwrap_or(1), problem))
}

/// Resolves the paths of an outage file and of a node map in the study file. Relative paths start at the same
/// directory as those of logs.
fn with_resolved_paths(mut options: Options, keys: &Keys<'_>, find: &dyn Fn(&str) -> PathBuf) -> Options {
    if let (Some(_), Some(OutageSource::File(path))) = (keys.line_of("outages"), &mut options.outages) {
        *path = find(path).display().to_string();
    }
    if let (Some(_), Some(NodeMapSource::File(path))) = (keys.line_of("node_map"), &mut options.node_map) {
        *path = find(path).display().to_string();
    }
    options
}

/// Returns the logs with their line numbers. Fails if two logs would have the same name in results.
fn logs(
    keys: &Keys<'_>,
    path: &Path,
    format: Option<&Spec>,
    find: &dyn Fn(&str) -> PathBuf,
) -> Result<Vec<(LogSource, usize)>, StudyError> {
    let wrong = |line, problem: String| StudyError::at_line(path, line, format!("key 'logs': {problem}"));
    let given =
        keys.required(
            "logs",
            strings(|text| match text {
                "-" => Err("standard input cannot be a log of a study, which may read it again; give a file"
                    .to_owned()),
                _ => Ok(text.to_owned()),
            }),
        )?;
    let (mut logs, mut lines) = (Vec::new(), Vec::new());
    for (file, line) in given {
        let read = ReadOptions { format: format.cloned(), ..ReadOptions::default() };
        let log = LogSource::new(&file, find(&file), read);
        let log = log.map_err(|error| wrong(line, error.to_string()))?;
        check_name(&logs, &log).map_err(|error| wrong(line, error.to_string()))?;
        logs.push(log);
        lines.push(line);
    }
    Ok(logs.into_iter().zip(lines).collect())
}

/// Returns the machines of the file, with the tree of its topology in place of `auto`, the options with the
/// node map of the topology, and notes on it.
fn machines(
    keys: &Keys<'_>,
    options: Options,
    find: &dyn Fn(&str) -> PathBuf,
) -> Result<(Options, Vec<MachineArg>, Vec<String>), StudyError> {
    let machines = values(Some(keys.required("machines", strings(MachineArg::parse))?), Vec::new());
    let given = |text: &str| text.parse::<GivenSpec>().map_err(|error| error.to_string());
    let allocators = values(keys.list("allocators", strings(given))?, Vec::new());
    let with_topology = |text: &str| {
        let mut options = options.clone();
        let read = MachinesWithTopology::read(&machines, &find(text), allocators.iter(), &mut options);
        read.map(|read| (options, read.machines, read.notes)).map_err(|error| error.to_string())
    };
    let with_topology = keys.scalar("topology", with_topology)?;
    Ok(with_topology.unwrap_or((options, machines, Vec::new())))
}

/// Returns the axes of the file, without logs, which planning adds. `find` resolves paths in the study file.
fn axes(
    keys: &Keys<'_>,
    path: &Path,
    machines: Vec<MachineArg>,
    find: &dyn Fn(&str) -> PathBuf,
) -> Result<Axes, StudyError> {
    let rules = keys.list("rules", strings(|text| resolved_rules(text, find)))?;
    let schedulers = keys.list("schedulers", strings(scheduler_spec))?;
    let names: Vec<String> = machines.iter().map(ToString::to_string).collect();
    let (machines, autos) = MachineArg::split(machines.into_iter());
    if let (Some(_), false) = (keys.line_of("unavailable"), autos.is_empty()) {
        keys.scalar("unavailable", |_| Err::<(), String>(UNAVAILABLE_OF_AUTO.to_owned()))?;
    }
    let without = |text: &str| {
        let one = |mesh: &Mesh| make_unavailable(mesh, text, &find(text)).map_err(|error| error.to_string());
        machines.iter().map(one).collect::<Result<Vec<Mesh>, String>>()
    };
    let machines = keys.scalar("unavailable", without)?.unwrap_or(machines);
    // Machines that a log sizes are in no message.
    let names = if autos.is_empty() { &*names } else { &[] };
    let allocators = allocators(keys, &Machines { names, meshes: &machines })?;
    let networks = keys.list("networks", strings(|text| network_spec(text, &machines)))?;
    let default = Axes::default();
    Ok(Axes {
        partitions: values(keys.list("partitions", strings(str::parse))?, default.partitions),
        rules: values(rules, default.rules),
        machines,
        autos,
        schedulers: values(schedulers, default.schedulers),
        allocators: values(Some(allocators), default.allocators),
        networks: values(networks, default.networks),
        values: axis_values(keys, path)?,
        logs: default.logs,
        of_logs: default.of_logs,
        guests: default.guests,
    })
}

/// Parses rules, and resolves the path of a prediction file in them. Relative paths start at the same
/// directory as those of logs.
fn resolved_rules(text: &str, find: &dyn Fn(&str) -> PathBuf) -> Result<Rules, String> {
    let mut rules: Rules = text.parse().map_err(|error: SpecError| error.to_string())?;
    if let Estimate::Predicted(prediction) = &mut rules.estimate
        && let Some(path) = prediction.path().map(find)
    {
        prediction.file = path.display().to_string();
        // Results spell the rules with the resolved path, so it must parse.
        rules.to_string().parse::<Rules>().map_err(|error| error.to_string())?;
    }
    Ok(rules)
}

/// Returns the values of the coordinates whose rows have an axis.
fn axis_values(keys: &Keys<'_>, path: &Path) -> Result<AxisValues, StudyError> {
    let mut values = AxisValues::new();
    let mut spec = ReplaySpec::blank().map_err(|error| StudyError::of_file(path, error.to_string()))?;
    for (row, axis) in Coordinate::axes() {
        let parse = |value: &Value<'_>| match value {
            // A number of the wrong kind is refused with the kind of the key.
            Value::Number(text) if row.is_number() => row.parsed_with(&mut spec, text).map(Ok),
            Value::Text(text) if !row.is_number() => Some(
                row.parsed_with(&mut spec, text)
                    .ok_or_else(|| format!("found {text}, expected {}", axis.expected)),
            ),
            _ => None,
        };
        if let Some(key) = &row.key
            && let Some(list) = keys.list(key.name, parse)?
        {
            values.insert(row.name, list.into_iter().map(|(value, _)| value).collect());
        }
    }
    Ok(values)
}

/// Returns the values of a list without their lines; `default` if the key is absent.
fn values<T>(list: Option<Vec<ListEntry<T>>>, default: Vec<T>) -> Vec<T> {
    list.map_or(default, |list| list.into_iter().map(|(value, _)| value).collect())
}

/// Returns a parser for strings that uses `parse` and rejects numbers.
fn strings<T>(parse: impl Fn(&str) -> Result<T, String>) -> impl Fn(&Value<'_>) -> Option<Result<T, String>> {
    move |value| match value {
        Value::Text(text) => Some(parse(text)),
        Value::Number(_) => None,
    }
}

/// Parses and resolves a scheduler.
fn scheduler_spec(text: &str) -> Result<GivenSpec, String> {
    let given: GivenSpec = text.parse().map_err(|error: SpecError| error.to_string())?;
    let spec = Guests::default().resolve_scheduler(&given.spec).map_err(|error| error.to_string())?;
    Ok(GivenSpec { spec, ..given })
}

/// Parses a network and adds the defaults that apply on any of the machines. Fails if it cannot serve a
/// machine of the study.
fn network_spec(text: &str, machines: &[Mesh]) -> Result<GivenSpec, String> {
    let mut given: GivenSpec = text.parse().map_err(|error: SpecError| error.to_string())?;
    for mesh in machines {
        // A spec resolved for a mesh lacks the parameters of tori, which still apply to tori.
        let resolved =
            Guests::default().resolve_network(&given.spec, mesh).map_err(|error| error.to_string())?.0;
        given.spec.params.extend(resolved.params);
    }
    Ok(given)
}

/// The reason why a study file cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file cannot be read.
    #[error("{} cannot be read", .path.display())]
    File {
        /// The path of the study file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file, one of its lines, or an option of the command line is wrong.
    #[error("{place}: {problem}")]
    Wrong {
        /// The path, with the line if there is one, or the option.
        place: String,
        /// The key, the value that was found, and what was expected.
        problem: String,
    },
    /// A log cannot be read.
    #[error("{place}: key 'logs'")]
    Log {
        /// The path and the line.
        place: String,
        /// The problem with the log.
        source: Box<TraceError>,
    },
}

impl StudyError {
    /// An error about the file at `path` as a whole.
    fn of_file(path: &Path, problem: String) -> Self {
        Self::Wrong { place: path.display().to_string(), problem }
    }

    /// An error about a line, from 1, of the file at `path`.
    fn at_line(path: &Path, line: usize, problem: String) -> Self {
        Self::Wrong { place: format!("{}:{line}", path.display()), problem }
    }
}

// The allocators of a study file, and files in place of one that has machines which an allocator cannot
// serve.

/// The machines of a study file: the names in the file, and the machines without unavailable nodes.
struct Machines<'a> {
    names: &'a [String],
    meshes: &'a [Mesh],
}

/// Returns the allocators of the file, in their canonical spelling. Fails if one cannot serve a machine of
/// the study.
fn allocators(keys: &Keys<'_>, machines: &Machines<'_>) -> Result<Vec<ListEntry<GivenSpec>>, StudyError> {
    let texts = keys.required("allocators", strings(|text| Ok(text.to_owned())))?;
    let texts: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
    keys.required(
        "allocators",
        strings(|text| {
            let given: GivenSpec = text.parse().map_err(|error: SpecError| error.to_string())?;
            if given.spec == Spec::named(ALL) {
                return Ok(given);
            }
            for machine in machines.meshes {
                resolve(&given.spec, machine).map_err(|error| match error {
                    SpecError::Unsuited { .. } => format!("{error}{}", split(&texts, machines)),
                    _ => error.to_string(),
                })?;
            }
            let spec = Guests::default().find_allocator(&given.spec).map_err(|error| error.to_string())?;
            Ok(GivenSpec { spec, ..given })
        }),
    )
}

/// Allocators that serve the same machines.
struct Alike<'a> {
    machines: Vec<&'a str>,
    allocators: Vec<&'a str>,
}

/// Returns the lines of several study files in place of one, each with allocators that serve the same
/// machines. Empty if one file has all allocators that serve any machine.
fn split(allocators: &[String], machines: &Machines<'_>) -> String {
    let mut files: Vec<Alike<'_>> = Vec::new();
    for text in allocators {
        let Ok(GivenSpec { spec, .. }) = text.parse() else { continue };
        let is_served = |mesh| spec == Spec::named(ALL) || resolve(&spec, mesh).is_ok();
        let named = machines.names.iter().zip(machines.meshes);
        let served: Vec<&str> = named.filter(|(_, mesh)| is_served(mesh)).map(|(name, _)| &**name).collect();
        match files.iter_mut().find(|file| file.machines == served) {
            Some(file) => file.allocators.push(text),
            None if served.is_empty() => {}
            None => files.push(Alike { machines: served, allocators: vec![text] }),
        }
    }
    if files.len() < 2 {
        return String::new();
    }
    let lines = |Alike { machines, allocators }: &Alike<'_>| {
        format!("\n  machines = {machines:?}\n  allocators = {allocators:?}")
    };
    let lines: Vec<String> = files.iter().map(lines).collect();
    format!("; or split the study into {} files with these lines:{}", files.len(), lines.join("\nand"))
}
