//! The network alone under a steady load: every node creates packets at random times, whatever the network
//! does (an *open loop*), and the arrivals are measured.
//!
//! 1. In every cycle each sending node creates a packet with probability rate / length (a Bernoulli process),
//!    so it offers `rate` flits per cycle. Packets wait at their node, without limit, until the packets
//!    before them have entered the network.
//! 2. The target of a packet is drawn from the messages of its process in one round of the pattern. Process i
//!    runs on node i, and the processes are arranged along the sides of the machine. Unavailable nodes have
//!    no process but forward packets; process i is then on the i-th available node.
//! 3. Packets that arrive during the warm-up are not counted. Later arrivals count as accepted flits and with
//!    their latency, from the creation to the arrival of the last flit.
//!
//! Below saturation all offered flits are accepted. Beyond it the queues at the nodes grow, and latencies
//! depend on the number of cycles. Requests of the same cycle are ordered by the creation of the packets,
//! then by node.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Geometric};

use super::fabric::{Fabric, Packet, Processors};
use super::pattern::{PATTERNS, Pattern, Processes};
use super::traffic::{Cycles, PacketStats};
use super::{Transport, check_machine};
use meshreplay_base::job::Shape;
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};
use meshreplay_machine::machine::{Mesh, NodeId};

/// Name of the network that can be measured.
const WORMHOLE: &str = super::ENTRY.name;

/// A network with packets created at a given rate.
#[derive(Clone, Debug)]
pub struct OpenLoop {
    mesh: Mesh,
    transport: Transport,
}

/// Lengths of a measurement in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Cycles before the measurement.
    pub warm_up: u32,
    /// Cycles of the measurement, at least 1.
    pub measured: u32,
}

/// The measurements at one rate.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Flits that arrived per cycle and sending node.
    pub accepted: f64,
    /// The same for the node with the fewest and for the node with the most arrivals.
    pub of_sources: [f64; 2],
    /// Packets that arrived.
    pub packets: u64,
    /// Latencies of these packets.
    pub latency: Cycles,
    /// Mean hops of these packets, or 0 if there are none.
    pub hops: f64,
}

impl Measured {
    /// Returns the mean latency in cycles, or `None` if no packet has arrived.
    pub fn mean_latency(&self) -> Option<f64> {
        (self.packets > 0).then(|| self.latency.total as f64 / self.packets as f64)
    }
}

/// Returns the names of the patterns, the default first.
pub fn patterns() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().map(|(name, _)| *name)
}

impl OpenLoop {
    /// Creates the network named by `spec` on `mesh`. Returns it with the spec with all defaults written out.
    /// Only the parameters of the transport of packets exist here. Fails if the spec names no network with
    /// messages, a parameter is unknown or invalid, or the network cannot serve the machine.
    pub fn new(spec: &Spec, mesh: &Mesh, seed: u64) -> Result<(Self, Spec), SpecError> {
        if spec.name != WORMHOLE {
            return Err(unknown("network with messages", &spec.name, [WORMHOLE]));
        }
        let mut params = Params::new(spec);
        let transport = Transport::take(&mut params, mesh, seed)?;
        check_machine(&params, mesh)?;
        Ok((Self { mesh: mesh.clone(), transport }, params.finish()?))
    }

    /// Measures the network while every node offers `rate` flits per cycle, above 0 and at most 1, in the
    /// named pattern. The result depends on the seed only. Fails for an unknown pattern.
    pub fn run(&self, pattern: &str, rate: f64, windows: Windows, seed: u64) -> Result<Measured, SpecError> {
        let Some(&(_, pattern)) = PATTERNS.iter().find(|(name, _)| *name == pattern) else {
            return Err(unknown("pattern", pattern, patterns()));
        };
        let (mut fabric, _) = self.transport.build(&self.mesh);
        let length = self.transport.timing.length;
        let mut senders = Senders::new(&self.mesh, pattern, rate / f64::from(length), seed);
        senders.until(&mut *fabric, i64::from(windows.warm_up));
        senders.forget();
        senders.until(&mut *fabric, i64::from(windows.warm_up) + i64::from(windows.measured));
        Ok(senders.measured(length, windows.measured))
    }
}

/// A process that creates packets.
#[derive(Clone, Debug)]
struct Source {
    random: ChaCha8Rng,
    /// The cycle of the next creation of a packet.
    created: i64,
    /// Packets that have entered the network.
    number: u64,
    /// Messages in a round, or 0 if the process sends nothing.
    messages: u32,
    /// Packets that have arrived.
    arrived: u64,
}

/// The nodes with a process, as the senders of the network.
struct Senders {
    pattern: Pattern,
    processes: Processes,
    /// The node of each process.
    nodes: Vec<NodeId>,
    /// The distribution of the cycles between two creations, minus one. `None` for a creation in every cycle.
    gaps: Option<Geometric>,
    /// The processes.
    sources: Vec<Source>,
    /// The processes without a packet to send, by the cycle of their next creation.
    idle: BinaryHeap<Reverse<(i64, u32)>>,
    /// The first creation of an idle process at the time when the network began to run.
    limit: i64,
    packets: u64,
    hops: u64,
    latency: Cycles,
}

impl Senders {
    /// Creates the processes on a machine before the first cycle. Each creates a packet with probability
    /// `share` per cycle.
    fn new(mesh: &Mesh, pattern: Pattern, share: f64, seed: u64) -> Self {
        let mut all = ChaCha8Rng::seed_from_u64(seed ^ u64::from_le_bytes(*b"openloop"));
        let nodes: Vec<NodeId> = (0..mesh.nodes()).filter(|&node| mesh.is_available(node)).collect();
        let count = nodes.len() as u32;
        let root = all.random_range(0..count.max(1));
        let processes = Processes::new(count, Shape::Sides(mesh.extents()), root);
        let gaps = if share < 1.0 { Geometric::new(share).ok() } else { None };
        let source = |rank: u32| {
            // A random stream per process keeps its packets independent of other processes.
            let mut random = all.clone();
            random.set_stream(u64::from(rank) + 1);
            let messages = pattern.messages(&processes, rank);
            Source { random, created: 0, number: 0, messages, arrived: 0 }
        };
        let mut senders = Self {
            pattern,
            processes,
            nodes,
            gaps,
            sources: (0..count).map(source).collect(),
            idle: BinaryHeap::new(),
            limit: 0,
            packets: 0,
            hops: 0,
            latency: Cycles::default(),
        };
        for rank in 0..count {
            let first = senders.gap(rank) - 1;
            let source = &mut senders.sources[rank as usize];
            source.created = first;
            if source.messages > 0 {
                senders.idle.push(Reverse((first, rank)));
            }
        }
        senders
    }

    /// Draws the number of cycles between two creations.
    fn gap(&mut self, rank: u32) -> i64 {
        let random = &mut self.sources[rank as usize].random;
        let between = self.gaps.map_or(0, |gaps| gaps.sample(random));
        i64::try_from(between).unwrap_or(i64::MAX).min(1 << 40) + 1
    }

    /// Returns the next packet of a process, and draws the creation of the packet after it.
    fn next(&mut self, rank: u32) -> Packet {
        let gap = self.gap(rank);
        let source = &mut self.sources[rank as usize];
        let i = if source.messages > 1 { source.random.random_range(0..source.messages) } else { 0 };
        let drawn = match self.pattern {
            Pattern::Random => source.random.random_range(0..self.processes.count - 1),
            _ => 0,
        };
        let target = self.pattern.target(&self.processes, rank, i, drawn);
        let (created, number) = (source.created, source.number);
        (source.created, source.number) = (created + gap, number + 1);
        // Machines have at most 2^20 nodes, so the older packet has the smaller key.
        let key = (created as u64) << 20 | u64::from(rank);
        let [source, target] = [rank, target].map(|rank| self.nodes[rank as usize]);
        Packet { job: 0, sender: rank, key, number, created, source, target }
    }

    /// Simulates the cycles before cycle `end`.
    fn until(&mut self, fabric: &mut dyn Fabric, end: i64) {
        loop {
            // A process that becomes idle meanwhile may create a packet before cycle `limit`. That interrupts
            // the run, see `has_finished`.
            self.limit = self.first_creation().min(end);
            let (limit, is_last) = (self.limit, self.limit == end);
            while !fabric.run(if is_last { end - 1 } else { limit }, self, u32::MAX) {}
            if self.first_creation() < limit {
                continue;
            }
            if is_last {
                return;
            }
            while let Some(&Reverse((_, rank))) =
                self.idle.peek().filter(|Reverse((cycle, _))| *cycle == limit)
            {
                self.idle.pop();
                let packet = self.next(rank);
                fabric.inject(packet, limit);
            }
        }
    }

    /// Returns the first creation of an idle process, or the largest number if none is idle.
    fn first_creation(&self) -> i64 {
        self.idle.peek().map_or(i64::MAX, |Reverse((cycle, _))| *cycle)
    }

    /// Discards the measurements.
    fn forget(&mut self) {
        (self.packets, self.hops, self.latency) = (0, 0, Cycles::default());
        self.sources.iter_mut().for_each(|source| source.arrived = 0);
    }

    /// Returns the measurements of `cycles` cycles, for packets of `length` flits.
    fn measured(self, length: u32, cycles: u32) -> Measured {
        let flits = |packets: u64| packets as f64 * f64::from(length) / f64::from(cycles);
        let arrived =
            || self.sources.iter().filter(|source| source.messages > 0).map(|source| source.arrived);
        let least = arrived().min().unwrap_or(0);
        let most = arrived().max().unwrap_or(0);
        Measured {
            accepted: flits(self.packets) / (arrived().count() as f64).max(1.0),
            of_sources: [least, most].map(flits),
            packets: self.packets,
            hops: self.hops as f64 / (self.packets as f64).max(1.0),
            latency: self.latency,
        }
    }
}

impl Processors for Senders {
    fn injected(&mut self, packet: &Packet, now: i64) -> Option<Packet> {
        let (rank, created) = (packet.sender, self.sources[packet.sender as usize].created);
        if created <= now {
            return Some(self.next(rank));
        }
        self.idle.push(Reverse((created, rank)));
        None
    }

    fn arrived(&mut self, packet: &Packet, arrived: &PacketStats, _now: i64) -> Option<Packet> {
        self.packets += 1;
        self.hops += u64::from(arrived.hops);
        self.latency.add(arrived.latency);
        self.sources[packet.sender as usize].arrived += 1;
        None
    }

    fn has_finished(&self) -> bool {
        self.first_creation() < self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::super::fabric::Timing;
    use super::super::flit_level::FlitLevel;
    use super::super::packet_level::PacketLevel;
    use super::super::topology::{Lanes, Rings, TieRule, Topology};
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    /// Returns the packets of each source, their latencies and their number after 5,000 cycles.
    fn measured(mesh: &Mesh, fabric: &mut dyn Fabric, load: (Pattern, f64)) -> (Vec<u64>, u64, u64) {
        let mut senders = Senders::new(mesh, load.0, load.1, 7);
        senders.until(fabric, 5_000);
        let of_sources = senders.sources.iter().map(|source| source.arrived).collect();
        (of_sources, senders.latency.total, senders.packets)
    }

    #[test]
    fn both_levels_accept_the_same_on_meshes_and_nearly_the_same_on_tori() -> Tested {
        let rings = Rings { ties: TieRule::Parity, lanes: Lanes::Balanced, seed: 1 };
        for machine in ["8x8", "5x4x3", "30", "torus:7", "torus:8", "torus:6x5", "torus:4x3x3"] {
            let mesh: Mesh = machine.parse()?;
            for (length, routing, gathers) in
                [(8, 3, false), (1, 0, false), (3, 0, true), (20, 2, false), (2, 1, true), (8, 3, true)]
            {
                let timing = Timing { length, routing, gathers };
                for load in [(Pattern::Random, 0.001), (Pattern::Random, 0.9), (Pattern::Transpose, 0.1)] {
                    let topology = Topology::new(&mesh, rings);
                    let by_flit = measured(&mesh, &mut FlitLevel::new(topology.clone(), timing), load);
                    let by_packet = measured(&mesh, &mut PacketLevel::new(topology, timing), load);
                    let case = format!("{machine} {timing:?} {load:?}");
                    if mesh.wraps_any() {
                        // The virtual channels of a link share it at the level of flits alone.
                        let (least, most) = (by_flit.2.min(by_packet.2), by_flit.2.max(by_packet.2));
                        assert!(most - least <= 2 + least / 5, "{case}: {least} {most}");
                    } else {
                        assert_eq!(by_flit, by_packet, "{case}");
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn nodes_offer_what_they_are_asked_for_and_rest_forgets_nothing() -> Tested {
        // Alone on a machine a packet has the latency of the formula, and at a low load nearly all are alone.
        let mesh: Mesh = "4x4".parse()?;
        let network = OpenLoop::new(&"wormhole".parse()?, &mesh, 1)?.0;
        let windows = Windows { warm_up: 1_000, measured: 4_000_000 };
        let found = network.run("random", 0.0001, windows, 1)?;
        // (h + 1)(ts + 1) + P cycles for h hops.
        let alone = (found.hops + 1.0) * 4.0 + 8.0;
        let latency = found.mean_latency().ok_or("no packets")?;
        assert!(latency >= alone && latency < alone + 0.02, "{latency} {alone}");
        assert!((found.accepted / 0.0001 - 1.0).abs() < 0.03, "{}", found.accepted);
        // One node sends, and the diagonal of a transposition does not.
        let one = network.run("one-to-all", 0.1, windows, 1)?;
        assert!((one.accepted / 0.1 - 1.0).abs() < 0.03 && one.of_sources[0] > 0.09, "{}", one.accepted);
        let transposed = network.run("transpose", 0.05, windows, 1)?;
        assert!((transposed.accepted / 0.05 - 1.0).abs() < 0.03 && transposed.of_sources[0] > 0.045);
        Ok(())
    }
}
