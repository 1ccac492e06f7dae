//! Files of Slurm as machines.

use super::*;

/// Returns the machine, nodes of some names and the notes.
fn machine(text: &str, names: &[&str]) -> Result<(String, Vec<NodeId>, Vec<String>), String> {
    let Topology { mesh, nodes, notes, .. } =
        Topology::parse(text).map_err(|Flaw { line, problem }| format!("{line}: {problem}"))?;
    Ok((mesh.to_string(), names.iter().filter_map(|name| nodes.get(*name).copied()).collect(), notes))
}

const TREE: &str = "# A comment\n
SwitchName=s1 Nodes=n[1-2]
switchname=s2 nodes=n3,n4 LinkSpeed=100  # behind
SwitchName=s3 Nodes=n[5-6]
SwitchName=g1 Switches=s[1,3]
SwitchName=top Switches=g1,s2\n";

const OUTPUT: &str = "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[1-2]
SwitchName=s2 Level=0 LinkSpeed=1 Nodes=n3
SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-3] Switches=s[1-2]\n";

const BLOCKS: &str = "BlockName=b1 BlockIndex=0 Nodes=n[1-2] BlockSize=2
BlockName=b2 BlockIndex=1 Nodes=n[3-4] BlockSize=2
AggregatedBlock=b[1-2] BlockIndex=2 Nodes=n[1-4] BlockSize=4\n";

const YAML: &str = "---
- topology: first
  tree:
    switches:
      - switch: top
        children: s[1-2]
      - switch: s1
        nodes: n[1-2]
      - switch: s2
        nodes: n[3-4]
- topology: second
  cluster_default: true
  block:
    block_sizes: [2, 4]
    blocks:
      - block: b1
        nodes: n[1-2]
      - block: b2
        nodes: n[3-4]
      - block: b3
        nodes: n[5-6]\n";

#[test]
fn files_are_machines_with_names() {
    let moved = "leaf switches closer to the top than others, moved down to their level: s2".to_owned();
    let joined =
        "2 trees without a switch above: joined at the top, although Slurm starts no job across them"
            .to_owned();
    for (text, names, expected) in [
        // The group comes first, as it has the first leaf. The last leaf of the second one is missing.
        (TREE, &["n1", "n5", "n3"][..], ("tree:2x2x2:without=6-7", vec![0, 2, 4], vec![moved])),
        (OUTPUT, &["n2", "n3"], ("tree:2x2:without=3", vec![1, 2], vec![])),
        (BLOCKS, &["n4"], ("tree:2x2", vec![3], vec![])),
        (YAML, &["n6"], ("tree:3x2", vec![5], vec!["of 2 topologies, 'second' counts".to_owned()])),
        ("SwitchName=s1 Nodes=n[1-3]", &["n3"], ("tree:3", vec![2], vec![])),
        ("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2", &["n2"], ("tree:2x1", vec![1], vec![joined])),
    ] {
        assert!(is_topology(text), "{text}");
        let (mesh, numbers, notes) = expected;
        assert_eq!(machine(text, names), Ok((mesh.to_owned(), numbers, notes)), "{text}");
    }
    assert_eq!(Topology::parse(YAML).map(|topology| topology.block_sizes), Ok(Some(vec![2, 4])));
    let map = Topology::parse(OUTPUT).map(|topology| topology.node_map());
    assert_eq!(map.as_deref(), Ok("name,number\nn1,0\nn2,1\nn3,2\n"));
    assert!(!is_topology("name,number\nn1,0\n") && !is_topology("n1 0\n") && !is_topology(""));
}

#[test]
fn wrong_files_are_named() {
    for (text, message) in [
        ("SwitchName=s1", "1: 's1' has neither Nodes nor Switches; add what is below"),
        ("SwitchName=s1 Nodes=n[1", "1: 'n[1' has brackets that do not match"),
        ("SwitchName=s1 Nodes=n1 Speed=3", "1: found key 'Speed', expected Nodes, Switches or LinkSpeed"),
        ("SwitchName=s1 Nodes=n1\nNodes=n2", "2: found 'Nodes', expected rows that begin with SwitchName"),
        ("SwitchName=s1 Nodes=n1 n2", "1: found 'n2', expected key=value"),
        ("SwitchName=s1 Nodes=n1\nSwitchName=s1 Nodes=n2", "2: found 's1' again, expected it only in line 1"),
        ("SwitchName=s1 Nodes=n1\nSwitchName=s2 Nodes=n[1-2]", "2: found node 'n1' below another switch"),
        ("SwitchName=s1 Switches=s2", "1: found switch 's2' below 's1', expected one that has a row"),
        ("SwitchName=s1 Switches=s2\nSwitchName=s2 Switches=s1", "1: switch 's1' is above itself"),
        (
            "SwitchName=s1 Nodes=n1\nSwitchName=a Switches=s1\nSwitchName=b Switches=s1",
            "3: found switch 's1', which is below 'a' already",
        ),
        ("BlockSizes=8,a\nBlockName=b Nodes=n1", "1: found BlockSizes=8,a, expected numbers such as 8,16,32"),
        ("BlockSizes=8", "1: found no switch with nodes, expected rows such as SwitchName=s1"),
        ("- topology: a\n  flat: true", "1: found no topology with the key 'tree' or 'block', expected one"),
        (
            "- topology: a\n  tree:\n    switches:\n    - switch: s\n",
            "4: switch 's' has neither 'children' nor",
        ),
    ] {
        let found = machine(text, &[]).expect_err(text);
        assert!(found.starts_with(message), "{text}: {found}");
    }
    let deep: Vec<String> = (1..7).map(|i| format!("SwitchName=s{i} Switches=s{}\n", i + 1)).collect();
    let found = machine(&(deep.concat() + "SwitchName=s7 Nodes=n1"), &[]).expect_err("deep");
    assert_eq!(found, "1: found 6 levels above nodes, expected at most 6");
}
