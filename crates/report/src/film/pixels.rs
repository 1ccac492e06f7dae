//! Films as GIF pictures.

use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Extension, Frame, Repeat};

use super::super::page::{PlayedReplay, ReportError};
use super::canvas::{self, Canvas, Change};
use super::layout::{LETTERS, LINE, Layout, Place};
use super::{Film, HOLD_S, MOST_MB, colours, scene};
use meshreplay_figures::draw::Words;

/// The numbers of pictures per second that are tried, until the file is small enough.
const RATES: [u16; 3] = [10, 5, 2];

/// Returns the film as a GIF file, which repeats for ever. Pictures hold only what has changed. If the file gets too large,
/// there are fewer of them.
pub(super) fn gif(film: &Film) -> Result<Vec<u8>, ReportError> {
    let layout = Layout::of(&film.played)?;
    let mut last = Vec::new();
    for rate in RATES {
        last = encoded(film, &layout, rate)?;
        if last.len() <= MOST_MB * 1_000_000 {
            break;
        }
    }
    Film::small(last)
}

/// Returns the film with so many pictures per second.
fn encoded(film: &Film, layout: &Layout, rate: u16) -> Result<Vec<u8>, ReportError> {
    let failed = |error: gif::EncodingError| ReportError::Film(error.to_string());
    let (width, height) = (layout.width as u16, layout.height as u16);
    let mut encoder = Encoder::new(Vec::new(), width, height, &canvas::palette()).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    // The mark by which the program knows its own files.
    encoder.write_raw_extension(Extension::Comment.into(), &[b"meshreplay"]).map_err(failed)?;
    let mut painter = Painter::new(film, layout)?;
    // A picture is written once it is known how long it stays, in hundredths of a second.
    let mut shown: Option<(u16, Change)> = None;
    let mut before =
        Canvas { pixels: vec![canvas::UNCHANGED; layout.width * layout.height], width: layout.width };
    let times = film.times_s(f64::from(rate)).into_iter().map(|time_s| (time_s, 100 / rate));
    let last = (film.played.window_s.1, (100.0 * HOLD_S) as u16);
    for (time_s, stays) in times.chain([last]) {
        let picture = painter.picture(time_s)?;
        match (picture.change(&before), &mut shown) {
            (None, Some((delay, _))) => *delay += stays,
            (change, _) => {
                let next = change.map(|change| (stays, change));
                if let Some(done) = std::mem::replace(&mut shown, next) {
                    encoder.write_frame(&frame(done)).map_err(failed)?;
                }
            }
        }
        before = picture;
    }
    if let Some(done) = shown {
        encoder.write_frame(&frame(done)).map_err(failed)?;
    }
    encoder.into_inner().map_err(|error| ReportError::Film(error.to_string()))
}

/// Returns a picture as the encoder takes it.
fn frame((delay, change): (u16, Change)) -> Frame<'static> {
    Frame {
        delay,
        dispose: DisposalMethod::Keep,
        transparent: Some(canvas::UNCHANGED),
        left: change.left as u16,
        top: change.top as u16,
        width: change.width as u16,
        height: (change.pixels.len() / change.width) as u16,
        buffer: Cow::Owned(change.pixels),
        ..Frame::default()
    }
}

/// Paints the pictures of a film.
struct Painter<'a> {
    film: &'a Film,
    layout: &'a Layout,
    words: Words,
    /// What is the same in all pictures.
    base: Canvas,
}

impl<'a> Painter<'a> {
    fn new(film: &'a Film, layout: &'a Layout) -> Result<Self, ReportError> {
        let mut words = Words::new(LETTERS);
        let mut base = Canvas::new(layout.width, layout.height);
        for (replay, place) in film.played.replays.iter().zip(&layout.places) {
            base.write([place.left, place.top], words.word(&replay.name)?, layout.width);
            let nodes = replay.extents.iter().product::<u32>();
            paint(&mut base, layout, place, &[(0, nodes.saturating_sub(1))], canvas::FREE);
            paint(&mut base, layout, place, &replay.unavailable, canvas::OUTLINE);
            // Nodes that are never free are only outlined.
            for &(first, last) in &replay.unavailable {
                for node in (first..=last).filter(|_| layout.side > 3) {
                    let [x, y] = corner(layout, place, place.square(node));
                    base.paint([x + 1, y + 1], [layout.side - 3; 2], canvas::PAPER);
                }
            }
        }
        Ok(Self { film, layout, words, base })
    }

    /// Returns the picture of a time.
    fn picture(&mut self, time_s: f64) -> Result<Canvas, ReportError> {
        let (played, layout) = (&self.film.played, self.layout);
        let mut picture = self.base.clone();
        for (replay, place) in played.replays.iter().zip(&layout.places) {
            nodes(&mut picture, layout, place, replay, time_s);
            let top = place.squares_top() + place.down * layout.side + 2;
            let word = self.words.word(&scene::state(replay, played, time_s))?;
            picture.write([place.left, top], word, layout.width);
        }
        let (from_s, to_s) = played.window_s;
        let ((left, right), top) = (layout.bar(), layout.clock_top());
        let passed = ((right - left) as f64 * ((time_s - from_s) / (to_s - from_s)).clamp(0.0, 1.0)).round();
        picture.paint([left, top], [passed as usize, 3], canvas::PASSED);
        let clock = scene::clock(played, time_s);
        picture.write([left, top + LINE / 4], self.words.word(&clock)?, layout.width);
        Ok(picture)
    }
}

/// Paints the nodes that are down and those of running jobs.
fn nodes(picture: &mut Canvas, layout: &Layout, place: &Place, replay: &PlayedReplay, time_s: f64) {
    for down in replay.down.iter().filter(|down| down.from_s <= time_s && time_s < down.until_s) {
        paint(picture, layout, place, &down.nodes, canvas::DOWN);
    }
    for job in replay.jobs.iter().filter(|job| scene::runs(job.row.times_s(), time_s)) {
        let colour = canvas::FIRST_JOB + colours::of_job(job.row.number) as u8;
        paint(picture, layout, place, &job.nodes, colour);
    }
}

/// Returns the left upper corner of a square, in pixels.
fn corner(layout: &Layout, place: &Place, [x, y]: [usize; 2]) -> [usize; 2] {
    [place.left + x * layout.side, place.squares_top() + y * layout.side]
}

/// Paints the nodes of some runs.
fn paint(picture: &mut Canvas, layout: &Layout, place: &Place, runs: &[(u32, u32)], colour: u8) {
    let inner = layout.side - layout.gap();
    for node in runs.iter().flat_map(|&(first, last)| first..=last) {
        picture.paint(corner(layout, place, place.square(node)), [inner; 2], colour);
    }
}
