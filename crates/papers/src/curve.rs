//! Properties of curves: trend, steps, and crossings of a value.

use std::cmp::Ordering;

use crate::estimate::Median;

/// The points of a curve as (x, y), sorted by x.
#[derive(Clone, Debug)]
pub(crate) struct Curve(Vec<(f64, f64)>);

impl Curve {
    /// Returns the curve of these points; `None` if there are none.
    pub(crate) fn from_points(mut points: Vec<(f64, f64)>) -> Option<Self> {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        (!points.is_empty()).then_some(Self(points))
    }

    /// Returns the number of steps down that are deeper than `share`.
    pub(crate) fn steps_deeper(&self, share: f64) -> f64 {
        self.steps_down().filter(|step| *step > share).count() as f64
    }

    /// Returns the depth of the deepest step down, as a share; 0 if there is none.
    pub(crate) fn deepest_step(&self) -> f64 {
        self.steps_down().fold(0.0, f64::max)
    }

    /// Returns the distance in x between the last two points; `None` for a single point.
    pub(crate) fn last_step(&self) -> Option<f64> {
        self.steps().last().copied()
    }

    /// Returns the smallest of the other distances in x; `None` if there are fewer than three points.
    pub(crate) fn least_other_step(&self) -> Option<f64> {
        self.steps().split_last()?.1.iter().copied().min_by(f64::total_cmp)
    }

    /// Returns the rise from the first to the last point, as a share of the first.
    pub(crate) fn rise(&self) -> Option<f64> {
        Some(self.0.last()?.1 / self.0.first()?.1 - 1.0)
    }

    /// Returns the distances in x between neighbouring points.
    fn steps(&self) -> Vec<f64> {
        self.0.windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
    }

    /// Returns the depths of the steps down from one point to the next, as shares of the first. Steps up are
    /// left out.
    fn steps_down(&self) -> impl Iterator<Item = f64> + '_ {
        let step = |pair: &[(f64, f64)]| 1.0 - pair[1].1 / pair[0].1;
        self.0.windows(2).map(step).filter(|step| *step > 0.0)
    }

    /// Returns the largest distance of a point below any point of smaller x, as a share.
    pub(crate) fn largest_fall(&self) -> f64 {
        let (mut highest, mut largest): (f64, f64) = (0.0, 0.0);
        for (_, y) in &self.0 {
            highest = highest.max(*y);
            largest = largest.max(1.0 - y / highest);
        }
        largest
    }

    /// Returns Kendall's rank correlation of x and y, with the largest deviation that chance explains with a
    /// confidence of 95 % (normal approximation); `None` for a single point.
    pub(crate) fn tau(&self) -> Option<Median> {
        let count = self.0.len();
        let pairs = (count * count.saturating_sub(1) / 2) as f64;
        let sign = |i: usize, j: usize| -> f64 {
            match self.0[j].1.total_cmp(&self.0[i].1) {
                Ordering::Less => -1.0,
                Ordering::Equal => 0.0,
                Ordering::Greater => 1.0,
            }
        };
        let score: f64 = (0..count).flat_map(|j| (0..j).map(move |i| (i, j))).map(|(i, j)| sign(i, j)).sum();
        // The variance of Kendall's score without ties is n(n − 1)(2n + 5) / 18. The quantile 1.96 is that of
        // the normal distribution, and the 1 is the continuity correction.
        let deviation = (pairs * (2 * count + 5) as f64 / 9.0).sqrt();
        let (tau, least) = (score / pairs, (1.96 * deviation + 1.0) / pairs);
        (pairs > 0.0).then_some(Median { low: tau - least, middle: tau, high: tau + least })
    }
}

/// Returns each x where the curve crosses `target`, by linear interpolation between neighbouring points.
pub(crate) fn crossings(points: &[(f64, f64)], target: f64) -> Vec<f64> {
    let crosses = |step: &[(f64, f64)]| {
        let ((from, a), (to, b)) = (step[0], step[1]);
        ((a > target) != (b > target)).then(|| from + (a - target) / (a - b) * (to - from))
    };
    points.windows(2).filter_map(crosses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(ys: &[f64]) -> Curve {
        Curve(ys.iter().enumerate().map(|(i, y)| (i as f64, *y)).collect())
    }

    #[test]
    fn falls_are_steps_down_and_the_largest_is_below_any_point_before() {
        let curve_with_falls = curve(&[100.0, 120.0, 114.0, 115.0, 108.0]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let steps: Vec<f64> = curve_with_falls.steps_down().collect();
        assert!(steps.len() == 2 && near(steps[0], 0.05) && near(steps[1], 7.0 / 115.0), "{steps:?}");
        assert!(near(curve_with_falls.largest_fall(), 0.1) && near(curve(&[1.0, 2.0]).largest_fall(), 0.0));
        assert!(near(curve_with_falls.steps_deeper(0.055), 1.0));
    }

    #[test]
    fn a_trend_is_kendalls_rank_correlation() {
        let trend = |ys: &[f64]| {
            let Median { low, middle, .. } = curve(ys).tau()?;
            Some((middle, middle - low))
        };
        let rising: Vec<f64> = (0..14).map(f64::from).collect();
        let (tau, least) = trend(&rising).unwrap_or_default();
        // For 14 points a score of 37 out of 91 pairs is significant, as printed tables of Kendall's test
        // say.
        assert!((tau - 1.0).abs() < 1e-12 && (35.0..37.0).contains(&(least * 91.0)), "{tau} {least}");
        let (tau, least) = trend(&[1.0, 3.0, 2.0, 3.0]).unwrap_or_default();
        assert!((tau - 3.0 / 6.0).abs() < 1e-12 && tau < least, "{tau} {least}");
        assert_eq!(trend(&[1.0]), None);
    }

    #[test]
    fn a_ratio_is_met_as_often_as_it_crosses_the_target() {
        let near = |loads: Vec<f64>, expected: &[f64]| {
            loads.len() == expected.len() && loads.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        let ratios = [(1.0, 0.8), (2.0, 0.4), (3.0, 0.4), (5.0, 0.6)];
        assert!(near(crossings(&ratios, 0.5), &[1.75, 4.0]));
        assert!(near(crossings(&ratios, 0.3), &[]) && near(crossings(&ratios, 0.4), &[2.0, 3.0]));
    }
}
