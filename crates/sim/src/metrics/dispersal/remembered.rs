//! A cache of dispersals, for placements that the machine caches, too.

use std::sync::Arc;

use super::Dispersal;
use meshreplay_machine::machine::{Held, PLACES};

/// Recent placements with their dispersal.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// By slot of the machine's cache of placements. Empty before the first placement.
    places: Vec<Option<(Arc<Held>, Dispersal)>>,
}

impl Remembered {
    /// Returns the cached dispersal of a placement. Masks in the cache are unique to their placement, so
    /// comparing pointers is enough.
    pub(super) fn get(&self, held: &Arc<Held>) -> Option<Dispersal> {
        let (known, dispersal) = self.places.get(held.place()?)?.as_ref()?;
        Arc::ptr_eq(known, held).then_some(*dispersal)
    }

    /// Caches the dispersal of a placement.
    pub(super) fn keep(&mut self, held: &Arc<Held>, dispersal: Dispersal) {
        let Some(place) = held.place() else { return };
        if self.places.is_empty() {
            self.places.resize_with(PLACES, Default::default);
        }
        self.places[place] = Some((Arc::clone(held), dispersal));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::{NodeId, RecentlyHeld};

    #[test]
    fn only_the_same_placement_is_known() {
        let (mut remembered, mut machine) = (Remembered::default(), RecentlyHeld::new(2048));
        let of = |pairwise_sum| Dispersal { pairwise_sum, ..Dispersal::default() };
        let nodes: Vec<NodeId> = (100..140).collect();
        let held = machine.held(&nodes);
        assert_eq!(remembered.get(&held), None);
        remembered.keep(&held, of(7));
        assert_eq!(remembered.get(&machine.held(&nodes)), Some(of(7)));
        // The other placement has the same place.
        let mut other = nodes.clone();
        other[5] = 1000;
        let other = machine.held(&other);
        assert_eq!((other.place(), remembered.get(&other)), (held.place(), None));
        remembered.keep(&other, of(8));
        assert_eq!((remembered.get(&other), remembered.get(&held)), (Some(of(8)), None));
        // A placement that the machine does not remember is none here.
        let single = machine.held(&[3]);
        remembered.keep(&single, of(9));
        assert_eq!(remembered.get(&single), None);
    }
}
