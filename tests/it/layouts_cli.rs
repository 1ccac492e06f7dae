//! `meshreplay table --layout`: tables of dispersal and cost in blocks, and the LaTeX of a given width.

use std::collections::BTreeMap;
use std::path::Path;

use super::support::{Tested, columns, csv_cells, run};

/// Results of two logs on two machines under two schedulers at two loads, with an allocator that waits for
/// submeshes.
fn results(at: &Path) -> Tested {
    let ran = run(
        at,
        "replay synthetic:jobs=2000,ratio=0.5 synthetic:jobs=3000,ratio=0.5 -m 8x8 4x4x4 -s fcfs easy \
         -a random snug mc1x1 first-fit --arrival-scale 1 0.8 --no-timing -o out -q --format csv",
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    Ok(())
}

fn table(at: &Path, arguments: &str) -> Result<String, Box<dyn std::error::Error>> {
    let ran = run(at, &format!("table out {arguments}"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran.stdout)
}

/// Every number is the one of the summary; nothing is averaged.
#[test]
fn numbers_are_those_of_the_summary() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let summary = columns(&at.join("out/summary.csv"))?;
    let text = table(at, "--layout dispersal --value sum,to-bound,wait --format csv")?;
    let mut lines = text.lines().map(csv_cells);
    let titles = lines.next().unwrap_or_default();
    let keys = ["scheduler", "arrival_scale", "log", "machine", "offered_load", "measure"];
    assert_eq!(titles[..6], keys);
    let rows: Vec<Vec<String>> = lines.collect();
    assert_eq!(rows.len(), 2 * 2 * 2 * 2 * 3);
    let mut known = BTreeMap::new();
    for (i, _) in summary["replay"].iter().enumerate() {
        let key = |name: &str| summary[name][i].clone();
        let place = ["scheduler", "arrival_scale", "log", "machine", "allocator"].map(key);
        for measure in ["pairwise_sum_mean", "pairwise_ratio_to_bound_mean", "wait_s_mean"] {
            known.insert((place.clone(), measure), summary[measure][i].parse::<f64>()?);
        }
    }
    for row in rows {
        let measure = ["pairwise_sum_mean", "pairwise_ratio_to_bound_mean", "wait_s_mean"]
            .into_iter()
            .find(|name| *name == row[5])
            .unwrap_or_default();
        for (allocator, number) in titles[6..].iter().zip(&row[6..]) {
            let [scheduler, scale, log, machine] = [0, 1, 2, 3].map(|i| row[i].clone());
            let scale = scale.parse::<f64>()?.to_string();
            let found = known.iter().find(|((place, name), _)| {
                let is_scale = place[1].parse::<f64>().is_ok_and(|other| other.to_string() == scale);
                *name == measure
                    && is_scale
                    && (&place[0], &place[2], &place[3], &place[4]) == (&scheduler, &log, &machine, allocator)
            });
            let (_, expected) = found.ok_or("no such result")?;
            assert!((number.parse::<f64>()? - expected).abs() <= 1e-12 * expected.abs(), "{row:?}");
        }
    }
    Ok(())
}

/// An allocator is only compared with others of its kind, and a kind of one has no best.
#[test]
fn the_best_of_each_kind_is_bold() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let text = table(at, "--layout dispersal --format markdown")?;
    let titles = text.lines().filter(|line| line.contains(" · mean pairwise sum (hops)"));
    let expected = [
        "FCFS, arrivals as in the log · mean pairwise sum (hops)",
        "FCFS, arrivals ×0.8 (1.25 times the load of the log) · mean pairwise sum (hops)",
        "EASY, arrivals as in the log · mean pairwise sum (hops)",
        "EASY, arrivals ×0.8 (1.25 times the load of the log) · mean pairwise sum (hops)",
    ];
    let titles: Vec<&str> = titles.map(|line| line.split(", load").next().unwrap_or_default()).collect();
    for title in expected {
        let block = title.split(" · ").next().unwrap_or_default();
        assert!(titles.iter().any(|found| found.starts_with(block)), "{title}: {titles:?}");
    }
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| synthetic"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 2 * 2 * 2 * 2 * 3);
    // first-fit is alone in its kind, and random is never closest.
    assert!(rows.iter().all(|row| !row[row.len() - 1].contains("**")), "{text}");
    assert!(rows.iter().all(|row| !row[row.len() - 4].contains("**")), "{text}");
    assert!(rows.iter().any(|row| row[row.len() - 3].contains("**")), "{text}");
    assert!(text.contains("Any free nodes (random, snug, mc1x1)") && text.contains("first-fit"), "{text}");
    // Allocators of one scheduler only.
    let easy = table(at, "--layout dispersal -s easy -a snug mc1x1 -m 8x8 --value sum")?;
    assert!(easy.contains("EASY") && !easy.contains("FCFS") && !easy.contains("4x4x4"), "{easy}");
    assert!(!easy.contains("random") && !easy.contains("mean wait"), "{easy}");
    Ok(())
}

#[test]
fn latex_has_parts_that_fit_and_says_what_has_no_room() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let parts = |text: &str| text.matches("\\begin{tabular}").count();
    let page = table(at, "--layout dispersal --format latex")?;
    assert!(page.starts_with("% Dispersal of jobs by allocator, 174 mm wide"), "{page}");
    assert_eq!(parts(&page), 4, "{page}");
    assert!(
        page.contains("\\multicolumn{3}{c}{any free nodes} & \\multicolumn{1}{c}{fitting places}"),
        "{page}"
    );
    let column = table(at, "--layout dispersal --format latex --size 84mm")?;
    // Names of logs have a legend where they would leave little room for numbers.
    assert!(parts(&column) == 4 && column.contains("\nL1 & "), "{column}");
    assert!(column.contains("L1: synthetic:\\allowbreak{}jobs=\\allowbreak{}2000"), "{column}");
    for width in ["50", "60"] {
        let narrow = table(at, &format!("--layout dispersal --format latex --size {width}mm"))?;
        let is_legible = ["7", "8"].iter().any(|points| narrow.contains(&format!("\\fontsize{{{points}}}")));
        assert!(is_legible && parts(&narrow) % 4 == 0, "{narrow}");
    }
    // Notes are outside of the tabular.
    let notes = column.rsplit("\\end{tabular}").next().unwrap_or_default();
    assert!(notes.contains("Bold: the lowest of its kind"), "{notes}");
    let narrow = run(at, "table out --layout dispersal --format latex --size 30mm")?;
    assert_eq!(narrow.code, Some(2), "{}", narrow.stdout);
    let remedy = narrow.stderr.split("--size ").nth(1).and_then(|text| text.split(' ').next());
    let remedy = remedy.ok_or("no remedy")?;
    table(at, &format!("--layout dispersal --format latex --size {remedy}"))?;
    Ok(())
}

#[test]
fn wrong_layouts_say_what_is_expected() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    for (arguments, expected) in [
        ("--layout cost", "no result has a value of calls_ns_per_job, which is there without --no-timing"),
        ("--layout dispersal --size 84mm", "--size is for --format latex"),
        ("--value sum,wait", "several numbers need --layout dispersal or cost; otherwise give one"),
        ("--layout dispersal --value sums", "did you mean"),
        ("--layout dispersal -a snag", "did you mean 'snug'?"),
    ] {
        let ran = run(at, &format!("table out {arguments}"))?;
        assert!(ran.code != Some(0) && ran.stderr.contains(expected), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}

/// Numbers that label rows are numbers in JSON.
#[test]
fn labels_that_are_numbers_are_numbers_in_json() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    for (arguments, expected) in [
        ("--layout dispersal", ["\"arrival_scale\":0.8,", "\"offered_load\":0."]),
        ("--rows arrival_scale,log --columns allocator", ["\"arrival_scale\":1,", "\"log\":\"synthetic"]),
    ] {
        let text = table(at, &format!("{arguments} --format json"))?;
        assert!(expected.iter().all(|part| text.contains(part)), "{arguments}: {text}");
    }
    Ok(())
}

/// First fit refuses nothing on the first log, where it might stand beside naive; it has a class of its own
/// in the whole table, so that no number of either is the lowest of several.
#[test]
fn an_allocator_has_one_class_in_all_rows() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let logs = "synthetic:jobs=60,ratio=0.02 synthetic:jobs=400,ratio=1.5";
    let ran = run(at, &format!("replay {logs} -m 16x16 -s fcfs -a naive first-fit --no-timing -q -o out"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for log in [" --log synthetic:jobs=60,ratio=0.02", ""] {
        let text = table(at, &format!("--layout dispersal --value sum --format markdown{log}"))?;
        assert_eq!(text.contains("**"), !log.is_empty(), "{text}");
        assert_eq!(text.contains("Fitting places (first-fit)"), log.is_empty(), "{text}");
    }
    Ok(())
}

/// With --relative-to, the numbers of a group are divided by its own under one allocator.
#[test]
fn groups_are_compared_with_themselves() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let only = "--by size -s easy -m 8x8 --log synthetic:jobs=2000,ratio=0.5";
    let cells = |text: &str| text.lines().skip(1).map(csv_cells).collect::<Vec<_>>();
    let plain = cells(&table(at, &format!("{only} --columns wait_s_mean --format csv"))?);
    let ratios = cells(&table(at, &format!("{only} --columns wait_s_mean --relative-to snug --format csv"))?);
    assert_eq!(ratios.len(), plain.len() * 3 / 4, "{ratios:?}");
    let titles = table(at, &format!("{only} --columns wait_s_mean --relative-to snug --format csv"))?;
    assert!(titles.lines().next().is_some_and(|line| line.ends_with(",wait_s_mean_ratio")), "{titles}");
    for ratio in &ratios {
        let labels = &ratio[..ratio.len() - 1];
        let wait = |allocator: &str| -> Result<f64, Box<dyn std::error::Error>> {
            let is_it = |row: &&Vec<String>| {
                let others = |row: &[String]| {
                    row.iter()
                        .filter(|cell| !["snug", "random", "mc1x1", "first-fit"].contains(&&***cell))
                        .cloned()
                        .collect::<Vec<_>>()
                };
                row.contains(&allocator.to_owned()) && others(&row[..row.len() - 1]) == others(labels)
            };
            let row = plain.iter().find(is_it).ok_or("no such row")?;
            Ok(row[row.len() - 1].parse()?)
        };
        let own = labels.iter().find(|cell| ["random", "mc1x1", "first-fit"].contains(&&***cell));
        let (own, base) = (wait(own.ok_or("no allocator")?)?, wait("snug")?);
        match ratio[ratio.len() - 1].parse::<f64>() {
            Ok(found) => assert!((found - own / base).abs() < 1e-9 * found.abs().max(1.0), "{ratio:?}"),
            Err(_) => assert!(base <= 0.0, "{ratio:?}"),
        }
    }
    let wrong = run(at, "table out --by size --relative-to snag")?;
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("did you mean 'snug'?"), "{}", wrong.stderr);
    Ok(())
}

/// The titles that tables print are names of their columns.
#[test]
fn printed_titles_are_names() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(at, "replay synthetic:jobs=300,ratio=0.5 -m 4x4 -a snug mc1x1 -o out -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for (title, name) in [
        ("to-bound", "pairwise_ratio_to_bound_mean"),
        ("sum", "pairwise_sum_mean"),
        ("mean-pairwise-distance", "pairwise_mean_mean"),
        ("call_p50_ns", "allocate_ns_p50"),
        ("call-p99", "allocate_ns_p99"),
        ("ns-per-job", "calls_ns_per_job"),
        ("wait", "wait_s_mean"),
        ("wait-median", "wait_s_median"),
        ("refused-calls", "allocate_failures"),
        ("mean-wait-(s)", "wait_s_mean"),
        ("allocator-calls-per-job-(ns)", "calls_ns_per_job"),
    ] {
        let [given, named] = [title, name].map(|value| table(at, &format!("--value {value} --format csv")));
        assert_eq!(given?, named?, "{title}");
        table(at, &format!("--layout cost --value {title}"))?;
        let ran = run(at, &format!("plot out --kind ratio --value {title} -o a.svg --force"))?;
        assert!(!ran.stderr.contains("unknown"), "{title}: {}", ran.stderr);
    }
    Ok(())
}

/// The waits of the summary are those of its jobs, by sorting.
#[test]
fn quantiles_of_waits_are_those_of_the_jobs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(at, "replay synthetic:jobs=3000,ratio=1 -m 8x8 -s easy -a snug -o out -q --format csv")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (summary, jobs) = (columns(&at.join("out/summary.csv"))?, columns(&at.join("out/jobs.csv"))?);
    let numbers =
        |name: &str| jobs[name].iter().map(|cell| cell.parse::<f64>()).collect::<Result<Vec<_>, _>>();
    let (waits, runs, procs) = (numbers("wait_s")?, numbers("run_s")?, numbers("procs")?);
    let mut sorted = waits.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let count = sorted.len();
    let work: Vec<f64> = runs.iter().zip(&procs).map(|(run, procs)| run * procs).collect();
    let weighted = waits.iter().zip(&work).map(|(wait, work)| wait * work).sum::<f64>();
    for (name, expected) in [
        ("wait_s_median", f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2])),
        ("wait_s_p95", sorted[(95 * count).div_ceil(100) - 1]),
        ("wait_s_max", sorted[count - 1]),
        ("wait_s_by_work_mean", weighted / work.iter().sum::<f64>()),
    ] {
        let found = summary[name][0].parse::<f64>()?;
        assert!((found - expected).abs() <= 1e-9 * expected.max(1.0), "{name}: {found}, not {expected}");
    }
    let share = summary["backfilled_share"][0].parse::<f64>()?;
    assert!(share > 0.0 && share < 1.0, "{share}");
    Ok(())
}

/// `-o` with the ending of a table is a file with the summary.
#[test]
fn a_file_of_results_is_the_summary() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = "replay synthetic:jobs=50,ratio=0.5 -m 4x4 -a snug --no-timing -q";
    let printed = run(at, &format!("{replay} --format csv"))?;
    for file in ["a.csv", "a.parquet", "a.arrow", "a.json", "a.jsonl"] {
        let ran = run(at, &format!("{replay} -o {file}"))?;
        assert_eq!((ran.code, at.join(file).is_file()), (Some(0), true), "{file}: {}", ran.stderr);
        let again = run(at, &format!("{replay} -o {file}"))?;
        let told =
            format!("error: {file} is there already; --force replaces it, or give another file with -o\n");
        assert_eq!((again.code, again.stderr), (Some(1), told));
        assert_eq!(run(at, &format!("{replay} -o {file} --force"))?.code, Some(0), "{file}");
    }
    assert_eq!(std::fs::read_to_string(at.join("a.csv"))?, printed.stdout);
    std::fs::write(at.join("b.csv"), "precious\n1\n")?;
    let foreign = run(at, &format!("{replay} -o b.csv --force"))?;
    assert!(
        foreign.code == Some(1) && foreign.stderr.contains("was not written by meshreplay"),
        "{}",
        foreign.stderr
    );
    Ok(())
}

/// Several machines get a line on what differs, if the difference has an interval.
#[test]
fn machines_are_compared() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let drawn = run(at, "trace generate --model lublin --jobs 3000 --procs 64 --load 0.6 -o a.swf")?;
    assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    let ran = run(at, "replay a.swf -m 8x8 torus:8x8 4x4x4 -s easy -a snug mc1x1 --no-timing -q")?;
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let find = |start: &str| lines.iter().find(|line| line.starts_with(start)).copied().unwrap_or_default();
    let torus = find("the torus: pairwise sum of ");
    assert!(
        torus.contains(" on torus:8x8 ") && torus.contains("less than on 8x8 (95 % CI "),
        "{}",
        ran.stdout
    );
    let third = find("the third dimension: pairwise sum of ");
    assert!(third.contains(" on 4x4x4 ") && third.contains("than on 8x8"), "{}", ran.stdout);
    // Too few jobs for an interval.
    let few = run(at, "replay synthetic:jobs=200,ratio=0.8 -m 8x8 torus:8x8 -s fcfs -a snug --no-timing -q")?;
    assert!(!few.stdout.contains("the torus"), "{}", few.stdout);
    Ok(())
}

/// Users and dates of `trace cut` are those of the header.
#[test]
fn cut_takes_names_and_dates() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let job = |i: i64| format!("{i} {} 0 600 1 -1 -1 1 900 -1 1 {} 1 -1 1 -1 -1 -1\n", i * 3600, 1 + i % 2);
    let head = "; UnixStartTime: 1709546400\n; TimeZoneString: Europe/Berlin\n; MaxProcs: 8\n\
                ; User: 1 anna\n; User: 2 bert\n";
    std::fs::write(at.join("a.swf"), head.to_owned() + &(0..48).map(job).collect::<String>())?;
    std::fs::write(at.join("b.swf"), (0..48).map(job).collect::<String>())?;
    for (arguments, kept) in [
        ("--user anna", 24),
        ("--user anna --user bert", 48),
        ("--user 2 --status completed", 24),
        // The log begins on 4 March at 11:00.
        ("--from 2024-03-05", 35),
        ("--from 2024-03-05T12:00 --to 2024-03-05T13:00", 1),
        ("--user bert --from 2024-03-05 --to 7200000", 18),
    ] {
        let ran = run(at, &format!("trace cut a.swf -o c.swf --force {arguments}"))?;
        let text = std::fs::read_to_string(at.join("c.swf")).unwrap_or_default();
        let jobs = text.lines().filter(|line| !line.starts_with(';')).count();
        assert_eq!((ran.code, jobs), (Some(0), kept), "{arguments}: {}", ran.stderr);
    }
    for (arguments, told) in [
        ("a.swf --user ann", "--user: unknown user 'ann', did you mean 'anna'? (one of: anna, bert)"),
        ("b.swf --from 2024-03-05", "the log does not say when it began and in which time zone"),
        ("b.swf --user ann", "--user ann: the log has no names; expected a number"),
        ("a.swf --from yesterday", "expected whole seconds, or a date such as 2024-02-05"),
    ] {
        let ran = run(at, &format!("trace cut {arguments} -o c.swf --force"))?;
        assert!(ran.code == Some(2) && ran.stderr.contains(told), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}
