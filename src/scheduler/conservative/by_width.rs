//! The reservations in the order of their widths, with the shortest and the latest of each block of them.
//!
//! An opening mostly has room for whole jobs of a few widths and for shorter jobs the wider they are, and no reservation
//! is that narrow and that short. The bounds of the blocks tell so for 16 or 256 reservations at once.

use super::profile::Extent;
use super::reservation::Reservation;
use crate::job::Time;

/// The number of entries in a block, and of blocks in a large block.
const BLOCK: usize = 16;

/// A reservation: its width and length, and its number in the order of the queue.
#[derive(Clone, Copy, Debug)]
struct Entry {
    procs: u32,
    number: u32,
    length: Time,
}

/// What bounds the reservations of a block.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    narrowest: u32,
    shortest: Time,
    /// No reservation of the block starts later. The bound is not lowered when reservations move to earlier starts.
    latest: Time,
}

/// The reservations, the narrowest first once [`refresh`](Self::refresh) has been called.
#[derive(Clone, Debug, Default)]
pub(super) struct ByWidth {
    entries: Vec<Entry>,
    blocks: Vec<Bounds>,
    large_blocks: Vec<Bounds>,
    longest: Time,
    /// Whether reservations have come or gone since the last refresh.
    stale: bool,
}

impl ByWidth {
    /// Adds reservation `number`. O(1).
    pub(super) fn push(&mut self, Reservation { procs, length, .. }: Reservation, number: u32) {
        self.entries.push(Entry { procs, number, length });
        self.stale = true;
    }

    /// Gives each reservation the number that `renumbered` returns for it, and removes those for which it returns
    /// `None`. O(Q) calls.
    pub(super) fn renumber(&mut self, renumbered: impl Fn(u32) -> Option<u32>) {
        self.entries.retain_mut(|entry| {
            let number = renumbered(entry.number);
            entry.number = number.unwrap_or(entry.number);
            number.is_some()
        });
        self.stale = true;
    }

    /// Removes reservation `number`, and lowers the numbers of those behind it by one. O(Q).
    pub(super) fn remove(&mut self, number: u32) {
        if let Some(at) = self.entries.iter().position(|entry| entry.number == number) {
            self.entries.remove(at);
        }
        for entry in &mut self.entries {
            entry.number -= u32::from(entry.number > number);
        }
        self.stale = true;
    }

    /// Sorts the reservations and sums up the blocks if any have come or gone. `all` are the reservations by their
    /// numbers. O(Q), and O(A log A) for A that have come.
    pub(super) fn refresh(&mut self, all: &[Reservation]) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        // A stable sort takes linear time for what is sorted but for its end.
        self.entries.sort_by_key(|entry| entry.procs);
        let joined = |one: Bounds, other: Bounds| Bounds {
            narrowest: one.narrowest,
            shortest: one.shortest.min(other.shortest),
            latest: one.latest.max(other.latest),
        };
        let bounds = |entry: &Entry| {
            let Entry { procs, number, length } = *entry;
            Bounds { narrowest: procs, shortest: length, latest: all[number as usize].start }
        };
        let blocks = self.entries.chunks(BLOCK);
        self.blocks.clear();
        self.blocks.extend(blocks.filter_map(|block| block.iter().map(bounds).reduce(joined)));
        let large_blocks = self.blocks.chunks(BLOCK);
        self.large_blocks.clear();
        self.large_blocks.extend(large_blocks.filter_map(|block| block.iter().copied().reduce(joined)));
        self.longest = self.entries.iter().map(|entry| entry.length).max().unwrap_or(Time::ZERO);
    }

    /// Returns the smallest width and the longest time; `None` if there is no reservation.
    pub(super) fn limits(&self) -> Option<(u32, Time)> {
        self.entries.first().map(|narrowest| (narrowest.procs, self.longest))
    }

    /// Calls `found` with the number of each reservation that is not longer than the extent of its width, and with that
    /// extent. Some that start at `after` or before are left out. `extents` are in ascending order of their widths; those
    /// of narrower jobs are not shorter. O(Q / 256), and 16 steps for each block that the bounds do not rule out.
    pub(super) fn each_within(&self, extents: &[Extent], after: Time, mut found: impl FnMut(u32, &Extent)) {
        let mut extents = extents.iter();
        let Some(mut extent) = extents.next() else { return };
        // Returns the extent for jobs of `procs` nodes, or that of wider jobs if there is none; `None` if there is none of
        // these, either. It is called with ascending widths.
        let mut of = move |procs: u32| {
            while extent.widest < i64::from(procs) {
                extent = extents.next()?;
            }
            Some(extent)
        };
        // The extent of the narrowest job of a block is the longest of all its jobs.
        let may_hold = |bounds: &Bounds, extent: &Extent| {
            bounds.shortest <= extent.until - extent.from && bounds.latest > after
        };
        let inside = self.blocks.chunks(BLOCK).zip(self.entries.chunks(BLOCK * BLOCK));
        for (bounds, (blocks, entries)) in self.large_blocks.iter().zip(inside) {
            let Some(extent) = of(bounds.narrowest) else { return };
            if !may_hold(bounds, extent) {
                continue;
            }
            for (bounds, entries) in blocks.iter().zip(entries.chunks(BLOCK)) {
                let Some(extent) = of(bounds.narrowest) else { return };
                if !may_hold(bounds, extent) {
                    continue;
                }
                for entry in entries {
                    let Some(extent) = of(entry.procs) else { return };
                    if entry.length <= extent.until - extent.from && extent.is_for(entry.procs) {
                        found(entry.number, extent);
                    }
                }
            }
        }
    }
}
