//! The search among centres: bit masks on small machines, and best first on others. Both give the same
//! results.

use super::best_first::BestFirst;
use super::carried::Ties;
use super::centres::Centres;
use super::numbers;
use super::small::Small;
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId, pairwise_sum_at};

/// A search for the centre with the smallest pairwise sum. It keeps its memory between calls.
pub(super) enum Nearest {
    /// The search on machines of at most 128 nodes.
    Small(Box<Small>),
    /// The search on machines whose numbers are narrow.
    Narrow(Box<BestFirst<i32>>),
    /// The search on all other machines.
    Wide(Box<BestFirst<i64>>),
    /// The search as written, for comparisons of cost.
    Plain(Centres, Ties),
}

impl Nearest {
    /// Returns a search for machines of the shape `mesh`. `is_plain` selects the search as written.
    pub(super) fn new(mesh: &Mesh, centres: Centres, ties: Ties, is_plain: bool) -> Self {
        if is_plain {
            Self::Plain(centres, ties)
        } else if let Some(small) = Small::new(mesh, centres, ties) {
            Self::Small(Box::new(small))
        } else if numbers::are_narrow(mesh) {
            Self::Narrow(Box::new(BestFirst::new(mesh, centres, ties)))
        } else {
            Self::Wide(Box::new(BestFirst::new(mesh, centres, ties)))
        }
    }

    /// Returns the `k` free nodes nearest to the best centre, the first centre with the smallest pairwise
    /// sum. Nodes at the largest distance from the centre come last; apart from that, the nodes are in
    /// location order. At least `k` nodes must be free. Returns `None` if the machine was stopped.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        if k == 1 && !matches!(self, Self::Plain(..)) {
            // Each centre takes one node, with a pairwise sum of 0, so the first one wins. Either way it is
            // the first free node, which is nearest to itself: the first of the combinations has its x, y and
            // z.
            let first = machine.mesh().location_order().find(|&node| machine.free().contains(node))?;
            return Some(vec![first]);
        }
        match self {
            Self::Small(small) => small.choose(k, machine),
            Self::Narrow(search) => search.choose(k, machine),
            Self::Wide(search) => search.choose(k, machine),
            Self::Plain(centres, ties) => choose_as_written(machine, k, *centres, *ties),
        }
    }
}

/// Gen-Alg and MM as written: the free nodes are sorted around every centre. O(C·F·log F) for C centres and F
/// free nodes. The list is sorted stably for one centre after another, which is the order `carried` of the
/// authors' simulator; for the order `location` it is sorted by location before. Returns the nodes as
/// [`Nearest::choose`] does; `None` if the replay is interrupted.
fn choose_as_written(machine: &Machine, k: u32, centres: Centres, ties: Ties) -> Option<Vec<NodeId>> {
    let (mesh, k) = (machine.mesh(), k as usize);
    let mut free: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
    free.sort_unstable();
    let mut best: Option<(u64, Coord, Vec<Coord>)> = None;
    for centre in centres.list(machine) {
        if machine.is_stopped() {
            return None;
        }
        if ties == Ties::Location {
            free.sort_unstable();
        }
        free.sort_by_key(|&node| mesh.l1(centre, node));
        let nearest = &free[..k];
        let sum = pairwise_sum_at(mesh, nearest.iter().copied());
        if best.as_ref().is_none_or(|(least, ..)| sum < *least) {
            best = Some((sum, centre, nearest.to_vec()));
        }
    }
    let (_, centre, mut nodes) = best?;
    let farthest = nodes.last().map(|&node| mesh.l1(centre, node));
    nodes.sort_unstable_by_key(|&node| (Some(mesh.l1(centre, node)) == farthest, node));
    Some(nodes.into_iter().map(|node| mesh.node(node)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use meshreplay_machine::machine::{Coord, pairwise_sum_at};

    const KINDS: [(Centres, Ties); 4] = [
        (Centres::Free, Ties::Carried),
        (Centres::Free, Ties::Location),
        (Centres::Combinations, Ties::Carried),
        (Centres::Combinations, Ties::Location),
    ];

    /// Returns a machine with about `share` of 8 patches busy; a patch has sides of `side` nodes.
    fn patched(text: &str, side: u32, share: u64, seed: u64) -> Result<Machine, Box<dyn std::error::Error>> {
        let mut machine = Machine::new(text.parse()?);
        let is_busy = |node: &NodeId| {
            let patch = machine.mesh().coord(*node).map(|at| u64::from(at / side));
            let number = patch
                .iter()
                .fold(seed, |number, &at| (number ^ at).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
            number % 8 < share
        };
        let busy: Vec<NodeId> = (0..machine.mesh().nodes()).filter(is_busy).collect();
        machine.occupy(&busy)?;
        Ok(machine)
    }

    /// Chooses as `Nearest::choose` does, by sorting the free nodes around one centre after another.
    fn naive(machine: &Machine, k: u32, kind: Centres, ties: Ties) -> Vec<NodeId> {
        let (mesh, k) = (machine.mesh(), k as usize);
        let mut carried: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
        carried.sort_unstable();
        let mut best: Option<(u64, Coord, Vec<Coord>)> = None;
        for centre in kind.list(machine) {
            if ties == Ties::Location {
                carried.sort_unstable();
            }
            carried.sort_by_key(|&node| mesh.l1(centre, node));
            let sum = pairwise_sum_at(mesh, carried[..k].iter().copied());
            if best.as_ref().is_none_or(|best| sum < best.0) {
                best = Some((sum, centre, carried[..k].to_vec()));
            }
        }
        let Some((_, centre, mut nodes)) = best else { return Vec::new() };
        let farthest = nodes.iter().map(|&node| mesh.l1(centre, node)).max();
        nodes.sort_unstable_by_key(|&node| (Some(mesh.l1(centre, node)) == farthest, node));
        nodes.into_iter().map(|node| mesh.node(node)).collect()
    }

    /// Lines, meshes, tori, and partly wrapping machines; balls meet walls and themselves.
    const MACHINES: &[&str] = &[
        "40",
        "300",
        "torus:41",
        "20x17",
        "32x32",
        "12x50",
        "150x2",
        "2x150",
        "torus:20x17",
        "torus:33x2",
        "torus:2x70",
        "33x3",
        "40x24:wrap=x",
        "21x32:wrap=y",
        "9x8x7",
        "4x5x30",
        "torus:9x8x7",
        "torus:6x12x5",
        "17x4x9:wrap=xz",
        "3x18x5:wrap=y",
        "1x12x13:wrap=xyz",
        "torus:2x16x8",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn best_first_search_equals_the_naive_one(
            text in prop::sample::select(MACHINES),
            side in 1..7_u32,
            share in 0..8_u64,
            seed: u64,
            sizes in prop::collection::vec(2..300_u32, 2),
        ) {
            let fail = |error: Box<dyn std::error::Error>| TestCaseError::fail(error.to_string());
            let machine = patched(text, side, share, seed).map_err(fail)?;
            for (centres, ties) in KINDS {
                let mut machine = machine.clone();
                let mut narrow = BestFirst::<i32>::new(machine.mesh(), centres, ties);
                let mut wide = BestFirst::<i64>::new(machine.mesh(), centres, ties);
                for k in sizes.clone() {
                    if k > machine.free_count() {
                        continue;
                    }
                    let plain = naive(&machine, k, centres, ties);
                    let call = format!("{text}: {k} nodes, {centres:?}, {ties:?}");
                    prop_assert_eq!(&narrow.choose(k, &machine).unwrap_or_default(), &plain, "{}", call);
                    prop_assert_eq!(&wide.choose(k, &machine).unwrap_or_default(), &plain, "{}", call);
                    prop_assert!(machine.occupy(&plain).is_ok());
                }
            }
        }
    }

    #[test]
    fn a_search_that_is_stopped_finds_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let stop = meshreplay_base::stop::Stop::default();
        let machine = patched("40x40", 3, 4, 1)?.with_stop(stop.clone());
        let mut search = Nearest::new(machine.mesh(), Centres::Combinations, Ties::Carried, false);
        assert!(search.choose(50, &machine).is_some());
        stop.throw();
        assert!(search.choose(50, &machine).is_none());
        Ok(())
    }

    #[test]
    fn both_searches_take_the_same_nodes() -> Result<(), Box<dyn std::error::Error>> {
        for (text, step) in [
            ("10x10", 3),
            ("5x5x4", 2),
            ("16x8", 5),
            ("7", 4),
            ("1x9", 2),
            ("1", 2),
            ("3x4x5", 7),
            ("torus:8x5", 3),
            ("torus:4x4x3", 2),
            ("torus:2x3", 4),
            ("torus:9", 5),
            ("8x5:wrap=x", 3),
            ("4x7:wrap=y", 5),
            ("4x4x3:wrap=xz", 2),
            ("3x5x4:wrap=y", 3),
        ] {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<NodeId> =
                (0..machine.mesh().nodes()).filter(|n| (n * n + n / 3) % step == 1).collect();
            machine.occupy(&busy)?;
            for (centres, ties) in KINDS {
                let mut small = Small::new(machine.mesh(), centres, ties).ok_or("too large")?;
                let mut search = BestFirst::<i32>::new(machine.mesh(), centres, ties);
                for k in 2..=machine.free_count() {
                    let (small, search) = (small.choose(k, &machine), search.choose(k, &machine));
                    assert_eq!(small, search, "{text}: {k} nodes, {centres:?}, {ties:?}");
                }
            }
        }
        Ok(())
    }
}
