//! `meshreplay show optimum`: draws the best placement, and shows how far allocators are from it.

use super::{Failure, print};
use crate::cli::runner::options::UnavailableArgs;
use crate::cli::terminal::screen;
use crate::figure::show::Position;
use crate::figure::show::optimum::{Search, optimum};
use crate::machine::Mesh;
use crate::spec::Spec;

/// Find the free nodes with the smallest sum of hops between all pairs, exactly, for small cases.
///
/// The bound is a lower bound for this number of nodes, whichever nodes of the machine are free.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay show optimum --machine 5x5 --procs 6 \\
    --busy 1,1 2,1 3,3 0,4 4,0 --allocator mc1x1 gen-alg mm")]
pub(super) struct Args {
    /// Shape of the machine, such as 16x8, 8x8x4, 400 or torus:16x8
    #[arg(long, value_name = "SHAPE")]
    machine: Mesh,

    #[command(flatten)]
    unavailable: UnavailableArgs,

    /// Number of nodes to choose
    #[arg(long, value_name = "K")]
    procs: u32,

    /// Nodes that are in use: coordinates from 0, such as 3,1 (x, then y, then z)
    #[arg(long, value_name = "X,Y", num_args = 1..)]
    busy: Vec<Position>,

    /// Allocators to compare, in the same state
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    allocator: Vec<Spec>,

    /// Seed of allocators that draw at random
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Number of candidates after which the search gives up; each takes some nanoseconds
    #[arg(long, value_name = "STEPS", default_value_t = 2_000_000_000)]
    limit: u64,
}

/// Prints the drawing and its table.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let search = Search {
        machine: args.unavailable.removed_from(&args.machine)?,
        procs: args.procs,
        busy: args.busy.clone(),
        allocators: args.allocator.clone(),
        seed: args.seed,
        limit: args.limit,
    };
    print(&optimum(&search, screen())?)
}
