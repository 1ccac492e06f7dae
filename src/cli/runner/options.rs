//! The flags that the table of options has, and the argument that takes nodes out of machines.

use std::path::Path;

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::machine::{Mesh, make_unavailable};
use crate::study::{Flag, FlagValue, OPTIONS, Options, ReplayOption};

/// The flags of a command, parsed into options. The name of the command says which flags it has.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Flags {
    /// The options that the given flags set; all others have their defaults.
    pub(in crate::cli) options: Options,
}

const REPLAY: &str = "replay";
const SWEEP: &str = "sweep";

/// Returns whether `command` has the flag.
fn has(command: &str, flag: &Flag) -> bool {
    match command {
        REPLAY => flag.in_replay.is_none(),
        SWEEP => flag.is_of_sweep,
        _ => flag.is_of_show,
    }
}

/// Returns the argument of `command` without which the flag has no effect; `None` if it needs none.
fn needed(command: &str, row: &ReplayOption, flag: &Flag) -> Option<&'static str> {
    let other = row.needed()?;
    match (command, other.flag.as_ref()?.in_replay) {
        (REPLAY, Some(words)) => Some(words[0].trim_start_matches('-')),
        // What a key of the study file can give is checked once the file is read.
        (SWEEP, _) if other.key.is_some() => None,
        _ => flag.needs,
    }
}

/// Returns the options with a flag, each with its flag.
fn rows() -> impl Iterator<Item = (&'static ReplayOption, &'static Flag)> {
    OPTIONS.iter().filter_map(|row| Some((row, row.flag.as_ref()?)))
}

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        let name = command.get_name().to_owned();
        rows().filter(|(_, flag)| has(&name, flag)).fold(command, |command, (row, flag)| {
            // The short help has the first sentence.
            let first = flag.help.split_once(". ").map_or(flag.help, |(first, _)| first);
            let arg = Arg::new(flag.name).long(flag.name).help(first).long_help(flag.help);
            let arg = arg.help_heading((name == REPLAY).then_some(flag.heading));
            let arg = match flag.gives {
                FlagValue::Value(_) => arg.action(ArgAction::SetTrue),
                FlagValue::Argument(name) => arg.value_name(name).allow_negative_numbers(true).value_parser(
                    // The value is kept as text, once it is known that the option takes it.
                    |text: &str| (row.set)(&mut Options::default(), text).map(|()| text.to_owned()),
                ),
            };
            command.arg(match needed(&name, row, flag) {
                Some(other) => arg.requires(other),
                None => arg,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut options = Options::without_flags();
        let is_there = |flag: &Flag| matches.ids().any(|id| id.as_str() == flag.name);
        for (row, flag) in rows().filter(|(_, flag)| is_there(flag)) {
            let given = match flag.gives {
                FlagValue::Value(value) => matches.get_flag(flag.name).then_some(value),
                FlagValue::Argument(_) => matches.get_one::<String>(flag.name).map(String::as_str),
            };
            if let Some(text) = given {
                let wrong = |problem| Error::raw(clap::error::ErrorKind::ValueValidation, problem);
                (row.set)(&mut options, text).map_err(wrong)?;
            }
        }
        Ok(Self { options })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The nodes that `--unavailable` names.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct UnavailableArgs {
    /// Nodes that no job can have, on every machine: a file (nodes, intervals or coordinates on its lines, or
    /// a table with commas and a column node), intervals such as 0-3,17, coordinates such as (3,1), or
    /// submeshes by two corners such as (0,0)-(3,1). They become part of the machine: 16x8:without=0-3,17.
    #[arg(long, value_name = "FILE|NODES", num_args = 1..)]
    unavailable: Vec<String>,
}

impl UnavailableArgs {
    /// Returns whether no nodes are named.
    pub(in crate::cli) fn is_empty(&self) -> bool {
        self.unavailable.is_empty()
    }

    /// Returns the machine without the nodes.
    pub(in crate::cli) fn removed_from(&self, machine: &Mesh) -> anyhow::Result<Mesh> {
        let more = |mesh: Mesh, text: &String| make_unavailable(&mesh, text, Path::new(text));
        Ok(self.unavailable.iter().try_fold(machine.clone(), more)?)
    }
}
