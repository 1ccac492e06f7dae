//! Reads outages from a file of comma-separated values, with a line `time,node,state` for every change. A
//! planned outage of the whole machine has the state `planned` in place of `down`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::{NodeChange, Outages};
use crate::machine::intervals::{intervals, parse_intervals, quote, unquoted};
use crate::machine::{Mesh, NodeId};
use meshreplay_base::job::Time;
use meshreplay_base::memory;

/// The reason why a file gives no outages of a machine.
#[derive(Clone, Debug, thiserror::Error)]
pub enum OutageFileError {
    /// The file cannot be read.
    #[error("cannot read the outages in {}: {problem}; give a file of lines time,node,down|planned|up, or \
         random:mtbf=30d,repair=4h", .path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system, in words.
        problem: String,
    },
    /// The file lists no change.
    #[error("{} lists no change of a node; expected lines time,node,down|planned|up, or leave out the \
         outages", .path.display())]
    Empty {
        /// The path of the file.
        path: PathBuf,
    },
    /// A line is malformed or contradicts another one.
    #[error("{}:{line}: {problem}", .path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: OutageProblem,
    },
}

/// The reason why a line of the file is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutageProblem {
    /// The line has fewer than three fields.
    #[error("found {0}, expected three fields: time,node,state, such as 3600,17,down")]
    Fields(String),
    /// The first field is no time.
    #[error("field 1, the time: found {0}, expected seconds from 0 to 9e12, such as 3600 or 0.5")]
    Time(String),
    /// The second field names no nodes.
    #[error(
        "field 2, the node: found {0}, expected a number, intervals such as 0-3 7, or coordinates such as \
             (2,5)"
    )]
    Node(String),
    /// The node is not on the machine.
    #[error(
        "field 2, the node: found {found}, expected a node of machine {machine}, which has nodes 0 to {last}"
    )]
    Outside {
        /// The node.
        found: String,
        /// The machine.
        machine: String,
        /// The last node of the machine.
        last: NodeId,
    },
    /// The machine is without the node, so it cannot go down.
    #[error(
        "field 2, the node: found {found}, which is always unavailable on machine {machine}; take the line \
             out"
    )]
    Unavailable {
        /// The node.
        found: NodeId,
        /// The machine.
        machine: String,
    },
    /// The third field is no state.
    #[error("field 3, the state: found {0}, expected down, planned or up")]
    State(String),
    /// A planned outage is of a part of the machine.
    #[error(
        "a planned outage begins at {time} with {down} of {nodes} nodes down; expected all of them, as \
         planned outages are of the whole machine: give the other nodes at this time too, or down instead of \
              planned"
    )]
    Part {
        /// The beginning of the outage.
        time: Time,
        /// The nodes that are down then.
        down: u32,
        /// The nodes of the machine.
        nodes: u32,
    },
    /// A node that is down goes down.
    #[error(
        "node {node} goes down at {time}, but it is down since line {since}; outages of one node must not \
         overlap, so give the line at which it comes up between them"
    )]
    IsDown {
        /// The node.
        node: NodeId,
        /// The time of the line.
        time: Time,
        /// The line with the start of the outage, from 1.
        since: usize,
    },
    /// A node that is up comes up.
    #[error(
        "node {node} comes up at {time}, but it is up already; take the line out, or give the line at which \
             it goes down"
    )]
    IsUp {
        /// The node.
        node: NodeId,
        /// The time of the line.
        time: Time,
    },
}

/// A line of the file, for all its nodes.
struct Line {
    number: usize,
    time: Time,
    nodes: Vec<NodeId>,
    is_down: bool,
    is_planned: bool,
}

/// Reads the outages of `mesh` from the file at `path`.
///
/// Each line has a time in seconds, a node, several nodes as intervals or the coordinates of a node, and
/// `down`, `planned` or `up`. Lines may come in any order; lines with the same time keep theirs. Blank lines,
/// lines that begin with `#`, and a first line that begins with `time` are skipped.
pub(super) fn read(path: &Path, mesh: &Mesh) -> Result<Outages, OutageFileError> {
    let unreadable =
        |error: io::Error| OutageFileError::Unreadable { path: path.to_owned(), problem: error.to_string() };
    let bytes = memory::read_file(path).map_err(unreadable)?;
    let (changes, planned) = parse(&bytes, mesh).map_err(|(line, problem)| OutageFileError::Line {
        path: path.to_owned(),
        line,
        problem,
    })?;
    if changes.is_empty() {
        return Err(OutageFileError::Empty { path: path.to_owned() });
    }
    Ok(Outages { planned, ..Outages::listed(changes) })
}

/// The changes of a file in the order of time, and its planned outages.
type Parsed = (Vec<NodeChange>, Vec<[Time; 2]>);

/// Returns the outages that a file's content lists. The error has the number of the line.
fn parse(bytes: &[u8], mesh: &Mesh) -> Result<Parsed, (usize, OutageProblem)> {
    let mut lines: Vec<Line> = Vec::new();
    let mut is_first = true;
    for (i, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line);
        // Spreadsheets write a byte order mark.
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let is_header = is_first && text.to_ascii_lowercase().starts_with("time");
        is_first = false;
        if !is_header {
            lines.push(line_of(text, i + 1, mesh).map_err(|problem| (i + 1, problem))?);
        }
    }
    // The sort is stable, so that lines with the same time keep their order.
    lines.sort_by_key(|line| line.time);
    // For each node that is down, the line of the start.
    let mut down: BTreeMap<NodeId, usize> = BTreeMap::new();
    let (mut changes, mut planned) = (Vec::new(), Vec::new());
    for Line { number, time, nodes, is_down, is_planned } in lines {
        if is_planned && planned.last().is_none_or(|&(last, _)| last < time) {
            planned.push((time, number));
        }
        for node in nodes {
            let problem = match (is_down, down.get(&node)) {
                (true, Some(&since)) => OutageProblem::IsDown { node, time, since },
                (false, None) => OutageProblem::IsUp { node, time },
                (true, None) => {
                    down.insert(node, number);
                    changes.push(NodeChange { time, node, is_down });
                    continue;
                }
                (false, Some(_)) => {
                    down.remove(&node);
                    changes.push(NodeChange { time, node, is_down });
                    continue;
                }
            };
            return Err((number, problem));
        }
    }
    let planned = planned_outages(&changes, &planned, mesh.available())?;
    Ok((changes, planned))
}

/// Returns the planned outages that begin at these times, given with their lines. Each ends when the first
/// node comes up. Fails if not all of the `nodes` nodes of the machine are down then. O(changes).
fn planned_outages(
    changes: &[NodeChange],
    starts: &[(Time, usize)],
    nodes: u32,
) -> Result<Vec<[Time; 2]>, (usize, OutageProblem)> {
    let (mut down, mut changes) = (0_u32, changes.iter().peekable());
    let mut planned = Vec::with_capacity(starts.len());
    for &(time, line) in starts {
        while let Some(change) = changes.next_if(|change| change.time <= time) {
            down = if change.is_down { down.saturating_add(1) } else { down.saturating_sub(1) };
        }
        if down < nodes {
            return Err((line, OutageProblem::Part { time, down, nodes }));
        }
        // All nodes are down, so the next change is one that comes up.
        planned.push([time, changes.peek().map_or(Time::MAX, |up| up.time)]);
    }
    Ok(planned)
}

/// The latest time of a change in seconds; times are microseconds in 64 bits.
const LATEST_S: f64 = 9e12;

/// Reads one line, which is not empty.
fn line_of(text: &str, number: usize, mesh: &Mesh) -> Result<Line, OutageProblem> {
    // The first and the last comma separate the fields, because coordinates have commas too.
    let fields = text.split_once(',').and_then(|(time, rest)| Some((time, rest.rsplit_once(',')?)));
    let (time, (nodes, state)) = fields.ok_or_else(|| OutageProblem::Fields(quote(text)))?;
    let (time, nodes, state) = (unquoted(time), unquoted(nodes), unquoted(state));
    let seconds: Option<f64> = time.parse().ok().filter(|seconds| (0.0..=LATEST_S).contains(seconds));
    let seconds = seconds.ok_or_else(|| OutageProblem::Time(quote(time)))?;
    let time = Time::from_micros((seconds * 1e6).round() as i64);
    let [is_down, is_planned, is_up] = ["down", "planned", "up"].map(|word| state.eq_ignore_ascii_case(word));
    if !(is_down || is_planned || is_up) {
        return Err(OutageProblem::State(quote(state)));
    }
    Ok(Line { number, time, nodes: nodes_of(nodes, mesh)?, is_down: !is_up, is_planned })
}

/// Returns the nodes that a field names: coordinates such as `(2,5)`, or numbers and intervals such as `0-3
/// 7`.
fn nodes_of(text: &str, mesh: &Mesh) -> Result<Vec<NodeId>, OutageProblem> {
    let bad = || OutageProblem::Node(quote(text));
    let outside =
        |found: String| OutageProblem::Outside { found, machine: mesh.to_string(), last: mesh.nodes() - 1 };
    if let Some(inner) = text.strip_prefix('(') {
        let inner = inner.strip_suffix(')').ok_or_else(bad)?;
        let parts: Option<Vec<u32>> = inner.split(',').map(|part| part.trim().parse().ok()).collect();
        let parts = parts.filter(|parts| parts.len() == mesh.dims()).ok_or_else(bad)?;
        let mut coord = [0; 3];
        coord[..parts.len()].copy_from_slice(&parts);
        let inside = coord.iter().zip(mesh.extents()).all(|(&at, extent)| at < extent);
        return if inside { available(vec![mesh.node(coord)], mesh) } else { Err(outside(quote(text))) };
    }
    let parsed = parse_intervals(text).map_err(|_| bad())?;
    if parsed.is_empty() {
        return Err(bad());
    }
    if let Some((_, last)) = parsed.iter().find(|(_, last)| *last >= mesh.nodes()) {
        return Err(outside(intervals(&[*last])));
    }
    available(parsed.into_iter().flat_map(|(first, last)| first..=last).collect(), mesh)
}

/// Returns `nodes`, or an error for the first of them that is always unavailable.
fn available(nodes: Vec<NodeId>, mesh: &Mesh) -> Result<Vec<NodeId>, OutageProblem> {
    match nodes.iter().find(|&&node| !mesh.is_available(node)) {
        Some(&found) => Err(OutageProblem::Unavailable { found, machine: mesh.to_string() }),
        None => Ok(nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(text: &str) -> Result<Vec<(f64, NodeId, bool)>, String> {
        let mesh = "4x2".parse().map_err(|_| "no machine")?;
        let found = parse(text.as_bytes(), &mesh).map_err(|(line, problem)| format!("{line}: {problem}"))?;
        Ok(found.0.iter().map(|change| (change.time.as_seconds(), change.node, change.is_down)).collect())
    }

    #[test]
    fn lines_name_nodes_and_times() {
        let text = "\u{feff}# maintenance\nTime,node,state\n\n20,5,Up\r\n0.5, \"1-2\" \
             ,down\n20,(3,1),down\n3,5,down\n";
        let found = changes(text);
        let expected =
            vec![(0.5, 1, true), (0.5, 2, true), (3.0, 5, true), (20.0, 5, false), (20.0, 7, true)];
        assert_eq!(found, Ok(expected));
        assert_eq!(
            changes("10,3,down\n10,3,up\n").map(|found| found.len()),
            Ok(2),
            "a node may be down for no time"
        );
        assert_eq!(changes(""), Ok(Vec::new()));
    }

    #[test]
    fn nodes_that_are_always_unavailable_cannot_go_down() -> Result<(), Box<dyn std::error::Error>> {
        let mesh = "4x2".parse::<Mesh>()?.without(&[(3, 3)])?;
        for (text, is_good) in [("1,2,down", true), ("1,2-4,down", false), ("1,(3,0),down", false)] {
            assert_eq!(parse(text.as_bytes(), &mesh).is_ok(), is_good, "{text}");
        }
        Ok(())
    }

    #[test]
    fn planned_outages_end_when_the_first_node_comes_up() {
        let mesh = "4x2".parse().expect("a machine");
        let text = "9,3,up\n5,0-3,planned\n5,4-7,Planned\n10,0-2 4-7,up\n20,2,down\n30,0 1 3-7,planned\n";
        let planned = parse(text.as_bytes(), &mesh).map(|(_, planned)| planned);
        assert_eq!(planned, Ok(vec![[5, 9].map(Time::from_seconds), [Time::from_seconds(30), Time::MAX]]));
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, message) in [
            ("5,down", "1: found '5,down', expected three fields: time,node,state, such as 3600,17,down"),
            (
                "time,node,state\n-1,0,down",
                "2: field 1, the time: found '-1', expected seconds from 0 to 9e12, such as 3600 or 0.5",
            ),
            (
                "noon,0,down",
                "1: field 1, the time: found 'noon', expected seconds from 0 to 9e12, such as 3600 or 0.5",
            ),
            (
                "1,x,down",
                "1: field 2, the node: found 'x', expected a number, intervals such as 0-3 7, or coordinates \
                     such as (2,5)",
            ),
            (
                "1,,down",
                "1: field 2, the node: found '', expected a number, intervals such as 0-3 7, or coordinates \
                     such as (2,5)",
            ),
            (
                "1,6-8,down",
                "1: field 2, the node: found 8, expected a node of machine 4x2, which has nodes 0 to 7",
            ),
            (
                "1,(4,0),down",
                "1: field 2, the node: found '(4,0)', expected a node of machine 4x2, which has nodes 0 to 7",
            ),
            ("1,0,dwon", "1: field 3, the state: found 'dwon', expected down, planned or up"),
            (
                "5,0-3,planned\n5,5-7,down\n9,0-3,up\n9,5-7,up",
                "1: a planned outage begins at 5 s with 7 of 8 nodes down; expected all of them, as planned \
                 outages are of the whole machine: give the other nodes at this time too, or down instead of \
                 planned",
            ),
            (
                "1,0,down\n2,0-1,down\n3,0,up",
                "2: node 0 goes down at 2 s, but it is down since line 1; outages of one node must not \
                 overlap, so give the line at which it comes up between them",
            ),
            (
                "1,0,down\n2,0,up\n3,0,up",
                "3: node 0 comes up at 3 s, but it is up already; take the line out, or give the line at \
                     which it goes down",
            ),
        ] {
            assert_eq!(changes(text), Err(message.to_owned()));
        }
    }
}
