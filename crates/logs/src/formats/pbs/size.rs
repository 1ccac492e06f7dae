//! How many processors a job had, by the unit. What it got goes before what it asked for, and values that are
//! not needed may be malformed.
#![expect(clippy::cast_possible_wrap, reason = "a line has fewer hosts than 2^63")]

use super::place::{Place, parts};
use super::values::Values;
use crate::error::Problem;
use crate::unit::Unit;

/// Returns the number of processors of a job; `None` if the line does not contain it.
pub(super) fn procs(values: &Values, place: &Place, unit: Unit) -> Result<Option<i64>, Problem> {
    match (unit, place) {
        (Unit::Gpus, _) => gpus(values).map(Some),
        (Unit::Nodes, Place::Cray { nodes, .. }) => Ok(*nodes),
        (Unit::Cpus, Place::Cray { cpus, .. }) => Ok(Some(*cpus)),
        (Unit::Nodes, Place::Hosts(hosts)) if !hosts.names.is_empty() => Ok(Some(hosts.names.len() as i64)),
        (Unit::Nodes, Place::Numbered { nodes, .. }) => Ok(Some(*nodes)),
        (Unit::Cpus, Place::Hosts(hosts)) if hosts.slots > 0 => Ok(Some(hosts.slots)),
        // Requests count chunks of nodes; a host can have several chunks.
        (Unit::Nodes, _) => asked(values, "Resource_List.nodect", |chunk| Some(chunk.count)),
        (Unit::Cpus, _) => {
            asked(values, "Resource_List.ncpus", |chunk| chunk.times("ppn").or_else(|| chunk.times("ncpus")))
        }
    }
}

/// Returns the number of a key, or else the sum over the chunks that the job asked for; `None` if there is
/// neither. A malformed number is an error if there is nothing else.
fn asked(values: &Values, key: &str, of: fn(&Chunk) -> Option<i64>) -> Result<Option<i64>, Problem> {
    let number = values.number(key);
    if let Ok(Some(number)) = number {
        return Ok(Some(number));
    }
    let sum = chunks(values).find_map(|text| sum(text, of));
    sum.map_or(number, |sum| Ok(Some(sum)))
}

/// Returns the texts of chunks that a job asked for, the best first.
fn chunks<'a>(values: &Values<'a>) -> impl Iterator<Item = &'a str> {
    let texts = ["nodes", "neednodes", "select"].map(|key| values.filled(&format!("Resource_List.{key}")));
    // Moab writes chunks in place of their number.
    let is_chunk = |text: &&str| text.starts_with(|c: char| c.is_ascii_digit());
    texts.into_iter().flatten().chain(values.filled("Resource_List.nodect").filter(is_chunk))
}

/// Keys of GPUs, counted per job, or per node of a chunk.
const GPUS: [&str; 3] = ["ngpus", "gpus", "gpu"];

/// Returns the number of GPUs of a job; 0 if the line names none.
fn gpus(values: &Values) -> Result<i64, Problem> {
    let of_chunk = |chunk: &Chunk| GPUS.into_iter().find_map(|key| chunk.times(key));
    if let Some(allocated) = values.filled("exec_vnode").and_then(|text| sum(text, of_chunk)) {
        return Ok(allocated);
    }
    for key in GPUS {
        if let Some(number) = values.number(&format!("Resource_List.{key}"))? {
            return Ok(number);
        }
    }
    let asked = chunks(values).find_map(|text| sum(text, of_chunk));
    Ok(asked.unwrap_or(0))
}

/// A chunk such as `2:ppn=8:gpus=4:shared` or `n1:ncpus=4`.
struct Chunk<'a> {
    /// The number of nodes; 1 for a node that is named.
    count: i64,
    /// The part behind the number or the name.
    rest: &'a str,
}

impl<'a> Chunk<'a> {
    /// Reads a chunk.
    fn of(text: &'a str) -> Self {
        let (first, rest) = text.split_once(':').unwrap_or((text, ""));
        Self { count: first.parse().unwrap_or(1), rest }
    }

    /// Returns the value of a key for all nodes of the chunk; `None` if the chunk does not have the key.
    fn times(&self, key: &str) -> Option<i64> {
        let values = self.rest.split(':').filter_map(|item| item.split_once('='));
        let value =
            values.filter(|(known, _)| *known == key).find_map(|(_, value)| value.parse::<i64>().ok())?;
        value.checked_mul(self.count)
    }
}

/// Returns the sum of a number over the chunks of a text that have it; `None` if none has.
fn sum(text: &str, of: impl Fn(&Chunk) -> Option<i64>) -> Option<i64> {
    parts(text).filter_map(|part| of(&Chunk::of(part))).reduce(i64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> [Option<i64>; 3] {
        let values = Values::of(line);
        let place = Place::of(&values).expect("a place");
        [Unit::Nodes, Unit::Cpus, Unit::Gpus].map(|unit| procs(&values, &place, unit).expect("a size"))
    }

    #[test]
    fn sizes_are_those_of_hosts_or_of_requests() {
        for (line, nodes, cpus, gpus) in [
            ("exec_host=g1/0-7+g2/0-7 Resource_List.nodes=2:ppn=8:gpus=4 Resource_List.nodect=2", 2, 16, 8),
            ("exec_host=g3/0-3 Resource_List.neednodes=1:ppn=4:gpus=1:shared", 1, 4, 1),
            ("exec_host=n1/0 Resource_List.gpu=2", 1, 1, 2),
            ("exec_host=n1/0 Resource_List.gpus=3", 1, 1, 3),
            (
                "exec_host=n1/0*8 exec_vnode=(n1:ncpus=8:ngpus=2)+(n2:ncpus=8:ngpus=2) Resource_List.ngpus=9",
                1,
                8,
                4,
            ),
            ("exec_host=n7/0-27+n8/0-27 Resource_List.nodect=2:ppn=28:gpu=4:reqmem=1:gpu", 2, 56, 8),
            ("Resource_List.nodes=2:ppn=8+1:ppn=4", 3, 20, 0),
            ("Resource_List.select=2:ncpus=8:ngpus=1 Resource_List.nodect=2", 2, 16, 2),
            ("Resource_List.nodes=n1:ppn=4+n2:ppn=4", 2, 8, 0),
            ("exec_host=4-7 Resource_List.ncpus=256 Resource_List.nodect=9", 4, 256, 0),
            (
                "exec_host=R0-N1 resources_used.location=R0-N1 Resource_List.ncpus=512 \
                     Resource_List.nodect=32",
                32,
                512,
                0,
            ),
            ("exec_host=login/0 Resource_List.mppwidth=64 Resource_List.mppnppn=8", 8, 64, 0),
        ] {
            assert_eq!(found(line), [nodes, cpus, gpus].map(Some), "{line}");
        }
        assert_eq!(found("exec_host=login/0 Resource_List.size=64"), [None, Some(64), Some(0)]);
        assert_eq!(found("user=anna"), [None, None, Some(0)]);
        for (line, unit) in
            [("Resource_List.ncpus=many", Unit::Cpus), ("Resource_List.nodect=four", Unit::Nodes)]
        {
            assert!(procs(&Values::of(line), &Place::Unknown, unit).is_err(), "{line}");
        }
    }
}
