//! `--outages` on the command line: replays, studies, audits and wrong inputs.

use std::fs;

use super::support::{Ran, Tested, bundled, contents, run};

/// Outages on 16 nodes: four nodes are down for a while, one for ever.
const OUTAGES: &str = "time,node,state\n# a cabinet\n100,0-3,down\n700,0-3,up\n300,\"(1,1)\",down\n";

/// Outages on 16 nodes while jobs of the small log run.
const EARLY: &str = "10,0-3,down\n30,0-3,up\n20,\"(1,1)\",down\n50,5,up\n60,7,down\n";

/// Checks that a command has succeeded.
#[track_caller]
fn done(ran: &Ran) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

#[test]
fn replays_and_studies_have_outages() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    let rule = "--outages random:mtbf=1y,repair=4h";
    for (treatment, killed) in [("requeue", true), ("drain", false)] {
        let replay =
            format!("replay {log} -m 16x16 -a hilbert+bf gabl -s easy --no-timing --placements {rule}");
        for threads in [1, 2] {
            let rest =
                format!("--on-outage {treatment} --threads {threads} --format csv -o {treatment}{threads}");
            let ran = run(at, &format!("{replay} {rest}"))?;
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            assert!(
                ran.stdout.contains("goodput,lost_node_s,available_node_s,node_failures,"),
                "{}",
                ran.stdout
            );
        }
        // Results do not depend on the number of threads.
        let [one, two] = [1, 2].map(|threads| contents(&at.join(format!("{treatment}{threads}"))));
        let (one, two) = (one?, two?);
        assert_eq!(one["jobs.csv"], two["jobs.csv"]);
        assert_eq!(one["summary.csv"], two["summary.csv"]);
        let jobs = String::from_utf8(one["jobs.csv"].clone())?;
        let header: Vec<&str> = jobs.lines().next().unwrap_or_default().split(',').collect();
        let column = header.iter().position(|name| *name == "restarts").ok_or("no restarts")?;
        let restarts = jobs.lines().skip(1).filter(|line| line.split(',').nth(column) != Some("0")).count();
        assert_eq!(restarts > 0, killed, "{treatment}: {restarts}");
        let ran = run(at, &format!("audit {treatment}1 --replay 1 --against easy"))?;
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.contains("not checked: what the policy promises, as nodes went down"),
            "{}",
            ran.stdout
        );
        let ran = run(at, &format!("audit {treatment}1 --replay 0 --against fcfs"))?;
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let downtimes = String::from_utf8(one["downtimes.csv"].clone())?;
        assert_eq!(one["downtimes.csv"], two["downtimes.csv"]);
        let count = |what: &str| {
            downtimes.lines().filter(|line| line.starts_with("0,") && line.contains(what)).count()
        };
        assert!(count(",down,") > 20 && (count(",killed,") > 0) == killed, "{downtimes}");
        let killed = format!("outages: {} of these are runs in which a job was killed", count(",killed,"));
        assert!(ran.stdout.contains(&killed), "{}", ran.stdout);
    }

    // In a study, the path of the file is relative to the study, and its content is part of the keys.
    fs::create_dir(at.join("studies"))?;
    fs::write(at.join("studies/cabinet.csv"), OUTAGES)?;
    let study = format!(
        "logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive', 'first-fit']\noutages = 'cabinet.csv'\n\
         on_outage = 'requeue:limit=2'\n",
        bundled("tiny.swf")
    );
    fs::write(at.join("studies/s.toml"), study)?;
    done(&run(at, "sweep studies/s.toml -o s --no-timing --jobs -q")?);
    let before: Vec<String> = contents(&at.join("s/cells"))?.into_keys().collect();
    fs::write(at.join("studies/cabinet.csv"), OUTAGES.replace("700", "800"))?;
    done(&run(at, "sweep studies/s.toml -o other --no-timing --jobs -q")?);
    let after: Vec<String> = contents(&at.join("other/cells"))?.into_keys().collect();
    assert!(before.iter().all(|key| !after.contains(key)), "{before:?} {after:?}");
    let manifest = fs::read_to_string(at.join("s/study.json"))?;
    assert!(manifest.contains("requeue:limit=2") && manifest.contains("studies/cabinet.csv"), "{manifest}");
    Ok(())
}

#[test]
fn pictures_and_audits_show_them() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("o.csv"), EARLY)?;
    let (log, rest) = (bundled("tiny.swf"), "--no-timing --placements -q");
    fs::write(
        at.join("s.toml"),
        format!(
            "logs = ['{log}']\nmachines = ['4x4']\nallocators = ['naive', 'first-fit']\noutages = 'o.csv'\n"
        ),
    )?;
    for format in ["csv", "parquet", "arrow", "json", "jsonl", "study"] {
        let command = match format {
            "study" => "sweep s.toml -o study --no-timing --jobs --placements -q".to_owned(),
            _ => format!(
                "replay {log} -m 4x4 -a naive first-fit --outages o.csv {rest} --format {format} -o {format}"
            ),
        };
        done(&run(at, &command)?);
        done(&run(at, &format!("plot {format} --kind busy gantt nodes -o pictures-{format} -q"))?);
        let svg = |kind: &str| fs::read_to_string(at.join(format!("pictures-{format}/{kind}.svg")));
        assert!(svg("busy")?.contains("nodes up"), "{format}");
        let gantt = svg("gantt")?;
        for part in ["down: 10 s to 30 s", "down: 60 s<", ", killed as a node went down", " that were killed"]
        {
            assert!(gantt.contains(part), "{format}: {part}");
        }
        assert!(svg("nodes")?.contains(", down "), "{format}");
        done(&run(at, &format!("report {format} -o {format}.html -q"))?);
        let page = fs::read_to_string(at.join(format!("{format}.html")))?;
        assert!(
            page.contains("\"down\":[[10.0,30.0,[0,3]],[20.0,50.0,[5,5]],[60.0,null,[7,7]]]"),
            "{format}"
        );
        assert!(page.contains("down, while its job still runs</p>"), "{format}");
        let ran = run(at, &format!("audit {format} --replay 0"))?;
        assert_eq!(ran.code, Some(0), "{format}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("; no run starts on a node that is down"), "{}", ran.stdout);
    }
    Ok(())
}

#[test]
fn schedules_and_moments_show_them() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("o.csv"), EARLY)?;
    let log = bundled("tiny.swf");
    let replay = format!("replay {log} -m 4x4 -a naive --outages o.csv --no-timing --placements -q");
    for format in ["csv", "parquet", "arrow"] {
        done(&run(at, &format!("{replay} --format {format} -o {format}"))?);
    }
    // An audit finds a job on a node that is down.
    let jobs = fs::read_to_string(at.join("csv/downtimes.csv"))?;
    fs::write(at.join("csv/downtimes.csv"), jobs.replace(",10.0,", ",0.0,"))?;
    let ran = run(at, "audit csv --replay 0")?;
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    let ran = run(at, "compare parquet arrow --replay 0")?;
    assert!(
        ran.stdout.contains("only last runs are compared; runs in which jobs were killed"),
        "{}",
        ran.stdout
    );
    let ran = run(at, "export parquet --replay 0 --to swf -o -")?;
    assert!(ran.stdout.contains("; Note: nodes went down: a job has its last run, and "), "{}", ran.stdout);

    let show = format!("show allocation {log} -m 4x4 -a naive first-fit --at 25");
    let ran = run(at, &format!("{show} --outages o.csv --on-outage drain"))?;
    assert!(
        ran.code == Some(0)
            && ran.stdout.contains("× down\n")
            && ran.stdout.contains(", 5 down (5 still in use)"),
        "{}",
        ran.stdout
    );
    let ran = run(at, &format!("{show} --unavailable 0-3 --oversize skip"))?;
    assert!(ran.code == Some(0) && ran.stdout.contains("▒ unavailable"), "{}{}", ran.stdout, ran.stderr);
    let ran = run(at, &format!("{show} --on-outage drain"))?;
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    for show in
        ["curve hilbert --machine 4x4", "optimum --machine 4x4 --procs 3", "blocks --machine 4x4 -a mbs"]
    {
        let ran = run(at, &format!("show {show} --unavailable (0,0)-(1,0)"))?;
        assert!(ran.code == Some(0) && ran.stdout.contains('▒'), "{show}: {}{}", ran.stdout, ran.stderr);
    }
    Ok(())
}

#[test]
fn a_treatment_needs_outages() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = |rest: &str| {
        format!("logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive']\n{rest}", bundled("tiny.swf"))
    };
    let advice = "has no effect without key 'outages'; add a line such as outages \
         = \"random:mtbf=30d,repair=4h\", or leave it out";
    // An error even with the default value, which equals no key.
    for treatment in ["drain", "requeue"] {
        fs::write(at.join("s.toml"), study(&format!("on_outage = '{treatment}'\n")))?;
        let ran = run(at, "sweep s.toml -o s -q")?;
        let message = format!("error: s.toml:4: key 'on_outage' {advice}\n");
        assert_eq!((ran.code, ran.stderr), (Some(1), message));
    }
    fs::write(at.join("s.toml"), study(""))?;
    let ran = run(at, "sweep s.toml -o s -q --on-outage drain")?;
    assert_eq!((ran.code, ran.stderr), (Some(1), format!("error: s.toml:1: --on-outage {advice}\n")));
    // One setting may come from a flag and the other from the study.
    done(&run(at, "sweep s.toml -o s -q --on-outage drain --outages random:mtbf=1d,repair=1h")?);
    fs::write(at.join("s.toml"), study("outages = 'random:mtbf=1d,repair=1h'\n"))?;
    done(&run(at, "sweep s.toml -o t -q --on-outage drain")?);
    let [s, t] = ["s", "t"].map(|folder| contents(&at.join(folder).join("cells")));
    assert_eq!(s?.into_keys().collect::<Vec<_>>(), t?.into_keys().collect::<Vec<_>>());
    Ok(())
}

#[test]
fn results_without_outages_have_no_columns_of_them() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!("replay {} -m 4x4 -a naive --no-timing --format csv -q", bundled("tiny.swf"));
    let ran = run(at, &replay)?;
    assert!(!ran.stdout.contains("goodput") && !ran.stdout.contains("jobs_given_up"), "{}", ran.stdout);
    Ok(())
}

#[test]
fn wrong_outages_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!("replay {} -m 4x4 -q", bundled("tiny.swf"));
    for (text, message) in [
        (
            "10,3,down\n12,3,down\n",
            "o.csv:2: node 3 goes down at 12 s, but it is down since line 1; outages of one node must not \
             overlap, so give the line at which it comes up between them",
        ),
        (
            "10,5,up\n",
            "o.csv:1: node 5 comes up at 10 s, but it is up already; take the line out, or give the line at \
             which it goes down",
        ),
        (
            "time,node,state\n10,16,down\n",
            "o.csv:2: field 2, the node: found 16, expected a node of machine 4x4, which has nodes 0 to 15",
        ),
        (
            "-1,3,down\n",
            "o.csv:1: field 1, the time: found '-1', expected seconds from 0 to 9e12, such as 3600 or 0.5",
        ),
        ("1,3,off\n", "o.csv:1: field 3, the state: found 'off', expected down, planned or up"),
        (
            "\u{feff}time,node,state\r\n20,3,up\r\n25,3,up\r\n10,3,down\r\n",
            "o.csv:3: node 3 comes up at 25 s, but it is up already; take the line out, or give the line at \
             which it goes down",
        ),
        (
            "time,node,state\n",
            "o.csv lists no change of a node; expected lines time,node,down|planned|up, or leave out the \
                 outages",
        ),
        (
            "",
            "o.csv lists no change of a node; expected lines time,node,down|planned|up, or leave out the \
                 outages",
        ),
    ] {
        fs::write(at.join("o.csv"), text)?;
        let ran = run(at, &format!("{replay} -a naive --outages o.csv"))?;
        assert_eq!((ran.code, ran.stderr), (Some(1), format!("error: {message}\n")));
    }
    Ok(())
}

#[test]
fn outages_that_cannot_be_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!("replay {} -m 4x4 -q", bundled("tiny.swf"));
    // The whole machine is down for ever while jobs wait: the replay succeeds, with a note.
    fs::write(at.join("o.csv"), "\u{feff}Time,node,state\r\n0,0-15,Down\r\n")?;
    let ran = run(at, &format!("{replay} -a naive --no-timing --outages o.csv").replace(" -q", ""))?;
    let note = "10 jobs never started, as needed nodes did not come up; left \
                out of all means\n";
    assert!(ran.code == Some(0) && ran.stderr.contains(note), "{}", ran.stderr);
    for (rest, code, message) in [
        (
            "-a naive --outages no.csv",
            1,
            "error: cannot read the outages in no.csv: No such file or directory (os error 2); give a file \
             of lines time,node,down|planned|up, or random:mtbf=30d,repair=4h\n",
        ),
        (
            "-a naive --outages random:mtbf=3w,repair=1h",
            2,
            "parameter 'mtbf' of 'random' is '3w': expected a time",
        ),
        ("-a naive --outages o.csv --on-outage kill", 2, "'kill' (one of: requeue, drain)"),
        ("-a naive --on-outage drain", 2, "--outages <FILE|RULE>"),
        (
            "-a naive --network wormhole --outages random:mtbf=1d,repair=1h",
            2,
            "error: 'wormhole' cannot serve machine 4x4: it cannot stop the messages of a job that is \
             killed; give --on-outage drain, or leave out --outages\n",
        ),
        (
            "-m 16 -a left-compaction --outages random:mtbf=1d,repair=1h",
            2,
            "'left-compaction' cannot serve machine 16: nodes may not go down: its tasks slide along the \
                 whole array",
        ),
    ] {
        let replay = if rest.starts_with("-m") { replay.replace(" -m 4x4", "") } else { replay.clone() };
        let ran = run(at, &format!("{replay} {rest}"))?;
        assert_eq!(ran.code, Some(code), "{rest}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{rest}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn killed_jobs_are_busy_while_they_run_and_wait_only_between_their_runs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("one.swf"), "; MaxProcs: 16\n1 0 -1 100 16 -1 -1 16 100 -1 1 1 1 1 1 1 -1 -1\n")?;
    fs::write(at.join("o.csv"), "time,node,state\n50,0,down\n60,0,up\n")?;
    let replay = "replay one.swf -m 4x4 -s fcfs -a naive --outages o.csv --sparklines --no-timing -q \
         --placements -o out";
    let told = run(at, replay)?;
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    // One character per 4 s of 160 s: the job runs for 50 s, waits for 10 s and runs for 100 s.
    let busy = format!("{}▄  {}", "█".repeat(12), "█".repeat(25));
    let waits = format!("{}▄██", " ".repeat(12));
    assert!(told.stdout.contains(&format!(" naive  {busy}  {waits}\n")), "{}", told.stdout);
    // Time strip of the player: steps with a queue, and steps with an idle machine.
    let ran = run(at, "report out")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = fs::read_to_string(at.join("out/report.html"))?;
    let numbers = |name: &str| -> Option<Vec<u32>> {
        let list = page.split(&format!("\"{name}\":[")).nth(1)?.split(']').next()?;
        list.split(',').map(|number| number.parse().ok()).collect()
    };
    let (queue, busy) = (numbers("queue").ok_or("no queue")?, numbers("busy").ok_or("no busy")?);
    let (waiting, idle) =
        (queue.iter().filter(|&&jobs| jobs > 0).count(), busy.iter().filter(|&&share| share == 0).count());
    // The strip covers 160 s in 480 steps: 10 s are 30 steps.
    assert!((29..=32).contains(&waiting) && (29..=31).contains(&idle), "{waiting}, {idle}");
    Ok(())
}
