//! `meshreplay reproduce`: regenerates the figures of a paper and compares published with measured values.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::ArgGroup;

use super::plot::drawing::{PaperArgs, PixelArgs};
use super::runner::Runner;
use super::terminal::screen;
use super::{Failure, check_directory, complain, one_of, print};
use crate::disk::{Claim, Unfinished};
use crate::figure::PictureFormat;
use crate::frame::{self, StudyFolder, TEMPORARY};
use crate::paper::{Comparison, Figure, Format, PAPERS, Paper, Plot, Regeneration, Replays, plots, shown};
use crate::spec::unknown;
use crate::study::Study;
use crate::text::{Align, Screen, TextTable};
use crate::words::counted;

/// Regenerate the tables and figures of a paper: the published value, the measured one, their ratio, a
/// verdict.
///
/// Logs are found in a directory by the names of their datasets, in whatever version is there. Figures whose
/// logs are missing are left out, and the command that fetches the logs is shown. `reproduce list` shows
/// every figure.
#[derive(Debug, clap::Args)]
// Without -o there are no plots that these could change.
#[command(
    group = ArgGroup::new("drawn")
        .args(["pictures", "size", "no_title", "scale", "dpi"])
        .multiple(true)
        .requires("output")
)]
#[command(after_help = "Examples:
  meshreplay reproduce list
  scripts/fetch-traces.sh NASA-iPSC-1993-3.1-cln && \\
    meshreplay reproduce walker2010 fig9
  meshreplay reproduce walker2010 --traces ~/logs -o walker \\
    --format markdown > walker.md
  meshreplay reproduce gabl2006 fig4 -o gabl --pictures pdf --size 84mm \\
    --no-title")]
pub(super) struct Args {
    /// Paper, such as walker2010; or list.
    #[arg(value_name = "PAPER")]
    paper: String,

    /// Figures, such as fig9 [default: all that can be regenerated].
    #[arg(value_name = "FIGURE")]
    figures: Vec<String>,

    /// Directory of logs such as LLNL-T3D-1996-2.swf.gz [default: traces/archive].
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,

    /// Directory for the results of all replays, the comparison as csv and json, and plots. If
    /// the command is interrupted, the same command continues from there.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Number of replays that run at once [default: the number of cores, and 1 where times are compared].
    #[arg(long, value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,

    /// Format of the comparison on standard output [default: table].
    #[arg(long, value_parser = one_of(&Format::ALL))]
    format: Option<Format>,

    /// Format of the plots that -o writes.
    #[arg(long, value_parser = super::plot::formats(), value_name = "FORMAT", default_value = "svg")]
    pictures: &'static PictureFormat,

    #[command(flatten)]
    paper_size: PaperArgs,

    #[command(flatten)]
    pixels: PixelArgs,

    /// Print neither notes nor progress on standard error.
    #[arg(short, long)]
    quiet: bool,
}

/// Runs replays: on all threads, or on one thread where run times matter.
struct Runners<'a> {
    args: &'a Args,
    by_timed: [Runner; 2],
    /// The number of replays that failed.
    failed: usize,
}

impl Replays for Runners<'_> {
    fn run(&mut self, study: &Study, folder: &StudyFolder, cells: &[usize], timed: bool) -> bool {
        let runner = &self.by_timed[usize::from(timed)];
        self.failed += runner.run_into(folder, study, cells).failed;
        !runner.is_interrupted()
    }

    fn note(&mut self, text: &str) {
        if !self.args.quiet {
            complain(text);
        }
    }
}

/// Prints the list of figures. Fails if an option or a figure is given, as the list takes neither.
fn list(args: &Args) -> Result<(), Failure> {
    let useless = [
        ("--output", args.output.is_some()),
        ("--traces", args.traces.is_some()),
        ("--format", args.format.is_some()),
        ("--threads", args.threads.is_some()),
    ];
    if let Some((option, _)) = useless.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Usage(anyhow!(
            "`reproduce list` measures nothing, so that {option} has no effect; leave it out, or name a paper"
        )));
    }
    if args.figures.is_empty() {
        print(&listing())
    } else {
        Err(Failure::Usage(anyhow!("`reproduce list` takes no figures; found '{}'", args.figures.join(" "))))
    }
}

/// Regenerates figures and prints the comparisons.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if args.paper == "list" {
        return list(args);
    }
    let paper = find(&args.paper).map_err(Failure::Usage)?;
    let figures = figures(paper, &args.figures).map_err(Failure::Usage)?;
    args.pixels.check(args.pictures).map_err(Failure::Usage)?;
    args.output.as_deref().map_or(Ok(()), check_directory)?;
    // Without -o the results are in a temporary directory, which is removed at the end in any case.
    let temporary = match args.output {
        Some(_) => None,
        None => Some(
            Unfinished::make(tempfile::tempdir, tempfile::TempDir::path)
                .context("cannot make a temporary directory")?,
        ),
    };
    let kept = args.output.clone().or_else(|| temporary.as_ref().map(|(folder, _)| folder.path().to_owned()));
    let folder = kept.unwrap_or_default();
    let traces = args.traces.as_deref().unwrap_or(Path::new("traces/archive"));
    // The directory must exist, because results that need no replays are kept there too.
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let _claim = Claim::shared(&folder)?;
    let many = Runner::new(args.threads, usize::MAX, args.quiet)?;
    let one = many.with_one_thread()?;
    let mut replays = Runners { args, by_timed: [many, one], failed: 0 };
    let mut regeneration = Regeneration {
        traces,
        folder: &folder,
        is_kept: args.output.is_some(),
        replays: &mut replays,
        missing: BTreeSet::new(),
    };
    let mut comparisons = Vec::new();
    for figure in figures {
        comparisons.push(regeneration.regenerate(paper, figure)?);
    }
    if comparisons.iter().all(|comparison| comparison.findings.is_empty()) {
        return Err(anyhow!(
            "nothing could be measured: none of the logs is in {}; --traces says where to look",
            traces.display()
        )
        .into());
    }
    if let Some(folder) = &args.output {
        keep(paper, &comparisons, folder, args)?;
    }
    print(&shown(&comparisons, args.format.unwrap_or(Format::Table), screen())?)?;
    if replays.failed > 0 {
        complain(&format!(
            "error: {} failed; what depends on them is left out",
            counted(replays.failed, "replay")
        ));
        return Err(Failure::Reported);
    }
    Ok(())
}

/// Writes the comparisons and their plots into `folder`.
fn keep(paper: &Paper, comparisons: &[Comparison], folder: &Path, args: &Args) -> Result<(), Failure> {
    for (format, extension) in [(Format::Csv, "csv"), (Format::Json, "json")] {
        let path = folder.join(format!("{}.{extension}", paper.name));
        frame::write_whole(&path, shown(comparisons, format, Screen::default())?.as_bytes(), TEMPORARY)?;
    }
    for comparison in comparisons {
        for Plot { name, drawing } in plots(comparison, args.paper_size.page()) {
            let svg = args.paper_size.printed(drawing).svg();
            let path = folder.join(format!("{name}.{}", args.pictures.name));
            frame::write_whole(&path, &(args.pictures.write)(&svg, args.pixels.factor())?, TEMPORARY)?;
        }
    }
    Ok(())
}

/// Returns the paper of this name, or an error that lists the names.
fn find(name: &str) -> anyhow::Result<&'static Paper> {
    let names = PAPERS.iter().map(|paper| paper.name).chain(["list"]);
    PAPERS.iter().find(|paper| paper.name == name).ok_or_else(|| unknown("paper", name, names).into())
}

/// Returns the requested figures, each once, in the order of the paper; without names all figures.
fn figures(paper: &'static Paper, names: &[String]) -> anyhow::Result<Vec<&'static Figure>> {
    for name in names {
        if paper.figure(name).is_none() {
            let known = paper.figures.iter().map(|figure| figure.name);
            return Err(anyhow::Error::from(unknown("figure", name, known)).context(paper.name));
        }
    }
    let is_wanted = |figure: &&Figure| names.is_empty() || names.iter().any(|name| name == figure.name);
    Ok(paper.figures.iter().filter(is_wanted).collect())
}

/// Returns the list of all papers and figures as text.
fn listing() -> String {
    let columns = ["paper", "figure", "title"].map(|title| (title, Align::Left));
    let mut table = TextTable::new(&columns);
    for paper in PAPERS {
        for figure in paper.figures {
            table.add([paper.name, figure.name, figure.title].map(str::to_owned).to_vec());
        }
    }
    let sources: Vec<String> =
        PAPERS.iter().map(|paper| format!(" {}: {}\n", paper.name, paper.source)).collect();
    format!("{}\n{}", screen().table_from_left(&table, 2), screen().hanging(&sources.concat(), 4))
}
