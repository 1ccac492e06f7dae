//! `replay --audit` and `sweep --audit` on the command line: the same results, and an error for a violation.

use std::fs;

use super::support::{Tested, bundled, contents, run};

#[test]
fn audited_results_are_the_same_bytes() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!(
        "replay {} -m 16x16 -a mbs first-fit snug -s easy conservative --oversize skip --no-timing -q",
        bundled("lublin-256-10k.swf.gz")
    );
    for (folder, flags) in [("plain", ""), ("audited", " --audit")] {
        let ran = run(at, &format!("{replay} -o {folder}{flags}"))?;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{folder}");
    }
    assert!(contents(&at.join("plain"))? == contents(&at.join("audited"))?);
    // A study with `--audit` reuses the cells of the study without it.
    let study =
        format!("logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive', 'mbs']\n", bundled("tiny.swf"));
    fs::write(at.join("study.toml"), study)?;
    assert_eq!(run(at, "sweep study.toml -o out --no-timing -q --shard 1/2")?.code, Some(0));
    let ran = run(at, "sweep study.toml -o out --no-timing --audit")?;
    assert!(ran.code == Some(0) && ran.stderr.contains("2 cells: 1 were done, 1 replayed"), "{}", ran.stderr);
    Ok(())
}

#[cfg(unix)]
#[test]
fn programs_that_break_rules_are_errors() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for (name, nodes, problem) in [
        ("many", "0,1", "its placement has 2 nodes, expected 1"),
        ("outside", "99", "placement"),
        ("taken", "0", "placement"),
        ("none", "", "placement"),
    ] {
        let program = format!(
            "read question\necho '{{\"id\":0,\"protocol\":1,\"served\":\"count\"}}'\nwhile read -r question; \
             do\n    id=${{question#*\\\"id\\\":}}; id=${{id%%,*}}\n    \
             echo \"{{\\\"id\\\":$id,\\\"nodes\\\":[{nodes}]}}\"\ndone\n"
        );
        fs::write(at.join(format!("{name}.sh")), program)?;
        let job = "0 -1 9 1 -1 -1 1 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
        fs::write(at.join("log.swf"), format!("1 {job}2 {job}"))?;
        let words = ["replay", "log.swf", "-m", "4x4", "--audit", "-q", "-a"];
        let spec = format!("exec:sh {name}.sh");
        let ran = super::support::run_with(at, &[&words[..], &[spec.as_str()]].concat(), b"")?;
        assert_eq!(ran.code, Some(1), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{name}: {}", ran.stderr);
    }
    Ok(())
}
