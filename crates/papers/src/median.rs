//! Medians with confidence intervals.

/// A median and the ends of its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The lower end.
    pub low: f64,
    /// The median.
    pub middle: f64,
    /// The upper end.
    pub high: f64,
}

impl Median {
    /// Returns the median of independent values of any distribution; `None` if there are no values. For fewer
    /// than six values the interval is infinite. O(n log n) for n values.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        let (lower, upper) = (*sorted.get(count.checked_sub(1)? / 2)?, *sorted.get(count / 2)?);
        let outside = surely_outside(count);
        let low = outside.map_or(f64::NEG_INFINITY, |outside| sorted[outside]);
        let high = outside.map_or(f64::INFINITY, |outside| sorted[count - 1 - outside]);
        Some(Self { low, middle: f64::midpoint(lower, upper), high })
    }
}

/// Returns how many values at each end lie outside of the interval: the largest number for which the median
/// is outside with a probability of at most 5 %. The number of values below the median has a binomial
/// distribution. Returns `None` if there are too few values for any such interval.
fn surely_outside(count: usize) -> Option<usize> {
    // Sums the binomial probabilities of one tail until they exceed 2.5 %.
    let mut probability = 0.5_f64.powi(i32::try_from(count).ok()?);
    let mut below = 0.0;
    for outside in 0..count {
        below += probability;
        if below > 0.025 {
            return outside.checked_sub(1);
        }
        probability *= (count - outside) as f64 / (outside + 1) as f64;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_that_of_the_sign_test() {
        let median = |count: u32| Median::of((1..=count).map(f64::from));
        let interval = |low, middle, high| Some(Median { low, middle, high });
        assert_eq!(median(0), None);
        assert_eq!(median(1), interval(f64::NEG_INFINITY, 1.0, f64::INFINITY));
        assert_eq!(median(5), interval(f64::NEG_INFINITY, 3.0, f64::INFINITY));
        // Tables of the sign test: 6 to 8 values leave out none, 9 to 11 one, 12 to 14 two, 20 five.
        for (count, low, high) in [(6, 1, 6), (8, 1, 8), (9, 2, 8), (11, 2, 10), (12, 3, 10), (20, 6, 15)] {
            assert_eq!(median(count), interval(f64::from(low), f64::from(count + 1) / 2.0, f64::from(high)));
        }
    }
}
