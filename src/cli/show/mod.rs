//! `meshreplay show`: pictures of what replays work with.

mod allocation;
mod compaction;
mod curve;
mod optimum;
mod picture;
mod state;

use clap::Subcommand;

use super::{Failure, print};

/// Draws what replays work with.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Allocation(allocation::Args),
    Compaction(compaction::Args),
    Curve(curve::Args),
    Optimum(optimum::Args),
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        What::Allocation(args) => allocation::run(args),
        What::Compaction(args) => compaction::run(args),
        What::Curve(args) => curve::run(args),
        What::Optimum(args) => optimum::run(args),
    }
}
