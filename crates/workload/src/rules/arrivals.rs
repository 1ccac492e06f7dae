//! Draws the arrivals of jobs anew: the jobs keep the order of their log and get other gaps.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;

use meshreplay_base::job::{Draws, Job, Time};

/// The submit times of the jobs of a log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrivals {
    /// Submit times are as recorded.
    Recorded,
    /// Gaps are independent and uniform from 0 to this many seconds; all jobs arrive at once if it is 0. This
    /// is the maximum intertask arrival period of O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task
    /// compaction reduces queuing delays in partitionable-array machines", 1996.
    Uniform(f64),
}

/// The accepted spellings, in words.
pub(super) const ARRIVALS: &str = "recorded or uniform:max=M with M seconds, at least 0";

impl Arrivals {
    /// Returns the jobs in the order of their submit times, with new submit times: the first is 0, and each
    /// gap is drawn from the random numbers of `seed` and multiplied by `scale`. `None` if the rule keeps the
    /// recorded times. O(J log J) for J jobs.
    pub fn redraw(self, jobs: &[Job], scale: f64, seed: u64) -> Option<Vec<Job>> {
        let Self::Uniform(max_s) = self else { return None };
        let mut rng = Draws::Arrivals.of_seed(seed);
        let mut jobs = jobs.to_vec();
        jobs.sort_by_key(|job| job.submit);
        let mut now_s = 0.0_f64;
        for (i, job) in jobs.iter_mut().enumerate() {
            let share: f64 = rng.random();
            if i > 0 {
                now_s += share * max_s * scale;
            }
            job.submit = Time::from_micros((now_s * 1e6).round() as i64);
        }
        Some(jobs)
    }
}

impl fmt::Display for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded => f.write_str("recorded"),
            Self::Uniform(max_s) => write!(f, "uniform:max={max_s}"),
        }
    }
}

impl FromStr for Arrivals {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let max = |value: &str| value.parse().ok().filter(|max: &f64| (0.0..1e9).contains(max));
        match text {
            "recorded" => Ok(Self::Recorded),
            _ => (text.strip_prefix("uniform:max=").and_then(max).map(Self::Uniform))
                .ok_or_else(|| format!("expected {ARRIVALS}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::job::Shape;

    fn jobs() -> Vec<Job> {
        let at = Time::from_seconds;
        let job = |(number, submit)| Job {
            number,
            submit: at(submit),
            run: at(number),
            estimate: at(number),
            procs: 1,
            shape: Shape::NearSquare,
            ..Job::default()
        };
        (1..=2000).map(|number| (number, 4000 - number / 2 * 2)).map(job).collect()
    }

    #[test]
    fn gaps_are_uniform_and_the_order_is_kept() {
        let drawn = Arrivals::Uniform(6.0).redraw(&jobs(), 1.0, 1).unwrap_or_default();
        // Jobs 2000 and then 1998, 1999, which arrived together, came first.
        let numbers: Vec<i64> = drawn.iter().take(3).map(|job| job.number).collect();
        assert_eq!(numbers, [2000, 1998, 1999]);
        assert_eq!(drawn[0].submit, Time::ZERO);
        let gaps: Vec<f64> =
            drawn.windows(2).map(|pair| (pair[1].submit - pair[0].submit).as_seconds()).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!(gaps.iter().all(|gap| (0.0..=6.0).contains(gap)) && (mean - 3.0).abs() < 0.15, "{mean}");
        assert!(drawn.iter().all(|job| job.run == Time::from_seconds(job.number)));
        assert_ne!(Arrivals::Uniform(6.0).redraw(&jobs(), 1.0, 2).unwrap_or_default(), drawn);
    }

    #[test]
    fn no_gaps_are_all_at_once_and_recorded_ones_are_left_alone() {
        let drawn = Arrivals::Uniform(0.0).redraw(&jobs(), 1.0, 1).unwrap_or_default();
        assert!(drawn.iter().all(|job| job.submit == Time::ZERO) && drawn.len() == 2000);
        assert_eq!(Arrivals::Recorded.redraw(&jobs(), 1.0, 1), None);
    }

    #[test]
    fn spellings_round_trip() {
        for text in ["recorded", "uniform:max=0", "uniform:max=2.5"] {
            assert_eq!(text.parse::<Arrivals>().map(|arrivals| arrivals.to_string()), Ok(text.to_owned()));
        }
        for text in ["uniform", "uniform:max=-1", "uniform:max=nan", "poisson", "uniform:max=1e99"] {
            assert!(text.parse::<Arrivals>().is_err(), "{text}");
        }
    }
}
