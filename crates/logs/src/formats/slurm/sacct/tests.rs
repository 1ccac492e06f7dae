//! Tests of the parser of dumps.

use super::*;
use crate::facts::CANCELLED_EARLY;
use crate::names::NameKind;
use crate::record::Record;

const HEADING: &str =
    "JobID|Submit|Start|End|State|NNodes|AllocCPUS|AllocTRES|Timelimit|User|JobName|NodeList";

/// Reads lines below a heading: records, or what is wrong.
fn read(spec: &str, heading: &str, lines: &[&str]) -> Result<(Vec<Record>, Facts), Problem> {
    let mut parser = Sacct::new(&spec.parse().expect("a spec")).expect("parameters");
    let mut records = Vec::new();
    for line in [heading].iter().chain(lines) {
        match parser.parse(line.as_bytes())? {
            Parsed::Record(record, _) => records.push(record),
            Parsed::Several => records.extend(std::iter::from_fn(|| parser.more())),
            Parsed::Part | Parsed::NoJob => {}
        }
    }
    while let Some(record) = parser.finish()? {
        records.push(record);
    }
    Ok((records, parser.facts()))
}

#[test]
fn steps_are_folded_away_and_arrays_and_heterogeneous_jobs_are_kept() -> Result<(), Problem> {
    let times =
        "2024-05-01T10:00:00|2024-05-01T10:01:00|2024-05-01T11:01:00|COMPLETED|2|8||1-00:00:00|anna|x|n[1-2]";
    let waits = "2024-05-01T10:00:00|Unknown|Unknown|PENDING|1|1|||anna|x|None assigned";
    let mut lines = Vec::new();
    for id in ["1", "1.batch", "1.extern", "1.0", "2_4", "2_4.batch", "3+0", "3+0.1", "3+1", "4.interactive"]
    {
        lines.push(format!("{id}|{times}"));
    }
    lines.push(format!("2_[5-9%2]|{waits}"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (records, facts) = read("sacct", HEADING, &lines)?;
    assert_eq!(
        records.iter().map(|record| record.job).collect::<Vec<_>>(),
        [1, 2_000_004, 3_000_000, 3_000_001, 2]
    );
    let first = records[0];
    assert_eq!((first.submit_s, first.wait_s, first.run_s), (1_714_557_600, 60, 3600));
    assert_eq!((first.allocated_procs, first.requested_time_s, first.nodes), (2, 86_400, Some(1)));
    assert_eq!((records[4].run_s, records[4].allocated_procs, records[4].requested_procs), (-1, -1, 1));
    let counts = [("job steps, which are part of their jobs", 6), ("jobs that were still waiting", 1)];
    assert_eq!(facts.counts, counts);
    assert_eq!(facts.names.name(NameKind::Nodes, 1).as_deref(), Some("n[1-2]"));
    assert_eq!((facts.time_zone.as_deref(), facts.has_unix_times), (Some("UTC"), true));
    Ok(())
}

#[test]
fn fields_may_stand_in_any_order_with_a_bar_at_the_end() -> Result<(), Problem> {
    let (records, _) = read(
        "sacct:unit=gpus,time-zone=Europe/Berlin",
        "NodeList|End|AllocTRES|ElapsedRaw|QOS|Submit|JobIDRaw|JobID|TimelimitRaw|",
        &["n1|2024-05-01T13:00:00|cpu=4,gres/gpu=3,node=1|3600|high|2024-05-01T11:00:00|77|70_1|90|"],
    )?;
    let record = records[0];
    assert_eq!((record.job, record.submit_s, record.wait_s, record.run_s), (77, 1_714_554_000, 3600, 3600));
    assert_eq!((record.allocated_procs, record.requested_time_s, record.queue), (3, 5400, 1));
    Ok(())
}

#[test]
fn the_run_time_tells_which_of_two_readings_is_meant() -> Result<(), Problem> {
    let heading = "JobIDRaw|Submit|Start|End|ElapsedRaw|State|NNodes";
    let day = "2024-10-27T";
    // In Berlin 02:00 to 03:00 comes twice. The second start, the first one, the second end.
    for (start, end, elapsed, wait_s, run_s) in [
        ("02:50:00", "03:10:00", 1200, 7200, 1200),
        ("02:50:00", "03:10:00", 4800, 3600, 4800),
        ("02:10:00", "02:40:00", 5400, 1200, 5400),
        // The job was suspended, so that no reading agrees.
        ("02:50:00", "03:10:00", 100, 3600, 4800),
    ] {
        let line = format!("3|{day}01:50:00|{day}{start}|{day}{end}|{elapsed}|COMPLETED|4");
        let (records, _) = read("sacct:time-zone=Europe/Berlin", heading, &[&line])?;
        assert_eq!((records[0].wait_s, records[0].run_s), (wait_s, run_s), "{line}");
    }
    Ok(())
}

#[test]
fn jobs_without_a_start_and_a_run_time_have_not_started() -> Result<(), Problem> {
    let heading = "JobID|Submit|Start|End|Elapsed|State|NNodes|AllocCPUS";
    let submit = "2024-05-01T10:00:00";
    for (rest, expected) in [
        ("None|2024-05-01T10:30:00|00:00:00|CANCELLED by 7|8|0", (-1, 0, -1)),
        ("Unknown|2024-05-01T10:30:00|00:10:00|TIMEOUT|8|8", (1200, 600, 8)),
        // Older versions give a job that was cancelled while it waited a start.
        ("2024-05-01T10:30:00|2024-05-01T10:30:00|00:00:00|CANCELLED by 7|8|0", (-1, 0, -1)),
        ("2024-05-01T10:30:00|2024-05-01T10:30:00|00:00:00|FAILED|8|8", (1800, 0, 8)),
        // A clock was set back while the job ran.
        ("2024-05-01T10:30:00|2024-05-01T10:29:00|00:00:00|NODE_FAIL|8|8", (1800, -1, 8)),
    ] {
        let (records, facts) = read("sacct", heading, &[&format!("2|{submit}|{rest}")])?;
        let record = records[0];
        assert_eq!((record.wait_s, record.run_s, record.allocated_procs), expected, "{rest}");
        let never = facts.counts.iter().any(|(what, _)| *what == "jobs cancelled before they started");
        assert_eq!(never, expected.2 < 0, "{rest}");
        let early = facts.counts.iter().any(|(what, _)| *what == "ends before the start");
        assert_eq!(early, expected.1 < 0, "{rest}");
    }
    let heading = "JobID|Submit|End|Elapsed|State|NNodes";
    let (records, _) =
        read("sacct", heading, &[&format!("2|{submit}|2024-05-01T10:30:00|00:00:00|FAILED|8")])?;
    assert_eq!((records[0].wait_s, records[0].run_s), (1800, 0));
    Ok(())
}

#[test]
fn what_has_the_time_of_the_start_has_its_reading_and_is_counted_once() -> Result<(), Problem> {
    let heading = "JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|State|NNodes";
    let day = "2024-10-27T";
    let line = format!("2|{day}02:50:00|{day}02:50:00|{day}02:50:00|{day}03:10:00|1200|COMPLETED|4");
    for arrival in ["submit", "eligible"] {
        let (records, facts) =
            read(&format!("sacct:time-zone=Europe/Berlin,arrival={arrival}"), heading, &[&line])?;
        assert_eq!((records[0].wait_s, records[0].run_s), (0, 1200));
        let counted = facts.counts.iter().find(|(what, _)| what.contains("clocks are put"));
        assert_eq!(counted.map(|(_, count)| *count), Some(3), "{:?}", facts.counts);
    }
    Ok(())
}

#[test]
fn other_separators_give_the_same_jobs() -> Result<(), Problem> {
    let heading = "JobID|Submit|Start|End|Elapsed|State|JobName|NNodes|AllocTRES";
    let lines = [
        "1|2024-10-27T01:50:00|2024-10-27T02:50:00|2024-10-27T03:10:00|00:20:00|COMPLETED|x|4|cpu=8",
        "1.batch|2024-10-27T01:50:00|2024-10-27T02:50:00|2024-10-27T03:10:00|00:20:00|COMPLETED|batch|1|cpu=8",
        "2_7|2024-10-28T01:50:00|None|2024-10-28T02:10:00|00:00:00|CANCELLED by 7|a \"b\"|4|cpu=8",
        "3+0|2024-10-28T01:50:00|Unknown|Unknown|00:00:00|PENDING|y|4|cpu=8",
        "1.extern|2024-10-28T01:50:00|2024-10-28T01:50:00|2024-10-28T01:40:00|00:01:00|FAILED|z|2|cpu=8",
        "4|2024-10-28T01:50:00|2024-10-28T01:50:00|2024-10-28T01:40:00|00:01:00|FAILED|z|2|cpu=8,node=2",
    ];
    let bars = read("sacct:time-zone=Europe/Berlin", heading, &lines)?;
    assert_eq!(bars.0.len(), 4);
    for separator in ["\t", ";", ","] {
        // Quotes fields with a separator or quotes.
        let quoted = |field: &str| {
            let is_plain = !field.contains(separator) && !field.contains('"');
            if is_plain { field.to_owned() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
        };
        let other = |line: &str| line.split('|').map(quoted).collect::<Vec<_>>().join(separator);
        for end in ["", separator] {
            let heading = other(heading) + end;
            assert!(is_heading(heading.as_bytes()), "{heading}");
            let others: Vec<String> = lines.iter().map(|line| other(line) + end).collect();
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            let found = read("sacct:time-zone=Europe/Berlin", &heading, &others)?;
            assert_eq!((&found.0, &found.1.counts), (&bars.0, &bars.1.counts), "{heading}");
        }
    }
    for (line, message) in [("1,2,3", "3 fields, expected 9"), ("1,2,3,4,5,6,\"7", "column 7 (quoted text)")]
    {
        let problem = read("sacct", &heading.replace('|', ","), &[line]).expect_err(line).to_string();
        assert!(problem.starts_with(message), "{problem}");
    }
    // Commas of a name without quotes belong to it.
    let named = "5,2024-05-01T10:00:00,2024-05-01T10:00:00,2024-05-01T10:00:09,00:00:09,FAILED,a,b,c,3,cpu=8";
    let without_lists = &heading.replace('|', ",").replace("AllocTRES", "AllocCPUS");
    let (records, _) = read("sacct", without_lists, &[named.replace("cpu=", "").as_str()])?;
    assert_eq!((records[0].run_s, records[0].allocated_procs), (9, 3));
    // Field borders are ambiguous next to a list.
    let problem = read("sacct", &heading.replace('|', ","), &[named]).expect_err(named).to_string();
    assert!(problem.contains("sacct -P needs none"), "{problem}");
    Ok(())
}

#[test]
fn separators_at_the_end_of_lines_are_told_from_empty_fields() -> Result<(), Problem> {
    let heading = "JobID|Submit|Start|End|State|NNodes|JobName|Timelimit";
    let times = "2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:00:09|FAILED|3";
    for separator in ["|", ";", ",", "\t"] {
        for [end_of_heading, end] in [["", ""], [separator, separator], ["", separator]] {
            let of = |text: &str, end: &str| text.replace('|', separator) + end;
            let lines = [of(&format!("5|{times}|a|7"), end), of(&format!("6|{times}|a 5|5|"), end)];
            let (records, _) =
                read("sacct", &of(heading, end_of_heading), &lines.each_ref().map(String::as_str))?;
            let found: Vec<_> =
                records.iter().map(|job| (job.allocated_procs, job.requested_time_s)).collect();
            assert_eq!(found, [(3, 420), (3, -1)], "{lines:?}");
        }
    }
    // A list that ends with an empty field is none whose line ends with a comma.
    let problem = read(
        "sacct",
        "JobID,Submit,Start,End,State,NodeList,Reservation",
        &[&format!("5,{},n1,n7,", times.replace("|3", "").replace('|', ","))],
    );
    assert!(problem.expect_err("a list").to_string().contains("sacct -P needs none"));
    Ok(())
}

#[test]
fn numbers_with_a_fraction_are_no_steps_without_jobs() -> Result<(), Problem> {
    let heading = "JobID,Submit,Start,End,State,NNodes";
    let times = "2024-05-01T10:00:00,2024-05-01T10:00:00,2024-05-01T10:00:09,COMPLETED,2";
    let problem = read("sacct", heading, &[&format!("1.0,{times}")]).expect_err("no job").to_string();
    assert!(problem.contains("--input-format table"), "{problem}");
    let (records, _) = read("sacct", heading, &[&format!("1,{times}"), &format!("1.0,{times}")])?;
    assert_eq!(records.len(), 1);
    Ok(())
}

#[test]
fn bars_in_names_of_jobs_do_no_harm() -> Result<(), Problem> {
    for name in ["x", "a|b", "|", "a||b|c"] {
        let line = format!(
            "5|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:00:09|FAILED|3|8|||anna|{name}|n[1-3]"
        );
        let (records, facts) = read("sacct", HEADING, &[&line])?;
        assert_eq!((records[0].run_s, records[0].allocated_procs, records[0].status), (9, 3, 0), "{name}");
        assert_eq!(facts.names.name(NameKind::Nodes, 1).as_deref(), Some("n[1-3]"), "{name}");
    }
    Ok(())
}

#[test]
fn dumps_that_were_put_together_have_several_headings() -> Result<(), Problem> {
    let other = "Submit|JobID|Start|End|NodeList";
    let line = "2024-05-01T10:00:00|9|2024-05-01T10:00:00|2024-05-01T10:00:09|n[1-3]";
    let (records, _) = read("sacct", HEADING, &[other, line, other, line])?;
    assert_eq!((records.len(), records[1].allocated_procs), (2, 3));
    Ok(())
}

#[test]
fn wrong_lines_say_what_was_expected() {
    const GOOD: [&str; 12] = [
        "5",
        "2024-05-01T10:00:00",
        "2024-05-01T10:00:00",
        "2024-05-01T10:00:09",
        "FAILED",
        "3",
        "8",
        "cpu=8",
        "1:00:00",
        "anna",
        "x",
        "n[1-3]",
    ];
    for (column, found, message) in [
        (
            1,
            "five",
            "column 1 (JobID): found 'five', expected the number of a job, such as 123, 123_4 or 123.batch",
        ),
        (1, "", "column 1 (JobID): found '', expected the number of a job"),
        (1, "12x", "column 1 (JobID): found '12x'"),
        (2, "yesterday", "column 2 (Submit): found 'yesterday', expected a time such as 2024-05-01T12:00:00"),
        (3, "2024-05-01T25:00:00", "column 3 (Start): found '2024-05-01T25:00:00'"),
        (4, "2024-02-30T00:00:00", "column 4 (End): found '2024-02-30T00:00:00'"),
        (6, "two", "column 6 (NNodes): found 'two', expected a whole number, such as 48 or 1.5K"),
        (6, "-8", "column 6 (NNodes): found '-8'"),
        (9, "soon", "column 9 (Timelimit): found 'soon', expected a duration"),
    ] {
        let mut fields = GOOD;
        fields[column - 1] = found;
        let problem = read("sacct", HEADING, &[&fields.join("|")]).expect_err(found).to_string();
        assert!(problem.starts_with(message), "{problem}");
    }
    let short = read("sacct", HEADING, &[&GOOD[..4].join("|")]).expect_err("short").to_string();
    assert_eq!(short, "4 fields, expected 12");
    let heading = HEADING.replace("|JobName", "");
    let long = read("sacct", &heading, &[&GOOD.join("|")]).expect_err("long").to_string();
    assert_eq!(long, "column 12 (beyond the heading): found 'n[1-3]', expected the end of the line");
    for spec in ["sacct:unit=sockets", "sacct:time-zone=Mars", "sacct:arrival=soon", "sacct:colour=red"] {
        assert!(Sacct::new(&spec.parse().expect("a spec")).is_err(), "{spec}");
    }
}

/// The numbers of jobs and nodes, and the lines that belong to texts.
fn sizes(heading: &str, lines: &[&str]) -> Result<(Vec<(i64, i64)>, u64), Problem> {
    let (records, facts) = read("sacct", heading, lines)?;
    let text = facts.counts.iter().find(|(what, _)| *what == TEXT_LINES).map_or(0, |row| row.1);
    Ok((records.iter().map(|job| (job.job, job.allocated_procs)).collect(), text))
}

#[test]
fn texts_have_bars_and_line_ends() -> Result<(), Problem> {
    let times = "2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|COMPLETED";
    let heading = "JobID|Submit|Start|End|State|NNodes|SubmitLine";
    // Free text at the end of a line continues on lines without a job.
    let (jobs, text) = sizes(
        heading,
        &[
            &format!("1|{times}|4|srun bash -c \"echo a &&"),
            "echo 7 | wc &&",
            "12|x",
            "a|b|c|d|e|f|g|h",
            "echo b\"",
            &format!("1.0|{times}|4|srun"),
            &format!("2|{times}|8|sbatch x.sh"),
            "tail",
        ],
    )?;
    assert_eq!((jobs, text), (vec![(1, 4), (2, 8)], 5));
    // A text in the middle.
    let heading = "JobID|JobName|Submit|Start|End|State|NNodes|WorkDir";
    let (jobs, text) = sizes(
        heading,
        &[
            &format!("1|a|b|{times}|4|/w"),
            "2|one",
            "two|2",
            &format!("three|{times}|5|/w|x"),
            &format!("3|fit|{times}|6|/w"),
            "rest of the directory",
        ],
    )?;
    assert_eq!((jobs, text), (vec![(1, 4), (2, 5), (3, 6)], 1));
    // Other separators, and quotes.
    let lines = [format!("1,{},4,\"srun \"\"a\"\",", times.replace('|', ",")), "x\"".to_owned()];
    let (jobs, _) =
        sizes("JobID,Submit,Start,End,State,NNodes,SubmitLine", &lines.each_ref().map(String::as_str))?;
    assert_eq!(jobs, [(1, 4)]);
    let line = format!("1^|^{}^|^4^|^a|b^|^c^|^", times.replace('|', "^|^"));
    let (jobs, _) = sizes("JobID^|^Submit^|^Start^|^End^|^State^|^NNodes^|^JobName^|^", &[&line])?;
    assert_eq!(jobs, [(1, 4)]);
    Ok(())
}

#[test]
fn jobs_that_break_off_are_errors_and_hide_no_others() {
    let times = "2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|COMPLETED";
    let heading = "JobID|Submit|Start|End|State|JobName|NNodes|SubmitLine";
    let mut parser = Sacct::new(&"sacct".parse().expect("a spec")).expect("parameters");
    let mut numbers = Vec::new();
    let mut problems = Vec::new();
    for line in [
        heading,
        &format!("1|{times}|a|4|x"),
        &format!("2|{times}|broken"),
        &format!("3|{times}|a|4|x"),
        &format!("4|{times}|a|4|x"),
        &format!("yesterday|{times}|a|4|x"),
        &format!("5|{}|a|4|x", times.replace("2024-05-01T11", "soon")),
        &format!("6|{times}|broken"),
    ] {
        match parser.parse(line.as_bytes()) {
            Ok(Parsed::Record(record, _)) => numbers.push(record.job),
            Ok(Parsed::Several) => numbers.extend(std::iter::from_fn(|| parser.more()).map(|job| job.job)),
            Ok(_) => {}
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    problems.extend(parser.finish().err().map(|problem| problem.to_string()));
    assert_eq!(parser.finish(), Ok(None));
    assert_eq!(numbers, [1, 3, 4]);
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert_eq!((problems[0].as_str(), &problems[3]), ("6 fields, expected 8", &problems[0]));
    assert!(problems[1].contains("'yesterday'") && problems[2].contains("'soon:00:00'"), "{problems:?}");
}

#[test]
fn columns_of_fixed_width_are_cut_by_the_dashes() -> Result<(), Problem> {
    let heading = "       JobID      User              Submit               Start                 End      \
         State   NNodes ";
    let dashes = "------------ --------- ------------------- ------------------- ------------------- \
         ---------- -------- ";
    let lines = [
        dashes,
        "         101      anna 2024-05-01T10:00:00 2024-05-01T10:00:00 2024-05-01T11:00:00  \
             COMPLETED        4 ",
        "   101.batch           2024-05-01T10:00:00 2024-05-01T10:00:00 2024-05-01T11:00:00  \
             COMPLETED        1 ",
        " 1234567_123       bob 2024-05-01T10:10:00 2024-05-01T11:00:00 2024-05-01T11:30:00 \
             CANCELLED+        8 ",
        "1234567_123+           2024-05-01T10:10:00 2024-05-01T11:00:00 2024-05-01T11:30:00 \
             CANCELLED+        8 ",
        "         103       bob 2024-05-01T10:20:00             Unknown 2024-05-01T10:25:00 \
             CANCELLED+        2 ",
    ];
    let (records, facts) = read("sacct", heading, &lines)?;
    let found: Vec<_> = records.iter().map(|job| (job.job, job.allocated_procs, job.user)).collect();
    assert_eq!(found, [(101, 4, 1), (1_234_567_000_123, 8, 2), (103, -1, 2)]);
    assert_eq!(facts.counts, [("job steps, which are part of their jobs", 2), (CANCELLED_EARLY, 1)]);
    let cut = lines[3].replace(" 1234567_123", "2345678_123+");
    let problem = read("sacct", heading, &[dashes, &cut]).expect_err("a number that is cut off").to_string();
    assert!(problem.contains("not cut off: sacct -P"), "{problem}");
    Ok(())
}

#[test]
fn numbers_that_are_not_needed_may_be_odd() -> Result<(), Problem> {
    let line = "1|2015-12-09T00:36:57|2015-12-09T00:37:00|2015-12-10T00:00:06|COMPLETED|1|16?|cpu=16?";
    let heading = "JobID|Submit|Start|End|State|NNodes|AllocCPUS|AllocTRES";
    assert_eq!(read("sacct", heading, &[line])?.0[0].allocated_procs, 1);
    let problem = read("sacct:unit=cpus", heading, &[line]).expect_err("no number").to_string();
    assert!(problem.starts_with("column 7 (AllocCPUS): found '16?'"), "{problem}");
    let relative = line.replace("2015-12-09T00:37:00", "Ystday 10:00");
    let problem = read("sacct", heading, &[&relative]).expect_err("no time").to_string();
    assert!(problem.contains("SLURM_TIME_FORMAT=standard"), "{problem}");
    Ok(())
}

#[test]
fn line_ends_in_names_of_jobs_lose_no_job() -> Result<(), Problem> {
    let times = "2026-06-15T09:50:12|2026-06-15T09:50:12|2026-06-15T09:59:38|TIMEOUT";
    let heading = "JobIDRaw|JobName|AllocTRES|Submit|Start|End|State|Account|Comment|User|QOS";
    let rest =
        |nodes: i64| format!("lines | 7|billing=1,node={nodes}|{times}|chem lab||say \"hi\"|long queue");
    let (jobs, text) = sizes(heading, &["269|two", &rest(1), "270|two", &rest(5)])?;
    assert_eq!((jobs, text), (vec![(269, 1), (270, 5)], 0));
    // With another separator, and texts at the end of lines, too.
    let other = |text: &str| text.replace('|', "^|^");
    let heading = other("JobID|User|State|Submit|Start|End|Account|JobName|NNodes|Comment|");
    let job = |id: i64| other(&format!("{id}|a;b|COMPLETED|{}|chem lab|two", &times[..59]));
    let lines = [
        job(1088) + "^|^4^|^see a|b^|^",
        job(1096),
        "lines | 7^|^5^|^see a|b|c^|^".to_owned(),
        job(1097) + " words^|^6^|^x",
        "y^|^".to_owned(),
        job(1098) + "^|^7^|^^|^",
    ];
    let (jobs, _) = sizes(&heading, &lines.each_ref().map(String::as_str))?;
    assert_eq!(jobs, [(1088, 4), (1096, 5), (1097, 6), (1098, 7)]);
    // The name comes first.
    for separator in ["|", ";", "\t", "^|^"] {
        let is_quoted = matches!(separator, ";" | "\t");
        let of = |text: &str| text.replace('|', separator);
        let name = if is_quoted { "\"two\nlines\"" } else { "two\nlines" };
        let text = [
            of("JobName|User|JobID|Submit|Start|End|State|NNodes"),
            of(&format!("one|anna|1|{times}|4")),
            format!("{name}{}", of(&format!("|anna|2|{times}|5"))),
            of(&format!("three|anna|3|{times}|6")),
        ]
        .join("\n");
        let lines: Vec<&str> = text.lines().collect();
        let (jobs, _) = sizes(lines[0], &lines[1..])?;
        assert_eq!(jobs, [(1, 4), (2, 5), (3, 6)], "{separator:?}");
    }
    Ok(())
}

#[test]
fn a_second_heading_begins_with_any_column() -> Result<(), Problem> {
    for heading in ["User|JobID|Submit|Start|End|State|NNodes", "NNodes\tJobIDRaw\tSubmit\tStart\tEnd\tState"]
    {
        let line = if heading.contains('|') {
            "anna|7|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|COMPLETED|4"
        } else {
            "4\t7\t2024-05-01T10:00:00\t2024-05-01T10:00:00\t2024-05-01T11:00:00\tCOMPLETED"
        };
        assert_eq!(sizes(heading, &[line, heading, line])?.0, [(7, 4), (7, 4)]);
    }
    let heading = "JobIDRaw^|^Start^|^User^|^AllocCPUS^|^Submit^|^State^|^End^|^";
    assert!(is_heading(heading.as_bytes()));
    let problem = read("sacct", heading, &[]).expect_err("no nodes").to_string();
    assert!(problem.starts_with("the heading has no NNodes"), "{problem}");
    Ok(())
}

#[test]
fn a_line_that_is_a_job_or_the_rest_of_a_text_is_refused() {
    let times = "2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:10:00|COMPLETED";
    // The user is `bert` or `lines `.
    let lines = ["bert|two", &format!("lines | 7|{times}|8|4")];
    let problem = read("sacct", "User|JobName|Submit|Start|End|State|JobID|NNodes", &lines);
    let problem = problem.expect_err("two readings").to_string();
    assert!(problem.contains("either a job or the rest of the text above"), "{problem}");
}

#[test]
fn lines_of_jobs_are_no_texts_of_others() {
    let times = "2024-05-01T10:00:00|2024-05-01T10:01:00|2024-05-01T11:01:00|COMPLETED|2";
    // The heading has more columns than the lines, or a quote is not closed.
    for (heading, end, separator) in [
        ("JobID|Submit|Start|End|State|NNodes|SubmitLine|||", "a | b", "|"),
        ("JobID|Submit|Start|End|State|NNodes", "\"a|b", ","),
    ] {
        let lines: Vec<String> =
            (1..9).map(|job| format!("{job}|{times}|{end}").replace('|', separator)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert!(read("sacct", &heading.replace('|', separator), &lines).is_err(), "{heading}");
    }
}

#[test]
fn a_damaged_job_of_several_lines_takes_no_times_of_the_next_one() {
    let heading = "JobID|SubmitLine|Submit|Start|End|State|NNodes|Comment";
    let job = |job: u32, quote: &str| {
        let times = format!("2024-05-01T10:0{job}:00|2024-05-01T10:0{job}{quote}05|2024-05-01T11:01:00");
        [format!("{job}|sbatch x \\"), format!("--y|{times}|COMPLETED|2|tee")]
    };
    let lines = |quote: &str| [job(1, ":"), job(2, quote), job(3, ":")].concat();
    let of = |lines: &[String]| sizes(heading, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(of(&lines(":")).expect("sound lines").0, [(1, 2), (2, 2), (3, 2)]);
    assert!(of(&lines("\"")).is_err());
    // Sound texts of more than a thousand lines are read.
    let text = vec!["x".to_owned(); 1500];
    let long = [job(1, ":").to_vec(), vec!["2|sbatch".to_owned()], text, job(2, ":")[1..].to_vec()].concat();
    assert_eq!(of(&long).expect("a long text").0, [(1, 2), (2, 2)]);
}

/// Splitting all lines again for each of them would take minutes.
#[test]
fn texts_of_many_lines_take_linear_time() {
    let times = "2024-05-01T10:00:00,2024-05-01T10:01:00,2024-05-01T11:01:00,COMPLETED,2";
    for (heading, first, line) in [
        ("JobID,Submit,Start,End,State,NNodes,SubmitLine", &*format!("1,{times},\"sbatch a"), "x"),
        ("JobID|SubmitLine|Comment|Submit|Start|End|State|NNodes", "1|sbatch a", "x | y"),
        ("JobID|SubmitLine|Comment|WorkDir|Submit|Start|End|State|NNodes", "1|sbatch a", "x | y | z | a | b"),
    ] {
        let lines: Vec<&str> = std::iter::once(first).chain(std::iter::repeat_n(line, 100_000)).collect();
        assert!(read("sacct", heading, &lines).is_err(), "{heading}");
    }
}
