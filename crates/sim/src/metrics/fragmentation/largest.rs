//! The largest free submesh of a machine whose nodes are taken and freed.

use meshreplay_machine::machine::{FreeSubmeshes, Machine, Submesh};

/// Tracks the largest free submesh across changes, with a *witness*: a free submesh of that size.
///
/// While nodes are only taken, no free submesh grows. So the size stays the same as long as the witness is
/// free, without any search. Otherwise the witness, or its remainder, is a lower bound that rules out most
/// sides for having no more nodes.
#[derive(Debug, Default)]
pub(super) struct Largest {
    search: FreeSubmeshes,
    /// A largest free submesh, or `None` if no node is free.
    witness: Option<Submesh>,
}

impl Largest {
    /// Returns the nodes of the largest free submesh, or 0 if no node is free. `is_less` promises that no
    /// node has become free since the last call.
    pub(super) fn update(&mut self, machine: &Machine, is_less: bool) -> u32 {
        let before = self.witness.map_or(0, nodes);
        let kept = self.witness.filter(|place| place.is_free(machine));
        let most = if is_less { before.min(machine.free_count()) } else { machine.free_count() };
        if is_less && kept.is_some() {
            return before;
        }
        self.witness = kept.or_else(|| self.witness.and_then(|place| rest(place, machine)));
        self.search_above(machine, most);
        self.witness.map_or(0, nodes)
    }

    /// Replaces the witness by the largest free submesh if that is larger. `most` is an upper bound of its
    /// nodes.
    ///
    /// For a given side along x, the longest free side along z falls as the side along y grows. So the search
    /// walks down a staircase. At each step it first tries the shortest side along z that would beat the
    /// witness.
    fn search_above(&mut self, machine: &Machine, most: u32) {
        let [width, length, depth] = machine.mesh().extents();
        let mut best = self.witness.map_or(0, nodes);
        for x in (1..=width).rev() {
            let mut longest = depth;
            for y in 1..=length {
                if best >= most || x * length * longest <= best {
                    break;
                }
                while x * y * longest > best {
                    let z = best / (x * y) + 1;
                    let sizes = [x, y, z];
                    let base = if x * y * z > most { None } else { self.search.find_first(machine, sizes) };
                    let Some(base) = base else {
                        longest = z - 1;
                        break;
                    };
                    best = x * y * z;
                    self.witness = Some(Submesh { base, sizes });
                }
                if longest == 0 {
                    break;
                }
            }
        }
    }
}

fn nodes(place: Submesh) -> u32 {
    place.sizes.iter().product()
}

/// Returns the largest free part of a submesh at one of its six faces, as wide as the face, or `None` if no
/// layer of nodes at a face is free.
fn rest(place: Submesh, machine: &Machine) -> Option<Submesh> {
    let extents = machine.mesh().extents();
    let part = |d: usize, from: u32, side: u32| {
        let mut part = place;
        part.base[d] = (place.base[d] + from) % extents[d];
        part.sizes[d] = side;
        part
    };
    let is_free = |place: &Submesh| place.is_free(machine);
    let parts = (0..3).flat_map(|d| {
        let side = place.sizes[d];
        let low = (0..side).take_while(|&at| is_free(&part(d, at, 1))).count() as u32;
        let high = (0..side).rev().take_while(|&at| is_free(&part(d, at, 1))).count() as u32;
        [part(d, 0, low), part(d, side - high, high)]
    });
    parts.filter(|part| nodes(*part) > 0).max_by_key(|part| nodes(*part))
}
