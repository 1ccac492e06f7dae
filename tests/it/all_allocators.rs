//! `--allocator all` skips allocators that cannot serve the machine or a job, with a note.

use std::fs;

use super::support::{Tested, bundled, columns, run};

#[test]
fn all_leaves_out_who_cannot_serve_and_says_so() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    // A job of the whole machine is larger than every block of a buddy system on 4x2x2, and 5x1 has no row on
    // 4x4.
    let replay = format!("replay {} -a all --no-timing", bundled("tiny.swf"));
    let ran = run(at, &format!("{replay} -m 6x3 -o out --format csv"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let left_out = "all leaves out 'linear-first-fit', 'left-compaction', 'right-compaction', \
                    'ordered-compaction', 'cost-free-compaction' on 6x3: each is for machines of at most 1 \
                    dimensions\n";
    assert_eq!(ran.stderr.matches(left_out).count(), 1, "{}", ran.stderr);
    let buddy = "all leaves out 'buddy-2d', which never finds a place for ";
    assert_eq!(ran.stderr.matches(buddy).count(), 1, "{}", ran.stderr);
    let summary = columns(&at.join("out/summary.csv"))?;
    assert!(!summary["allocator"].iter().any(|allocator| allocator.starts_with("buddy-2d")), "{summary:?}");
    // Every allocator replays the same jobs.
    assert!(summary["jobs"].iter().all(|jobs| *jobs == summary["jobs"][0]) && summary["jobs"].len() > 25);
    let ran = run(at, &format!("{replay} -m 6x3 -q"))?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    // An allocator given by name is not skipped: it is an error that it cannot serve a job.
    let ran = run(at, &format!("replay {} -a buddy-2d -m 6x3 --no-timing -q", bundled("tiny.swf")))?;
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("which 'buddy-2d' does not find on machine 6x3"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn all_in_a_study_leaves_out_the_same() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = format!("logs = ['{}']\nmachines = ['6x3']\nallocators = ['all']\n", bundled("tiny.swf"));
    fs::write(at.join("all.toml"), study)?;
    let ran = run(at, "sweep all.toml -o out --no-timing")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for part in [
        "on 6x3: each is for machines of at most 1 dimensions\n",
        "all leaves out 'buddy-2d', which never finds",
    ] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    Ok(())
}
