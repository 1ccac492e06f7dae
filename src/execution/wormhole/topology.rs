//! The channels of a machine, and the way that a packet takes through them.
//!
//! Neighbours are joined by one link in each direction; each node has a channel from its processor into the network and
//! one back. Packets take dimension-order routes: along x, then y, then z. On a torus they go the shorter way round,
//! upwards if both are as long, and each link carries two virtual channels: packets take the first until they pass the
//! end of a dimension, and the second from that link on, so no circle of waiting packets can close (W. J. Dally,
//! C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Transactions on
//! Computers, 1987).

use crate::machine::{Mesh, NodeId};

/// Number of a channel: by node, then by port.
pub(super) type Channel = u32;

/// Ports of the lower eight: along x up and down, y up and down, z up and down, from the processor, to the processor.
const INJECTION: u32 = 6;
const EJECTION: u32 = 7;
/// Added to a port for the second virtual channel.
const SECOND: u32 = 8;

/// The channels of one machine.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    mesh: Mesh,
    /// Channel numbers per node, as a power of two.
    shift: u32,
}

impl Topology {
    pub(super) fn new(mesh: &Mesh) -> Self {
        Self { mesh: mesh.clone(), shift: if mesh.is_torus() { 4 } else { 3 } }
    }

    /// How many channel numbers there are; some stand for links that the machine's edge cuts off.
    pub(super) fn channels(&self) -> usize {
        (self.mesh.nodes() as usize) << self.shift
    }

    /// Returns the number of links, each of one direction.
    pub(super) fn links(&self) -> u64 {
        let (extents, nodes) = (self.mesh.extents(), u64::from(self.mesh.nodes()));
        let open = u64::from(!self.mesh.is_torus());
        let along = |extent: u32| nodes / u64::from(extent) * (u64::from(extent) - open);
        extents.into_iter().filter(|&extent| extent > 1).map(|extent| 2 * along(extent)).sum()
    }

    pub(super) fn is_injection(&self, channel: Channel) -> bool {
        self.port(channel) == INJECTION
    }

    pub(super) fn is_ejection(&self, channel: Channel) -> bool {
        self.port(channel) == EJECTION
    }

    /// Returns the link whose bandwidth a channel takes: that of its first virtual channel.
    pub(super) fn link(&self, channel: Channel) -> Channel {
        if self.shift == 4 { channel & !SECOND } else { channel }
    }

    /// Returns whether links carry more than one channel.
    pub(super) fn shares_links(&self) -> bool {
        self.shift == 4
    }

    fn port(&self, channel: Channel) -> u32 {
        channel & ((1 << self.shift) - 1)
    }

    /// The channels from `source` to `target`, those of the processors included: h + 2 for h hops.
    pub(super) fn route(&self, source: NodeId, target: NodeId, path: &mut Vec<Channel>) {
        path.clear();
        path.push(source << self.shift | INJECTION);
        let [from, to] = [source, target].map(|node| self.mesh.coord(node));
        let extents = self.mesh.extents();
        let (mut node, mut stride) = (source, 1);
        for d in 0..3 {
            let extent = extents[d];
            let walk = Walk { d: d as u32, extent, stride };
            if !self.mesh.is_torus() {
                let up = to[d] > from[d];
                node = self.straight(node, &walk, up, to[d].abs_diff(from[d]), path);
            } else if extent > 1 {
                let ahead = (to[d] + extent - from[d]) % extent;
                let up = ahead <= extent - ahead;
                let hops = ahead.min(extent - ahead);
                node = self.round(node, &walk, (up, from[d]), hops, path);
            }
            stride *= extent;
        }
        path.push(target << self.shift | EJECTION);
    }

    /// Appends `hops` links in one direction; the node at their end.
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

    /// As [`Self::straight`] on a ring, from position `at` of it.
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

/// A dimension that a packet walks along.
struct Walk {
    d: u32,
    extent: u32,
    stride: u32,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Where the link of a channel ends.
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
        for machine in ["5x4", "3x2x4", "7", "torus:5x4", "torus:4x3x2", "torus:6", "1x5", "torus:2x1x3"] {
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
            // Where the shorter way is never down, links down are never taken.
            assert!(machine.starts_with("torus") || links.len() as u64 == topology.links(), "{machine}");
        }
        Ok(())
    }

    #[test]
    fn no_circle_of_channels_can_wait_for_each_other() -> Result<(), Box<dyn std::error::Error>> {
        for machine in ["4x3", "3x3x2", "torus:5x4", "torus:4x3x2", "torus:8", "torus:2x2"] {
            let mesh: Mesh = machine.parse()?;
            let topology = Topology::new(&mesh);
            let (mut path, mut after) = (Vec::new(), BTreeSet::new());
            for source in 0..mesh.nodes() {
                for target in (0..mesh.nodes()).filter(|&target| target != source) {
                    topology.route(source, target, &mut path);
                    after.extend(path.windows(2).map(|pair| (pair[0], pair[1])));
                }
            }
            // Whoever waits for nobody is taken away; in a circle nobody ever is.
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
