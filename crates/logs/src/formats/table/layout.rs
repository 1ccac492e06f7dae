//! Where a table has the fields of a job: by its spec, and by its heading.

use super::field::{COUNT, FIELDS, Kind, find, plain, unit_of};
use crate::formats::cells::{DELIMITERS, Delimiter};
use crate::formats::clusters::Clusters;
use crate::record::FIELDS as FIELDS_OF_SWF;
use crate::times::{Clock, MINUTES, Pair, SECONDS, TimeUnit};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_base::words::counted;

/// The word in a spec for a field that no column holds, whatever the heading.
const NONE: &str = "none";

/// Where a column is, by its spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// No column holds the field.
    Nowhere,
    /// The number of the column, from 1, and the unit of its times if it is given.
    Number(usize, Option<&'static TimeUnit>),
    /// The name of the column in the heading. It may end in a unit, as in `Runtime:minutes`.
    Name(String),
}

impl Place {
    /// Returns the place that a text names: digits are a number, also with a unit, as in `5:minutes`.
    pub(super) fn parse(text: &str) -> Self {
        let number = |text: &str| text.parse().ok().filter(|number| (1..=10_000).contains(number));
        match with_unit(text) {
            _ if text == NONE => Self::Nowhere,
            Some((column, unit)) if number(column).is_some() => {
                Self::Number(number(column).unwrap_or_default(), Some(unit))
            }
            _ => {
                number(text).map_or_else(|| Self::Name(text.to_owned()), |number| Self::Number(number, None))
            }
        }
    }
}

/// Splits `Runtime:minutes` into column and unit; `None` without a unit.
fn with_unit(text: &str) -> Option<(&str, &'static TimeUnit)> {
    let (column, unit) = text.rsplit_once(':')?;
    Some((column, TimeUnit::find(unit)?)).filter(|_| !column.is_empty())
}

/// The options of a table, from its spec.
pub(super) struct TableOptions {
    /// Place of each field; `None` if not given.
    pub(super) places: [Option<Place>; COUNT],
    /// Delimiter; `None` if the first line decides.
    pub(super) delimiter: Option<Delimiter>,
    /// True for a heading; `None` if the first line decides.
    pub(super) has_heading: Option<bool>,
    /// Whether cells may be in double quotes.
    pub(super) has_quotes: bool,
    /// Whether quoted text may go over several lines.
    pub(super) has_quoted_newlines: bool,
    /// Whether the text was made of a binary table, so that its quotes are right.
    pub(super) is_trusted: bool,
    /// The choice of clusters.
    pub(super) cluster: Clusters,
    /// Additional words for missing values.
    pub(super) missing: Vec<String>,
    /// What two numbers with a colon are in durations; `None` if they are refused.
    pub(super) pair: Option<Pair>,
    /// The time zone.
    pub(super) clock: Clock,
}

impl TableOptions {
    /// Takes the parameters of a spec of the format `table`.
    pub(super) fn take(params: &mut Params) -> Result<Self, SpecError> {
        let mut places = [const { None }; COUNT];
        for (place, field) in places.iter_mut().zip(&FIELDS) {
            *place = params.take_text(field.name).map(|text| Place::parse(&text));
            if let Some(Place::Number(column, Some(_))) = place
                && !field.kind.is_time()
            {
                let found = format!("{column} with a unit");
                return Err(params.bad_value(
                    field.name,
                    &found,
                    "a column without a unit, as it holds no times",
                ));
            }
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
            has_quoted_newlines: params.choose("quoted-newlines", &[("no", false), ("yes", true)])?,
            is_trusted: false,
            cluster: Clusters::take(params),
            missing: words.map(str::to_owned).collect(),
            pair: params.choose("colon", &pairs)?,
            clock: Clock::take(params)?,
        })
    }

    /// Returns whether numbers of columns alone give all that is needed, so that no heading is.
    pub(super) fn needs_no_heading(&self) -> bool {
        let is_number = |place: &Option<Place>| !matches!(place, Some(Place::Name(_)));
        self.places.iter().all(is_number) && Layout::of_numbers(self).lacks().is_none()
    }
}

/// Columns of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// The column of each field of [`FIELDS`], from 1; `None` if no column has it.
    pub(super) columns: [Option<usize>; COUNT],
    /// The unit of the times of each field.
    pub(super) units: [Option<&'static TimeUnit>; COUNT],
    /// The names of all columns; empty if the table has no heading.
    pub(super) names: Vec<String>,
    /// True for `submit=none`: no column holds submit times.
    has_no_submits: bool,
    /// The table is the `job_table` of slurmdbd, whose states and limits are numbers of Slurm.
    pub(super) is_slurm_table: bool,
    /// The table is one of `HTCondor`, whose states are its numbers.
    pub(super) is_condor_table: bool,
    /// The column whose unit is that of all times without one of their own; `None` if these are seconds.
    shared_unit: Option<usize>,
    /// The fields of times without a unit of their own.
    is_plain: [bool; COUNT],
}

impl Layout {
    /// Returns the layout of a table without a heading.
    pub(super) fn of_numbers(options: &TableOptions) -> Self {
        let submit = find("submit").and_then(|field| options.places[field].as_ref());
        let mut layout = Self { has_no_submits: submit == Some(&Place::Nowhere), ..Self::default() };
        for (field, place) in options.places.iter().enumerate() {
            if let Some(Place::Number(number, unit)) = place {
                (layout.columns[field], layout.units[field]) = (Some(*number), *unit);
            }
        }
        layout
    }

    /// Returns the layout for a heading. Places in the spec take precedence; the other fields are found by
    /// the usual names of columns, among those still free. Fails with a message if the heading lacks a column
    /// of the spec.
    pub(super) fn of_heading(options: &TableOptions, names: Vec<String>) -> Result<Self, String> {
        let Self { mut columns, mut units, has_no_submits, .. } = Self::of_numbers(options);
        for (field, place) in options.places.iter().enumerate() {
            if let Some(Place::Name(name)) = place {
                let (column, unit) = named(&names, name, FIELDS[field].kind)?;
                (columns[field], units[field]) = (Some(column), unit);
            }
        }
        let plain_names: Vec<String> = names.iter().map(|name| plain(name)).collect();
        let bases: Vec<Option<String>> =
            names.iter().map(|name| TimeUnit::of_column(name).map(|(base, _)| base)).collect();
        let is_slurm_table =
            ["idjob", "timesubmit"].iter().all(|known| plain_names.iter().any(|name| name == known));
        for (field, row) in FIELDS.iter().enumerate() {
            if options.places[field].is_some() {
                continue;
            }
            let procs = columns[PROCS].and_then(|column: usize| plain_names.get(column - 1));
            let is_free = |column: &usize| {
                let is_other_unit = field == REQ_PROCS
                    && procs.is_some_and(|procs| counts_others(procs, &plain_names[*column - 1]));
                !columns.contains(&Some(*column)) && !is_other_unit
            };
            let column_of = |synonym: &str| {
                let by_name = plain_names.iter().position(|name| name == synonym);
                let by_base = || bases.iter().position(|base| base.as_deref() == Some(synonym));
                by_name.or_else(|| if row.kind.is_time() { by_base() } else { None }).map(|at| at + 1)
            };
            columns[field] = row.synonyms.split_whitespace().filter_map(column_of).find(is_free);
        }
        for (field, row) in FIELDS.iter().enumerate() {
            let name = columns[field].and_then(|column| names.get(column - 1)).filter(|_| row.kind.is_time());
            units[field] = units[field].or_else(|| unit_of(name?));
        }
        for field in (0..COUNT).filter(|field| is_slurm_table && FIELDS[*field].kind.is_time()) {
            let name = columns[field].and_then(|column| plain_names.get(column - 1));
            if name.is_some_and(|name| name == "timelimit") {
                units[field] = units[field].or(Some(MINUTES));
            }
        }
        let has = |known: &str| plain_names.iter().any(|name| name == known);
        let is_condor_table = has("qdate") || has("jobstatus") && has("clusterid");
        let mut layout = Self {
            columns,
            units,
            names,
            has_no_submits,
            is_slurm_table,
            is_condor_table,
            ..Self::default()
        };
        layout.share_unit();
        layout.check_names(options)?;
        Ok(layout)
    }

    /// Gives times without a unit the one of an instant that counts less than seconds, such as milliseconds:
    /// programs write all times of a table in one unit. Dates and durations such as `01:00:00` have none.
    pub(super) fn share_unit(&mut self) {
        let is_time = |field: usize| self.columns[field].is_some() && FIELDS[field].kind.is_time();
        let is_short = |field: &usize| {
            is_time(*field)
                && FIELDS[*field].kind.is_instant()
                && self.units[*field].is_some_and(|unit| unit.micros < SECONDS.micros)
        };
        self.is_plain = std::array::from_fn(|field| is_time(field) && self.units[field].is_none());
        let Some(short) = (0..COUNT).find(is_short) else { return };
        self.shared_unit = self.columns[short];
        for field in (0..COUNT).filter(|field| self.is_plain[*field]) {
            self.units[field] = self.units[short];
        }
    }

    /// Returns notes on units of durations that no one has given, where other times have another unit.
    /// `has_numbers` is true for each field of the record that plain numbers were read of.
    pub(super) fn unit_notes(&self, has_numbers: [bool; FIELDS_OF_SWF]) -> Vec<String> {
        let name = |field: usize| self.columns[field].and_then(|column| self.names.get(column - 1));
        let durations = FIELDS.iter().enumerate().filter_map(|(field, row)| match row.kind {
            Kind::Duration(index) => Some((field, has_numbers[index])),
            _ => None,
        });
        let (mut plain, mut given) = (Vec::new(), None);
        for (field, has_numbers) in durations.filter(|(field, _)| self.columns[*field].is_some()) {
            if self.is_plain[field] && has_numbers {
                plain.push(field);
            } else if !self.is_plain[field] {
                given = given.or_else(|| Some((name(field)?, self.unit(field).name)));
            }
        }
        let shared = self.shared_unit.and_then(|column| self.names.get(column - 1));
        let notes = plain.into_iter().filter_map(|field| {
            let (column, unit, key) = (name(field)?, self.unit(field).name, FIELDS[field].name);
            let other = match (shared, given) {
                (Some(shared), _) => format!("as those in '{shared}' are"),
                (None, Some((other, of_other))) if of_other != unit => {
                    format!("and those in '{other}' in {of_other}")
                }
                _ => return None,
            };
            Some(format!(
                "numbers in column '{column}', which names no unit, are read in {unit}, {other}; --columns \
                     {key}={column}:UNIT says otherwise"
            ))
        });
        notes.collect()
    }

    /// Returns notes on the columns of a binary table whose types are not read, as the names of its columns
    /// say.
    pub(super) fn unread_notes(&self) -> Vec<String> {
        const NAMED: usize = 5;
        let note = |name: &String| {
            let (column, dtype) = name.strip_suffix(')')?.rsplit_once(" (type not read: ")?;
            Some(format!("column '{column}' is not read: its type is {dtype}"))
        };
        let mut notes: Vec<String> = self.names.iter().filter_map(note).collect();
        let more = notes.len().saturating_sub(NAMED);
        notes.truncate(NAMED);
        if more > 0 {
            notes.push(format!("{} of such types in addition", counted(more, "column")));
        }
        notes
    }

    /// Fails if a column found by name shares its name with another one.
    fn check_names(&self, options: &TableOptions) -> Result<(), String> {
        for (field, column) in self.columns.iter().enumerate() {
            let Some(column) = column.filter(|_| !matches!(options.places[field], Some(Place::Number(..))))
            else {
                continue;
            };
            let same = |other: &usize| *other != column && self.names[*other - 1] == self.names[column - 1];
            if let Some(other) = (1..=self.names.len()).find(same) {
                let (name, field) = (&self.names[column - 1], FIELDS[field].name);
                return Err(format!(
                    "columns {column} and {other} are both called '{name}'; say which one holds {field} by \
                     its number: --columns {field}={column} or {field}={other}"
                ));
            }
        }
        Ok(())
    }

    /// Returns the problem that the column of a field has another name than a second one in signs or case
    /// only, as a damaged key of a record does.
    pub(super) fn alike_names(&self) -> Option<String> {
        FIELDS.iter().enumerate().find_map(|(field, row)| {
            let name = self.names.get(self.columns[field]? - 1)?;
            let other = self.names.iter().find(|other| *other != name && plain(other) == plain(name))?;
            let key = row.name;
            Some(format!(
                "columns '{name}' and '{other}' are alike; say which one holds {key}: --columns {key}={other}"
            ))
        })
    }

    /// Returns the column of a field that has this kind; `None` if no column has it.
    pub(super) fn column(&self, kind: Kind) -> Option<usize> {
        let field = FIELDS.iter().position(|field| field.kind == kind)?;
        self.columns[field]
    }

    /// Describes the missing column; `None` if the table is complete.
    pub(super) fn lacks(&self) -> Option<&'static str> {
        let has = |name: &str| find(name).is_some_and(|field| self.columns[field].is_some());
        let has_start = has("start") || has("submit") && has("wait") || has("end") && has("run");
        let has_submit = has("submit") || has_start && (has("wait") || self.has_no_submits);
        if !has_submit {
            Some("a submit time (submit)")
        } else if !has("procs") && !has("req-procs") {
            Some("the number of processors or nodes (procs)")
        } else {
            let has_run = has("run") || has("end") && has_start;
            (!has_run).then_some("a run time (run), or a start and an end (start, end)")
        }
    }

    /// Returns the message for missing columns, with the known columns and the argument that assigns them.
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
        let suggested = ["submit", "start", "end", "procs"].map(|name| {
            let column = find(name).and_then(|field| self.columns[field]);
            let name_of = |column: usize| shown.get(column - 1).filter(|_| has_names).cloned();
            let known = column.map(|column| name_of(column).unwrap_or_else(|| column.to_string()));
            format!("{name}={}", known.unwrap_or_else(|| "COLUMN".to_owned()))
        });
        format!(
            "no column is known to hold {lacks}; the columns are {}{more}; say what they hold by name or \
             number: --columns {} (run=COLUMN instead of start and end is as good; submit=none takes starts \
             for submissions)",
            columns.join(", "),
            suggested.join(",")
        )
    }

    /// Returns the unit of the times of a field: seconds if nothing else is given.
    pub(super) fn unit(&self, field: usize) -> &'static TimeUnit {
        self.units[field].unwrap_or(SECONDS)
    }

    /// Returns the columns that hold fields, such as `submit=Submit,run=Runtime:minutes,procs=NNodes`.
    pub(super) fn assignments(&self) -> String {
        let held = FIELDS.iter().enumerate().filter_map(|(at, field)| {
            let name = self.names.get(self.columns[at]? - 1)?;
            let unit = self.units[at].map(|unit| format!(":{}", unit.name)).unwrap_or_default();
            Some(format!("{}={name}{unit}", field.name))
        });
        held.collect::<Vec<_>>().join(",")
    }
}

/// The places of the fields of processors in [`FIELDS`].
const PROCS: usize = 4;
const REQ_PROCS: usize = 7;

/// Returns whether one of two columns counts nodes and the other one CPUs, by their plain names.
fn counts_others(one: &str, other: &str) -> bool {
    let counts_nodes = |name: &str| name.contains("node");
    let counts_cpus = |name: &str| name.contains("cpu") || name.contains("core");
    counts_nodes(one) && counts_cpus(other) || counts_cpus(one) && counts_nodes(other)
}

/// Finds a column by name: its number from 1, and for a time the unit after the name. An exact match wins
/// over one that ignores case and signs. Fails with a message.
fn named(names: &[String], name: &str, kind: Kind) -> Result<(usize, Option<&'static TimeUnit>), String> {
    let same = |name: &str| names.iter().position(|known| known == name);
    let alike = |name: &str| names.iter().position(|known| plain(known) == plain(name));
    let with_unit = with_unit(name).filter(|_| kind.is_time());
    let by_unit = || {
        let (column, unit) = with_unit?;
        Some((same(column).or_else(|| alike(column))?, Some(unit)))
    };
    let by_name = same(name).map(|at| (at, None));
    let found = by_name.or_else(by_unit).or_else(|| alike(name).map(|at| (at, None)));
    found.map(|(at, unit)| (at + 1, unit)).ok_or_else(|| {
        let known: Vec<String> = names.iter().take(40).map(|known| format!("'{known}'")).collect();
        let name = with_unit.map_or(name, |(column, _)| column);
        format!("no column is named '{name}'; the columns are {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::spec::Spec;

    fn layout(spec: &str, heading: &str) -> Result<Layout, String> {
        let spec: Spec = spec.parse().map_err(|error: SpecError| error.to_string())?;
        let options = TableOptions::take(&mut Params::new(&spec)).map_err(|error| error.to_string())?;
        Layout::of_heading(&options, heading.split(',').map(str::to_owned).collect())
    }

    #[test]
    fn units_stand_behind_columns_and_in_their_names() -> Result<(), String> {
        for (spec, heading, expected) in [
            (
                "table:run=Runtime:minutes",
                "Submit,Runtime,Nodes",
                "submit=Submit,run=Runtime:minutes,procs=Nodes",
            ),
            ("table", "submit,Runtime (h),nodes", "submit=submit,run=Runtime (h):hours,procs=nodes"),
            (
                "table:run=Runtime (h):ms",
                "submit,Runtime (h),nodes",
                "submit=submit,run=Runtime (h):milliseconds,procs=nodes",
            ),
            ("table:run=a:min", "submit,a:min,nodes", "submit=submit,run=a:min:minutes,procs=nodes"),
            ("table:run=b", "submit,run_h,b,nodes", "submit=submit,run=b,procs=nodes"),
            ("table:wait=none", "submit,wait,run,nodes", "submit=submit,run=run,procs=nodes"),
            (
                "table",
                "submit_ms,queue_wait_ms,duration_ms,num_nodes",
                "submit=submit_ms:milliseconds,wait=queue_wait_ms:milliseconds,run=duration_ms:milliseconds,procs=num_nodes",
            ),
            (
                "table",
                "id_job,time_submit,time_start,time_end,timelimit,nodes_alloc,cpus_req",
                "job=id_job,submit=time_submit,procs=nodes_alloc,req-time=timelimit:minutes,start=time_start,end=time_end",
            ),
        ] {
            let found = layout(spec, heading)?;
            assert_eq!(found.assignments(), expected, "{heading}");
            assert_eq!(found.lacks(), None, "{heading}");
        }
        Ok(())
    }

    #[test]
    fn what_a_job_needs_is_named() -> Result<(), String> {
        for (spec, heading, lacks) in [
            ("table", "start,end,nodes", Some("a submit time")),
            ("table:submit=none", "start,end,nodes", None),
            ("table", "start,end,wait,nodes", None),
            ("table", "submit,run", Some("the number of processors")),
            ("table", "submit,end,nodes", Some("a run time")),
        ] {
            let found = layout(spec, heading)?.lacks().unwrap_or_default();
            assert!(found.starts_with(lacks.unwrap_or_default()), "{heading}: {found}");
            assert_eq!(found.is_empty(), lacks.is_none(), "{heading}: {found}");
        }
        assert!(layout("table:procs=4:minutes", "submit,run,x,y").is_err());
        Ok(())
    }
}
