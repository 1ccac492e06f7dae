//! The search among centres, by methods that give the same result: one for small machines, and `ranked` for others, which
//! leaves some to `slices` and `wide`.

use super::centres::Centres;
use super::ranked::Ranked;
#[cfg(test)]
use super::slices::search::Sliced;
use super::small::Small;
use super::ties::Ties;
#[cfg(test)]
use super::wide::Wide;
use meshreplay_machine::machine::{Machine, Mesh, NodeId};

/// A search for the centre with the smallest pairwise sum. It keeps its memory between calls.
pub(crate) enum Nearest {
    /// The method for a small machine.
    Small(Box<Small>),
    /// The method for any other machine.
    Ranked(Box<Ranked>),
}

impl Nearest {
    /// Returns a search for machines of the shape `mesh`.
    pub(crate) fn new(mesh: &Mesh, centres: Centres, ties: Ties) -> Self {
        match Small::new(mesh, centres, ties) {
            Some(small) => Self::Small(Box::new(small)),
            None => Self::Ranked(Box::new(Ranked::new(centres, ties))),
        }
    }

    /// Returns the `k` free nodes nearest to the centre for which their pairwise sum is smallest; the first of equal
    /// centres wins. Nodes at the largest distance from the centre come last; apart from that, the nodes are in
    /// location order. At least `k` nodes must be free. It is `None` if the machine was told to stop meanwhile.
    pub(crate) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        if k == 1 {
            // Each centre takes one node, with a pairwise sum of 0, so the first one wins. Either way it is the first free node,
            // which is nearest to itself: the first of the combinations has its x, y and z.
            let first = machine.mesh().location_order().find(|&node| machine.free().contains(node))?;
            return Some(vec![first]);
        }
        match self {
            Self::Small(small) => small.choose(k, machine),
            Self::Ranked(ranked) => ranked.choose(k, machine),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a machine on which about `share` of 8 of the patches with sides of `side` nodes are busy.
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

    /// Machines with bounds along lines and rings, of short and long sides.
    const LARGE: &[&str] = &[
        "300",
        "torus:200",
        "32x32",
        "40x37",
        "12x50",
        "70x9",
        "9x70",
        "600x2",
        "12x13x14",
        "8x8x16",
        "40x3x7",
        "4x5x60",
        "torus:32x32",
        "torus:40x33",
        "torus:16x64",
        "torus:12x13x8",
        "torus:20x4x16",
        "40x24:wrap=x",
        "21x32:wrap=y",
        "9x12x13:wrap=xz",
        "12x10x16:wrap=z",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn bounds_change_no_choice(
            text in prop::sample::select(LARGE),
            side in 1..7_u32,
            share in 0..8_u64,
            seed: u64,
            sizes in prop::collection::vec(2..130_u32, 3),
        ) {
            let machine = patched(text, side, share, seed).map_err(|error| TestCaseError::fail(error.to_string()))?;
            for (centres, ties) in [
                (Centres::Free, Ties::Carried),
                (Centres::Free, Ties::Location),
                (Centres::Combinations, Ties::Carried),
                (Centres::Combinations, Ties::Location),
            ] {
                let (mut ranked, mut wide) = (Ranked::new(centres, ties).forced(), Wide::new(centres, ties));
                for &k in sizes.iter().filter(|&&k| k <= machine.free_count()) {
                    let (ranked, wide) = (ranked.choose(k, &machine), wide.choose(k, &machine));
                    prop_assert_eq!(ranked, wide, "{}: {} nodes, {:?}, {:?}", text, k, centres, ties);
                }
            }
        }
    }

    /// Machines with slices, on which balls meet walls and themselves.
    const SOLID: &[&str] = &[
        "40",
        "torus:41",
        "20x17",
        "torus:20x17",
        "33x3",
        "torus:33x2",
        "9x8x7",
        "torus:9x8x7",
        "torus:6x12x5",
        "17x4x9:wrap=xz",
        "3x18x5:wrap=y",
        "1x12x13:wrap=xyz",
        "torus:2x16x8",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn slices_change_no_choice(
            text in prop::sample::select(SOLID),
            side in 1..7_u32,
            share in 0..8_u64,
            seed: u64,
            sizes in prop::collection::vec(2..300_u32, 4),
        ) {
            let machine = patched(text, side, share, seed).map_err(|error| TestCaseError::fail(error.to_string()))?;
            for (centres, ties) in [
                (Centres::Free, Ties::Carried),
                (Centres::Free, Ties::Location),
                (Centres::Combinations, Ties::Carried),
                (Centres::Combinations, Ties::Location),
            ] {
                let (mut sliced, mut wide) = (Sliced::new(centres, ties).forced(), Wide::new(centres, ties));
                for &k in sizes.iter().filter(|&&k| k <= machine.free_count()) {
                    let (sliced, wide) = (sliced.choose(k, &machine), wide.choose(k, &machine));
                    prop_assert_eq!(sliced, wide, "{}: {} nodes, {:?}, {:?}", text, k, centres, ties);
                }
            }
        }
    }

    #[test]
    fn large_jobs_in_space_have_the_same_choices() -> Result<(), Box<dyn std::error::Error>> {
        for (text, side, share) in [("20x18x16", 5, 3), ("torus:20x18x16", 4, 2), ("torus:64x40", 9, 2)] {
            let machine = patched(text, side, share, 5)?;
            for centres in [Centres::Free, Centres::Combinations] {
                let mut sliced = Sliced::new(centres, Ties::Carried);
                let mut wide = Wide::new(centres, Ties::Carried);
                for k in [300, machine.free_count() - 7] {
                    let (sliced, wide) = (sliced.choose(k, &machine), wide.choose(k, &machine));
                    assert_eq!(sliced, wide, "{text}: {k} nodes, {centres:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn large_machines_have_the_same_choices() -> Result<(), Box<dyn std::error::Error>> {
        // Patches of these sides are dense enough for bounds in some states, and too scattered in others.
        for (text, side, share) in
            [("128x128", 12, 4), ("torus:128x130", 3, 6), ("32x32x16", 6, 4), ("torus:32x32x32", 2, 5)]
        {
            let machine = patched(text, side, share, 3)?;
            for centres in [Centres::Free, Centres::Combinations] {
                let (mut ranked, mut wide) =
                    (Ranked::new(centres, Ties::Carried), Wide::new(centres, Ties::Carried));
                for k in [9, 70] {
                    let (ranked, wide) = (ranked.choose(k, &machine), wide.choose(k, &machine));
                    assert_eq!(ranked, wide, "{text}: {k} nodes, {centres:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_search_that_is_stopped_finds_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let stop = meshreplay_base::stop::Stop::default();
        let machine = patched("40x40", 3, 4, 1)?.with_stop(stop.clone());
        let mut ranked = Ranked::new(Centres::Combinations, Ties::Carried).forced();
        assert!(ranked.choose(50, &machine).is_some());
        let mut sliced = Sliced::new(Centres::Combinations, Ties::Carried).forced();
        assert!(sliced.choose(50, &machine).is_some());
        stop.throw();
        assert!(ranked.choose(50, &machine).is_none());
        assert!(sliced.choose(50, &machine).is_none());
        Ok(())
    }

    #[test]
    fn both_ways_take_the_same_nodes() -> Result<(), Box<dyn std::error::Error>> {
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
            for centres in [Centres::Free, Centres::Combinations] {
                for ties in [Ties::Carried, Ties::Location] {
                    let mut small = Small::new(machine.mesh(), centres, ties).ok_or("too large")?;
                    let mut wide = Wide::new(centres, ties);
                    for k in 1..=machine.free_count() {
                        let (small, wide) = (small.choose(k, &machine), wide.choose(k, &machine));
                        assert_eq!(small, wide, "{text}: {k} nodes, {centres:?}, {ties:?}");
                    }
                }
            }
        }
        Ok(())
    }
}
