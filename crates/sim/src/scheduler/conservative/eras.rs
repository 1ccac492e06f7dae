//! Eras: the future in parts.

use meshreplay_base::job::Time;

/// The number of cells for each era, as long as eras are equally long.
const CELLS: usize = 16;

/// A division of the future into eras, in the order of time. The first has no beginning, and the last one no end.
///
/// They are made of cells, which are of one length, so that the cell of a time is computed. An era begins with a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct Eras {
    /// The beginning of the second cell. The first has no beginning.
    first: Time,
    /// The length of a cell is this power of two, in microseconds.
    power: u32,
    /// The era of each cell. What comes later belongs to the last era. There is none if there is one era only.
    cells: Vec<u16>,
    /// The last era.
    last: usize,
}

impl Eras {
    /// Returns the eras that begin near times in ascending order. There is one more, before the first time, and there may be fewer
    /// if some of the times are close to each other.
    ///
    /// The last of the times may be much later than the others. So the length of a cell does not depend on the last eighth of
    /// them, and far times have no cells.
    pub(super) fn new(begins: &[Time]) -> Self {
        let late = begins.get(begins.len() - begins.len() / 8 - usize::from(!begins.is_empty()));
        let (Some(&first), Some(&late)) = (begins.first(), late) else { return Self::default() };
        let most = begins.len() * CELLS;
        let length = (late - first).as_micros().unsigned_abs() / most as u64;
        let power = u64::BITS - length.leading_zeros();
        let cell = |time: Time| (time - first).as_micros().unsigned_abs() >> power;
        let near = begins.iter().map(|&begin| cell(begin) as usize).take_while(|&cell| cell < 2 * most);
        let near: Vec<usize> = near.collect();
        let mut cells = vec![0_u16; near.last().map_or(0, |last| last + 2)];
        for begin in near {
            cells[begin + 1] = 1;
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
    #[inline]
    pub(super) fn of(&self, time: Time) -> usize {
        let since = (time - self.first).as_micros() >> self.power;
        let cell = usize::try_from(since.saturating_add(1)).unwrap_or(0);
        self.cells.get(cell).map_or(self.last, |&era| usize::from(era))
    }
}
