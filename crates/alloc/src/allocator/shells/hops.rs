//! The hops between positions of each dimension, as tables that loops over positions add.

use meshreplay_machine::machine::Mesh;

/// For each dimension of n positions the hops from position 0 to positions −n to n − 1.
#[derive(Debug, Default)]
pub(super) struct Hops([Vec<u64>; 3]);

impl Hops {
    /// Sets the hops to those of `mesh`.
    pub(super) fn set(&mut self, mesh: &Mesh) {
        for (d, extent) in mesh.extents().into_iter().enumerate() {
            let ahead = |steps: u32| if mesh.wraps(d) { steps.min(extent - steps) } else { steps };
            self.0[d].clear();
            self.0[d].extend((0..=extent).rev().chain(1..extent).map(ahead).map(u64::from));
        }
    }

    /// Adds to `sums` the hops from the position `at` among those that `sums` has numbers for. These are
    /// positions of dimension `d` in order: all of them, or on a ring at most half of them.
    #[inline]
    pub(super) fn add(&self, d: usize, at: usize, sums: &mut [u64]) {
        let hops = &self.0[d];
        for (sum, hops) in sums.iter_mut().zip(&hops[hops.len() / 2 - at..]) {
            *sum += hops;
        }
    }
}
