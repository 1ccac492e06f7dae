//! The nodes of a machine that no job can have: service nodes, or nodes with a defect.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use super::intervals::format_coordinates;
use super::mesh::Mesh;
use super::{Coord, NodeId};
use meshreplay_base::memory;
use meshreplay_base::words::{counted, excerpt};

/// The nodes of a machine that no job can have, as intervals of node numbers. A machine without such nodes
/// keeps no list, so that it costs nothing to copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unavailable(Option<Arc<List>>);

/// The intervals, ascending and as long as possible, and how many nodes they have in all.
#[derive(Debug, PartialEq, Eq)]
struct List {
    runs: Vec<(NodeId, NodeId)>,
    count: u32,
}

/// The reason why nodes cannot be made unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableError {
    /// The machine has no such node.
    Outside {
        /// The number of the node.
        node: NodeId,
        /// The number of nodes of the machine.
        nodes: u32,
    },
    /// The node is named twice.
    Twice(NodeId),
    /// No node is left.
    All(u32),
}

impl UnavailableError {
    /// Returns in words what is wrong.
    pub(super) fn problem(&self) -> String {
        match self {
            Self::Outside { node, .. } => format!("unavailable node {node} is outside the machine"),
            Self::Twice(node) => format!("node {node} is made unavailable twice"),
            Self::All(nodes) => format!("all {nodes} nodes are unavailable"),
        }
    }

    /// Returns in words what was expected instead.
    pub(super) fn expected(&self) -> String {
        match self {
            Self::Outside { nodes, .. } => format!("nodes from 0 to {}", nodes - 1),
            Self::Twice(_) => "each node once".to_owned(),
            Self::All(_) => "at least one node that jobs can have".to_owned(),
        }
    }
}

impl fmt::Display for UnavailableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; expected {}", self.problem(), self.expected())
    }
}

impl std::error::Error for UnavailableError {}

impl Unavailable {
    /// Returns the list of `runs`, each given by its first and its last node, on a machine of `nodes` nodes.
    /// The runs may come in any order. See [`UnavailableError`] for failures.
    pub(super) fn new(mut runs: Vec<(NodeId, NodeId)>, nodes: u32) -> Result<Self, UnavailableError> {
        runs.sort_unstable();
        if let Some(&(first, last)) = runs.iter().find(|(_, last)| *last >= nodes) {
            return Err(UnavailableError::Outside { node: first.max(nodes.min(last)), nodes });
        }
        if let Some(pair) = runs.windows(2).find(|pair| pair[0].1 >= pair[1].0) {
            return Err(UnavailableError::Twice(pair[1].0));
        }
        let count = runs.iter().map(|(first, last)| last - first + 1).sum();
        if count == nodes {
            return Err(UnavailableError::All(nodes));
        }
        // Runs without a node between them become one, so that every set of nodes has one spelling.
        runs.dedup_by(|next, run| {
            let joins = run.1 + 1 == next.0;
            if joins {
                run.1 = next.1;
            }
            joins
        });
        Ok(Self((count > 0).then(|| Arc::new(List { runs, count }))))
    }

    /// Returns the intervals as their first and last nodes, ascending; empty if every node is available.
    pub(super) fn runs(&self) -> &[(NodeId, NodeId)] {
        self.0.as_ref().map_or(&[], |list| &list.runs)
    }

    /// Returns the number of unavailable nodes.
    pub(super) fn count(&self) -> u32 {
        self.0.as_ref().map_or(0, |list| list.count)
    }

    /// Returns whether `node` is unavailable. O(log r) for r intervals.
    pub(super) fn contains(&self, node: NodeId) -> bool {
        let runs = self.runs();
        let at = runs.partition_point(|(_, last)| *last < node);
        runs.get(at).is_some_and(|(first, _)| *first <= node)
    }
}

// Reads unavailable nodes from a text or a file.
//
// An item is a node (`7`), an interval of nodes (`0-3`), the coordinates of a node (`(3,1)`), or a submesh
// by its lowest and its highest node (`(0,0)-(3,1)`). Blanks and commas separate items. A file has items on
// its lines, and `#` begins a comment. A file whose first line is a header with a column `node`, or with
// columns `x`, `y` and `z` as far as the machine has them, is a table with commas: each further line has one
// node.

/// The forms that are accepted, for messages.
const FORMS: &str =
    "nodes such as 0-3,7, coordinates such as (3,1), or submeshes by two corners such as (0,0)-(3,1)";

/// The reason why nodes cannot be made unavailable.
#[derive(Debug, thiserror::Error)]
pub enum UnavailableTextError {
    /// The text is no list of nodes, and there is no such file.
    #[error("unavailable nodes '{text}': {problem}, and there is no such file; expected a file, or {FORMS}")]
    Text {
        /// The text as given.
        text: String,
        /// The part that is wrong, in words.
        problem: String,
    },
    /// The file cannot be read.
    #[error("cannot read the file of unavailable nodes {}: {reason}", .path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// A line of the file is wrong.
    #[error("{}:{line}: {problem}; expected {expected}", .path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong, in words.
        problem: String,
        /// What was expected instead, in words.
        expected: String,
    },
    /// The nodes are not on the machine, or are named twice, or none is left.
    #[error("machine {machine}: {reason}")]
    Nodes {
        /// The machine.
        machine: String,
        /// The reason.
        reason: UnavailableError,
    },
}

/// An interval of nodes by its first and its last node.
type Run = (NodeId, NodeId);

/// Returns `mesh` without the nodes in `text` or, if that is no list of nodes, without the nodes in the file
/// at `path`. See [`UnavailableTextError`] for failures.
pub fn make_unavailable(mesh: &Mesh, text: &str, path: &Path) -> Result<Mesh, UnavailableTextError> {
    let listed = items(text, mesh);
    if listed.is_err() && path.exists() {
        return from_file(mesh, path);
    }
    let runs = listed.map_err(|problem| UnavailableTextError::Text { text: text.to_owned(), problem })?;
    let machine = mesh.to_string();
    mesh.without(&runs).map_err(|reason| UnavailableTextError::Nodes { machine, reason })
}

/// Returns `mesh` with the nodes that the file at `path` lists unavailable.
fn from_file(mesh: &Mesh, path: &Path) -> Result<Mesh, UnavailableTextError> {
    let bytes = memory::read_file(path)
        .map_err(|reason| UnavailableTextError::Unreadable { path: path.to_owned(), reason })?;
    let fail = |line: usize, problem: String, expected: String| UnavailableTextError::Line {
        path: path.to_owned(),
        line,
        problem,
        expected,
    };
    let text = String::from_utf8_lossy(&bytes);
    // Spreadsheets write a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let lines = (1..).zip(text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty()).peekable();
    let table = lines.peek().and_then(|(_, header)| Table::from_header(header, mesh));
    if table.is_some() {
        lines.next();
    }
    let mut found: Vec<(usize, Run)> = Vec::new();
    for (number, line) in lines {
        let (runs, expected) = match &table {
            Some(table) => (table.node(line, mesh).map(|node| vec![(node, node)]), table.expected()),
            None => (items(line, mesh), FORMS.to_owned()),
        };
        let runs = runs.map_err(|problem| fail(number, problem, expected))?;
        found.extend(runs.into_iter().map(|run| (number, run)));
    }
    if found.is_empty() {
        return Err(fail(1, "the file names no node".to_owned(), FORMS.to_owned()));
    }
    let runs: Vec<Run> = found.iter().map(|(_, run)| *run).collect();
    mesh.without(&runs).map_err(|error| {
        // The last line with the node: of two lines that name a node, the second one is wrong.
        let of = |node: NodeId| {
            found.iter().rfind(|(_, (first, last))| (*first..=*last).contains(&node)).map(|(line, _)| *line)
        };
        match error {
            UnavailableError::Outside { node, .. } | UnavailableError::Twice(node) => {
                fail(of(node).unwrap_or(1), error.problem(), error.expected())
            }
            UnavailableError::All(_) => {
                UnavailableTextError::Nodes { machine: mesh.to_string(), reason: error }
            }
        }
    })
}

/// The columns with the nodes of a table: one with numbers of nodes, or one for each coordinate.
struct Table(Vec<(String, usize)>);

impl Table {
    /// Returns the columns that `header` has for `mesh`; `None` if it is no header.
    fn from_header(header: &str, mesh: &Mesh) -> Option<Self> {
        let names: Vec<&str> = header.split(',').map(|name| name.trim().trim_matches('"')).collect();
        let column = |name: &str| {
            Some((name.to_owned(), names.iter().position(|other| other.eq_ignore_ascii_case(name))?))
        };
        if let Some(node) = column("node") {
            return Some(Self(vec![node]));
        }
        ["x", "y", "z"][..mesh.dims()].iter().map(|name| column(name)).collect::<Option<_>>().map(Self)
    }

    /// Returns the required content of a line, in words.
    fn expected(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        format!("whole numbers in the columns of the header: {}", names.join(", "))
    }

    /// Returns the node of a line. Fails with what is wrong.
    fn node(&self, line: &str, mesh: &Mesh) -> Result<NodeId, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let number = |(name, column): &(String, usize)| {
            let field = fields.get(*column).map(|field| field.trim_matches('"'));
            let field = field.ok_or_else(|| format!("column '{name}' is missing"))?;
            field.parse().map_err(|_| format!("'{field}' in column '{name}' is no whole number"))
        };
        let numbers: Vec<u32> = self.0.iter().map(number).collect::<Result<_, String>>()?;
        if let [(name, _)] = &self.0[..]
            && name == "node"
        {
            return Ok(numbers[0]);
        }
        Ok(mesh.node(inside(&numbers, mesh)?))
    }
}

/// Returns the coordinates `numbers` of a node of `mesh`. Fails with what is wrong.
fn inside(numbers: &[u32], mesh: &Mesh) -> Result<Coord, String> {
    let shown = || format_coordinates(numbers);
    if numbers.len() != mesh.dims() {
        return Err(format!("{} has not {}", shown(), counted(mesh.dims(), "coordinate")));
    }
    if numbers.iter().zip(mesh.extents()).any(|(&at, extent)| at >= extent) {
        return Err(format!("{} is outside machine {mesh}", shown()));
    }
    let mut coord = [0; 3];
    coord[..numbers.len()].copy_from_slice(numbers);
    Ok(coord)
}

/// Returns the nodes of all items of a text as intervals. Fails with what is wrong.
fn items(text: &str, mesh: &Mesh) -> Result<Vec<Run>, String> {
    let mut runs = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\t', ',']);
    if rest.is_empty() {
        return Err("it names no node".to_owned());
    }
    while !rest.is_empty() {
        rest = if rest.starts_with('(') {
            let (low, behind) = corner(rest, mesh)?;
            let (high, behind) = match behind.strip_prefix('-') {
                Some(other) => corner(other, mesh)?,
                None => (low, behind),
            };
            if (0..3).any(|d| low[d] > high[d]) {
                let part = &rest[..rest.len() - behind.len()];
                return Err(format!("'{part}' does not name its lowest corner first"));
            }
            runs.extend(rows(low, high, mesh));
            behind
        } else {
            let end = rest.find([' ', '\t', ',']).unwrap_or(rest.len());
            let (part, behind) = rest.split_at(end);
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let run = first.parse().ok().zip(last.parse().ok()).filter(|(first, last)| first <= last);
            let part = excerpt(part);
            runs.push(run.ok_or_else(|| format!("'{part}' is no node and no interval of nodes"))?);
            behind
        };
        rest = rest.trim_start_matches([' ', '\t', ',']);
    }
    Ok(runs)
}

/// Returns the coordinates at the beginning of `text`, such as `(3,1)`, and what follows them. Fails with
/// what is wrong.
fn corner<'a>(text: &'a str, mesh: &Mesh) -> Result<(Coord, &'a str), String> {
    let shown = || excerpt(text);
    let wrong = || format!("'{}' does not begin with coordinates", shown());
    let (inner, behind) = text.strip_prefix('(').and_then(|text| text.split_once(')')).ok_or_else(wrong)?;
    let numbers: Option<Vec<u32>> = inner.split(',').map(|part| part.trim().parse().ok()).collect();
    Ok((inside(&numbers.ok_or_else(wrong)?, mesh)?, behind))
}

/// Returns the nodes of the submesh from `low` to `high` as one interval for each row.
fn rows(low: Coord, high: Coord, mesh: &Mesh) -> impl Iterator<Item = Run> + '_ {
    let rows = (low[2]..=high[2]).flat_map(move |z| (low[1]..=high[1]).map(move |y| (y, z)));
    rows.map(move |(y, z)| (mesh.node([low[0], y, z]), mesh.node([high[0], y, z])))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_set_has_one_spelling() -> Result<(), UnavailableError> {
        let same = [vec![(4, 4), (0, 1), (2, 3), (7, 7)], vec![(0, 4), (7, 7)], vec![(7, 7), (0, 4)]];
        for runs in same {
            let found = Unavailable::new(runs, 9)?;
            assert_eq!((found.runs(), found.count()), (&[(0, 4), (7, 7)][..], 6));
            let members: Vec<NodeId> = (0..12).filter(|&node| found.contains(node)).collect();
            assert_eq!(members, [0, 1, 2, 3, 4, 7]);
        }
        assert_eq!(Unavailable::new(Vec::new(), 9)?, Unavailable::default());
        Ok(())
    }

    #[test]
    fn wrong_sets_are_named() {
        for (runs, error) in [
            (vec![(3, 9)], UnavailableError::Outside { node: 9, nodes: 9 }),
            (vec![(12, 14)], UnavailableError::Outside { node: 12, nodes: 9 }),
            (vec![(5, 6), (0, 5)], UnavailableError::Twice(5)),
            (vec![(2, 2), (2, 2)], UnavailableError::Twice(2)),
            (vec![(0, 3), (4, 8)], UnavailableError::All(9)),
        ] {
            assert_eq!(Unavailable::new(runs, 9), Err(error));
        }
    }

    /// Removes the nodes in `text` from `machine`. Returns the machine or the message of the error.
    fn given(machine: &str, text: &str) -> String {
        let mesh: Mesh = machine.parse().expect("a machine");
        let made = make_unavailable(&mesh, text, Path::new(text));
        made.map_or_else(|error| error.to_string(), |mesh| mesh.to_string())
    }

    #[test]
    fn nodes_intervals_coordinates_and_submeshes_are_read() {
        for (machine, text, expected) in [
            ("16x8", "0-3,17", "16x8:without=0-3,17"),
            ("16x8", " 17 0-3 ", "16x8:without=0-3,17"),
            ("16x8", "(3,1)", "16x8:without=19"),
            ("16x8", "(0,0)-(3,1),(15,7)", "16x8:without=0-3,16-19,127"),
            ("4x4x4", "(0,0,1)-(3,3,1)", "4x4x4:without=16-31"),
            ("torus:9", "(8), 2", "torus:9:without=2,8"),
            ("16x8:without=5", "6", "16x8:without=5-6"),
        ] {
            assert_eq!(given(machine, text), expected);
        }
    }

    #[test]
    fn wrong_texts_are_named() {
        for (text, problem) in [
            (
                "0-3,a",
                "'a' is no node and no interval of nodes, and there is no such file; expected a file, or",
            ),
            ("", "it names no node"),
            ("(3)", "(3) has not 2 coordinates"),
            ("(16,0)", "(16,0) is outside machine 16x8"),
            ("(3,1)-(2,1)", "'(3,1)-(2,1)' does not name its lowest corner first"),
            ("(3,1)-4", "'4' does not begin with coordinates"),
            ("128", "machine 16x8: unavailable node 128 is outside the machine; expected"),
            ("3 3", "node 3 is made unavailable twice; expected each node once"),
            ("0-127", "all 128 nodes are unavailable; expected at least one"),
        ] {
            let message = given("16x8", text);
            assert!(message.contains(problem), "{text}: {message}");
        }
    }

    #[test]
    fn files_have_items_or_a_table() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("nodes.txt");
        let file = path.to_string_lossy().into_owned();
        let read = |text: &str| -> Result<String, io::Error> {
            fs::write(&path, text)?;
            Ok(given("16x8", &file).replace(&file, "FILE"))
        };
        for (text, expected) in [
            ("# service nodes\n0-3 # front\n\n(0,1) 18,19\n", "16x8:without=0-3,16,18-19"),
            ("node\n5\n3\n", "16x8:without=3,5"),
            ("name,node,why\na,5,disk\nb,3,\n", "16x8:without=3,5"),
            ("x,y\n3,1\n 0, 0\n", "16x8:without=0,19"),
            ("\u{feff}\"Node\",why\r\n\"5\",disk\r\n3,\r\n", "16x8:without=3,5"),
            ("\u{feff}0-3\r\n(0,1)\r\n", "16x8:without=0-3,16"),
            ("0-3\n(a,1)\n", "FILE:2: '(a,1)' does not begin with coordinates; expected nodes such as"),
            ("0-3\n2\n", "FILE:2: node 2 is made unavailable twice; expected each node once"),
            (
                "0-3\n\n7\n200\n",
                "FILE:4: unavailable node 200 is outside the machine; expected nodes from 0 to 127",
            ),
            ("node\nfive\n", "FILE:2: 'five' in column 'node' is no whole number; expected whole numbers in"),
            ("x,y\n3\n", "FILE:2: column 'y' is missing; expected"),
            ("x,y\n3,9\n", "FILE:2: (3,9) is outside machine 16x8; expected"),
            ("# nothing\n", "FILE:1: the file names no node; expected"),
        ] {
            let found = read(text)?;
            assert!(found.starts_with(expected), "{text:?}: {found}");
        }
        Ok(())
    }
}
