//! The plot `ratio`: the value of each allocator divided by that of one allocator, for each log, machine and
//! load.

use std::cell::Cell;

use super::values::{mean, untitled};
use crate::FigureError;
use crate::draw::{BarGroup, Bars, joined};
use crate::in_means::InMeans;
use crate::kind::{Drawn, PlotKind, PlotOptions, Setting, TWO_LOADS};
use crate::results::{Curve, Results};
use meshreplay_sim::metrics::{Metric, metric};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "ratio",
    summary: "Bars of each allocator by one of them, for each log and machine",
    needs: "several allocators",
    takes: &[Setting::Value, Setting::RelativeTo],
    example: Some(TWO_LOADS),
    draw,
};

/// Draws the plot; `None` if there are fewer than two curves.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("pairwise_sum_mean");
    let y = results.chosen("--value", column)?;
    let curves = results.curves(&results.place_columns());
    if curves.len() < 2 {
        return Ok(None);
    }
    let bases = bases(options, results, &curves)?;
    let is_over_jobs = metric(column).is_some_and(Metric::is_over_jobs_in_means);
    let are_of_same_jobs = Cell::new(true);
    let has_same_jobs = |[of, by]: [&[usize]; 2]| {
        let in_means = |rows: &[usize]| InMeans::from_rows(results, rows);
        !is_over_jobs
            || of.is_empty()
            || by.is_empty()
            || in_means(of).zip(in_means(by)).is_none_or(|(of, by)| of.is_like(&by))
    };
    let group = |place: &String| {
        let here = |rows: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|&row| results.place(row) == *place).collect()
        };
        let value = |rows: Vec<usize>| mean(rows.into_iter().map(|row| y.get(row)));
        let ratio = |(curve, base): (&Curve, &Option<usize>)| {
            let [of, by] = of_common_seeds(results, [here(&curve.rows), here(&curves[(*base)?].rows)]);
            are_of_same_jobs.set(are_of_same_jobs.get() && has_same_jobs([&of, &by]));
            let by = value(by).filter(|by| *by > 0.0)?;
            Some(value(of)? / by)
        };
        let bars = curves.iter().zip(&bases).map(ratio).collect();
        BarGroup { name: place.clone(), bars, ..BarGroup::default() }
    };
    let mut named: Vec<&str> = bases.iter().flatten().map(|&base| curves[base].name.as_str()).collect();
    named.sort_unstable();
    named.dedup();
    let by = if let [one] = &named[..] {
        (*one).to_owned()
    } else {
        let first = bases.iter().flatten().next();
        let base = first.map(|&base| results.label(curves[base].rows[0], "allocator"));
        format!("{} under the same {}", base.unwrap_or_default(), beside(results))
    };
    let groups = results.places().iter().map(group).collect();
    let note = if are_of_same_jobs.get() { "" } else { "some ratios are of means over other jobs" };
    let bars = Bars {
        title: format!("{} by that of {by}", untitled(column)),
        subtitle: joined(&[&*results.shared(), note]),
        axis: "ratio".to_owned(),
        groups,
        legend: curves.iter().map(|curve| (curve.name.clone(), curve.look)).collect(),
        base: 1.0,
        ..Bars::default()
    };
    Ok(Some(bars.draw_on(options.page)))
}

/// Keeps the rows of common seeds, since `until:` may repeat one replay more often than another. Keeps all
/// rows if there is no common seed.
fn of_common_seeds(results: &Results, [of, base]: [Vec<usize>; 2]) -> [Vec<usize>; 2] {
    let shared = |rows: &[usize], others: &[usize]| -> Vec<usize> {
        let seeds: Vec<String> = others.iter().map(|&row| results.label(row, "seed")).collect();
        rows.iter().copied().filter(|&row| seeds.contains(&results.label(row, "seed"))).collect()
    };
    let both = [shared(&of, &base), shared(&base, &of)];
    if both.iter().any(Vec::is_empty) { [of, base] } else { both }
}

/// Returns the names of the columns other than the allocator that differ between curves, such as `scheduler`.
fn beside(results: &Results) -> String {
    let is_other = |name: &&&str| **name != "allocator" && !results.place_columns().contains(name);
    let others = results.varying.iter().filter(is_other);
    others.copied().collect::<Vec<_>>().join(" and ")
}

/// Returns the position of the base of each curve: the curve of one allocator with the same scheduler,
/// network and so on; `None` if there is no such curve. The user names the allocator, or one curve for all.
/// The default is mc1x1, or else the first allocator.
fn bases(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: &[Curve],
) -> Result<Vec<Option<usize>>, FigureError> {
    let allocator = |curve: &Curve| results.label(curve.rows[0], "allocator");
    let rest = |curve: &Curve| results.beside_allocator(curve.rows[0], &results.place_columns());
    let of_allocator = |base: &str| -> Vec<Option<usize>> {
        let is_base = |curve: &Curve, other: &Curve| allocator(other) == base && rest(other) == rest(curve);
        curves.iter().map(|curve| curves.iter().position(|other| is_base(curve, other))).collect()
    };
    let has = |base: &str| curves.iter().any(|curve| allocator(curve) == base);
    // Curves of one allocator, which differ in scheduler or the like, are relative to the first of them.
    if curves.iter().all(|curve| allocator(curve) == allocator(&curves[0])) && options.relative_to.is_none() {
        return Ok(vec![Some(0); curves.len()]);
    }
    match options.relative_to {
        None if has("mc1x1") => Ok(of_allocator("mc1x1")),
        None => Ok(of_allocator(&allocator(&curves[0]))),
        Some(base) => match curves.iter().position(|curve| curve.name == base) {
            Some(one) if !rest(&curves[one]).is_empty() => Ok(vec![Some(one); curves.len()]),
            _ if has(base) => Ok(of_allocator(base)),
            _ => {
                let known: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
                Err(FigureError::NoBase { base: base.to_owned(), known: known.join(", ") })
            }
        },
    }
}
