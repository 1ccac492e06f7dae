//! The places inside a cube that a part of a box may have.

use meshreplay_machine::machine::Coord;

/// The corners of a cube of side 4 in the order of RFold, by the sizes of the part: `px,py,pz,x.y.z x.y.z …`.
///
/// RFold keeps the corners in a Python set, so their order comes from hash values and not from a rule of the
/// policy. The table was recorded by calling RFold's simulator (github.com/shuoshuc/RFold) under Python 3.11.
/// It contains facts, and no code.
const CORNERS: &str = include_str!("corner-order.csv");

/// The offsets of parts of a box inside their cubes.
#[derive(Clone, Debug)]
pub(super) struct Offsets {
    cube: [u32; 3],
    /// The corners of a cube of side 4 by the sizes of the part; empty for other cubes.
    corners: Vec<([u32; 3], Vec<Coord>)>,
}

impl Offsets {
    /// Returns the offsets in cubes with these sides.
    pub(super) fn new(cube: [u32; 3]) -> Self {
        let rows = CORNERS.lines().skip(1).filter_map(row);
        Self { cube, corners: if cube == [4; 3] { rows.collect() } else { Vec::new() } }
    }

    /// Returns the offsets of a part of these sizes in the order of the search: all offsets, or the corners
    /// if the box also takes entire cubes.
    pub(super) fn of_part(&self, sizes: [u32; 3], takes_entire: bool) -> Vec<Coord> {
        if takes_entire { self.corners(sizes) } else { self.all(sizes).collect() }
    }

    /// Returns all offsets of a part of these sizes inside its cube, sorted by x, then y, then z.
    pub(super) fn all(&self, sizes: [u32; 3]) -> impl Iterator<Item = Coord> {
        let [xs, ys, zs] = [0, 1, 2].map(|d| 0..=self.cube[d] - sizes[d]);
        xs.flat_map(move |x| {
            let zs = zs.clone();
            ys.clone().flat_map(move |y| zs.clone().map(move |z| [x, y, z]))
        })
    }

    /// Returns the distinct offsets of a part of these sizes in the corners of its cube: in cubes of side 4
    /// in the order of RFold, otherwise sorted by x, then y, then z.
    pub(super) fn corners(&self, sizes: [u32; 3]) -> Vec<Coord> {
        if let Some((_, corners)) = self.corners.iter().find(|(known, _)| *known == sizes) {
            return corners.clone();
        }
        let far = [0, 1, 2].map(|d| self.cube[d] - sizes[d]);
        let mut corners: Vec<Coord> =
            (0..8_u32).map(|corner| [2, 1, 0].map(|bit| corner >> bit & 1)).collect();
        for corner in &mut corners {
            *corner = [0, 1, 2].map(|d| corner[d] * far[d]);
        }
        corners.sort_unstable();
        corners.dedup();
        corners
    }
}

/// Reads a row of the table; `None` if it is malformed, which no row is.
fn row(line: &str) -> Option<([u32; 3], Vec<Coord>)> {
    let triple = |text: &str, separator| -> Option<[u32; 3]> {
        let numbers: Vec<u32> = text.split(separator).map_while(|part| part.parse().ok()).collect();
        numbers.try_into().ok()
    };
    let (sizes, places) = line.rsplit_once(',')?;
    Some((triple(sizes, ',')?, places.split(' ').map_while(|place| triple(place, '.')).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_corners_of_every_part_once() {
        let (table, plain) = (Offsets::new([4; 3]), Offsets { cube: [4; 3], corners: Vec::new() });
        assert_eq!(table.corners.len(), 64);
        for x in 1..=4 {
            for y in 1..=4 {
                for z in 1..=4 {
                    let mut corners = table.corners([x, y, z]);
                    corners.sort_unstable();
                    assert_eq!(corners, plain.corners([x, y, z]));
                }
            }
        }
        assert_eq!(table.corners([4, 4, 2]), [[0, 0, 0], [0, 0, 2]]);
        assert_eq!(table.corners([1, 1, 4]), [[3, 0, 0], [0, 0, 0], [0, 3, 0], [3, 3, 0]]);
    }

    #[test]
    fn other_places_are_sorted() {
        let offsets = Offsets::new([2, 1, 3]);
        let all: Vec<Coord> = offsets.all([1, 1, 2]).collect();
        assert_eq!(all, [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]);
        assert_eq!(offsets.corners([1, 1, 1]), [[0, 0, 0], [0, 0, 2], [1, 0, 0], [1, 0, 2]]);
    }
}
