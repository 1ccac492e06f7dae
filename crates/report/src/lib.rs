//! Reports and tables of results. A report is one HTML file with all its data, which any browser shows
//! without a network.
#![forbid(unsafe_code)]

mod chosen_columns;
mod crosstab;
mod groups;
mod layout;
mod listing;
mod page;
mod sparklines;
mod summary_table;
mod verdict;

pub use chosen_columns::{ColumnError, check_columns, summary_column, summary_metric};
pub use crosstab::{Along, CrosstabError, CrosstabOptions, crosstab};
pub use groups::{GROUPINGS, Grouping, GroupsError, GroupsOptions, group_column, group_columns, groups};
pub use layout::{LAYOUTS, LayoutError, LayoutKind, LayoutTables, layout};
pub use listing::{LISTINGS, Listing, laws_table, schema_table};
pub use page::{
    BlockTree, Choice, Meaning, PlayerData, ReplayData, Report, ReportCell, ReportColumn, ReportError,
    ReportFigure, ReportOptions, ReportTable, Strip, safe_svg,
};
pub use sparklines::Sparklines;
pub use summary_table::{SummaryTable, saved_table, saved_verdict};
pub use verdict::verdict;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
