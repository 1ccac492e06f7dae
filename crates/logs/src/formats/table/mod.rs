//! Tables of any program: one job on each line, in columns, with a heading or without.
//!
//! The first line decides the delimiter, the presence of a heading and the meaning of the columns, unless
//! parameters do. Each line becomes a record:
//!
//! * Times that are dates, or seconds of at least 5·10⁸ (the year 1985), are instants and count from 1970.
//!   Smaller numbers are seconds from the start of the log.
//! * The wait time is the time from submission to start, and the run time that from start to end. Columns of
//!   wait and run times stand for instants that are missing; where a row has both and they disagree, the
//!   instants count.
//! * Times with fractions are added exactly. Then submission, start and end are rounded to seconds, half a
//!   second up.
//! * An instant of 0 is unknown, and so is 1 January 1970 in a table with later dates.
//! * A job that started before it was submitted counts as submitted at its start.
//! * Names of users, groups, applications, queues and partitions are numbered in the order of their first
//!   appearance.
//! * A heading may stand again, also with its columns in another order, as in files that were put together.
//! * Records of JSON are rows, too; see [`json`].
//! * A job number is the number at the start of its text. Jobs without one are numbered from 1 by their
//!   lines.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "columns are positions in a line plus 1, and lines are counted one by one"
)]

mod counts;
mod field;
mod json;
mod layout;
mod row;
mod spec;
mod times;

pub(super) use json::is_json;
pub use spec::Columns;

use std::hash::BuildHasher;
use std::ops::RangeInclusive;

use self::counts::{Counts, NamedColumn, NotedColumns};
use self::field::{COUNT, FIELDS, Kind, plain};
use self::json::JsonRows;
use self::layout::{Layout, Place, TableOptions};
use super::cells::{Cells, Delimiter, QuoteFault, candidates, has_pairs_only};
use super::clusters::Clusters;
use super::format::{Format, LineParser, Parsed, Preview};
use crate::error::{Problem, TraceError};
use crate::facts::{Facts, STEPS};
use crate::names::Names;
use crate::record::{FIELD_NAMES, FIELDS as FIELDS_OF_SWF};
use crate::times::DateOrder;
use meshreplay_base::spec::{Params, Spec};

/// The row of the format of tables with or without a heading.
pub(super) const TABLE: Format = Format {
    name: "table",
    summary: "one job on each line, in columns separated by commas, tabs, pipes, semicolons or blanks, with \
         a heading or without; or JSON records, in a list or one on each line",
    source: "tables of any program, such as CSV; a parameter says by name or number which column holds what, \
         if the heading does not",
    parameters: "submit=COLUMN[:UNIT] start=COLUMN end=COLUMN wait=COLUMN run=COLUMN procs=COLUMN job cpu \
         memory req-procs req-time req-memory status user group app queue partition nodes preceding think \
         shape cluster delimiter=guess|tab|pipe|semicolon|comma|blanks header=guess|yes|no missing=WORD+WORD \
         quoted-newlines=no|yes of-cluster=NAME|each colon=refuse|minutes-seconds|hours-minutes \
         dates=guess|month-first|day-first time-zone=ZONE",
    lacks: "machine, and every field that no column holds",
    recognises: Some(is_heading),
    parser: |spec| {
        let mut params = Params::new(spec);
        let options = TableOptions::take(&mut params)?;
        params.finish()?;
        Ok(Box::new(Table::new(options)))
    },
    ..Format::UNNAMED
};

/// Format of columns given by number, with the fields of the Standard Workload Format. A table by older
/// rules: no quoted cells, and blanks as the preferred delimiter if they give enough columns.
pub(super) const COLUMNS: Format = Format {
    name: "columns",
    summary: "one job on each line, in columns separated by blanks and described by parameters",
    source: "logs of any program; fields as in swf",
    parameters: "submit=COLUMN run=COLUMN procs=COLUMN job wait cpu memory req-procs req-time req-memory \
         status user group app queue partition preceding think shape",
    lacks: "machine, and every field that no column holds",
    parser: |spec| {
        Columns::from_spec(spec)?;
        let options =
            TableOptions::take(&mut Params::new(&Spec { name: TABLE.name.to_owned(), ..spec.clone() }))?;
        Ok(Box::new(Table::new(TableOptions { has_quotes: false, pair: None, ..options })))
    },
    ..Format::UNNAMED
};

/// The parser of one log.
struct Table {
    options: TableOptions,
    /// True after the first line, which decides the delimiter and the layout.
    has_begun: bool,
    /// What separates the cells.
    delimiter: Delimiter,
    layout: Layout,
    cells: Cells,
    /// The heading, which may stand again.
    first_line: Vec<u8>,
    /// The number of cells of the heading; `None` without one.
    heading_cells: Option<usize>,
    /// Line with an unclosed quote; empty if there is none.
    partial: Vec<u8>,
    /// Rows with quoted text over several lines, and headings that stand again.
    rows_over_lines: u64,
    headings_again: u64,
    /// The records of a JSON text; `None` for lines.
    json: Option<JsonRows>,
    clusters: Clusters,
    names: Names,
    jobs: i64,
    /// Whether times count from 1970; `None` before the first time.
    has_unix_times: Option<bool>,
    /// The text in the column of job numbers of the last job, and the number of lines of steps of jobs.
    last_job: Vec<u8>,
    steps: u64,
    /// The least and the greatest time in seconds; `None` before the first time.
    span_s: Option<(i64, i64)>,
    counts: Counts,
    /// The order of day and month in the columns of instants, where a look at the whole table has found it.
    orders: [Option<DateOrder>; COUNT],
    /// What was found.
    order_notes: Vec<String>,
}

/// The days from 2000 to 2099 as spreadsheets count them.
const DAYS_OF_SHEETS: RangeInclusive<i64> = 36_526..=73_050;

impl Table {
    /// Makes the parser of one log.
    fn new(options: TableOptions) -> Self {
        Self {
            has_begun: false,
            delimiter: options.delimiter.unwrap_or(Delimiter::Blanks),
            layout: Layout::default(),
            clusters: options.cluster.clone(),
            options,
            cells: Cells::default(),
            first_line: Vec::new(),
            heading_cells: None,
            partial: Vec::new(),
            rows_over_lines: 0,
            headings_again: 0,
            json: None,
            names: Names::default(),
            jobs: 0,
            has_unix_times: None,
            last_job: Vec::new(),
            steps: 0,
            span_s: None,
            counts: Counts::default(),
            orders: [None; COUNT],
            order_notes: Vec::new(),
        }
    }

    /// Finds out by the first line what separates the cells and where the fields are. Returns whether the
    /// line is a heading.
    fn start(&mut self, line: &[u8]) -> Result<bool, Problem> {
        let mut delimiters = self.options.delimiter.map_or_else(|| candidates(line), |options| vec![options]);
        let needs_no_heading = self.options.needs_no_heading();
        let expects_heading = self.options.has_heading.unwrap_or(!needs_no_heading);
        if !expects_heading || needs_no_heading {
            return self.start_by_numbers(line, &delimiters);
        }
        // Blanks in a heading that something else separates belong to the names.
        delimiters.truncate(delimiters.len().saturating_sub(1).max(1));
        let line = line.trim_ascii_start();
        let heading = line.strip_prefix(b"#").unwrap_or(line);
        let mut complaint = None;
        for delimiter in delimiters {
            if let Err(fault) = self.cells.split(heading, delimiter, self.options.has_quotes) {
                let problem = fault.problem(&self.cells, heading, "");
                complaint = complaint.or_else(|| Some(problem.to_string()));
                continue;
            }
            let first = self.cells.texts();
            let found = Layout::of_heading(&self.options, first.clone());
            let found = found.and_then(|layout| match layout.lacks() {
                Some(lacks) => Err(layout.complaint(lacks, &first)),
                None => Ok(layout),
            });
            match found {
                Ok(layout) => {
                    (self.has_begun, self.delimiter, self.layout) = (true, delimiter, layout);
                    return Ok(true);
                }
                // The first delimiter is the likeliest, so its message helps most.
                Err(problem) => complaint = complaint.or(Some(problem)),
            }
        }
        Err(Problem::Heading(self.advised(heading, complaint.unwrap_or_default())))
    }

    /// Prefixes a complaint about the first line with a guess at its true nature, if there is one.
    fn advised(&mut self, line: &[u8], complaint: String) -> String {
        // A line with a stray quote has the cells before it.
        let _ = self.cells.split(line, candidates(line)[0], self.options.has_quotes);
        let cells = self.cells.texts();
        let clock = &mut self.options.clock;
        let is_instant =
            |cell: &String| cell.contains(':') && matches!(clock.instant(cell.as_bytes()), Ok(Some(_)));
        match advice(line, &cells, is_instant) {
            Some(advice) => format!("{advice}; {complaint}"),
            None => complaint,
        }
    }

    /// [`Self::start`] for columns given by number.
    fn start_by_numbers(&mut self, line: &[u8], delimiters: &[Delimiter]) -> Result<bool, Problem> {
        let layout = Layout::of_numbers(&self.options);
        let last = layout.columns.iter().flatten().copied().max().unwrap_or_default();
        let mut has_enough = |delimiter: &Delimiter| {
            let _ = self.cells.split(line, *delimiter, self.options.has_quotes);
            self.cells.count() >= last
        };
        // By the older rules blanks go first.
        let is_older = !self.options.has_quotes && self.options.delimiter.is_none();
        let blanks = [Delimiter::Blanks];
        let order = if is_older { blanks.iter().chain(delimiters) } else { delimiters.iter().chain(&[]) };
        let fallback = if is_older { Delimiter::Blanks } else { delimiters[0] };
        let delimiter = order.copied().find(|delimiter| has_enough(delimiter)).unwrap_or(fallback);
        let _ = self.cells.split(line, delimiter, self.options.has_quotes);
        if let Some(lacks) = layout.lacks() {
            return Err(Problem::Heading(layout.complaint(lacks, &self.cells.texts())));
        }
        // A heading has a word where the lines have a time.
        let time = layout.column(Kind::Submit).or_else(|| layout.column(Kind::Start));
        let cell = time.and_then(|column| self.cells.get(column)).unwrap_or_default();
        let is_word = cell.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'#');
        let is_heading = is_word && self.options.clock.instant(cell).is_err();
        (self.has_begun, self.delimiter, self.layout) = (true, delimiter, layout);
        Ok(self.options.has_heading.unwrap_or(is_heading))
    }

    /// Returns the problem that the cell in column `column` with field `field` is not what was expected.
    fn malformed(&self, field: usize, column: usize, expected: &'static str) -> Problem {
        let found = self.cells.get(column).unwrap_or_default();
        if let Some(name) = self.layout.names.get(column - 1) {
            return Problem::column(column, name, found, expected);
        }
        let name = FIELD_NAMES.get(field).filter(|_| field < FIELDS_OF_SWF - 1);
        Problem::not_a_number(column, name.unwrap_or(&FIELDS[field].name), found, expected)
    }
}

impl LineParser for Table {
    fn has_semicolons(&self) -> bool {
        self.delimiter == Delimiter::Byte(b';') || self.json.is_some() || self.is_inside()
    }

    fn look(&mut self, first: &[u8]) {
        self.json = JsonRows::begin(first);
    }

    fn separator(&self) -> u8 {
        if self.json.is_some() { b'}' } else { b'\n' }
    }

    fn trust_quotes(&mut self) {
        self.options.has_quoted_newlines = true;
        self.options.is_trusted = true;
    }

    fn is_inside(&self) -> bool {
        !self.partial.is_empty()
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        if self.json.is_some() {
            return self.json_piece(line);
        }
        let is_note = line.trim_ascii_start().starts_with(b"#");
        if !self.has_begun {
            match self.start(line) {
                Ok(true) => {
                    self.first_line = line.to_vec();
                    self.heading_cells = Some(self.cells.count()).filter(|_| self.options.has_quotes);
                    return Ok(Parsed::Part);
                }
                Ok(false) => {}
                Err(_) if is_note => return Ok(Parsed::NoJob),
                Err(problem) => return Err(problem),
            }
        }
        if is_note && self.partial.is_empty() {
            return Ok(Parsed::NoJob);
        }
        if !self.split(line)? {
            return Ok(Parsed::Part);
        }
        let parsed = self.any_row();
        if parsed.is_err() && self.is_heading_again(line) {
            self.headings_again += 1;
            return Ok(Parsed::Part);
        }
        parsed
    }

    fn finish(&mut self) -> Result<Option<crate::Record>, Problem> {
        if let Some(json) = &mut self.json {
            json.finish()?;
        }
        if !self.partial.is_empty() {
            let text = std::mem::take(&mut self.partial);
            let Err(fault) = self.cells.split(&text, self.delimiter, true) else { return Ok(None) };
            return Err(fault.problem(&self.cells, &text, " or a later one"));
        }
        self.clusters.finish("; --columns cluster=none if the column names something else")?;
        Ok(None)
    }

    fn preview(&mut self, lines: Preview<'_>) -> Result<(), TraceError> {
        match &mut self.json {
            Some(json) => json.find_keys(lines),
            None => self.find_orders(lines),
        }
    }

    fn identity(&self) -> Option<u64> {
        let cell = self.cells.get(self.layout.column(Kind::Job)?)?;
        Some(foldhash::fast::FixedState::with_seed(self.clusters.identity()).hash_one(cell))
    }

    fn names(&mut self) -> Option<&mut Names> {
        Some(&mut self.names)
    }

    fn facts(&mut self) -> Facts {
        let assignments = Some(self.layout.assignments()).filter(|assignments| !assignments.is_empty());
        let mut facts = Facts {
            names: std::mem::take(&mut self.names),
            has_unix_times: self.has_unix_times == Some(true),
            ..Facts::default()
        };
        facts.add_clock(&self.options.clock);
        let read = assignments.map(|read| format!("columns are read as {read}; --columns says otherwise"));
        facts.notes.extend(self.days_of_sheets());
        let has_submits = self.layout.column(Kind::Submit).is_some();
        // A column called `status` is that of SWF; a state is a word elsewhere.
        let state =
            self.named("status").map(|column| column.name).filter(|name| plain(name).ends_with("state"));
        let queue = self.named("queue").map(|column| column.name);
        let columns = NotedColumns { limit: self.named("req-time"), state, queue };
        facts.has_doubtful_limits = self.counts.has_doubtful_limits(columns);
        let notes = self.counts.notes(has_submits, columns);
        facts.notes.extend(read.into_iter().chain(self.order_notes.iter().cloned()).chain(notes));
        facts.counts.extend(self.counts.rows(has_submits));
        facts.notes.extend(self.layout.unit_notes(self.counts.plain_numbers));
        if self.options.is_trusted {
            facts.notes.extend(self.layout.unread_notes());
        }
        facts.notes.extend(self.clusters.note());
        let more = [
            (STEPS, self.steps),
            ("headings that stand again", self.headings_again),
            ("jobs with quoted text over several lines", self.rows_over_lines),
        ];
        facts.counts.extend(more.into_iter().filter(|&(_, count)| count > 0));
        facts
    }
}

impl Table {
    /// Returns the record of the cells, unless they are a step or a job of another cluster.
    fn any_row(&mut self) -> Result<Parsed, Problem> {
        if self.is_step() {
            self.steps += 1;
            return Ok(Parsed::Part);
        }
        let cluster = self.layout.column(Kind::Cluster).and_then(|column| self.cells.get(column));
        if cluster.is_some_and(|cluster| !self.clusters.admits(cluster)) {
            return Ok(Parsed::Part);
        }
        self.row()
    }

    /// Returns the name of the column of a field, and the unit of its times; `None` if no named column has
    /// the field.
    fn named(&self, field: &str) -> Option<NamedColumn<'_>> {
        let (field, layout) = (field::find(field)?, &self.layout);
        Some(NamedColumn { name: layout.names.get(layout.columns[field]? - 1)?, unit: layout.unit(field) })
    }

    /// Returns true for the line of a job step, such as `12.batch` or `12.0`, in `sacct` output that lacks
    /// the columns for its own format. Job numbers of other programs may have points too; so `12.0` is a step
    /// only after a line of job 12.
    fn is_step(&mut self) -> bool {
        let Some(column) = self.layout.column(Kind::Job) else { return false };
        let is_of_slurm = self
            .layout
            .names
            .get(column - 1)
            .is_some_and(|name| ["jobid", "jobidraw"].contains(&&*plain(name)));
        let Some(cell) = self.cells.get(column).filter(|_| is_of_slurm) else { return false };
        if let Some((job, step)) = cell.iter().position(|&byte| byte == b'.').map(|at| cell.split_at(at)) {
            let step = &step[1..];
            let is_number = !step.is_empty() && step.iter().all(u8::is_ascii_digit);
            let is_named = [&b"batch"[..], b"extern", b"interactive"].contains(&step);
            // A step of a part of a heterogeneous job is `4.0+0`.
            let is_part =
                step.iter().all(|byte| byte.is_ascii_digit() || *byte == b'+') && step.contains(&b'+');
            return is_named || (is_number || is_part) && job == self.last_job;
        }
        self.last_job.clear();
        self.last_job.extend_from_slice(cell);
        false
    }

    /// Returns a note if the times look like a spreadsheet's days with fractions. Seconds may look the same,
    /// so this is no error.
    fn days_of_sheets(&self) -> Option<String> {
        let (first_s, last_s) = self.span_s.filter(|_| self.options.clock.counts.rounded > 0)?;
        let may_be = DAYS_OF_SHEETS.contains(&first_s) && DAYS_OF_SHEETS.contains(&last_s);
        may_be.then(|| {
            format!(
                "all times are numbers from {first_s} to {last_s}, some with fractions, and are read as \
                 seconds; if they are the days of a spreadsheet, format its cells as dates, such as \
                 2024-05-01 12:00:00"
            )
        })
    }
}

/// Returns true for a heading whose names identify the needed columns.
fn is_heading(line: &[u8]) -> bool {
    let Ok(options) = TableOptions::take(&mut Params::new(&Spec::named(TABLE.name))) else { return false };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut table = Table::new(options);
    line.len() < 1 << 16 && table.start(line).is_ok()
}

/// Identifies the text and gives a remedy; `None` if unknown. `cells` are the cells of the first line, and
/// `is_instant` recognises dates.
fn advice(line: &[u8], cells: &[String], is_instant: impl FnMut(&String) -> bool) -> Option<&'static str> {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let has = |word: &str| text.split_whitespace().any(|known| known == word);
    if first.starts_with("JobId=") {
        Some("scontrol prints the jobs of the moment; sacct -a -X -P prints a log")
    } else if first == "JOBID" && (has("ST") || has("STATE")) {
        Some("squeue prints jobs that have not ended; sacct -a -X -P prints a log")
    } else if first.eq_ignore_ascii_case("JobID") && cells.len() == words.count() + 1 {
        Some("if sacct has printed this, print it again with sacct -P")
    } else if cells.iter().any(is_instant) {
        Some("the first line looks like a job, so the heading is missing (sacct -n leaves it out)")
    } else {
        None
    }
}

/// Longest text with an unclosed quote, in bytes.
const LONGEST: usize = 1 << 20;

/// The most cells of a row over several lines in a table without a heading.
const MOST_CELLS: usize = 1000;

/// The remedy of a quote that is not closed on its line.
const REMEDY: &str = "; quoted text may go over lines with --input-format table:quoted-newlines=yes";

impl Table {
    /// Splits a line, or the rest of a line that a quote has gone on in, into cells. Returns whether they are
    /// whole. A problem is that of the line where the quote opens.
    fn split(&mut self, line: &[u8]) -> Result<bool, Problem> {
        let has_quotes = self.options.has_quotes;
        if self.partial.is_empty() {
            return match self.cells.split(line, self.delimiter, has_quotes) {
                Ok(()) => Ok(true),
                Err(QuoteFault { is_open: true, .. }) if self.options.has_quoted_newlines => {
                    self.partial.extend_from_slice(line);
                    Ok(false)
                }
                Err(fault) => Err(fault.problem(&self.cells, line, REMEDY)),
            };
        }
        self.partial.push(b'\n');
        self.partial.extend_from_slice(line);
        // Splitting all lines again for each of them would take quadratic time.
        if has_pairs_only(line) && self.partial.len() <= LONGEST {
            return Ok(false);
        }
        let most_cells = self.heading_cells.unwrap_or(MOST_CELLS);
        match self.cells.split(&self.partial, self.delimiter, has_quotes) {
            Ok(()) => {
                self.partial.clear();
                self.rows_over_lines =
                    self.rows_over_lines.saturating_add(u64::from(!self.options.is_trusted));
                Ok(true)
            }
            Err(QuoteFault { is_open: true, .. })
                if self.partial.len() <= LONGEST && self.cells.count() < most_cells =>
            {
                Ok(false)
            }
            Err(fault) => {
                let text = std::mem::take(&mut self.partial);
                Err(fault.problem(&self.cells, &text, " or one of the next lines"))
            }
        }
    }

    /// Returns true if a line that is no row is a heading again: the first line, or names of columns that
    /// give all that is needed. The columns are those of this heading from now on.
    fn is_heading_again(&mut self, line: &[u8]) -> bool {
        if self.layout.names.is_empty() {
            return line == self.first_line;
        }
        // Nearly every line fails this cheap test.
        let known = |cell: &[u8]| self.layout.names.iter().any(|name| name.as_bytes() == cell);
        if !self.cells.get(1).is_some_and(known) {
            return false;
        }
        let names = self.cells.texts();
        if names == self.layout.names {
            return true;
        }
        let is_by_number = self.options.places.iter().any(|place| matches!(place, Some(Place::Number(..))));
        let layout = Layout::of_heading(&self.options, names).ok().filter(|layout| layout.lacks().is_none());
        match layout.filter(|_| !is_by_number) {
            Some(layout) => {
                self.layout = layout;
                self.heading_cells = Some(self.cells.count());
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod advice_tests {
    use super::*;

    #[test]
    fn well_known_outputs_are_recognised() {
        for (line, expected) in [
            ("JobId=5 JobName=a", "scontrol"),
            ("JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)", "squeue"),
            ("JobID           JobName  Partition", "sacct -P"),
            ("5 date x", "heading is missing"),
            ("when begin_at size_of", ""),
            ("JobID,When", ""),
        ] {
            let cells: Vec<String> =
                line.split([' ', ',']).filter(|cell| !cell.is_empty()).map(str::to_owned).collect();
            let found = advice(line.as_bytes(), &cells, |cell| cell == "date").unwrap_or_default();
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{line}: {found}");
        }
    }
}

#[cfg(test)]
mod tests;
