//! Sparklines and drawings of allocators in the terminal.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use meshreplay::allocator::ALLOCATORS;

use super::support::{Tested, bundled, run};

/// Runs the program, which must succeed, and returns what it printed.
fn fine(at: &Path, arguments: &str) -> Result<String, Box<dyn std::error::Error>> {
    let ran = run(at, arguments)?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran.stdout)
}

#[test]
fn sparklines_are_means_of_the_jobs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    let replay = format!("replay {log} -m 16x16 -a naive mbs -s easy fcfs --no-timing -q");
    fine(at, &format!("{replay} --format csv -o out"))?;
    let said = fine(at, &format!("{replay} --sparklines"))?;
    let plain = fine(at, &replay)?;
    let signs = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let mut jobs: BTreeMap<usize, Vec<[f64; 4]>> = BTreeMap::new();
    let text = fs::read_to_string(at.join("out/jobs.csv"))?;
    let titles: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    let column = |name: &str| titles.iter().position(|title| *title == name).ok_or("no such column");
    let columns = [column("submit_s")?, column("start_s")?, column("end_s")?, column("allocated")?];
    let replay = column("replay")?;
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [submit, start, end, nodes] = columns.map(|i| cells[i].parse().unwrap_or(f64::NAN));
        jobs.entry(cells[replay].parse()?).or_default().push([submit, start, end, nodes]);
    }
    let all = || jobs.values().flatten();
    let from = all().map(|job| job[0]).fold(f64::INFINITY, f64::min);
    let part = (all().map(|job| job[2]).fold(0.0, f64::max) - from) / 40.0;
    // Reference implementation: sums the overlap of every job with a time step.
    let mean = |jobs: &[[f64; 4]], ends: [usize; 2], nodes: bool, i: usize| -> f64 {
        let (low, high) = (from + i as f64 * part, from + (i + 1) as f64 * part);
        let of = |job: &[f64; 4]| {
            let weight = if nodes { job[3] / 256.0 } else { 1.0 };
            weight * (job[ends[1]].min(high) - job[ends[0]].max(low)).max(0.0)
        };
        jobs.iter().map(of).sum::<f64>() / part
    };
    let curve = |jobs: &[[f64; 4]], ends, nodes| -> Vec<f64> {
        (0..40).map(|i| mean(jobs, ends, nodes, i)).collect()
    };
    let most = jobs.values().flat_map(|jobs| curve(jobs, [0, 1], false)).fold(0.0, f64::max);
    for (name, replay) in [("naive · easy", 0), ("mbs · easy", 1), ("naive · fcfs", 2), ("mbs · fcfs", 3)]
    {
        let line = said.lines().find(|line| line.starts_with(&format!(" {name} "))).ok_or("no line")?;
        let drawn: Vec<char> = line.chars().skip(1 + "naive · easy".chars().count() + 2).collect();
        let expected =
            [(curve(&jobs[&replay], [1, 2], true), 1.0), (curve(&jobs[&replay], [0, 1], false), most)];
        for (at, (values, most)) in [0, 42].into_iter().zip(expected) {
            for (i, value) in values.iter().enumerate() {
                let sign = drawn.get(at + i).copied().unwrap_or(' ');
                let level = signs.iter().position(|other| *other == sign).map_or(0, |level| level + 1);
                // The tolerance allows for rounding at the border between two levels.
                let exact = 8.0 * value / most;
                assert!(
                    (level as f64 - exact) > -1e-6 && (level as f64 - exact) < 1.0 + 1e-6,
                    "{name}, {i}: {exact}, {line}"
                );
            }
        }
    }
    // Without sparklines the output is the same.
    let words =
        |text: &str| text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let table: Vec<String> = words(&said).into_iter().filter(|line| words(&plain).contains(line)).collect();
    assert_eq!(table, words(&plain));
    let ran = run(at, &format!("replay {} -m 4x4 -a naive --sparklines --format csv", bundled("tiny.swf")))?;
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--sparklines are printed under the table"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn allocators_are_listed_with_a_drawing() -> Tested {
    let directory = tempfile::tempdir()?;
    let text = fine(directory.path(), "list allocators mc1x1 naive")?;
    assert_eq!(text.matches("A job of 7 processors on 8x8").count(), 2, "{text}");
    assert_eq!(text.matches('■').count(), 2 * (7 + 1), "each has seven nodes and a legend: {text}");
    let all: Vec<&str> = ALLOCATORS.iter().map(|row| row.name).collect();
    fine(directory.path(), &format!("list allocators {}", all.join(" ")))?;
    assert!(!fine(directory.path(), "list schedulers easy")?.contains('■'));
    Ok(())
}
