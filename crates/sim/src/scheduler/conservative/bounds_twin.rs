//! Bounds of earliest starts compared with the starts that they bound.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::earliest_starts::EarliestStarts;
use super::profile::Moment;
use meshreplay_base::job::Time;

/// Records random jobs and compares the bound of another job with the starts of the jobs that are neither
/// wider nor longer.
#[test]
fn a_bound_is_the_start_of_a_job_that_is_not_wider_and_not_longer() {
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let mut raised = 0;
    for history in 0..200 {
        let (mut earliest_starts, mut jobs): (_, Vec<(u32, Time, Time)>) =
            (EarliestStarts::default(), Vec::new());
        let now = Time::from_seconds(100);
        for number in 0..60 {
            let (widest, longest) = (1_u32 << rng.random_range(1..20), 1_i64 << rng.random_range(1..45));
            let procs = rng.random_range(0..widest);
            let length = Time::from_micros(rng.random_range(1..=longest));
            let Moment { time: bound, .. } = earliest_starts.of(procs, length, now);
            let smaller = jobs.iter().filter(|job| job.0 <= procs && job.1 <= length);
            let latest = smaller.map(|job| job.2).max().unwrap_or(now).max(now);
            assert!(now <= bound && bound <= latest, "history {history}: {procs}, {length}: {jobs:?}");
            raised += usize::from(bound > now);
            let start = Time::from_seconds(rng.random_range(0..1000));
            earliest_starts.note(procs, length, Moment { time: start, step: number });
            jobs.push((procs, length, start));
            // A job twice as wide and more than twice as long cannot fit earlier.
            let wide = earliest_starts.of(2 * procs, length + length + length + Time::from_seconds(5), now);
            assert!(procs == 0 || wide.time >= start, "{procs}, {length}, {start}: {wide:?}");
        }
    }
    assert!(raised > 1000, "{raised} earliest_starts");
}
