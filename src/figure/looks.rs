//! Which look a curve has: its own in every picture, as far as it can be told from the others there.
//!
//! A look follows from the name of what the curve shows, an allocator or a scheduler, and from nothing else: neither
//! the place in a registry nor what else a registry holds. A digest of the name ranks the colours, markers and dashes
//! by how much the name likes them. In a picture each curve has the best that the others leave it.

use sha2::{Digest, Sha256};

use super::draw::{COLOURS, DASHES, Look, MARKERS};

/// Goes into the digests. Of many numbers this is the first one by which the allocators that papers and the README
/// compare with each other have different colours of their own (perfect hashing by trial).
const SALT: u32 = 2_201_864;

/// How much a name likes colours, markers and dashes: their positions, the most liked one first.
struct Taste {
    colours: [usize; COLOURS.len()],
    markers: [usize; MARKERS.len()],
    dashes: [usize; DASHES.len()],
}

impl Taste {
    /// Returns the taste of a name. Every byte of its digest is the rank of one thing.
    fn of(name: &str) -> Self {
        let digest = Sha256::digest(format!("{SALT} {name}"));
        let (colours, rest) = digest.split_at(COLOURS.len());
        let (markers, dashes) = rest.split_at(MARKERS.len());
        Self { colours: ranked(colours), markers: ranked(markers), dashes: ranked(dashes) }
    }
}

/// Returns the positions of the first `N` bytes, sorted by their values.
fn ranked<const N: usize>(bytes: &[u8]) -> [usize; N] {
    let mut positions = std::array::from_fn(|i| i);
    positions.sort_by_key(|&i: &usize| (bytes[i], i));
    positions
}

/// Returns the looks of the curves of one picture. Each curve has a subject, the allocator or scheduler that it shows,
/// and a name, by which curves of one subject are told from each other.
///
/// A curve has its subject's own colour unless another one, first in the order of the alphabet, has it. Colours are
/// different up to eight curves; then those of one colour differ in dash, up to 32 curves. Markers are different up to
/// twelve curves.
pub fn looks(curves: &[(&str, &str)]) -> Vec<Look> {
    let tastes: Vec<Taste> = curves.iter().map(|(subject, _)| Taste::of(subject)).collect();
    let mut order: Vec<usize> = (0..curves.len()).collect();
    order.sort_by_key(|&i| curves[i]);
    // Whoever gets its own colour comes first, so that nobody who has to take another takes that.
    let mut taken = [false; COLOURS.len()];
    let (first, others): (Vec<usize>, Vec<usize>) =
        order.into_iter().partition(|&i| !std::mem::replace(&mut taken[tastes[i].colours[0]], true));
    let mut looks = vec![Look::default(); curves.len()];
    let mut given: Vec<Look> = Vec::with_capacity(curves.len());
    for i in first.into_iter().chain(others) {
        let count = |is_like: &dyn Fn(&Look) -> bool| given.iter().filter(|look| is_like(look)).count();
        let Taste { colours, markers, dashes } = tastes[i];
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

/// Returns the choice that is used least; of several the most liked one. 0 if there are no choices.
fn rarest<K: Ord>(choices: &[usize], uses: impl Fn(usize) -> K) -> usize {
    choices.iter().copied().min_by_key(|&choice| uses(choice)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::allocator::ALLOCATORS;
    use crate::scheduler::SCHEDULERS;

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
        // Whoever changes how looks are made changes these, and every picture.
        let golden: Vec<&str> =
            ["hilbert+bf", "mc1x1", "gabl", "easy"].map(|name| own(name).colour()).to_vec();
        assert_eq!(golden, GOLDEN);
    }

    const GOLDEN: [&str; 4] = ["#871dff", "#00966d", "#b432ba", "#908fb3"];

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
            // The order of the results is of no account.
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
