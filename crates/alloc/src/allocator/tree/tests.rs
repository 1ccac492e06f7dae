//! Choices worked out by hand from the rules. The oracles are in tests/laws.

use crate::allocator::{Request, Setup, build};
use meshreplay_machine::machine::{Machine, Mesh, NodeId};
use meshreplay_testing::Tested;

/// Leaves of four nodes, with three, two and four of them free.
const THREE: (&str, &[NodeId]) = ("tree:3x4", &[0, 4, 5]);

/// Two groups of two leaves of three nodes, with two, three, one and three of them free.
const GROUPS: (&str, &[NodeId]) = ("tree:2x2x3", &[0, 6, 7]);

const IDLE: (&str, &[NodeId]) = ("tree:6x8", &[]);

#[test]
fn choices_follow_the_rules() -> Tested {
    for ((machine, busy), spec, procs, expected) in [
        (THREE, "slurm-tree", 1, Some(vec![1])),
        // The leaf that fits best.
        (THREE, "slurm-tree", 2, Some(vec![6, 7])),
        (THREE, "slurm-tree", 3, Some(vec![1, 2, 3])),
        // The leaf with the most nodes, and the one that fits the rest best.
        (THREE, "slurm-tree", 5, Some(vec![6, 8, 9, 10, 11])),
        (THREE, "slurm-tree:switches=2", 5, Some(vec![6, 8, 9, 10, 11])),
        (THREE, "slurm-tree:switches=1", 5, None),
        // The second group has just enough nodes.
        (GROUPS, "slurm-tree", 4, Some(vec![8, 9, 10, 11])),
        (GROUPS, "kueue:level=2", 4, Some(vec![8, 9, 10, 11])),
        (IDLE, "slurm-block", 1, Some(vec![0])),
        // The last of equals.
        (IDLE, "slurm-block", 3, Some(vec![40, 41, 42])),
        (IDLE, "slurm-block:segment=4", 8, Some((40..48).collect())),
        (IDLE, "slurm-block:segment=3", 8, None),
        (IDLE, "slurm-block:sizes=8+16+32", 12, Some((32..36).chain(40..48).collect())),
        // One of the defects that the head of the file names.
        (IDLE, "slurm-block:sizes=8+16+32", 40, None),
        (IDLE, "slurm-block:sizes=8", 41, Some((0..1).chain(8..48).collect())),
        (THREE, "kueue", 2, Some(vec![6, 7])),
        (THREE, "kueue", 5, Some(vec![6, 8, 9, 10, 11])),
        (THREE, "kueue:mode=required", 5, None),
        (THREE, "kueue:mode=required,level=2", 5, Some(vec![6, 8, 9, 10, 11])),
        (THREE, "kueue:mode=unconstrained", 5, Some(vec![1, 2, 3, 6, 7])),
        (THREE, "kueue:mode=unconstrained,profile=best-fit", 5, Some(vec![6, 8, 9, 10, 11])),
        (THREE, "kueue:slice=2", 4, Some(vec![8, 9, 10, 11])),
        (THREE, "kueue:slice=2", 3, None),
        // Sums of 32 and 28 links.
        (THREE, "best-of:naive|kueue", 5, Some(vec![6, 8, 9, 10, 11])),
    ] {
        let mesh: Mesh = machine.parse()?;
        let mut built = build(&spec.parse()?, &Setup::new(&mesh, 0))?;
        let mut machine = Machine::new(mesh);
        machine.occupy(busy)?;
        let found = built.strategy.propose(&Request::of(procs), &machine).map(|placement| placement.nodes);
        assert_eq!(found, expected, "{spec}, {procs} processors, beside {busy:?}");
    }
    Ok(())
}

#[test]
fn unsuitable_machines_and_parameters_are_named() -> Tested {
    for (machine, spec, message) in [
        ("16x8", "slurm-tree", "it is for trees of switches, such as tree:18x24"),
        ("tree:18x24", "mc1x1", "it does not serve trees of switches: it places by coordinates"),
        (
            "tree:6x8",
            "slurm-block:sizes=8+24",
            "'8+24': expected auto, or nodes of blocks with + between them",
        ),
        ("tree:6x8", "slurm-block:sizes=16", "up to 8 first"),
        (
            "tree:6x8",
            "kueue:level=3",
            "'3': expected a height of groups, from 1 for leaves to 2 for the whole",
        ),
        ("tree:6x8", "kueue:slice=0", "'0': expected a number of processors, at least 1"),
        ("tree:6x8", "kueue:slice=4,slice-level=2", "'2': expected a height of at most level=1"),
    ] {
        let mesh: Mesh = machine.parse()?;
        let error = build(&spec.parse()?, &Setup::new(&mesh, 0)).err().ok_or("built")?.to_string();
        assert!(error.contains(message), "{spec} on {machine}: {error}");
    }
    Ok(())
}
