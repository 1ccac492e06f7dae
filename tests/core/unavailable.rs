//! What every registered allocator must do on machines with unavailable nodes, and with nodes that somebody else takes and
//! gives back: laws over the whole registry.

use meshreplay::allocator::Request;
use meshreplay::job::{Job, Shape, Time};
use meshreplay::laws::{MACHINES, with_holes};
use meshreplay::machine::{Coord, Machine, Mesh};
use meshreplay::metrics::Dispersal;
use meshreplay::study::Outcome;
use meshreplay::yardstick::{PairwiseBound, optimum};

use super::laws::{history, keep_on, specs};
use super::support::{Numbers, Tested, replay_with_placements};

#[test]
fn nothing_is_placed_on_an_unavailable_node_and_nothing_is_refused_for_one() -> Tested {
    for machine in MACHINES {
        for mesh in with_holes(&machine.parse()?, 41) {
            for law in ["free", "size", "serves", "whole"] {
                keep_on(&mesh, law, 40)?;
            }
        }
    }
    Ok(())
}

#[test]
fn allocators_on_machines_with_unavailable_nodes_forget_and_repeat() -> Tested {
    for machine in MACHINES {
        for mesh in with_holes(&machine.parse()?, 43).into_iter().step_by(3) {
            for law in ["repeats", "proposes", "forgets"] {
                keep_on(&mesh, law, 30)?;
            }
        }
    }
    Ok(())
}

#[test]
fn unavailable_nodes_are_told_like_placements_of_somebody_else() -> Tested {
    for machine in MACHINES {
        let whole: Mesh = machine.parse()?;
        for mesh in with_holes(&whole, 59) {
            for (spec, _) in specs(&mesh).into_iter().filter(|(_, promises)| promises.memory.ends_when_idle())
            {
                let (mut built, mut told) = (history(&spec, &mesh)?, history(&spec, &whole)?);
                for place in meshreplay::machine::unavailable_submeshes(&mesh) {
                    let nodes = place.nodes(&told.machine);
                    told.take(&nodes);
                }
                for k in 1..=mesh.available() {
                    let [a, b] =
                        [&mut built, &mut told].map(|history| history.ask(&Request::of(k)).placement);
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
    for machine in ["5x4", "torus:4x4", "3x2x3", "9"] {
        let whole: Mesh = machine.parse()?;
        for mesh in with_holes(&whole, 67) {
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
