//! The command `check`.

use super::support::{Tested, run};

#[test]
fn every_law_has_a_line_for_every_allocator() -> Tested {
    let directory = tempfile::tempdir()?;
    let ran = run(directory.path(), "check first-fit random -m 8x5 torus:4x4 --events 60")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let lines: Vec<Vec<&str>> =
        ran.stdout.lines().map(|line| line.split_whitespace().take(4).collect()).collect();
    for expected in [
        ["first-fit", "free", "kept", "2"],
        ["first-fit", "forgets", "kept", "2"],
        ["random", "serves", "kept", "2"],
        ["random", "state", "not", "promised"],
    ] {
        assert!(lines.contains(&expected.to_vec()), "{expected:?}: {}", ran.stdout);
    }
    let again = run(directory.path(), "check first-fit random -m 8x5 torus:4x4 --events 60")?;
    assert_eq!(ran.stdout, again.stdout);
    Ok(())
}

#[test]
fn machines_that_an_allocator_does_not_serve_are_left_out_unless_it_serves_none() -> Tested {
    let directory = tempfile::tempdir()?;
    let ran = run(directory.path(), "check mbs -m 4x4 torus:4x4 4x4x4 --events 20")?;
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    for (arguments, message) in [
        ("check ocs -m 4x4", "unknown allocator 'ocs'"),
        ("check left-compaction -m 4x4", "it is for machines of at most 1 dimensions"),
        ("check naive --law free", "unexpected argument '--law'"),
    ] {
        let ran = run(directory.path(), arguments)?;
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.stdout);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}
