//! Chooses the look of each curve: the same look in every picture, as far as the other curves of the picture
//! allow.
//!
//! A look depends only on the name of the allocator or scheduler of the curve. It does not depend on the
//! order or the content of a registry, so new rows never change other looks. A hash of the name gives an
//! order of preference for colours, markers and dashes, and in a picture each curve gets the most preferred
//! look that is still free. Names in [`KNOWN`] choose first, in its order; then come newer names, and then
//! guests. So one more guest in a picture changes no other curve.

use std::mem::{discriminant, replace};

use sha2::{Digest, Sha256};

use super::draw::{COLOURS, DASHES, Look, MARKERS};
use meshreplay_base::spec::Spec;

/// The salt of the hashes (perfect hashing by trial): the first number with which the allocators that papers
/// and the README compare prefer different colours.
const SALT: u32 = 2_201_864;

/// Names of allocators, schedulers and orders of nodes that choose first, in this order. A name added to a
/// registry chooses after them without being listed here; each release appends the new names.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "adaptive-scan", "anca", "best-fit", "best-of", "buddy-2d", "busy-list", "bypass-queue",
    "column-major", "column-snake", "conservative", "cost-free-compaction", "curve", "easy", "fcfs",
    "first-fit", "first-fit-queue", "fixed-orientation", "frame-sliding", "gabl", "gen-alg", "gilbert",
    "granular-mbs", "hilbert", "layered-mbs", "left-compaction", "linear-first-fit", "max-periphery",
    "mbs", "mc", "mc-pair", "mc1x1", "mc1x1-shells", "mm", "mm-inc", "naive", "octet-mbs",
    "ordered-compaction", "paging", "qna", "qna-scan", "random", "rbs", "recorded", "rfold",
    "rfold-first-fit", "rfold-folding", "rfold-reconfig", "right-compaction", "round-up-mbs", "row-major",
    "row-snake", "slurm-torus3d", "snug", "spliced-hilbert", "stack-based", "worst-fit", "zoltan-hilbert",
];

/// The order of choosing looks: names by their place in [`KNOWN`], other names, and guests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Known(usize),
    New,
    Guest,
}

impl Turn {
    /// Returns the turn of a subject. The short form of a curve allocator begins with the name of its order.
    fn from_subject(subject: &str) -> Self {
        if subject.parse::<Spec>().is_ok_and(|spec| spec.is_guest()) {
            return Self::Guest;
        }
        let name = subject.split(['+', ':']).next().unwrap_or_default();
        KNOWN.iter().position(|known| *known == name).map_or(Self::New, Self::Known)
    }
}

/// The preferences of a name: positions of colours, markers and dashes, the most preferred one first.
struct Preferences {
    colours: [usize; COLOURS.len()],
    markers: [usize; MARKERS.len()],
    dashes: [usize; DASHES.len()],
}

impl Preferences {
    /// Returns the preferences of a name. Each byte of its hash is the rank of one colour, marker or dash.
    fn from_name(name: &str) -> Self {
        let digest = Sha256::digest(format!("{SALT} {name}"));
        let (colours, rest) = digest.split_at(COLOURS.len());
        let (markers, dashes) = rest.split_at(MARKERS.len());
        Self { colours: ranked(colours), markers: ranked(markers), dashes: ranked(dashes) }
    }
}

/// Returns the positions 0 to `N` − 1, sorted by the bytes at these positions.
fn ranked<const N: usize>(bytes: &[u8]) -> [usize; N] {
    let mut positions = std::array::from_fn(|i| i);
    positions.sort_by_key(|&i: &usize| (bytes[i], i));
    positions
}

/// Returns the looks for the curves of one picture. The two texts of a curve are its subject (the allocator
/// or scheduler that it shows) and its name, which distinguishes curves of the same subject.
///
/// A curve gets the preferred colour of its subject, unless an earlier curve has the same preference. All
/// colours differ for up to 8 curves. For up to 32 curves, curves of the same colour differ in dash. Markers
/// differ for up to 12 curves. A subject newer than the last release changes no older look, and a guest
/// changes no look of a registered algorithm.
pub fn looks(curves: &[(&str, &str)]) -> Vec<Look> {
    let preferences: Vec<Preferences> =
        curves.iter().map(|(subject, _)| Preferences::from_name(subject)).collect();
    let mut order: Vec<usize> = (0..curves.len()).collect();
    let turns: Vec<Turn> = curves.iter().map(|(subject, _)| Turn::from_subject(subject)).collect();
    order.sort_by_key(|&i| (turns[i], curves[i]));
    let groups = order.chunk_by(|&a, &b| discriminant(&turns[a]) == discriminant(&turns[b]));
    let mut taken = [false; COLOURS.len()];
    // Curves that get their preferred colour come first in their group, so that no other curve takes such a
    // colour before them.
    let order = groups.flat_map(|group| {
        let (first, others): (Vec<usize>, Vec<usize>) =
            // `replace` marks the colour as taken and returns whether it was taken before.
            group.iter().partition(|&&i| !replace(&mut taken[preferences[i].colours[0]], true));
        first.into_iter().chain(others)
    });
    let mut looks = vec![Look::default(); curves.len()];
    let mut given: Vec<Look> = Vec::with_capacity(curves.len());
    for i in order {
        let count = |is_like: &dyn Fn(&Look) -> bool| given.iter().filter(|look| is_like(look)).count();
        let Preferences { colours, markers, dashes } = preferences[i];
        let colour = rarest(&colours, |colour| count(&|look| look.colour == colour));
        let marker = rarest(&markers, |marker| count(&|look| look.marker == marker));
        let dash = rarest(&dashes, |dash| {
            let same_colour = count(&|look| look.colour == colour && look.dash == dash);
            (same_colour, count(&|look| look.dash == dash))
        });
        looks[i] = Look { colour, marker, dash };
        given.push(looks[i]);
    }
    looks
}

/// Returns the choice with the fewest uses, and the most preferred one of several. Returns 0 if there are no
/// choices.
fn rarest<K: Ord>(choices: &[usize], uses: impl Fn(usize) -> K) -> usize {
    choices.iter().copied().min_by_key(|&choice| uses(choice)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use meshreplay_alloc::allocator::ALLOCATORS;
    use meshreplay_sim::scheduler::SCHEDULERS;

    fn own(name: &str) -> Look {
        looks(&[(name, name)])[0]
    }

    fn of_all(names: &[&str]) -> Vec<Look> {
        looks(&names.iter().map(|name| (*name, *name)).collect::<Vec<_>>())
    }

    #[test]
    fn a_row_in_a_registry_moves_no_look() {
        let names = ALLOCATORS.iter().map(|row| row.name).chain(SCHEDULERS.iter().map(|row| row.name));
        let names: Vec<&str> = names.collect();
        let mut more = names.clone();
        more.insert(names.len() / 2, "backwards");
        let own_looks = |names: &[&str]| -> Vec<Look> {
            names.iter().filter(|name| **name != "backwards").map(|name| own(name)).collect()
        };
        assert_eq!(own_looks(&names), own_looks(&more));
        // A change to the choice of looks changes these values and every picture.
        let golden: Vec<&str> =
            ["hilbert+bf", "mc1x1", "gabl", "easy"].map(|name| own(name).colour()).to_vec();
        assert_eq!(golden, GOLDEN);
    }

    #[test]
    fn a_new_row_changes_no_picture() {
        let rows = ALLOCATORS.iter().map(|row| row.name).chain(SCHEDULERS.iter().map(|row| row.name));
        let orders = meshreplay_machine::machine::order::ORDERS.iter().map(|row| row.name);
        let names: Vec<&str> = rows.chain(orders).collect();
        for name in &names {
            assert_ne!(
                Turn::from_subject(name),
                Turn::New,
                "{name} is to be listed at the end of KNOWN with the next release"
            );
        }
        // New rows of any name, so of any preferences, at the beginning of the alphabet, in its midst and at
        // its end, in pictures of few, of some and of all.
        for picture in names.windows(6).chain(names.chunks(11)).chain([&names[..]]) {
            let alone = of_all(picture);
            for i in 0..40 {
                let new = ["aa", "mb", "zz"].map(|start| format!("{start}{i}"));
                for at in [0, picture.len() / 2, picture.len()] {
                    let mut more: Vec<&str> = picture.to_vec();
                    more.splice(at..at, new.iter().map(String::as_str));
                    let mut looks = of_all(&more);
                    looks.drain(at..at + new.len());
                    assert_eq!(looks, alone, "{new:?} in {picture:?}");
                }
            }
        }
    }

    const GOLDEN: [&str; 4] = ["#871dff", "#00966d", "#b432ba", "#908fb3"];

    #[test]
    fn a_guest_moves_no_look_of_ours() {
        let names: Vec<&str> = ALLOCATORS.iter().map(|row| row.name).collect();
        for picture in names.windows(7).chain(names.chunks(3)).chain([&names[..]]) {
            let alone = of_all(picture);
            for guests in [&["exec:./aaa"][..], &["guest:zzz", "guest:a", "exec:python3 m.py"]] {
                let both: Vec<&str> = guests.iter().chain(picture).copied().collect();
                let looks = of_all(&both);
                assert_eq!(looks[guests.len()..], alone, "{picture:?} {guests:?}");
                let is_other = |look: &Look| {
                    alone.iter().all(|ours| (ours.colour, ours.dash) != (look.colour, look.dash))
                };
                assert!(picture.len() > 20 || looks[..guests.len()].iter().all(is_other), "{picture:?}");
            }
        }
    }

    #[test]
    fn what_is_often_compared_has_its_own_colours() {
        for picture in [
            "hilbert+bf mc1x1 gabl random naive snug mm",
            "gabl mbs paging first-fit",
            "qna mbs paging first-fit",
            "granular-mbs layered-mbs octet-mbs column-snake+bf mc1x1",
            "fcfs easy conservative first-fit-queue bypass-queue",
        ] {
            let names: Vec<&str> = picture.split(' ').collect();
            let colours = |looks: &[Look]| looks.iter().map(|look| look.colour).collect::<Vec<_>>();
            let alone: Vec<Look> = names.iter().map(|name| own(name)).collect();
            assert_eq!(colours(&of_all(&names)), colours(&alone), "{picture}");
        }
    }

    #[test]
    fn curves_of_a_picture_differ() {
        let names: Vec<&str> = ALLOCATORS.iter().map(|row| row.name).collect();
        for picture in names.chunks(8).chain(names.windows(20)).chain([&names[..32]]) {
            let looks = of_all(picture);
            let different =
                |look: fn(&Look) -> (usize, usize)| looks.iter().map(look).collect::<BTreeSet<_>>().len();
            assert_eq!(different(|look| (look.colour, 0)), picture.len().min(8), "{picture:?}");
            assert_eq!(different(|look| (look.marker, 0)), picture.len().min(12), "{picture:?}");
            assert_eq!(different(|look| (look.colour, look.dash)), picture.len(), "{picture:?}");
            // The order of the results does not matter.
            let mut turned = of_all(&picture.iter().rev().copied().collect::<Vec<_>>());
            turned.reverse();
            assert_eq!(turned, looks);
        }
        // One allocator under several schedulers.
        let one = looks(&[("mm", "mm · fcfs"), ("mm", "mm · easy"), ("gabl", "gabl · easy")]);
        assert_eq!(one.iter().map(|look| look.colour).collect::<BTreeSet<_>>().len(), 3);
        assert_eq!(one[1].colour, own("mm").colour);
        assert_eq!(looks(&[]), []);
    }
}
