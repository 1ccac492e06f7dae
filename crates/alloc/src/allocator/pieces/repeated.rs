//! The greedy search that GABL and QNA share: it cuts a job into several free submeshes, the largest first.
//!
//! A job of k processors gets exactly k nodes, even if its shape has more.
//!
//! 1. The first sides to look for are the sides of the job's shape. At first, k nodes are missing.
//! 2. While a submesh of these sides has more nodes than are missing, or none is free, the longest side is
//!    shortened by one node; of equal sides the first.
//! 3. A free submesh of these sides is taken. The same sides are looked for again, until no node is missing.
//!
//! In the end single nodes are found, so the search never refuses while k nodes are free. The listing of the
//! paper on QNA shortens the longest side after every submesh that was taken, but its text and its example do
//! not. Both rules are available, see [`Repeat`].

use std::collections::BTreeMap;

use crate::allocator::contiguous::busy_search::{BusyList, Search};
use crate::allocator::contiguous::orientations::{Turn, orientations};
use crate::allocator::seam::{Allocator, Placement, Request};
use meshreplay_machine::machine::{Machine, Mesh, NodeId, Submesh, near_square};

/// The rule for the next sides to look for after a submesh was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// The same sides are looked for again, as in the text of the paper on QNA.
    Text,
    /// The longest side is shortened first, as in the listing of that paper.
    Literal,
    /// The largest free submesh by its number of nodes whose sides do not exceed those of the last one, as in
    /// the text of the paper on GABL.
    Area,
}

/// An allocator that serves a request by several submeshes, which a given search finds one by one.
pub(crate) struct Pieces {
    search: Search,
    turn: Turn,
    repeat: Repeat,
    /// The submeshes in use, for searches that need their list.
    busy: BusyList,
    /// The submeshes of each running job that this allocator has placed, by the first node of its placement.
    held: BTreeMap<NodeId, Vec<Submesh>>,
    /// The submeshes of the last proposal.
    proposed: Vec<Submesh>,
}

impl Pieces {
    /// Returns an allocator for an idle machine.
    pub(crate) fn new(search: Search, turn: Turn, repeat: Repeat) -> Self {
        let (busy, held, proposed) = (BusyList::default(), BTreeMap::new(), Vec::new());
        Self { search, turn, repeat, busy, held, proposed }
    }

    /// Returns submeshes of `procs` nodes in all for a job of this shape, in the order of the search. At
    /// least `procs` nodes must be free.
    fn choose(&mut self, machine: &Machine, procs: u32, shape: [u32; 3]) -> Vec<Submesh> {
        let nodes = |sizes: [u32; 3]| sizes.iter().fold(1_u32, |product, &side| product.saturating_mul(side));
        let (mut sizes, mut missing) = (shape, procs);
        // Later pieces must not overlap earlier ones. So earlier pieces are occupied on a copy of the
        // machine, and are in the list of submeshes in use until all are found.
        let (mut left, in_use) = (machine.clone(), self.busy.boxes().len());
        let mut pieces = Vec::new();
        while missing > 0 {
            let place = match self.repeat {
                Repeat::Area => sizes_by_area(sizes, missing).find_map(|sizes| self.place(&left, sizes)),
                Repeat::Text | Repeat::Literal if nodes(sizes) <= missing => self.place(&left, sizes),
                Repeat::Text | Repeat::Literal => None,
            };
            // No search returns a submesh that is not free; if one did, it would be skipped.
            let place = place.filter(|place| left.occupy(&place.nodes(machine)).is_ok());
            if let Some(place) = place {
                self.busy.add_submesh(place);
                pieces.push(place);
                missing -= nodes(place.sizes);
                if self.repeat == Repeat::Area {
                    sizes = place.sizes;
                }
            }
            if (place.is_none() || self.repeat == Repeat::Literal) && !shorten(&mut sizes) && place.is_none()
            {
                break;
            }
        }
        self.busy.keep_first(in_use);
        pieces
    }

    /// Returns a free submesh of these sides, in another orientation if that is allowed; `None` if none is
    /// free.
    fn place(&self, machine: &Machine, sizes: [u32; 3]) -> Option<Submesh> {
        let find = |sizes| Some(Submesh { base: (self.search)(machine, sizes, &self.busy)?, sizes });
        match self.turn {
            Turn::No => find(sizes),
            Turn::Yes => orientations(sizes, machine.mesh()).into_iter().find_map(find),
        }
    }
}

/// Returns the sides to look for first: the requested shape or, if it is too large for `mesh`, a nearly
/// square one; `None` if neither exists.
fn largest_piece(request: &Request, mesh: &Mesh) -> Option<[u32; 3]> {
    request.sides_on(mesh).or_else(|| near_square(request.procs, mesh))
}

/// Shortens the longest side by one node, the first of equals. Returns whether it did: if all sides are 1, it
/// returns false and changes nothing.
fn shorten(sizes: &mut [u32; 3]) -> bool {
    let longest = sizes.iter().copied().max().unwrap_or(1);
    match sizes.iter_mut().find(|side| **side == longest) {
        Some(side) if *side > 1 => {
            *side -= 1;
            true
        }
        _ => false,
    }
}

impl Allocator for Pieces {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.proposed = self.choose(machine, request.procs, largest_piece(request, machine.mesh())?);
        Some(Placement::of(self.proposed.iter().flat_map(|piece| piece.nodes(machine)).collect()))
    }

    fn accepted(&mut self, placement: &Placement, _machine: &Machine) {
        let pieces = std::mem::take(&mut self.proposed);
        for &piece in &pieces {
            self.busy.add_submesh(piece);
        }
        self.held.extend(placement.nodes.first().map(|&first| (first, pieces)));
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.busy.add(machine.mesh(), &placement.nodes);
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        match placement.nodes.first().and_then(|first| self.held.remove(first)) {
            Some(pieces) => self.busy.remove_submeshes(&pieces),
            None => self.busy.remove(machine.mesh(), &placement.nodes),
        }
    }
}

/// Returns the sides of all submeshes of at most `most` nodes whose sides do not exceed `bounds`: by their
/// nodes, the largest first; of equals the one with the longest shortest side, then the widest. A side whose
/// bound is 1 has no choice, and is never the shortest, whether it is along x, y or z.
fn sizes_by_area(bounds: [u32; 3], most: u32) -> impl Iterator<Item = [u32; 3]> {
    let [a, b, c] = bounds;
    let planes = (1..=c).flat_map(move |z| (1..=b).map(move |y| (y, z)));
    let all = planes.flat_map(move |(y, z)| (1..=a).map(move |x| [x, y, z]));
    let nodes = |[x, y, z]: [u32; 3]| x.saturating_mul(y).saturating_mul(z);
    let shortest =
        |sides: [u32; 3]| sides.into_iter().zip(bounds).filter(|side| side.1 > 1).map(|side| side.0).min();
    // Each entry begins with its sort key, which is computed once: every piece sorts a list of its own.
    let sizes = all.filter(|&sides| nodes(sides) <= most);
    let mut sizes: Vec<_> = sizes.map(|sides| (nodes(sides), shortest(sides), sides)).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.into_iter().map(|(_, _, sides)| sides)
}

#[cfg(test)]
mod tests {
    use super::super::qna;
    use super::*;
    use crate::allocator::contiguous::{qna_scan, rbs};
    use meshreplay_machine::machine::OccupyError;

    /// Occupies a submesh that the allocator itself has not chosen.
    fn hold(place: Submesh, strategy: &mut Pieces, machine: &mut Machine) -> Result<(), OccupyError> {
        let placement = Placement::of(place.nodes(machine));
        machine.occupy(&placement.nodes)?;
        strategy.taken(&placement, machine);
        Ok(())
    }

    /// Returns the corners of the submeshes that a job of 6×2 gets on the example machine of
    /// tests/laws/contiguous.rs.
    fn example(
        search: Search,
        turn: Turn,
        repeat: Repeat,
    ) -> Result<Vec<[u32; 4]>, Box<dyn std::error::Error>> {
        let (mut machine, mut strategy) = (Machine::new("6x6".parse()?), Pieces::new(search, turn, repeat));
        for (base, sizes) in [([0, 0, 0], [2, 3, 1]), ([2, 0, 0], [2, 2, 1]), ([4, 3, 0], [2, 3, 1])] {
            hold(Submesh { base, sizes }, &mut strategy, &mut machine)?;
        }
        let corners = |piece: Submesh| {
            let [x, y, _] = piece.base;
            [x, y, x + piece.sizes[0] - 1, y + piece.sizes[1] - 1]
        };
        Ok(strategy.choose(&machine, 12, [6, 2, 1]).into_iter().map(corners).collect())
    }

    #[test]
    fn the_published_example_comes_out() -> Result<(), Box<dyn std::error::Error>> {
        let expected = [[0, 3, 3, 4], [4, 0, 5, 1]];
        assert_eq!(example(rbs::search, Turn::No, Repeat::Text)?, expected);
        for search in [qna_scan::scan, qna::lowest] {
            assert_eq!(example(search, Turn::Yes, Repeat::Text)?, expected);
        }
        Ok(())
    }

    #[test]
    fn a_shape_with_nodes_to_spare_is_shortened_to_what_is_missing() -> Result<(), Box<dyn std::error::Error>>
    {
        let machine = Machine::new("16x16".parse()?);
        let mut strategy = Pieces::new(qna::lowest, Turn::Yes, Repeat::Text);
        // The shape 5×3 has two nodes more than the 13 processors. 4×3 is the first with no more nodes than
        // are missing.
        let pieces = strategy.choose(&machine, 13, [5, 3, 1]);
        let sizes: Vec<[u32; 3]> = pieces.iter().map(|piece| piece.sizes).collect();
        assert_eq!(sizes, [[4, 3, 1], [1, 1, 1]]);
        Ok(())
    }

    #[test]
    fn the_listing_never_takes_a_size_twice_while_it_can_shrink() -> Result<(), Box<dyn std::error::Error>> {
        let pieces = example(qna_scan::scan, Turn::Yes, Repeat::Literal)?;
        assert_eq!(pieces[..2], [[0, 3, 3, 4], [4, 0, 5, 1]]);
        // 3×2 is free nowhere, 2×2 neither: single columns and rows of two; the listing takes one of them.
        for (repeat, expected) in [(Repeat::Literal, vec![2, 1, 1, 1, 1]), (Repeat::Text, vec![2, 2, 2])] {
            let mut machine = Machine::new("3x3".parse()?);
            let mut strategy = Pieces::new(qna_scan::scan, Turn::Yes, repeat);
            hold(Submesh { base: [1, 1, 0], sizes: [1, 1, 1] }, &mut strategy, &mut machine)?;
            let pieces = strategy.choose(&machine, 6, [3, 2, 1]);
            let sizes: Vec<u32> = pieces.iter().map(|piece| piece.sizes.iter().product()).collect();
            assert_eq!(sizes, expected, "{repeat:?}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod area_tests {
    use super::*;

    #[test]
    fn the_largest_area_comes_first_and_squares_before_rows() {
        let found: Vec<[u32; 3]> = sizes_by_area([4, 2, 1], 5).collect();
        let flat = [[2, 2], [4, 1], [3, 1], [2, 1], [1, 2], [1, 1]].map(|[x, y]| [x, y, 1]);
        assert_eq!(found, flat);
    }

    #[test]
    fn a_flat_side_is_ignored_along_every_axis() {
        for axes in [[0, 1, 2], [0, 2, 1], [2, 0, 1]] {
            let along = |sides: [u32; 3]| axes.map(|axis| sides[axis]);
            let firsts: Vec<[u32; 3]> = sizes_by_area(along([4, 4, 1]), 4).take(2).collect();
            assert_eq!(firsts[0], along([2, 2, 1]), "the square comes before the rows");
            assert_eq!(firsts[1].iter().max(), Some(&4), "{firsts:?}");
        }
        assert_eq!(sizes_by_area([1, 1, 1], 3).collect::<Vec<_>>(), [[1, 1, 1]]);
    }
}
