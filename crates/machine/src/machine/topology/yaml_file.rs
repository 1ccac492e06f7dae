//! Reads topology.yaml: a list of topologies, of which one of the kind `tree` or `block` counts.

use super::yaml::{self, Flaw, Node};
use super::{Below, Description, Switch};
use crate::machine::mesh::MAX_NODES;

/// Returns whether a line without blanks around it can begin such a file.
pub(super) fn is_row(line: &str) -> bool {
    line == "---" || line.starts_with("- topology:") || line.starts_with("topology:")
}

/// Reads a file. The first topology with `cluster_default: true` counts, or else the first one.
pub(super) fn parse(text: &str) -> Result<Description, Flaw> {
    let root = yaml::parse(text)?;
    let mut suitable: Vec<(&Node, bool)> = Vec::new();
    for topology in root.list("a list of topologies")? {
        topology.map("a topology with its keys")?;
        let default = topology.get("cluster_default").map(|node| node.text("true or false")).transpose()?;
        if topology.get("tree").is_some() || topology.get("block").is_some() {
            suitable.push((topology, default.is_some_and(|text| text.eq_ignore_ascii_case("true"))));
        }
    }
    let chosen = suitable.iter().find(|(_, is_default)| *is_default).or(suitable.first());
    let Some((topology, _)) = chosen else {
        return Err(Flaw::new(root.line, "found no topology with the key 'tree' or 'block', expected one"));
    };
    let mut description = match (topology.get("tree"), topology.get("block")) {
        (Some(tree), _) => switches(tree)?,
        (None, Some(block)) => blocks(block)?,
        (None, None) => Description::default(),
    };
    if suitable.len() > 1 {
        let name = topology.need("topology", "the topology")?.text("the name of a topology")?;
        description.notes.push(format!("of {} topologies, '{name}' counts", suitable.len()));
    }
    Ok(description)
}

/// Reads a topology of switches.
fn switches(tree: &Node) -> Result<Description, Flaw> {
    let mut description = Description::default();
    for switch in tree.need("switches", "tree")?.list("a list of switches")? {
        let name = switch.need("switch", "the switch")?.text("the name of a switch")?.to_owned();
        let list = |key: &str| switch.get(key).map(|node| node.text("a list such as s[1-4]")).transpose();
        let below = match (list("children")?, list("nodes")?) {
            (Some(children), _) => Below::Switches(children.to_owned()),
            (None, Some(nodes)) => Below::Nodes(nodes.to_owned()),
            (None, None) => {
                let problem =
                    format!("switch '{name}' has neither 'children' nor 'nodes'; add what is below");
                return Err(Flaw::new(switch.line, problem));
            }
        };
        description.switches.push(Switch { name, line: switch.line, below });
    }
    Ok(description)
}

/// Reads a topology of blocks.
fn blocks(block: &Node) -> Result<Description, Flaw> {
    let size = |node: &Node| node.number("a block size", 1, MAX_NODES);
    let sizes =
        block.get("block_sizes").map(|sizes| sizes.list("a list of sizes")?.iter().map(size).collect());
    let mut description =
        Description { block_sizes: sizes.transpose()?, are_blocks: true, ..Description::default() };
    for block in block.need("blocks", "block")?.list("a list of blocks")? {
        let name = block.need("block", "the block")?.text("the name of a block")?.to_owned();
        let nodes = block.need("nodes", "the block")?.text("a list of nodes such as n[001-032]")?.to_owned();
        description.switches.push(Switch { name, line: block.line, below: Below::Nodes(nodes) });
    }
    Ok(description)
}
