//! Times of single allocator calls.

use std::io::{self, Write};
use std::time::Instant;

use meshreplay::allocator::{ALLOCATORS, Built, Placement, RECORDED, Request, Setup, build};
use meshreplay::machine::{Machine, Mesh};
use meshreplay::spec::Spec;
use meshreplay::stop::Stop;

use super::Plan;
use super::cells::{Cell, exponent, measure, spread, texts};
use super::states::{FAMILIES, Family, NODES, half_busy};

/// The processors of a job when the nodes of the machine grow.
const PROCS: u32 = 64;
/// The processors of a job when the machine has 1,048,576 nodes.
const SIZES: [u32; 5] = [1, 16, 64, 256, 1024];
/// The machine of a family on which the processors of a job grow.
const MILLION: usize = 3;

/// A machine in a state, by number in its family; `None` if its text is no machine.
type State = Option<(Mesh, Machine, Vec<Placement>)>;

/// Writes a table for each family of machines.
pub(crate) fn write(plan: &Plan, page: &mut impl Write) -> io::Result<()> {
    writeln!(
        page,
        "## Calls of allocators\n\nAbout half of the nodes are busy: a third of all patches of 256 or 512 \
         nodes, and half of the small patches of 8 or 16 nodes in another third. The allocator is told of \
         each patch as a placement. Then it is asked again and again for one that nobody takes. `r` marks a \
         request that is refused. First a job has {PROCS} processors and the machine grows; then the machine \
         has 2²⁰ nodes and the job grows, so that the columns 2²⁰ and k = {PROCS} are the same.\n"
    )?;
    for family in FAMILIES.iter().filter(|family| plan.wants_family(family.title)) {
        let states: Vec<State> = family.machines.iter().map(|text| state(family, text)).collect();
        writeln!(page, "### {}\n", family.title)?;
        let machines = ["2⁸", "2¹²", "2¹⁶", "2²⁰", "2²²"].map(|nodes| format!(" {nodes} |")).concat();
        let jobs = SIZES.map(|procs| format!(" k = {procs} |")).concat();
        writeln!(page, "| allocator |{machines} exponent |{jobs} exponent | spread |")?;
        writeln!(page, "| --- |{}", " ---: |".repeat(NODES.len() + SIZES.len() + 3))?;
        for entry in ALLOCATORS.iter().filter(|entry| entry.name != RECORDED && plan.wants(entry.name)) {
            plan.note(&format!("{} on {}", entry.name, family.title))?;
            if let Some(line) = row(plan, entry.name, &states) {
                writeln!(page, "{line}")?;
                page.flush()?;
            }
        }
        writeln!(page)?;
    }
    Ok(())
}

fn state(family: &Family, text: &str) -> State {
    let mesh: Mesh = text.parse().ok()?;
    let (machine, held) = half_busy(family, &mesh);
    Some((mesh, machine, held))
}

/// Returns the line of an allocator; `None` if it serves none of the machines.
fn row(plan: &Plan, name: &str, states: &[State]) -> Option<String> {
    let mut by_nodes: Vec<Option<Cell>> = Vec::new();
    let mut by_procs: Vec<Option<Cell>> = vec![None; SIZES.len()];
    for (at, state) in states.iter().enumerate() {
        let procs: &[u32] = if at == MILLION { &SIZES } else { &[PROCS] };
        // From one machine to the next a call takes 16 times as long if it looks at every node.
        let is_too_long = |cell: &Cell| cell.is_stopped || cell.median_s * 16.0 > plan.budget.as_secs_f64();
        if by_nodes.iter().flatten().last().is_some_and(is_too_long) {
            by_nodes.push(None);
            continue;
        }
        let cells = state.as_ref().map_or_else(Vec::new, |state| cells(plan, name, state, procs));
        by_nodes.push(procs.iter().position(|&procs| procs == PROCS).and_then(|i| *cells.get(i)?));
        if at == MILLION {
            by_procs = cells;
            by_procs.resize(SIZES.len(), None);
        }
    }
    let all: Vec<Option<Cell>> = by_nodes.iter().chain(&by_procs).copied().collect();
    all.iter().any(Option::is_some).then(|| {
        let mut texts_of = vec![name.to_owned()];
        texts_of.extend(texts(&by_nodes));
        texts_of.push(exponent(&NODES, &by_nodes, 4096.0));
        texts_of.extend(texts(&by_procs));
        texts_of.push(exponent(&SIZES.map(f64::from), &by_procs, 16.0));
        texts_of.push(spread(&all));
        format!("| {} |", texts_of.join(" | "))
    })
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
