//! `meshreplay trace cut`: writes a part of the jobs of a log.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::anyhow;

use super::{Failure, Input, Output, check_read, complain_of_skipped};
use crate::cli::complain;
use crate::spec::Spec;
use crate::trace::{
    LogEntry, LogNames, LogUnit, NameKind, Names, ReadOptions, Reader, Record, SWF, Writer, copy, status,
};
use crate::workload::{Again, convert};

/// Write those jobs of a log that pass every filter given
///
/// Submit times and job numbers do not change. The header is kept, with a note of the cut.
///
/// A log of a format that can only be read, such as sacct, is written as SWF, as `trace convert --keep-names`
/// does it: submit times then count from the first one, and names are numbers, which comments explain.
/// Seconds of the filters are about those.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct FilterArgs {
    /// Keep jobs that were submitted at TIME or later: seconds, or a date such as 2024-02-05 or
    /// 2024-02-05T12:00 in the log's time zone
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = time)]
    from: Option<String>,

    /// Keep jobs that were submitted before TIME
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = time)]
    to: Option<String>,

    /// Keep the first N jobs that pass the other filters
    #[arg(long, value_name = "N")]
    first: Option<u64>,

    /// Keep jobs of user U, by name or number. If repeated, keep jobs of all these users
    #[arg(long, value_name = "U", allow_negative_numbers = true)]
    user: Vec<String>,

    /// Keep jobs of queue Q, by name or number. If repeated, keep jobs of all these queues
    #[arg(long, value_name = "Q", allow_negative_numbers = true)]
    queue: Vec<String>,

    /// Keep jobs with status S, a number or completed, failed or cancelled. If repeated, keep jobs with any
    /// of these statuses
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = status_number)]
    status: Vec<i64>,
}

fn status_number(text: &str) -> anyhow::Result<i64> {
    let is_word = |number: &i64| status::word(*number) == Some(text);
    let number = text.parse().ok().or_else(|| status::ALL.into_iter().find(is_word));
    number.ok_or_else(|| anyhow!("expected a whole number, completed, failed or cancelled"))
}

/// Returns a time in an argument: seconds, or a date.
fn time(text: &str) -> anyhow::Result<String> {
    if text.parse::<i64>().is_ok() || LogNames::is_date(text) {
        return Ok(text.to_owned());
    }
    Err(anyhow!("expected whole seconds, or a date such as 2024-02-05 or 2024-02-05T12:00"))
}

impl FilterArgs {
    /// Returns whether all values are numbers, so that the header of the log is not needed.
    fn are_numbers(&self) -> bool {
        let texts = self.from.iter().chain(&self.to).chain(&self.user).chain(&self.queue);
        texts.into_iter().all(|text| text.parse::<i64>().is_ok())
    }

    /// Returns the filters by number, with the names and dates of a log.
    fn resolve(&self, names: &LogNames) -> anyhow::Result<Filter> {
        let seconds = |option: &str, text: &Option<String>| {
            let Some(text) = text else { return Ok(None) };
            let seconds = text.parse().ok().or_else(|| names.seconds(text));
            seconds.map(Some).ok_or_else(|| {
                anyhow!(
                    "{option} {text}: the log does not say when it began and in which time zone; expected \
                     seconds as in the log"
                )
            })
        };
        let numbers = |option: &str, kind, texts: &[String]| {
            let number = |text: &String| match text.parse() {
                Ok(number) => Ok(number),
                Err(_) => match names.number(kind, text) {
                    Some(number) => number.map_err(|error| anyhow!("{option}: {error}")),
                    None => Err(anyhow!("{option} {text}: the log has no names; expected a number")),
                },
            };
            texts.iter().map(number).collect::<anyhow::Result<Vec<i64>>>()
        };
        Ok(Filter {
            from: seconds("--from", &self.from)?,
            to: seconds("--to", &self.to)?,
            first: self.first,
            user: numbers("--user", NameKind::User, &self.user)?,
            queue: numbers("--queue", NameKind::Queue, &self.queue)?,
            status: self.status.clone(),
        })
    }
}

/// The filters by number.
struct Filter {
    from: Option<i64>,
    to: Option<i64>,
    first: Option<u64>,
    user: Vec<i64>,
    queue: Vec<i64>,
    status: Vec<i64>,
}

/// Returns the names and the start in the header of a log. Reads up to its first record.
fn names_of(mut reader: Reader) -> Result<LogNames, Failure> {
    while let Some(entry) = reader.next_entry()? {
        if let LogEntry::Record { .. } = entry {
            break;
        }
    }
    Ok(LogNames::new(&Names::default(), reader.header()))
}

/// One filter of records: its name, without the hyphens, and its values as words.
struct Part<'a> {
    name: &'static str,
    words: String,
    passes: Box<dyn Fn(&Record) -> bool + 'a>,
    /// Returns the field that the filter compares with its values; `None` for a limit of the submit time.
    field: Option<fn(&Record) -> i64>,
}

impl Filter {
    /// Returns the filters that are given, except the limit on the number of jobs.
    fn parts(&self) -> Vec<Part<'_>> {
        let limit = |name, limit: Option<i64>, passes: fn(i64, i64) -> bool| {
            let limit = limit?;
            let passes = Box::new(move |record: &Record| passes(record.submit_s, limit));
            Some(Part { name, words: format!(" --{name} {limit}"), passes, field: None })
        };
        let among = |name, values: &'_ [i64], field: fn(&Record) -> i64| {
            let values = values.to_vec();
            let words = values.iter().fold(String::new(), |words, value| format!("{words} --{name} {value}"));
            let is_given = !values.is_empty();
            let passes = Box::new(move |record: &Record| values.contains(&field(record)));
            is_given.then_some(Part { name, words, passes, field: Some(field) })
        };
        let parts = [
            limit("from", self.from, |submit_s, from| submit_s >= from),
            limit("to", self.to, |submit_s, to| submit_s < to),
            among("user", &self.user, |record| record.user),
            among("queue", &self.queue, |record| record.queue),
            among("status", &self.status, |record| record.status),
        ];
        parts.into_iter().flatten().collect()
    }

    /// Returns an error if the window of submit times is empty.
    fn check(&self) -> Result<(), Failure> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from >= to => Err(Failure::Usage(anyhow!(
                "--from {from} --to {to} is no time at all; expected --from below --to"
            ))),
            _ => Ok(()),
        }
    }
}

/// Jobs that one filter alone passes, for the message if no job passes all filters.
#[derive(Default)]
struct Tally {
    kept: u64,
    /// The least values that the field of the filter has in the log, except −1, which is unknown.
    seen: BTreeSet<i64>,
    has_more: bool,
}

impl Tally {
    /// Counts one record.
    fn add(&mut self, part: &Part<'_>, record: &Record) {
        /// The number of values that a message lists.
        const LISTED: usize = 12;
        self.kept += u64::from((part.passes)(record));
        if let Some(value) = part.field.map(|field| field(record)).filter(|&value| value != -1) {
            self.seen.insert(value);
            if self.seen.len() > LISTED {
                self.has_more |= self.seen.pop_last().is_some();
            }
        }
    }

    /// Returns the values of the log in the field of the filter, in words.
    fn has(&self, part: &Part<'_>) -> String {
        if part.field.is_none() {
            return "the log has none at that time".to_owned();
        }
        if self.seen.is_empty() {
            return format!("the log does not know the {} of any job", part.name);
        }
        let values: Vec<String> = self.seen.iter().map(i64::to_string).collect();
        let more = if self.has_more { ", …" } else { "" };
        format!("values of the field {} in the log are {}{more}", part.name, values.join(", "))
    }
}

/// Returns the error that no job of `jobs` was kept, with the filter that no job passes, or else with the
/// number of jobs that pass each filter alone.
fn nothing_kept(log: &str, jobs: u64, parts: &[Part<'_>], tallies: &[Tally]) -> Failure {
    let counted = || parts.iter().zip(tallies);
    if let Some((part, tally)) = counted().find(|(_, tally)| tally.kept == 0) {
        return anyhow!("{log}: none of {jobs} jobs passes{}: {}", part.words, tally.has(part)).into();
    }
    let each =
        counted().map(|(part, tally)| format!("{} alone passes {}", part.words.trim_start(), tally.kept));
    let each = each.collect::<Vec<_>>().join(", ");
    anyhow!("{log}: none of {jobs} jobs passes all filters: {each}").into()
}

/// Writes a log of a format that can only be read as SWF to a temporary file, and opens that.
fn as_swf(args: &Args, reader: Reader, path: &Path) -> Result<Reader, Failure> {
    let options = args.input.options()?;
    let again = || Reader::open(&args.input.log, options.clone());
    // A pipe cannot be read twice.
    let again = args.input.log.is_file().then_some(&again as Again<'_>);
    let mut writer = Writer::create(path, SWF, true)?;
    let unit = LogUnit::new(reader.format(), options.format.as_ref());
    let summary = convert(reader, again, unit, &mut writer, SWF, true)?.summary;
    complain_of_skipped(&summary);
    check_read(&summary)?;
    writer.finish()?;
    Ok(Reader::open(path, swf_options())?)
}

fn swf_options() -> ReadOptions {
    ReadOptions { format: Some(Spec::named(SWF.name)), ..ReadOptions::default() }
}

/// Reads a log and writes the jobs that pass the filters to another.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let reader = Reader::open(&args.input.log, args.input.options()?)?;
    let format = args.output.format(reader.format())?;
    let is_read_only = reader.format().writing.is_none() && format == SWF;
    let name = reader.format().name;
    if format != reader.format() && !is_read_only {
        let (from, to) = (reader.format().name, format.name);
        return Err(Failure::Usage(anyhow!(
            "cut keeps the format, here {from}; `trace convert` makes {to} of it"
        )));
    }
    // The file is removed when it is no longer used.
    let file = is_read_only.then(tempfile::NamedTempFile::new).transpose()?;
    let reader = match &file {
        Some(file) => as_swf(args, reader, file.path())?,
        None => reader,
    };
    let names = match &file {
        _ if args.filter.are_numbers() => LogNames::default(),
        Some(file) => names_of(Reader::open(file.path(), swf_options())?)?,
        None if args.input.log.is_file() => names_of(Reader::open(&args.input.log, args.input.options()?)?)?,
        None => {
            return Err(Failure::Usage(anyhow!(
                "names and dates need a file, which is read twice; expected numbers for standard input"
            )));
        }
    };
    let filter = args.filter.resolve(&names).map_err(Failure::Usage)?;
    filter.check()?;
    let mut writer = args.output.writer(format)?;
    let parts = filter.parts();
    let first = filter.first.map(|first| format!(" --first {first}")).unwrap_or_default();
    // The limits on times come before the number of jobs, and the lists after it.
    let (limits, lists): (Vec<&Part<'_>>, Vec<&Part<'_>>) =
        parts.iter().partition(|part| part.field.is_none());
    let words = |parts: &[&Part<'_>]| parts.iter().map(|part| part.words.as_str()).collect::<String>();
    let partition = args.input.reading.partition_words();
    let note = format!("; Note: cut by meshreplay:{}{first}{}{partition}", words(&limits), words(&lists));
    let mut tallies: Vec<Tally> = parts.iter().map(|_| Tally::default()).collect();
    let mut kept = 0;
    let summary = copy(reader, &mut writer, Some(&note), |record| {
        parts.iter().zip(&mut tallies).for_each(|(part, tally)| tally.add(part, record));
        let is_kept =
            filter.first.is_none_or(|first| kept < first) && parts.iter().all(|part| (part.passes)(record));
        kept += u64::from(is_kept);
        is_kept.then_some(*record)
    })?;
    complain_of_skipped(&summary);
    check_read(&summary)?;
    if kept == 0 && summary.records > 0 && filter.first != Some(0) {
        let log = args.input.log.display().to_string();
        return Err(nothing_kept(&log, summary.records, &parts, &tallies));
    }
    writer.finish()?;
    if is_read_only {
        complain(&format!(
            "{}: written as swf, as logs of the format {name} can only be read; submit times count from the \
             first one",
            args.output.path().display()
        ));
    }
    complain(&format!("{}: {kept} of {} jobs kept", args.output.path().display(), summary.records));
    Ok(())
}
