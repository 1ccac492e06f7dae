//! `meshreplay trace convert`: converts a log from one format to another.

use super::{Failure, Input, Output, check_read, complain_of_skipped};
use anyhow::anyhow;

use crate::cli::complain;
use crate::disk::TEMPORARY;
use crate::frame::write_whole;
use crate::text::csv_line;
use crate::trace::{LogSummary, LogUnit, Reader};
use crate::workload::{Again, CONVERSION_REASONS, Converted, convert, names_rows};

/// Convert a log from one format to another, told by the extensions
///
/// From swf to premas, by the rules of that simulator's authors: allocated processors (field 5), run time
/// from field 4 or else 6, estimate from field 9, and only jobs with status -1, 0, 1, or 5 after some run
/// time. Jobs left out are counted on standard error. The premas format has no header.
///
/// Logs of batch systems and tables are recognised by their first line, or read by --input-format or
/// --columns. Their submit times then count from the first one, and the header has its date
/// (`UnixStartTime`), the time zone, and the size of the machine (`MaxProcs`: as `--machine auto` finds it
/// or, where that is not known, the most processors in use at once; a comment says which). Names become
/// numbers, listed in NAME.names.csv.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    output: Output,

    /// Write the names of users, groups, applications, queues and partitions as comments, such as `; User:
    /// 1 anna`, instead of into NAME.names.csv
    #[arg(long)]
    keep_names: bool,

    /// Write jobs in the order of their submissions, stably. Temporary files hold what does not fit into
    /// memory.
    #[arg(long)]
    sort: bool,
}

/// Reads a log and writes it in the other format.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let reader = Reader::open(&args.input.log, args.input.options()?)?;
    let format = args.output.format(reader.format())?;
    let writer = args.output.writer(format)?;
    let mut writer = if args.sort { writer.sorted() } else { writer };
    let options = args.input.options()?;
    let again = || Reader::open(&args.input.log, options.clone());
    // A pipe cannot be read twice.
    let is_file = args.input.log.as_os_str() != "-" && args.input.log.is_file();
    let again = is_file.then_some(&again as Again<'_>);
    let unit = LogUnit::new(reader.format(), options.format.as_ref());
    let Converted { summary, left_out, lists } =
        convert(reader, again, unit, &mut writer, format, args.keep_names)?;
    complain_of_skipped(&summary);
    check_read(&summary)?;
    let names = names_table(&summary).filter(|_| !args.keep_names);
    let side = args.output.beside(".names.csv");
    if let (Some(side), Some(names)) = (&side, &names) {
        if side.exists() && !args.output.force {
            return Err(Failure::Failed(anyhow!("{} already exists; --force overwrites it", side.display())));
        }
        write_whole(side, names.as_bytes(), TEMPORARY)?;
    }
    let lost_sides = writer.lost_sides();
    writer.finish()?;
    match (&side, names) {
        (Some(side), Some(_)) => complain(&format!(
            "{}: the names behind the numbers, for people; --keep-names writes them into the log, where \
                 replays find them",
            side.display()
        )),
        (None, Some(_)) => {
            complain("the names behind the numbers are lost; --keep-names keeps them as comments");
        }
        (_, None) => {}
    }
    let kept = summary.records - left_out.total();
    complain(&format!("{}: {kept} of {} jobs written", args.output.path().display(), summary.records));
    if summary.irregularities.no_jobs > 0 {
        complain(&format!("left out: lines that are no jobs: {}", summary.irregularities.no_jobs));
    }
    if lists > 0 {
        complain(&format!("lost, as {} has no nodes of jobs: lists of nodes: {lists}", format.name));
    }
    if lost_sides > 0 {
        complain(&format!("lost: shapes of jobs: {lost_sides}"));
    }
    for (what, count) in &summary.facts.counts {
        complain(&format!("{}: {what}: {count}", args.input.log.display()));
    }
    for (reason, words) in CONVERSION_REASONS {
        if left_out.count(reason) > 0 {
            complain(&format!("left out: {words}: {}", left_out.count(reason)));
        }
    }
    Ok(())
}

/// Returns the names of a log as comma-separated values with a heading; `None` if it has no names.
fn names_table(summary: &LogSummary) -> Option<String> {
    let rows = names_rows(summary);
    let lines = rows.iter().map(|row| csv_line(row.iter().map(String::as_str)));
    (!rows.is_empty()).then(|| csv_line(["kind", "number", "name"]) + &lines.collect::<String>())
}
