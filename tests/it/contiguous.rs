//! Contiguous allocators: what they return, what they recognise, and which of them are the same.

use meshreplay::allocator::{ALLOCATORS, Allocator, Kind, Placement, Request, Setup, build};
use meshreplay::machine::{Coord, Machine, Mesh, NodeId, near_square};

use super::laws::MACHINES;
use super::support::{Numbers, Tested};

/// Allocators that find a free box wherever one is, and whether they turn the shape.
const RECOGNISE: [(&str, bool); 11] = [
    ("first-fit", false),
    ("first-fit:turn=yes", true),
    ("best-fit", false),
    ("best-fit:turn=yes", true),
    ("worst-fit:turn=yes", true),
    ("adaptive-scan", true),
    ("busy-list", true),
    ("rbs", false),
    ("rbs:turn=yes", true),
    ("stack-based", true),
    ("max-periphery", true),
];

/// The orientations of a shape in their order, those that fit.
fn orientations([a, b, c]: [u32; 3], mesh: &Mesh, turn: bool) -> Vec<[u32; 3]> {
    let all = [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [c, b, a], [b, c, a]];
    let fits = |sizes: &[u32; 3]| (0..3).all(|d| sizes[d] <= mesh.extents()[d]);
    all.into_iter().take(if turn { 6 } else { 1 }).filter(fits).collect()
}

/// The nodes of the first free box in scan order, of the first orientation that has one.
fn first_free(machine: &Machine, k: u32, turn: bool) -> Option<Vec<NodeId>> {
    let mesh = machine.mesh();
    let [width, length, depth] = mesh.extents();
    for sizes in orientations(near_square(k, mesh)?, mesh, turn) {
        let bases = (0..=depth - sizes[2]).flat_map(|z| {
            (0..=length - sizes[1]).flat_map(move |y| (0..=width - sizes[0]).map(move |x| [x, y, z]))
        });
        for base in bases {
            let nodes = box_nodes(mesh, base, sizes);
            if nodes.iter().all(|&node| machine.free().contains(node)) {
                return Some(nodes);
            }
        }
    }
    None
}

fn box_nodes(mesh: &Mesh, base: Coord, sizes: [u32; 3]) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for z in 0..sizes[2] {
        for y in 0..sizes[1] {
            nodes.extend((0..sizes[0]).map(|x| mesh.node([base[0] + x, base[1] + y, base[2] + z])));
        }
    }
    nodes
}

/// What a strategy that scores every free place should take: the nodes of the first place of largest score, of the first
/// orientation that has any if `one_by_one`, of all orientations else.
fn highest(
    machine: &Machine,
    k: u32,
    (turn, one_by_one): (bool, bool),
    score: impl Fn(Coord, [u32; 3]) -> i64,
) -> Option<Vec<NodeId>> {
    let mesh = machine.mesh();
    let mut best: Option<(i64, Vec<NodeId>)> = None;
    for sizes in orientations(near_square(k, mesh)?, mesh, turn) {
        for base in (0..mesh.nodes()).map(|node| mesh.coord(node)) {
            if (0..3).any(|d| base[d] + sizes[d] > mesh.extents()[d]) {
                continue;
            }
            let nodes = box_nodes(mesh, base, sizes);
            let is_free = nodes.iter().all(|&node| machine.free().contains(node));
            if is_free && best.as_ref().is_none_or(|(most, _)| score(base, sizes) > *most) {
                best = Some((score(base, sizes), nodes));
            }
        }
        if one_by_one && best.is_some() {
            break;
        }
    }
    best.map(|(_, nodes)| nodes)
}

/// Positions that share a face with a box, one step outside, and are in use or outside the machine.
fn taken_border(machine: &Machine, base: Coord, sizes: [u32; 3]) -> i64 {
    let mesh = machine.mesh();
    let mut taken = 0;
    for node in box_nodes(mesh, base, sizes) {
        let at = mesh.coord(node);
        for d in 0..mesh.dims() {
            let mut next = at;
            if at[d] == base[d] {
                next[d] = at[d].wrapping_sub(1);
                taken += i64::from(next[d] == u32::MAX || !machine.free().contains(mesh.node(next)));
            }
            next = at;
            if at[d] + 1 == base[d] + sizes[d] {
                next[d] = at[d] + 1;
                taken += i64::from(next[d] == mesh.extents()[d] || !machine.free().contains(mesh.node(next)));
            }
        }
    }
    taken
}

/// The contact that max periphery maximises: 0 away from the machine's border.
fn contact(mesh: &Mesh, base: Coord, sizes: [u32; 3]) -> i64 {
    let touches = |d: usize| base[d] == 0 || base[d] + sizes[d] == mesh.extents()[d];
    if !(0..mesh.dims()).any(touches) {
        return 0;
    }
    let face = |d: usize| i64::from(sizes.iter().product::<u32>() / sizes[d]);
    (0..mesh.dims()).map(|d| if touches(d) { face(d) } else { 1 }).sum()
}

/// Whether the strategies that score places take the one of largest score.
fn check_scores(machine: &Machine, procs: u32, label: &str) -> Tested {
    let border = |base, sizes| taken_border(machine, base, sizes);
    for (text, expected) in [
        ("best-fit", highest(machine, procs, (false, true), border)),
        ("best-fit:turn=yes", highest(machine, procs, (true, true), border)),
        ("worst-fit", highest(machine, procs, (false, true), |base, sizes| -border(base, sizes))),
        (
            "max-periphery",
            highest(machine, procs, (true, false), |base, sizes| contact(machine.mesh(), base, sizes)),
        ),
    ] {
        let found =
            told(text, machine)?.allocate(&Request { procs }, machine).map(|placement| placement.nodes);
        assert_eq!(found, expected, "{text} on {label}: {procs} of {:?}", machine.free());
    }
    Ok(())
}

/// The allocator `text`, told that the nodes in use were chosen by somebody else.
fn told(text: &str, machine: &Machine) -> Result<Box<dyn Allocator>, Box<dyn std::error::Error>> {
    let mesh = machine.mesh();
    let (mut allocator, _) = build(&text.parse()?, &Setup { mesh, seed: 0 })?;
    let nodes = (0..mesh.nodes()).filter(|&node| !machine.free().contains(node)).collect();
    allocator.occupied(&Placement { nodes }, &Machine::new(mesh.clone()));
    Ok(allocator)
}

#[test]
fn a_free_box_is_found_in_every_state_in_which_there_is_one() -> Tested {
    for text in ["7", "4x3", "3x3", "2x2x2", "3x2x2"] {
        let mesh: Mesh = text.parse()?;
        for busy in 0_u32..1 << mesh.nodes() {
            let nodes: Vec<u32> = (0..mesh.nodes()).filter(|node| busy >> node & 1 == 1).collect();
            let mut machine = Machine::new(mesh.clone());
            machine.occupy(&nodes)?;
            for procs in 1..=machine.free_count() {
                check(&machine, procs, text)?;
                check_scores(&machine, procs, text)?;
            }
        }
    }
    Ok(())
}

/// Whether each allocator recognises a free box for one request, and takes the same as first fit where it should.
fn check(machine: &Machine, procs: u32, label: &str) -> Tested {
    let expected = [false, true].map(|turn| first_free(machine, procs, turn));
    for (text, turn) in RECOGNISE.into_iter().chain([("qna-scan", true)]) {
        let found =
            told(text, machine)?.allocate(&Request { procs }, machine).map(|placement| placement.nodes);
        let plain = &expected[usize::from(turn)];
        assert_eq!(found.is_some(), plain.is_some(), "{text} on {label}: {procs} of {:?}", machine.free());
        if text.starts_with("first-fit") || ["adaptive-scan", "qna-scan"].contains(&text) {
            assert_eq!(&found, plain, "{text} on {label}: {procs} of {:?}", machine.free());
        }
    }
    let slid = told("frame-sliding", machine)?.allocate(&Request { procs }, machine);
    assert!(slid.is_none() || expected[0].is_some(), "frame-sliding on {label}: {procs}");
    if procs == 1 {
        assert_eq!(slid.map(|placement| placement.nodes), expected[0], "frame-sliding on {label}");
    }
    Ok(())
}

#[test]
fn a_free_box_is_found_in_random_histories_of_larger_machines() -> Tested {
    for text in ["32x32", "20x13", "70x3", "8x7x6", "5x5x4"] {
        let mesh: Mesh = text.parse()?;
        let mut numbers = Numbers(41);
        let mut specs: Vec<&str> = RECOGNISE.iter().map(|(text, _)| *text).collect();
        specs.push("qna-scan");
        for spec in specs {
            let turn = !matches!(spec, "first-fit" | "best-fit" | "rbs");
            let (mut allocator, _) = build(&spec.parse()?, &Setup { mesh: &mesh, seed: 0 })?;
            let mut machine = Machine::new(mesh.clone());
            let mut held: Vec<Placement> = Vec::new();
            for _ in 0..300 {
                if !held.is_empty() && numbers.below(mesh.nodes()) >= machine.free_count() {
                    let placement = held.swap_remove(numbers.below(held.len() as u32) as usize);
                    machine.vacate(&placement.nodes);
                    allocator.released(&placement, &machine);
                    continue;
                }
                let procs = 1 + numbers.below(mesh.nodes() / 6);
                let plain = first_free(&machine, procs, turn);
                let found = allocator.allocate(&Request { procs }, &machine);
                assert_eq!(found.is_some(), plain.is_some(), "{spec} on {text}: {procs}");
                if matches!(spec, "adaptive-scan" | "qna-scan") || spec.starts_with("first-fit") {
                    assert_eq!(
                        found.as_ref().map(|placement| &placement.nodes),
                        plain.as_ref(),
                        "{spec} on {text}"
                    );
                }
                if let Some(placement) = found {
                    machine.occupy(&placement.nodes)?;
                    held.push(placement);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn contiguous_placements_are_boxes_of_the_shape() -> Tested {
    for text in MACHINES {
        let mesh: Mesh = text.parse()?;
        for entry in ALLOCATORS.iter().filter(|entry| entry.kind == Kind::Contiguous && entry.serves(&mesh)) {
            for procs in 1..=mesh.nodes() {
                let (mut allocator, _) = build(&entry.name.parse()?, &Setup { mesh: &mesh, seed: 0 })?;
                let idle = Machine::new(mesh.clone());
                let nodes = allocator.allocate(&Request { procs }, &idle).ok_or("refused")?.nodes;
                let (first, last) = (mesh.coord(nodes[0]), mesh.coord(nodes[nodes.len() - 1]));
                let sizes = [0, 1, 2].map(|d| last[d] + 1 - first[d]);
                assert_eq!(nodes, box_nodes(&mesh, first, sizes), "{} on {text}: {procs}", entry.name);
                let mut expected = near_square(procs, &mesh).ok_or("no shape")?;
                let mut sorted = sizes;
                expected.sort_unstable();
                sorted.sort_unstable();
                assert_eq!(sorted, expected, "{} on {text}: {procs}", entry.name);
            }
        }
    }
    Ok(())
}
