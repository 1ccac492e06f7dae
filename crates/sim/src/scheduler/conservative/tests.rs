//! Small histories by hand, and a comparison with a search of the whole profile for each reservation.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::fake::Fake;
use super::reservations::Tuning;
use super::*;

/// Limits that treat short queues as long ones.
pub(super) const SHORT: Tuning = Tuning { waiting_from: 60, gone: 0 };

/// Returns a machine of 10 nodes and a scheduler after two passes. Job 0 holds 6 nodes until 100 s, and job 1
/// waits for 8. From 1 s on job 2 would end a second too late to run before job 1, job 3 ends in time, and
/// job 4 is narrow enough to run next to job 1.
fn example() -> (Fake, Conservative) {
    let (mut fake, mut scheduler) =
        (Fake::new(10, &[(6, 100), (8, 50)]), Conservative::with_tuning(EventOrder::Batch, true, SHORT));
    scheduler.start_jobs(&mut fake);
    fake.advance(1, &[(4, 100), (4, 99), (2, 500)]);
    scheduler.start_jobs(&mut fake);
    (fake, scheduler)
}

/// Returns the reserved starts in seconds.
fn starts_s(scheduler: &Conservative) -> Vec<f64> {
    scheduler.reservations.all().map(|reservation| reservation.start.as_seconds()).collect()
}

#[test]
fn everybody_has_a_reservation_that_the_later_ones_keep() {
    let (fake, scheduler) = example();
    assert_eq!(fake.started, [0, 3]);
    // EASY starts job 4 at 100 too, and ignores job 2, which here waits for job 1 to end.
    assert_eq!(starts_s(&scheduler), [100.0, 150.0, 100.0]);
}

#[test]
fn reservations_move_forward_when_a_job_ends_early() {
    let (mut fake, mut scheduler) = example();
    fake.depart(10, &[0]);
    scheduler.start_jobs(&mut fake);
    assert_eq!(fake.started, [0, 3, 4], "job 4 fits beside all that is reserved");
    assert_eq!(starts_s(&scheduler), [100.0, 150.0]);
    fake.depart(20, &[3]);
    scheduler.start_jobs(&mut fake);
    assert_eq!(fake.started, [0, 3, 4, 1]);
    assert_eq!(starts_s(&scheduler), [70.0]);
}

#[test]
fn an_end_by_the_estimate_changes_nothing() {
    let (mut fake, mut scheduler) = example();
    let mut expected = scheduler.profile.clone();
    fake.depart(100, &[0, 3]);
    scheduler.start_jobs(&mut fake);
    assert_eq!(fake.started, [0, 3, 1, 4]);
    expected.advance(Time::from_seconds(100));
    assert_eq!(scheduler.profile.changes(), expected.changes());
}

#[test]
fn who_waits_for_a_job_that_outlives_its_estimate_starts_when_it_ends() {
    let (mut fake, mut scheduler) = example();
    fake.depart(100, &[3]);
    scheduler.start_jobs(&mut fake);
    // Job 0 still holds 6 nodes, so job 1 waits. No job that would delay it starts.
    assert_eq!(fake.started, [0, 3, 4]);
    fake.depart(130, &[0]);
    scheduler.start_jobs(&mut fake);
    assert_eq!(fake.started, [0, 3, 4, 1]);
    assert_eq!(starts_s(&scheduler), [180.0]);
}

/// A reservation without a start begins and ends at the same step, the end of time.
#[test]
fn who_waits_for_a_job_without_an_end_starts_when_it_ends() {
    let mut fake = Fake::new(10, &[(6, i64::MAX), (8, 50), (7, 50), (9, 20)]);
    let mut scheduler = Conservative::with_tuning(EventOrder::Batch, true, SHORT);
    scheduler.start_jobs(&mut fake);
    assert_eq!((&fake.started[..], starts_s(&scheduler)), (&[0][..], vec![Time::MAX.as_seconds(); 3]));
    fake.depart(10, &[0]);
    scheduler.start_jobs(&mut fake);
    assert_eq!((&fake.started[..], starts_s(&scheduler)), (&[0, 1][..], vec![60.0, 110.0]));
    // Each step was removed once, so all places are in use or free.
    assert_eq!(scheduler.profile.all().count(), scheduler.profile.len());
    fake.advance(11, &[(1, 5), (2, 300), (1, 40), (1, 7), (3, 9)]);
    scheduler.start_jobs(&mut fake);
    assert_eq!(
        (&fake.started[..], starts_s(&scheduler)),
        (&[0, 1, 4, 6][..], vec![60.0, 110.0, 130.0, 16.0, 60.0])
    );
}

/// A random history with one end of a job at a time, mostly early. In a second scheduler every reservation
/// may move at each pass, so that it searches the whole profile for each.
#[test]
fn no_reservation_that_could_move_is_passed_over() {
    let mut moves = 0;
    for seed in 0..120 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let repeat = seed % 2 == 0;
        let order = [EventOrder::Batch, EventOrder::EndsFirst, EventOrder::PerEvent][seed as usize % 3];
        let new = || (Fake::new(16, &[]), Conservative::with_tuning(order, repeat, SHORT));
        let ((mut fake, mut scheduler), (mut plain_fake, mut plain)) = (new(), new());
        let (mut running, mut known): (Vec<usize>, usize) = (Vec::new(), 0);
        for now_s in 1..150 {
            if !running.is_empty() && rng.random_bool(0.4) {
                let ended = running.swap_remove(rng.random_range(0..running.len()));
                for fake in [&mut fake, &mut plain_fake] {
                    fake.depart(now_s, &[ended as JobId]);
                }
            }
            let arrived: Vec<(u32, i64)> = (0..rng.random_range(0..3))
                .map(|_| {
                    (rng.random_range(1..=16_u32).min(rng.random_range(1..=16)), rng.random_range(1..200))
                })
                .collect();
            let before = starts_s(&scheduler);
            for (fake, scheduler) in [(&mut fake, &mut scheduler), (&mut plain_fake, &mut plain)] {
                fake.advance(now_s, &arrived);
                scheduler.start_jobs(fake);
                running.extend(fake.started.iter().skip(known).map(|&job| job as usize));
            }
            running.sort_unstable();
            running.dedup();
            known = fake.started.len();
            assert_eq!(fake.started, plain_fake.started, "seed {seed}, {now_s} s");
            assert_eq!(starts_s(&scheduler), starts_s(&plain), "seed {seed}, {now_s} s");
            moves += usize::from(starts_s(&scheduler).iter().zip(&before).any(|(now, before)| now < before));
            plain.reservations.unsettle_all();
        }
    }
    assert!(moves > 1000, "{moves} passes moved reservations");
}
