//! Content keys: a cell's result is named by all that it depends on, so that whoever needs it finds it, and nobody takes
//! another one for it.

use std::fmt::Write;
use std::fs;

use sha2::{Digest, Sha256};

use super::cell::Plan;
use super::options::OPTIONS;
use super::planned::StudyLog;
use super::product::Point;
use crate::spec::Spec;

/// SHA-256 of the cell's resolved spec, its log's SHA-256 and the version of this program, in hexadecimal. What a
/// parameter `path` of the allocator names counts with its content.
pub(super) fn key(point: &Point, log: &StudyLog, plan: &Plan) -> String {
    let Point { log: _, rules, arrival_scale, machine, scheduler, allocator, network, seed } = point;
    let mut text = format!(
        "meshreplay {}\nlog={}\nlog_sha256={}\nrules={rules}\narrival_scale={arrival_scale}\nmachine={machine}\n\
         scheduler={scheduler}\nallocator={allocator}\nnetwork={network}\nseed={seed}\n",
        env!("CARGO_PKG_VERSION"),
        log.name,
        log.sha256,
    );
    text.extend(OPTIONS.iter().filter_map(|option| option.line(plan)));
    for (_, sha256) in files(allocator) {
        // Writing to memory cannot fail.
        let _ = writeln!(text, "path_sha256={sha256}");
    }
    hexadecimal(&Sha256::digest(text))
}

/// The files that an allocator reads, its members too, each with the SHA-256 of its content in hexadecimal.
pub fn files(allocator: &Spec) -> Vec<(String, String)> {
    let read = |path: String| {
        let content = fs::read(&path).ok()?;
        Some((path, hexadecimal(&Sha256::digest(content))))
    };
    paths(allocator).into_iter().filter_map(read).collect()
}

/// Files that an allocator reads, its members too.
fn paths(allocator: &Spec) -> Vec<String> {
    let mut paths: Vec<String> = allocator.params.get("path").cloned().into_iter().collect();
    let members = allocator.members.iter().flat_map(|members| members.split('|'));
    for member in members.filter_map(|member| member.parse().ok()) {
        paths.extend(self::paths(&member));
    }
    paths
}

/// SHA-256 of a text, in hexadecimal.
pub fn sha256(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Replications;
    use crate::workload::Rules;
    use std::path::PathBuf;

    #[test]
    fn files_of_members_count_too() -> Result<(), Box<dyn std::error::Error>> {
        let spec: Spec = "best-of:curve:order=file,path=a.txt|curve:order=file,path=b.txt|naive".parse()?;
        assert_eq!(paths(&spec), ["a.txt", "b.txt"]);
        assert_eq!(paths(&"curve:order=file,path=a.txt".parse()?), ["a.txt"]);
        assert!(paths(&"naive".parse()?).is_empty());
        Ok(())
    }

    #[test]
    fn whatever_a_result_depends_on_changes_its_key() -> Result<(), Box<dyn std::error::Error>> {
        let log = StudyLog {
            name: "a".to_owned(),
            file: "a.swf".to_owned(),
            path: PathBuf::from("a.swf"),
            sha256: "00".to_owned(),
            records: 1,
            model: None,
        };
        let point = Point {
            log: 0,
            rules: Rules::default(),
            arrival_scale: 1.0,
            machine: "4x4".parse()?,
            scheduler: "fcfs".parse()?,
            allocator: "naive".parse()?,
            network: "recorded".parse()?,
            seed: 1,
        };
        let plan = Plan::default();
        let mut keys = vec![
            key(&point, &log, &plan),
            key(&Point { rules: "requested".parse()?, ..point.clone() }, &log, &plan),
            key(&Point { arrival_scale: 0.5, ..point.clone() }, &log, &plan),
            key(&Point { machine: "torus:4x4".parse()?, ..point.clone() }, &log, &plan),
            key(&Point { scheduler: "easy".parse()?, ..point.clone() }, &log, &plan),
            key(&Point { allocator: "mc1x1".parse()?, ..point.clone() }, &log, &plan),
            key(&Point { network: "wormhole".parse()?, ..point.clone() }, &log, &plan),
            key(&Point { seed: 2, ..point.clone() }, &log, &plan),
            key(&point, &StudyLog { sha256: "01".to_owned(), ..log.clone() }, &plan),
            key(&point, &StudyLog { name: "b".to_owned(), ..log.clone() }, &plan),
            key(&point, &log, &Plan { timed: true, ..plan.clone() }),
            key(&point, &log, &Plan { traffic: true, ..plan.clone() }),
            key(&point, &log, &Plan { contention: true, ..plan.clone() }),
            key(&point, &log, &Plan { placements: true, ..plan.clone() }),
            key(&point, &log, &Plan { replications: Replications::exactly(2), ..plan.clone() }),
        ];
        assert_eq!(keys[0], key(&point, &StudyLog { path: PathBuf::from("/a.swf"), ..log }, &plan));
        assert!(keys.iter().all(|key| key.len() == 64));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 15);
        Ok(())
    }
}
