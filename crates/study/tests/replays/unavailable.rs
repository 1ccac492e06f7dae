//! A machine without its last row or column against a machine of the smaller size.

use meshreplay_base::job::{Job, Shape, Time};
use meshreplay_machine::machine::{Coord, Mesh};
use meshreplay_sim::metrics::Dispersal;
use meshreplay_study::study::Outcome;

use super::support::{Numbers, Tested, replay_with_placements};

/// Jobs with sides of at most 4 in the first `dims` dimensions, or with the shape of a row.
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

/// The result of every job. Nodes are coordinates, because node numbers depend on the machine's sides.
fn placed(outcome: &Outcome, mesh: &Mesh) -> Vec<Placed> {
    let nodes = |text: &str| -> Vec<Coord> {
        let runs = meshreplay_machine::machine::parse_intervals(text).expect("intervals");
        runs.into_iter().flat_map(|(first, last)| first..=last).map(|node| mesh.coord(node)).collect()
    };
    let mut all = Vec::new();
    for (i, record) in outcome.jobs.iter().map(|job| &job.record).enumerate() {
        let nodes = nodes(&outcome.jobs[i].measures.more().nodes);
        all.push((record.start, record.end, nodes, outcome.jobs[i].measures.dispersal));
    }
    all
}

#[test]
fn a_machine_without_its_last_row_or_column_is_the_smaller_one() -> Tested {
    // Allocators that scan, or compare the surroundings of submeshes: the machine's border and unavailable
    // nodes have the same effect.
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
    // Orders by rows: the last row has the last ranks.
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
