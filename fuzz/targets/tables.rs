//! Damaged Parquet and Arrow files, read by the command: it ends with exit code 0 or 1 in time, and if it
//! reads the file, then it reads as many jobs as the file has.

use std::process::Command;

use meshreplay::frame::{FileFormat, write_to};
use polars_core::prelude::{Column, DataFrame};

use super::{Target, scratch};

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

fn run(bytes: &[u8]) -> String {
    let path = scratch::file("table.parquet", bytes);
    if !bytes.starts_with(b"PAR1") && !bytes.starts_with(b"ARRO") {
        return "another kind of file".to_owned();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(["trace", "validate", "--time-zone", "UTC"])
        .arg(&path)
        .output()
        .expect("the command starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}: {stderr}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let jobs =
        text.lines().find_map(|line| line.rsplit_once("jobs: ")?.1.split(',').next()?.parse::<i64>().ok());
    if output.status.success() && jobs != Some(JOBS) {
        // Rows may be equal, or no jobs, after a value was damaged; both are counted.
        assert!(text.contains("stand twice") || text.contains("warning"), "{jobs:?} jobs: {text}");
    }
    stderr.lines().last().unwrap_or_default().to_owned()
}
