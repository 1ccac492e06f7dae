//! Jobs of one node, which are most of many logs: the free node that is farthest from the free ones.

use crate::machine::{Machine, NodeId, distances_along};

/// Chooses single nodes; keeps its memory between calls.
#[derive(Debug, Default)]
pub(super) struct Single {
    /// Per dimension and position: free nodes, and the sum of distances along it to them.
    counts: [Vec<u32>; 3],
    far: [Vec<u64>; 3],
}

impl Single {
    /// The free node of largest sum of distances to the free ones, the first of equals; with no weight the first free one.
    /// O(N / 8) for counting and O(L·D), or O(free nodes) on a torus, for looking.
    pub(super) fn choose(&mut self, machine: &Machine, weight: f64) -> Option<NodeId> {
        if weight == 0.0 {
            return machine.free().iter().next();
        }
        self.count(machine);
        let mesh = machine.mesh();
        for d in 0..3 {
            self.far[d].resize(self.counts[d].len(), 0);
            distances_along(&self.counts[d], mesh.is_torus(), &mut self.far[d]);
        }
        let [width, length, depth] = mesh.extents();
        let mut best: Option<(u64, NodeId)> = None;
        for z in 0..depth {
            for y in 0..length {
                let row = mesh.node([0, y, z]);
                let across = self.far[1][y as usize] + self.far[2][z as usize];
                let mut look = |x: u32| {
                    let far = self.far[0][x as usize] + across;
                    if best.is_none_or(|best| far > best.0) {
                        best = Some((far, row + x));
                    }
                };
                if mesh.is_torus() {
                    free_in_row(machine, row, width).for_each(look);
                    continue;
                }
                // Off a torus the sums fall up to some position and rise from there: the farthest is at an end.
                let mut ends = free_in_row(machine, row, width);
                if let Some(first) = ends.next() {
                    look(first);
                    if let Some(last) = last_in_row(machine, row, width) {
                        look(last);
                    }
                }
            }
        }
        best.map(|(_, node)| node)
    }

    /// Counts the free nodes at each position of each dimension.
    fn count(&mut self, machine: &Machine) {
        let mesh = machine.mesh();
        let [width, length, depth] = mesh.extents();
        for (counts, extent) in self.counts.iter_mut().zip(mesh.extents()) {
            counts.clear();
            counts.resize(extent as usize, 0);
        }
        for from in (0..width).step_by(8) {
            let bits = (width - from).min(8);
            // A byte for each of eight positions, written off before it can overflow.
            let (mut sums, mut rows) = (0_u64, 0);
            for z in 0..depth {
                for y in 0..length {
                    let free = machine.free().bits((mesh.node([0, y, z]) + from) as usize, bits as usize);
                    let number = free.count_ones();
                    self.counts[1][y as usize] += number;
                    self.counts[2][z as usize] += number;
                    sums += spread(free);
                    rows += 1;
                    if rows == 255 {
                        add_bytes(std::mem::take(&mut sums), &mut self.counts[0][from as usize..]);
                        rows = 0;
                    }
                }
            }
            add_bytes(sums, &mut self.counts[0][from as usize..]);
        }
    }
}

/// The eight bits as the lowest bits of eight bytes.
fn spread(bits: u64) -> u64 {
    let each = (bits * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((each + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101
}

fn add_bytes(sums: u64, counts: &mut [u32]) {
    for (count, byte) in counts.iter_mut().zip(sums.to_le_bytes()) {
        *count += u32::from(byte);
    }
}

/// The x of the free nodes of the row that begins with node `row`, ascending.
fn free_in_row(machine: &Machine, row: NodeId, width: u32) -> impl Iterator<Item = u32> + '_ {
    (0..width).step_by(64).flat_map(move |from| {
        let mut bits = machine.free().bits((row + from) as usize, (width - from).min(64) as usize);
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros();
            (bits != 0).then(|| {
                bits &= bits - 1;
                from + bit
            })
        })
    })
}

/// The x of the last free node of the row that begins with node `row`.
fn last_in_row(machine: &Machine, row: NodeId, width: u32) -> Option<u32> {
    let chunks = width.div_ceil(64);
    (0..chunks).rev().find_map(|chunk| {
        let from = chunk * 64;
        let bits = machine.free().bits((row + from) as usize, (width - from).min(64) as usize);
        (bits != 0).then(|| from + 63 - bits.leading_zeros())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread_to_bytes() {
        for bits in 0..256 {
            let plain = (0..8).map(|i| (bits >> i & 1) << (8 * i)).sum::<u64>();
            assert_eq!(spread(bits), plain, "{bits:08b}");
        }
    }
}
