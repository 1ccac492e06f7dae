//! `meshreplay trace cut`: writes a part of the jobs of a log.

use std::fmt::Write;

use anyhow::anyhow;

use super::{Failure, Input, Output, complain_of_skipped};
use crate::cli::complain;
use crate::trace::{Reader, Record, copy};

/// Writes those jobs of a log that pass every filter given
///
/// Submit times and job numbers stay as they are. The header is kept, with a note of the cut added to it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    filter: Filter,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct Filter {
    /// Keep jobs that were submitted at SECONDS or later
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    from: Option<i64>,

    /// Keep jobs that were submitted before SECONDS
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    to: Option<i64>,

    /// Keep the first N jobs that pass the other filters
    #[arg(long, value_name = "N")]
    first: Option<u64>,

    /// Keep jobs of user U. If repeated, keep jobs of all these users
    #[arg(long, value_name = "U", allow_negative_numbers = true)]
    user: Vec<i64>,

    /// Keep jobs of queue Q. If repeated, keep jobs of all these queues
    #[arg(long, value_name = "Q", allow_negative_numbers = true)]
    queue: Vec<i64>,

    /// Keep jobs with status S. If repeated, keep jobs with any of these statuses
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    status: Vec<i64>,
}

impl Filter {
    /// Returns whether `record` passes all filters except the limit on the number of jobs.
    fn passes(&self, record: &Record) -> bool {
        let among = |values: &[i64], value: i64| values.is_empty() || values.contains(&value);
        self.from.is_none_or(|from| record.submit_s >= from)
            && self.to.is_none_or(|to| record.submit_s < to)
            && among(&self.user, record.user)
            && among(&self.queue, record.queue)
            && among(&self.status, record.status)
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

    /// Returns the filters as words, as on the command line.
    fn words(&self) -> String {
        let times = [("from", self.from), ("to", self.to), ("first", self.first.map(|first| first as i64))];
        let lists = [("user", &self.user), ("queue", &self.queue), ("status", &self.status)];
        let single = times.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let listed =
            lists.into_iter().flat_map(|(name, values)| values.iter().map(move |&value| (name, value)));
        single.chain(listed).fold(String::new(), |mut words, (name, value)| {
            // Writing to memory cannot fail.
            let _ = write!(words, " --{name} {value}");
            words
        })
    }
}

/// Reads a log and writes the jobs that pass the filters to another.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    args.filter.check()?;
    let reader = Reader::open(&args.input.log, args.input.options())?;
    let format = args.output.format(reader.format())?;
    if format != reader.format() {
        let (from, to) = (reader.format().name, format.name);
        return Err(Failure::Usage(anyhow!(
            "cut keeps the format, here {from}; `trace convert` makes {to} of it"
        )));
    }
    let mut writer = args.output.writer(format)?;
    let note = format!("; Note: cut by meshreplay:{}", args.filter.words());
    let mut kept = 0;
    let summary = copy(reader, &mut writer, Some(&note), |record| {
        let is_kept = args.filter.first.is_none_or(|first| kept < first) && args.filter.passes(record);
        kept += u64::from(is_kept);
        is_kept.then_some(*record)
    })?;
    writer.finish()?;
    complain_of_skipped(&summary);
    complain(&format!("{}: {kept} of {} jobs kept", args.output.out.display(), summary.records));
    Ok(())
}
