//! Tests of rows of tables.

use super::super::{COLUMNS, TABLE};
use super::*;
use crate::facts::{EARLY_STARTS, Facts};
use crate::formats::format::LineParser;
use meshreplay_base::spec::Spec;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn parser(spec: &str) -> Box<dyn LineParser> {
    let spec: Spec = spec.parse().expect("a spec");
    let format = [COLUMNS, TABLE].into_iter().find(|format| format.name == spec.name).expect("a table");
    (format.parser)(&spec).expect("a parser")
}

fn read(spec: &str, lines: &str) -> Result<(Vec<Record>, Facts), Problem> {
    let (mut parser, mut records) = (parser(spec), Vec::new());
    for line in lines.lines() {
        if let Parsed::Record(record, _) = parser.parse(line.as_bytes())? {
            records.push(record);
        }
    }
    records.extend(parser.finish()?);
    Ok((records, parser.facts()))
}

#[test]
fn columns_become_fields_and_names_numbers() -> Outcome {
    let lines = "10 4 anna 2.5 rest\n\t11.4\t8 bert 9\n12 1 anna 3\n13 1 7 3\n14 1 -1 3\n";
    let (records, facts) = read("columns:procs=2,submit=1,run=4,user=3", lines)?;
    let [first, second, ..] = records.as_slice() else { return Err("five records".into()) };
    let known = (first.job, first.submit_s, first.allocated_procs, first.run_s, first.queue);
    assert_eq!(known, (1, 10, 4, 3, -1));
    assert_eq!((second.job, second.submit_s), (2, 11));
    assert_eq!(records.iter().map(|record| record.user).collect::<Vec<_>>(), [1, 2, 1, 3, -1]);
    assert_eq!(facts.names.of(NameKind::User).collect::<Vec<_>>(), ["anna", "bert", "7"]);
    assert!(!facts.has_unix_times);
    Ok(())
}

#[test]
fn jobs_bring_their_sides() -> Outcome {
    let of = |token: &str| read("columns:procs=2,submit=1,run=3,shape=4", &format!("0 32 10 {token}"));
    for (token, sides) in [
        ("4x4x2", Some([4, 4, 2])),
        ("8x4", Some([8, 4, 1])),
        ("7", Some([7, 1, 1])),
        ("-", None),
        ("-1", None),
    ] {
        assert_eq!(of(token)?.0[0].sides, sides, "{token}");
    }
    for (token, message) in [
        ("4y4", "field 4 (shape): found '4y4', expected sides such as 4x4x2"),
        ("4x0", "field 4 (shape): found '4x0', expected sides such as 4x4x2"),
        ("1x1x1x1", "field 4 (shape): found '1x1x1x1', expected sides such as 4x4x2"),
        ("", "3 fields, expected 4"),
    ] {
        let problem = of(token).expect_err(token).to_string();
        assert!(problem.starts_with(message), "{problem}");
    }
    Ok(())
}

#[test]
fn wrong_lines_say_what_was_expected() {
    let problem = |spec: &str, lines: &str| read(spec, lines).expect_err("malformed").to_string();
    assert_eq!(problem("columns:submit=1,run=2,procs=3", "1 2"), "2 fields, expected 3");
    let message = problem("columns:submit=1,run=2,procs=3", "1 x 2");
    assert!(message.starts_with("field 2 (run time): found 'x', expected a number"), "{message}");
    let message = problem("table", "Submit,Start,End,Nodes\n2024-05-01,2024-05-01,yesterday,4");
    assert!(
        message.starts_with("column 3 (End): found 'yesterday', expected a time such as 2024"),
        "{message}"
    );
    let message = problem("table:run=3", "Submit,Nodes,R\n2024-05-01,4,10:30");
    assert!(message.contains("found '10:30', expected hours, minutes and seconds"), "{message}");
    let message = problem("table", "Submit,Start,End,Nodes\n2024-05-01,\"2024-05-01,x,4");
    assert!(message.contains("expected a closing quote"), "{message}");
}

#[test]
fn headings_tell_where_the_fields_are() -> Outcome {
    let lines = "Job ID;Submit Time;Start Time;End Time;Nodes;User;State;Node List\n\
                 17_3;2024-05-01 12:00:00;2024-05-01 12:10:00.4;2024-05-01T13:10:00;4;anna;COMPLETED;n[1-4]\n\
                 18;2024-05-01 12:00:01;Unknown;Unknown;2;bert;CANCELLED by 7;None\n\
                 19;2024-05-01 12:00:05;2024-05-01 12:00:04;2024-05-01 12:00:03;1;anna;odd;n1\n";
    let (records, facts) = read("table", lines)?;
    let a = Record {
        job: 17_000_003,
        submit_s: 1_714_564_800,
        wait_s: 600,
        run_s: 3600,
        allocated_procs: 4,
        status: 1,
        user: 1,
        nodes: Some(1),
        ..Record::UNKNOWN
    };
    let b = Record {
        job: 18,
        submit_s: 1_714_564_801,
        allocated_procs: 2,
        status: 5,
        user: 2,
        ..Record::UNKNOWN
    };
    let c = Record {
        job: 19,
        submit_s: 1_714_564_804,
        wait_s: 0,
        allocated_procs: 1,
        user: 1,
        nodes: Some(2),
        ..Record::UNKNOWN
    };
    assert_eq!(records, [a, b, c]);
    assert!(facts.has_unix_times);
    assert_eq!(facts.time_zone.as_deref(), Some("UTC"));
    let counts = [
        ("times rounded to seconds", 1),
        (EARLY_STARTS, 1),
        ("ends before the start", 1),
        ("unknown words for how a job ended", 1),
        ("jobs without a start, which never started", 1),
    ];
    assert_eq!(facts.counts, counts);
    assert!(facts.notes[1].contains("submit=Submit Time,procs=Nodes"), "{:?}", facts.notes);
    Ok(())
}

#[test]
fn what_is_told_goes_before_what_the_heading_tells() -> Outcome {
    let lines = "id,Submit,arrived,cpus,nodes,elapsed_min\na,99,5,64,NONE,2\nb,99,7,32,1,1.5\n";
    let (records, facts) = read("table:submit=Arrived,procs=4,run=6,missing=NONE", lines)?;
    let found: Vec<_> =
        records.iter().map(|job| (job.job, job.submit_s, job.allocated_procs, job.run_s)).collect();
    assert!(facts.notes.iter().all(|note| !note.contains("UTC")));
    assert_eq!(found, [(1, 5, 64, 120), (2, 7, 32, 90)]);
    assert!(facts.notes.concat().contains("run=elapsed_min:minutes"), "{:?}", facts.notes);
    for (spec, lines, expected) in [
        ("table:submit=Arrived,procs=4,run=6", lines.replace("_min", "_minutes"), [120, 90]),
        ("table:submit=Arrived,procs=4,run=6:hours", lines.to_owned(), [7200, 5400]),
        ("table:submit=Arrived,procs=4,run=elapsed_min:seconds", lines.to_owned(), [2, 2]),
    ] {
        let (records, _) = read(spec, &lines)?;
        assert_eq!(records.iter().map(|job| job.run_s).collect::<Vec<_>>(), expected, "{spec}");
    }
    Ok(())
}

#[test]
fn quoted_cells_may_have_delimiters_and_lines() -> Outcome {
    let lines = "# a comment\nsubmit,run,procs,jobname\n0,5,1,\"a,\"\"b\"\"\nc\"\n# late\n1,5,1,d\n";
    let problem = read("table:app=4", lines).expect_err("a text over lines").to_string();
    assert!(problem.starts_with("column 4 (quoted text): found '\"a,"), "{problem}");
    let (records, facts) = read("table:app=4,quoted-newlines=yes", lines)?;
    assert_eq!(facts.counts, [("jobs with quoted text over several lines", 1)]);
    assert_eq!(
        records.iter().map(|job| (job.submit_s, job.executable)).collect::<Vec<_>>(),
        [(0, 1), (1, 2)]
    );
    assert_eq!(facts.names.of(NameKind::Executable).collect::<Vec<_>>(), ["a,\"b\"\nc", "d"]);
    Ok(())
}

#[test]
fn numbers_need_no_heading_and_skip_one() -> Outcome {
    for (spec, lines) in [
        ("table:submit=1,start=2,end=3,procs=4", "0,5,9,2\n1,6,9,2\n"),
        ("table:submit=1,start=2,end=3,procs=4", "s|a|e|p\n0|5|9|2\n1|6|9|2\n"),
        ("table:submit=1,start=2,end=3,procs=4,header=yes", "0 1 2 3\n0 5 9 2\n1 6 9 2\n"),
        ("columns:submit=1,wait=2,run=3,procs=4", "0 5 4 2\n1 5 3 2\n"),
        ("columns:submit=1,wait=2,run=3,procs=4", "s,w,r,p\n0,5,4,2\n1,5,3,2\n"),
    ] {
        let (records, _) = read(spec, lines)?;
        let found: Vec<_> = records.iter().map(|job| (job.submit_s, job.wait_s, job.run_s)).collect();
        assert_eq!(found, [(0, 5, 4), (1, 5, 3)], "{spec}: {lines}");
    }
    Ok(())
}

#[test]
fn unknown_headings_show_the_columns_and_the_argument() {
    let message = read("table", "when,begin_at,size_of\n").expect_err("unknown").to_string();
    assert!(
        message.starts_with(
            "no column is known to hold a submit time (submit); the columns are 1 'when', 2 'begin_at', 3 \
             'size_of'; say what they hold by name or number: --columns \
             submit=COLUMN,start=COLUMN,end=COLUMN,procs=COLUMN"
        ),
        "{message}"
    );
    let message = read("table", "Submit,Start,End,P\n").expect_err("unknown").to_string();
    assert!(message.contains("--columns submit=Submit,start=Start,end=End,procs=COLUMN"), "{message}");
    let message = read("table:submit=When", "Submit,Start,End,P\n").expect_err("unknown").to_string();
    assert!(message.starts_with("no column is named 'When'; the columns are 'Submit', 'Start'"), "{message}");
}

#[test]
fn instants_of_zero_and_of_other_beginnings_are_no_times() -> Outcome {
    let lines = "submit,start,end,procs\n1620000150,0,1620000900,4\n1620000300,1620000300,0,1\n\
                 2021-05-01 10:00:00,1970-01-01 01:00:00,,2\n";
    let (records, facts) = read("table", lines)?;
    let found: Vec<_> = records.iter().map(|job| (job.submit_s, job.wait_s, job.run_s)).collect();
    assert_eq!(found, [(1_620_000_150, -1, -1), (1_620_000_300, 0, -1), (1_619_863_200, -1, -1)]);
    let counts =
        [("jobs without a start, which never started", 2), ("jobs without an end, which had not ended", 1)];
    assert_eq!(facts.counts, counts);
    // In a log that counts from 0, 0 is an instant.
    let (records, _) = read("table", "submit,start,end,procs\n0,0,60,4\n")?;
    assert_eq!((records[0].wait_s, records[0].run_s), (0, 60));
    for lines in ["100,1700000500,1700002500,2", "2024-05-01,600,2024-05-02,2", "1700000000,1700000000,600,2"]
    {
        let problem = read("table", &format!("submit,start,end,procs\n{lines}\n")).expect_err("mixed");
        assert!(matches!(problem, Problem::Rule(_)), "{lines}: {problem}");
    }
    Ok(())
}

#[test]
fn the_job_table_of_slurmdbd_has_numbers_of_slurm() -> Outcome {
    let lines = "id_job,nodes_alloc,cpus_req,nodelist,state,timelimit,time_submit,time_start,time_end\n\
                 101,2,80,n[1-2],3,120,1620000000,1620000060,1620003660\n\
                 102,4,160,n[3-6],5,60,1620000100,1620000200,1620002000\n\
                 103,0,40,None assigned,4,4294967295,1620000150,0,1620000900\n";
    let (records, _) = read("table", lines)?;
    let found: Vec<_> = records
        .iter()
        .map(|job| (job.job, job.allocated_procs, job.requested_procs, job.status, job.requested_time_s))
        .collect();
    assert_eq!(found, [(101, 2, -1, 1, 7200), (102, 4, -1, 0, 3600), (103, 0, -1, 5, -1)]);
    Ok(())
}
