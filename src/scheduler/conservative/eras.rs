//! Eras: the future in parts.

use crate::job::Time;

/// The largest number of cells for each beginning of an era.
const CELLS: usize = 16;

/// A division of the future into eras, in the order of time. The last one has no end.
///
/// It is made of cells, which are of one length, so that the cell of a time is computed. An era is all cells up to one in which
/// the next era would have begun.
#[derive(Clone, Debug, Default)]
pub(super) struct Eras {
    /// The beginning of the second cell. The first has no beginning.
    first: Time,
    /// The length of a cell is this power of two, in microseconds.
    power: u32,
    /// The era of each cell. There is none if there is one era only.
    cells: Vec<u16>,
    /// The last era.
    last: usize,
}

impl Eras {
    /// Returns the eras that begin near times in ascending order. There is one more, before the first time.
    pub(super) fn new(begins: &[Time]) -> Self {
        let (Some(&first), Some(&last)) = (begins.first(), begins.last()) else { return Self::default() };
        let length = (last - first).as_micros().unsigned_abs() / (begins.len() * CELLS) as u64;
        let power = u64::BITS - length.leading_zeros();
        let cell = |time: Time| 1 + (((time - first).as_micros() as u64) >> power) as usize;
        let mut cells = vec![0_u16; cell(last) + 1];
        for &begin in begins {
            cells[cell(begin)] = 1;
        }
        let mut era = 0;
        for cell in &mut cells {
            era += *cell;
            *cell = era;
        }
        Self { first, power, cells, last: usize::from(era) }
    }

    /// Returns the number of eras.
    pub(super) fn len(&self) -> usize {
        self.last + 1
    }

    /// Returns the era of a time. That of a later time is not less.
    pub(super) fn of(&self, time: Time) -> usize {
        let since = (time - self.first).as_micros() >> self.power;
        let cell = since.saturating_add(1).max(0) as usize;
        self.cells.get(cell).map_or(self.last, |&era| usize::from(era))
    }
}
