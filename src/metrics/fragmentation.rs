//! The fragmentation of the free nodes: the largest free submesh, and how many of given slices would fit.

use std::fmt;
use std::str::FromStr;

use crate::job::Time;
use crate::machine::{FreeSubmeshes, Machine, Mesh, NodeId, NodeSet, along_axes};

/// The greatest number of slices that are counted; the summary has a column for each.
pub const MOST_SLICES: usize = 8;

/// The sides of the submeshes that are counted, such as `4x4x4+8x4x4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices(Vec<[u32; 3]>);

impl Slices {
    /// Returns the sides of each slice as they are given.
    pub fn sides(&self) -> &[[u32; 3]] {
        &self.0
    }
}

/// Writes the slices with `+` between them.
impl fmt::Display for Slices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slices: Vec<String> = self.0.iter().map(|[a, b, c]| format!("{a}x{b}x{c}")).collect();
        f.write_str(&slices.join("+"))
    }
}

/// Reads slices with `+` or `,` between them. Missing sides are 1.
impl FromStr for Slices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let slice = |text: &str| {
            // Sides have the grammar of a mesh without parameters.
            let mesh: Option<Mesh> = text.parse().ok().filter(|_| !text.contains(':'));
            mesh.map(|mesh| mesh.extents())
                .ok_or_else(|| format!("'{text}' is no slice: expected sides of at least 1, such as 4x4x2"))
        };
        let slices: Vec<[u32; 3]> = text.split(['+', ',']).map(slice).collect::<Result<_, _>>()?;
        if slices.len() > MOST_SLICES {
            return Err(format!("{} slices: expected at most {MOST_SLICES}", slices.len()));
        }
        Ok(Self(slices))
    }
}

/// The means over time of the fragmentation of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FragmentationRecord {
    /// The mean number of nodes of the largest free submesh.
    pub largest: f64,
    /// The mean of 1 − largest free submesh / free nodes, which is 0 while no node is free.
    pub external: f64,
    /// For each slice the mean number of such submeshes that fit beside each other if they are packed in scan order.
    pub fits: Vec<f64>,
}

/// Follows which nodes are free, and adds up the fragmentation over time.
#[derive(Debug)]
pub struct Fragmentation {
    /// The machine, in which nodes that are down are not free either.
    machine: Machine,
    /// The nodes that jobs hold. Some of them may be down.
    held: NodeSet,
    /// The nodes that are down.
    down: NodeSet,
    /// For each slice its orientations that fit the machine, without repetitions.
    orientations: Vec<Vec<[u32; 3]>>,
    search: FreeSubmeshes,
    /// The time from which the present state holds.
    since: Time,
    start: Time,
    /// Whether nodes have changed since `state` was computed.
    is_changed: bool,
    state: State,
    /// The integrals of `state` over the time in seconds.
    sums: FragmentationRecord,
}

/// The fragmentation at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    largest: u32,
    fits: Vec<u32>,
}

impl Fragmentation {
    /// Returns the fragmentation of an idle machine from `start` on.
    pub fn new(mesh: &Mesh, slices: &Slices, start: Time) -> Self {
        let orientations: Vec<Vec<[u32; 3]>> =
            slices.sides().iter().map(|&sides| orientations(sides, mesh)).collect();
        let sums =
            FragmentationRecord { fits: vec![0.0; orientations.len()], ..FragmentationRecord::default() };
        Self {
            machine: Machine::new(mesh.clone()),
            held: NodeSet::empty(mesh.nodes()),
            down: NodeSet::empty(mesh.nodes()),
            orientations,
            search: FreeSubmeshes::default(),
            since: start,
            start,
            is_changed: true,
            state: State::default(),
            sums,
        }
    }

    /// Records that `nodes` are in use from `now` on.
    pub fn take(&mut self, nodes: &[NodeId], now: Time) {
        self.advance(now);
        self.is_changed = true;
        for &node in nodes {
            self.held.insert(node);
        }
        // The engine has checked the placement, so the nodes are free here too.
        let done = self.machine.occupy(nodes);
        debug_assert_eq!(done, Ok(()));
    }

    /// Records that `nodes` are free from `now` on.
    pub fn free(&mut self, nodes: &[NodeId], now: Time) {
        self.advance(now);
        self.is_changed = true;
        for &node in nodes {
            self.held.remove(node);
        }
        let up: Vec<NodeId> = nodes.iter().copied().filter(|&node| !self.down.contains(node)).collect();
        self.machine.vacate(&up);
    }

    /// Records that a node, which may be in use, goes down or comes up.
    pub fn change(&mut self, node: NodeId, is_down: bool, now: Time) {
        self.advance(now);
        self.is_changed = true;
        let is_new = if is_down { self.down.insert(node) } else { self.down.remove(node) };
        if !is_new || self.held.contains(node) {
            return;
        }
        if is_down {
            let done = self.machine.occupy(&[node]);
            debug_assert_eq!(done, Ok(()));
        } else {
            self.machine.vacate(&[node]);
        }
    }

    /// Returns the means from the start to the last event; all are 0 if no time has passed.
    pub fn means(&self) -> FragmentationRecord {
        let span_s = (self.since - self.start).as_seconds();
        let mean = |sum: f64| if span_s > 0.0 { sum / span_s } else { 0.0 };
        FragmentationRecord {
            largest: mean(self.sums.largest),
            external: mean(self.sums.external),
            fits: self.sums.fits.iter().map(|&sum| mean(sum)).collect(),
        }
    }

    /// Adds the time until `now` to the sums. The state is computed once for each stretch of time between events, not
    /// for the states within one instant.
    fn advance(&mut self, now: Time) {
        if now <= self.since {
            return;
        }
        if std::mem::take(&mut self.is_changed) {
            self.state = State {
                largest: largest(&mut self.search, &self.machine),
                fits: self
                    .orientations
                    .iter()
                    .map(|sizes| fit(&mut self.search, &self.machine, sizes))
                    .collect(),
            };
        }
        let passed_s = (now - self.since).as_seconds();
        self.since = now;
        self.sums.largest += passed_s * f64::from(self.state.largest);
        let free = self.machine.free_count();
        if free > 0 {
            self.sums.external += passed_s * (1.0 - f64::from(self.state.largest) / f64::from(free));
        }
        for (sum, &fit) in self.sums.fits.iter_mut().zip(&self.state.fits) {
            *sum += passed_s * f64::from(fit);
        }
    }
}

/// Returns the orientations of a slice that fit the machine: first its longest side along the machine's longest
/// dimension and so on, then the others in rising order of their sides.
fn orientations(sides: [u32; 3], mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut found = vec![along_axes(sides, mesh)];
    let mut others: Vec<[u32; 3]> = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        .map(|axes| axes.map(|d| sides[d]))
        .into();
    others.sort_unstable();
    others.dedup();
    found.extend(others.into_iter().filter(|other| *other != along_axes(sides, mesh)));
    found.retain(|sizes| (0..3).all(|d| sizes[d] <= mesh.extents()[d]));
    found
}

/// Returns the number of nodes of the largest free submesh; 0 if no node is free.
///
/// For a given side along x, the longest free side along z falls as the side along y grows. So the search walks down a
/// staircase: one search for free submeshes for each of its steps, at most W · (L + D) in all, and sides that cannot
/// beat the best so far are not searched for.
fn largest(search: &mut FreeSubmeshes, machine: &Machine) -> u32 {
    let [width, length, depth] = machine.mesh().extents();
    let mut best = 0;
    for x in (1..=width).rev() {
        let mut z = depth;
        for y in 1..=length {
            if x * length * z <= best {
                break;
            }
            while z > 0 && x * y * z > best {
                if x * y * z <= machine.free_count() {
                    search.find(machine, [x, y, z]);
                    if search.first().is_some() {
                        best = x * y * z;
                        break;
                    }
                }
                z -= 1;
            }
            if z == 0 {
                break;
            }
        }
    }
    best
}

/// Returns how many disjoint free submeshes are found greedily: orientation by orientation, in each every submesh, in
/// scan order (z, then y, then x of the base), whose nodes are free and in no submesh found before.
fn fit(search: &mut FreeSubmeshes, machine: &Machine, sizes: &[[u32; 3]]) -> u32 {
    let (mut left, mut found) = (machine.clone(), 0);
    for &sizes in sizes {
        search.find(&left, sizes);
        for base in search.iter() {
            let nodes = nodes_of(left.mesh(), base, sizes);
            // A node of an earlier submesh makes this fail, and then nothing changes.
            if nodes.iter().all(|&node| left.free().contains(node)) && left.occupy(&nodes).is_ok() {
                found += 1;
            }
        }
    }
    found
}

/// Returns the nodes of a submesh, which may wrap around.
fn nodes_of(mesh: &Mesh, base: [u32; 3], [width, length, depth]: [u32; 3]) -> Vec<NodeId> {
    let at = |i: u32| [i % width, i / width % length, i / width / length];
    let wrapped = |at: [u32; 3]| [0, 1, 2].map(|d| (base[d] + at[d]) % mesh.extents()[d]);
    (0..width * length * depth).map(|i| mesh.node(wrapped(at(i)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn means_are_over_time() -> Tested {
        let slices: Slices = "2x2,4x1".parse()?;
        let at = Time::from_seconds;
        let mut all = Fragmentation::new(&"4x2".parse()?, &slices, at(10));
        // 10 s idle, then 20 s with one corner in use, then 10 s full.
        all.take(&[0], at(20));
        all.take(&[1, 2, 3, 4, 5, 6, 7], at(40));
        all.free(&[0], at(50));
        let means = all.means();
        assert!((means.largest - (10.0 * 8.0 + 20.0 * 6.0) / 40.0).abs() < 1e-12);
        assert!((means.external - 20.0 * (1.0 - 6.0 / 7.0) / 40.0).abs() < 1e-12);
        assert_eq!(means.fits, [(10.0 * 2.0 + 20.0) / 40.0, (10.0 * 2.0 + 20.0) / 40.0]);
        Ok(())
    }

    #[test]
    fn nodes_that_are_down_are_not_free() -> Tested {
        let at = Time::from_seconds;
        let mut all = Fragmentation::new(&"4x1".parse()?, &"1".parse()?, at(0));
        // Node 0 fails while a job holds it, and comes up 10 s after the job's end; node 3 fails idle.
        all.take(&[0, 1], at(0));
        all.change(0, true, at(0));
        all.change(3, true, at(10));
        all.free(&[0, 1], at(20));
        all.change(0, false, at(30));
        all.change(3, false, at(40));
        assert_eq!(all.means().fits, [(2.0 + 1.0 + 2.0 + 3.0) / 4.0]);
        Ok(())
    }

    #[test]
    fn the_state_of_random_machines_equals_that_found_by_brute_force() -> Tested {
        let mut seed = 1_u64;
        for text in
            ["1", "7", "5x4", "4x3x3", "3x5x2", "6x6", "torus:7", "torus:5x4", "torus:3x3x2", "4x3x3:wrap=xz"]
        {
            let mesh: Mesh = text.parse()?;
            let [width, length, depth] = mesh.extents();
            for _ in 0..60 {
                let mut machine = Machine::new(mesh.clone());
                for node in 0..mesh.nodes() {
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    if seed >> 62 == 0 {
                        machine.occupy(&[node])?;
                    }
                }
                let cells = || (0..mesh.nodes()).map(|node| mesh.coord(node));
                let is_free = |machine: &Machine, base: [u32; 3], sizes: [u32; 3]| {
                    // A side as long as a dimension begins at its first node only.
                    let fits = |d: usize| {
                        let extent = mesh.extents()[d];
                        base[d] + sizes[d] <= extent || mesh.wraps(d) && sizes[d] < extent
                    };
                    (0..3).all(fits)
                        && nodes_of(&mesh, base, sizes).iter().all(|&node| machine.free().contains(node))
                };
                let plain = cells()
                    .flat_map(|base| cells().map(move |sizes| (base, sizes.map(|side| side + 1))))
                    .filter(|&(base, sizes)| is_free(&machine, base, sizes))
                    .map(|(_, sizes)| sizes.iter().product())
                    .max();
                let mut search = FreeSubmeshes::default();
                assert_eq!(largest(&mut search, &machine), plain.unwrap_or(0), "{text}");
                for sides in [[1, 1, 1], [2, 1, 1], [2, 2, 1], [3, 2, 1], [2, 2, 2]] {
                    let sizes = orientations(sides, &mesh);
                    // The twin begins anew after each submesh.
                    let (mut left, mut found) = (machine.clone(), 0);
                    for &sizes in &sizes {
                        let scan = || {
                            (0..depth).flat_map(|z| {
                                (0..length).flat_map(move |y| (0..width).map(move |x| [x, y, z]))
                            })
                        };
                        while let Some(base) = scan().find(|&base| is_free(&left, base, sizes)) {
                            left.occupy(&nodes_of(&mesh, base, sizes))?;
                            found += 1;
                        }
                    }
                    assert_eq!(fit(&mut search, &machine, &sizes), found, "{text} {sides:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn slices_are_spelt_as_sides() -> Tested {
        let slices: Slices = "4x4x4,8x2".parse()?;
        assert_eq!(slices.to_string(), "4x4x4+8x2x1");
        assert_eq!(slices.to_string().parse::<Slices>()?, slices);
        assert_eq!(orientations([4, 2, 1], &"4x2x4".parse()?), [[4, 1, 2], [1, 2, 4], [2, 1, 4], [4, 2, 1]]);
        for (text, message) in [
            ("", "'' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("4x0", "'4x0' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("torus:4x4", "'torus:4x4' is no slice: expected sides of at least 1, such as 4x4x2"),
            ("1,2,3,4,5,6,7,8,9", "9 slices: expected at most 8"),
        ] {
            assert_eq!(text.parse::<Slices>().err().as_deref(), Some(message), "{text}");
        }
        Ok(())
    }
}
