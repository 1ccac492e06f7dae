//! How far positions and submeshes are from the free nodes.

use super::shapes::SubmeshShape;
use super::submesh_counts::{Count, SubmeshCounts};
use crate::machine::{Machine, distances_along};

/// Sums of distances to the free nodes of one machine state, for each dimension apart.
#[derive(Debug, Default)]
pub(super) struct Far {
    pub(super) extents: [usize; 3],
    pub(super) torus: bool,
    /// At each position along a dimension, on a torus twice round.
    at: [Vec<i64>; 3],
    /// Prefix sums of these.
    below: [Vec<i64>; 3],
    /// Where the smallest of these is.
    nearest: [usize; 3],
    counts: Vec<u32>,
    ring: Vec<u64>,
}

impl Far {
    /// Measures the free nodes counted in `counts`. O(W + L + D), squared on a torus.
    pub(super) fn measure<C: Count>(&mut self, machine: &Machine, counts: &SubmeshCounts<C>) {
        let mesh = machine.mesh();
        self.extents = mesh.extents().map(|extent| extent as usize);
        self.torus = mesh.is_torus();
        for d in 0..3 {
            counts.slices(d, [0; 3], self.extents, &mut self.counts);
            self.at[d].clear();
            if self.torus {
                self.ring.resize(self.counts.len(), 0);
                distances_along(&self.counts, true, &mut self.ring);
                self.at[d].extend(self.ring.iter().chain(&self.ring).map(|&far| far as i64));
            } else {
                self.at[d].extend(line(&self.counts, i64::from(machine.free_count())));
                // The sums fall up to the middle free node and rise from there.
                let falling = |pair: &[i64]| pair[1] < pair[0];
                self.nearest[d] = self.at[d].windows(2).take_while(|pair| falling(pair)).count();
            }
            let below = &mut self.below[d];
            below.clear();
            below.push(0);
            let mut sum = 0;
            below.extend(self.at[d].iter().map(|far| {
                sum += far;
                sum
            }));
        }
    }

    /// Returns the sums at the positions of dimension `d` from `base` on.
    pub(super) fn along(&self, d: usize, base: u32) -> &[i64] {
        &self.at[d][base as usize..]
    }

    /// Returns the bases that submeshes of a shape can have along each dimension, from 0 on.
    pub(super) fn places(&self, shape: &SubmeshShape) -> [usize; 3] {
        [0, 1, 2].map(|d| {
            let (extent, side) = (self.extents[d], shape.sides[d]);
            if self.torus && side < extent { extent } else { extent - side + 1 }
        })
    }

    /// For the submeshes of a shape, at each base along each dimension: a term of what the distances from all their
    /// nodes but `spare` to the free ones add up to. Those left out are taken to be where the submesh is nearest.
    pub(super) fn terms(&self, shape: &SubmeshShape, spare: i64, terms: &mut [Vec<i64>; 3]) {
        let places = self.places(shape);
        for (d, terms) in terms.iter_mut().enumerate() {
            let (at, below, side) = (&self.at[d], &self.below[d], shape.sides[d]);
            let across = (shape.nodes / side as u64) as i64;
            let sums = below[side..].iter().zip(below).map(|(high, low)| across * (high - low));
            terms.clear();
            terms.extend(sums.take(places[d]));
            if spare == 0 {
                continue;
            }
            if self.torus {
                for (term, window) in terms.iter_mut().zip(at.windows(side)) {
                    *term -= spare * window.iter().copied().min().unwrap_or(0);
                }
                continue;
            }
            // Off a torus the sums fall up to some position and rise from there.
            let lowest = self.nearest[d];
            let before = (lowest + 1).saturating_sub(side).min(places[d]);
            let after = lowest.min(places[d]);
            let (falling, rest) = terms.split_at_mut(before);
            let (around, rising) = rest.split_at_mut(after - before);
            for (term, far) in falling.iter_mut().zip(&at[side - 1..]) {
                *term -= spare * far;
            }
            for term in around {
                *term -= spare * at[lowest];
            }
            for (term, far) in rising.iter_mut().zip(&at[after..]) {
                *term -= spare * far;
            }
        }
    }
}

/// Returns the sum of distances from each position of a line to the nodes in `counts`, `nodes` in all.
fn line(counts: &[u32], nodes: i64) -> impl Iterator<Item = i64> + '_ {
    let mut below = 0;
    let mut far = counts.iter().zip(0..).map(|(&count, at)| i64::from(count) * at).sum::<i64>();
    counts.iter().map(move |&count| {
        let here = far;
        below += i64::from(count);
        far += 2 * below - nodes;
        here
    })
}
