//! How the toruses of a topology lie on the machine of a replay.

use super::choice::Cluster;
use super::topology_file::TorusText;
use super::torus::{Torus, powers_of_two};
use crate::machine::{Mesh, NodeId};

/// Returns the cluster of a topology that has a placement for each box whose sides are powers of two, at the multiples
/// of its sides. Boxes wrap around where the machine does.
pub(super) fn default_cluster(mesh: &Mesh) -> Cluster {
    let dims = mesh.extents();
    let nodes = (0..mesh.nodes()).map(Some).collect();
    let wraps = [mesh.is_torus(); 3];
    Cluster { toruses: vec![Torus::new(dims, nodes, powers_of_two(dims), wraps)], weights: Vec::new() }
}

/// Returns the cluster of the toruses of a file, with the names of the machine's nodes. Fails, in words, if the machine
/// is not the one of the file.
///
/// A single torus whose cells all have nodes is the machine `torus:XxYxZ`, whose node numbers are the indices of the
/// cells. Other topologies are arrays of all their nodes: the nodes of each torus are consecutive, in the order of their
/// cells.
pub(super) fn cluster_on(mesh: &Mesh, toruses: &[TorusText]) -> Result<(Cluster, Vec<String>), String> {
    let names: Vec<String> = toruses.iter().flat_map(|torus| torus.nodes.iter().flatten().cloned()).collect();
    let is_array = mesh.dims() == 1 && mesh.nodes() as usize == names.len();
    let is_torus = match toruses {
        [torus] => torus.nodes.iter().all(Option::is_some) && mesh.is_torus() && mesh.extents() == torus.dims,
        _ => false,
    };
    if !is_array && !is_torus {
        return Err(expected(toruses, names.len()));
    }
    let mut node: NodeId = 0;
    let mut number = |name: &Option<String>| {
        name.as_ref().map(|_| {
            node += 1;
            node - 1
        })
    };
    let mut built = Vec::with_capacity(toruses.len());
    for torus in toruses {
        let nodes = torus.nodes.iter().map(&mut number).collect();
        built.push(Torus::new(torus.dims, nodes, torus.placements.clone(), [true; 3]));
    }
    Ok((Cluster { toruses: built, weights: Vec::new() }, names))
}

/// Returns the machines that suit the toruses, in words.
fn expected(toruses: &[TorusText], nodes: usize) -> String {
    let describe = |torus: &TorusText| {
        let [x, y, z] = torus.dims;
        let there = torus.nodes.iter().flatten().count();
        let some = if there == torus.nodes.len() { String::new() } else { format!(" with {there} nodes") };
        format!("'{}' of {x}x{y}x{z}{some}", torus.name)
    };
    let described: Vec<String> = toruses.iter().map(describe).collect();
    let machines = match toruses {
        [torus] if nodes == torus.nodes.len() => {
            let [x, y, z] = torus.dims;
            format!("torus:{x}x{y}x{z}, or {nodes} (an array)")
        }
        _ => format!("{nodes}, an array of the nodes of one torus after the other"),
    };
    let plural = if toruses.len() == 1 { "torus" } else { "toruses" };
    format!("its topology has the {plural} {}; expected --machine {machines}", described.join(", "))
}
