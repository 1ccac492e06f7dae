//! External programs as allocators, schedulers and networks: a failure affects one replay only, results have
//! labels, studies reuse results only of the same program, and Ctrl-C leaves no process behind.
#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::support::{Tested, bundled, columns, run, run_with};

/// An allocator in `sh`, without other programs, that takes the free nodes with the lowest numbers.
const LOWEST: &str = r#"
read question
echo '{"id":0,"protocol":1,"served":"count"}'
while read -r question; do
    id=${question#*\"id\":}; id=${id%%,*}
    procs=${question#*\"procs\":}; procs=${procs%%,*}
    free=${question#*\"free\":\"}; free=${free%%\"*}
    node=0; nodes=; 
    while [ "$procs" -gt 0 ]; do
        case $free in 1*) nodes=$nodes,$node; procs=$((procs - 1)) ;; esac
        free=${free#?}; node=$((node + 1))
    done
    echo "{\"id\":$id,\"nodes\":[${nodes#,}]}"
done
"#;

/// A directory with the program and a log of 60 jobs.
fn place() -> Result<tempfile::TempDir, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("lowest.sh"), LOWEST)?;
    let cut = run(
        directory.path(),
        &format!("trace cut {} short.swf --first 60", bundled("lublin-256-10k.swf.gz")),
    )?;
    assert_eq!(cut.code, Some(0), "{}", cut.stderr);
    Ok(directory)
}

/// Runs a command with arguments that are quoted as for a shell.
fn ran(at: &Path, command: &str) -> Result<super::support::Ran, Box<dyn std::error::Error>> {
    let words = shlex::split(command).ok_or("open quote")?;
    run_with(at, &words.iter().map(String::as_str).collect::<Vec<_>>(), b"")
}

const BASIC: &str = "replay short.swf -m 16x16 --no-timing -q";

#[test]
fn who_fails_fails_alone_and_labels_stand_everywhere() -> Tested {
    let place = place()?;
    let at = place.path();
    fs::write(at.join("plain.txt"), "")?;
    let allocators = "naive 'exec:sh lowest.sh' exec:./none exec:./plain.txt 'exec:sh -c \"echo lost >&2; \
         exit 3\"' 'exec:timeout=0.2 sh -c \"sleep 60\"' hilbert+bf";
    let out = ran(at, &format!("{BASIC} -a {allocators} -o out --format csv"))?;
    assert_eq!(out.code, Some(1), "{}", out.stderr);
    assert_eq!(
        columns(&at.join("out/summary.csv"))?["allocator"],
        ["naive", "exec:sh lowest.sh", "hilbert+bf"]
    );
    for words in [
        "there is no program ./none",
        "./plain.txt may not be executed",
        "the program ended (exit status: 3) before it answered; its last lines on standard error:\n    lost",
        "it did not answer within 0.2 s",
    ] {
        assert!(out.stderr.contains(words), "{words}: {}", out.stderr);
    }
    let table = ran(at, "table out")?;
    assert!(table.stdout.contains("exec:sh lowest.sh"), "{}", table.stdout);
    let plot = ran(at, "plot out --kind waits -o pictures")?;
    assert_eq!(plot.code, Some(0), "{}", plot.stderr);
    let text = ran(at, &format!("{BASIC} -a naive 'exec:sh lowest.sh'"))?;
    assert!(text.stdout.contains("exec:sh lowest.sh"), "{}", text.stdout);
    let wrong = ran(at, &format!("{BASIC} -a 'exec:timeout=never sh'"))?;
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    assert!(wrong.stderr.contains("parameter 'timeout' of 'exec' is 'never'"), "{}", wrong.stderr);
    let wrong = ran(at, &format!("{BASIC} -a guest:mine"))?;
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    Ok(())
}

#[test]
fn results_do_not_depend_on_threads() -> Tested {
    let place = place()?;
    let at = place.path();
    let specs = "-a naive 'exec:sh lowest.sh' 'exec:timeout=9 sh lowest.sh' -s fcfs easy";
    for threads in [1, 2] {
        let out =
            ran(at, &format!("{BASIC} {specs} --placements -o t{threads} --format csv --threads {threads}"))?;
        assert_eq!(out.code, Some(0), "{}", out.stderr);
    }
    for file in ["jobs.csv", "summary.csv"] {
        let [one, two] = [1, 2].map(|threads| fs::read_to_string(at.join(format!("t{threads}/{file}"))));
        assert_eq!(one?, two?, "{file}");
    }
    // The program takes the nodes that `naive` takes.
    let jobs = columns(&at.join("t1/jobs.csv"))?;
    let of = |replay: &str| -> Vec<&String> {
        let rows = jobs["replay"].iter().zip(&jobs["nodes"]);
        rows.filter(|(number, _)| *number == replay).map(|(_, nodes)| nodes).collect()
    };
    for [ours, theirs, also] in [["0", "1", "2"], ["3", "4", "5"]] {
        assert_eq!(of(ours).len(), 60);
        assert_eq!((of(ours), of(ours)), (of(theirs), of(also)));
    }
    Ok(())
}

#[test]
fn a_study_takes_results_of_the_same_program_only() -> Tested {
    let place = place()?;
    let at = place.path();
    let study =
        "logs = [\"short.swf\"]\nmachines = [\"16x16\"]\nallocators = [\"naive\", \"exec:sh lowest.sh\"]\n";
    fs::write(at.join("study.toml"), study)?;
    let swept = |words: &str| -> Tested {
        let out = ran(at, "sweep study.toml -o results --no-timing")?;
        assert_eq!(out.code, Some(0), "{}", out.stderr);
        assert!(out.stderr.contains(words), "{words}: {}", out.stderr);
        Ok(())
    };
    swept("2 cells: 0 were done, 2 replayed")?;
    swept("2 cells: 2 were done, 0 replayed")?;
    fs::write(at.join("lowest.sh"), format!("{LOWEST}# changed\n"))?;
    swept("2 cells: 1 were done, 1 replayed")?;
    // The command names no file to hash, so its cells are replayed every time.
    fs::write(at.join("study.toml"), study.replace("lowest.sh", "-c '. ./lowest.sh'"))?;
    swept("2 cells: 1 were done, 1 replayed")?;
    swept("2 cells: 1 were done, 1 replayed")
}

#[test]
fn an_interrupt_ends_the_programs_too() -> Tested {
    let place = place()?;
    let at = place.path();
    fs::write(
        at.join("slow.sh"),
        "echo $$ > pid; trap '' INT TERM HUP; sleep 600 & echo $! >> pid; wait; sleep 600\n",
    )?;
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(BASIC.split(' '))
        .args(["-a", "exec:timeout=600 sh slow.sh"])
        .current_dir(at)
        .stderr(std::process::Stdio::null())
        .spawn()?;
    let numbers = || fs::read_to_string(at.join("pid")).unwrap_or_default();
    while numbers().lines().count() < 2 {
        assert!(child.try_wait()?.is_none(), "it has ended");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?.success());
    assert_eq!(child.wait()?.signal(), Some(15));
    // On a busy machine a killed process may end after the replay.
    let deadline = Instant::now() + Duration::from_secs(60);
    for number in numbers().lines() {
        let stat = || fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let is_gone = || stat().is_empty() || stat().contains(") Z ");
        while !is_gone() {
            assert!(Instant::now() < deadline, "{number} is still there: {}", stat());
            thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}

/// An allocator that prints `ANSWER` if the condition `ODD` holds, and otherwise takes the free nodes with
/// the lowest numbers.
const STATE: &str = r#"
read question
echo '{"id":0,"protocol":1,"served":"SERVED"}'
count=0
while read -r question; do
    id=${question#*\"id\":}; id=${id%%,*}
    procs=${question#*\"procs\":}; procs=${procs%%,*}
    free=${question#*\"free\":\"}; free=${free%%\"*}
    node=0; nodes=; count=$((count + 1))
    if ODD; then ANSWER; continue; fi
    while [ "$procs" -gt 0 ]; do
        case $free in 1*) nodes=$nodes,$node; procs=$((procs - 1)) ;; esac
        free=${free#?}; node=$((node + 1))
    done
    echo "{\"id\":$id,\"nodes\":[${nodes#,}]}"
done
"#;

#[test]
fn laws_of_programs_are_kept_broken_or_not_decided() -> Tested {
    let place = place()?;
    let at = place.path();
    let refuses = r#"echo "{\"id\":$id,\"nodes\":null}""#;
    let program = |served: &str, odd: &str| {
        STATE.replace("SERVED", served).replace("ODD", odd).replace("ANSWER", refuses)
    };
    let verdicts =
        |name: &str, text: String, code: i32| -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
            fs::write(at.join(name), text)?;
            let told = ran(at, &format!("check 'exec:sh {name}' -m 4x3 --events 40"))?;
            assert_eq!(told.code, Some(code), "{name}: {}{}", told.stdout, told.stderr);
            let lines =
                told.stdout.lines().filter_map(|line| line.strip_prefix(&format!(" exec:sh {name}  ")));
            Ok(lines
                .filter_map(|line| {
                    let (law, rest) = line.split_once(' ')?;
                    Some((law.to_owned(), rest.trim_start().split("  ").next()?.to_owned()))
                })
                .collect())
        };
    let of = |verdicts: &[(String, String)], law: &str| -> Option<String> {
        verdicts.iter().find(|(name, _)| name == law).map(|(_, verdict)| verdict.clone())
    };
    let good = verdicts("good.sh", program("state", "false"), 0)?;
    assert_eq!(
        (of(&good, "state").as_deref(), of(&good, "proposes").as_deref()),
        (Some("kept"), Some("kept"))
    );
    // Refuses every third request, whichever nodes are free.
    let moody = verdicts("moody.sh", program("state", "[ $((count % 3)) = 0 ]"), 1)?;
    assert_eq!(of(&moody, "state").as_deref(), Some("broken"), "{moody:?}");
    // Promises to serve whenever enough nodes are free, but refuses large jobs: it breaks this law before
    // other laws are decided.
    let lazy = verdicts("lazy.sh", program("count", "[ \"$procs\" -gt 11 ]"), 1)?;
    assert_eq!(
        (of(&lazy, "free").as_deref(), of(&lazy, "whole").as_deref()),
        (Some("broken"), Some("not decided")),
        "{lazy:?}"
    );
    Ok(())
}
