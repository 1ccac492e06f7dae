//! Packets in the network, and which of them owns which channel: the part that both levels share.
//!
//! A channel belongs to one packet from the cycle in which its header is let in until the last flit has left it. Others
//! wait for it in the order of their requests; requests of the same cycle are in the order of their jobs' starts, then
//! of the processes that sent them, which does not depend on how the simulation goes about a cycle.

use super::topology::{Channel, Topology};
use super::traffic::Arrived;
use crate::machine::NodeId;

/// Number of a packet that is in the network.
pub(super) type Worm = u32;

const NONE: u32 = u32::MAX;

/// What enters the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// Slot of the job that communicates.
    pub(super) job: u32,
    /// The sender within it.
    pub(super) sender: u32,
    /// Order among requests of one cycle.
    pub(super) key: u64,
    /// When it was handed to its processor's queue.
    pub(super) created: i64,
    pub(super) source: NodeId,
    pub(super) target: NodeId,
}

/// A packet on its way.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) packet: Packet,
    /// From its processor's channel to that of its target's.
    pub(super) path: Vec<Channel>,
    /// Position of the last channel that it was let into.
    pub(super) head: u32,
    /// When it asked for the next one.
    asked: i64,
    blocked: u64,
    /// Whether another job's packet was before it when it asked.
    behind_others: bool,
    contended: bool,
    /// The next one in the queue of the channel that it waits for.
    next: u32,
}

impl State {
    /// Returns the channel that the header wants or was let into next.
    pub(super) fn wanted(&self) -> Channel {
        self.path[self.head as usize + 1]
    }

    /// Position of the channel to the target's processor.
    pub(super) fn last(&self) -> u32 {
        self.path.len() as u32 - 1
    }
}

/// Who owns a channel, and the queue for it.
#[derive(Clone, Copy, Debug)]
struct Queue {
    owner: u32,
    first: u32,
    last: u32,
}

/// All packets and channels.
#[derive(Clone, Debug)]
pub(super) struct Worms {
    pub(super) topology: Topology,
    channels: Vec<Queue>,
    states: Vec<State>,
    unused: Vec<Worm>,
    /// Flits that each channel carried.
    pub(super) flits: Vec<u64>,
}

impl Worms {
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

    /// Returns the most packets that were in the network at once.
    #[cfg(test)]
    pub(super) fn most(&self) -> usize {
        self.states.len()
    }

    /// Returns the packet that owns a channel.
    pub(super) fn owner(&self, channel: Channel) -> Worm {
        self.channels[channel as usize].owner
    }

    /// Lets a packet into its processor's channel, which is free.
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
        self.topology.route(packet.source, packet.target, &mut state.path);
        self.channels[state.path[0] as usize].owner = worm;
        worm
    }

    /// Lets a header ask for its next channel, and returns whether it is let in at once. Otherwise it waits in the
    /// channel's queue.
    pub(super) fn request(&mut self, worm: Worm, now: i64) -> bool {
        let state = &self.states[worm as usize];
        let (channel, job) = (state.wanted() as usize, state.packet.job);
        let queue = self.channels[channel];
        let is_free = queue.owner == NONE;
        let behind_others = !is_free && self.any_of_others(queue, job);
        let state = &mut self.states[worm as usize];
        (state.asked, state.behind_others, state.next) = (now, behind_others, NONE);
        let queue = &mut self.channels[channel];
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

    /// Returns whether the owner or somebody in the queue is of another job.
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

    /// Is told that the last flit of its owner has left a channel, and returns the packet that is let in next; `None`
    /// if none waits.
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

    /// Returns the header moves into the channel that it was let into: its position on the path.
    pub(super) fn advance(&mut self, worm: Worm, now: i64) -> u32 {
        let state = &mut self.states[worm as usize];
        let waited = (now - state.asked) as u64;
        state.blocked += waited;
        state.contended |= waited > 0 && state.behind_others;
        state.head += 1;
        state.head
    }

    /// Orders packets that act in the same cycle.
    pub(super) fn sort(&self, worms: &mut [Worm]) {
        if worms.len() > 1 {
            worms.sort_unstable_by_key(|&worm| self.states[worm as usize].packet.key);
        }
    }

    /// Flits that all links between neighbours carried, and the busiest one did.
    pub(super) fn link_flits(&self) -> (u64, u64) {
        let mut links = self.flits.clone();
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

    /// Takes a packet out whose last flit has arrived.
    pub(super) fn leave(&mut self, worm: Worm, now: i64) -> (Packet, Arrived) {
        let state = &self.states[worm as usize];
        let arrived = Arrived {
            hops: state.last() - 1,
            latency: (now - state.packet.created) as u64,
            blocked: state.blocked,
            contended: state.contended,
        };
        self.unused.push(worm);
        (state.packet, arrived)
    }
}
