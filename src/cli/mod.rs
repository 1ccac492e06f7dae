//! The command line, with one file per subcommand. A file has the arguments (their doc comments are the help
//! text) and the function that runs the command. Only this module prints.

mod algorithms;
mod completions;
#[cfg(unix)]
mod decoder;
pub mod embedded;
mod help;
mod interrupt;
mod merge;
mod plot;
mod reading;
mod replay;
mod report;
mod reproduce;
mod runner;
mod schedule;
mod schema;
mod show;
mod sweep;
mod table;
mod terminal;
mod trace;
mod usage;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::panic;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Once;

use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use self::algorithms::{check, list};
use self::schedule::{audit, compare, export};
use crate::figure::FigureError;
use crate::figure::show::ShowError;
use crate::frame;
use crate::inspect::InspectError;
use crate::report::{CrosstabError, GroupsError, ReportError};
use crate::text::{for_terminal, printable};

/// Replays real HPC job logs through schedulers and processor allocators on meshes and tori.
#[derive(Debug, Parser)]
#[command(name = "meshreplay", version, propagate_version = true)]
#[command(after_help = "Examples:
  meshreplay replay traces/lublin-256-10k.swf.gz --machine 16x16 --allocator hilbert+bf mc1x1
  meshreplay replay traces/may.sacct.gz --machine auto --scheduler recorded easy \\
    --allocator hilbert+bf mc1x1 -o out
  meshreplay report out")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Replay(Box<replay::Args>),
    Sweep(sweep::Args),
    Merge(merge::Args),
    Table(table::Args),
    Plot(plot::Args),
    Report(report::Args),
    Compare(compare::Args),
    Audit(audit::Args),
    Check(check::Args),
    Export(export::Args),
    Schema(schema::Args),
    Reproduce(reproduce::Args),
    Trace(trace::Args),
    List(list::Args),
    Show(show::Args),
    Completions(completions::CompletionArgs),
    Man(completions::ManArgs),
}

/// The reason why a command failed.
#[derive(Debug)]
enum Failure {
    /// An input or a replay failed; exit code 1.
    Failed(anyhow::Error),
    /// The command line asks for something that does not exist; exit code 2.
    Usage(anyhow::Error),
    /// The printed findings are the failure; exit code 1 without a further message.
    Reported,
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let is_usage = error.downcast_ref().is_some_and(FigureError::is_usage)
            || error.downcast_ref().is_some_and(ReportError::is_usage)
            || error.downcast_ref().is_some_and(CrosstabError::is_usage)
            || error.downcast_ref().is_some_and(GroupsError::is_usage)
            || error.downcast_ref().is_some_and(ShowError::is_usage)
            || error.downcast_ref().is_some_and(InspectError::is_usage);
        if is_usage { Self::Usage(error) } else { Self::Failed(error) }
    }
}

/// Runs the command given on the command line. Errors are printed to standard error.
pub fn main() -> ExitCode {
    #[cfg(unix)]
    {
        if let Some(code) = decoder::decode_if_asked(std::env::args_os()) {
            return ExitCode::from(code);
        }
        decoder::separate_decoder();
    }
    ExitCode::from(run(std::env::args_os()))
}

/// Runs the command in `words`, after the name of the program, and returns its exit code. Errors are printed
/// to standard error.
fn run(words: impl Iterator<Item = OsString>) -> u8 {
    let parsed = help::arranged(Arguments::command()).try_get_matches_from(usage::split_lists(words));
    let arguments = match parsed.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = usage::printable(usage::explain(error));
            let printed = error.print();
            // Help that cannot be written is an error, unless its reader has gone. A closed standard error is
            // ignored.
            return match printed {
                Err(problem) if !error.use_stderr() => code(Err(Failure::Failed(unwritten(problem)))),
                _ => u8::try_from(error.exit_code()).unwrap_or(2),
            };
        }
    };
    hush_readers();
    interrupt::listen();
    reading::prepare_readers();
    let outcome = match arguments.command {
        Command::Replay(args) => replay::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Table(args) => table::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Audit(args) => audit::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::List(args) => list::run(&args),
        Command::Trace(args) => trace::run(args),
        Command::Show(args) => show::run(&args),
        Command::Completions(args) => completions::completions(&args),
        Command::Man(args) => completions::man(&args),
    };
    let code = code(outcome);
    interrupt::end_if_signalled();
    code
}

/// Suppresses the messages of panics that damaged files cause in libraries; callers turn these panics into
/// errors. Only the first call does something.
fn hush_readers() {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !frame::is_reading() {
                default(info);
            }
        }));
    });
}

/// Returns the exit code of a command. Prints why it failed, unless a message has been printed.
fn code(outcome: Result<(), Failure>) -> u8 {
    match outcome {
        Ok(()) => 0,
        Err(Failure::Reported) => 1,
        Err(Failure::Failed(error)) if is_broken_pipe(&error) => 0,
        Err(Failure::Failed(error)) => {
            complain(&format!("error: {error:#}"));
            1
        }
        Err(Failure::Usage(error)) => {
            complain(&format!("error: {error:#}"));
            2
        }
    }
}

/// Returns whether the error is that the reader of our output has gone, as in `meshreplay … | head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(is_pipe))
}

/// Other names of formats, which help does not list.
const ALIASES: [(&str, &str); 3] = [("text", "table"), ("md", "markdown"), ("tex", "latex")];

/// Returns the parser of the names of these values; the help lists the names.
fn one_of<T: Clone + Send + Sync + 'static>(
    choices: &[(&'static str, T)],
) -> impl TypedValueParser<Value = T> + use<T> {
    let choices = choices.to_vec();
    let aliases = |name| ALIASES.iter().filter(move |(_, of)| *of == name).map(|(alias, _)| *alias);
    let names = choices.iter().map(|(name, _)| PossibleValue::new(*name).aliases(aliases(*name)));
    let names = PossibleValuesParser::new(names.collect::<Vec<_>>());
    names.try_map(move |given| {
        let is_it = |name: &str| name == given || ALIASES.contains(&(given.as_str(), name));
        let choice = choices.iter().find(|(name, _)| is_it(name));
        choice.map(|(_, value)| value.clone()).ok_or("expected one of the names")
    })
}

/// Returns the number of threads in an argument.
fn threads(text: &str) -> anyhow::Result<NonZeroUsize> {
    text.parse().map_err(|_| anyhow!("expected a whole number of threads from 1 on"))
}

/// Fails if `output`, a directory of results, is named as a file with a table.
fn check_directory(output: &Path) -> Result<(), Failure> {
    let unsuited = embedded::unsuited_directory(output).map(|problem| format!("-o {problem}"));
    unsuited.map_or(Ok(()), |problem| Err(Failure::Usage(anyhow!(problem))))
}

/// Writes `text` to standard output.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() { Cow::Owned(for_terminal(text)) } else { Cow::Borrowed(text) };
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(unwritten)?)
}

/// Returns the error that standard output cannot be written.
fn unwritten(problem: io::Error) -> anyhow::Error {
    anyhow::Error::new(problem).context("standard output cannot be written")
}

/// Writes a note for the user to standard error, unless `quiet`.
fn note(quiet: bool, text: &str) {
    if !quiet {
        complain(&format!("note: {text}"));
    }
}

/// Writes notes for the user to standard error, unless `quiet`.
fn write_notes(quiet: bool, notes: &[String]) {
    if !quiet {
        for line in by_subject(notes) {
            complain(&line);
        }
    }
}

/// Returns the lines of notes such as `theta: 3 jobs left out`. Consecutive notes on one subject are indented
/// below its name.
fn by_subject(notes: &[String]) -> Vec<String> {
    let subject = |note: &String| note.split_once(": ").map(|(subject, _)| subject.to_owned());
    let mut lines = Vec::new();
    for group in notes.chunk_by(|a, b| subject(a).is_some() && subject(a) == subject(b)) {
        match (group, subject(&group[0])) {
            ([_, _, ..], Some(subject)) => {
                lines.push(format!("note: {subject}:"));
                let texts = group.iter().map(|note| &note[subject.len() + ": ".len()..]);
                lines.extend(texts.map(|text| format!("  {text}")));
            }
            _ => lines.extend(group.iter().map(|note| format!("note: {note}"))),
        }
    }
    lines
}

/// Writes a message to standard error. Control characters, other than ends of lines, are spelled out, because
/// messages quote files. A closed standard error is ignored.
fn complain(message: &str) {
    let mut err = io::stderr().lock();
    for line in message.split('\n') {
        let _ = writeln!(err, "{}", printable(line));
    }
}
