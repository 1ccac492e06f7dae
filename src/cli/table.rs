//! `meshreplay table`: prints saved results as the tables in papers.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::ValueEnum;

use super::plot::drawing::{FilterArgs, size};
use super::terminal::screen;
use super::{Failure, note, one_of, print};
use crate::figure::draw::SizeMm;
use crate::figure::{FigureError, Results, filtered};
use crate::frame::{SavedTable, StudyFolder};
use crate::metrics::Better;
use crate::report::{
    Along, CrosstabOptions, GROUPINGS, Grouping, GroupsOptions, LAYOUTS, LayoutKind, crosstab, group_column,
    group_columns, groups, layout, summary_column, summary_metric,
};
use crate::text::PaperTable;

/// Print a table of saved results: one number per row and column, the best of each column or row bold.
///
/// Reads the summary of `replay -o` or `sweep -o`. Rows and columns have the order of the summary.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay table out --rows allocator --columns log,machine \\
    --value pairwise_sum_mean --relative-to mc1x1
  meshreplay table out --layout dispersal --format latex --size 84mm
  meshreplay table out --by user --top 10 --relative-to mc1x1")]
pub(super) struct Args {
    /// Directory of `replay -o` or `sweep -o`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Frame that is shown: the summary, or one row for each shape of jobs, which --by-shape keeps, or for
    /// each slice of --fragmentation.
    #[arg(long, value_name = "FRAME", default_value = "summary",
          value_parser = ["summary", "shapes", "slices"])]
    frame: String,

    /// Columns of the frame whose values label the rows.
    #[arg(long, value_name = "COLUMNS", default_value = "allocator", num_args = 1.., value_delimiter = ',')]
    rows: Vec<String>,

    /// Columns of the frame whose values label the columns [default: log,machine]. With --by, the numbers
    /// that are shown instead of the default ones, such as `wait_s_mean,wait_s_median`, or `why` for the
    /// causes of waiting; --format csv has their names.
    #[arg(long, value_name = "COLUMNS", num_args = 1.., value_delimiter = ',')]
    columns: Vec<String>,

    /// Number that is shown, as a column of the frame or by the title that tables have. With --layout,
    /// several: sum,to-bound,wait [default: the pairwise sum, or the numbers of the layout].
    #[arg(long, value_name = "COLUMN", num_args = 1.., value_delimiter = ',')]
    value: Vec<String>,

    /// Table of several numbers as in papers: rows are logs and machines, columns allocators, with a block
    /// for each scheduler and load. Bold numbers are the best of those that take any free nodes, and of the
    /// others, as far as intervals allow.
    #[arg(long, value_name = "KIND", value_parser = one_of(&layouts()),
          conflicts_with_all = ["frame", "rows", "columns", "by", "relative_to", "best", "decimals"])]
    layout: Option<&'static LayoutKind>,

    /// Width of a --layout in LaTeX, such as 84mm for a column: type gets smaller and blocks get fewer
    /// columns until all fits [default: 174mm].
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "layout")]
    size: Option<SizeMm>,

    #[command(flatten)]
    filters: FilterArgs,

    /// Group the jobs instead: number of jobs, node-hours, wait, bounded slowdown and dispersal for each
    /// group and replay. Groups with most node-hours come first; size (powers of two of processors) and
    /// hour (of the week of the submission) have their own order. Needs the jobs that `replay -o` and
    /// `sweep --jobs` keep.
    #[arg(long, value_name = "WHAT", value_parser = one_of(&groupings()),
          conflicts_with_all = ["frame", "rows", "value", "best"])]
    by: Option<&'static Grouping>,

    /// Number of groups of --by with most node-hours to show; the rest is one more group.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    top: Option<u64>,

    /// Number for sorting the groups of --by, best first, or most jobs or node-hours first. A group with
    /// several replays is sorted by the mean of its numbers.
    #[arg(long, value_name = "COLUMN", value_parser = group_column)]
    sort: Option<&'static str>,

    /// Divide all numbers by this row or column, such as mc1x1. With --by, divide the means of each group by
    /// its own under this scheduler or allocator: below 1, the group gains.
    #[arg(long, value_name = "LABEL")]
    relative_to: Option<String>,

    /// Which numbers are bold: the best of columns or rows, lowest or highest, such as rows,highest
    /// [default: columns, and lowest or highest as fits the numbers]. If labels name an allocator or
    /// scheduler, only numbers that differ in nothing else are compared.
    #[arg(long, value_delimiter = ',', value_parser = one_of(&BEST))]
    best: Vec<Best>,

    /// Number of decimals. By default the largest number has four digits, and csv and json have all decimals.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=15))]
    decimals: Option<u8>,

    /// Format of the table.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(name = "table", alias = "text")]
    Text,
    #[value(alias = "md")]
    Markdown,
    #[value(alias = "tex")]
    Latex,
    Csv,
    Json,
}

/// Which numbers are the best, or along which direction.
#[derive(Clone, Copy, Debug)]
enum Best {
    Better(Better),
    Along(Along),
}

/// The words of --best.
const BEST: [(&str, Best); 5] = [
    ("columns", Best::Along(Along::Columns)),
    ("rows", Best::Along(Along::Rows)),
    ("lowest", Best::Better(Better::Lower)),
    ("highest", Best::Better(Better::Higher)),
    ("none", Best::Better(Better::Neither)),
];

/// Prints the table.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(by) = args.by {
        return args.print_groups(by);
    }
    // The parser's `requires` has no effect if another argument conflicts with --by.
    let of_groups = [("--top", args.top.is_some()), ("--sort", args.sort.is_some())];
    if let Some((option, _)) = of_groups.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Usage(anyhow!(
            "{option} needs --by; without it, rows stand in the order of the summary"
        )));
    }
    let results = match args.frame.as_str() {
        "summary" => SavedTable::read(&args.folder)?,
        detail => {
            let details = SavedTable::read_details(&args.folder, detail, &|_| true)?;
            details.ok_or_else(|| {
                let is_slices = detail == "slices";
                let (jobs, option) =
                    if is_slices { ("", "--fragmentation") } else { (" --jobs", "--by-shape") };
                anyhow!(
                    "{} holds no frame '{detail}'; `replay -o` and `sweep{jobs}` keep it with {option}",
                    args.folder.display()
                )
            })?
        }
    };
    let deleted = StudyFolder::new(&args.folder, None).deleted_note(&results);
    for text in results.missing_note().into_iter().chain(deleted) {
        note(false, &text);
    }
    let results = filtered(results, &args.filters.given())?;
    if let Some(kind) = args.layout {
        return args.print_layout(kind, results);
    }
    let options = args.options()?;
    let table = crosstab(&results, &args.folder, &options)?;
    if table.rows.is_empty() {
        note(false, &format!("no result has a value of {}", options.value));
    }
    args.format.print(&table)
}

/// Returns the layouts with their names.
fn layouts() -> Vec<(&'static str, &'static LayoutKind)> {
    LAYOUTS.iter().map(|row| (row.name, row)).collect()
}

/// Returns the groupings with their names.
fn groupings() -> Vec<(&'static str, &'static Grouping)> {
    GROUPINGS.iter().map(|row| (row.name, row)).collect()
}

impl Format {
    /// Returns whether numbers and labels are for other programs.
    fn is_exact(self) -> bool {
        matches!(self, Self::Csv | Self::Json)
    }

    /// Prints a table. The notes on one for other programs go to standard error.
    fn print(self, table: &PaperTable) -> Result<(), Failure> {
        if self.is_exact() {
            for text in &table.notes {
                note(false, text);
            }
        }
        match self {
            Self::Text => print(&table.text(screen())),
            Self::Markdown => print(&table.markdown()),
            Self::Latex => print(&table.latex()),
            Self::Csv => print(&table.csv()),
            Self::Json => print(&table.json()),
        }
    }
}

impl Args {
    /// Prints the jobs by group.
    fn print_groups(&self, by: &'static Grouping) -> Result<(), Failure> {
        let top = self.top.map(|top| usize::try_from(top).unwrap_or(usize::MAX));
        let columns: Result<Vec<_>, _> = self.columns.iter().map(|name| group_columns(name)).collect();
        let columns = columns.map_err(|error| Failure::Usage(anyhow!("--columns: {error}")))?.concat();
        let (sort, decimals, exact) = (self.sort, self.decimals, self.format.is_exact());
        let relative_to = self.relative_to.clone();
        let options = GroupsOptions { by, top, columns, sort, relative_to, decimals, exact };
        let summary = filtered(SavedTable::read(&self.folder)?, &self.filters.given())?;
        self.format.print(&groups(&self.folder, &summary, &options)?)
    }

    /// Prints the table in blocks.
    fn print_layout(&self, kind: &'static LayoutKind, results: SavedTable) -> Result<(), Failure> {
        const PAGE: SizeMm = SizeMm { width: 174.0, height: None };
        if self.size.is_some() && self.format != Format::Latex {
            return Err(Failure::Usage(anyhow!("--size is for --format latex")));
        }
        if results.height() == 0 {
            return Err(FigureError::NoRows { path: results.path }.into());
        }
        let chosen: Result<Vec<_>, _> = self.value.iter().map(|name| summary_metric(name)).collect();
        let chosen = chosen.map_err(|error| Failure::Usage(anyhow!("--value: {error}")))?;
        let tables = layout(&self.folder, &Results::new(results), kind, &chosen)?;
        match self.format {
            Format::Text => print(&tables.shown.text(screen())),
            Format::Markdown => print(&tables.shown.markdown()),
            Format::Latex => {
                let text = tables.shown.latex(self.size.unwrap_or(PAGE).width);
                print(&text.map_err(|error| Failure::Usage(error.into()))?)
            }
            Format::Csv => print(&tables.data.csv()),
            Format::Json => print(&tables.data.json()),
        }
    }

    fn options(&self) -> Result<CrosstabOptions, Failure> {
        let value = match self.value.as_slice() {
            [] if self.frame == "slices" => "fit_mean".to_owned(),
            [] if self.frame == "summary" => "pairwise_sum_mean".to_owned(),
            [] => {
                return Err(Failure::Usage(anyhow!("--frame {}: give the number with --value", self.frame)));
            }
            // Other frames have columns of their own.
            [value] if self.frame == "summary" => {
                summary_column(value).map_err(|error| Failure::Usage(anyhow!("--value: {error}")))?
            }
            [value] => value.clone(),
            _ => {
                let names: Vec<&str> = LAYOUTS.iter().map(|kind| kind.name).collect();
                return Err(Failure::Usage(anyhow!(
                    "--value: several numbers need --layout {}; otherwise give one",
                    names.join(" or ")
                )));
            }
        };
        let (mut best, mut along) = (None, Along::default());
        for word in &self.best {
            match word {
                Best::Better(better) => best = Some(*better),
                Best::Along(chosen) => along = *chosen,
            }
        }
        Ok(CrosstabOptions {
            rows: self.rows.clone(),
            columns: if self.columns.is_empty() {
                ["log", "machine"].map(str::to_owned).to_vec()
            } else {
                self.columns.clone()
            },
            value,
            relative_to: self.relative_to.clone(),
            best,
            along,
            decimals: self.decimals,
            exact: self.format.is_exact(),
        })
    }
}
