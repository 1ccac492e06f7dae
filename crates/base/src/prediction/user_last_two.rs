//! The predictor of EASY++: the mean run time of the user's last two jobs that have ended.
//!
//! D. Tsafrir, Y. Etsion, D. Feitelson, "Backfilling using system-generated predictions rather than user
//! runtime estimates", IEEE Transactions on Parallel and Distributed Systems 18(6), 2007.
//!
//! 1. Jobs are ordered by their ends. Only the user has to match. Jobs that were killed at their requested
//!    times count.
//! 2. The mean of whole seconds is rounded down to a whole second.
//! 3. The requested time is the upper bound. It is also the prediction if fewer than two jobs of the user
//!    have ended, or if the log does not name the user.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "run times are not negative, so that their differences are in range, and the mean lies between \
         them"
)]

use std::collections::BTreeMap;

use super::{Correction, Predictor, PredictorEntry};
use crate::job::{Job, JobId, Time};

/// The row of the registry.
pub(super) const ENTRY: PredictorEntry = PredictorEntry {
    name: "user-last-two",
    spelling: "predicted:user-last-two",
    summary: "the mean run time of the user's last two jobs that have ended, at most the requested time",
    source: "Tsafrir, Etsion, Feitelson, IEEE TPDS 18(6), 2007",
    correction: Correction::Tsafrir,
    reads_file: false,
    needs_users: true,
    build: |_| Ok(Box::new(UserLastTwo::default())),
};

/// The predictor: the run times of each user's last job that has ended and of the one before, which is `None`
/// after the first job.
#[derive(Debug, Default)]
struct UserLastTwo {
    last: BTreeMap<i64, (Time, Option<Time>)>,
}

impl Predictor for UserLastTwo {
    fn predict(&mut self, _id: JobId, job: &Job) -> Time {
        let history = job.logged.user.known().and_then(|user| self.last.get(&user));
        let Some(&(last, Some(before))) = history else { return job.estimate };
        mean(last, before).min(job.estimate)
    }

    fn ended(&mut self, job: &Job, ran: Time) {
        if let Some(user) = job.logged.user.known() {
            let before = self.last.get(&user).map(|&(last, _)| last);
            self.last.insert(user, (ran, before));
        }
    }
}

/// Returns the mean of two times. The mean of whole seconds is rounded down to a whole second.
fn mean(one: Time, other: Time) -> Time {
    const SECOND: i64 = 1_000_000;
    let (one, other) = (one.as_micros(), other.as_micros());
    // Adds half the difference to the smaller time, because the sum of both could overflow.
    let mean = one.min(other) + (one.max(other) - one.min(other)) / 2;
    let is_whole = one % SECOND == 0 && other % SECOND == 0;
    Time::from_micros(if is_whole { mean - mean.rem_euclid(SECOND) } else { mean })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{LogNumber, Logged};

    #[test]
    fn the_last_two_jobs_of_the_user_count_by_their_ends() {
        let at = Time::from_seconds;
        let job = |user: Option<i64>, request_s| Job {
            run: at(1),
            estimate: at(request_s),
            procs: 1,
            logged: Logged { user: user.map_or_else(LogNumber::default, LogNumber::of), ..Logged::default() },
            ..Job::default()
        };
        let mut predictor = UserLastTwo::default();
        let mut predicted_s = |job: &Job| predictor_s(&mut predictor, job);
        assert_eq!(predicted_s(&job(Some(1), 500)), 500);
        for (user, ran_s) in [(Some(1), 100), (None, 7), (Some(2), 30), (None, 7), (Some(1), 205)] {
            predictor.ended(&job(user, 500), at(ran_s));
        }
        let mut predicted_s = |job: &Job| predictor_s(&mut predictor, job);
        assert_eq!(predicted_s(&job(Some(1), 500)), 152);
        assert_eq!(predicted_s(&job(Some(1), 90)), 90);
        assert_eq!(predicted_s(&job(Some(2), 500)), 500);
        assert_eq!(predicted_s(&job(None, 500)), 500);
        predictor.ended(&job(Some(1), 500), at(10));
        assert_eq!(predictor_s(&mut predictor, &job(Some(1), 500)), 107);
        assert_eq!(mean(Time::from_micros(1), Time::from_micros(4)), Time::from_micros(2));
    }

    /// Returns a prediction in whole seconds.
    fn predictor_s(predictor: &mut UserLastTwo, job: &Job) -> i64 {
        predictor.predict(0, job).as_micros() / 1_000_000
    }
}
