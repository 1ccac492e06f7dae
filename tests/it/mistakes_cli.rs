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
        "replay tiny.swf -m 4,4 -a naive",
        "'4,4' has commas: a mesh is 4x4, and several arrays are --machine 4 4",
    ),
    (
        "replay tiny.swf -m 4x4 -a naive -s easy,pass=per-event",
        "'easy,pass=per-event': parameters follow a colon, as in easy:pass=per-event",
    ),
    (
        "replay tiny.swf -m 4x4 -a curve:order=hilbert,hilbert",
        "unknown allocator 'hilbert', did you mean 'hilbert+bf'?",
    ),
    ("tiny.swf", "to replay it as a log: meshreplay replay tiny.swf --machine auto"),
    (
        "replay tiny.swf -m 4x4 -a naive --verbose",
        "unexpected argument '--verbose' found\n\nUsage: meshreplay replay <LOG>...",
    ),
    ("replay tiny.swf -m 4x4 -a naive --columns pairwise_mean", "did you mean 'pairwise_mean_mean'?"),
    ("list allocators hilbert", "unknown allocator 'hilbert', did you mean 'hilbert+bf'?"),
    (
        "replay synthetic:load=0.9 -m 4x4 -a naive",
        "'synthetic' has no parameter 'load' (it has: jobs, max, mean, offered, outside, rate, ratio, ",
    ),
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
fn lists_have_blanks_or_commas() -> Tested {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("tiny.swf"), TINY)?;
    let replayed = |arguments: &str| {
        run(directory.path(), &format!("replay tiny.swf {arguments} --format csv --no-timing"))
    };
    let blanks = replayed(
        "-m 4x4 2x8 -a mc1x1 curve:order=hilbert,select=best-fit naive -s fcfs easy --arrival-scale 1 0.5",
    )?;
    let commas = replayed(
        "-m 4x4,2x8 -a mc1x1,curve:order=hilbert,select=best-fit,naive --scheduler=fcfs,easy --arrival-scale \
             1,0.5",
    )?;
    assert_eq!((blanks.code, blanks.stdout.lines().count()), (Some(0), 25), "{}", blanks.stderr);
    assert_eq!(blanks.stdout, commas.stdout, "{}", commas.stderr);
    // Commas of one machine are not those of a list.
    let holes = replayed("-m 4x4:without=0,5 -a naive")?;
    assert_eq!(holes.stdout.lines().count(), 2, "{}", holes.stderr);
    let table =
        run(directory.path(), "replay tiny.swf -m 4x4 -a naive --no-timing --columns wait_s_mean moves")?;
    assert!(table.stdout.contains("wait_s_mean  moves"), "{}{}", table.stdout, table.stderr);
    Ok(())
}

#[test]
fn names_resolve_in_every_form() -> Tested {
    let directory = tempfile::tempdir()?;
    let listed = run(directory.path(), "list allocators hilbert+bf")?;
    assert!(
        listed.stdout.starts_with(" hilbert+bf is curve:order=hilbert,select=best-fit\n"),
        "{}",
        listed.stdout
    );
    fs::write(directory.path().join("log.swf.gz"), "")?;
    let packed = run(directory.path(), "replay log.swf -m 4x4 -a naive")?;
    assert!(packed.stderr.contains("log.swf: no such file; log.swf.gz is there"), "{}", packed.stderr);
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
