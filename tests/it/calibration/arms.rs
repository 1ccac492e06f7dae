//! Allocators that differ in nothing but a random seed.

use meshreplay::allocator::{Allocator, Foresight, Placement, Request, Served, Setup, Strategy, build};
use meshreplay::guest::Guests;
use meshreplay::machine::{Machine, Mesh};
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
    mesh: Mesh,
    random: ChaCha8Rng,
    /// Knows quickly that there is no free rectangle.
    first_fit: Option<Strategy>,
}

/// Returns arms of each kind: `c1`, `r1`, `s1` and so on.
pub(super) fn guests() -> Guests {
    let mut guests = Guests::default();
    for (kind, letter) in [(Kind::Count, 'c'), (Kind::Refusing, 'r'), (Kind::Submesh, 's')] {
        for arm in 1..=12_u64 {
            guests = guests.with_allocator(&format!("{letter}{arm}"), move |setup| {
                let random = ChaCha8Rng::seed_from_u64(arm * 1_000_003 + setup.seed * 7_919);
                let is_submesh = matches!(kind, Kind::Submesh);
                let first_fit =
                    || build(&"first-fit:turn=no".parse().expect("a spec"), &Setup::new(setup.mesh, 1));
                let first_fit = is_submesh.then(|| first_fit().expect("an allocator").strategy);
                let strategy = Strategy::of(Arm { kind, mesh: setup.mesh.clone(), random, first_fit });
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
        let nodes = self.mesh.nodes();
        match self.kind {
            Kind::Refusing if machine.free_count() < nodes && self.random.random_range(0..200) == 0 => None,
            Kind::Count | Kind::Refusing => {
                let first = self.random.random_range(0..nodes);
                let free =
                    (0..nodes).map(|i| (first + i) % nodes).filter(|&node| machine.free().contains(node));
                Some(Placement::of(free.take(request.procs as usize).collect()))
            }
            Kind::Submesh => {
                self.first_fit.as_mut()?.propose(request, machine)?;
                self.submesh(request, machine)
            }
        }
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        if let Some(first_fit) = &mut self.first_fit {
            first_fit.taken(placement, machine);
        }
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        if let Some(first_fit) = &mut self.first_fit {
            first_fit.released(placement, machine);
        }
    }
}

impl Arm {
    /// Returns a random free rectangle of the requested sides.
    fn submesh(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let [width, height, _] = self.mesh.extents().map(|extent| extent as usize);
        let [a, b, _] = request.sides_on(&self.mesh)?.map(|side| side as usize);
        // A summed-area table of the free nodes.
        let mut free = vec![vec![0_u32; width + 1]; height + 1];
        for y in 0..height {
            for x in 0..width {
                let here = u32::from(machine.free().contains((y * width + x) as u32));
                free[y + 1][x + 1] = here + free[y][x + 1] + free[y + 1][x] - free[y][x];
            }
        }
        let is_free = |x: usize, y: usize| {
            let count = free[y + b][x + a] + free[y][x] - free[y][x + a] - free[y + b][x];
            count as usize == a * b
        };
        let rows =
            (0..=height.checked_sub(b)?).flat_map(|y| (0..=width.saturating_sub(a)).map(move |x| (x, y)));
        let bases: Vec<(usize, usize)> = rows.filter(|&(x, y)| x + a <= width && is_free(x, y)).collect();
        let (x, y) = *bases.get(self.random.random_range(0..bases.len().max(1)))?;
        let nodes = (y..y + b).flat_map(|y| (x..x + a).map(move |x| (y * width + x) as u32));
        Some(Placement::of(nodes.collect()))
    }
}
