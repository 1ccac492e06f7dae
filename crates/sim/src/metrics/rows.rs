//! Runs of nodes along x, the input of the measures of dispersal.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "coordinates are below 2^24, so that sums of three fit 32 bits with their signs; rows, runs and \
         words are at most the nodes"
)]

use meshreplay_machine::machine::{Held, Mesh, NodeId};

/// A run: neighbouring nodes of one row in the placement, from x = `first` to x = `last`.
#[derive(Clone, Copy, Debug)]
struct Run {
    row: u32,
    first: u32,
    last: u32,
    /// Another run of the same component (union-find). The root of a component is its own parent.
    parent: u32,
}

/// The runs of one placement at a time, sorted by row and then by x.
#[derive(Debug)]
pub(super) struct NodeRows {
    length: u32,
    width: u32,
    /// One bit per node of the machine, and one bit per word of `bits`. All zero between calls of `load`.
    bits: Vec<u64>,
    words: Vec<u64>,
    /// Rows with nodes of the placement, ascending.
    touched: Vec<u32>,
    runs: Vec<Run>,
    /// Nodes at each position, by dimension.
    counts: [Vec<u32>; 3],
    /// The first run of each touched row, and finally the number of runs.
    starts: Vec<u32>,
}

impl NodeRows {
    /// Creates the runs of an empty placement on `mesh`.
    pub(super) fn new(mesh: &Mesh) -> Self {
        let [width, length, _] = mesh.extents();
        let words = mesh.nodes().div_ceil(64) as usize;
        Self {
            width,
            length,
            bits: vec![0; words],
            words: vec![0; words.div_ceil(64)],
            touched: Vec::new(),
            runs: Vec::new(),
            counts: mesh.extents().map(|extent| vec![0; extent as usize]),
            starts: Vec::new(),
        }
    }

    /// Loads a placement and drops the previous one. O(k + w + r + W + L + D) for k nodes in w words of 64
    /// nodes and in r runs, without a division per node.
    pub(super) fn load(&mut self, nodes: &Held) {
        self.touched.clear();
        self.runs.clear();
        self.starts.clear();
        for counts in &mut self.counts {
            counts.fill(0);
        }
        // A two-level bitmap sorts the nodes: one bit per node, and above it one bit per word with nodes.
        // Empty words are skipped, and bits are cleared during the scan.
        let (mut low, mut high) = (usize::MAX, 0);
        for (word, bits) in nodes.words() {
            self.bits[word] |= bits;
            self.words[word / 64] |= 1 << (word % 64);
            (low, high) = (low.min(word / 64), high.max(word / 64));
        }
        for group in low..=high {
            let mut words = std::mem::take(&mut self.words[group]);
            while words != 0 {
                let word = group * 64 + words.trailing_zeros() as usize;
                words &= words - 1;
                let bits = std::mem::take(&mut self.bits[word]);
                self.add_runs(word as u32 * 64, bits);
            }
        }
        self.starts.push(self.runs.len() as u32);
        self.count_x();
    }

    /// Appends the runs in the word of 64 nodes that begins at node `offset`.
    fn add_runs(&mut self, offset: u32, mut bits: u64) {
        while bits != 0 {
            let first = bits.trailing_zeros();
            let length = (!(bits >> first)).trailing_zeros().min(64 - first);
            bits &= u64::MAX.checked_shl(first + length).unwrap_or(0);
            let (mut node, end) = (offset + first, offset + first + length);
            // A run of bits may cross the end of a row. Split it at the ends of rows.
            while node < end {
                let row = self.row_of(node);
                let (start, row_end) = (row * self.width, (row + 1) * self.width);
                let stop = end.min(row_end);
                self.add_run(row, node - start, stop - 1 - start);
                node = stop;
            }
        }
    }

    /// Returns the row of `node`. Nodes come in ascending order, so the row is usually the latest or the next
    /// one.
    fn row_of(&self, node: NodeId) -> u32 {
        match self.touched.last() {
            Some(&row) if node < (row + 1) * self.width => row,
            Some(&row) if node < (row + 2) * self.width => row + 1,
            _ => node / self.width,
        }
    }

    /// Appends a run of one row, or extends the latest run if that ends just before.
    fn add_run(&mut self, row: u32, first: u32, last: u32) {
        let parent = self.runs.len() as u32;
        if self.touched.last() != Some(&row) {
            self.touched.push(row);
            self.starts.push(parent);
        }
        self.counts[1][(row % self.length) as usize] += last + 1 - first;
        self.counts[2][(row / self.length) as usize] += last + 1 - first;
        match self.runs.last_mut() {
            Some(run) if run.row == row && run.last + 1 == first => run.last = last,
            _ => self.runs.push(Run { row, first, last, parent }),
        }
    }

    /// Counts the nodes at each x with a difference array: +1 where a run starts, −1 after its end, and then
    /// prefix sums. Wrapping arithmetic keeps the differences exact.
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

    /// Returns the nodes at each position of dimension `d` (0 to 2 for x to z).
    pub(super) fn counts(&self, d: usize) -> &[u32] {
        &self.counts[d]
    }

    /// Returns the runs row by row: y and z of the row, and the first and the last x of each of its runs.
    pub(super) fn by_row(
        &self,
    ) -> impl Iterator<Item = ((u32, u32), impl Iterator<Item = (u32, u32)> + '_)> + '_ {
        self.touched.iter().zip(self.starts.windows(2)).map(|(&row, ends)| {
            let runs = &self.runs[ends[0] as usize..ends[1] as usize];
            let z = row / self.length;
            ((row - z * self.length, z), runs.iter().map(|run| (run.first, run.last)))
        })
    }

    /// Returns the largest L1 distance between two nodes on a mesh, in hops, or 0 without nodes.
    pub(super) fn mesh_diameter(&self) -> u32 {
        unrolled(self.runs.iter().map(|run| {
            let z = run.row / self.length;
            [run.first, run.last, run.row - z * self.length, z]
        }))
    }

    /// Counts connected components by union-find: each run is joined with the overlapping runs of
    /// neighbouring rows.
    pub(super) fn components(&mut self, extents: [u32; 3], wraps: [bool; 3]) -> u32 {
        let [width, length, depth] = extents;
        let mut joined = 0;
        for i in 0..self.touched.len() {
            let row = self.touched[i];
            let (y, z) = (row % length, row / length);
            if wraps[0] && self.runs[self.starts[i] as usize].first == 0 {
                let (first, last) = (self.starts[i], self.starts[i + 1] - 1);
                joined += u32::from(self.runs[last as usize].last == width - 1 && self.join(first, last));
            }
            let mut neighbours = [None; 4];
            neighbours[0] = (y > 0).then(|| row - 1);
            neighbours[1] = (z > 0).then(|| row - length);
            neighbours[2] = (wraps[1] && y == 0 && length > 2).then(|| row + length - 1);
            neighbours[3] = (wraps[2] && z == 0 && depth > 2).then(|| row + length * (depth - 1));
            for neighbour in neighbours.into_iter().flatten() {
                joined += self.join_rows(i, neighbour);
            }
        }
        self.runs.len() as u32 - joined
    }

    /// Joins the overlapping runs of the `i`-th touched row and of row `other`. Returns the number of joins
    /// between different components.
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
            let (one, other_run) = (self.runs[a as usize], self.runs[b as usize]);
            if one.first <= other_run.last && other_run.first <= one.last {
                joined += u32::from(self.join(a, b));
            }
            if one.last < other_run.last { a += 1 } else { b += 1 }
        }
        joined
    }

    /// Joins the components of two runs. Returns whether they were different.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.runs[a.max(b) as usize].parent = a.min(b);
        a != b
    }

    /// Returns the root of a run's component, with path halving: every visited run is linked to its
    /// grandparent.
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

/// Returns the diameter of runs on a mesh, given as first x, last x, y and z, or 0 without runs. An L1
/// distance is the largest difference of two nodes in one of the four forms ±x ± y + z, so the diameter is
/// the largest range of a form. Along x only the ends of runs matter.
pub(super) fn unrolled(runs: impl Iterator<Item = [u32; 4]>) -> u32 {
    let mut ranges = [(i64::MAX, i64::MIN); 4];
    for run in runs {
        let [first, last, y, z] = run.map(i64::from);
        for (range, (low, high)) in ranges.iter_mut().zip([
            (z + y + first, z + y + last),
            (z - y + first, z - y + last),
            (z + y - last, z + y - first),
            (z - y - last, z - y - first),
        ]) {
            *range = (range.0.min(low), range.1.max(high));
        }
    }
    ranges.iter().map(|(low, high)| (high - low) as u32).max().unwrap_or(0)
}
