//! The network by headers: one event per hop instead of one per flit.
//!
//! Where every channel buffers one flit, a packet of P flits occupies at most P consecutive channels and moves only
//! when its header does. So the header's events tell everything: when it is let into channel i at time T, the last flit
//! leaves channel i − P at T, and the header asks for channel i + 1 at T + 1 + ts; when it is let into the last channel
//! e, its flits arrive one by one, the last flit leaves channel j at T + P − (e − j), and the packet has arrived at T +
//! P. Without contention a packet of h hops takes (h + 1)(ts + 1) + P cycles.
//!
//! Where channels buffer whole packets, flits follow their header at one per cycle whatever it waits for, so the last
//! one leaves channel i as it moves on into channel i + 1, P − 1 cycles after the header did.
//!
//! It moves every flit in the same cycle as [`super::flit_level`] as long as no two channels share a link; on a torus
//! it lets both virtual channels of a link move a flit per cycle, as if the link were twice as wide: services come out
//! shorter than at the flit level, by up to a fifth where few pairs of nodes keep both channels busy. O(1) per hop and
//! request, and the queue for a channel where a request waits.

use super::communication::Communication;
use super::topology::{Channel, Topology};
use super::wheel::{Bucket, Wheel};
use super::worms::{Packet, Worm, Worms};
use super::{Fabric, Timing};

/// The state of the network.
#[derive(Debug)]
pub(super) struct PacketLevel {
    timing: Timing,
    worms: Worms,
    wheel: Wheel,
    /// The last cycle that was gone through.
    now: i64,
    /// Packets that were let into a channel in this cycle and move there.
    granted: Vec<Worm>,
    spare: Bucket,
}

impl PacketLevel {
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

    #[cfg(test)]
    pub(super) fn most_packets(&self) -> usize {
        self.worms.most()
    }

    fn go_through(&mut self, now: i64, communication: &mut Communication) {
        self.now = now;
        let mut bucket = self.wheel.take(now, std::mem::take(&mut self.spare));
        for channel in bucket.releases.drain(..) {
            self.leave(channel, now, communication);
        }
        self.worms.sort(&mut bucket.requests);
        for worm in bucket.requests.drain(..) {
            if self.worms.request(worm, now) {
                self.granted.push(worm);
            }
        }
        self.spare = bucket;
        while let Some(worm) = self.granted.pop() {
            self.advance(worm, now, communication);
        }
    }

    /// The header moves into the channel that it was let into, which may free the one behind the last flit.
    fn advance(&mut self, worm: Worm, now: i64, communication: &mut Communication) {
        let at = self.worms.advance(worm, now);
        let (Timing { length, gathers, .. }, state) = (self.timing, self.worms.get(worm));
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
            Some(channel) => self.leave(channel, now, communication),
            None => {}
        }
    }

    /// The header has reached its target: the channels that the packet still holds are left one by one.
    fn drain(&mut self, worm: Worm, now: i64) {
        let (length, path) = (self.timing.length, &self.worms.get(worm).path);
        let held = path.len().min(length as usize);
        let soonest = now + i64::from(length) - held as i64 + 1;
        for (at, &channel) in (soonest..).zip(&path[path.len() - held..]) {
            self.wheel.at(at).releases.push(channel);
        }
    }

    /// A packet's last flit has left a channel.
    fn leave(&mut self, channel: Channel, now: i64, communication: &mut Communication) {
        let owner = self.worms.owner(channel);
        self.granted.extend(self.worms.release(channel));
        let next = if self.worms.topology.is_injection(channel) {
            communication.injected(&self.worms.get(owner).packet)
        } else if self.worms.topology.is_ejection(channel) {
            let (packet, arrived) = self.worms.leave(owner, now);
            communication.arrived(&packet, &arrived, now)
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
            // Nothing happens between.
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

    fn cycle(&mut self, now: i64, communication: &mut Communication) {
        self.go_through(now, communication);
    }

    fn flits(&self) -> (u64, u64) {
        self.worms.link_flits()
    }
}
