//! `meshreplay table` for papers: bold numbers, LaTeX headings, and confidence intervals of ratios of means.

use std::path::Path;

use super::support::{Tested, run};

fn table(at: &Path, arguments: &str) -> Result<String, Box<dyn std::error::Error>> {
    let ran = run(at, &format!("table {arguments}"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran.stdout)
}

/// Results of two logs with different numbers of jobs, at two loads.
fn results(at: &Path) -> Tested {
    let ran = run(
        at,
        "replay synthetic:jobs=2000,ratio=1 synthetic:jobs=3000,ratio=1 -m 8x8 -s fcfs -a random gabl mc1x1 \
         --arrival-scale 1 0.8 --no-timing -o out -q",
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    Ok(())
}

#[test]
fn the_best_of_each_log_is_bold() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let bold = |text: &str| -> Vec<usize> {
        let rows = text.lines().filter(|line| line.starts_with("| synthetic"));
        rows.map(|line| line.matches("**").count() / 2).collect()
    };
    // Three allocators per log: one is bold at each of the two loads.
    let text = table(at, "out --rows log,allocator --columns arrival_scale --format markdown")?;
    let found = bold(&text);
    assert_eq!((found[..3].iter().sum::<usize>(), found[3..].iter().sum::<usize>()), (2, 2), "{text}");
    assert!(!text.contains("none is marked"), "{text}");
    // `--best rows`: one number per row.
    let text = table(at, "out --rows log,arrival_scale --columns allocator --best rows --format markdown")?;
    assert_eq!(bold(&text), [1; 4], "{text}");
    let most =
        table(at, "out --rows log,arrival_scale --columns allocator --best rows,highest --format markdown")?;
    assert!(bold(&most) == [1; 4] && most != text, "{most}");
    let none = table(
        at,
        "out --rows log,arrival_scale --columns allocator --best rows --best none --format markdown",
    )?;
    assert!(!none.contains("**"), "{none}");
    // Different logs are not compared, because their means are over different numbers of jobs.
    let text = table(at, "out --rows log --columns allocator --format markdown")?;
    assert!(!text.contains("**") && text.contains("none is marked"), "{text}");
    Ok(())
}

#[test]
fn ratios_of_means_over_loads_have_intervals() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let text = table(at, "out --columns log --relative-to mc1x1")?;
    let random = text.lines().find(|line| line.contains("random")).unwrap_or_default();
    assert_eq!(random.matches('[').count(), 2, "{text}");
    assert!(
        text.contains("each number is the ratio of means of 2 results, which differ in arrival_scale"),
        "{text}"
    );
    let note = "[ ] is the 95 % confidence interval of each ratio by itself, from five parts of the log";
    assert!(text.contains(note), "{text}");
    // The interval for a single load has a similar width.
    let one = table(at, "out --columns log,arrival_scale --relative-to mc1x1")?;
    let widths = |text: &str| -> Vec<f64> {
        let line = text.lines().find(|line| line.contains("random")).unwrap_or_default();
        let end = |text: &str| text.trim().parse::<f64>().ok();
        let width = |interval: &str| {
            let (low, high) = interval.split_once(']')?.0.split_once(", ")?;
            Some(end(high)? - end(low)?)
        };
        line.split('[').skip(1).filter_map(width).collect()
    };
    let (mean, single) = (widths(&text), widths(&one));
    assert_eq!((mean.len(), single.len()), (2, 4), "{one}");
    assert!(
        mean[0] < 1.5 * single[0].max(single[1]) && mean[0] > 0.3 * single[0].min(single[1]),
        "{text}{one}"
    );
    // Means over both logs have an interval, too.
    let both = table(at, "out --columns machine --relative-to mc1x1")?;
    assert_eq!(widths(&both).len(), 1, "{both}");
    Ok(())
}

#[test]
fn latex_has_spanning_headings_and_its_notes_below() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let text = table(at, "out --columns log,arrival_scale --relative-to mc1x1 --format latex")?;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[2], "\\toprule");
    assert_eq!(
        lines[3..6],
        [
            " & \\multicolumn{2}{c}{synthetic:jobs=2000,ratio=1, arrival\\_scale} & \
             \\multicolumn{2}{c}{synthetic:jobs=3000,ratio=1, arrival\\_scale} \\\\",
            "\\cmidrule(lr){2-3} \\cmidrule(lr){4-5}",
            "allocator & 1 & 0.8 & 1 & 0.8 \\\\"
        ]
    );
    let notes: Vec<&&str> = lines.iter().skip_while(|line| **line != "\\bottomrule").skip(1).collect();
    assert!(notes[0].contains("{\\footnotesize pairwise\\_sum\\_mean relative to mc1x1"), "{text}");
    assert!(text.contains("{[} ] is the 95 \\% confidence interval"), "{text}");
    // A label shared by several rows is printed once.
    let text = table(at, "out --rows log,allocator --columns arrival_scale --format latex")?;
    assert_eq!(text.lines().filter(|line| line.starts_with("synthetic:")).count(), 2, "{text}");
    Ok(())
}
