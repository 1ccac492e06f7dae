//! `meshreplay merge`: merges the directories of one study into one.

use std::path::PathBuf;

use anyhow::anyhow;

use super::{Failure, check_directory, complain, note};
use crate::frame::{self, StudyFolder};

/// Merge the directories of a study's shards.
///
/// If several directories have a cell, it must be the same in all but for measured times, and the first is
/// taken. Cells that no directory has are named, and then nothing is written unless --partial is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay merge shard1 shard2 shard3 -o whole")]
pub(super) struct Args {
    /// Directories of `meshreplay sweep -o`.
    #[arg(required = true, value_name = "DIR")]
    parts: Vec<PathBuf>,

    /// Directory of the merged study. It may be one of the parts.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// Write the cells that there are even if others are missing.
    #[arg(long)]
    partial: bool,

    /// Write the jobs of all cells too, with log, machine, scheduler, allocator and the other coordinates of
    /// their replay, into tidy.parquet.
    #[arg(long)]
    tidy: bool,

    /// Print no notes on standard error.
    #[arg(short, long)]
    quiet: bool,
}

/// The number of missing cells that are named; of further ones only the number is shown.
const NAMED: usize = 20;

/// Merges the directories. Fails if a cell is missing, unless `--partial` is given.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    check_directory(&args.output)?;
    let parts: Vec<StudyFolder> = args.parts.iter().map(|part| StudyFolder::new(part, None)).collect();
    let out = StudyFolder::new(&args.output, None);
    let (manifest, missing) = frame::merge(&parts, &out, args.partial, args.tidy)?;
    let total = manifest.cells.len();
    let has_several_rules = manifest.cells.windows(2).any(|pair| pair[0].spec.rules != pair[1].spec.rules);
    for &cell in missing.iter().take(NAMED) {
        let spec = &manifest.cells[cell].spec;
        let by = if has_several_rules { format!(", rules {}", spec.rules) } else { String::new() };
        complain(&format!("missing: replay {cell}, {}{by}", spec.label()));
    }
    if missing.len() > NAMED {
        complain(&format!("missing: … and {} more", missing.len() - NAMED));
    }
    if !missing.is_empty() && !args.partial {
        let text = format!(
            "{} of {total} cells are missing and nothing is written; sweep them, or give --partial",
            missing.len()
        );
        return Err(anyhow!(text).into());
    }
    let (there, summary) = (total - missing.len(), out.path().join("summary.parquet"));
    note(args.quiet, &format!("{there} of {total} cells; {} is written", summary.display()));
    Ok(())
}
