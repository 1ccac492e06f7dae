//! Random: free nodes drawn uniformly without replacement.
//!
//! V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Non-contiguous processor allocation algorithms for
//! mesh-connected multicomputers", IEEE TPDS 8(7), 1997.
//!
//! 1. List the free nodes by number.
//! 2. Draw the first k entries of the list by a Fisher-Yates shuffle that stops after k steps, and take them.
//!
//! It never refuses while k nodes are free, k being the number of requested processors. Time O(F) per request
//! with F free nodes. The random numbers come from ChaCha8, seeded with the seed of the replay, so a run
//! gives the same result on every computer.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::allocator::seam::{
    Allocator, AllocatorEntry, Memory, OnTori, OnTrees, Placement, Promises, Request, Strategy,
};
use meshreplay_base::job::Draws;
use meshreplay_machine::machine::{Machine, NodeId};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "random",
    summary: "free nodes drawn uniformly, seeded",
    source: "Lo, Windisch, Liu, Nitzberg, IEEE TPDS 8(7), 1997",
    tori: OnTori::NeverWraps("it takes nodes wherever they are"),
    trees: OnTrees::Serves,
    promises: |_| Promises { exact: true, complete: true, memory: Memory::Lasting },
    ..AllocatorEntry::non_contiguous(|_, setup| {
        Ok(Strategy::of(Random { rng: Draws::NODES.of_seed(setup.seed), free: Vec::new() }))
    })
};

/// Draws nodes with a random number generator.
struct Random {
    rng: ChaCha8Rng,
    /// The free nodes of the current request. The vector is a field only to reuse its memory.
    free: Vec<NodeId>,
}

impl Allocator for Random {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.free.clear();
        self.free.extend(machine.free().iter());
        let (procs, count) = (request.procs as usize, self.free.len());
        // A partial Fisher-Yates shuffle: entry i is drawn from the entries i and later.
        for i in 0..procs {
            let j = self.rng.random_range(i..count);
            self.free.swap(i, j);
        }
        Some(Placement::of(self.free[..procs].to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::Mesh;
    use rand::SeedableRng;

    /// Checks by a χ² test that each of 16 nodes is drawn equally often, when 4 of 16 nodes are drawn 4,000
    /// times. With 15 degrees of freedom, values above 45 have a probability below 10⁻⁴. Drawing without
    /// replacement makes the spread a little smaller still.
    #[test]
    fn every_node_is_drawn_equally_often() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new(Mesh::new(&[4, 4])?);
        let mut random = Random { rng: ChaCha8Rng::seed_from_u64(1), free: Vec::new() };
        let mut counts = [0_u32; 16];
        for _ in 0..4000 {
            for node in random.propose(&Request::of(4), &machine).ok_or("refused")?.nodes {
                counts[node as usize] += 1;
            }
        }
        let chi2: f64 = counts.iter().map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi2 < 45.0, "{chi2}: {counts:?}");
        Ok(())
    }
}
