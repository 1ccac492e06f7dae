//! The channels of a machine and the route of a packet through them.
//!
//! Neighbours are joined by one link in each direction. Each node also has a channel from its processor into
//! the network and one back. Packets take dimension-order routes: along x, then y, then z.
//!
//! In a dimension that wraps around, packets go the shorter way. If both ways are equally long, [`TieRule`]
//! decides. Each link of such a ring carries two virtual channels, and [`Lanes`] selects one for a packet.
//! Deadlock is impossible under every rule, because on no ring do the packets of one kind of channel go all
//! the way round (W. J. Dally, C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection
//! networks", IEEE Transactions on Computers, 1987):
//!
//! * No packet takes a first channel over the *edge*, the link between the last and the first node of the
//!   ring: packets cross the edge on a second channel.
//! * No packet takes a second channel over the *middle*, the link between the lower and the upper half of the
//!   ring: packets cross the middle on a first channel. No packet crosses both, because the way round the
//!   other side is shorter.
//!
//! So the first channels of a ring form a line from the edge to the edge, and the second channels a line from
//! the middle to the middle. A packet that holds a channel waits for a channel further on the same line, for
//! a second channel while it holds a first one ([`Lanes::Dateline`]; never the reverse), or for a channel of
//! a later dimension.

use meshreplay_machine::machine::Mesh;
use meshreplay_machine::machine::ring_route::{half_way_up, way};

use super::fabric::Packet;

/// A channel: the number of its node, followed by a few bits for its port.
pub(super) type Channel = u32;

/// The port of the channel from the processor. Ports 0 to 5 lead along x up and down, y up and down, z up and
/// down.
const INJECTION: u32 = 6;
/// The port of the channel to the processor.
const EJECTION: u32 = 7;
/// The bit of a port that selects the second virtual channel.
const SECOND: u32 = 8;

/// The choice between two equally long ways round a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TieRule {
    /// Up from nodes with an even sum of coordinates, down from others.
    Parity,
    /// Always up.
    Up,
    /// Up or down, drawn for each packet and dimension.
    Random,
}

impl TieRule {
    /// The rules with their names in specs, the default first.
    pub(super) const NAMES: &[(&str, Self)] =
        &[("parity", Self::Parity), ("up", Self::Up), ("random", Self::Random)];
}

/// The choice between the two virtual channels of the links of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lanes {
    /// Along a whole dimension: second channels for packets that cross the edge, first channels for packets
    /// that cross the middle, and by the parity of the target's coordinates for packets that cross neither.
    /// Both channels carry about the same load. (The allocation of the Cray T3E: S. L. Scott, G. M. Thorson,
    /// "The Cray T3E network: adaptive routing in a high performance 3D torus", Hot Interconnects, 1996.)
    Balanced,
    /// Along a whole dimension: second channels for packets that cross the edge, first channels for others.
    Wrapping,
    /// First channels up to the edge, second channels from there on.
    Dateline,
}

impl Lanes {
    /// The rules with their names in specs, the default first.
    pub(super) const NAMES: &[(&str, Self)] =
        &[("balanced", Self::Balanced), ("wrapping", Self::Wrapping), ("dateline", Self::Dateline)];
}

/// The rules of rings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rings {
    pub(super) ties: TieRule,
    pub(super) lanes: Lanes,
    /// The seed of [`TieRule::Random`].
    pub(super) seed: u64,
}

/// Returns a number that depends on every bit of `x`, with all bits equally likely (the finalizer of the
/// generator `SplitMix64`: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
fn mixed(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The channels of one machine.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    mesh: Mesh,
    rings: Rings,
    /// Bits per port.
    shift: u32,
}

impl Topology {
    /// Creates the channels of `mesh`, twice as many if a dimension wraps, for the second virtual channels.
    pub(super) fn new(mesh: &Mesh, rings: Rings) -> Self {
        Self { mesh: mesh.clone(), rings, shift: if mesh.wraps_any() { 4 } else { 3 } }
    }

    /// Returns the number of channel numbers. Some of them belong to missing links at the edge of the
    /// machine.
    pub(super) fn channels(&self) -> usize {
        (self.mesh.nodes() as usize) << self.shift
    }

    /// Returns the number of links, each in one direction.
    pub(super) fn links(&self) -> u64 {
        let (extents, nodes) = (self.mesh.extents(), u64::from(self.mesh.nodes()));
        // In each direction a row of nodes has one link less than nodes, or as many if it wraps.
        let along = |d: usize| {
            let extent = u64::from(extents[d]);
            2 * (nodes / extent * (extent - u64::from(!self.mesh.wraps(d))))
        };
        (0..3).map(along).sum()
    }

    /// Returns whether a channel leads from a processor into the network.
    pub(super) fn is_injection(&self, channel: Channel) -> bool {
        self.port(channel) == INJECTION
    }

    /// Returns whether a channel leads from the network to a processor.
    pub(super) fn is_ejection(&self, channel: Channel) -> bool {
        self.port(channel) == EJECTION
    }

    /// Returns the link of a channel, as the number of its first virtual channel.
    pub(super) fn link(&self, channel: Channel) -> Channel {
        if self.shift == 4 { channel & !SECOND } else { channel }
    }

    /// Returns whether links carry two virtual channels.
    #[cfg(test)]
    pub(super) fn shares_links(&self) -> bool {
        self.shift == 4
    }

    fn port(&self, channel: Channel) -> u32 {
        channel & ((1 << self.shift) - 1)
    }

    /// Writes the channels from the source of `packet` to its target into `path`, including the channels of
    /// both processors. A route of h hops has h + 2 channels.
    pub(super) fn route(&self, packet: &Packet, path: &mut Vec<Channel>) {
        path.clear();
        path.push(packet.source << self.shift | INJECTION);
        let [from, to] = [packet.source, packet.target].map(|node| self.mesh.coord(node));
        let extents = self.mesh.extents();
        let strides = [1, extents[0], extents[0] * extents[1]];
        let (mut node, by_parity) = (packet.source, half_way_up(from));
        for d in (0..3).filter(|&d| from[d] != to[d]) {
            let (stride, last) = (strides[d], extents[d] - 1);
            let tie = match self.rings.ties {
                TieRule::Parity => by_parity,
                TieRule::Up => true,
                TieRule::Random => self.drawn(packet, d),
            };
            let way = way(&self.mesh, d, [from[d], to[d]], tie);
            let is_odd = to.iter().sum::<u32>() % 2 == 1;
            let second = self.mesh.wraps(d) && self.takes_second(way.up, from[d], to[d], last, is_odd);
            let mut port = 2 * d as u32 + u32::from(!way.up) + if second { SECOND } else { 0 };
            let mut at = from[d];
            for _ in 0..way.hops {
                let crosses_edge = at == if way.up { last } else { 0 };
                // The bit stays set, because every packet takes second channels from the edge on.
                port |= if crosses_edge { SECOND } else { 0 };
                path.push(node << self.shift | port);
                (node, at) = match (way.up, crosses_edge) {
                    (true, false) => (node + stride, at + 1),
                    (true, true) => (node - stride * last, 0),
                    (false, false) => (node - stride, at - 1),
                    (false, true) => (node + stride * last, last),
                };
            }
        }
        path.push(packet.target << self.shift | EJECTION);
    }

    /// Returns the drawn direction of a packet in dimension `d`, true for up: a hash of the seed, the sender
    /// and the number of the packet, so that it does not depend on the simulation.
    fn drawn(&self, packet: &Packet, d: usize) -> bool {
        let of_sender = mixed(self.rings.seed ^ mixed(packet.key ^ u64::from(packet.source) << 40));
        mixed(of_sender ^ packet.number) >> d & 1 == 0
    }

    /// Returns whether a packet takes second channels from the start on a ring whose last position is `last`.
    /// `is_odd` is the choice of a packet that may take both virtual channels.
    fn takes_second(&self, up: bool, from: u32, to: u32, last: u32, is_odd: bool) -> bool {
        let crosses_edge = if up { to < from } else { to > from };
        // The lower half of the ring ends at `last / 2`.
        let crosses_middle = !crosses_edge && (from <= last / 2) != (to <= last / 2);
        match self.rings.lanes {
            Lanes::Balanced => crosses_edge || !crosses_middle && is_odd,
            Lanes::Wrapping => crosses_edge,
            Lanes::Dateline => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use meshreplay_machine::machine::NodeId;

    /// Returns the topologies of a machine under every rule.
    fn topologies(mesh: &Mesh) -> Vec<Topology> {
        let of = |ties| {
            Lanes::NAMES.iter().map(move |&(_, lanes)| Topology::new(mesh, Rings { ties, lanes, seed: 5 }))
        };
        TieRule::NAMES.iter().flat_map(|&(_, ties)| of(ties)).collect()
    }

    fn packets(topology: &Topology, source: NodeId, target: NodeId) -> impl Iterator<Item = Packet> {
        let numbers = if topology.rings.ties == TieRule::Random { 20 } else { 1 };
        (0..numbers).map(move |number| Packet {
            job: 0,
            sender: 0,
            key: 0,
            number,
            created: 0,
            source,
            target,
        })
    }

    /// Returns the node at the end of the link of a channel.
    fn end(topology: &Topology, channel: Channel) -> NodeId {
        let (mesh, port) = (&topology.mesh, topology.port(channel) & 7);
        let (mut at, d) = (mesh.coord(channel >> topology.shift), (port / 2) as usize);
        if d == 3 {
            return channel >> topology.shift;
        }
        let extent = mesh.extents()[d];
        at[d] = if port % 2 == 0 { (at[d] + 1) % extent } else { (at[d] + extent - 1) % extent };
        mesh.node(at)
    }

    #[test]
    fn routes_are_shortest_and_go_along_x_then_y_then_z() -> Result<(), Box<dyn std::error::Error>> {
        for machine in [
            "5x4",
            "3x2x4",
            "7",
            "torus:5x4",
            "torus:4x3x2",
            "torus:6",
            "1x5",
            "torus:2x1x3",
            "5x4:wrap=x",
            "4x5x3:wrap=yz",
        ] {
            let mesh: Mesh = machine.parse()?;
            for topology in topologies(&mesh) {
                let (mut path, mut links) = (Vec::new(), BTreeSet::new());
                for source in 0..mesh.nodes() {
                    for target in (0..mesh.nodes()).filter(|&target| target != source) {
                        for packet in packets(&topology, source, target) {
                            topology.route(&packet, &mut path);
                            check(&topology, (source, target), &path);
                            links.extend(
                                path[1..path.len() - 1].iter().map(|&channel| topology.link(channel)),
                            );
                        }
                    }
                }
                assert!(links.len() as u64 <= topology.links(), "{machine}");
                // On a ring of two nodes all packets of a node may go the same way and leave the other link
                // unused.
                let uses_all = topology.rings.ties == TieRule::Random || !mesh.wraps_any();
                assert!(!uses_all || links.len() as u64 == topology.links(), "{machine}");
            }
        }
        Ok(())
    }

    /// Checks one route: from the source to the target, as short as can be, along x, then y, then z.
    fn check(topology: &Topology, (source, target): (NodeId, NodeId), path: &[Channel]) {
        let mesh = &topology.mesh;
        let hops = mesh.l1(mesh.coord(source), mesh.coord(target)) as usize;
        assert_eq!(path.len(), hops + 2, "{mesh} {source} {target}");
        assert!(topology.is_injection(path[0]) && topology.is_ejection(path[hops + 1]));
        let mut node = source;
        for &channel in &path[..=hops] {
            assert_eq!(channel >> topology.shift, node, "{mesh} {source} {target}");
            node = end(topology, channel);
        }
        assert_eq!((node, path[hops + 1] >> topology.shift), (target, target));
        let dims: Vec<u32> = path[1..=hops].iter().map(|&c| (topology.port(c) & 7) / 2).collect();
        assert!(dims.is_sorted() && dims.iter().all(|&d| d < 3), "{mesh} {source} {target}");
    }

    #[test]
    fn no_circle_of_channels_can_wait_for_each_other() -> Result<(), Box<dyn std::error::Error>> {
        for machine in
            ["4x3", "3x3x2", "torus:5x4", "torus:4x3x2", "torus:8", "torus:7", "torus:2x2", "4x6:wrap=y"]
        {
            let mesh: Mesh = machine.parse()?;
            for topology in topologies(&mesh) {
                let (mut path, mut after) = (Vec::new(), BTreeSet::new());
                for source in 0..mesh.nodes() {
                    for target in (0..mesh.nodes()).filter(|&target| target != source) {
                        for packet in packets(&topology, source, target) {
                            topology.route(&packet, &mut path);
                            after.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
                        }
                    }
                }
                // Repeatedly remove channels that need no other channel after them. A circle would remain.
                loop {
                    let waiting: BTreeSet<Channel> = after.iter().map(|&(channel, _)| channel).collect();
                    let before = after.len();
                    after.retain(|(_, next)| waiting.contains(next));
                    if after.len() == before {
                        break;
                    }
                }
                assert!(after.is_empty(), "{machine} {:?}", topology.rings);
            }
        }
        Ok(())
    }

    #[test]
    fn under_uniform_traffic_no_direction_and_no_virtual_channel_carries_more()
    -> Result<(), Box<dyn std::error::Error>> {
        // The loads of all links up, all links down, all first and all second channels of rings: packets
        // times hops.
        for (machine, ties, lanes, expected) in [
            ("torus:8x8", TieRule::Up, Lanes::Dateline, [10240, 6144, 12544, 3840]),
            ("torus:8x8", TieRule::Parity, Lanes::Wrapping, [8192, 8192, 10752, 5632]),
            ("torus:8x8", TieRule::Parity, Lanes::Balanced, [8192; 4]),
            ("torus:7x7", TieRule::Parity, Lanes::Balanced, [4116, 4116, 4144, 4088]),
        ] {
            let mesh: Mesh = machine.parse()?;
            let topology = Topology::new(&mesh, Rings { ties, lanes, seed: 1 });
            let (mut path, mut loads) = (Vec::new(), [0; 4]);
            for source in 0..mesh.nodes() {
                for target in (0..mesh.nodes()).filter(|&target| target != source) {
                    for packet in packets(&topology, source, target) {
                        topology.route(&packet, &mut path);
                        for &channel in &path[1..path.len() - 1] {
                            let port = topology.port(channel);
                            loads[(port & 1) as usize] += 1;
                            loads[2 + usize::from(port & SECOND > 0)] += 1;
                        }
                    }
                }
            }
            assert_eq!(loads, expected, "{machine} {ties:?} {lanes:?}");
        }
        Ok(())
    }
}
