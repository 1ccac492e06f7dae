//! Makes films of the machines over time, for slides: GIF pictures and SVG drawings that move.

mod canvas;
mod colours;
mod drawing;
mod layout;
mod pixels;
mod scene;

use std::ffi::OsStr;
use std::path::Path;

use super::page::{Played, ReportError, played};
use meshreplay_figures::Results;

/// The choices of the user for a film.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmOptions {
    /// The window of time, in seconds; `None` for the one of reports.
    pub window_s: Option<(f64, f64)>,
    /// The allocators that are shown; empty for those of the first few replays.
    pub show: Vec<String>,
    /// The length of the film in seconds, more than the two for which the last picture stays.
    pub length_s: f64,
}

/// How long the last picture stays, in seconds of the film.
const HOLD_S: f64 = 2.0;
/// The largest size of a file, in megabytes.
const MOST_MB: usize = 5;

/// The machines of some replays over a window of time, and how long a film of them is.
#[derive(Clone, Debug, PartialEq)]
pub struct Film {
    played: Played,
    length_s: f64,
}

/// A format of films.
#[derive(Clone, Copy, Debug)]
pub struct FilmFormat {
    /// The name of the format, and the extension of its files.
    pub name: &'static str,
    /// What the film consists of, in a few words.
    pub summary: &'static str,
    /// Returns the film in this format, with the mark of this program.
    pub write: fn(&Film) -> Result<Vec<u8>, ReportError>,
}

/// Every format of films.
pub const FILM_FORMATS: [FilmFormat; 2] = [
    FilmFormat { name: "gif", summary: "pixels, which every program for slides shows", write: pixels::gif },
    FilmFormat {
        name: "svg",
        summary: "a drawing, sharp at any size, which browsers show",
        write: drawing::svg,
    },
];

/// Returns the format that the extension of a file says, in capital or small letters.
pub fn film_format(path: &Path) -> Result<&'static FilmFormat, ReportError> {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    let format = FILM_FORMATS.iter().find(|format| extension.as_deref() == Some(format.name));
    format.ok_or_else(|| ReportError::NoFilmFormat(path.to_owned()))
}

impl Film {
    /// Returns the film of the results in `folder`. Fails if they have no jobs with nodes.
    pub fn of(folder: &Path, options: &FilmOptions) -> Result<Self, ReportError> {
        let results = Results::read(folder)?;
        let played = played(folder, &results, &options.show, options.window_s)?;
        let played = played.ok_or_else(|| ReportError::NoNodes(folder.to_owned()))?;
        Ok(Self { played, length_s: options.length_s.max(HOLD_S) })
    }

    /// Returns the times that so many pictures for each second of the film show, in seconds of the replays, without the last
    /// one, which shows the end of the window.
    fn times_s(&self, pictures_per_s: f64) -> Vec<f64> {
        let (from_s, to_s) = self.played.window_s;
        let count = ((self.length_s - HOLD_S) * pictures_per_s).round().max(1.0);
        (0..count as usize).map(|i| from_s + (to_s - from_s) * i as f64 / count).collect()
    }

    /// Returns the bytes if they are not too many for a film.
    fn small(bytes: Vec<u8>) -> Result<Vec<u8>, ReportError> {
        let megabytes = bytes.len() as f64 / 1e6;
        let error = || ReportError::FilmBytes { megabytes, most: MOST_MB };
        (megabytes <= MOST_MB as f64).then_some(bytes).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests;
