//! The profile compared with a count of free nodes for each second.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::running_jobs::RunningJobs;
use super::free_intervals::{FreeInterval, FreeRectangles, Limits, free_intervals};
use super::profile::{FreedWindow, Moment, NONE, Profile, ProfileWindow, Reservation, nodes};
use meshreplay_base::job::Time;

const SECONDS: usize = 60;

/// Returns the first second whose counts allow the job, or `until`.
fn plain_earliest(free: &[i32], procs: i32, length: usize, now: usize, until: usize) -> usize {
    let fits = |at: usize| at >= until || free.get(at).is_none_or(|&free| free >= procs);
    (now..until).find(|&start| (start..start + length).all(fits)).unwrap_or(until)
}

fn at(second: usize) -> Time {
    Time::from_seconds(second as i64)
}

fn second(time: Time) -> usize {
    (time.as_micros() / 1_000_000) as usize
}

/// Returns the number of free nodes in each second.
fn per_second(profile: &Profile) -> Vec<i32> {
    (0..SECONDS).map(|second| profile.step(profile.at(at(second))).free).collect()
}

/// Adds a number to the counts of some seconds.
fn add(free: &mut [i32], start: usize, length: usize, nodes: i32) {
    free[start..start + length].iter_mut().for_each(|free| *free += nodes);
}

/// Makes a reservation.
fn reserve(profile: &mut Profile, procs: u32, start: usize, length: usize) -> Reservation {
    let (from, start, length) = (profile.at(at(start)), at(start), at(length));
    let mut one = Reservation { procs, from, until: NONE, next: NONE, previous: NONE, start, length };
    profile.reserve(&mut one);
    one
}

/// Removes the reservations that have begun from the profile, as running jobs.
fn let_go_begun(profile: &mut Profile, kept: &mut Vec<Reservation>, now: usize) {
    for one in kept.extract_if(.., |one| one.start <= at(now)) {
        profile.release(&one);
        profile.trim(one.until);
    }
}

#[test]
fn every_answer_equals_that_of_a_count_per_second() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut random = move |below: usize| rng.random_range(0..below);
    let mut moves = 0;
    for _ in 0..200 {
        let mut profile = Profile::new(Time::ZERO, 20, &RunningJobs::default());
        let (mut plain, mut now) = (vec![20_i32; SECONDS], 0);
        let mut kept: Vec<Reservation> = Vec::new();
        for _ in 0..30 {
            now += random(3) / 2;
            let_go_begun(&mut profile, &mut kept, now);
            profile.advance(at(now));
            let (start, length) = (now + random(SECONDS / 2 - 15), 1 + random(15));
            let nodes = random(12) as i32 - 4;
            profile.take(at(start), at(length), nodes);
            add(&mut plain, start, length, -nodes);
            let (procs, length) = (random(25), 1 + random(20));
            let from = now + random(10);
            let near = random(10) as u32;
            let expected = plain_earliest(&plain, procs as i32, length, from, SECONDS);
            // Beyond the plain counts all 20 are free again.
            if procs <= 20 {
                let earliest = Moment { time: at(from), step: near };
                let Moment { time: found, step } = profile.earliest(procs as u32, at(length), earliest);
                assert_eq!(found, at(expected), "{procs} for {length} from {from}: {profile:?}");
                assert!(profile.at(found) == step, "{profile:?}");
            }
            // A reservation that is made and then moves.
            let (start, procs, length) = (now + 1 + random(10), 1 + random(4), 1 + random(15));
            let mut one = reserve(&mut profile, procs as u32, start, length);
            add(&mut plain, start, length, -(procs as i32));
            let expected = plain_earliest(&plain, procs as i32, length, now, start);
            let always = ProfileWindow { from: Time::from_micros(i64::MIN), until: Time::MAX, step: NONE };
            let found = profile.earlier(&one, &always);
            let found = found.filter(|_| expected < start || random(4) == 0);
            let begins = found.map_or(at(start), |to| profile.step(to).time);
            assert_eq!(begins, at(expected), "{one:?}: {profile:?}");
            if let Some(to) = found {
                let (from, until) = (one.from, one.until);
                let freed = profile.bring_forward(&mut one, to);
                profile.trim(from);
                profile.trim(until);
                assert_eq!(second(freed.window.until), start + length);
                add(&mut plain, start, length, procs as i32);
                add(&mut plain, expected, length, -(procs as i32));
                moves += 1;
            }
            kept.push(one);
            if let Some(places) = profile.tidy() {
                for one in &mut kept {
                    (one.from, one.until) = (places[one.from as usize], places[one.until as usize]);
                }
            }
            profile.mark();
            let times: Vec<Time> = profile.all().map(|(_, step)| step.time).collect();
            assert!(times.is_sorted_by(|a, b| a < b), "{profile:?}");
            assert_eq!(per_second(&profile)[now..], plain[now..]);
        }
        for one in kept.drain(..) {
            profile.release(&one);
            profile.trim(one.from);
            profile.trim(one.until);
        }
        assert_eq!(profile.changes().len(), profile.all().count(), "{profile:?}");
    }
    assert!(moves > 1000, "{moves} moves");
}

/// Returns a profile with random counts, the counts of each second before a freed window, and the freed
/// window.
fn opened(random: &mut impl FnMut(usize) -> usize) -> (Profile, Vec<i32>, FreedWindow) {
    let mut profile = Profile::new(Time::ZERO, 12, &RunningJobs::default());
    for _ in 0..25 {
        profile.take(at(random(40)), at(1 + random(12)), random(4) as i32);
    }
    let before = per_second(&profile);
    let (from, length, nodes) = (random(40), 1 + random(10), 1 + random(3) as i32);
    profile.take(at(from), at(length), -nodes);
    let step = profile.at(at(from));
    (
        profile,
        before,
        FreedWindow { window: ProfileWindow { from: at(from), until: at(from + length), step }, nodes },
    )
}

/// Nodes are given back at random. For all widths and lengths, compares the windows that had too few free
/// nodes before and have enough after.
#[test]
fn no_window_that_becomes_possible_leaves_its_free_interval() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut random = move |below: usize| rng.random_range(0..below);
    let mut windows = 0;
    for _ in 0..300 {
        let (profile, before, freed) = opened(&mut random);
        let (after, longest, mut found) = (per_second(&profile), 12, Vec::new());
        let mut reached = Vec::new();
        free_intervals(
            &profile,
            freed,
            &Limits { narrowest: 2, longest: at(longest) },
            |step, widths| reached.extend(widths.map(|width| (step.time, width))),
            |interval| found.push(interval),
        );
        assert!(found.is_sorted_by(|a, b| a.widest > b.widest && a.from >= b.from && a.until <= b.until));
        // Steps after the beginning of the freed window that the free interval of a width reaches.
        let is_reached = |time: Time, width: i32| {
            let interval =
                found.iter().find(|interval| interval.narrower < width && width <= interval.widest);
            interval.is_some_and(|interval| freed.window.from < time && time <= interval.until)
        };
        let pairs = profile.all().flat_map(|(_, step)| (0..20).map(move |width| (step.time, width)));
        let expected: Vec<(Time, i32)> = pairs.filter(|&(time, width)| is_reached(time, width)).collect();
        assert_eq!(reached, expected, "{profile:?}, {freed:?}");
        for (procs, length) in (2..16_u32).flat_map(|procs| (1..=longest).map(move |l| (procs, l))) {
            for start in 0..SECONDS - length {
                let fits = |free: &[i32]| free[start..start + length].iter().all(|&n| n >= nodes(procs));
                if fits(&after) && !fits(&before) {
                    let interval = found.iter().find(|interval| interval.is_for(procs));
                    let interval = interval.expect("its width has an interval");
                    assert!(interval.from <= at(start) && at(start + length) <= interval.until);
                    windows += 1;
                }
            }
        }
    }
    assert!(windows > 10_000, "{windows} windows");
}

/// For all widths and lengths there is room exactly if a window that meets the freed window has as many free
/// nodes.
#[test]
fn rectangles_are_as_long_as_runs_of_seconds() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut random = move |below: usize| rng.random_range(0..below);
    let (mut with, mut without) = (0, 0);
    for _ in 0..300 {
        let (profile, _, freed) = opened(&mut random);
        let (free, longest, mut rectangles) = (per_second(&profile), 12, FreeRectangles::default());
        let narrowest = 1 + random(4) as i32;
        rectangles.find(&profile, &Limits { narrowest, longest: at(longest) }, &freed.window);
        let rectangles = rectangles.all;
        let (from, before) = (second(freed.window.from), second(freed.window.until));
        for (procs, length) in (narrowest..16).flat_map(|procs| (1..=longest).map(move |l| (procs, l))) {
            let meets = |&start: &usize| start < before && start + length > from;
            let fits =
                |start: usize| (start..start + length).all(|at| free.get(at).is_none_or(|&n| n >= procs));
            let expected = (0..SECONDS).filter(meets).any(fits);
            let is_for = |room: &FreeInterval| room.widest >= procs && room.length() >= at(length);
            assert_eq!(
                rectangles.iter().any(is_for),
                expected,
                "{procs} for {length}: {rectangles:?}, {profile:?}"
            );
            (with, without) = (with + usize::from(expected), without + usize::from(!expected));
        }
    }
    assert!(with > 10_000 && without > 10_000, "{with} with room, {without} without");
}
