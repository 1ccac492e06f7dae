//! The packets in the network and the owners of the channels, shared by all levels of detail.
//!
//! A channel belongs to one packet from the grant to its header until the release by its last flit. Other
//! packets wait in the order of their requests. Requests of the same cycle are ordered by the start of the
//! job, then by the sending process. So the order is independent of how the simulation processes the packets
//! of a cycle.

use super::fabric::Packet;
use super::topology::{Channel, Topology};
use super::traffic::PacketStats;

/// The number of a packet in the network, reused after its arrival.
pub(super) type Worm = u32;

/// No packet.
const NONE: u32 = u32::MAX;

/// The state of a packet in flight.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The packet.
    pub(super) packet: Packet,
    /// The channels of the route, from the sender's processor to the receiver's processor.
    pub(super) path: Vec<Channel>,
    /// The position on the path of the last channel that the header has entered.
    pub(super) head: u32,
    /// The cycle of the header's last request.
    asked: i64,
    /// Cycles that the header has waited for channels.
    blocked: u64,
    /// Whether a packet of another job owned the requested channel, or waited for it, at the last request.
    behind_others: bool,
    /// Whether the packet has waited for a packet of another job.
    contended: bool,
    /// The next packet in the queue of the requested channel, or `NONE`. Queues are linked lists.
    next: u32,
}

impl State {
    /// Returns the channel after the header's, which the header requests or has been granted.
    pub(super) fn requested(&self) -> Channel {
        self.path[self.head as usize + 1]
    }

    /// Returns the position of the last channel, into the receiver's processor.
    pub(super) fn last(&self) -> u32 {
        self.path.len() as u32 - 1
    }
}

/// The owner of a channel, and the first and the last waiting packet. `NONE` for no packet.
#[derive(Clone, Copy, Debug)]
struct Queue {
    owner: u32,
    first: u32,
    last: u32,
}

/// All packets and channels.
#[derive(Clone, Debug)]
pub(super) struct Worms {
    /// The channels of the machine and the routes through them.
    pub(super) topology: Topology,
    /// Owners and queues by channel.
    channels: Vec<Queue>,
    /// States by [`Worm`]. Numbers in `unused` have no packet.
    states: Vec<State>,
    /// Numbers available for new packets.
    unused: Vec<Worm>,
    /// Flits carried by each channel.
    pub(super) flits: Vec<u64>,
}

impl Worms {
    /// Creates the empty network.
    pub(super) fn new(topology: Topology) -> Self {
        let channels = topology.channels();
        Self {
            topology,
            channels: vec![Queue { owner: NONE, first: NONE, last: NONE }; channels],
            states: Vec::new(),
            unused: Vec::new(),
            flits: vec![0; channels],
        }
    }

    pub(super) fn get(&self, worm: Worm) -> &State {
        &self.states[worm as usize]
    }

    /// Returns the largest number of packets that were in the network at once.
    #[cfg(test)]
    pub(super) fn most(&self) -> usize {
        self.states.len()
    }

    /// Returns the packet that owns a channel; `NONE` if the channel is free.
    pub(super) fn owner(&self, channel: Channel) -> Worm {
        self.channels[channel as usize].owner
    }

    /// Adds a packet to the channel of its processor, which must be free. Returns the number of the packet.
    pub(super) fn enter(&mut self, packet: Packet) -> Worm {
        let worm = self.unused.pop().unwrap_or_else(|| {
            self.states.push(State {
                packet,
                path: Vec::new(),
                head: 0,
                asked: 0,
                blocked: 0,
                behind_others: false,
                contended: false,
                next: NONE,
            });
            self.states.len() as u32 - 1
        });
        let state = &mut self.states[worm as usize];
        (state.packet, state.head, state.blocked, state.contended) = (packet, 0, 0, false);
        self.topology.route(&packet, &mut state.path);
        self.channels[state.path[0] as usize].owner = worm;
        worm
    }

    /// Requests the next channel for a header. Returns true if the channel is granted at once; otherwise the
    /// packet joins the queue of the channel.
    pub(super) fn request(&mut self, worm: Worm, now: i64) -> bool {
        let state = &self.states[worm as usize];
        let (channel, job) = (state.requested() as usize, state.packet.job);
        let queue = self.channels[channel];
        let is_free = queue.owner == NONE;
        let behind_others = !is_free && self.any_of_others(queue, job);
        let state = &mut self.states[worm as usize];
        (state.asked, state.behind_others, state.next) = (now, behind_others, NONE);
        let queue = &mut self.channels[channel];
        // A free channel gets its owner at once. Otherwise the packet is appended to the queue.
        if is_free {
            queue.owner = worm;
        } else if queue.last == NONE {
            (queue.first, queue.last) = (worm, worm);
        } else {
            let last = std::mem::replace(&mut queue.last, worm);
            self.states[last as usize].next = worm;
        }
        is_free
    }

    /// Returns whether the owner of a channel, or a packet in its queue, belongs to another job than `job`.
    fn any_of_others(&self, queue: Queue, job: u32) -> bool {
        let of_other = |worm: Worm| self.states[worm as usize].packet.job != job;
        let mut waiting = queue.first;
        while waiting != NONE {
            if of_other(waiting) {
                return true;
            }
            waiting = self.states[waiting as usize].next;
        }
        of_other(queue.owner)
    }

    /// Releases a channel after the last flit of its owner, and grants it to the first packet in the queue.
    /// Returns that packet, or `None` if the queue is empty.
    pub(super) fn release(&mut self, channel: Channel) -> Option<Worm> {
        let queue = &mut self.channels[channel as usize];
        let next = queue.first;
        queue.owner = next;
        if next == NONE {
            return None;
        }
        queue.first = self.states[next as usize].next;
        if queue.first == NONE {
            queue.last = NONE;
        }
        Some(next)
    }

    /// Moves the header into its granted channel. Returns the position of this channel on the path.
    pub(super) fn advance(&mut self, worm: Worm, now: i64) -> u32 {
        let state = &mut self.states[worm as usize];
        let waited = (now - state.asked) as u64;
        state.blocked += waited;
        state.contended |= waited > 0 && state.behind_others;
        state.head += 1;
        state.head
    }

    /// Sorts packets of the same cycle by their keys.
    pub(super) fn sort(&self, worms: &mut [Worm]) {
        if worms.len() > 1 {
            worms.sort_unstable_by_key(|&worm| self.states[worm as usize].packet.key);
        }
    }

    /// Returns the flits carried by all links between neighbours, and by the busiest link.
    pub(super) fn link_flits(&self) -> (u64, u64) {
        let mut links = self.flits.clone();
        // Adds the flits of second virtual channels to their links. Channels of processors are not links.
        for channel in (0..links.len() as u32).rev() {
            let link = self.topology.link(channel);
            if self.topology.is_injection(channel) || self.topology.is_ejection(channel) {
                links[channel as usize] = 0;
            } else if link != channel {
                links[link as usize] += std::mem::take(&mut links[channel as usize]);
            }
        }
        (links.iter().sum(), links.into_iter().max().unwrap_or(0))
    }

    /// Removes a packet that has arrived as a whole. Returns the packet with its measurements.
    pub(super) fn leave(&mut self, worm: Worm, now: i64) -> (Packet, PacketStats) {
        let state = &self.states[worm as usize];
        let arrived = PacketStats {
            hops: state.last() - 1,
            latency: (now - state.packet.created) as u64,
            blocked: state.blocked,
            contended: state.contended,
        };
        self.unused.push(worm);
        (state.packet, arrived)
    }
}
