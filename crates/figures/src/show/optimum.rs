//! The command `show optimum`: the best possible placement, compared with allocators.

use std::fmt::Write;

use super::state::{Position, occupied, placed};
use super::{ShowError, picture};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::{Mesh, NodeId};
use meshreplay_machine::yardstick::{self, Optimum, OptimumError, PairwiseBound};
use meshreplay_results::text::{Align, Screen, TextTable, grouped};
use meshreplay_sim::metrics::{Dispersal, Meter};

/// The task of a search for the best placement.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The machine.
    pub machine: Mesh,
    /// The number of nodes to choose.
    pub procs: u32,
    /// The positions of the nodes in use.
    pub busy: Vec<Position>,
    /// The allocators that place the same job in the same state.
    pub allocators: Vec<Spec>,
    /// The seed for allocators that use random numbers.
    pub seed: u64,
    /// The number of candidates after which the search stops with an error.
    pub limit: u64,
}

/// Returns a drawing of the free nodes with the smallest sum of pairwise distances, above a table of the
/// lower bound, the optimum and the allocators. Fails if the search reaches its limit.
pub fn optimum(search: &Search, screen: Screen) -> Result<String, ShowError> {
    let Search { machine, procs, limit, .. } = search;
    if machine.levels().is_some() {
        return Err(ShowError::Option(format!(
            "--machine {machine} is a tree of switches, and the search is by coordinates; the bound of a \
             tree is exact on the idle machine"
        )));
    }
    let state = occupied(machine, &search.busy)?;
    let free = state.free_count();
    if !(1..=free).contains(procs) {
        let expected = if free == 0 { "fewer --busy".to_owned() } else { format!("1 to {free}") };
        let nodes = machine.available();
        return Err(ShowError::Option(format!(
            "--procs {procs} cannot be placed: {free} of {nodes} nodes are free; expected {expected}"
        )));
    }
    let place = |spec| placed(spec, &state, *procs, search.seed);
    let rivals = search.allocators.iter().map(place).collect::<Result<Vec<_>, _>>()?;
    let result = yardstick::optimum(machine, state.free(), *procs, *limit);
    let best = result.map_err(|problem| match problem {
        OptimumError::Limit { .. } => ShowError::Limit { limit: *limit, problem },
        _ => ShowError::Optimum(problem),
    })?;
    let mut text = picture::placement(machine, &best.nodes, state.free());
    let coords = best.nodes.iter().map(|&node| picture::place(machine, machine.coord(node)));
    let coords = coords.collect::<Vec<_>>().join(" ");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\noptimum of {procs} of {free} free nodes: {coords}\n");
    Ok(text + &screen.table_from_left(&table(search, &best, &rivals), 2))
}

/// Returns the table with one row each for the bound, the optimum and the allocators in `rivals`. An
/// allocator without nodes has refused the job.
fn table(search: &Search, best: &Optimum, rivals: &[(String, Option<Vec<NodeId>>)]) -> TextTable {
    let numbers = ["pairwise sum", "pairwise mean", "to bound", "to optimum"];
    let mut columns = vec![("placement", Align::Left)];
    columns.extend(numbers.map(|title| (title, Align::Right)));
    let mut table = TextTable::new(&columns);
    let bound = PairwiseBound::new(&search.machine).of(search.procs);
    let mut row = |name: &str, sum: u64| {
        // The mean follows from the sum, so nothing has to be measured.
        let measured = Dispersal { pairwise_sum: sum, nodes: search.procs, ..Dispersal::default() };
        // A single node has no pairs, so its bound and its optimum are 0.
        let ratio = |to: u64| if to == 0 { "–".to_owned() } else { grouped(sum as f64 / to as f64, 3) };
        let [to_bound, to_optimum] = [bound, best.pairwise_sum].map(ratio);
        let (sum, mean) = (grouped(sum as f64, 0), grouped(measured.pairwise_mean(), 3));
        table.add(vec![name.to_owned(), sum, mean, to_bound, to_optimum]);
    };
    row("bound", bound);
    row("optimum", best.pairwise_sum);
    let mut meter = Meter::new(&search.machine);
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
