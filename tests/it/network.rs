//! Networks and contention on the command line. The network model has unit tests.

use std::fs;

use super::support::{Tested, bundled, columns, run};

/// Replays a small workload and writes CSV files to `out`.
fn replay(at: &std::path::Path, arguments: &str) -> Tested {
    let ran = run(at, &format!("replay {arguments} -o out --force --format csv --no-timing -q"))?;
    if ran.code == Some(0) { Ok(()) } else { Err(format!("{arguments}: {}", ran.stderr).into()) }
}

/// Removes the name of the execution model from results.
fn without_network(text: &str) -> String {
    text.replace("recorded", "").replace("\"\"", "")
}

#[test]
fn without_messages_jobs_run_as_recorded_under_every_scheduler() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    for scheduler in
        ["fcfs", "easy", "easy:pass=per-event", "conservative", "first-fit-queue", "bypass-queue"]
    {
        for input in [format!("{log} -m 4x4"), "synthetic:jobs=300,ratio=1 -m 8x8".to_owned()] {
            let rest = format!("{input} -s {scheduler} -a gabl first-fit hilbert+bf --oversize skip");
            let mut found = Vec::new();
            for network in ["recorded", "wormhole:messages=0"] {
                replay(at, &format!("{rest} --network {network}"))?;
                let jobs = columns(&at.join("out/jobs.csv"))?;
                found.push((jobs["start_s"].clone(), jobs["end_s"].clone(), jobs["pairwise_sum"].clone()));
            }
            assert!(found[0] == found[1], "{rest}");
        }
    }
    Ok(())
}

#[test]
fn threads_do_not_change_results() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for machine in ["8x8", "4x4x4"] {
        let mut found = Vec::new();
        for threads in [1, 2] {
            let arguments = format!(
                "synthetic:rate=0.05,jobs=300 -m {machine} -s fcfs easy -a gabl paging --replications 2 \
                 --threads {threads} --network wormhole:compute=none \
                 wormhole:pattern=ring,quota=rounds"
            );
            replay(at, &arguments)?;
            let of = |file: &str| -> Result<String, Box<dyn std::error::Error>> {
                let text = fs::read_to_string(at.join("out").join(file))?;
                let rows = text.lines().filter_map(|row| Some(row.rsplit_once(',')?.0.to_owned()));
                Ok(rows.collect::<Vec<_>>().join("\n"))
            };
            found.push((of("jobs.csv")?, of("summary.csv")?));
        }
        assert!(found[0] == found[1], "{machine}");
    }
    Ok(())
}

#[test]
fn packets_and_contention_are_counted_by_job_and_by_replay() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    replay(
        at,
        "synthetic:rate=0.02,jobs=200 -m 8x8 -s fcfs -a random --contention --network recorded \
         wormhole:compute=none,pattern=ring,quota=rounds,messages=3,law=constant",
    )?;
    let (jobs, summary) = (columns(&at.join("out/jobs.csv"))?, columns(&at.join("out/summary.csv"))?);
    let number = |text: &String| text.parse::<f64>();
    // The first replay has no network, so its columns of packets are empty.
    assert!(summary["packets"][0].is_empty() && jobs["packets"][..200].iter().all(String::is_empty));
    let mut packets = 0;
    for (i, procs) in jobs["procs"].iter().enumerate().skip(200) {
        let procs: u64 = procs.parse()?;
        let expected = if procs == 1 { 0 } else { 3 * procs };
        assert_eq!(jobs["packets"][i], expected.to_string());
        packets += expected;
        // A ring of at least two processes is never faster than one packet to a neighbour in an idle network.
        let service: f64 = jobs["run_s"][i].parse()?;
        assert!(
            if procs == 1 { (service - 1.0).abs() < 1e-9 } else { service >= 2.0 * 4.0 + 8.0 },
            "{service}"
        );
    }
    assert_eq!(summary["packets"][1], packets.to_string());
    let sum = |column: &str| jobs[column][200..].iter().map(number).sum::<Result<f64, _>>();
    let share = sum("packets_contended")? / packets as f64;
    assert!((number(&summary["packets_contended_share"][1])? - share).abs() < 1e-9 && share > 0.0);
    // The first job of a replay is alone.
    assert!(number(&jobs["contention_others"][0])?.abs() < 1e-9);
    for (column, mean) in
        [("contention_own", "contention_own_mean"), ("contention_others", "contention_others_mean")]
    {
        let expected = jobs[column][..200].iter().map(number).sum::<Result<f64, _>>()? / 200.0;
        assert!(
            (number(&summary[mean][0])? - expected).abs() <= 1e-9 * expected && expected > 0.0,
            "{column}"
        );
    }
    assert!(number(&summary["contention_mean"][0])? > 0.0);
    // A run with another network does not replace results.
    let ran = run(
        at,
        "replay synthetic:rate=0.02,jobs=200 -m 8x8 -s fcfs -a random --contention -o out --no-timing -q",
    )?;
    assert!(ran.code == Some(1) && ran.stderr.contains("--force"), "{}", ran.stderr);
    let resolved = fs::read_to_string(at.join("out/run.json"))?;
    assert!(
        resolved.contains("\"network\": \"wormhole:buffer=flit,compute=none")
            && resolved.contains("\"contention\": true")
    );
    // Without `--contention` there are no such columns.
    replay(at, "synthetic:rate=0.02,jobs=20 -m 8x8 -s fcfs -a random")?;
    let titles = fs::read_to_string(at.join("out/summary.csv"))?;
    assert!(
        !titles.contains("packet") && !titles.contains("contention") && without_network(&titles) != titles
    );
    Ok(())
}

#[test]
fn networks_are_an_axis_of_studies() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = "logs = [\"synthetic:jobs=100\"]\nmachines = [\"8x8\"]\nallocators = [\"gabl\", \"mbs\"]\n\
                 networks = [\"recorded\", \"wormhole:length=4\"]\n";
    fs::write(at.join("a.toml"), study)?;
    let ran = run(at, "sweep a.toml -o out --contention --no-timing --jobs -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let table = run(at, "table out --rows allocator --columns network --value service_s_mean --format csv")?;
    assert_eq!((table.code, table.stdout.lines().count()), (Some(0), 3), "{}{}", table.stdout, table.stderr);
    let again = run(at, "sweep a.toml -o out --contention --no-timing --jobs")?;
    assert!(again.stderr.contains('4') && again.code == Some(0), "{}", again.stderr);
    fs::write(at.join("a.toml"), study.replace("length=4", "lenght=4"))?;
    let wrong = run(at, "sweep a.toml -o out")?;
    assert!(
        wrong.stderr.starts_with(
            "error: a.toml:4: key 'networks', entry 2: 'wormhole' has no parameter 'lenght' (it has: "
        ),
        "{}",
        wrong.stderr
    );
    Ok(())
}

#[test]
fn networks_that_mean_nothing_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    for (arguments, message) in [
        ("-m 8x8 -a gabl --network wormhol", "unknown network 'wormhol', did you mean 'wormhole'? (one of: "),
        (
            "-m 8x8 -a gabl --network wormhole:length=0",
            "parameter 'length' of 'wormhole' is '0': expected a whole number from 1 to 65536",
        ),
        (
            "-m 8x8 -a gabl --network wormhole:ts=-1",
            "parameter 'ts' of 'wormhole' is '-1': expected a whole number from 0 to 65536",
        ),
        (
            "-m 8x8 -a gabl --network wormhole:messages=nan",
            "parameter 'messages' of 'wormhole' is 'NaN': expected a number from 0 to 1e9",
        ),
        (
            "-m 8x8 -a gabl --network wormhole:cycle=1e-7",
            "parameter 'cycle' of 'wormhole' is '0.0000001': expected seconds from 0.000001",
        ),
        (
            "-m 8x8 -a gabl --network wormhole:pattern=gossip",
            "parameter 'pattern' of 'wormhole' is 'gossip': expected one of: all-to-all, ",
        ),
        ("-m 8x8 -a gabl --network recorded:cycle=1", "'recorded' has no parameter 'cycle' (it has none)"),
        (
            "-m 2048x1024 -a naive --network wormhole",
            "'wormhole' cannot serve machine 2048x1024: it is for machines of at most 1048576 nodes; \
                 'recorded' serves larger ones",
        ),
        (
            "-m 64 -a left-compaction --network wormhole",
            "'left-compaction' cannot serve machine 64: it moves running jobs, which network 'wormhole' \
                 cannot; give another allocator or network 'recorded'",
        ),
    ] {
        let ran = run(directory.path(), &format!("replay synthetic:jobs=10 {arguments}"))?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
    // `-a all` skips allocators that cannot run with a network.
    let ran = run(
        directory.path(),
        "replay synthetic:jobs=10,max=8 -m 64 -s fcfs -a all --network wormhole --format csv -q --oversize \
             skip",
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("linear-first-fit") && !ran.stdout.contains("-compaction"));
    Ok(())
}

#[test]
fn networks_are_measured_without_jobs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let common = "show network --machine 4x4 --rate 0.05..0.15:0.05 --cycles 2000 --warm-up 100";
    let ran = run(at, &format!("{common} --network wormhole wormhole:buffer=packet -o curves.svg"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with(" machine 4x4 · pattern random · 2,000 cycles after 100 · seed 1\n\n network")
    );
    assert_eq!(ran.stdout.lines().count(), 2 + 1 + 6, "{}", ran.stdout);
    let svg = fs::read_to_string(at.join("curves.svg"))?;
    assert!(svg.contains("Latency by load") && svg.contains("Accepted by offered load"));
    // The same seed gives the same bytes. An earlier picture may be overwritten, other files may not.
    let again = run(at, &format!("{common} --network wormhole wormhole:buffer=packet -o curves.svg"))?;
    assert!(again.stdout == ran.stdout && fs::read_to_string(at.join("curves.svg"))? == svg);
    let csv = run(at, &format!("{common} --replications 2 --format csv --pattern ring transpose"))?;
    assert!(
        csv.stdout.starts_with("machine,network,pattern,offered,replications,accepted,accepted_half_width,")
    );
    assert_eq!(csv.stdout.lines().count(), 1 + 6);
    fs::write(at.join("mine.svg"), "<svg/>")?;
    for (arguments, code, message) in [
        ("--machine 4x4 --rate 0", 2, "expected up to 1000 loads above 0"),
        ("--machine 4x4 --pattern gossip", 2, "unknown pattern 'gossip'"),
        ("--machine 4x4 --network recorded", 2, "unknown network with messages 'recorded'"),
        ("--machine 4x4 --network wormhole:messages=3", 2, "has no parameter 'messages'"),
        (
            "--machine 4x4 -o curves.gif",
            2,
            "--output curves.gif: expected a name that ends in .svg, .png or .pdf",
        ),
        ("--machine 4x4 -o mine.svg", 1, "mine.svg already exists"),
        ("--machine 4x4 --cycles 0", 2, "expected a whole number from 1 to 1,000,000,000"),
    ] {
        let ran = run(at, &format!("show network {arguments}"))?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}
