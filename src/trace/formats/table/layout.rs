//! Where a table has the fields of a job: as a spec tells it, and as the heading of the table tells it.

use super::field::{COUNT, FIELDS, Kind, find, plain};
use crate::spec::{Params, SpecError};
use crate::trace::formats::cells::{DELIMITERS, Delimiter};
use crate::trace::times::{Clock, Pair};

/// Where a column is, as a spec tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The number of the column, from 1.
    Number(usize),
    /// The name of the column in the heading.
    Name(String),
}

impl Place {
    /// Returns the place that a text names: digits are a number.
    pub(super) fn of(text: &str) -> Self {
        match text.parse() {
            Ok(number) if (1..=10_000).contains(&number) => Self::Number(number),
            _ => Self::Name(text.to_owned()),
        }
    }
}

/// What a spec tells of a table.
pub(super) struct Told {
    /// The place of each field; `None` if the spec does not tell it.
    pub(super) places: [Option<Place>; COUNT],
    /// What separates the cells; `None` if the first line tells it.
    pub(super) delimiter: Option<Delimiter>,
    /// Whether the first line is a heading; `None` if that line tells it.
    pub(super) has_heading: Option<bool>,
    /// Whether cells may be in double quotes.
    pub(super) has_quotes: bool,
    /// Words for values that are missing, beside the usual ones.
    pub(super) missing: Vec<String>,
    /// What two numbers with a colon are in durations; `None` if they are refused.
    pub(super) pair: Option<Pair>,
    /// The time zone.
    pub(super) clock: Clock,
}

impl Told {
    /// Takes the parameters of a spec of the format `table`.
    pub(super) fn take(params: &mut Params) -> Result<Self, SpecError> {
        let mut places = [const { None }; COUNT];
        for (place, field) in places.iter_mut().zip(&FIELDS) {
            *place = params.take_text(field.name).map(|text| Place::of(&text));
        }
        let mut delimiters = vec![("guess", None)];
        delimiters.extend(DELIMITERS.map(|(name, delimiter)| (name, Some(delimiter))));
        let pairs = [
            ("refuse", None),
            ("minutes-seconds", Some(Pair::MinutesSeconds)),
            ("hours-minutes", Some(Pair::HoursMinutes)),
        ];
        let missing = params.take_text("missing").unwrap_or_default();
        let words = missing.split('+').filter(|word| !word.is_empty());
        Ok(Self {
            places,
            delimiter: params.choose("delimiter", &delimiters)?,
            has_heading: params
                .choose("header", &[("guess", None), ("yes", Some(true)), ("no", Some(false))])?,
            has_quotes: true,
            missing: words.map(str::to_owned).collect(),
            pair: params.choose("colon", &pairs)?,
            clock: Clock::take(params)?,
        })
    }

    /// Returns whether numbers of columns alone tell all that is needed, so that no heading is.
    pub(super) fn needs_no_heading(&self) -> bool {
        let is_number = |place: &Option<Place>| !matches!(place, Some(Place::Name(_)));
        let columns = self.places.iter().map(|place| match place {
            Some(Place::Number(number)) => Some(*number),
            _ => None,
        });
        self.places.iter().all(is_number)
            && Layout { columns: columns.collect(), names: Vec::new() }.lacks().is_none()
    }
}

/// The columns of the fields, once the heading is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The column of each field of [`FIELDS`], from 1; `None` if no column has it.
    pub(super) columns: Vec<Option<usize>>,
    /// The names of all columns; empty if the table has no heading.
    pub(super) names: Vec<String>,
}

impl Layout {
    /// Returns the layout of a table without a heading.
    pub(super) fn of_numbers(told: &Told) -> Self {
        let number = |place: &Option<Place>| match place {
            Some(Place::Number(number)) => Some(*number),
            _ => None,
        };
        Self { columns: told.places.iter().map(number).collect(), names: Vec::new() }
    }

    /// Returns the layout of a table by its heading. What the spec tells goes first; the other fields are found by the
    /// usual names of columns, unless such a column already has a field. The result is a message if the heading does
    /// not have a column that the spec names.
    pub(super) fn of_heading(told: &Told, names: Vec<String>) -> Result<Self, String> {
        let mut columns = vec![None; COUNT];
        for (field, place) in told.places.iter().enumerate() {
            columns[field] = match place {
                Some(Place::Number(number)) => Some(*number),
                Some(Place::Name(name)) => Some(named(&names, name)?),
                None => None,
            };
        }
        let plain_names: Vec<String> = names.iter().map(|name| plain(name)).collect();
        for (field, row) in FIELDS.iter().enumerate() {
            if columns[field].is_some() {
                continue;
            }
            let is_free = |column: &usize| !columns.contains(&Some(*column));
            let column_of =
                |synonym: &str| plain_names.iter().position(|name| name == synonym).map(|at| at + 1);
            columns[field] = row.synonyms.split_whitespace().filter_map(column_of).find(is_free);
        }
        let layout = Self { columns, names };
        layout.check_names(told)?;
        Ok(layout)
    }

    /// Fails if a column that is known by its name has the name of another one.
    fn check_names(&self, told: &Told) -> Result<(), String> {
        for (field, column) in self.columns.iter().enumerate() {
            let Some(column) = column.filter(|_| !matches!(told.places[field], Some(Place::Number(_))))
            else {
                continue;
            };
            let same = |other: &usize| *other != column && self.names[*other - 1] == self.names[column - 1];
            if let Some(other) = (1..=self.names.len()).find(same) {
                let (name, field) = (&self.names[column - 1], FIELDS[field].name);
                return Err(format!(
                    "columns {column} and {other} are both called '{name}'; say which one holds {field} by its number: --columns \
                     {field}={column} or {field}={other}"
                ));
            }
        }
        Ok(())
    }

    /// Returns the column of a field that has this kind; `None` if no column has it.
    pub(super) fn column(&self, kind: Kind) -> Option<usize> {
        let field = FIELDS.iter().position(|field| field.kind == kind)?;
        self.columns[field]
    }

    /// Returns what is missing to make jobs of the lines, in words; `None` if nothing is.
    pub(super) fn lacks(&self) -> Option<&'static str> {
        let has = |name: &str| find(name).is_some_and(|field| self.columns[field].is_some());
        let has_start = has("start") || has("submit") && has("wait");
        if !has("submit") && !has("start") {
            Some("a submit time (submit)")
        } else if !has("procs") && !has("req-procs") {
            Some("the number of processors or nodes (procs)")
        } else {
            let has_run = has("run") || has("end") && has_start;
            (!has_run).then_some("a run time (run), or a start and an end (start, end)")
        }
    }

    /// Returns the message that something is missing, with the columns that there are and the argument that tells
    /// what they hold.
    pub(super) fn complaint(&self, lacks: &str, first: &[String]) -> String {
        let has_names = !self.names.is_empty();
        let shown = if has_names { &self.names } else { first };
        let columns: Vec<String> = shown
            .iter()
            .take(30)
            .enumerate()
            .map(|(i, name)| format!("{} '{}'", i + 1, name.chars().take(30).collect::<String>()))
            .collect();
        let more = if shown.len() > 30 { format!(" and {} more", shown.len() - 30) } else { String::new() };
        let suggested: Vec<String> =
            [("submit", "COLUMN"), ("start", "COLUMN"), ("end", "COLUMN"), ("procs", "COLUMN")]
                .into_iter()
                .map(|(name, unknown)| {
                    let column = find(name).and_then(|field| self.columns[field]);
                    let name_of = |column: usize| shown.get(column - 1).filter(|_| has_names).cloned();
                    let known = column.map(|column| name_of(column).unwrap_or_else(|| column.to_string()));
                    format!("{name}={}", known.unwrap_or_else(|| unknown.to_owned()))
                })
                .collect();
        format!(
            "no column is known to hold {lacks}; the columns are {}{more}; say what they hold by name or number: \
             --columns {} (run=COLUMN instead of start and end is as good)",
            columns.join(", "),
            suggested.join(",")
        )
    }

    /// Returns the columns that hold fields, such as `submit=Submit,procs=NNodes`.
    pub(super) fn told(&self) -> String {
        let held = FIELDS.iter().zip(&self.columns).filter_map(|(field, column)| {
            let name = self.names.get((*column)? - 1)?;
            Some(format!("{}={name}", field.name))
        });
        held.collect::<Vec<_>>().join(",")
    }
}

/// Returns the number of the column with this name, from 1. Upper and lower case and signs do not matter if no name is
/// the same. The result is a message if there is no such column.
fn named(names: &[String], name: &str) -> Result<usize, String> {
    let same = names.iter().position(|known| known == name);
    let alike = || names.iter().position(|known| plain(known) == plain(name));
    same.or_else(alike).map(|at| at + 1).ok_or_else(|| {
        let known: Vec<String> = names.iter().take(40).map(|known| format!("'{known}'")).collect();
        format!("no column is named '{name}'; the columns are {}", known.join(", "))
    })
}
