//! The fills of MC1x1 on an idle machine, which begin the fills wherever the whole shells of a centre are
//! free.
//!
//! The fill around a centre is the same in every state of the machine with all its nodes free: fewer free
//! nodes leave fewer rivals. So it is computed once for the idle machine and memoized. It is also the same
//! around all centres far enough from the border of the machine, or from the end of a ring, where the order
//! of locations begins anew. These centres share one fill.
//!
//! Why they do: let R be the greatest distance (L∞) of a node taken. Along a line, sums of distances grow
//! strictly beyond the nodes taken. Along a ring, they are concave there, so they grow from both ends of the
//! range of the nodes taken to a top between them, and strictly if that range and its next position are
//! within half the ring. So each node that is farther than R + 1 along a dimension is worse than one at
//! distance R + 1, which is not taken. The choice is between nodes within R + 1, and these have the same
//! distances and the same order around all such centres.

use std::collections::BTreeMap;

use super::greedy::{Greedy, Last};
use meshreplay_machine::machine::{Coord, FreeCounts, Mesh, ranges};

/// A memo of fills of the idle machine.
#[derive(Debug, Default)]
pub(super) struct IdleFills {
    greedy: Greedy,
    /// The fills by the number of nodes and the centre.
    known: BTreeMap<(u32, Coord), IdleFill>,
    /// The number of nodes in all known fills.
    size: usize,
}

/// The nodes that a centre of an idle machine takes besides whole shells, in the order of choice.
#[derive(Debug, Default)]
struct IdleFill {
    picks: Vec<Coord>,
    /// The greatest L∞ distance of a node taken from the centre.
    reach: u32,
}

/// The most nodes that are kept in known fills, some 24 MB. If there are more, all fills are forgotten.
const MOST: usize = 1 << 21;

impl IdleFills {
    /// Returns an empty memo of fills by this rule.
    pub(super) fn new(last: Last) -> Self {
        Self { greedy: Greedy::new(last), ..Self::default() }
    }

    /// Returns the nodes that `centre` would take on an idle machine besides whole shells, in the order of
    /// choice; none if a node nearer than `shell` is not free. `shell` is the shell of the k-th nearest free
    /// node, by `counts`.
    pub(super) fn picks(
        &mut self,
        counts: &FreeCounts,
        mesh: &Mesh,
        k: u32,
        centre: Coord,
        shell: usize,
    ) -> impl Iterator<Item = Coord> + use<'_> {
        let whole = shell.checked_sub(1).map_or(0, |inner| nodes_within(mesh, centre, inner));
        let is_whole = shell > 0 && counts.within(centre, shell - 1) as usize == whole;
        let (near, picks) = if is_whole { self.shared(mesh, k, centre, shell) } else { (centre, &[][..]) };
        let extents = mesh.extents();
        picks.iter().map(move |pick| {
            // Only centres that are far from the border share a fill, so no dimension is left.
            let moved = |d: usize| (pick[d] + centre[d]).wrapping_sub(near[d]);
            debug_assert!((0..3).all(|d| moved(d) < extents[d]));
            [moved(0), moved(1), moved(2)]
        })
    }

    /// Returns a centre with which `centre` shares its fill, and the picks of that fill. `shell` is the shell
    /// of the k-th nearest node.
    fn shared(&mut self, mesh: &Mesh, k: u32, centre: Coord, shell: usize) -> (Coord, &[Coord]) {
        let mut reach = shell as u32;
        let mut near = representative(mesh, centre, reach);
        loop {
            reach = reach.max(self.fill(mesh, k, near, shell).reach);
            let next = representative(mesh, centre, reach);
            if next == near {
                break;
            }
            near = next;
        }
        (near, self.known.get(&(k, near)).map_or(&[], |fill| &fill.picks))
    }

    /// Returns the fill of k nodes around `centre`. `shell` is the shell of the k-th nearest node.
    fn fill(&mut self, mesh: &Mesh, k: u32, centre: Coord, shell: usize) -> &IdleFill {
        if self.size > MOST {
            self.known.clear();
            self.size = 0;
        }
        let greedy = &mut self.greedy;
        let size = &mut self.size;
        self.known.entry((k, centre)).or_insert_with(|| {
            if !greedy.is_prepared() {
                greedy.prepare_idle(mesh);
            }
            let mut fill = IdleFill { picks: Vec::new(), reach: shell as u32 };
            for _ in greedy.start(mesh, centre, shell, &[])..k {
                let Some(pick) = greedy.next(mesh, centre, shell) else { break };
                fill.reach = fill.reach.max(mesh.l_inf(centre, pick));
                greedy.take(mesh, pick);
                fill.picks.push(pick);
            }
            greedy.restore(mesh, centre, fill.reach as usize);
            *size += fill.picks.len() + 1;
            fill
        })
    }
}

/// Returns the representative of `centre`: in a dimension with both farther than `reach` + 1 from the border
/// it is in the middle, otherwise at the same position.
fn representative(mesh: &Mesh, centre: Coord, reach: u32) -> Coord {
    [0, 1, 2].map(|d| {
        let extent = mesh.extents()[d];
        let is_far = |at: u32| at > reach && at + reach + 1 < extent;
        // On a ring, `reach` + 1 on both sides must also lie within half the ring.
        let is_short = !mesh.wraps(d) || 4 * (reach + 1) <= extent;
        let middle = extent / 2;
        if is_short && is_far(centre[d]) && is_far(middle) { middle } else { centre[d] }
    })
}

/// Returns the number of nodes, free or not, within L∞ distance `radius` of `centre`.
fn nodes_within(mesh: &Mesh, centre: Coord, radius: usize) -> usize {
    let along = |d: usize| {
        let ranges = ranges(centre[d] as usize, radius, mesh.extents()[d] as usize, mesh.wraps(d));
        ranges.into_iter().flatten().map(|range| range.len()).sum::<usize>()
    };
    (0..3).map(along).product()
}
