//! A static estimate of contention: the load of every link if all nodes of each running job sent one message
//! to each other node of the job.
//!
//! Each ordered pair of a job's nodes is one message on its dimension-order route: x, then y, then z. In a
//! dimension that wraps, a message goes the shorter way; if both ways are equally long, [`half_way_up()`]
//! decides, as in the simulated network. The contention of a link with load l is the number of pairs of
//! messages that share it, l·(l − 1)/2. The contention of a machine is the sum over its links. The estimate
//! needs neither a simulation of messages nor their times.
//!
//! Messages are counted by line of nodes instead of followed one by one. A link along x carries messages from
//! the job's nodes of its row on one side of the link to all of the job's nodes on the other side. A link
//! along y carries messages from the nodes of its plane (same z) on one side to the nodes with its x, at any
//! z, on the other side. A link along z carries messages from all nodes on one side to the nodes with its x
//! and y on the other side. So a job of k nodes in r rows and c columns costs O(k + rW + cDL + cD) on a mesh
//! of width W, length L and depth D, and never O(k²). Lines that wrap are rings, and a ring of W nodes costs
//! O(W²) in place of O(W), and so on.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "a link carries at most (2^24)^2/4 = 2^46 messages of all jobs, as their nodes are disjoint; \
         its pairs are below 2^91, and those of all links below 2^118 fit 128 bits"
)]

use meshreplay_base::job::Time;
use meshreplay_machine::machine::ring_route::half_way_up;
use meshreplay_machine::machine::{Mesh, NodeId};

/// Loads of links: the start node of a link, its direction (0 to 5: x up, x down, y up, …) and its messages.
type Loads = Vec<(NodeId, u8, u64)>;

/// The contention of a job at its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JobContention {
    /// Pairs of the job's own messages that share a link, summed over links.
    pub own: f64,
    /// Pairs of a message of the job and a message of another running job that share a link, summed over
    /// links.
    pub others: f64,
}

/// The loads of all links of a machine while jobs start and end.
#[derive(Clone, Debug)]
pub struct Contention {
    lines: Lines,
    /// Messages on each link, by node and direction.
    loads: Vec<[u64; 6]>,
    /// Pairs of messages that share a link now, summed over links.
    pairs: u128,
    /// The integral of `pairs` over time until `since`, in pairs times microseconds.
    sum: f64,
    since: Time,
    job: Loads,
}

/// Returns the pairs of messages on a link with `load` messages.
fn pairs(load: u64) -> u128 {
    let load = u128::from(load);
    load * load.saturating_sub(1) / 2
}

impl Contention {
    /// Creates the loads of an idle machine.
    pub fn new(mesh: &Mesh) -> Self {
        Self {
            lines: Lines::new(mesh),
            loads: vec![[0; 6]; mesh.nodes() as usize],
            pairs: 0,
            sum: 0.0,
            since: Time::ZERO,
            job: Vec::new(),
        }
    }

    /// Adds the messages of a job that occupies `nodes` from `now` on. Returns the pairs that these messages
    /// form.
    pub fn add(&mut self, nodes: &[NodeId], now: Time) -> JobContention {
        self.pass(now);
        self.lines.loads(nodes, &mut self.job);
        let (mut own, mut others) = (0, 0);
        for &(node, direction, load) in &self.job {
            let all = &mut self.loads[node as usize][usize::from(direction)];
            own += pairs(load);
            others += u128::from(load) * u128::from(*all);
            *all += load;
        }
        self.pairs += own + others;
        JobContention { own: own as f64, others: others as f64 }
    }

    /// Removes the messages of a job that vacates `nodes` at `now`.
    pub fn remove(&mut self, nodes: &[NodeId], now: Time) {
        self.pass(now);
        self.lines.loads(nodes, &mut self.job);
        for &(node, direction, load) in &self.job {
            let all = &mut self.loads[node as usize][usize::from(direction)];
            *all -= load;
            self.pairs -= pairs(load) + u128::from(load) * u128::from(*all);
        }
    }

    /// Returns the pairs of messages that share a link now, summed over links.
    pub fn pairs(&self) -> f64 {
        self.pairs as f64
    }

    /// Returns the integral of [`Contention::pairs()`] over time until the last change, in pairs times
    /// seconds.
    pub fn pair_seconds(&self) -> f64 {
        self.sum / 1e6
    }

    /// Adds the time since the last change to the integral.
    fn pass(&mut self, now: Time) {
        self.sum += self.pairs as f64 * (now - self.since).as_micros() as f64;
        self.since = now;
    }
}

/// Counts of one job's nodes along the lines of a machine, which determine the loads of links.
#[derive(Clone, Debug)]
struct Lines {
    mesh: Mesh,
    /// By node of the machine: 1 if the job has it, otherwise 0.
    at: Vec<u64>,
    /// The job's nodes by x, by y and z, and by x and y.
    by_x: Vec<u64>,
    by_yz: Vec<Sources>,
    by_xy: Vec<u64>,
    /// Buffers for one line: sources, destinations, and the loads of its upward and its downward links.
    sources: Vec<Sources>,
    line: [Vec<u64>; 3],
}

/// A line of `extent` nodes, from `base` in steps of `stride`. Its upward links have the number `direction`.
struct Line {
    extent: u32,
    stride: u32,
    base: NodeId,
    direction: u8,
}

/// Sending nodes by the direction of their half-way messages: down, up.
type Sources = [u64; 2];

impl Lines {
    fn new(mesh: &Mesh) -> Self {
        let [width, length, depth] = mesh.extents().map(|extent| extent as usize);
        Self {
            mesh: mesh.clone(),
            at: vec![0; mesh.nodes() as usize],
            by_x: vec![0; width],
            by_yz: vec![[0; 2]; length * depth],
            by_xy: vec![0; width * length],
            sources: Vec::new(),
            line: [const { Vec::new() }; 3],
        }
    }

    /// Replaces `loads` by the loads of all links for a job on `nodes`.
    fn loads(&mut self, nodes: &[NodeId], loads: &mut Loads) {
        loads.clear();
        let [width, length, depth] = self.mesh.extents();
        for &node in nodes {
            let coord = self.mesh.coord(node);
            let [x, y, z] = coord;
            self.at[node as usize] = 1;
            self.by_x[x as usize] += 1;
            self.by_yz[(y + length * z) as usize][usize::from(half_way_up(coord))] += 1;
            self.by_xy[(x + width * y) as usize] += 1;
        }
        let plane = width * length;
        // Links along x: sources are the row's nodes, destinations are counted by x.
        for row in 0..length * depth {
            if self.by_yz[row as usize] != [0; 2] {
                let base = row * width;
                let line = Line { extent: width, stride: 1, base, direction: 0 };
                self.along(&line, loads, |lines, x| {
                    let node = base + x;
                    let mut sources = [0; 2];
                    sources[usize::from(half_way_up(lines.mesh.coord(node)))] = lines.at[node as usize];
                    (sources, lines.by_x[x as usize])
                });
            }
        }
        // Links along y, one line for each x and z: sources are the plane's nodes by y, destinations the
        // nodes by x and y.
        for z in 0..depth {
            let has_sources =
                self.by_yz[(z * length) as usize..][..length as usize].iter().any(|&count| count != [0; 2]);
            for x in 0..width {
                if has_sources && self.by_x[x as usize] > 0 {
                    let line = Line { extent: length, stride: width, base: x + plane * z, direction: 2 };
                    self.along(&line, loads, |lines, y| {
                        (lines.by_yz[(y + length * z) as usize], lines.by_xy[(x + width * y) as usize])
                    });
                }
            }
        }
        // Links along z, one line for each x and y: sources are all nodes by z, destinations the column's
        // nodes.
        let sources = |lines: &Self, z: u32| {
            let layer = &lines.by_yz[(z * length) as usize..][..length as usize];
            layer.iter().fold([0; 2], |[down, up], counts| [down + counts[0], up + counts[1]])
        };
        for column in 0..plane {
            if depth > 1 && self.by_xy[column as usize] > 0 {
                let line = Line { extent: depth, stride: plane, base: column, direction: 4 };
                self.along(&line, loads, |lines, z| {
                    (sources(lines, z), lines.at[(column + plane * z) as usize])
                });
            }
        }
        for &node in nodes {
            let [x, y, z] = self.mesh.coord(node);
            self.at[node as usize] = 0;
            self.by_x[x as usize] = 0;
            self.by_yz[(y + length * z) as usize] = [0; 2];
            self.by_xy[(x + width * y) as usize] = 0;
        }
    }

    /// Appends the loads of the links of one line. `counts` returns the sources and destinations at a
    /// position.
    fn along(
        &mut self,
        &Line { extent, stride, base, direction }: &Line,
        loads: &mut Loads,
        counts: impl Fn(&Self, u32) -> (Sources, u64),
    ) {
        let mut sources = std::mem::take(&mut self.sources);
        let [mut targets, mut up, mut down] = std::mem::take(&mut self.line);
        sources.clear();
        for counts in [&mut targets, &mut up, &mut down] {
            counts.clear();
        }
        for i in 0..extent {
            let (source, target) = counts(self, i);
            sources.push(source);
            targets.push(target);
        }
        if self.mesh.wraps(usize::from(direction / 2)) {
            ring(&sources, &targets, &mut up, &mut down);
        } else {
            open(&sources, &targets, &mut up, &mut down);
        }
        for (node, (&up, &down)) in (base..).step_by(stride as usize).zip(up.iter().zip(&down)) {
            loads.extend((up > 0).then_some((node, direction, up)));
            loads.extend((down > 0).then_some((node, direction + 1, down)));
        }
        self.sources = sources;
        self.line = [targets, up, down];
    }
}

/// Appends the loads of the links of an open line: up from position i to i + 1, and down from i to i − 1. The
/// load of a link is the number of sources on one side times the number of destinations on the other, both
/// from prefix sums.
fn open(sources: &[Sources], targets: &[u64], up: &mut Vec<u64>, down: &mut Vec<u64>) {
    let (all_sources, all_targets) = (sources.iter().flatten().sum::<u64>(), targets.iter().sum::<u64>());
    let (mut left_sources, mut left_targets) = (0, 0);
    for (source, target) in sources.iter().zip(targets) {
        down.push((all_sources - left_sources) * left_targets);
        left_sources += source[0] + source[1];
        left_targets += target;
        up.push(left_sources * (all_targets - left_targets));
    }
}

/// Writes the loads of the links of a ring. Messages go the shorter way, or by their sources if both ways are
/// equally long.
fn ring(sources: &[Sources], targets: &[u64], up: &mut Vec<u64>, down: &mut Vec<u64>) {
    let n = sources.len();
    up.resize(n, 0);
    down.resize(n, 0);
    for (i, &source) in sources.iter().enumerate().filter(|(_, source)| **source != [0; 2]) {
        // The sources here whose messages over `hops` hops go down, and up.
        let senders = |hops: usize| if 2 * hops == n { source } else { [source[0] + source[1]; 2] };
        // From the farthest position towards the source, each link carries the messages to all positions
        // behind it.
        let mut beyond = [0; 2];
        for hops in (1..=n / 2).rev() {
            let going = senders(hops);
            beyond[0] += going[0] * targets[(i + n - hops) % n];
            down[(i + n - hops + 1) % n] += beyond[0];
            beyond[1] += going[1] * targets[(i + hops) % n];
            up[(i + hops - 1) % n] += beyond[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Counts the same by definition: every message follows its route link by link.
    fn naive(mesh: &Mesh, nodes: &[NodeId]) -> BTreeMap<(NodeId, u8), u64> {
        let mut loads = BTreeMap::new();
        for &source in nodes {
            for &target in nodes {
                let (mut at, to) = (mesh.coord(source), mesh.coord(target));
                let half_way_up = at.iter().sum::<u32>() % 2 == 0;
                for d in 0..3 {
                    let extent = mesh.extents()[d];
                    let ahead = (to[d] + extent - at[d]) % extent;
                    let is_shorter = 2 * ahead < extent || 2 * ahead == extent && half_way_up;
                    let up = if mesh.wraps(d) { is_shorter } else { to[d] > at[d] };
                    while at[d] != to[d] {
                        *loads.entry((mesh.node(at), 2 * d as u8 + u8::from(!up))).or_default() += 1;
                        at[d] = if up { (at[d] + 1) % extent } else { (at[d] + extent - 1) % extent };
                    }
                }
            }
        }
        loads
    }

    #[test]
    fn counting_by_lines_equals_sending_every_message() -> Result<(), Box<dyn std::error::Error>> {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        for machine in [
            "6x5",
            "9",
            "4x3x3",
            "1x4",
            "torus:5x4",
            "torus:4x3x2",
            "torus:7",
            "torus:2x2x3",
            "5x4:wrap=y",
            "4x3x3:wrap=xz",
        ] {
            let mesh: Mesh = machine.parse()?;
            let mut lines = Lines::new(&mesh);
            for _ in 0..200 {
                let share = random.random_range(0.0..1.0);
                let nodes: Vec<NodeId> = (0..mesh.nodes()).filter(|_| random.random_bool(share)).collect();
                let mut found = Vec::new();
                lines.loads(&nodes, &mut found);
                let by_link: BTreeMap<_, _> =
                    found.iter().map(|&(node, way, load)| ((node, way), load)).collect();
                assert_eq!(by_link.len(), found.len());
                assert_eq!(by_link, naive(&mesh, &nodes), "{machine} {nodes:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn jobs_that_come_and_go_leave_nothing_behind() -> Result<(), Box<dyn std::error::Error>> {
        let mesh: Mesh = "4x2".parse()?;
        let mut contention = Contention::new(&mesh);
        // In a row of three nodes, both links carry two messages each way, which is one pair on each.
        let first = contention.add(&[0, 1, 2], Time::from_seconds(0));
        assert_eq!(first, JobContention { own: 4.0, others: 0.0 });
        // Nodes 3 and 5 send along both rows, over the links 3>2 and 2>1 of the first and 5>6 and 6>7 of the
        // second, and then along a column.
        let second = contention.add(&[3, 5], Time::from_seconds(10));
        // Link 2>1 carries two messages of the first job, and link 3>2 carries none.
        assert_eq!(second, JobContention { own: 0.0, others: 2.0 });
        let all: BTreeMap<(NodeId, u8), u64> = naive(&mesh, &[0, 1, 2])
            .into_iter()
            .chain(naive(&mesh, &[3, 5]))
            .fold(BTreeMap::new(), |mut all, (link, load)| {
                *all.entry(link).or_default() += load;
                all
            });
        let expected: u64 = all.values().map(|load| load * (load - 1) / 2).sum();
        assert!((contention.pairs() - expected as f64).abs() < 1e-9 && expected == 6);
        contention.remove(&[0, 1, 2], Time::from_seconds(15));
        assert!(contention.pairs().abs() < 1e-9);
        contention.remove(&[3, 5], Time::from_seconds(20));
        assert!((contention.pair_seconds() - (4.0 * 10.0 + 6.0 * 5.0)).abs() < 1e-9);
        assert!(contention.loads.iter().all(|loads| *loads == [0; 6]));
        Ok(())
    }
}
