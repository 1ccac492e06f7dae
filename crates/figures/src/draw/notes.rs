//! The sentences below a chart: which curves coincide, what hollow marks are, and what the reader has to
//! know.

use super::drawing::{Anchor, Drawing, QUIET};
use super::letters::LINE;
use super::page::wrapped;

/// The width of the hollow mark in front of a sentence, with the gap behind it.
const SAMPLE: f64 = 18.0;

/// What stands below a chart.
pub(super) struct Notes {
    /// The lines, and whether a hollow mark stands in front of each.
    lines: Vec<(bool, String)>,
    /// Whether the marks are frames and not circles.
    are_frames: bool,
}

impl Notes {
    /// Returns sentences as lines that are at most `room` wide. Empty sentences take no line. The second one
    /// of `sentences` explains the hollow marks, so that one of them stands in front of it.
    pub(super) fn new([first, marks, last]: [&str; 3], room: f64) -> Self {
        let plain =
            |text: &str| wrapped(text, room).into_iter().map(|line| (false, line)).collect::<Vec<_>>();
        let mut lines = plain(first);
        lines.extend(wrapped(marks, room - SAMPLE).into_iter().enumerate().map(|(i, line)| (i == 0, line)));
        lines.extend(plain(last));
        Self { lines, are_frames: false }
    }

    /// Returns the same sentences below bars, where frames are what is explained.
    pub(super) fn of_frames(self) -> Self {
        Self { are_frames: true, ..self }
    }

    /// Returns the height of the lines.
    pub(super) fn height(&self) -> f64 {
        LINE * self.lines.len() as f64
    }

    /// Draws the lines. `(x, y)` is where the first one begins.
    pub(super) fn draw(&self, page: &mut Drawing, (x, y): (f64, f64)) {
        for (i, (is_marked, line)) in self.lines.iter().enumerate() {
            let y = y + LINE * i as f64;
            if *is_marked {
                if self.are_frames {
                    page.frame((x + 1.0, y - 10.0, 12.0, 12.0), "published");
                } else {
                    page.hollow((x + 7.0, y - 4.0), None);
                }
            }
            let x = if *is_marked { x + SAMPLE } else { x };
            page.text((x, y), Anchor::Start, (QUIET, "quiet"), line);
        }
    }
}
