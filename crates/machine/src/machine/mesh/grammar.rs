//! Descriptions of machines: `[KIND:]SIZES[:KEY=VALUE,…]`, such as `400`, `torus:16x8`, `16x8x8:wrap=xy`,
//! `ocs:8x4x4x4` or `tree:18x24`.
//!
//! A kind is one row of [`KINDS`], and a parameter is one row of [`PARAMETERS`]. Parameters are separated by
//! `:` or `,`. A part without `=` belongs to the value before it, so that a value may be a list such as
//! `0-3,7`.

use std::fmt;
use std::str::FromStr;

use super::{Levels, MOST_LEVELS, Mesh};
use crate::machine::NodeId;
use crate::machine::intervals::{format_intervals, parse_intervals};

/// The error for a description of a machine that does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("machine '{text}': {problem}; expected {expected}")]
pub struct MeshError {
    text: String,
    problem: String,
    expected: String,
}

/// What is wrong with a description, and what was expected instead.
pub(super) struct Problem {
    problem: String,
    expected: String,
}

/// A description while it is parsed.
#[derive(Debug, Default)]
struct Description {
    extents: Vec<u32>,
    wraps: [bool; 3],
    /// The sides of the cubes that optical switches join; `None` if the machine has no such cubes.
    cube: Option<[u32; 3]>,
    /// The groups of a tree of switches; `None` if the machine is not a tree.
    levels: Option<Levels>,
    /// The unavailable nodes as intervals of first and last nodes, in the order of the text.
    without: Vec<(NodeId, NodeId)>,
}

/// A kind of machine: the word before the sizes, and its effect on a description.
struct Kind {
    name: &'static str,
    /// Completes a description that has its sizes.
    apply: fn(&mut Description) -> Result<(), Problem>,
}

/// The kinds of machines.
const KINDS: &[Kind] = &[
    Kind { name: "mesh", apply: |_| Ok(()) },
    Kind {
        name: "torus",
        apply: |description| {
            description.wraps = [true; 3];
            Ok(())
        },
    },
    Kind { name: "ocs", apply: stack_cubes },
    Kind { name: "tree", apply: group_nodes },
];

/// A parameter of a machine, written behind the sizes.
struct Parameter {
    key: &'static str,
    /// An example of the parameter, for error messages.
    example: &'static str,
    /// Reads a value into a description that has its sizes.
    read: fn(&str, &mut Description) -> Result<(), Problem>,
    /// Returns the value for the canonical description of a machine; `None` if the parameter is left out.
    write: fn(&Mesh) -> Option<String>,
}

/// The parameters of machines, in the order of the canonical description.
const PARAMETERS: &[Parameter] = &[
    Parameter { key: "wrap", example: "wrap=x", read: read_wrap, write: write_wrap },
    Parameter { key: "without", example: "without=0-3,7", read: read_without, write: write_without },
];

/// The names of the dimensions.
const DIMENSIONS: [char; 3] = ['x', 'y', 'z'];

impl Problem {
    fn new(problem: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { problem: problem.into(), expected: expected.into() }
    }

    /// Returns a problem with the sizes or the kind of a machine.
    pub(super) fn of_sizes(problem: impl Into<String>) -> Self {
        Self::new(problem, "1 to 3 sizes such as 400, 16x8, 8x8x4 or torus:16x8")
    }

    pub(super) fn in_description(self, text: &str) -> MeshError {
        MeshError { text: text.to_owned(), problem: self.problem, expected: self.expected }
    }
}

impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some([width, length, depth]) = self.cube {
            write!(f, "ocs:{}", sizes(&[self.extents[2] / depth, width, length, depth]))?;
        } else if let Some(levels) = self.levels() {
            write!(f, "tree:{}", sizes(&levels.fans()))?;
        } else {
            let kind = if self.wraps_everywhere() { "torus:" } else { "" };
            write!(f, "{kind}{}", sizes(&self.extents[..self.dims]))?;
        }
        let values = PARAMETERS.iter().filter_map(|row| Some((row.key, (row.write)(self)?)));
        for (i, (key, value)) in values.enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

/// Returns the sizes of a machine as its description has them, such as `16x8`.
pub(super) fn sizes(extents: &[u32]) -> String {
    extents.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

impl FromStr for Mesh {
    type Err = MeshError;

    fn from_str(text: &str) -> Result<Self, MeshError> {
        // People write 4X4 and 4×4 too.
        let plain = text.to_ascii_lowercase().replace('×', "x");
        let description = describe(&plain).map_err(|problem| problem.in_description(text))?;
        let mesh = Self::build(&description.extents, description.wraps)
            .map_err(|problem| problem.in_description(text))?;
        let mesh = Self { cube: description.cube, levels: description.levels.map(Box::new), ..mesh };
        mesh.without(&description.without)
            .map_err(|error| Problem::new(error.problem(), error.expected()).in_description(text))
    }
}

/// Reads a description. The sizes are not checked yet.
fn describe(text: &str) -> Result<Description, Problem> {
    let (kind, rest) = match text.split_once(':') {
        Some((name, rest)) if name.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            let kind = KINDS.iter().find(|kind| kind.name == name);
            (Some(kind.ok_or_else(|| Problem::of_sizes(format!("unknown kind '{name}'")))?), rest)
        }
        _ => (None, text),
    };
    let (sizes, parameters) = rest.split_once(':').map_or((rest, None), |(sizes, rest)| (sizes, Some(rest)));
    let mut description = Description::default();
    for part in sizes.split('x') {
        let size = part.parse().map_err(|_| Problem::of_sizes(format!("'{part}' is not a size")))?;
        description.extents.push(size);
    }
    if let Some(kind) = kind {
        (kind.apply)(&mut description)?;
    }
    let mut seen: Vec<&str> = Vec::new();
    for (key, value) in parameters.map_or_else(|| Ok(Vec::new()), split)? {
        let examples = || PARAMETERS.iter().map(|row| row.example).collect::<Vec<_>>().join(" or ");
        let unknown = || Problem::new(format!("unknown parameter '{key}'"), examples());
        let row = PARAMETERS.iter().find(|row| row.key == key).ok_or_else(unknown)?;
        if seen.contains(&row.key) {
            let expected = format!("it once, such as {}", row.example);
            return Err(Problem::new(format!("parameter '{key}' is given twice"), expected));
        }
        seen.push(row.key);
        (row.read)(&value, &mut description)?;
    }
    Ok(description)
}

/// Reads the sizes as a number of cubes and the sides of a cube. The cubes form a row along z, so that each
/// has consecutive node numbers.
fn stack_cubes(description: &mut Description) -> Result<(), Problem> {
    let fail = |problem: String| {
        Err(Problem::new(problem, "the number of cubes and their three sides, such as ocs:8x4x4x4"))
    };
    let &[cubes, width, length, depth] = description.extents.as_slice() else {
        return fail(format!("{} sizes of a machine of cubes", description.extents.len()));
    };
    if let Some(i) = description.extents.iter().position(|&size| size == 0) {
        return fail(format!("size {} is 0", i + 1));
    }
    description.extents = vec![width, length, depth.saturating_mul(cubes)];
    description.cube = Some([width, length, depth]);
    Ok(())
}

/// Reads the sizes as the children of a group per level of a tree of switches, the top first. The nodes form
/// an array.
fn group_nodes(description: &mut Description) -> Result<(), Problem> {
    let fail = |problem: String| {
        let expected = "1 to 6 sizes, the number of largest groups first, such as tree:18x24 or tree:4x8x24";
        Err(Problem::new(problem, expected))
    };
    if description.extents.len() > MOST_LEVELS {
        return fail(format!("{} sizes of a tree", description.extents.len()));
    }
    if let Some(i) = description.extents.iter().position(|&size| size == 0) {
        return fail(format!("size {} is 0", i + 1));
    }
    description.levels = Some(Levels::from_fans(&description.extents));
    description.extents = vec![description.extents.iter().fold(1, |nodes, &size| nodes.saturating_mul(size))];
    Ok(())
}

/// Splits parameters into keys and values.
fn split(parameters: &str) -> Result<Vec<(&str, String)>, Problem> {
    let mut split: Vec<(&str, String)> = Vec::new();
    for part in parameters.split([':', ',']) {
        match (part.split_once('='), split.last_mut()) {
            (Some((key, value)), _) => split.push((key, value.to_owned())),
            (None, Some((_, list))) => {
                list.push(',');
                list.push_str(part);
            }
            (None, None) => {
                let problem = format!("'{part}' is not a parameter");
                return Err(Problem::new(problem, "key=value, such as wrap=x"));
            }
        }
    }
    Ok(split)
}

/// Reads the dimensions that wrap around.
fn read_wrap(value: &str, description: &mut Description) -> Result<(), Problem> {
    let names = &DIMENSIONS[..description.extents.len().min(3)];
    let some = names.iter().map(char::to_string).collect::<Vec<_>>().join(", ");
    let expected = format!("some of the dimensions {some}, such as wrap=x");
    let fail = |problem: String| Err(Problem::new(problem, &expected));
    if description.cube.is_some() {
        let problem = "cubes are joined by switches, and none of them wraps around";
        return Err(Problem::new(problem, "no wrap= for ocs:"));
    }
    if description.levels.is_some() {
        return Err(Problem::new("a tree of switches does not wrap around", "no wrap= for tree:"));
    }
    if description.wraps != [false; 3] {
        let sizes = sizes(&description.extents);
        let expected = format!("torus:{sizes} or {sizes}:wrap={value}");
        return Err(Problem::new("on a torus every dimension wraps around already", expected));
    }
    if value.is_empty() {
        return fail("wrap= names no dimension".to_owned());
    }
    for name in value.chars() {
        match names.iter().position(|&dimension| dimension == name) {
            None => return fail(format!("wrap={value}: the machine has no dimension '{name}'")),
            Some(d) if description.wraps[d] => return fail(format!("wrap={value} names '{name}' twice")),
            Some(d) => description.wraps[d] = true,
        }
    }
    Ok(())
}

/// Returns the dimensions that wrap around; `None` if there are none, or if the machine is called a torus.
fn write_wrap(mesh: &Mesh) -> Option<String> {
    let names: String =
        DIMENSIONS.iter().zip(mesh.wraps).filter(|(_, wraps)| *wraps).map(|(name, _)| name).collect();
    (!names.is_empty() && !mesh.wraps_everywhere()).then_some(names)
}

/// Reads the nodes that no job can have. They are compared with the machine when it is built.
fn read_without(value: &str, description: &mut Description) -> Result<(), Problem> {
    let fail =
        |problem: String| Err(Problem::new(problem, "numbers and intervals of nodes, such as without=0-3,7"));
    match parse_intervals(value) {
        Ok(runs) if runs.is_empty() => fail("without= names no node".to_owned()),
        Ok(runs) => {
            description.without = runs;
            Ok(())
        }
        Err(error) => fail(format!("'{}' is no node and no interval of nodes", error.part)),
    }
}

/// Returns the nodes that no job can have as ascending intervals; `None` if there are none.
fn write_without(mesh: &Mesh) -> Option<String> {
    let text = format_intervals(mesh.unavailable().iter().copied()).replace(' ', ",");
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_have_one_canonical_spelling() -> Result<(), MeshError> {
        for (text, canonical) in [
            ("mesh:16x8", "16x8"),
            ("16X8", "16x8"),
            ("Torus:16×8×4", "torus:16x8x4"),
            ("16x8:wrap=x", "16x8:wrap=x"),
            ("16x8x4:wrap=zx", "16x8x4:wrap=xz"),
            ("16x8:wrap=yx", "torus:16x8"),
            ("9:wrap=x", "torus:9"),
            ("16x1:wrap=y", "16x1:wrap=y"),
            ("mesh:16x8:wrap=y", "16x8:wrap=y"),
            ("ocs:8x4x4x4", "ocs:8x4x4x4"),
            ("ocs:1x4x2x1", "ocs:1x4x2x1"),
            ("ocs:2x4x4x4:without=0-3", "ocs:2x4x4x4:without=0-3"),
            ("tree:18x24", "tree:18x24"),
            ("Tree:4×8x24:without=0-3", "tree:4x8x24:without=0-3"),
            ("tree:24", "tree:24"),
            ("tree:1x2x1x2x1x2", "tree:1x2x1x2x1x2"),
            ("16x8:without=17,0-3", "16x8:without=0-3,17"),
            ("16x8:without=0,1,2-3,17-17", "16x8:without=0-3,17"),
            ("torus:16x8:without=7", "torus:16x8:without=7"),
            ("16x8:without=5,9:wrap=x", "16x8:wrap=x,without=5,9"),
            ("16x8:without=5,9,wrap=x", "16x8:wrap=x,without=5,9"),
        ] {
            let mesh: Mesh = text.parse()?;
            assert_eq!(mesh.to_string(), canonical);
            assert_eq!(canonical.parse::<Mesh>()?, mesh);
        }
        Ok(())
    }

    #[test]
    fn wrong_machines_are_named() {
        for (text, problem) in [
            ("0x8", "size 1 is 0"),
            ("16x", "'' is not a size"),
            ("16*8", "'16*8' is not a size"),
            ("2x2x2x2", "4 dimensions"),
            ("ring:8", "unknown kind 'ring'"),
            ("65536x65536", "4294967296 nodes"),
            ("-4", "'-4' is not a size"),
            (
                "16x8:wrap=z",
                "the machine has no dimension 'z'; expected some of the dimensions x, y, such as wrap=x",
            ),
            ("16x8:wrap=xyx", "wrap=xyx names 'x' twice; expected some of"),
            ("16x8:wrap=", "wrap= names no dimension; expected some of"),
            ("16x8:wrap=x,wrap=y", "parameter 'wrap' is given twice; expected it once"),
            ("16x8:warp=x", "unknown parameter 'warp'; expected wrap=x or without=0-3,7"),
            ("16x8:x", "'x' is not a parameter; expected key=value, such as wrap=x"),
            ("16x8:", "'' is not a parameter; expected key=value"),
            (
                "ocs:8x8x8",
                "3 sizes of a machine of cubes; expected the number of cubes and their three sides",
            ),
            ("ocs:0x4x4x4", "size 1 is 0; expected the number of cubes"),
            ("ocs:2147483648x4x4x4", "more than the 16777216 that are supported"),
            ("ocs:8x4x4x4:wrap=z", "none of them wraps around; expected no wrap= for ocs:"),
            ("tree:18x0", "size 2 is 0; expected 1 to 6 sizes"),
            ("tree:2x2x2x2x2x2x2", "7 sizes of a tree; expected 1 to 6 sizes"),
            ("tree:65536x65536", "more than the 16777216 that are supported"),
            ("tree:18x24:wrap=x", "does not wrap around; expected no wrap= for tree:"),
            ("tree:2x4:without=8", "node 8 is outside the machine; expected nodes from 0 to 7"),
            ("16x8:without=128", "unavailable node 128 is outside the machine; expected nodes from 0 to 127"),
            ("16x8:without=3-130", "node 128 is outside the machine; expected nodes from 0 to 127"),
            ("16x8:without=0-3,2", "node 2 is made unavailable twice; expected each node once"),
            ("16x8:without=0-127", "all 128 nodes are unavailable; expected at least one node"),
            ("16x8:without=", "without= names no node; expected numbers and intervals of nodes"),
            ("16x8:without=3-1", "'3-1' is no node and no interval of nodes; expected numbers"),
            ("16x8:without=a", "'a' is no node and no interval"),
            ("torus:16x8:wrap=x", "already; expected torus:16x8 or 16x8:wrap=x"),
        ] {
            let message = text.parse::<Mesh>().expect_err("wrong").to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }
}
