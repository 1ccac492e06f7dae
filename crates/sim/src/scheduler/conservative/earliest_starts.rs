//! Times before which jobs have no room, by the starts that others have been given.
//!
//! While reservations are made one after the other, nodes are only taken out of the profile. A job that is as
//! wide and as long as one before, or more so, then cannot start earlier than that did: wherever it fits, the
//! other one would have fitted. So a search for its start can begin there.

use super::profile::Moment;
use super::reservation::NONE;
use meshreplay_base::job::Time;

/// The numbers of classes of lengths and of widths.
const LENGTHS: usize = 64;
pub(super) const WIDTHS: usize = 50;
/// The number of microseconds in a unit of lengths, as a power of two.
const UNIT: u32 = 20;

/// For classes of widths and lengths the latest start of a job that is not wider and not longer than those of
/// the class, with its step. Empty if there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct EarliestStarts {
    cells: Vec<Moment>,
}

/// Returns the class of a number, twice its logarithm to base 2, rounded down; `None` for 0.
pub(super) fn class(number: u64) -> Option<usize> {
    let log = number.checked_ilog2()?;
    let is_in_upper_half = (number << 1 >> log) & 1;
    Some(2 * log as usize + is_in_upper_half as usize)
}

/// Returns the first class of which no number is less than a given one.
pub(super) fn class_up(number: u64) -> usize {
    class(number.saturating_sub(1)).map_or(0, |class| class + 1)
}

impl EarliestStarts {
    /// Notes the earliest start of a job of `procs` nodes and a length, and its step.
    pub(super) fn note(&mut self, procs: u32, length: Time, start: Moment) {
        let units = (length.as_micros().unsigned_abs() >> UNIT) + 1;
        let (width, length) = (class_up(u64::from(procs)), class_up(units));
        if width >= WIDTHS || length >= LENGTHS {
            return;
        }
        if self.cells.is_empty() {
            self.cells.resize(WIDTHS * LENGTHS, Moment { time: Time::from_micros(i64::MIN), step: NONE });
        }
        for row in self.cells.chunks_mut(LENGTHS).skip(width) {
            // Starts become later towards longer and wider jobs.
            let lower = row[length..].iter_mut().take_while(|cell| cell.time < start.time);
            if lower.map(|cell| *cell = start).count() == 0 {
                break;
            }
        }
    }

    /// Returns a time before which a job of `procs` nodes and a length does not fit, and a guess of its step;
    /// `now` if none is known.
    pub(super) fn of(&self, procs: u32, length: Time, now: Time) -> Moment {
        let units = length.as_micros().unsigned_abs() >> UNIT;
        let at = class(u64::from(procs))
            .zip(class(units))
            .map(|(width, length)| width.min(WIDTHS - 1) * LENGTHS + length.min(LENGTHS - 1));
        let known = at.and_then(|at| self.cells.get(at)).filter(|bound| bound.time > now);
        known.copied().unwrap_or(Moment { time: now, step: NONE })
    }
}
