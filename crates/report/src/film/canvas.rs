//! A picture whose pixels are numbers of colours.

use super::colours;
use meshreplay_figures::draw::Word;

/// The pixel that stays as it was in the picture before.
pub(super) const UNCHANGED: u8 = 0;
pub(super) const PAPER: u8 = 1;
/// The first of the greys from the background to letters, of which there are [`GREYS`].
const FIRST_GREY: u8 = 2;
const GREYS: u8 = 8;
pub(super) const FREE: u8 = 10;
pub(super) const DOWN: u8 = 11;
pub(super) const OUTLINE: u8 = 12;
pub(super) const PASSED: u8 = 13;
/// The first colour of jobs.
pub(super) const FIRST_JOB: u8 = 16;

/// Returns the colours of all numbers, three bytes each.
pub(super) fn palette() -> Vec<u8> {
    let greys = (1..=GREYS).map(|level| colours::grey(f64::from(level) / f64::from(GREYS)));
    let rest = [colours::FREE, colours::DOWN, colours::OUTLINE, colours::PASSED];
    let fixed = [colours::PAPER; 2].into_iter().chain(greys).chain(rest).chain([colours::PAPER; 2]);
    fixed.chain((0..colours::JOBS).map(colours::job)).flatten().collect()
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) pixels: Vec<u8>,
}

/// The part of a picture that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) pixels: Vec<u8>,
}

impl Canvas {
    /// Returns a picture of the background.
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, pixels: vec![PAPER; width * height] }
    }

    /// Paints a rectangle, given by its left upper corner and its sides, which lies inside the picture.
    pub(super) fn paint(&mut self, [left, top]: [usize; 2], [across, down]: [usize; 2], colour: u8) {
        for row in self.pixels.chunks_mut(self.width).skip(top).take(down) {
            row[left..left + across].fill(colour);
        }
    }

    /// Writes a line of text. What does not fit is cut off.
    pub(super) fn write(&mut self, [left, top]: [usize; 2], word: &Word, room: usize) {
        let rows = self.pixels.chunks_mut(self.width).skip(top);
        for (row, ink) in rows.zip(word.ink.chunks(word.width)) {
            for (pixel, &ink) in row.iter_mut().skip(left).zip(ink).take(room) {
                let level = (u32::from(ink) * u32::from(GREYS) + 127) / 255;
                if level > 0 {
                    *pixel = FIRST_GREY + (level as u8) - 1;
                }
            }
        }
    }

    /// Returns the smallest rectangle that holds every pixel that differs from those of `before`, in which equal pixels are
    /// [`UNCHANGED`]; `None` if nothing differs.
    pub(super) fn change(&self, before: &Self) -> Option<Change> {
        let differs = |i: &usize| self.pixels[*i] != before.pixels[*i];
        let (mut ends, mut is_any) = ([usize::MAX, usize::MAX, 0, 0], false);
        for i in (0..self.pixels.len()).filter(differs) {
            let (x, y) = (i % self.width, i / self.width);
            ends = [ends[0].min(x), ends[1].min(y), ends[2].max(x), ends[3].max(y)];
            is_any = true;
        }
        let [left, top, right, bottom] = ends;
        let pixels = |y: usize| (left..=right).map(move |x| y * self.width + x);
        let shown = |i: usize| if differs(&i) { self.pixels[i] } else { UNCHANGED };
        is_any.then(|| Change {
            left,
            top,
            width: right + 1 - left,
            pixels: (top..=bottom).flat_map(pixels).map(shown).collect(),
        })
    }
}
