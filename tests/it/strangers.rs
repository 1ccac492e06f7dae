//! Result directories from others: names, files and drawings are not trusted.

use std::fs;
use std::path::Path;

use super::support::{Tested, bundled, contents, run};

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

/// Sweeps a study of two cells with jobs into the directory `part`, and returns the names of the cells'
/// files.
fn study(at: &Path) -> Anything<Vec<String>> {
    let text =
        format!("logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive', 'random']\n", bundled("tiny.swf"));
    fs::write(at.join("s.toml"), text)?;
    let ran = run(at, "sweep s.toml -o part --no-timing --jobs -q")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let names = contents(&at.join("part/cells"))?.into_keys();
    Ok(names.filter(|name| !name.contains(".jobs.")).collect())
}

#[test]
fn keys_lead_nowhere_else() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let cells = study(at)?;
    let key = cells[0].trim_end_matches(".parquet");
    fs::create_dir_all(at.join("deep/a"))?;
    fs::create_dir(at.join("victim"))?;
    let text = fs::read_to_string(at.join("part/study.json"))?;
    for odd in ["../../../victim/pwned".to_owned(), key.to_uppercase(), key[1..].to_owned(), String::new()] {
        fs::write(at.join("part/study.json"), text.replace(key, &odd))?;
        for command in ["merge part -o deep/a/out --partial", "sweep --status part"] {
            let ran = run(at, command)?;
            assert_eq!(ran.code, Some(1), "{command}");
            let expected = "expected 64 hexadecimal digits";
            assert!(
                ran.stderr.contains("part/study.json") && ran.stderr.contains(expected),
                "{}",
                ran.stderr
            );
        }
        assert_eq!(contents(&at.join("victim"))?.len() + contents(&at.join("deep"))?.len(), 0);
    }
    Ok(())
}

#[test]
fn a_cell_is_done_only_if_its_file_is_its_own() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let cells = study(at)?;
    let [first, second] = [&cells[0], &cells[1]].map(|cell| at.join("part/cells").join(cell));
    let whole = fs::read(&second)?;
    assert_eq!(run(at, "sweep --status part")?.code, Some(0));
    for wrong in [Vec::new(), fs::read(&first)?, whole[..whole.len() / 2].to_vec()] {
        fs::write(&second, wrong)?;
        let ran = run(at, "sweep --status part")?;
        assert_eq!(ran.code, Some(1));
        assert!(ran.stdout.contains("1 done") && ran.stdout.contains("1 to do"), "{}", ran.stdout);
        let ran = run(at, "merge part -o whole")?;
        assert_eq!(ran.code, Some(1));
        assert!(ran.stderr.contains("is damaged or the result of another cell"), "{}", ran.stderr);
        assert!(!at.join("whole").exists());
        // The same command replays the damaged cell.
        assert_eq!(run(at, "sweep s.toml -o part --no-timing --jobs -q")?.code, Some(0));
        assert!(fs::read(&second)? == whole);
    }
    Ok(())
}

#[test]
fn jobs_of_a_stranger_are_looked_at() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let cells = study(at)?;
    let jobs = at.join("part/cells").join(cells[0].replace(".parquet", ".jobs.parquet"));
    let bytes = fs::read(&jobs)?;
    fs::write(&jobs, b"#!/bin/sh\n")?;
    let ran = run(at, "merge part -o whole")?;
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains(".jobs.parquet is damaged or the result of another cell"), "{}", ran.stderr);
    #[cfg(unix)]
    {
        fs::write(at.join("secret"), &bytes)?;
        fs::remove_file(&jobs)?;
        std::os::unix::fs::symlink(at.join("secret"), &jobs)?;
        let ran = run(at, "merge part -o whole")?;
        assert_eq!(ran.code, Some(1));
        assert!(ran.stderr.contains(".jobs.parquet is no regular file"), "{}", ran.stderr);
        fs::remove_file(&jobs)?;
    }
    fs::write(&jobs, bytes)?;
    assert_eq!(run(at, "merge part -o whole -q")?.code, Some(0));
    assert!(contents(&at.join("whole"))? == contents(&at.join("part"))?);
    Ok(())
}

#[test]
fn drawings_of_a_stranger_do_not_run_in_a_report() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::create_dir(at.join("fig"))?;
    fs::write(at.join("fig/walker2010.json"), "[]")?;
    let ours = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 4\"><rect class=\"paper\" \
         width=\"4\"/></svg>";
    fs::write(at.join("fig/walker2010-fig8.svg"), ours)?;
    let theirs = "<svg onload=\"alert(1)\"><script>alert(2)</script></svg>";
    fs::write(at.join("fig/walker2010-fig9.svg"), theirs)?;
    let ran = run(at, "report fig")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("note: left out fig/walker2010-fig9.svg: it has the element"),
        "{}",
        ran.stderr
    );
    let page = fs::read_to_string(at.join("fig/report.html"))?;
    assert!(page.contains("<figure id=\"walker2010-fig8\"><svg") && !page.contains("alert("));
    Ok(())
}
