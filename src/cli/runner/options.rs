//! The flags that the table of options has, and the argument that takes nodes out of machines.

use std::marker::PhantomData;
use std::path::Path;

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::machine::{Mesh, make_unavailable};
use crate::study::{Flag, FlagValue, OPTIONS, Options, ReplayOption};

/// A command that has some of the flags in the table of options.
pub(in crate::cli) trait Flagged: Clone {
    /// Returns whether the command has the flag.
    fn has(flag: &Flag) -> bool;

    /// Returns the argument without which the flag has no effect; `None` if it needs none.
    fn needed(flag: &Flag) -> Option<&'static str>;

    /// Returns the heading of the flag in the help; `None` for the one that all options have.
    fn heading(_: &Flag) -> Option<&'static str> {
        None
    }
}

/// The command `meshreplay replay`.
#[derive(Clone, Debug)]
pub(in crate::cli) struct OfReplay;

/// The command `meshreplay sweep`.
#[derive(Clone, Debug)]
pub(in crate::cli) struct OfSweep;

/// The command `meshreplay show allocation`, which has the flags of outages and of node maps.
#[derive(Clone, Debug)]
pub(in crate::cli) struct OfShow;

impl Flagged for OfShow {
    fn has(flag: &Flag) -> bool {
        flag.is_of_show
    }

    fn needed(flag: &Flag) -> Option<&'static str> {
        flag.needs
    }
}

impl Flagged for OfReplay {
    fn has(flag: &Flag) -> bool {
        flag.in_replay.is_none()
    }

    fn needed(flag: &Flag) -> Option<&'static str> {
        let needed = OPTIONS
            .iter()
            .filter_map(|row| row.flag.as_ref())
            .find(|other| Some(other.name) == flag.needs)?;
        Some(needed.in_replay.map_or(needed.name, |words| words[0].trim_start_matches('-')))
    }

    fn heading(flag: &Flag) -> Option<&'static str> {
        Some(flag.heading)
    }
}

impl Flagged for OfSweep {
    fn has(flag: &Flag) -> bool {
        flag.is_of_sweep
    }

    fn needed(flag: &Flag) -> Option<&'static str> {
        // What a key of the study file can give is checked once the file is read.
        flag.needs.filter(|needed| {
            let row = OPTIONS.iter().find(|row| row.flag.as_ref().is_some_and(|flag| flag.name == *needed));
            !row.is_some_and(|row| row.key.is_some())
        })
    }
}

/// The flags of the command `C`, parsed into options.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Flags<C> {
    /// The options that the given flags set; all others have their defaults.
    pub(in crate::cli) options: Options,
    command: PhantomData<C>,
}

/// Returns the options that `C` has a flag for, each with its flag.
fn rows<C: Flagged>() -> impl Iterator<Item = (&'static ReplayOption, &'static Flag)> {
    OPTIONS.iter().filter_map(|row| Some((row, row.flag.as_ref()?))).filter(|(_, flag)| C::has(flag))
}

impl<C: Flagged> Args for Flags<C> {
    fn augment_args(command: Command) -> Command {
        rows::<C>().fold(command, |command, (row, flag)| {
            // The short help has the first sentence.
            let first = flag.help.split_once(". ").map_or(flag.help, |(first, _)| first);
            let arg = Arg::new(flag.name).long(flag.name).help(first).long_help(flag.help);
            let arg = arg.help_heading(C::heading(flag));
            let arg = match flag.gives {
                FlagValue::Value(_) => arg.action(ArgAction::SetTrue),
                FlagValue::Argument(name) => arg.value_name(name).allow_negative_numbers(true).value_parser(
                    // The value is kept as text, once it is known that the option takes it.
                    |text: &str| (row.set)(&mut Options::default(), text).map(|()| text.to_owned()),
                ),
            };
            command.arg(match C::needed(flag) {
                Some(other) => arg.requires(other),
                None => arg,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Flagged> FromArgMatches for Flags<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut options = Options::without_flags();
        for (row, flag) in rows::<C>() {
            let given = match flag.gives {
                FlagValue::Value(value) => matches.get_flag(flag.name).then_some(value),
                FlagValue::Argument(_) => matches.get_one::<String>(flag.name).map(String::as_str),
            };
            if let Some(text) = given {
                let wrong = |problem| Error::raw(clap::error::ErrorKind::ValueValidation, problem);
                (row.set)(&mut options, text).map_err(wrong)?;
            }
        }
        Ok(Self { options, command: PhantomData })
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
