//! The rule for the shape of a job if its log gives only the number of processors.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_sign_loss,
    reason = "weights fit 32 bits and a list of slices fits memory, so that their sum fits 64 bits; it is \
         above 0, and a job's number only decides a draw"
)]

use std::fmt;
use std::str::FromStr;

use meshreplay_base::job::Shape;

/// The rule that gives a job its shape if its log gives none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShapeRule {
    /// Every job has this shape. Its sides follow from the number of processors and the machine.
    Each(Shape),
    /// Every job has a submesh of this list with the fewest nodes that are enough for it. The list is sorted
    /// by nodes, then by sides.
    List(Vec<Slice>),
}

/// A submesh of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The sides, the longest first.
    pub sides: [u32; 3],
    /// How often the submesh is drawn, relative to others with the same number of nodes. `None` if the list
    /// gives no weight, which counts as 1 if another one of these submeshes has a weight.
    pub weight: Option<u32>,
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
    /// Returns the shape of job `number` of `procs` processors. If the job is larger than every submesh of a
    /// list, it gets the largest submesh, which is too small for it. Then only allocators that need no
    /// submesh can serve it.
    ///
    /// Of several submeshes of the same number of nodes it is the first one, or, if any of them has a weight,
    /// one that is drawn by the weights. The job's number decides the draw, so that a job has the same shape
    /// in every replay.
    pub fn shape(&self, number: i64, procs: u32) -> Shape {
        match self {
            Self::Each(shape) => *shape,
            Self::List(slices) => {
                let holds = |slice: &&Slice| nodes(slice.sides) >= u64::from(procs);
                let Some(first) = slices.iter().find(holds).or(slices.last()) else {
                    return Shape::default();
                };
                let same = |slice: &&Slice| nodes(slice.sides) == nodes(first.sides);
                let alike: Vec<Slice> = slices.iter().filter(same).copied().collect();
                Shape::Slice(drawn(&alike, number).unwrap_or(first.sides))
            }
        }
    }
}

/// Returns the sides of the slice that is drawn for job `number`; `None` if no slice has a weight.
fn drawn(slices: &[Slice], number: i64) -> Option<[u32; 3]> {
    slices.iter().find(|slice| slice.weight.is_some())?;
    let weight = |slice: &Slice| u64::from(slice.weight.unwrap_or(1));
    let mut rest = mixed(number as u64) % slices.iter().map(weight).sum::<u64>();
    let found = slices.iter().find(|slice| {
        let is_here = rest < weight(slice);
        rest = rest.saturating_sub(weight(slice));
        is_here
    });
    found.map(|slice| slice.sides)
}

/// Returns a number whose bits all depend on all bits of `number`: one step of the generator `SplitMix64`
/// (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
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
            Self::List(slices) => {
                let slices: Vec<String> = slices.iter().map(Slice::to_string).collect();
                write!(f, "list:{}", slices.join("+"))
            }
        }
    }
}

/// Writes `4x4x1`, or `4x4x1*3` with a weight.
impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.sides;
        write!(f, "{a}x{b}x{c}")?;
        self.weight.map_or(Ok(()), |weight| write!(f, "*{weight}"))
    }
}

impl FromStr for ShapeRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(list) = text.strip_prefix("list:") {
            let mut slices: Vec<Slice> = list.split([',', '+']).map(slice).collect::<Result<_, _>>()?;
            slices.sort_by_key(|slice| (nodes(slice.sides), slice.sides));
            slices.dedup();
            let mut neighbours = slices.iter().zip(slices.iter().skip(1));
            if let Some((one, other)) = neighbours.find(|(one, other)| one.sides == other.sides) {
                return Err(format!("'{one}' and '{other}' are one box, expected one weight"));
            }
            return Ok(Self::List(slices));
        }
        let named = NAMED.iter().find(|(name, _)| *name == text);
        named.map(|&(_, shape)| Self::Each(shape)).ok_or_else(|| format!("expected {SHAPES}"))
    }
}

/// Returns the slice of a text such as `4x4x2` or `4x4x2*3`.
fn slice(text: &str) -> Result<Slice, String> {
    let (sides, weight) = match text.split_once('*') {
        None => (text, None),
        Some((sides, weight)) => {
            let weight = weight.parse().ok().filter(|&weight: &u32| weight > 0);
            let expected =
                || format!("'{text}' has no weight of at least 1 behind '*', expected one such as 4x4x2*3");
            (sides, Some(weight.ok_or_else(expected)?))
        }
    };
    let mut sides = parse_sides(sides, u32::MAX).ok_or_else(|| {
        format!("'{sides}' is no box: expected one to three sides of at least 1, such as 4x4x2")
    })?;
    sides.sort_unstable_by_key(|&side| std::cmp::Reverse(side));
    Ok(Slice { sides, weight })
}

/// Returns the sides of a text such as `32x16`, each from 1 to `most`. Missing sides are 1. `None` if the
/// text is something else.
pub(crate) fn parse_sides(text: &str, most: u32) -> Option<[u32; 3]> {
    let mut sides = [1; 3];
    for (given, side) in text.split('x').enumerate() {
        *sides.get_mut(given)? = side.parse().ok().filter(|side| (1..=most).contains(side))?;
    }
    Some(sides)
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
            assert_eq!(rule.shape(7, procs), Shape::Slice(sides), "{procs}");
        }
        Ok(())
    }

    #[test]
    fn boxes_of_one_size_are_drawn_by_their_weights() -> Result<(), String> {
        let rule: ShapeRule = "list:8x4x2*1,4x4x4*3,4x4x2".parse()?;
        assert_eq!(rule.to_string(), "list:4x4x2+4x4x4*3+8x4x2*1");
        assert_eq!(rule.to_string().parse::<ShapeRule>()?, rule);
        let long = |number| rule.shape(number, 64) == Shape::Slice([8, 4, 2]);
        let count = (0..4000).filter(|&number| long(number)).count();
        assert!((900..1100).contains(&count), "{count}");
        assert!((0..100).all(|number| rule.shape(number, 30) == Shape::Slice([4, 4, 2])));
        assert!((0..100).all(|number| rule.shape(number, 64) == rule.shape(number, 64)));
        // Without weights the first of the sorted list wins; next to a weight, a missing weight counts as 1.
        let plain: ShapeRule = "list:8x4x2,4x4x4".parse()?;
        assert!((0..100).all(|number| plain.shape(number, 64) == Shape::Slice([4, 4, 4])));
        let mixed: ShapeRule = "list:8x4x2,4x4x4*1".parse()?;
        let long = (0..4000).filter(|&number| mixed.shape(number, 64) == Shape::Slice([8, 4, 2])).count();
        assert!((1800..2200).contains(&long), "{long}");
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
            ("list:4x4*0", "'4x4*0' has no weight of at least 1 behind '*', expected one such as 4x4x2*3"),
            ("list:4x4*1,4x4*2", "'4x4x1*1' and '4x4x1*2' are one box, expected one weight"),
            ("list:4x0", "'4x0' is no box: expected one to three sides of at least 1, such as 4x4x2"),
            ("list:1x2x3x4", "'1x2x3x4' is no box: expected one to three sides of at least 1, such as 4x4x2"),
        ] {
            assert_eq!(text.parse::<ShapeRule>().err().as_deref(), Some(message), "{text}");
        }
    }
}
