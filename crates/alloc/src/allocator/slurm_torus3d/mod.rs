//! Slurm's topology/torus3d: boxes of the shapes and at the anchors that an administrator allows.
//!
//! Slurm 26.05 (`SchedMD`, 2026), plugin topology/torus3d and its file topology.yaml. The rules below are
//! ours, in our words; they were established by asking a running Slurm 26.05.3 for nodes and agree with each
//! of its answers.
//!
//! A topology has one or more three-dimensional toruses. Each torus has *placements*: a shape with an anchor
//! seed and an anchor spacing on each axis. A shape is used as written; another orientation is another
//! placement. The boxes of a placement begin at seed, seed + spacing, seed + 2 · spacing and so on, modulo
//! the side of the torus, until the seed comes back, on each axis. Without `anchor_spacing` the spacing is
//! the side of the shape; without `anchor_seed` the seed is 0. A box wraps around on every axis. Placements
//! are sorted by size; placements of equal size keep the order of the file.
//!
//! A job that asks for n nodes gets one box of exactly n nodes:
//!
//! 1. Look at the toruses in the order of the file, at their placements of n nodes in order, and at the
//!    anchors of each in order: x outermost, then y, and z fastest. A box is a candidate if all its cells
//!    have idle nodes.
//! 2. A candidate replaces the best one if its weight is lower. The weight of a box is the largest weight of
//!    its nodes.
//! 3. If the weights are equal and both are boxes of the same placement, it replaces the best one if it
//!    destroys fewer boxes. A box destroys the boxes of the next placement that overlap it and are entirely
//!    idle. The next placement is the first one of the torus with larger boxes; if there is none, nothing is
//!    destroyed.
//! 4. If the weights are equal and the placements differ, it replaces the best one if its torus has fewer
//!    idle nodes.
//! 5. Otherwise the earlier one stays.
//!
//! The job's processes run on the nodes in the order of their numbers. A number of nodes without a placement
//! is never served: rules such as `--shape list:4x4x4,4x4x8` give jobs sizes that have one, `round=up` takes
//! the next size that has one, and `--oversize skip` leaves such jobs out.
//!
//! `path=FILE` is the topology.yaml. A single torus is the machine `torus:XxYxZ`; node x + X·y + X·Y·z is the
//! one in cell (x, y, z), and cells without node must be unavailable (`:without=`). Any topology is also the
//! array of all its nodes, one torus after the other, such as `--machine 96`; numbers about distances then
//! mean nothing. `weights=FILE` is a slurm.conf; only its values of `NodeName` and `Weight` count. With
//! `segment=s`, as in `salloc --segment=s`, a job of k · s nodes gets k boxes of s nodes, chosen one after
//! the other, anywhere; other jobs get one box.
//!
//! Without a file, the topology is one of our own: a placement for each box whose sides are powers of two, at
//! the multiples of its sides, compact boxes first, and `round=up`. On a mesh no box wraps around.
//!
//! Slurm's queue, its retry if a segmented job finds some but not all of its boxes, and nodes outside every
//! torus are not imitated. The cost is O(N) for each box, plus the number of anchors of the placements of the
//! job's size and of the next one.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a torus has at most 2^24 cells, so that sums and products of the sides of boxes on it fit 32 \
         bits; a host list has at most as many names"
)]

mod choice;
mod node_weights;
mod topology_file;
mod torus;

use std::path::Path;

use self::choice::Cluster;
use self::topology_file::TorusText;
use self::torus::{Torus, powers_of_two};
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Foresight, NodesFor, Placement, Request, Served, Setup, Strategy,
};
use meshreplay_base::job::Shape;
use meshreplay_base::memory;
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::topology::yaml::Flaw;
use meshreplay_machine::machine::{Machine, Mesh, NodeId, intervals};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "slurm-torus3d",
    summary: "boxes at the anchors that a topology.yaml of Slurm allows",
    source: "Slurm 26.05, topology/torus3d, 2026",
    parameters: "path (a topology.yaml), round=up (no; no with path), segment=0 (nodes of a segment), \
                 weights (a slurm.conf)",
    ..AllocatorEntry::contiguous(build)
};

/// The sizes that jobs may have.
#[derive(Clone, Debug)]
struct Sizes {
    /// The sizes of boxes, ascending.
    boxes: Vec<u32>,
    /// The number of nodes of a segment; 0 if jobs are not segmented.
    segment: u32,
    /// Whether a job gets the next larger size if its own has no placement.
    rounds_up: bool,
}

impl Sizes {
    /// Returns how many boxes a request takes, and the number of nodes of each. Returns `None` if no
    /// placement has this size.
    fn boxes_for(&self, request: &Request) -> Option<(u32, u32)> {
        let nodes = match request.shape {
            // A box from a list of shapes may have more nodes than the job has processors.
            Shape::Slice(sides) => sides.iter().try_fold(1, |nodes: u32, &side| nodes.checked_mul(side))?,
            _ => 0,
        };
        let nodes = nodes.max(request.procs);
        let segmented =
            self.segment > 0 && nodes > self.segment && (self.rounds_up || nodes % self.segment == 0);
        let (count, size) = if segmented { (nodes.div_ceil(self.segment), self.segment) } else { (1, nodes) };
        let next = self.boxes.partition_point(|&other| other < size);
        let larger = *self.boxes.get(next)?;
        (larger == size || self.rounds_up).then_some((count, larger))
    }

    /// Returns how many nodes a request takes.
    fn nodes_for(&self, request: &Request) -> NodesFor {
        let nodes = self.boxes_for(request).and_then(|(count, size)| count.checked_mul(size));
        NodesFor::exactly(nodes.unwrap_or(u32::MAX))
    }
}

/// Reads the parameters and builds the allocator. Fails if a file is malformed or describes another machine.
fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let (path, weights) = (params.take_text("path"), params.take_text("weights"));
    let mut rounding = [("no", false), ("up", true)];
    if path.is_none() {
        // The first choice is the default.
        rounding.reverse();
    }
    let rounds_up = params.choose("round", &rounding)?;
    let segment = params.take("segment", 0, "a number of nodes; 0 for jobs in one piece")?;
    let mut cluster = default_cluster(setup.mesh);
    if let Some(path) = path {
        let toruses = read(params, "path", &path, topology_file::parse)?;
        let names;
        (cluster, names) = cluster_on(setup.mesh, &toruses).map_err(|problem| SpecError::Unsuited {
            owner: params.owner().to_owned(),
            machine: setup.mesh.to_string(),
            problem: format!("{path}: {problem}"),
        })?;
        if let Some(path) = weights {
            let weights = read(params, "weights", &path, node_weights::parse)?;
            cluster.weights = vec![node_weights::DEFAULT; setup.mesh.nodes() as usize];
            let mut is_named = false;
            for (node, name) in names {
                if let Some(&weight) = weights.get(&name) {
                    cluster.weights[node as usize] = weight;
                    is_named = true;
                }
            }
            if !is_named {
                let problem = format!("{path}: no line names a node of the topology");
                return Err(params.bad_file("weights", &problem));
            }
        }
    } else if weights.is_some() {
        let problem = "nodes have names only in a topology.yaml; give it with path=FILE";
        return Err(params.bad_file("weights", problem));
    }
    let boxes = cluster.sizes();
    if segment > 0 && boxes.binary_search(&segment).is_err() {
        let sizes: Vec<String> = boxes.iter().map(u32::to_string).collect();
        let expected = format!("0 or the size of a placement: {}", sizes.join(", "));
        return Err(params.bad_value("segment", &segment.to_string(), &expected));
    }
    let sizes = Sizes { boxes, segment, rounds_up };
    let rule = sizes.clone();
    Ok(Strategy::of(Torus3d { cluster, sizes })
        .served(Served::ByState(Foresight::Proposes))
        .with_nodes_for(move |request, _| rule.nodes_for(request)))
}

/// Reads the file of parameter `key` with `parse`.
fn read<T>(
    params: &Params,
    key: &str,
    path: &str,
    parse: fn(&str) -> Result<T, Flaw>,
) -> Result<T, SpecError> {
    let bytes = memory::read_file(Path::new(path))
        .map_err(|error| params.bad_file(key, &format!("{path}: {error}")))?;
    parse(&String::from_utf8_lossy(&bytes))
        .map_err(|Flaw { line, problem }| params.bad_file(key, &format!("{path}:{line}: {problem}")))
}

/// Chooses among the boxes of a topology. It keeps no index.
struct Torus3d {
    cluster: Cluster,
    sizes: Sizes,
}

impl Allocator for Torus3d {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let (count, size) = self.sizes.boxes_for(request)?;
        if count.checked_mul(size)? > machine.free_count() {
            return None;
        }
        if count == 1 {
            return self.cluster.choose(size, machine.free()).map(Placement::of);
        }
        let mut free = machine.free().clone();
        let mut nodes: Vec<NodeId> = Vec::with_capacity((count * size) as usize);
        for _ in 0..count {
            let chosen = self.cluster.choose(size, &free)?;
            for &node in &chosen {
                free.remove(node);
            }
            nodes.extend(chosen);
        }
        nodes.sort_unstable();
        Some(Placement::of(nodes))
    }
}

/// Returns the cluster of a topology that has a placement for each box whose sides are powers of two, at the
/// multiples of its sides. Boxes wrap around where the machine does.
fn default_cluster(mesh: &Mesh) -> Cluster {
    let dims = mesh.extents();
    let nodes = (0..mesh.nodes()).map(Some).collect();
    Cluster::new(vec![Torus::new(dims, nodes, powers_of_two(dims), mesh.wrap())])
}

/// A cluster and the names of its nodes.
type Named = (Cluster, Vec<(NodeId, String)>);

/// Returns the cluster of the toruses of a file, with the names of the machine's nodes. Fails, in words, if
/// the machine is not the one of the file.
///
/// A single torus is the machine `torus:XxYxZ`, whose node numbers are the indices of the cells. Cells
/// without node must be unavailable there. Every topology is also the array of all its nodes: the nodes of
/// each torus are consecutive, in the order of their cells.
fn cluster_on(mesh: &Mesh, toruses: &[TorusText]) -> Result<Named, String> {
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

#[cfg(test)]
mod tests;
