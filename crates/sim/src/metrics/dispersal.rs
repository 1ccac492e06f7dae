//! Dispersal: the distances between the nodes of a placement.

use std::sync::Arc;

use super::diameter::Diameter;
use super::rows::NodeRows;
use meshreplay_machine::machine::{Held, Levels, Mesh, NodeId, PLACES, bits_of_word, pairwise_along};

/// The dispersal of a placement of k nodes. On a tree of switches, distances are links, the components are
/// the leaves of the placement, and the box is the smallest group that contains it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dispersal {
    /// Sum of the L1 distances over all k·(k−1)/2 unordered pairs of nodes, in hops. 0 for a single node.
    pub pairwise_sum: u64,
    /// Largest L1 distance between two nodes, in hops. 0 for a single node.
    pub diameter: u32,
    /// Connected components of the nodes in the graph of the machine.
    pub components: u32,
    /// Nodes of the smallest submesh that contains the placement. The submesh may wrap as the machine does.
    pub bounding_box: u32,
    /// Nodes, k.
    pub nodes: u32,
}

impl Dispersal {
    /// Returns the mean L1 distance between two nodes in hops, 2·sum / (k·(k−1)), or 0 for fewer than two
    /// nodes.
    pub fn pairwise_mean(&self) -> f64 {
        let nodes = f64::from(self.nodes);
        if self.nodes < 2 { 0.0 } else { 2.0 * self.pairwise_sum as f64 / (nodes * (nodes - 1.0)) }
    }
}

/// Measures the dispersal of placements on one machine. Memory is reused between calls.
///
/// The sum of L1 distances is a sum over dimensions. Along one dimension only the number of nodes at each
/// position matters: the distance of a pair is the number of cuts between neighbouring positions that
/// separate it. So a placement of k nodes in r runs along x costs O(k + r + W + L + D) on a machine of width
/// W, length L and depth D, and never O(k²).
#[derive(Debug)]
pub struct Meter {
    mesh: Mesh,
    rows: NodeRows,
    diameter: Diameter,
    cache: DispersalCache,
}

impl Meter {
    /// Creates a meter for placements on `mesh`.
    pub fn new(mesh: &Mesh) -> Self {
        let (rows, diameter) = (NodeRows::new(mesh), Diameter::new(mesh));
        Self { mesh: mesh.clone(), rows, diameter, cache: DispersalCache::default() }
    }

    /// Returns the dispersal of `nodes`, which must be distinct.
    pub fn measure(&mut self, nodes: &[NodeId]) -> Dispersal {
        self.measure_held(&Held::of(nodes))
    }

    /// Returns the dispersal of a placement given as masks, of distinct nodes.
    pub fn measure_held(&mut self, held: &Arc<Held>) -> Dispersal {
        let k = held.nodes();
        if k < 2 {
            return Dispersal { components: k, bounding_box: k, nodes: k, ..Dispersal::default() };
        }
        if let Some(known) = self.cache.get(held) {
            return known;
        }
        let measured = self.compute(k, held);
        self.cache.insert(held, measured);
        measured
    }

    /// Computes the dispersal of a placement of `k` nodes, at least two, without the cache.
    fn compute(&mut self, k: u32, held: &Held) -> Dispersal {
        if let Some(levels) = self.mesh.levels() {
            return on_tree(levels, k, held);
        }
        self.rows.load(held);
        let (wraps, extents) = (self.mesh.wrap(), self.mesh.extents());
        let mut pairwise_sum = 0;
        let mut arcs = [(0, 1); 3];
        for (d, arc_along) in arcs.iter_mut().enumerate() {
            let counts = self.rows.counts(d);
            pairwise_sum = u64::saturating_add(pairwise_sum, pairwise_along(counts, k, wraps[d]));
            *arc_along = if wraps[d] { arc(counts) } else { span(counts) };
        }
        let bounding_box = arcs.iter().map(|(_, length)| length).product();
        let diameter = if self.mesh.wraps_any() {
            self.diameter.measure(&self.rows, arcs)
        } else {
            self.rows.mesh_diameter()
        };
        let components = self.rows.components(extents, wraps);
        Dispersal { pairwise_sum, diameter, components, bounding_box, nodes: k }
    }
}

/// Returns the dispersal of a placement of `k` nodes, at least two, on a tree of switches. O(k · height).
fn on_tree(levels: &Levels, k: u32, held: &Held) -> Dispersal {
    let mut nodes: Vec<NodeId> = held
        .words()
        .flat_map(|(word, bits)| bits_of_word(bits).map(move |bit| word as NodeId * u64::BITS + bit))
        .collect();
    // Words have the order of the placement.
    nodes.sort_unstable();
    let height = levels.meet(nodes[0], nodes[nodes.len() - 1]);
    Dispersal {
        pairwise_sum: levels.pairwise_sum(&nodes),
        diameter: 2 * height,
        components: levels.groups(&nodes, 1),
        bounding_box: levels.sizes()[height as usize - 1],
        nodes: k,
    }
}

/// Returns the first filled position and the number of positions up to the last one, or zeros if there are
/// none.
fn span(counts: &[u32]) -> (u32, u32) {
    let has_nodes = |&count: &u32| count > 0;
    match (counts.iter().position(has_nodes), counts.iter().rposition(has_nodes)) {
        (Some(first), Some(last)) => (first as u32, (last - first + 1) as u32),
        _ => (0, 0),
    }
}

/// Returns the first position and the length of a shortest arc of a ring that contains all nodes, or zeros if
/// there are none. The arc is the complement of a longest run of empty positions.
fn arc(counts: &[u32]) -> (u32, u32) {
    let n = counts.len();
    let is_filled = |&count: &u32| count > 0;
    let Some(first) = counts.iter().position(is_filled) else { return (0, 0) };
    let (mut start, mut longest, mut last) = (first, 0, first);
    for (i, _) in counts.iter().enumerate().skip(first + 1).filter(|(_, count)| is_filled(count)) {
        if i - last - 1 > longest {
            (start, longest) = (i, i - last - 1);
        }
        last = i;
    }
    // The run of empty positions across the end of the ring.
    let around = first + n - 1 - last;
    if around > longest {
        (start, longest) = (first, around);
    }
    (start as u32, (n - longest) as u32)
}

/// Recent placements with their dispersal.
#[derive(Debug, Default)]
struct DispersalCache {
    /// By slot of the machine's cache of placements. Empty before the first placement.
    places: Vec<Option<(Arc<Held>, Dispersal)>>,
}

impl DispersalCache {
    /// Returns the cached dispersal of a placement. Masks in the cache are unique to their placement, so
    /// comparing pointers is enough.
    fn get(&self, held: &Arc<Held>) -> Option<Dispersal> {
        let (known, dispersal) = self.places.get(held.place()?)?.as_ref()?;
        Arc::ptr_eq(known, held).then_some(*dispersal)
    }

    /// Caches the dispersal of a placement.
    fn insert(&mut self, held: &Arc<Held>, dispersal: Dispersal) {
        let Some(place) = held.place() else { return };
        if self.places.is_empty() {
            self.places.resize_with(PLACES, Default::default);
        }
        self.places[place] = Some((Arc::clone(held), dispersal));
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use meshreplay_machine::machine::RecentlyHeld;

    /// Computes the dispersal directly from its definitions, in O(k²).
    fn naive(mesh: &Mesh, nodes: &[NodeId]) -> Dispersal {
        let coords: Vec<_> = nodes.iter().map(|&node| mesh.coord(node)).collect();
        let (mut pairwise_sum, mut diameter) = (0, 0);
        let mut component: Vec<usize> = (0..coords.len()).collect();
        for i in 0..coords.len() {
            for j in 0..i {
                let distance = mesh.distance(nodes[i], nodes[j]);
                pairwise_sum += u64::from(distance);
                diameter = diameter.max(distance);
                // Nodes of one leaf are two links apart.
                if distance == 1 + u32::from(mesh.levels().is_some()) {
                    let (from, to) = (component[i], component[j]);
                    component.iter_mut().filter(|c| **c == from).for_each(|c| *c = to);
                }
            }
        }
        component.sort_unstable();
        component.dedup();
        let extent = |d: usize| {
            let n = mesh.extents()[d];
            let starts = if mesh.wraps(d) { 0..n } else { 0..1 };
            let reach = |start: u32| coords.iter().map(|c| (c[d] + n - start) % n + 1).max().unwrap_or(0);
            let least = coords.iter().map(|c| c[d]).min().unwrap_or(0);
            if mesh.wraps(d) { starts.map(reach).min().unwrap_or(0) } else { reach(0) - least }
        };
        let has_all = |&&size: &&u32| nodes.iter().all(|node| node / size == nodes[0] / size);
        let group = |levels: &Levels| [&[1], levels.sizes()].concat().iter().find(has_all).copied();
        Dispersal {
            pairwise_sum,
            diameter,
            components: component.len() as u32,
            bounding_box: mesh
                .levels()
                .map_or(extent(0) * extent(1) * extent(2), |tree| group(tree).unwrap_or(0)),
            nodes: nodes.len() as u32,
        }
    }

    #[test]
    fn every_subset_of_small_machines_is_measured_as_defined() -> Result<(), Box<dyn std::error::Error>> {
        for text in [
            "5",
            "4x3",
            "3x2x2",
            "torus:6",
            "torus:4x3",
            "torus:3x2x2",
            "torus:2x5",
            "1x7",
            "torus:1x7",
            "4x3:wrap=x",
            "4x3:wrap=y",
            "3x2x2:wrap=x",
            "3x2x2:wrap=yz",
            "2x2x3:wrap=xz",
            "tree:3x4",
            "tree:2x3x2",
            "tree:5x1x2",
        ] {
            let mesh: Mesh = text.parse()?;
            let mut meter = Meter::new(&mesh);
            for subset in 1_u32..1 << mesh.nodes() {
                let nodes: Vec<NodeId> = (0..mesh.nodes()).filter(|n| subset >> n & 1 == 1).collect();
                assert_eq!(meter.measure(&nodes), naive(&mesh, &nodes), "{text}: {nodes:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn random_subsets_of_larger_machines_are_measured_as_defined() -> Result<(), Box<dyn std::error::Error>> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for text in [
            "130x3",
            "70",
            "9x8x7",
            "torus:9x8x7",
            "torus:66x4",
            "torus:129",
            "torus:16x16",
            "9x8x7:wrap=xz",
            "9x8x7:wrap=y",
            "66x4:wrap=x",
            "16x15:wrap=y",
            "tree:5x7x10",
        ] {
            let mesh: Mesh = text.parse()?;
            let mut meter = Meter::new(&mesh);
            for _ in 0..60 {
                let (share, offset) = (rng.random_range(0..16), rng.random_range(0..1 << 24));
                let pick =
                    |n: &u32| (u64::from(*n) + offset).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60 <= share;
                let nodes: Vec<NodeId> = (0..mesh.nodes()).rev().filter(pick).collect();
                // The second time the placement is cached, unless it is very small or large.
                for time in ["first", "second"] {
                    assert_eq!(meter.measure(&nodes), naive(&mesh, &nodes), "{text}, {time} time: {nodes:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn means_are_per_pair() {
        let of =
            |pairwise_sum, nodes| Dispersal { pairwise_sum, nodes, ..Dispersal::default() }.pairwise_mean();
        assert!((of(8, 4) - 8.0 / 6.0).abs() < 1e-12);
        assert!(of(0, 1).abs() < 1e-12);
    }

    #[test]
    fn only_the_same_placement_is_known() {
        let (mut cache, mut machine) = (DispersalCache::default(), RecentlyHeld::new(2048));
        let of = |pairwise_sum| Dispersal { pairwise_sum, ..Dispersal::default() };
        let nodes: Vec<NodeId> = (100..140).collect();
        let held = machine.held(&nodes);
        assert_eq!(cache.get(&held), None);
        cache.insert(&held, of(7));
        assert_eq!(cache.get(&machine.held(&nodes)), Some(of(7)));
        // The other placement has the same place.
        let mut other = nodes.clone();
        other[5] = 1000;
        let other = machine.held(&other);
        assert_eq!((other.place(), cache.get(&other)), (held.place(), None));
        cache.insert(&other, of(8));
        assert_eq!((cache.get(&other), cache.get(&held)), (Some(of(8)), None));
        // A placement that the machine does not remember is none here.
        let single = machine.held(&[3]);
        cache.insert(&single, of(9));
        assert_eq!(cache.get(&single), None);
    }
}
