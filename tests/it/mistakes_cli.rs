//! The mistakes that people make on the command line, and what it says of each.

use std::fs;

use crate::support::{Tested, run};

/// Arguments, and a part of the message. The exit code is 2.
const MISTAKES: &[(&str, &str)] = &[
    (
        "replay -m 4x4 -a naive tiny.swf",
        "'tiny.swf' is a file: logs and directories come before --allocator, which takes",
    ),
    (
        "replay -a naive -m 4x4 tiny.swf",
        "'tiny.swf' is a file: logs and directories come before --machine, which takes",
    ),
    (
        "replay -m 4x4 -a naive gone.swf.gz",
        "'gone.swf.gz' is the name of a log: logs and directories come before",
    ),
    (
        "replay -m 4x4 -a naive -s fcfs -",
        "'-' is standard input: logs and directories come before --scheduler",
    ),
    (
        "replay tiny.swf -m 4x4 -a naive,mc1x1",
        "'naive,mc1x1' has commas: values are separated by blanks, as in --allocator naive mc1x1",
    ),
    (
        "replay tiny.swf -m 4x4,8x8 -a naive",
        "'4x4,8x8' has commas: values are separated by blanks, as in --machine 4x4 8x8",
    ),
    ("replay tiny.swf -m 4x4 -a curve:order=hilbert,hilbert", "'hilbert' is not key=value"),
    ("replay tiny.swf -m 4x4 -a Hilbert+BF", "unknown allocator 'Hilbert+BF', did you mean 'hilbert+bf'?"),
    ("replay tiny.swf -m 4x4 -a Hilbert", "unknown allocator 'Hilbert', did you mean 'hilbert+bf'?"),
    ("replay tiny.swf -m 4x4 -a MC1x1", "unknown allocator 'MC1x1', did you mean 'mc1x1'?"),
    ("replay tiny.swf -m 4x4 -a niave", "unknown allocator 'niave', did you mean 'naive'?\n"),
    ("replay tiny.swf -m 4x4 -a naive -s FCFS", "unknown scheduler 'FCFS', did you mean 'fcfs'?"),
    (
        "replay tiny.swf -m 4x4 -a naive --seed x",
        "invalid value 'x' for '--seed <SEED>': expected a whole number\n",
    ),
    (
        "replay tiny.swf -m 4x4 -a naive --seed -1",
        "invalid value '-1' for '--seed <SEED>': expected a whole number\n",
    ),
    (
        "replay tiny.swf -m 4x4 -a naive --seed 99999999999999999999",
        "'--seed <SEED>': expected a smaller number",
    ),
    (
        "replay tiny.swf -m 4x4 -a naive --replications x",
        "found 'x', expected a whole number from 1 to 100,000, or until:",
    ),
    (
        "replay synthetic:foo=1 -m 4x4 -a naive",
        "'synthetic' has no parameter 'foo' (it has: jobs, max, mean, ",
    ),
    ("trace cut tiny.swf out.swf --queue x", "invalid value 'x' for '--queue <Q>': expected a whole number"),
    (
        "trace generate --model lublin --jobs 0 --procs 64 a.swf",
        "expected a whole number from 1 to 100,000,000",
    ),
    (
        "show blocks -m 4x4 --compare naive",
        "'naive' does not work by blocks that split; expected one of mbs,",
    ),
];

const TINY: &str =
    "1 0 -1 20 2 -1 -1 2 20 -1 1 3 1 -1 1 -1 -1 -1\n2 5 -1 20 2 -1 -1 2 20 -1 0 4 1 -1 0 -1 -1 -1\n";

#[test]
fn messages_are_in_the_words_of_the_mistake() -> Tested {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("tiny.swf"), TINY)?;
    for (arguments, message) in MISTAKES {
        let ran = run(directory.path(), arguments)?;
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}\n{}", ran.stderr);
        assert!(!ran.stderr.contains("found in string"), "{arguments}\n{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn machines_are_read_in_capitals_too() -> Tested {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("tiny.swf"), TINY)?;
    let [plain, capital] = ["4x4", "4X4"].map(|machine| {
        run(directory.path(), &format!("replay tiny.swf -m {machine} -a naive --format csv --no-timing"))
    });
    assert_eq!(plain?.stdout, capital?.stdout);
    Ok(())
}

#[test]
fn filters_that_keep_nothing_fail_and_say_what_the_log_has() -> Tested {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("tiny.swf"), TINY)?;
    for (filter, message) in [
        (
            "--queue 7",
            "tiny.swf: none of 2 jobs passes --queue 7: values of the field queue in the log are 0, 1\n",
        ),
        ("--user 1 --user 2", "passes --user 1 --user 2: values of the field user in the log are 3, 4\n"),
        ("--from 9", "none of 2 jobs passes --from 9: the log has none at that time\n"),
        ("--queue 1 --status 0", "passes all filters: --queue 1 alone passes 1, --status 0 alone passes 1\n"),
    ] {
        let ran = run(directory.path(), &format!("trace cut tiny.swf out.swf {filter}"))?;
        assert_eq!(ran.code, Some(1), "{filter}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{filter}\n{}", ran.stderr);
        assert!(!directory.path().join("out.swf").exists(), "{filter}");
    }
    Ok(())
}
