//! Snug by its definition, with loops over boxes and sums over pairs.

use meshreplay_alloc::allocator::{Request, Setup, build};
use meshreplay_machine::machine::{Machine, Mesh};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A node and its position within a box. On a torus a box may wrap around, so positions differ from
/// coordinates.
type Node = (u32, [u32; 3]);

/// The boxes of the definition as base and sides, sorted by girth, sides and base.
fn boxes(mesh: &Mesh) -> Vec<([u32; 3], [u32; 3])> {
    let extents = mesh.extents();
    let range = |d: usize| 1..=extents[d];
    let mut sides: Vec<(u32, [u32; 3])> = Vec::new();
    for a in range(0) {
        for b in range(1) {
            for c in range(2) {
                let all = [a, b, c];
                let cut = (0..3).filter(|&d| all[d] < extents[d]).map(|d| all[d]).min();
                if cut.is_none_or(|short| all.into_iter().max().is_some_and(|long| long <= short + 2)) {
                    let girth = (0..3).filter(|&d| extents[d] > 1).map(|d| all[d]).sum();
                    sides.push((girth, all));
                }
            }
        }
    }
    sides.sort_unstable();
    let places = |d: usize, side: u32| {
        let around = mesh.wraps(d) && side < extents[d];
        0..if around { extents[d] } else { extents[d] - side + 1 }
    };
    let mut boxes = Vec::new();
    for (_, sides) in sides {
        for z in places(2, sides[2]) {
            for y in places(1, sides[1]) {
                boxes.extend(places(0, sides[0]).map(|x| ([x, y, z], sides)));
            }
        }
    }
    boxes
}

fn in_submesh(mesh: &Mesh, base: [u32; 3], sides: [u32; 3]) -> Vec<Node> {
    let mut nodes = Vec::new();
    for z in 0..sides[2] {
        for y in 0..sides[1] {
            for x in 0..sides[0] {
                let at = [base[0] + x, base[1] + y, base[2] + z];
                let at = [0, 1, 2].map(|d| at[d] % mesh.extents()[d]);
                nodes.push((mesh.node(at), at));
            }
        }
    }
    nodes
}

fn free_in(machine: &Machine, base: [u32; 3], sides: [u32; 3]) -> Vec<Node> {
    let mut nodes = in_submesh(machine.mesh(), base, sides);
    nodes.retain(|&(node, _)| machine.free().contains(node));
    nodes
}

/// Sum of the distances along a dimension from a node to other nodes.
fn along(mesh: &Mesh, d: usize, from: [u32; 3], to: &[Node]) -> f64 {
    f64::from(to.iter().map(|&(_, at)| mesh.hops(d, from[d], at[d])).sum::<u32>())
}

pub(crate) fn snug(machine: &Machine, k: u32) -> Vec<u32> {
    let mesh = machine.mesh();
    let whole = free_in(machine, [0; 3], mesh.extents());
    let free = machine.free_count();
    let busy = 1.0 - f64::from(free - k) / f64::from(mesh.nodes());
    let weight = 0.9 * busy * f64::from(k) / f64::from(free);
    let girth =
        |sides: [u32; 3]| -> u32 { (0..3).filter(|&d| mesh.extents()[d] > 1).map(|d| sides[d]).sum() };
    let mut smallest: Option<u32> = None;
    let mut best: Option<(f64, Vec<u32>)> = None;
    // The examined boxes of a shape: the two farthest from the free nodes.
    let mut looked_at: Vec<(f64, [u32; 3], [u32; 3])> = Vec::new();
    let boxes = boxes(mesh);
    for of_shape in boxes.chunk_by(|a, b| a.1 == b.1) {
        let sides = of_shape[0].1;
        if smallest.is_some_and(|smallest| girth(sides) > smallest + (smallest / 7).min(2)) {
            break;
        }
        let mut holding: Vec<(f64, [u32; 3], [u32; 3])> = Vec::new();
        for &(base, sides) in of_shape {
            let nodes = in_submesh(mesh, base, sides);
            if nodes.iter().filter(|&&(node, _)| machine.free().contains(node)).count() >= k as usize {
                let (nodes, whole) = (&nodes, &whole);
                let far = |d: usize| nodes.iter().map(move |node| along(mesh, d, node.1, whole));
                let spare = (nodes.len() - k as usize) as f64;
                let apart =
                    (0..3).map(|d| far(d).sum::<f64>() - spare * far(d).fold(f64::MAX, f64::min)).sum();
                holding.push((apart, base, sides));
            }
        }
        if !holding.is_empty() {
            smallest = smallest.or(Some(girth(sides)));
        }
        holding.sort_by(|a, b| b.0.total_cmp(&a.0));
        holding.truncate(2);
        holding.sort_by_key(|&(_, [x, y, z], _)| (z, y, x));
        looked_at.extend(holding);
    }
    for (_, base, sides) in looked_at {
        let within = free_in(machine, base, sides);
        let cost = |&(_, at): &Node| -> f64 {
            let [x, y, z] =
                [0, 1, 2].map(|d| along(mesh, d, at, &within) - weight * along(mesh, d, at, &whole));
            x + y + z
        };
        let mut priced: Vec<(f64, Node)> = within.iter().map(|node| (cost(node), *node)).collect();
        priced.sort_by(|a, b| a.0.total_cmp(&b.0));
        let taken: Vec<Node> = priced[..k as usize].iter().map(|&(_, node)| node).collect();
        let pairs: u32 = taken
            .iter()
            .enumerate()
            .flat_map(|(i, a)| taken[..i].iter().map(move |b| (a.1, b.1)))
            .map(|(a, b)| mesh.l1(a, b))
            .sum();
        let apart: f64 = taken.iter().flat_map(|node| (0..3).map(|d| along(mesh, d, node.1, &whole))).sum();
        let cost = f64::from(pairs) - weight * apart;
        if best.as_ref().is_none_or(|best| cost < best.0) {
            best = Some((cost, taken.iter().map(|node| node.0).collect()));
        }
    }
    let (_, mut nodes) = best.expect("the whole machine is a box");
    if k == machine.free_count() {
        nodes = whole.iter().map(|node| node.0).collect();
    }
    nodes.sort_unstable();
    nodes
}

/// Random states of larger machines, with node numbers of one and two bytes. One allocator serves all states
/// of a machine, so that stale data of the previous state would be found.
#[test]
fn snug_equals_its_definition_on_larger_machines() -> Result<(), Box<dyn std::error::Error>> {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    for text in [
        "16x15",
        "20x15",
        "torus:13x11",
        "torus:20x13",
        "7x7x6",
        "8x4x4",
        "torus:5x5x4",
        "300",
        "13x11:wrap=y",
        "5x5x4:wrap=xz",
    ] {
        let mesh: Mesh = text.parse()?;
        let mut allocator = build(&"snug".parse()?, &Setup::new(&mesh, 0))?.strategy;
        for _ in 0..6 {
            let mut machine = Machine::new(mesh.clone());
            // Boxes, for free regions with corners as in real states, and single nodes.
            let share = random.random_range(0.2..0.95);
            while f64::from(machine.free_count()) > share * f64::from(mesh.nodes()) {
                let extents = mesh.extents();
                let base = extents.map(|extent| random.random_range(0..extent));
                let sides = extents.map(|extent| random.random_range(1..=extent.div_ceil(4)));
                let free = free_in(&machine, base, sides);
                machine.occupy(&free.iter().map(|node| node.0).collect::<Vec<u32>>())?;
            }
            for _ in 0..4 {
                let k = random.random_range(1..=machine.free_count());
                let k = if random.random() { k } else { k.div_ceil(8) };
                let mut found = allocator.propose(&Request::of(k), &machine).ok_or("refused")?.nodes;
                found.sort_unstable();
                assert_eq!(found, snug(&machine, k), "{text}: {k} of {}", machine.free_count());
            }
        }
    }
    Ok(())
}
