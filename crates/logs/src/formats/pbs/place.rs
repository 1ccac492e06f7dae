//! Where a job ran: hosts with slots (PBS, Torque), numbered nodes (Cobalt), or a Cray, whose login node
//! alone is logged.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "sums and products are checked or saturate; divisors are above 0"
)]

use foldhash::HashSet;

use super::values::Values;
use crate::error::Problem;

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
}
