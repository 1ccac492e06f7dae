//! The channels of a machine and the route of a packet through them.
//!
//! Neighbours are joined by one link in each direction. Each node also has a channel from its processor into the
//! network and one back. Packets take dimension-order routes: along x, then y, then z.
//!
//! Along a dimension that wraps, packets go the shorter way round, and upwards if both ways have the same length. Each
//! link of a machine with such a dimension carries two virtual channels. A packet takes the first channels until it passes the end of a dimension, and the
//! second channels from that link on. So packets can never wait for each other in a circle (W. J. Dally, C. L. Seitz,
//! "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Transactions on Computers, 1987).

use crate::machine::{Mesh, NodeId};

/// The number of a channel: the number of its node, followed by a few bits for its port.
pub(super) type Channel = u32;

/// The port of the channel from the processor. The ports 0 to 5 lead along x up and down, y up and down, z up and down.
const INJECTION: u32 = 6;
/// The port of the channel to the processor.
const EJECTION: u32 = 7;
/// The bit that is set in a port for the second virtual channel.
const SECOND: u32 = 8;

/// The channels of one machine.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    mesh: Mesh,
    /// The number of bits of a port.
    shift: u32,
}

impl Topology {
    /// Returns the channels of `mesh`. If a dimension wraps, there are twice as many, for the second virtual channels.
    pub(super) fn new(mesh: &Mesh) -> Self {
        Self { mesh: mesh.clone(), shift: if mesh.wraps_any() { 4 } else { 3 } }
    }

    /// Returns the number of channel numbers. Some of them stand for links that do not exist at the edge of the
    /// machine.
    pub(super) fn channels(&self) -> usize {
        (self.mesh.nodes() as usize) << self.shift
    }

    /// Returns the number of links. Each link has one direction.
    pub(super) fn links(&self) -> u64 {
        let (extents, nodes) = (self.mesh.extents(), u64::from(self.mesh.nodes()));
        // Each row of nodes along a dimension has one link less than nodes in each direction, and as many if it wraps.
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

    /// Returns the link that carries a channel, given by the number of its first virtual channel.
    pub(super) fn link(&self, channel: Channel) -> Channel {
        if self.shift == 4 { channel & !SECOND } else { channel }
    }

    /// Returns whether links carry two virtual channels.
    pub(super) fn shares_links(&self) -> bool {
        self.shift == 4
    }

    /// Returns the port of a channel.
    fn port(&self, channel: Channel) -> u32 {
        channel & ((1 << self.shift) - 1)
    }

    /// Writes the channels from `source` to `target` into `path`, with the channels of both processors. A route of h
    /// hops has h + 2 channels.
    pub(super) fn route(&self, source: NodeId, target: NodeId, path: &mut Vec<Channel>) {
        path.clear();
        path.push(source << self.shift | INJECTION);
        let [from, to] = [source, target].map(|node| self.mesh.coord(node));
        let extents = self.mesh.extents();
        let (mut node, mut stride) = (source, 1);
        for d in 0..3 {
            let extent = extents[d];
            let walk = Walk { d: d as u32, extent, stride };
            if !self.mesh.wraps(d) {
                let up = to[d] > from[d];
                node = self.straight(node, &walk, up, to[d].abs_diff(from[d]), path);
            } else {
                // The number of hops upwards. The way down has `extent - ahead` hops.
                let ahead = (to[d] + extent - from[d]) % extent;
                let up = ahead <= extent - ahead;
                let hops = ahead.min(extent - ahead);
                node = self.round(node, &walk, (up, from[d]), hops, path);
            }
            stride *= extent;
        }
        path.push(target << self.shift | EJECTION);
    }

    /// Appends the channels of `hops` hops in one direction on a mesh, and returns the node at their end.
    fn straight(
        &self,
        mut node: NodeId,
        walk: &Walk,
        up: bool,
        hops: u32,
        path: &mut Vec<Channel>,
    ) -> NodeId {
        let port = 2 * walk.d + u32::from(!up);
        for _ in 0..hops {
            path.push(node << self.shift | port);
            node = if up { node + walk.stride } else { node - walk.stride };
        }
        node
    }

    /// Appends the channels of `hops` hops in one direction on a ring, beginning at position `at` of the ring. Returns
    /// the node at their end.
    fn round(
        &self,
        mut node: NodeId,
        walk: &Walk,
        (up, mut at): (bool, u32),
        hops: u32,
        path: &mut Vec<Channel>,
    ) -> NodeId {
        let mut port = 2 * walk.d + u32::from(!up);
        let last = walk.extent - 1;
        for _ in 0..hops {
            let passes = at == if up { last } else { 0 };
            // The bit stays set: from the link past the end on, the packet takes second channels.
            port |= if passes { SECOND } else { 0 };
            path.push(node << self.shift | port);
            (node, at) = match (up, passes) {
                (true, false) => (node + walk.stride, at + 1),
                (true, true) => (node - walk.stride * last, 0),
                (false, false) => (node - walk.stride, at - 1),
                (false, true) => (node + walk.stride * last, last),
            };
        }
        node
    }
}

/// The dimension along which a packet moves: its number, its extent, and the difference of the numbers of neighbouring
/// nodes.
struct Walk {
    d: u32,
    extent: u32,
    stride: u32,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

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
            let (topology, mut path, mut links) = (Topology::new(&mesh), Vec::new(), BTreeSet::new());
            for source in 0..mesh.nodes() {
                for target in (0..mesh.nodes()).filter(|&target| target != source) {
                    topology.route(source, target, &mut path);
                    let hops = mesh.l1(mesh.coord(source), mesh.coord(target)) as usize;
                    assert_eq!(path.len(), hops + 2, "{machine} {source} {target}");
                    assert!(topology.is_injection(path[0]) && topology.is_ejection(path[hops + 1]));
                    let mut node = source;
                    for &channel in &path[..=hops] {
                        assert_eq!(channel >> topology.shift, node, "{machine} {source} {target}");
                        node = end(&topology, channel);
                    }
                    assert_eq!((node, path[hops + 1] >> topology.shift), (target, target));
                    let dims: Vec<u32> = path[1..=hops].iter().map(|&c| (topology.port(c) & 7) / 2).collect();
                    assert!(dims.is_sorted() && dims.iter().all(|&d| d < 3), "{machine} {source} {target}");
                    links.extend(path[1..=hops].iter().map(|&channel| topology.link(channel)));
                }
            }
            assert!(links.len() as u64 <= topology.links(), "{machine}");
            // On a small torus the way down is never the shorter one. Then no packet takes these links.
            assert!(mesh.wraps_any() || links.len() as u64 == topology.links(), "{machine}");
        }
        Ok(())
    }

    #[test]
    fn no_circle_of_channels_can_wait_for_each_other() -> Result<(), Box<dyn std::error::Error>> {
        for machine in [
            "4x3",
            "3x3x2",
            "torus:5x4",
            "torus:4x3x2",
            "torus:8",
            "torus:2x2",
            "5x4:wrap=y",
            "4x3x4:wrap=xz",
        ] {
            let mesh: Mesh = machine.parse()?;
            let topology = Topology::new(&mesh);
            let (mut path, mut after) = (Vec::new(), BTreeSet::new());
            for source in 0..mesh.nodes() {
                for target in (0..mesh.nodes()).filter(|&target| target != source) {
                    topology.route(source, target, &mut path);
                    after.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
                }
            }
            // Channels after which no other channel is needed are removed repeatedly. A circle would remain.
            loop {
                let waiting: BTreeSet<Channel> = after.iter().map(|&(channel, _)| channel).collect();
                let before = after.len();
                after.retain(|(_, next)| waiting.contains(next));
                if after.len() == before {
                    break;
                }
            }
            assert!(after.is_empty(), "{machine}");
        }
        Ok(())
    }
}
