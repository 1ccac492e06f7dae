//! `meshreplay trace convert`: from one format of logs to another.

use std::collections::BTreeMap;

use super::{Failure, Input, Output, complain_of_skipped};
use crate::cli::complain;
use crate::trace::formats::premas::{self, LeftOut};
use crate::trace::{Entry, Format, LogSummary, Reader, Record, Writer};

/// Converts a log from one format to another, told by the extensions
///
/// From swf to premas by the rules of that simulator's authors: processors are those allocated (field 5), the run time
/// is field 4 or else field 6, the estimate is field 9, and only jobs with status -1, 0, 1, or 5 after some run time
/// are kept. What is left out is counted on standard error. The premas format has no header. Native logs are read by
/// --input-format nas-ipsc (NASA Ames iPSC/860) or by --columns, such as submit=3,run=5,procs=2,user=1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    output: Output,
}

/// Reads the one log and writes the other.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let reader = Reader::open(&args.input.log, args.input.options())?;
    let format = args.output.format(reader.format())?;
    let mut writer = args.output.writer(format)?;
    let (summary, left_out) = copy(reader, &mut writer, format)?;
    writer.finish()?;
    complain_of_skipped(&summary);
    let kept = summary.records - left_out.values().sum::<u64>();
    complain(&format!("{}: {kept} of {} jobs written", args.output.out.display(), summary.records));
    if summary.findings.no_jobs > 0 {
        complain(&format!("left out: lines that are no jobs: {}", summary.findings.no_jobs));
    }
    for (why, count) in left_out {
        complain(&format!("left out: {}: {count}", why.reason()));
    }
    Ok(())
}

fn copy(
    mut reader: Reader,
    writer: &mut Writer,
    format: Format,
) -> Result<(LogSummary, BTreeMap<LeftOut, u64>), Failure> {
    let input = reader.format();
    if format == Format::Swf && input != Format::Swf {
        writer.comment(b"; Version: 2.2")?;
        writer.comment(
            format!("; Note: converted by meshreplay from a log of format {}", input.name()).as_bytes(),
        )?;
    }
    let convert = |record: Record| match (input, format) {
        (_, Format::Premas) if input != Format::Premas => premas::from_record(&record),
        _ => Ok(record),
    };
    let mut left_out = BTreeMap::new();
    while let Some(entry) = reader.next_entry()? {
        match entry {
            Entry::Record { record, .. } => match convert(record) {
                Ok(record) => writer.record(&record)?,
                Err(why) => *left_out.entry(why).or_default() += 1,
            },
            Entry::Comment(text) => writer.comment(text)?,
            Entry::Blank | Entry::NoJob | Entry::Skipped(_) => {}
        }
    }
    Ok((reader.finish()?, left_out))
}
