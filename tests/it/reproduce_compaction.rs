//! Expected values of `meshreplay reproduce diessel1996` on the real logs.

use super::reproduce_cli::{Row, rows, value};
use super::support::{Tested, run, shared};

#[test]
fn compaction_is_regenerated() -> Tested {
    let Some(traces) = shared("traces") else { return Ok(()) };
    let directory = tempfile::tempdir()?;
    let arguments =
        format!("reproduce diessel1996 fig3 fig5 table1 --traces {} --format csv -q", traces.display());
    let ran = run(directory.path(), &arguments)?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let rows = rows(&ran.stdout);
    for (item, expected) in [
        ("steps in all", "exact"),
        ("left-compaction, allocation delay, percent, three times the largest request", "exact"),
        ("left compaction falls further behind cost-free compaction as the array grows", "ordering holds"),
        (
            "the number of allocations by left compaction falls as the array grows",
            "differs: it rises from 1132.0",
        ),
        ("the number of delayed schedules grows with the array", "ordering holds"),
        ("the number of overrunning schedules grows with the array", "ordering holds"),
        ("running times are extended on average by less than 1 %", "ordering holds"),
        (
            "finishing earlier: tasks that were moved",
            "differs: 115.1 % above, more than 10 %; tried: 10261 with",
        ),
        ("tasks with longer run times, percent", "differs: 121.6 % above"),
        ("tasks that finish later, percent", "differs: 37.7 % below"),
        ("tasks with longer run times, percent, free=more", "differs: 100.5 % above"),
        ("finishing earlier: run time, largest extension, percent, free=more", "within 5 %"),
        ("finishing earlier: tasks delayed as 3.3 defines it", "differs: 50.2 % below"),
        (
            "tasks with longer run times, percent, a clock of whole seconds, steps of 0.05 s",
            "fitted, 2 parameters",
        ),
    ] {
        let row = rows.iter().find(|row| row.item == item).ok_or(item)?;
        assert!(row.verdict.starts_with(expected), "{row:?}");
    }
    // Every number of the paper's table and text has a verdict.
    let printed: Vec<&Row> = rows
        .iter()
        .filter(|row| {
            row.item.starts_with("finishing ")
                || row.item.contains("tasks ") && row.item.contains(", percent")
        })
        .collect();
    // Twice, as the text has a reading of its own; with the tasks delayed by definition, and two fitted
    // numbers.
    let expected = 2 * (3 * 6 + 3 + 3) + 2;
    assert!(printed.len() == expected && printed.iter().all(|row| !row.verdict.is_empty()), "{printed:?}");
    let earlier = rows
        .iter()
        .find(|row| row.item.starts_with("tasks that finish earlier, percent"))
        .ok_or("not there")?;
    assert!(earlier.measured.is_some_and(|percent| percent > 99.0), "{earlier:?}");
    Ok(())
}

#[test]
fn left_and_cost_free_compaction_are_nearer_to_each_other_than_published() -> Tested {
    let Some(traces) = shared("traces") else { return Ok(()) };
    let directory = tempfile::tempdir()?;
    let ran = run(
        directory.path(),
        &format!("reproduce diessel1996 fig4 --traces {} --format csv -q", traces.display()),
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let rows = rows(&ran.stdout);
    let gap = "allocation delay, left below cost-free compaction, points, M = 0";
    let row = rows.iter().find(|row| row.item == gap).ok_or(gap)?;
    assert!(
        row.verdict.starts_with("differs: 0.29 below, more than 0.1 points; tried: 0.000107 with"),
        "{row:?}"
    );
    for (step, expected) in [("0.001", 0.0001), ("0.01", 0.0011), ("0.1", 0.0106), ("1", 0.1056)] {
        let item = format!("left below cost-free compaction, allocation delay, points, a step of {step} s");
        assert!((value(&rows, &item)? - expected).abs() < 0.0001, "{item}: {rows:?}");
    }
    let is_gap = |row: &&Row| row.item.contains("below cost-free compaction");
    let other = |row: &&Row| row.verdict.starts_with("differs") && !is_gap(row);
    let other: Vec<&str> = rows.iter().filter(other).map(|row| row.item.as_str()).collect();
    let expected = [
        "gain in utilization, left-compaction:free=more, percent, M = 0",
        "benefits of left compaction at M = 0 are over 15 percent",
        "allocation delay falls from where the largest period, M, is longer than it was",
    ];
    assert_eq!(other, expected);
    Ok(())
}
