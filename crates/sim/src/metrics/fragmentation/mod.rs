//! The fragmentation of the free nodes: the largest free submesh, and how many slices fit. On a tree of
//! switches, groups take the place of submeshes.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "sides within a machine have a product of at most its 2^24 nodes, or that of a plane times a \
         side, and positions are below twice a side"
)]

mod groups;
mod slices;

pub use self::slices::{Slice, Slices};

use self::groups::Groups;
use self::slices::{fit, orientations};
use meshreplay_alloc::allocator::FreeBoxes;
use meshreplay_base::job::Time;
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, NodeId, NodeSet, Submesh};

/// The fragmentation of a replay: means over time, and optionally its course.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FragmentationRecord {
    /// Mean nodes of the largest free submesh.
    pub largest: f64,
    /// Mean of Slurm's number for blocks of leaves; `None` if the machine is not a tree.
    pub slurm: Option<f64>,
    /// Mean of 1 − largest free submesh / free nodes, counted as 0 while no node is free.
    pub external: f64,
    /// By slice: how many fit.
    pub slices: Vec<SliceFit>,
    /// The fragmentation after each change, in the order of time. The first entry is that of the first
    /// arrival or start. Empty unless requested.
    pub course: Vec<FragmentationAt>,
}

/// How many of a slice fit into the free nodes, as means over time.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceFit {
    /// The slice.
    pub slice: Slice,
    /// Mean number that fit at once.
    pub fit: f64,
    /// Share of time with enough of them.
    pub enough: f64,
}

/// The fragmentation from an instant on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentationAt {
    /// The instant.
    pub time: Time,
    /// Free nodes.
    pub free: u32,
    /// Nodes of the largest free submesh.
    pub largest: u32,
    /// By slice: how many fit at once.
    pub fits: Box<[u32]>,
}

impl FragmentationAt {
    /// Returns 1 − largest free submesh / free nodes; 0 if no node is free.
    pub fn external(&self) -> f64 {
        if self.free > 0 { 1.0 - f64::from(self.largest) / f64::from(self.free) } else { 0.0 }
    }
}

/// Tracks the free nodes, integrates the fragmentation over time, and records its course on request.
#[derive(Debug)]
pub struct Fragmentation {
    /// The machine. Nodes that are down are not free either.
    machine: Machine,
    /// The nodes that jobs hold, possibly down.
    held: NodeSet,
    /// The nodes that are down.
    down: NodeSet,
    slices: Slices,
    submeshes: SubmeshSearch,
    /// The time since which the present state holds.
    since: Time,
    start: Time,
    /// Whether nodes have changed since `state` was computed.
    is_changed: bool,
    /// Whether a node has become free since `state` was computed.
    has_grown: bool,
    state: FragmentationAt,
    /// Slurm's number; 0 if the machine is not a tree.
    slurm: u64,
    /// The integrals of `state` over time in seconds, and its course.
    sums: FragmentationRecord,
    keeps_course: bool,
}

/// The search for free submeshes.
#[derive(Debug)]
enum SubmeshSearch {
    /// On a machine with fixed neighbours.
    Fixed {
        /// By slice: its orientations that fit the machine, without repetitions.
        orientations: Vec<Vec<[u32; 3]>>,
        search: FreeSubmeshes,
        largest: Largest,
    },
    /// On a machine of cubes joined by switches: a submesh may come from cubes that are not adjacent.
    Switched(FreeBoxes),
    /// On a tree of switches.
    Tree(Groups),
}

impl SubmeshSearch {
    fn new(mesh: &Mesh, slices: &Slices) -> Self {
        if let Some(groups) = Groups::on(mesh) {
            return Self::Tree(groups);
        }
        FreeBoxes::on(mesh).map_or_else(
            || Self::Fixed {
                orientations: slices.all().iter().map(|slice| orientations(slice.sides, mesh)).collect(),
                search: FreeSubmeshes::default(),
                largest: Largest::default(),
            },
            Self::Switched,
        )
    }

    /// Returns the nodes of the largest free submesh. `is_less` promises that no node has become free since
    /// the last call.
    fn largest(&mut self, machine: &Machine, is_less: bool) -> u32 {
        match self {
            Self::Fixed { largest, .. } => largest.update(machine, is_less),
            Self::Switched(boxes) => {
                boxes.update(machine);
                boxes.largest()
            }
            Self::Tree(groups) => {
                groups.update(machine);
                groups.largest()
            }
        }
    }

    /// Returns how many submeshes of slice `i` fit at once. Requires a call of [`Self::largest`] before,
    /// which has returned `largest`: a slice with more nodes does not fit.
    fn fit(&mut self, i: usize, sides: [u32; 3], largest: u32, machine: &Machine) -> u32 {
        let nodes = sides.iter().fold(1_u64, |nodes, &side| nodes.saturating_mul(u64::from(side)));
        match self {
            Self::Tree(groups) => u32::try_from(nodes).map_or(0, |nodes| groups.fit(nodes)),
            _ if nodes > u64::from(largest) => 0,
            Self::Fixed { orientations, search, .. } => fit(search, machine, &orientations[i]),
            Self::Switched(boxes) => boxes.count(sides),
        }
    }
}

impl Fragmentation {
    /// Creates the fragmentation of an idle machine from `start` on, with its course if `keeps_course`.
    pub fn new(mesh: &Mesh, slices: &Slices, start: Time, keeps_course: bool) -> Self {
        let zero = |&slice: &Slice| SliceFit { slice, fit: 0.0, enough: 0.0 };
        let fits = slices.all().iter().map(zero).collect();
        let slurm = mesh.levels().map(|_| 0.0);
        let sums = FragmentationRecord { slurm, slices: fits, ..Default::default() };
        Self {
            machine: Machine::new(mesh.clone()),
            held: NodeSet::empty(mesh.nodes()),
            down: NodeSet::empty(mesh.nodes()),
            slices: slices.clone(),
            submeshes: SubmeshSearch::new(mesh, slices),
            since: start,
            start,
            is_changed: true,
            has_grown: true,
            state: FragmentationAt::default(),
            slurm: 0,
            sums,
            keeps_course,
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
        (self.is_changed, self.has_grown) = (true, true);
        for &node in nodes {
            self.held.remove(node);
        }
        let up: Vec<NodeId> = nodes.iter().copied().filter(|&node| !self.down.contains(node)).collect();
        self.machine.vacate(&up);
    }

    /// Records that a node, possibly in use, goes down or comes up.
    pub fn change(&mut self, node: NodeId, is_down: bool, now: Time) {
        self.advance(now);
        let is_new = if is_down { self.down.insert(node) } else { self.down.remove(node) };
        if !is_new || self.held.contains(node) {
            return;
        }
        self.is_changed = true;
        if is_down {
            let done = self.machine.occupy(&[node]);
            debug_assert_eq!(done, Ok(()));
        } else {
            self.has_grown = true;
            self.machine.vacate(&[node]);
        }
    }

    /// Returns the means from the start to the last event, 0 if no time has passed, and the course with the
    /// state after the last event.
    pub fn finish(mut self) -> FragmentationRecord {
        if self.keeps_course {
            self.refresh();
        }
        let span_s = (self.since - self.start).as_seconds();
        let mean = |sum: f64| if span_s > 0.0 { sum / span_s } else { 0.0 };
        let mean_fit = |sums: SliceFit| SliceFit { fit: mean(sums.fit), enough: mean(sums.enough), ..sums };
        FragmentationRecord {
            largest: mean(self.sums.largest),
            external: mean(self.sums.external),
            slurm: self.sums.slurm.map(mean),
            slices: self.sums.slices.into_iter().map(mean_fit).collect(),
            course: self.sums.course,
        }
    }

    /// Adds the time until `now` to the sums. The state is computed once for each interval between events,
    /// not for states within an instant.
    fn advance(&mut self, now: Time) {
        if now <= self.since {
            return;
        }
        self.refresh();
        let passed_s = (now - self.since).as_seconds();
        self.since = now;
        self.sums.largest += passed_s * f64::from(self.state.largest);
        self.sums.external += passed_s * self.state.external();
        if let Some(sum) = &mut self.sums.slurm {
            *sum += passed_s * self.slurm as f64;
        }
        for (sums, &fit) in self.sums.slices.iter_mut().zip(&self.state.fits) {
            sums.fit += passed_s * f64::from(fit);
            sums.enough += if fit >= sums.slice.enough { passed_s } else { 0.0 };
        }
    }

    /// Computes the state if nodes have changed, and adds it to the course if it differs from the last one.
    fn refresh(&mut self) {
        if !std::mem::take(&mut self.is_changed) {
            return;
        }
        let Self { machine, submeshes, slices, .. } = self;
        let largest = submeshes.largest(machine, !std::mem::take(&mut self.has_grown));
        let fits = slices.all().iter().enumerate();
        let fits = fits.map(|(i, slice)| submeshes.fit(i, slice.sides, largest, machine)).collect();
        if let SubmeshSearch::Tree(groups) = submeshes {
            self.slurm = groups.slurm();
        }
        let time = self.since;
        let state = FragmentationAt { time, free: machine.free_count(), largest, fits };
        let before = std::mem::replace(&mut self.state, state);
        let is_same = FragmentationAt { time, ..before } == self.state;
        if self.keeps_course && (!is_same || self.sums.course.is_empty()) {
            self.sums.course.push(self.state.clone());
        }
    }
}

/// Tracks the largest free submesh across changes, with a *witness*: a free submesh of that size.
///
/// While nodes are only taken, no free submesh grows. So the size stays the same as long as the witness is
/// free, without any search. Otherwise the witness, or its remainder, is a lower bound that rules out most
/// sides for having no more nodes.
#[derive(Debug, Default)]
struct Largest {
    search: FreeSubmeshes,
    /// A largest free submesh, or `None` if no node is free.
    witness: Option<Submesh>,
}

impl Largest {
    /// Returns the nodes of the largest free submesh, or 0 if no node is free. `is_less` promises that no
    /// node has become free since the last call.
    fn update(&mut self, machine: &Machine, is_less: bool) -> u32 {
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

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn means_are_over_time() -> Tested {
        let slices: Slices = "2x2*2,4x1".parse()?;
        let at = Time::from_seconds;
        let mut all = Fragmentation::new(&"4x2".parse()?, &slices, at(10), true);
        // 10 s idle, then 20 s with one corner in use, then 10 s full.
        all.take(&[0], at(20));
        all.take(&[1, 2, 3, 4, 5, 6, 7], at(40));
        all.free(&[0], at(50));
        let means = all.finish();
        assert!((means.largest - (10.0 * 8.0 + 20.0 * 6.0) / 40.0).abs() < 1e-12);
        assert!((means.external - 20.0 * (1.0 - 6.0 / 7.0) / 40.0).abs() < 1e-12);
        let fits: Vec<_> = means.slices.iter().map(|slice| (slice.fit, slice.enough)).collect();
        assert_eq!(fits, [(1.0, 10.0 / 40.0), (1.0, 30.0 / 40.0)]);
        let state = |seconds, free, largest, fits: [u32; 2]| FragmentationAt {
            time: at(seconds),
            free,
            largest,
            fits: fits.into(),
        };
        let course = [
            state(10, 8, 8, [2, 2]),
            state(20, 7, 6, [1, 1]),
            state(40, 0, 0, [0, 0]),
            state(50, 1, 1, [0, 0]),
        ];
        assert_eq!(means.course, course);
        Ok(())
    }

    #[test]
    fn nodes_that_are_down_are_not_free() -> Tested {
        let at = Time::from_seconds;
        let mut all = Fragmentation::new(&"4x1".parse()?, &"1".parse()?, at(0), false);
        // Node 0 fails while a job holds it, and comes up 10 s after the job's end; node 3 fails idle.
        all.take(&[0, 1], at(0));
        all.change(0, true, at(0));
        all.change(3, true, at(10));
        all.free(&[0, 1], at(20));
        all.change(0, false, at(30));
        all.change(3, false, at(40));
        assert!((all.finish().slices[0].fit - (2.0 + 1.0 + 2.0 + 3.0) / 4.0).abs() < 1e-12);
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
                assert_eq!(Largest::default().update(&machine, false), plain.unwrap_or(0), "{text}");
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

    /// Returns the nodes of a submesh, which may wrap around.
    fn nodes_of(mesh: &Mesh, base: [u32; 3], [width, length, depth]: [u32; 3]) -> Vec<NodeId> {
        let at = |i: u32| [i % width, i / width % length, i / width / length];
        let wrapped = |at: [u32; 3]| [0, 1, 2].map(|d| (base[d] + at[d]) % mesh.extents()[d]);
        (0..width * length * depth).map(|i| mesh.node(wrapped(at(i)))).collect()
    }

    #[test]
    fn what_is_kept_between_changes_does_not_matter() -> Tested {
        let mut seed = 1_u64;
        let mut draw = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for text in ["7x6", "4x4x3", "torus:7x5", "torus:4x3x3", "5x4x3:wrap=y", "torus:6x5:without=3-7"] {
            let mut machine = Machine::new(text.parse()?);
            let mut held: Vec<Vec<NodeId>> = Vec::new();
            let mut kept = Largest::default();
            for step in 0..600 {
                let mut is_less = step > 0;
                // Several changes may come before the next look.
                for _ in 0..=draw(2) {
                    if held.is_empty() || draw(3) > 0 {
                        let mesh = machine.mesh();
                        let sizes = mesh.extents().map(|extent| 1 + draw(extent.min(3) as usize) as u32);
                        let place = FreeSubmeshes::default().find_first(&machine, sizes);
                        if let Some(base) = place {
                            let nodes = nodes_of(mesh, base, sizes);
                            machine.occupy(&nodes)?;
                            held.push(nodes);
                        }
                    } else {
                        machine.vacate(&held.swap_remove(draw(held.len())));
                        is_less = false;
                    }
                }
                let anew = Largest::default().update(&machine, false);
                assert_eq!(kept.update(&machine, is_less), anew, "{text}, step {step}");
            }
        }
        Ok(())
    }
}
