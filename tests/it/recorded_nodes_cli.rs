//! `--allocator recorded` and `--node-map` on the command line: dumps of Slurm, a study, and wrong inputs.

use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, bundled, columns, contents, differences, run};

/// Checks that a command has succeeded.
#[track_caller]
fn done(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

/// A dump of a real Slurm, from `tests/slurm/accounting.sh`.
fn dump() -> String {
    format!("{}/tests/it/golden/slurm.sacct", env!("CARGO_MANIFEST_DIR"))
}

/// Writes a dump of three jobs on nodes n1 to n4. The third starts while the second still has n2.
fn small(at: &Path) -> std::io::Result<()> {
    let line = |job: u32, start: u32, end: u32, nodes: u32, list: &str| {
        format!(
            "{job}|2026-05-01T10:00:00|2026-05-01T10:{start:02}:00|2026-05-01T10:{end:02}:00|COMPLETED|{nodes}|{}|{}|{list}\n",
            4 * nodes,
            end - start
        )
    };
    let text = "JobID|Submit|Start|End|State|NNodes|AllocCPUS|TimelimitRaw|NodeList\n".to_owned()
        + &line(1, 0, 30, 1, "n4")
        + &line(2, 5, 20, 2, "n[1-2]")
        + &line(3, 10, 12, 1, "n2");
    fs::write(at.join("small.txt"), text)
}

#[test]
fn jobs_have_the_nodes_of_the_accounting() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let map: Vec<String> = (0..8).map(|i| format!("node{},{},{}\n", i + 1, i / 2, i % 2)).collect();
    fs::write(at.join("map.csv"), map.concat())?;
    for (out, arguments) in [
        ("one", "-m 4x2 --node-map map.csv --threads 1"),
        ("two", "-m 4x2 --node-map map.csv --threads 2"),
        ("pattern", "-m 8 --node-map node{rank+1}"),
        ("natural", "-m 8"),
    ] {
        let ran = run(
            at,
            &format!(
                "replay {} -s recorded -a recorded hilbert+bf {arguments} --time-zone UTC --no-timing \
                 --placements --format csv -o {out}",
                dump()
            ),
        )?;
        done(&ran);
        let said =
            "without --node-map the 8 names of its nodes, from node1 to node8, are taken in natural order";
        assert_eq!(ran.stderr.contains(said), out == "natural", "{}", ran.stderr);
        let jobs = columns(&at.join(out).join("jobs.csv"))?;
        let place = |node: u32| {
            if arguments.contains("map.csv") { (node - 1) / 2 + 4 * ((node - 1) % 2) } else { node - 1 }
        };
        // Job 13 had nodes 5 and 6. Component 1 of the heterogeneous job 5, here job 6, had nodes 6 and 7.
        for (job, nodes) in [("13", [5, 6]), ("6", [6, 7])] {
            let Some(row) = jobs["job"].iter().position(|number| number == job) else {
                return Err(format!("no job {job}: {:?}", jobs["job"]).into());
            };
            let mut expected = nodes.map(place);
            expected.sort_unstable();
            let [a, b] = expected;
            let text = if b == a + 1 { format!("{a}-{b}") } else { format!("{a} {b}") };
            assert_eq!(jobs["nodes"][row], text, "{out}, job {job}");
            assert_eq!(jobs["nodes_replaced"][row], "0");
        }
        let summary = columns(&at.join(out).join("summary.csv"))?;
        assert_eq!(summary["nodes_replaced"], ["0", ""], "{out}");
        assert_eq!(summary["lists_unknown"], ["0", ""], "{out}");
    }
    let [one, two] = ["one", "two"].map(|out| contents(&at.join(out)));
    let (one, two) = (one?, two?);
    assert_eq!((&one["jobs.csv"], &one["summary.csv"]), (&two["jobs.csv"], &two["summary.csv"]));
    let manifest = String::from_utf8(one["run.json"].clone())?;
    assert!(
        manifest.contains("\"node_map\": \"map.csv\"") && manifest.contains("node_map_sha256"),
        "{manifest}"
    );
    Ok(())
}

#[test]
fn what_cannot_be_is_counted_and_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    small(at)?;
    let rest = "-m 4 --node-map n{rank+1} --time-zone UTC --no-timing --placements --format csv";
    let ran = run(at, &format!("replay small.txt -s recorded easy -a recorded {rest} -o out"))?;
    done(&ran);
    for note in [
        "note: small.txt: 1 of 3 jobs have nodes in their lists that another job had at the same time, the \
         first node n2 of jobs 2 and 3; one of them gets other nodes\n",
        "note: small.txt on 4 under 'recorded': 1 of 3 jobs got 1 nodes that their lists do not have, the \
         nearest free ones, as those of their lists were in use, down or too few\n",
    ] {
        assert!(ran.stderr.contains(note), "{}", ran.stderr);
    }
    assert_eq!(ran.stderr.matches("at the same time").count(), 1, "{}", ran.stderr);
    let jobs = columns(&at.join("out/jobs.csv"))?;
    assert_eq!(jobs["nodes"][..3], ["3", "0-1", "2"]);
    assert_eq!(jobs["nodes_replaced"][..3], ["0", "0", "1"]);

    // For a log without lists, `all` skips the allocator `recorded`, and its name is an error.
    let ran = run(at, &format!("replay {} -m 4x4 -a all --no-timing", bundled("tiny.swf")))?;
    done(&ran);
    let note = "note: all leaves out 'recorded': tiny: no job has a list of nodes, and allocator 'recorded' \
         places jobs by it";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let ran = run(at, "replay small.txt -m 4 -a all --time-zone UTC --no-timing --format csv")?;
    done(&ran);
    assert!(ran.stdout.contains(",recorded,"), "{}", ran.stdout);
    let ran =
        run(at, "replay small.txt -m 1x2 -a all --oversize skip --time-zone UTC --no-timing --format csv")?;
    done(&ran);
    assert!(
        ran.stderr.contains("all leaves out 'recorded': small.txt: its jobs had 3 different nodes"),
        "{}",
        ran.stderr
    );

    // `--columns` shows the counts.
    let columns_of = "--time-zone UTC --no-timing --columns nodes_replaced,placements_replaced,lists_unknown";
    for allocators in ["recorded", "all"] {
        done(&run(at, &format!("replay small.txt -m 4 -a {allocators} {columns_of}"))?);
    }

    // For units other than nodes, the map has a row per processor of a node.
    let map = (0..16).map(|cpu| format!("n{} {cpu}\n", cpu / 4 + 1)).collect::<Vec<_>>().concat();
    fs::write(at.join("cpus.txt"), map)?;
    let rest = "--unit cpus --time-zone UTC --no-timing --placements --format csv -o cpus";
    let ran = run(at, &format!("replay small.txt -m 16 -s recorded -a recorded --node-map cpus.txt {rest}"))?;
    done(&ran);
    assert_eq!(columns(&at.join("cpus/jobs.csv"))?["nodes"], ["12-15", "0-7", "8-11"]);
    let ran = run(at, "show allocation small.txt -m 4 -a recorded --at 700 --node-map n{rank+1}")?;
    done(&ran);
    assert!(ran.stdout.contains("recorded: 2 jobs on 3 nodes"), "{}", ran.stdout);
    Ok(())
}

#[test]
fn studies_carry_the_map() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    small(at)?;
    fs::create_dir(at.join("studies"))?;
    fs::write(at.join("studies/map.csv"), "name,x\nn1,3\nn2,2\nn3,1\nn4,0\n")?;
    let study = "logs = ['../small.txt']\nmachines = ['4']\nschedulers = ['recorded', 'easy']\n\
                 allocators = ['recorded', 'naive']\nnode_map = 'map.csv'\ninput_format = \
                 'sacct:time-zone=UTC'\n";
    fs::write(at.join("studies/s.toml"), study)?;
    done(&run(at, "sweep studies/s.toml -o whole --no-timing --jobs --placements -q")?);
    for shard in [1, 2] {
        done(&run(
            at,
            &format!("sweep studies/s.toml -o parts --no-timing --jobs --placements -q --shard {shard}/2"),
        )?);
    }
    assert_eq!(differences(&at.join("whole/cells"), &at.join("parts/cells"))?, Vec::<String>::new());
    let manifest = fs::read_to_string(at.join("whole/study.json"))?;
    assert!(manifest.contains("studies/map.csv"), "{manifest}");
    // Keys of cells depend on the content of the map, not on its path.
    let cells = |folder: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        Ok(contents(&at.join(folder).join("cells"))?.into_keys().collect())
    };
    fs::rename(at.join("studies/map.csv"), at.join("studies/other.csv"))?;
    fs::write(at.join("studies/s.toml"), study.replace("map.csv", "other.csv"))?;
    done(&run(at, "sweep studies/s.toml -o renamed --no-timing --jobs --placements -q")?);
    assert_eq!(cells("renamed")?, cells("whole")?);
    fs::write(at.join("studies/other.csv"), "n1 0\nn2 1\nn3 2\nn4 3\n")?;
    done(&run(at, "sweep studies/s.toml -o changed --no-timing --jobs --placements -q")?);
    let (before, after) = (cells("whole")?, cells("changed")?);
    // Cells of `naive` do not depend on the map.
    let same = before.iter().filter(|key| after.contains(key)).count();
    assert_eq!(same, before.len() / 2, "{before:?} {after:?}");
    // The flag gives a map to a study without one.
    fs::write(at.join("studies/bare.toml"), study.replace("node_map = 'map.csv'\n", ""))?;
    done(&run(
        at,
        "sweep studies/bare.toml -o flag --node-map studies/other.csv --no-timing --jobs --placements -q",
    )?);
    assert_eq!(cells("flag")?, after);
    let ran =
        run(at, "sweep studies/bare.toml -o flag --dry-run --submit slurm --node-map n{rank+1} --no-timing")?;
    assert!(ran.stdout.contains("n{rank+1}"), "{}{}", ran.stdout, ran.stderr);
    Ok(())
}

#[test]
fn wrong_maps_and_lists_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    small(at)?;
    let remedy = "add it to --node-map, or give one that has the names of the log";
    for (map, message) in [
        ("n1,0,0\nn2,1\n", "error: node map map:2: number of fields: found 2"),
        (
            "n1,0,0\nn2,2,0\n",
            "error: node map map:2: node 'n2' is at (2,0), outside of machine 2x2; mend the row",
        ),
        ("n1,0,0\nn2,x,0\n", "error: node map map:2: x: found 'x', expected a whole number from 0"),
        (
            "n1,0\n# again\nn2,0\n",
            "error: node map map:3: node 'n2' is at (0,0), where line 1 has 'n1' already",
        ),
        ("n1,4\n", "error: node map map:1: node 'n1' is at number 4, outside of machine 2x2"),
        (",0,0\n", "error: node map map:1: the name of the node is empty"),
        ("name;x\nn1;0\n", "error: node map map:1: the header has no column with the places, found name x"),
        ("label;x;y\nn1;0;0\n", "error: node map map:1: the header has no column with the names"),
        ("", "error: node map map: it has no row; expected rows such as node1,0,0 or node1,0"),
        ("# nothing\n\n", "error: node map map: it has no row"),
        (
            "n1,0\nn2,1\n",
            "error: small.txt: job 1 had node 'n4': the node map has no place for it (1 of the 3 names of \
                 the log have none)",
        ),
    ] {
        fs::write(at.join("map"), map)?;
        let ran = run(at, "replay small.txt -m 2x2 -s recorded -a recorded --time-zone UTC --node-map map")?;
        assert!(ran.stderr.contains(message), "{map}: {}", ran.stderr);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{map}");
        assert_eq!(ran.stderr.contains(remedy), message.contains("had node"), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn a_map_without_the_allocator_says_that_it_has_no_effect() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    small(at)?;
    for (arguments, is_idle) in [("-a naive", true), ("-a naive recorded", false)] {
        let ran =
            run(at, &format!("replay small.txt --time-zone UTC -m 4 {arguments} --node-map n{{rank+1}}"))?;
        let note =
            "the node map has no effect, as no replay has the allocator recorded; add that allocator or";
        assert_eq!((ran.code, ran.stderr.contains(note)), (Some(0), is_idle), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn logs_that_do_not_suit_the_machine_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    small(at)?;
    for (arguments, code, message) in [
        ("-m 2x2 -a recorded --node-map missing.csv", 1, "node map missing.csv: No such file or directory"),
        ("-m 2x2 -a recorded --node-map n{number}", 2, "'{number}' is no field"),
        ("-m 2x2 -a recorded --node-map n{rank", 2, "a brace is not closed"),
        ("-m 2x2 -a recorded --node-map {x}{y}", 2, "nothing tells where a number ends"),
        (
            "-m 2x2 -a recorded --node-map n{x}",
            1,
            "machine 2x2 has 2 dimensions; expected {rank}, or {x} and {y}",
        ),
        (
            "-m 2x2 -a recorded --node-map n{rank}",
            1,
            "its place by the pattern is number 4, which is outside of the machine",
        ),
        ("-m 2x2 -a recorded --node-map m{rank}", 1, "(3 of the 3 names of the log have none)"),
        (
            "-m 2x1 -a recorded",
            1,
            "its jobs had 3 different nodes (n1 to n4), machine 2x1 has 2; give a larger machine, or say",
        ),
        (
            "-m 4x4 -a recorded --unit cpus",
            1,
            "job 1 has 4 processors and its list 1 nodes, and so have 3 of 3 jobs",
        ),
        ("-m 2x2 -a recorded:map=x", 2, "'recorded' has no parameter 'map'"),
    ] {
        let ran = run(at, &format!("replay small.txt --time-zone UTC {arguments}"))?;
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
    }
    // Logs without lists, workload models, malformed lists, and two names for the same node.
    fs::write(at.join("bad.csv"), "submit,start,end,procs,nodelist\n0,0,9,1,n[1\n")?;
    fs::write(at.join("twice.csv"), "submit,start,end,procs,nodelist\n0,0,9,1,n1\n0,9,19,1,n01\n")?;
    for (arguments, message) in [
        (
            format!("{} -m 4x4", bundled("tiny.swf")),
            "tiny: no job has a list of nodes, and allocator 'recorded' places",
        ),
        ("synthetic:jobs=10,max=2x2 -m 4x4".to_owned(), "no job has a list of nodes"),
        (
            "bad.csv --input-format table -m 4x4 -s fcfs".to_owned(),
            "bad.csv: job 1: node list 'n[1': a bracket is not closed",
        ),
        (
            "twice.csv --input-format table -m 4x4 -s fcfs --node-map n{rank}".to_owned(),
            "twice.csv: names 'n01' and 'n1' are both node 1 of machine 4x4 by the node map; a node has one \
                 name",
        ),
    ] {
        let ran = run(at, &format!("replay {arguments} -a recorded"))?;
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.code, Some(1), "{arguments}: {}", ran.stderr);
    }
    fs::write(
        at.join("s.toml"),
        "logs = ['small.txt']\nmachines = ['2x2']\nallocators = ['recorded']\n\nnode_map = 'none.csv'\n",
    )?;
    let ran = run(at, "sweep s.toml -o s")?;
    assert!(ran.stderr.contains("s.toml:5: key 'node_map': node map"), "{}", ran.stderr);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    Ok(())
}

#[test]
fn a_converted_log_says_that_it_has_no_lists_of_nodes() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::copy(bundled("may.sacct.gz"), at.join("may.sacct.gz"))?;
    let ran = run(at, "trace convert may.sacct.gz may.swf --time-zone Europe/Berlin")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("lost, as swf has no nodes of jobs: lists of nodes: 1200\n"),
        "{}",
        ran.stderr
    );
    Ok(())
}
