//! What Figs. 4 and 5 and the text have in common: by how much compaction lowers delays.

use super::at;
use crate::paper::comparisons::rounded;
use crate::paper::evidence::Evidence;
use crate::paper::item::Item;

pub(super) const FF: &str = "linear-first-fit";
pub(super) const LOC: &str = "left-compaction";
pub(super) const CFC: &str = "cost-free-compaction";
pub(super) const QUEUE: &str = "queue_delay_s_mean";
pub(super) const ALLOCATION: &str = "allocation_delay_s_mean";
/// The array of the SDSC Paragon.
pub(super) const ARRAY: &str = "400";

/// By how many percent `column` is lower than with first fit.
pub(super) fn percent(
    found: &Evidence,
    (dataset, machine, rules): (&str, &str, &str),
    (allocator, column): (&str, &str),
) -> Option<f64> {
    let of = |allocator| found.value(at(dataset, machine, rules, allocator), column);
    let (with, without) = (of(allocator)?, of(FF)?);
    Some(100.0 * (1.0 - with / without))
}

/// An item that, if it differs, says what came out under other assumptions.
pub(super) fn with_tries(item: Item, tries: &[(&str, f64)]) -> Item {
    let tries: Vec<String> =
        tries.iter().map(|(assumption, value)| format!("{} with {assumption}", rounded(*value))).collect();
    if tries.is_empty() { item } else { item.because(&format!("tried: {}", tries.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::item::{Published, Tolerance, Verdict};

    #[test]
    fn what_was_tried_is_said_only_where_numbers_differ() {
        let published = Published { value: 2.0, decimals: 1 };
        let item = |measured| Item::new("", "", "").compared(published, measured, Tolerance::Percent(10.0));
        let tries = [("longer steps", 2.5), ("none", 0.0)];
        let said = with_tries(item(3.0), &tries).verdict.to_string();
        assert_eq!(
            said,
            "differs: 50.0 % above, more than 10 %; tried: 2.500 with longer steps, 0 with none"
        );
        assert_eq!(with_tries(item(2.0), &tries).verdict, Verdict::Exact);
    }
}
