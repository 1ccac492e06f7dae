//! What several tests need: archive logs if they are there, replays in one call, a generator of numbers.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};

use meshreplay::job::Job;
use meshreplay::metrics::Monitor;
use meshreplay::study::{Cell, JobSource, LoadedLog, Outcome, Plan, load};
use meshreplay::trace::ReadOptions;
use meshreplay::workload::{Oversize, Rules};

/// What tests return.
pub(crate) type Tested = Result<(), Box<dyn Error>>;

/// A file of the material that is shared beside the project, or `None`, saying that the test is skipped.
pub(crate) fn shared(file: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).join(file);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: ../shared/{file} is absent");
    None
}

/// Makes commands that are started from now on hear SIGINT, even if this process ignores it, as one in the background of a
/// script does: a signal that is handled here has its default action in children.
#[cfg(unix)]
pub(crate) fn children_hear_interrupts() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let ends = Arc::new(std::sync::atomic::AtomicBool::new(true));
        signal_hook::flag::register_conditional_default(2, ends).expect("SIGINT can be handled");
    });
}

/// The text of a gzip file.
pub(crate) fn gunzip(path: &PathBuf) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

/// A log of ../shared/traces by the authors' rules, read once per process.
pub(crate) fn shared_log(file: &str) -> Option<Arc<LoadedLog>> {
    type Logs = Mutex<HashMap<String, Arc<LoadedLog>>>;
    static LOGS: OnceLock<Logs> = OnceLock::new();
    let path = shared(&format!("traces/{file}.swf.gz"))?;
    let mut logs = LOGS.get_or_init(Mutex::default).lock().expect("no test panics while it reads a log");
    if !logs.contains_key(file) {
        let log = load(&path, ReadOptions::default(), Rules::default()).expect("the log is readable");
        logs.insert(file.to_owned(), Arc::new(log));
    }
    logs.get(file).cloned()
}

/// Replays jobs without timing.
pub(crate) fn replay(
    jobs: &[Job],
    machine: &str,
    scheduler: &str,
    allocator: &str,
) -> Result<Outcome, Box<dyn Error>> {
    replayed(jobs, [machine, scheduler, allocator], &Plan { jobs: true, ..Plan::default() })
}

/// Replays jobs without timing, and keeps the nodes of every job.
pub(crate) fn replay_with_placements(
    jobs: &[Job],
    machine: &str,
    scheduler: &str,
    allocator: &str,
) -> Result<Outcome, Box<dyn Error>> {
    let plan = Plan { jobs: true, placements: true, ..Plan::default() };
    replayed(jobs, [machine, scheduler, allocator], &plan)
}

fn replayed(
    jobs: &[Job],
    [machine, scheduler, allocator]: [&str; 3],
    plan: &Plan,
) -> Result<Outcome, Box<dyn Error>> {
    let cell = Cell {
        log: "test".to_owned(),
        log_sha256: String::new(),
        rules: String::new(),
        arrival_scale: 1.0,
        machine: machine.parse()?,
        scheduler: scheduler.parse()?,
        allocator: allocator.parse()?,
        network: "recorded".parse()?,
        seed: 1,
        source: JobSource::recorded(Arc::new(jobs.to_vec()), 0),
        oversize: Oversize::Error,
    };
    cell.run(plan, &Monitor::default())?.pop().ok_or_else(|| "no replication".into())
}

/// A small generator (a 64-bit linear congruence) for histories; the same numbers on every machine.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// The next number below `bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

/// What a run of the program left.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program in `directory` with `stdin` as its standard input.
pub(crate) fn run_with(directory: &Path, arguments: &[&str], stdin: &[u8]) -> Result<Ran, Box<dyn Error>> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A program that failed early does not read its input.
        let _ = input.write_all(stdin);
    }
    let output = child.wait_with_output()?;
    Ok(Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout)?,
        stderr: String::from_utf8(output.stderr)?,
    })
}

/// Runs the program in `directory` with arguments that hold no spaces.
pub(crate) fn run(directory: &Path, arguments: &str) -> Result<Ran, Box<dyn Error>> {
    run_with(directory, &arguments.split(' ').collect::<Vec<_>>(), b"")
}

/// `bytes` with `to`, which is as long, wherever `from` was.
pub(crate) fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    while let Some(at) = bytes.windows(from.len()).position(|window| window == from) {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// Starts the program in `directory` with arguments that hold no spaces, and does not wait for it.
pub(crate) fn start(directory: &Path, arguments: &str) -> std::io::Result<Child> {
    Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(arguments.split(' '))
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// A file of traces/.
pub(crate) fn bundled(file: &str) -> String {
    format!("{}/traces/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `directory` with its content.
pub(crate) fn contents(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, Box<dyn Error>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            let folder = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.extend(
                contents(&path)?.into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes)),
            );
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.insert(name, fs::read(&path)?);
        }
    }
    Ok(found)
}

/// Whether two directories hold the same files, byte by byte; the names of those that differ.
pub(crate) fn differences(a: &Path, b: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let (a, b) = (contents(a)?, contents(b)?);
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    Ok(names.filter(|name| a.get(*name) != b.get(*name)).cloned().collect())
}

/// The cells of a line of comma-separated values.
pub(crate) fn csv_cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    cells
}

/// The columns of a CSV file.
pub(crate) fn columns(path: &Path) -> Result<BTreeMap<String, Vec<String>>, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let titles = csv_cells(lines.next().ok_or("no titles")?);
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        for (title, cell) in titles.iter().zip(csv_cells(line)) {
            columns.entry(title.clone()).or_default().push(cell);
        }
    }
    Ok(columns)
}
