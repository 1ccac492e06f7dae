//! Machines with unavailable nodes on the command line: the option, the key of studies, drawings, audits,
//! wrong inputs.

use std::fs;

use super::support::{Tested, bundled, contents, run};

/// Service nodes of an 8 × 8 mesh in every notation: 0 to 3, 8, 9 and 27.
const FILE: &str = "# service nodes\n0-3\n(0,1)-(1,1) # two more\n\n(3,3)\n";
const MACHINE: &str = "8x8:without=0-3,8-9,27";

#[test]
fn the_option_the_key_and_the_spec_are_one_machine() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("nodes.txt"), FILE)?;
    let log = bundled("tiny.swf");
    let replay = |more: &str, folder: &str| {
        run(at, &format!("replay {log} -a naive mc1x1 gabl {more} --no-timing --placements -q -o {folder}"))
    };
    for (more, folder) in [
        (format!("-m {MACHINE}"), "spec"),
        ("-m 8x8 --unavailable nodes.txt".to_owned(), "file"),
        ("-m 8x8:without=3,27 --unavailable 0-2 (0,1)-(1,1)".to_owned(), "both"),
    ] {
        let ran = replay(&more, folder)?;
        assert_eq!(ran.code, Some(0), "{more}: {}", ran.stderr);
        assert!(ran.stdout.contains(MACHINE), "{}", ran.stdout);
        let audited = run(at, &format!("audit {folder} --replay 1 --against easy"))?;
        assert_eq!(audited.code, Some(0), "{}{}", audited.stdout, audited.stderr);
    }
    let first = contents(&at.join("spec"))?;
    for folder in ["file", "both"] {
        assert!(contents(&at.join(folder))? == first, "{folder} differs");
    }
    let study =
        |machines: &str| format!("logs = [\"{log}\"]\nmachines = [{machines}]\nallocators = [\"naive\"]\n");
    fs::write(at.join("a.toml"), study("\"8x8\"") + "unavailable = \"nodes.txt\"\n")?;
    fs::write(at.join("b.toml"), study(&format!("\"{MACHINE}\"")))?;
    let listed = |file: &str| run(at, &format!("sweep {file} --dry-run -o study"));
    let (a, b) = (listed("a.toml")?, listed("b.toml")?);
    assert_eq!((a.code, a.stdout.contains(MACHINE)), (Some(0), true), "{}{}", a.stdout, a.stderr);
    assert_eq!(a.stdout, b.stdout);
    Ok(())
}

#[test]
fn pictures_show_them_and_say_so() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    let ran = run(at, &format!("replay {log} -m {MACHINE} -a naive --no-timing --placements -q -o out"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for kind in ["nodes", "gantt"] {
        let ran = run(at, &format!("plot out --kind {kind} -o pictures"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let svg = fs::read_to_string(at.join(format!("pictures/{kind}.svg")))?;
        assert!(svg.matches("unavailable").count() >= 4, "{kind}");
    }
    let ran = run(at, "report out -o page.html -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = fs::read_to_string(at.join("page.html"))?;
    assert!(page.contains("\"unavailable\":[0,3,8,9,27,27]"), "the data of the player");
    assert!(page.contains("Nodes that are only outlined are unavailable."), "its note");
    let curve = run(at, &format!("show curve row-snake --machine {MACHINE} --style line"))?;
    assert!(curve.stdout.ends_with("○ first  ● last  ▒ unavailable  no jumps\n"), "{}", curve.stdout);
    assert_eq!(curve.stdout.lines().take(8).map(|line| line.matches('▒').count()).sum::<usize>(), 7);
    Ok(())
}

#[test]
fn wrong_nodes_are_one_clear_line() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("twice.txt"), "0-3\n2\n")?;
    fs::write(at.join("wrong.csv"), "x,y\n3,eight\n")?;
    let log = bundled("tiny.swf");
    for (arguments, message) in [
        (
            "-m 8x8 --unavailable 64",
            "machine 8x8: unavailable node 64 is outside the machine; expected nodes from 0 to 63",
        ),
        (
            "-m 8x8 --unavailable 0-63",
            "all 64 nodes are unavailable; expected at least one node that jobs can have",
        ),
        ("-m 8x8 --unavailable 3,3", "node 3 is made unavailable twice; expected each node once"),
        ("-m 8x8:without=3 --unavailable 3", "node 3 is made unavailable twice"),
        (
            "-m 8x8 --unavailable nodes.txt",
            "'nodes.txt' is no node and no interval of nodes, and there is no such file",
        ),
        ("-m 8x8 --unavailable twice.txt", "twice.txt:2: node 2 is made unavailable twice"),
        ("-m 8x8 --unavailable wrong.csv", "wrong.csv:2: 'eight' in column 'y' is no whole number; expected"),
        ("-m 8x8 --unavailable (8,0)", "(8,0) is outside machine 8x8"),
        ("-m 8x8:without=", "without= names no node; expected numbers and intervals of nodes"),
        (
            "-m 64:without=3 -a left-compaction",
            "left-compaction' cannot serve machine 64:without=3: it is for machines without",
        ),
    ] {
        let allocator = if arguments.contains("-a ") { "-q" } else { "-a naive" };
        let ran = run(at, &format!("replay {log} {arguments} {allocator}"))?;
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.stderr);
        let errors: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("error: ")).collect();
        assert!(errors.len() == 1 && errors[0].contains(message), "{arguments}: {}", ran.stderr);
    }
    fs::write(
        at.join("study.toml"),
        format!(
            "logs = [\"{log}\"]\nmachines = [\"8x8\"]\nallocators = [\"naive\"]\nunavailable \
                 = \"twice.txt\"\n"
        ),
    )?;
    let ran = run(at, "sweep study.toml --dry-run -o study")?;
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stderr.contains("study.toml:4: key 'unavailable': "), "{}", ran.stderr);
    assert!(ran.stderr.contains("twice.txt:2: node 2 is made unavailable twice"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn all_leaves_out_who_moves_jobs_and_jobs_that_find_no_place_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    let ran = run(at, &format!("replay {log} -m 64:without=3 -a all --no-timing --format csv"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let note = "all leaves out 'left-compaction', 'right-compaction', 'ordered-compaction', \
                'cost-free-compaction' on 64:without=3: each is for machines without unavailable";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert!(ran.stdout.contains("linear-first-fit"), "{}", ran.stdout);
    // Every second node of the array is unavailable, so a job of two adjacent nodes never fits.
    let odd: Vec<String> = (1..64).step_by(2).map(|node| node.to_string()).collect();
    let machine = format!("64:without={}", odd.join(","));
    let ran = run(at, &format!("replay {log} -m {machine} -a first-fit"))?;
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("which 'first-fit' does not find on machine 64:without=1,3,"),
        "{}",
        ran.stderr
    );
    Ok(())
}
