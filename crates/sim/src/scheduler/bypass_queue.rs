//! Bypass queue, BQ: younger jobs may overtake the oldest waiting job until it has waited for a threshold.
//!
//! C.-Y. Chang, P. Mohapatra, "An integrated processor management scheme for the mesh-connected multicomputer
//! systems", 1998; Figure 2.
//!
//! When a job arrives:
//!
//! 1. If other jobs wait, it queues behind them and is not tried. No job overtakes by arriving.
//! 2. If no job waits, it is tried.
//!
//! When jobs have departed, after all departures of the instant:
//!
//! 3. The head is the candidate, and its submission is remembered.
//! 4. The candidate starts if it fits. Stop if it is the last job of the queue.
//! 5. Stop if the remembered submission is at least `threshold` ago. Otherwise the next job is the candidate,
//!    the submission of the present head is remembered, and the loop continues with step 4.
//!
//! Step 5 tests the age of a head that may just have started in step 4, and then stops. Strict first come,
//! first served, which the text promises for jobs over the threshold, would continue. `rule=literal` follows
//! the figure. `rule=strict-fcfs`, the default, continues with the next job whenever the head has started.
//! With `threshold=0` this is exactly FCFS. With `threshold=inf` both rules try all waiting jobs at each
//! departure.
//!
//! The head is the oldest job. So a job that has waited longer than the threshold either is the head or is
//! protected by it. Candidates that need more nodes than are free cannot fit. The queue's index skips them:
//! O(log Q) per job tried.

use std::fmt;
use std::str::FromStr;

use super::seam::{Cause, Laws, Pass, Scheduler, SchedulerEntry, View};
use meshreplay_base::job::Time;

/// The row of the registry.
pub(super) const ENTRY: SchedulerEntry = SchedulerEntry {
    name: "bypass-queue",
    summary: "jobs bypass the oldest one at departures until it has waited for the threshold (seconds)",
    source: "Chang & Mohapatra, 1998",
    parameters: "rule=strict-fcfs (literal), threshold=inf (seconds)",
    promises: "no job is bypassed after waiting for the threshold",
    laws: |spec| {
        let threshold = spec.params.get("threshold").and_then(|text| text.parse().ok());
        let until = threshold.and_then(|Threshold(time)| Some(time).filter(|time| *time < Time::MAX));
        Laws { passed_until: until, in_order: until == Some(Time::ZERO), ..Laws::default() }
    },
    build: |params| {
        let Threshold(threshold) =
            params.take("threshold", Threshold(Time::MAX), "a number of seconds, at least 0, or inf")?;
        let literal = params.choose("rule", &[("strict-fcfs", false), ("literal", true)])?;
        Ok(Box::new(BypassQueue { threshold, literal }))
    },
};

/// A waiting time in seconds, precise to the microsecond. [`Time::MAX`] for no limit.
struct Threshold(Time);

impl FromStr for Threshold {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "inf" {
            return Ok(Self(Time::MAX));
        }
        let seconds: f64 = text.parse().map_err(|_| ())?;
        // The cast saturates: a value beyond the range of times becomes `Time::MAX`, no limit.
        let micros = (seconds * 1e6).round() as i64;
        if seconds.is_finite() && seconds >= 0.0 { Ok(Self(Time::from_micros(micros))) } else { Err(()) }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == Time::MAX { f.write_str("inf") } else { write!(f, "{}", self.0.as_seconds()) }
    }
}

/// The scheduler.
struct BypassQueue {
    /// The waiting time after which the head may no longer be overtaken.
    threshold: Time,
    /// Whether a pass stops after such a head has started, as in the figure.
    literal: bool,
}

impl Scheduler for BypassQueue {
    fn start_jobs(&mut self, view: &mut dyn View) {
        match view.cause() {
            // Step 1: the new job is behind others and is not tried.
            Cause::Arrival if view.queue().len() > 1 => {}
            _ => self.departure(view),
        }
    }

    fn pass(&self) -> Pass {
        Pass::Separate
    }
}

impl BypassQueue {
    /// Steps 3 to 5. With one job in the queue they equal step 2.
    fn departure(&self, view: &mut dyn View) {
        // While the head may not be overtaken, it is the only candidate.
        while let Some(head) = view.queue().head() {
            if view.now() - head.submit < self.threshold {
                break;
            }
            let starts = view.fits(&head) && view.try_start(head.slot);
            if !starts || self.literal {
                return;
            }
        }
        // This head has not reached the threshold. Later heads are younger, so overtaking stays allowed in
        // this pass.
        let mut from = 0;
        while let Some(slot) = view.queue().first(from, &view.admission()) {
            view.try_start(slot);
            from = slot + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;
    use meshreplay_base::spec::{Params, Spec, SpecError};

    fn queue(threshold_s: i64, literal: bool) -> BypassQueue {
        BypassQueue { threshold: Time::from_seconds(threshold_s), literal }
    }

    /// Returns the jobs that start, in order. Of 10 nodes job 0 holds 8 until 50 s. Jobs of 9, 1, 4 and 2
    /// processors queue up at 1 s.
    fn started(threshold_s: i64, literal: bool) -> Vec<u32> {
        let mut fake = Fake::new(10, &[]);
        let mut scheduler = queue(threshold_s, literal);
        for job in [(8, 100), (9, 100), (1, 100), (4, 100), (2, 100)] {
            fake.arrive(i64::from(job.0 != 8), job.0, job.1);
            scheduler.start_jobs(&mut fake);
        }
        assert_eq!(fake.started, [0], "nobody bypasses by arriving");
        fake.depart(50, &[0]);
        scheduler.start_jobs(&mut fake);
        fake.started
    }

    #[test]
    fn a_young_head_and_those_behind_it_start_as_they_fit() {
        assert_eq!(started(50, false), [0, 1, 2]);
        assert_eq!(started(50, true), [0, 1, 2]);
    }

    /// The difference between the figure and the text: the old head starts, the next job would fit and is not
    /// considered.
    #[test]
    fn the_literal_rule_stops_after_a_head_that_is_too_old_to_be_bypassed() {
        assert_eq!(started(49, false), [0, 1, 2]);
        assert_eq!(started(49, true), [0, 1]);
    }

    #[test]
    fn a_head_that_has_waited_for_the_threshold_is_not_bypassed() {
        for (threshold_s, expected) in [(20, vec![0, 1]), (21, vec![0, 1, 3])] {
            let mut fake = Fake::new(10, &[(5, 100), (2, 100), (6, 100), (1, 100)]);
            let mut scheduler = queue(threshold_s, false);
            // A pass would start every job that fits. The test starts the first two only.
            assert!(fake.try_start(0) && fake.try_start(1));
            fake.depart(20, &[1]);
            scheduler.start_jobs(&mut fake);
            assert_eq!(fake.started, expected, "{threshold_s}");
        }
    }

    #[test]
    fn thresholds_are_seconds_or_without_end() -> Result<(), SpecError> {
        for (given, resolved) in
            [("inf", "inf"), ("0", "0"), ("-0", "0"), ("0.25", "0.25"), ("1e3", "1000"), ("1e300", "inf")]
        {
            let mut params = Params::new(&Spec::named("bypass-queue").with("threshold", given));
            (ENTRY.build)(&mut params)?;
            assert_eq!(params.finish()?.params["threshold"], resolved, "{given}");
        }
        for given in ["-1", "nan", "NaN", "infinity", "-inf", "1s", "-1e-9"] {
            let mut params = Params::new(&Spec::named("bypass-queue").with("threshold", given));
            let message = (ENTRY.build)(&mut params).err().map(|error| error.to_string());
            let expected = format!(
                "parameter 'threshold' of 'bypass-queue' is '{given}': expected a number of seconds, at \
                     least 0, or inf"
            );
            assert_eq!(message, Some(expected));
        }
        Ok(())
    }
}
