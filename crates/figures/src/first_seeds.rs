//! The rows of the first seed of each replay, which pictures of single jobs show.

use meshreplay_results::frame::Sheet;

/// Tells rows of the first seed of a replay from others, as they come. The rows of a seed stand together.
#[derive(Debug, Default)]
pub struct FirstSeeds {
    /// The replay of the last row, and whether it had the first seed.
    last: Option<(u64, bool)>,
    /// The seed of the last row of the part before, as text, which keeps all digits.
    before: String,
}

impl FirstSeeds {
    /// Returns whether row `i` of a part, which is of this replay, has the first seed of the replay. All rows have to be
    /// asked for, in their order.
    pub fn is_first(&mut self, sheet: &Sheet, (i, replay): (usize, u64)) -> bool {
        let Some(seeds) = sheet.column("seed") else { return true };
        let is_same = if i == 0 { seeds.label(0) == self.before } else { seeds.is_same(i, i - 1) };
        let is_first = match self.last {
            Some((last, was_first)) if last == replay => was_first && is_same,
            _ => true,
        };
        self.last = Some((replay, is_first));
        if i + 1 == sheet.height() {
            self.before = seeds.label(i);
        }
        is_first
    }
}
