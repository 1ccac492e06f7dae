//! Labels of algorithms: results show algorithms as typed, also if cells of a study have another spelling or
//! if results come from an earlier version without labels.

use std::error::Error;
use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, bundled, columns, contents, run};

/// A study of these two allocators.
fn study(allocators: &str) -> String {
    format!("name = 'two'\nlogs = ['tiny.swf']\nmachines = ['4x4']\nallocators = [{allocators}]\n")
}

const SHORT: &str = "'hilbert+bf', 'mc1x1'";
const LONG: &str = "'curve:select=best-fit,order=hilbert', 'mc1x1:tie-break=none'";
const SPECS: [&str; 2] = ["curve:order=hilbert,select=best-fit", "mc1x1:fill=nearest,tie-break=none"];

/// A directory with a log and the same study in two spellings.
fn site() -> Result<tempfile::TempDir, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    fs::copy(bundled("tiny.swf"), directory.path().join("tiny.swf"))?;
    fs::write(directory.path().join("short.toml"), study(SHORT))?;
    fs::write(directory.path().join("long.toml"), study(LONG))?;
    Ok(directory)
}

fn fine(at: &Path, arguments: &str) -> Result<Ran, Box<dyn Error>> {
    let ran = run(at, arguments)?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran)
}

/// Asserts that the summary has these labels of allocators, and the specs of the study.
fn assert_labels(summary: &Path, labels: [&str; 2]) -> Tested {
    let columns = columns(summary)?;
    assert_eq!(columns["allocator"], labels, "{}", summary.display());
    assert_eq!(columns["allocator_spec"], SPECS);
    assert_eq!((columns["scheduler"][0].as_str(), columns["network"][0].as_str()), ("easy", "recorded"));
    assert_eq!(columns["scheduler_spec"], ["easy:order=arrival,pass=batch"; 2]);
    assert_eq!(columns["network_spec"], ["recorded"; 2]);
    Ok(())
}

/// Copies the results of an earlier version, which have no labels, into `at`.
fn unlabelled(at: &Path) -> Tested {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden/unlabelled");
    for (name, bytes) in contents(&from)? {
        let to = at.join(name);
        fs::create_dir_all(to.parent().ok_or("a file has a folder")?)?;
        fs::write(to, bytes)?;
    }
    Ok(())
}

#[test]
fn a_replay_shows_algorithms_as_they_were_typed() -> Tested {
    let directory = site()?;
    let at = directory.path();
    let typed = ["curve:select=best-fit,order=hilbert", "mc1x1"];
    let replay = "replay tiny.swf -m 4x4 --no-timing -q --by-shape -o out --format csv -a";
    fine(at, &format!("{replay} {}", typed.join(" ")))?;
    assert_labels(&at.join("out/summary.csv"), typed)?;
    let shapes = columns(&at.join("out/shapes.csv"))?;
    assert_eq!((shapes["allocator"][0].as_str(), shapes["allocator_spec"][0].as_str()), (typed[0], SPECS[0]));
    // Two spellings of the same spec give one replay with the first label.
    let ran = run(at, "replay tiny.swf -m 4x4 -a mc1x1 mc1x1:fill=nearest --format csv")?;
    assert!(ran.stderr.contains("note: 1 of 2 replays are the same as others"), "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().count(), 2);
    assert!(ran.stdout.contains(",easy,mc1x1,recorded,"), "{}", ran.stdout);
    // The label includes an order given by an option, because no other column shows it.
    let ran = fine(at, "replay tiny.swf -m 4x4 -a mc1x1 --order sjf --format csv -q")?;
    assert!(ran.stdout.contains(",easy:order=sjf,mc1x1,recorded,"), "{}", ran.stdout);
    Ok(())
}

#[test]
fn labels_are_those_of_the_study_and_not_those_of_its_kept_cells() -> Tested {
    let directory = site()?;
    let at = directory.path();
    let (short, long) =
        (["hilbert+bf", "mc1x1"], ["curve:select=best-fit,order=hilbert", "mc1x1:tie-break=none"]);
    for name in ["short", "long"] {
        fine(at, &format!("sweep {name}.toml --no-timing --jobs --by-shape -q -o {name}"))?;
    }
    let cells = |name: &str| contents(&at.join(name).join("cells"));
    assert!(cells("short")? == cells("long")?, "the files of cells do not depend on labels");
    assert_labels(&at.join("short/summary.csv"), short)?;
    assert_labels(&at.join("long/summary.csv"), long)?;
    let shapes = fine(at, "table long --frame shapes --value jobs --format csv")?.stdout;
    assert!(shapes.contains("\nmc1x1:tie-break=none,"), "{shapes}");
    // A merge has the labels of the first part.
    fine(at, "merge short long -o merged -q")?;
    assert_labels(&at.join("merged/summary.csv"), short)?;
    // A study with another spelling keeps its cells.
    let before = cells("short")?;
    let ran = fine(at, "sweep long.toml --no-timing --jobs --by-shape -o short")?;
    assert!(ran.stderr.contains("2 were done, 0 replayed"), "{}", ran.stderr);
    assert!(before == cells("short")?);
    assert_labels(&at.join("short/summary.csv"), long)?;
    assert_eq!(fs::read(at.join("short/summary.parquet"))?, fs::read(at.join("long/summary.parquet"))?);
    Ok(())
}

#[test]
fn a_look_does_not_depend_on_the_spelling() -> Tested {
    let directory = site()?;
    let at = directory.path();
    let mut colours = Vec::new();
    for (name, allocators) in
        [("a", "hilbert+bf mc1x1 mbs"), ("b", "curve:select=best-fit,order=hilbert mc1x1:fill=nearest mbs")]
    {
        fine(at, &format!("replay tiny.swf -m 4x4 --no-timing -q -o {name} -a {allocators}"))?;
        fine(at, &format!("plot {name} --kind waits -o {name}-pictures"))?;
        let svg = fs::read_to_string(at.join(format!("{name}-pictures/waits.svg")))?;
        let found: Vec<String> =
            svg.split("stroke=\"#").skip(1).map(|rest| rest.chars().take(6).collect()).collect();
        assert!(found.len() > 3, "{svg}");
        colours.push(found);
    }
    assert_eq!(colours[0], colours[1]);
    Ok(())
}

#[test]
fn a_report_names_and_plays_what_was_typed() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(
        at,
        "replay tiny.swf -m 4x4 --no-timing -q --placements -o out -a curve:order=hilbert,select=best-fit \
             mc1x1:fill=nearest",
    )?;
    for (name, show) in ["curve:order=hilbert,select=best-fit", "hilbert+bf", "mc1x1"].into_iter().enumerate()
    {
        let named = run(at, &format!("report out --show {show} -o {name}.html"))?;
        // The spelling as typed, and other spellings of the same allocators.
        assert_eq!(named.code, Some(0), "{show}: {}", named.stderr);
    }
    let html = fs::read_to_string(at.join("0.html"))?;
    assert!(html.contains("mc1x1:fill=nearest (mc1x1:fill=nearest,tie-break=none)"));
    let refused = run(at, "report out --show naive -o naive.html")?;
    assert!(
        refused.stderr.contains("(one of: curve:order=hilbert,select=best-fit, mc1x1:fill=nearest)"),
        "{}",
        refused.stderr
    );
    Ok(())
}

#[test]
fn results_of_an_earlier_version_have_short_labels() -> Tested {
    let directory = site()?;
    let at = directory.path();
    unlabelled(at)?;
    fine(at, "replay tiny.swf -m 4x4 -a hilbert+bf mc1x1 --no-timing --placements --by-shape -q -o new")?;
    for (what, old) in [("", "replay"), ("--frame shapes --value jobs ", "replay"), ("", "study")] {
        let table = |folder: &str| fine(at, &format!("table {folder} {what}--format csv"));
        assert_eq!(table(old)?.stdout, table("new")?.stdout, "{what}{old}");
    }
    for folder in ["replay", "study"] {
        fine(at, &format!("plot {folder} --kind waits"))?;
        fine(at, &format!("report {folder}"))?;
        fine(at, &format!("audit {folder} --replay 1 --against easy"))?;
    }
    let audit = |folder: &str| fine(at, &format!("audit {folder} --replay 1"));
    assert_eq!(audit("replay")?.stdout, audit("new")?.stdout.replace("new", "replay"));
    fine(at, "report replay --show mc1x1")?;
    // A merge and a rerun write labels.
    fine(at, "merge study -o merged -q")?;
    assert_labels(&at.join("merged/summary.csv"), ["hilbert+bf", "mc1x1"])?;
    fine(at, "sweep long.toml --no-timing --jobs --by-shape -q -o study")?;
    assert_labels(
        &at.join("study/summary.csv"),
        ["curve:select=best-fit,order=hilbert", "mc1x1:tie-break=none"],
    )?;
    Ok(())
}
