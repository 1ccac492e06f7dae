//! The table of the numbers of a summary, one row per number. Frames, tables, plots, reports and replications
//! derive everything about a number from its row.
//!
//! A new number needs one row and its function. The columns of the `summary` frame have the order of the
//! rows: `times` before `places`.

mod places;
mod times;

use super::metric::Metric;

/// Every number of a summary.
pub static METRICS: &[Metric] = &joined::<{ times::ROWS.len() + places::ROWS.len() }>();

/// Concatenates the rows of both parts.
const fn joined<const N: usize>() -> [Metric; N] {
    let mut all = [times::ROWS[0]; N];
    let mut i = 0;
    while i < N {
        let before = times::ROWS.len();
        all[i] = if i < before { times::ROWS[i] } else { places::ROWS[i - before] };
        i += 1;
    }
    all
}
