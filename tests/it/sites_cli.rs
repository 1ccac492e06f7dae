//! Dumps of sites: partitions with disjoint or shared nodes, jobs that share nodes, and machines derived from
//! lists of nodes.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use meshreplay::cli::embedded::{plan, replay_draft};
use meshreplay::guest::Guests;
use meshreplay::metrics::Needs;

use super::support::{Tested, columns, run};

/// A job of a dump: partition, start and length in minutes, list of nodes.
type Line<'a> = (&'a str, u32, u32, &'a str);

const HEADING: &str = "JobID|Submit|Start|End|State|NNodes|AllocCPUS|TimelimitRaw|Partition|NodeList\n";

/// Writes a dump of Slurm. A job has 4 of the 8 CPUs of each node, and one node if its list is empty.
fn dump(at: &Path, name: &str, jobs: &[Line<'_>]) -> std::io::Result<()> {
    let mut text = HEADING.to_owned();
    for (i, &(partition, start, length, list)) in jobs.iter().enumerate() {
        let nodes = meshreplay::trace::NodeList::parse(list).map_or(1, |list| list.count().max(1));
        let at = |minute: u32| {
            format!("2026-05-{:02}T{:02}:{:02}:00", 1 + minute / 1440, minute / 60 % 24, minute % 60)
        };
        let (submit, start, end) = (at(start.saturating_sub(5)), at(start), at(start + length));
        let job = 100 + i;
        writeln!(
            text,
            "{job}|{submit}|{start}|{end}|COMPLETED|{nodes}|{}|{}|{partition}|{list}",
            4 * nodes,
            length + 1
        )
        .expect("memory");
    }
    fs::write(at.join(name), text)
}

/// Standard error of a replay, and the partitions, machines and numbers of jobs of its rows.
struct Replayed {
    notes: String,
    partitions: Vec<String>,
    machines: Vec<String>,
    jobs: Vec<String>,
    manifest: serde_json::Value,
}

fn replayed(at: &Path, arguments: &str) -> Result<Replayed, Box<dyn std::error::Error>> {
    let ran = run(at, &format!("replay {arguments} -a naive --no-timing --force -o out --format csv"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    let mut found = columns(&at.join("out/summary.csv"))?;
    let manifest = serde_json::from_str(&fs::read_to_string(at.join("out/run.json"))?)?;
    let mut column = |name: &str| found.remove(name).unwrap_or_default();
    let (partitions, machines, jobs) = (column("partition"), column("machine"), column("jobs"));
    Ok(Replayed { notes: ran.stderr, partitions, machines, jobs, manifest })
}

impl Replayed {
    /// Returns for each replay whether it pools partitions according to run.json.
    fn pools(&self) -> Vec<bool> {
        let replays = self.manifest["replays"].as_array().into_iter().flatten();
        replays.map(|replay| replay["pools_partitions"] == true).collect()
    }
}

/// Two partitions that share no nodes.
const DISJOINT: [Line<'_>; 5] = [
    ("batch", 10, 60, "n[1-3]"),
    ("gpu", 20, 30, "g1"),
    ("batch", 40, 60, "n4"),
    ("batch", 80, 60, "n[2-4]"),
    ("gpu", 60, 30, "g[1-2]"),
];

#[test]
fn partitions_on_nodes_of_their_own_are_machines_of_their_own() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    dump(at, "log.sacct", &DISJOINT)?;
    let found = replayed(at, "log.sacct -m auto --time-zone UTC")?;
    assert_eq!(
        (found.partitions.join(" "), found.jobs.join(" ")),
        ("batch gpu".to_owned(), "3 2".to_owned())
    );
    assert_eq!((found.machines.join(" "), found.pools()), ("2x2 1x2".to_owned(), vec![false, false]));
    let note = "partitions that share no nodes are replayed on machines of their own: batch 2x2, \
         gpu 1x2; --partition all pools them\n";
    assert!(found.notes.contains(note), "{}", found.notes);
    let typed = replayed(at, "log.sacct -m auto --time-zone UTC --partition batch gpu")?;
    assert_eq!(
        (typed.manifest["replays"].clone(), typed.partitions),
        (found.manifest["replays"].clone(), found.partitions)
    );

    let pooled = replayed(at, "log.sacct -m auto --time-zone UTC --partition all")?;
    assert_eq!(
        (pooled.partitions.len(), pooled.machines.join(" "), pooled.pools()),
        (0, "2x3".to_owned(), vec![true])
    );
    assert!(!pooled.notes.contains("partition"), "{}", pooled.notes);
    let given = replayed(at, "log.sacct -m 2x3 --time-zone UTC")?;
    let note = "partitions pooled on one machine: batch (3 jobs, 82 % of the node-seconds), gpu \
         (2 jobs, 18 %); --partition batch gpu --machine auto keeps them apart\n";
    assert!(given.notes.contains(note), "{}", given.notes);
    assert_eq!((&given.manifest["replays"], given.pools()), (&pooled.manifest["replays"], vec![true]));

    // A given machine has all jobs; machines derived from the log have the jobs of their partition.
    let both = replayed(at, "log.sacct -m 3x3 auto auto:1d --time-zone UTC")?;
    assert_eq!(both.partitions.join(" "), "batch batch gpu gpu all");
    assert_eq!(both.machines.join(" "), "2x2 4 1x2 2 3x3");
    assert_eq!(both.pools(), [false, false, false, false, true]);
    assert!(both.notes.contains("batch 2x2 and 4, gpu 1x2 and 2;"), "{}", both.notes);
    let two = replayed(at, "log.sacct -m 3x3 --time-zone UTC --partition gpu+batch each")?;
    assert_eq!(
        (two.partitions.join(" "), two.pools()),
        ("gpu+batch batch gpu".to_owned(), vec![true, false, false])
    );
    Ok(())
}

#[test]
fn partitions_are_one_machine_if_they_share_one_percent_of_the_smaller_one() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for (minutes, groups) in [(5, "batch debug"), (9, "batch debug"), (10, ""), (50, "")] {
        // The partition debug has 1,000 node-minutes, a part of them on a node of batch.
        let jobs = [
            ("batch", 0, 1000, "n[1-4]"),
            ("debug", 10, 1000 - minutes, "d1"),
            ("debug", 1200, minutes, "n4"),
        ];
        dump(at, "log.sacct", &jobs)?;
        let found = replayed(at, "log.sacct -m auto --time-zone UTC")?;
        assert_eq!(found.partitions.join(" "), groups, "{minutes} minutes");
        // On a given machine, partitions count as pooled only if they share no nodes.
        let given = replayed(at, "log.sacct -m 3x3 --time-zone UTC")?;
        assert_eq!(
            (given.pools(), given.notes.contains("pooled")),
            (vec![!groups.is_empty()], !groups.is_empty())
        );
    }
    // Partition debug is a subset of batch, large overlaps batch, gpu is disjoint.
    let jobs = [
        ("batch", 0, 100, "n[1-8]"),
        ("debug", 200, 50, "n[1-2]"),
        ("large", 300, 100, "n[8-12]"),
        ("gpu", 0, 100, "g[1-2]"),
    ];
    dump(at, "log.sacct", &jobs)?;
    let found = replayed(at, "log.sacct -m auto --time-zone UTC")?;
    assert_eq!(found.partitions.join(" "), "batch+debug+large gpu");
    assert_eq!(found.machines.join(" "), "3x4 1x2");
    Ok(())
}

#[test]
fn more_than_eight_machines_are_asked_for_by_name() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for count in [8, 9] {
        let names: Vec<(String, String)> = (1..=count).map(|i| (format!("p{i}"), format!("x{i}"))).collect();
        let jobs: Vec<Line<'_>> =
            names.iter().map(|(name, node)| (name.as_str(), 5, 60, node.as_str())).collect();
        dump(at, "log.sacct", &jobs)?;
        let found = replayed(at, "log.sacct -m auto --time-zone UTC")?;
        assert_eq!(
            (found.partitions.len(), found.pools().contains(&true)),
            (if count == 8 { 8 } else { 0 }, count == 9)
        );
        let note = "pooled on one machine: p1 (1 job, 11 % of the node-seconds), p2 (1 job, 11 %), p3 (1 \
             job, 11 %), p4 (1 job, 11 %), 5 more; --partition each keeps them apart\n";
        assert_eq!(found.notes.contains(note), count == 9, "{}", found.notes);
    }
    Ok(())
}

#[test]
fn partitions_are_pooled_where_lists_do_not_show_their_nodes() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    // Unlike dumps of Slurm, tables may lack lists. Jobs without a list have a third or two thirds of the
    // work of batch.
    let table = |name: &str, jobs: &[Line<'_>]| {
        let mut text = "job,submit,start,end,procs,partition,nodelist\n".to_owned();
        for (i, (partition, start, length, list)) in jobs.iter().enumerate() {
            let procs = if list.contains('[') { 2 } else { 1 };
            let end = start + length;
            writeln!(text, "{i},{start},{start},{end},{procs},\"{partition}\",\"{list}\"").expect("memory");
        }
        fs::write(at.join(name), text)
    };
    for (length, rows) in [(100, 2), (30, 0)] {
        table("log.csv", &[("batch", 0, length, "n[1-2]"), ("batch", 200, 100, ""), ("gpu", 0, 50, "g1")])?;
        let found = replayed(at, "log.csv -s fcfs -m auto")?;
        assert_eq!(
            (found.partitions.len(), found.pools().contains(&true)),
            (rows, rows == 0),
            "{}",
            found.notes
        );
    }
    // A job with two partitions, one without a partition, a small partition without lists, and a requeued
    // job.
    table(
        "log.csv",
        &[
            ("batch", 0, 400, "n[1-2]"),
            ("gpu", 10, 300, "g1"),
            ("gpu,batch", 300, 1, ""),
            ("", 310, 1, "n1"),
            ("old", 320, 1, ""),
        ],
    )?;
    let text = fs::read_to_string(at.join("log.csv"))?;
    fs::write(at.join("log.csv"), text + "0,0,500,900,2,batch,\"n[1-2]\"\n")?;
    let found = replayed(at, "log.csv -s fcfs -m auto")?;
    assert_eq!(
        (found.partitions.join(" "), found.jobs.join(" ")),
        ("batch gpu+gpu%2Cbatch".to_owned(), "2 2".to_owned())
    );
    let note = "left out 2 without a partition or in partitions without lists of nodes; \
         --partition all has them\n";
    assert!(found.notes.contains(note), "{}", found.notes);
    Ok(())
}

#[test]
fn keys_are_those_of_typed_partitions() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    dump(at, "log.sacct", &DISJOINT)?;
    dump(at, "one.sacct", &DISJOINT.map(|(_, start, length, list)| ("batch", start, length, list)))?;
    let cells = |log: &str, lines: &str| -> Result<(Vec<String>, String), Box<dyn std::error::Error>> {
        let text = format!(
            "logs = ['{log}']\nallocators = ['naive', 'mc1x1']\ninput_format = \
                 'auto:time-zone=UTC'\n{lines}\n"
        );
        fs::write(at.join("study.toml"), text)?;
        let ran = run(at, "sweep study.toml -o study --no-timing --fresh")?;
        let ran = if ran.code == Some(2) { run(at, "sweep study.toml -o study --no-timing")? } else { ran };
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let manifest: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(at.join("study/study.json"))?)?;
        let listed = manifest["cells"].as_array().cloned().unwrap_or_default();
        let key = |cell: &serde_json::Value| format!("{}{}", cell["key"], cell["pools_partitions"]);
        fs::remove_dir_all(at.join("study"))?;
        Ok((listed.iter().map(key).collect(), ran.stderr))
    };
    let (by_nodes, notes) = cells("log.sacct", "machines = ['auto']")?;
    assert!(notes.contains("batch 2x2, gpu 1x2; --partition all"), "{notes}");
    assert_eq!(by_nodes, cells("log.sacct", "machines = ['auto']\npartitions = ['batch', 'gpu']")?.0);
    let (pooled, _) = cells("log.sacct", "machines = ['auto']\npartitions = ['all']")?;
    assert_eq!(pooled, cells("log.sacct", "machines = ['2x3']")?.0);
    assert!(by_nodes.len() == 4 && pooled.len() == 2 && pooled.iter().all(|key| key.ends_with("true")));
    let (one, notes) = cells("one.sacct", "machines = ['auto']")?;
    assert!(one.iter().all(|key| key.ends_with("null")) && !notes.contains("partition"), "{notes}");
    assert_eq!(one, cells("one.sacct", "machines = ['2x3']")?.0);
    assert_eq!(one, cells("one.sacct", "machines = ['auto']\npartitions = ['all']")?.0);
    Ok(())
}

#[test]
fn logs_whose_jobs_are_not_kept_are_read_again_for_their_parts() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    dump(at, "log.sacct", &DISJOINT)?;
    let log = at.join("log.sacct").display().to_string();
    let words: Vec<String> =
        [log.as_str(), "-m", "auto", "-a", "naive", "--time-zone", "UTC"].map(str::to_owned).to_vec();
    for most_kept in [2, usize::MAX] {
        let mut draft = replay_draft(&words, Guests::default())?.draft;
        (draft.most_kept, draft.options.jobs) = (most_kept, false);
        let study = plan(draft, &mut Vec::new())?;
        let jobs: Vec<u64> = study.cells.iter().map(|cell| cell.jobs).collect();
        assert_eq!(jobs, [3, 2]);
        assert!(study.has.has(Needs::Partitions) && study.cells.iter().all(|cell| !cell.pools_partitions));
    }
    Ok(())
}

#[test]
fn nodes_that_jobs_share_are_no_unit_of_their_own_accord() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    // Two jobs share a node for 6 or 5 of 120 node-minutes.
    for (start, length, is_refused) in [(54, 60, true), (55, 60, false)] {
        let jobs = [("batch", 0, 60, "n1"), ("batch", start, length, "n1"), ("other", 0, 60, "m1")];
        dump(at, "log.sacct", &jobs)?;
        let arguments = "-m 2x2 -a naive --time-zone UTC --partition batch";
        let ran = run(at, &format!("replay log.sacct {arguments}"))?;
        assert_eq!(ran.code, Some(i32::from(is_refused)), "{}", ran.stderr);
        let share = if is_refused { "5.0" } else { "4.2" };
        let said = format!(
            "jobs share nodes: {share} % of the node-seconds in its lists of nodes count more than once"
        );
        let names_partition = ran.stderr.contains("log, partition batch:");
        assert!(names_partition && ran.stderr.contains(&said), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("--unit cpus or --unit gpus counts parts of nodes"), is_refused);
        // The other partition has no shared nodes, and in the whole log the share is below 5 %.
        for (others, code) in
            [("--partition other", 0), ("--unit nodes", 0), ("--unit cpus", 0), ("--unit cores", 0)]
        {
            let ran = run(at, &format!("replay log.sacct -m 4x4 -a naive --time-zone UTC {others}"))?;
            assert_eq!(ran.code, Some(code), "{others}: {}", ran.stderr);
            assert_eq!(ran.stderr.contains("jobs share nodes"), others == "--unit nodes", "{}", ran.stderr);
        }
        let info = run(at, "trace info log.sacct --partition batch --time-zone UTC")?;
        let lists = format!("node lists     1 node, {share} % of the node-seconds count more than once");
        assert!(info.stdout.contains(&lists), "{}", info.stdout);
        assert_eq!(info.stdout.contains("a replay needs --unit"), is_refused);
        let json = run(at, "trace info log.sacct --time-zone UTC --format json")?;
        assert!(json.stdout.contains("\"node_lists\""), "{}", json.stdout);
        for (unit, said) in [
            (
                "",
                if is_refused {
                    "error: jobs share nodes, and processors"
                } else {
                    "warning: jobs share nodes: "
                },
            ),
            (" --unit nodes", "warning: jobs share nodes: "),
        ] {
            let ran = run(at, &format!("trace validate log.sacct --partition batch --time-zone UTC{unit}"))?;
            assert!(ran.stdout.contains(said), "{unit}: {}", ran.stdout);
        }
        let ran = run(at, "trace validate log.sacct --time-zone UTC --unit cpus")?;
        assert!(!ran.stdout.contains("share"), "{}", ran.stdout);
    }
    fs::write(at.join("s.toml"), "logs = ['log.sacct']\nmachines = ['2x2']\nallocators = ['naive']\n")?;
    dump(at, "log.sacct", &[("batch", 0, 60, "n1"), ("batch", 0, 60, "n1")])?;
    let ran = run(at, "sweep s.toml -o s")?;
    assert!(
        ran.code == Some(1) && ran.stderr.contains("input_format = \"auto:unit=cpus\" counts"),
        "{}",
        ran.stderr
    );
    // The unit of a table's processors is unknown. If lists have the same number of nodes, processors are
    // nodes.
    for (procs, is_noted) in [(1, true), (4, false)] {
        let table = format!(
            "submit,start,end,procs,nodelist\n0,0,90,{procs},n1\n0,5,90,{procs},n1\n0,100,190,1,n1\n0,200,290,1,n2\n"
        );
        fs::write(at.join("table.csv"), table)?;
        let ran = run(at, "replay table.csv -m 4x4 -a naive -s fcfs")?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("--columns procs=COLUMN"), is_noted, "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn auto_has_all_nodes_that_lists_name() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    dump(
        at,
        "log.sacct",
        &[("batch", 0, 60, "n[1-3]"), ("batch", 70, 60, "n[3-6]"), ("batch", 70, 60, "n9")],
    )?;
    let found = replayed(at, "log.sacct -m auto -s recorded --time-zone UTC")?;
    let note = "machine 'auto' is 2x4:without=7 (1 of its nodes are unavailable), for the 7 nodes in its \
         lists of nodes\n";
    assert!(found.notes.contains(note), "{}", found.notes);
    let ran = run(at, "replay log.sacct -m auto -s recorded -a recorded --time-zone UTC")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let cpus = replayed(at, "log.sacct -m auto:1d --unit cpus --time-zone UTC")?;
    assert_eq!(cpus.machines, ["20"]);
    Ok(())
}

#[test]
fn partitions_of_archive_logs_are_named_and_stay_pooled() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let job = |number: i64, partition: i64, run_s: i64| {
        format!("{number} {number} 0 {run_s} 2 -1 -1 2 {run_s} -1 1 1 1 -1 0 {partition} -1 -1\n")
    };
    for (run_s, is_pool) in [(100, true), (99, true), (20, true), (9, false)] {
        // Partition 2 has at least 1 % of all work in the first three cases.
        let text = [
            "; MaxProcs: 4\n; Partition: 2 debug\n".to_owned(),
            job(1, 1, 1000),
            job(2, 2, run_s),
            job(3, -1, 1),
        ];
        fs::write(at.join("log.swf"), text.concat())?;
        for machine in ["auto", "2x2"] {
            let found = replayed(at, &format!("log.swf -m {machine}"))?;
            assert_eq!((found.partitions.len(), found.pools()), (0, vec![is_pool]));
            assert_eq!(found.notes.contains("partitions pooled on one machine: 1 (1 job, "), is_pool);
            assert_eq!(found.notes.contains("debug (1 job, "), is_pool, "{}", found.notes);
        }
        let typed = replayed(at, "log.swf -m 2x2 --partition all")?;
        assert_eq!((typed.notes.as_str(), typed.pools()), ("", vec![is_pool]));
    }
    Ok(())
}
