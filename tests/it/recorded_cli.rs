//! The scheduler `recorded` and the machine `auto` on the command line.

use std::fs;

use super::support::{Tested, bundled, columns, run};

/// A log without header: two jobs of 5 processors at the same time, then a job of 3 with an unknown wait.
const LOG: &str = "1 0 10 60 5 -1 -1 5 60 -1 1 1 1 -1 -1 -1 -1 -1\n2 0 20 60 5 -1 -1 5 60 -1 1 1 1 -1 -1 -1 \
     -1 -1\n\
                   3 5 -1 60 3 -1 -1 3 60 -1 1 1 1 -1 -1 -1 -1 -1\n";

#[test]
fn the_machine_follows_from_the_log() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran =
        run(at, &format!("replay {} -m auto 2x8 auto:3d -a naive --no-timing -o out", bundled("tiny.swf")))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let note = "machine 'auto' is 4x4, for the 16 processors of its header (MaxProcs)\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let manifest = fs::read_to_string(at.join("out/run.json"))?;
    let places = ["4x4", "2x8", "2x2x4"].map(|machine| manifest.find(&format!("\"{machine}\"")));
    assert!(places.is_sorted() && places[0].is_some(), "{manifest}");
    fs::write(at.join("bare.swf"), LOG)?;
    // A job without a recorded wait started at its submission.
    let ran = run(at, "replay bare.swf -m auto:1d -s recorded -a naive --no-timing")?;
    let note = "machine 'auto:1d' is 13, for the 13 processors that its jobs fill and hardly ever exceed; 1 \
                job without a recorded start counts from the submission on\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    let ran = run(at, "replay bare.swf -m 10 -s recorded -a naive --no-timing -o bare --format csv")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // The job without a wait starts first, so another job is late.
    assert!(ran.stderr.contains("1 of 3 jobs started later than recorded"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the recorded wait of 1 of 3 jobs is unknown"), "{}", ran.stderr);
    let summary = columns(&at.join("bare/summary.csv"))?;
    assert_eq!(
        (&summary["starts_delayed"][0], &summary["waits_unknown"][0]),
        (&"1".to_owned(), &"1".to_owned())
    );
    Ok(())
}

#[test]
fn studies_have_the_machine_that_auto_stands_for() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = |machines: &str| {
        format!("logs = ['{}']\nmachines = [{machines}]\nallocators = ['naive']\n", bundled("tiny.swf"))
    };
    fs::write(at.join("auto.toml"), study("'auto'"))?;
    fs::write(at.join("given.toml"), study("'4x4'"))?;
    let cells = |name: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        let ran = run(at, &format!("sweep {name}.toml -o {name} --no-timing"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let mut names = Vec::new();
        for entry in fs::read_dir(at.join(name).join("cells"))? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    };
    assert_eq!(cells("auto")?, cells("given")?);
    Ok(())
}

#[test]
fn what_auto_cannot_be_is_said() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("bare.swf"), LOG.replace(" 10 60 5", " -1 60 5").replace(" 20 60 5", " -1 60 5"))?;
    let bare = fs::read_to_string(at.join("bare.swf"))?;
    fs::write(at.join("huge.swf"), format!("; MaxProcs: 20000000\n{bare}"))?;
    let falling = |i: i64| {
        format!(
            "{i} {} 0 {} {i} -1 -1 {i} -1 -1 1 1 1 -1 1 -1 -1 -1\n",
            2_000_000 * i,
            2_000_000 / i.pow(3) + 1
        )
    };
    fs::write(at.join("falling.swf"), (1..400).map(falling).collect::<String>())?;
    for (arguments, code, message) in [
        ("bare.swf -m auto:4d -a naive", 2, "expected auto (a mesh of two dimensions), auto:1d"),
        (
            "falling.swf -m auto -a naive",
            1,
            "the size of its machine is not known: its jobs had up to 399 processors in use at once, for 1 s",
        ),
        ("huge.swf -m auto -a naive", 1, "machine 'auto' would have 20000000 nodes, expected 1 to 2^24"),
        (
            "synthetic:jobs=10,max=2x2 -m auto -a naive",
            1,
            "is a workload model, from which no machine follows",
        ),
        ("bare.swf -m auto --unavailable 0 -a naive", 2, "machine 'auto' is known only once its log is read"),
        ("bare.swf -m 4x4 -s recorded -a naive", 1, "no job has a recorded wait (field 3 of a log)"),
    ] {
        let ran = run(at, &format!("replay {arguments} --no-timing"))?;
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}
