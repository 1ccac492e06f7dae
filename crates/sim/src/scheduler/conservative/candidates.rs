//! The candidates of a compression: reservations that may move, and the windows where they may have gained
//! room.
//!
//! A long queue has few of them, so a compression finds them by a bit set.

use super::profile::ProfileWindow;

/// The most separate windows of a reservation.
const APART: usize = 2;

/// The windows of one reservation, possibly overlapping.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Windows {
    count: usize,
    windows: [ProfileWindow; APART],
}

impl Windows {
    /// Adds a window. `is_full` tests whether a window has no room left.
    #[inline]
    fn add(&mut self, window: ProfileWindow, is_full: impl Fn(&ProfileWindow) -> bool) {
        if self.count > 0 {
            self.add_another(window, is_full);
            return;
        }
        // Field by field, in the order of the earlier writes, which is faster than as a whole.
        let first = &mut self.windows[0];
        first.from = window.from;
        first.until = window.until;
        first.step = window.step;
        self.count = 1;
    }

    /// Adds a window. An overlapping window is extended by it. Without space for another window, full windows
    /// are dropped, and if none is full, the last window is extended to cover both.
    fn add_another(&mut self, window: ProfileWindow, is_full: impl Fn(&ProfileWindow) -> bool) {
        let meets = |other: &ProfileWindow| window.from < other.until && other.from < window.until;
        let met = self.windows[..self.count].iter().position(meets);
        if met.is_none() && self.count == APART {
            let mut kept = 0;
            for at in 0..APART {
                self.windows[kept] = self.windows[at];
                kept += usize::from(!is_full(&self.windows[at]));
            }
            self.count = kept;
        }
        let met = met.unwrap_or(self.count.min(APART - 1));
        if let Some(old) = self.windows[..self.count].get_mut(met) {
            let first = if old.from <= window.from { *old } else { window };
            *old = ProfileWindow { until: old.until.max(window.until), ..first };
        } else {
            self.windows[met] = window;
            self.count += 1;
        }
    }

    /// Removes all windows.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Returns the windows, the earliest first.
    pub(super) fn sorted(&mut self) -> &[ProfileWindow] {
        let windows = &mut self.windows[..self.count];
        if windows.len() > 1 {
            windows.sort_unstable_by_key(|window| (window.from, window.until));
        }
        windows
    }
}

/// The windows of all reservations by number. A reservation without a window cannot move.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    windows: Vec<Windows>,
    /// One bit per reservation, set if it has a window. Scanned 64 at a time.
    bits: Vec<u64>,
}

impl Candidates {
    /// Adds `windows` for the reservation with the next number.
    pub(super) fn push(&mut self, windows: Windows) {
        let at = self.windows.len();
        self.windows.push(windows);
        self.bits.resize(self.windows.len().div_ceil(64), 0);
        self.bits[at / 64] |= u64::from(windows.count > 0) << (at % 64);
    }

    /// Adds a window of reservation `at`. `is_full` tests whether a window has no room left.
    #[inline]
    pub(super) fn add(&mut self, at: usize, window: ProfileWindow, is_full: impl Fn(&ProfileWindow) -> bool) {
        self.windows[at].add(window, is_full);
        self.bits[at / 64] |= 1 << (at % 64);
    }

    /// Returns the first reservation with a window, from number `from` on. O(Q / 64).
    pub(super) fn first(&self, from: usize) -> Option<usize> {
        let word = from / 64;
        let begun = self.bits.get(word)? & (u64::MAX << (from % 64));
        let later = self.bits.iter().copied().enumerate().skip(word + 1);
        let (word, bits) = [(word, begun)].into_iter().chain(later).find(|&(_, bits)| bits != 0)?;
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    pub(super) fn windows(&self, at: usize) -> Windows {
        self.windows[at]
    }

    /// Takes reservation `at` off the candidates and returns its windows in place, for the caller to clear.
    pub(super) fn take(&mut self, at: usize) -> &mut Windows {
        self.bits[at / 64] &= !(1 << (at % 64));
        &mut self.windows[at]
    }
}
