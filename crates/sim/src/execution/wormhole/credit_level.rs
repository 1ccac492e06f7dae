//! The network flit by flit with buffers of several flits: a channel accepts flits as long as its buffer has
//! room (credit-based flow control).
//!
//! It differs from [`super::flit_level`] in one thing. There a channel belongs to a packet until the last
//! flit has left its buffer. Here it belongs to a packet until the last flit has *entered* its buffer. Then
//! the next packet may follow, so that flits of several packets stand in one buffer one behind the other.
//! Only the first packet in a buffer moves on, and a header is routed from the cycle on in which it is the
//! first. This is how routers with credits work (W. J. Dally, B. Towles, "Principles and practices of
//! interconnection networks", 2004, chapters 12 and 13). Credits need no time: a flit moves into room that
//! another flit makes in the same cycle.
//!
//! * A buffer of one flit gives the same as the level of flits with `buffer=flit`, move by move.
//! * A buffer of a packet's length gives more throughput than `buffer=packet`, which keeps the next packet
//!   out until the last flit has left.
//! * Without contention latencies do not depend on the size of the buffers, since a packet moves one channel
//!   per cycle in all of them.
//!
//! Who waits in a circle with whom is decided by channels alone, so [`super::topology`] excludes deadlock
//! here too: the first packet of a buffer waits for the next channel, and the others wait for the first.
//!
//! The simulation keeps, for each position of a packet's path, how many of its flits have entered the channel
//! there. A *move* is given by a packet and the position into which its next flit is to go. Moves that may be
//! possible in the next cycle are in a list. A move that lacks room is kept at the full channel and tried
//! again in the cycle in which a flit leaves. A cycle takes O(moves tried).

use std::collections::VecDeque;

use super::fabric::{Fabric, Processors, Timing};
use super::packet::Packet;
use super::topology::{Channel, Topology};
use super::wheel::{Bucket, Wheel};
use super::worms::{Worm, Worms};

/// A packet and a position on its path, counted from 0. The position behind the last channel is the receiver
/// itself.
type Move = (Worm, u32);

/// The buffer at the end of a channel.
#[derive(Clone, Debug)]
struct Buffer {
    /// The number of flits in it.
    flits: u32,
    /// The packets that have flits in it, the first in front, each with the position of this channel on its
    /// path.
    packets: VecDeque<Move>,
    /// The last cycle in which a flit entered, and its packet.
    entered: (i64, Worm),
    /// The last cycle in which a flit left.
    left: i64,
    /// The last cycle in which the move out of this buffer was put on the list for the next cycle.
    listed: i64,
    /// A move into this buffer that lacks room; `None` if none does. Only the owner of the channel moves in.
    waiting: Option<Move>,
}

/// The state of the network.
#[derive(Debug)]
pub(super) struct CreditLevel {
    timing: Timing,
    /// The number of flits that a buffer can hold.
    slots: u32,
    worms: Worms,
    /// The number of flits that have entered each channel of a packet's path, and at last the number that
    /// have arrived; indexed by packet.
    entered: Vec<Vec<u32>>,
    buffers: Vec<Buffer>,
    /// The last cycle in which each link carried a flit, indexed by link.
    carried: Vec<i64>,
    wheel: Wheel,
    /// The last cycle that was simulated.
    now: i64,
    /// The moves that have to be tried in this cycle.
    work: Vec<Move>,
    /// The moves that have to be tried in the next cycle.
    ready: Vec<Move>,
    /// An empty list and an empty bucket, kept for their memory.
    spare: (Vec<Move>, Bucket),
}

impl CreditLevel {
    /// Returns the empty network, with buffers of `slots` flits.
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

    /// Checks that every buffer holds as many flits as its packets say, in the order in which they own the
    /// channel.
    #[cfg(test)]
    pub(super) fn check(&self) {
        for buffer in &self.buffers {
            let mut flits = 0;
            for (i, &(worm, at)) in buffer.packets.iter().enumerate() {
                let entered = &self.entered[worm as usize];
                let (came, gone) = (entered[at as usize], entered[at as usize + 1]);
                // Only the last packet may still be entering, and only the first may have begun to leave.
                assert!(came == self.timing.length || i + 1 == buffer.packets.len());
                assert!((gone == 0 || i == 0) && gone < self.timing.length && came >= gone);
                flits += came - gone;
            }
            assert!(flits == buffer.flits && flits <= self.slots);
        }
    }

    /// Simulates cycle `now`: first the moves that were put off until now, then the requests of headers, and
    /// after each of them whatever has become possible by it. If the cycle was simulated before, only packets
    /// that have entered since are left to move.
    fn go_through(&mut self, now: i64, processors: &mut dyn Processors) {
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

    /// Tries the moves on the list of this cycle until it is empty.
    fn settle(&mut self, processors: &mut dyn Processors) {
        while let Some((worm, at)) = self.work.pop() {
            if self.is_possible(worm, at) {
                self.go(worm, at, processors);
            }
        }
    }

    /// Puts a move on the list of the next cycle, unless it is there already.
    fn later(&mut self, worm: Worm, at: u32) {
        if at > 0 {
            let from = self.worms.get(worm).path[at as usize - 1];
            if std::mem::replace(&mut self.buffers[from as usize].listed, self.now) == self.now {
                return;
            }
        }
        self.ready.push((worm, at));
    }

    /// Returns whether a flit of a packet can move to position `at` in this cycle. If it lacks room or the
    /// link is in use, the move is kept to be tried again. If no flit is there, or the channel is another
    /// packet's, it is not kept: what changes that will try it.
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
            self.later(worm, at);
            return false;
        }
        self.carried[link] = now;
        true
    }

    /// Moves a flit of a packet to position `at`.
    fn go(&mut self, worm: Worm, at: u32, processors: &mut dyn Processors) {
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
                    self.comes_to_front(next, at);
                }
            }
        }
        if has_more {
            self.later(worm, at);
        }
        if is_tail {
            self.tail_has_moved(worm, channel, at == 0, processors);
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
            self.comes_to_front(worm, at);
        } else if is_first && (at < state.head || at == state.last()) {
            // The header has gone on, so the flit may follow.
            self.later(worm, at + 1);
        }
    }

    /// Handles that a header, at position `at` of its path, has become the first flit of a buffer: it is
    /// routed, or the processor takes it.
    fn comes_to_front(&mut self, worm: Worm, at: u32) {
        if at == self.worms.get(worm).last() {
            self.later(worm, at + 1);
        } else {
            self.wheel.at(self.now + self.timing.per_hop()).requests.push(worm);
        }
    }

    /// Handles that the last flit of a packet has entered `channel`, which goes to the next packet; `None` if
    /// it has arrived. `is_sent` says whether it has entered the network.
    fn tail_has_moved(
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
            // The network is empty, so the cycles in between have no events.
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

    fn cycle(&mut self, now: i64, processors: &mut dyn Processors) {
        self.go_through(now, processors);
    }

    fn flits(&self) -> (u64, u64) {
        self.worms.link_flits()
    }
}
