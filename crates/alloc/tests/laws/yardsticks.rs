//! The exact optimum against brute force and published values, the lower bound against both, and allocators
//! against the optimum.

use meshreplay_alloc::allocator::{Request, Setup, build};
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeSet};
use meshreplay_machine::yardstick::{PairwiseBound, optimum};

use super::naive_twins::pairwise_sum;
use meshreplay_testing::{Numbers, Tested};

/// OEIS A193452, n = 1, 2, …, as in the specification.
const TOWNS: [u64; 49] = [
    0, 1, 4, 8, 16, 25, 38, 54, 72, 96, 124, 152, 188, 227, 272, 318, 374, 433, 496, 563, 632, 716, 804, 895,
    992, 1091, 1204, 1318, 1442, 1570, 1704, 1840, 1996, 2153, 2318, 2486, 2656, 2847, 3040, 3241, 3446,
    3662, 3886, 4112, 4360, 4612, 4868, 5128, 5398,
];

const LIMIT: u64 = 1_000_000_000;

/// The smallest sum over all subsets of `free`, for each size of the subset.
fn brute_force(mesh: &Mesh, free: &[u32]) -> Vec<u64> {
    let coords: Vec<Coord> = free.iter().map(|&node| mesh.coord(node)).collect();
    let mut least = vec![u64::MAX; free.len() + 1];
    for subset in 0_u32..1 << free.len() {
        let held: Vec<Coord> =
            (0..coords.len()).filter(|i| subset >> i & 1 == 1).map(|i| coords[i]).collect();
        let sum = u64::from(pairwise_sum(mesh, &held));
        least[held.len()] = least[held.len()].min(sum);
    }
    least
}

/// Checks optimum and bound against all subsets.
fn check(mesh: &Mesh, free: &[u32]) -> Tested {
    let mut set = NodeSet::empty(mesh.nodes());
    for &node in free {
        set.insert(node);
    }
    let mut bound = PairwiseBound::new(mesh);
    for (k, &least) in (0..).zip(&brute_force(mesh, free)).skip(1) {
        let found = optimum(mesh, &set, k, LIMIT)?;
        let coords: Vec<Coord> = found.nodes.iter().map(|&node| mesh.coord(node)).collect();
        assert!(found.nodes.is_sorted_by(|a, b| a < b) && found.nodes.iter().all(|&node| set.contains(node)));
        assert_eq!(found.nodes.len(), k as usize);
        assert_eq!(
            (found.pairwise_sum, u64::from(pairwise_sum(mesh, &coords))),
            (least, least),
            "{mesh}, {k}"
        );
        assert!(bound.of(k) <= least, "{mesh}, {k} of {free:?}: {} above {least}", bound.of(k));
    }
    Ok(())
}

#[test]
fn optimum_and_bound_equal_and_undercut_brute_force_in_every_state() -> Tested {
    for machine in [
        "7",
        "3x3",
        "5x2",
        "2x2x2",
        "torus:8",
        "torus:3x3",
        "torus:5x2",
        "torus:2x2x2",
        "3x3:wrap=x",
        "2x2x2:wrap=xz",
    ] {
        let mesh: Mesh = machine.parse()?;
        for free in 1_u32..1 << mesh.nodes() {
            check(&mesh, &(0..mesh.nodes()).filter(|node| free >> node & 1 == 1).collect::<Vec<u32>>())?;
        }
    }
    Ok(())
}

#[test]
fn optimum_and_bound_equal_and_undercut_brute_force_on_random_states() -> Tested {
    let mut numbers = Numbers(5);
    let machines = [
        "4x4",
        "3x3x2",
        "8x2",
        "15",
        "torus:4x4",
        "torus:3x3x2",
        "torus:15",
        "torus:5x3",
        "torus:7x2",
        "4x4:wrap=y",
        "3x3x2:wrap=xy",
    ];
    for machine in machines {
        let mesh: Mesh = machine.parse()?;
        for busy in [0, 2, 4, 6] {
            for _ in 0..6 {
                let mut free: Vec<u32> = (0..mesh.nodes()).filter(|_| numbers.below(10) >= busy).collect();
                free.truncate(15);
                check(&mesh, &free)?;
            }
        }
    }
    check(&"4x4".parse()?, &(0..16).collect::<Vec<u32>>())?;
    check(&"torus:4x4".parse()?, &(0..16).collect::<Vec<u32>>())
}

/// The sum over pairs of nodes with `counts` nodes per rank. Ranks 0, 1, 2, … have the positions 0, 1, −1, 2,
/// −2, … along an axis, from the middle outwards.
fn centred_sum(counts: &[u64], n: u64) -> u64 {
    let (mut sides, mut sum) = ([0, 0], 0);
    for rank in (1..counts.len()).rev() {
        let side = &mut sides[rank % 2];
        *side += counts[rank];
        sum += *side * (n - *side);
    }
    sum
}

/// Tries every stack of columns that continues `rows`: heights decrease along x and from row to row, up to
/// `sides`.
fn stacks(rows: &mut Vec<Vec<u64>>, row: &mut Vec<u64>, left: u64, sides: [usize; 3], least: &mut u64) {
    if left == 0 {
        let all = || rows.iter().chain([&*row]);
        let n = all().flatten().sum();
        let mut counts = [vec![0; sides[0]], vec![0; sides[1]], vec![0; sides[2]]];
        for (y, row) in all().enumerate().filter(|(_, row)| !row.is_empty()) {
            for (x, &height) in row.iter().enumerate() {
                counts[0][x] += height;
                counts[1][y] += height;
                counts[2][..height as usize].iter_mut().for_each(|count| *count += 1);
            }
        }
        *least = (*least).min(counts.iter().map(|counts| centred_sum(counts, n)).sum());
        return;
    }
    let above = rows.last().map_or(sides[2] as u64, |above| above.get(row.len()).copied().unwrap_or(0));
    let before = row.last().copied().unwrap_or(u64::MAX);
    if row.len() < sides[0] {
        for height in 1..=above.min(before).min(left) {
            row.push(height);
            stacks(rows, row, left - height, sides, least);
            row.pop();
        }
    }
    if !row.is_empty() && rows.len() + 1 < sides[1] {
        rows.push(std::mem::take(row));
        stacks(rows, &mut Vec::new(), left, sides, least);
        *row = rows.pop().unwrap_or_default();
    }
}

/// The optimum on an empty mesh, by enumeration of centred stacks. One of them is optimal, see
/// `machine::bound`.
fn empty_optimum(sides: [usize; 3], n: u64) -> u64 {
    let mut least = u64::MAX;
    stacks(&mut Vec::new(), &mut Vec::new(), n, sides, &mut least);
    least
}

#[test]
fn the_bound_is_the_published_and_the_enumerated_optimum() -> Tested {
    let mut plane = PairwiseBound::new(&"300x300".parse()?);
    for (n, &town) in (1..).zip(&TOWNS) {
        assert_eq!((plane.of(n), empty_optimum([49, 49, 1], u64::from(n))), (town, town), "{n}");
    }
    let mut space = PairwiseBound::new(&"99x99x99".parse()?);
    for n in 1..=31 {
        assert_eq!(space.of(n), empty_optimum([31; 3], u64::from(n)), "{n}");
    }
    Ok(())
}

#[test]
fn the_bound_is_close_below_enumerated_optima_beyond_tables_and_on_narrow_machines() -> Tested {
    for (sides, sizes, percent) in [
        ([57, 57, 1], 50..=57, 1.0),
        ([40, 3, 1], 1..=60, 2.0),
        ([30, 5, 1], 1..=60, 1.5),
        ([9, 8, 1], 1..=60, 1.5),
        ([20, 2, 2], 1..=40, 4.0),
        ([20, 3, 2], 1..=28, 4.0),
        ([4, 4, 4], 1..=24, 4.0),
    ] {
        let mut bound = PairwiseBound::new(&Mesh::new(&sides.map(|side| side as u32))?);
        for n in sizes {
            let (found, exact) = (bound.of(n), empty_optimum(sides, u64::from(n)));
            let close = found as f64 >= exact as f64 * (1.0 - percent / 100.0) - 1.0;
            assert!(found <= exact && close, "{sides:?}, {n}: {found}, {exact}");
        }
    }
    Ok(())
}

#[test]
fn the_optimum_of_an_empty_machine_is_the_published_one() -> Tested {
    for (machine, most) in [("15x14", 22), ("torus:16x15", 12)] {
        let mesh: Mesh = machine.parse()?;
        for (n, &town) in (1..).zip(&TOWNS[..most]) {
            let found = optimum(&mesh, &NodeSet::full(mesh.nodes()), n, LIMIT)?;
            assert_eq!(found.pairwise_sum, town, "{machine}, {n}");
        }
    }
    let mesh: Mesh = "5x5x5".parse()?;
    for n in 1..=16 {
        let found = optimum(&mesh, &NodeSet::full(125), n, LIMIT)?.pairwise_sum;
        assert_eq!(found, empty_optimum([5; 3], u64::from(n)), "{n}");
    }
    Ok(())
}

#[test]
fn allocators_keep_their_guarantees_against_the_optimum_on_larger_machines() -> Tested {
    let mut numbers = Numbers(2011);
    for (machine, busy, sizes) in [
        ("8x8", 5, &[2, 5, 9, 14][..]),
        ("16x16", 6, &[3, 8, 12, 17]),
        ("64x2", 5, &[4, 11]),
        ("5x5x4", 5, &[3, 8, 12]),
        ("8x8x8", 7, &[6, 10]),
        ("torus:8x8", 5, &[4, 9]),
    ] {
        let mesh: Mesh = machine.parse()?;
        for _ in 0..4 {
            let taken: Vec<u32> = (0..mesh.nodes()).filter(|_| numbers.below(10) < busy).collect();
            let mut state = Machine::new(mesh.clone());
            state.occupy(&taken)?;
            for &procs in sizes {
                let least = optimum(&mesh, state.free(), procs, LIMIT)?.pairwise_sum;
                let mut sums = [0.0; 3];
                for (sum, name) in sums.iter_mut().zip(["gen-alg", "mm", "mm-inc"]) {
                    let mut allocator = build(&name.parse()?, &Setup::new(&mesh, 0))?.strategy;
                    let placed = allocator.propose(&Request::of(procs), &state).ok_or("refused")?.nodes;
                    let coords: Vec<Coord> = placed.into_iter().map(|node| mesh.coord(node)).collect();
                    *sum = f64::from(pairwise_sum(&mesh, &coords)) / least as f64;
                }
                let [gen_alg, mm, mm_inc] = sums;
                let label = format!("{machine}, {procs}: {sums:?}");
                assert!(gen_alg >= 1.0 && gen_alg <= 2.0 - 2.0 / f64::from(procs) + 1e-9, "{label}");
                let guarantee = if mesh.dims() == 2 { 7.0 / 4.0 } else { 11.0 / 6.0 };
                assert!(mm <= guarantee + 1e-9 || mesh.wraps_any(), "{label}");
                assert!(mm_inc <= mm && mm_inc >= 1.0, "{label}");
                assert!(PairwiseBound::new(&mesh).of(procs) <= least, "{label}");
            }
        }
    }
    Ok(())
}
