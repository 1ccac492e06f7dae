//! The network at one level of detail, and what it asks of the processors.

use std::fmt;
use std::str::FromStr;

use super::packet::Packet;
use super::traffic::Arrived;

/// The durations of the network, in cycles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// The number of flits of a packet, which is the number of cycles that it takes over a link.
    pub(super) length: u32,
    /// The cycles for which a header is routed in each node.
    pub(super) routing: u32,
    /// What a channel can hold.
    pub(super) buffer: Buffer,
}

impl Timing {
    /// Returns the cycles from a move of a header to its next request.
    pub(super) fn per_hop(self) -> i64 {
        i64::from(self.routing) + 1
    }

    /// Returns the largest distance in cycles between the last cycle that was simulated and a planned event.
    /// One is added because a packet may enter the network one cycle after the last simulated one.
    pub(super) fn reach(self) -> u32 {
        self.length.max(self.routing + 1) + 1
    }

    /// Returns whether channels buffer whole packets instead of single flits.
    pub(super) fn gathers(self) -> bool {
        self.buffer == Buffer::Packet
    }
}

/// What the buffer at the end of each channel can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Buffer {
    /// This number of flits, also of packets that follow each other.
    Flits(u32),
    /// All flits of one packet, and none of another one.
    Packet,
}

/// The values that parameter `buffer` accepts.
pub(super) const BUFFER: &str = "flit, packet, or a whole number of flits from 1 to 65536";

impl FromStr for Buffer {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "flit" => Ok(Self::Flits(1)),
            "packet" => Ok(Self::Packet),
            _ => text.parse().ok().filter(|flits| (1..=65_536).contains(flits)).map(Self::Flits).ok_or(()),
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flits(1) => f.write_str("flit"),
            Self::Flits(flits) => write!(f, "{flits}"),
            Self::Packet => f.write_str("packet"),
        }
    }
}

/// A processor or job that sends: the network tells it what has happened, and it answers with its next
/// packet.
pub(super) trait Processors {
    /// Handles that `packet` has left the channel of its processor in cycle `now`; with buffers of several
    /// flits, that its last flit has entered this channel. Returns the packet that enters next; `None` if
    /// none does yet.
    fn injected(&mut self, packet: &Packet, now: i64) -> Option<Packet>;

    /// Handles that `packet` has arrived in cycle `now`. Returns the packet that its sender may send next;
    /// `None` if there is none, or if packets do not wait for arrivals.
    fn arrived(&mut self, packet: &Packet, arrived: &Arrived, now: i64) -> Option<Packet>;

    /// Returns whether somebody waits to be told what has happened before further cycles are simulated.
    fn has_finished(&self) -> bool;
}

/// The network at one level of detail.
pub(super) trait Fabric: Send {
    /// Lets a packet enter the channel of its processor. No other packet of this processor may be entering.
    fn inject(&mut self, packet: Packet, now: i64);

    /// Returns the next cycle with an event; `None` if no packet is under way.
    fn next_cycle(&self) -> Option<i64>;

    /// Advances to a cycle. There must be no event up to it.
    fn pass(&mut self, cycle: i64);

    /// Simulates a cycle.
    fn cycle(&mut self, now: i64, processors: &mut dyn Processors);

    /// Simulates up to cycle `until`, or up to the first cycle in which a job finishes. Returns whether it
    /// got there; false if it stopped after `cycles` cycles with events.
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

    /// Returns the number of flits that all links have carried, and the number of flits that the busiest link
    /// has carried.
    fn flits(&self) -> (u64, u64);
}
