//! Events of made-up replays, each with one defect.

use super::*;

/// An observer that ignores events.
struct Nothing;

impl Observer for Nothing {
    fn allocated(&mut self, _: JobId, _: Option<Placed<'_>>, _: u64) {}
    fn released(&mut self, _: u64) {}
}

/// An event of a made-up replay.
enum Event {
    Takes(JobId, &'static [NodeId], i64),
    Gives(&'static [NodeId], i64),
    Down(NodeId),
    Killed(JobId),
    /// The next job leaves: submission, start and end, processors and nodes.
    Leaves([i64; 3], u32, u32),
}
use Event::{Down, Gives, Killed, Leaves, Takes};

/// Returns the first violation of these events, in words, or an empty text. The machine is an array of six
/// nodes; node 5 is unavailable. Jobs have the numbers 10, 11 and so on.
fn first(events: &[Event]) -> String {
    let mesh = Mesh::new(&[6]).expect("a machine").without(&[(5, 5)]).expect("five nodes are left");
    let (at, stop, mut nothing) = (Time::from_seconds, Stop::default(), Nothing);
    let mut watch = LiveAudit::new(&mesh, &mut nothing, stop.clone());
    let mut number = 9;
    for event in events {
        match *event {
            Takes(job, nodes, now) => watch.occupied(job, nodes, at(now)),
            Gives(nodes, now) => watch.vacated(nodes, at(now)),
            Down(node) => watch.changed(node, true, at(0)),
            Killed(job) => watch.killed(job, 0, at(0), at(0)),
            Leaves([submit, start, end], procs, allocated) => {
                number += 1;
                let job = Job { number, submit: at(submit), procs, ..Job::default() };
                let record = Record { start: at(start), end: at(end), allocated, ..Record::default() };
                watch.on_job_final(&job, &record, None);
            }
        }
    }
    let found = watch.finish().err().unwrap_or_default();
    if found.contains("job 1") {
        assert_eq!(stop.reason(), Some(found.as_str()));
    }
    found.trim_start_matches("the audit finds that the replay is wrong: ").to_owned()
}

#[test]
fn every_broken_rule_is_named() {
    for (events, expected) in [
        (
            vec![
                Takes(0, &[0, 1], 1),
                Takes(1, &[1], 2),
                Gives(&[0], 3),
                Leaves([0, 1, 3], 2, 2),
                Leaves([0, 2, 3], 1, 1),
            ],
            "at 2 s, job 11 (row 2) takes node 1, which the job of row 1 holds; expected a free node",
        ),
        (
            vec![Takes(0, &[0, 0], 1), Leaves([0, 1, 3], 2, 2)],
            "at 1 s, job 10 (row 1) takes node 0 twice; expected a free node",
        ),
        (
            vec![Takes(0, &[5], 1), Leaves([0, 1, 3], 1, 1)],
            "at 1 s, job 10 (row 1) takes node 5, which is unavailable; expected a free node",
        ),
        (
            vec![Takes(0, &[6], 1), Leaves([0, 1, 3], 1, 1)],
            "at 1 s, job 10 (row 1) holds node 6, which is outside of the machine; expected a free node",
        ),
        (
            vec![Down(2), Takes(0, &[2], 1), Leaves([0, 1, 3], 1, 1)],
            "at 1 s, job 10 (row 1) takes node 2, which is down; expected a free node",
        ),
        (
            vec![Takes(0, &[0, 1], 1), Gives(&[0], 3), Leaves([0, 1, 3], 2, 2)],
            "at 3 s, job 10 (row 1) gives 1 of its 2 nodes back; expected all of them",
        ),
        (
            vec![Takes(0, &[0], 1), Gives(&[0, 1], 3), Leaves([0, 1, 3], 1, 1)],
            "at 3 s, job 10 (row 1) gives node 1 back, which it does not hold; expected its own nodes",
        ),
        (
            vec![Takes(0, &[0], 1), Gives(&[0], 3), Leaves([2, 1, 3], 1, 1)],
            "at 1 s, job 10 (row 1) starts before it arrives; expected 2 s or later",
        ),
        (
            vec![Takes(0, &[0], 4), Gives(&[0], 3), Leaves([0, 4, 3], 1, 1)],
            "at 4 s, job 10 (row 1) ends before it starts, at 3 s; expected a later end",
        ),
        (
            vec![Takes(0, &[0], 1), Gives(&[0], 3), Leaves([0, 1, 3], 2, 1)],
            "at 1 s, job 10 (row 1) has a placement of 1 node; expected 2, which it asks for",
        ),
        (
            vec![Takes(0, &[0], 1), Gives(&[0], 3), Leaves([0, 1, 3], 2, 2)],
            "at 1 s, job 10 (row 1) has a placement of 1 node; expected 2, which it is said to hold",
        ),
        (
            vec![Takes(0, &[0], 1), Gives(&[0], 3), Leaves([0, 2, 3], 1, 1)],
            "at 2 s, job 10 (row 1) gets its nodes at 1 s; expected them at its start",
        ),
        (
            vec![Takes(0, &[0], 1), Gives(&[0], 3), Leaves([0, 1, 4], 1, 1)],
            "at 4 s, job 10 (row 1) gives its nodes back at 3 s; expected them at its end",
        ),
    ] {
        assert_eq!(first(&events), expected);
    }
}

#[test]
fn jobs_run_once_and_give_everything_back() {
    let late =
        [Takes(0, &[0], 1), Gives(&[0], 3), Leaves([0, 1, 3], 1, 1), Takes(0, &[0], 4), Gives(&[0], 5)];
    assert!(first(&late).contains("starts after its end; expected one run"));
    assert!(first(&[Takes(0, &[0], 1)]).contains("the job of row 1 still holds node 0 at the end"));
    assert!(
        first(&[Leaves([0, 1, 3], 0, 0)]).contains("has no nodes at its end; expected a start and an end")
    );
}

/// No job is blamed, not even that of row 1.
#[test]
fn nodes_that_nobody_holds_are_given_back_by_nobody() {
    // Node 3 is free, 5 is unavailable and 6 does not exist.
    for nodes in [&[3][..], &[5], &[6]] {
        let said =
            format!("at 2 s, node {} is given back, which no job holds; expected nodes of a job", nodes[0]);
        assert_eq!(first(&[Takes(0, &[0], 1), Gives(nodes, 2)]), said);
    }
}

#[test]
fn moves_and_runs_of_killed_jobs_are_no_violation() {
    let again = [
        Takes(0, &[0, 1], 1),
        Gives(&[0, 1], 2),
        Killed(0),
        Takes(1, &[0, 4], 2),
        Gives(&[0, 4], 6),
        Takes(0, &[1, 2], 6),
        Gives(&[1, 2], 6),
        Leaves([0, 6, 6], 2, 2),
        Leaves([0, 2, 6], 1, 2),
    ];
    assert_eq!(first(&again), "");
    let moved = [
        Takes(0, &[0, 1], 1),
        Gives(&[0, 1], 2),
        Takes(0, &[3, 4], 2),
        Gives(&[3, 4], 9),
        Leaves([0, 1, 9], 2, 2),
    ];
    assert_eq!(first(&moved), "");
}
