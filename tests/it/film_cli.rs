//! Films as files, small curves and drawings of allocators in the terminal.

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

/// Returns the number of pictures of a GIF file, how long all of them take in hundredths of a second, and the last one.
fn played(bytes: &[u8]) -> Result<(usize, u32, u32), gif::DecodingError> {
    let mut decoder = gif::DecodeOptions::new().read_info(bytes)?;
    let (mut count, mut all, mut last) = (0, 0, 0);
    while let Some(frame) = decoder.next_frame_info()? {
        last = u32::from(frame.delay);
        (count, all) = (count + 1, all + last);
    }
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    Ok((count, all, last))
}

#[test]
fn films_have_the_length_that_is_asked_for() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    fine(at, &format!("replay {log} -m 4x4 torus:2x2x4 -a naive mc1x1 --placements --no-timing -q -o out"))?;
    for (options, centiseconds) in
        [("", 1400), (" --seconds 10 --show mc1x1", 1000), (" --seconds 20 --window 0..50", 2000)]
    {
        fine(at, &format!("show film out -o film.gif{options}"))?;
        let first = fs::read(at.join("film.gif"))?;
        let (count, all, last) = played(&first)?;
        assert_eq!((all, last >= 200), (centiseconds, true), "{options}: the last picture stays");
        assert!(count > 50 && first.len() < 5_000_000, "{options}: {count} pictures");
        fine(at, &format!("show film out -o film.gif{options}"))?;
        assert_eq!(fs::read(at.join("film.gif"))?, first, "{options}: the same bytes each time");
        fine(at, &format!("show film out -o film.svg{options}"))?;
        let drawing = fs::read_to_string(at.join("film.svg"))?;
        assert!(drawing.contains(&format!("dur=\"{}s\"", centiseconds / 100)), "{options}");
    }
    Ok(())
}

#[test]
fn films_of_what_cannot_be_shown_are_refused() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    fine(at, &format!("replay {log} -m 4x4 -a naive --no-timing -q -o bare"))?;
    fine(at, &format!("replay {log} -m 4x4 -a naive --placements --no-timing -q -o out"))?;
    fs::write(at.join("others.gif"), "a picture of somebody else")?;
    for (arguments, code, said) in [
        ("bare -o film.gif", 1, "bare has no jobs with nodes; `replay -o DIR --placements`"),
        ("out -o film.mp4", 2, "film.mp4: expected a name that ends in .gif or .svg"),
        ("out -o film", 2, "expected a name that ends in .gif or .svg"),
        ("out -o film.gif --seconds 9", 2, "expected a number of seconds from 10 to 20"),
        ("out -o film.gif --seconds NaN", 2, "expected a number of seconds from 10 to 20"),
        ("out -o film.gif --show mc1x1", 2, "'mc1x1' is not among the results (one of: naive)"),
        ("out -o film.gif --window 5", 2, "expected FROM..TO"),
        ("out -o film.gif --window 9000000..9000001", 1, "machines: there is nothing in --window"),
        (
            "out -o others.gif",
            1,
            "others.gif already exists and is no page or picture that meshreplay has drawn",
        ),
        ("nowhere -o film.gif", 1, "nowhere"),
    ] {
        let ran = run(at, &format!("show film {arguments}"))?;
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{arguments}: {}", ran.stderr);
        assert!(!at.join("film.gif").exists(), "{arguments}");
    }
    fine(at, "show film out -o others.gif --force")?;
    fine(at, "show film out -o others.gif")?;
    Ok(())
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
    // The share of each part that every job has, added up the long way.
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
                // At the border between two signs rounding decides.
                let exact = 8.0 * value / most;
                assert!(
                    (level as f64 - exact) > -1e-6 && (level as f64 - exact) < 1.0 + 1e-6,
                    "{name}, {i}: {exact}, {line}"
                );
            }
        }
    }
    // Without its curves the output is what it was.
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
