//! Patterns of names: text with the fields `{rank}`, `{x}`, `{y}` and `{z}`, such as `c{x}-{y}n{z+1}`.

use std::fmt;
use std::str::FromStr;

use super::{NoNode, NodeMapError};
use crate::machine::intervals::format_coordinates;
use crate::machine::mesh::{Mesh, NodeId};
use meshreplay_base::spec::SpecError;

/// The names of the fields.
const FIELDS: [&str; 4] = ["rank", "x", "y", "z"];

/// The position of the field `rank` in [`FIELDS`].
const RANK: usize = 0;

/// A pattern of names, which are made of the places of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The fields, each with the text before it.
    parts: Vec<(String, Field)>,
    /// The text behind the last field.
    end: String,
}

/// A number in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    /// The kind of the number: a position in [`FIELDS`].
    what: usize,
    /// The number that names add to it.
    offset: i64,
    /// The number of digits; `None` takes all digits.
    width: Option<usize>,
}

impl FromStr for Pattern {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let wrong = |problem: &str| SpecError::NoSuchValue {
            found: text.to_owned(),
            expected: format!(
                "a pattern of node names such as nid{{rank}}, node{{rank+1}} or c{{x:2}}{{y:2}}n{{z}}: \
                     {problem}"
            ),
        };
        let (mut parts, mut rest): (Vec<(String, Field)>, _) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            let (inside, behind) = after.split_once('}').ok_or_else(|| wrong("a brace is not closed"))?;
            let field = Field::parse(inside).ok_or_else(|| wrong(&format!("'{{{inside}}}' is no field")))?;
            if parts.iter().any(|(_, other)| other.what == field.what) {
                return Err(wrong(&format!("{{{}}} stands there twice", FIELDS[field.what])));
            }
            let follows_digits = parts.last().is_some_and(|(_, last)| last.width.is_none());
            if follows_digits && before.is_empty() {
                return Err(wrong("nothing tells where a number ends; give its digits, such as {x:2}"));
            }
            parts.push((before.to_owned(), field));
            rest = behind;
        }
        if rest.contains('}') || parts.iter().any(|(before, _)| before.contains('}')) {
            return Err(wrong("a brace is not opened"));
        }
        let has = |what| parts.iter().any(|(_, field)| field.what == what);
        if parts.is_empty() || has(RANK) && parts.len() > 1 {
            return Err(wrong("a name has either {rank} or coordinates"));
        }
        Ok(Self { parts, end: rest.to_owned() })
    }
}

impl Field {
    /// Reads what stands between braces: `x`, `x+1`, `x-1`, `x:2` or `x+1:2`.
    fn parse(text: &str) -> Option<Self> {
        let (value, width) = match text.split_once(':') {
            Some((value, width)) => {
                (value, Some(width.parse().ok().filter(|width| (1..=18).contains(width))?))
            }
            None => (text, None),
        };
        let split = value.find(['+', '-']).unwrap_or(value.len());
        let (name, offset) = value.split_at(split);
        let digits = offset.trim_start_matches(['+', '-']);
        let offset = match offset {
            "" => 0,
            _ if digits.len() + 1 == offset.len() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                offset.parse().ok().filter(|offset: &i64| offset.unsigned_abs() <= 1 << 40)?
            }
            _ => return None,
        };
        Some(Self { what: FIELDS.iter().position(|field| *field == name)?, offset, width })
    }

    /// Reads the number at the start of `text`. Returns it without the offset, and the rest of the text.
    /// `None` if there is no such number.
    fn read(self, text: &str) -> Option<(i64, &str)> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let end = self.width.unwrap_or(digits);
        let (number, rest) = text.split_at_checked(end).filter(|_| (1..=digits).contains(&end))?;
        Some((number.parse::<i64>().ok()?.checked_sub(self.offset)?, rest))
    }
}

/// Writes the text that gives this pattern when it is read.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (before, Field { what, offset, width }) in &self.parts {
            write!(f, "{before}{{{}", FIELDS[*what])?;
            if *offset != 0 {
                write!(f, "{offset:+}")?;
            }
            if let Some(width) = width {
                write!(f, ":{width}")?;
            }
            f.write_str("}")?;
        }
        f.write_str(&self.end)
    }
}

impl Pattern {
    /// Fails if the pattern does not say which node of `mesh` a name stands for: it has neither the number of
    /// the node nor all its coordinates.
    pub(super) fn suits(&self, mesh: &Mesh) -> Result<(), NodeMapError> {
        let has = |what| self.parts.iter().any(|(_, field)| field.what == what);
        let dims = mesh.dims();
        if has(RANK) || (1..=3).all(|what| has(what) == (what <= dims)) {
            return Ok(());
        }
        let expected = ["{x}", "{x} and {y}", "{x}, {y} and {z}"][dims - 1];
        let (pattern, machine) = (self.to_string(), mesh.to_string());
        Err(NodeMapError::Dimensions { pattern, machine, dims, expected })
    }

    /// Returns the node of `mesh` that `name` stands for. The pattern must suit the machine.
    pub(super) fn node(&self, name: &str, mesh: &Mesh) -> Result<NodeId, NoNode> {
        let (mut rest, mut found) = (name, [0_i64; FIELDS.len()]);
        for (before, field) in &self.parts {
            let text = rest.strip_prefix(before.as_str()).ok_or(NoNode::Unknown)?;
            (found[field.what], rest) = field.read(text).ok_or(NoNode::Unknown)?;
        }
        if rest != self.end {
            return Err(NoNode::Unknown);
        }
        let [rank, at @ ..] = found;
        let number = |value: i64| u32::try_from(value).ok();
        if self.parts[0].1.what == RANK {
            let node = number(rank).filter(|&node| node < mesh.nodes());
            return node.ok_or_else(|| NoNode::Outside(format!("number {rank}")));
        }
        let mut coord = [0; 3];
        for (d, extent) in mesh.extents().into_iter().enumerate() {
            let inside = number(at[d]).filter(|&x| x < extent);
            coord[d] = inside.ok_or_else(|| NoNode::Outside(format_coordinates(&at[..mesh.dims()])))?;
        }
        Ok(mesh.node(coord))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_tell_places() -> Result<(), Box<dyn std::error::Error>> {
        let outside = |place: &str| Err(NoNode::Outside(place.to_owned()));
        for (pattern, machine, name, expected) in [
            ("nid{rank}", "4x4", "nid00012", Ok(12)),
            ("nid{rank:5}", "4x4", "nid12", Err(NoNode::Unknown)),
            ("nid{rank}", "4x4", "nid16", outside("number 16")),
            ("node{rank+1}", "4x4", "node1", Ok(0)),
            ("node{rank+1}", "4x4", "node0", outside("number -1")),
            ("node{rank-2}-ib", "4x4", "node3-ib", Ok(5)),
            ("node{rank}-ib", "4x4", "node3", Err(NoNode::Unknown)),
            ("c{x}-{y}n{z}", "4x3x2", "c3-2n1", Ok(23)),
            ("c{x}-{y}n{z}", "4x3x2", "c3-3n1", outside("(3,3,1)")),
            ("{y:1}{x:2}", "4x3", "203", Ok(11)),
            ("r{y+1}c{x+1}", "4x3", "r1c4", Ok(3)),
            ("nid{rank}", "4x4", "nid", Err(NoNode::Unknown)),
            ("nid{rank}", "4x4", "nid99999999999999999999", Err(NoNode::Unknown)),
            ("é{rank:1}", "4x4", "é3", Ok(3)),
        ] {
            let (pattern, mesh): (Pattern, Mesh) = (pattern.parse()?, machine.parse()?);
            assert_eq!(pattern.suits(&mesh), Ok(()));
            assert_eq!(pattern.node(name, &mesh), expected, "{pattern} {name}");
        }
        Ok(())
    }

    #[test]
    fn wrong_patterns_say_why() -> Result<(), Box<dyn std::error::Error>> {
        for (text, problem) in [
            ("nid{rank", "a brace is not closed"),
            ("nid{rank}}", "a brace is not opened"),
            ("nid{number}", "'{number}' is no field"),
            ("nid{x*2}", "'{x*2}' is no field"),
            ("nid{x+}", "'{x+}' is no field"),
            ("nid{x:0}", "'{x:0}' is no field"),
            ("{x}n{x}", "{x} stands there twice"),
            ("{x}{y}", "nothing tells where a number ends"),
            ("{rank}-{x}", "either {rank} or coordinates"),
            ("{rank-9223372036854775808}", "{rank-9223372036854775808}"),
        ] {
            let message = text.parse::<Pattern>().err().map(|error| error.to_string()).unwrap_or_default();
            assert!(message.contains(problem) && message.contains("such as nid{rank}"), "{text}: {message}");
        }
        let short: Pattern = "n{x}".parse()?;
        let message = short.suits(&"4x4".parse()?).err().map(|error| error.to_string());
        let expected = "node map n{x}: machine 4x4 has 2 dimensions; expected {rank}, or {x} and {y}";
        assert_eq!(message.as_deref(), Some(expected));
        Ok(())
    }

    proptest! {
        #[test]
        fn names_of_a_pattern_are_read_back(
            (x, y, z) in (0_u32..9, 0_u32..12, 0_u32..7), offset in -0_i64..30, width in 2_usize..5,
        ) {
            let text = format!("r{{z}}c{{x+{offset}:{width}}}{{y:2}}");
            let pattern: Pattern = text.parse().expect("a pattern");
            let mesh: Mesh = "9x12x7".parse().expect("a mesh");
            prop_assert_eq!(pattern.to_string().parse::<Pattern>().expect("a pattern"), pattern.clone());
            let name = format!("r{z}c{:0width$}{y:02}", i64::from(x) + offset);
            prop_assert_eq!(pattern.node(&name, &mesh), Ok(mesh.node([x, y, z])));
        }

        #[test]
        fn no_text_panics(pattern in "[a{}rankxyz:+0-9-]{0,20}", name in "[a-c0-9-]{0,12}") {
            if let Ok(pattern) = pattern.parse::<Pattern>() {
                let mesh: Mesh = "4x3x2".parse().expect("a mesh");
                let _ = (pattern.suits(&mesh), pattern.node(&name, &mesh));
            }
        }
    }
}
