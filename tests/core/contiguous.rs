//! Contiguous allocators: what they return, what they recognise, and which of them are the same.

use meshreplay::allocator::{ALLOCATORS, Contiguity, Placement, Request, Served, Setup, Strategy, build};
use meshreplay::machine::{Coord, Machine, Mesh, NodeId, Submesh, near_square};

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
fn first_free(machine: &Machine, shape: [u32; 3], turn: bool) -> Option<Vec<NodeId>> {
    let mesh = machine.mesh();
    let [width, length, depth] = mesh.extents();
    for sizes in orientations(shape, mesh, turn) {
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
    shape: [u32; 3],
    (turn, one_by_one): (bool, bool),
    score: impl Fn(Coord, [u32; 3]) -> i64,
) -> Option<Vec<NodeId>> {
    let mesh = machine.mesh();
    let mut best: Option<(i64, Vec<NodeId>)> = None;
    for sizes in orientations(shape, mesh, turn) {
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
fn check_scores(machine: &Machine, shape: [u32; 3], label: &str) -> Tested {
    let border = |base, sizes| taken_border(machine, base, sizes);
    for (text, expected) in [
        ("best-fit", highest(machine, shape, (false, true), border)),
        ("best-fit:turn=yes", highest(machine, shape, (true, true), border)),
        ("worst-fit", highest(machine, shape, (false, true), |base, sizes| -border(base, sizes))),
        (
            "max-periphery",
            highest(machine, shape, (true, false), |base, sizes| contact(machine.mesh(), base, sizes)),
        ),
    ] {
        let found =
            told(text, machine)?.propose(&Request::sides(shape), machine).map(|placement| placement.nodes);
        assert_eq!(found, expected, "{text} on {label}: {shape:?} of {:?}", machine.free());
    }
    Ok(())
}

/// The allocator `text`, told that the nodes in use were chosen by somebody else.
fn told(text: &str, machine: &Machine) -> Result<Strategy, Box<dyn std::error::Error>> {
    let mesh = machine.mesh();
    let mut allocator = build(&text.parse()?, &Setup { mesh, seed: 0 })?.strategy;
    let nodes = (0..mesh.nodes()).filter(|&node| !machine.free().contains(node)).collect();
    allocator.taken(&Placement::of(nodes), machine);
    Ok(allocator)
}

#[test]
fn a_free_box_is_found_in_every_state_in_which_there_is_one() -> Tested {
    // Every mesh up to 4×3, and others.
    let flat = (1..=4).flat_map(|width| (1..=3).map(move |length| format!("{width}x{length}")));
    for text in flat.chain(["7", "3x4", "2x2x2", "3x2x2", "2x2x3"].map(str::to_owned)) {
        let text = text.as_str();
        let mesh: Mesh = text.parse()?;
        let shapes = shapes(&mesh);
        for busy in 0_u32..1 << mesh.nodes() {
            let nodes: Vec<u32> = (0..mesh.nodes()).filter(|node| busy >> node & 1 == 1).collect();
            let mut machine = Machine::new(mesh.clone());
            machine.occupy(&nodes)?;
            for &shape in &shapes {
                check(&machine, shape, text)?;
                check_scores(&machine, shape, text)?;
            }
        }
    }
    Ok(())
}

/// Whether each allocator recognises a free box for one request, and takes the same as first fit where it should.
fn check(machine: &Machine, shape: [u32; 3], label: &str) -> Tested {
    let expected = [false, true].map(|turn| first_free(machine, shape, turn));
    for (text, turn) in RECOGNISE.into_iter().chain([("qna-scan", true)]) {
        let found =
            told(text, machine)?.propose(&Request::sides(shape), machine).map(|placement| placement.nodes);
        let plain = &expected[usize::from(turn)];
        assert_eq!(found.is_some(), plain.is_some(), "{text} on {label}: {shape:?} of {:?}", machine.free());
        if text.starts_with("first-fit") || ["adaptive-scan", "qna-scan"].contains(&text) {
            assert_eq!(&found, plain, "{text} on {label}: {shape:?} of {:?}", machine.free());
        }
    }
    for (text, _) in
        RECOGNISE.into_iter().chain([("qna-scan", true), ("worst-fit", true), ("fixed-orientation", true)])
    {
        check_boxes(text, machine, shape)?;
    }
    // Fixed orientation is first fit of the sorted sides along the sorted dimensions.
    let mut laid = [1; 3];
    for (d, side) in by_length(machine.mesh().extents()).into_iter().zip(by_length(shape)) {
        laid[d] = shape[side];
    }
    let fixed = told("fixed-orientation", machine)?.propose(&Request::sides(shape), machine);
    let mut fixed = fixed.map(|placement| placement.nodes);
    if let Some(nodes) = &mut fixed {
        nodes.sort_unstable();
    }
    let mut plain = first_free(machine, laid, false);
    if let Some(nodes) = &mut plain {
        nodes.sort_unstable();
    }
    assert_eq!(fixed, plain, "fixed-orientation on {label}: {shape:?} of {:?}", machine.free());
    let slid = told("frame-sliding", machine)?.propose(&Request::sides(shape), machine);
    assert!(slid.is_none() || expected[0].is_some(), "frame-sliding on {label}: {shape:?}");
    if shape == [1; 3] {
        assert_eq!(slid.map(|placement| placement.nodes), expected[0], "frame-sliding on {label}");
    }
    Ok(())
}

/// Whether an allocator places a job as one of the boxes that it names, wherever one of them is free.
fn check_boxes(text: &str, machine: &Machine, shape: [u32; 3]) -> Tested {
    let mut allocator = told(text, machine)?;
    let request = Request::sides(shape);
    let Served::BySubmesh(submeshes) = allocator.served else { return Err("it names no submeshes".into()) };
    let boxes = (submeshes.sizes)(&request, machine.mesh());
    let place = allocator.propose(&request, machine);
    let place = place.and_then(|placement| Submesh::around(machine.mesh(), &placement.nodes));
    let free = boxes.iter().any(|&sizes| first_free(machine, sizes, false).is_some());
    let label = || format!("{text} on {}: {shape:?} of {:?}", machine.mesh(), machine.free());
    assert_eq!(place.is_some(), free, "{}", label());
    assert!(place.is_none_or(|place| boxes.contains(&place.sizes)), "{}", label());
    Ok(())
}

/// Positions by falling length, the first of equals first.
fn by_length(lengths: [u32; 3]) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by_key(|&d| std::cmp::Reverse(lengths[d]));
    order
}

/// Every shape of sides up to the machine's longest, which fit in some orientation or in none.
fn shapes(mesh: &Mesh) -> Vec<[u32; 3]> {
    let longest = mesh.extents().into_iter().max().unwrap_or(1);
    let deepest = if mesh.dims() > 2 { longest } else { 1 };
    let mut shapes = Vec::new();
    for c in 1..=deepest {
        for b in 1..=if mesh.dims() > 1 { longest } else { 1 } {
            shapes.extend((1..=longest).map(|a| [a, b, c]));
        }
    }
    shapes
}

/// How many random states are tried; two requests in each.
const STATES: usize = 100_000;

/// A random machine and one allocator of each kind, which all follow the same jobs.
struct Crowd {
    machine: Machine,
    members: Vec<(&'static str, bool, Strategy)>,
    held: Vec<Placement>,
}

impl Crowd {
    fn new(mesh: &Mesh) -> Result<Self, Box<dyn std::error::Error>> {
        let mut members = Vec::new();
        for (text, turn) in RECOGNISE.into_iter().chain([("qna-scan", true)]) {
            members.push((text, turn, build(&text.parse()?, &Setup { mesh, seed: 0 })?.strategy));
        }
        Ok(Self { machine: Machine::new(mesh.clone()), members, held: Vec::new() })
    }

    /// Asks everybody; then all are told of what `chosen` chose.
    fn ask(&mut self, shape: [u32; 3], chosen: usize) -> Tested {
        let expected = [false, true].map(|turn| first_free(&self.machine, shape, turn));
        let mut taken = None;
        for (i, (text, turn, member)) in self.members.iter_mut().enumerate() {
            let found = member.propose(&Request::sides(shape), &self.machine);
            let plain = &expected[usize::from(*turn)];
            let state = || format!("{text}: {shape:?} on {}", self.machine.mesh());
            assert_eq!(found.is_some(), plain.is_some(), "{}", state());
            if let Some(placement) = found {
                if text.starts_with("first-fit") || ["adaptive-scan", "qna-scan"].contains(text) {
                    assert_eq!(Some(&placement.nodes), plain.as_ref(), "{}", state());
                }
                if i == chosen {
                    taken = Some(placement);
                }
            }
        }
        if let Some(placement) = taken {
            self.machine.occupy(&placement.nodes)?;
            for (.., member) in &mut self.members {
                member.taken(&placement, &self.machine);
            }
            self.held.push(placement);
        }
        Ok(())
    }

    fn release(&mut self, i: usize) {
        let placement = self.held.swap_remove(i);
        self.machine.vacate(&placement.nodes);
        for (.., member) in &mut self.members {
            member.released(&placement, &self.machine);
        }
    }
}

#[test]
fn a_free_box_is_found_in_random_states_of_larger_machines() -> Tested {
    let mut numbers = Numbers(41);
    let mut states = 0;
    while states < STATES {
        let extents = match numbers.below(5) {
            0 => vec![2 + numbers.below(7), 2 + numbers.below(7), 2 + numbers.below(7)],
            1 => vec![65 + numbers.below(9), 1 + numbers.below(4)],
            _ => vec![1 + numbers.below(32), 1 + numbers.below(32)],
        };
        let mesh = Mesh::new(&extents)?;
        let mut crowd = Crowd::new(&mesh)?;
        // From machines that a few jobs fill to machines with hundreds of small ones.
        let part = 1 + numbers.below(6);
        for _ in 0..500 {
            let free = crowd.machine.free_count();
            if !crowd.held.is_empty() && numbers.below(mesh.nodes() + 1) >= free {
                let i = numbers.below(crowd.held.len() as u32) as usize;
                crowd.release(i);
            }
            let shape = mesh.extents().map(|extent| 1 + numbers.below(extent.div_ceil(part)));
            let chosen = numbers.below(crowd.members.len() as u32) as usize;
            crowd.ask(shape, chosen)?;
            states += 1;
        }
    }
    Ok(())
}

#[test]
fn contiguous_placements_are_boxes_of_the_shape() -> Tested {
    for text in MACHINES {
        let mesh: Mesh = text.parse()?;
        for entry in
            ALLOCATORS.iter().filter(|entry| entry.kind == Contiguity::Contiguous && entry.serves(&mesh))
        {
            for procs in 1..=mesh.nodes() {
                let mut allocator = build(&entry.name.parse()?, &Setup { mesh: &mesh, seed: 0 })?.strategy;
                let idle = Machine::new(mesh.clone());
                let shape = near_square(procs, &mesh).ok_or("no shape")?;
                let label = format!("{} on {text}: {procs} as {shape:?}", entry.name);
                // Its boxes are those of its topology, whatever shape a job asks for.
                let is_any_box = entry.name == "slurm-torus3d";
                let Some(placement) = allocator.propose(&Request::of(procs), &idle) else {
                    let is_large = entry.name == "buddy-2d" && larger_than_every_block(shape, &mesh);
                    assert!(is_large || is_any_box, "{label}");
                    continue;
                };
                let mut nodes = placement.nodes;
                nodes.sort_unstable();
                let (first, last) = (mesh.coord(nodes[0]), mesh.coord(nodes[nodes.len() - 1]));
                let sizes = [0, 1, 2].map(|d| last[d] + 1 - first[d]);
                assert_eq!(nodes, box_nodes(&mesh, first, sizes), "{label}");
                let mut expected = shape;
                if entry.name == "buddy-2d" {
                    let side = shape.into_iter().max().unwrap_or(1).next_power_of_two();
                    expected = [0, 1, 2].map(|d| if d < mesh.dims() { side } else { 1 });
                }
                let mut sorted = sizes;
                expected.sort_unstable();
                sorted.sort_unstable();
                assert!(is_any_box || sorted == expected, "{label}: {sizes:?}");
            }
        }
    }
    Ok(())
}

/// Whether the square of a power of two that holds a shape is larger than the machine's shortest dimension.
fn larger_than_every_block(shape: [u32; 3], mesh: &Mesh) -> bool {
    let extents = mesh.extents();
    let shortest = extents[..mesh.dims().max(2)].iter().copied().min().unwrap_or(1);
    shape.into_iter().max().is_some_and(|side| side.next_power_of_two() > shortest)
}
