//! Where a job ran: hosts with slots (PBS, Torque), numbered nodes (Cobalt), or a Cray, whose login node
//! alone is logged.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_wrap,
    reason = "sums and products are checked or saturate; divisors are above 0; a line has fewer \
              hosts than 2^63"
)]

use foldhash::HashSet;

use super::Values;
use crate::error::Problem;
use crate::unit::Unit;

/// Where a job ran.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// Hosts of `exec_host` or else of `exec_vnode`.
    Hosts(Hosts<'a>),
    /// Numbered nodes, such as `3840-3845,3850`.
    Numbered {
        /// The numbers and ranges.
        list: &'a str,
        nodes: i64,
    },
    /// Compute nodes of a Cray.
    Cray { cpus: i64, nodes: Option<i64> },
    /// The line has no hosts, or names that stand for many nodes.
    Unknown,
}

impl<'a> Place<'a> {
    /// Returns the place of the values of a line.
    pub(super) fn from_values(values: &Values<'a>) -> Result<Self, Problem> {
        if let Some(cray) = cray(values)? {
            return Ok(cray);
        }
        let Some(text) = values.filled("exec_host").or_else(|| values.filled("exec_vnode")) else {
            return Ok(Self::Unknown);
        };
        let is_list = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b',');
        if let Some(nodes) = listed(text).filter(|_| is_list) {
            return Ok(Self::Numbered { list: text, nodes });
        }
        // Cobalt on a Blue Gene names a partition of many nodes.
        let is_cobalt = values.text("resources_used.location").is_some();
        Ok(if is_cobalt { Self::Unknown } else { Self::Hosts(Hosts::parse(text)) })
    }

    /// Returns the list of nodes, as Slurm writes lists; `None` if it is unknown.
    pub(super) fn list(&self) -> Option<String> {
        match self {
            Self::Hosts(hosts) => Some(hosts.names.join(",")).filter(|list| !list.is_empty()),
            Self::Numbered { list, .. } => Some(format!("[{list}]")),
            Self::Cray { .. } | Self::Unknown => None,
        }
    }
}

/// Returns the place of a job of a Cray: `mppwidth` processing elements of `mppdepth` CPUs, `mppnppn` of them
/// on each node, or `size` CPUs; `None` if the line has neither, or hosts that no login node has.
fn cray<'a>(values: &Values<'a>) -> Result<Option<Place<'a>>, Problem> {
    let number = |key| Ok(values.number(key)?.filter(|&number: &i64| number > 0));
    if let Some(width) = values.number("Resource_List.mppwidth")? {
        let depth = number("Resource_List.mppdepth")?.unwrap_or(1);
        let per_node = number("Resource_List.mppnppn")?;
        let named = values.filled("Resource_List.mppnodes").and_then(listed);
        let nodes = named.or(per_node.map(|per_node| (width - 1).div_euclid(per_node) + 1));
        return Ok(Some(Place::Cray { cpus: width.saturating_mul(depth), nodes }));
    }
    // Elsewhere `size` may be that of a file, such as 10gb.
    let Some(cpus) = values.filled("Resource_List.size").and_then(|text| text.parse().ok()) else {
        return Ok(None);
    };
    let is_login = values.filled("exec_host").is_none_or(|hosts| Hosts::parse(hosts).names.len() < 2);
    Ok(is_login.then_some(Place::Cray { cpus, nodes: None }))
}

/// Hosts and their slots.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hosts<'a> {
    /// The names of the hosts, each once.
    pub(super) names: Vec<&'a str>,
    /// The number of CPUs on them.
    pub(super) slots: i64,
    /// Hosts whose slots are no numbers, which have one.
    pub(super) odd: u64,
}

impl<'a> Hosts<'a> {
    /// Returns the hosts of a text such as `n1/0*4+n2/0*4` (PBS Pro), `n1/0+n1/1` (Torque), `n1/0-3,8` (newer
    /// Torque) or `(n1[0]:ncpus=4+n1[1]:ncpus=4)` (virtual nodes of one host).
    pub(super) fn parse(text: &'a str) -> Self {
        let (mut names, mut seen, mut slots, mut odd) = (Vec::new(), HashSet::default(), 0_i64, 0);
        for part in parts(text) {
            let (name, rest) = part.split_at(part.find(['/', ':']).unwrap_or(part.len()));
            let name = host_of(name);
            // Most repetitions follow one another, but not all.
            if names.last() != Some(&name) && seen.insert(name) {
                names.push(name);
            }
            let number = |text: &str| text.parse::<u32>().ok().map(i64::from);
            let times = rest.split_once('*').map(|(_, times)| number(times));
            let cpus = || rest.split(':').find_map(|item| item.strip_prefix("ncpus=")).map(number);
            let indices = || rest.strip_prefix('/').map(listed);
            let cpus = times.or_else(cpus).or_else(indices).unwrap_or(Some(1));
            odd += u64::from(cpus.is_none());
            slots = slots.saturating_add(cpus.unwrap_or(1));
        }
        Self { names, slots, odd }
    }
}

/// Returns the chunks of a text such as `(n1:ncpus=4+n2:ncpus=4)+(n3:ncpus=1)`, without parentheses.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split('+').map(|part| part.trim_matches(['(', ')'])).filter(|part| !part.is_empty())
}

/// Returns the host of a virtual node such as `n1[0]`; the name itself if it is that of a host.
fn host_of(name: &str) -> &str {
    let host = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let is_vnode = |index: &str| !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    host.filter(|(host, index)| !host.is_empty() && is_vnode(index)).map_or(name, |(host, _)| host)
}

/// Returns how many numbers a list such as `0`, `0-3` or `0-3,8,10-11` has; `None` if the text is none.
fn listed(text: &str) -> Option<i64> {
    let mut count: i64 = 0;
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (i64, i64) = (first.parse().ok()?, last.parse().ok()?);
        let numbers = last.checked_sub(first)?.checked_add(1).filter(|&numbers| numbers > 0)?;
        count = count.checked_add(numbers)?;
    }
    Some(count)
}

// How many processors a job had, by the unit. What it got goes before what it asked for, and values that are
// not needed may be malformed.

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

/// Returns the number of a key, or else the sum over the requested chunks; `None` without either. A malformed
/// number is an error only without chunks.
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
    fn parse(text: &'a str) -> Self {
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
    parts(text).filter_map(|part| of(&Chunk::parse(part))).reduce(i64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: &str) -> Place<'_> {
        Place::from_values(&Values::parse(line)).expect("a place")
    }

    #[test]
    fn virtual_nodes_are_parts_of_hosts() {
        for (text, names, slots) in [
            ("(n1[0]:ncpus=12+n1[1]:ncpus=12)+(n2[0]:ncpus=12)", vec!["n1", "n2"], 36),
            ("n1[0]/0*4+n1[1]/1*4", vec!["n1"], 8),
            ("n[a]/0+[1]/0", vec!["n[a]", "[1]"], 2),
            ("n1/0+n2/0+n1/1", vec!["n1", "n2"], 3),
        ] {
            assert_eq!(Hosts::parse(text), Hosts { names, slots, odd: 0 }, "{text}");
        }
    }

    #[test]
    fn login_nodes_of_a_cray_are_no_place() {
        let cray = |cpus, nodes| Place::Cray { cpus, nodes };
        for (line, expected) in [
            ("exec_host=login2/4 Resource_List.mppwidth=256 Resource_List.mppnppn=16", cray(256, Some(16))),
            ("exec_host=login2/4 Resource_List.mppwidth=17 Resource_List.mppnppn=16", cray(17, Some(2))),
            ("Resource_List.mppwidth=8 Resource_List.mppnppn=4 Resource_List.mppdepth=6", cray(48, Some(2))),
            ("exec_host=login2/4 Resource_List.mppwidth=256", cray(256, None)),
            ("Resource_List.mppwidth=64 Resource_List.mppnodes=12-15,20", cray(64, Some(5))),
            ("Resource_List.mppwidth=0 Resource_List.mppnppn=4", cray(0, Some(0))),
            ("exec_host=login1/0 Resource_List.size=24", cray(24, None)),
        ] {
            assert_eq!(place(line), expected, "{line}");
        }
        for line in
            ["exec_host=n1/0+n2/0 Resource_List.size=24", "exec_host=n1/0+n2/0 Resource_List.size=10gb"]
        {
            assert!(matches!(place(line), Place::Hosts(_)), "{line}");
        }
    }

    #[test]
    fn numbered_nodes_are_lists() {
        let cobalt =
            place("exec_host=\"3840-3845,3850-3851\" resources_used.location=\"3840-3845,3850-3851\"");
        assert_eq!(cobalt, Place::Numbered { list: "3840-3845,3850-3851", nodes: 8 });
        assert_eq!(cobalt.list().as_deref(), Some("[3840-3845,3850-3851]"));
        let partition =
            place("exec_host=\"MIR-00000-33331-512\" resources_used.location=\"MIR-00000-33331-512\"");
        assert_eq!((partition.list(), &partition), (None, &Place::Unknown));
    }

    fn found(line: &str) -> [Option<i64>; 3] {
        let values = Values::parse(line);
        let place = Place::from_values(&values).expect("a place");
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
            assert!(procs(&Values::parse(line), &Place::Unknown, unit).is_err(), "{line}");
        }
    }
}
