//! `meshreplay trace convert`: converts a log from one format to another.

use super::{Failure, Input, Output, complain_of_skipped};
use crate::cli::complain;
use crate::trace::Reader;
use crate::workload::{CONVERSION_REASONS, convert};

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

/// Reads a log and writes it in the other format.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let reader = Reader::open(&args.input.log, args.input.options())?;
    let format = args.output.format(reader.format())?;
    let mut writer = args.output.writer(format)?;
    let (summary, left_out) = convert(reader, &mut writer, format)?;
    writer.finish()?;
    complain_of_skipped(&summary);
    let kept = summary.records - left_out.total();
    complain(&format!("{}: {kept} of {} jobs written", args.output.out.display(), summary.records));
    if summary.irregularities.no_jobs > 0 {
        complain(&format!("left out: lines that are no jobs: {}", summary.irregularities.no_jobs));
    }
    for (reason, words) in CONVERSION_REASONS {
        if left_out.count(reason) > 0 {
            complain(&format!("left out: {words}: {}", left_out.count(reason)));
        }
    }
    Ok(())
}
