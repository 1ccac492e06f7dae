//! Lower bounds of the pairwise sums of all centres of a machine, computed by vector instructions.
//!
//! `field` has the free nodes in a form that suits such instructions. `reach` finds the radii that neighbouring centres need,
//! and `sweep` finds bounds of their sums for balls of some radii, whose geometry is in `ball`, and `rim` closer ones. `sums` has the
//! sums of those that take known nodes. `lanes` has the arithmetic.
#![expect(
    clippy::cast_possible_wrap,
    clippy::inline_always,
    clippy::needless_range_loop,
    reason = "offsets of cells are far below 2^31; functions that are not inlined into the one that was compiled for the \
              processor at hand do not use its vector instructions; loops over the lanes of several arrays are \
              vectorised most reliably if they are written with an index"
)]

pub(super) mod ball;
pub(super) mod field;
mod lanes;
pub(super) mod reach;
mod rim;
pub(super) mod sums;
pub(super) mod sweep;

use std::ops::RangeInclusive;

use meshreplay_machine::machine::Machine;

pub(super) use ball::nodes_within;
pub(super) use lanes::{LANES, Lanes, Lanes16};

/// The number of nodes of the smallest machine on which bounds save time, also if it is nearly full.
const NODES: u32 = 16_384;
/// How many times as many nodes as a job the machine must have.
const TIMES: u32 = 8;
/// The cells of a padded field are at most so many, or so many times as many as the nodes. Those of a long and narrow machine
/// would be far more.
const CELLS: u64 = 1 << 20;
const CELLS_OF_NODE: u64 = 8;

/// Returns the radii of the balls of sweeps for `k` nodes on this machine; `None` if bounds save no time or cannot be
/// computed in 32 bits. No ball of the first radius has k nodes. With `is_forced` it does not matter whether time is saved.
pub(super) fn radii(k: u32, machine: &Machine, is_forced: bool) -> Option<RangeInclusive<usize>> {
    let mesh = machine.mesh();
    let (extents, dims) = (mesh.extents(), mesh.extents().iter().filter(|&&extent| extent > 1).count());
    if !is_forced && (dims < 2 || mesh.nodes() < NODES || mesh.nodes() / TIMES < k) {
        return None;
    }
    let k = u64::from(k);
    let fits = |radius: u64| {
        let padded = extents.map(|extent| if extent == 1 { 1 } else { u64::from(extent) + 2 * radius + 3 });
        let cells = padded.iter().fold(1, |cells: u64, &side| cells.saturating_mul(side));
        // Counts are exact in 16 bits if the ball and its rim have fewer nodes. Three axes have at most k² / 4 pairs apart at
        // each of 2·radius + 3 cuts, and sums of k costs are below twice that.
        cells <= CELLS.max(CELLS_OF_NODE * u64::from(mesh.nodes()))
            && nodes_within(radius + 1, dims) < 1 << 16
            && 2 * (radius + 1) < field::LINE
            && 3 * k * k * (2 * radius + 4) < 1 << 31
            && (0..3).all(|d| {
                let extent = u64::from(extents[d]);
                extent == 1 || !mesh.wraps(d) || 4 * (radius + 1) <= extent
            })
    };
    let first = (0..1 << 12).find(|&radius| nodes_within(radius + 1, dims) >= k)?;
    // Centres that need larger radii than these are tried one by one. Tests have some of them, too.
    let most = match dims {
        _ if is_forced => first + 3,
        2 => 4 * first + 12,
        _ => 3 * first + 8,
    };
    let last = (first..most).take_while(|&radius| fits(radius)).last()?;
    Some(first as usize..=last as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_balls_and_rims_have_no_more_nodes_than_sums_can_tell()
    -> Result<(), Box<dyn std::error::Error>> {
        for (text, k) in [("1024x1024", 1024), ("2048x2048", 2000), ("torus:1000x1000", 1500), ("300x2", 254)]
        {
            let machine = Machine::new(text.parse()?);
            let radii = radii(k, &machine, true).ok_or(text)?;
            assert!(2 * (*radii.end() as u64 + 1) < field::LINE, "{text}: {radii:?}");
            let radii = super::radii(k, &machine, false);
            assert!(radii.is_none_or(|radii| 2 * (*radii.end() as u64 + 1) < field::LINE), "{text}");
        }
        // Only rows of an array are long enough to reach the limit, as numbers of 32 bits end before it elsewhere.
        let array = Machine::new("3000".parse()?);
        assert!(radii(254, &array, true).is_some_and(|radii| *radii.end() == 126));
        assert_eq!(radii(256, &array, true), None);
        Ok(())
    }
}
