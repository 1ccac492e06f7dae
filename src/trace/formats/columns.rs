//! Logs of any program that writes one job on each line. A parameter tells which column holds which field.

use std::str::FromStr;

use super::format::{Format, LineParser, Parsed};
use crate::spec::{Spec, SpecError};
use crate::trace::error::Problem;
use crate::trace::names::Labels;
use crate::trace::record::{CPU, FIELD_NAMES, FIELDS, Record};

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "columns",
    summary: "one job on each line, in columns separated by blanks, of which a parameter says what each holds",
    source: "logs of any program; fields as in swf",
    parameters: "submit=COLUMN run=COLUMN procs=COLUMN job wait cpu memory req-procs req-time req-memory status user group \
                 app queue partition preceding think shape",
    lacks: "machine, and every field that no column holds",
    extensions: &[],
    recognises: None,
    expects_spaces: false,
    parser: |spec| Ok(Box::new(ColumnParser::new(Columns::of(spec)?))),
    writing: None,
};

/// The names of the fields of the Standard Workload Format in specs, in the order of the fields.
const NAMES: &str = "job submit wait run procs cpu memory req-procs req-time req-memory status user group app queue \
                     partition preceding think";

/// Returns the names one by one.
fn names() -> impl Iterator<Item = &'static str> {
    NAMES.split(' ')
}

/// The indices of the fields that name something by a word or a number: user, group, application, queue, partition.
/// Each new name gets the next number, from 1.
const LABELS: std::ops::Range<usize> = 11..16;
/// The indices of the fields that every job must have: submit, run, procs.
const NEEDED: [usize; 3] = [1, 3, 4];

/// The columns of a log: for each field of the Standard Workload Format the number of the column that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The column of each field, from 1; `None` if no column holds the field.
    columns: [Option<u16>; FIELDS],
    /// The column of the sides of the submesh that a job asks for, such as `4x4x2`; `None` if there is none.
    shape: Option<u16>,
}

/// The name of the column of a job's sides.
const SHAPE: &str = "shape";

/// Parses a list such as `submit=3,run=5,procs=2`.
impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut columns, mut shape) = ([None; FIELDS], None);
        for part in text.split(',') {
            let (name, column) = part
                .split_once('=')
                .ok_or_else(|| format!("'{part}' is not FIELD=COLUMN, such as submit=3"))?;
            let target = match names().position(|known| known == name) {
                Some(field) => &mut columns[field],
                None if name == SHAPE => &mut shape,
                None => {
                    let known = NAMES.replace(' ', ", ");
                    return Err(format!("unknown field '{name}' (one of: {known}, {SHAPE})"));
                }
            };
            let column = column.parse().ok().filter(|column| (1..=1000).contains(column));
            let column = column.ok_or_else(|| format!("'{part}': expected a column from 1 to 1000"))?;
            if target.replace(column).is_some() {
                return Err(format!("field '{name}' is given twice"));
            }
        }
        match NEEDED.into_iter().find(|&field| columns[field].is_none()) {
            Some(field) => Err(format!(
                "field '{}' is missing; submit, run and procs are needed",
                names().nth(field).unwrap_or_default()
            )),
            None => Ok(Self { columns, shape }),
        }
    }
}

impl Columns {
    /// Returns the columns of a spec such as `columns:submit=3,run=5,procs=2`. The result is an error if one of the
    /// needed columns is missing or a field is unknown.
    fn of(spec: &Spec) -> Result<Self, SpecError> {
        let text = spec.to_string();
        let malformed = |problem| SpecError::Malformed { text: text.clone(), problem };
        let (_, columns) = text.split_once(':').unwrap_or_default();
        if columns.is_empty() {
            let example = "columns are missing, such as columns:submit=3,run=5,procs=2";
            return Err(malformed(example.to_owned()));
        }
        columns.parse().map_err(malformed)
    }

    /// Returns the spec of the format with these columns.
    pub fn spec(&self) -> Spec {
        let given = self.columns.iter().zip(names()).filter_map(|(column, name)| Some(((*column)?, name)));
        let given = given.chain(self.shape.map(|column| (column, SHAPE)));
        given.fold(Spec::named(FORMAT.name), |spec, (column, name)| spec.with(name, &column.to_string()))
    }
}

/// The parser of one log.
struct ColumnParser {
    columns: Columns,
    /// The names seen so far in each field of [`LABELS`].
    labels: [Labels; FIELDS],
    jobs: i64,
}

impl ColumnParser {
    /// Makes the parser of one log.
    fn new(columns: Columns) -> Self {
        Self { columns, labels: Default::default(), jobs: 0 }
    }

    /// Returns the value of `token`, which is in column `column` and holds field `field`. A name becomes a number, see
    /// [`LABELS`]. A negative number in such a field stays as it is, as −1 means unknown.
    fn value(&mut self, field: usize, column: usize, token: &str) -> Result<f64, Problem> {
        // Values below 9·10¹⁸ stay in the range of an `i64` when they are rounded.
        let number = token.parse().ok().filter(|value: &f64| value.is_finite() && value.abs() < 9e18);
        match number {
            Some(value) if !LABELS.contains(&field) || value < 0.0 => Ok(value),
            _ if LABELS.contains(&field) => Ok(self.labels[field].number(token.as_bytes()) as f64),
            _ => Err(Problem::not_a_number(column, FIELD_NAMES[field], token.as_bytes(), "a number")),
        }
    }
}

impl LineParser for ColumnParser {
    /// Parses one line. Fields without a column are unknown. Jobs are numbered from 1 unless a column holds their
    /// number.
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let text = String::from_utf8_lossy(line);
        let tokens: Vec<&str> = text.split_whitespace().collect();
        let mut values = [-1.0_f64; FIELDS];
        for (field, column) in self.columns.columns.into_iter().enumerate() {
            let Some(column) = column.map(usize::from) else { continue };
            let Some(token) = tokens.get(column - 1) else {
                return Err(Problem::TooFewFields { found: tokens.len(), expected: column });
            };
            values[field] = self.value(field, column, token)?;
        }
        self.jobs += 1;
        let mut fields = values.map(|value| value.round() as i64);
        if self.columns.columns[0].is_none() {
            fields[0] = self.jobs;
        }
        let record = Record::from_fields(fields, values[CPU]);
        let Some(column) = self.columns.shape.map(usize::from) else { return Ok(Parsed::Record(record, 0)) };
        let token =
            tokens.get(column - 1).ok_or(Problem::TooFewFields { found: tokens.len(), expected: column })?;
        Ok(Parsed::Record(Record { sides: sides(column, token)?, ..record }, 0))
    }
}

/// Returns the sides of a text such as `4x4x2` or `8x4` in column `column`; missing sides are 1. Returns `None` for `-`
/// and `-1`, which stand for an unknown shape.
fn sides(column: usize, token: &str) -> Result<Option<[u32; 3]>, Problem> {
    if matches!(token, "-" | "-1") {
        return Ok(None);
    }
    let mut sides = [1; 3];
    for (d, side) in token.split('x').enumerate() {
        let side = side.parse().ok().filter(|&side: &u32| side > 0);
        let (Some(place), Some(side)) = (sides.get_mut(d), side) else {
            return Err(Problem::not_a_number(column, SHAPE, token.as_bytes(), "sides such as 4x4x2"));
        };
        *place = side;
    }
    Ok(Some(sides))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_fields_and_names_numbers() -> Result<(), Box<dyn std::error::Error>> {
        let columns: Columns = "procs=2,submit=1,run=4,user=3".parse()?;
        assert_eq!(columns.spec().to_string(), "columns:procs=2,run=4,submit=1,user=3");
        assert_eq!(Columns::of(&columns.spec())?, columns);
        let mut parser = ColumnParser::new(columns);
        let mut record = |line: &[u8]| match parser.parse(line) {
            Ok(Parsed::Record(record, _)) => Ok(record),
            other => Err(format!("{other:?}")),
        };
        let a = record(b"10 4 anna 2.5 rest")?;
        let b = record(b"\t11.4\t8 bert 9")?;
        let c = record(b"12 1 anna 3")?;
        assert_eq!((a.job, a.submit_s, a.allocated_procs, a.run_s, a.user, a.queue), (1, 10, 4, 3, 1, -1));
        assert_eq!((b.job, b.submit_s, b.user, c.user), (2, 11, 2, 1));
        Ok(())
    }

    #[test]
    fn jobs_bring_their_sides() -> Result<(), Box<dyn std::error::Error>> {
        let columns: Columns = "procs=2,submit=1,run=3,shape=4".parse()?;
        assert_eq!(columns.spec().to_string(), "columns:procs=2,run=3,shape=4,submit=1");
        let mut parser = ColumnParser::new(columns);
        for (token, sides) in [
            ("4x4x2", Some([4, 4, 2])),
            ("8x4", Some([8, 4, 1])),
            ("7", Some([7, 1, 1])),
            ("-", None),
            ("-1", None),
        ] {
            let line = format!("0 32 10 {token}");
            let Ok(Parsed::Record(record, _)) = parser.parse(line.as_bytes()) else {
                return Err(token.into());
            };
            assert_eq!(record.sides, sides, "{token}");
        }
        for (token, message) in [
            ("4y4", "field 4 (shape): found '4y4', expected sides such as 4x4x2"),
            ("4x0", "field 4 (shape): found '4x0', expected sides such as 4x4x2"),
            ("1x1x1x1", "field 4 (shape): found '1x1x1x1', expected sides such as 4x4x2"),
        ] {
            let problem = parser.parse(format!("0 32 10 {token}").as_bytes()).expect_err(token).to_string();
            assert!(problem.starts_with(message), "{problem}");
        }
        assert_eq!(parser.parse(b"0 32 10").expect_err("short").to_string(), "3 fields, expected 4");
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
            let found = text.parse::<Columns>().expect_err("malformed");
            assert!(found.contains(problem), "{text}: {found}");
        }
        let mut parser = ColumnParser::new("submit=1,run=2,procs=3".parse()?);
        let short = parser.parse(b"1 2").expect_err("short").to_string();
        assert_eq!(short, "2 fields, expected 3");
        let message = parser.parse(b"1 x 2").expect_err("malformed").to_string();
        assert!(message.starts_with("field 2 (run time): found 'x', expected a number"), "{message}");
        Ok(())
    }
}
