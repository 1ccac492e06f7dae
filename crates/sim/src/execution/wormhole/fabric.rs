//! The interface of a network at one level of detail, and of the processors attached to it.

use super::traffic::PacketStats;
use meshreplay_machine::machine::NodeId;

/// A packet as injected by its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// The slot of its job among the communicating jobs.
    pub(super) job: u32,
    /// The index of its sender in the job.
    pub(super) sender: u32,
    /// The key that orders requests of one cycle.
    pub(super) key: u64,
    /// The number among the packets of its sender, from 0.
    pub(super) number: u64,
    /// The cycle of its creation.
    pub(super) created: i64,
    /// The node of the sender.
    pub(super) source: NodeId,
    /// The node of the receiver.
    pub(super) target: NodeId,
}

/// Durations in cycles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// Flits per packet, which is also the cycles that a packet needs per link.
    pub(super) length: u32,
    /// Cycles to route a header in each node.
    pub(super) routing: u32,
    /// Whether channels buffer whole packets instead of single flits.
    pub(super) gathers: bool,
}

impl Timing {
    /// Returns the cycles from a move of a header to its next request.
    pub(super) fn per_hop(self) -> i64 {
        i64::from(self.routing) + 1
    }

    /// Returns how far ahead of the last simulated cycle events are planned, in cycles. One is added because
    /// a packet may enter the network a cycle later.
    pub(super) fn reach(self) -> u32 {
        self.length.max(self.routing + 1) + 1
    }
}

/// The senders. The network reports its events to them, and they answer with their next packets.
pub(super) trait Processors {
    /// `packet` has left the channel of its processor in cycle `now`. Returns the next packet to enter, or
    /// `None` if there is none yet.
    fn injected(&mut self, packet: &Packet, now: i64) -> Option<Packet>;

    /// `packet` has arrived in cycle `now`. Returns the next packet of its sender, or `None` if there is none
    /// or packets do not wait for arrivals.
    fn arrived(&mut self, packet: &Packet, arrived: &PacketStats, now: i64) -> Option<Packet>;

    /// Returns whether the simulation must pause, for example because a job has finished.
    fn has_finished(&self) -> bool;
}

/// A network at one level of detail.
pub(super) trait Fabric: Send {
    /// Injects a packet into the channel of its processor. No other packet of this processor may be entering.
    fn inject(&mut self, packet: Packet, now: i64);

    /// Returns the next cycle with an event, or `None` if no packet is in flight.
    fn next_cycle(&self) -> Option<i64>;

    /// Advances to a cycle without events up to it.
    fn pass(&mut self, cycle: i64);

    /// Simulates a cycle.
    fn cycle(&mut self, now: i64, processors: &mut dyn Processors);

    /// Simulates up to cycle `until`, or to the first end of a job. Returns false if it
    /// stopped earlier, after `cycles` cycles with events.
    fn run(&mut self, until: i64, processors: &mut dyn Processors, cycles: u32) -> bool {
        for _ in 0..cycles {
            let Some(next) = self.next_cycle() else { return true };
            if next > until {
                self.pass(until);
                return true;
            }
            self.cycle(next, processors);
            if processors.has_finished() {
                return true;
            }
        }
        false
    }

    /// Returns the flits carried by all links, and by the busiest link.
    fn flits(&self) -> (u64, u64);
}
