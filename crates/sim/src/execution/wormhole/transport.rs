//! The parameters of the transport of packets, and the network that they describe.

use super::credit_level::CreditLevel;
use super::fabric::{BUFFER, Buffer, Fabric, Timing};
use super::flit_level::FlitLevel;
use super::packet_level::PacketLevel;
use super::topology::{Lanes, Rings, Ties, Topology};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::Mesh;

/// The level of detail of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// One event per hop of a packet.
    Packet,
    /// Every move of every flit.
    Flit,
}

/// The transport of packets: the parameters of a wormhole spec that do not concern the messages.
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
    /// Takes the parameters. Parameters of rings are checked but not recorded on a machine without rings,
    /// because they have no effect there. Fails if a parameter is invalid.
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

    /// Creates the empty network on `mesh`, and returns it with the number of links.
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
