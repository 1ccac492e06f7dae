//! The argument `--columns`: which column of a table holds what.

use std::str::FromStr;

use super::layout::{Place, TableOptions};
use super::{COLUMNS, TABLE, field};
use crate::record::FIELDS;
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The names of the fields of the Standard Workload Format in specs, in the order of the fields.
const NAMES: &str = "job submit wait run procs cpu memory req-procs req-time req-memory status user group \
     app queue partition preceding think";

/// Required fields if all columns are given by number and the fields are those of the format `columns`.
const NEEDED: [&str; 3] = ["submit", "run", "procs"];
/// The name of the column of a job's sides.
const SHAPE: &str = "shape";

/// The columns of a log: for each field the number or the name of the column that holds it. It also has the
/// other parameters of the format `table`, such as `delimiter`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Spec);

/// Parses a list such as `submit=3,run=5,procs=2` or `submit=Submit,start=Start,end=End,procs=NNodes`.
impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut spec = Spec::named(COLUMNS.name);
        for part in text.split(',') {
            let (name, column) = part
                .split_once('=')
                .ok_or_else(|| format!("'{part}' is not FIELD=COLUMN, such as submit=3"))?;
            if column.is_empty() {
                return Err(format!("'{part}': expected the number or the name of a column"));
            }
            // Frames and headings have `req_time` where options have `req-time`.
            let name = name.replace('_', "-");
            if spec.params.insert(name.clone(), column.to_owned()).is_some() {
                return Err(format!("field '{name}' is given twice"));
            }
        }
        // Specs with only older fields keep the older format, so keys of results stay stable.
        match numbered_spec(&spec) {
            NumberedSpec::Complete => Ok(Self(spec)),
            NumberedSpec::Invalid(problem) => Err(problem),
            NumberedSpec::Other => {
                let spec = Spec { name: TABLE.name.to_owned(), ..spec };
                let mut params = Params::new(&spec);
                TableOptions::take(&mut params).map_err(|error| error.to_string())?;
                params.finish().map_err(|error| match error {
                    SpecError::NoParameter { key, .. } => {
                        let known: Vec<&str> = fields().collect();
                        format!("unknown field '{key}' (one of: {})", known.join(", "))
                    }
                    other => other.to_string(),
                })?;
                Ok(Self(spec))
            }
        }
    }
}

/// Returns the names allowed before `=`: fields, and parameters of the format `table`.
fn fields() -> impl Iterator<Item = &'static str> {
    const OTHERS: [&str; 7] =
        ["delimiter", "header", "missing", "quoted-newlines", "colon", "dates", "time-zone"];
    field::FIELDS.iter().map(|field| field.name).chain(OTHERS)
}

/// Whether a spec is one of the format `columns`.
enum NumberedSpec {
    /// It is, and it has all that is needed.
    Complete,
    /// It is, and this is wrong with it.
    Invalid(String),
    /// A newer spec: it has column names or newer parameters.
    Other,
}

/// Returns whether a spec is one of the format `columns`.
fn numbered_spec(spec: &Spec) -> NumberedSpec {
    for (name, column) in &spec.params {
        if name != SHAPE && !NAMES.split(' ').any(|known| known == name) {
            return NumberedSpec::Other;
        }
        match Place::parse(column) {
            Place::Nowhere | Place::Number(_, Some(_)) => return NumberedSpec::Other,
            Place::Number(number, None) if number <= 1000 => {}
            Place::Name(name) if name.parse::<i64>().is_err() => return NumberedSpec::Other,
            _ => {
                return NumberedSpec::Invalid(format!("'{name}={column}': expected a column from 1 to 1000"));
            }
        }
    }
    match NEEDED.into_iter().find(|needed| !spec.params.contains_key(*needed)) {
        Some(name) => {
            NumberedSpec::Invalid(format!("field '{name}' is missing; submit, run and procs are needed"))
        }
        None => NumberedSpec::Complete,
    }
}

impl Columns {
    /// Returns the columns of a spec of the format `columns`, such as `columns:submit=3,run=5,procs=2`. The
    /// result is an error if one of the needed columns is missing or a field is unknown.
    pub(super) fn from_spec(spec: &Spec) -> Result<Self, SpecError> {
        let malformed = |problem| SpecError::Malformed { text: spec.to_string(), problem };
        if spec.params.is_empty() {
            let example = "columns are missing, such as columns:submit=3,run=5,procs=2";
            return Err(malformed(example.to_owned()));
        }
        let known = |name: &String| name == SHAPE || NAMES.split(' ').any(|known| known == name);
        if let Some(name) = spec.params.keys().find(|name| !known(name)) {
            let known = NAMES.replace(' ', ", ");
            return Err(malformed(format!("unknown field '{name}' (one of: {known}, {SHAPE})")));
        }
        match numbered_spec(spec) {
            NumberedSpec::Complete => Ok(Self(spec.clone())),
            NumberedSpec::Invalid(problem) => Err(malformed(problem)),
            NumberedSpec::Other => {
                Err(malformed("expected numbers of columns; the format table has names".to_owned()))
            }
        }
    }

    /// Returns the spec of these columns: format `columns` for numbers of SWF fields only, else `table`.
    pub fn spec(&self) -> Spec {
        self.0.clone()
    }

    /// Returns the spec of the format `table` with these columns and one more parameter.
    #[must_use]
    pub fn with(&self, key: &str, value: &str) -> Spec {
        Spec { name: TABLE.name.to_owned(), ..self.0.clone() }.with(key, value)
    }
}

const _: () = assert!(FIELDS == 18, "NAMES has a name for each field");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_columns_and_names_are_tables() {
        for (text, spec) in [
            ("procs=2,submit=1,run=4,user=3", "columns:procs=2,run=4,submit=1,user=3"),
            ("procs=2,submit=1,run=4,shape=3", "columns:procs=2,run=4,shape=3,submit=1"),
            ("procs=2,submit=1,start=3,end=4", "table:end=4,procs=2,start=3,submit=1"),
            ("procs=NNodes", "table:procs=NNodes"),
            ("procs=2,submit=1,run=4:minutes", "table:procs=2,run=4:minutes,submit=1"),
            ("procs=2,submit=1,run=4,wait=none", "table:procs=2,run=4,submit=1,wait=none"),
            ("procs=2,submit=1,run=4,missing=x+y", "table:missing=x+y,procs=2,run=4,submit=1"),
        ] {
            let columns: Columns = text.parse().expect(text);
            assert_eq!(columns.spec().to_string(), spec);
        }
        let columns: Columns = "procs=2,submit=1,run=4".parse().expect("columns");
        assert_eq!(Columns::from_spec(&columns.spec()).as_ref(), Ok(&columns));
        assert_eq!(
            columns.with("time-zone", "UTC").to_string(),
            "table:procs=2,run=4,submit=1,time-zone=UTC"
        );
    }

    #[test]
    fn wrong_columns_say_what_was_expected() {
        for (text, problem) in [
            ("submit", "'submit' is not FIELD=COLUMN"),
            ("submit=1,run=2", "field 'procs' is missing"),
            ("submit=1,run=2,procs=0", "expected a column from 1 to 1000"),
            ("submit=1,run=2,procs=3,run=4", "field 'run' is given twice"),
            ("submit=1,run=2,nodez=3", "unknown field 'nodez' (one of: job, submit,"),
            ("submit=,run=2", "'submit=': expected the number or the name of a column"),
            (
                "submit=A,time-zone=Nowhere",
                "parameter 'time-zone' of 'table' is 'Nowhere': expected a time zone",
            ),
            ("submit=A,delimiter=x", "expected one of: guess, tab, pipe"),
        ] {
            let found = text.parse::<Columns>().expect_err("malformed");
            assert!(found.contains(problem), "{text}: {found}");
        }
    }
}
