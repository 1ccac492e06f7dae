//! Small inputs that would need much memory or time, and extreme values and names. See also `strangers`,
//! `writers`, `far_times`, `signals`, `hardening` and `fetch`.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::{Ran, Tested, bundled, columns, run, run_with};

/// A small gzip file may hold more jobs than fit into memory.
#[cfg(target_os = "linux")]
#[test]
fn jobs_that_do_not_fit_into_memory_are_refused() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut gzip = GzEncoder::new(File::create(at.join("equal.swf.gz"))?, Compression::fast());
    // Each job has its own number, because equal records are read only once.
    for number in 1..=1_200_000 {
        writeln!(gzip, "{number} 0 -1 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1")?;
    }
    gzip.finish()?;
    let program = env!("CARGO_BIN_EXE_meshreplay");
    // With 1 GB of address space. Without --trim jobs are read during the replay; with --trim all are read
    // first.
    for (option, where_, what) in [
        ("", "equal on 4x4", " jobs wait or run at once; to keep twice as many takes about"),
        ("--trim 1", "equal.swf.gz:", " jobs; to replay twice as many takes about"),
    ] {
        let command = format!(
            "ulimit -v 1000000; {program} replay equal.swf.gz -m 4x4 -a naive -s fcfs -q --threads 1 {option}"
        );
        let ran = Command::new("bash")
            .args(["-c", &command])
            .current_dir(at)
            .env("RAYON_NUM_THREADS", "1")
            .output()?;
        let said = String::from_utf8(ran.stderr)?;
        assert_eq!(ran.status.code(), Some(1), "{said}");
        assert!(
            said.contains(where_)
                && said.contains(what)
                && said.contains("`meshreplay trace cut` makes shorter logs"),
            "{said}"
        );
    }
    Ok(())
}

/// Runs the program with at most this much processor time: at least four times what it takes, because builds
/// with checks take up to twice as long. What is quadratic in its input takes longer.
#[cfg(unix)]
fn run_within(directory: &Path, limit_s: u32, arguments: &str) -> Result<Ran, Box<dyn Error>> {
    let command = format!("ulimit -t {limit_s}; exec {} {arguments}", env!("CARGO_BIN_EXE_meshreplay"));
    Ran::of(Command::new("bash").args(["-c", &command]).current_dir(directory).output()?)
}

/// Schedulers do not scan all waiting jobs after each end.
#[cfg(unix)]
#[test]
fn many_jobs_of_one_instant_are_scheduled() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for (jobs, limit_s, schedulers) in [
        (200_000_u64, 12, &["easy"][..]),
        (
            100_000,
            4,
            &["easy:order=sjf", "easy:order=f1", "easy:backfill=sjbf", "first-fit-queue:order=ssd"][..],
        ),
    ] {
        let mut log = String::new();
        for job in 1..=jobs {
            // Hash of the job number: independent sizes, run times and estimates.
            let scattered =
                |below: u64, salt: u64| (job * 0x9E37_79B1 + salt * 77_777) % (1 << 32) / 256 % below;
            let (procs, run_s) = (1 + scattered(64, 1), 10 + scattered(99_990, 2));
            let estimate_s = run_s * (1 + scattered(5, 3));
            writeln!(log, "{job} 0 -1 {run_s} {procs} -1 -1 {procs} {estimate_s} -1 1 1 1 -1 -1 -1 -1 -1")?;
        }
        fs::write(at.join("one.swf"), log)?;
        for &scheduler in schedulers {
            let command = format!(
                "replay one.swf -m 32x32 -a hilbert+bf -s {scheduler} -q --force --format csv -o out"
            );
            let ran = run_within(at, limit_s, &command)?;
            assert_eq!(ran.code, Some(0), "{scheduler}: {}", ran.stderr);
            let summary = columns(&at.join("out/summary.csv"))?;
            assert_eq!(summary["jobs"], [jobs.to_string()], "{scheduler}");
            // The queue is never empty, so almost no node may be idle.
            assert!(summary["utilization"][0].parse::<f64>()? > 0.95, "{scheduler}");
        }
    }
    Ok(())
}

/// Logs of much of one thing: hosts of a job, lines of a text, clusters.
#[cfg(unix)]
#[test]
fn long_lists_long_texts_and_many_clusters_are_read() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let hosts = (0..60_000).map(|host| format!(" \"h{host}\"")).collect::<Vec<_>>().concat();
    let event = format!(
        "\"JOB_FINISH\" \"10.1\" 1389645000 501 2201 33882739 32 1389640000 0 0 1389641400 \"anna\" \
         \"normal\" \"\" \"\" \"\" \"login1\" \"/scratch\" \"\" \"\" \"\" \"1389640000.501\" 0 \
         60000{hosts} 64 60.0 \"job\" \"./a.out\" 5793.2 6.0 966960 0 -1 0 0 3026323 0 0 0 0 -1 0 0 0 \
         12529329 6498459 -1 \"\" \"proj\" 0 32 \"\" \"\"\n"
    );
    let quoted = |line: &str| "name,submit,start,end,procs\n\"run\n".to_owned() + &line.repeat(300_000);
    let times = "2024-05-01T10:00:00|2024-05-01T10:01:00|2024-05-01T11:01:00|COMPLETED|2";
    let jobs = (0..400_000).map(|job| format!("{job}|c{job}|{times}\n")).collect::<Vec<_>>().concat();
    let clusters = format!("JobID|Cluster|Submit|Start|End|State|NNodes\n{jobs}");
    let texts = |columns: &str, line: &str| {
        let heading = format!("JobID|SubmitLine|{columns}|Submit|Start|End|State|NNodes\n1|sbatch a\n");
        heading + &line.repeat(100_000)
    };
    let table = "table:quoted-newlines=yes";
    for (log, limit_s, format, says) in [
        (event, 2, "lsf", "jobs: 1, errors: 0"),
        (quoted("\"\"\n"), 2, table, "expected a closing quote"),
        (quoted("\",\"\n"), 2, table, "expected a closing quote"),
        (clusters.replace('|', ","), 3, "table", "the log has jobs of 400000 clusters"),
        (clusters, 3, "sacct", "the log has jobs of 400000 clusters"),
        (texts("Comment", "x | y\n"), 2, "sacct", "errors: "),
        (texts("Comment|WorkDir", "x | y | z | a | b\n"), 2, "sacct", "errors: "),
    ] {
        fs::write(at.join("much"), &log)?;
        let command = format!("trace validate much --time-zone UTC --input-format {format}");
        let ran = run_within(at, limit_s, &command)?;
        let said = ran.stdout + &ran.stderr;
        assert!(ran.code.is_some() && said.contains(says), "{format}, {}: {said}", &log[..40]);
    }
    Ok(())
}

#[test]
fn messages_that_do_not_fit_into_memory_are_refused() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("large.swf"), "7 0 -1 9 65536 -1 -1 65536 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n")?;
    for (messages, quota) in [(1_000_000_000, "total"), (60_000, "per-processor")] {
        let network = format!("wormhole:messages={messages},law=constant,quota={quota}");
        let ran = run(
            at,
            &format!("replay large.swf -m 256x256 -a naive -s fcfs --no-timing -q --network {network}"),
        )?;
        assert_eq!(ran.code, Some(1), "{}", ran.stdout);
        let expected = format!("job 7: messages={messages} is");
        assert!(
            ran.stderr.contains(&expected) && ran.stderr.contains("expected fewer messages"),
            "{}",
            ran.stderr
        );
    }
    Ok(())
}

/// A short study file may describe 60 million replays.
#[cfg(target_os = "linux")]
#[test]
fn studies_that_do_not_fit_into_memory_are_refused() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let seeds: Vec<String> = (0..8_000).map(|seed| seed.to_string()).collect();
    let scales: Vec<String> = (0..7_500).map(|scale| format!("{}.5", scale + 1)).collect();
    let log = bundled("tiny.swf");
    let study = format!(
        "logs = ['{log}']\nmachines = ['4x4']\nallocators = ['naive']\nseeds = [{}]\narrival_scales = [{}]\n",
        seeds.join(", "),
        scales.join(", ")
    );
    fs::write(at.join("s.toml"), study)?;
    let program = env!("CARGO_BIN_EXE_meshreplay");
    let command = format!("ulimit -v 4000000; {program} sweep s.toml -o out -q");
    let ran = Command::new("bash").args(["-c", &command]).current_dir(at).output()?;
    let said = String::from_utf8(ran.stderr)?;
    assert!(matches!(ran.status.code(), Some(1 | 2)), "{said}");
    assert!(said.contains("found '60000000 replays', expected fewer"), "{said}");
    assert!(!at.join("out").exists());
    Ok(())
}

/// Studies whose results would fill a disk need `--large`.
#[test]
fn studies_with_much_to_keep_begin_only_if_it_is_said() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let seeds: Vec<String> = (0..2_000).map(|seed| seed.to_string()).collect();
    let study = format!(
        "logs = ['synthetic:jobs=1000000']\nmachines = ['4x4']\nallocators = ['naive']\nseeds = [{}]\n",
        seeds.join(", ")
    );
    fs::write(at.join("s.toml"), study)?;
    let ran = run(at, "sweep s.toml -o out --jobs -q")?;
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    let said = "the results of 2000 replays would take about 52 GB as parquet files; give --large";
    assert!(ran.stderr.contains(said) && !at.join("out").exists(), "{}", ran.stderr);
    let ran = run(at, "sweep s.toml -o out --jobs -q --dry-run")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // CSV needs seven times the space. `--force` does not imply `--large`.
    let ran = run(
        at,
        "replay synthetic:jobs=50000 -m 4x4 -a naive -q --replications 1400 --format csv -o out --force",
    )?;
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    let said = "the results of 1 replay would take about 12 GB as csv files; give --large to begin all the \
         same, keep them as Parquet files,";
    assert!(ran.stderr.contains(said) && !at.join("out").exists(), "{}", ran.stderr);
    Ok(())
}

/// Plots and reports must not panic on a value next to 0.
#[test]
fn the_smallest_number_can_be_drawn() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    assert_eq!(
        run(at, &format!("replay {log} -m 4x4 -a naive mbs --format csv --no-timing -q -o out"))?.code,
        Some(0)
    );
    let mut rows = columns(&at.join("out/summary.csv"))?;
    let text = fs::read_to_string(at.join("out/summary.csv"))?;
    let titles: Vec<String> = text.lines().next().unwrap_or_default().split(',').map(str::to_owned).collect();
    for cells in rows.values_mut() {
        if cells[0].contains('.') && cells[0].parse::<f64>().is_ok() {
            *cells = vec!["5e-324".to_owned(), "0.0".to_owned()];
        }
    }
    let mut damaged = titles.join(",") + "\n";
    for row in [0, 1] {
        let cells: Vec<String> = titles.iter().map(|title| format!("\"{}\"", rows[title][row])).collect();
        writeln!(damaged, "{}", cells.join(",").replace("\"5e-324\"", "5e-324").replace("\"0.0\"", "0.0"))?;
    }
    fs::write(at.join("out/summary.csv"), damaged)?;
    for command in ["plot out -q -o pictures", "report out -o page.html"] {
        let ran = run(at, command)?;
        assert!(!ran.stderr.contains("panicked"), "{command}: {}", ran.stderr);
        assert!(ran.code.is_some_and(|code| code < 2), "{command}: {}", ran.stderr);
    }
    Ok(())
}

/// Sums of distances on arrays of millions of nodes would overflow 64 bits.
#[test]
fn snug_refuses_arrays_on_which_its_sums_would_overflow() -> Tested {
    let directory = tempfile::tempdir()?;
    let command =
        |nodes: u32| format!("replay {} -m {nodes} -a snug -s fcfs --no-timing -q", bundled("tiny.swf"));
    let ran = run(directory.path(), &command(4_000_000))?;
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("do not fit 64 bits there"), "{}", ran.stderr);
    assert_eq!(run(directory.path(), &command(100_000))?.code, Some(0));
    Ok(())
}

/// A mean over no job is empty, not 0.
#[test]
fn means_over_no_job_are_no_numbers() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran =
        run(at, &format!("replay {} -m 4x4 -a naive --trim 49.9 --no-timing -o out", bundled("tiny.swf")))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let row = ran.stdout.lines().find(|line| line.trim_start().starts_with("naive")).unwrap_or_default();
    assert_eq!(row.split_whitespace().filter(|cell| *cell == "-").count(), 7, "{}", ran.stdout);
    let table = run(at, "table out --columns machine --value bounded_slowdown_mean --format csv")?;
    assert_eq!(table.stdout, "allocator\n");
    assert!(
        table.stderr.contains("note: no result has a value of bounded_slowdown_mean"),
        "{}",
        table.stderr
    );
    let ran = run(
        at,
        &format!(
            "replay {} -m 4x4 -a naive --trim 49.9 --no-timing --format csv -q -o csv",
            bundled("tiny.swf")
        ),
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let summary = columns(&at.join("csv/summary.csv"))?;
    assert_eq!(summary["jobs_in_means"], ["0"]);
    for number in ["wait_s_mean", "bounded_slowdown_mean", "pairwise_sum_mean", "components_mean"] {
        assert_eq!(summary[number], [""], "{number}");
    }
    Ok(())
}

/// `--threads` is only an upper limit.
#[test]
fn thousands_of_threads_are_as_many_as_are_needed() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(
        at.join("s.toml"),
        format!("logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive', 'random']\n", bundled("tiny.swf")),
    )?;
    let program = env!("CARGO_BIN_EXE_meshreplay");
    // The address space is too small for thousands of threads.
    let command = format!("ulimit -v 4000000; {program} sweep s.toml -o out --no-timing -q --threads 4000");
    let ran = Command::new("bash").args(["-c", &command]).current_dir(at).output()?;
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Ok(())
}

/// Planning does not take quadratic time in the number of seeds.
#[cfg(unix)]
#[test]
fn hundreds_of_thousands_of_seeds_are_planned() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let seeds: Vec<String> = (0..100_000).map(|seed| seed.to_string()).collect();
    let log = bundled("tiny.swf");
    let study = format!(
        "logs = ['{log}']\nmachines = ['4x4']\nallocators = ['random']\nseeds = [{}]\n",
        seeds.join(", ")
    );
    fs::write(at.join("s.toml"), study)?;
    let ran = run_within(at, 4, "sweep s.toml -o out --no-timing --dry-run")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("\n 100000 cells: 0 done, 100000 to do\n"), "{}", ran.stdout.len());
    Ok(())
}

/// A results file that would not fit into memory, here a sparse file of 16 GB, is refused before it is read.
#[cfg(target_os = "linux")]
#[test]
fn results_that_do_not_fit_into_memory_are_refused() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(
        at,
        &format!("replay {} -m 4x4 -a naive -q --no-timing --format csv -o long", bundled("tiny.swf")),
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    fs::File::options().write(true).open(at.join("long/summary.csv"))?.set_len(1 << 34)?;
    let program = env!("CARGO_BIN_EXE_meshreplay");
    for command in ["table long", "plot long", "report long", "compare long long"] {
        let limited = format!("ulimit -v 4000000; {program} {command}");
        let ran = Command::new("bash").args(["-c", &limited]).current_dir(at).output()?;
        let said = String::from_utf8(ran.stderr)?;
        assert!(matches!(ran.status.code(), Some(1 | 2)), "{command}: {said}");
        assert!(said.contains("summary.csv") && said.contains("memory"), "{command}: {said}");
    }
    Ok(())
}

/// Messages shorten a name of ten million letters.
#[test]
fn names_without_end_are_named_in_short() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let endless = "x".repeat(10_000_000);
    for (key, what) in [("allocators", "allocator"), ("schedulers", "scheduler"), ("networks", "network")] {
        let others = if key == "allocators" { "" } else { "allocators = ['naive']\n" };
        let log = bundled("tiny.swf");
        fs::write(
            at.join("s.toml"),
            format!("logs = ['{log}']\nmachines = ['4x4']\n{others}{key} = ['{endless}']\n"),
        )?;
        let ran = run(at, "sweep s.toml -o out")?;
        assert_eq!(ran.code, Some(1));
        assert!(ran.stderr.len() < 2000, "{} bytes", ran.stderr.len());
        assert!(ran.stderr.contains(&format!("unknown {what} 'xxxxxxxx")), "{}", ran.stderr);
        assert!(ran.stderr.contains("… (10000000 bytes)'"), "{}", ran.stderr);
    }
    Ok(())
}

/// A name with terminal escape sequences.
const STEERING: &str = "e\u{1b}[31m\u{1b}]0;x\u{7}";

/// Control characters in names must not reach terminals and must not make drawings invalid XML.
#[cfg(unix)]
#[test]
fn control_characters_of_names_stay_out_of_tables_messages_pages_and_drawings() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = format!("{STEERING}.swf");
    if fs::copy(bundled("tiny.swf"), at.join(&log)).is_err() {
        println!("skipped: the file system has no such names");
        return Ok(());
    }
    let tiny = bundled("tiny.swf");
    let arguments = [
        "replay",
        &log,
        &tiny,
        "-m",
        "4x4",
        "-a",
        "naive",
        "mbs",
        "--no-timing",
        "-o",
        "out",
        "--placements",
    ];
    let mut texts = vec![run_with(at, &arguments, b"")?];
    for command in [
        "table out",
        "table out --format markdown",
        "table out --format latex",
        "report out -o page.html",
        "plot out -o pictures",
        "audit out -m 4x4",
    ] {
        texts.push(run(at, command)?);
    }
    for arguments in [
        vec!["trace", "info", &log],
        vec!["trace", "validate", &log],
        vec!["replay", &log, "-m", STEERING, "-a", "naive"],
        vec!["replay", &log, "-m", "4x4", "-a", STEERING],
        vec!["replay", &log, "-m", "4x4", "-a", "naive", "-s", STEERING],
        vec!["trace", "convert", &log, STEERING],
        vec!["compare", "gone", STEERING],
        vec!["table", STEERING],
        vec![STEERING],
        vec!["--\u{1b}[31m"],
    ] {
        texts.push(run_with(at, &arguments, b"")?);
    }
    for ran in &texts {
        let wrong = |c: char| c.is_control() && c != '\n';
        assert!(!ran.stdout.contains(wrong), "{:?}", ran.stdout);
        assert!(!ran.stderr.contains(wrong), "{:?}", ran.stderr);
    }
    let mut drawn = 0;
    for entry in fs::read_dir(at.join("pictures"))? {
        let text = fs::read_to_string(entry?.path())?;
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        drawn += usize::from(text.contains(r"e\u{1b}[31m\u{1b}]0;x\u{7}"));
    }
    assert!(drawn > 0, "no drawing has the name of the log");
    let page = fs::read_to_string(at.join("page.html"))?;
    assert!(!page.contains('\u{1b}') && page.contains(r"e\u{1b}[31m"));
    Ok(())
}

/// CSV injection: a spreadsheet would run a name that begins like a formula.
#[test]
fn names_are_no_formulas_in_comma_separated_values() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let names = ["=HYPERLINK(1)", "@SUM(1)", "+1+cmd", "-2+3+cmd", "'=1", "plain"];
    let logs: Vec<String> = names.iter().map(|name| format!("./{name}.swf")).collect();
    for log in &logs {
        fs::copy(bundled("tiny.swf"), at.join(log))?;
    }
    let mut arguments = vec!["replay"];
    arguments.extend(logs.iter().map(String::as_str));
    arguments.extend(["-m", "4x4", "-a", "naive", "--no-timing", "-q", "--format"]);
    for format in ["csv", "parquet"] {
        let ran = run_with(at, &[&arguments[..], &[format, "-o", format]].concat(), b"")?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let printed = run_with(at, &[&arguments[..], &["csv"]].concat(), b"")?.stdout;
    let pivot = run(at, "table parquet --rows log --columns allocator --format csv")?;
    assert_eq!(pivot.code, Some(0), "{}", pivot.stderr);
    for text in [fs::read_to_string(at.join("csv/summary.csv"))?, printed, pivot.stdout] {
        assert!(text.contains("'=HYPERLINK(1)") && text.contains("''=1"), "{text}");
        let cells = text.lines().flat_map(|line| line.split(','));
        for cell in cells.filter(|cell| cell.parse::<f64>().is_err()) {
            assert!(!cell.trim_matches('"').starts_with(['=', '@', '+', '-']), "{cell}");
        }
    }
    // CSV and Parquet files contain the same names.
    let [csv, parquet] =
        ["csv", "parquet"].map(|folder| run(at, &format!("table {folder} --rows log --columns allocator")));
    let csv = csv?.stdout;
    assert_eq!(csv, parquet?.stdout);
    assert!(names.iter().all(|name| csv.contains(&format!(" {name} "))), "{csv}");
    Ok(())
}

/// The library returns an error for an allocator that moves jobs together with a network model; no panic.
#[test]
fn the_library_refuses_to_move_jobs_on_a_network() -> Tested {
    use meshreplay::metrics::Monitor;
    use meshreplay::study::{JobSource, Options, Replay, ReplaySpec};
    let mut spec = ReplaySpec::new("256".parse()?, "fcfs".parse()?, "left-compaction".parse()?);
    spec.network = std::sync::Arc::new("wormhole".parse()?);
    let job = meshreplay::job::Job { number: 1, procs: 4, ..Default::default() };
    let replay = Replay::new(spec, JobSource::recorded(std::sync::Arc::new(vec![job]), 0));
    let Err(error) = replay.run(&Options::default(), &Monitor::default()) else {
        return Err("it is replayed".into());
    };
    assert!(error.to_string().contains("it moves running jobs, which network"), "{error}");
    Ok(())
}
