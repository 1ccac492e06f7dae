//! The picture of a report: closeness of placements against waiting, a point for each replay.

use super::curves::{Curve, in_panels};
use super::draw::{Axis, Chart, Drawing, Kind, Page, Panel, Panels, Point, Scale, Series};
use super::results::Results;
use super::span::Span;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::Interval;

/// The numbers on the axes.
const WAIT: &str = "wait_s_mean";
const DISTANCE: &str = "pairwise_sum_mean";

/// Waits with at least this ratio have a logarithmic axis.
const WIDE: f64 = 2.0;
/// Distances above this multiple of the median are named below the picture, so that one replay does not press
/// all others together.
const FAR: f64 = 2.0;

/// A replay with its two numbers, both of which are better if lower.
#[derive(Clone, Debug)]
pub struct Tradeoff {
    /// The replay.
    pub curve: Curve,
    /// The mean wait.
    pub wait_s: f64,
    /// The mean pairwise sum.
    pub distance: f64,
}

impl Tradeoff {
    /// Returns whether no other replay is better in one number and at least equal in the other: the Pareto
    /// front.
    pub fn is_in_front(&self, of: &[&Self]) -> bool {
        !of.iter().any(|other| {
            other.wait_s <= self.wait_s
                && other.distance <= self.distance
                && (other.wait_s < self.wait_s || other.distance < self.distance)
        })
    }
}

/// Returns the replays that have both numbers, panel by panel.
pub fn tradeoffs(results: &Results) -> Vec<Vec<Tradeoff>> {
    let (Ok(of_waits), Ok(of_distances)) = (results.numbers(WAIT), results.numbers(DISTANCE)) else {
        return Vec::new();
    };
    let mean = |curve: &Curve, numbers: &dyn Fn(usize) -> Option<f64>| {
        let values: Vec<f64> = curve.rows.iter().filter_map(|&row| numbers(row)).collect();
        Interval::of(&values).map(|interval| interval.mean)
    };
    let tradeoff = |curve: Curve| {
        let wait_s = mean(&curve, &|row| of_waits.get(row))?;
        let distance = mean(&curve, &|row| of_distances.get(row))?;
        Some(Tradeoff { curve, wait_s, distance })
    };
    in_panels(results.curves(&[]).into_iter().filter_map(tradeoff), |one| &one.curve.panel)
}

fn median(panel: &[Tradeoff]) -> f64 {
    let mut distances: Vec<f64> = panel.iter().map(|one| one.distance).collect();
    distances.sort_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied().unwrap_or_default()
}

/// Returns the sentence on the replays that are too far apart for the picture; empty if there are none.
fn beyond(panel: &[Tradeoff]) -> String {
    let most = FAR * median(panel);
    let far = panel.iter().filter(|one| one.distance > most).map(|one| {
        let [distance, wait] = [one.distance, one.wait_s].map(|number| grouped(number, 0));
        format!("{} ({distance} hops, wait {wait} s)", one.curve.name)
    });
    let far: Vec<String> = far.collect();
    if far.is_empty() { String::new() } else { format!("Far above the axis: {}.", far.join(", ")) }
}

/// Draws the replays. A page around the drawing names them.
pub fn draw_tradeoffs(results: &Results, panels: &[Vec<Tradeoff>], page: Page) -> Vec<Drawing> {
    let near = |panel: &Vec<Tradeoff>| -> Vec<Tradeoff> {
        let most = FAR * median(panel);
        panel.iter().filter(|one| one.distance <= most).cloned().collect()
    };
    let span = Span::covering(panels.iter().flat_map(near).map(|one| one.wait_s));
    let is_log = span.low > 0.0 && span.high >= WIDE * span.low;
    // The lowest points are apart from the axis.
    let distances = |panel: &[Tradeoff]| Span::covering(panel.iter().map(|one| one.distance));
    let below = |Span { low, high }: Span| (low - 0.15 * (high - low)).max(0.0);
    let panel = |all: &Vec<Tradeoff>| {
        let panel = near(all);
        let point = |one: &Tradeoff| Point { x: one.wait_s, y: one.distance, half_width: 0.0 };
        let series = |one: &Tradeoff| Series {
            name: one.curve.name.clone(),
            look: one.curve.look,
            kind: Kind::Points,
            points: vec![point(one)],
        };
        Panel::Chart(Chart {
            subtitle: all.first().map(|one| one.curve.panel.clone()).unwrap_or_default(),
            x: Axis {
                scale: if is_log { Scale::Log } else { Scale::Linear },
                ..Axis::titled("mean wait (s)")
            },
            y: Axis { shows: Some(below(distances(&panel))), ..Axis::titled("mean pairwise sum (hops)") },
            series: panel.iter().map(series).collect(),
            note: beyond(all),
            ..Chart::default()
        })
    };
    Panels {
        title: "Closeness against waiting".to_owned(),
        subtitle: results.shared(),
        panels: panels.iter().map(panel).collect(),
        columns: 3,
        aspect: Some(0.8),
        ..Panels::default()
    }
    .draw_on(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Look;

    fn replay(name: &str, wait_s: f64, distance: f64) -> Tradeoff {
        let (name, panel) = (name.to_owned(), String::new());
        let curve = Curve { name, panel, look: Look::default(), rows: vec![0] };
        Tradeoff { curve, wait_s, distance }
    }

    #[test]
    fn the_front_has_what_nothing_beats_in_both_numbers() {
        let all =
            [replay("a", 1.0, 9.0), replay("b", 1.0, 7.0), replay("c", 2.0, 7.0), replay("d", 2.0, 6.0)];
        let of: Vec<&Tradeoff> = all.iter().collect();
        let front = of.iter().filter(|one| one.is_in_front(&of)).map(|one| &*one.curve.name);
        assert_eq!(front.collect::<Vec<_>>(), ["b", "d"]);
        // Equal replays do not beat each other.
        let [a, b] = [replay("a", 1.0, 1.0), replay("b", 1.0, 1.0)];
        assert!(a.is_in_front(&[&a, &b]) && b.is_in_front(&[&a, &b]));
    }

    #[test]
    fn a_distant_replay_is_named_below_the_picture() {
        let mut all = vec![replay("a", 1.0, 10.0), replay("b", 2.0, 11.0), replay("c", 3.0, 12.0)];
        assert_eq!(beyond(&all), "");
        all.push(replay("buddy", 60.0, 1234.0));
        assert_eq!(beyond(&all), "Far above the axis: buddy (1,234 hops, wait 60 s).");
    }
}
