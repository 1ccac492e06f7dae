//! Replications: repeats of a replay with other seeds, and the precision of the means over them.
//!
//! Replications are independent. With a given confidence their mean differs from the true mean by at most
//! t·s/√r, where r is their number, s their standard deviation, and t the quantile of Student's
//! t-distribution with r − 1 degrees of freedom. The stopping rule is that of S. Bani-Mohammad, M.
//! Ould-Khaoua, I. Ababneh, L. Mackenzie, ICPADS 2006: replicate until this half width is at most 5 % of the
//! mean with a confidence of 95 %. R. Zolfaghari, IJEAT 2013, uses 90 %.

use std::fmt;
use std::str::FromStr;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::registry::METRICS;
use super::summary::Summary;
use meshreplay_base::spec::{Params, Spec, SpecError};

/// A mean with the half width of its confidence interval, of 95 % by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval. 0 for a single value, which has unknown precision.
    pub half_width: f64,
    /// Number of values.
    pub count: usize,
}

impl Interval {
    /// Returns the 95 % interval of the mean of independent values, or `None` without values. O(values).
    pub fn of(values: &[f64]) -> Option<Self> {
        Self::with(CONFIDENCE, values)
    }

    /// Returns the interval of the mean of independent values for a confidence between 0 and 1, or `None`
    /// without values.
    pub fn with(confidence: f64, values: &[f64]) -> Option<Self> {
        let count = values.len();
        if count == 0 {
            return None;
        }
        // Equal values, as of replays that do not depend on the seed, have half width 0. Their computed mean
        // would be rounded.
        if values.iter().all(|value| value.total_cmp(&values[0]).is_eq()) {
            return Some(Self { mean: values[0], half_width: 0.0, count });
        }
        let n = count as f64;
        let mean = values.iter().sum::<f64>() / n;
        // The sample variance has n − 1 degrees of freedom. A two-sided interval of confidence c ends at the
        // quantile of (1 + c) / 2.
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let quantile = StudentsT::new(0.0, 1.0, n - 1.0)
            .map_or(f64::INFINITY, |t| t.inverse_cdf(f64::midpoint(1.0, confidence)));
        let half_width = if variance > 0.0 { quantile * (variance / n).sqrt() } else { 0.0 };
        Some(Self { mean, half_width, count })
    }
}

/// The number of replications of a replay. Each replication has the next seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Replications {
    /// The fewest replications.
    least: u32,
    /// The most replications.
    most: u32,
    /// The required half width, as a share of the mean.
    within: f64,
    /// The confidence: the probability that the interval contains the true mean.
    confidence: f64,
    /// Names of the numbers with required precision.
    of: Vec<&'static str>,
}

/// Returns the names of the numbers whose precision can be required, by rank.
fn known() -> Vec<&'static str> {
    let mut known: Vec<_> =
        METRICS.iter().filter_map(|metric| Some((metric.interval_rank?, metric.name()))).collect();
    known.sort_unstable();
    known.into_iter().map(|(_, name)| name).collect()
}

/// The most replications accepted, a limit against typing errors.
const MOST: u32 = 100_000;
/// The same in messages.
const MOST_TEXT: &str = "100,000";
/// The default confidence.
const CONFIDENCE: f64 = 0.95;
/// The default required half width, as a share of the mean.
const WITHIN: f64 = 0.05;
const NAME: &str = "until";
const SHARE: &str = "a number above 0 and below 1";
const FROM_2: &str = "a whole number from 2";

impl Default for Replications {
    fn default() -> Self {
        Self::exactly(1)
    }
}

impl Replications {
    /// Returns the rule for exactly `count` replications.
    pub fn exactly(count: u32) -> Self {
        Self { least: count, most: count, within: WITHIN, confidence: CONFIDENCE, of: Vec::new() }
    }

    /// Returns the seeds of the mandatory replications, beginning with `first`.
    pub fn seeds(&self, first: u64) -> impl Iterator<Item = u64> {
        (0..u64::from(self.least)).map(move |i| first.wrapping_add(i))
    }

    /// Returns the fewest replications.
    pub fn least(&self) -> u32 {
        self.least
    }

    /// Returns whether there can be several replications.
    pub fn are_several(&self) -> bool {
        self.most > 1
    }

    /// Returns whether replications with these summaries are enough: at least the required number, and
    /// precise or as many as allowed.
    pub fn enough(&self, summaries: &[Summary]) -> bool {
        let count = summaries.len();
        if count < self.least as usize || count >= self.most as usize {
            return count >= self.most as usize;
        }
        self.first_imprecise(summaries).is_none()
    }

    /// Returns a sentence about the first imprecise number, or `None` if all are precise.
    pub fn shortfall(&self, summaries: &[Summary]) -> Option<String> {
        let (name, Interval { mean, half_width, count }) = self.first_imprecise(summaries)?;
        let (percent, asked) = (100.0 * half_width / mean.abs(), 100.0 * self.within);
        Some(format!("after {count} replications {name} is known within {percent:.0} % only, not {asked} %"))
    }

    /// Returns the name and the interval of the first imprecise number, or `None` if all are precise.
    fn first_imprecise(&self, summaries: &[Summary]) -> Option<(&'static str, Interval)> {
        let interval = |name: &&'static str| {
            let value = |summary: &Summary| summary.get(name).unwrap_or_default();
            let values: Vec<f64> = summaries.iter().map(value).collect();
            Some((*name, Interval::with(self.confidence, &values)?))
        };
        let rough = |(_, interval): &(_, Interval)| interval.half_width > self.within * interval.mean.abs();
        self.of.iter().filter_map(interval).find(rough)
    }
}

/// Formats `5`, or `until:confidence=0.95,max=200,min=5,of=turnaround_s_mean+utilization,within=0.05`.
impl fmt::Display for Replications {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most, within, confidence, of } = self;
        if least == most {
            return write!(f, "{least}");
        }
        let of = of.join("+");
        write!(f, "{NAME}:confidence={confidence},max={most},min={least},of={of},within={within}")
    }
}

impl FromStr for Replications {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let wrong = |expected: String| SpecError::NoSuchValue { found: text.to_owned(), expected };
        let whole = format!("a whole number from 1 to {MOST_TEXT}");
        if let Ok(count) = text.parse::<u32>() {
            let count = Some(count).filter(|count| (1..=MOST).contains(count));
            return count.map(Self::exactly).ok_or_else(|| wrong(whole));
        }
        let spec: Spec = text.parse()?;
        if spec.name != NAME {
            return Err(wrong(format!("{whole}, or {NAME}:within={WITHIN},min=5,max=200")));
        }
        let mut params = Params::new(&spec);
        let most = params.take("max", 200_u32, &whole)?;
        let least = params.take("min", 5_u32, FROM_2)?;
        let within = params.take("within", WITHIN, SHARE)?;
        let confidence = params.take("confidence", CONFIDENCE, SHARE)?;
        let names =
            params.take("of", "turnaround_s_mean+utilization".to_owned(), "names with + between them")?;
        if !(2..=MOST).contains(&least) {
            return Err(params.bad_value("min", &least.to_string(), FROM_2));
        }
        if !(least + 1..=MOST).contains(&most) {
            let expected = format!("a whole number above min, {least}, up to {MOST_TEXT}");
            return Err(params.bad_value("max", &most.to_string(), &expected));
        }
        if !(within > 0.0 && within < 1.0) {
            return Err(params.bad_value("within", &within.to_string(), SHARE));
        }
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(params.bad_value("confidence", &confidence.to_string(), SHARE));
        }
        let known = known();
        let find = |name: &str| known.iter().copied().find(|known| *known == name);
        let Some(of) = names.split('+').map(find).collect() else {
            let expected = format!("names with + between them, each one of: {}", known.join(", "));
            return Err(params.bad_value("of", &names, &expected));
        };
        params.finish()?;
        Ok(Self { least, most, within, confidence, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_use_students_distribution() {
        // For 4 degrees of freedom the quantile for 95 % is 2.776. The standard deviation of 1 to 5 is √2.5.
        let interval = Interval::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap_or_default();
        assert!((interval.mean - 3.0).abs() < 1e-12 && interval.count == 5);
        assert!((interval.half_width - 2.776_445 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-5, "{interval:?}");
        // The quantile for 90 % is 2.132.
        let interval = Interval::with(0.9, &[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap_or_default();
        assert!((interval.half_width - 2.131_847 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-5, "{interval:?}");
        assert_eq!(Interval::of(&[7.0]), Some(Interval { mean: 7.0, half_width: 0.0, count: 1 }));
        assert_eq!(Interval::of(&[7.0; 3]).map(|interval| interval.half_width.to_bits()), Some(0));
        // Twenty times this number, divided by 20, is another one.
        let waits = Interval::of(&[20_512.213_5; 20]);
        assert_eq!(waits, Some(Interval { mean: 20_512.213_5, half_width: 0.0, count: 20 }));
        assert_eq!(Interval::of(&[]), None);
    }

    fn summary(turnaround_s_mean: f64) -> Summary {
        Summary::with(&[("turnaround_s_mean", turnaround_s_mean), ("utilization", 0.5)])
    }

    fn enough(text: &str, turnarounds: &[f64]) -> Result<bool, SpecError> {
        let summaries: Vec<Summary> = turnarounds.iter().copied().map(summary).collect();
        Ok(text.parse::<Replications>()?.enough(&summaries))
    }

    #[test]
    fn they_end_when_the_means_are_precise_or_there_are_as_many_as_allowed() -> Result<(), SpecError> {
        assert!(!enough("3", &[1.0, 9.0])? && enough("3", &[1.0, 9.0, 2.0])?);
        let text = "until:within=0.1,min=3,max=6";
        assert!(!enough(text, &[10.0, 10.0])? && enough(text, &[10.0, 10.1, 9.9])?);
        assert!(!enough(text, &[10.0, 20.0, 5.0])? && !enough(text, &[10.0, 20.0, 5.0, 7.0, 8.0])?);
        assert!(enough(text, &[10.0, 20.0, 5.0, 7.0, 8.0, 1.0])?);
        assert!(enough("until:min=2,max=9,of=utilization", &[10.0, 20.0])?);
        // The half width is 4.7 % of the mean with a confidence of 90 %, and 6.4 % with 95 %.
        let near = [10.0, 10.8, 9.9, 10.1];
        assert!(!enough("until:min=2,max=9", &near)? && enough("until:min=2,max=9,confidence=0.9", &near)?);
        let three = [10.0, 20.0, 30.0].map(summary);
        let rough = "until:min=2,max=3".parse::<Replications>()?.shortfall(&three);
        let words = "after 3 replications turnaround_s_mean is known within 124 % only, not 5 %";
        assert_eq!(rough.as_deref(), Some(words));
        assert_eq!("3".parse::<Replications>()?.shortfall(&three), None);
        Ok(())
    }

    #[test]
    fn spellings_round_trip_and_wrong_ones_say_what_does_not_fit() -> Result<(), SpecError> {
        for (text, canonical) in [
            ("1", "1"),
            (
                "until:max=30",
                "until:confidence=0.95,max=30,min=5,of=turnaround_s_mean+utilization,within=0.05",
            ),
            ("until:of=makespan_s", "until:confidence=0.95,max=200,min=5,of=makespan_s,within=0.05"),
            (
                "until:confidence=0.9",
                "until:confidence=0.9,max=200,min=5,of=turnaround_s_mean+utilization,within=0.05",
            ),
        ] {
            let parsed: Replications = text.parse()?;
            assert_eq!(parsed.to_string(), canonical);
            assert_eq!(canonical.parse::<Replications>()?, parsed);
        }
        for (text, problem) in [
            ("0", "expected a whole number from 1"),
            ("-3", "expected a whole number from 1"),
            ("until:min=1", "expected a whole number from 2"),
            ("until:min=9,max=9", "expected a whole number above min, 9"),
            ("until:within=2", "expected a number above 0 and below 1"),
            ("until:confidence=1", "expected a number above 0 and below 1"),
            ("until:of=speed", "each one of: turnaround_s_mean,"),
            ("until:to=3", "has no parameter 'to'"),
        ] {
            let message = text.parse::<Replications>().expect_err("wrong").to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
        Ok(())
    }
}
