//! The table of reservations by width compared with a search through all of them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::by_width::ByWidth;
use super::extents::Extent;
use super::reservation::{NONE, Reservation};
use meshreplay_base::job::Time;

fn at(second: usize) -> Time {
    Time::from_seconds(second as i64)
}

#[test]
fn every_reservation_that_an_extent_may_hold_is_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut random = move |below: usize| rng.random_range(0..below);
    let mut found_in_all = 0;
    for history in 0..40 {
        let (mut all, mut by_width): (Vec<Reservation>, _) = (Vec::new(), ByWidth::default());
        let latest = 50 + random(2000);
        for step in 0..400 {
            for _ in 0..random(if step == 0 { 300 } else { 3 }) {
                let (procs, start, length) = (1 + random(40) as u32, at(random(latest)), at(1 + random(200)));
                let one = Reservation { procs, from: 0, until: 0, next: NONE, previous: NONE, start, length };
                by_width.push(&one, all.len() as u32);
                all.push(one);
            }
            if all.is_empty() {
                continue;
            }
            // One moves to an earlier start, and one may go.
            let moved = random(all.len());
            all[moved].start = at(random(1 + (all[moved].start.as_micros() / 1_000_000) as usize));
            let gone = random(all.len());
            if history % 3 > 0 && all[gone].length > Time::ZERO {
                by_width.remove(all[gone].procs, gone as u32);
                all[gone].length = Time::ZERO;
            }
            if by_width.is_stale(all.len()) || random(50) == 0 {
                let eras = (1..random(64)).map(|era| at(era * latest / 64)).collect();
                by_width.refresh(&all, eras);
            }
            // Wider extents are shorter.
            let (end, mut narrower, mut length, mut extents) = (random(latest), random(5), 200, Vec::new());
            for _ in 0..=random(4) {
                let widest = narrower + 1 + random(15);
                length = random(length) + 1;
                let until = at(end + random(30));
                let from = until - at(length);
                extents.push(Extent { narrower: narrower as i32, widest: widest as i32, from, until });
                narrower = widest;
            }
            extents.reverse();
            let is_for = |one: &Reservation| {
                let roomy = |extent: &Extent| {
                    extent.is_for(one.procs) && one.length <= extent.length() && one.start > extent.until
                };
                one.length > Time::ZERO && extents.iter().any(roomy)
            };
            let present = (0..).zip(&all).filter(|(_, one)| is_for(one)).map(|(number, _)| number);
            let expected: Vec<u32> = present.collect();
            let mut found = Vec::new();
            by_width.each_within(&extents, &all, |number, _| found.push(number));
            found.sort_unstable();
            assert_eq!(found, expected);
            found_in_all += found.len();
            let (origin, distance) = (random(all.len() + 1) as u32, random(all.len()) as u32);
            let distances = expected.iter().map(|number| number.wrapping_sub(origin));
            let nearest = distances.filter(|&other| other >= distance && other < u32::MAX).min();
            assert_eq!(by_width.nearest(&extents, &all, (origin, distance)), nearest);
        }
    }
    assert!(found_in_all > 10_000, "{found_in_all} found");
}
