//! Allocators that differ in nothing but a random seed.

use meshreplay::allocator::{Allocator, Foresight, Placement, Request, Served, Strategy};
use meshreplay::guest::Guests;
use meshreplay::machine::{Coord, FreeSubmeshes, Machine, NodeId, Submesh};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The kinds of arms.
#[derive(Clone, Copy)]
enum Kind {
    /// The first free nodes from a random one on.
    Count,
    /// The same, but refuses one call of two hundred.
    Refusing,
    /// A random one of the free rectangles of the requested sides.
    Submesh,
}

/// An arm.
struct Arm {
    kind: Kind,
    random: ChaCha8Rng,
    free_submeshes: FreeSubmeshes,
}

/// Returns arms of each kind: `c1`, `r1`, `s1` and so on.
pub(super) fn guests() -> Guests {
    let mut guests = Guests::default();
    for (kind, letter) in [(Kind::Count, 'c'), (Kind::Refusing, 'r'), (Kind::Submesh, 's')] {
        for arm in 1..=12_u64 {
            guests = guests.with_allocator(&format!("{letter}{arm}"), move |setup| {
                let random = ChaCha8Rng::seed_from_u64(arm * 1_000_003 + setup.seed * 7_919);
                let strategy = Strategy::of(Arm { kind, random, free_submeshes: FreeSubmeshes::default() });
                Ok(match kind {
                    Kind::Count => strategy,
                    _ => strategy.served(Served::ByState(Foresight::Proposes)),
                })
            });
        }
    }
    guests
}

impl Allocator for Arm {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let nodes = machine.mesh().nodes();
        match self.kind {
            Kind::Refusing if machine.free_count() < nodes && self.random.random_range(0..200) == 0 => None,
            Kind::Count | Kind::Refusing => {
                let first = self.random.random_range(0..nodes);
                let mut free: Vec<NodeId> = machine.free().iter().collect();
                let before = free.partition_point(|&node| node < first);
                free.rotate_left(before);
                free.truncate(request.procs as usize);
                Some(Placement::of(free))
            }
            Kind::Submesh => {
                let sizes = request.sides_on(machine.mesh())?;
                self.free_submeshes.find(machine, sizes);
                let bases: Vec<Coord> = self.free_submeshes.iter().collect();
                let base = (!bases.is_empty()).then(|| bases[self.random.random_range(0..bases.len())])?;
                Some(Placement::of(Submesh { base, sizes }.nodes(machine)))
            }
        }
    }
}
