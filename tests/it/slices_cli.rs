//! Boxes, slices and fragmentation on the command line: `slurm-torus3d`, `turn=yes`, `--shape list:`,
//! `--fragmentation` and `--by-shape`, their plots and wrong inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use super::support::{Tested, bundled, columns, run};

const TOPOLOGY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/examples/torus3d/one-aligned.yaml");

/// The columns of a CSV file.
type Columns = BTreeMap<String, Vec<String>>;

fn numbers(of: &Columns, column: &str) -> Result<Vec<f64>, Box<dyn Error>> {
    Ok(of[column].iter().map(|text| text.parse()).collect::<Result<_, _>>()?)
}

/// Replays without timing, with results in `out` as CSV.
fn kept(at: &Path, arguments: &str) -> Tested {
    let ran = run(at, &format!("replay {arguments} --no-timing -q -o out --format csv --force"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(())
}

#[test]
fn slurm_boxes_are_those_of_the_topology() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    let common = "-m torus:8x8x4 -s fcfs --placements --by-shape";
    kept(at, &format!("{log} {common} -a slurm-torus3d:path={TOPOLOGY},round=up"))?;
    let jobs = columns(&at.join("out/jobs.csv"))?;
    let listed = ["1x1", "2x1", "2x2", "2x2x2", "4x2x2", "4x4x2", "4x4x4", "8x4x4", "8x8x4"];
    for (i, shape) in jobs["shape_used"].iter().enumerate() {
        let (procs, held): (u32, u32) = (jobs["procs"][i].parse()?, jobs["allocated"][i].parse()?);
        assert_eq!(held, procs.next_power_of_two());
        assert_eq!(listed[held.ilog2() as usize], shape, "job {}", jobs["job"][i]);
    }
    let summary = columns(&at.join("out/summary.csv"))?;
    let shapes = columns(&at.join("out/shapes.csv"))?;
    let sum = |column: &str| Ok::<_, Box<dyn Error>>(numbers(&shapes, column)?.into_iter().sum::<f64>());
    assert_eq!(shapes["nodes"], ["1", "2", "4", "8", "16", "32", "64", "128", "256"]);
    assert_eq!(sum("refusals")?.to_string(), summary["allocate_failures"][0]);
    assert_eq!((sum("jobs")?, sum("never_fit")?), (10_000.0, 0.0));
    // Without rounding, sizes outside the topology never fit: an error, or with `--oversize skip` a count per
    // size.
    let ran = run(at, &format!("replay {log} -m torus:8x8x4 -a slurm-torus3d:path={TOPOLOGY} -q"))?;
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains(" processors, which 'slurm-torus3d:path="), "{}", ran.stderr);
    kept(at, &format!("{log} {common} --oversize skip -a slurm-torus3d:path={TOPOLOGY}"))?;
    let shapes = columns(&at.join("out/shapes.csv"))?;
    let summary = columns(&at.join("out/summary.csv"))?;
    let (nodes, misfits) = (numbers(&shapes, "nodes")?, numbers(&shapes, "never_fit")?);
    for (nodes, misfits) in nodes.iter().zip(&misfits) {
        assert_eq!((*nodes as u32).is_power_of_two(), *misfits < 0.5, "{nodes}: {misfits}");
    }
    assert_eq!(misfits.iter().sum::<f64>().to_string(), summary["never_fit"][0]);
    let table = run(at, "table out --frame shapes --rows nodes --columns allocator --value refused_jobs")?;
    assert_eq!((table.code, table.stderr.as_str()), (Some(0), ""), "{}", table.stdout);
    assert!(table.stdout.lines().any(|line| line.trim_start().starts_with("256 ")), "{}", table.stdout);
    Ok(())
}

#[test]
fn the_course_of_fragmentation_has_the_means_of_the_summary() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let option = "--fragmentation 4x4x2,2x2x2*3,8x8x1";
    kept(
        at,
        &format!(
            "tpu-slices:jobs=300,offered=0.8 -m torus:8x8x4 --oversize skip -a first-fit:turn=yes hilbert+bf \
                 {option}"
        ),
    )?;
    let slices = columns(&at.join("out/slices.csv"))?;
    assert_eq!(slices["slice"], ["4x4x2", "2x2x2*3", "8x8", "4x4x2", "2x2x2*3", "8x8"]);
    let table = run(at, "table out --frame slices --rows slice --columns allocator --value fit_mean")?;
    assert_eq!(table.code, Some(0), "{}", table.stderr);
    assert!(table.stdout.lines().any(|line| line.trim_start().starts_with("2x2x2*3 ")), "{}", table.stdout);
    // The more slices fit, the better. Other slices are other results, and fit_mean is the number.
    let table = run(
        at,
        "table out --frame slices --rows allocator --columns slice --best columns --format markdown",
    )?;
    assert_eq!(table.code, Some(0), "{}", table.stderr);
    let fits = numbers(&slices, "fit_mean")?;
    let best = if fits[0] > fits[3] { "first-fit" } else { "hilbert+bf" };
    let row = table.stdout.lines().find(|line| line.contains(best)).ok_or("a row of the best")?;
    assert!(row.contains("**"), "{}", table.stdout);
    let table = run(at, "table out --frame slices --rows allocator --columns scheduler")?;
    assert!((table.stdout.clone() + &table.stderr).contains("differ in slice"), "{}", table.stdout);
    let course = columns(&at.join("out/fragmentation.csv"))?;
    let summary = columns(&at.join("out/summary.csv"))?;
    let (times, replays) = (numbers(&course, "time_s")?, numbers(&course, "replay")?);
    for replay in 0..2 {
        let rows: Vec<usize> = (0..times.len()).filter(|&i| replays[i] as usize == replay).collect();
        let span_s = times[rows[rows.len() - 1]] - times[rows[0]];
        for (column, (frame, mean), row) in [
            ("largest_free_submesh", (&summary, "largest_free_submesh_mean"), replay),
            ("external_fragmentation", (&summary, "external_fragmentation"), replay),
            ("slices_fit_1", (&slices, "fit_mean"), 3 * replay),
            ("slices_fit_3", (&slices, "fit_mean"), 3 * replay + 2),
        ] {
            let values = numbers(&course, column)?;
            let sum: f64 =
                rows.windows(2).map(|pair| (times[pair[1]] - times[pair[0]]) * values[pair[0]]).sum();
            let expected = numbers(frame, mean)?[row];
            assert!((sum / span_s - expected).abs() < 1e-9 * expected.max(1.0), "{mean}: {}", sum / span_s);
        }
        // The course with enough of the second slice.
        let fits = numbers(&course, "slices_fit_2")?;
        let enough_s = |pair: &[usize]| {
            if fits[pair[0]] >= 3.0 { times[pair[1]] - times[pair[0]] } else { 0.0 }
        };
        let share = rows.windows(2).map(enough_s).sum::<f64>() / span_s;
        assert!((share - numbers(&slices, "fit_share")?[3 * replay + 1]).abs() < 1e-9, "{share}");
        // At the end the machine is idle.
        let last = rows[rows.len() - 1];
        let end = ["free", "largest_free_submesh", "slices_fit_1", "slices_fit_2", "slices_fit_4"];
        assert_eq!(end.map(|column| course[column][last].as_str()), ["256", "256", "8", "32", ""]);
    }
    for (value, words) in
        [("", "largest free submesh (nodes)"), (" --value slices_fit_2", "how many of slice 2 fit")]
    {
        let ran = run(at, &format!("plot out --kind fragmentation{value}"))?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "out/fragmentation.svg\n"), "{}", ran.stderr);
        assert!(fs::read_to_string(at.join("out/fragmentation.svg"))?.contains(words), "{words}");
    }
    let report = run(at, "report out -o page.html -q")?;
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(fs::read_to_string(at.join("page.html"))?.contains("<figure id=\"fragmentation\"><svg"));
    Ok(())
}

#[test]
fn cubes_behind_switches_join_wherever_they_are_free() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = |runs_s: &[u32]| -> String {
        let line = |(job, run_s)| format!("{job} 0 -1 {run_s} 64 -1 -1 64 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
        runs_s.iter().enumerate().map(line).collect()
    };
    // Returns the means and shares of both slices, and a number of the summary.
    let found = |arguments: &str, name: &str| -> Result<Vec<f64>, Box<dyn Error>> {
        kept(at, &format!("{arguments} -s fcfs -a rfold-reconfig"))?;
        let slices = columns(&at.join("out/slices.csv"))?;
        let summary = columns(&at.join("out/summary.csv"))?;
        Ok([numbers(&slices, "fit_mean")?, numbers(&slices, "fit_share")?, numbers(&summary, name)?].concat())
    };
    // Two of the four cubes, 1 and 3, are free from 10 s to 100 s.
    fs::write(at.join("two.swf"), log(&[100, 10, 100, 10]))?;
    let slices = "two.swf -m ocs:4x4x4x4 --fragmentation 8x4x4,4x4x4*2";
    assert_eq!(found(slices, "external_fragmentation")?, [0.9, 1.8, 0.9, 0.9, 0.0]);
    // Two of the five cubes are free, and one of them has a node down for half of the time.
    fs::write(at.join("three.swf"), log(&[100; 3]))?;
    fs::write(at.join("down.csv"), "50,200,down\n")?;
    let slices = "three.swf -m ocs:5x4x4x4 --outages down.csv --fragmentation 4x4x4*2,8x4x4";
    assert_eq!(found(slices, "largest_free_submesh_mean")?, [1.5, 0.5, 0.5, 0.5, 120.0]);
    // The table shows columns of the two given slices.
    let ran = run(at, "replay two.swf -m ocs:4x4x4x4 -a rfold --fragmentation 8x4x4,4x4x4*2 --no-timing -q")?;
    for title in ["largest free", "external fragm.", "8x4x4 fits", "4x4x4*2 time"] {
        assert!(ran.stdout.contains(title), "{title}: {}", ran.stdout);
    }
    Ok(())
}

#[test]
fn a_study_keeps_the_same_details_as_a_replay() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    let options = "--fragmentation 2x2,4x1 --by-shape --placements --no-timing -q";
    fs::write(
        at.join("s.toml"),
        format!("logs = ['{log}']\nmachines = ['4x4']\nallocators = ['first-fit', 'mbs']\n"),
    )?;
    let ran = run(at, &format!("sweep s.toml -o study --jobs {options}"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(at, &format!("replay {log} -m 4x4 -a first-fit mbs -o out {options}"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for command in [
        "table DIR --frame shapes --rows nodes --columns allocator --value refusals",
        "table DIR --frame shapes --rows nodes,shape --columns allocator --value wait_s_mean",
        "table DIR --frame slices --rows slice --columns allocator --value fit_share",
        "plot DIR --kind fragmentation --value free -o DIR",
    ] {
        let [of_study, of_run] = ["study", "out"].map(|folder| run(at, &command.replace("DIR", folder)));
        let (of_study, of_run) = (of_study?, of_run?);
        assert_eq!((of_study.code, of_run.code), (Some(0), Some(0)), "{}{}", of_study.stderr, of_run.stderr);
        assert_eq!(of_study.stdout.replace("study/", "out/"), of_run.stdout);
    }
    let [of_study, of_run] =
        ["study", "out"].map(|folder| fs::read(at.join(folder).join("fragmentation.svg")));
    assert!(of_study? == of_run?);
    // The slices are also kept without jobs.
    let ran = run(at, "sweep s.toml -o few --fragmentation 2x2,4x1 --no-timing -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let [few, of_run] = ["few", "out"].map(|folder| {
        run(at, &format!("table {folder} --frame slices --rows slice,allocator --value fit_mean"))
    });
    assert_eq!(few?.stdout, of_run?.stdout);
    // A merge copies all details of cells.
    let ran = run(at, "merge study -o merged")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let names = |folder: &str| -> Result<BTreeSet<_>, Box<dyn Error>> {
        Ok(fs::read_dir(at.join(folder))?
            .map(|entry| Ok(entry?.file_name()))
            .collect::<std::io::Result<_>>()?)
    };
    assert_eq!(names("merged/cells")?, names("study/cells")?);
    assert_eq!(names("merged/cells")?.len(), 10);
    Ok(())
}

#[test]
fn jobs_with_sides_are_turned_in_three_dimensions() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let line =
        |job: i32, sides: &str| format!("{job} {job} -1 10 8 -1 -1 8 10 -1 1 1 1 1 1 1 -1 -1 {sides}\n");
    fs::write(at.join("sides.swf"), format!("; Shapes: sides\n{}{}", line(1, "1 2 4"), line(2, "2 4 1")))?;
    // The machine is two nodes deep: 1x2x4 fits in four of its orientations only.
    let ran = run(at, "replay sides.swf -m 4x4x2 -a first-fit -q")?;
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("asks for 8 processors as 1x2x4, which 'first-fit' does not find"),
        "{}",
        ran.stderr
    );
    for (allocator, used) in [
        ("first-fit:turn=yes", ["1x4x2", "2x4"]),
        ("best-fit:turn=yes", ["1x4x2", "2x4"]),
        ("rfold-first-fit", ["1x4x2", "2x4"]),
        ("rfold-folding", ["2x2x2", "2x2x2"]),
    ] {
        kept(at, &format!("sides.swf -m 4x4x2 -a {allocator} --placements"))?;
        let jobs = columns(&at.join("out/jobs.csv"))?;
        assert_eq!(jobs["shape"], ["1x2x4", "2x4"], "{allocator}");
        assert_eq!(jobs["shape_used"], used, "{allocator}");
    }
    // A box from parts of different cubes has a shape. A placement that is not a box has none.
    kept(at, "sides.swf -m ocs:4x2x2x2 -a rfold-reconfig --placements")?;
    assert_eq!(columns(&at.join("out/jobs.csv"))?["shape_used"], ["1x2x4", "2x4"]);
    kept(at, "sides.swf -m 4x4x2 -a random --placements")?;
    assert!(columns(&at.join("out/jobs.csv"))?["shape_used"].iter().all(String::is_empty));
    Ok(())
}

#[test]
fn boxes_of_a_list_are_shared_out_by_weight() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    let list = "list:2x2x1*3,4x1x1*1,4x2x2,8x8x4";
    let shares = |at: &Path| -> Result<BTreeMap<String, usize>, Box<dyn Error>> {
        let jobs = columns(&at.join("out/jobs.csv"))?;
        let mut counts = BTreeMap::new();
        for (shape, allocated) in jobs["shape"].iter().zip(&jobs["allocated"]) {
            let sides: u32 =
                shape.trim_start_matches("box ").split('x').map(|side| side.parse().unwrap_or(0)).product();
            assert_eq!(sides.to_string(), *allocated, "{shape}");
            *counts.entry(shape.clone()).or_default() += 1;
        }
        Ok(counts)
    };
    kept(at, &format!("{log} -m torus:8x8x4 -a first-fit --shape {list}"))?;
    let counts = shares(at)?;
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["box 2x2x1", "box 4x1x1", "box 4x2x2", "box 8x8x4"]);
    let (three, one) = (counts["box 2x2x1"] as f64, counts["box 4x1x1"] as f64);
    assert!((three / (three + one) - 0.75).abs() < 0.03, "{counts:?}");
    // `+` separates the list in a study's rules. A job has the same box under every allocator.
    let study = format!(
        "logs = ['{log}']\nrules = ['authors:shape={}']\nmachines = ['torus:8x8x4']\nallocators = \
             ['slurm-torus3d']\n",
        list.replace(',', "+")
    );
    fs::write(at.join("s.toml"), study)?;
    let ran = run(at, "sweep s.toml -o study --jobs --by-shape --no-timing -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let table =
        run(at, "table study --frame shapes --rows shape --columns machine --value jobs --format csv")?;
    for (shape, count) in counts {
        assert!(table.stdout.contains(&format!("\n{shape},{count}")), "{shape}: {count}; {}", table.stdout);
    }
    Ok(())
}

#[test]
fn wrong_boxes_and_slices_are_one_clear_line() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    let topology = fs::read_to_string(TOPOLOGY)?;
    fs::write(at.join("large.yaml"), topology.replace("{x: 8, y: 4, z: 4}", "{x: 16, y: 4, z: 4}"))?;
    fs::write(at.join("other.yaml"), &topology)?;
    for (arguments, code, message) in [
        (
            "-m 16x8:wrap=z -a naive",
            2,
            "wrap=z: the machine has no dimension 'z'; expected some of the dimensions x, y",
        ),
        (
            "-m 16x8 -a naive --unavailable 128",
            2,
            "node 128 is outside the machine; expected nodes from 0 to 127",
        ),
        ("-m 4x4:without=0-15 -a naive", 2, "all 16 nodes are unavailable; expected at least one node"),
        (
            "-m torus:8x8x4 -a slurm-torus3d:path=large.yaml",
            2,
            "large.yaml:18: found a placement of 16x4x4 on a torus of 8x8x4, expected at most 8 along x; \
                 boxes are not turned",
        ),
        (
            "-m torus:8x8x8 -a slurm-torus3d:path=other.yaml",
            2,
            "expected --machine torus:8x8x4, or 256 (an array)",
        ),
        (
            "-m 8x8 -a naive --fragmentation 4x4,9y9",
            2,
            "'9y9' is no slice: expected sides of at least 1, such as 4x4x2",
        ),
        ("-m 8x8 -a naive --by-shape", 2, "the following required arguments were not provided:"),
        ("-m 8x8 -a first-fit --shape list:2x2*0", 2, "'2x2*0' has no weight of at least 1 behind '*'"),
        (
            "-m 8x8 -a first-fit:turn=maybe",
            2,
            "parameter 'turn' of 'first-fit' is 'maybe': expected one of: no, yes",
        ),
    ] {
        let ran = run(at, &format!("replay {log} {arguments} -q"))?;
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
        let errors: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("error: ")).collect();
        assert!(errors.len() == 1 && errors[0].contains(message), "{arguments}: {}", ran.stderr);
    }
    kept(at, &format!("{log} -m 4x4 -a naive"))?;
    for (arguments, code, message) in [
        (
            "table out --frame shapes",
            1,
            "error: out holds no frame 'shapes'; `replay -o` and `sweep --jobs` keep it with --by-shape",
        ),
        (
            "plot out --kind fragmentation",
            1,
            "error: fragmentation: out does not hold the fragmentation of free nodes; `replay",
        ),
    ] {
        let ran = run(at, arguments)?;
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(message), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}
