//! Topologies of Slurm as machines: trees of switches with the names of their nodes.
//!
//! Files are a topology.conf, a topology.yaml or the output of `scontrol show topology`, told apart by their
//! first row. A block of topology/block is a leaf, and all blocks are below one switch.

pub mod host_list;
pub mod yaml;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use self::yaml::{Flaw, Node};
use super::mesh::{MAX_NODES, MOST_LEVELS, Mesh, NodeId};
use meshreplay_base::memory;
use meshreplay_base::words::counted;

/// A topology as a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// A tree of switches. Uneven groups are filled up with unavailable nodes.
    pub mesh: Mesh,
    /// Nodes by name.
    pub nodes: BTreeMap<String, NodeId>,
    /// The block sizes of topology/block, in nodes; `None` if the file has none.
    pub block_sizes: Option<Vec<u32>>,
    /// What the machine assumes about the file, in sentences.
    pub notes: Vec<String>,
}

/// The reason why a topology cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// The file cannot be read.
    #[error("topology {}: {problem}; expected a topology.conf, a topology.yaml or the output of `scontrol \
         show topology`", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The reason that the operating system gives.
        problem: String,
    },
    /// A line is wrong.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

/// A switch as a file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Switch {
    name: String,
    /// The number of its line, from 1.
    line: usize,
    below: Below,
}

/// What is below a switch, as lists of names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Below {
    Nodes(String),
    Switches(String),
}

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Description {
    /// The switches, or the blocks as leaf switches.
    switches: Vec<Switch>,
    /// Whether they are blocks, which belong together without a switch above them.
    are_blocks: bool,
    block_sizes: Option<Vec<u32>>,
    notes: Vec<String>,
}

/// Returns whether a text is a topology by its first row.
pub(super) fn is_topology(text: &str) -> bool {
    let is_row = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let first = text.trim_start_matches('\u{feff}').lines().map(str::trim).find(is_row);
    first.is_some_and(|first| is_conf_row(first) || is_yaml_row(first))
}

impl Topology {
    /// Reads the topology at `path`. Fails if it cannot be read or is not a forest of switches.
    pub fn read(path: &Path) -> Result<Self, TopologyError> {
        let bytes = memory::read_file(path).map_err(|error| TopologyError::Unreadable {
            path: path.to_owned(),
            problem: error.to_string(),
        })?;
        let parsed = Self::parse(&String::from_utf8_lossy(&bytes));
        parsed.map_err(|Flaw { line, problem }| TopologyError::Line { path: path.to_owned(), line, problem })
    }

    /// Reads the text of a topology. Fails as [`Self::read`] does.
    pub(super) fn parse(text: &str) -> Result<Self, Flaw> {
        let text = text.trim_start_matches('\u{feff}');
        let is_yaml = text.lines().map(str::trim).any(is_yaml_row);
        arrange(if is_yaml { parse_yaml(text)? } else { parse_conf(text)? })
    }

    /// Returns the rows of a node map, with a header: the name and the number of each node.
    pub fn node_map(&self) -> String {
        let mut rows: Vec<(NodeId, &str)> =
            self.nodes.iter().map(|(name, &node)| (node, name.as_str())).collect();
        rows.sort_unstable();
        let rows = rows.into_iter().map(|(node, name)| format!("{name},{node}\n"));
        std::iter::once("name,number\n".to_owned()).chain(rows).collect()
    }
}

// Reads topology.conf, and the output of `scontrol show topology`.
//
// A row is `SwitchName=… Nodes=…`, `SwitchName=… Switches=…`, `BlockName=… Nodes=…` or `BlockSizes=…`. The
// output has both `Nodes` and `Switches` for upper switches; `Switches` counts. Keys have any case.

/// The first keys of rows.
const FIRST: [&str; 4] = ["switchname", "blockname", "blocksizes", "aggregatedblock"];

/// Further keys, which do not matter here.
const IGNORED: [&str; 4] = ["linkspeed", "level", "blockindex", "blocksize"];

/// Returns whether a line without blanks around it is such a row.
fn is_conf_row(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| FIRST.contains(&key.trim().to_ascii_lowercase().as_str()))
}

/// Reads the rows of a text.
fn parse_conf(text: &str) -> Result<Description, Flaw> {
    let mut description = Description::default();
    for (line, row) in (1..).zip(text.lines()) {
        let row = row.split_once('#').map_or(row, |(row, _)| row).trim();
        if row.is_empty() {
            continue;
        }
        let fail = |problem: String| Flaw::new(line, problem);
        let (mut name, mut nodes, mut switches) = (None, None, None);
        for (i, word) in row.split_whitespace().enumerate() {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                fail(format!("found '{word}', expected key=value, such as SwitchName=s1 Nodes=n[001-032]"))
            })?;
            let lower = key.to_ascii_lowercase();
            let value = Some(value).filter(|value| !value.is_empty() && *value != "(null)");
            if (i == 0) != FIRST.contains(&lower.as_str()) {
                return Err(fail(format!(
                    "found '{key}', expected rows that begin with SwitchName, BlockName or BlockSizes"
                )));
            }
            match lower.as_str() {
                "switchname" => name = value,
                "blockname" => (name, description.are_blocks) = (value, true),
                "blocksizes" => description.block_sizes = Some(sizes(value.unwrap_or_default(), line)?),
                "nodes" => nodes = value,
                "switches" => switches = value,
                "aggregatedblock" => {}
                ignored if IGNORED.contains(&ignored) => {}
                _ => {
                    return Err(fail(format!(
                        "found key '{key}', expected Nodes, Switches or LinkSpeed; leave it out if it does \
                         not say what is connected"
                    )));
                }
            }
        }
        let Some(name) = name else { continue };
        let below = match (switches, nodes) {
            (Some(switches), _) => Below::Switches(switches.to_owned()),
            (None, Some(nodes)) => Below::Nodes(nodes.to_owned()),
            (None, None) => {
                return Err(fail(format!("'{name}' has neither Nodes nor Switches; add what is below")));
            }
        };
        description.switches.push(Switch { name: name.to_owned(), line, below });
    }
    Ok(description)
}

/// Reads block sizes such as `8,16,32`.
fn sizes(text: &str, line: usize) -> Result<Vec<u32>, Flaw> {
    let size = |size: &str| size.parse().ok().filter(|&size| size > 0);
    let sizes: Option<Vec<u32>> = text.split(',').map(size).collect();
    sizes.ok_or_else(|| Flaw::new(line, format!("found BlockSizes={text}, expected numbers such as 8,16,32")))
}

/// Returns whether a line without blanks around it can begin such a file.
fn is_yaml_row(line: &str) -> bool {
    line == "---" || line.starts_with("- topology:") || line.starts_with("topology:")
}

/// Reads a file. The first topology with `cluster_default: true` counts, or else the first one.
fn parse_yaml(text: &str) -> Result<Description, Flaw> {
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

// Arranges the switches of a topology as a machine.
//
// Groups are in the order of their first leaf in the file, and leaves and nodes in the order of the file.
// Each level of the machine is as wide as the largest group of that level; the numbers beyond a smaller group
// are unavailable nodes. A leaf closer to the top than others gets groups of its own in between.

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
fn arrange(description: Description) -> Result<Topology, Flaw> {
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
            "the largest groups of each level have {places} nodes together, more than the {MAX_NODES} that \
             are supported; give a part of the topology"
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

/// Returns the leaf switches with their paths, and the number of switches at the top. Paths have no number of
/// a single one there.
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

#[cfg(test)]
mod tests;
