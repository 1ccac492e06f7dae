//! Lines on replays made by hand: partitions on one machine, seeds, and sentences that must agree.

use std::borrow::Cow;

use super::candidate::{ReplayResult, Replication};
use super::comparison::without_intervals;
use super::plain::plain;
use super::{DISTANCE, lines, prefix, varying};
use meshreplay_sim::metrics::{JobRow, PartSums, Trim};
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_study::study::{Coordinate, ReplaySpec, not_compared};

/// Returns a replay of 2,000 jobs. `wait` returns the wait of a job, in seconds.
fn measured<'a>(
    scheduler: &str,
    allocator: &str,
    wait: impl Fn(usize) -> f64,
    numbers: &[(&'static str, f64)],
) -> ReplayResult<'a> {
    const JOBS: usize = 2000;
    let (scheduler, allocator) = (scheduler.parse().expect("a spec"), allocator.parse().expect("a spec"));
    let spec = ReplaySpec::new("8x8".parse().expect("a machine"), scheduler, allocator);
    let waits: Vec<f64> = (0..JOBS).map(&wait).collect();
    let sums: Vec<f64> = (0..JOBS).map(|i| 100.0 + (i % 7) as f64).collect();
    let job = |i: usize| {
        let (submit_s, start_s) = (i as f64, i as f64 + waits[i]);
        let (end_s, pairwise_sum) = (start_s + 500.0, sums[i] as u64);
        JobRow { number: i as i64, submit_s, start_s, end_s, procs: 4, allocated: 4, pairwise_sum, why: None }
    };
    let jobs: Vec<JobRow> = (0..JOBS).map(job).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / JOBS as f64;
    let mut found =
        vec![("wait_s_mean", mean(&waits)), ("pairwise_sum_mean", mean(&sums)), ("service_s_mean", 500.0)];
    found.extend(numbers);
    if spec.scheduler.name == RECORDED {
        // The first number of a name counts.
        found.extend([("jobs", JOBS as f64), ("overtaking_share", 0.5), ("wait_free_share", 0.0)]);
    }
    let parts = PartSums::of_saved(&jobs, Trim::default(), &"8x8".parse().expect("a machine"));
    let replication = Replication {
        seed: 1,
        jobs: Some(JOBS as f64),
        in_means: Some(JOBS as f64),
        shake_percent: None,
        numbers: found,
        parts: Some(Cow::Owned(parts)),
    };
    ReplayResult {
        spec: Cow::Owned(spec),
        replications: vec![replication],
        not_compared: None,
        reasons: Vec::new(),
    }
}

fn recorded_and_easy<'a>(is_pooled: bool) -> Vec<ReplayResult<'a>> {
    let mut replays = vec![
        measured("recorded", "naive", |i| 300.0 + (i * 37 % 90) as f64, &[]),
        measured("easy", "naive", |i| 200.0 + (i * 23 % 80) as f64, &[]),
        measured("fcfs", "naive", |i| 260.0 + (i * 29 % 80) as f64, &[]),
    ];
    for replay in &mut replays {
        replay.not_compared = not_compared(is_pooled, None);
    }
    replays
}

#[test]
fn pooled_partitions_have_no_difference_to_recorded_waits() {
    let told = lines(recorded_and_easy(true), DISTANCE, None);
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(
        told[0].starts_with("schedulers: waits are shortest under easy, ") && !told[0].contains("recorded")
    );
    let pooled = "partitions pooled: recorded and simulated waits are not compared (--partition each)";
    assert_eq!(told[1], pooled);
    let apart = lines(recorded_and_easy(false), DISTANCE, None);
    assert!(
        apart[1].starts_with("recorded waits are what happened; compared with them, jobs wait ")
            && apart[1].contains("shorter under easy (")
    );
    assert!(apart[1].contains("shorter under fcfs (") && apart[0] == told[0], "{apart:?}");
}

/// Returns the line on recorded waits with these numbers.
fn line_on_recorded(numbers: &[(&'static str, f64)], scale: f64) -> String {
    let mut replays = vec![
        measured("recorded", "naive", |i| 300.0 + (i * 37 % 90) as f64, numbers),
        measured("easy", "naive", |i| 200.0 + (i * 23 % 80) as f64, &[]),
    ];
    for replay in &mut replays {
        replay.spec.to_mut().arrival_scale = scale;
    }
    lines(replays, DISTANCE, None)
        .iter()
        .find(|line| line.contains("recorded") && !line.starts_with("schedulers: "))
        .cloned()
        .unwrap_or_default()
}

#[test]
fn causes_of_recorded_waits_decide_what_is_said_of_them() {
    let compared = "recorded waits are what happened; compared with them, jobs wait 30.48 % shorter under \
                    easy (95 % CI 30.46 to 30.50 %)";
    let passed = "of the recorded waiting passed while the job fitted and would have delayed nobody";
    for (free, overtaking, expected) in [
        (0.0, 0.5, compared.to_owned()),
        (0.042, 0.5, format!("{compared}; 4.2 % {passed}: another order, reservations or holds")),
        (0.6, 0.0, format!("{compared}; the recorded scheduler does not backfill: 60 % {passed}")),
        (
            0.31,
            0.5,
            format!(
                "31 % {passed}: jobs were held (limits, maintenance, dependencies, failures, partitions), or \
                 the recorded scheduler backfills little, and a difference to recorded would count that as \
                 gain; `replay --why -o DIR` and `table DIR --by user --columns why` show whose jobs"
            ),
        ),
    ] {
        let found = line_on_recorded(&[("wait_free_share", free), ("overtaking_share", overtaking)], 1.0);
        assert!(found.starts_with(&expected) || found == expected, "{found}\n{expected}");
        assert_eq!(found.contains("compared with them"), expected.contains("compared with them"), "{found}");
    }
    let of_sizes = |free: f64, peak: f64| {
        line_on_recorded(&[("wait_free_share", free), ("wait_free_share_peak", peak)], 1.0)
    };
    assert!(of_sizes(0.06, 0.004).contains("; 0.4 to 6.0 % of the recorded waiting"));
    let unclear = of_sizes(0.15, 0.09);
    assert!(unclear.contains("not compared") && unclear.contains(" 9.0 to 15 % of "), "{unclear}");
    let late = line_on_recorded(&[("starts_delayed", 1.0)], 1.0);
    assert!(late.contains("but 1 of 2,000 jobs did not start when the log says; compared"), "{late}");
    let late = line_on_recorded(&[("starts_delayed", 21.0)], 1.0);
    assert!(
        late.starts_with("21 of 2,000 jobs did not start when the log says: recorded and simul"),
        "{late}"
    );
    let unknown = line_on_recorded(&[("waits_unknown", 300.0)], 1.0);
    assert!(unknown.starts_with("the starts of 300 of 2,000 jobs are not known: recorded and"), "{unknown}");
    assert!(line_on_recorded(&[], 0.8).starts_with("arrivals are not those of the log: "));
}

#[test]
fn without_simulated_pairs_pooled_partitions_have_the_sentence_alone() {
    let replays = recorded_and_easy(true).into_iter().take(2).collect();
    let told = lines(replays, DISTANCE, None);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("partitions pooled: "), "{told:?}");
}

#[test]
fn waits_that_differ_by_less_than_a_second_are_about_equal() {
    let replays = vec![
        measured("easy", "naive", |i| 20.0 + (i % 3) as f64, &[]),
        measured("easy", "first-fit", |i| 20.5 + (i % 3) as f64, &[("allocate_failures", 9.0)]),
    ];
    let told = lines(replays, DISTANCE, None);
    let expected = "one submesh per job: first-fit: pairwise sum equal to naive; jobs wait about as long as \
         under naive (2.381 % longer, 95 % CI 2.381 to 2.381 %)";
    assert_eq!(told[0], expected);
}

#[test]
fn replays_that_differ_in_seeds_are_one_with_the_seeds() {
    let mut replays = Vec::new();
    for seed in 1..=4_u64 {
        for (allocator, shift) in [("naive", 3.0), ("random", 9.0)] {
            let wait = move |i: usize| 100.0 + shift + seed as f64 + (i % 5) as f64;
            let mut replay = measured("easy", allocator, wait, &[]);
            replay.spec.to_mut().seed = seed;
            replay.replications[0].seed = seed;
            replays.push(replay);
        }
    }
    let told = lines(replays, DISTANCE, None);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("waits under naive are ") && told[0].contains(", 4 seeds)"), "{told:?}");
}

/// The numbers of an overloaded replay.
const OVERLOADED: [(&str, f64); 5] = [
    ("overloaded", 1.0),
    ("backlog_share", 0.2),
    ("backlog_days", 9.0),
    ("useful_utilization", 0.9),
    ("makespan_s", 2e6),
];

#[test]
fn an_overloaded_scheduler_is_no_base_for_the_stable_ones() {
    let replays = vec![
        measured("easy:order=sjf", "naive", |i| 50.0 + (i % 5) as f64, &OVERLOADED),
        measured("easy", "naive", |i| 200.0 + (i * 23 % 80) as f64, &[("makespan_s", 1e6)]),
        measured("fcfs", "naive", |i| 260.0 + (i * 29 % 80) as f64, &[]),
    ];
    let told = lines(replays, DISTANCE, None);
    let start = "schedulers: waits are shortest under easy, 240 s on average; 25.1 % longer under fcfs (";
    assert!(told[0].starts_with(start), "{told:?}");
    let apart = "; under easy:order=sjf waits are not compared (†): utilization 90.0 % instead of ";
    assert!(told[0].contains(apart) && told[0].contains("makespan 100.0 % longer"), "{told:?}");
    let line =
        "† overloaded (easy:order=sjf): when submissions ended, 20 % of the work (9.0 machine days) still";
    assert!(told.iter().any(|told| told.starts_with(line)), "{told:?}");
}

#[test]
fn an_overloaded_allocator_does_not_silence_the_others() {
    let refusing = |more: &[(&'static str, f64)]| [&[("allocate_failures", 9.0)], more].concat();
    let replays = vec![
        measured("easy", "naive", |i| 200.0 + (i * 23 % 80) as f64, &[]),
        measured("easy", "first-fit", |i| 260.0 + (i * 29 % 80) as f64, &refusing(&[])),
        measured("easy", "worst-fit", |i| 900.0 + (i * 29 % 80) as f64, &refusing(&OVERLOADED)),
    ];
    let told = lines(replays, DISTANCE, None);
    let expected = "; under first-fit jobs wait 25.1 % longer than under naive (95 % CI 25.1 to 25.1 %); \
                    under worst-fit waits are not compared (†): utilization 90.0 % instead of 0.0 % under \
                    naive, ";
    assert!(told[0].contains(expected), "{told:?}");
}

#[test]
fn replications_without_ended_jobs_are_not_called_equal() {
    let twice = |mut replay: ReplayResult<'static>| {
        replay.replications.push(measured("easy", "naive", |_| 0.0, &[]).replications.remove(0));
        let numbers = replay.replications[0].numbers.clone();
        replay.replications[1].numbers = numbers;
        vec![replay]
    };
    let are_equal = |told: Vec<String>| told.iter().any(|told| told.starts_with("the replications of each"));
    let mut without = measured("easy", "naive", |_| 0.0, &[]);
    without.replications[0].numbers.clear();
    assert!(!are_equal(lines(twice(without), DISTANCE, None)));
    assert!(are_equal(lines(twice(measured("easy", "naive", |_| 7.0, &[])), DISTANCE, None)));
}

#[test]
fn most_seeds_decide_about_overload() {
    for (overloaded, is_marked) in [(1, false), (2, true)] {
        let mut replays = Vec::new();
        for seed in 1..=3_u64 {
            let numbers: &[(&'static str, f64)] = if seed <= overloaded { &OVERLOADED } else { &[] };
            let mut replay = measured("easy", "naive", |i| seed as f64 + (i % 5) as f64, numbers);
            replay.spec.to_mut().seed = seed;
            replay.replications[0].seed = seed;
            replays.push(replay);
        }
        let told = lines(replays, DISTANCE, None);
        assert_eq!(told.iter().any(|line| line.starts_with('†')), is_marked, "{told:?}");
    }
}

#[test]
fn every_coordinate_tells_groups_apart() {
    for row in Coordinate::listed() {
        let [base, mut other] = [(); 2].map(|()| measured("fcfs", "naive", |_| 1.0, &[]));
        assert!((row.set)(other.spec.to_mut(), row.example), "{}", row.name);
        let found = varying(&[&base, &other]);
        assert_eq!(found.iter().map(|row| row.name).collect::<Vec<_>>(), [row.name]);
        assert!(prefix(&other, &found, &[]).contains(&row.cell(&other.spec)), "{}", row.name);
    }
}

#[test]
fn lines_without_intervals_still_say_what_is_not_significant() {
    let line = "a: 2.0 % less than b (95 % CI 1.4 to 2.6 %), the next best; jobs wait about as long (0.1 % \
         longer, 95 % CI -0.1 to 0.2 %) and 24.4 % longer than c (95 % CI -5.6 to 54.4 %: not significant)";
    let expected = "a: 2.0 % less than b, the next best; jobs wait about as long (0.1 % longer) and 24.4 % \
         longer than c (not significant)";
    assert_eq!(without_intervals(line), expected);
    assert_eq!(without_intervals("no interval"), "no interval");
}

#[test]
fn plain_sentences_name_what_allocators_do() {
    let wait = |i: usize| 100.0 + (i % 5) as f64;
    let with = |name: &str, numbers: &[(&'static str, f64)]| measured("easy", name, wait, numbers);
    let refusals = ("allocate_failures", 5.0);
    let [contiguous, rounded] = [("contiguous_share", 1.0), ("internal_fragmentation", 0.3)];
    for (numbers, does) in [
        (vec![refusals, contiguous], "waits until a rectangle or cuboid is free for the whole job: "),
        (vec![refusals, ("contiguous_share", 0.5)], "waits until a place is free that fits the job: "),
        (vec![rounded, contiguous], "gives jobs more nodes than they ask for: "),
    ] {
        let found = plain(vec![with("naive", &[]), with("first-fit", &numbers)], DISTANCE).sentences;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with(&format!("first-fit {does}")), "{found:?}");
    }
    let both = [with("first-fit", &[refusals, contiguous]), with("buddy-2d", &[rounded, contiguous])];
    let found = plain(both.into_iter().chain([with("naive", &[])]).collect(), DISTANCE).sentences;
    let begins = "The 2 others wait until a rectangle or cuboid is free for the whole job, or give jobs more";
    assert!(found.iter().any(|sentence| sentence.starts_with(begins)), "{found:?}");
    assert_eq!(plain(vec![with("naive", &[])], DISTANCE).sentences, [""; 0]);
}

#[test]
fn several_groups_are_counted() {
    let mut replays = Vec::new();
    for scheduler in ["fcfs", "easy"] {
        for allocator in ["naive", "random"] {
            replays.push(measured(scheduler, allocator, |i| (i % 5) as f64, &[]));
        }
    }
    let found = plain(replays, DISTANCE).sentences;
    let expected = "Jobs lie closest together under naive and random, about equally, in both comparisons.";
    assert_eq!(found[0], expected);
}
