//! The flags of `meshreplay sweep` that the table of options has.

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::study::{Flag, OPTIONS, Plan};

/// The flags, as the plan that they make.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) plan: Plan,
}

fn flags() -> impl Iterator<Item = &'static Flag> {
    OPTIONS.iter().filter_map(|option| option.flag.as_ref())
}

impl Args for Options {
    fn augment_args(command: Command) -> Command {
        flags().fold(command, |command, flag| {
            let arg = Arg::new(flag.name).long(flag.name).help(flag.help).action(ArgAction::SetTrue);
            command.arg(match flag.needs {
                Some(other) => arg.requires(other),
                None => arg,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut plan = Plan::usual();
        for flag in flags().filter(|flag| matches.get_flag(flag.name)) {
            (flag.give)(&mut plan);
        }
        Ok(Self { plan })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
