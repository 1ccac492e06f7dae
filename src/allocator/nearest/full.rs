//! The sums of centres around which all nodes are free.
//!
//! Such centres take the same nodes if the centres before them that decide among equally far nodes lie around them in the
//! same way. There may be a hundred thousand of them with the same bound, but few ways.

/// The sums that are known for one number of nodes on one machine state.
#[derive(Debug, Default)]
pub(super) struct Full {
    known: Vec<Known>,
    /// The way of the centre at hand, as far as it was walked.
    way: Vec<Option<u32>>,
}

/// The sum of all centres to which one way leads.
#[derive(Debug)]
struct Known {
    /// The places of the box around the centre at which the centres before it end, until the choice was made.
    way: Vec<u32>,
    sum: u64,
}

/// The largest number of ways that are kept. With more of them they are looked through for longer than they save.
const WAYS: usize = 64;

impl Full {
    /// Forgets all sums.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    /// Returns the sum of a centre, if it is known. `before` has the places at which the centres before it end, the
    /// latest first.
    pub(super) fn sum(&mut self, mut before: impl Iterator<Item = Option<u32>>) -> Option<u64> {
        self.way.clear();
        let found = self.known.iter().find(|known| {
            while self.way.len() < known.way.len() {
                let Some(place) = before.next() else { return false };
                self.way.push(place);
            }
            known.way.iter().zip(&self.way).all(|(&known, &place)| Some(known) == place)
        });
        found.map(|known| known.sum)
    }

    /// Keeps the sum of a centre. `way` has the places by which its nodes were chosen. Nothing is kept if one of
    /// them is `None`: then there were no more centres, or one lies across a ring.
    pub(super) fn keep(&mut self, way: &[Option<u32>], sum: u64) {
        if self.known.len() < WAYS
            && let Some(way) = way.iter().copied().collect()
        {
            self.known.push(Known { way, sum });
        }
    }
}
