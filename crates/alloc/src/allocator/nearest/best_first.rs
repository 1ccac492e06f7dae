//! The search on a machine of any size: best first by lower bounds of the pairwise sums.
//!
//! A centre c needs the least radius R with k free nodes in its ball. It takes all nodes nearer than R, and
//! the others from its outermost *shell*, the free nodes at distance R. With few nodes to take, these are
//! added to the inner ball, of radius R − 1; with few nodes to leave, these are removed from the full ball.
//! Either way m nodes change, and
//!
//! ```text
//! pairwise sum  =  pairs of the ball  ±  costs of the m nodes  +  pairs among the m nodes
//! ```
//!
//! where the cost of a node is the sum of its distances to the ball. The lower bound of a centre takes the
//! lowest cost of all places at distance R for each of the m nodes, and the least pairwise sum of m such
//! places. Then the centres come in the order of their bounds. For each one, a closer bound from the lowest
//! costs of its own shell comes before the choice among equally distant nodes. The search ends at the first
//! bound above the best sum.
//!
//! `improve` decides between centres of equal sums, `keep_first` between equally distant nodes.
//!
//! O(C·(R + W + L + D)) for C centres on a W × L × D machine, where R is the number of rows of a ball.
//! Memory: O(N) for N nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ball::{Ball, FreeNodes};
use super::carried::Ties;
use super::centres::{Centres, EarlierCentres};
use super::least_sums::{LeastSums, PairwiseFloor};
use super::numbers::{Axis, Cost};
use crate::allocator::nearest::carried::CarriedOrder;
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId, pairwise_along};

/// The search, with the tables and the memory that it keeps between calls.
#[derive(Debug)]
pub(super) struct BestFirst<C: Cost> {
    kind: Centres,
    ties: Ties,
    axes: [Axis; 3],
    free: FreeNodes<C::Count>,
    ball: Ball<C>,
    least: LeastSums,
    floor: PairwiseFloor,
    /// The free nodes at the largest distance from the current centre, in location order; after
    /// `keep_first` only the nodes that the centre takes.
    shell: Vec<ShellNode<C>>,
    /// Their costs. Scratch memory.
    costs: Vec<C>,
    order: CarriedOrder<ShellNode<C>>,
    earlier: EarlierCentres,
    /// The numbers of nodes at the positions of one dimension. Scratch memory.
    counts: Vec<u32>,
}

/// A free node at the largest distance from a centre.
#[derive(Clone, Copy, Debug)]
struct ShellNode<C> {
    node: Coord,
    /// The sum of its distances to the ball; negative if nodes are removed from the ball.
    cost: C,
}

/// A centre with a lower bound of its pairwise sum. Candidates are compared by their bounds, then by their
/// ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    bound: i64,
    /// The number of centres before it.
    rank: usize,
    /// The radius that it needs.
    radius: i32,
    /// The number of nodes that are added to the inner ball, or removed from the full one.
    changed: u32,
    removes: bool,
}

/// The best known centre.
#[derive(Debug)]
struct Best {
    sum: i64,
    rank: usize,
    radius: i32,
    /// The nodes that it takes at the largest distance.
    outermost: Vec<Coord>,
}

/// One call: the machine, the number of nodes to choose, and the centres in order.
#[derive(Clone, Copy)]
struct Call<'a> {
    machine: &'a Machine,
    k: u32,
    centres: &'a [Coord],
}

impl<C: Cost> BestFirst<C> {
    /// Returns a search for machines of the shape `mesh`.
    pub(super) fn new(mesh: &Mesh, kind: Centres, ties: Ties) -> Self {
        let axes = Axis::from_mesh(mesh);
        Self {
            kind,
            ties,
            axes,
            free: FreeNodes::new(axes),
            ball: Ball::new(axes),
            least: LeastSums::new(axes),
            floor: PairwiseFloor::new(mesh),
            shell: Vec::new(),
            costs: Vec::new(),
            order: CarriedOrder::default(),
            earlier: EarlierCentres::default(),
            counts: Vec::new(),
        }
    }

    /// Returns the `k` nodes of the best centre, as `Nearest::choose` does; `None` if there is no centre or
    /// the machine was stopped.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        if k > machine.free_count() {
            return None;
        }
        let centres = self.kind.list(machine);
        let call = Call { machine, k, centres: &centres };
        self.free.count(machine);
        let best = self.best(call)?;
        Some(nodes_of(call, best))
    }

    /// Returns the first centre with the smallest sum.
    fn best(&mut self, call: Call<'_>) -> Option<Best> {
        let floor = i64::try_from(self.floor.bound(call.k)).unwrap_or(i64::MAX);
        let mut candidates = Vec::with_capacity(call.centres.len());
        let mut best = None;
        let mut radius = 1;
        for rank in 0..call.centres.len() {
            if call.machine.is_stopped() {
                return None;
            }
            let candidate = self.candidate(call, rank, radius);
            radius = candidate.radius;
            if candidate.bound > floor {
                candidates.push(Reverse(candidate));
                continue;
            }
            // No set has a smaller sum than the floor, and earlier centres with a higher bound cannot have
            // it. So the first centre with this sum wins.
            self.improve(&mut best, call, candidate);
            if best.as_ref().is_some_and(|best| best.sum <= floor) {
                return best;
            }
        }
        // Few candidates are looked at: a heap gives them without sorting the others.
        let mut candidates = BinaryHeap::from(candidates);
        while let Some(Reverse(candidate)) = candidates.pop() {
            if call.machine.is_stopped() {
                return None;
            }
            if best.as_ref().is_some_and(|best| candidate.bound > best.sum) {
                break;
            }
            self.improve(&mut best, call, candidate);
        }
        best
    }

    /// Returns the centre of a rank with its bound. `near` is the first radius to try.
    fn candidate(&mut self, call: Call<'_>, rank: usize, near: i32) -> Candidate {
        let (k, centre) = (call.k, call.centres[rank].map(u32::cast_signed));
        let (mut radius, mut full) = (near, self.free.within(centre, near));
        let mut inner = 0;
        if full < k {
            while full < k {
                radius += 1;
                (inner, full) = (full, self.free.within(centre, radius));
            }
        } else {
            while radius > 0 {
                inner = self.free.within(centre, radius - 1);
                if inner < k {
                    break;
                }
                (radius, full) = (radius - 1, inner);
            }
        }
        let removes = full - k < k - inner;
        let changed = if removes { full - k } else { k - inner };
        let mut bound = self.ball.measure(&self.free, centre, radius, removes);
        if changed > 0 {
            let lowest: i64 = self.ball.lowest_cost(radius).into();
            bound = bound.saturating_add(i64::from(changed).saturating_mul(lowest));
            bound = bound.saturating_add(self.least.bound(radius, changed));
        }
        Candidate { bound, rank, radius, changed, removes }
    }

    /// Sets `best` to a candidate if this is better.
    fn improve(&mut self, best: &mut Option<Best>, call: Call<'_>, candidate: Candidate) {
        // A centre that is earlier than the best one may equal its sum; a later one must be below it.
        let limit = best.as_ref().map_or(i64::MAX, |best| best.sum + i64::from(candidate.rank < best.rank));
        if best.is_some() && candidate.bound >= limit {
            return;
        }
        if let Some(sum) = self.evaluate(call, candidate, limit) {
            let Candidate { rank, radius, .. } = candidate;
            let outermost = self.shell.iter().map(|node| node.node).collect();
            *best = Some(Best { sum, rank, radius, outermost });
        }
    }

    /// Returns the pairwise sum of the nodes of a candidate, and leaves the shell nodes that it takes in
    /// `shell`; `None` if the sum is not below `limit`.
    fn evaluate(&mut self, call: Call<'_>, candidate: Candidate, limit: i64) -> Option<i64> {
        let centre = call.centres[candidate.rank];
        let changed = candidate.changed as usize;
        let Candidate { radius, removes, .. } = candidate;
        let pairs = self.ball.measure(&self.free, centre.map(u32::cast_signed), radius, removes);
        self.list_shell(call.machine, centre, candidate.radius);
        self.costs.clear();
        self.costs.extend(self.shell.iter().map(|node| node.cost));
        if changed < self.costs.len() {
            self.costs.select_nth_unstable(changed);
        }
        let lowest: i64 = self.costs[..changed].iter().map(|&cost| cost.into()).sum();
        let least = self.least.bound(candidate.radius, candidate.changed);
        if pairs.saturating_add(lowest).saturating_add(least) >= limit {
            return None;
        }
        let need = if candidate.removes { self.shell.len() - changed } else { changed };
        self.keep_first(call, candidate, need);
        let changed = if candidate.removes { &self.order.rest } else { &self.shell };
        let costs: i64 = changed.iter().map(|node| node.cost.into()).sum();
        let mut among = 0_u64;
        for d in 0..3 {
            among = among.saturating_add(pairs_along(self.axes[d], changed, d, &mut self.counts));
        }
        let sum = pairs.saturating_add(costs).saturating_add_unsigned(among);
        (sum < limit).then_some(sum)
    }

    /// Sets `shell` to the free nodes exactly `radius` away from `centre`, with their costs.
    fn list_shell(&mut self, machine: &Machine, centre: Coord, radius: i32) {
        let Self { axes, ball, shell, .. } = self;
        let centre = centre.map(u32::cast_signed);
        shell.clear();
        let mut add = |offset: [i32; 3]| {
            let node = [0, 1, 2].map(|d| axes[d].position(centre[d], offset[d]).cast_unsigned());
            if machine.free().contains(machine.mesh().node(node)) {
                shell.push(ShellNode { node, cost: ball.cost(offset) });
            }
        };
        for x in axes[0].within(centre[0], radius).offsets() {
            let left = radius - x.abs();
            if axes[2].extent == 1 {
                axes[1].exactly(centre[1], left).for_each(|y| add([x, y, 0]));
                continue;
            }
            for y in axes[1].within(centre[1], left).offsets() {
                axes[2].exactly(centre[2], left - y.abs()).for_each(|z| add([x, y, z]));
            }
        }
        if machine.mesh().wraps_any() {
            shell.sort_unstable_by_key(|node| node.node);
        }
    }

    /// Keeps the `need` nodes of the shell that a candidate takes, and moves the others to `order.rest`.
    fn keep_first(&mut self, call: Call<'_>, candidate: Candidate, need: usize) {
        let (mesh, Candidate { rank, radius, .. }) = (call.machine.mesh(), candidate);
        // In location order, no earlier centre decides anything.
        let earlier = if self.ties == Ties::Carried { &call.centres[..rank] } else { &[] };
        let deciding = self.earlier.deciding(self.axes, call.centres[rank], radius, earlier);
        self.order.keep_first(&mut self.shell, need, deciding, |centre, node| mesh.l1(centre, node.node));
    }
}

/// Returns the sum of the hops along dimension `d` over all pairs of some nodes.
fn pairs_along<C>(axis: Axis, nodes: &[ShellNode<C>], d: usize, counts: &mut Vec<u32>) -> u64 {
    let (mut first, mut last) = (0, axis.extent.cast_unsigned() - 1);
    if !axis.wraps {
        (first, last) = (last, first);
        for node in nodes {
            (first, last) = (first.min(node.node[d]), last.max(node.node[d]));
        }
    }
    if first >= last {
        return 0;
    }
    counts.clear();
    counts.resize((last - first) as usize + 1, 0);
    for node in nodes {
        counts[(node.node[d] - first) as usize] += 1;
    }
    pairwise_along(counts, nodes.len() as u32, axis.wraps)
}

/// Returns the nodes that a centre takes: the nearer ones in location order, then those at the largest
/// distance.
fn nodes_of(call: Call<'_>, best: Best) -> Vec<NodeId> {
    let (mesh, centre) = (call.machine.mesh(), call.centres[best.rank]);
    let radius = best.radius.cast_unsigned();
    let mut nodes: Vec<Coord> = call.machine.free().iter().map(|node| mesh.coord(node)).collect();
    nodes.retain(|&node| mesh.l1(centre, node) < radius);
    nodes.sort_unstable();
    let mut outermost = best.outermost;
    outermost.sort_unstable();
    nodes.append(&mut outermost);
    nodes.into_iter().map(|node| mesh.node(node)).collect()
}
