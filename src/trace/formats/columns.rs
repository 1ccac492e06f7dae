//! Logs of any program that writes one job on each line: which column holds which field.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use super::super::error::Problem;
use super::super::record::{FIELD_NAMES, FIELDS, Record};

/// What the fields of the Standard Workload Format are called here.
const NAMES: [&str; FIELDS] = [
    "job",
    "submit",
    "wait",
    "run",
    "procs",
    "cpu",
    "memory",
    "req-procs",
    "req-time",
    "req-memory",
    "status",
    "user",
    "group",
    "app",
    "queue",
    "partition",
    "preceding",
    "think",
];
/// Fields that name something, by a word or a number; what they name is numbered as it appears: user, group, application, queue, partition.
const LABELS: std::ops::Range<usize> = 11..16;
/// Fields without which a line is no job: submit, run, procs.
const NEEDED: [usize; 3] = [1, 3, 4];

/// For each field of the Standard Workload Format the column that holds it, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    columns: [Option<u16>; FIELDS],
}

/// `submit=3,run=5,procs=2`.
impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut columns = [None; FIELDS];
        for part in text.split(',') {
            let (name, column) = part
                .split_once('=')
                .ok_or_else(|| format!("'{part}' is not FIELD=COLUMN, such as submit=3"))?;
            let field = NAMES.iter().position(|known| *known == name);
            let field =
                field.ok_or_else(|| format!("unknown field '{name}' (one of: {})", NAMES.join(", ")))?;
            let column = column.parse().ok().filter(|column| (1..=1000).contains(column));
            let column = column.ok_or_else(|| format!("'{part}': expected a column from 1 to 1000"))?;
            if columns[field].replace(column).is_some() {
                return Err(format!("field '{name}' is given twice"));
            }
        }
        match NEEDED.into_iter().find(|&field| columns[field].is_none()) {
            Some(field) => {
                Err(format!("field '{}' is missing; submit, run and procs are needed", NAMES[field]))
            }
            None => Ok(Self { columns }),
        }
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.columns.iter().zip(NAMES).filter_map(|(column, name)| Some(((*column)?, name)));
        for (i, (column, name)) in known.enumerate() {
            write!(f, "{}{name}={column}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

/// Reads lines by their columns.
#[derive(Debug)]
pub(in crate::trace) struct ColumnReader {
    columns: Columns,
    labels: [HashMap<String, i64>; FIELDS],
    jobs: i64,
}

impl ColumnReader {
    pub(in crate::trace) fn new(columns: Columns) -> Self {
        Self { columns, labels: Default::default(), jobs: 0 }
    }

    /// The record of a line. Fields that no column holds are unknown; jobs are numbered unless a column does it.
    pub(in crate::trace) fn parse(&mut self, line: &[u8]) -> Result<Record, Problem> {
        let text = String::from_utf8_lossy(line);
        let tokens: Vec<&str> = text.split_whitespace().collect();
        let mut values = [-1.0_f64; FIELDS];
        for (field, column) in self.columns.columns.iter().enumerate() {
            let Some(column) = *column else { continue };
            let Some(token) = tokens.get(usize::from(column) - 1) else {
                return Err(Problem::TooFewFields { found: tokens.len(), expected: usize::from(column) });
            };
            let number = token.parse().ok().filter(|value: &f64| value.is_finite() && value.abs() < 9e18);
            values[field] = match number {
                Some(value) if !LABELS.contains(&field) || value < 0.0 => value,
                _ if LABELS.contains(&field) => {
                    let known = &mut self.labels[field];
                    let next = known.len() as i64 + 1;
                    *known.entry((*token).to_owned()).or_insert(next) as f64
                }
                _ => {
                    let (found, name) = (token.chars().take(20).collect(), FIELD_NAMES[field]);
                    return Err(Problem::NotANumber {
                        field: usize::from(column),
                        name,
                        found,
                        expected: "a number",
                    });
                }
            };
        }
        self.jobs += 1;
        let whole = |field: usize| values[field].round() as i64;
        let job = if self.columns.columns[0].is_some() { whole(0) } else { self.jobs };
        Ok(Record {
            job,
            submit_s: whole(1),
            wait_s: whole(2),
            run_s: whole(3),
            allocated_procs: whole(4),
            average_cpu_s: values[5],
            used_memory_kb: whole(6),
            requested_procs: whole(7),
            requested_time_s: whole(8),
            requested_memory_kb: whole(9),
            status: whole(10),
            user: whole(11),
            group: whole(12),
            executable: whole(13),
            queue: whole(14),
            partition: whole(15),
            preceding_job: whole(16),
            think_time_s: whole(17),
            sides: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_fields_and_names_numbers() -> Result<(), Box<dyn std::error::Error>> {
        let columns: Columns = "procs=2,submit=1,run=4,user=3".parse()?;
        assert_eq!(columns.to_string(), "submit=1,run=4,procs=2,user=3");
        let mut reader = ColumnReader::new(columns);
        let a = reader.parse(b"10 4 anna 2.5 rest")?;
        let b = reader.parse(b"\t11.4\t8 bert 9")?;
        let c = reader.parse(b"12 1 anna 3")?;
        assert_eq!((a.job, a.submit_s, a.allocated_procs, a.run_s, a.user, a.queue), (1, 10, 4, 3, 1, -1));
        assert_eq!((b.job, b.submit_s, b.user, c.user), (2, 11, 2, 1));
        Ok(())
    }

    #[test]
    fn wrong_columns_and_lines_say_what_was_expected() -> Result<(), Box<dyn std::error::Error>> {
        for (text, problem) in [
            ("submit", "'submit' is not FIELD=COLUMN"),
            ("submit=1,run=2", "field 'procs' is missing"),
            ("submit=1,run=2,procs=0", "expected a column from 1 to 1000"),
            ("submit=1,run=2,procs=3,run=4", "field 'run' is given twice"),
            ("submit=1,run=2,nodes=3", "unknown field 'nodes' (one of: job, submit,"),
        ] {
            let found = text.parse::<Columns>().expect_err("wrong");
            assert!(found.contains(problem), "{text}: {found}");
        }
        let mut reader = ColumnReader::new("submit=1,run=2,procs=3".parse()?);
        let short = reader.parse(b"1 2").expect_err("short").to_string();
        assert_eq!(short, "2 fields, expected 3");
        let wrong = reader.parse(b"1 x 2").expect_err("wrong").to_string();
        assert!(wrong.starts_with("field 2 (run time): found 'x', expected a number"), "{wrong}");
        Ok(())
    }
}
