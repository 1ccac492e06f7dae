//! Worked examples as drawings. Digits are running jobs, letters are new jobs in the order of placement. The
//! lowest row is y = 0.

use meshreplay_alloc::allocator::{Placement, Request, Setup, build};
use meshreplay_machine::machine::{Machine, Mesh};

use meshreplay_testing::Tested;

/// Three jobs on a 6×6 mesh, the common example of the contiguous strategies.
const RUNNING: &str = "
    ....33
    ....33
    ....33
    11....
    1122..
    1122..";

/// The drawing after placing `jobs` one after the other. A refused job does not change it.
fn placed(allocator: &str, before: &str, jobs: &[[u32; 3]]) -> Result<String, Box<dyn std::error::Error>> {
    let mut rows: Vec<Vec<u8>> = before.split_whitespace().map(|row| row.bytes().collect()).collect();
    rows.reverse();
    let mesh = Mesh::new(&[rows[0].len() as u32, rows.len() as u32])?;
    let mut strategy = build(&allocator.parse()?, &Setup::new(&mesh, 1))?.strategy;
    let mut machine = Machine::new(mesh.clone());
    for job in b'1'..=b'9' {
        let nodes: Vec<u32> =
            (0..).zip(rows.concat()).filter(|(_, at)| *at == job).map(|(node, _)| node).collect();
        if !nodes.is_empty() {
            let placement = Placement::of(nodes);
            machine.occupy(&placement.nodes)?;
            strategy.taken(&placement, &machine);
        }
    }
    for (letter, &sides) in (b'A'..).zip(jobs) {
        let Some(placement) = strategy.propose(&Request::sides(sides), &machine) else { continue };
        machine.occupy(&placement.nodes)?;
        strategy.accepted(&placement, &machine);
        for [x, y, _] in placement.nodes.into_iter().map(|node| mesh.coord(node)) {
            rows[y as usize][x as usize] = letter;
        }
    }
    let lines: Vec<String> = rows.iter().rev().map(|row| String::from_utf8_lossy(row).into_owned()).collect();
    Ok(lines.join("\n"))
}

/// Checks the drawing of each example.
fn check(before: &str, examples: &[(&str, &[[u32; 3]], &str)]) -> Tested {
    for (allocator, jobs, after) in examples {
        let expected: Vec<&str> = after.split_whitespace().collect();
        let found = placed(allocator, before, jobs)?;
        assert_eq!(found, expected.join("\n"), "{allocator} {jobs:?} found\n{found}");
    }
    Ok(())
}

#[test]
fn the_running_mesh_under_strategies_that_find_the_lowest_base() -> Tested {
    let three_by_two = "
        ....33
        AAA.33
        AAA.33
        11....
        1122..
        1122..";
    let right_corner = "
        ....33
        ....33
        ....33
        11....
        1122AA
        1122AA";
    for allocator in ["first-fit", "first-fit:turn=yes", "adaptive-scan", "qna-scan"] {
        check(RUNNING, &[(allocator, &[[3, 2, 1]], three_by_two), (allocator, &[[2, 2, 1]], right_corner)])?;
        check(RUNNING, &[(allocator, &[[5, 2, 1]], RUNNING)])?;
    }
    for allocator in ["first-fit:turn=yes", "adaptive-scan", "stack-based", "qna-scan", "busy-list"] {
        // Neither 2×5 nor 5×2 is free.
        check(RUNNING, &[(allocator, &[[2, 5, 1]], RUNNING)])?;
    }
    check(RUNNING, &[("stack-based", &[[3, 2, 1]], three_by_two), ("rbs", &[[3, 2, 1]], three_by_two)])
}

#[test]
fn the_running_mesh_under_strategies_that_choose_otherwise() -> Tested {
    // Best fit: the most busy neighbours. Frame sliding: on the grid from the first free node, (4, 0). RBS:
    // at the left side.
    check(
        RUNNING,
        &[
            ("best-fit", &[[3, 2, 1]], "AAA.33 AAA.33 ....33 11.... 1122.. 1122.."),
            ("best-fit", &[[2, 2, 1]], "....33 ....33 ....33 11.... 1122AA 1122AA"),
            ("best-fit", &[[2, 3, 1]], "....33 ....33 ....33 11..AA 1122AA 1122AA"),
            ("frame-sliding", &[[3, 2, 1]], ".AAA33 .AAA33 ....33 11.... 1122.. 1122.."),
            ("rbs", &[[2, 2, 1]], "....33 AA..33 AA..33 11.... 1122.. 1122.."),
        ],
    )
}

#[test]
fn the_running_mesh_in_pieces() -> Tested {
    let pieces = "
        ....33
        AAAA33
        AAAA33
        11....
        1122AA
        1122AA";
    check(
        RUNNING,
        &[
            ("gabl", &[[6, 2, 1]], pieces),
            ("qna", &[[6, 2, 1]], pieces),
            ("qna:repeat=literal", &[[6, 2, 1]], pieces),
        ],
    )
}

#[test]
fn four_jobs_that_only_fit_in_one_orientation() -> Tested {
    let jobs: &[[u32; 3]] = &[[1, 1, 1], [1, 1, 1], [1, 3, 1], [3, 2, 1]];
    let idle = ".... .... .... ....";
    check(
        idle,
        &[
            ("fixed-orientation", jobs, "DDD. DDD. CCC. AB.."),
            // The last job waits: no two rows have three free columns.
            ("first-fit", jobs, ".... ..C. ..C. ABC."),
        ],
    )
}

#[test]
fn squares_of_two_dimensional_buddies() -> Tested {
    let idle = "........ ........ ........ ........ ........ ........ ........ ........";
    let after = "
        ........
        ........
        ........
        ........
        ....BBBB
        ....BBBB
        AA..BBBB
        AA..BBBB";
    check(idle, &[("buddy-2d", &[[1, 2, 1], [3, 3, 1]], after)])
}

#[test]
fn blocks_and_pages() -> Tested {
    let idle = "........ ........ ........ ........ ........ ........ ........ ........";
    check(
        idle,
        &[("mbs", &[[7, 1, 1]], "........ ........ ........ ........ A....... AA...... AA...... AA......")],
    )?;
    let idle = ".... .... .... ....";
    check(
        idle,
        &[
            ("paging:size=1", &[[5, 1, 1]], ".... .... AAAA AAAA"),
            ("paging:order=shuffled-row-major", &[[5, 1, 1]], ".... .... AA.. AAA."),
            (
                "paging:order=shuffled-snake",
                &[[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]],
                ".... .... DC.. ABE.",
            ),
            ("paging:order=snake", &[[6, 1, 1]], ".... .... ..AA AAAA"),
        ],
    )
}

#[test]
fn a_diagonal_that_is_too_thin_to_be_halved() -> Tested {
    let before = "11. 1.1 .11";
    check(
        before,
        &[
            ("anca", &[[3, 1, 1]], before),
            ("anca:split=full", &[[3, 1, 1]], "11A 1A1 A11"),
            ("gabl", &[[3, 1, 1]], "11A 1A1 A11"),
            ("mbs", &[[3, 1, 1]], "11A 1A1 A11"),
        ],
    )
}

#[test]
fn a_free_submesh_costs_nothing() -> Tested {
    // MC takes a free rectangle of the job's shape if there is one, with the lowest base of both
    // orientations.
    check(RUNNING, &[("mc", &[[2, 3, 1]], "....33 ....33 ....33 11..AA 1122AA 1122AA")])
}
