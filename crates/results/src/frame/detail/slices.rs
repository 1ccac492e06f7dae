//! The `slices` frame: how many of each slice of `--fragmentation` fit into the free nodes.

use super::{Detail, InCells, described_with_coordinates, with_coordinates};
use crate::frame::column::Field;
use crate::frame::column::Value::{F64, Str};
use meshreplay_sim::metrics::{Needs, SliceFit};

/// The frame's row in the table of details.
pub(super) const DETAIL: Detail = Detail {
    name: "slices",
    rows: "one per slice of --fragmentation, in the order of the option",
    needs: Needs::Fragmentation,
    in_cells: InCells::Always,
    columns: || described_with_coordinates(&fields(), Needs::Fragmentation),
    build: |replicate, _| {
        let fragmentation = replicate.outcome.recording.fragmentation.as_ref();
        with_coordinates(replicate, &fields(), fragmentation.map_or(&[], |record| &record.slices))
    },
    is_of_jobs: false,
};

fn fields() -> Vec<Field<SliceFit>> {
    vec![
        Field::new("slice", Str(|of: &SliceFit| of.slice.to_string())).meaning(
            "the slice: sides such as 4x4, and `*N` behind them if the option has an N of at least 2",
        ),
        Field::new("fit_mean", F64(|of: &SliceFit| of.fit)).meaning(
            "time-weighted mean number of such slices that fit into the free nodes at once, counted greedily",
        ),
        Field::new("fit_share", F64(|of: &SliceFit| of.enough))
            .meaning("share of the makespan with at least N fitting slices of this kind; N is 1 by default"),
    ]
}
