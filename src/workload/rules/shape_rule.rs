//! The rule for the shape of a job if its log gives only the number of processors.

use std::fmt;
use std::str::FromStr;

use crate::job::Shape;

/// The rule that gives a job its shape if its log gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeRule {
    /// Every job has this shape. Its sides follow from the number of processors and the machine.
    Each(Shape),
    /// Every job has the submesh of this list with the fewest nodes that are enough for it. The list is sorted by
    /// nodes, then by sides.
    List(Vec<[u32; 3]>),
}

/// The rules that have a name. The only other rule is `list:…`.
const NAMED: [(&str, Shape); 4] = [
    ("near-square", Shape::NearSquare),
    ("factors", Shape::Factors),
    ("row", Shape::Row),
    ("pow2", Shape::PowersOfTwo),
];

/// The accepted spellings, in words.
pub(super) const SHAPES: &str =
    "near-square, factors, row, pow2, or list: and boxes such as list:4x4x4,8x4x4";

impl Default for ShapeRule {
    fn default() -> Self {
        Self::Each(Shape::default())
    }
}

impl ShapeRule {
    /// Returns the shape of a job of `procs` processors. If the job is larger than every submesh of a list, it gets the
    /// largest submesh, which is too small for it. Then only allocators that need no submesh can serve it.
    pub fn shape(&self, procs: u32) -> Shape {
        match self {
            Self::Each(shape) => *shape,
            Self::List(submeshes) => {
                let holds = |sides: &&[u32; 3]| nodes(**sides) >= u64::from(procs);
                let smallest = submeshes.iter().find(holds).or(submeshes.last());
                smallest.map_or_else(Shape::default, |&sides| Shape::Slice(sides))
            }
        }
    }
}

/// Returns the number of nodes of a submesh; `u64::MAX` if it exceeds 64 bits.
fn nodes(sides: [u32; 3]) -> u64 {
    sides.into_iter().fold(1, |product: u64, side| product.saturating_mul(u64::from(side)))
}

/// Writes lists with `+` between the submeshes, since a comma ends a parameter of a spec.
impl fmt::Display for ShapeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each(shape) => shape.fmt(f),
            Self::List(submeshes) => {
                let submeshes: Vec<String> =
                    submeshes.iter().map(|[a, b, c]| format!("{a}x{b}x{c}")).collect();
                write!(f, "list:{}", submeshes.join("+"))
            }
        }
    }
}

impl FromStr for ShapeRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(list) = text.strip_prefix("list:") {
            let mut submeshes: Vec<[u32; 3]> = list.split([',', '+']).map(sides).collect::<Result<_, _>>()?;
            submeshes.sort_unstable_by_key(|&sides| (nodes(sides), sides));
            submeshes.dedup();
            return Ok(Self::List(submeshes));
        }
        let named = NAMED.iter().find(|(name, _)| *name == text);
        named.map(|&(_, shape)| Self::Each(shape)).ok_or_else(|| format!("expected {SHAPES}"))
    }
}

/// Returns the sides of a submesh such as `4x4x2` or `8x4`, the longest first. Missing sides are 1.
fn sides(text: &str) -> Result<[u32; 3], String> {
    let malformed =
        || format!("'{text}' is no box: expected one to three sides of at least 1, such as 4x4x2");
    let mut found = [1; 3];
    for (given, side) in text.split('x').enumerate() {
        let side: u32 = side.parse().ok().filter(|&side| side > 0).ok_or_else(malformed)?;
        *found.get_mut(given).ok_or_else(malformed)? = side;
    }
    found.sort_unstable_by_key(|&side| std::cmp::Reverse(side));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_gets_the_smallest_box_that_holds_it() -> Result<(), String> {
        let rule: ShapeRule = "list:8x4x4,4x4x4,4x4,2x2x4".parse()?;
        assert_eq!(rule.to_string(), "list:4x2x2+4x4x1+4x4x4+8x4x4");
        assert_eq!(rule.to_string().parse::<ShapeRule>()?, rule);
        for (procs, sides) in
            [(1, [4, 2, 2]), (16, [4, 2, 2]), (17, [4, 4, 4]), (65, [8, 4, 4]), (129, [8, 4, 4])]
        {
            assert_eq!(rule.shape(procs), Shape::Slice(sides), "{procs}");
        }
        Ok(())
    }

    #[test]
    fn names_are_shapes_and_wrong_ones_say_what_would_do() {
        for (name, shape) in NAMED {
            assert_eq!(name.parse(), Ok(ShapeRule::Each(shape)));
            assert_eq!(ShapeRule::Each(shape).to_string(), name);
        }
        for (text, message) in [
            (
                "square",
                "expected near-square, factors, row, pow2, or list: and boxes such as list:4x4x4,8x4x4",
            ),
            ("list:", "'' is no box: expected one to three sides of at least 1, such as 4x4x2"),
            ("list:4x0", "'4x0' is no box: expected one to three sides of at least 1, such as 4x4x2"),
            ("list:1x2x3x4", "'1x2x3x4' is no box: expected one to three sides of at least 1, such as 4x4x2"),
        ] {
            assert_eq!(text.parse::<ShapeRule>().err().as_deref(), Some(message), "{text}");
        }
    }
}
