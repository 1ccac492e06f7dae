//! Expected values of `meshreplay reproduce walker2010` on the real logs and on small generated logs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::reproduce_cli::{Row, rows};
use super::support::{Tested, run, shared};

/// The rows measured on the real logs, or `None` without these logs.
fn measured(figures: &str) -> Result<Option<Vec<Row>>, Box<dyn std::error::Error>> {
    let Some(traces) = shared("traces") else { return Ok(None) };
    let at = tempfile::tempdir()?;
    let arguments = format!("reproduce walker2010 {figures} --traces {} --format csv", traces.display());
    let ran = run(at.path(), &arguments)?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout
            .starts_with("paper,figure,item,log,machine,published,measured,half_width,ratio,verdict,kind\n")
    );
    Ok(Some(rows(&ran.stdout)))
}

fn verdict<'a>(rows: &'a [Row], item: &str, machine: &str) -> &'a str {
    let found = rows.iter().find(|row| row.item.starts_with(item) && row.machine == machine);
    found.map_or("not there", |row| row.verdict.as_str())
}

#[test]
fn figure_9_comes_out_on_the_real_logs() -> Tested {
    let Some(rows) = measured("fig8 fig9")? else { return Ok(()) };
    let values = |log: &str| {
        rows.iter().filter(|row| row.log.starts_with(log) && row.item.contains('+')).collect::<Vec<&Row>>()
    };
    let nasa = values("NASA-iPSC-1993");
    assert_eq!(nasa.len(), 9);
    assert!(nasa.iter().all(|row| row.verdict == "exact"), "{nasa:?}");
    let t3d = values("LLNL-T3D-1996");
    assert_eq!(t3d.len(), 15);
    assert!(t3d.iter().all(|row| row.verdict == "exact"), "{t3d:?}");
    for (log, count) in [("LANL-CM5-1994", 24), ("SDSC-SP2-1998", 9)] {
        let rows = values(log);
        assert_eq!(rows.len(), count, "{log}");
        for row in rows {
            assert!(row.verdict == "exact" || row.verdict.starts_with("within 0."), "{row:?}");
            let ratio =
                row.measured.zip(row.published).map_or(0.0, |(measured, published)| measured / published);
            assert!((ratio - 1.0).abs() <= 0.001, "{row:?}");
        }
    }
    let orders: Vec<&Row> = rows.iter().filter(|row| row.item.contains('<')).collect();
    assert_eq!(orders.len(), 14);
    assert!(orders.iter().all(|row| row.verdict == "ordering holds"), "{orders:?}");
    assert_eq!(rows.iter().filter(|row| row.item == "jobs" && row.verdict == "exact").count(), 3);
    Ok(())
}

/// Checks the shares of kinds of jobs in two logs. They do not depend on replays.
fn check_percentages(rows: &[Row]) -> Tested {
    // Percentages of the parallel jobs, as below the bars of the figure.
    let percentages = [
        "serial jobs",
        "parallel jobs, powers of 2",
        "parallel jobs, powers of 4",
        "parallel jobs, powers of 8",
    ];
    for (log, expected) in
        [("KTH-SP2", [32.89, 60.43, 24.04, 14.29]), ("LLNL-T3D", [0.0, 100.0, 30.66, 14.79])]
    {
        for (name, percent) in percentages.iter().zip(expected) {
            let is = |row: &&Row| row.log.starts_with(log) && row.item == format!("{name}, percent");
            let found = rows.iter().find(is).and_then(|row| row.measured).ok_or(*name)?;
            assert!((found - percent).abs() < 0.005, "{log} {name}: {found}");
        }
    }
    Ok(())
}

#[test]
fn the_text_of_figure_12_holds_on_the_real_logs() -> Tested {
    let Some(rows) = measured("fig12")? else { return Ok(()) };
    for (item, machine, expected) in [
        ("Granular below Layered and Octet in all cases", "", "ordering holds"),
        ("Octet below Layered on all 3D meshes", "", "ordering holds"),
        ("Granular below MC1x1 and the snake on the LLNL logs", "", "ordering holds"),
        ("Granular above MC1x1 and the snake on SDSC-SP2 and KTH-SP2", "", "ordering holds"),
        ("Granular above MC1x1 on HPC2N, further than on SDSC-SP2", "", "ordering holds"),
        ("all parallel jobs of the LLNL logs are powers of 2", "", "exact"),
        ("granular-mbs by mc1x1, powers of two only", "10x10", "within 0.003"),
        ("granular-mbs by mc1x1, powers of two only", "5x5x4", "exact"),
        ("granular-mbs by mc1x1, all jobs", "16x8", "within 0.003"),
        ("Leaving out other sizes than powers of two", "", "ordering holds"),
        (
            "Leaving out serial jobs helps",
            "",
            "ordering holds but for this: no serial jobs on KTH-SP2-1996 10x10 (1.050) is not below all jobs \
             on KTH-SP2-1996 10x10 (1.047)",
        ),
        (
            "A snake along the short sides",
            "",
            "not measured: no number says what is comparable; its ratios to MC1x1 are in the table",
        ),
        ("More than 99 % of the jobs on LLNL-uBGL", "", "not measured: not found: LLNL-uBGL-2006"),
    ] {
        assert_eq!(verdict(&rows, item, machine), expected, "{item} {machine}");
    }
    for (item, machine, expected) in [
        ("granular-mbs by mc1x1, all jobs", "8x4x4", "differs: 0.0698 below, more than 0.003; tried: "),
        (
            "Octet poor on 2D meshes",
            "",
            "differs: layered-mbs SDSC-SP2-1998 16x8 (1432) is not below octet-mbs SDSC-SP2-1998 16x8 (1426)",
        ),
        (
            "The reverse on HPC2N",
            "",
            "differs: no serial jobs on HPC2N-2002 16x15 (1.141) is not below powers of two",
        ),
    ] {
        let found = verdict(&rows, item, machine);
        assert!(found.starts_with(expected), "{item} {machine}: {found}");
    }
    check_percentages(&rows)?;
    let values: BTreeMap<(&str, &str), f64> = rows
        .iter()
        .filter(|row| row.log.starts_with("KTH"))
        .filter_map(|row| Some(((row.item.as_str(), row.machine.as_str()), row.measured?)))
        .collect();
    for (machine, published) in [("10x10", 600.974 / 574.038), ("5x5x4", 423.743 / 407.623)] {
        let found = values.get(&("granular-mbs by mc1x1", machine)).copied().unwrap_or_default();
        assert!((found - published).abs() < 1e-4, "{machine}: {found}");
    }
    Ok(())
}

#[test]
fn figure_7_needs_no_logs_and_its_sums_have_the_published_order() -> Tested {
    let at = tempfile::tempdir()?;
    let ran = run(at.path(), "reproduce walker2010 fig7-sums --format csv -q")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let rows = rows(&ran.stdout);
    // The paper gives makespans, not these sums, so `published` is empty.
    assert_eq!(rows.iter().filter(|row| row.published.is_none() && row.item.ends_with("mc1x1")).count(), 12);
    let orders = rows.iter().filter(|row| row.item.contains("column-snake < spliced-hilbert"));
    assert_eq!(orders.filter(|row| row.verdict == "ordering holds").count(), 4, "{rows:?}");
    Ok(())
}

/// Small generated logs with the names of LLNL-T3D and LLNL-uBGL.
fn made_logs(at: &Path) -> Tested {
    fs::create_dir(at.join("logs"))?;
    for (log, procs) in [("LLNL-T3D-1996-2.swf", 256), ("LLNL-uBGL-2006-1.swf.gz", 2048)] {
        let made = format!(
            "trace generate --model lublin --jobs 120 --procs {procs} --seed 3 --load 0.9 -o logs/{log}"
        );
        assert_eq!(run(at, &made)?.code, Some(0));
    }
    Ok(())
}

#[test]
fn loads_are_swept_and_other_versions_are_marked() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    made_logs(at)?;
    let ran = run(at, "reproduce walker2010 fig13 fig16 fig12 fig9 --traces logs --format csv -o out")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for (dataset, command) in [
        ("NASA-iPSC-1993", "scripts/fetch-traces.sh --into logs NASA-iPSC-1993-3.1-cln"),
        ("KTH-SP2-1996", "scripts/fetch-traces.sh --into logs KTH-SP2-1996-2"),
    ] {
        let said = format!("missing: no {dataset}-* in logs; to fetch it:\n  {command}\n");
        assert_eq!(ran.stderr.matches(&said).count(), 1, "{}", ran.stderr);
    }
    let rows = rows(&ran.stdout);
    // 2 figures × 2 schedulers × 5 allocators × 14 loads.
    assert_eq!(rows.iter().filter(|row| row.item.contains('×')).count(), 2 * 2 * 5 * 14);
    let facts = [
        "the sum rises with utilization",
        "points are closest together at the highest utilization",
        "large falls of the sum occur under EASY, not under FCFS",
        "the largest falls under EASY occur with Octet MBS",
        "the most frequent falls under EASY occur with Octet MBS",
        "Granular MBS below MC1x1 and the snake at every load",
        "Granular MBS gains less on MC1x1 than is printed of LLNL-uBGL",
        "the sums of Granular MBS rise less with utilization",
        "largest gain of granular-mbs on mc1x1, easy, percent",
        "layered-mbs and granular-mbs are one line, percent apart",
        "Granular below MC1x1 and the snake on the LLNL logs",
        "Granular's lead on Layered is least on LLNL-uBGL 64x32",
    ];
    for fact in facts {
        assert!(rows.iter().any(|row| row.item.starts_with(fact) && !row.verdict.is_empty()), "{fact}");
    }
    assert_eq!(fs::read_to_string(at.join("out/walker2010.csv"))?, ran.stdout);
    // The paper's plots: distance by utilization, and bars with percentages under them.
    let loads = fs::read_to_string(at.join("out/walker2010-fig13.svg"))?;
    let beside = fs::read_to_string(at.join("out/walker2010-fig13-beside.svg"))?;
    let bars = fs::read_to_string(at.join("out/walker2010-fig12.svg"))?;
    for (svg, words) in [
        (&loads, "utilization under EASY (%)"),
        (&beside, "utilization under FCFS (%)"),
        (&loads, "pairwise sum (hops), not from 0"),
        (&loads, "granular-mbs"),
        (&bars, "LLNL-T3D-1996-2"),
        (&bars, "% powers of 8"),
        (&bars, "parallel jobs:"),
        (&bars, "column-snake+bf"),
    ] {
        assert!(svg.contains(&format!("{words}\n<")), "{words}: {svg}");
    }
    assert!(!loads.contains("steps down") && !loads.contains("FCFS"), "{loads}");
    assert!(beside.contains("Not in the paper, beside walker2010 fig13"), "{beside}");
    let shown = run(at, "reproduce walker2010 fig9 --traces logs -q --format markdown")?;
    assert!(shown.stdout.starts_with("## walker2010 fig9: "), "{}", shown.stdout);
    assert!(shown.stdout.contains("\n* LLNL-T3D-1996: version 2; the paper's is 1\n"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("LLNL-uBGL-2006: version"), "{}", shown.stdout);
    Ok(())
}

#[test]
fn sentences_that_are_not_measured_are_said_with_why() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    made_logs(at)?;
    fs::remove_file(at.join("logs/LLNL-uBGL-2006-1.swf.gz"))?;
    let ran = run(at, "reproduce walker2010 fig8 fig16 --traces logs -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for expected in [
        "\n without NASA-iPSC-1993, LANL-CM5-1994, SDSC-SP2-1998, LLNL-uBGL-2006, not found\n",
        "\n Sentences of the paper that are not measured here, and why\n",
        "\n fig16, III-B: Granular and Layered MBS are essentially the same on LLNL-uBGL 64x32.\n   not \
             found: LLNL-uBGL-2006\n",
    ] {
        assert!(ran.stdout.contains(expected), "{expected}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("fig8, Fig. 8:"), "{}", ran.stdout);
    Ok(())
}

#[test]
fn a_log_without_header_keeps_its_rows() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    made_logs(at)?;
    fs::create_dir(at.join("bare"))?;
    assert_eq!(run(at, "trace convert logs/LLNL-T3D-1996-2.swf bare/LLNL-T3D.premas")?.code, Some(0));
    let ran = run(at, "reproduce walker2010 fig8 --traces bare -q --format csv")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let rows = rows(&ran.stdout);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows.iter().all(|row| row.log == "LLNL-T3D" && row.published.is_some()), "{rows:?}");
    assert_eq!(rows[0].measured, Some(120.0));
    let expected = "not measured: the log has no header that says how many processors there were";
    assert_eq!((rows[1].measured, rows[1].verdict.as_str()), (None, expected));
    let shown = run(at, "reproduce walker2010 fig8 --traces bare -q")?;
    assert!(
        shown.stdout.contains("\n LLNL-T3D-1996: version unknown; the paper's is 1\n"),
        "{}",
        shown.stdout
    );
    Ok(())
}

#[test]
fn results_that_are_kept_are_not_measured_again() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    made_logs(at)?;
    let command = "reproduce walker2010 fig9 --traces logs -q --format json -o out";
    let first = run(at, command)?;
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let cells = at.join("out/walker2010/fig9-ubgl/cells");
    let mut kept: Vec<_> = fs::read_dir(&cells)?.collect::<Result<_, _>>()?;
    kept.sort_by_key(fs::DirEntry::path);
    assert_eq!(kept.len(), 9);
    fs::remove_file(kept[4].path())?;
    let untouched = fs::metadata(kept[3].path())?.modified()?;
    let second = run(at, command)?;
    assert_eq!((second.code, second.stdout), (Some(0), first.stdout));
    assert_eq!(fs::metadata(kept[3].path())?.modified()?, untouched);
    assert!(kept[4].path().exists());
    Ok(())
}
