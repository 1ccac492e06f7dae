//! Numbers of groups divided by those of the same group under another scheduler or allocator.

use std::collections::BTreeMap;

use super::{GroupsError, Members};
use meshreplay_alloc::allocator;
use meshreplay_base::spec::unknown;
use meshreplay_sim::metrics::GroupNumbers;

/// Divides the means and medians of all rows by those of the row of the same group that has the label `base`
/// and otherwise the same labels, and leaves out the rows with this label. Numbers without a base, or with a
/// base of 0, become unknown. Fails if no label is `base`.
pub(super) fn relative(groups: &mut [Members], base: &str) -> Result<(), GroupsError> {
    // The first label is that of the group.
    let labels = || groups.iter().flatten().flat_map(|(labels, _)| labels.iter().enumerate().skip(1));
    let short = allocator::short_label(base);
    let is_base = |label: &str| label == base || allocator::short_label(label) == short;
    let Some(at) = labels().find(|(_, label)| is_base(label)).map(|(at, _)| at) else {
        let mut known: Vec<&str> = labels().map(|(_, label)| label.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        return Err(GroupsError::NoBase(unknown("label", base, known)));
    };
    for rows in groups {
        let others = |labels: &[String]| [&labels[..at], &labels[at + 1..]].concat();
        let (of_base, compared): (Members, Members) =
            std::mem::take(rows).into_iter().partition(|(labels, _)| is_base(&labels[at]));
        let bases: BTreeMap<Vec<String>, GroupNumbers> =
            of_base.into_iter().map(|(labels, numbers)| (others(&labels), numbers)).collect();
        let divided = |(labels, numbers): (Vec<String>, GroupNumbers)| {
            let base = bases.get(&others(&labels)).cloned().unwrap_or_default();
            let numbers = divided(numbers, &base);
            (labels, numbers)
        };
        *rows = compared.into_iter().map(divided).collect();
    }
    Ok(())
}

/// Returns the ratios of means and medians; counts and node-hours stay.
fn divided(mut numbers: GroupNumbers, base: &GroupNumbers) -> GroupNumbers {
    let ratio = |of: Option<f64>, base: Option<f64>| Some(of? / base.filter(|base| *base > 0.0)?);
    numbers.wait_s_median = ratio(numbers.wait_s_median, base.wait_s_median);
    for (i, mean) in numbers.means.iter_mut().enumerate() {
        *mean = ratio(*mean, base.means.get(i).copied().flatten());
    }
    numbers
}
