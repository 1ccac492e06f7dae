//! What a step of the mesh, its height and the way matter.

use super::delays::{ALLOCATION, ARRAY, QUEUE, percent};
use super::{SDSC, at, rules, study};
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::Item;

pub(super) const EXPERIMENT: Experiment =
    Experiment { studies: &[study!("steps", SDSC)], surveyed: &[], timed: false, judge };

fn judge(found: &Evidence) -> Vec<Item> {
    let Some(log) = found.log(SDSC) else { return Vec::new() };
    let saturated = rules("0");
    let mut items = Vec::new();
    for allocator in found.allocators(SDSC) {
        for (name, column) in [("queue delay", QUEUE), ("allocation delay", ALLOCATION)] {
            if let Some(percent) = percent(found, (SDSC, ARRAY, &saturated), (&allocator, column)) {
                let item = Item::new(&format!("{name}, {allocator}, percent"), &log, ARRAY).measured(percent);
                items.push(item.on_curve(&allocator, "reduction, percent", name));
            }
        }
        if let Some(suspended) = found.value(at(SDSC, ARRAY, &saturated, &allocator), "suspended_s_mean") {
            let item = Item::new(&format!("suspended, {allocator}, s"), &log, ARRAY).measured(suspended);
            items.push(item.on_curve(&allocator, "reduction, percent", "suspended, s"));
        }
    }
    items
}
