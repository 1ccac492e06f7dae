//! Tables of nodes: rows `name,x,y,z` or `name,number`, with or without a header.

use std::collections::BTreeMap;
use std::path::Path;

use super::NodeMapError;
use crate::machine::intervals::{format_coordinates, unquoted};
use crate::machine::mesh::{Mesh, NodeId};
use crate::machine::topology::{self, Topology};
use meshreplay_base::memory;
use meshreplay_base::words::excerpt;

/// The reason why a row is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RowProblem {
    /// The header lacks a column that is needed.
    #[error(
        "the header has no column {missing}, found {found}; expected name and number, or name and \
             {coordinates}"
    )]
    Header {
        /// The columns that are missing.
        missing: &'static str,
        /// The columns that are there.
        found: String,
        /// The columns of coordinates that the machine needs.
        coordinates: String,
    },
    /// A row without header has another number of fields than it must have.
    #[error("number of fields: found {found}, expected 2 (name,number) or {} (name,{coordinates}), as \
         machine {machine} has {dims} dimensions", dims + 1)]
    Fields {
        /// The number of fields.
        found: usize,
        /// The columns of coordinates that the machine needs.
        coordinates: String,
        /// The machine.
        machine: String,
        /// The number of its dimensions.
        dims: usize,
    },
    /// A row has another number of fields than the first one.
    #[error("number of fields: found {found}, expected {expected} as in the first row")]
    Uneven {
        /// The number of fields.
        found: usize,
        /// The number of fields of the first row.
        expected: usize,
    },
    /// The name is empty.
    #[error("the name of the node is empty")]
    NoName,
    /// A field is no number.
    #[error("{column}: found '{found}', expected a whole number from 0")]
    Number {
        /// The name of the column.
        column: &'static str,
        /// The text.
        found: String,
    },
    /// The node is not on the machine.
    #[error(
        "node '{name}' is at {found}, outside of machine {machine}; mend the row, or give a machine that has \
             the place"
    )]
    Outside {
        /// The name of the node.
        name: String,
        /// Its place.
        found: String,
        /// The machine.
        machine: String,
    },
    /// Two rows have the same node of the machine.
    #[error("node '{name}' is at {place}, where line {line} has '{other}' already; a place has one name")]
    Twice {
        /// The name of the node.
        name: String,
        /// Its place.
        place: String,
        /// The name of the other row.
        other: String,
        /// The number of its line, from 1.
        line: usize,
    },
}

/// The columns of a table, by their positions in a row.
#[derive(Clone, Debug)]
struct Columns {
    name: usize,
    place: Place,
}

/// The columns with the place of a node.
#[derive(Clone, Debug)]
enum Place {
    /// The number of the node.
    Number(usize),
    /// One column per dimension of the machine, then further coordinates of the table, which must be 0 for
    /// all nodes.
    Coordinates(Vec<usize>),
}

/// The names of the coordinates.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Reads the table at `path`. Returns the nodes of `mesh` by name. A name that several rows have stands for
/// several nodes, in the order of the rows.
///
/// Fields are separated by tabs, semicolons, bars, commas or blanks: by the first of these that occurs in the
/// first row. Blank lines and lines that begin with `#` are skipped. The first row is a header if only its
/// first field may be a number.
pub(super) fn read(path: &Path, mesh: &Mesh) -> Result<BTreeMap<String, Vec<NodeId>>, NodeMapError> {
    let bytes = memory::read_file(path)
        .map_err(|error| NodeMapError::Unreadable { path: path.to_owned(), problem: error.to_string() })?;
    let text = String::from_utf8_lossy(&bytes);
    if topology::is_topology(&text) {
        return of_topology(&text, path, mesh);
    }
    let table = parse(&text, mesh).map_err(|(line, problem)| NodeMapError::Row {
        path: path.to_owned(),
        line,
        problem,
    })?;
    if table.is_empty() { Err(NodeMapError::Empty { path: path.to_owned() }) } else { Ok(table) }
}

/// Returns the nodes of each name of a topology, which must have the levels of the machine.
fn of_topology(text: &str, path: &Path, mesh: &Mesh) -> Result<BTreeMap<String, Vec<NodeId>>, NodeMapError> {
    let fail = |line, problem| NodeMapError::Topology { path: path.to_owned(), line, problem };
    let Topology { mesh: tree, nodes, .. } =
        Topology::parse(text).map_err(|flaw| fail(flaw.line, flaw.problem))?;
    if tree.levels() != mesh.levels() {
        return Err(fail(1, format!("found a topology of machine {tree}, expected one of machine {mesh}")));
    }
    Ok(nodes.into_iter().map(|(name, node)| (name, vec![node])).collect())
}

/// Returns the nodes of each name. The error has the number of the line.
fn parse(text: &str, mesh: &Mesh) -> Result<BTreeMap<String, Vec<NodeId>>, (usize, RowProblem)> {
    // Spreadsheets write a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let is_row = |(_, line): &(usize, &str)| !line.is_empty() && !line.starts_with('#');
    let mut rows = (1..).zip(text.lines().map(str::trim)).filter(is_row).peekable();
    let Some(&(number, first)) = rows.peek() else { return Ok(BTreeMap::new()) };
    let separator = ['\t', ';', '|', ','].into_iter().find(|&separator| first.contains(separator));
    let fields = |line| fields_of(line, separator);
    let head = fields(first);
    let is_header = head.len() > 1 && head[1..].iter().all(|field| field.parse::<f64>().is_err());
    let columns = if is_header {
        Columns::from_header(&head, mesh)
    } else {
        Columns::from_field_count(head.len(), mesh)
    };
    let columns = columns.map_err(|problem| (number, problem))?;
    if is_header {
        rows.next();
    }
    let mut table: BTreeMap<String, Vec<NodeId>> = BTreeMap::new();
    // The name at each node, and the line of its row.
    let mut taken: BTreeMap<NodeId, (String, usize)> = BTreeMap::new();
    for (line, row) in rows {
        let row = fields(row);
        if row.len() != head.len() {
            return Err((line, RowProblem::Uneven { found: row.len(), expected: head.len() }));
        }
        let (name, node) = columns.node_of(&row, mesh).map_err(|problem| (line, problem))?;
        if let Some((other, earlier)) = taken.insert(node, (name.clone(), line)) {
            return Err((line, RowProblem::Twice { name, place: shown(mesh, node), other, line: earlier }));
        }
        table.entry(name).or_default().push(node);
    }
    Ok(table)
}

/// Returns the fields of a row, without blanks and quotation marks around them. Without a separator, blanks
/// separate them.
fn fields_of(line: &str, separator: Option<char>) -> Vec<&str> {
    match separator {
        Some(separator) => line.split(separator).map(unquoted).collect(),
        None => line.split_whitespace().map(unquoted).collect(),
    }
}

impl Columns {
    /// Finds the columns by the names in a header. Columns with other names do not count.
    fn from_header(header: &[&str], mesh: &Mesh) -> Result<Self, RowProblem> {
        let find = |names: &[&str]| {
            header.iter().position(|field| names.contains(&field.to_ascii_lowercase().as_str()))
        };
        let name = find(&["name", "node", "nodename", "host", "hostname"]);
        let number = find(&["number", "rank", "id"]);
        let axes: Option<Vec<usize>> = AXES[..mesh.dims()].iter().map(|axis| find(&[axis])).collect();
        let further = AXES[mesh.dims()..].iter().map_while(|axis| find(&[axis]));
        let axes = axes.map(|axes| axes.into_iter().chain(further).collect());
        let missing = |missing| RowProblem::Header {
            missing,
            found: header.join(" "),
            coordinates: AXES[..mesh.dims()].join(" "),
        };
        let place = axes.map(Place::Coordinates).or(number.map(Place::Number));
        Ok(Self {
            name: name.ok_or_else(|| missing("with the names"))?,
            place: place.ok_or_else(|| missing("with the places"))?,
        })
    }

    /// Returns the columns of a table without header, whose first row has `fields` fields.
    fn from_field_count(fields: usize, mesh: &Mesh) -> Result<Self, RowProblem> {
        let place = match fields {
            2 => Place::Number(1),
            _ if fields == 1 + mesh.dims() => Place::Coordinates((1..fields).collect()),
            _ => {
                return Err(RowProblem::Fields {
                    found: fields,
                    coordinates: AXES[..mesh.dims()].join(","),
                    machine: mesh.to_string(),
                    dims: mesh.dims(),
                });
            }
        };
        Ok(Self { name: 0, place })
    }

    /// Returns the name of a row and the node of `mesh` at its place.
    fn node_of(&self, row: &[&str], mesh: &Mesh) -> Result<(String, NodeId), RowProblem> {
        let Self { name, place } = self;
        let text = |at: usize| row.get(at).copied().unwrap_or_default();
        let number = |column: &'static str, at: usize| {
            let parsed = text(at).parse::<u32>();
            parsed.map_err(|_| RowProblem::Number { column, found: excerpt(text(at)) })
        };
        let name = text(*name).to_owned();
        if name.is_empty() {
            return Err(RowProblem::NoName);
        }
        let outside =
            |found: String| RowProblem::Outside { name: name.clone(), found, machine: mesh.to_string() };
        let node = match place {
            Place::Number(at) => {
                let node = number("number", *at)?;
                if node >= mesh.nodes() {
                    return Err(outside(format!("number {node}")));
                }
                node
            }
            Place::Coordinates(columns) => {
                let mut coord = [0; 3];
                for (d, &at) in columns.iter().enumerate() {
                    coord[d] = number(AXES[d], at)?;
                }
                if (0..3).any(|d| coord[d] >= mesh.extents()[d]) {
                    return Err(outside(format_coordinates(&coord[..columns.len()])));
                }
                mesh.node(coord)
            }
        };
        Ok((name, node))
    }
}

/// Returns the coordinates of a node in words.
fn shown(mesh: &Mesh, node: NodeId) -> String {
    format_coordinates(&mesh.coord(node)[..mesh.dims()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(text: &str, machine: &str) -> Result<Vec<(String, Vec<NodeId>)>, String> {
        let mesh = machine.parse().map_err(|_| "no machine")?;
        let found = parse(text, &mesh).map_err(|(line, problem)| format!("{line}: {problem}"))?;
        Ok(found.into_iter().collect())
    }

    #[test]
    fn rows_have_names_and_places() {
        for (text, machine) in [
            ("a,0,0\nb,3,1\n", "4x2"),
            ("# two nodes\n\nb\t3\t1\r\na\t0\t0", "4x2"),
            ("\u{feff}Node;rack;Y;X\n\"b\";r1;1;3\n\"a\";r1;0;0\n", "4x2"),
            ("a 0\nb   7\n", "4x2"),
            ("a|0\nb|7\n", "8"),
            ("number,name\n0,a\n7,b\n", "4x2"),
            ("x,y,z,name,rank\n0,0,0,a,5\n1,1,1,b,5\n", "2x2x2"),
            ("name,x,y,z\na,0,0,0\nb,3,1,0\n", "4x2"),
        ] {
            let expected = Ok(vec![("a".to_owned(), vec![0]), ("b".to_owned(), vec![7])]);
            assert_eq!(nodes(text, machine), expected, "{text}");
        }
        let several = nodes("a,0\nb,1\na,5\na,3\n", "8");
        assert_eq!(several, Ok(vec![("a".to_owned(), vec![0, 5, 3]), ("b".to_owned(), vec![1])]));
    }

    #[test]
    fn wrong_rows_are_named() {
        for (text, message) in [
            ("a,0,0\nb,1\nc\n", "2: number of fields: found 2, expected 3 as in the first row"),
            (
                "a,0,0,0\n",
                "1: number of fields: found 4, expected 2 (name,number) or 3 (name,x,y), as machine 4x2 has \
                     2 dimensions",
            ),
            ("a,0,0\nb,-1,0\n", "2: x: found '-1', expected a whole number from 0"),
            ("a,0\nb,1.5\n", "2: number: found '1.5', expected a whole number from 0"),
            (
                "a,0,0\nb,4,0\n",
                "2: node 'b' is at (4,0), outside of machine 4x2; mend the row, or give a machine that has \
                     the place",
            ),
            (
                "a,8\n",
                "1: node 'a' is at number 8, outside of machine 4x2; mend the row, or give a machine that \
                     has the place",
            ),
            (
                "name,x,y,z\na,0,0,0\nb,0,0,1\n",
                "3: node 'b' is at (0,0,1), outside of machine 4x2; mend the row, or give a machine that has \
                     the place",
            ),
            ("a,4\n\nb,4\n", "3: node 'b' is at (0,1), where line 1 has 'a' already; a place has one name"),
            ("a,3\na,3\n", "2: node 'a' is at (3,0), where line 1 has 'a' already; a place has one name"),
            (",3\n", "1: the name of the node is empty"),
            (
                "name,x\na,3\n",
                "1: the header has no column with the places, found name x; expected name and number, or \
                     name and x y",
            ),
            (
                "label,x,y\na,3,1\n",
                "1: the header has no column with the names, found label x y; expected name and number, or \
                     name and x y",
            ),
        ] {
            assert_eq!(nodes(text, "4x2"), Err(message.to_owned()), "{text}");
        }
    }
}
