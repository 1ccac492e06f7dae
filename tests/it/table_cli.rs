//! `meshreplay table` on the command line: every format, every source, ratios, means, wrong names.

use std::fs;
use std::path::Path;

use super::support::{Tested, bundled, run};

/// A directory with results of a study of the small log: 2 machines, 3 allocators, 2 seeds.
fn results() -> Result<tempfile::TempDir, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = format!(
        "logs = ['{}']\nmachines = ['4x4', '2x4x2']\nallocators = ['random', 'mc1x1', 'hilbert+bf']\nseeds = \
             [1, 2]\n",
        bundled("tiny.swf")
    );
    fs::write(at.join("s.toml"), study)?;
    let ran = run(at, "sweep s.toml -o out --no-timing -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    Ok(directory)
}

fn table(at: &Path, arguments: &str) -> Result<String, Box<dyn std::error::Error>> {
    let ran = run(at, &format!("table {arguments}"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran.stdout)
}

/// Rows of a saved summary: (machine, allocator, seed, pairwise sum).
fn rows(at: &Path) -> Result<Vec<[String; 4]>, Box<dyn std::error::Error>> {
    let text = table(at, "out --rows allocator,seed --columns machine --format csv")?;
    let mut found = Vec::new();
    for line in text.lines().skip(1) {
        let (label, rest) = match line.strip_prefix('"').and_then(|line| line.split_once("\",")) {
            Some((label, rest)) => (label, rest),
            None => line.split_once(',').ok_or("no comma")?,
        };
        let cells: Vec<&str> = rest.split(',').collect();
        for (machine, value) in ["4x4", "2x4x2"].iter().zip(&cells[1..]) {
            found.push([*machine, label, cells[0], *value].map(str::to_owned));
        }
    }
    Ok(found)
}

#[test]
fn rows_and_columns_keep_the_order_of_the_study() -> Tested {
    let directory = results()?;
    let text = table(directory.path(), "out --columns machine,seed")?;
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    // The title names the numbers.
    assert_eq!(lines[0], ["pairwise_sum_mean", "·", "columns:", "machine,", "seed"]);
    assert_eq!(lines[2], ["4x4", "4x4", "2x4x2", "2x4x2"]);
    assert_eq!(lines[3], ["allocator", "1", "2", "1", "2"]);
    let names: Vec<&str> = lines[4..].iter().map(|line| line[0]).collect();
    assert_eq!(names, ["random", "mc1x1", "hilbert+bf"]);
    assert!(!text.contains('\x1b'), "standard output is no terminal");
    Ok(())
}

#[test]
fn several_results_are_averaged_and_that_is_said() -> Tested {
    let directory = results()?;
    let at = directory.path();
    let each = rows(at)?;
    assert_eq!(each.len(), 12);
    let ran = run(at, "table out --format csv --columns machine")?;
    let note = "note: each number is the mean of 2 results, which differ in seed\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), note));
    let random = ran.stdout.lines().find(|line| line.starts_with("random,")).ok_or("no row")?;
    let of = |machine: &str| -> f64 {
        let values = each.iter().filter(|row| row[0] == machine && row[1] == "random");
        values.map(|row| row[3].parse::<f64>().unwrap_or(f64::NAN)).sum::<f64>() / 2.0
    };
    assert_eq!(random, format!("random,{},{}", of("4x4"), of("2x4x2")));
    for format in ["text", "markdown", "latex"] {
        let text = table(at, &format!("out --format {format}"))?;
        // LaTeX splits the note below a narrow table into several lines.
        let text = text.replace(" \\\\\n\\multicolumn{3}{l}{\\footnotesize", "").replace('}', "");
        assert!(text.contains("each number is the mean of 2 results, which differ in seed"), "{text}");
    }
    Ok(())
}

#[test]
fn ratios_are_to_the_allocator_that_is_named_in_any_spelling() -> Tested {
    let directory = results()?;
    let at = directory.path();
    let text = table(at, "out --columns machine --relative-to hilbert+bf")?;
    assert_eq!(text, table(at, "out --columns machine --relative-to curve")?);
    assert_eq!(text, table(at, "out --columns machine --relative-to curve:order=hilbert,select=best-fit")?);
    let last = text.lines().find(|line| line.contains("hilbert+bf ")).unwrap_or_default();
    assert_eq!(last.split_whitespace().collect::<Vec<_>>(), ["hilbert+bf", "1.000", "1.000"]);
    assert!(text.starts_with(" pairwise_sum_mean relative to hilbert+bf\n"), "{text}");
    assert!(text.contains("each number is the ratio of means of 2 results"), "{text}");
    // Ratios to a column.
    let text = table(at, "out --rows machine --columns allocator --relative-to mc1x1 --format csv")?;
    assert!(text.lines().skip(1).all(|line| line.split(',').nth(2) == Some("1")), "{text}");
    Ok(())
}

#[test]
fn the_best_of_each_column_is_bold() -> Tested {
    let directory = results()?;
    let at = directory.path();
    let text = table(at, "out --columns machine --format markdown --decimals 2")?;
    let lines: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(lines[..2], ["| allocator | 4x4 | 2x4x2 |", "| :--- | ---: | ---: |"]);
    assert!(text.contains("| mc1x1 | **") || text.contains("| hilbert+bf | **"), "{text}");
    assert!(!text.contains("| random | **"), "{text}");
    let most = table(at, "out --columns machine --format markdown --best highest")?;
    assert!(most.contains("| random | **"), "{most}");
    assert!(!table(at, "out --format markdown --best none")?.contains("**"));
    assert!(!table(at, "out --value jobs --format markdown")?.contains("**"));
    let latex = table(at, "out --columns machine --format latex")?;
    assert!(latex.starts_with("% pairwise_sum_mean (needs \\usepackage{booktabs})\n"), "{latex}");
    assert!(
        latex.contains("\\begin{tabular}{lrr}\n\\toprule\nallocator & 4x4 & 2x4x2 \\\\\n\\midrule\n"),
        "{latex}"
    );
    assert!(latex.contains("\\textbf{"), "{latex}");
    assert!(
        latex.contains("\\bottomrule\n\\multicolumn{3}{l}{\\footnotesize pairwise\\_sum\\_mean} \\\\\n"),
        "{latex}"
    );
    Ok(())
}

#[test]
fn whatever_replay_wrote_is_read_and_gaps_are_shown() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    for format in ["csv", "parquet", "json", "jsonl", "arrow"] {
        let arguments = format!("-m 4x4 -a naive hilbert+bf -o {format} --format {format} -q --no-timing");
        assert_eq!(run(at, &format!("replay {log} {arguments}"))?.code, Some(0));
    }
    let csv = table(at, "csv")?;
    for other in ["parquet", "json", "jsonl", "arrow"] {
        assert_eq!(csv, table(at, other)?, "{other}");
    }
    assert!(csv.starts_with(" pairwise_sum_mean · log tiny\n\n allocator "), "{csv}");
    // The two allocators have results on different machines.
    let summary = fs::read_to_string(at.join("csv/summary.csv"))?;
    fs::write(at.join("csv/summary.csv"), summary.replacen("4x4", "16", 1))?;
    let text = table(at, "csv --columns machine")?;
    assert_eq!(text.matches('—').count(), 2, "{text}");
    let text = table(at, "csv --columns machine --format csv")?;
    assert!(text.lines().skip(1).all(|line| line.ends_with(',') || line.contains(",,")), "{text}");
    Ok(())
}

#[test]
fn wrong_names_are_usage_errors_that_list_the_columns() -> Tested {
    let directory = results()?;
    let at = directory.path();
    for (arguments, code, message) in [
        ("out --rows alocator", 2, "error: --rows: unknown column 'alocator', did you mean 'allocator'?"),
        ("out --columns log,size", 2, "error: --columns: unknown column 'size' (such as seed, log, "),
        ("out --value pairwise_sums", 2, "error: --value: unknown column 'pairwise_sums'"),
        ("out --value log", 2, "error: --value 'log' holds no numbers (one of: replay, "),
        ("out --rows log", 2, "error: 'log' is among --rows and among --columns; give it once"),
        (
            "out --relative-to mm",
            2,
            "error: --relative-to 'mm' is no label (one of: random, mc1x1, hilbert+bf, tiny, 4x4, 2x4x2)",
        ),
        (
            ". --rows log",
            1,
            "error: . holds no summary.parquet, .arrow, .csv, .json or .jsonl; expected a directory that",
        ),
    ] {
        let ran = run(at, &format!("table {arguments}"))?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(message), "{arguments}: {}", ran.stderr);
    }
    fs::write(at.join("out/summary.parquet"), "no parquet")?;
    let ran = run(at, "table out")?;
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.starts_with("error: out/summary.parquet is damaged; delete it, and start"),
        "{}",
        ran.stderr
    );
    Ok(())
}

#[test]
fn names_of_logs_do_not_control_the_terminal() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let name = "esc\u{1b}[31mred.swf";
    std::fs::copy(bundled("tiny.swf"), at.join(name))?;
    let replay = ["replay", name, "-m", "4x4", "-a", "naive", "-q", "--no-timing", "-o", "out"];
    assert_eq!(super::support::run_with(at, &replay, b"")?.code, Some(0));
    for format in ["text", "markdown", "latex"] {
        let text = table(at, &format!("out --format {format}"))?;
        assert!(!text.contains('\u{1b}'), "{format}: {text:?}");
    }
    Ok(())
}
