//! The lines below the table of a replay: the best allocator or scheduler, its lead, the confidence interval.

use std::fs;
use std::path::Path;

use super::support::{Tested, bundled, run};

type Text<T> = Result<T, Box<dyn std::error::Error>>;

/// Returns the lines below the table that a replay prints in `directory`.
fn lines_in(directory: &Path, arguments: &str) -> Text<Vec<String>> {
    let ran = run(directory, &format!("replay {arguments} --no-timing -q"))?;
    let below = ran.stdout.rsplit_once("\n\n").map_or("", |(_, below)| below);
    let is_line = |line: &&str| !line.starts_with(' ') && !line.starts_with('|');
    Ok(below.lines().filter(is_line).map(str::to_owned).collect())
}

/// Returns the closing lines of a replay.
fn lines(arguments: &str) -> Text<Vec<String>> {
    let directory = tempfile::tempdir()?;
    lines_in(directory.path(), arguments)
}

/// Returns the closing lines of allocators on the bundled log.
fn on_lublin(arguments: &str) -> Text<Vec<String>> {
    lines(&format!("{} -m 16x16 {arguments}", bundled("lublin-256-10k.swf.gz")))
}

const INTERVALS: &str =
    "95 % intervals are for more jobs like those of these 51 days; other months can differ more";

#[test]
fn each_class_of_allocators_has_a_line() -> Tested {
    let told = on_lublin("-a naive hilbert+bf mc1x1 snug first-fit")?;
    let expected = [
        "spread over free nodes: snug places jobs closest together by pairwise sum: 1.3 % less than mc1x1 \
         (95 % CI 0.3 to 2.4 %), the next best, and 3.5 % less than naive; by ratio to the bound hilbert+bf \
         and snug do, about equally: that of hilbert+bf about equal to snug (0.4 % less, 95 % CI -6.0 to 6.3 \
         %); all start jobs at the same times",
        "one submesh per job: first-fit: pairwise sum about equal to snug (0.5 % less, 95 % CI -0.2 to 1.2 \
         %); ratio to the bound 16.1 % less than hilbert+bf (95 % CI 11.1 to 20.8 %); jobs wait 24.4 % \
         longer than under snug (95 % CI -8.3 to 68.7 %: not significant)",
        INTERVALS,
    ];
    assert_eq!(told, expected);
    let threads = |count: u32| on_lublin(&format!("-a naive snug first-fit --threads {count}"));
    assert_eq!(threads(1)?, threads(2)?);
    Ok(())
}

#[test]
fn equal_replications_are_said() -> Tested {
    let directory = tempfile::tempdir()?;
    let job = |job: u32| format!("{job} {job} -1 9 {0} -1 -1 {0} 9{1}\n", 2 + job * 3 % 8, " -1".repeat(9));
    fs::write(directory.path().join("log.swf"), (1..9).map(job).collect::<String>())?;
    let told = |arguments: &str| lines_in(directory.path(), &format!("log.swf -m 4x4 {arguments}"));
    let is_it = |line: &String| line.starts_with("the replications of each replay have the same");
    for (arguments, expected) in [
        ("-a naive snug --replications 3", true),
        ("-a naive random --replications 3", false),
        ("-a naive snug", false),
    ] {
        assert_eq!(told(arguments)?.last().is_some_and(is_it), expected, "{arguments}");
    }
    Ok(())
}

#[test]
fn ties_are_named_together_with_the_range_of_their_waits_whatever_the_order() -> Tested {
    let expected = "one submesh per job: best-fit, busy-list and first-fit tie in pairwise sum, 4.0 % less \
         than naive (95 % CI 2.7 to 5.2 %); ratio to the bound 44.7 % less than naive (95 % CI 41.7 to 47.7 \
         %); jobs wait 16 % (busy-list) to 24 % (first-fit) longer than under naive";
    for allocators in [
        "best-fit first-fit busy-list naive",
        "naive busy-list first-fit best-fit",
        "first-fit naive best-fit busy-list",
    ] {
        assert_eq!(on_lublin(&format!("-a {allocators}"))?, [expected, INTERVALS], "{allocators}");
    }
    Ok(())
}

#[test]
fn nothing_to_compare_gives_no_line_and_equal_placements_one() -> Tested {
    assert_eq!(on_lublin("-a hilbert+bf")?, [""; 0]);
    let tie = "layered-mbs and mbs place every job equally far apart";
    assert_eq!(on_lublin("-a mbs layered-mbs")?, [tie]);
    assert_eq!(on_lublin("-a layered-mbs mbs")?, [tie]);
    let directory = tempfile::tempdir()?;
    let job = |i: i64| format!("{i} {i} -1 90 1 -1 -1 1 90 -1 1 1 1 1 1 1 -1 -1\n");
    let jobs: String = (1..=60).map(job).collect();
    fs::write(directory.path().join("serial.swf"), format!("; MaxProcs: 16\n{jobs}"))?;
    let told = lines_in(directory.path(), "serial.swf -m 4x4 -a mbs naive snug random gabl")?;
    assert_eq!(told, ["all 5 allocators place every job equally far apart"]);
    Ok(())
}

#[test]
fn nodes_that_nobody_asked_for_are_named_and_overload_is() -> Tested {
    // The jobs bring 70 % of what the machine can do, and rounded up 107 %.
    let told = on_lublin("-a buddy-2d naive")?;
    let expected = [
        "one submesh per job: buddy-2d: pairwise sum 153.9 % more than naive (95 % CI 142.1 to 166.3 %); \
         34.5 % of the node time was not asked for (internal fragmentation); under buddy-2d waits are not \
         compared (†): utilization 63.0 % instead of 69.2 % under naive, makespan 9.9 % longer, 9.4 % of the \
         work waiting when submissions ended instead of 1.0 %",
        INTERVALS,
        "† overloaded (buddy-2d): when submissions ended, 9.4 % of the work (5.1 machine days) still waited: \
         waits here grow with the length of the log and are not compared",
    ];
    assert_eq!(told, expected);
    let ran = run(
        tempfile::tempdir()?.path(),
        &format!("replay {} -m 16x16 -a buddy-2d naive -q", bundled("lublin-256-10k.swf.gz")),
    )?;
    let row = |name: &str| ran.stdout.lines().find(|line| line.starts_with(&format!(" {name} ")));
    assert!(row("buddy-2d").is_some_and(|row| row.contains(" † 177,")), "{}", ran.stdout);
    assert!(row("naive").is_some_and(|row| !row.contains('†')), "{}", ran.stdout);
    Ok(())
}

#[test]
fn large_ratios_are_multiples() -> Tested {
    let told = lines("lublin:jobs=4000,load=0.4 -m 16x16 -a buddy-2d naive --seed 3")?;
    let waits = told[0].split("; ").last().unwrap_or_default();
    assert!(
        waits.starts_with("jobs wait ") && waits.contains(" times as long as under naive (95 % CI "),
        "{told:?}"
    );
    Ok(())
}

/// The jobs of [`recorded_log`].
const JOBS: i64 = 1200;

/// Writes a log of one partition: jobs on 16 nodes, with recorded waits longer than necessary.
fn recorded_log(directory: &Path) -> Tested {
    let job = |i: i64| {
        let (procs, run) = (1 + i * 7 % 8, 300 + i * 37 % 400);
        format!(
            "{i} {} {} {run} {procs} -1 -1 {procs} {run} -1 1 1 1 1 1 1 -1 -1\n",
            i * 150,
            400 + i * 13 % 200
        )
    };
    let jobs: String = (1..=JOBS).map(job).collect();
    Ok(fs::write(directory.join("site.swf"), format!("; MaxProcs: 16\n{jobs}"))?)
}

#[test]
fn recorded_waits_that_no_order_of_the_queue_explains_have_no_difference() -> Tested {
    let directory = tempfile::tempdir()?;
    recorded_log(directory.path())?;
    let told = lines_in(directory.path(), "site.swf -m 4x8 -s recorded easy -a naive mc1x1")?;
    let of_other = "recorded and simulated waits are not compared for this log: its machine has the 16 \
                    processors by its header, and 4x8 has 32";
    assert_eq!(told[2], of_other);
    let jobs = fs::read_to_string(directory.path().join("site.swf"))?;
    fs::write(directory.path().join("site.swf"), jobs.replacen("MaxProcs: 16", "MaxProcs: 32", 1))?;
    let told = lines_in(directory.path(), "site.swf -m 4x8 -s recorded easy -a naive mc1x1")?;
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told[0].starts_with("recorded: ") && told[1].starts_with("easy: "), "{told:?}");
    let start = "99 % of the recorded waiting passed while the job fitted and would have delayed nobody: \
         jobs were held";
    assert!(told[2].starts_with(start), "{told:?}");
    assert!(told[3].starts_with("95 % intervals are for more jobs like those of these 2 days"), "{told:?}");
    Ok(())
}

#[test]
fn a_dump_on_another_machine_or_with_other_limits_has_no_difference_to_recorded() -> Tested {
    let dump = bundled("may.sacct.gz");
    let told = |arguments: &str| -> Result<String, Box<dyn std::error::Error>> {
        let told = lines(&format!("{dump} -s recorded easy -a naive --time-zone UTC {arguments}"))?;
        Ok(told.into_iter().find(|line| line.contains("recorded")).unwrap_or_default())
    };
    let not_compared = "recorded and simulated waits are not compared for this log: its";
    assert_eq!(
        told("-m 20x16")?,
        format!("{not_compared} machine has the 256 nodes in its lists of nodes, and 20x16 has 320")
    );
    assert_eq!(
        told("-m 16x16 --estimate exact")?,
        format!("{not_compared} time limits are replaced by --estimate")
    );
    let compared = told("-m 16x16")?;
    assert!(!compared.contains("not compared"), "{compared}");
    Ok(())
}

#[test]
fn three_groups_have_lines_and_a_command_shows_the_rest() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!(
        "{} -m 16x16 -s easy fcfs -a naive snug --arrival-scale 1 0.8",
        bundled("lublin-256-10k.swf.gz")
    );
    let told = lines_in(at, &format!("{replay} -o out"))?;
    let starts = [
        "easy, arrivals ×1 (load 0.70): snug places jobs closest together by both measures: ",
        "fcfs, arrivals ×1 (load 0.70): snug places jobs closest together by both measures: ",
        "arrivals ×1 (load 0.70): schedulers: mean wait 20,512 s under easy; under fcfs waits \
         are not compared (†): utilization 39.1 % instead of 69.2 % under easy, makespan 77.0 % longer, 40.3 % of ",
        "easy, arrivals ×0.8 (load 0.87): snug places jobs closest together by both measures: ",
        "arrivals ×0.8 (load 0.87): schedulers: mean wait 30,382 s under easy; under fcfs ",
        "95 % intervals are for more jobs like those of these 41 to 51 days; ",
        "† overloaded (4 of 8 replays): when submissions ended, 40 to 54 % of the work (14 to 19 machine days) ",
        "1 more group: meshreplay table ",
    ];
    assert_eq!(told.len(), starts.len(), "{told:?}");
    for (line, start) in told.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
    // The printed command runs without changes.
    let command = told[7].split_once(": meshreplay ").map_or("", |(_, command)| command);
    let table = run(&at.join("out"), command)?;
    assert_eq!(table.code, Some(0), "{}", table.stderr);
    assert!(table.stdout.contains("fcfs") && table.stdout.contains("0.972"), "{}", table.stdout);
    let kept = lines_in(at, &replay)?;
    assert_eq!(kept[7], "1 more group; keep the results with -o to see them in tables");
    Ok(())
}

#[test]
fn few_jobs_have_no_interval_and_the_line_says_why_once() -> Tested {
    let directory = tempfile::tempdir()?;
    recorded_log(directory.path())?;
    let log = fs::read_to_string(directory.path().join("site.swf"))?;
    let few: Vec<&str> = log.lines().take(31).collect();
    fs::write(directory.path().join("few.swf"), few.join("\n") + "\n")?;
    let told = lines_in(directory.path(), "few.swf -m 4x4 -a naive mc1x1 snug hilbert+bf")?;
    assert!(
        told[0].matches("(too short for an interval: 30 jobs)").count() == 1 && !told[0].contains("CI"),
        "{told:?}"
    );
    Ok(())
}

#[test]
fn seeds_give_intervals_only_where_something_depends_on_them() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let told =
        lines("synthetic:jobs=200,ratio=1.5 -m 8x8 -s fcfs -a naive hilbert+bf first-fit --replications 20")?;
    assert!(told.iter().all(|line| line.contains(", 20 seeds)")), "{told:?}");
    // On a log only the allocator `random` depends on the seed.
    let replay =
        format!("{} -m 16x16 -a random hilbert+bf naive --replications 3", bundled("lublin-256-10k.swf.gz"));
    let ran = run(at, &format!("replay {replay} --no-timing -q"))?;
    let row = |name: &str| {
        ran.stdout.lines().find(|line| line.starts_with(&format!(" {name} "))).unwrap_or_default()
    };
    assert!(row("random").contains('±') && !row("hilbert+bf").contains('±'), "{}", ran.stdout);
    let told = ran.stdout.lines().rev().nth(1).unwrap_or_default();
    let (next, worst) = told.split_once(", the next best, ").unwrap_or_default();
    assert!(!next.contains("seeds") && next.contains("than naive (95 % CI "), "{told}");
    assert!(worst.contains(" less than random; "), "{told}");
    let told = lines(&format!(
        "{} -m 16x16 -a random hilbert+bf --replications 3",
        bundled("lublin-256-10k.swf.gz")
    ))?;
    assert!(told[0].contains("less than random (95 % CI ") && told[0].contains(", 3 seeds)"), "{told:?}");
    assert_eq!(told.len(), 1, "{told:?}");
    Ok(())
}

#[test]
fn replays_without_results_or_of_other_jobs_are_left_out_with_the_reason() -> Tested {
    let directory = tempfile::tempdir()?;
    recorded_log(directory.path())?;
    let lines = |arguments: &str| lines_in(directory.path(), &format!("site.swf {arguments}"));
    let told = lines("-m 4x8 -a naive exec:false mc1x1")?;
    let failed = "left out: exec:false (no results: failed, not replayed or not saved)";
    assert!(told.iter().any(|line| line == failed), "{told:?}");
    assert!(told[0].starts_with("mc1x1 places jobs closest together by both measures: "), "{told:?}");
    // A row of more than four nodes does not fit on 4x4.
    let told = lines("-m 4x4 -a first-fit naive mc1x1 --shape row --oversize skip")?;
    let reason = "left out: first-fit (replays 600 jobs, not 1,200)";
    assert!(told.len() >= 2 && told[1] == reason, "{told:?}");
    Ok(())
}
