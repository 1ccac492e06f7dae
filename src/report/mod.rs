//! Reports and tables of results. A report is one HTML file with all its data, which any browser shows without a
//! network.

mod chosen_columns;
mod crosstab;
mod error;
mod escape;
mod foreign;
mod groups;
mod html;
mod intervals;
mod laws_table;
mod listing;
mod page;
mod played;
mod player;
mod summary_table;
mod tables;
mod verdict;

pub use chosen_columns::{ColumnError, check_columns, summary_column, summary_metric};
pub use crosstab::{CrosstabError, CrosstabOptions, crosstab};
pub use error::ReportError;
pub use foreign::safe_svg;
pub use groups::{GROUPINGS, Grouping, GroupsError, GroupsOptions, group_column, groups};
pub use html::{Report, ReportCell, ReportTable};
pub use laws_table::laws_table;
pub use listing::{LISTINGS, Listing, schema_table};
pub use page::ReportOptions;
pub use played::{Played, PlayedJob, PlayedReplay};
pub use summary_table::SummaryTable;
pub use verdict::verdict;
