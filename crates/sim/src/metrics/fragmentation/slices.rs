//! The submeshes to be fitted into the free nodes.

use std::fmt;
use std::str::FromStr;

use meshreplay_base::job::Shape;
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, Submesh, along_axes};

/// The most slices. The `fragmentation` frame has a column for each.
const MOST_SLICES: usize = 8;

/// A submesh to be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The sides.
    pub sides: [u32; 3],
    /// The sufficient number of slices, for the share of time with enough of them.
    pub enough: u32,
}

/// The slices, such as `4x4x4*8+8x4x4`: the sides, and the sufficient number, 1 if omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices(Vec<Slice>);

impl Slices {
    /// Returns the slices in the given order.
    pub fn all(&self) -> &[Slice] {
        &self.0
    }
}

/// Formats the slice for people, as `4x4*8` or `4x4x2`: without last sides of 1 or a sufficient number of 1.
/// On arrays and trees, which have one side, `4` is four nodes.
impl fmt::Display for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sides {
            [nodes, 1, 1] => write!(f, "{nodes}")?,
            sides => write!(f, "{}", Shape::Sides(sides))?,
        }
        if self.enough == 1 { Ok(()) } else { write!(f, "*{}", self.enough) }
    }
}

/// Formats the slices for keys: with three sides each, and `+` between them.
impl fmt::Display for Slices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slice = |&Slice { sides: [a, b, c], enough }: &Slice| {
            if enough == 1 { format!("{a}x{b}x{c}") } else { format!("{a}x{b}x{c}*{enough}") }
        };
        f.write_str(&self.0.iter().map(slice).collect::<Vec<_>>().join("+"))
    }
}

/// Parses slices with `+` or `,` between them. Missing sides are 1.
impl FromStr for Slices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let slice = |text: &str| {
            let (sides, enough) = text.split_once('*').unwrap_or((text, "1"));
            // Sides have the grammar of a mesh without parameters.
            let mesh: Option<Mesh> = sides.parse().ok().filter(|_| !sides.contains(':'));
            let sides = mesh.map(|mesh| mesh.extents()).ok_or_else(|| {
                format!("'{sides}' is no slice: expected sides of at least 1, such as 4x4x2")
            })?;
            let enough = enough.parse().ok().filter(|&enough| enough > 0).ok_or_else(|| {
                format!("'{text}' has no number of slices of at least 1 behind '*', such as 4x4x2*3")
            })?;
            Ok(Slice { sides, enough })
        };
        let slices: Vec<Slice> = text.split(['+', ',']).map(slice).collect::<Result<_, String>>()?;
        if slices.len() > MOST_SLICES {
            return Err(format!("{} slices: expected at most {MOST_SLICES}", slices.len()));
        }
        Ok(Self(slices))
    }
}

/// Returns the orientations of a slice that fit the machine: first with the longest side along the machine's
/// longest dimension and so on, then the others in ascending order of their sides.
pub(super) fn orientations(sides: [u32; 3], mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut orientations = vec![along_axes(sides, mesh)];
    let mut others: Vec<[u32; 3]> = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        .map(|axes| axes.map(|d| sides[d]))
        .into();
    others.sort_unstable();
    others.dedup();
    orientations.extend(others.into_iter().filter(|other| *other != along_axes(sides, mesh)));
    orientations.retain(|&sizes| mesh.fits(sizes));
    orientations
}

/// Counts disjoint free submeshes greedily: orientation by orientation, in scan order (z, then y, then x of
/// the base), every submesh of nodes that are free and in no earlier submesh.
pub(super) fn fit(search: &mut FreeSubmeshes, machine: &Machine, orientations: &[[u32; 3]]) -> u32 {
    let (mut left, mut count) = (machine.clone(), 0);
    for &sizes in orientations {
        search.find(&left, sizes);
        for base in search.iter() {
            let place = Submesh { base, sizes };
            // A node of an earlier submesh is no longer free.
            if place.is_free(&left) && left.occupy(&place.nodes(machine)).is_ok() {
                count += 1;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_spelt_as_sides() -> Result<(), String> {
        let slices: Slices = "4x4x4*3,8x2,2*1".parse()?;
        assert_eq!(slices.to_string(), "4x4x4*3+8x2x1+2x1x1");
        assert_eq!(slices.all()[0], Slice { sides: [4; 3], enough: 3 });
        assert_eq!(slices.to_string().parse::<Slices>()?, slices);
        let shown: Vec<String> = slices.all().iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["4x4x4*3", "8x2", "2"]);
        for (text, message) in [
            ("", "'' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("4x0", "'4x0' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("torus:4x4", "'torus:4x4' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("4x4*0", "'4x4*0' has no number of slices of at least 1 behind '*', such as 4x4x2*3"),
            ("1,2,3,4,5,6,7,8,9", "9 slices: expected at most 8"),
        ] {
            assert_eq!(text.parse::<Slices>().err().as_deref(), Some(message), "{text}");
        }
        Ok(())
    }

    #[test]
    fn orientations_that_do_not_fit_are_left_out() -> Result<(), meshreplay_machine::machine::mesh::MeshError>
    {
        let found = orientations([4, 2, 1], &"4x2x4".parse()?);
        assert_eq!(found, [[4, 1, 2], [1, 2, 4], [2, 1, 4], [4, 2, 1]]);
        Ok(())
    }
}
