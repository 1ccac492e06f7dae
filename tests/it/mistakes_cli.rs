//! Common mistakes on the command line, and their messages.

use std::fs;

use crate::support::{Tested, assert_golden, run};

/// Command lines with one mistake each. The exit code is 2; tests/it/golden/mistakes.txt has the messages.
const MISTAKES: &[&str] = &[
    "replay -m 4x4 -a naive tiny.swf",
    "replay -a naive -m 4x4 tiny.swf",
    "replay -m 4x4 -a naive gone.swf.gz",
    "replay -m 4x4 -a naive -s fcfs -",
    "replay tiny.swf -m 4,4 -a naive",
    "replay tiny.swf -m 4x4 -a naive -s easy,pass=per-event",
    "replay tiny.swf -m 4x4 -a curve:order=hilbert,hilbert",
    "tiny.swf",
    "replay tiny.swf -m 4x4 -a naive --verbose",
    "replay tiny.swf -m 4x4 -a naive --columns pairwise_mean_men",
    "list allocators hilbert",
    "replay synthetic:load=0.9 -m 4x4 -a naive",
    "replay tiny.swf -m 4x4 -a Hilbert+BF",
    "replay tiny.swf -m 4x4 -a Hilbert",
    "replay tiny.swf -m 4x4 -a MC1x1",
    "replay tiny.swf -m 4x4 -a niave",
    "replay tiny.swf -m 4x4 -a naive -s FCFS",
    "replay tiny.swf -m 4x4 -a naive --seed x",
    "replay tiny.swf -m 4x4 -a naive --seed -1",
    "replay tiny.swf -m 4x4 -a naive --seed 99999999999999999999",
    "replay tiny.swf -m 4x4 -a naive --replications x",
    "replay synthetic:foo=1 -m 4x4 -a naive",
    "trace cut tiny.swf out.swf --queue x",
    "trace generate --model lublin --jobs 0 --procs 64 a.swf",
    "show blocks -m 4x4 --compare naive",
    "list papers",
    "replay tiny.swf -m 4x4 -a naive -o out.csv.gz",
    "merge shard1 shard2 -o whole.csv",
    "report out -o report.md",
    "replay tiny.swf -m 4x4 -a naive --time-zone Paris",
];

const TINY: &str =
    "1 0 -1 20 2 -1 -1 2 20 -1 1 3 1 -1 1 -1 -1 -1\n2 5 -1 20 2 -1 -1 2 20 -1 0 4 1 -1 0 -1 -1 -1\n";

#[test]
fn mistakes_get_a_message_and_exit_code_2() -> Tested {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("tiny.swf"), TINY)?;
    let mut messages = String::new();
    for arguments in MISTAKES {
        let ran = run(directory.path(), arguments)?;
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.stderr);
        messages.extend(["$ meshreplay ", arguments, "\n", &ran.stderr, "\n"]);
    }
    assert!(!messages.contains("found in string"), "{messages}");
    assert_golden("mistakes.txt", &messages)
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
    // A comma inside a machine does not separate machines.
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
