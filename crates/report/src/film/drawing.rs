//! Films as SVG drawings that move. Each job is a path that is displayed in the pictures whose times it runs at.

use std::fmt::Write;

use super::super::page::{PlayedReplay, ReportError};
use super::layout::{LETTERS, LINE, Layout, Place};
use super::{Film, HOLD_S, colours, scene};
use meshreplay_figures::marked_svg;

/// The number of pictures per second of the film. Nodes and words change together, so that they say the same.
const RATE: f64 = 10.0;

/// Returns the film as an SVG file, which repeats for ever.
pub(super) fn svg(film: &Film) -> Result<Vec<u8>, ReportError> {
    let layout = Layout::of(&film.played)?;
    let (width, height) = (layout.width, layout.height);
    let names: Vec<&str> = film.played.replays.iter().map(|replay| replay.name.as_str()).collect();
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"sans-serif\" font-size=\"{LETTERS}\" fill=\"{}\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        colours::named(colours::INK),
        escaped(&names.join(", ")),
        colours::named(colours::PAPER),
    );
    let drawing = Drawing { film, layout: &layout, times_s: film.times_s(RATE) };
    for (replay, place) in film.played.replays.iter().zip(&layout.places) {
        drawing.machine(&mut text, replay, place);
    }
    drawing.bar(&mut text);
    text += "</svg>\n";
    Film::small(marked_svg(&text).into_bytes())
}

/// Returns text for the content of an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A drawing in the making. Writing to a string cannot fail, so that results of `write!` are ignored.
struct Drawing<'a> {
    film: &'a Film,
    layout: &'a Layout,
    /// The times of the pictures but the last one, in seconds of the replays.
    times_s: Vec<f64>,
}

impl Drawing<'_> {
    /// Returns the part of the film that has passed when a time of the replays is shown. At the end of the window the last
    /// picture stays.
    fn share(&self, time_s: f64) -> f64 {
        let (from_s, to_s) = self.film.played.window_s;
        ((time_s - from_s) / (to_s - from_s)).max(0.0) * (1.0 - HOLD_S / self.film.length_s)
    }

    /// Returns the time of the first picture that does not come before a time of the replays. A time after the last picture
    /// stays as it is.
    fn picture_s(&self, time_s: f64) -> f64 {
        let next = self.times_s.partition_point(|&picture_s| picture_s < time_s);
        self.times_s.get(next).copied().unwrap_or_else(|| time_s.max(self.film.played.window_s.1))
    }

    /// Returns the animation of what is displayed from one time of the replays to another. It is empty for what is always
    /// displayed, and `None` for what never is. What lasts beyond the end of the window stays in the last picture.
    fn during(&self, from_s: f64, until_s: f64) -> Option<String> {
        let [from_s, until_s] = [from_s, until_s].map(|time_s| self.picture_s(time_s));
        let is_last = until_s > self.film.played.window_s.1;
        let (begins, ends) = (self.share(from_s), if is_last { 1.0 } else { self.share(until_s) });
        // Times have five digits, more than there are pictures in a film.
        let [begins, ends] = [begins, ends].map(|share| (share * 1e5).round() / 1e5);
        let (values, times) = match (begins <= 0.0, ends >= 1.0) {
            _ if ends <= begins => return None,
            (true, true) => return Some(String::new()),
            (true, false) => ("inline;none", format!("0;{ends}")),
            (false, true) => ("none;inline", format!("0;{begins}")),
            (false, false) => ("none;inline;none", format!("0;{begins};{ends}")),
        };
        Some(format!(
            "<animate attributeName=\"display\" calcMode=\"discrete\" dur=\"{}s\" repeatCount=\"indefinite\" \
             values=\"{values}\" keyTimes=\"{times}\"/>",
            self.film.length_s
        ))
    }

    /// Appends a machine with its name, its jobs and the line about its state.
    fn machine(&self, text: &mut String, replay: &PlayedReplay, place: &Place) {
        let (left, top, side) = (place.left, place.squares_top(), self.layout.side);
        let _ = writeln!(
            text,
            "<text x=\"{left}\" y=\"{}\">{}</text>",
            place.top + LETTERS as usize,
            escaped(&replay.name)
        );
        let _ = writeln!(text, "<g transform=\"translate({left} {top}) scale({side})\">");
        let nodes = replay.extents.iter().product::<u32>();
        let free = squares(place, &[(0, nodes.saturating_sub(1))]);
        let _ = writeln!(text, "<path fill=\"{}\" d=\"{free}\"/>", colours::named(colours::FREE));
        if !replay.unavailable.is_empty() {
            let never = squares(place, &replay.unavailable);
            let _ = writeln!(text, "<path fill=\"{}\" d=\"{never}\"/>", colours::named(colours::OUTLINE));
        }
        let down = replay.down.iter().map(|down| (colours::DOWN, &down.nodes, (down.from_s, down.until_s)));
        let colour = |number: i64| colours::job(colours::of_job(number));
        let jobs = replay
            .jobs
            .iter()
            .map(|job| (colour(job.row.number), &job.nodes, (job.row.start_s, job.row.end_s)));
        for (colour, nodes, (from_s, until_s)) in down.chain(jobs) {
            if let Some(during) = self.during(from_s, until_s) {
                let (colour, squares) = (colours::named(colour), squares(place, nodes));
                let _ = writeln!(text, "<path fill=\"{colour}\" d=\"{squares}\">{during}</path>");
            }
        }
        *text += &self.gaps(place);
        *text += "</g>\n";
        let line = |time_s: f64| scene::state(replay, &self.film.played, time_s);
        self.words(text, [left, top + place.down * side + LETTERS as usize + 2], &line);
    }

    /// Returns the gaps between nodes, drawn over everything; empty if nodes are small.
    fn gaps(&self, place: &Place) -> String {
        if self.layout.gap() == 0 {
            return String::new();
        }
        let across =
            (1..=place.down).fold(String::new(), |text, y| text + &format!("M0 {y}h{}", place.across));
        let both = (1..=place.across).fold(across, |text, x| text + &format!("M{x} 0v{}", place.down));
        let (paper, width) = (colours::named(colours::PAPER), 1.0 / self.layout.side as f64);
        format!("<path stroke=\"{paper}\" stroke-width=\"{width:.4}\" d=\"{both}\"/>\n")
    }

    /// Appends words that change: a text for each time from which on they are others.
    fn words(&self, text: &mut String, [left, base]: [usize; 2], at: &dyn Fn(f64) -> String) {
        let last_s = self.film.played.window_s.1;
        let all = self.times_s.iter().chain([&last_s]).map(|&time_s| (time_s, at(time_s)));
        let mut changes: Vec<(f64, String)> = Vec::new();
        for (time_s, words) in all {
            if changes.last().is_none_or(|(_, before)| *before != words) {
                changes.push((time_s, words));
            }
        }
        let ends = changes.iter().skip(1).map(|(time_s, _)| *time_s).chain([f64::INFINITY]);
        for ((time_s, words), until_s) in changes.iter().zip(ends) {
            if let Some(during) = self.during(*time_s, until_s) {
                let words = escaped(words);
                let _ = writeln!(text, "<text x=\"{left}\" y=\"{base}\">{words}{during}</text>");
            }
        }
    }

    /// Appends the bar that grows with time, and the time below it.
    fn bar(&self, text: &mut String) {
        let ((left, right), top) = (self.layout.bar(), self.layout.clock_top());
        let (width, plays) = (right - left, 1.0 - HOLD_S / self.film.length_s);
        let _ = writeln!(
            text,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"3\" fill=\"{}\"><animate attributeName=\"width\" \
             dur=\"{}s\" repeatCount=\"indefinite\" values=\"0;{width};{width}\" keyTimes=\"0;{plays:.5};1\"/></rect>",
            colours::named(colours::PASSED),
            self.film.length_s
        );
        let clock = |time_s: f64| scene::clock(&self.film.played, time_s);
        self.words(text, [left, top + LINE / 4 + LETTERS as usize], &clock);
    }
}

/// Returns the squares of some runs of nodes as a path, in which a square has the side 1.
fn squares(place: &Place, runs: &[(u32, u32)]) -> String {
    let row = |([x, y], count): ([usize; 2], usize)| format!("M{x} {y}h{count}v1h-{count}z");
    place.rows(runs).into_iter().map(row).collect()
}
