//! Tables on terminals and in pipes, rows by name, ratios from saved jobs, shell completions, manual pages.

use std::fs;
use std::process::Command;

use super::support::{Tested, bundled, on_terminal, run};

#[test]
fn tables_fit_the_terminal_and_pipes_get_all() -> Tested {
    let at = tempfile::tempdir()?;
    let replay = format!("replay {} -m 4x4 -a random mc1x1 -q --no-timing", bundled("tiny.swf"));
    let replay: Vec<&str> = replay.split(' ').collect();
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    // Output to a pipe is never cut, even if COLUMNS is set.
    let piped = |arguments: &[&str]| -> Result<String, Box<dyn std::error::Error>> {
        let ran =
            Command::new(env!("CARGO_BIN_EXE_meshreplay")).args(arguments).env("COLUMNS", "60").output()?;
        assert!(ran.status.success(), "{arguments:?}");
        Ok(String::from_utf8(ran.stdout)?)
    };
    for arguments in [["list", "allocators"], ["list", "schedulers"], ["list", "models"], ["schema", "tidy"]]
    {
        assert!(widest(&piped(&arguments)?) > 150, "{arguments:?}");
        let Some(narrow) = on_terminal(at.path(), 80, &arguments)? else { return Ok(()) };
        assert!(widest(&narrow) <= 80, "{arguments:?}: {narrow}");
    }
    let Some(narrow) = on_terminal(at.path(), 60, &replay)? else { return Ok(()) };
    let whole = piped(&replay)?;
    let table = |text: &str| text.split("\n\n").nth(1).map(str::to_owned).unwrap_or_default();
    assert!(widest(&table(&narrow)) <= 60 && narrow.contains("\n no room for: "), "{narrow}");
    assert!(table(&narrow).contains("pairwise sum") && !whole.contains("no room for"), "{narrow}{whole}");
    Ok(())
}

#[test]
fn rows_are_sorted_and_listed_one_by_one() -> Tested {
    let at = tempfile::tempdir()?;
    let log = bundled("lublin-256-10k.swf.gz");
    let replay = format!("replay {log} -m 16x16 -a naive hilbert+bf snug -q --no-timing");
    let sorted = run(at.path(), &format!("{replay} --sort pairwise_sum_mean"))?.stdout;
    let at_line = |name: &str| sorted.lines().position(|line| line.starts_with(&format!(" {name} ")));
    // The titles of the table are names, too.
    assert_eq!(run(at.path(), &format!("{replay} --sort pairwise-sum"))?.stdout, sorted);
    let bound = run(at.path(), &format!("{replay} --columns to-bound"))?.stdout;
    assert!(bound.contains("pairwise_ratio_to_bound_mean"), "{bound}");
    assert!(at_line("snug") < at_line("hilbert+bf") && at_line("hilbert+bf") < at_line("naive"), "{sorted}");
    for (arguments, problem) in [
        (format!("{replay} --sort pairwise_sum_mea"), "did you mean 'pairwise_sum_mean'?"),
        (format!("{replay} --sort wait_s_mean --format csv"), "--sort sorts the rows of a table"),
        ("list allocators snugg".to_owned(), "did you mean 'snug'?"),
        ("list allocators --columns sauce".to_owned(), "did you mean 'source'?"),
    ] {
        let ran = run(at.path(), &arguments)?;
        assert!(ran.code == Some(2) && ran.stderr.contains(problem), "{arguments}: {}", ran.stderr);
    }
    let row = run(at.path(), "list allocators snug")?.stdout;
    assert!(row.starts_with(" name        snug\n") && row.contains("\n source      "), "{row}");
    Ok(())
}

#[test]
fn ratios_of_saved_jobs_have_intervals() -> Tested {
    let at = tempfile::tempdir()?;
    let log = bundled("lublin-256-10k.swf.gz");
    let ran = run(at.path(), &format!("replay {log} -m 16x16 -a mc1x1 snug -q --no-timing -o out"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let table = run(at.path(), "table out --relative-to mc1x1")?.stdout;
    // The same interval as in the closing line of the replay, whose jobs were not kept.
    assert!(
        ran.stdout.contains(
            "\nsnug places jobs closest together by both measures: pairwise sum 1.3 % less than mc1x1 (95 % \
             CI 0.3 to 2.4 %);"
        ),
        "{}",
        ran.stdout
    );
    assert!(table.contains(" 0.987 [0.976, 0.997]\n") && table.contains("each ratio by itself"), "{table}");
    let exact = run(at.path(), "table out --relative-to mc1x1 --format csv")?.stdout;
    assert!(!exact.contains('['), "{exact}");
    let file = std::fs::read(at.path().join("out/jobs.parquet"))?;
    let units = b"\"wait_s\":\"s\"";
    assert!(file.windows(units.len()).any(|window| window == units));
    Ok(())
}

#[test]
fn shells_and_manuals_are_told() -> Tested {
    let directory = tempfile::tempdir()?;
    for (shell, part) in [
        ("bash", "complete -F _meshreplay"),
        ("zsh", "#compdef meshreplay"),
        ("fish", "complete -c meshreplay"),
    ] {
        let found = run(directory.path(), &format!("completions {shell}"))?;
        assert!(found.code == Some(0) && found.stdout.contains(part), "{shell}");
    }
    let found = run(directory.path(), "man pages")?;
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    for page in
        ["meshreplay.1", "meshreplay-replay.1", "meshreplay-show-allocation.1", "meshreplay-show-blocks.1"]
    {
        let text = fs::read_to_string(directory.path().join("pages").join(page))?;
        assert!(text.contains(".SH NAME") && found.stdout.contains(page), "{page}");
    }
    Ok(())
}
