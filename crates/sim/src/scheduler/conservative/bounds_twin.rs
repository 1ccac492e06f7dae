//! Eras, classes and floors, which are bounds for fast searches, compared with what they bound.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::class::{brief, brief_up};
use super::eras::Eras;
use super::floors::Floors;
use meshreplay_base::job::Time;

#[test]
fn eras_are_in_the_order_of_time_and_begin_near_their_times() {
    let mut rng = ChaCha8Rng::seed_from_u64(13);
    for _ in 0..200 {
        let range = 1 << rng.random_range(1..50);
        let mut begins: Vec<Time> = (0..rng.random_range(0..100))
            .map(|_| Time::from_micros(rng.random_range(-range / 8..range)))
            .collect();
        if rng.random_bool(0.5) {
            begins.push(Time::MAX);
        }
        begins.sort_unstable();
        begins.dedup();
        let eras = Eras::new(&begins);
        assert!((1..=begins.len() + 1).contains(&eras.len()));
        let around = begins.iter().flat_map(|&begin| [begin - Time::from_micros(1), begin]);
        let mut times: Vec<Time> = around.chain([Time::from_micros(i64::MIN), Time::MAX]).collect();
        times.sort_unstable();
        let found: Vec<usize> = times.iter().map(|&time| eras.of(time)).collect();
        assert!(found.is_sorted() && found.iter().all(|&era| era < eras.len()), "{eras:?}: {found:?}");
        assert_eq!(eras.of(Time::MAX), eras.len() - 1);
    }
    let begins: Vec<Time> = (1..=80).map(Time::from_seconds).collect();
    let eras = Eras::new(&begins);
    assert_eq!(eras.len(), 81);
    assert!(
        (0..80).all(|second| eras.of(Time::from_micros(second * 1_000_000 + 900_000)) == second as usize)
    );
    let far = Eras::new(&[&begins[..], &[Time::from_seconds(1 << 40), Time::MAX]].concat());
    assert!(far.len() > 75, "{} eras before a far time", far.len());
}

#[test]
fn brief_times_are_in_the_order_of_times() {
    let mut rng = ChaCha8Rng::seed_from_u64(17);
    for _ in 0..10_000 {
        let mut time = || Time::from_micros(rng.random::<i64>() >> rng.random_range(0..60));
        let (one, other) = (time(), time());
        assert!(brief(one.min(other)) <= brief(one.max(other)));
        assert!(one <= other || brief_up(one) > brief(other), "{one:?}, {other:?}");
    }
}

/// Notes random jobs and compares the floor of another one with the starts of those that are not wider and not longer.
#[test]
fn a_floor_is_the_start_of_a_job_that_is_not_wider_and_not_longer() {
    let mut rng = ChaCha8Rng::seed_from_u64(19);
    let mut raised = 0;
    for history in 0..200 {
        let (mut floors, mut jobs): (_, Vec<(u32, Time, Time)>) = (Floors::default(), Vec::new());
        let now = Time::from_seconds(100);
        for number in 0..60 {
            let (widest, longest) = (1_u32 << rng.random_range(1..20), 1_i64 << rng.random_range(1..45));
            let procs = rng.random_range(0..widest);
            let length = Time::from_micros(rng.random_range(1..=longest));
            let (floor, _) = floors.of(procs, length, now);
            let smaller = jobs.iter().filter(|job| job.0 <= procs && job.1 <= length);
            let latest = smaller.map(|job| job.2).max().unwrap_or(now).max(now);
            assert!(now <= floor && floor <= latest, "history {history}: {procs}, {length}: {jobs:?}");
            raised += usize::from(floor > now);
            let start = Time::from_seconds(rng.random_range(0..1000));
            floors.note(procs, length, (start, number));
            jobs.push((procs, length, start));
            // A job twice as wide and more than twice as long is known not to fit earlier.
            let wide = floors.of(2 * procs, length + length + length + Time::from_seconds(5), now);
            assert!(procs == 0 || wide.0 >= start, "{procs}, {length}, {start}: {wide:?}");
        }
    }
    assert!(raised > 1000, "{raised} floors");
}
