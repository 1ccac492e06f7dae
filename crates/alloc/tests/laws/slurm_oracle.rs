//! Node lists of a real Slurm 26.05.3 with topology/torus3d: every submit gets the same nodes or the same
//! refusal.

use std::fmt::Write as _;
use std::fs;

use meshreplay_alloc::allocator::{Placement, Request, Setup, build};
use meshreplay_machine::machine::{Machine, Mesh, NodeId};
use serde_json::Value;

use meshreplay_testing::{Tested, gunzip, shared};

/// The recorded sequences with the machine of each.
const SEQUENCES: [(&str, &str); 7] = [
    ("4x4x2.a", "torus:4x4x2"),
    ("4x4x2.b", "torus:4x4x2"),
    ("4x4x2.w", "torus:4x4x2"),
    ("8x4x4.a", "torus:8x4x4"),
    ("8x4x4.b", "torus:8x4x4"),
    ("two.a", "96"),
    ("two.b", "93"),
];

/// The weights of the nodes of `4x4x2.w` in the form of slurm.conf.
fn weights() -> String {
    let weights = [1, 1, 5, 5, 3, 1, 2, 2];
    (1..=32).fold(String::new(), |mut text, node| {
        let _ = writeln!(text, "NodeName=n{node:03} Weight={}", weights[(node - 1) % 8]);
        text
    })
}

/// A recorded sequence of submits and cancellations, and how to answer its submits.
pub(crate) struct Sequence<'a> {
    pub(crate) lines: &'a str,
    pub(crate) mesh: &'a Mesh,
    /// The nodes by the numbers of the sequence, from 1.
    pub(crate) numbered: Vec<NodeId>,
    /// Returns the spec of the allocator for a submit.
    pub(crate) spec: &'a dyn Fn(&Value) -> String,
    /// Whether the sequence has a reason for each refusal.
    pub(crate) has_reasons: bool,
}

impl Sequence<'_> {
    /// Replays the sequence. Returns the number of submits and the differences.
    pub(crate) fn differences(&self) -> Result<(usize, Vec<String>), Box<dyn std::error::Error>> {
        let idle = Machine::new(self.mesh.clone());
        let mut machine = idle.clone();
        let (mut held, mut submits, mut differ): (Vec<(u64, Placement)>, _, _) = (Vec::new(), 0, Vec::new());
        for line in self.lines.lines() {
            let operation: Value = serde_json::from_str(line)?;
            let job = operation["job"].as_u64().ok_or("no job")?;
            if operation["op"] == "cancel" {
                let at = held
                    .iter()
                    .position(|(other, _)| *other == job)
                    .ok_or("cancels a job that does not run")?;
                machine.vacate(&held.swap_remove(at).1.nodes);
                continue;
            }
            submits += 1;
            let request = Request::of(operation["count"].as_u64().ok_or("no count")? as u32);
            let mut strategy = build(&(self.spec)(&operation).parse()?, &Setup::new(self.mesh, 0))?.strategy;
            let found = strategy.propose(&request, &machine).map(|placement| placement.nodes);
            let nodes = operation["nodes"].as_array();
            let expected: Option<Vec<NodeId>> = nodes.map(|nodes| {
                nodes.iter().filter_map(Value::as_u64).map(|node| self.numbered[node as usize - 1]).collect()
            });
            let mut refusal = || {
                if strategy.propose(&request, &idle).is_none() {
                    "never"
                } else if machine.free_count() < request.procs {
                    "busy"
                } else {
                    "no-fit"
                }
            };
            let is_reason = !self.has_reasons || found.is_some() || operation["refused"] == refusal();
            if found != expected || !is_reason {
                differ.push(format!("{line}: {found:?}"));
            }
            // Continue from the recorded state, so that one difference does not cause others.
            if let Some(nodes) = expected {
                machine.occupy(&nodes)?;
                held.push((job, Placement::of(nodes)));
            }
        }
        Ok((submits, differ))
    }
}

#[test]
fn every_placement_and_refusal_equals_that_of_slurm() -> Tested {
    let conf = tempfile::NamedTempFile::new()?;
    fs::write(conf.path(), weights())?;
    for (name, machine) in SEQUENCES {
        let [topology, sequence] =
            ["topology.yaml", "jsonl.gz"].map(|end| shared(&format!("oracle/slurm-torus3d/{name}.{end}")));
        let (Some(topology), Some(sequence)) = (topology, sequence) else { continue };
        let weights =
            if name == "4x4x2.w" { format!(",weights={}", conf.path().display()) } else { String::new() };
        let spec = |submit: &Value| {
            let segment = submit["segment"].as_u64().unwrap_or(0);
            format!("slurm-torus3d:path={},segment={segment}{weights}", topology.display())
        };
        let (lines, mesh): (String, Mesh) = (gunzip(&sequence)?, machine.parse()?);
        let numbered = (0..mesh.nodes()).collect();
        let (submits, differ) =
            Sequence { lines: &lines, mesh: &mesh, numbered, spec: &spec, has_reasons: true }
                .differences()?;
        assert!(submits > 300, "{name}: {submits}");
        assert!(differ.is_empty(), "{name}: {} of {submits} differ\n{}", differ.len(), differ.join("\n"));
    }
    Ok(())
}
