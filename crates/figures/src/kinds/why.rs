//! The plot `why`: the mean wait by cause, stacked, for classes of sizes and over time, for the first seed of
//! each replay.

use std::collections::BTreeMap;

use super::job_rows::{JobCurve, Seeds, about_jobs, job_curves, visit_rows};
use super::time_axis::TimeAxis;
use crate::draw::{BarGroup, Bars, Look, PATTERNS, Panel, Panels};
use crate::kind::{CAUSES, Drawn, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;
use crate::span::Span;
use meshreplay_sim::metrics::{Metric, WaitCause, metric};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "why",
    summary: "Bars of the mean wait by cause, for classes of sizes and over time",
    needs: CAUSES,
    takes: OF_JOBS,
    example: Some(
        "traces/lublin-256-10k.swf.gz --machine 16x16 --allocator naive first-fit --why --no-timing --quiet",
    ),
    draw,
};

/// Parts of the time, and each how many of them has a label.
const PARTS: usize = 20;
const LABELLED: usize = 5;

/// Jobs, and their waits in seconds by cause.
type Sums = (u64, [f64; WaitCause::ALL.len()]);

/// The sums of a replay by the logarithm of the size class, and by part of the time.
#[derive(Default)]
struct ReplaySums {
    sizes: BTreeMap<u32, Sums>,
    times: BTreeMap<usize, Sums>,
}

/// Draws the plot; `None` if the jobs have no causes of waiting.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let curves = job_curves(options, results)?;
    let span = TimeAxis::read("jobs", options, ["submit_s", "submit_s"], &curves, Span::EMPTY)?;
    let Some(TimeAxis { span_s, .. }) = span else { return Ok(Panels::default()) };
    let mut replays = BTreeMap::<u64, ReplaySums>::new();
    let mut names = ["submit_s", "procs", "", "", "", "", "", ""];
    names[2..].copy_from_slice(&WaitCause::ALL.map(WaitCause::column));
    let is_kept = visit_rows("jobs", options, names, &curves, Seeds::First, &mut |replay,
                                                                                  [
        submit_s,
        procs,
        waits @ ..,
    ]| {
        let length = span_s.length();
        let share = if length > 0.0 { (submit_s - span_s.low) / length } else { 0.0 };
        // Replays without causes have no numbers.
        if waits.iter().any(|wait_s| wait_s.is_nan()) || !(0.0..=1.0).contains(&share) {
            return;
        }
        let ReplaySums { sizes, times } = replays.entry(replay).or_default();
        let class = (procs as u64).max(1).next_power_of_two().trailing_zeros();
        let part = ((share * PARTS as f64) as usize).min(PARTS - 1);
        for (jobs, sums) in [sizes.entry(class).or_default(), times.entry(part).or_default()] {
            *jobs += 1;
            sums.iter_mut().zip(waits).for_each(|(sum, wait_s)| *sum += wait_s);
        }
    })?;
    if !is_kept || replays.is_empty() {
        return Ok(Panels::default());
    }
    let shown = shown_causes(&replays);
    let is_zero = |(_, waits): &Sums| waits.iter().all(|wait_s| *wait_s <= 0.0);
    let nothing = replays.values().flat_map(|replay| replay.sizes.values()).all(is_zero);
    let mut panels = Vec::new();
    for curve in &curves {
        let Some(sums) = replays.get(&curve.replay) else { continue };
        panels.extend(panels_of(curve, sums, span_s, &shown));
    }
    Ok(Panels {
        title: "Why jobs waited".to_owned(),
        subtitle: about_jobs(options, results),
        panels,
        columns: 2,
        aspect: Some(0.5),
        note: if nothing { "No job waited.".to_owned() } else { String::new() },
        ..Panels::default()
    })
}

/// Returns the causes with any waiting, or all without any.
fn shown_causes(replays: &BTreeMap<u64, ReplaySums>) -> Vec<WaitCause> {
    let has = |cause: &WaitCause| {
        let mut sums = replays.values().flat_map(|replay| replay.sizes.values());
        sums.any(|(_, sums)| sums[*cause as usize] > 0.0)
    };
    let shown: Vec<WaitCause> = WaitCause::ALL.into_iter().filter(has).collect();
    if shown.is_empty() { WaitCause::ALL.to_vec() } else { shown }
}

/// Returns the panels of a replay: by size and over time.
fn panels_of(curve: &JobCurve, sums: &ReplaySums, span_s: Span, shown: &[WaitCause]) -> [Panel; 2] {
    let group = |name: String, sums: Option<&Sums>| {
        let mean = |cause: &WaitCause| sums.map(|(jobs, sums)| sums[*cause as usize] / *jobs as f64);
        BarGroup { name, bars: shown.iter().map(mean).collect(), ..BarGroup::default() }
    };
    let size = |(class, sums): (&u32, &Sums)| {
        let most = 1_u64 << class;
        group(most.to_string(), Some(sums))
    };
    let day = |part: usize| {
        let days = span_s.length() * part as f64 / PARTS as f64 / 86_400.0;
        let name = if part.is_multiple_of(LABELLED) { format!("day {days:.0}") } else { String::new() };
        BarGroup {
            data_name: format!("from {:.0} s", span_s.low + 86_400.0 * days),
            ..group(name, sums.times.get(&part))
        }
    };
    let by_size = sums.sizes.iter().map(size).collect();
    let over_time = (0..PARTS).map(day).collect();
    // `NoRoom`, the most frequent cause, has no lines.
    let pattern = |cause: WaitCause| (cause as usize + PATTERNS - WaitCause::NoRoom as usize) % PATTERNS;
    let look = |cause: WaitCause| Look { colour: cause as usize, marker: pattern(cause), ..Look::default() };
    let name = |cause: WaitCause| metric(cause.mean_column()).map(Metric::title).unwrap_or_default();
    let legend: Vec<_> = shown.iter().map(|&cause| (name(cause), look(cause))).collect();
    let name = curve.full_name();
    [("by processors, up to", by_size), ("by submission", over_time)].map(|(what, groups)| {
        Panel::Bars(Bars {
            subtitle: if name.is_empty() { what.to_owned() } else { format!("{name}, {what}") },
            axis: "mean wait (s)".to_owned(),
            groups,
            legend: legend.clone(),
            is_stacked: true,
            ..Bars::default()
        })
    })
}
