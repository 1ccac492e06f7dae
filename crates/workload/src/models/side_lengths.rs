//! Draws the lengths of a job's sides: whole numbers from 1 to the longest, by one of three distributions.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1, StandardNormal};
use statrs::distribution::{ContinuousCDF, Exp, Normal};

/// The distribution of the lengths of sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideLaw {
    /// All lengths are equally likely.
    Uniform,
    /// An exponential distribution, rounded up to whole numbers.
    Exponential,
    /// A normal distribution, rounded to the nearest whole number.
    Normal,
}

/// The treatment of a drawn length that is below 1 or above the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The length becomes 1 or the longest.
    Clamp,
    /// Another length is drawn.
    Redraw,
}

/// A distribution of the lengths of sides, with its parameters. All lengths are in nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    /// The distribution.
    pub law: SideLaw,
    /// The mean before lengths outside the range are treated. `None` stands for half of the longest length
    /// (exponential) or the middle of the range (normal).
    pub mean: Option<f64>,
    /// The standard deviation of the normal distribution. `None` stands for a fifth of 1 + the longest
    /// length, such as 6.6 for 32.
    pub sigma: Option<f64>,
    /// The treatment of lengths outside the range.
    pub outside: Outside,
}

/// The names of the distributions.
pub(super) const LAWS: [(&str, SideLaw); 3] =
    [("uniform", SideLaw::Uniform), ("exponential", SideLaw::Exponential), ("normal", SideLaw::Normal)];

/// The names of the treatments of lengths outside the range.
pub(super) const OUTSIDES: [(&str, Outside); 2] = [("clamp", Outside::Clamp), ("redraw", Outside::Redraw)];

impl SideLaw {
    /// Returns the name of the distribution in specs.
    pub fn name(self) -> &'static str {
        LAWS[self as usize].0
    }
}

impl Sides {
    /// Returns the name of a parameter that was given but that the distribution does not have; `None` if
    /// there is none.
    pub(super) fn useless(&self) -> Option<&'static str> {
        match self.law {
            SideLaw::Uniform if self.mean.is_some() => Some("mean"),
            SideLaw::Uniform | SideLaw::Exponential if self.sigma.is_some() => Some("sigma"),
            _ => None,
        }
    }

    /// Returns the mean, given or by default. `most` is the longest length.
    fn mean(&self, most: u32) -> f64 {
        let most = f64::from(most);
        self.mean.unwrap_or(if self.law == SideLaw::Exponential {
            most / 2.0
        } else {
            f64::midpoint(most, 1.0)
        })
    }

    /// Returns the standard deviation, given or by default. `most` is the longest length.
    fn sigma(&self, most: u32) -> f64 {
        self.sigma.unwrap_or(f64::from(most + 1) / 5.0)
    }

    /// Draws a length from 1 to `most`. If 1,000 draws in a row lie outside the range, the result is the
    /// mean, clamped to the range, so that the loop ends.
    pub(super) fn draw(&self, most: u32, rng: &mut impl Rng) -> u32 {
        if most == 1 {
            return 1;
        }
        for _ in 0..1000 {
            let length: f64 = match self.law {
                SideLaw::Uniform => return rng.random_range(1..=most),
                SideLaw::Exponential => {
                    let unit: f64 = Exp1.sample(rng);
                    (unit * self.mean(most)).ceil()
                }
                SideLaw::Normal => {
                    let unit: f64 = StandardNormal.sample(rng);
                    (self.mean(most) + unit * self.sigma(most)).round()
                }
            };
            if (1.0..=f64::from(most)).contains(&length) || self.outside == Outside::Clamp {
                return length.clamp(1.0, f64::from(most)) as u32;
            }
        }
        self.mean(most).round().clamp(1.0, f64::from(most)) as u32
    }

    /// Returns the probability that one draw gives a length from 1 to `most`; it is 1 if lengths outside the
    /// range are clamped, or if there is one length only.
    pub(super) fn likely(&self, most: u32) -> f64 {
        match self.outside {
            _ if most == 1 => 1.0,
            Outside::Clamp => 1.0,
            Outside::Redraw => self.below(most, most) - self.below(most, 0),
        }
    }

    /// Returns the probability that a length is at most `s`, before lengths outside the range are treated;
    /// NaN if the parameters allow no such distribution.
    fn below(&self, most: u32, s: u32) -> f64 {
        let s = f64::from(s);
        let found = match self.law {
            SideLaw::Uniform => Some(s / f64::from(most)),
            SideLaw::Exponential => Exp::new(self.mean(most).recip()).ok().map(|law| law.cdf(s)),
            SideLaw::Normal => {
                Normal::new(self.mean(most), self.sigma(most)).ok().map(|law| law.cdf(s + 0.5))
            }
        };
        found.unwrap_or(f64::NAN)
    }

    /// Returns the mean of the lengths that [`Self::draw`] gives. O(most).
    pub(super) fn expected(&self, most: u32) -> f64 {
        let (low, high) = (self.below(most, 0), self.below(most, most));
        let share = |s: u32| {
            let at_most = self.below(most, s);
            match self.outside {
                Outside::Redraw => (at_most - low) / (high - low),
                Outside::Clamp if s == most => 1.0,
                Outside::Clamp => at_most,
            }
        };
        // Tail-sum formula: the mean of a whole number that is at least 1 is the sum over s of the
        // probability that it exceeds s.
        (0..most).map(|s| if s == 0 { 1.0 } else { 1.0 - share(s) }).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn means_and_ranges_are_as_computed() {
        for law in [SideLaw::Uniform, SideLaw::Exponential, SideLaw::Normal] {
            for outside in [Outside::Clamp, Outside::Redraw] {
                for (most, mean, sigma) in [(32, None, None), (16, None, None), (9, Some(3.0), Some(4.0))] {
                    let (mean, sigma) = match law {
                        SideLaw::Uniform => (None, None),
                        SideLaw::Exponential => (mean, None),
                        SideLaw::Normal => (mean, sigma),
                    };
                    let sides = Sides { law, mean, sigma, outside };
                    let mut rng = ChaCha8Rng::seed_from_u64(3);
                    let drawn: Vec<u32> = (0..100_000).map(|_| sides.draw(most, &mut rng)).collect();
                    assert_eq!(drawn.iter().copied().min(), Some(1), "{sides:?}");
                    assert_eq!(drawn.iter().copied().max(), Some(most), "{sides:?}");
                    let average = drawn.iter().map(|&side| f64::from(side)).sum::<f64>() / 1e5;
                    assert!((average - sides.expected(most)).abs() < 0.1, "{sides:?}: {average}");
                }
            }
        }
        let uniform = Sides { law: SideLaw::Uniform, mean: None, sigma: None, outside: Outside::Clamp };
        assert!((uniform.expected(32) - 16.5).abs() < 1e-12 && (uniform.expected(1) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_deviation_of_normal_sides_is_6_6_for_32() {
        let sides = Sides { law: SideLaw::Normal, mean: None, sigma: None, outside: Outside::Clamp };
        assert!((sides.sigma(32) - 6.6).abs() < 1e-12 && (sides.mean(32) - 16.5).abs() < 1e-12);
    }

    #[test]
    fn a_law_that_never_gives_a_length_ends() {
        let sides =
            Sides { law: SideLaw::Normal, mean: Some(1e6), sigma: Some(1.0), outside: Outside::Redraw };
        assert_eq!(sides.draw(8, &mut ChaCha8Rng::seed_from_u64(1)), 8);
    }
}
