//! The origin of a report: the run, its logs, its algorithms, and commands that reproduce the numbers.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::ReportError;
use super::verdicts::{read, words};
use meshreplay_base::words::counted;
use meshreplay_figures::{Clock, Results};
use meshreplay_results::frame::{Place, STUDY_FILE};
use meshreplay_results::text::command_line;
use meshreplay_study::study::{Coordinate, Options, ReplaySpec};

/// Largest number of commands in a report, if no single command repeats all of its replays.
const MOST_COMMANDS: usize = 20;

pub(super) fn name_of(folder: &Path) -> Option<String> {
    Some(folder.canonicalize().ok()?.file_name()?.to_string_lossy().into_owned())
}

/// Returns the content of run.json or study.json; `None` if the directory has neither. Fails if it cannot be
/// read.
fn run(folder: &Path) -> Result<Option<Value>, ReportError> {
    let run = read(&folder.join("run.json"))?;
    if run.is_some() { Ok(run) } else { read(&folder.join(STUDY_FILE)) }
}

/// Returns the origin of the numbers as pairs of a name and a value: the resolved run or study, and the
/// values of columns. Fails if the run or study cannot be read.
pub(super) fn provenance(folder: &Path, results: &Results) -> Result<Vec<(String, String)>, ReportError> {
    let run = run(folder)?;
    let mut lines = Vec::new();
    let mut add = |what: &str, which: String| lines.push((what.to_owned(), which));
    match &run {
        Some(run) => {
            for key in ["name", "description", "version", "replications", "trim_percent"] {
                if let Some(value) = run.get(key).filter(|value| !value.is_null()) {
                    add(key, words(value));
                }
            }
            for log in run.get("logs").and_then(Value::as_array).into_iter().flatten() {
                let text = |key: &str| log.get(key).map(words).unwrap_or_default();
                let began = Clock::from_log(log)
                    .and_then(|clock| Some(format!(", from {} ({})", clock.date(0.0)?, clock.zone_name)))
                    .unwrap_or_default();
                add(
                    "log",
                    format!(
                        "{}, {}{began}, SHA-256 {}",
                        text("name"),
                        counted(text("records"), "record"),
                        text("sha256")
                    ),
                );
            }
        }
        None => add("version", results.label(0, "version")),
    }
    // Logs are listed above.
    let has_column = |row: &&Coordinate| row.name != "log" && results.table.column(row.name).is_some();
    for column in Coordinate::by_place().into_iter().filter(has_column).map(|row| row.name) {
        let mut values: Vec<String> = Vec::new();
        for i in 0..results.table.height() {
            let (label, spec) = (results.label(i, column), results.label(i, &format!("{column}_spec")));
            let value = if spec.is_empty() || spec == label { label } else { format!("{label} ({spec})") };
            if !values.contains(&value) {
                values.push(value);
            }
        }
        add(column, values.join("; "));
    }
    if let Some(missing) = results.table.missing_note() {
        add("missing", missing);
    }
    Ok(lines)
}

/// The arguments of a command: each option with its values, as typed, and whether it takes several values.
type Arguments = Vec<(String, Vec<String>, bool)>;

/// Returns the commands that repeat the replays, for the directory where they were made: a single command if
/// the replays are all combinations of its arguments, otherwise one for each replay. Empty if the results
/// lack the options of the replays or this directory. Fails if the run or study cannot be read.
pub(super) fn commands(folder: &Path, results: &Results) -> Result<Vec<String>, ReportError> {
    let Some(run) = run(folder)? else { return Ok(Vec::new()) };
    let Ok(options) = Options::deserialize(&run) else { return Ok(Vec::new()) };
    let (Some(specs), Some(place)) = (specs(results), Place::read(folder)) else { return Ok(Vec::new()) };
    let mut end = options.replay_arguments();
    if let Some(name) = name_of(folder).filter(|_| !end.iter().any(|word| word == "--output")) {
        end.extend(["--output".to_owned(), format!("{name}-rerun")]);
    }
    let each: Option<Vec<Arguments>> = specs.iter().map(|spec| arguments(spec, &place)).collect();
    let Some(each) = each else { return Ok(Vec::new()) };
    let directory = command_line(["cd".to_owned(), place.directory.to_string_lossy().into_owned()]);
    let command = |arguments: &Arguments| {
        let given = arguments.iter().flat_map(|(option, values, _)| {
            // The logs come first, without an option.
            std::iter::once(option).filter(|option| !option.is_empty()).chain(values)
        });
        let begin = ["meshreplay".to_owned(), "replay".to_owned()];
        format!("({directory} && {})", command_line(begin.iter().chain(given).chain(&end)))
    };
    if let Some(all) = product(&each) {
        return Ok(vec![command(&all)]);
    }
    let mut commands: Vec<String> = each.iter().take(MOST_COMMANDS).map(command).collect();
    if each.len() > MOST_COMMANDS {
        commands.push(format!("# and {} more", each.len() - MOST_COMMANDS));
    }
    Ok(commands)
}

/// Returns the description of each replay; `None` if one cannot be read.
fn specs(results: &Results) -> Option<Vec<ReplaySpec>> {
    let numbers = results.table.column("replay")?;
    let mut seen = BTreeSet::new();
    let first_rows = (0..results.table.height()).filter(|&row| seen.insert(numbers.label(row)));
    first_rows.map(|row| results.spec(row)).collect()
}

/// Returns the arguments of a replay, with algorithms as typed. The first entry is the log; `None` if its
/// file is unknown.
fn arguments(spec: &ReplaySpec, place: &Place) -> Option<Arguments> {
    let log = (String::new(), vec![place.logs.get(&*spec.log)?.clone()], true);
    let others =
        spec.arguments().into_iter().map(|given| (given.option, vec![given.typed], given.takes_several));
    Some(std::iter::once(log).chain(others).collect())
}

/// Returns arguments whose combinations are exactly the replays; `None` if there are none.
fn product(each: &[Arguments]) -> Option<Arguments> {
    let mut all = each.first()?.clone();
    for arguments in each {
        if arguments.len() != all.len() {
            return None;
        }
        for ((option, values, _), (name, value, _)) in all.iter_mut().zip(arguments) {
            if option != name {
                return None;
            }
            let new = value.iter().filter(|value| !values.contains(value)).cloned().collect::<Vec<_>>();
            values.extend(new);
        }
    }
    let is_allowed =
        |(_, values, takes_several): &(String, Vec<String>, bool)| values.len() == 1 || *takes_several;
    let count: usize = all.iter().map(|(_, values, _)| values.len()).product();
    (count == each.len() && all.iter().all(is_allowed)).then_some(all)
}
