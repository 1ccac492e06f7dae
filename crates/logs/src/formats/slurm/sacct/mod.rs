//! The dump of `sacct -P`: a heading, then one line per job and per step, with fields separated by `|`. Tabs,
//! semicolons and commas also separate fields (`--delimiter`, spreadsheets); fields may then be in double
//! quotes. Other separators, also of several characters, are recognised between the names of the heading.
//! Without `-P`, columns have fixed widths, given by the line of dashes below the heading.
//!
//! Free text, such as `SubmitLine`, may contain separators and line ends. Fields are then assigned in the
//! only way that puts dates, numbers and states into their columns. A line with too few fields continues on
//! the next line.
//!
//! Fields may come in any order; unknown ones are skipped. Steps (`123.batch`, `123.0`) belong to their jobs.
//! Separate records, as in the accounting, are tasks of arrays (`123_4`, number 123000004 in dumps without
//! `JobIDRaw`, see [`number_of_task`]), parts of heterogeneous jobs (`123+1`) and, with `sacct --duplicates`,
//! requeued runs. Waiting tasks share a line (`123_[5-9]`) and are one record.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "columns are positions in a line plus 1; instants are between the years 0 and 9999 and \
         durations at most 2^40 s"
)]

mod columns;
mod fields;

use std::collections::VecDeque;
use std::rc::Rc;

use memchr::memchr;

use self::columns::{Column, Heading, READS, Separator, is_heading};
use self::fields::{
    Fields, Fit, agreeing, elapsed, has, is_half_numbered, is_job, is_plausible, malformed, may_be_job,
    sizes, widths,
};
use super::job::{Accounting, SlurmJob, limit};
use crate::error::Problem;
use crate::facts::{Facts, STEPS};
use crate::fields::parsed;
use crate::formats::batch::number_of_task;
use crate::formats::cells::{Cells, has_pairs_only};
use crate::formats::format::{Format, LineParser, Parsed};
use crate::names::Names;
use crate::record::Record;
use crate::times::Clock;
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The row of this format.
pub(in crate::formats) const FORMAT: Format = Format {
    name: "sacct",
    summary: "dump of Slurm's accounting: sacct with a heading, best with -P; fields in any order, with any \
         separator or of fixed width",
    source: super::SOURCE,
    parameters: "unit=nodes|cpus|gpus time-zone=ZONE dates=month-first|day-first arrival=eligible|submit \
         of-cluster=NAME|each",
    reads: READS,
    lacks: "machine, applications, memory",
    extensions: &["sacct"],
    recognises: Some(is_heading),
    records_starts: true,
    repeats_jobs: true,
    parser: |spec| Ok(Box::new(Sacct::new(spec)?)),
    ..Format::UNNAMED
};

/// The greatest length of a job whose texts have line ends, in bytes.
const LONGEST: usize = 1 << 20;

/// The most times that the lines of such a job are split together with more fields than the heading has, and
/// the most bytes that are split for one job.
const MOST_TRIES: usize = 1000;
const MOST_BYTES: usize = 1 << 26;

/// The words for lines of texts that users choose.
const TEXT_LINES: &str = "lines that belong to texts such as SubmitLine";

/// The parser of one dump.
struct Sacct {
    accounting: Accounting,
    clock: Clock,
    /// The heading; `None` before it.
    heading: Option<Rc<Heading>>,
    /// Scratch memory for quoted fields.
    cells: Cells,
    /// Whether a line of a job was read.
    has_jobs: bool,
    /// The line of the heading, which stands again where dumps were put together.
    heading_line: Vec<u8>,
    /// Lines of an unfinished job, whose free text has line ends; empty if there is none.
    pending: Vec<u8>,
    /// Whether a quote of these lines is not closed, how often they were split, and how many bytes that were.
    is_open: bool,
    tries: usize,
    split_bytes: usize,
    /// Records that no line has given yet.
    queue: VecDeque<Record>,
    text_lines: u64,
    /// Last job number in fixed-width columns, for steps whose number was cut off.
    last_id: Vec<u8>,
}

impl Sacct {
    /// Makes the parser of one dump.
    fn new(spec: &Spec) -> Result<Self, SpecError> {
        let mut params = Params::new(spec);
        let (accounting, clock) = (Accounting::take(&mut params)?, Clock::take(&mut params)?);
        params.finish()?;
        Ok(Self {
            accounting,
            clock,
            heading: None,
            cells: Cells::default(),
            has_jobs: false,
            heading_line: Vec::new(),
            pending: Vec::new(),
            is_open: false,
            tries: 0,
            split_bytes: 0,
            queue: VecDeque::new(),
            text_lines: 0,
            last_id: Vec::new(),
        })
    }

    /// Reads the job of the fields of a line.
    fn job<'a>(
        &mut self,
        heading: &Heading,
        fields: &Fields<'a>,
        number: i64,
    ) -> Result<SlurmJob<'a>, Problem> {
        let text = |column: Column| fields[column as usize];
        let clock = &mut self.clock;
        // Times that occur twice, as clocks are put back, are in the order that the life of a job has.
        let mut instant_after = |column: Column, earlier_s| {
            let found = clock.instant_after(text(column), earlier_s);
            found.map_err(|expected| {
                let expected = format!("{expected}; with SLURM_TIME_FORMAT=standard sacct prints such times");
                malformed(heading, column, text(column), &expected)
            })
        };
        let submit_s = instant_after(Column::Submit, None)?;
        let start_s = instant_after(Column::Start, submit_s)?;
        let end_s = instant_after(Column::End, start_s.or(submit_s))?;
        let eligible_s = instant_after(Column::Eligible, submit_s)?;
        let elapsed_s = elapsed(heading, fields, start_s.is_none() || end_s.is_none())?;
        let run = [Column::Start, Column::End].map(text);
        let read_s = start_s;
        let [start_s, end_s] = agreeing(clock, run, [start_s, end_s], elapsed_s);
        // Times with the same text as the start get the reading that the run time has decided.
        let at_start = |column: Column, time_s: Option<i64>| {
            if start_s != read_s && text(column) == text(Column::Start) { start_s } else { time_s }
        };
        let [submit_s, eligible_s] = [(Column::Submit, submit_s), (Column::Eligible, eligible_s)]
            .map(|(column, time_s)| at_start(column, time_s));
        // A job with no start and no run time never started, unless the dump has no start column.
        let has_run = |elapsed_s: &i64| *elapsed_s > 0 || !heading.has(&[Column::Start]);
        let nodes = heading.has(&[Column::NodeList]).then(|| text(Column::NodeList));
        let (allocated, requested) = sizes(heading, fields, self.accounting.unit())?;
        let column = if text(Column::LimitRaw).is_empty() { Column::Limit } else { Column::LimitRaw };
        let limit_s =
            limit(text(column)).map_err(|expected| malformed(heading, column, text(column), expected))?;
        Ok(SlurmJob {
            number,
            submit_s,
            eligible_s,
            start_s: start_s.or_else(|| Some(end_s? - elapsed_s.filter(has_run)?)),
            end_s,
            elapsed_s,
            limit_s,
            state: text(Column::State),
            allocated,
            requested,
            user: text(Column::User),
            account: text(Column::Account),
            partition: text(Column::Partition),
            qos: text(Column::Qos),
            cluster: text(Column::Cluster),
            reason: text(Column::Reason),
            nodes,
        })
    }

    /// Reads a line below `heading`.
    fn line(&mut self, heading: &Heading, line: &[u8]) -> Result<Parsed, Problem> {
        if matches!(heading.separator, Separator::Widths(_))
            && let Some(places) = widths(line).filter(|places| places.len() == heading.columns.len())
        {
            let separator = Separator::Widths(places);
            self.heading = Some(Rc::new(Heading { separator, ..heading.clone() }));
            return Ok(Parsed::Part);
        }
        // The cells are put back at once; borrowing them would forbid to change what was counted.
        let mut cells = std::mem::take(&mut self.cells);
        let read = if self.pending.is_empty() { Self::first_line } else { Self::later_line };
        let parsed = read(self, heading, &mut cells, line);
        self.cells = cells;
        parsed
    }

    /// Reads a line that is the first one of a job, or belongs to a text at the end of the job before it.
    fn first_line(&mut self, heading: &Heading, cells: &mut Cells, line: &[u8]) -> Result<Parsed, Problem> {
        let may_be_text = heading.ends_free() && self.has_jobs;
        let fit = Fit::parse(heading, cells, line);
        (self.is_open, self.tries, self.split_bytes) = (matches!(fit, Fit::Open), 0, 0);
        match fit {
            Fit::Fields(fields) if may_be_text && !may_be_job(heading, &fields) => self.text_lines += 1,
            Fit::Fields(fields) if heading.free.is_empty() || !is_half_numbered(heading, &fields) => {
                return self.fields(heading, &fields);
            }
            Fit::Short(_) | Fit::Unread(_) if may_be_text && begins(heading, line) == Some(false) => {
                self.text_lines += 1;
            }
            Fit::Short(found) if begins(heading, line) == Some(false) => {
                return Err(Problem::TooFewFields { found, expected: heading.columns.len() });
            }
            Fit::Unread(problem) => return Err(problem),
            Fit::Fields(_) | Fit::Open | Fit::Short(_) => self.pending = line.to_vec(),
        }
        Ok(Parsed::Part)
    }

    /// Reads a line below others of a job that is not complete.
    fn later_line(&mut self, heading: &Heading, cells: &mut Cells, line: &[u8]) -> Result<Parsed, Problem> {
        let mut text = std::mem::take(&mut self.pending);
        let above = text.len();
        text.push(b'\n');
        text.extend_from_slice(line);
        // A quote that is closed now was open before, unless this line alone is a job, too.
        let is_quoted = matches!(heading.separator, Separator::Quoted(_));
        let may_end = if is_quoted { !self.is_open || !has_pairs_only(line) } else { may_end(heading, line) };
        self.split_bytes += if may_end { text.len() } else { 0 };
        let begins_job = begins_job(heading, line);
        if is_quoted && may_end {
            let mut alone = Cells::default();
            let alone = Fit::parse(heading, &mut alone, line);
            let is_alone = begins_job || matches!(alone, Fit::Fields(fields) if is_job(heading, &fields));
            match Fit::parse(heading, cells, &text) {
                Fit::Fields(fields) if !is_alone => return self.fields(heading, &fields),
                Fit::Unread(problem) if !is_alone => return Err(problem),
                fit => self.is_open = matches!(fit, Fit::Open),
            }
            self.tries += 1;
        }
        if let Fit::Fields(fields) = Fit::parse(heading, cells, line)
            && is_job(heading, &fields)
        {
            if is_also_rest(heading, &text, &fields) {
                let expected = "a line that is either a job or the rest of the text above; sacct with the \
                     number of the job before texts has it";
                return Err(Problem::column(1, "text", line, expected));
            }
            text.truncate(above);
            self.pending = text;
            let problem = self.give_up(heading);
            let parsed = self.fields(heading, &fields);
            let Some(problem) = problem else { return parsed };
            // The job of this line comes with the next one.
            if let Ok(Parsed::Record(record, _)) = parsed {
                self.queue.push_back(record);
            }
            return Err(problem);
        }
        // No text has the beginning of a job.
        if begins_job {
            text.truncate(above);
            self.pending = text;
            let problem = self.give_up(heading);
            (self.pending, self.is_open, self.tries, self.split_bytes) = (line.to_vec(), false, 0, 0);
            return problem.map_or(Ok(Parsed::Part), Err);
        }
        // A separator of several characters is in no text, so the number of fields is enough.
        let is_sure = matches!(heading.separator, Separator::Text(_));
        if may_end {
            match Fit::parse(heading, cells, &text) {
                Fit::Fields(fields)
                    if is_job(heading, &fields) && (is_sure || is_plausible(heading, &fields)) =>
                {
                    return self.fields(heading, &fields);
                }
                fit => self.tries += usize::from(!matches!(fit, Fit::Short(_))),
            }
        }
        let is_too_long = text.len() > LONGEST || self.tries > MOST_TRIES || self.split_bytes > MOST_BYTES;
        self.pending = text;
        if !is_too_long {
            return Ok(Parsed::Part);
        }
        let expected = "the end of a job, whose text goes over too many lines above; sacct without texts \
             such as SubmitLine and Comment has one line per job";
        self.give_up(heading).map_or(Ok(Parsed::Part), |_| Err(Problem::column(1, "text", line, expected)))
    }

    /// Gives up the lines of a job that is not complete. Returns the problem of these lines; `None` if they
    /// belong to a text at the end of the job before them.
    fn give_up(&mut self, heading: &Heading) -> Option<Problem> {
        let text = std::mem::take(&mut self.pending);
        if text.is_empty() {
            return None;
        }
        // Without the number of a job, they belong to the text at the end of the job before, or at the start
        // of the next one.
        let is_text = match begins(heading, &text) {
            Some(is_begun) => !is_begun && heading.ends_free() && self.has_jobs,
            None => true,
        };
        if is_text {
            self.text_lines += text.split(|&byte| byte == b'\n').count() as u64;
            return None;
        }
        let mut cells = Cells::default();
        Some(match Fit::parse(heading, &mut cells, &text) {
            Fit::Short(found) => Problem::TooFewFields { found, expected: heading.columns.len() },
            Fit::Unread(problem) => problem,
            Fit::Fields(_) | Fit::Open => {
                let expected = "a closing quote before the next job";
                Problem::column(cells.count() + 1, "quoted text", b"\"", expected)
            }
        })
    }

    /// Reads the fields of a line below `heading`.
    fn fields(&mut self, heading: &Heading, fields: &Fields<'_>) -> Result<Parsed, Problem> {
        let column = if heading.has(&[Column::JobIdRaw]) { Column::JobIdRaw } else { Column::JobId };
        let id = fields[column as usize];
        let digits = id.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let kind = id.get(digits).copied().unwrap_or_default();
        let (Some(number), 0 | b'_' | b'+' | b'.') = (parsed(&id[..digits]), kind) else {
            let expected = "the number of a job, such as 123, 123_4 or 123.batch";
            return Err(malformed(heading, column, id, expected));
        };
        if self.is_cut_step(heading, column, id)? {
            self.accounting.odd.add(STEPS, true);
            return Ok(Parsed::Part);
        }
        // Brackets contain no points, so a point marks a step. Other programs write job numbers as 1.0.
        if let Some(point) = memchr(b'.', id) {
            let is_number = id[point + 1..].iter().all(u8::is_ascii_digit);
            let may_be_other = matches!(heading.separator, Separator::Quoted(_));
            if may_be_other && is_number && !self.has_jobs {
                let expected = "a job before its steps, with a number such as 123; --input-format table \
                     reads tables of other programs";
                return Err(malformed(heading, column, id, expected));
            }
            self.accounting.odd.add(STEPS, true);
            return Ok(Parsed::Part);
        }
        // A task of an array, or a part of a heterogeneous job, unless it is a range of tasks that wait.
        let task = id.get(digits + 1..).and_then(parsed).and_then(|index| number_of_task(number, index));
        let job = self.job(heading, fields, task.unwrap_or(number))?;
        self.has_jobs = true;
        Ok(self.accounting.record(&job).map_or(Parsed::Part, |record| Parsed::Record(record, 0)))
    }

    /// Returns true if a fixed-width job number is that of a step, cut off at the end. Fails for a job number
    /// that was cut off.
    fn is_cut_step(&mut self, heading: &Heading, column: Column, id: &[u8]) -> Result<bool, Problem> {
        if !matches!(heading.separator, Separator::Widths(_)) {
            return Ok(false);
        }
        let Some(kept) = id.strip_suffix(b"+") else {
            if !id.contains(&b'.') {
                self.last_id = id.to_vec();
            }
            return Ok(false);
        };
        let is_step = kept.contains(&b'.') || kept == self.last_id;
        if is_step {
            return Ok(true);
        }
        Err(malformed(heading, column, id, "a number that is not cut off: sacct -P, or -o JobID%30"))
    }
}

/// Returns false if no job ends with a line, as the columns behind all texts are not on it.
fn may_end(heading: &Heading, line: &[u8]) -> bool {
    let behind = heading.free.last().map_or(0, |last| heading.columns.len() - 1 - last);
    heading.separator.split(line).len() > behind
}

/// Returns true if a line begins as a job does: all in front of the first text is what belongs there, and it
/// has the number of a job and its submission; the number in front of that text is enough.
fn begins_job(heading: &Heading, line: &[u8]) -> bool {
    let pieces = heading.separator.split(line);
    let first = heading.free.first().copied().unwrap_or(heading.columns.len());
    if !fields::begins_plausibly(heading, &pieces, first) {
        return false;
    }
    // In quotes a text may hold anything.
    let is_quoted = matches!(heading.separator, Separator::Quoted(_));
    let column = if heading.has(&[Column::JobIdRaw]) { Column::JobIdRaw } else { Column::JobId };
    let is_in_front = heading.fields[column as usize] <= first;
    !is_quoted && is_in_front && begins(heading, line) == Some(true)
        || is_job(heading, &fields::placed(heading, &pieces, &vec![0; heading.free.len()]))
}

/// Returns true if `lines` together are one job with other fields than `alone`, the last line read alone.
/// Where the job number follows a free text, the last line has a number either way: as a new job, or as the
/// rest of the text.
fn is_also_rest(heading: &Heading, lines: &[u8], alone: &Fields) -> bool {
    let first = heading.free.first().copied();
    let numbers = [Column::JobIdRaw, Column::JobId].map(|column| heading.fields[column as usize]);
    let is_behind =
        first.is_some_and(|first| numbers.into_iter().all(|column| column == 0 || column > first));
    is_behind
        && matches!(Fit::parse(heading, &mut Cells::default(), lines), Fit::Fields(fields)
            if fields != *alone && is_job(heading, &fields) && is_plausible(heading, &fields))
}

/// Returns true if an incomplete line begins like a job: it reaches a free text, with a job number before
/// that. `None` if the free text comes first and the number is missing.
fn begins(heading: &Heading, text: &[u8]) -> Option<bool> {
    let has_places = matches!(heading.separator, Separator::Widths(_));
    let pieces = if has_places { Separator::Bar.split(text) } else { heading.separator.split(text) };
    let Some(first) = heading.free.first().copied().filter(|&first| first < pieces.len()) else {
        return Some(false);
    };
    let column = if heading.has(&[Column::JobIdRaw]) { Column::JobIdRaw } else { Column::JobId };
    if heading.fields[column as usize] > pieces.len() {
        return if first == 0 || pieces.len() == first + 1 { None } else { Some(true) };
    }
    let fields = fields::placed(heading, &pieces, &vec![0; heading.free.len()]);
    Some(has(heading, &fields, column))
}

impl LineParser for Sacct {
    /// The name of a job, which may be the first field, may begin with any character.
    fn has_semicolons(&self) -> bool {
        self.heading.is_some()
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        // Dumps that were put together have a heading each.
        let first = line.trim_ascii_start().first();
        let may_begin = || {
            matches!(first, Some(b'J' | b'j' | b'S' | b's' | b'"'))
                || first.is_some_and(u8::is_ascii_uppercase) && memchr::memmem::find(line, b"JobID").is_some()
        };
        let is_again = line == self.heading_line;
        let begins_anew = || is_again || may_begin() && is_heading(line);
        let parsed = match self.heading.clone() {
            Some(heading) if !begins_anew() => self.line(&heading, line),
            above => {
                self.heading = None;
                let problem = above.and_then(|above| self.give_up(&above));
                self.heading = Some(Rc::new(Heading::parse(line, self.accounting.unit())?));
                self.heading_line = line.to_vec();
                problem.map_or(Ok(Parsed::Part), Err)
            }
        };
        if self.queue.is_empty() {
            return parsed;
        }
        if let Parsed::Record(record, _) = parsed? {
            self.queue.push_back(record);
        }
        Ok(Parsed::Several)
    }

    fn more(&mut self) -> Option<Record> {
        self.queue.pop_front()
    }

    fn finish(&mut self) -> Result<Option<Record>, Problem> {
        let problem = self.heading.clone().and_then(|heading| self.give_up(&heading));
        if let Some(problem) = problem {
            return Err(problem);
        }
        let last = self.queue.pop_front();
        if last.is_none() {
            self.accounting.clusters.finish("")?;
        }
        Ok(last)
    }

    fn identity(&self) -> Option<u64> {
        Some(self.accounting.clusters.identity())
    }

    fn names(&mut self) -> Option<&mut Names> {
        Some(&mut self.accounting.names)
    }

    fn facts(&mut self) -> Facts {
        let mut facts = self.accounting.facts();
        facts.add_clock(&self.clock);
        if self.text_lines > 0 {
            facts.counts.push((TEXT_LINES, self.text_lines));
        }
        facts
    }
}

#[cfg(test)]
mod tests;
