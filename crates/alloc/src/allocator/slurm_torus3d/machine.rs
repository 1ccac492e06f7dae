//! The mapping of the toruses of a topology to the machine of a replay.

use super::choice::Cluster;
use super::topology_file::TorusText;
use super::torus::{Torus, powers_of_two};
use meshreplay_machine::machine::{Mesh, NodeId, intervals};

/// Returns the cluster of a topology that has a placement for each box whose sides are powers of two, at the
/// multiples of its sides. Boxes wrap around where the machine does.
pub(super) fn default_cluster(mesh: &Mesh) -> Cluster {
    let dims = mesh.extents();
    let nodes = (0..mesh.nodes()).map(Some).collect();
    Cluster::new(vec![Torus::new(dims, nodes, powers_of_two(dims), mesh.wrap())])
}

/// A cluster and the names of its nodes.
pub(super) type Named = (Cluster, Vec<(NodeId, String)>);

/// Returns the cluster of the toruses of a file, with the names of the machine's nodes. Fails, in words, if
/// the machine is not the one of the file.
///
/// A single torus is the machine `torus:XxYxZ`, whose node numbers are the indices of the cells. Cells
/// without node must be unavailable there. Every topology is also the array of all its nodes: the nodes of
/// each torus are consecutive, in the order of their cells.
pub(super) fn cluster_on(mesh: &Mesh, toruses: &[TorusText]) -> Result<Named, String> {
    let count: usize = toruses.iter().map(|torus| torus.nodes.iter().flatten().count()).sum();
    let is_array = mesh.dims() == 1 && mesh.nodes() as usize == count;
    if !is_array && !matches!(toruses, [torus] if is_torus(mesh, torus)) {
        return Err(expected(toruses, count));
    }
    let (mut built, mut names) = (Vec::with_capacity(toruses.len()), Vec::with_capacity(count));
    for torus in toruses {
        let mut nodes = Vec::with_capacity(torus.nodes.len());
        for (cell, name) in (0..).zip(&torus.nodes) {
            let node: NodeId = if is_array { names.len() as NodeId } else { cell };
            nodes.push(name.as_ref().map(|_| node));
            names.extend(name.iter().map(|name| (node, name.clone())));
        }
        built.push(Torus::new(torus.dims, nodes, torus.placements.clone(), [true; 3]));
    }
    Ok((Cluster::new(built), names))
}

/// Returns whether the machine is this torus, with every cell without node unavailable.
fn is_torus(mesh: &Mesh, torus: &TorusText) -> bool {
    let wraps = (0..3).all(|d| torus.dims[d] == 1 || mesh.wraps(d));
    let mut empty = (0..).zip(&torus.nodes).filter(|(_, name)| name.is_none());
    mesh.extents() == torus.dims && wraps && empty.all(|(cell, _)| !mesh.is_available(cell))
}

/// Returns the machines that suit the toruses, in words.
fn expected(toruses: &[TorusText], nodes: usize) -> String {
    let describe = |torus: &TorusText| {
        let [x, y, z] = torus.dims;
        let present = torus.nodes.iter().flatten().count();
        let some =
            if present == torus.nodes.len() { String::new() } else { format!(" with {present} nodes") };
        format!("'{}' of {x}x{y}x{z}{some}", torus.name)
    };
    let described: Vec<String> = toruses.iter().map(describe).collect();
    let machines = match toruses {
        [TorusText { dims: [x, y, z], nodes: cells, .. }] => {
            let empty = (0..).zip(cells).filter(|(_, name)| name.is_none()).map(|(cell, _)| cell);
            let empty = intervals(&empty.collect::<Vec<NodeId>>()).replace(' ', ",");
            let without = if empty.is_empty() { String::new() } else { format!(":without={empty}") };
            format!("torus:{x}x{y}x{z}{without}, or {nodes} (an array)")
        }
        _ => format!("{nodes}, an array of the nodes of one torus after the other"),
    };
    let plural = if toruses.len() == 1 { "torus" } else { "toruses" };
    format!("its topology has the {plural} {}; expected --machine {machines}", described.join(", "))
}
