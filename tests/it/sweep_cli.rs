//! `meshreplay sweep` and `merge` on the command line: killed and resumed, in shards, wrong inputs, failing
//! cells.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{Numbers, Ran, Tested, bundled, contents, differences, replaced, run, run_with};

/// Sixty cells: 1 log, 5 loads, 2 machines, 2 schedulers, 3 allocators.
const SIXTY: &str = "name = \"sixty\"
logs = [\"short.swf\"]
machines = [\"16x16\", \"8x8x4\"]
schedulers = [\"fcfs\", \"easy\"]
allocators = [\"naive\", \"hilbert+bf\", \"mc1x1\"]
arrival_scales = [1, 0.9, 0.8, 0.7, 0.6]
";

/// A directory with the study of sixty cells and its log.
fn sixty() -> Result<tempfile::TempDir, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let cut = run(at, &format!("trace cut {} short.swf --first 1200", bundled("lublin-256-10k.swf.gz")))?;
    assert_eq!(cut.code, Some(0), "{}", cut.stderr);
    fs::write(at.join("sixty.toml"), SIXTY)?;
    Ok(directory)
}

fn done(ran: &Ran) {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
}

#[test]
fn a_killed_study_goes_on_where_it_stood() -> Tested {
    let directory = sixty()?;
    let at = directory.path();
    let began = Instant::now();
    done(&run(at, "sweep sixty.toml -o whole --no-timing --jobs -q")?);
    let whole = began.elapsed();
    let expected = contents(&at.join("whole"))?;
    assert_eq!(expected.len(), 2 * 60 + 4);
    // Each run continues the one before and is killed at a random time after its start. A run that ends
    // before its kill does not count, and the next one is killed sooner.
    let mut numbers = Numbers(20);
    let (mut killed, mut left, mut longest) = (0, 0, whole / 2);
    for round in 0..400 {
        if killed == 20 {
            break;
        }
        let out = at.join("killed");
        if out.join("summary.csv").exists() {
            fs::remove_dir_all(&out)?;
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
            .args("sweep sixty.toml -o killed --no-timing --jobs -q".split(' '))
            .current_dir(at)
            .spawn()?;
        std::thread::sleep(longest * numbers.below(1000) / 1000);
        child.kill()?;
        let was_killed = child.wait()?.code().is_none();
        killed += usize::from(was_killed);
        longest = if was_killed { longest } else { longest * 9 / 10 };
        let kept = if out.exists() { contents(&out)? } else { BTreeMap::new() };
        for (name, bytes) in &kept {
            let temporary = name.contains(".meshreplay-") || name == "unfinished.json";
            left += usize::from(temporary);
            assert!(temporary || expected.get(name) == Some(bytes), "round {round}: {name}");
        }
    }
    assert_eq!(killed, 20, "too few runs were killed before they ended");
    println!("{killed} runs were killed, {left} files left that a finished study does not have");
    done(&run(at, "sweep sixty.toml -o killed --no-timing --jobs -q")?);
    assert_eq!(differences(&at.join("whole"), &at.join("killed"))?, Vec::<String>::new());
    Ok(())
}

#[test]
fn what_a_killed_process_left_is_removed_by_its_own_part_only() -> Tested {
    let directory = sixty()?;
    let at = directory.path();
    let left = ["o/.meshreplay-a", "o/cells/.meshreplay-1of2-b", "o/cells/.meshreplay-2of2-c"];
    fs::create_dir_all(at.join("o/cells"))?;
    let write = || left.iter().try_for_each(|name| fs::write(at.join(name), "unfinished"));
    let there = || left.map(|name| at.join(name).exists());
    write()?;
    done(&run(at, "sweep sixty.toml -o o --shard 1/2 -q --no-timing")?);
    assert_eq!(there(), [true, false, true]);
    assert!(!at.join("o/summary.parquet").exists());
    done(&run(at, "sweep sixty.toml -o o --shard 2/2 -q --no-timing")?);
    assert_eq!(there(), [true, false, false]);
    // The shard that ended last wrote the summary.
    done(&run(at, "sweep sixty.toml -o whole -q --no-timing")?);
    done(&run(at, "sweep sixty.toml -o o -q --no-timing")?);
    assert_eq!(differences(&at.join("whole"), &at.join("o"))?, Vec::<String>::new());
    Ok(())
}

#[test]
fn shards_merge_to_the_whole() -> Tested {
    let directory = sixty()?;
    let at = directory.path();
    done(&run(at, "sweep sixty.toml -o whole --no-timing -q --threads 1")?);
    for shard in 1..=3 {
        done(&run(
            at,
            &format!("sweep sixty.toml -o s{shard} --no-timing -q --shard {shard}/3 --threads 2"),
        )?);
    }
    let ran = run(at, "merge s1 s2 -o merged -q")?;
    assert_eq!(ran.code, Some(1));
    let named = ran.stderr.lines().filter(|line| line.starts_with("missing: replay ")).count();
    assert!((15..=20).contains(&named), "{}", ran.stderr);
    assert!(ran.stderr.contains("are missing and nothing is written"), "{}", ran.stderr);
    assert!(!at.join("merged").exists());
    done(&run(at, "merge s1 s2 s3 -o merged -q")?);
    assert_eq!(differences(&at.join("whole"), &at.join("merged"))?, Vec::<String>::new());
    let sizes: Vec<usize> = (1..=3)
        .map(|shard| Ok(contents(&at.join(format!("s{shard}/cells")))?.len()))
        .collect::<Result<_, Box<dyn Error>>>()?;
    assert_eq!(sizes.iter().sum::<usize>(), 60);
    assert!(sizes.iter().all(|size| (10..=30).contains(size)), "{sizes:?}");
    Ok(())
}

/// The study.json of an earlier version may lack `starts`.
#[test]
fn parts_that_do_not_tell_when_logs_start_are_merged() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let text = fs::read_to_string(bundled("tiny.swf"))?;
    fs::write(
        at.join("dated.swf"),
        format!("; UnixStartTime: 867801600\n; TimeZoneString: Europe/Berlin\n{text}"),
    )?;
    fs::write(
        at.join("s.toml"),
        "logs = ['dated.swf']\nmachines = ['4x4']\nallocators = ['naive', 'random']\n",
    )?;
    done(&run(at, "sweep s.toml -o whole --no-timing -q")?);
    for shard in 1..=2 {
        done(&run(at, &format!("sweep s.toml -o s{shard} --no-timing -q --shard {shard}/2"))?);
    }
    let path = at.join("s1/study.json");
    let mut study: serde_json::Value = serde_json::from_str(&fs::read_to_string(&path)?)?;
    let starts = study["logs"][0].as_object_mut().and_then(|log| log.remove("starts"));
    assert!(starts.is_some(), "{study}");
    fs::write(&path, serde_json::to_string(&study)?)?;
    for (parts, out) in [("s1 s2", "a"), ("s2 s1", "b")] {
        done(&run(at, &format!("merge {parts} -o {out} -q"))?);
        assert_eq!(differences(&at.join("whole"), &at.join(out))?, Vec::<String>::new());
    }
    Ok(())
}

#[test]
fn conflicting_cells_and_other_studies_are_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study =
        format!("logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive', 'random']\n", bundled("tiny.swf"));
    fs::write(at.join("a.toml"), &study)?;
    fs::write(at.join("b.toml"), &study)?;
    done(&run(at, "sweep a.toml -o a --no-timing -q")?);
    done(&run(at, "sweep a.toml -o again --no-timing -q")?);
    done(&run(at, "sweep b.toml -o b --no-timing -q")?);
    let ran = run(at, "merge a b -o out")?;
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("b holds another study than a: 'b' is not 'a'"), "{}", ran.stderr);
    let ran = run(at, "merge a . -o out")?;
    assert!(ran.stderr.contains(". holds no study.json; expected a directory that"), "{}", ran.stderr);
    let ran = run(at, "sweep b.toml -o a -q")?;
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stderr, "error: a holds the study 'a', not 'b'; give another directory\n");
    // Results of one cell under the name of another.
    let mut cells: Vec<String> = contents(&at.join("again/cells"))?.into_keys().collect();
    cells.sort();
    let [first, second] = [&cells[0], &cells[1]].map(|cell| at.join("again/cells").join(cell));
    fs::copy(&first, &second)?;
    let ran = run(at, "merge a again -o out")?;
    assert_eq!(ran.code, Some(1));
    let problem = format!("again/cells/{} is damaged or the result of another cell", cells[1]);
    assert!(ran.stderr.contains(&problem), "{}", ran.stderr);
    // The same with the key of the other cell in the file.
    let [key_of_first, key] = [&cells[0], &cells[1]].map(|cell| cell.trim_end_matches(".parquet"));
    fs::write(&second, replaced(fs::read(&first)?, key_of_first.as_bytes(), key.as_bytes()))?;
    let ran = run(at, "merge a again -o out")?;
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.starts_with(&format!("error: a and again differ in cell {key}, tiny × 1 on 4x4")),
        "{}",
        ran.stderr
    );
    assert!(!at.join("out").exists());
    Ok(())
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() -> Tested {
    let directory = sixty()?;
    let at = directory.path();
    for threads in [1, 2] {
        done(&run(at, &format!("sweep sixty.toml -o t{threads} --no-timing --jobs -q --threads {threads}"))?);
    }
    assert_eq!(differences(&at.join("t1"), &at.join("t2"))?, Vec::<String>::new());
    Ok(())
}

#[test]
fn only_what_is_new_is_replayed() -> Tested {
    let directory = sixty()?;
    let at = directory.path();
    let ran = run(at, "sweep sixty.toml -o out")?;
    assert_eq!(ran.stderr, "note: 60 cells: 0 were done, 60 replayed; out/summary.parquet is written\n");
    fs::write(at.join("sixty.toml"), SIXTY.replace("\"mc1x1\"]", "\"mc1x1\", \"mbs\"]"))?;
    let ran = run(at, "sweep sixty.toml -o out --dry-run")?;
    // mbs serves machines of two dimensions only.
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    fs::write(at.join("sixty.toml"), SIXTY.replace("\"mc1x1\"]", "\"mc1x1\", \"random\"]"))?;
    let ran = run(at, "sweep sixty.toml -o out --dry-run")?;
    assert!(ran.stdout.ends_with("\n 80 cells: 60 done, 20 to do\n"), "{}", ran.stdout);
    let ran = run(at, "sweep sixty.toml -o out")?;
    assert_eq!(ran.stderr, "note: 80 cells: 60 were done, 20 replayed; out/summary.parquet is written\n");
    let summary = fs::read_to_string(at.join("out/summary.csv"))?;
    let numbers: Vec<String> =
        summary.lines().skip(1).map(|line| line.split(',').take(1).collect()).collect();
    assert_eq!(numbers, (0..80).map(|number| number.to_string()).collect::<Vec<_>>());
    // The jobs of cells are no other results.
    let ran = run(at, "sweep sixty.toml -o out --jobs")?;
    assert_eq!(ran.stderr, "note: 80 cells: 0 were done, 80 replayed; out/summary.parquet is written\n");
    Ok(())
}

/// Keys of version 2 of results. The version is part of every key, so a new version has other keys; nothing
/// else may change them.
#[test]
fn keys_of_cells_stay_as_they_are() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::copy(bundled("tiny.swf"), at.join("tiny.swf"))?;
    let study = "name = 'keys'\nlogs = ['tiny.swf']\nrules = ['authors:shape=row']\nmachines = ['4x4']\n\
                 schedulers = ['fcfs']\nallocators = ['naive']\n";
    fs::write(at.join("one.toml"), study)?;
    let more = "networks = ['recorded', 'wormhole']\nreplications = 3\n";
    fs::write(at.join("more.toml"), study.to_owned() + more)?;
    for (arguments, keys) in [
        ("one.toml --no-timing", &["17c47e4a2840"][..]),
        ("more.toml", &["7ce3b8dcd515", "da0e8ea1acf7"]),
        ("more.toml --no-timing", &["d7ef56315343", "0b53666749d2"]),
        ("more.toml --contention", &["f25da871b3f5", "8f45f8747dd1"]),
        ("more.toml --jobs", &["7ce3b8dcd515", "da0e8ea1acf7"]),
        ("more.toml --jobs --placements", &["39ab4c449412", "288179aca994"]),
        ("more.toml --no-timing --contention --jobs --placements", &["1a5691d98d22", "a404a93dc133"]),
    ] {
        let ran = run(at, &format!("sweep {arguments} -o out --dry-run"))?;
        let rows = ran.stdout.lines().filter(|line| line.contains("  to do  "));
        let found: Vec<&str> = rows.filter_map(|row| row.split_whitespace().nth(1)).collect();
        assert_eq!(found, keys, "{arguments}: {}{}", ran.stdout, ran.stderr);
    }
    Ok(())
}

#[test]
fn a_dry_run_writes_nothing() -> Tested {
    let directory = sixty()?;
    let at = directory.path();
    let ran = run(at, "sweep sixty.toml -o out --dry-run --shard 2/3")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!at.join("out").exists());
    assert!(ran.stdout.contains("another shard's") && ran.stdout.contains("to do"), "{}", ran.stdout);
    let last = ran.stdout.lines().last().unwrap_or_default();
    assert!(last.contains(" cells of 60, 33.") && last.contains("% of the cost: 0 done, "), "{last}");
    Ok(())
}

/// A text in `sixty.toml`, its replacement, and a part of standard error.
const WRONG: &[(&str, &str, &str)] = &[
    ("machines =", "machine =", "sixty.toml:3: unknown key 'machine', did you mean 'machines'?"),
    (
        "[\"16x16\", \"8x8x4\"]",
        "\"16x16\"",
        "sixty.toml:3: key 'machines': found the string '16x16', expected a list of strings, such as \
             machines = [\"16x16\", \"8x8x4\"]",
    ),
    (
        "\"8x8x4\"]",
        "256]",
        "sixty.toml:3: key 'machines', entry 2: found the integer 256, expected a list of strings, such as \
             machines = [\"16x16\", \"8x8x4\"]",
    ),
    (
        "\"8x8x4\"]",
        "\"0x4\"]",
        "sixty.toml:3: key 'machines', entry 2: machine '0x4': size 1 is 0; expected 1 to 3 sizes such as \
             400, 16x8, 8x8x4 or torus:16x8",
    ),
    (
        "\"8x8x4\"]",
        "\"16x16\"]",
        "sixty.toml:3: key 'machines', entry 2: '16x16' is entry 1 already; name it once",
    ),
    (
        "\"hilbert+bf\"",
        "\n \"hilbrt+bf\"",
        "sixty.toml:6: key 'allocators', entry 2: unknown order 'hilbrt', did you mean 'hilbert'?",
    ),
    (
        "\"hilbert+bf\"",
        "\"niave\"",
        "sixty.toml:5: key 'allocators', entry 2: unknown allocator 'niave', did you mean 'naive'?",
    ),
    (
        "\"hilbert+bf\"",
        "\"all\"",
        "sixty.toml: cells 1 and 3 are the same replay: short × 1 on 16x16 under fcfs with naive, seed 1; \
             name it once",
    ),
    (
        "\"fcfs\"",
        "\"fcf\"",
        "sixty.toml:4: key 'schedulers', entry 1: unknown scheduler 'fcf', did you mean 'fcfs'?",
    ),
    ("0.9", "0.0", "sixty.toml:6: key 'arrival_scales', entry 2: found 0.0, expected a number above 0"),
    (
        "0.9",
        "\"0.9\"",
        "sixty.toml:6: key 'arrival_scales', entry 2: found the string '0.9', expected a list of numbers \
             above 0, such as arrival_scales = [1, 0.8]",
    ),
    (
        "\"short.swf\"",
        "\"missing.swf\"",
        "sixty.toml:2: key 'logs': missing.swf: no such file; check the name and the directory",
    ),
    (
        "\"short.swf\"",
        "\"-\"",
        "sixty.toml:2: key 'logs', entry 1: standard input cannot be a log of a study, which may read it \
             again; give a file",
    ),
    (
        "\"short.swf\"",
        "",
        "sixty.toml:2: key 'logs': the list is empty, expected at least one entry, such as logs = \
             [\"traces/lublin-256-10k.swf.gz\"]",
    ),
    (
        "logs = [\"short.swf\"]",
        "",
        "sixty.toml: key 'logs' is missing; add a line such as logs = [\"traces/lublin-256-10k.swf.gz\"]",
    ),
    (
        "\"sixty\"",
        "60",
        "sixty.toml:1: key 'name': found the integer 60, expected a string, such as name = \"loads\"",
    ),
    (
        "logs =",
        "rules = [\"authors\", \"asked\"]\nlogs =",
        "sixty.toml:2: key 'rules', entry 2: unknown rules 'asked' (one of: authors, requested, allocated)",
    ),
    (
        "logs =",
        "seeds = [1, -1]\nlogs =",
        "sixty.toml:2: key 'seeds', entry 2: found the integer -1, expected a list of whole numbers from 0, \
             such as seeds = [1, 2, 3]",
    ),
    ("logs = [", "logs = ", "sixty.toml:2: "),
];

#[test]
fn wrong_study_files_get_one_clear_line_and_leave_nothing() -> Tested {
    let directory = sixty()?;
    let at = directory.path();
    for (what, with, message) in WRONG {
        assert!(SIXTY.contains(what), "{what}");
        fs::write(at.join("sixty.toml"), SIXTY.replacen(what, with, 1))?;
        let ran = run(at, "sweep sixty.toml -o out")?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{message}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("error: {message}")), "{message}\n{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(!at.join("out").exists(), "{message}");
    }
    let ran = run(at, "sweep none.toml -o out")?;
    assert!(ran.stderr.starts_with("error: none.toml cannot be read: "), "{}", ran.stderr);
    for shard in ["0/3", "4/3", "3"] {
        let ran = run(at, &format!("sweep sixty.toml -o out --shard {shard}"))?;
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("expected I/N with I from 1 to N, such as 1/3"), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn a_failing_cell_leaves_the_others_and_can_be_rerun_on_its_own() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::create_dir(at.join("a log"))?;
    fs::copy(bundled("tiny.swf"), at.join("a log/tiny.swf"))?;
    let study = "logs = ['tiny.swf']\nmachines = ['3x3', '4x4']\nallocators = ['naive', 'hilbert+bf']\n\
                 rules = ['requested:overrun=kill']\nseeds = [7]\n";
    fs::write(at.join("a log/study.toml"), study)?;
    let ran = run_with(at, &["sweep", "a log/study.toml", "-o", "out", "--no-timing"], b"")?;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.ends_with("error: 2 of 4 cells failed; 2 finished and are kept\n"), "{}", ran.stderr);
    let problem = "tiny: job 3 asks for 16 processors, machine 3x3 has 9; --oversize skip, or oversize=skip \
         in the rules of a study, leaves such jobs out";
    assert!(ran.stderr.contains(&format!("with naive, seed 7: {problem}")), "{}", ran.stderr);
    let rerun = "  rerun: meshreplay replay 'a log/tiny.swf' --machine 3x3 --scheduler \
         easy:order=arrival,pass=batch --allocator naive --arrival-scale 1 --seed 7 --rules requested \
         --overrun kill --no-timing";
    assert!(ran.stderr.lines().any(|line| line == rerun), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(at.join("out/summary.csv"))?.lines().count(), 1 + 2);
    // The printed command runs in a shell and gives the same error as the cell.
    let program = env!("CARGO_BIN_EXE_meshreplay");
    let command = rerun.trim_start_matches("  rerun: ").replacen("meshreplay", program, 1);
    let shell = |command: &str| Command::new("sh").args(["-c", command]).current_dir(at).output();
    let output = shell(&command)?;
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr)?,
        format!("note: tiny: left out 2 without a run time\nerror: {problem}\n")
    );
    // `replay` gives the same results as a finished cell.
    let output = shell(&(command.replace("3x3", "4x4") + " --format csv"))?;
    let replayed = String::from_utf8(output.stdout)?;
    // The command has the full spec of the scheduler, so the label is different.
    let label = "\"easy:order=arrival,pass=batch\",";
    let row = replayed.lines().nth(1).unwrap_or_default().replacen(label, "easy,", 1);
    let summary = fs::read_to_string(at.join("out/summary.csv"))?;
    let kept = summary.lines().nth(1).unwrap_or_default();
    // Compare without the replay number and the run id.
    let rest = |line: &str| line.split_once(',').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    let row = row.rsplit_once(',').map(|(row, _)| row).unwrap_or_default();
    assert!(rest(kept).starts_with(&rest(row)) && !row.is_empty(), "{kept}\n{row}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_finished() -> Tested {
    use std::os::unix::process::ExitStatusExt;
    super::support::children_hear_interrupts();
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let made =
        run(at, "trace generate --model lublin --jobs 100000 --procs 1024 --seed 3 --load 0.9 -o big.swf")?;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    fs::write(
        at.join("s.toml"),
        "logs = ['big.swf']\nmachines = ['32x32']\nallocators = ['naive', 'mc1x1', 'mc-pair']\n",
    )?;
    let child = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args("sweep s.toml -o out --threads 1 -q".split(' '))
        .current_dir(at)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let begun = |folder: &Path| fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    while !begun(&at.join("out/cells")) {
        std::thread::sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    let output = child.wait_with_output()?;
    let stderr = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.signal(), Some(2), "{stderr}");
    let said = "of 3 cells finished and are kept; the same command goes on from there\n";
    assert!(stderr.starts_with("error: interrupted: ") && stderr.ends_with(said), "{stderr}");
    let left = contents(&at.join("out"))?;
    assert!(left.contains_key("study.json") && left.keys().all(|name| !name.contains(".meshreplay-")));
    let ran = run(at, "sweep --status out")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    let study = at.join("s.toml").display().to_string();
    assert!(ran.stdout.starts_with("study s: 3 cells: "), "{}", ran.stdout);
    assert!(
        ran.stdout.ends_with(&format!(" to do\nto finish: meshreplay sweep {study} -o out\n")),
        "{}",
        ran.stdout
    );
    Ok(())
}
