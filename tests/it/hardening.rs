//! Small inputs must not need much memory or time, and names must not inject formulas or terminal codes.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::{Tested, run, run_with};

const TINY: &str =
    "1 0 -1 20 2 -1 -1 2 20 -1 1 3 1 -1 1 -1 -1 -1\n2 5 -1 20 2 -1 -1 2 20 -1 0 4 1 -1 0 -1 -1 -1\n";

#[test]
fn headers_are_kept_up_to_a_limit_and_copied_whole() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut gzip = GzEncoder::new(File::create(at.join("comments.swf.gz"))?, Compression::fast());
    let comments = ";\n".repeat(1000);
    for _ in 0..3000 {
        gzip.write_all(comments.as_bytes())?;
    }
    gzip.write_all(TINY.as_bytes())?;
    gzip.finish()?;
    let ran = run(at, "trace info comments.swf.gz")?;
    let line = ran.stdout.lines().find(|line| line.contains("comments beyond the limit of a header"));
    assert!(line.is_some_and(|line| line.replace(',', "").contains("2980000")), "{}", ran.stdout);
    let ran = run(at, "trace cut comments.swf.gz all.swf --first 9")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(at.join("all.swf"))?.lines().count(), 3_000_003);
    Ok(())
}

/// A gzip bomb: 280 MB of text in 300 kB. At this ratio a file of 300 MB would keep a reader busy for hours.
#[test]
fn small_files_with_much_text_are_refused_and_streams_are_not() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut member = GzEncoder::new(Vec::new(), Compression::best());
    let comment = format!("; {}\n", "x".repeat(100_000));
    member.write_all(comment.repeat(100).as_bytes())?;
    // Concatenated gzip members are one gzip file.
    let bomb = member.finish()?.repeat(28);
    fs::write(at.join("bomb.swf.gz"), &bomb)?;
    for command in ["trace info bomb.swf.gz", "replay bomb.swf.gz -m 4x4 -a naive -q"] {
        let ran = run(at, command)?;
        assert_eq!(ran.code, Some(1), "{command}");
        let said = "bomb.swf.gz has more than 268 MB of text in ";
        assert!(
            ran.stderr.contains(said) && ran.stderr.contains("--log-limits expansion="),
            "{}",
            ran.stderr
        );
    }
    // `--log-limits` raises the limit.
    let mut whole = bomb;
    let mut last = GzEncoder::new(Vec::new(), Compression::best());
    last.write_all(TINY.as_bytes())?;
    whole.extend(last.finish()?);
    fs::write(at.join("whole.swf.gz"), &whole)?;
    fs::write(at.join("s.toml"), "logs = ['whole.swf.gz']\nmachines = ['4x4']\nallocators = ['naive']\n")?;
    let limits = "--log-limits expansion=2000";
    for command in [
        format!("trace info whole.swf.gz {limits}"),
        format!("replay whole.swf.gz -m 4x4 -a naive -q {limits}"),
        format!("sweep s.toml -o out -q {limits}"),
    ] {
        assert_eq!(run(at, &command)?.code, Some(0), "{command}");
    }
    // Plain text from a pipe has no limit.
    let mut text = comment.repeat(2800).into_bytes();
    text.extend_from_slice(TINY.as_bytes());
    let ran = run_with(at, &["trace", "info", "-"], &text)?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    Ok(())
}

/// CSV injection: names of users and logs that begin like formulas are escaped in every table.
#[test]
fn names_are_no_formulas_in_any_table() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let rows = "JobID,User,Submit,Start,End,NNodes\n1,=1+cmd(),2024-01-01T00:00:00,2024-01-01T00:00:01,2024-01-01T00:00:09,2\n";
    fs::write(at.join("=1+1.csv"), rows)?;
    for command in [
        "trace convert =1+1.csv log.swf --time-zone UTC",
        "replay =1+1.csv -m 4x4 -a naive --placements -q -o out --time-zone UTC --estimate exact",
        "export out --to evalys -o jobs.csv",
    ] {
        let ran = run(at, command)?;
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
    }
    assert_eq!(fs::read_to_string(at.join("log.names.csv"))?, "kind,number,name\nuser,1,'=1+cmd()\n");
    let jobs = fs::read_to_string(at.join("jobs.csv"))?;
    let cell = jobs.lines().nth(1).and_then(|line| line.split(',').nth(1));
    assert!(cell.is_some_and(|cell| cell.starts_with("\"'=1+1")), "{jobs}");
    Ok(())
}

#[test]
fn long_lines_are_read_where_it_is_asked_for() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("long.swf"), format!("; {}\n{TINY}", "x".repeat(3_000_000)))?;
    let ran = run(at, "trace info long.swf")?;
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    let said = "long.swf:1: more than 1048576 bytes without a line end";
    assert!(ran.stderr.contains(said) && ran.stderr.contains("--log-limits line=BYTES"), "{}", ran.stderr);
    for command in ["trace info long.swf", "trace validate long.swf", "replay long.swf -m 4x4 -a naive -q"] {
        let ran = run(at, &format!("{command} --log-limits line=4000000"))?;
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
    }
    let ran = run(at, "trace info long.swf --log-limits lines=5")?;
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("expected expansion=N, line=BYTES, memory=BYTES"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn files_without_end_are_no_orders() -> Tested {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("tiny.swf"), TINY)?;
    let ran = run(directory.path(), "replay tiny.swf -m 4x4 -a curve:order=file,path=/dev/zero")?;
    assert_eq!(ran.code, Some(2));
    let message = "expected an order file, but /dev/zero cannot be read: it has more than the 1049600 bytes";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    Ok(())
}

#[test]
fn names_neither_steer_a_terminal_nor_make_links_or_rows() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for (name, shown) in [
        ("a\u{1b}[31mb", r"a\\u{1b}\[31mb"),
        ("a\nb", r"a\\u{a}b"),
        ("[x](http:a)", r"\[x\](http:a)"),
        ("a\u{202e}b", r"a\\u{202e}b"),
    ] {
        let file = name.to_owned() + ".swf";
        // Some file systems do not allow such names.
        let name = std::ffi::OsStr::from_bytes(file.as_bytes());
        if fs::write(at.join(name), TINY).is_err() {
            println!("skipped: the file system has no name {file:?}");
            continue;
        }
        let arguments = ["replay", &file, "-m", "4x4", "8x8", "-a", "naive", "--format", "markdown"];
        let ran = run_with(at, &arguments, b"")?;
        assert!(ran.stdout.contains(shown), "{}", ran.stdout);
        assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']));
        let gone = format!("gone-{file}");
        let ran = run_with(at, &["trace", "info", &gone], b"")?;
        assert_eq!(ran.code, Some(1));
        assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
    }
    Ok(())
}
