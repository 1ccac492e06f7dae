//! The options of `replay` whose values become a coordinate one by one. The rows of coordinates with an axis
//! describe them.

use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::study::{AxisValues, Coordinate, headings};

/// The values of the options, by the names of the coordinates.
#[derive(Clone, Debug)]
pub(super) struct AxisArgs(pub(super) AxisValues);

impl Args for AxisArgs {
    fn augment_args(command: Command) -> Command {
        Coordinate::axes().fold(command, |command, (row, axis)| {
            let parse = |text: &str| row.parsed(text).ok_or_else(|| format!("expected {}", axis.expected));
            let arg = Arg::new(row.name).long(axis.option).help(axis.help).help_heading(headings::LOG);
            let arg = arg.value_name(axis.value_name).default_value(axis.default);
            let arg = arg.allow_negative_numbers(true).value_parser(parse);
            command.arg(if row.takes_several() {
                arg.action(ArgAction::Append).num_args(1..).value_delimiter(',')
            } else {
                arg
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for AxisArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let values = |name| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
        Ok(Self(Coordinate::axes().map(|(row, _)| (row.name, values(row.name))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
