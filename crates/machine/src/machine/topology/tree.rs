//! Arranges the switches of a topology as a machine.
//!
//! Groups are in the order of their first leaf in the file, and leaves and nodes in the order of the file. Each
//! level of the machine is as wide as the largest group of that level; the numbers beyond a smaller group are
//! unavailable nodes. A leaf closer to the top than others gets groups of its own in between.

use std::collections::{BTreeMap, HashMap};

use super::yaml::Flaw;
use super::{Below, Description, Switch, Topology, host_list};
use crate::machine::mesh::{MAX_NODES, MOST_LEVELS, Mesh, NodeId};
use meshreplay_base::words::counted;

/// A leaf switch with its place in the tree.
struct Leaf<'a> {
    switch: &'a Switch,
    /// Nodes in the order of the file.
    nodes: Vec<String>,
    /// The number of the leaf, or of a switch above it, among its siblings: from the top to the leaf itself.
    path: Vec<u32>,
}

/// Returns the machine of a description. Fails if the switches are no forest, if a node is below two of them,
/// or if the machine would be too large.
pub(super) fn arrange(description: Description) -> Result<Topology, Flaw> {
    let Description { switches, are_blocks, block_sizes, mut notes } = description;
    let (mut leaves, tops) = leaves(&switches)?;
    if tops > 1 && !are_blocks {
        notes.push(format!(
            "{} without a switch above: joined at the top, although Slurm starts no job across them",
            counted(tops, "tree")
        ));
    }
    let depth = leaves.iter().map(|leaf| leaf.path.len()).max().unwrap_or(0);
    let first = switches.first().map_or(1, |switch| switch.line);
    if depth + 1 > MOST_LEVELS {
        let problem =
            format!("found {} above nodes, expected at most {MOST_LEVELS}", counted(depth, "level"));
        return Err(Flaw::new(first, problem));
    }
    let is_higher = |leaf: &&Leaf<'_>| leaf.path.len() < depth;
    let higher: Vec<&str> = leaves.iter().filter(is_higher).map(|leaf| leaf.switch.name.as_str()).collect();
    if !higher.is_empty() {
        let names = higher.join(", ");
        notes
            .push(format!("leaf switches closer to the top than others, moved down to their level: {names}"));
    }
    for leaf in &mut leaves {
        leaf.path.resize(depth, 0);
    }
    let width = |level: usize| leaves.iter().map(|leaf| leaf.path[level] + 1).max().unwrap_or(1);
    let most = leaves.iter().map(|leaf| leaf.nodes.len() as u32).max().unwrap_or(1);
    let fans: Vec<u32> = (0..depth).map(width).chain([most]).collect();
    let places = fans.iter().fold(1_u64, |places, &fan| places.saturating_mul(fan.into()));
    if places > u64::from(MAX_NODES) {
        let problem = format!(
            "the largest groups of each level have {places} nodes together, more than the {MAX_NODES} that are \
             supported; give a part of the topology"
        );
        return Err(Flaw::new(first, problem));
    }
    let mut nodes = BTreeMap::new();
    let mut is_used = vec![false; places as usize];
    for leaf in leaves {
        let at = leaf.path.iter().zip(&fans).fold(0, |at, (i, fan)| at * fan + i) * most;
        for (name, node) in leaf.nodes.into_iter().zip(at..) {
            is_used[node as usize] = true;
            if nodes.insert(name.clone(), node).is_some() {
                let problem = format!("found node '{name}' below another switch or twice, expected it once");
                return Err(Flaw::new(leaf.switch.line, problem));
            }
        }
    }
    let sizes: Vec<String> = fans.iter().map(u32::to_string).collect();
    let missing: Vec<(NodeId, NodeId)> =
        (0..).zip(&is_used).filter(|(_, used)| !**used).map(|(node, _)| (node, node)).collect();
    let whole = format!("tree:{}", sizes.join("x")).parse::<Mesh>().map_err(|error| error.to_string());
    let mesh = whole.and_then(|whole| whole.without(&missing).map_err(|error| error.problem()));
    let mesh = mesh.map_err(|problem| Flaw::new(first, problem))?;
    Ok(Topology { mesh, nodes, block_sizes, notes })
}

/// Returns the leaf switches with their paths, and the number of switches at the top. Paths have no number of a
/// single one there.
fn leaves(switches: &[Switch]) -> Result<(Vec<Leaf<'_>>, usize), Flaw> {
    let parents = parents(switches)?;
    let ancestors = |switch: usize| {
        let up = std::iter::successors(Some(switch), |&switch| parents[switch]);
        // More steps than switches are a cycle.
        let chain: Vec<usize> = up.take(switches.len() + 1).collect();
        if chain.len() > switches.len() {
            let Switch { name, line, .. } = &switches[switch];
            return Err(Flaw::new(*line, format!("switch '{name}' is above itself; expected a tree")));
        }
        Ok(chain)
    };
    let mut tops: Vec<usize> = Vec::new();
    // By parent: the children with nodes below them, in the order of their first leaf.
    let mut order: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    let mut leaves = Vec::new();
    for (i, switch) in switches.iter().enumerate() {
        let mut chain = ancestors(i)?;
        let Below::Nodes(list) = &switch.below else { continue };
        let nodes = host_list::names(list).map_err(|problem| Flaw::new(switch.line, problem))?;
        chain.reverse();
        if !tops.contains(&chain[0]) {
            tops.push(chain[0]);
        }
        let place = |&member: &usize| {
            let siblings = order.entry(parents[member]).or_default();
            siblings.iter().position(|&other| other == member).unwrap_or_else(|| {
                siblings.push(member);
                siblings.len() - 1
            }) as u32
        };
        leaves.push(Leaf { switch, nodes, path: chain.iter().map(place).collect() });
    }
    if leaves.is_empty() {
        let problem = "found no switch with nodes, expected rows such as SwitchName=s1 Nodes=n[001-032]";
        return Err(Flaw::new(switches.first().map_or(1, |switch| switch.line), problem));
    }
    if tops.len() == 1 {
        for leaf in &mut leaves {
            leaf.path.remove(0);
        }
    }
    Ok((leaves, tops.len()))
}

/// Returns the switch above each one; `None` for those at the top.
fn parents(switches: &[Switch]) -> Result<Vec<Option<usize>>, Flaw> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (i, Switch { name, line, .. }) in switches.iter().enumerate() {
        if let Some(first) = numbers.insert(name, i) {
            let problem = format!("found '{name}' again, expected it only in line {}", switches[first].line);
            return Err(Flaw::new(*line, problem));
        }
    }
    let mut parents = vec![None; switches.len()];
    for (i, switch) in switches.iter().enumerate() {
        let fail = |problem: String| Flaw::new(switch.line, problem);
        let Below::Switches(list) = &switch.below else { continue };
        for name in host_list::names(list).map_err(fail)? {
            let child = *numbers.get(name.as_str()).ok_or_else(|| {
                fail(format!("found switch '{name}' below '{}', expected one that has a row", switch.name))
            })?;
            if let Some(other) = parents[child].replace(i) {
                let other: &Switch = &switches[other];
                return Err(fail(format!("found switch '{name}', which is below '{}' already", other.name)));
            }
        }
    }
    Ok(parents)
}
