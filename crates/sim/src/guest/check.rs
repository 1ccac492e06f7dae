//! Checks the placement of a guest and describes what is wrong with it.

use meshreplay_base::job::NodesFor;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Machine, NodeId};

/// Fails with a description unless `nodes` are distinct free nodes of `machine` in the `expected` number,
/// usually `NodesFor::exactly(request.procs)`. The engine checks every placement again, except for too many
/// nodes. O(k log k) for k nodes.
pub fn check_placement(nodes: &[NodeId], expected: NodesFor, machine: &Machine) -> Result<(), String> {
    let (found, NodesFor { least, most }) = (nodes.len(), expected);
    if !(least as usize..=most as usize).contains(&found) {
        let expected = if least == most { least.to_string() } else { format!("{least} to {most}") };
        return Err(format!("its placement has {}, expected {expected}", counted(found, "node")));
    }
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    if let Some((node, _)) = sorted.iter().zip(sorted.iter().skip(1)).find(|(node, next)| node == next) {
        return Err(format!("its placement has node {node} twice, expected different nodes"));
    }
    let all = machine.mesh().nodes();
    if let Some(outside) = sorted.last().filter(|&&node| node >= all) {
        return Err(format!("its placement has node {outside}, expected numbers from 0 to {}", all - 1));
    }
    if let Some(node) = nodes.iter().find(|&&node| !machine.free().contains(node)) {
        return Err(format!("its placement has node {node}, which is not free"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_placement_is_said() -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new("4x2".parse()?);
        machine.occupy(&[3])?;
        for (nodes, words) in [
            (&[0, 1, 2][..], ""),
            (&[2, 0, 7], ""),
            (&[0], "has 1 node, expected 3"),
            (&[0, 1], "has 2 nodes, expected 3"),
            (&[0, 1, 2, 4], "has 4 nodes, expected 3"),
            (&[0, 1, 1], "node 1 twice"),
            (&[0, 8, 1], "node 8, expected numbers from 0 to 7"),
            (&[0, 3, 1], "node 3, which is not free"),
        ] {
            let found = check_placement(nodes, NodesFor::exactly(3), &machine).err().unwrap_or_default();
            assert_eq!(found.is_empty(), words.is_empty(), "{nodes:?}: {found}");
            assert!(found.contains(words), "{nodes:?}: {found}");
        }
        Ok(())
    }
}
