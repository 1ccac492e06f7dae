//! A static estimate of contention: what the links would carry if every running job's nodes all sent to each other.
//!
//! Each ordered pair of a job's nodes is one message on its dimension-order route (x, then y, then z; on a torus the
//! shorter way round, upwards if both are as long). The contention of a load l on a link is the number of pairs of
//! messages that meet there, l·(l − 1)/2; that of a machine is the sum over its links. It needs no messages to be
//! simulated, and no time.
//!
//! Messages are counted by line: along x, a link carries those from the row's sources on one side of it to all
//! destinations on the other side; along y those from a plane's sources to a column's destinations; along z those from
//! all sources to the destinations at one x and y. So a job of k nodes in r rows costs O(k + rW + cDL + cD) for c
//! columns (with W² in place of W and so on where lines are rings), never O(k²).

use crate::job::Time;
use crate::machine::{Mesh, NodeId};

/// Messages on links by link: its node, its direction (x up, x down, y up, …), how many.
type Loads = Vec<(NodeId, u8, u64)>;

/// The contention of one job as it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JobContention {
    /// Pairs of its own messages that meet, summed over links.
    pub own: f64,
    /// Pairs of one of its own messages and another running job's that meet.
    pub others: f64,
}

/// The loads of all links while jobs come and go.
#[derive(Clone, Debug)]
pub struct Contention {
    lines: Lines,
    /// By node and direction.
    loads: Vec<[u64; 6]>,
    /// Pairs of messages that meet, now.
    pairs: u128,
    /// Sum over time until `since`, in pairs times microseconds.
    sum: f64,
    since: Time,
    job: Loads,
}

/// Returns the pairs of messages on a link that carries `load` of them.
fn pairs(load: u64) -> u128 {
    let load = u128::from(load);
    load * load.saturating_sub(1) / 2
}

impl Contention {
    /// Makes the loads of an idle machine: none.
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

    /// Adds the messages of a job that takes these nodes, and returns the pairs that they are in.
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

    /// Takes away the messages of a job that gives these nodes back.
    pub fn remove(&mut self, nodes: &[NodeId], now: Time) {
        self.pass(now);
        self.lines.loads(nodes, &mut self.job);
        for &(node, direction, load) in &self.job {
            let all = &mut self.loads[node as usize][usize::from(direction)];
            *all -= load;
            self.pairs -= pairs(load) + u128::from(load) * u128::from(*all);
        }
    }

    /// Returns the pairs of messages that meet now, summed over links.
    pub fn pairs(&self) -> f64 {
        self.pairs as f64
    }

    /// Returns the pairs that meet times the seconds that they do, until the last change.
    pub fn pair_seconds(&self) -> f64 {
        self.sum / 1e6
    }

    /// Adds up the time that has passed since the last change.
    fn pass(&mut self, now: Time) {
        self.sum += self.pairs as f64 * (now - self.since).as_micros() as f64;
        self.since = now;
    }
}

/// The lines of nodes along which messages go, and counts of a job's nodes along them.
#[derive(Clone, Debug)]
struct Lines {
    mesh: Mesh,
    /// Nodes of the job by node, 0 or 1.
    at: Vec<u64>,
    /// Destinations by x; sources by y and z; destinations by x and y.
    by_x: Vec<u64>,
    by_yz: Vec<u64>,
    by_xy: Vec<u64>,
    /// Counts along one line, and what its links carry up and down.
    line: [Vec<u64>; 4],
}

impl Lines {
    fn new(mesh: &Mesh) -> Self {
        let [width, length, depth] = mesh.extents().map(|extent| extent as usize);
        Self {
            mesh: mesh.clone(),
            at: vec![0; mesh.nodes() as usize],
            by_x: vec![0; width],
            by_yz: vec![0; length * depth],
            by_xy: vec![0; width * length],
            line: [const { Vec::new() }; 4],
        }
    }

    /// Writes into `loads` what the links carry for a job on these nodes.
    fn loads(&mut self, nodes: &[NodeId], loads: &mut Loads) {
        loads.clear();
        let [width, length, depth] = self.mesh.extents();
        for &node in nodes {
            let [x, y, z] = self.mesh.coord(node);
            self.at[node as usize] = 1;
            self.by_x[x as usize] += 1;
            self.by_yz[(y + length * z) as usize] += 1;
            self.by_xy[(x + width * y) as usize] += 1;
        }
        let plane = width * length;
        for row in 0..length * depth {
            if self.by_yz[row as usize] > 0 {
                let base = row * width;
                self.along((width, 1, base, 0), loads, |lines, x| {
                    (lines.at[(base + x) as usize], lines.by_x[x as usize])
                });
            }
        }
        for z in 0..depth {
            let has_sources =
                self.by_yz[(z * length) as usize..][..length as usize].iter().any(|&count| count > 0);
            for x in 0..width {
                if has_sources && self.by_x[x as usize] > 0 {
                    self.along((length, width, x + plane * z, 2), loads, |lines, y| {
                        (lines.by_yz[(y + length * z) as usize], lines.by_xy[(x + width * y) as usize])
                    });
                }
            }
        }
        let sources = |lines: &Self, z: u32| -> u64 {
            lines.by_yz[(z * length) as usize..][..length as usize].iter().sum()
        };
        for column in 0..plane {
            if depth > 1 && self.by_xy[column as usize] > 0 {
                self.along((depth, plane, column, 4), loads, |lines, z| {
                    (sources(lines, z), lines.at[(column + plane * z) as usize])
                });
            }
        }
        for &node in nodes {
            let [x, y, z] = self.mesh.coord(node);
            self.at[node as usize] = 0;
            self.by_x[x as usize] = 0;
            self.by_yz[(y + length * z) as usize] = 0;
            self.by_xy[(x + width * y) as usize] = 0;
        }
    }

    /// Appends to `loads` what the links of one line carry: it has `extent` nodes, the first is `base`, each further
    /// one has a number higher by `stride`, and upward links have the number `direction`. `counts` returns the sources
    /// and the destinations at a position.
    fn along(
        &mut self,
        (extent, stride, base, direction): (u32, u32, NodeId, u8),
        loads: &mut Loads,
        counts: impl Fn(&Self, u32) -> (u64, u64),
    ) {
        let [mut sources, mut targets, mut up, mut down] = std::mem::take(&mut self.line);
        for counts in [&mut sources, &mut targets, &mut up, &mut down] {
            counts.clear();
        }
        for i in 0..extent {
            let (source, target) = counts(self, i);
            sources.push(source);
            targets.push(target);
        }
        if self.mesh.is_torus() {
            ring(&sources, &targets, &mut up, &mut down);
        } else {
            open(&sources, &targets, &mut up, &mut down);
        }
        for (node, (&up, &down)) in (base..).step_by(stride as usize).zip(up.iter().zip(&down)) {
            loads.extend((up > 0).then_some((node, direction, up)));
            loads.extend((down > 0).then_some((node, direction + 1, down)));
        }
        self.line = [sources, targets, up, down];
    }
}

/// Appends what links carry from sources to targets along an open line: up from position i to i + 1, and down from i to
/// i − 1. Prefix sums say how many nodes there are on either side of a link.
fn open(sources: &[u64], targets: &[u64], up: &mut Vec<u64>, down: &mut Vec<u64>) {
    let (all_sources, all_targets) = (sources.iter().sum::<u64>(), targets.iter().sum::<u64>());
    let (mut left_sources, mut left_targets) = (0, 0);
    for (source, target) in sources.iter().zip(targets) {
        down.push((all_sources - left_sources) * left_targets);
        left_sources += source;
        left_targets += target;
        up.push(left_sources * (all_targets - left_targets));
    }
}

/// Writes the same for a ring, where messages go the shorter way and upwards if both are as long.
fn ring(sources: &[u64], targets: &[u64], up: &mut Vec<u64>, down: &mut Vec<u64>) {
    let n = sources.len();
    up.resize(n, 0);
    down.resize(n, 0);
    for (i, &source) in sources.iter().enumerate().filter(|(_, source)| **source > 0) {
        // From the farthest position inwards, each link carries what goes to the positions beyond it.
        let mut beyond = 0;
        for ahead in (1..=n / 2).rev() {
            beyond += source * targets[(i + ahead) % n];
            up[(i + ahead - 1) % n] += beyond;
        }
        beyond = 0;
        for behind in (1..=(n - 1) / 2).rev() {
            beyond += source * targets[(i + n - behind) % n];
            down[(i + n - behind + 1) % n] += beyond;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Returns every message goes its way, link by link.
    fn naive(mesh: &Mesh, nodes: &[NodeId]) -> BTreeMap<(NodeId, u8), u64> {
        let mut loads = BTreeMap::new();
        for &source in nodes {
            for &target in nodes {
                let (mut at, to) = (mesh.coord(source), mesh.coord(target));
                for d in 0..3 {
                    let extent = mesh.extents()[d];
                    let ahead = (to[d] + extent - at[d]) % extent;
                    let up = if mesh.is_torus() { 2 * ahead <= extent } else { to[d] > at[d] };
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
        for machine in ["6x5", "9", "4x3x3", "1x4", "torus:5x4", "torus:4x3x2", "torus:7", "torus:2x2x3"] {
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
        // A row of three: each way two messages on both links, one pair on each.
        let first = contention.add(&[0, 1, 2], Time::from_seconds(0));
        assert_eq!(first, JobContention { own: 4.0, others: 0.0 });
        // Nodes 3 and 5 send along rows 0 and 1: links 3>2, 2>1 of the first row and 5>6, 6>7; then down and up a
        // column.
        let second = contention.add(&[3, 5], Time::from_seconds(10));
        // 2>1 carries two of the first job's; 3>2 none.
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
