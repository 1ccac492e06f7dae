//! Plots and reports on the command line. Golden files contain the structure of each kind of plot: its words,
//! and the number of elements of each class.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use meshreplay::figure::{PLOT_KINDS, PlotKind};

use super::support::{Tested, assert_golden, quoted_cells, run};

/// The words of a drawing in order, and the counts of its elements by tag and class.
fn structure(svg: &str) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut words = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').unwrap_or((part, ""));
        let name = tag.split_whitespace().next().unwrap_or_default().trim_end_matches('/');
        if name.starts_with('/') {
            continue;
        }
        let class = tag.split("class=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        *counts.entry(format!("{name} {class}").trim().to_owned()).or_default() += 1;
        if name == "text" {
            words.push(rest.trim().to_owned());
        }
    }
    let mut text = words.join("\n") + "\n\n";
    for (element, count) in counts {
        // Writing to memory cannot fail.
        let _ = writeln!(text, "{count} {element}");
    }
    text
}

/// Replaces the cells of a column by a function of the row's replay and position.
fn set_column(path: &Path, column: &str, of: impl Fn(u64, u64) -> u64) -> Tested {
    let text = fs::read_to_string(path)?;
    let mut lines = text.lines();
    let titles = quoted_cells(lines.next().ok_or("no titles")?);
    let find = |name: &str| titles.iter().position(|title| title == name).ok_or(name.to_owned());
    let (at, replay) = (find(column)?, find("replay")?);
    let mut text = titles.join(",") + "\n";
    for (row, line) in (0..).zip(lines) {
        let mut cells = quoted_cells(line);
        assert_eq!(cells.len(), titles.len(), "{line}");
        cells[at] = of(cells[replay].parse()?, row).to_string();
        text += &(cells.join(",") + "\n");
    }
    Ok(fs::write(path, text)?)
}

/// Results of two loads, three allocators and two seeds. Durations of calls are replaced by fixed numbers, so
/// that plots are the same in every run. They differ between replays by powers of three.
pub(super) fn results(at: &Path) -> Tested {
    let ran = run(
        at,
        "replay synthetic:jobs=200,ratio=1 -m 8x8 -s fcfs -a gabl hilbert+bf random --arrival-scale 1 0.8 \
         --replications 2 -o out --placements --fragmentation 4x4,2x2 --why --format csv -q",
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let base = |replay: u64| 40 * 3_u64.pow(u32::try_from(replay).unwrap_or_default());
    set_column(&at.join("out/jobs.csv"), "allocate_ns", |replay, row| base(replay) * (1 + row * 7919 % 100))?;
    set_column(&at.join("out/summary.csv"), "calls_ns_per_job", |replay, _| 50 * base(replay))
}

#[test]
fn every_kind_of_picture_has_its_structure() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    for PlotKind { name, .. } in PLOT_KINDS {
        let ran = run(at, &format!("plot out -o pictures --kind {name}"))?;
        let said = format!("pictures/{name}.svg\n");
        assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (Some(0), said, ""), "{name}");
        let svg = fs::read_to_string(at.join(format!("pictures/{name}.svg")))?;
        assert_golden(&format!("plot-{name}.txt"), &structure(&svg))?;
    }
    // The first replay has a fixed cost of 2 µs per call.
    let svg = fs::read_to_string(at.join("pictures/frontier.svg"))?;
    assert!(svg.contains("gabl: 2.000, ") && svg.contains("(µs)"), "{svg}");
    // Without `--kind` the plot of delays, which would be empty here, is skipped without a note.
    let ran = run(at, "plot out -o again")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stderr);
    for PlotKind { name, .. } in PLOT_KINDS.iter().filter(|kind| kind.name != "delays") {
        let read = |folder: &str| fs::read(at.join(format!("{folder}/{name}.svg")));
        assert!(read("pictures")? == read("again")?, "{name}");
    }
    Ok(())
}

#[test]
fn ratios_are_to_the_same_scheduler() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(
        at,
        "replay synthetic:jobs=200,ratio=1 -m 8x8 -s fcfs easy -a naive gabl --no-timing -o out -q --format \
             csv",
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // Order of the replays: naive and gabl under fcfs, then under easy.
    set_column(&at.join("out/summary.csv"), "pairwise_sum_mean", |replay, _| match replay {
        0 => 10,
        1 => 20,
        2 => 100,
        _ => 50,
    })?;
    let ratios = |rest: &str| -> Result<String, Box<dyn std::error::Error>> {
        let ran = run(at, format!("plot out --kind ratio -q {rest}").trim())?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        Ok(fs::read_to_string(at.join("out/ratio.svg"))?)
    };
    // Each scheduler has a panel.
    let own = ratios("")?;
    for words in ["naive: 1.0000", "gabl: 2.0000", "gabl: 0.5000", ">\nfcfs\n<", ">\neasy\n<"] {
        assert!(own.contains(words), "{words}: {}", structure(&own));
    }
    assert!(own.contains("Pairwise sum relative to naive") && !own.contains("hops"));
    let untitled = ratios("--no-title")?;
    assert!(untitled.contains("pairwise sum relative to naive"), "{}", structure(&untitled));
    let gabl = ratios("--relative-to gabl")?;
    assert!(gabl.contains("naive: 0.5000") && gabl.contains("naive: 2.0000"));
    // `--relative-to` needs an allocator of the results.
    let ran = run(at, "plot out --kind ratio --relative-to mm")?;
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    Ok(())
}

#[test]
fn loads_grow_to_the_right_and_curves_that_coincide_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let words = |rest: &str| -> Result<String, Box<dyn std::error::Error>> {
        let ran = run(at, format!("plot out --kind load -q {rest}").trim())?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        Ok(fs::read_to_string(at.join("out/load.svg"))?)
    };
    // Arrival times multiplied by 0.8 are 1.25 times the load, further to the right.
    let text = words("--value pairwise_mean_mean")?;
    let places: Vec<f64> = ["gabl: 1.000, ", "gabl: 1.250, "]
        .iter()
        .filter_map(|point| text.split(point).nth(1)?.split("cx=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    assert!(text.contains("gabl: 1.250, "), "{}", structure(&text));
    assert!(places.len() < 2 || places[0] < places[1], "{places:?}");
    // These allocators never refuse, so their turnaround curves would coincide. With first fit they differ.
    assert!(words("")?.contains("pairwise mean (hops)"));
    let ran = run(
        at,
        "replay synthetic:jobs=200,ratio=1 -m 8x8 -s fcfs -a mm first-fit --arrival-scale 1 0.8 -o refuses \
             -q --no-timing",
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(run(at, "plot refuses --kind load -q")?.code, Some(0));
    assert!(fs::read_to_string(at.join("refuses/load.svg"))?.contains("turnaround (s)"));
    assert!(words("--axis factor")?.contains("arrival times multiplied by"));
    assert!(words("--axis utilization")?.contains("utilization (%)"));
    // All allocators have the same number of jobs.
    assert!(words("--value jobs")?.contains("gabl, hilbert+bf and random coincide."));
    // A single load gives no load plot.
    let ran = run(at, "replay synthetic:jobs=50,ratio=1 -m 8x8 -a gabl mbs -o one -q --no-timing --force")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(at, "plot one")?;
    assert!(ran.stderr.contains("left out utilization: one does not hold several loads"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("utilization"), "{}", ran.stdout);
    Ok(())
}

/// A log of 40 jobs of 2 processors and 600 s, which arrive every 300 s from 1996-09-23 14:00:31 on in
/// Stockholm.
fn dated(at: &Path) -> Tested {
    let mut text =
        "; MaxProcs: 16\n; UnixStartTime: 843480031\n; TimeZoneString: Europe/Stockholm\n".to_owned();
    for i in 0..40 {
        // Writing to memory cannot fail.
        let _ = writeln!(text, "{} {} 0 600 2 -1 -1 2 600 -1 1 1 1 1 1 -1 -1 -1", i + 1, i * 300);
    }
    fs::write(at.join("dated.swf"), text)?;
    let ran = run(at, "replay dated.swf -m 4x4 -a naive mm --placements -o out -q --no-timing")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    Ok(())
}

#[test]
fn logs_that_tell_when_they_began_have_dates() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    dated(at)?;
    let json = fs::read_to_string(at.join("out/run.json"))?;
    assert!(json.contains("\"unix_s\": 843480031") && json.contains("Europe/Stockholm"), "{json}");
    let drawn = |kind: &str, window: &str| -> Result<String, Box<dyn std::error::Error>> {
        let ran = run(at, format!("plot out --kind {kind} -q {window}").trim())?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        Ok(structure(&fs::read_to_string(at.join(format!("out/{kind}.svg")))?))
    };
    let busy = drawn("busy", "")?;
    assert!(busy.contains("date (Europe/Stockholm)") && busy.contains("23 Sep 15:00"), "{busy}");
    // 15:00:00 is at 3,569 s. Jobs 12 to 23 start in this hour, and two earlier jobs still run.
    for window in ["1996-09-23T15:00..1996-09-23T16:00", "3569..7169"] {
        let gantt = drawn("gantt", &format!("--window {window}"))?;
        assert!(gantt.contains("naive · 14 of 40 jobs"), "{gantt}");
    }
    // Distributions include the jobs that arrive in the window.
    let ran = run(at, "plot out --kind cdf --value job -q")?;
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let whole = drawn("cdf", "--value submit_s")?;
    let part = drawn("cdf", "--value submit_s --window 1996-09-23T15:00..1996-09-23T16:00")?;
    assert!(whole.contains("10,000") && !part.contains("10,000"), "{part}");
    let ran = run(at, "report out -o page.html -q --window 1996-09-23T15:00..1996-09-23T16:00")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = fs::read_to_string(at.join("page.html"))?;
    for part in [
        "28 runs on 2 machines, of 40 jobs on each",
        "1996-09-23 15:00 to 1996-09-23 16:00 (Europe/Stockholm)",
        "\"unix\":843480031",
        "from 1996-09-23 14:00",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Scaled arrivals have no dates.
    let ran =
        run(at, "replay dated.swf -m 4x4 -a naive --arrival-scale 0.5 --placements -o half -q --no-timing")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(at, "plot half --kind busy --window 1996-09-24..1996-09-25")?;
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    Ok(())
}

#[test]
fn logs_and_models_are_curves_of_their_own() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let curves = |arguments: &str, kind: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        let ran = run(at, &format!("replay {arguments} -a naive --no-timing -o out --force -q"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let ran = run(at, &format!("plot out --kind {kind} -q"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let text = structure(&fs::read_to_string(at.join(format!("out/{kind}.svg")))?);
        let names = text.lines().filter(|line| line.starts_with("naive") && !line.ends_with("coincide."));
        let mut names: Vec<String> = names.map(ToOwned::to_owned).collect();
        names.sort_unstable();
        Ok(names)
    };
    fs::copy(super::support::bundled("tiny.swf"), at.join("a.swf"))?;
    fs::copy(super::support::bundled("tiny.swf"), at.join("b.swf"))?;
    // Two logs are two curves: a mean over logs would be meaningless.
    let found = curves("a.swf b.swf -m 4x4 --arrival-scale 1 0.5", "load")?;
    assert_eq!(found, ["naive · a", "naive · b"]);
    let rates = |rest: &str| [1, 2].map(|rate| format!("synthetic:jobs=50,ratio={rate}{rest}")).join(" ");
    assert_eq!(curves(&format!("{} -m 8x8", rates("")), "load")?, ["naive"]);
    let found = curves(&format!("{} {} -m 8x8", rates(""), rates(",service=9")), "load")?;
    assert_eq!(
        found,
        [5, 9].map(|service| format!("naive · synthetic:jobs=50,service={service},sides=uniform"))
    );
    Ok(())
}

#[test]
fn pictures_of_one_log_of_a_study_have_dates() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    dated(at)?;
    fs::write(
        at.join("study.toml"),
        "name = \"dates\"\nlogs = [\"dated.swf\", \"other.swf\"]\nmachines = [\"4x4\"]\nschedulers = \
         [\"fcfs\"]\n\
         allocators = [\"naive\"]\narrival_scales = [1, 0.5]\n",
    )?;
    fs::copy(at.join("dated.swf"), at.join("other.swf"))?;
    let ran = run(at, "sweep study.toml --jobs -o cells -q --no-timing")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let json = fs::read_to_string(at.join("cells/study.json"))?;
    assert_eq!(json.matches("\"unix_s\": 843480031").count(), 2, "{json}");
    let summary = run(at, "table cells --columns log,arrival_scale --format csv")?;
    let drawn = |rest: &str| -> Result<String, Box<dyn std::error::Error>> {
        let ran = run(at, format!("plot cells --kind busy -q {rest}").trim())?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        Ok(structure(&fs::read_to_string(at.join("cells/busy.svg"))?))
    };
    // Replays: each log at both loads. Several logs or scaled times have no common dates.
    assert!(drawn("")?.contains("time since the first start"), "{}", summary.stdout);
    let dates: Vec<bool> = (0..4)
        .map(|cell| Ok(drawn(&format!("--replay {cell}"))?.contains("date (Europe/Stockholm)")))
        .collect::<Result<_, Box<dyn std::error::Error>>>()?;
    assert_eq!(dates.iter().filter(|has| **has).count(), 2, "{dates:?}");
    let at_date = |cell: usize| {
        run(
            at,
            &format!("plot cells --kind busy -q --replay {cell} --window 1996-09-23T15:00..1996-09-23T16:00"),
        )
    };
    for (cell, has) in dates.into_iter().enumerate() {
        let ran = at_date(cell)?;
        assert_eq!(ran.code, Some(if has { 0 } else { 2 }), "{cell}: {}", ran.stderr);
        assert!(has || ran.stderr.contains("or arrivals are scaled"), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn seeds_are_read_exactly() -> Tested {
    // As floating point numbers the two seeds of a pair would be equal.
    for (seed, next, formats) in [
        ("9007199254740992", "9007199254740993", &["parquet", "csv", "arrow", "json", "jsonl"][..]),
        ("18446744073709551610", "18446744073709551611", &["parquet", "csv", "arrow"]),
    ] {
        for format in formats {
            let directory = tempfile::tempdir()?;
            let at = directory.path();
            let replay = format!(
                "replay synthetic:jobs=50,ratio=1 -m 8x8 -a naive --seed {seed} --replications 2 \
                 --placements --no-timing -o out -q --format {format}"
            );
            let ran = run(at, &replay)?;
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            let table = run(at, "table out --columns seed --format csv")?;
            let titles = format!("allocator,{seed},{next}\n");
            assert!(table.stdout.starts_with(&titles), "{format}: {}{}", table.stdout, table.stderr);
            let ran = run(at, "plot out --kind gantt busy -q")?;
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            let gantt = fs::read_to_string(at.join("out/gantt.svg"))?;
            assert!(gantt.contains("the first 50 of 50 jobs"), "{format}: {}", structure(&gantt));
            let ran = run(at, "report out -o page.html -q")?;
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            let page = fs::read_to_string(at.join("page.html"))?;
            assert!(page.contains("50 of 50 jobs") && page.contains(next), "{format}: {seed}");
        }
    }
    Ok(())
}

#[test]
fn more_series_than_looks_are_drawn() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let machines: Vec<String> = (4..40).map(|side| format!("{side}x4")).collect();
    let machines = machines.join(" ");
    let ran = run(
        at,
        &format!(
            "replay synthetic:jobs=5,ratio=1 -m {machines} -a naive random mbs --oversize skip -o out -q"
        ),
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(at, "plot out --kind utilization -q")?;
    let files = "out/utilization-1.svg\nout/utilization-2.svg\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), files), "{}", ran.stderr);
    Ok(())
}

#[test]
fn pixels_are_made_of_the_same_drawing() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let ran = run(at, "plot out --kind utilization --format png --scale 1")?;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "out/utilization.png\n"), "{}", ran.stderr);
    let png = fs::read(at.join("out/utilization.png"))?;
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5000, "{}", png.len());
    // Width and height in the PNG header.
    let side = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    assert!(side(16) > 600 && side(20) > 400, "{} {}", side(16), side(20));
    Ok(())
}

#[test]
fn pictures_that_cannot_be_drawn_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(at, "replay synthetic:jobs=50,ratio=1 -m 8x8 -a gabl -o out -q --no-timing --format csv")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let all = run(at, "plot out")?;
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    for left_out in ["load", "ratio", "frontier", "calls"] {
        let note = format!("note: left out {left_out}: out does not hold ");
        assert!(all.stderr.contains(&note), "{left_out}: {}", all.stderr);
    }
    for (arguments, code, message) in [
        ("plot out --kind frontier", 1, "error: frontier: out does not hold times (calls_ns_per_job)"),
        ("plot nowhere", 1, "error: nowhere holds no summary.parquet"),
        (
            "plot out --kind utilization --value pairwise",
            2,
            "error: --value: unknown column of numbers 'pairwise', did you mean 'pairwise_sum_mean'?",
        ),
        (
            "plot out --kind cdf --value wait",
            2,
            "error: --value: unknown column of numbers of the jobs 'wait'",
        ),
        (
            "plot out --kind nodes --replay 7",
            2,
            "error: --replay 7 is not among the results, whose replays are 0 to 0",
        ),
        (
            "plot out --size 84",
            2,
            "error: invalid value '84' for '--size <SIZE>': expected a width such as 84mm",
        ),
        (
            "plot out --size 84mm --scale 2 --dpi 300",
            2,
            "error: the argument '--scale <FACTOR>' cannot be used with '--dpi",
        ),
        (
            "plot out --dpi 1",
            2,
            "error: invalid value '1' for '--dpi <N>': expected a number from 20 to 2400",
        ),
        (
            "plot out --scale 0",
            2,
            "error: invalid value '0' for '--scale <FACTOR>': expected a number from 0.1 to 20",
        ),
        ("report nowhere", 1, "error: nowhere holds no summary.parquet"),
        (
            "report out --window 5-1",
            2,
            "error: invalid value '5-1' for '--window <FROM..TO>': expected FROM..TO in seconds",
        ),
        (
            "plot out --kind busy --window 1996-01-01..1996-01-02",
            2,
            "error: --window: '1996-01-01' is a date, but these results have none",
        ),
        ("report out --window 5..1", 2, "error: --window 5..1 ends before it begins"),
    ] {
        let ran = run(at, arguments)?;
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(message), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn the_machine_at_a_moment_is_drawn_job_by_job() -> Tested {
    let directory = tempfile::tempdir()?;
    let log = super::support::bundled("tiny.swf");
    let show = |rest: &str| run(directory.path(), &format!("show allocation {log} --machine 4x4 {rest}"));
    // Jobs 1 and 2 arrive together, then job 4 fits, too.
    let found = show("--scheduler easy --allocator naive mbs --at 10")?;
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    let rows: Vec<&str> = found.stdout.lines().collect();
    assert_eq!(rows[0].split_whitespace().collect::<Vec<_>>(), ["naive", "mbs"]);
    let cells: Vec<&str> = rows[2..6].iter().flat_map(|row| row.split_whitespace()).collect();
    let count = |cell: &str| cells.iter().filter(|other| **other == cell).count();
    assert_eq!(cells.len(), 2 * 16, "{}", found.stdout);
    assert!(count("a") == 2 * 8 && count("#") + count("b") + count("·") == 2 * 8, "{}", found.stdout);
    assert!(
        found.stdout.contains("naive: ") && found.stdout.contains("mbs: ") && !found.stdout.contains('\x1b')
    );
    for (rest, code, message) in [
        ("--allocator naive --at nan", 2, "error: --at NaN: expected a number of seconds"),
        ("--allocator naiv --at 0", 2, "error: unknown allocator 'naiv', did you mean 'naive'?"),
        ("--allocator naive --at x", 2, "error: invalid value 'x' for '--at <SECONDS>'"),
    ] {
        let wrong = show(rest)?;
        assert!(wrong.code == Some(code) && wrong.stderr.starts_with(message), "{rest}: {}", wrong.stderr);
    }
    Ok(())
}

#[test]
fn a_report_is_one_file_with_everything() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let ran = run(at, "report out -o page.html --title \"A<B\" -q")?;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "page.html\n"), "{}", ran.stderr);
    let page = fs::read_to_string(at.join("page.html"))?;
    for part in [
        "A&lt;B",
        "<figure id=\"frontier\"><svg",
        "class=\"sortable\"",
        "hilbert+bf",
        ">turnaround",
        "<dt>pairwise sum</dt>",
        "meshreplay replay ",
        "SHA-256",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // The page loads nothing: its only URLs are namespaces.
    assert!(
        page.matches("://").count() == page.matches("http://www.w3.org/").count() && !page.contains("src=")
    );
    Ok(())
}
