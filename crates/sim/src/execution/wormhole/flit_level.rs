//! The network at the level of flits: every move of every flit, cycle by cycle. The twin of
//! [`super::packet_level`] in tests.
//!
//! The channels into a router come from its links and from its processor. Each channel has a buffer for one
//! flit, or one packet, at its end. In each cycle a flit moves one channel forward if its packet owns that
//! channel and the buffer has or gets room, so a packet moves as a whole. A channel carries one flit per
//! cycle. A header is routed for ts cycles and then requests its next channel. A processor takes one flit per
//! cycle.
//!
//! 1. Flits that need no further grant move: of packets whose header has arrived, and flits that lag behind
//!    their header.
//! 2. Routed headers request their next channel.
//! 3. Headers that were granted a channel move, and their flits follow. A channel released by a last flit is
//!    granted to the next packet in the same cycle.
//!
//! Two virtual channels of one link share its one flit per cycle, the older packet first. A cycle takes
//! O(flits that may move). Cycles without events are skipped.

use super::fabric::{Fabric, Packet, Processors, Timing};
use super::topology::Topology;
use super::wheel::{Bucket, Wheel};
use super::worms::{Worm, Worms};

/// The flits of a packet.
#[derive(Clone, Debug, Default)]
struct Flits {
    /// The position of each flit: 0 before it enters, j + 1 in the buffer of channel j of the path, and the
    /// position of the last channel plus 2 after it has arrived.
    at: Vec<u32>,
    /// The first flit that has not arrived.
    first: usize,
    /// The first flit that has not entered.
    end: usize,
    /// The last cycle with moves of flits, and the first flit that moved in it.
    moved: (i64, usize),
    /// Whether the packet is listed to move in the next cycle.
    moves: bool,
}

/// The state of the network.
#[derive(Debug)]
pub(super) struct FlitLevel {
    timing: Timing,
    worms: Worms,
    /// The flits by packet.
    flits: Vec<Flits>,
    wheel: Wheel,
    /// The last simulated cycle.
    now: i64,
    /// Packets that were granted a channel in this cycle and now move into it.
    granted: Vec<Worm>,
    /// Packets with flits that can move in the next cycle without a further grant.
    moving: Vec<Worm>,
    /// By link: the cycle of its last flit. Empty if no links are shared.
    carried: Vec<i64>,
    /// An empty bucket and an empty list, whose memory is reused.
    spare: (Bucket, Vec<Worm>),
    /// Moves of flits.
    pub(super) moves: u64,
}

impl FlitLevel {
    /// Returns the empty network.
    pub(super) fn new(topology: Topology, timing: Timing) -> Self {
        let shared = if topology.shares_links() { topology.channels() } else { 0 };
        Self {
            timing,
            worms: Worms::new(topology),
            flits: Vec::new(),
            wheel: Wheel::new(timing.reach()),
            now: i64::MIN,
            granted: Vec::new(),
            moving: Vec::new(),
            carried: vec![i64::MIN; shared],
            spare: (Bucket::default(), Vec::new()),
            moves: 0,
        }
    }

    /// Checks that every buffer holds at most one flit, of the owner of its channel, and that the flits of a
    /// packet are in order.
    pub(super) fn check(&self) {
        let mut buffers = std::collections::BTreeSet::new();
        for (worm, flits) in (0..).zip(&self.flits).filter(|(_, flits)| flits.first < flits.at.len()) {
            let state = self.worms.get(worm);
            assert!(flits.at.is_sorted_by(|a, b| a >= b));
            for &at in flits.at.iter().filter(|&&at| (1..=state.last() + 1).contains(&at)) {
                let channel = state.path[at as usize - 1];
                assert!(buffers.insert(channel) && self.worms.owner(channel) == worm);
            }
        }
    }

    /// Lists a packet to move in the next cycle, once.
    fn move_next(&mut self, worm: Worm) {
        if !std::mem::replace(&mut self.flits[worm as usize].moves, true) {
            self.moving.push(worm);
        }
    }

    /// Moves all flits of a packet that can move, beginning with the first. If the packet has already moved
    /// in this cycle, the flits from the first moved one on wait for the next cycle.
    fn step(&mut self, worm: Worm, now: i64, processors: &mut dyn Processors) {
        let mut flits = std::mem::take(&mut self.flits[worm as usize]);
        let before = if flits.moved.0 == now { flits.moved.1 } else { usize::MAX };
        let state = self.worms.get(worm);
        let (head, last, tail) = (state.head, state.last(), self.timing.length as usize - 1);
        let (first, end) = (flits.first, flits.end.min(tail));
        // `left`: the position of the channel released by the last flit. `taken`: the position that the flit
        // before has moved to in this cycle.
        let (mut left, mut taken) = (None, u32::MAX);
        let mut moved = before;
        for flit in (first..=end).take_while(|&flit| flit < before) {
            let at = flits.at[flit];
            if at > last {
                // The flit is in the buffer of the last channel, and the processor takes it.
                flits.at[flit] = last + 2;
                (flits.first, moved) = (flit + 1, moved.min(flit));
                left = (flit == tail).then_some(last);
                continue;
            }
            // A flit has room if the buffer is empty, or has become empty in this cycle. A buffer for whole
            // packets always has room, but its link carries one flit per cycle.
            let has_room =
                flit == 0 || flits.at[flit - 1] > at + 1 || (self.timing.gathers && taken != at + 1);
            if at > head || !has_room || !self.carry(worm, at, now) {
                continue;
            }
            flits.at[flit] = at + 1;
            (taken, moved) = (at + 1, moved.min(flit));
            flits.end += usize::from(at == 0);
            if flit == 0 && at < last {
                self.wheel.at(now + self.timing.per_hop()).requests.push(worm);
            }
            if flit == tail && at > 0 {
                left = Some(at - 1);
            }
        }
        flits.moved = (now, moved);
        let header = flits.at[0];
        let behind = flits.end - 1;
        // A packet is whole if its flits are in consecutive buffers, or all in one buffer for whole packets,
        // and no flit could enter. Then it moves again only after its header is granted a channel.
        let is_whole = if self.timing.gathers {
            flits.at[tail] == header
        } else {
            flits.at[behind] as usize + behind == header as usize
                && (flits.end > tail || flits.at[behind] == 1)
        };
        let has_arrived = flits.first > tail;
        let can_move = header > last || header <= head || !is_whole;
        self.flits[worm as usize] = flits;
        if can_move && !has_arrived {
            self.move_next(worm);
        }
        if let Some(i) = left {
            self.leave(worm, i, now, processors);
        }
    }

    /// Moves a flit into the channel at position `at` of the path. Returns false if the link has carried a
    /// flit of its other channel in this cycle.
    fn carry(&mut self, worm: Worm, at: u32, now: i64) -> bool {
        let channel = self.worms.get(worm).path[at as usize];
        if let Some(carried) = self.carried.get_mut(self.worms.topology.link(channel) as usize)
            && std::mem::replace(carried, now) == now
        {
            return false;
        }
        self.worms.flits[channel as usize] += 1;
        self.moves += 1;
        true
    }

    /// The last flit of a packet has left the channel at position `i` of its path: grants the channel to the
    /// next packet. Then the sender may send its next packet, or the packet has arrived.
    fn leave(&mut self, worm: Worm, i: u32, now: i64, processors: &mut dyn Processors) {
        let state = self.worms.get(worm);
        let channel = state.path[i as usize];
        let is_last = i == state.last();
        self.granted.extend(self.worms.release(channel));
        let next = if i == 0 {
            processors.injected(&self.worms.get(worm).packet, now)
        } else if is_last {
            let (packet, arrived) = self.worms.leave(worm, now);
            processors.arrived(&packet, &arrived, now)
        } else {
            None
        };
        if let Some(packet) = next {
            self.inject(packet, now);
        }
    }
}

impl Fabric for FlitLevel {
    fn inject(&mut self, packet: Packet, now: i64) {
        if self.moving.is_empty() && self.wheel.is_empty() {
            // The network is empty, so the cycles in between have no events.
            self.now = self.now.max(now - 1);
        }
        let worm = self.worms.enter(packet);
        let length = self.timing.length as usize;
        if self.flits.len() <= worm as usize {
            self.flits.resize(worm as usize + 1, Flits::default());
        }
        let flits = &mut self.flits[worm as usize];
        flits.at.clear();
        flits.at.resize(length, 0);
        // The header enters at once.
        flits.at[0] = 1;
        (flits.first, flits.end, flits.moved, flits.moves) = (0, 1, (now, 0), false);
        let channel = self.worms.get(worm).path[0];
        self.worms.flits[channel as usize] += 1;
        self.moves += 1;
        self.wheel.at(now + self.timing.per_hop()).requests.push(worm);
        if self.timing.gathers && length > 1 {
            self.move_next(worm);
        }
    }

    fn next_cycle(&self) -> Option<i64> {
        if self.moving.is_empty() { self.wheel.next(self.now) } else { Some(self.now + 1) }
    }

    fn pass(&mut self, cycle: i64) {
        self.now = self.now.max(cycle);
    }

    /// Simulates cycle `now` by the three steps of the module.
    fn cycle(&mut self, now: i64, processors: &mut dyn Processors) {
        self.now = now;
        let (spare, list) = std::mem::take(&mut self.spare);
        let mut bucket = self.wheel.take(now, spare);
        let mut moving = std::mem::replace(&mut self.moving, list);
        self.worms.sort(&mut moving);
        for worm in moving.drain(..) {
            self.flits[worm as usize].moves = false;
            self.step(worm, now, processors);
        }
        self.worms.sort(&mut bucket.requests);
        for worm in bucket.requests.drain(..) {
            if self.worms.request(worm, now) {
                self.granted.push(worm);
            }
        }
        self.spare = (bucket, moving);
        while let Some(worm) = self.granted.pop() {
            self.worms.advance(worm, now);
            self.step(worm, now, processors);
        }
    }

    fn flits(&self) -> (u64, u64) {
        self.worms.link_flits()
    }
}
