//! Partitions as filters and as separate machines, on the command line and in studies.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::support::{Tested, columns, run, shared};

/// Returns a log of 120 jobs in partition 1, in partition 2 or without a partition.
fn log(header: &str, keeps: impl Fn(i64) -> bool) -> String {
    let mut text = header.to_owned();
    for i in 0..120_i64 {
        let partition = [1, 2, 2, 1, -1][(i % 5) as usize];
        if keeps(partition) {
            let (procs, run_s) = (1 + i * 7 % 6, 20 + i * 37 % 200);
            let (submit_s, estimate_s, user, group) = (i * 9, run_s * 2, i % 4, i % 2);
            let fields = [
                i, submit_s, 5, run_s, procs, -1, -1, procs, estimate_s, -1, 1, user, group, -1, 0, partition,
            ];
            text.extend(fields.map(|field| format!("{field} ")));
            text += "-1 -1\n";
        }
    }
    text
}

/// Header with the sizes of both partitions and a name for partition 2.
const HEADER: &str =
    "; MaxProcs: 24 (8, 16)\n; MaxPartitions: 2\n; Partition: 1\n; Partition: 2 large one (new)\n";

/// Columns of a summary that do not depend on the jobs alone.
const OTHERS: [&str; 7] = ["replay", "log", "log_sha256", "run", "partition", "skipped", "key"];

/// A row of a summary without the columns in [`OTHERS`].
fn row(summary: &BTreeMap<String, Vec<String>>, i: usize) -> Vec<(&String, &String)> {
    let kept = summary.iter().filter(|(name, _)| !OTHERS.contains(&name.as_str()));
    kept.map(|(name, values)| (name, &values[i])).collect()
}

/// Standard error of a replay, and its summary by columns.
type Said = (String, BTreeMap<String, Vec<String>>);

fn replay(at: &Path, arguments: &str) -> Result<Said, Box<dyn std::error::Error>> {
    let ran = run(at, &format!("replay {arguments} -a naive --no-timing --force -o out --format csv"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok((ran.stderr, columns(&at.join("out/summary.csv"))?))
}

#[test]
fn each_partition_is_replayed_as_a_log_of_its_own() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER, |_| true))?;
    let (notes, each) = replay(at, "log.swf -m auto --partition each")?;
    for note in [
        "note: log: left out 24 that name no partition\n",
        "note: log, partition 1: machine 'auto' is 2x4, for the 8 processors of the partition in the log's \
             header\n",
        "note: log, partition large one: machine 'auto' is 4x4, for the 16 processors",
    ] {
        assert!(notes.contains(note), "{notes}");
    }
    assert_eq!(each["partition"], ["1", "large%20one"]);
    assert_eq!(each["skipped"], ["72", "72"]);
    let jobs = columns(&at.join("out/jobs.csv"))?;
    for (replay, partition) in jobs["replay"].iter().zip(&jobs["partition"]) {
        assert_eq!(partition, ["1", "large one"][replay.parse::<usize>()?]);
    }
    let manifest = fs::read_to_string(at.join("out/run.json"))?;
    assert!(manifest.contains("\"partition\": \"large%20one\""), "{manifest}");
    for (i, (number, machine)) in [(1, "2x4"), (2, "4x4")].into_iter().enumerate() {
        fs::write(at.join("part.swf"), log(HEADER, |partition| partition == number))?;
        let (_, part) = replay(at, &format!("part.swf -m {machine}"))?;
        assert_eq!(row(&each, i), row(&part, 0), "partition {number}");
        assert!(!part.contains_key("partition"));
        let (notes, filtered) = replay(at, &format!("log.swf -m {machine} --partition {number}"))?;
        assert_eq!(row(&each, i), row(&filtered, 0), "partition {number}");
        assert!(notes.contains(": left out 72 of another partition\n"), "{notes}");
    }
    fs::write(at.join("part.swf"), log(HEADER, |partition| partition > 0))?;
    let (_, both) = replay(at, "log.swf -m auto --partition large%20one+1")?;
    let (_, part) = replay(at, "part.swf -m 4x6")?;
    assert_eq!(row(&both, 0), row(&part, 0));
    assert_eq!(both["partition"], ["large%20one+1"]);
    Ok(())
}

#[test]
fn the_use_of_its_jobs_stands_for_a_partition_whose_size_no_header_tells() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log("", |_| true))?;
    let (notes, found) = replay(at, "log.swf -m auto:1d --partition 2")?;
    let note = format!(
        "machine 'auto:1d' is {0}, for the {0} processors that its jobs fill and hardly ever exceed\n",
        found["machine"][0]
    );
    assert!(notes.contains(&note), "{note}{notes}");
    fs::write(at.join("part.swf"), log("", |partition| partition == 2))?;
    let (_, part) = replay(at, "part.swf -m auto:1d")?;
    assert_eq!(part["machine"], found["machine"]);
    fs::write(at.join("log.swf"), log("; MaxProcs: 7\n", |_| true))?;
    let (notes, _) = replay(at, "log.swf -m auto:1d --partition 2")?;
    assert!(notes.contains("is 7, for the 7 processors of the whole machine"), "{notes}");
    Ok(())
}

#[test]
fn studies_multiply_partitions_and_keep_the_keys_of_replays_without() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER, |_| true))?;
    let study = |partitions: &str| {
        format!("logs = ['log.swf']\n{partitions}machines = ['auto']\nallocators = ['naive', 'mc1x1']\n")
    };
    fs::write(at.join("each.toml"), study("partitions = ['each', 'all', 'large%20one+1']\n"))?;
    fs::write(at.join("whole.toml"), study(""))?;
    let sweep = |arguments: &str| -> Tested {
        let ran = run(at, &format!("sweep {arguments} --no-timing --jobs -q"))?;
        assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
        Ok(())
    };
    sweep("each.toml -o one")?;
    sweep("each.toml -o two --shard 2/2")?;
    sweep("each.toml -o two --shard 1/2")?;
    let ran = run(at, "merge two -o two")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    sweep("whole.toml -o whole")?;
    let cells = |folder: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        let entries = fs::read_dir(at.join(folder).join("cells"))?;
        let mut names = entries
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<std::io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    };
    let (one, two, whole) = (cells("one")?, cells("two")?, cells("whole")?);
    assert_eq!(one, two);
    assert!(
        !whole.is_empty() && whole.iter().all(|name| one.contains(name)),
        "the whole log has its old key"
    );
    let table = |folder: &str| {
        run(at, &format!("table {folder} --columns partition --value wait_s_mean --format csv"))
    };
    let text = table("one")?.stdout;
    assert!(text.starts_with("allocator,1,large%20one,all,large%20one+1\n"), "{text}");
    assert_eq!(text, table("two")?.stdout);
    let by = run(at, "table one --by partition --format csv")?;
    assert!(
        by.stdout.lines().next().is_some_and(|line| line.contains(",replay_partition,")),
        "{}{}",
        by.stdout,
        by.stderr
    );
    Ok(())
}

#[test]
fn accounting_knows_partitions_by_name() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut text =
        "JobID|User|Account|Partition|QOS|Submit|Start|End|State|NNodes|AllocCPUS|Timelimit\n".to_owned();
    for i in 0..30 {
        let (user, partition) = (["anna", "bert", "cleo"][i % 3], ["debug", "2", "a,b"][i / 3 % 3]);
        let times = [("10", "00"), ("10", "30"), ("11", "00")]
            .map(|(hour, second)| format!("2024-03-04T{hour}:{i:02}:{second}"))
            .join("|");
        let (job, nodes) = ((100 + i).to_string(), (1 + i % 4).to_string());
        let fields =
            [&job, user, "physics", partition, "normal", &times, "COMPLETED", &nodes, "4", "02:00:00"];
        text.extend([&fields.join("|"), "\n"]);
    }
    fs::write(at.join("dump.txt"), text)?;
    let (_, found) = replay(at, "dump.txt -m auto --partition each")?;
    assert_eq!(found["partition"], ["debug", "2", "a%2Cb"]);
    let ran = run(at, "trace convert dump.txt debug.swf --partition debug --keep-names")?;
    assert!(ran.stderr.contains("debug.swf: 12 of 12 jobs written"), "{}", ran.stderr);
    let header = fs::read_to_string(at.join("debug.swf"))?;
    assert!(header.contains("; Note: 18 jobs of other partitions left out\n"), "{header}");
    let ran = run(at, "trace info dump.txt --partition 1")?;
    assert!(
        ran.stderr.contains("no job is of partition '1'; expected one of: debug (12 jobs), 2 (9"),
        "{}",
        ran.stderr
    );
    let (notes, found) = replay(at, "dump.txt -m auto --partition debug+a%2Cb")?;
    assert_eq!((&found["jobs"][0], &found["partition"][0]), (&"21".to_owned(), &"debug+a%2Cb".to_owned()));
    assert!(notes.contains("left out 9 of another partition"), "{notes}");
    let (_, of_two) = replay(at, "dump.txt -m auto --partition 2")?;
    assert_eq!((&of_two["jobs"][0], &of_two["partition"][0]), (&"9".to_owned(), &"2".to_owned()));
    let jobs = columns(&at.join("out/jobs.csv"))?;
    assert!(jobs["partition"].iter().all(|name| name == "2"));
    assert!(jobs["account"].iter().all(|name| name == "physics"));
    assert_eq!(jobs["user"][0], "anna");
    assert!(jobs["submit_hour"].iter().all(|hour| hour == "10"), "a Monday, {:?}", jobs["submit_hour"]);
    Ok(())
}

#[test]
fn wrong_partitions_are_refused_with_those_that_exist() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER, |_| true))?;
    fs::write(at.join("none.swf"), log("", |partition| partition < 0))?;
    let study = "logs = ['log.swf']\nmachines = ['auto']\nallocators = ['naive']\npartitions = ";
    fs::write(at.join("odd.toml"), format!("{study}['3']\n"))?;
    fs::write(at.join("comma.toml"), format!("{study}['1,2']\n"))?;
    fs::write(at.join("twice.toml"), format!("{study}['each', '2']\n"))?;
    for (arguments, code, message) in [
        (
            "replay log.swf -m auto -a naive --partition 3",
            1,
            "error: log: no job is of partition '3'; expected one of: 1 (48 jobs), large one (48 jobs)\n",
        ),
        (
            "replay log.swf -m 4x4 -a naive --partition 1+gpu",
            1,
            "error: log: no job is of partition 'gpu'; expected one of: 1 (48 jobs)",
        ),
        (
            "replay none.swf -m 4x4 -a naive --partition each",
            1,
            "error: none: no job names its partition (field 16)",
        ),
        (
            "replay none.swf -m 4x4 -a naive --partition 1",
            1,
            "error: none: no job names its partition (field 16)",
        ),
        ("replay log.swf -m 4x4 -a naive --partition 1,2", 2, "as in --partition 1 2"),
        ("replay log.swf -m 4x4 -a naive --partition", 2, "a value is required"),
        (
            "replay synthetic:jobs=9 -m 4x4 -a naive --partition 1",
            1,
            "is a workload model, which has no partitions",
        ),
        ("sweep odd.toml -o out", 1, "no job is of partition '3'; expected one of"),
        ("sweep comma.toml -o out", 1, "key 'partitions', entry 1: found '1,2', expected"),
        ("sweep twice.toml -o out", 1, "are the same replay"),
    ] {
        let ran = run(at, arguments)?;
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn commands_that_read_logs_take_one_partition_alone() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER, |_| true))?;
    fs::write(at.join("part.swf"), log(HEADER, |partition| partition == 2))?;
    for name in ["2", "large%20one"] {
        let ran = run(at, &format!("trace convert log.swf out.swf --force --partition {name}"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(fs::read_to_string(at.join("out.swf"))?, fs::read_to_string(at.join("part.swf"))?);
        assert!(ran.stderr.contains("log.swf: 72 jobs of other partitions left out\n"), "{}", ran.stderr);
    }
    let info = run(at, "trace info log.swf --partition 2+1 --format json")?;
    let found: serde_json::Value = serde_json::from_str(&info.stdout)?;
    assert_eq!(found["jobs"], 96, "{}", info.stdout);
    let cut = run(at, "trace cut log.swf - --first 3 --partition 1")?;
    assert!(cut.stdout.contains("; Note: cut by meshreplay: --first 3 --partition 1\n"), "{}", cut.stdout);
    assert_eq!(cut.stdout.lines().filter(|line| line.contains(" 0 1 -1 -1")).count(), 3, "{}", cut.stdout);
    let of = |arguments: &str| run(at, &format!("audit {arguments} -m 500"));
    let (whole, part) = (of("log.swf --partition 2")?, of("part.swf")?);
    assert_eq!(whole.stdout.replace("log.swf", "part.swf"), part.stdout, "{}", whole.stderr);
    let same = run(at, "compare log.swf part.swf --partition 2")?;
    assert!(same.stdout.contains("are equal: 48 jobs"), "{}{}", same.stdout, same.stderr);
    run(at, "replay log.swf -m 4x6 -a naive -o out --no-timing -q")?;
    for (arguments, code, message) in [
        (
            "trace info log.swf --partition 9",
            1,
            "log.swf: no job is of partition '9'; expected one of: 1 (48 jobs), large one (48",
        ),
        ("trace convert log.swf new.swf --partition 1+x", 1, "no job is of partition 'x'; expected one of"),
        ("audit log.swf -m 500 --partition x", 2, "no job is of partition 'x'; expected one of"),
        ("compare out out --partition 1", 2, "out is no log, of which --partition could choose jobs"),
        ("audit out --partition 1", 2, "out is no log, of which --partition could choose jobs"),
        (
            "trace info log.swf --partition each",
            2,
            "found 'each', expected the name or the number of a partition",
        ),
    ] {
        let ran = run(at, arguments)?;
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
    }
    assert!(!at.join("new.swf").exists());
    Ok(())
}

#[test]
fn headers_of_real_logs_tell_partitions() -> Tested {
    let log = |name: &str| shared(&format!("traces/{name}-cln.swf.gz"));
    let (Some(ds), Some(par)) = (log("SDSC-DS-2004-2.1"), log("SDSC-Par-1996-3.1")) else {
        println!("skipped: no logs of SDSC in ../shared/traces");
        return Ok(());
    };
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    // Partitions 2 and 3 of SDSC-DS are both called "batch partition", so their numbers name them.
    let ran = run(
        at,
        &format!(
            "replay {} -m auto -a naive --partition each --oversize skip --no-timing --format csv",
            ds.display()
        ),
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for (name, machine, nodes) in
        [("interactive partition", "8x9", 72), ("2", "36x38", 1368), ("3", "14x16", 224)]
    {
        let note = format!(
            "partition {name}: machine 'auto' is {machine}, for the {nodes} processors of the partition"
        );
        assert!(ran.stderr.contains(&note), "{note}: {}", ran.stderr);
    }
    let ran = run(
        at,
        &format!(
            "replay {} -m auto -a naive --partition batch interactive --oversize skip --no-timing",
            par.display()
        ),
    )?;
    assert!(
        ran.stderr.contains("partition batch: machine 'auto' is 16x22, for the 352 processors"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("partition interactive: machine 'auto' is 6x8, for the 48 processors"),
        "{}",
        ran.stderr
    );
    Ok(())
}
