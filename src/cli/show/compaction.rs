//! `meshreplay show compaction`: draws one compaction of a linear array before, during and after the moves.

use super::{Failure, print};
use crate::cli::one_of;
use crate::figure::show::compaction::{Compaction, TaskRange, Way, compaction};
use crate::machine::mesh::MAX_NODES;

/// Draw how tasks on a linear array move to make room for another one.
///
/// Without tasks it draws Fig. 3 of Diessel, ElGindy and Beresford-Smith, 1996.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay show compaction --processors 20 --tasks 2-4 8-12 15-16 \\
    --request 6 --way right --check")]
pub(super) struct Args {
    /// Processors of the array
    #[arg(
        long,
        value_name = "N",
        default_value_t = 37,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_NODES))
    )]
    processors: u32,

    /// Tasks: first and last processor, from 0, or one processor
    #[arg(long, value_name = "FIRST-LAST", num_args = 1.., default_values = FIGURE_3)]
    tasks: Vec<TaskRange>,

    /// Processors that the incoming task asks for
    #[arg(long, value_name = "K", default_value_t = 13)]
    request: u32,

    /// Direction of moves; both draws the better of the two.
    #[arg(long, value_parser = one_of(&WAYS), default_value = "left")]
    way: Way,

    /// Prove that the schedule is free of conflicts
    #[arg(long)]
    check: bool,
}

/// The tasks of the figure. The tasks that do not move are drawn as one.
const FIGURE_3: [&str; 6] = ["0-10", "15", "17-19", "21-24", "29-30", "31-33"];
/// Directions of moves.
const WAYS: [(&str, Way); 3] = [("left", Way::Left), ("right", Way::Right), ("both", Way::Better)];

/// Prints the drawing.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let Args { processors, request, way, check, .. } = *args;
    let tasks = args.tasks.clone();
    print(&compaction(&Compaction { processors, tasks, request, way, check })?)
}
