//! Contiguous allocators in every state of small meshes and tori: each takes the same box as an exhaustive
//! search.

use meshreplay_alloc::allocator::{Placement, Request, Served, Setup, Strategy, build};
use meshreplay_base::job::Shape;
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId};

use super::contiguous::{bases, box_nodes, orientations};
use meshreplay_testing::Tested;

/// A box of a machine of at most 32 nodes; sets of nodes are masks of their numbers.
struct Place {
    nodes: Vec<NodeId>,
    mask: u32,
    /// The nodes one step outside, along each dimension.
    border: [u32; 3],
    /// The positions one step outside the machine.
    walls: u32,
    /// What max periphery maximises: 0 away from the machine's border.
    contact: u32,
}

impl Place {
    fn new(mesh: &Mesh, base: Coord, sizes: [u32; 3]) -> Self {
        let nodes = box_nodes(mesh, base, sizes);
        let mask = nodes.iter().fold(0, |mask, node| mask | 1 << node);
        let (mut border, mut walls) = ([0; 3], 0);
        for &node in &nodes {
            for (d, border) in border[..mesh.dims()].iter_mut().enumerate() {
                for up in [false, true] {
                    match neighbour(mesh, node, d, up) {
                        Some(next) => *border |= 1 << next & !mask,
                        None => walls += 1,
                    }
                }
            }
        }
        let touches = |d: usize| !mesh.wraps(d) && (base[d] == 0 || base[d] + sizes[d] == mesh.extents()[d]);
        let face = |d: usize| if touches(d) { nodes.len() as u32 / sizes[d] } else { 1 };
        let contact = if (0..mesh.dims()).any(touches) { (0..mesh.dims()).map(face).sum() } else { 0 };
        Self { nodes, mask, border, walls, contact }
    }

    /// The border positions that are in use or outside the machine.
    fn taken(&self, busy: u32) -> i64 {
        i64::from(self.walls + self.border.iter().map(|border| (border & busy).count_ones()).sum::<u32>())
    }
}

/// The node one step up or down along d, round the end if the dimension wraps around.
fn neighbour(mesh: &Mesh, node: NodeId, d: usize, up: bool) -> Option<NodeId> {
    let (mut at, extent) = (mesh.coord(node), mesh.extents()[d]);
    at[d] = match (at[d], up) {
        (0, false) => mesh.wraps(d).then_some(extent - 1)?,
        (last, true) if last + 1 == extent => mesh.wraps(d).then_some(0)?,
        (middle, _) => {
            if up {
                middle + 1
            } else {
                middle - 1
            }
        }
    };
    Some(mesh.node(at))
}

/// The box that an allocator takes.
#[derive(Clone, Copy, Debug)]
enum Takes {
    /// The first free box in scan order, in the first orientation with a free box.
    First,
    /// Any free box.
    Some,
    /// The first free box with the highest score, in the first orientation with a free box or in all.
    Most(fn(&Place, u32) -> i64, Among),
    /// A free box or a refusal; a single node must be the first free one.
    Maybe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    FirstOrientation,
    All,
}

/// The orientations that an allocator tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tries {
    AsItIs,
    All,
    /// The sorted sides along the sorted dimensions.
    Laid,
    /// A row of the array; for the shape of a row only.
    Row,
}

const BEST: Takes = Takes::Most(Place::taken, Among::FirstOrientation);
const WORST: Takes = Takes::Most(|place, busy| -place.taken(busy), Among::FirstOrientation);

/// What each allocator of boxes tries and takes.
const ALLOCATORS: [(&str, Tries, Takes); 21] = [
    ("first-fit", Tries::AsItIs, Takes::First),
    ("first-fit:turn=yes", Tries::All, Takes::First),
    ("adaptive-scan", Tries::All, Takes::First),
    ("qna-scan", Tries::All, Takes::First),
    ("fixed-orientation", Tries::Laid, Takes::First),
    ("linear-first-fit", Tries::Row, Takes::First),
    ("best-fit", Tries::AsItIs, BEST),
    ("best-fit:turn=yes", Tries::All, BEST),
    ("worst-fit", Tries::AsItIs, WORST),
    ("worst-fit:turn=yes", Tries::All, WORST),
    ("max-periphery", Tries::All, Takes::Most(|place, _| i64::from(place.contact), Among::All)),
    ("busy-list", Tries::All, Takes::Some),
    ("rbs", Tries::AsItIs, Takes::Some),
    ("rbs:turn=yes", Tries::All, Takes::Some),
    ("stack-based", Tries::All, Takes::Some),
    // These take several boxes only if no single box is free.
    ("gabl", Tries::AsItIs, Takes::Some),
    ("gabl:turn=yes", Tries::All, Takes::Some),
    ("qna", Tries::All, Takes::First),
    ("anca", Tries::All, Takes::First),
    ("frame-sliding", Tries::AsItIs, Takes::Maybe),
    ("frame-sliding:turn=yes", Tries::All, Takes::Maybe),
];

/// Dimensions by decreasing length, in a stable order.
fn by_length(lengths: [u32; 3]) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by_key(|&d| std::cmp::Reverse(lengths[d]));
    order
}

/// The boxes of one shape, by orientation.
struct Boxes {
    shape: [u32; 3],
    /// The boxes of each orientation in scan order, the requested orientation first if it fits.
    turned: Vec<Vec<Place>>,
    as_it_is: Vec<Vec<Place>>,
    laid: Vec<Vec<Place>>,
}

impl Boxes {
    fn new(mesh: &Mesh, shape: [u32; 3]) -> Self {
        let of = |sizes: [u32; 3]| -> Vec<Place> {
            bases(mesh, sizes).map(|base| Place::new(mesh, base, sizes)).collect()
        };
        let all = |orientations: Vec<[u32; 3]>| orientations.into_iter().map(of).collect();
        let mut laid = [1; 3];
        for (d, side) in by_length(mesh.extents()).into_iter().zip(by_length(shape)) {
            laid[d] = shape[side];
        }
        Self {
            shape,
            turned: all(orientations(shape, mesh, true)),
            as_it_is: all(orientations(shape, mesh, false)),
            laid: all(orientations(laid, mesh, false)),
        }
    }

    fn of(&self, tries: Tries) -> &[Vec<Place>] {
        match tries {
            Tries::All => &self.turned,
            Tries::AsItIs | Tries::Row => &self.as_it_is,
            Tries::Laid => &self.laid,
        }
    }
}

/// The place that an allocator should take among free ones; `None` if there is none.
fn expected<'a>(orientations: &'a [Vec<Place>], takes: Takes, busy: u32) -> Option<&'a Place> {
    let free = |places: &'a Vec<Place>| places.iter().filter(move |place| place.mask & busy == 0);
    let Takes::Most(score, among) = takes else {
        return orientations.iter().find_map(|places| free(places).next());
    };
    let mut best: Option<&Place> = None;
    for places in orientations {
        for place in free(places) {
            if best.is_none_or(|best| score(place, busy) > score(best, busy)) {
                best = Some(place);
            }
        }
        if among == Among::FirstOrientation && best.is_some() {
            break;
        }
    }
    best
}

/// One request to one allocator.
fn check(
    machine: &Machine,
    boxes: &Boxes,
    (text, tries, takes): (&str, Tries, Takes),
    member: &mut Strategy,
) {
    let (mesh, shape) = (machine.mesh(), boxes.shape);
    let busy = (0..mesh.nodes())
        .filter(|&node| !machine.free().contains(node))
        .fold(0, |busy, node| busy | 1 << node);
    let orientations = boxes.of(tries);
    let expected = expected(orientations, takes, busy);
    let request = match tries {
        Tries::Row => Request { shape: Shape::Row, ..Request::of(shape.iter().product()) },
        _ => Request::sides(shape),
    };
    let found = member.propose(&request, machine).map(|placement| placement.nodes);
    let label = || format!("{text} on {mesh}: {shape:?} beside {busy:b}: {found:?}");
    let mask = |nodes: &[NodeId]| nodes.iter().fold(0_u32, |mask, node| mask | 1 << node);
    let is_a_place = |nodes: &[NodeId]| {
        orientations.iter().flatten().any(|place| place.mask & busy == 0 && place.nodes == nodes)
    };
    match (takes, expected, &found) {
        (Takes::First | Takes::Most(..), Some(place), Some(nodes)) => {
            // Fixed orientation has the node order of the job before its rotation, so only sets are compared.
            let same = if tries == Tries::Laid { mask(nodes) == place.mask } else { *nodes == place.nodes };
            assert!(same, "{}", label());
        }
        (Takes::Some, Some(_), Some(nodes)) => assert!(is_a_place(nodes), "{}", label()),
        (Takes::Maybe, place, Some(nodes)) => {
            assert!(is_a_place(nodes) && place.is_some(), "{}", label());
            assert!(shape != [1; 3] || place.is_some_and(|place| place.nodes == *nodes), "{}", label());
        }
        (Takes::Maybe, ..) => {
            assert!(found.is_none() && (shape != [1; 3] || expected.is_none()), "{}", label());
        }
        // If no box is free, some allocators give several boxes.
        (_, None, Some(_)) => {
            assert!(["gabl", "gabl:turn=yes", "qna", "anca"].contains(&text), "{}", label());
        }
        (_, place, _) => assert!(place.is_none(), "{}", label()),
    }
    if let Served::BySubmesh(submeshes) = member.served {
        let sizes = (submeshes.sizes)(&request, mesh);
        assert!(
            found.is_some()
                == sizes.iter().any(|&sizes| {
                    bases(mesh, sizes).any(|base| mask(&box_nodes(mesh, base, sizes)) & busy == 0)
                }),
            "{}",
            label()
        );
    }
}

/// Every shape of sides up to the machine's longest, which fit in some orientation or in none.
fn shapes(mesh: &Mesh) -> Vec<[u32; 3]> {
    let longest = mesh.extents().into_iter().max().unwrap_or(1);
    let most = |d: usize| if mesh.dims() > d { longest } else { 1 };
    let shapes =
        (1..=most(2)).flat_map(|c| (1..=most(1)).flat_map(move |b| (1..=longest).map(move |a| [a, b, c])));
    // All shapes with more nodes than the machine behave alike.
    shapes.filter(|shape| shape.iter().product::<u32>() <= mesh.nodes()).collect()
}

/// Every state of a machine, every shape, every allocator.
fn check_machine(text: &str) -> Tested {
    let mesh: Mesh = text.parse()?;
    let mut members = Vec::new();
    for row in ALLOCATORS {
        if row.1 != Tries::Row || mesh.dims() == 1 {
            members.push((row, build(&row.0.parse()?, &Setup::new(&mesh, 0))?.strategy));
        }
    }
    let boxes: Vec<Boxes> = shapes(&mesh).into_iter().map(|shape| Boxes::new(&mesh, shape)).collect();
    for busy in 0_u32..1 << mesh.nodes() {
        let nodes: Vec<u32> = (0..mesh.nodes()).filter(|node| busy >> node & 1 == 1).collect();
        let mut machine = Machine::new(mesh.clone());
        machine.occupy(&nodes)?;
        // These nodes are reported to the allocators as the choice of another holder.
        let held = Placement::of(nodes);
        for (row, member) in &mut members {
            member.taken(&held, &machine);
            for boxes in &boxes {
                check(&machine, boxes, *row, member);
            }
            member.released(&held, &machine);
        }
    }
    Ok(())
}

#[test]
fn the_box_is_found_in_every_state_of_meshes() -> Tested {
    // Every mesh up to 4×3, and others.
    let flat = (1..=4).flat_map(|width| (1..=3).map(move |length| format!("{width}x{length}")));
    for text in flat.chain(["7", "3x4", "2x2x2", "3x2x2", "2x2x3"].map(str::to_owned)) {
        check_machine(&text)?;
    }
    Ok(())
}

#[test]
fn the_box_is_found_in_every_state_of_tori() -> Tested {
    for sizes in ["7", "2x3", "3x3", "4x3", "2x2x3"] {
        let dims = sizes.split('x').count();
        for wraps in 1..1 << dims {
            let axes: String =
                (0..dims).filter(|d| wraps >> d & 1 == 1).map(|d| ["x", "y", "z"][d]).collect();
            check_machine(&format!("{sizes}:wrap={axes}"))?;
        }
    }
    Ok(())
}
