//! Logs of other batch systems, tables in binary files, and files in a known format that cannot be read.

use std::error::Error;
use std::fs;
use std::path::Path;

use polars_core::prelude::{Column, DataFrame};
use polars_io::SerWriter;
use polars_io::prelude::{IpcWriter, ParquetWriter};

use super::support::{Tested, run, run_with};

/// An accounting file of Grid Engine, with comments.
const SGE: &str = "# Version: 8.1.9\n#\n# DO NOT MODIFY THIS FILE MANUALLY!\n#\n\
    all.q:n1:phys:anna:run.sh:1001:sge:0:1310761000:1310761060:1310764660:0:0:3600:1:1:1:0:0:0:0:1:0:0:0.0:1:0:0:0:1:1:NONE:dep:mpi:32:0:14012.7:7.3:0.0:-l h_rt=36000,cpu=24:00:00 -pe mpi 32:0.0:NONE:189153280:0:0\n\
    all.q:n2:phys:bob:test.sh:1002:sge:0:1310761100:0:0:0:0:0:1:1:1:0:0:0:0:1:0:0:0.0:1:0:0:0:1:1:NONE:dep:NONE:1:0:0.0:0.0:0.0:-l h_rt=7200:0.0:NONE:0:0:0\n";

const LSF: &str = r#""JOB_FINISH" "10.1" 1389645000 501 2201 33882739 32 1389640000 0 0 1389641400 "anna" "normal" "" "" "" "login1" "/scratch" "" "o" "e" "1" 0 2 "16*h1" "16*h2" 64 60.0 "job one" "./a.out" 1 1 1 0 -1 0 0 1 0 0 0 0 -1 0 0 0 1 1 -1 "" "proj" 0 32 "" """#;

/// The jobs of a log: number, submission, wait, run time, processors and status.
fn jobs(at: &Path, arguments: &str) -> Result<Vec<[i64; 6]>, Box<dyn Error>> {
    let ran = run(at, &format!("trace convert {arguments} - --time-zone UTC"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    let lines = ran.stdout.lines().filter(|line| !line.starts_with(';'));
    let job = |line: &str| -> Result<[i64; 6], Box<dyn Error>> {
        let fields: Vec<&str> = line.split(' ').collect();
        let mut found = [0; 6];
        for (value, at) in found.iter_mut().zip([0, 1, 2, 3, 4, 10]) {
            *value = fields[at].parse()?;
        }
        Ok(found)
    };
    lines.map(job).collect()
}

#[test]
fn accounting_of_other_batch_systems_is_recognised() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("accounting"), SGE)?;
    fs::write(at.join("lsb.acct"), LSF)?;
    assert_eq!(jobs(at, "accounting")?, [[1001, 0, 60, 3600, 32, 1], [1002, 100, -1, 0, -1, 1]]);
    assert_eq!(jobs(at, "lsb.acct")?, [[501, 0, 1400, 3600, 32, 1]]);
    assert_eq!(jobs(at, "lsb.acct --unit nodes")?, [[501, 0, 1400, 3600, 2, 1]]);
    Ok(())
}

#[test]
fn other_files_are_named_with_what_to_do() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for (name, text, kind, remedy) in [
        (
            "w.json",
            "{\"nb_res\": 4, \"jobs\": [{\"id\": 1}], \"profiles\": {}}",
            "a workload of Batsim",
            "out_jobs.csv",
        ),
        (
            "w2.json",
            "{\"jobs\": [{\"id\": 1, \"subtime\": 0}], \"profiles\": {}}",
            "a workload of Batsim",
            "out_jobs.csv",
        ),
        (
            "q.json",
            "{\"jobs\": [{\"job_id\": 1, \"job_state\": [\"RUNNING\"]}]}",
            "the queue of Slurm",
            "sacct --json",
        ),
        ("l.json", "[{\"submit\": 1}]", "the number of processors", "--columns submit=submit"),
        ("o.json", "{\"records\": []}", "no list 'jobs'", "CSV, Parquet or Arrow"),
        (
            "a.events",
            "-dt 0 -e submit_batch_job | -J jobid_1001 -n 12\n",
            "the Slurm simulator",
            "sacct -a -X -P",
        ),
        ("moab", "11:10:02 1039100402:5 job 1293 JOBEND 0 16 anna\n", "event log of Moab", "as CSV"),
        ("lsb.events", "\"JOB_NEW\" \"10.1\" 1389640000 501 2201\n", "event file of LSF", "lsb.acct"),
        ("f.orc", "ORC\x03 and so on and so forth", "an ORC file", "CSV, Parquet or Arrow"),
    ] {
        fs::write(at.join(name), text)?;
        let ran = run(at, &format!("trace info {name}"))?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(kind) && ran.stderr.contains(remedy), "{name}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn tables_in_binary_files_are_the_tables() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let csv = "JobID,submit_time,start_time,end_time,nodes,user\n1,1700000000,1700000060,1700003660,4,\"a \
         b\"\n\
               2,1700000010,1700000070,1700000100,2,\n";
    fs::write(at.join("log.csv"), csv)?;
    let mut frame = DataFrame::new_infer_height(vec![
        Column::new("JobID".into(), [1_i64, 2]),
        Column::new("submit_time".into(), [1_700_000_000_i64, 1_700_000_010]),
        Column::new("start_time".into(), [1_700_000_060_i64, 1_700_000_070]),
        Column::new("end_time".into(), [1_700_003_660_i64, 1_700_000_100]),
        Column::new("nodes".into(), [4.0, 2.0]),
        Column::new("user".into(), [Some("a b"), None]),
    ])?;
    ParquetWriter::new(fs::File::create(at.join("log.parquet"))?).finish(&mut frame)?;
    IpcWriter::new(fs::File::create(at.join("log.feather"))?).finish(&mut frame)?;
    let sum = |name: &str| -> Result<String, Box<dyn Error>> {
        let ran = run(at, &format!("trace info {name}"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        Ok(ran.stdout.lines().find(|line| line.starts_with("sha256")).unwrap_or_default().to_owned())
    };
    let expected = [[1, 0, 60, 3600, 4, -1], [2, 10, 60, 30, 2, -1]];
    for name in ["log.csv", "log.parquet", "log.feather"] {
        assert_eq!(jobs(at, name)?, expected, "{name}");
        assert_eq!(sum(name)?, sum("log.csv")?, "{name}");
        assert_eq!(jobs(at, &format!("{name} --columns submit=start_time,start=start_time"))?.len(), 2);
        let replayed = format!("replay {name} -m 2x3 -s recorded -a naive --no-timing --format csv");
        let ran = run(at, &replayed)?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    // A binary table may come through a pipe. A truncated file is an error.
    let bytes = fs::read(at.join("log.parquet"))?;
    let ran = run_with(at, &["trace", "info", "-"], &bytes)?;
    assert!(ran.code == Some(0) && ran.stdout.contains("jobs           2"), "{}{}", ran.stdout, ran.stderr);
    fs::write(at.join("cut.parquet"), &bytes[..bytes.len() - 20])?;
    let ran = run(at, "trace info cut.parquet")?;
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.starts_with("error: cut.parquet cannot be read: the table cannot be decoded"),
        "{}",
        ran.stderr
    );
    // Results with several replays are not a log.
    for format in ["parquet", "csv", "jsonl"] {
        let ran = run(
            at,
            &format!(
                "replay log.csv -m 2x3 -s recorded fcfs -a naive --no-timing -o {format} --format {format}"
            ),
        )?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let ran = run(at, &format!("trace info {format}/jobs.{format}"))?;
        assert_eq!(ran.code, Some(1));
        assert!(ran.stderr.contains("meshreplay export FILE --to swf"), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn a_part_of_a_log_that_can_only_be_read_is_swf() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let day = "2024-05-01T1";
    let done = |i| format!("{i}|{day}{i}:00:00|{day}{i}:10:00|{day}{i}:30:00|COMPLETED|4|anna\n");
    let dump = format!(
        "JobID|Submit|Start|End|State|NNodes|User\n{}9|{day}5:00:00|{day}5:10:00|{day}5:10:00|CANCELLED by \
             7|4|bob\n",
        (0..4).map(done).collect::<String>()
    );
    fs::write(at.join("may.sacct"), &dump)?;
    let ran = run(at, "trace cut may.sacct part.swf --from 3600 --first 2 --time-zone UTC")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("part.swf: written as swf, as logs of the format sacct can only be read"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.ends_with("part.swf: 2 of 5 jobs kept\n"), "{}", ran.stderr);
    assert_eq!(jobs(at, "part.swf")?, [[1, 3600, 600, 1200, 4, 1], [2, 7200, 600, 1200, 4, 1]]);
    let text = fs::read_to_string(at.join("part.swf"))?;
    assert!(text.contains("; User: 1 anna") && text.contains("; UnixStartTime: 1714557600"), "{text}");
    let ran = run_with(
        at,
        &["trace", "cut", "-", "-", "--status", "5", "--input-format", "sacct"],
        dump.as_bytes(),
    )?;
    assert!(ran.stdout.ends_with("9 18000 -1 0 -1 -1 -1 4 -1 -1 5 2 -1 -1 -1 -1 -1 -1\n"), "{}", ran.stdout);
    let ran = run(at, "trace cut may.sacct part.premas --first 1")?;
    assert!(
        ran.code == Some(2) && ran.stderr.contains("`trace convert` makes premas of it"),
        "{}",
        ran.stderr
    );
    // Jobs that were cancelled while waiting are counted in one note only.
    let ran = run(at, "replay may.sacct -m 2x2 -a naive --no-timing --time-zone UTC")?;
    assert!(ran.stderr.contains("left out 1 cancelled before they started\n"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("cancelled").count(), 1, "{}", ran.stderr);
    Ok(())
}
