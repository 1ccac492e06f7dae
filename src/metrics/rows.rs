//! A placement as runs of nodes along x, from which everything about its shape follows.

use crate::machine::{Mesh, NodeId};

/// Nodes `first..=last` of one row that all belong to the placement.
#[derive(Clone, Copy, Debug)]
struct Run {
    row: u32,
    first: u32,
    last: u32,
    /// Position of a run of the same component; its own for the component's root.
    parent: u32,
}

/// The runs of one placement at a time, sorted by row, then x.
#[derive(Debug)]
pub(super) struct Rows {
    length: u32,
    /// Words per row, and one bit per node of the machine, each row starting a new word; empty between loads.
    words: usize,
    bits: Vec<u64>,
    /// Rows that hold nodes, ascending.
    touched: Vec<u32>,
    runs: Vec<Run>,
    /// Nodes per position, by dimension.
    counts: [Vec<u32>; 3],
    /// For each touched row, where its runs start.
    starts: Vec<u32>,
}

impl Rows {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let [width, length, depth] = mesh.extents();
        let words = width.div_ceil(64) as usize;
        Self {
            length,
            words,
            bits: vec![0; words * (length * depth) as usize],
            touched: Vec::new(),
            runs: Vec::new(),
            counts: mesh.extents().map(|extent| vec![0; extent as usize]),
            starts: Vec::new(),
        }
    }

    /// Takes in a placement: O(k + r·log r + W + L + D) for r rows touched.
    pub(super) fn load(&mut self, mesh: &Mesh, nodes: &[NodeId]) {
        self.touched.clear();
        let (mut low, mut high) = (u32::MAX, 0);
        let mut latest = u32::MAX;
        for &node in nodes {
            let [x, y, z] = mesh.coord(node);
            let row = z * self.length + y;
            self.bits[row as usize * self.words + (x / 64) as usize] |= 1 << (x % 64);
            (low, high) = (low.min(x), high.max(x));
            if row != latest {
                latest = row;
                self.touched.push(row);
            }
        }
        self.touched.sort_unstable();
        self.touched.dedup();
        self.runs.clear();
        self.starts.clear();
        for counts in &mut self.counts {
            counts.fill(0);
        }
        let words = (low / 64) as usize..=(high / 64) as usize;
        for i in 0..self.touched.len() {
            let row = self.touched[i];
            self.starts.push(self.runs.len() as u32);
            let mut held = 0;
            for word in words.clone() {
                let bits = std::mem::take(&mut self.bits[row as usize * self.words + word]);
                held += bits.count_ones();
                self.add_runs(row, word as u32 * 64, bits);
            }
            self.counts[1][(row % self.length) as usize] += held;
            self.counts[2][(row / self.length) as usize] += held;
        }
        self.starts.push(self.runs.len() as u32);
        self.count_x();
    }

    /// Appends the runs of the 64 nodes from x = `offset` on, joining the last one of the same row where they touch.
    fn add_runs(&mut self, row: u32, offset: u32, mut bits: u64) {
        while bits != 0 {
            let first = bits.trailing_zeros();
            let length = (!(bits >> first)).trailing_zeros().min(64 - first);
            bits &= u64::MAX.checked_shl(first + length).unwrap_or(0);
            let (first, last) = (offset + first, offset + first + length - 1);
            let parent = self.runs.len() as u32;
            match self.runs.last_mut() {
                Some(run) if run.row == row && run.last + 1 == first => run.last = last,
                _ => self.runs.push(Run { row, first, last, parent }),
            }
        }
    }

    /// Nodes per x: +1 where runs start, −1 behind their ends, summed up.
    fn count_x(&mut self) {
        let counts = &mut self.counts[0];
        for run in &self.runs {
            counts[run.first as usize] = counts[run.first as usize].wrapping_add(1);
            if let Some(behind) = counts.get_mut(run.last as usize + 1) {
                *behind = behind.wrapping_sub(1);
            }
        }
        let mut sum = 0_u32;
        for count in counts {
            sum = sum.wrapping_add(*count);
            *count = sum;
        }
    }

    /// Nodes per position of dimension `d`.
    pub(super) fn counts(&self, d: usize) -> &[u32] {
        &self.counts[d]
    }

    /// Largest L1 distance of two nodes where nothing wraps: the largest extent along one of the four directions
    /// (±x, ±y, z) that differ in sign. Along x only the ends of runs matter.
    pub(super) fn mesh_diameter(&self) -> u32 {
        let mut ranges = [(i64::MAX, i64::MIN); 4];
        for run in &self.runs {
            let (first, last) = (i64::from(run.first), i64::from(run.last));
            let (y, z) = (i64::from(run.row % self.length), i64::from(run.row / self.length));
            for (range, offset) in ranges[..2].iter_mut().zip([z + y, z - y]) {
                *range = (range.0.min(first + offset), range.1.max(last + offset));
            }
            for (range, offset) in ranges[2..].iter_mut().zip([z + y, z - y]) {
                *range = (range.0.min(offset - last), range.1.max(offset - first));
            }
        }
        ranges.iter().map(|(low, high)| (high - low) as u32).max().unwrap_or(0)
    }

    /// Number of connected components: runs are joined with runs of the rows next to theirs that they overlap.
    pub(super) fn components(&mut self, extents: [u32; 3], torus: bool) -> u32 {
        let [width, length, depth] = extents;
        let mut joined = 0;
        for i in 0..self.touched.len() {
            let row = self.touched[i];
            let (y, z) = (row % length, row / length);
            if torus && self.runs[self.starts[i] as usize].first == 0 {
                let (first, last) = (self.starts[i], self.starts[i + 1] - 1);
                joined += u32::from(self.runs[last as usize].last == width - 1 && self.join(first, last));
            }
            let mut neighbours = [None; 4];
            neighbours[0] = (y > 0).then(|| row - 1);
            neighbours[1] = (z > 0).then(|| row - length);
            if torus {
                neighbours[2] = (y == 0 && length > 2).then(|| row + length - 1);
                neighbours[3] = (z == 0 && depth > 2).then(|| row + length * (depth - 1));
            }
            for neighbour in neighbours.into_iter().flatten() {
                joined += self.join_rows(i, neighbour);
            }
        }
        self.runs.len() as u32 - joined
    }

    /// Joins the overlapping runs of the `i`-th touched row and of row `other`; how many components became one.
    fn join_rows(&mut self, i: usize, other: u32) -> u32 {
        let j = match i.checked_sub(1) {
            Some(j) if self.touched[j] == other => j,
            _ => match self.touched.binary_search(&other) {
                Ok(j) => j,
                Err(_) => return 0,
            },
        };
        let (mut a, mut b, mut joined) = (self.starts[i], self.starts[j], 0);
        while a < self.starts[i + 1] && b < self.starts[j + 1] {
            let (here, there) = (self.runs[a as usize], self.runs[b as usize]);
            if here.first <= there.last && there.first <= here.last {
                joined += u32::from(self.join(a, b));
            }
            if here.last < there.last { a += 1 } else { b += 1 }
        }
        joined
    }

    /// Joins two runs' components; false if they are one already.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.runs[a.max(b) as usize].parent = a.min(b);
        a != b
    }

    fn root(&mut self, mut run: u32) -> u32 {
        while self.runs[run as usize].parent != run {
            let parent = self.runs[run as usize].parent;
            let grandparent = self.runs[parent as usize].parent;
            self.runs[run as usize].parent = grandparent;
            run = grandparent;
        }
        run
    }
}
