//! Missing, repeated or odd information in logs, results and arguments gives a note or an error.

use std::error::Error;
use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, bundled, run, wrong};

/// A dump of two jobs in the night when clocks are put forward.
const DUMP: &str = "JobIDRaw|User|Submit|Start|End|State|NNodes|AllocCPUS\n\
                    1|1001|2024-03-31T00:30:00|2024-03-31T00:30:00|2024-03-31T03:30:00|COMPLETED|4|8\n\
                    2|O'Brien|2024-03-31T00:40:00|2024-03-31T04:30:00|2024-03-31T05:30:00|COMPLETED|4|8\n";

fn fine(at: &Path, arguments: &str) -> Result<Ran, Box<dyn Error>> {
    let ran = run(at, arguments)?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}{}", ran.stdout, ran.stderr);
    Ok(ran)
}

#[test]
fn the_arguments_for_logs_reach_those_that_are_compared() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("dst.sacct"), DUMP)?;
    for (name, arguments) in [
        ("nodes.swf", "--time-zone Europe/Berlin"),
        ("cpus.swf", "--unit cpus --time-zone Europe/Berlin"),
        ("spec.swf", "--input-format sacct:time-zone=Europe/Berlin"),
    ] {
        fine(at, &format!("trace convert dst.sacct {name} {arguments}"))?;
        let ran = fine(at, &format!("compare dst.sacct {name} {arguments}"))?;
        assert!(ran.stdout.contains("are equal: 2 jobs") && !ran.stderr.contains("UTC"), "{}", ran.stderr);
    }
    // Options for logs do not affect directories of results.
    fine(at, "replay nodes.swf -m 4x4 -s recorded -a naive --no-timing -q -o out")?;
    fine(at, "audit out --time-zone UTC")?;
    fine(at, "compare out dst.sacct --times-only --time-zone Europe/Berlin")?;
    // An option that applies to none of the files is an error.
    for arguments in ["audit nodes.swf -m 4x4", "compare nodes.swf cpus.swf"] {
        for (given, message) in
            [("--unit gpus", "'swf' has no parameter 'unit'"), ("--input-format sacct", "JobID")]
        {
            let ran = run(at, &format!("{arguments} {given}"))?;
            assert!(
                ran.code != Some(0) && ran.stderr.contains(message),
                "{arguments} {given}: {}",
                ran.stderr
            );
        }
    }
    // `--columns` and `--input-format` apply to tables in `audit`, too.
    fs::write(at.join("t.csv"), "id,submit,start,end,nodes\n1,100,200,300,4\n")?;
    for given in ["--columns submit=2,start=3,end=4,procs=5", "--input-format table"] {
        fine(at, &format!("audit t.csv {given} -m 4x4"))?;
    }
    Ok(())
}

#[test]
fn names_are_the_same_in_a_converted_log() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("dst.sacct"), DUMP)?;
    fine(at, "trace convert dst.sacct kept.swf --time-zone UTC --keep-names")?;
    for log in ["dst.sacct", "kept.swf"] {
        fine(
            at,
            &format!("replay {log} -m 4x4 -s fcfs -a naive --time-zone UTC --no-timing -q --force -o out"),
        )?;
        let table = fine(at, "table out --by user --columns jobs --format csv")?.stdout;
        assert!(table.contains("\n1001,1") && table.contains("\nO'Brien,1"), "{log}: {table}");
    }
    Ok(())
}

/// Partitions are chosen by name or number. Here the names 1 and 2 are also numbers of the other partition.
#[test]
fn partitions_of_a_converted_log_keep_their_jobs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let jobs = "1,100,200,300,4,2\n2,100,300,400,3,1\n3,100,500,600,3,1\n";
    fs::write(at.join("p.csv"), format!("id,submit,start,end,nodes,partition\n{jobs}"))?;
    fine(at, "trace convert p.csv p.swf --keep-names")?;
    let each =
        fine(at, "replay p.swf -m 4x4 -a naive --no-timing -q --partition each --columns jobs")?.stdout;
    let rows: Vec<Vec<&str>> = each.lines().map(|line| line.split_whitespace().take(3).collect()).collect();
    assert!(rows.ends_with(&[vec!["1", "naive", "1"], vec!["2", "naive", "2"]]), "{each}");
    for number in [1, 2] {
        let one = fine(
            at,
            &format!("replay p.swf -m 4x4 -a naive --no-timing -q --partition {number} --columns jobs"),
        )?;
        // The first partition of the log has name 2 and number 1.
        assert_eq!(one.stdout.split_whitespace().last(), Some(number.to_string().as_str()), "{}", one.stdout);
    }
    Ok(())
}

#[test]
fn two_logs_of_one_name_are_refused() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for folder in ["a", "b"] {
        fs::create_dir(at.join(folder))?;
        fs::copy(bundled("tiny.swf"), at.join(folder).join("tiny.swf"))?;
    }
    let said = wrong(at, 2, "replay a/tiny.swf b/tiny.swf -m 4x4 -a naive -q -o out")?;
    let expected = "'a/tiny.swf' and 'b/tiny.swf' would both be called 'tiny' in results; rename the file of \
         one, or leave one out";
    assert!(said.contains(expected) && !at.join("out").exists(), "{said}");
    // The same log given twice is one log.
    fine(at, "replay a/tiny.swf a/tiny.swf -m 4x4 -a naive -q")?;
    Ok(())
}

#[test]
fn the_machine_of_a_log_has_room_for_each_of_its_jobs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let job = |number: u8, wait_s: i8, run_s: u8, procs: u8| {
        format!("{number} 0 {wait_s} {run_s} {procs} -1 -1 {procs} 10 -1 1 1 1 1 1 1 -1 -1\n")
    };
    fs::write(at.join("zero.swf"), job(1, 0, 10, 4) + &job(2, 0, 0, 16))?;
    fs::write(at.join("unknown.swf"), job(1, 0, 10, 4) + &job(2, -1, 10, 16))?;
    // A job of 0 s says nothing about the size.
    let zero = run(at, "replay zero.swf -m auto:1d -s recorded -a naive --no-timing")?;
    let told = "the size of its machine is not known: its jobs had up to 4 processors in use at once, for 10 \
                s, and the largest has 16; give the machine, such as 16x16";
    assert!(zero.code == Some(1) && zero.stderr.contains(told), "{}", zero.stderr);
    // Jobs that were cancelled while waiting had no nodes.
    let head = "JobIDRaw|User|Submit|Start|End|State|NNodes|AllocCPUS\n\
                1|a|2024-03-01T00:00:00|2024-03-01T00:00:00|2024-03-01T09:00:00|COMPLETED|16|16\n";
    let hours = "2024-03-01T01:00:00|2024-03-01T05:00:00|2024-03-01T05:00:00";
    let cancelled = (2..102).map(|job| format!("{job}|a|{hours}|CANCELLED by 1001|8|0\n"));
    let dump = head.to_owned() + &cancelled.collect::<String>();
    fs::write(at.join("cancelled.sacct"), dump)?;
    fine(at, "trace convert cancelled.sacct cancelled.swf --time-zone UTC")?;
    for log in ["cancelled.sacct", "cancelled.swf"] {
        let said =
            fine(at, &format!("replay {log} -m auto:1d -s fcfs -a naive --no-timing --time-zone UTC"))?
                .stderr;
        assert!(said.contains("machine 'auto:1d' is 16, for"), "{log}: {said}");
    }
    let unknown = fine(at, "replay unknown.swf -m auto:1d -a naive --no-timing")?;
    let told = "is 20, for the 20 processors that its jobs fill and hardly ever exceed; 1 job without a \
                recorded start counts from the submission on\n";
    assert!(unknown.stderr.contains(told), "{}", unknown.stderr);
    // `1,024` is not a number, and it is not read as 1.
    fs::write(at.join("comma.swf"), format!("; MaxProcs: 1,024\n{}", job(1, 0, 10, 3)))?;
    let comma = fine(at, "replay comma.swf -m auto:1d -a naive --no-timing")?;
    assert!(
        comma.stderr.contains("is 3, for the 3")
            && comma.stderr.contains("has no number MaxProcs or MaxNodes")
    );
    let validated = fine(at, "trace validate comma.swf")?.stdout;
    assert!(validated.contains("no number MaxProcs or MaxNodes in the header"), "{validated}");
    Ok(())
}

#[test]
fn tables_say_what_they_lack_and_what_they_have_twice() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("lacks.csv"), "id,submit,start,end,nodes\n1,100,200,300,4\n3,,100,200,4\n")?;
    let said = fine(at, "replay lacks.csv -m 4x4 -s fcfs -a naive --no-timing")?.stderr;
    assert!(said.contains("jobs without a submit time, for which their start stands: 1"), "{said}");
    assert!(!said.contains("no column holds submit times"), "{said}");
    fs::write(at.join("parts.csv"), "id,submit,start,end,nodes\n1,100,200,300,4.5\n")?;
    let said = fine(at, "replay parts.csv -m 4x4 -s fcfs -a naive --no-timing")?.stderr;
    assert!(said.contains("numbers rounded to whole ones: 1"), "{said}");
    let validated = fine(at, "trace validate parts.csv")?;
    assert!(validated.stdout.contains("numbers rounded to whole ones: 1"), "{}", validated.stdout);
    assert!(validated.stderr.contains("columns are read as"), "{}", validated.stderr);
    fs::write(at.join("twice.csv"), "id,submit,submit,start,end,nodes\n1,100,200,300,400,4\n")?;
    let said = wrong(at, 1, "replay twice.csv -m 4x4 -s fcfs -a naive --no-timing")?;
    assert!(said.contains("columns 2 and 3 are both called 'submit'"), "{said}");
    fine(at, "replay twice.csv -m 4x4 -s fcfs -a naive --no-timing --input-format table:submit=3")?;
    Ok(())
}

#[test]
fn files_of_jobs_that_are_cut_are_noticed() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::copy(bundled("tiny.swf"), at.join("tiny.swf"))?;
    fine(at, "replay tiny.swf -m 4x4 -a naive mc1x1 --no-timing -q -o out --format csv")?;
    let jobs = fs::read_to_string(at.join("out/jobs.csv"))?;
    let lines: Vec<&str> = jobs.lines().collect();
    fs::write(at.join("out/jobs.csv"), lines[..lines.len() - 2].join("\n") + "\n")?;
    for arguments in [
        "audit out --replay 1",
        "table out --by user",
        "export out --replay 1 --to swf -o x.swf",
        "plot out --kind waits -o x.svg",
        "report out -o x.html",
    ] {
        let code = if arguments.starts_with("audit") { 2 } else { 1 };
        let said = wrong(at, code, arguments)?;
        assert!(
            said.contains("jobs of replay 1, and its summary says") && !at.join("x.swf").exists(),
            "{said}"
        );
    }
    fine(at, "audit out --replay 0")?;
    // A cell that is not a number makes its column a column of texts.
    let end = lines[1].split(',').nth(lines[0].split(',').position(|name| name == "end_s").unwrap_or(0));
    let odd = jobs.replacen(&format!(",{},", end.unwrap_or_default()), ",abc,", 1);
    assert_ne!(odd, jobs);
    fs::write(at.join("out/jobs.csv"), odd)?;
    let said = wrong(at, 1, "table out --by user")?;
    assert!(said.contains("_s' has a cell that is no number"), "{said}");
    Ok(())
}

#[test]
fn columns_are_known_before_anything_is_replayed() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::copy(bundled("tiny.swf"), at.join("tiny.swf"))?;
    let replay = "replay tiny.swf -m 4x4 --no-timing -q -o out --force";
    let column = "--estimate predicted:user-last-two --columns prediction_error_s_mean";
    fine(at, &format!("{replay} -a naive {column}"))?;
    fs::remove_dir_all(at.join("out"))?;
    for arguments in [
        "-a all --columns nodes_replaced",
        "-a naive --sort contention_mean",
        "-a naive --sort allocate_ns_p50",
    ] {
        let said = wrong(at, 2, &format!("{replay} {arguments}"))?;
        assert!(said.contains("have no column") && !at.join("out").exists(), "{arguments}: {said}");
    }
    assert!(
        wrong(at, 2, "replay tiny.swf -m 4x4 -a naive --unit gpus")?
            .contains("'swf' has no parameter 'unit'")
    );
    Ok(())
}

#[test]
fn both_ends_of_the_period_are_trimmed() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let job = |i: usize| format!("{i} {i} 0 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n");
    fs::write(at.join("thousand.swf"), (1..=1000).map(job).collect::<String>())?;
    // Jobs arrive at 1, 2, …, 1000 s; 10 % of the 999 s leave those from 100.9 to 900.1 s.
    for (percent, expected) in [("0", 1000), ("10", 800), ("16", 680), ("25", 500), ("49.99", 0)] {
        let arguments = format!("replay thousand.swf -m 4x4 -a naive --no-timing -q --trim {percent}");
        let table = fine(at, &format!("{arguments} --columns jobs_in_means"))?.stdout;
        assert_eq!(table.split_whitespace().last(), Some(expected.to_string().as_str()), "{percent}");
    }
    Ok(())
}
