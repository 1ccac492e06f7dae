//! The network at the level of packets: one event per hop of a header instead of one per move of a flit.
//!
//! With buffers of one flit, a packet of P flits occupies at most P consecutive channels and moves only when
//! its header does. So the events of the header determine the moves of all flits:
//!
//! * The header enters channel i of its path at time T. Then the last flit leaves channel i − P at T, and the
//!   header requests channel i + 1 at T + 1 + ts.
//! * The header enters the last channel e at time T. Then its flits arrive one by one. The last flit leaves
//!   channel j at T + P − (e − j), and the packet has arrived at T + P.
//!
//! Without contention a packet of h hops takes (h + 1)(ts + 1) + P cycles.
//!
//! With buffers of whole packets, the flits follow their header at one per cycle even while the header waits.
//! So the last flit leaves channel i as it moves into channel i + 1, P − 1 cycles after the header did.
//!
//! This level moves every flit in the same cycle as `flit_level`, its twin in tests, if no two channels share
//! a link. On a torus two virtual channels share each link. Here each of them may move a flit per cycle, as
//! if the link were twice as wide, so services are shorter than at the level of flits, by up to a fifth where
//! few pairs of nodes keep both channels busy. O(1) per hop and request, plus a walk over the queue of a
//! channel for each waiting request.

use super::fabric::{Fabric, Packet, Processors, Timing};
use super::topology::{Channel, Topology};
use super::wheel::{Bucket, Wheel};
use super::worms::{Worm, Worms};

/// The state of the network.
#[derive(Debug)]
pub(super) struct PacketLevel {
    timing: Timing,
    worms: Worms,
    wheel: Wheel,
    /// The last simulated cycle.
    now: i64,
    /// Packets that were granted a channel in this cycle and now move into it.
    granted: Vec<Worm>,
    /// An empty bucket, whose memory is reused.
    spare: Bucket,
}

impl PacketLevel {
    /// Returns the empty network.
    pub(super) fn new(topology: Topology, timing: Timing) -> Self {
        Self {
            timing,
            worms: Worms::new(topology),
            wheel: Wheel::new(timing.reach()),
            now: i64::MIN,
            granted: Vec::new(),
            spare: Bucket::default(),
        }
    }

    /// Returns the largest number of packets that were in the network at once.
    #[cfg(test)]
    pub(super) fn most_packets(&self) -> usize {
        self.worms.most()
    }

    /// Moves a header into its granted channel. This may free the channel behind the last flit.
    fn advance(&mut self, worm: Worm, now: i64, processors: &mut dyn Processors) {
        let at = self.worms.advance(worm, now);
        let (length, gathers) = (self.timing.length, self.timing.gathers);
        let state = self.worms.get(worm);
        // The channel that the last flit leaves by this move. `None` while the packet is still entering.
        let behind = at.checked_sub(if gathers { 1 } else { length }).map(|i| state.path[i as usize]);
        let (channel, last) = (state.path[at as usize], state.last());
        self.worms.flits[channel as usize] += u64::from(length);
        if at < last {
            self.wheel.at(now + self.timing.per_hop()).requests.push(worm);
        } else if gathers {
            self.wheel.at(now + i64::from(length)).releases.push(channel);
        } else {
            self.drain(worm, now);
        }
        match behind {
            Some(channel) if gathers && length > 1 => {
                self.wheel.at(now + i64::from(length) - 1).releases.push(channel);
            }
            Some(channel) => self.leave(channel, now, processors),
            None => {}
        }
    }

    /// Plans the release of the channels that a packet still holds. The last flit leaves them one by one,
    /// because the header has reached the receiver.
    fn drain(&mut self, worm: Worm, now: i64) {
        let (length, path) = (self.timing.length, &self.worms.get(worm).path);
        let held = path.len().min(length as usize);
        let soonest = now + i64::from(length) - held as i64 + 1;
        for (at, &channel) in (soonest..).zip(&path[path.len() - held..]) {
            self.wheel.at(at).releases.push(channel);
        }
    }

    /// The last flit of a packet has left a channel: grants the channel to the next packet. Then the sender
    /// may send its next packet, or the packet has arrived.
    fn leave(&mut self, channel: Channel, now: i64, processors: &mut dyn Processors) {
        let owner = self.worms.owner(channel);
        self.granted.extend(self.worms.release(channel));
        let next = if self.worms.topology.is_injection(channel) {
            processors.injected(&self.worms.get(owner).packet, now)
        } else if self.worms.topology.is_ejection(channel) {
            let (packet, arrived) = self.worms.leave(owner, now);
            processors.arrived(&packet, &arrived, now)
        } else {
            None
        };
        if let Some(packet) = next {
            self.inject(packet, now);
        }
    }
}

impl Fabric for PacketLevel {
    fn inject(&mut self, packet: Packet, now: i64) {
        if self.wheel.is_empty() {
            // The network is empty, so the skipped cycles have no events.
            self.now = self.now.max(now - 1);
        }
        let worm = self.worms.enter(packet);
        let channel = self.worms.get(worm).path[0];
        self.worms.flits[channel as usize] += u64::from(self.timing.length);
        self.wheel.at(now + self.timing.per_hop()).requests.push(worm);
    }

    fn next_cycle(&self) -> Option<i64> {
        self.wheel.next(self.now)
    }

    fn pass(&mut self, cycle: i64) {
        self.now = self.now.max(cycle);
    }

    /// Simulates cycle `now`: first packets leave channels, then headers request channels, then the granted
    /// headers move.
    fn cycle(&mut self, now: i64, processors: &mut dyn Processors) {
        self.now = now;
        let mut bucket = self.wheel.take(now, std::mem::take(&mut self.spare));
        for channel in bucket.releases.drain(..) {
            self.leave(channel, now, processors);
        }
        self.worms.sort(&mut bucket.requests);
        for worm in bucket.requests.drain(..) {
            if self.worms.request(worm, now) {
                self.granted.push(worm);
            }
        }
        self.spare = bucket;
        while let Some(worm) = self.granted.pop() {
            self.advance(worm, now, processors);
        }
    }

    fn flits(&self) -> (u64, u64) {
        self.worms.link_flits()
    }
}
