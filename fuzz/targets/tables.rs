//! Damaged Parquet and Arrow files, read by the command: it ends with exit code 0 or 1 in time, and if it
//! reads the file, then it reads as many jobs as the file has, or none, or says what is odd. The corpus has
//! files of other writers.

use std::process::Command;

use meshreplay::frame::{FileFormat, write_to};
use polars_core::prelude::{Column, DataFrame};

use super::{Target, scratch};

/// The processor time that an input may take, of which nearly all is the start of the program.
const LONGEST_S: u32 = 5;

/// What is said of sound tables, too.
const USUAL: [&str; 2] = ["warning: no number MaxProcs", "warning: jobs share nodes"];

/// The jobs of a table.
const JOBS: i64 = 20;

pub(crate) const TABLES: Target = Target {
    name: "log-binary-tables",
    seeds: tables,
    words: &["\0\0\0\0", "PAR1", "ARROW1"],
    cost: 100,
    run,
};

/// Returns a table in Parquet and in Arrow.
fn tables() -> Vec<Vec<u8>> {
    let numbers = |number: fn(i64) -> i64| (1..=JOBS).map(number).collect::<Vec<i64>>();
    let names: Vec<_> = (1..=JOBS).map(|job| (job % 4 > 0).then(|| format!("user{}", job % 4))).collect();
    let columns = vec![
        Column::new("id".into(), numbers(|job| job)),
        Column::new("user".into(), names),
        Column::new("submit".into(), numbers(|job| 10 * job)),
        Column::new("start".into(), numbers(|job| 10 * job + 5)),
        Column::new("end".into(), numbers(|job| 10 * job + 100)),
        Column::new("nodes".into(), numbers(|job| job % 7 + 1)),
    ];
    let mut frame = DataFrame::new_infer_height(columns).expect("columns of one length");
    let formats = [FileFormat::Parquet, FileFormat::Arrow];
    formats
        .map(|format| {
            let mut bytes = Vec::new();
            write_to(&mut bytes, &mut frame, format, "{}").expect("memory takes all");
            bytes
        })
        .to_vec()
}

/// Returns the program. Where the system can, it is ended by a signal if it takes too much processor time.
fn program() -> Command {
    let program = env!("CARGO_BIN_EXE_meshreplay");
    if cfg!(not(unix)) {
        return Command::new(program);
    }
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -t {LONGEST_S}; exec \"$0\" \"$@\"")).arg(program);
    shell
}

fn run(bytes: &[u8]) -> String {
    let kinds = [(&b"PAR1"[..], "Parquet"), (b"ARROW1", "Arrow file"), (b"\xff\xff\xff\xff", "Arrow stream")];
    let Some((_, kind)) = kinds.into_iter().find(|(magic, _)| bytes.starts_with(magic)) else {
        return "another kind of file".to_owned();
    };
    let path = scratch::file("table", bytes);
    let output = program()
        .args(["trace", "validate", "--time-zone", "UTC"])
        .arg(&path)
        .output()
        .expect("the command starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{kind}: {}: {stderr}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let jobs =
        text.lines().find_map(|line| line.rsplit_once("jobs: ")?.1.split(',').next()?.parse::<i64>().ok());
    // Rows may be equal, or no jobs, after a value was damaged; both are counted.
    let is_odd = |line: &str| line.contains("warning: ") && !USUAL.iter().any(|usual| line.contains(usual));
    let is_counted = jobs == Some(0) || text.lines().any(is_odd);
    let outcome = match (output.status.success(), jobs == Some(JOBS)) {
        (false, _) => "refused",
        (true, true) => "read",
        (true, false) if is_counted => "counted",
        (true, false) => panic!("{jobs:?} jobs: {text}"),
    };
    format!("[{kind}: {outcome}] {}", stderr.lines().last().unwrap_or_default())
}
