//! Slow implementations by the definitions, as references for the fast ones.

use meshreplay_alloc::allocator::{Request, Setup, build};
use meshreplay_machine::machine::{Coord, Machine, Mesh, Submesh, near_square, order};

use super::exhaustive::check_state;
use meshreplay_testing::{Numbers, Tested};

/// Free nodes in location order.
fn free_nodes(machine: &Machine) -> Vec<Coord> {
    let mut free: Vec<Coord> = machine.free().iter().map(|node| machine.mesh().coord(node)).collect();
    free.sort_unstable();
    free
}

fn sorted_ids(machine: &Machine, nodes: &[Coord]) -> Vec<u32> {
    let mut ids: Vec<u32> = nodes.iter().map(|&node| machine.mesh().node(node)).collect();
    ids.sort_unstable();
    ids
}

/// The timed MC1x1: one list, stably sorted for each centre in turn.
pub(crate) fn mc1x1_shells(machine: &Machine, k: u32) -> Vec<u32> {
    let (mesh, free) = (machine.mesh(), free_nodes(machine));
    let mut carried = free.clone();
    let mut best: Option<(u32, Vec<Coord>)> = None;
    for &centre in &free {
        carried.sort_by_key(|&node| mesh.l_inf(centre, node));
        let chosen = carried[..k as usize].to_vec();
        let score = chosen.iter().map(|&node| mesh.l_inf(centre, node)).sum();
        if best.as_ref().is_none_or(|best| score < best.0) {
            best = Some((score, chosen));
        }
    }
    sorted_ids(machine, &best.expect("a node is free").1)
}

/// The nodes of MC1x1 around a centre. The last nodes may be in any shell.
fn fill(machine: &Machine, k: u32, centre: Coord) -> Vec<Coord> {
    fill_from(machine, k, centre, |_, _| true)
}

/// The nodes around a centre. `may` restricts the last nodes by their shell and the shell of the k-th nearest
/// node.
fn fill_from(machine: &Machine, k: u32, centre: Coord, may: fn(u32, u32) -> bool) -> Vec<Coord> {
    let (mesh, free) = (machine.mesh(), free_nodes(machine));
    let mut distances: Vec<u32> = free.iter().map(|&node| mesh.l_inf(centre, node)).collect();
    distances.sort_unstable();
    let shell = distances[k as usize - 1];
    let (mut chosen, mut rest): (Vec<Coord>, Vec<Coord>) =
        free.iter().partition(|&&node| mesh.l_inf(centre, node) < shell);
    rest.retain(|&node| may(mesh.l_inf(centre, node), shell));
    while chosen.len() < k as usize {
        let key = |node: Coord| {
            let sum: u32 = chosen.iter().map(|&other| mesh.l1(node, other)).sum();
            (sum, mesh.l1(node, centre), node)
        };
        let next = (0..rest.len()).min_by_key(|&i| key(rest[i])).expect("enough nodes are free");
        chosen.push(rest.remove(next));
    }
    chosen
}

/// The first choice with the lowest score.
fn first_best(machine: &Machine, choices: impl Iterator<Item = (u32, Vec<Coord>)>) -> Vec<u32> {
    let mut best: Option<(u32, Vec<Coord>)> = None;
    for (score, chosen) in choices {
        if best.as_ref().is_none_or(|best| score < best.0) {
            best = Some((score, chosen));
        }
    }
    sorted_ids(machine, &best.expect("a node is free").1)
}

/// Sum of L1 distances over pairs, pair by pair.
pub(crate) fn pairwise_sum(mesh: &Mesh, nodes: &[Coord]) -> u32 {
    nodes.iter().enumerate().flat_map(|(i, &a)| nodes[..i].iter().map(move |&b| mesh.l1(a, b))).sum()
}

/// The MC1x1 of the published quality results.
pub(crate) fn mc1x1(machine: &Machine, k: u32) -> Vec<u32> {
    let choices = free_nodes(machine).into_iter().map(|centre| {
        let chosen = fill(machine, k, centre);
        (chosen.iter().map(|&node| machine.mesh().l_inf(centre, node)).sum(), chosen)
    });
    first_best(machine, choices)
}

/// MC1x1 by the rule of the paper: a shell is used up before the next one.
pub(crate) fn mc1x1_in_shells(machine: &Machine, k: u32) -> Vec<u32> {
    let choices = free_nodes(machine).into_iter().map(|centre| {
        let chosen = fill_from(machine, k, centre, |shell, last| shell == last);
        (chosen.iter().map(|&node| machine.mesh().l_inf(centre, node)).sum(), chosen)
    });
    first_best(machine, choices)
}

/// MC1x1 with the tie-breaking of Johnson, Bunde and Leung: two shells, weights 1 for free nodes, 2 for walls
/// and 3 for borders.
pub(crate) fn mc1x1_tied(machine: &Machine, k: u32) -> Vec<u32> {
    let (mesh, free) = (machine.mesh(), free_nodes(machine));
    let mut choices: Vec<(u32, i64, Coord, Vec<Coord>)> = Vec::new();
    for &centre in &free {
        let chosen = fill(machine, k, centre);
        let shell = |node: Coord| mesh.l_inf(centre, node);
        let mut shells: Vec<u32> = free.iter().map(|&node| shell(node)).collect();
        shells.sort_unstable();
        let last = shells[k as usize - 1];
        let weight = |node: Coord| i64::from((last + 3).saturating_sub(shell(node)));
        let wall = |d: usize, at: u32| {
            !mesh.wraps(d) && mesh.extents()[d] > 2 && [0, mesh.extents()[d] - 1].contains(&at)
        };
        let mut value = 0;
        for node in mesh.location_order().map(|node| mesh.coord(node)) {
            let (is_free, is_chosen) = (free.contains(&node), chosen.contains(&node));
            value += if is_free && !is_chosen { weight(node) } else { 0 };
            // Chosen nodes beyond these shells have a negative weight.
            let on_wall = is_chosen && (0..3).any(|d| wall(d, node[d]));
            value -= if on_wall { 2 * (i64::from(last) + 3 - i64::from(shell(node))) } else { 0 };
            value -= if !is_free && shell(node) == last + 1 { 3 * 2 } else { 0 };
        }
        choices.push((chosen.iter().map(|&node| shell(node)).sum(), value, centre, chosen));
    }
    sorted_ids(machine, &choices.into_iter().min().expect("a node is free").3)
}

/// MC: every place in scan order. A node's shell is its distance to the nearest node
/// of the place.
pub(crate) fn mc(machine: &Machine, k: u32) -> Vec<u32> {
    let (mesh, free) = (machine.mesh(), free_nodes(machine));
    if k == machine.free_count() {
        return sorted_ids(machine, &free);
    }
    let [a, b, c] = near_square(k, mesh).expect("as many nodes as are free exist");
    let mut best: Option<(u32, Vec<Coord>)> = None;
    for base in (0..mesh.nodes()).map(|node| mesh.coord(node)) {
        for sizes in [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [c, b, a], [b, c, a]] {
            let fits = |d: usize| {
                let room = if mesh.wraps(d) { mesh.extents()[d] } else { mesh.extents()[d] - base[d] };
                sizes[d] <= room
            };
            if !(0..3).all(fits) {
                continue;
            }
            let inside = |node: &Coord| {
                (0..3).all(|d| (node[d] + mesh.extents()[d] - base[d]) % mesh.extents()[d] < sizes[d])
            };
            let members: Vec<Coord> =
                mesh.location_order().map(|node| mesh.coord(node)).filter(inside).collect();
            let shell = |node: Coord| members.iter().map(|&other| mesh.l_inf(node, other)).min().unwrap_or(0);
            let mut shells: Vec<u32> = free.iter().map(|&node| shell(node)).collect();
            shells.sort_unstable();
            let cost: u32 = shells[..k as usize].iter().sum();
            if best.as_ref().is_some_and(|best| cost >= best.0) {
                continue;
            }
            let last = shells[k as usize - 1];
            let mut chosen: Vec<Coord> = free.iter().copied().filter(|&node| shell(node) < last).collect();
            let mut rest: Vec<Coord> = free.iter().copied().filter(|&node| shell(node) == last).collect();
            while chosen.len() < k as usize {
                let middle = |node: Coord| Submesh { base, sizes }.doubled_to_middle(mesh, node);
                let key = |node: Coord| {
                    let sum: u32 = chosen.iter().map(|&other| mesh.l1(node, other)).sum();
                    (sum, middle(node), node)
                };
                let all = chosen.len() + rest.len() == k as usize;
                let next = if all { Some(0) } else { (0..rest.len()).min_by_key(|&i| key(rest[i])) };
                chosen.push(rest.remove(next.expect("enough nodes are free")));
            }
            best = Some((cost, chosen));
        }
    }
    sorted_ids(machine, &best.expect("some place fits").1)
}

/// MC1x1 with the pairwise sum as score.
pub(crate) fn mc_pair(machine: &Machine, k: u32) -> Vec<u32> {
    let choices = free_nodes(machine).into_iter().map(|centre| {
        let chosen = fill(machine, k, centre);
        (pairwise_sum(machine.mesh(), &chosen), chosen)
    });
    first_best(machine, choices)
}

/// The nearest family: one list, stably sorted by L1 distance for each centre in turn.
fn nearest(machine: &Machine, k: u32, centres: Vec<Coord>) -> Vec<u32> {
    let mesh = machine.mesh();
    let mut carried = free_nodes(machine);
    let choices = centres.into_iter().map(|centre| {
        carried.sort_by_key(|&node| mesh.l1(centre, node));
        let chosen = carried[..k as usize].to_vec();
        (pairwise_sum(mesh, &chosen), chosen)
    });
    first_best(machine, choices)
}

/// Centres are the free nodes.
pub(crate) fn gen_alg(machine: &Machine, k: u32) -> Vec<u32> {
    nearest(machine, k, free_nodes(machine))
}

/// Centres are all combinations of coordinates of free nodes, each in order of first appearance.
pub(crate) fn mm(machine: &Machine, k: u32) -> Vec<u32> {
    let free = free_nodes(machine);
    let values = |d: usize| {
        let mut values: Vec<u32> = Vec::new();
        for node in &free {
            if !values.contains(&node[d]) {
                values.push(node[d]);
            }
        }
        values
    };
    let (xs, ys, zs) = (values(0), values(1), values(2));
    let mut centres = Vec::new();
    for &x in &xs {
        for &y in &ys {
            centres.extend(zs.iter().map(|&z| [x, y, z]));
        }
    }
    nearest(machine, k, centres)
}

#[test]
fn nearest_family_keeps_its_bounds_against_the_optimum() -> Tested {
    let mut numbers = Numbers(77);
    for (machine, share) in [("4x3", 3), ("4x4", 5), ("13", 3), ("3x2x2", 2), ("3x3x2", 5)] {
        let mesh: Mesh = machine.parse()?;
        let dims = mesh.extents().iter().filter(|&&extent| extent > 1).count();
        for _ in 0..25 {
            let busy: Vec<u32> = (0..mesh.nodes()).filter(|_| numbers.below(10) < share).collect();
            let mut state = Machine::new(mesh.clone());
            state.occupy(&busy)?;
            let free = free_nodes(&state);
            for k in 2..=free.len().min(9) {
                let subsets = (0_u32..1 << free.len()).filter(|subset| subset.count_ones() as usize == k);
                let nodes = |subset: u32| -> Vec<Coord> {
                    (0..free.len()).filter(|i| subset >> i & 1 == 1).map(|i| free[i]).collect()
                };
                let optimum =
                    subsets.map(|subset| pairwise_sum(&mesh, &nodes(subset))).min().ok_or("none")?;
                let found = ["gen-alg", "mm", "mm-inc"].map(|name| {
                    let mut allocator = build(&name.parse()?, &Setup::new(&mesh, 0))?.strategy;
                    let placed = allocator.propose(&Request::of(k as u32), &state).ok_or("refused")?.nodes;
                    let coords: Vec<Coord> = placed.into_iter().map(|node| mesh.coord(node)).collect();
                    Ok::<_, Box<dyn std::error::Error>>(f64::from(pairwise_sum(&mesh, &coords)))
                });
                let [gen_alg, mm, mm_inc] = found;
                let (gen_alg, mm, mm_inc, optimum) = (gen_alg?, mm?, mm_inc?, f64::from(optimum));
                assert!(
                    gen_alg <= (2.0 - 2.0 / k as f64) * optimum + 1e-9,
                    "{machine}, {k}: {gen_alg}, {optimum}"
                );
                let factor = 2.0 - 1.0 / (2.0 * dims as f64);
                assert!(mm <= factor * optimum + 1e-9, "{machine}, {k}: {mm}, {optimum}");
                assert!(mm_inc <= mm && mm_inc >= optimum, "{machine}, {k}: {mm_inc}, {mm}, {optimum}");
            }
        }
    }
    Ok(())
}

#[test]
fn centre_based_allocators_equal_their_definitions_on_random_states() -> Tested {
    let mut numbers = Numbers(41);
    for machine in [
        "9x7",
        "12x4",
        "66x2",
        "5x4x3",
        "40",
        "torus:8x7",
        "torus:5x3x4",
        "torus:30",
        "8x4:wrap=x",
        "5x7:wrap=y",
        "4x4x3:wrap=xz",
    ] {
        let mesh: Mesh = machine.parse()?;
        for share in [1, 3, 5, 8] {
            let busy: Vec<u32> = (0..mesh.nodes()).filter(|_| numbers.below(10) < share).collect();
            let mut state = Machine::new(mesh.clone());
            state.occupy(&busy)?;
            check_state(&state, machine)?;
        }
    }
    Ok(())
}

/// Curve allocators on a list of free ranks.
fn curve(ranks: &[bool], k: usize, select: &str) -> Vec<usize> {
    let free: Vec<usize> = (0..ranks.len()).filter(|&rank| ranks[rank]).collect();
    let intervals: Vec<&[usize]> = free.chunk_by(|a, b| a + 1 == *b).collect();
    let squares = |lengths: &[usize]| {
        let mut count = vec![0_u64; ranks.len() + 1];
        lengths.iter().filter(|&&length| length > 0).for_each(|&length| count[length] += 1);
        count.iter().map(|n| n * n).sum::<u64>()
    };
    let lengths: Vec<usize> = intervals.iter().map(|interval| interval.len()).collect();
    let fits = (0..intervals.len()).filter(|&i| lengths[i] >= k);
    let chosen = match select {
        "free-list" => return free[..k].to_vec(),
        "first-fit" => fits.min(),
        "best-fit" => fits.min_by_key(|&i| lengths[i]),
        _ => fits.min_by_key(|&i| {
            let mut after = lengths.clone();
            after[i] -= k;
            squares(&after)
        }),
    };
    match chosen {
        Some(i) => intervals[i][..k].to_vec(),
        None => free.windows(k).min_by_key(|window| window[k - 1] - window[0]).expect("k are free").to_vec(),
    }
}

#[test]
fn curve_allocators_equal_their_definitions_on_random_histories() -> Tested {
    let mesh: Mesh = "12x5".parse()?;
    let order = order::build("column-snake", &mesh)?;
    for select in ["best-fit", "first-fit", "free-list", "sum-of-squares"] {
        let spec = format!("column-snake+{select}").parse()?;
        let mut allocator = build(&spec, &Setup::new(&mesh, 0))?.strategy;
        let (mut machine, mut held, mut numbers) = (Machine::new(mesh.clone()), Vec::new(), Numbers(13));
        for _ in 0..3000 {
            let procs = 1 + numbers.below(12);
            if procs > machine.free_count() || numbers.below(5) == 0 && !held.is_empty() {
                let placement: meshreplay_alloc::allocator::Placement =
                    held.swap_remove(numbers.below(held.len() as u32) as usize);
                machine.vacate(&placement.nodes);
                allocator.released(&placement, &machine);
                continue;
            }
            let ranks: Vec<bool> = order.nodes().iter().map(|&node| machine.free().contains(node)).collect();
            let placement = allocator.propose(&Request::of(procs), &machine).ok_or("refused")?;
            let found: Vec<usize> =
                placement.nodes.iter().map(|&node| order.rank_of(node) as usize).collect();
            assert_eq!(found, curve(&ranks, procs as usize, select), "{select}");
            machine.occupy(&placement.nodes)?;
            allocator.accepted(&placement, &machine);
            held.push(placement);
        }
    }
    Ok(())
}
