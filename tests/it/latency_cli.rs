//! How long allocator calls take: `--latency` and `--timing-rounds`.

use std::fs;

use serde_json::Value;

use super::support::{Tested, bundled, run};

#[test]
fn histograms_count_every_call_and_parts_of_a_study_with_them_merge() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!("replay {} -m 4x4 -a first-fit", bundled("tiny.swf"));
    let ran = run(at, &format!("{replay} -o out --latency --format jsonl -q"))?;
    let summary: Value = serde_json::from_str(&ran.stdout)?;
    let classes = fs::read_to_string(at.join("out/latency.jsonl"))?;
    let classes: Vec<Value> = classes.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let calls = |kind: &str| -> u64 {
        let of_kind = classes.iter().filter(|class| class["call"] == kind);
        of_kind.filter_map(|class| class["calls"].as_u64()).sum()
    };
    assert_eq!(Some(calls("refuse")), summary["allocate_failures"].as_u64());
    assert_eq!(Some(calls("allocate") + calls("refuse")), summary["allocate_calls"].as_u64());
    assert_eq!(Some(calls("release")), summary["jobs"].as_u64());
    for class in &classes {
        let [from_ns, to_ns] = ["from_ns", "to_ns"].map(|end| class[end].as_f64().unwrap_or(f64::NAN));
        assert!(from_ns <= to_ns && to_ns <= from_ns * 1.001 + 1.0, "{class}");
    }
    let study = format!(
        "logs = [\"{}\"]\nmachines = [\"4x4\", \"5x4\"]\nallocators = [\"naive\", \"first-fit\"]\n",
        bundled("tiny.swf")
    );
    fs::write(at.join("study.toml"), study)?;
    // Two parts have a cell in common, whose times differ.
    for (part, shard) in [("a", "--shard 1/1"), ("b", "--shard 2/2")] {
        let ran = run(at, &format!("sweep study.toml -o {part} --latency --jobs -q {shard}"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let ran = run(at, "merge a b -o whole")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let files = fs::read_dir(at.join("whole/cells"))?.filter_map(Result::ok);
    let has_latency = |file: &fs::DirEntry| file.file_name().to_string_lossy().contains(".latency.");
    assert_eq!(files.filter(has_latency).count(), 4);
    Ok(())
}

#[test]
fn rounds_tell_the_range_of_the_cost_of_calls() -> Tested {
    let directory = tempfile::tempdir()?;
    let replay = format!("replay {} -m 4x4 -a naive mc1x1 -q", bundled("tiny.swf"));
    let ran = run(directory.path(), &format!("{replay} --timing-rounds 3"))?;
    let head = "ns per job, median of 3 rounds (least to greatest), one replay at a time\n";
    let rounds = ran.stdout.split(head).nth(1).ok_or("no rounds")?;
    for (name, line) in ["naive", "mc1x1"].into_iter().zip(rounds.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ns = |text: &str| text.trim_matches(['(', ')']).replace(',', "").parse::<u64>();
        assert!(words[0] == name && words[3] == "to", "{line}");
        assert!(ns(words[2])? <= ns(words[1])? && ns(words[1])? <= ns(words[4])?, "{line}");
    }
    for (wrong, told) in [
        ("--timing-rounds 3 --no-timing", "cannot be used with"),
        ("--timing-rounds 3 --threads 2", "cannot be used with"),
        ("--timing-rounds 1", "expected a whole number from 2 to 1,000"),
        ("--timing-rounds 3 --format csv", "--timing-rounds prints a range under the table"),
        ("--latency --no-timing", "--no-timing measures no times; leave out one of the two"),
    ] {
        let ran = run(directory.path(), &format!("{replay} {wrong}"))?;
        assert!(ran.code == Some(2) && ran.stderr.contains(told), "{wrong}: {}", ran.stderr);
    }
    Ok(())
}
