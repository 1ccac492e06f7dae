//! Reads topology.conf, and the output of `scontrol show topology`.
//!
//! A row is `SwitchName=… Nodes=…`, `SwitchName=… Switches=…`, `BlockName=… Nodes=…` or `BlockSizes=…`. The
//! output has both `Nodes` and `Switches` for upper switches; `Switches` counts. Keys have any case.

use super::yaml::Flaw;
use super::{Below, Description, Switch};

/// The first keys of rows.
const FIRST: [&str; 4] = ["switchname", "blockname", "blocksizes", "aggregatedblock"];

/// Further keys, which do not matter here.
const IGNORED: [&str; 4] = ["linkspeed", "level", "blockindex", "blocksize"];

/// Returns whether a line without blanks around it is such a row.
pub(super) fn is_row(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| FIRST.contains(&key.trim().to_ascii_lowercase().as_str()))
}

/// Reads the rows of a text.
pub(super) fn parse(text: &str) -> Result<Description, Flaw> {
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
                        "found key '{key}', expected Nodes, Switches or LinkSpeed; leave it out if it does not \
                         say what is connected"
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
