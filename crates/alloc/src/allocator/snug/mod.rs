//! Snug: keeps the nodes of the job close together, and also the nodes that it leaves free.
//!
//! The strategy is our own. The idea of shells around a centre is by M. Bender et al., "Communication-aware
//! processor allocation for supercomputers", Algorithmica 50(2), 2008.
//!
//! Let N be the number of nodes of the machine, F the set of free nodes, and k the number of nodes that the
//! job needs. P(X) is the sum of L1 distances over all pairs of nodes in X, and far(u) is the sum of the
//! distances d(u, v) over all v in F. The weight W = w·(1 − (|F| − k)/N)·k/|F| is the product of a parameter
//! w (0.9), the share of the machine that will be busy, and the share of the free nodes that the job takes.
//!
//! 1. A set S ⊂ F of k nodes costs P(S) − W·Σ far(u) over u in S. Since P(F∖S) = P(F) − Σ far(u) + P(S), this
//!    ranks sets as P(S) + c·P(F∖S) does, where c = W/(1 − W). The first term is the dispersal of the job,
//!    the second the dispersal of the nodes that stay free for later jobs.
//! 2. The candidates are submeshes whose sides differ by at most 2; only a side as long as the machine may be
//!    shorter by more. They are searched by half-perimeter, the sum of the sides. Let g be the smallest
//!    half-perimeter of a submesh with k free nodes. The half-perimeter g is searched, the next one too if g
//!    ≥ 7, and the next two if g ≥ 14.
//! 3. Two submeshes of each shape are examined: the two of highest rank with at least k free nodes; of equals
//!    the first by z, y, x of the base. The rank is the sum of far(u) over all nodes u of the submesh, free
//!    or not. For each node above k, the far of the position where the submesh is nearest to F is subtracted,
//!    separately in each dimension.
//! 4. From a submesh with more than k free nodes, the nodes of highest price are left out; of equals the
//!    later ones. Prices are 64-bit floating-point numbers, so that two that are equal as fractions may
//!    differ in their last bit. The price of u is the sum of d(u, v) over the free nodes v of the submesh,
//!    less W·far(u).
//! 5. The cheapest set wins. Of equals, the one of smaller half-perimeter wins, then the one of smaller sides
//!    (x first), then the one of the first base.
//!
//! A job of one node gets the free node with the largest far(u); larger submeshes would give no other. If
//! exactly k nodes are free, the job gets all of them. The strategy never refuses while k nodes are free, as
//! the whole machine is a submesh.
//!
//! It takes time O(N) for each shape that is tried, in vectorised passes over prefix sums (of bytes, if the
//! machine has fewer than 256 nodes), and O(nodes of the submesh) for each of the two submeshes of a shape.
//! Since far(u) is a sum of one term for each dimension, so is the rank of a submesh. Since P(S) is at least
//! the pairwise sum of the most compact set of k nodes, submeshes and shapes that cannot win are skipped.
//! Memory is O(N).
//!
//! Why it works: allocators that look only at the job (MC1x1, MM, Gen-Alg) put a compact job into the middle
//! of a free region, and no later job fits well into the remainder. Buddy strategies keep remainders whole,
//! but only as blocks of their own hierarchy. The second term of the cost prices the remainder by its
//! distances, as later jobs will. On a nearly idle machine the remainder matters little, therefore W has the
//! share of the machine that is busy.
//!
//! docs/src/snug.md sums up what was tried and dropped; docs/experiments/snug has the studies of the
//! final form.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the allocator is not built on a machine on which nodes^2 times the half-perimeter exceeds 64 \
         bits; distances between two sets of nodes are less than that, as the farthest sets are the halves"
)]

mod choice;
mod distance_sums;
mod shapes;
mod submesh_counts;

use crate::allocator::seam::{Allocator, AllocatorEntry, Placement, Request, Setup, Strategy};
use choice::Choice;
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::{Machine, Mesh};
use shapes::{CompactBounds, SubmeshShapes};
use submesh_counts::Count;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "snug",
    summary: "the boxes' nodes of smallest pairwise sum that leave the free ones together",
    source: "meshreplay, 2026; after Bender et al., Algorithmica 50(2), 2008",
    parameters: "weight=0.9 (of what is left free, 0 to 1)",
    ..AllocatorEntry::non_contiguous(build)
};

/// One more half-perimeter is searched per this many units of the smallest half-perimeter.
const HALF_PERIMETER_FOR_ONE: u32 = 7;
/// The most half-perimeters above the smallest that are searched.
const MOST_ABOVE: u32 = 2;

fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let expected = "a number from 0 to 1";
    let weight = params.take("weight", 0.9, expected)?;
    if !(0.0..=1.0).contains(&weight) {
        return Err(params.bad_value("weight", &weight.to_string(), expected));
    }
    let nodes = setup.mesh.nodes();
    if !sums_fit(setup.mesh) {
        let problem = "its sums of distances between nodes do not fit 64 bits there; a machine of more \
             dimensions or fewer nodes is served"
            .to_owned();
        let (owner, machine) = (params.owner().to_owned(), setup.mesh.to_string());
        return Err(SpecError::Unsuited { owner, machine, problem });
    }
    // The narrowest integer that can count the nodes: one vector instruction then adds the most counts.
    Ok(if nodes <= u8::LARGEST {
        snug::<u8>(weight, setup)
    } else if nodes <= u16::LARGEST {
        snug::<u16>(weight, setup)
    } else {
        snug::<u32>(weight, setup)
    })
}

/// Returns whether the sum of the distances between all nodes of `mesh` fits a signed integer of 64 bits. An
/// upper bound of the sum is used.
fn sums_fit(mesh: &Mesh) -> bool {
    let half_perimeter: u128 = mesh.extents().iter().map(|&extent| u128::from(extent)).sum();
    u128::from(mesh.nodes()).pow(2) * half_perimeter / 2 <= i64::MAX as u128
}

fn snug<C: Count>(weight: f64, setup: &Setup<'_>) -> Strategy {
    let shapes = SubmeshShapes::new(setup.mesh);
    Strategy::of(Snug { weight, shapes, choice: Choice::<C>::new(CompactBounds::new(setup.mesh)) })
}

struct Snug<C> {
    weight: f64,
    shapes: SubmeshShapes,
    choice: Choice<C>,
}

impl<C: Count> Allocator for Snug<C> {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        let free = machine.free_count();
        if k == free {
            return Some(Placement::of_all_free(machine));
        }
        // Without a weight every single node costs 0, so the first free one wins.
        if k == 1 && self.weight == 0.0 {
            return machine.free().iter().next().map(|node| Placement::of(vec![node]));
        }
        let busy = 1.0 - f64::from(free - k) / f64::from(machine.mesh().available());
        let mut half_perimeter = self.shapes.smallest(k);
        // The largest half-perimeter that is searched in most states.
        let usual = self.highest(half_perimeter);
        let weight = self.weight * busy * f64::from(k) / f64::from(free);
        self.choice.prepare(machine, k, weight, self.shapes.of_half_perimeter(usual));
        if k == 1 {
            return distance_sums::farthest(machine, self.choice.far()).map(|node| Placement::of(vec![node]));
        }
        // In most states a submesh of the smallest half-perimeter that has room for k nodes has k free ones.
        // Only otherwise is the smallest half-perimeter with such a submesh searched for.
        self.choice.search(machine, self.shapes.of_half_perimeter(half_perimeter));
        if !self.choice.has_any() {
            half_perimeter = self.holding(machine, half_perimeter);
            self.choice.search(machine, self.shapes.of_half_perimeter(half_perimeter));
        }
        for half_perimeter in half_perimeter + 1..=self.highest(half_perimeter) {
            self.choice.search(machine, self.shapes.of_half_perimeter(half_perimeter));
        }
        self.choice.take(machine).map(Placement::of)
    }
}

impl<C: Count> Snug<C> {
    /// Returns the largest half-perimeter that is searched if `smallest` is the smallest.
    fn highest(&self, smallest: u32) -> u32 {
        (smallest + (smallest / HALF_PERIMETER_FOR_ONE).min(MOST_ABOVE)).min(self.shapes.largest())
    }

    /// Returns the smallest half-perimeter above `low` with a submesh of k free nodes; the half-perimeter of
    /// the machine if there is no smaller one. No submesh of the half-perimeter `low` may have k free nodes.
    ///
    /// Steps of growing length bracket the result, then bisection finds it (exponential search). The
    /// condition is monotone: if a submesh has k free nodes, so has one of the next half-perimeter, as its
    /// shortest side can grow.
    fn holding(&mut self, machine: &Machine, mut low: u32) -> u32 {
        let (largest, mut step) = (self.shapes.largest(), 1);
        let mut high = largest;
        while low + step < largest {
            if self.choice.holds(machine, self.shapes.of_half_perimeter(low + step)) {
                high = low + step;
                break;
            }
            low += step;
            step *= 2;
        }
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.choice.holds(machine, self.shapes.of_half_perimeter(middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn arrays_whose_sums_do_not_fit_are_refused() -> Result<(), Box<dyn std::error::Error>> {
        for (text, fits) in [
            ("4000000", false),
            ("torus:4000000", false),
            ("2000000", true),
            ("4096x4096", true),
            ("256x256x256", true),
        ] {
            assert_eq!(sums_fit(&text.parse()?), fits, "{text}");
        }
        let mesh: Mesh = "4000000".parse()?;
        let built = crate::allocator::build(&"snug".parse()?, &Setup::new(&mesh, 0));
        assert!(built.is_err_and(|error| error.to_string().contains("do not fit 64 bits")));
        Ok(())
    }

    #[test]
    fn the_width_of_the_numbers_does_not_matter() -> Result<(), Box<dyn std::error::Error>> {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for text in ["17x15", "5x5x10", "torus:16x15", "torus:6x6x7", "16x15:wrap=y", "6x6x7:wrap=xz"] {
            let mesh: meshreplay_machine::machine::Mesh = text.parse()?;
            let setup = Setup::new(&mesh, 0);
            let mut allocators =
                [snug::<u8>(0.9, &setup), snug::<u16>(0.9, &setup), snug::<u32>(0.9, &setup)];
            for _ in 0..200 {
                let share = random.random_range(0.0..0.9);
                let busy: Vec<u32> = (0..mesh.nodes()).filter(|_| random.random_bool(share)).collect();
                let mut machine = Machine::new(mesh.clone());
                machine.occupy(&busy)?;
                let k = random.random_range(1..=machine.free_count());
                let [narrow, middle, wide] =
                    allocators.each_mut().map(|allocator| allocator.propose(&Request::of(k), &machine));
                let nodes = |placed: Option<Placement>| placed.map(|placed| placed.nodes);
                let wide = nodes(wide);
                assert!(wide.as_ref().is_some_and(|nodes| nodes.len() == k as usize), "{text}: {k}");
                assert_eq!((nodes(narrow), nodes(middle)), (wide.clone(), wide), "{text}: {k}");
            }
        }
        Ok(())
    }
}
