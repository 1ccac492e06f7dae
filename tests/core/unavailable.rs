//! What every registered allocator must do on machines with unavailable nodes, and with nodes that somebody else takes and
//! gives back: laws over the whole registry.

use meshreplay::allocator::{Placement, Request};
use meshreplay::job::{Job, Shape, Time};
use meshreplay::machine::{Coord, Machine, Mesh, NodeId};
use meshreplay::metrics::Dispersal;
use meshreplay::study::Outcome;
use meshreplay::yardstick::{PairwiseBound, optimum};

use super::laws::{History, MACHINES, specs, step};
use super::support::{Numbers, Tested, replay_with_placements};

/// Returns `count` different nodes of `free`, in random order.
fn drawn(mut free: Vec<NodeId>, count: u32, numbers: &mut Numbers) -> Vec<NodeId> {
    for i in 0..count as usize {
        let j = i + numbers.below((free.len() - i) as u32) as usize;
        free.swap(i, j);
    }
    free.truncate(count as usize);
    free
}

/// Sets of unavailable nodes of `mesh`, random ones and structured ones: one node, the corner half of every side, the last
/// plane of the last dimension, and a checkerboard. Sets that leave no node are left out.
pub(crate) fn with_holes(mesh: &Mesh, numbers: &mut Numbers) -> Vec<Mesh> {
    let [width, length, depth] = mesh.extents();
    let all = || 0..mesh.nodes();
    let last = (0..3).rfind(|&d| [width, length, depth][d] > 1).unwrap_or(0);
    let corner = [width, length, depth].map(|extent| extent.div_ceil(2));
    let coord = |node: &NodeId| mesh.coord(*node);
    let mut sets: Vec<Vec<NodeId>> = vec![
        vec![mesh.nodes() / 2],
        all().filter(|node| (0..3).all(|d| coord(node)[d] < corner[d])).collect(),
        all().filter(|node| coord(node)[last] + 1 == mesh.extents()[last]).collect(),
        all().filter(|node| coord(node).iter().sum::<u32>() % 2 == 1).collect(),
    ];
    for share in [8, 3] {
        sets.push(drawn(all().collect(), mesh.nodes() / share, numbers));
    }
    let runs = |set: &Vec<NodeId>| set.iter().map(|&node| (node, node)).collect::<Vec<_>>();
    sets.iter().filter_map(|set| mesh.without(&runs(set)).ok()).collect()
}

#[test]
fn nothing_is_placed_on_an_unavailable_node_and_nothing_is_refused_for_one() -> Tested {
    let mut sets = Numbers(41);
    for machine in MACHINES {
        let whole: Mesh = machine.parse()?;
        for mesh in with_holes(&whole, &mut sets) {
            for (spec, promises) in specs(&mesh) {
                // `History` holds that placements are on free nodes, and that allocators that promise it never refuse.
                let (mut history, mut numbers) = (History::new(&spec, promises, &mesh)?, Numbers(43));
                assert_eq!(history.machine.free_count(), mesh.available());
                for _ in 0..120 {
                    step(&mut history, &mut numbers);
                }
                while !history.held.is_empty() {
                    history.release(numbers.below(history.held.len() as u32) as usize);
                }
                assert_eq!(history.machine.free_count(), mesh.available(), "{spec} on {mesh}");
                if promises.complete && promises.exact {
                    let all = history.allocate(mesh.available()).ok_or("refused")?;
                    assert!(all.nodes.iter().all(|&node| mesh.is_available(node)), "{spec} on {mesh}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn nodes_that_go_and_come_back_leave_an_allocator_as_it_was() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (spec, promises) in specs(&mesh) {
            let (mut history, mut numbers) = (History::new(&spec, promises, &mesh)?, Numbers(47));
            // Nodes go one by one while jobs come and go; each is a placement of somebody else.
            let mut down: Vec<Placement> = Vec::new();
            for _ in 0..200 {
                let free: Vec<NodeId> = history.machine.free().iter().collect();
                match numbers.below(6) {
                    0 if !free.is_empty() => {
                        let node = drawn(free, 1, &mut numbers);
                        history.occupy(node);
                        down.extend(history.held.pop());
                    }
                    1 if !down.is_empty() => {
                        let back = down.swap_remove(numbers.below(down.len() as u32) as usize);
                        history.held.push(back);
                        history.release(history.held.len() - 1);
                    }
                    _ if history.moves_jobs() => {}
                    _ => drop(step(&mut history, &mut numbers)),
                }
            }
            for placement in history.held.iter().chain(&down) {
                assert!(placement.nodes.iter().all(|&node| !history.machine.free().contains(node)));
            }
            history.held.append(&mut down);
            while !history.held.is_empty() {
                history.release(numbers.below(history.held.len() as u32) as usize);
            }
            let (mut fresh, mut numbers) =
                (History::new(&spec, promises, &mesh)?, [Numbers(53), Numbers(53)]);
            for _ in 0..60 {
                let [a, b] = [step(&mut history, &mut numbers[0]), step(&mut fresh, &mut numbers[1])];
                assert!(a == b || !promises.forgets, "{spec} on {machine}");
            }
        }
    }
    Ok(())
}

#[test]
fn unavailable_nodes_are_told_like_placements_of_somebody_else() -> Tested {
    let mut sets = Numbers(59);
    for machine in MACHINES {
        let whole: Mesh = machine.parse()?;
        for mesh in with_holes(&whole, &mut sets) {
            for (spec, promises) in specs(&mesh).into_iter().filter(|(_, promises)| promises.forgets) {
                let mut built = History::new(&spec, promises, &mesh)?;
                let mut told = History::new(&spec, promises, &whole)?;
                for place in meshreplay::machine::unavailable_submeshes(&mesh) {
                    let nodes = place.nodes(&told.machine);
                    told.occupy(nodes);
                }
                for k in 1..=mesh.available() {
                    let [a, b] = [&mut built, &mut told].map(|history| history.propose(&Request::of(k)));
                    // Snug weighs by the share of nodes in use, of which unavailable ones are none.
                    assert!(a == b || spec.name == "snug", "{spec} on {mesh}: {a:?} or {b:?} for {k}");
                }
            }
        }
    }
    Ok(())
}

/// Jobs that bring their sides, at most 4 in each of the first `dims` dimensions, or are a row.
fn jobs_with_sides(dims: usize) -> Vec<Job> {
    let (mut numbers, mut submit_s) = (Numbers(61), 0);
    let mut job = |number| {
        submit_s += i64::from(numbers.below(4));
        let run_s = 1 + i64::from(numbers.below(30));
        let sides = [0, 1, 2].map(|d| if d < dims { 1 + numbers.below(4) } else { 1 });
        let procs = sides.iter().product();
        let shape = if numbers.below(4) == 0 && procs <= 4 { Shape::Row } else { Shape::Sides(sides) };
        let [submit, run] = [submit_s, run_s].map(Time::from_seconds);
        Job { number, submit, run, estimate: run, procs, shape, ..Job::default() }
    };
    (1..=400).map(&mut job).collect()
}

/// The start, the end, the nodes and the dispersal of a job.
type Placed = (Time, Time, Vec<Coord>, Dispersal);

/// What a replay did with every job. Nodes are coordinates, as their numbers depend on the machine's sides.
fn placed(outcome: &Outcome, mesh: &Mesh) -> Vec<Placed> {
    let nodes = |text: &str| -> Vec<Coord> {
        let runs = meshreplay::machine::parse_intervals(text).expect("intervals");
        runs.into_iter().flat_map(|(first, last)| first..=last).map(|node| mesh.coord(node)).collect()
    };
    let mut all = Vec::new();
    for (i, record) in outcome.records.iter().enumerate() {
        let nodes = nodes(&outcome.recording.placements[i]);
        all.push((record.start, record.end, nodes, outcome.recording.dispersal[i]));
    }
    all
}

#[test]
fn a_machine_without_its_last_row_or_column_is_the_smaller_one() -> Tested {
    // Allocators that scan, or compare submeshes by what is taken around them: it makes no difference whether the border of
    // the machine or an unavailable node is there.
    let scanning = [
        "naive",
        "random",
        "first-fit",
        "first-fit:turn=yes",
        "best-fit",
        "worst-fit",
        "adaptive-scan",
        "busy-list",
        "stack-based",
        "qna-scan",
    ];
    // These number the rows one after the other, so that the last row has the last ranks.
    let by_rows =
        ["row-major+ff", "row-major+bf", "row-major+fl", "row-major+ss", "row-snake+ff", "row-snake+bf"];
    let row: Vec<&str> = scanning.into_iter().chain(by_rows).collect();
    for (large, small, dims, allocators) in [
        ("16x9:without=128-143", "16x8", 2, &row[..]),
        ("5x4x4:without=4,9,14,19,24,29,34,39,44,49,54,59,64,69,74,79", "4x4x4", 3, &scanning[..]),
        ("9x6:without=8,17,26,35,44,53", "8x6", 2, &scanning[..]),
        ("6x5x5:without=120-149", "6x5x4", 3, &row[..]),
        ("40:without=30-39", "30", 1, &row[..]),
    ] {
        let jobs = jobs_with_sides(dims);
        let [large_mesh, small_mesh]: [Mesh; 2] = [large.parse()?, small.parse()?];
        assert_eq!(large_mesh.available(), small_mesh.nodes());
        for scheduler in ["fcfs", "easy", "conservative"] {
            for &allocator in allocators {
                let [a, b] = [large, small]
                    .map(|machine| replay_with_placements(&jobs, machine, scheduler, allocator));
                let (a, b) = (a?, b?);
                assert!(
                    placed(&a, &large_mesh) == placed(&b, &small_mesh),
                    "{allocator} under {scheduler}: {large} is not {small}"
                );
                assert_eq!(a.summary.number("utilization"), b.summary.number("utilization"), "{allocator}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_bound_holds_and_the_optimum_takes_available_nodes() -> Tested {
    let mut sets = Numbers(67);
    for machine in ["5x4", "torus:4x4", "3x2x3", "9"] {
        let whole: Mesh = machine.parse()?;
        for mesh in with_holes(&whole, &mut sets) {
            let (free, mut bound) = (Machine::new(mesh.clone()), PairwiseBound::new(&mesh));
            for k in 1..=mesh.available() {
                let best = optimum(&mesh, free.free(), k, u64::MAX).map_err(|error| format!("{error:?}"))?;
                assert!(best.nodes.iter().all(|&node| mesh.is_available(node)), "{k} on {mesh}");
                assert!(best.pairwise_sum >= bound.of(k), "{k} on {mesh}");
            }
        }
    }
    Ok(())
}
