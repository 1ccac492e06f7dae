//! Times of single allocator calls.

use std::io::{self, Write};
use std::time::Instant;

use meshreplay::allocator::{ALLOCATORS, Built, Placement, RECORDED, Request, Setup, build};
use meshreplay::machine::{Machine, Mesh};
use meshreplay::spec::Spec;
use meshreplay::stop::Stop;

use super::Plan;
use super::cells::{Cell, measure};
use super::states::{FAMILIES, Family, half_busy};

/// The processors of a job when the nodes of the machine grow.
const PROCS: u32 = 64;
/// The processors of a job when the machine has 1,048,576 nodes.
const SIZES: [u32; 5] = [1, 16, 64, 256, 1024];
/// The machine of a family on which the processors of a job grow.
const MILLION: usize = 3;

/// A machine in a state, by number in its family; `None` if its text is no machine.
type State = Option<(Mesh, Machine, Vec<Placement>)>;

/// Writes a line for each allocator, machine and size of job. About half of the nodes are busy: a third of
/// all patches of 256 or 512 nodes, and half of the small patches of 8 or 16 nodes in another third. The
/// allocator is informed of each patch as a placement and then asked repeatedly for one that is not carried
/// out.
pub(crate) fn write(plan: &Plan, csv: &mut impl Write) -> io::Result<()> {
    for family in FAMILIES.iter().filter(|family| plan.wants_family(family.title)) {
        let states: Vec<State> = family.machines.iter().map(|text| state(family, text)).collect();
        for entry in ALLOCATORS.iter().filter(|entry| entry.name != RECORDED && plan.wants(entry.name)) {
            plan.note(&format!("{} on {}", entry.name, family.title))?;
            for (nodes, procs, cell) in row(plan, entry.name, &states) {
                writeln!(csv, "{},{},{nodes},{procs},{}", family.title, entry.name, cell.csv())?;
            }
            csv.flush()?;
        }
    }
    Ok(())
}

fn state(family: &Family, text: &str) -> State {
    let mesh: Mesh = text.parse().ok()?;
    let (machine, held) = half_busy(family, &mesh);
    Some((mesh, machine, held))
}

/// Returns the nodes of each machine, the processors of each job and the time of the call.
fn row(plan: &Plan, name: &str, states: &[State]) -> Vec<(u32, u32, Cell)> {
    let mut row: Vec<(u32, u32, Cell)> = Vec::new();
    for (at, state) in states.iter().enumerate() {
        let Some(state) = state else { continue };
        let procs: &[u32] = if at == MILLION { &SIZES } else { &[PROCS] };
        // From one machine to the next a call takes 16 times as long if it looks at every node.
        let is_too_long = |cell: &Cell| cell.is_stopped || cell.median_s * 16.0 > plan.budget.as_secs_f64();
        if row.iter().rfind(|(_, procs, _)| *procs == PROCS).is_some_and(|(.., cell)| is_too_long(cell)) {
            continue;
        }
        let cells = cells(plan, name, state, procs);
        let nodes = state.0.nodes();
        row.extend(procs.iter().zip(cells).filter_map(|(&procs, cell)| Some((nodes, procs, cell?))));
    }
    row
}

/// Measures calls for jobs of each size on one machine. The list is empty if the allocator does not serve it,
/// or if it takes too long to be told of the placements.
fn cells(
    plan: &Plan,
    name: &str,
    state: &(Mesh, Machine, Vec<Placement>),
    procs: &[u32],
) -> Vec<Option<Cell>> {
    let (mesh, machine, held) = state;
    let Ok(Built { mut strategy, .. }) = build(&Spec::named(name), &Setup::new(mesh, 1)) else {
        return Vec::new();
    };
    let begin = Instant::now();
    for placement in held {
        strategy.taken(placement, machine);
        if begin.elapsed() > 10 * plan.budget {
            return Vec::new();
        }
    }
    let mut cells: Vec<Option<Cell>> = Vec::new();
    for &procs in procs {
        // A time that grows with the square of the job is 16 times as long from one size to the next.
        let last = cells.iter().flatten().last();
        let is_too_long =
            last.is_some_and(|cell| cell.is_stopped || cell.median_s * 8.0 > plan.budget.as_secs_f64());
        if is_too_long {
            cells.push(None);
            continue;
        }
        let stop = Stop::default();
        let machine = machine.clone().with_stop(stop.clone());
        let request = Request::of(procs);
        cells.push(Some(measure(plan.budget, &stop, || strategy.propose(&request, &machine).is_none())));
    }
    cells
}
