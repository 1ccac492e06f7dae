//! Where machines and their words stand in the pictures of a film.

use super::super::page::{Played, PlayedReplay, ReportError};

/// The height of letters, and of a line of them, in pixels.
pub(super) const LETTERS: f64 = 14.0;
pub(super) const LINE: usize = 20;
/// The distance between machines and from the edges.
const GAP: usize = 16;
/// The width of a film in pixels, about, as far as machines are not wider.
const WIDTH: usize = 960;
/// The largest side of a node, and the largest number of pixels of a film.
const LARGEST: usize = 20;
const MOST_PIXELS: usize = 2_000_000;

/// A machine in a picture: its nodes are squares, the layers of a cube stand beside each other, and a row is wrapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The left upper corner of its name, in pixels. The machine is below it, and below that is the line about its state.
    pub(super) left: usize,
    pub(super) top: usize,
    /// The number of squares along x and y.
    pub(super) across: usize,
    pub(super) down: usize,
    /// The numbers of nodes along x, y and z, and of nodes and rows of a layer as it is drawn.
    extents: [usize; 3],
    wide: usize,
    high: usize,
    /// The number of layers beside each other.
    columns: usize,
}

/// The places of all machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) places: Vec<Place>,
    /// The side of a node in pixels, of which one is the gap to the next node unless it is small.
    pub(super) side: usize,
    /// The sides of the pictures.
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Place {
    /// Returns the squares of a machine at the left upper corner of the picture.
    fn of(replay: &PlayedReplay) -> Self {
        let extents = replay.extents.map(|extent| extent as usize);
        let [width, length, depth] = extents;
        let is_row = length * depth == 1;
        let wide = if is_row { width.min(64) } else { width };
        let high = if is_row { width.div_ceil(wide) } else { length };
        let columns = (depth as f64).sqrt().ceil() as usize;
        let (across, down) = (columns * (wide + 1) - 1, depth.div_ceil(columns) * (high + 1) - 1);
        Self { left: 0, top: 0, across, down, extents, wide, high, columns }
    }

    /// Returns the square of a node, counted from the left and from the top.
    pub(super) fn square(&self, node: u32) -> [usize; 2] {
        let node = node as usize;
        let [width, length, depth] = self.extents;
        if length * depth == 1 {
            return [node % self.wide, self.high - 1 - node / self.wide];
        }
        let (x, y, z) = (node % width, node / width % length, node / (width * length));
        [(z % self.columns) * (self.wide + 1) + x, (z / self.columns) * (self.high + 1) + length - 1 - y]
    }

    /// Returns the nodes of some runs as rows of squares beside each other: the first square, and how many there are.
    pub(super) fn rows(&self, runs: &[(u32, u32)]) -> Vec<([usize; 2], usize)> {
        let mut rows: Vec<([usize; 2], usize)> = Vec::new();
        for node in runs.iter().flat_map(|&(first, last)| first..=last) {
            let [x, y] = self.square(node);
            match rows.last_mut() {
                Some(([first, row], count)) if *row == y && *first + *count == x => *count += 1,
                _ => rows.push(([x, y], 1)),
            }
        }
        rows
    }

    /// Returns the upper edge of the squares.
    pub(super) fn squares_top(&self) -> usize {
        self.top + LINE
    }
}

impl Layout {
    /// Returns the layout of all machines of a film. Fails if the pictures would be too large.
    pub(super) fn of(played: &Played) -> Result<Self, ReportError> {
        let mut places: Vec<Place> = played.replays.iter().map(Place::of).collect();
        // Up to three machines stand beside each other, more in a square.
        let count = places.len().max(1);
        let columns = if count <= 3 { count } else { (count as f64).sqrt().ceil() as usize };
        let most = |side: fn(&Place) -> usize| places.iter().map(side).max().unwrap_or(1);
        let (across, down) = (most(|place| place.across), most(|place| place.down));
        let room = (WIDTH - GAP) / columns - GAP;
        let side = (room / across).clamp(1, LARGEST);
        // Names need some room even above small machines.
        let (column, row) = ((across * side).max(room.min(220)) + GAP, 2 * LINE + down * side + GAP);
        for (i, place) in places.iter_mut().enumerate() {
            (place.left, place.top) = (GAP + i % columns * column, GAP + i / columns * row);
        }
        let (width, height) = (GAP + columns * column, GAP + count.div_ceil(columns) * row + LINE + GAP);
        if width * height > MOST_PIXELS || width > usize::from(u16::MAX) || height > usize::from(u16::MAX) {
            return Err(ReportError::FilmSides { width, height });
        }
        Ok(Self { places, side, width, height })
    }

    /// Returns the upper edge of the line with the time.
    pub(super) fn clock_top(&self) -> usize {
        self.height - LINE - GAP / 2
    }

    /// Returns the width of the gap between nodes, in pixels.
    pub(super) fn gap(&self) -> usize {
        usize::from(self.side > 3)
    }

    /// Returns the left and the right edge of the bar that shows how much has passed.
    pub(super) fn bar(&self) -> (usize, usize) {
        (GAP, self.width - GAP)
    }
}
