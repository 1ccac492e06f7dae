//! The fill of MC1x1: the k free nodes that one centre takes.
//!
//! First come the whole shells, then the free nodes that `greedy` chooses, one after the other. If all nodes
//! of the whole shells are free, the fill begins with the memoized picks of an idle machine. Next,
//! `local_greedy` chooses among the nodes near the centre while these are provably the best.

pub(crate) use super::greedy::Last;

use std::collections::BTreeMap;

use super::greedy::Greedy;
use super::local_greedy::{LocalGreedy, Outcome};
use super::mc1x1_shells::free_within;
use super::scores::ArrayScores;
use meshreplay_machine::machine::{Coord, FreeCounts, Machine, Mesh, NodeId, ranges};

/// The objective of a fill: its value for the nodes taken so far. The smallest value wins.
pub(super) trait Objective {
    /// The final value of a fill.
    type Total;

    /// Adds the next pick. Returns false if the fill cannot win.
    fn add(&mut self, mesh: &Mesh, pick: Coord) -> bool;

    /// Returns the value of the complete fill.
    fn total(&self) -> Self::Total;
}

/// The score of MC1x1: the sum of L∞ distances from the centre to the nodes taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    pub(super) centre: Coord,
    /// The shell of the k-th nearest free node.
    pub(super) shell: usize,
    /// The sum, with all remaining nodes counted in this shell.
    pub(super) sum: i64,
    /// The largest sum that can win.
    pub(super) limit: i64,
}

impl Objective for Score {
    type Total = i64;

    #[inline]
    fn add(&mut self, mesh: &Mesh, pick: Coord) -> bool {
        self.sum += i64::from(mesh.l_inf(self.centre, pick)) - self.shell as i64;
        self.sum <= self.limit
    }

    fn total(&self) -> i64 {
        self.sum
    }
}

/// The nodes that the fill around one centre takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fill<T = i64> {
    /// The centre.
    pub(crate) centre: Coord,
    /// The value of the fill: for MC1x1 the sum of L∞ distances from the centre to the nodes taken.
    pub(crate) score: T,
    /// The shell of the k-th nearest free node. All free nodes of nearer shells are taken.
    shell: usize,
    /// The nodes taken besides them, in the order of choice.
    picks: Vec<Coord>,
}

impl<T> Fill<T> {
    /// Returns the shell (L∞ distance from the centre) of the k-th nearest free node.
    pub(crate) fn shell(&self) -> u32 {
        self.shell as u32
    }

    /// Returns the k nodes taken: first the nodes of whole shells in location order, then the others in the
    /// order of choice. `machine` must be in the state of the fill.
    pub(crate) fn nodes(&self, machine: &Machine) -> Vec<NodeId> {
        let mesh = machine.mesh();
        let coords: Vec<Coord> = match self.shell.checked_sub(1) {
            Some(inner) => free_within(machine, self.centre, inner).collect(),
            None => Vec::new(),
        };
        coords.iter().chain(&self.picks).map(|&node| mesh.node(node)).collect()
    }
}

/// A fill around a centre.
#[derive(Clone, Copy, Debug)]
struct Around {
    k: u32,
    centre: Coord,
    /// The shell of the k-th nearest free node.
    shell: usize,
    /// The number of free nodes that are nearer than it.
    whole: u32,
}

/// The fills around centres of one machine state. Memory is kept between calls.
#[derive(Debug, Default)]
pub(crate) struct ShellFill {
    greedy: Greedy,
    /// The searches near a centre: among few nodes, and among more of them.
    small: LocalGreedy<16>,
    large: LocalGreedy<32>,
    idle: IdleFills,
    /// Whether the machine is an array, whose free nodes `array` has then.
    is_array: bool,
    array: ArrayScores,
    /// The nodes of the current fill besides whole shells.
    picks: Vec<Coord>,
}

impl ShellFill {
    /// Returns a fill without a machine state; [`Self::prepare`] gives it one.
    pub(crate) fn new(last: Last) -> Self {
        Self { greedy: Greedy::new(last), idle: IdleFills::new(last), ..Self::default() }
    }

    /// Copies the free nodes of `machine`, the state of the fills that follow. It must be the same machine
    /// each time.
    pub(crate) fn prepare(&mut self, machine: &Machine) {
        self.is_array = ArrayScores::is_array(machine.mesh());
        if self.is_array {
            self.array.prepare(machine);
        } else {
            self.greedy.prepare(machine);
        }
    }

    /// Returns the k nodes that `centre` takes; `None` if their score exceeds `limit`, or if fewer than k
    /// nodes are free. `counts` must have the free nodes of `machine`. `bound` is the shell score of the
    /// centre, the sum of L∞ distances to its k nearest free nodes, which no choice of k nodes is below.
    pub(crate) fn fill(
        &mut self,
        counts: &FreeCounts,
        machine: &Machine,
        k: u32,
        centre: Coord,
        bound: i64,
        limit: i64,
    ) -> Option<Fill> {
        let shell = counts.reach(centre, k)?;
        // The bound counts each node after the whole shells with the distance `shell`; a pick may be farther.
        let mut score = Score { centre, shell, sum: bound, limit };
        self.fill_for(counts, machine, k, centre, shell, &mut score)
    }

    /// Returns the k nodes that `centre` takes; `None` if the fill cannot win by `objective`. `shell` is the
    /// shell of the k-th nearest free node.
    pub(super) fn fill_for<W: Objective>(
        &mut self,
        counts: &FreeCounts,
        machine: &Machine,
        k: u32,
        centre: Coord,
        shell: usize,
        objective: &mut W,
    ) -> Option<Fill<W::Total>> {
        let mesh = machine.mesh();
        self.picks.clear();
        if self.is_array || shell == 0 {
            self.pick_simply(mesh, k, centre, shell, objective)?;
        } else {
            // On an idle machine each pick is the best of all nodes. As long as these are free here, they are
            // the best here, where there is less to choose from.
            let picks = self.idle.picks(counts, mesh, k, centre, shell);
            for pick in picks.take_while(|&pick| self.greedy.is_free(pick)) {
                if !objective.add(mesh, pick) {
                    return None;
                }
                self.picks.push(pick);
            }
            let whole = shell.checked_sub(1).map_or(0, |inner| counts.within(centre, inner) as u32);
            let around = Around { k, centre, shell, whole };
            if whole + (self.picks.len() as u32) < k {
                self.pick_near(mesh, around, objective)?;
            }
            if whole + (self.picks.len() as u32) < k {
                self.pick_anywhere(mesh, around, objective)?;
            }
        }
        Some(Fill { centre, score: objective.total(), shell, picks: self.picks.clone() })
    }

    /// Sets the picks for a centre of an array, where sums of distances need no search, or for a centre that
    /// takes only itself. Returns `None` if the fill cannot win.
    fn pick_simply(
        &mut self,
        mesh: &Mesh,
        k: u32,
        centre: Coord,
        shell: usize,
        objective: &mut impl Objective,
    ) -> Option<()> {
        if shell == 0 {
            self.picks.push(centre);
            return objective.add(mesh, centre).then_some(());
        }
        let dimension = self.array.dimension();
        for at in self.array.picks(k, centre[dimension], shell, self.greedy.last()) {
            let mut pick = [0; 3];
            pick[dimension] = at;
            if !objective.add(mesh, pick) {
                return None;
            }
            self.picks.push(pick);
        }
        Some(())
    }

    /// Adds nodes near the centre to the picks while they are provably the best. Returns `None` if the fill
    /// cannot win.
    fn pick_near(&mut self, mesh: &Mesh, around: Around, objective: &mut impl Objective) -> Option<()> {
        let Around { k, centre, shell, whole } = around;
        let outcome = if self.small.start(&self.greedy, mesh, centre, shell, whole, &self.picks).is_some() {
            self.small.run(mesh, k, &mut self.picks, objective)
        } else if self.large.start(&self.greedy, mesh, centre, shell, whole, &self.picks).is_some() {
            self.large.run(mesh, k, &mut self.picks, objective)
        } else {
            Outcome::Open
        };
        (outcome != Outcome::Useless).then_some(())
    }

    /// Adds nodes to the picks until there are k. Returns `None` if the fill cannot win.
    fn pick_anywhere(&mut self, mesh: &Mesh, around: Around, objective: &mut impl Objective) -> Option<()> {
        let Around { k, centre, shell, .. } = around;
        let taken = self.greedy.start(mesh, centre, shell, &self.picks);
        let distances = self.picks.iter().map(|&pick| mesh.l_inf(centre, pick) as usize);
        let mut reach = distances.fold(shell, usize::max);
        let mut is_of_use = true;
        for _ in taken..k {
            let Some(pick) = self.greedy.next(mesh, centre, shell) else { break };
            reach = reach.max(mesh.l_inf(centre, pick) as usize);
            is_of_use = objective.add(mesh, pick);
            if !is_of_use {
                break;
            }
            self.greedy.take(mesh, pick);
            self.picks.push(pick);
        }
        self.greedy.restore(mesh, centre, reach);
        is_of_use.then_some(())
    }
}

// The fills of MC1x1 on an idle machine, which begin the fills wherever the whole shells of a centre are
// free.
//
// The fill around a centre is the same in every state of the machine with all its nodes free: fewer free
// nodes leave fewer rivals. So it is computed once for the idle machine and memoized. It is also the same
// around all centres far enough from the border of the machine, or from the end of a ring, where the order
// of locations begins anew. These centres share one fill.
//
// Why they do: let R be the greatest distance (L∞) of a node taken. Along a line, sums of distances grow
// strictly beyond the nodes taken. Along a ring, they are concave there, so they grow from both ends of the
// range of the nodes taken to a top between them, and strictly if that range and its next position are
// within half the ring. So each node that is farther than R + 1 along a dimension is worse than one at
// distance R + 1, which is not taken. The choice is between nodes within R + 1, and these have the same
// distances and the same order around all such centres.

/// A memo of fills of the idle machine.
#[derive(Debug, Default)]
struct IdleFills {
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

#[cfg(test)]
mod tests {
    use super::super::scores::ShellScores;
    use super::super::states::patchy;
    use super::*;

    /// Returns the picks of a centre by the definition: again and again the free node with the smallest sum
    /// of distances to the nodes taken, then with the smallest distance to the centre, then the first in
    /// location order.
    fn plain(machine: &Machine, k: u32, centre: Coord, shell: usize, last: Last) -> Vec<Coord> {
        let mesh = machine.mesh();
        let free =
            mesh.location_order().filter(|&node| machine.free().contains(node)).map(|node| mesh.coord(node));
        let distance = |node: &Coord| mesh.l_inf(centre, *node) as usize;
        let (mut taken, mut rest): (Vec<Coord>, Vec<Coord>) = free.partition(|node| distance(node) < shell);
        rest.retain(|node| last == Last::Nearest || distance(node) == shell);
        let whole = taken.len();
        while taken.len() < k as usize {
            let sum = |node: Coord| taken.iter().map(|&other| mesh.l1(node, other)).sum::<u32>();
            let Some(next) = (0..rest.len()).min_by_key(|&i| (sum(rest[i]), mesh.l1(rest[i], centre), i))
            else {
                break;
            };
            taken.push(rest.remove(next));
        }
        taken.split_off(whole)
    }

    #[test]
    fn fills_of_nearly_idle_machines_equal_plain_ones() -> Result<(), Box<dyn std::error::Error>> {
        for (text, ks) in [
            ("9x8", &[2, 5, 13, 30][..]),
            ("torus:9x8", &[2, 5, 13, 30, 60]),
            ("torus:17x16", &[2, 6, 11]),
            ("16x17:wrap=y", &[3, 7, 28]),
            ("torus:6x5x6", &[3, 9, 30]),
            ("6x6x5:wrap=xz", &[4, 12]),
            ("torus:40", &[4, 11]),
            ("70x2", &[9]),
        ] {
            let mesh: Mesh = text.parse()?;
            for last in [Last::Nearest, Last::Shell] {
                // One fill for all states, so that what it keeps of the idle machine is used again.
                let mut fill = ShellFill::new(last);
                for busy in [0, 1, 2, 5] {
                    let mut machine = Machine::new(mesh.clone());
                    let nodes: Vec<NodeId> = (0..busy).map(|i| (i * 37 + busy * 11) % mesh.nodes()).collect();
                    machine.occupy(&nodes)?;
                    fill.prepare(&machine);
                    for &k in ks {
                        let mut scores = ShellScores::default();
                        scores.prepare(&machine, k);
                        let mut centres = Vec::new();
                        scores.for_each(&machine, k, i64::MAX, |centre| {
                            centres.push((mesh.coord(centre.node), centre.score));
                        });
                        for (centre, bound) in centres {
                            let found = fill.fill(scores.counts(), &machine, k, centre, bound, i64::MAX);
                            let found = found.ok_or("no fill")?;
                            let wanted = plain(&machine, k, centre, found.shell, last);
                            assert_eq!(found.picks, wanted, "{text}: {k} around {centre:?}, {busy} busy");
                            let nodes = found.nodes(&machine);
                            let score: u32 =
                                nodes.iter().map(|&node| mesh.l_inf(centre, mesh.coord(node))).sum();
                            assert_eq!((found.score, nodes.len()), (i64::from(score), k as usize));
                            let limit = found.score - 1;
                            assert!(fill.fill(scores.counts(), &machine, k, centre, bound, limit).is_none());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn fills_of_half_busy_machines_equal_plain_ones() -> Result<(), Box<dyn std::error::Error>> {
        for (text, ks) in [
            ("40x30", &[4, 17, 60][..]),
            ("48x40", &[160]),
            ("torus:52x50", &[150]),
            ("torus:60x44", &[4, 17, 60]),
            ("67x9", &[5, 30]),
            ("torus:132x36", &[25]),
            ("13x12x11", &[9, 40, 90]),
            ("torus:24x25x26", &[9, 40]),
            ("9x30x20:wrap=yz", &[30]),
            ("300", &[2, 7, 20]),
            ("1x1x90", &[8]),
            ("torus:200", &[7]),
        ] {
            let mesh: Mesh = text.parse()?;
            for last in [Last::Nearest, Last::Shell] {
                let mut fill = ShellFill::new(last);
                for step in 1..4_u32 {
                    let machine = patchy(text, [1, 5, 3][step as usize - 1], 2, step)?;
                    fill.prepare(&machine);
                    for &k in ks {
                        let mut scores = ShellScores::default();
                        scores.prepare(&machine, k);
                        let mut centres = Vec::new();
                        scores.for_each(&machine, k, i64::MAX, |centre| {
                            centres.push((mesh.coord(centre.node), centre.score));
                        });
                        centres.sort_unstable();
                        for &(centre, bound) in centres.iter().step_by(1 + centres.len() / 9) {
                            let found = fill.fill(scores.counts(), &machine, k, centre, bound, i64::MAX);
                            let found = found.ok_or("no fill")?;
                            let wanted = plain(&machine, k, centre, found.shell, last);
                            assert_eq!(found.picks, wanted, "{text}: {k} around {centre:?}, state {step}");
                            let within = fill.fill(scores.counts(), &machine, k, centre, bound, found.score);
                            assert_eq!(within, Some(found.clone()));
                            let limit = found.score - 1;
                            assert!(fill.fill(scores.counts(), &machine, k, centre, bound, limit).is_none());
                        }
                    }
                }
            }
        }
        Ok(())
    }
}
