//! The network at one level of detail, and what it asks of the processors.

use std::fmt;
use std::str::FromStr;

use super::credit_level::CreditLevel;
use super::flit_level::FlitLevel;
use super::packet_level::PacketLevel;
use super::topology::{Lanes, Rings, Ties, Topology};
use super::traffic::Arrived;
use super::worms::Packet;
use crate::machine::Mesh;
use crate::spec::{Params, SpecError};

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

    /// Returns the largest distance in cycles between the last cycle that was simulated and a planned event. One is
    /// added because a packet may enter the network one cycle after the last simulated one.
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
const BUFFER: &str = "flit, packet, or a whole number of flits from 1 to 65536";

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

/// The level of detail of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// One event per hop of a packet.
    Packet,
    /// Every move of every flit.
    Flit,
}

/// A processor or job that sends: the network tells it what has happened, and it answers with its next packet.
pub(super) trait Processors {
    /// Handles that `packet` has left the channel of its processor in cycle `now`; with buffers of several flits, that
    /// its last flit has entered this channel. Returns the packet that enters next; `None` if none does yet.
    fn injected(&mut self, packet: &Packet, now: i64) -> Option<Packet>;

    /// Handles that `packet` has arrived in cycle `now`. Returns the packet that its sender may send next; `None` if
    /// there is none, or if packets do not wait for arrivals.
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

    /// Simulates up to cycle `until`, or up to the first cycle in which a job finishes. Returns whether it got there;
    /// false if it stopped after `cycles` cycles with events.
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

    /// Returns the number of flits that all links have carried, and the number of flits that the busiest link has
    /// carried.
    fn flits(&self) -> (u64, u64);
}

/// What decides how packets move: the part of a wormhole spec that is not about who sends what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transport {
    pub(super) timing: Timing,
    pub(super) rings: Rings,
    pub(super) level: Level,
}

/// Takes a whole number from `least` to 65,536.
fn whole(params: &mut Params, key: &str, usual: u32, least: u32) -> Result<u32, SpecError> {
    let expected = format!("a whole number from {least} to 65536");
    let value = params.take(key, usual, &expected)?;
    let is_good = (least..=65_536).contains(&value);
    if is_good { Ok(value) } else { Err(params.bad_value(key, &value.to_string(), &expected)) }
}

impl Transport {
    /// Takes the parameters. Those of rings are checked but not recorded on a machine without them, because nothing
    /// depends on them there. Fails if a parameter is invalid.
    pub(super) fn take(params: &mut Params, mesh: &Mesh, seed: u64) -> Result<Self, SpecError> {
        let timing = Timing {
            length: whole(params, "length", 8, 1)?,
            routing: whole(params, "ts", 3, 0)?,
            buffer: params.take("buffer", Buffer::Flits(1), BUFFER)?,
        };
        let level = if matches!(timing.buffer, Buffer::Packet | Buffer::Flits(1)) {
            params.choose("level", &[("packet", Level::Packet), ("flit", Level::Flit)])?
        } else {
            let level = params.choose("level", &[("flit", Level::Flit), ("packet", Level::Packet)])?;
            if level == Level::Packet {
                let expected = format!("flit; buffer={} is simulated flit by flit", timing.buffer);
                return Err(params.bad_value("level", "packet", &expected));
            }
            level
        };
        let has_rings = mesh.wraps_any();
        let ties = params.choose_if(has_rings, "halfway", Ties::NAMES)?;
        let lanes = params.choose_if(has_rings, "vc", Lanes::NAMES)?;
        Ok(Self { timing, rings: Rings { ties, lanes, seed }, level })
    }

    /// Returns the empty network on `mesh`, with the number of its links.
    pub(super) fn build(&self, mesh: &Mesh) -> (Box<dyn Fabric>, u64) {
        let topology = Topology::new(mesh, self.rings);
        let links = topology.links();
        let fabric: Box<dyn Fabric> = match (self.level, self.timing.buffer) {
            (Level::Packet, _) => Box::new(PacketLevel::new(topology, self.timing)),
            (Level::Flit, Buffer::Packet | Buffer::Flits(1)) => {
                Box::new(FlitLevel::new(topology, self.timing))
            }
            (Level::Flit, Buffer::Flits(slots)) => Box::new(CreditLevel::new(topology, self.timing, slots)),
        };
        (fabric, links)
    }
}
