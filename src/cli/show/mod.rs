//! `meshreplay show`: draws machines, orders, blocks, optimal placements, compactions and allocations, and measures
//! networks.

mod allocation;
mod blocks;
mod compaction;
mod curve;
mod listed;
mod machine;
mod network;
mod optimum;

use clap::Subcommand;

use super::{Failure, print};

/// Draw what replays work with.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Allocation(Box<allocation::Args>),
    Blocks(blocks::Args),
    Compaction(compaction::Args),
    Curve(curve::Args),
    Machine(machine::Args),
    Network(network::Args),
    Optimum(optimum::Args),
}

/// Runs one of the commands.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        What::Allocation(args) => allocation::run(args),
        What::Blocks(args) => blocks::run(args),
        What::Compaction(args) => compaction::run(args),
        What::Curve(args) => curve::run(args),
        What::Machine(args) => machine::run(args),
        What::Network(args) => network::run(args),
        What::Optimum(args) => optimum::run(args),
    }
}
