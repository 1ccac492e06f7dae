//! Trees of switches: answers of a real Slurm with topology/tree and topology/block, and cases of Kueue's own
//! tests. Every submit gets the same nodes or is refused as well.

use std::fmt::Write as _;
use std::fs;

use meshreplay_alloc::allocator::{Request, Setup, build};
use meshreplay_machine::machine::{Machine, Mesh, NodeId};
use serde_json::Value;

use meshreplay_testing::{Tested, gunzip, shared};

use super::slurm_oracle::Sequence;

/// The recorded sequences with the machine and the allocator of each. Uneven trees are uniform ones with
/// nodes missing.
const SEQUENCES: [(&str, &str, &str); 7] = [
    ("tree-6x8.a", "tree:6x8", "slurm-tree"),
    ("tree-3x3x6.a", "tree:3x3x6", "slurm-tree"),
    ("tree-uneven.a", "", "slurm-tree"),
    ("block-12x4.a", "tree:12x4", "slurm-block:sizes=4+16"),
    ("block-24x2.c", "tree:24x2", "slurm-block:sizes=2+8+16"),
    ("block-6x8.a", "tree:6x8", "slurm-block:sizes=8+16+32"),
    ("block-uneven.a", "", "slurm-block:sizes=8+16"),
];

/// Returns the tree whose leaves have these numbers of nodes, in groups; the largest leaf and group set the
/// size.
fn uneven(groups: &[&[u32]]) -> Result<Mesh, Box<dyn std::error::Error>> {
    let size = groups.iter().flat_map(|group| *group).max().copied().unwrap_or(1);
    let leaves = groups.iter().map(|group| group.len()).max().unwrap_or(1);
    let mut without = Vec::new();
    for (g, group) in groups.iter().enumerate() {
        for leaf in 0..leaves {
            let present = group.get(leaf).copied().unwrap_or(0);
            let first = (g * leaves + leaf) as u32 * size;
            if present < size {
                without.push((first + present, first + size - 1));
            }
        }
    }
    let tree: Mesh = format!("tree:{}x{leaves}x{size}", groups.len()).parse()?;
    Ok(tree.without(&without)?)
}

#[test]
fn every_placement_and_refusal_equals_that_of_slurm() -> Tested {
    for (name, machine, allocator) in SEQUENCES {
        let mesh = match name {
            "tree-uneven.a" => uneven(&[&[3, 7, 5], &[9, 4], &[6, 2, 8, 4]])?,
            "block-uneven.a" => uneven(&[&[8, 7, 8, 5, 8, 8, 6]])?,
            _ => machine.parse()?,
        };
        let Some(path) = shared(&format!("oracle/tree/slurm/{name}.jsonl.gz")) else { continue };
        let spec = |submit: &Value| {
            let mut spec = allocator.to_owned();
            for key in ["switches", "segment"] {
                if let Some(value) = submit[key].as_u64() {
                    let _ = write!(spec, "{}{key}={value}", if spec.contains(':') { ',' } else { ':' });
                }
            }
            spec
        };
        let numbered = (0..mesh.nodes()).filter(|&node| mesh.is_available(node)).collect();
        let (lines, mesh) = (&gunzip(&path)?, &mesh);
        let (submits, differ) =
            Sequence { lines, mesh, numbered, spec: &spec, has_reasons: false }.differences()?;
        assert!(submits > 400, "{name}: {submits}");
        assert!(differ.is_empty(), "{name}: {} of {submits} differ\n{}", differ.len(), differ.join("\n"));
    }
    Ok(())
}

/// A case of Kueue as a machine with nodes in use, and the spec that asks for the same.
struct Case {
    machine: Machine,
    spec: String,
    count: u32,
    /// Nodes per leaf; `None` if the job waits.
    expected: Option<Vec<u32>>,
}

/// Reads a case; `None` if the parameters of the allocator cannot express it.
fn case(case: &Value) -> Result<Option<Case>, Box<dyn std::error::Error>> {
    let request = &case["request"];
    let slices = request["slices"].as_array().ok_or("no slices")?;
    if slices.len() > 1
        || request["leader"].as_u64().is_some()
        || (case["balanced"] == true && request["mode"] == "preferred")
    {
        return Ok(None);
    }
    let levels: Vec<&str> =
        case["levels"].as_array().ok_or("no levels")?.iter().filter_map(Value::as_str).collect();
    let leaves = case["leaves"].as_array().ok_or("no leaves")?;
    let path = |leaf: &Value| -> Vec<String> {
        leaf["path"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    // Groups in the order of their names. A group of fewer children than others has empty ones at its end.
    let mut paths: Vec<Vec<String>> = leaves.iter().map(path).collect();
    paths.sort();
    let children = |prefix: &[String]| -> Vec<String> {
        let below = paths.iter().filter(|path| path.starts_with(prefix));
        let mut names: Vec<String> = below.map(|path| path[prefix.len()].clone()).collect();
        names.dedup();
        names
    };
    let fans: Vec<usize> = (0..levels.len())
        .map(|depth| paths.iter().map(|path| children(&path[..depth]).len()).max().unwrap_or(1))
        .collect();
    let leaf_at = |path: &[String]| {
        (0..levels.len()).fold(0, |at, depth| {
            at * fans[depth]
                + children(&path[..depth]).iter().position(|name| *name == path[depth]).unwrap_or(0)
        })
    };
    let size = leaves.iter().filter_map(|leaf| leaf["slots"].as_u64()).max().unwrap_or(0).max(1);
    let fans_text: Vec<String> = fans.iter().map(usize::to_string).collect();
    let mesh: Mesh = format!("tree:{}x{size}", fans_text.join("x")).parse()?;
    let count_of_leaves: usize = fans.iter().product();
    let (mut slots, mut expected) = (vec![0; count_of_leaves], vec![0; count_of_leaves]);
    let assignment = case["expect"]["assignment"].as_object();
    for leaf in leaves {
        let path = path(leaf);
        let at = leaf_at(&path);
        slots[at] = leaf["slots"].as_u64().ok_or("no slots")?;
        let names = [path.join("/"), path[path.len() - 1].clone()];
        let given = assignment.and_then(|given| names.iter().find_map(|name| given.get(name)));
        expected[at] = given.and_then(Value::as_u64).unwrap_or(0) as u32;
    }
    let busy: Vec<NodeId> = (0..mesh.nodes())
        .filter(|&node| u64::from(node) % size >= slots[(u64::from(node) / size) as usize])
        .collect();
    let mut machine = Machine::new(mesh);
    machine.occupy(&busy)?;
    let height = |name: &Value| {
        levels.iter().rev().position(|level| *level == name.as_str().unwrap_or("")).map(|at| at + 1)
    };
    let mode = request["mode"].as_str().unwrap_or("unconstrained");
    let mut spec = format!("kueue:mode={mode}");
    let Some(level) = height(&request["level"]) else { return Ok(None) };
    let _ = write!(spec, ",level={level}");
    if let Some(slice) = slices.first() {
        let Some(level) = height(&slice["level"]) else { return Ok(None) };
        let _ = write!(spec, ",slice={},slice-level={level}", slice["size"]);
    }
    if case["least_free"] == false {
        spec += ",profile=best-fit";
    }
    let count = request["count"].as_u64().ok_or("no count")? as u32;
    Ok(Some(Case { machine, spec, count, expected: assignment.map(|_| expected) }))
}

#[test]
fn every_assignment_equals_that_of_kueue() -> Tested {
    for file in ["kueue.json", "kueue-random.json.gz"] {
        let Some(path) = shared(&format!("oracle/tree/{file}")) else { continue };
        let text = if file.ends_with("gz") { gunzip(&path)? } else { fs::read_to_string(&path)? };
        let file_text: Value = serde_json::from_str(&text)?;
        let (mut compared, mut differ) = (0, Vec::new());
        for given in file_text["cases"].as_array().ok_or("no cases")? {
            let Some(Case { machine, spec, count, expected }) = case(given)? else { continue };
            compared += 1;
            let mut strategy = build(&spec.parse()?, &Setup::new(machine.mesh(), 0))?.strategy;
            let leaf = machine.mesh().levels().ok_or("no tree")?.leaf();
            let found = strategy.propose(&Request::of(count), &machine).map(|placement| {
                let mut counts = vec![0; (machine.mesh().nodes() / leaf) as usize];
                placement.nodes.iter().for_each(|node| counts[(node / leaf) as usize] += 1);
                counts
            });
            if found != expected {
                differ.push(format!("{} {spec}: {found:?} instead of {expected:?}", given["name"]));
            }
        }
        println!("{file}: {compared} cases");
        assert!(differ.is_empty(), "{file}: {} of {compared} differ\n{}", differ.len(), differ.join("\n"));
    }
    Ok(())
}
