//! What a replay answers in words below its table: the winner, by how much, and how certain that is.

use super::support::{Tested, bundled, run};

/// Returns the lines below the table that a replay prints.
fn answer(arguments: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let ran = run(directory.path(), &format!("replay {arguments} --no-timing -q"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    let below = ran.stdout.rsplit_once("\n\n").map_or("", |(_, below)| below);
    Ok(below
        .lines()
        .filter(|line| !line.starts_with(' ') && !line.starts_with('|'))
        .map(str::to_owned)
        .collect())
}

#[test]
fn the_best_allocator_is_named_with_its_lead() -> Tested {
    let log = bundled("lublin-256-10k.swf.gz");
    let lines = answer(&format!("{log} -m 16x16 -a naive hilbert+bf mc1x1 snug"))?;
    assert_eq!(lines, ["snug: pairwise sum 1.3 % (±0.5) below mc1x1, the next best; waits equal"]);
    let threads = |n: u32| answer(&format!("{log} -m 16x16 -a naive snug first-fit --threads {n}"));
    let lines = threads(1)?;
    assert_eq!(lines, threads(2)?);
    assert!(lines[0].starts_with("first-fit: pairwise sum ") && lines[0].contains("; wait "), "{lines:?}");
    assert_eq!(answer(&format!("{log} -m 16x16 -a snug"))?, [""; 0]);
    Ok(())
}

#[test]
fn schedulers_are_compared_by_waits_and_equal_sentences_are_one() -> Tested {
    let log = bundled("lublin-256-10k.swf.gz");
    let lines = answer(&format!("{log} -m 16x16 -s easy fcfs -a naive snug"))?;
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("under easy: snug: pairwise sum ") && lines[0].ends_with("; waits equal"));
    assert!(lines[2].starts_with("easy: wait ") && lines[2].ends_with(" below fcfs"), "{lines:?}");
    Ok(())
}

#[test]
fn replays_of_other_jobs_and_of_few_jobs_are_told() -> Tested {
    let log = bundled("tiny.swf");
    let lines = answer(&format!("{log} -m 4x4 -a naive mc1x1"))?;
    assert!(lines[0].contains("equal") || lines[0].contains("(too few jobs for an interval)"), "{lines:?}");
    let lines =
        answer("synthetic:jobs=300,ratio=1.5 -m 8x8 -s fcfs -a first-fit adaptive-scan --replications 4")?;
    assert!(
        lines[0].starts_with("adaptive-scan: wait ") && lines[0].ends_with("pairwise sums equal"),
        "{lines:?}"
    );
    Ok(())
}
