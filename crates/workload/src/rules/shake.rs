//! Shaken run times: the same jobs with slightly other run times, to tell real differences from chaos.
//!
//! One job that ends a second later can change all later starts. A real difference between two replays of a
//! log persists in the mean over shaken copies of the log. D. Tsafrir, K. Ouaknine, D. Feitelson,
//! "Reducing performance evaluation sensitivity and variability by input shaking", MASCOTS 2007.

use std::fmt;
use std::str::FromStr;

use rand::RngExt;

use super::rule_set::Rules;
use meshreplay_base::job::{Draws, Job, Time};

/// The largest change of a run time, in percent of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shake {
    percent: f64,
}

/// The largest accepted value: beyond it, a shaken log is another log.
const MOST_PERCENT: f64 = 10.0;

impl Shake {
    /// Returns the largest change in percent, above 0.
    pub fn percent(self) -> f64 {
        self.percent
    }
}

impl fmt::Display for Shake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent)
    }
}

impl FromStr for Shake {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').and_then(|number| number.trim_end().parse().ok());
        let percent = number.filter(|percent| *percent > 0.0 && *percent <= MOST_PERCENT);
        let expected = || format!("expected a percentage above 0 and up to {MOST_PERCENT}, such as 0.1%");
        percent.map(|percent| Self { percent }).ok_or_else(expected)
    }
}

impl Rules {
    /// Returns the jobs with each run time multiplied by an independent factor, uniform from 1 − s to 1 + s,
    /// where s is the share of `shake`; run times are rounded to microseconds. Estimates follow the rules:
    /// those of the log stay, unless an overrun raises them. O(jobs).
    pub fn shaken(&self, jobs: &[Job], shake: Shake, seed: u64) -> Vec<Job> {
        let (mut rng, most) = (Draws::Shaking.of_seed(seed), shake.percent / 100.0);
        let shaken = |job: &Job| {
            let factor = 1.0 + most * rng.random_range(-1.0..=1.0);
            let run = (job.run.as_micros() as f64 * factor).round() as i64;
            let (run, estimate) = self.run_and_estimate(run, Some(job.estimate.as_micros()));
            Job { run: Time::from_micros(run), estimate: Time::from_micros(estimate), ..*job }
        };
        jobs.iter().map(shaken).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::rule_set::{Estimate, Overrun};
    use super::*;

    fn jobs() -> Vec<Job> {
        let at = Time::from_seconds;
        let job = |number| Job {
            number,
            submit: at(number),
            run: at(1000),
            estimate: at(1000 + number % 2),
            ..Job::default()
        };
        (0..2000).map(job).collect()
    }

    #[test]
    fn run_times_change_by_at_most_the_percentage_and_nothing_else_does() -> Result<(), String> {
        let (rules, jobs) = (Rules::default(), jobs());
        let shaken = rules.shaken(&jobs, "0.1%".parse()?, 3);
        let changes: Vec<f64> = shaken.iter().map(|job| job.run.as_seconds() - 1000.0).collect();
        let (least, most) = changes.iter().fold((0.0_f64, 0.0_f64), |(a, b), &c| (a.min(c), b.max(c)));
        assert!((-1.0..-0.98).contains(&least) && most > 0.98 && most <= 1.0, "{least} to {most}");
        let mean = changes.iter().sum::<f64>() / changes.len() as f64;
        assert!(mean.abs() < 0.05, "{mean}");
        for (job, shaken) in jobs.iter().zip(&shaken) {
            assert_eq!(shaken.estimate, job.estimate.max(shaken.run));
            assert_eq!(Job { run: job.run, estimate: job.estimate, ..*shaken }, *job);
        }
        assert_eq!(rules.shaken(&jobs, "0.1%".parse()?, 3), shaken);
        assert_ne!(rules.shaken(&jobs, "0.1%".parse()?, 4), shaken);
        Ok(())
    }

    #[test]
    fn estimates_follow_the_rules() {
        let shaken = |rules: Rules| rules.shaken(&jobs(), "1%".parse().expect("a percentage"), 1);
        let exact = shaken(Rules { estimate: Estimate::Exact, ..Rules::default() });
        assert!(exact.iter().all(|job| job.estimate == job.run));
        let killed = shaken(Rules { overrun: Overrun::Kill, ..Rules::default() });
        assert!(killed.iter().zip(&jobs()).all(|(job, old)| job.run <= old.estimate));
        assert!(killed.iter().zip(&jobs()).all(|(job, old)| job.estimate == old.estimate));
    }

    #[test]
    fn spellings_round_trip() {
        for text in ["0.1%", "10%", "0.001%"] {
            assert_eq!(text.parse::<Shake>().map(|shake| shake.to_string()), Ok(text.to_owned()));
        }
        for text in ["0.1", "0%", "-1%", "11%", "nan%", "", "%"] {
            assert!(text.parse::<Shake>().is_err(), "{text}");
        }
    }
}
