//! `meshreplay show optimum`: the best placement there is, drawn, and how far from it allocators stay.

use std::fmt::Write;

use anyhow::anyhow;

use super::state::{Position, occupied, placed};
use super::{Failure, print};
use crate::figure::show::picture;
use crate::machine::{Mesh, NodeId};
use crate::metrics::{Dispersal, Meter};
use crate::spec::Spec;
use crate::text::{Align, Table, grouped};
use crate::yardstick::{Optimum, OptimumError, PairwiseBound, optimum};

/// Finds the free nodes with the smallest sum of hops between all pairs, exactly, for small cases.
///
/// The bound is what no placement of so many nodes is below, whichever nodes of the machine are free.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay show optimum --machine 5x5 --procs 6 --busy 1,1 2,1 3,3 0,4 4,0 --allocator mc1x1 gen-alg mm")]
pub(super) struct Args {
    /// Shape of the machine, such as 16x8, 8x8x4, 400 or torus:16x8
    #[arg(long, value_name = "SHAPE")]
    machine: Mesh,

    /// Nodes to choose
    #[arg(long, value_name = "K")]
    procs: u32,

    /// Nodes that are in use: coordinates from 0, such as 3,1 (x, then y, then z)
    #[arg(long, value_name = "COORD", num_args = 1..)]
    busy: Vec<Position>,

    /// Allocators to compare, in the same state
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    allocator: Vec<Spec>,

    /// Seed of allocators that draw at random
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Most candidates to look at before giving up, some nanoseconds each
    #[arg(long, value_name = "STEPS", default_value_t = 2_000_000_000)]
    limit: u64,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mesh = &args.machine;
    let state = occupied(mesh, &args.busy).map_err(Failure::Usage)?;
    let free = state.free_count();
    if !(1..=free).contains(&args.procs) {
        return Err(Failure::Usage(anyhow!(
            "--procs {} cannot be placed: {free} of {} nodes are free; expected {}",
            args.procs,
            mesh.nodes(),
            if free == 0 { "fewer --busy".to_owned() } else { format!("1 to {free}") }
        )));
    }
    let place = |spec| placed(spec, &state, args.procs, args.seed);
    let rivals = args.allocator.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let best = optimum(mesh, state.free(), args.procs, args.limit).map_err(|error| match error {
        OptimumError::Limit { .. } => {
            Failure::Failed(anyhow!(error).context(format!("--limit {}", args.limit)))
        }
        _ => Failure::Usage(error.into()),
    })?;
    let mut text = picture::placement(mesh, &best.nodes, state.free());
    let coords: Vec<String> = best.nodes.iter().map(|&node| picture::place(mesh, mesh.coord(node))).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\noptimum of {} of {free} free nodes: {}\n", args.procs, coords.join(" "));
    print(&(text + &table(args, &best, &rivals).text()))
}

/// The bound, the optimum and the allocators, one row each.
fn table(args: &Args, best: &Optimum, rivals: &[(String, Option<Vec<NodeId>>)]) -> Table {
    let numbers = ["pairwise sum", "pairwise mean", "to bound", "to optimum"];
    let mut columns = vec![("placement", Align::Left)];
    columns.extend(numbers.map(|title| (title, Align::Right)));
    let mut table = Table::new(&columns);
    let bound = PairwiseBound::new(&args.machine).of(args.procs);
    let mut row = |name: &str, sum: u64| {
        let measured = Dispersal { pairwise_sum: sum, nodes: args.procs, ..Dispersal::default() };
        // One node has nothing to be compared.
        let ratio = |to: u64| if to == 0 { "–".to_owned() } else { grouped(sum as f64 / to as f64, 3) };
        let [to_bound, to_optimum] = [bound, best.pairwise_sum].map(ratio);
        let (sum, mean) = (grouped(sum as f64, 0), grouped(measured.pairwise_mean(), 3));
        table.add(vec![name.to_owned(), sum, mean, to_bound, to_optimum]);
    };
    row("bound", bound);
    row("optimum", best.pairwise_sum);
    let mut meter = Meter::new(&args.machine);
    let mut refused = Vec::new();
    for (name, nodes) in rivals {
        match nodes {
            Some(nodes) => row(name, meter.measure(nodes).pairwise_sum),
            None => refused.push(name),
        }
    }
    for name in refused {
        let mut cells = vec![name.clone(), "refused".to_owned()];
        cells.resize(columns.len(), String::new());
        table.add(cells);
    }
    table
}
