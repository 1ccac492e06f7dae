//! The network flit by flit with buffers of several flits: a channel accepts flits while its buffer has room
//! (credit-based flow control).
//!
//! It differs from [`super::flit_level`] in the release of channels. There a packet owns a channel until its
//! last flit has left the buffer, here until its last flit has *entered* the buffer. Then the next packet may
//! follow, so a buffer holds flits of several packets in a row. Only the first packet in a buffer moves, and
//! a header is routed from the cycle in which it becomes the first. Routers with credits work like this (W.
//! J. Dally, B. Towles, "Principles and practices of interconnection networks", 2004, chapters 12 and 13).
//! Credits need no time: a flit moves into room that another flit makes in the same cycle.
//!
//! * A buffer of one flit gives the same moves as the flit level with `buffer=flit`.
//! * A buffer of a packet's length gives more throughput than `buffer=packet`, which keeps the next packet
//!   out until the last flit has left.
//! * Without contention latencies do not depend on the buffer size, because a packet always moves one channel
//!   per cycle.
//!
//! Only channels decide about deadlock, so [`super::topology`] excludes it here too: the first packet of a
//! buffer waits for the next channel, and the others wait for the first.
//!
//! The state has, for each position of a packet's path, the number of flits that have entered the channel
//! there. A *move* is a packet with the position that its next flit goes to. Moves that may be possible in
//! the next cycle are in a list. A move without room is kept at the full channel and retried in the cycle in
//! which a flit leaves. A cycle takes O(moves tried).

use std::collections::VecDeque;

use super::fabric::{Fabric, Packet, Processors, Timing};
use super::topology::{Channel, Topology};
use super::wheel::{Bucket, Wheel};
use super::worms::{Worm, Worms};

/// A packet and a position on its path, from 0. The position after the last channel is the receiver.
type Move = (Worm, u32);

/// The buffer at the end of a channel.
#[derive(Clone, Debug)]
struct Buffer {
    /// Flits in the buffer.
    flits: u32,
    /// The packets with flits in the buffer, the first in front, each with the position of this channel on
    /// its path.
    packets: VecDeque<Move>,
    /// The cycle of the last flit that entered, and its packet.
    entered: (i64, Worm),
    /// The cycle of the last flit that left.
    left: i64,
    /// The last cycle that listed the move out of this buffer for the next cycle.
    listed: i64,
    /// A move into this buffer that lacks room. Only the owner of the channel moves in.
    waiting: Option<Move>,
}

/// The state of the network.
#[derive(Debug)]
pub(super) struct CreditLevel {
    timing: Timing,
    /// Capacity of a buffer in flits.
    slots: u32,
    worms: Worms,
    /// By packet: the number of flits that have entered each channel of its path, and finally the number that
    /// have arrived.
    entered: Vec<Vec<u32>>,
    buffers: Vec<Buffer>,
    /// By link: the cycle of its last flit.
    carried: Vec<i64>,
    wheel: Wheel,
    /// The last simulated cycle.
    now: i64,
    /// Moves to try in this cycle.
    work: Vec<Move>,
    /// Moves to try in the next cycle.
    ready: Vec<Move>,
    /// An empty list and an empty bucket, whose memory is reused.
    spare: (Vec<Move>, Bucket),
}

impl CreditLevel {
    /// Creates the empty network with buffers of `slots` flits.
    pub(super) fn new(topology: Topology, timing: Timing, slots: u32) -> Self {
        let (channels, long_ago) = (topology.channels(), i64::MIN);
        let buffer = Buffer {
            flits: 0,
            packets: VecDeque::new(),
            entered: (long_ago, 0),
            left: long_ago,
            listed: long_ago,
            waiting: None,
        };
        Self {
            timing,
            slots,
            worms: Worms::new(topology),
            entered: Vec::new(),
            buffers: vec![buffer; channels],
            carried: vec![long_ago; channels],
            wheel: Wheel::new(timing.reach()),
            now: long_ago,
            work: Vec::new(),
            ready: Vec::new(),
            spare: (Vec::new(), Bucket::default()),
        }
    }

    /// Checks the flit count of every buffer against its packets, and their order.
    #[cfg(test)]
    pub(super) fn check(&self) {
        for buffer in &self.buffers {
            let mut flits = 0;
            for (i, &(worm, at)) in buffer.packets.iter().enumerate() {
                let entered = &self.entered[worm as usize];
                let (came, gone) = (entered[at as usize], entered[at as usize + 1]);
                // Only the last packet may still be entering, and only the first may be leaving.
                assert!(came == self.timing.length || i + 1 == buffer.packets.len());
                assert!((gone == 0 || i == 0) && gone < self.timing.length && came >= gone);
                flits += came - gone;
            }
            assert!(flits == buffer.flits && flits <= self.slots);
        }
    }

    /// Tries the moves on the list of this cycle until it is empty.
    fn settle(&mut self, processors: &mut dyn Processors) {
        while let Some((worm, at)) = self.work.pop() {
            if self.is_possible(worm, at) {
                self.move_flit(worm, at, processors);
            }
        }
    }

    /// Lists a move for the next cycle, once.
    fn list_next(&mut self, worm: Worm, at: u32) {
        if at > 0 {
            let from = self.worms.get(worm).path[at as usize - 1];
            if std::mem::replace(&mut self.buffers[from as usize].listed, self.now) == self.now {
                return;
            }
        }
        self.ready.push((worm, at));
    }

    /// Returns whether a flit can move to position `at` in this cycle. A move that lacks room or the link is
    /// kept for a retry. A move that lacks a flit or the channel is not: the event that provides it will try
    /// it.
    fn is_possible(&mut self, worm: Worm, at: u32) -> bool {
        let (now, position) = (self.now, at as usize);
        let (state, entered) = (self.worms.get(worm), &self.entered[worm as usize]);
        let there = match position.checked_sub(1) {
            None => self.timing.length - entered[0],
            Some(before) => {
                let from = &self.buffers[state.path[before] as usize];
                if from.left == now {
                    return false;
                }
                // A flit that has moved in this cycle cannot move again.
                entered[before] - entered[position] - u32::from(from.entered == (now, worm))
            }
        };
        if there == 0 {
            return false;
        }
        let Some(&channel) = state.path.get(position) else { return true };
        if self.worms.owner(channel) != worm {
            return false;
        }
        let buffer = &mut self.buffers[channel as usize];
        if buffer.flits == self.slots {
            buffer.waiting = Some((worm, at));
            let job = self.worms.get(worm).packet.job;
            if buffer.packets.iter().any(|&(other, _)| self.worms.get(other).packet.job != job) {
                self.worms.waits_for_others(worm);
            }
            return false;
        }
        let link = self.worms.topology.link(channel) as usize;
        if buffer.entered.0 == now || self.carried[link] == now {
            self.list_next(worm, at);
            return false;
        }
        self.carried[link] = now;
        true
    }

    /// Moves a flit of a packet to position `at`.
    fn move_flit(&mut self, worm: Worm, at: u32, processors: &mut dyn Processors) {
        let (now, position) = (self.now, at as usize);
        let entered = &mut self.entered[worm as usize];
        entered[position] += 1;
        let count = entered[position];
        let has_more = if at == 0 { count < self.timing.length } else { count < entered[position - 1] };
        let (is_header, is_tail) = (count == 1, count == self.timing.length);
        let path = &self.worms.get(worm).path;
        let before = position.checked_sub(1).map(|before| path[before]);
        let channel = path.get(position).copied();
        if let Some(channel) = channel {
            self.enter(worm, at, channel, is_header);
        }
        if let Some(before) = before {
            let buffer = &mut self.buffers[before as usize];
            buffer.flits -= 1;
            buffer.left = now;
            self.work.extend(buffer.waiting.take());
            if is_tail {
                buffer.packets.pop_front();
                if let Some(&(next, at)) = buffer.packets.front() {
                    self.on_front(next, at);
                }
            }
        }
        if has_more {
            self.list_next(worm, at);
        }
        if is_tail {
            self.on_tail(worm, channel, at == 0, processors);
        }
    }

    /// Puts a flit into the buffer of `channel`, at position `at` of its path.
    fn enter(&mut self, worm: Worm, at: u32, channel: Channel, is_header: bool) {
        self.worms.flits[channel as usize] += 1;
        let buffer = &mut self.buffers[channel as usize];
        buffer.flits += 1;
        buffer.entered = (self.now, worm);
        if is_header {
            buffer.packets.push_back((worm, at));
        }
        let is_first = buffer.packets.front() == Some(&(worm, at));
        if is_header && at > 0 {
            self.worms.advance(worm, self.now);
        }
        let state = self.worms.get(worm);
        if is_first && is_header {
            self.on_front(worm, at);
        } else if is_first && (at < state.head || at == state.last()) {
            // The header has moved on, so the flit may follow.
            self.list_next(worm, at + 1);
        }
    }

    /// The header at position `at` of its path is now the first flit of a buffer: routes it, or hands it to
    /// the processor.
    fn on_front(&mut self, worm: Worm, at: u32) {
        if at == self.worms.get(worm).last() {
            self.list_next(worm, at + 1);
        } else {
            self.wheel.at(self.now + self.timing.per_hop()).requests.push(worm);
        }
    }

    /// Releases `channel` after the last flit of a packet has entered it, and grants it to the next packet.
    /// `None` stands for the receiver. `is_sent` is true if the packet has entered the network as a whole.
    fn on_tail(
        &mut self,
        worm: Worm,
        channel: Option<Channel>,
        is_sent: bool,
        processors: &mut dyn Processors,
    ) {
        let next = if let Some(channel) = channel {
            if let Some(next) = self.worms.release(channel) {
                self.work.push((next, self.worms.get(next).head + 1));
            }
            if is_sent { processors.injected(&self.worms.get(worm).packet, self.now) } else { None }
        } else {
            let (packet, arrived) = self.worms.leave(worm, self.now);
            processors.arrived(&packet, &arrived, self.now)
        };
        if let Some(packet) = next {
            self.inject(packet, self.now);
        }
    }
}

impl Fabric for CreditLevel {
    fn inject(&mut self, packet: Packet, now: i64) {
        if self.next_cycle().is_none() {
            // The network is empty, so the skipped cycles have no events.
            self.now = self.now.max(now - 1);
        }
        let worm = self.worms.enter(packet);
        if self.entered.len() <= worm as usize {
            self.entered.resize(worm as usize + 1, Vec::new());
        }
        let entered = &mut self.entered[worm as usize];
        entered.clear();
        entered.resize(self.worms.get(worm).path.len() + 1, 0);
        if now > self.now { self.ready.push((worm, 0)) } else { self.work.push((worm, 0)) }
    }

    fn next_cycle(&self) -> Option<i64> {
        if !self.work.is_empty() {
            Some(self.now)
        } else if self.ready.is_empty() {
            self.wheel.next(self.now)
        } else {
            Some(self.now + 1)
        }
    }

    fn pass(&mut self, cycle: i64) {
        self.now = self.now.max(cycle);
    }

    /// Simulates cycle `now`: the postponed moves, then the requests of headers, each followed by all moves
    /// that it makes possible. In a cycle that was simulated before, only packets that have entered since can
    /// move.
    fn cycle(&mut self, now: i64, processors: &mut dyn Processors) {
        if now > self.now {
            self.now = now;
            let (empty, bucket) = std::mem::take(&mut self.spare);
            let mut ready = std::mem::replace(&mut self.ready, empty);
            let mut bucket = self.wheel.take(now, bucket);
            ready.sort_unstable_by_key(|&(worm, at)| (self.worms.get(worm).packet.key, at));
            for next in ready.drain(..) {
                self.work.push(next);
                self.settle(processors);
            }
            self.worms.sort(&mut bucket.requests);
            for worm in bucket.requests.drain(..) {
                if self.worms.request(worm, now) {
                    self.work.push((worm, self.worms.get(worm).head + 1));
                }
            }
            self.spare = (ready, bucket);
        }
        self.settle(processors);
    }

    fn flits(&self) -> (u64, u64) {
        self.worms.link_flits()
    }
}
