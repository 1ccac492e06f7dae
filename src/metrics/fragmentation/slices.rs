//! The sides of the submeshes whose fit into the free nodes is counted.

use std::fmt;
use std::str::FromStr;

use crate::machine::Mesh;

/// The greatest number of slices that are counted; the summary has a column for each.
pub const MOST_SLICES: usize = 8;

/// The sides of the submeshes that are counted, such as `4x4x4+8x4x4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices(Vec<[u32; 3]>);

impl Slices {
    /// Returns the sides of each slice as they are given.
    pub fn sides(&self) -> &[[u32; 3]] {
        &self.0
    }
}

/// Writes the slices with `+` between them.
impl fmt::Display for Slices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slices: Vec<String> = self.0.iter().map(|[a, b, c]| format!("{a}x{b}x{c}")).collect();
        f.write_str(&slices.join("+"))
    }
}

/// Reads slices with `+` or `,` between them. Missing sides are 1.
impl FromStr for Slices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let slice = |text: &str| {
            // Sides have the grammar of a mesh without parameters.
            let mesh: Option<Mesh> = text.parse().ok().filter(|_| !text.contains(':'));
            mesh.map(|mesh| mesh.extents())
                .ok_or_else(|| format!("'{text}' is no slice: expected sides of at least 1, such as 4x4x2"))
        };
        let slices: Vec<[u32; 3]> = text.split(['+', ',']).map(slice).collect::<Result<_, _>>()?;
        if slices.len() > MOST_SLICES {
            return Err(format!("{} slices: expected at most {MOST_SLICES}", slices.len()));
        }
        Ok(Self(slices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_spelt_as_sides() -> Result<(), String> {
        let slices: Slices = "4x4x4,8x2".parse()?;
        assert_eq!(slices.to_string(), "4x4x4+8x2x1");
        assert_eq!(slices.to_string().parse::<Slices>()?, slices);
        for (text, message) in [
            ("", "'' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("4x0", "'4x0' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("torus:4x4", "'torus:4x4' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("1,2,3,4,5,6,7,8,9", "9 slices: expected at most 8"),
        ] {
            assert_eq!(text.parse::<Slices>().err().as_deref(), Some(message), "{text}");
        }
        Ok(())
    }
}
