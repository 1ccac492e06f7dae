//! The look of each curve: a colour, a marker and a dash. The name of its allocator or scheduler prefers one,
//! so that it looks the same in most pictures. Two curves of a picture have the same colour only if there are
//! more curves than colours, and never the same colour and marker.
//!
//! A hash of the name gives an order of preference for colours, markers and dashes. Names in [`KNOWN`] choose
//! one after another, in its order, and no two of them get the same colour and marker. All other names choose
//! among the pairs that are left. Rows of a registry that are newer than the last release change no look.

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

use super::draw::{COLOURS, DASHES, Look, MARKERS};

/// The salt of the hashes (perfect hashing by trial): the first number with which the allocators that papers
/// and the README compare prefer different colours.
const SALT: u32 = 67_370_561;

/// Names of allocators and schedulers that choose first, in this order. Each release appends the names that
/// are new in the registries, which keep their looks if no two of them had the same.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "hilbert+bf", "mc1x1", "gabl", "random", "naive", "snug", "mbs", "first-fit", "mm", "paging", "gen-alg",
    "granular-mbs",
    "easy", "fcfs", "conservative", "first-fit-queue", "bypass-queue", "qna", "layered-mbs", "octet-mbs",
    "column-snake+bf", "best-fit", "buddy-2d", "mc",
    "adaptive-scan", "anca", "best-of", "busy-list", "column-major+bf", "cost-free-compaction", "curve",
    "fixed-orientation", "frame-sliding", "gilbert+bf", "left-compaction", "linear-first-fit",
    "max-periphery", "mc-pair", "mc1x1-shells", "mm-inc", "ordered-compaction", "qna-scan", "rbs",
    "recorded", "rfold", "rfold-first-fit", "rfold-folding", "rfold-reconfig", "right-compaction",
    "round-up-mbs", "row-major+bf", "row-snake+bf", "slurm-torus3d", "spliced-hilbert+bf", "stack-based",
    "worst-fit", "zoltan-hilbert+bf",
    "slurm-tree", "slurm-block", "kueue",
    "all-shapes",
];

/// The looks of the names in [`KNOWN`].
static LOOKS: LazyLock<Vec<Look>> = LazyLock::new(|| {
    let mut looks = Vec::with_capacity(KNOWN.len());
    for name in KNOWN {
        looks.push(free_look(name, &looks));
    }
    looks
});

/// Returns the positions 0 to `N` − 1, sorted by the bytes at these positions.
fn ranked<const N: usize>(bytes: &[u8]) -> [usize; N] {
    let mut positions = std::array::from_fn(|i| i);
    positions.sort_by_key(|&i: &usize| (bytes[i], i));
    positions
}

/// Returns a look with a free pair of colour and marker: the most preferred colour, the marker that is rarest
/// among the taken looks, and the dash that is rarest among those of the same colour. If all pairs are taken,
/// it is the most preferred.
fn free_look(name: &str, taken: &[Look]) -> Look {
    look_among(name, taken, &|_| 0)
}

/// Returns a look as [`free_look`] does, with the rarest colour among the taken looks.
fn rare_look(name: &str, taken: &[Look]) -> Look {
    look_among(name, taken, &|colour| taken.iter().filter(|look| look.colour == colour).count())
}

/// Returns a look with a free pair of colour and marker. Colours of a lower `rank` are preferred.
fn look_among(name: &str, taken: &[Look], rank: &dyn Fn(usize) -> usize) -> Look {
    // Each byte of the hash is the rank of one colour, marker or dash.
    let digest = Sha256::digest(format!("{SALT} {name}"));
    let (colours, rest) = digest.split_at(COLOURS.len());
    let (markers, dashes) = rest.split_at(MARKERS.len());
    let mut colours: [usize; COLOURS.len()] = ranked(colours);
    colours.sort_by_key(|&colour| rank(colour));
    let markers: [usize; MARKERS.len()] = ranked(markers);
    let dashes: [usize; DASHES.len()] = ranked(dashes);
    let is_free = |colour: usize, marker: usize| {
        !taken.iter().any(|look| (look.colour, look.marker) == (colour, marker))
    };
    let has_free = |colour: &&usize| markers.iter().any(|&marker| is_free(**colour, marker));
    let colour = *colours.iter().find(has_free).unwrap_or(&colours[0]);
    let marker_uses = |marker: usize| taken.iter().filter(|look| look.marker == marker).count();
    // The rarest marker, so that names that choose one after another have different markers in grey print.
    let free = markers.iter().filter(|&&marker| is_free(colour, marker));
    let marker = *free.min_by_key(|&&marker| marker_uses(marker)).unwrap_or(&markers[0]);
    let dash_uses = |dash: usize| {
        let same_dash = || taken.iter().filter(|look| look.dash == dash);
        (same_dash().filter(|look| look.colour == colour).count(), same_dash().count())
    };
    let dash = dashes.into_iter().min_by_key(|&dash| dash_uses(dash)).unwrap_or_default();
    Look { colour, marker, dash }
}

/// Returns the look of an allocator, in the short form, or of a scheduler.
pub fn look(name: &str) -> Look {
    let position = KNOWN.iter().position(|known| *known == name);
    position.map_or_else(|| free_look(name, &LOOKS), |position| LOOKS[position])
}

/// Returns the position of a name among those that choose first, and the name.
pub(super) fn order(name: &str) -> (usize, &str) {
    (KNOWN.iter().position(|known| *known == name).unwrap_or(KNOWN.len()), name)
}

/// Returns the looks for the curves of one picture. The two texts of a curve are its subject (the allocator
/// or scheduler that it shows, which prefers its own [`look`]) and its name, which distinguishes curves of
/// the same subject. Colours are unique as long as there are some, and pairs of a colour and a marker always.
pub fn looks(curves: &[(&str, &str)]) -> Vec<Look> {
    looks_with(curves, &look)
}

/// Returns looks as [`looks`] does. The first curve of a subject by name has the look that the subject
/// prefers, unless an earlier subject has its colour.
pub(super) fn looks_with(curves: &[(&str, &str)], preferred: &dyn Fn(&str) -> Look) -> Vec<Look> {
    let mut by_name: Vec<usize> = (0..curves.len()).collect();
    by_name.sort_by_key(|&i| curves[i]);
    let is_first =
        |i: usize| !by_name.iter().any(|&j| curves[j].0 == curves[i].0 && curves[j].1 < curves[i].1);
    // All subjects choose before their further curves do.
    let (first, further): (Vec<usize>, Vec<usize>) = (0..curves.len()).partition(|&i| is_first(i));
    let further = by_name.iter().copied().filter(|i| further.contains(i));
    let (mut looks, mut taken) = (vec![Look::default(); curves.len()], Vec::new());
    for i in first.iter().copied().chain(further) {
        let own = preferred(curves[i].0);
        let uses = |colour: usize| taken.iter().filter(|look: &&Look| look.colour == colour).count();
        let least = (0..COLOURS.len()).map(uses).min().unwrap_or_default();
        let is_pair_free = !taken.iter().any(|look| (look.colour, look.marker) == (own.colour, own.marker));
        let is_own = first.contains(&i) && is_pair_free && (uses(own.colour) == 0 || least > 0);
        looks[i] = if is_own { own } else { rare_look(curves[i].1, &taken) };
        taken.push(looks[i]);
    }
    looks
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use meshreplay_alloc::allocator::ALLOCATORS;
    use meshreplay_machine::machine::order::ORDERS;
    use meshreplay_sim::scheduler::SCHEDULERS;

    /// The names of all rows, and the usual spelling of each curve.
    fn names() -> Vec<String> {
        let rows = ALLOCATORS.iter().map(|row| row.name).chain(SCHEDULERS.iter().map(|row| row.name));
        let curves = ORDERS.iter().map(|row| format!("{}+bf", row.name));
        rows.map(str::to_owned).chain(curves).collect()
    }

    #[test]
    fn no_two_names_have_the_same_colour_and_marker() {
        let names = names();
        assert!(names.len() > 40);
        for (i, a) in names.iter().enumerate() {
            assert!(KNOWN.contains(&&**a), "{a} is to be listed at the end of KNOWN with the next release");
            for b in &names[..i] {
                let [a_look, b_look] = [a, b].map(|name| look(name));
                let are_different = (a_look.colour, a_look.marker) != (b_look.colour, b_look.marker);
                assert!(are_different || a == b, "{a} and {b}: {a_look:?}");
            }
        }
    }

    #[test]
    fn looks_of_a_picture_share_no_colour_if_there_are_enough() {
        // A change to the choice of looks changes these values and every picture.
        let golden = ["hilbert+bf", "mc1x1", "gabl", "easy"].map(|name| look(name).colour());
        assert_eq!(golden, ["#871dff", "#00966d", "#b432ba", "#908fb3"]);
        let names = names();
        for picture in names.windows(7).chain([&names[..]]) {
            let mut curves: Vec<(&str, &str)> = picture.iter().map(|name| (&**name, &**name)).collect();
            curves.push(("guest:new", "guest:new"));
            let alone: Vec<Look> = curves.iter().map(|(subject, _)| look(subject)).collect();
            let unlike = |known: &&str| {
                let [ours, new] = [look(known), look("guest:new")];
                (ours.colour, ours.marker) != (new.colour, new.marker)
            };
            assert!(KNOWN.iter().all(unlike));
            // A curve keeps its look unless another one of the picture has its colour.
            let found = looks(&curves);
            let colours =
                |looks: &[Look]| looks.iter().map(|look| look.colour).collect::<BTreeSet<_>>().len();
            assert_eq!(colours(&found), curves.len().min(COLOURS.len()), "{curves:?}");
            assert!(colours(&alone) < curves.len() || found == alone);
            let pairs: BTreeSet<_> = found.iter().map(|look| (look.colour, look.marker)).collect();
            assert_eq!(pairs.len(), curves.len());
        }
    }

    #[test]
    fn what_is_often_compared_has_its_own_colours_and_markers() {
        for picture in [
            "hilbert+bf mc1x1 gabl random naive snug mm",
            "hilbert+bf mc1x1 gabl random naive snug mbs first-fit",
            "gabl mbs paging first-fit",
            "qna mbs paging first-fit",
            "granular-mbs layered-mbs octet-mbs column-snake+bf mc1x1",
            "fcfs easy conservative first-fit-queue bypass-queue",
        ] {
            let looks: Vec<Look> = picture.split(' ').map(look).collect();
            let colours: BTreeSet<usize> = looks.iter().map(|look| look.colour).collect();
            let markers: BTreeSet<usize> = looks.iter().map(|look| look.marker).collect();
            assert_eq!((colours.len(), markers.len()), (looks.len(), looks.len()), "{picture}: {looks:?}");
        }
    }

    #[test]
    fn curves_of_one_subject_differ() {
        let names: Vec<String> = (0..30).map(|i| format!("mm · {i:02}")).collect();
        let curves: Vec<(&str, &str)> = names.iter().map(|name| ("mm", &**name)).collect();
        let looks = looks(&curves);
        assert_eq!(looks[0], look("mm"));
        let pairs: BTreeSet<_> = looks.iter().map(|look| (look.colour, look.marker)).collect();
        assert_eq!(pairs.len(), names.len());
    }
}
