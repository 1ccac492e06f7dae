//! The outages of replays for pictures: those of the first seed of each replay.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::FigureError;
use super::results::Results;
use meshreplay_results::frame::{Downtimes, read_downtimes};

/// Returns the outages of the replays whose numbers `wanted` accepts, by number. A replay without outages has
/// no entry, also because they were not kept. Fails if a node is outside the machine.
pub fn downtimes(
    folder: &Path,
    results: &Results,
    wanted: &dyn Fn(u64) -> bool,
) -> Result<BTreeMap<u64, Downtimes>, FigureError> {
    let mut saved = read_downtimes(folder, wanted)?.unwrap_or_default();
    let mut all = BTreeMap::new();
    if saved.is_empty() {
        return Ok(all);
    }
    let mut seen: Option<u64> = None;
    for row in 0..results.table.height() {
        let Some(key) = results.table.replication(row) else { continue };
        let number = key.replay;
        // The rows of a replay stand together, the first seed first.
        if seen.replace(number) == Some(number) {
            continue;
        }
        let Some(found) = saved.remove(&key) else { continue };
        let machine = results.machine(row)?;
        if let Some(node) = found.outside(machine.nodes()) {
            let path = folder.to_owned();
            let problem =
                format!("replay {number} had node {node} down, which machine {machine} does not have");
            return Err(FigureError::Damaged { path, problem });
        }
        all.insert(number, found);
    }
    Ok(all)
}
