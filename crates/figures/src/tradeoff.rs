//! The picture of a report: closeness of placements against waiting, a point for each replay.

use super::curves::{Curve, in_panels};
use super::draw::{Axis, Chart, Drawing, Kind, Page, Panel, Panels, Point, PointLabel, Scale, Series};
use super::results::Results;
use super::span::Span;
use meshreplay_sim::metrics::{Interval, metric};

/// The numbers on the axes.
const WAIT: &str = "wait_s_mean";
const DISTANCE: &str = "pairwise_sum_mean";

/// Waits with at least this ratio have a logarithmic axis.
const WIDE: f64 = 5.0;

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
    let (Ok(waits), Ok(distances)) = (results.numbers(WAIT), results.numbers(DISTANCE)) else {
        return Vec::new();
    };
    let mean = |curve: &Curve, numbers: &dyn Fn(usize) -> Option<f64>| {
        let values: Vec<f64> = curve.rows.iter().filter_map(|&row| numbers(row)).collect();
        Interval::of(&values).map(|interval| interval.mean)
    };
    let tradeoff = |curve: Curve| {
        let wait_s = mean(&curve, &|row| waits.get(row))?;
        let distance = mean(&curve, &|row| distances.get(row))?;
        Some(Tradeoff { curve, wait_s, distance })
    };
    in_panels(results.curves(&[]).into_iter().filter_map(tradeoff), |one| &one.curve.panel)
}

/// Draws the replays, with the names in `named` beside their points.
pub fn draw_tradeoffs(results: &Results, panels: &[Vec<Tradeoff>], named: &[String], page: Page) -> Drawing {
    let waits = || panels.iter().flatten().map(|one| one.wait_s);
    let span = Span::covering(waits());
    let is_log = span.low > 0.0 && span.high >= WIDE * span.low;
    let title = |name: &str, words: &str| {
        metric(name).map_or_else(|| words.to_owned(), |metric| format!("{words} ({})", metric.column.unit))
    };
    let panel = |panel: &Vec<Tradeoff>| {
        let point = |one: &Tradeoff| Point { x: one.wait_s, y: one.distance, half_width: 0.0 };
        let series = |one: &Tradeoff| Series {
            name: one.curve.name.clone(),
            look: one.curve.look,
            kind: Kind::Points,
            points: vec![point(one)],
        };
        let is_named = |one: &&Tradeoff| named.contains(&one.curve.name);
        let label =
            |one: &Tradeoff| PointLabel { x: one.wait_s, y: one.distance, words: one.curve.name.clone() };
        // The most preferred names find a place first.
        let mut labelled: Vec<&Tradeoff> = panel.iter().filter(is_named).collect();
        labelled.sort_by_key(|one| named.iter().position(|name| *name == one.curve.name));
        Panel::Chart(Chart {
            subtitle: panel.first().map(|one| one.curve.panel.clone()).unwrap_or_default(),
            x: Axis {
                scale: if is_log { Scale::Log } else { Scale::Linear },
                ..Axis::titled(title(WAIT, "how long jobs wait on average"))
            },
            y: Axis::titled(title(DISTANCE, "distances within a job, pairwise sum")),
            series: panel.iter().map(series).collect(),
            labels: labelled.into_iter().map(label).collect(),
            ..Chart::default()
        })
    };
    Panels {
        title: "Closeness against waiting".to_owned(),
        subtitle: results.shared(),
        panels: panels.iter().map(panel).collect(),
        columns: 3,
        aspect: Some(0.8),
        note: String::new(),
    }
    .draw_on(page)
}
