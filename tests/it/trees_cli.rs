//! Trees of switches on the command line: topologies, columns, refusals, studies and pictures.

use std::fs;

use super::support::{Tested, bundled, columns, run};

/// The tree of the bundled dump.
fn topology() -> String {
    bundled("may.topology.conf")
}

#[test]
fn a_topology_gives_machine_and_node_map() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let common = format!(
        "replay {} --no-timing --format csv -s recorded -a recorded slurm-tree",
        bundled("may.sacct.gz")
    );
    let ran =
        run(at, &format!("{common} -m auto --topology {} --time-zone UTC -o tree --placements", topology()))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains(": machine 'auto' is tree:4x4x16\n"), "{}", ran.stderr);
    // The machine by its description, and the topology as node map.
    let same = format!("-m tree:4x4x16 --node-map {} --time-zone UTC -o same --placements -q", topology());
    let ran = run(at, &format!("{common} {same}"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for file in ["jobs.csv", "summary.csv"] {
        assert_eq!(fs::read(at.join("tree").join(file))?, fs::read(at.join("same").join(file))?, "{file}");
    }
    // The key of a study does what the option does.
    fs::copy(topology(), at.join("t.conf"))?;
    let study = format!(
        "logs = [\"{}\"]\nmachines = [\"auto\"]\ntopology = \"t.conf\"\nschedulers = [\"recorded\"]\n\
         allocators = [\"recorded\", \"slurm-tree\"]\ninput_format = \"auto:time-zone=UTC\"\n",
        bundled("may.sacct.gz")
    );
    fs::write(at.join("trees.toml"), study)?;
    let ran = run(at, "sweep trees.toml -o swept")?;
    assert!(ran.code == Some(0) && ran.stderr.contains("machine 'auto' is tree:4x4x16"), "{}", ran.stderr);
    let listed = fs::read_to_string(at.join("swept/study.json"))?;
    assert!(listed.contains("\"tree:4x4x16\"") && listed.contains("t.conf"), "{listed}");
    let [jobs, summary] = ["jobs", "summary"].map(|name| columns(&at.join(format!("tree/{name}.csv"))));
    let (jobs, summary) = (jobs?, summary?);
    // The first job has n[001-032], the first two leaves.
    assert_eq!((jobs["nodes"][0].as_str(), jobs["components"][0].as_str()), ("0-31", "2"));
    let share = |row: usize| summary["one_leaf_share"][row].parse::<f64>();
    assert!(share(1)? > share(0)? + 0.2, "{summary:?}");
    // The closing lines say once that a mesh need not be the site's network.
    let common = common.replace("--format csv", "-q --time-zone UTC").replace("slurm-tree", "naive");
    for (machines, line) in [
        (
            "auto",
            "distances are those of 16x16, which may not be the site's network; -m auto --topology FILE",
        ),
        ("16x16 256", "distances are those of the machines given, which may not be"),
    ] {
        let ran = run(at, &format!("{common} -m {machines}"))?;
        let lines = ran.stdout.lines().filter(|found| found.starts_with(line)).count();
        assert_eq!(lines, 1, "{}{}", ran.stdout, ran.stderr);
    }
    let ran = run(at, &format!("{common} -m auto --topology {}", topology()))?;
    assert!(!ran.stdout.contains("distances are those of"), "{}", ran.stdout);
    let ran = run(at, &format!("{common} -m auto"))?;
    assert!(!ran.stdout.contains("one_leaf_share"), "{}", ran.stdout);
    Ok(())
}

#[test]
fn machines_are_shown_and_node_maps_written() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(at, &format!("show machine {} --node-map nodes.csv", topology()))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("tree:4x4x16\n\n256 nodes\n"), "{}", ran.stdout);
    let map = fs::read_to_string(at.join("nodes.csv"))?;
    assert!(map.starts_with("name,number\nn001,0\n") && map.ends_with("n256,255\n"), "{map}");
    for (command, code, message) in [
        (format!("show machine {} --node-map nodes.csv", topology()), 1, "nodes.csv already exists; --force"),
        ("show machine tree:2x0".to_owned(), 2, "size 2 is 0; expected 1 to 6 sizes"),
        ("show machine 4x4 --node-map a.csv".to_owned(), 2, "--node-map needs the names of nodes"),
        ("show machine nodes.csv".to_owned(), 1, "nodes.csv:1: found 'name,number', expected key=value"),
    ] {
        let ran = run(at, &command)?;
        assert_eq!(ran.code, Some(code), "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{command}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn what_a_tree_does_not_have_is_refused_with_the_reason() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let tiny = bundled("tiny.swf");
    for (arguments, code, message) in [
        ("-m tree:4x4 -a naive --contention", 1, "how many cables join the switches of a tree is not known"),
        ("-m tree:4x4 -a naive --fragmentation 2x2", 1, "give numbers of nodes, such as 4 for free leaves"),
        ("-m tree:4x4 -a naive --network wormhole", 2, "'recorded' serves it"),
        ("-m tree:4x4 -a mc1x1", 2, "it does not serve trees of switches: it places by coordinates"),
        ("-m 4x4 -a slurm-tree", 2, "it is for trees of switches, such as tree:18x24"),
        ("-m 4x4 -a naive --topology t.conf", 2, "write machine auto, or leave the topology out"),
        ("-m auto -a naive --topology t.conf", 1, "topology t.conf: No such file"),
        ("-m tree:2x8 -a recorded --node-map small.conf", 1, "found a topology of machine tree:2x1"),
    ] {
        fs::write(at.join("small.conf"), "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\n")?;
        let ran = run(at, &format!("replay {tiny} {arguments}"))?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
    let ran = run(at, &format!("replay {tiny} -m tree:4x4 -a all --no-timing"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("each does not serve trees of switches").count(), 1, "{}", ran.stderr);
    Ok(())
}

#[test]
fn studies_reports_and_pictures_have_trees() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    let study = format!("logs = ['{log}']\nmachines = ['tree:auto:4', 'tree:2x8']\nallocators = ['kueue']\n");
    fs::write(at.join("study.toml"), study)?;
    let ran = run(at, "sweep study.toml -o cells -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(at, "table cells --columns machine,one_leaf_share")?;
    assert!(
        ran.stdout.contains("tree:4x4") && ran.stdout.contains("tree:2x8"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let options = "-a naive -o study --placements --fragmentation 4 --format csv -q";
    let ran = run(at, &format!("replay {log} -m tree:auto:4 4x4 {options}"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let summary = columns(&at.join("study/summary.csv"))?;
    assert_eq!(summary["machine"], ["tree:4x4", "4x4"]);
    for column in ["one_leaf_share", "leaves_excess_mean", "slurm_fragmentation_mean"] {
        assert!(!summary[column][0].is_empty() && summary[column][1].is_empty(), "{column}: {summary:?}");
    }
    let ran = run(at, "report study -o study.html")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report = fs::read_to_string(at.join("study.html"))?;
    assert!(report.contains("\"levels\":[4,16]") && report.contains("jobs in one leaf"), "no tree");
    let ran = run(at, "plot study --kind nodes -o nodes.svg")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(fs::read_to_string(at.join("nodes.svg"))?.contains("nodes of a leaf"));
    let log = bundled("tiny.swf");
    let ran =
        run(at, &format!("show allocation {log} --at 3000 --machine tree:2x2x4 --allocator slurm-tree"))?;
    assert!(ran.stdout.contains("group 0") && ran.stdout.contains("group 1"), "{}{}", ran.stdout, ran.stderr);
    Ok(())
}
