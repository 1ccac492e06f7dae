//! Task mapping: which node of a placement runs which process of its job.
//!
//! V. J. Leung, D. P. Bunde, J. Ebbers, S. P. Feer, N. W. Price, Z. D. Rhodes, M. Swank, "Task mapping
//! stencil computations for non-contiguous allocations", `PPoPP` 2014 (a poster at SC 2013), compare mappings
//! on jobs in pieces, with a run time that differs by up to 28 %. The rules for ties are choices of this
//! program.
//!
//! * `nodes`: process i runs on the i-th node in a row-major scan of the machine.
//! * `curve`: process i runs on the i-th node along the machine's Hilbert curve.
//! * `rcb`: recursive coordinate bisection. The nodes are cut in two where their bounding box is longest, the
//!   processes where their grid is longest, and the lower half of the processes goes to the lower half of
//!   the nodes; each half is cut on. On a tie the box or the grid is cut along x before y before z, and the
//!   lower half gets the odd one. The grid of near-neighbour and transpose is that of the job; other patterns
//!   have a line. Wraparound links are not considered. O(k · log² k) for k nodes.

use super::pattern::{Pattern, Processes};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::order::{ORDERS, Order};
use meshreplay_machine::machine::{Mesh, NodeId};

/// The curve of `curve`.
const CURVE: &str = "hilbert";

/// A rule that maps processes to nodes.
#[derive(Clone, Debug)]
pub(super) enum Mapping {
    /// In the order of node numbers.
    Nodes,
    /// In the order of a curve.
    Curve(Order),
    /// By recursive coordinate bisection.
    Bisection,
}

/// Builds a rule for a machine; `None` if the machine does not have it.
type Build = fn(&Mesh) -> Option<Mapping>;

/// The rules by name, the default first.
const RULES: &[(&str, Build)] = &[
    ("nodes", |_| Some(Mapping::Nodes)),
    ("curve", |mesh| {
        let order = ORDERS.iter().find(|order| order.name == CURVE)?;
        order.build(mesh).ok().map(Mapping::Curve)
    }),
    ("rcb", |_| Some(Mapping::Bisection)),
];

impl Mapping {
    /// Takes the parameter `mapping`. Fails if its value is unknown, or if the machine has no Hilbert curve.
    pub(super) fn take(params: &mut Params, mesh: &Mesh) -> Result<Self, SpecError> {
        let build = params.choose_unwritten("mapping", RULES)?;
        let has_none = || params.bad_value("mapping", "curve", "a machine with a Hilbert curve, or rcb");
        build(mesh).ok_or_else(has_none)
    }

    /// Returns the node of each process, by rank. If a job has more nodes than processes, the first ones in
    /// the order of the rule are taken; those of a bisection are the first in a row-major scan.
    pub(super) fn nodes(
        &self,
        mesh: &Mesh,
        placed: &[NodeId],
        processes: &Processes,
        pattern: Pattern,
    ) -> Vec<NodeId> {
        let mut nodes = placed.to_vec();
        // Node numbers ascend in a row-major scan of the machine.
        nodes.sort_unstable();
        match self {
            Self::Nodes => {}
            Self::Curve(order) => nodes.sort_unstable_by_key(|&node| order.rank_of(node)),
            Self::Bisection => {
                nodes.truncate(processes.count as usize);
                let is_grid = matches!(pattern, Pattern::NearNeighbour | Pattern::Transpose);
                let at = |rank: u32| if is_grid { processes.position(rank) } else { [rank, 0, 0] };
                let mut points: Vec<Point> = nodes.iter().map(|&node| (mesh.coord(node), node)).collect();
                let mut ranks: Vec<Point> = (0..processes.count).map(|rank| (at(rank), rank)).collect();
                bisect(&mut points, &mut ranks);
                for (point, rank) in points.iter().zip(&ranks) {
                    nodes[rank.1 as usize] = point.1;
                }
            }
        }
        nodes
    }
}

/// A node or a process with its coordinates.
type Point = ([u32; 3], u32);

/// Puts places and ranks, which are equally many, into the same order: each process then stands where its
/// node does.
fn bisect(places: &mut [Point], ranks: &mut [Point]) {
    if places.len() < 2 || places.len() != ranks.len() {
        return;
    }
    let half = places.len().div_ceil(2);
    for points in [&mut *places, &mut *ranks] {
        let d = longest(points);
        points.sort_unstable_by_key(|(at, number)| (at[d], *number));
    }
    let ((low, high), (first, last)) = (places.split_at_mut(half), ranks.split_at_mut(half));
    bisect(low, first);
    bisect(high, last);
}

/// Returns the dimension in which points extend farthest, the first of equals.
fn longest(points: &[Point]) -> usize {
    let extent = |d: usize| {
        let along = || points.iter().map(|(at, _)| at[d]);
        along().max().unwrap_or(0) - along().min().unwrap_or(0)
    };
    (0..3).rev().max_by_key(|&d| extent(d)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::job::Shape;
    use meshreplay_base::spec::Spec;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    fn mapping(name: &str, mesh: &Mesh) -> Result<Mapping, SpecError> {
        Mapping::take(&mut Params::new(&Spec::named("wormhole").with("mapping", name)), mesh)
    }

    /// Returns the nodes of a job with these sides, in the order of its processes.
    fn mapped(name: &str, mesh: &Mesh, placed: &[NodeId], sides: [u32; 3]) -> Result<Vec<NodeId>, SpecError> {
        let processes = Processes::new(sides.iter().product(), Shape::Sides(sides), 0);
        Ok(mapping(name, mesh)?.nodes(mesh, placed, &processes, Pattern::NearNeighbour))
    }

    /// Returns the hops between neighbours of the grid of a job.
    fn hops(mesh: &Mesh, nodes: &[NodeId], sides: [u32; 3]) -> u32 {
        let processes = Processes::new(nodes.len() as u32, Shape::Sides(sides), 0);
        let targets = |rank| {
            let count = Pattern::NearNeighbour.messages(&processes, rank);
            (0..count).map(move |i| Pattern::NearNeighbour.target(&processes, rank, i, 0))
        };
        let pairs = (0..nodes.len() as u32).flat_map(|rank| targets(rank).map(move |to| (rank, to)));
        pairs.map(|(a, b)| mesh.distance(nodes[a as usize], nodes[b as usize])).sum()
    }

    #[test]
    fn a_job_on_its_own_submesh_is_mapped_alike_by_nodes_and_by_bisection() -> Tested {
        let mesh: Mesh = "8x8".parse()?;
        let placed: Vec<NodeId> = (0..4).flat_map(|y| (0..4).map(move |x| y * 8 + x)).collect();
        assert_eq!(mapped("rcb", &mesh, &placed, [4, 4, 1])?, mapped("nodes", &mesh, &placed, [4, 4, 1])?);
        Ok(())
    }

    #[test]
    fn every_mapping_uses_every_node_once_and_a_square_on_a_strip_is_mapped_block_by_block() -> Tested {
        let mesh: Mesh = "8x2".parse()?;
        let strip: Vec<NodeId> = (0..16).collect();
        for (name, expected) in [("nodes", Some(2 * (12 + 16 + 20 + 16))), ("rcb", Some(80)), ("curve", None)]
        {
            let nodes = mapped(name, &mesh, &strip, [4, 4, 1])?;
            // By nodes, neighbours along x are 1 hop apart, and rows of the grid 4 or 5. By bisection,
            // squares of 2×2 processes are squares of nodes, and pairs between squares are 3 hops apart.
            let hops = hops(&mesh, &nodes, [4, 4, 1]);
            assert!(expected.is_none_or(|expected| hops == expected), "{name}: {hops}");
            let mut sorted = nodes;
            sorted.sort_unstable();
            assert_eq!(sorted, strip);
        }
        Ok(())
    }

    #[test]
    fn a_machine_without_the_curve_is_refused_with_what_helps() -> Tested {
        assert!(mapping("curve", &"3x5".parse()?).is_ok());
        let error = mapping("snake", &"4x4".parse()?).expect_err("no such mapping").to_string();
        assert!(error.contains("nodes, curve, rcb"), "{error}");
        Ok(())
    }
}
