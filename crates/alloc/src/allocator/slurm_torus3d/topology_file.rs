//! Reads the toruses of Slurm's topology.yaml.

use std::collections::HashMap;

use super::torus::AnchoredShape;
use meshreplay_machine::machine::mesh::MAX_NODES;
use meshreplay_machine::machine::topology::host_list;
use meshreplay_machine::machine::topology::yaml::{self, Flaw, Node};

/// A torus as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TorusText {
    /// The name.
    pub(super) name: String,
    /// The numbers of cells along x, y and z.
    pub(super) dims: [u32; 3],
    /// The name of the node in each cell, x fastest, then y, then z; `None` in cells without node.
    pub(super) nodes: Vec<Option<String>>,
    /// The placements in the order of the file.
    pub(super) placements: Vec<AnchoredShape>,
}

/// The lines of all node names up to here.
type Seen = HashMap<String, usize>;

/// Reads the toruses of the text of a topology.yaml. If it has several topologies of the kind torus3d, the
/// first one with `cluster_default: true` counts, or else the first one. Other topologies are ignored.
pub(super) fn parse(text: &str) -> Result<Vec<TorusText>, Flaw> {
    let root = yaml::parse(text)?;
    let topologies = root.list("a list of topologies")?;
    let mut chosen: Option<(&Node, bool)> = None;
    for topology in topologies {
        topology.map("a topology with its keys")?;
        let is_default = topology
            .get("cluster_default")
            .is_some_and(|node| matches!(node.text(""), Ok("true" | "True" | "TRUE" | "yes" | "on")));
        if let Some(torus3d) = topology.get("torus3d")
            && chosen.is_none_or(|(_, before)| is_default && !before)
        {
            chosen = Some((torus3d, is_default));
        }
    }
    let Some((torus3d, _)) = chosen else {
        return Err(Flaw::new(root.line, "found no topology with the key 'torus3d', expected one"));
    };
    torus3d.only(&["toruses"], "torus3d")?;
    let mut seen = Seen::new();
    let toruses = torus3d.need("toruses", "torus3d")?.list("a list of toruses")?;
    toruses.iter().map(|node| torus(node, &mut seen)).collect()
}

fn torus(node: &Node, seen: &mut Seen) -> Result<TorusText, Flaw> {
    node.only(&["name", "dims", "nodes", "regions", "placements"], "a torus")?;
    let name = node.need("name", "the torus")?.text("the name of a torus")?.to_owned();
    let label = format!("torus '{name}'");
    let given = node.need("dims", &label)?;
    let dims = triple(given, "dims", 1, [MAX_NODES; 3])?;
    let cells = dims.iter().fold(1_u64, |product, &side| product.saturating_mul(u64::from(side)));
    if cells > u64::from(MAX_NODES) {
        let problem = format!("found a torus of {cells} cells, expected at most {MAX_NODES}");
        return Err(Flaw::new(given.line, problem));
    }
    let mut nodes = vec![None; cells as usize];
    match (node.get("nodes"), node.get("regions")) {
        (Some(list), None) => fill(&mut nodes, dims, [0; 3], dims, list, seen)?,
        (None, Some(regions)) => {
            for region in regions.list("a list of regions")? {
                region.only(&["anchor", "dims", "nodes"], "a region")?;
                let anchor =
                    triple(region.need("anchor", "the region")?, "anchor", 0, dims.map(|side| side - 1))?;
                let room = [0, 1, 2].map(|d| dims[d] - anchor[d]);
                let sides = triple(region.need("dims", "the region")?, "dims", 1, room)?;
                fill(&mut nodes, dims, anchor, sides, region.need("nodes", "the region")?, seen)?;
            }
        }
        (Some(_), Some(regions)) => {
            let problem = format!("{label} has 'nodes' and 'regions', expected only one of them");
            return Err(Flaw::new(regions.line, problem));
        }
        (None, None) => {
            return Err(Flaw::new(node.line, format!("{label} has neither 'nodes' nor 'regions'; add one")));
        }
    }
    let placements = node.need("placements", &label)?.list("a list of placements")?;
    let placements = placements.iter().map(|node| placement(node, dims)).collect::<Result<_, _>>()?;
    Ok(TorusText { name, dims, nodes, placements })
}

/// Puts the nodes of a list into the cells of a box of `sides` cells from `anchor` on, x fastest, then y,
/// then z.
fn fill(
    nodes: &mut [Option<String>],
    dims: [u32; 3],
    anchor: [u32; 3],
    sides: [u32; 3],
    list: &Node,
    seen: &mut Seen,
) -> Result<(), Flaw> {
    let fail = |problem: String| Flaw::new(list.line, problem);
    let names = host_list::names(list.text("a list of nodes such as n[001-032]")?).map_err(fail)?;
    let [width, length, depth] = sides;
    let cells = width * length * depth;
    if names.len() != cells as usize {
        let found = names.len();
        return Err(fail(format!(
            "found {found} nodes, expected {cells}, one for each cell of {width}x{length}x{depth}"
        )));
    }
    for (i, name) in (0..).zip(names) {
        if let Some(line) = seen.insert(name.clone(), list.line) {
            return Err(fail(format!("found node '{name}', which has a cell already by line {line}")));
        }
        let at = [i % width, i / width % length, i / width / length];
        let [x, y, z] = [0, 1, 2].map(|d| anchor[d] + at[d]);
        let cell = &mut nodes[(x + dims[0] * (y + dims[1] * z)) as usize];
        if let Some(other) = cell.replace(name.clone()) {
            return Err(fail(format!(
                "found node '{name}' for cell ({x}, {y}, {z}), in which node '{other}' is already; regions \
                     must not overlap"
            )));
        }
    }
    Ok(())
}

fn placement(node: &Node, dims: [u32; 3]) -> Result<AnchoredShape, Flaw> {
    node.only(&["dims", "anchor_seed", "anchor_spacing"], "a placement")?;
    let given = node.need("dims", "the placement")?;
    let sides = triple(given, "dims", 1, [MAX_NODES; 3])?;
    if let Some(d) = (0..3).find(|&d| sides[d] > dims[d]) {
        let [shape, machine] = [sides, dims].map(|[x, y, z]| format!("{x}x{y}x{z}"));
        let axis = ["x", "y", "z"][d];
        return Err(Flaw::new(
            given.line,
            format!(
                "found a placement of {shape} on a torus of {machine}, expected at most {} along {axis}; \
                     boxes are not turned",
                dims[d]
            ),
        ));
    }
    let mut placed = AnchoredShape::aligned(sides);
    if let Some(seed) = node.get("anchor_seed") {
        placed.seed = triple(seed, "anchor_seed", 0, dims.map(|side| side - 1))?;
    }
    if let Some(spacing) = node.get("anchor_spacing") {
        placed.spacing = triple(spacing, "anchor_spacing", 1, [MAX_NODES; 3])?;
    }
    Ok(placed)
}

/// Returns the numbers of a mapping of x, y and z, each at least `least` and at most that of `most`.
fn triple(node: &Node, what: &str, least: u32, most: [u32; 3]) -> Result<[u32; 3], Flaw> {
    const AXES: [&str; 3] = ["x", "y", "z"];
    node.only(&AXES, what)?;
    let mut numbers = [0; 3];
    for (d, axis) in AXES.into_iter().enumerate() {
        numbers[d] = node.need(axis, what)?.number(&format!("{axis} of {what}"), least, most[d])?;
    }
    Ok(numbers)
}
