//! A wormhole-routed network: jobs last as long as their messages take.
//!
//! A job that starts hands its packets to the network, which it shares with all other jobs, and ends when the last one
//! has arrived, or when its recorded run time has passed after that. So what an allocator does to dispersal and
//! contention decides how long jobs run. The model of the `ProcSimity` simulator as far as S. Bani-Mohammad, M.
//! Ould-Khaoua, I. Ababneh, L. Mackenzie, ICPADS 2006, and R. Zolfaghari, IJEAT 2013, describe it; what they leave open
//! is a parameter or stated.
//!
//! * The network goes by cycles; jobs start with the next whole one. A flit takes a cycle per link, a header is routed for
//!   `ts` cycles in each node. The two levels of detail are [`packet_level`] and [`flit_level`].
//! * A job without packets (one processor, or none drawn) lasts its recorded run time, or a cycle where that does not count.
//! * Processes are numbered in a row-major scan of the machine, and lie as the job's sides say, turned if the placement is.
//! * Of placements with more nodes than were asked for, the first ones communicate.

mod communication;
mod flit_level;
mod packet_level;
mod pattern;
mod quota;
mod topology;
mod traffic;
mod wheel;
mod worms;

#[cfg(test)]
mod tests;

pub use traffic::{JobTraffic, Traffic};

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use self::communication::{Communication, Injection};
use self::flit_level::FlitLevel;
use self::packet_level::PacketLevel;
use self::pattern::PATTERNS;
use self::quota::{Law, Plan, Quota};
use self::topology::Topology;
use self::worms::Packet;
use super::{Entry, Execution, Next, Setup, Started};
use crate::job::{JobId, Time};
use crate::spec::{Params, SpecError};
use crate::stop::Stop;

/// Its row in the registry.
pub(super) const ENTRY: Entry = Entry {
    name: "wormhole",
    summary: "jobs last as long as their messages take on a wormhole-routed network that all share",
    source: "S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, ICPADS 2006; R. Zolfaghari, IJEAT 2013",
    parameters: "pattern=all-to-all (one-to-all, near-neighbour, ring, random, n-body, fft, transpose), messages=5, \
                 law=exponential (constant), quota=total (per-processor, rounds), injection=pipelined (blocking), length=8 \
                 flits, ts=3 cycles, buffer=flit (packet), cycle=1 s, compute=recorded (none), level=packet (flit)",
    build,
};

/// How long things take, in cycles.
#[derive(Clone, Copy, Debug)]
struct Timing {
    /// Flits of a packet.
    length: u32,
    /// Cycles in which a header is routed.
    routing: u32,
    /// Whether channels buffer whole packets.
    gathers: bool,
}

impl Timing {
    /// From one move of a header to its next request.
    fn per_hop(self) -> i64 {
        i64::from(self.routing) + 1
    }

    /// How far ahead things are planned at most; a packet may start a cycle after the last one that was gone through.
    fn reach(self) -> u32 {
        self.length.max(self.routing + 1) + 1
    }
}

/// The network at one level of detail.
trait Fabric: Send {
    /// Lets a packet enter its processor's channel, which is free.
    fn inject(&mut self, packet: Packet, now: i64);

    /// Returns the next cycle in which something happens; `None` if nothing is under way.
    fn next_cycle(&self) -> Option<i64>;

    /// Nothing happens until this cycle.
    fn pass(&mut self, cycle: i64);

    /// Goes through a cycle.
    fn cycle(&mut self, now: i64, communication: &mut Communication);

    /// Goes on through cycle `until`, or through the first one in which a job finishes; whether that was done within so
    /// many cycles in which something happens.
    fn run(&mut self, until: i64, communication: &mut Communication, cycles: u32) -> bool {
        for _ in 0..cycles {
            let Some(next) = self.next_cycle() else { return true };
            if next > until {
                self.pass(until);
                return true;
            }
            self.cycle(next, communication);
            if communication.has_finished() {
                return true;
            }
        }
        false
    }

    /// Flits that all links carried, and the busiest one did.
    fn flits(&self) -> (u64, u64);
}

/// The execution model.
struct Wormhole {
    cycle: Time,
    /// Whether recorded run times count.
    computes: bool,
    fabric: Box<dyn Fabric>,
    communication: Communication,
    /// Run times and order of start of the jobs that communicate or compute, by job; found again when they do the
    /// other.
    runs: Vec<(Time, u64)>,
    started: u64,
    /// Ends of jobs that have sent everything.
    ends: BinaryHeap<Reverse<(Time, u64, JobId)>>,
}

/// Cycles between two questions whether to go on; a few milliseconds.
const CYCLES: u32 = 1 << 14;

/// The last cycle that the network goes through. What happens in a cycle is planned up to some ten thousand ahead.
const LAST_CYCLE: i64 = i64::MAX - (1 << 18);

/// Larger ones would need gigabytes for their channels.
const MOST_NODES: u32 = 1 << 20;

fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Box<dyn Execution>, SpecError> {
    let whole = |params: &mut Params, key: &str, usual: u32, least: u32| {
        let expected = format!("a whole number from {least} to 65536");
        let value = params.take(key, usual, &expected)?;
        let is_good = (least..=65_536).contains(&value);
        if is_good { Ok(value) } else { Err(params.bad_value(key, &value.to_string(), &expected)) }
    };
    let pattern = params.choose("pattern", PATTERNS)?;
    let messages = params.take("messages", 5.0_f64, MESSAGES)?;
    if !(0.0..=1e9).contains(&messages) {
        return Err(params.bad_value("messages", &messages.to_string(), MESSAGES));
    }
    let law = params.choose("law", &[("exponential", Law::Exponential), ("constant", Law::Constant)])?;
    let quotas = [("total", Quota::Total), ("per-processor", Quota::PerProcessor), ("rounds", Quota::Rounds)];
    let quota = params.choose("quota", &quotas)?;
    let injections = [("pipelined", Injection::Pipelined), ("blocking", Injection::Blocking)];
    let injection = params.choose("injection", &injections)?;
    let timing = Timing {
        length: whole(params, "length", 8, 1)?,
        routing: whole(params, "ts", 3, 0)?,
        gathers: params.choose("buffer", &[("flit", false), ("packet", true)])?,
    };
    let cycle = cycle(params)?;
    let computes = params.choose("compute", &[("recorded", true), ("none", false)])?;
    let by_flit = params.choose("level", &[("packet", false), ("flit", true)])?;
    if setup.mesh.nodes() > MOST_NODES {
        let problem =
            format!("it is for machines of at most {MOST_NODES} nodes; 'recorded' serves larger ones");
        let (owner, machine) = (params.owner().to_owned(), setup.mesh.to_string());
        return Err(SpecError::Unsuited { owner, machine, problem });
    }
    let topology = Topology::new(setup.mesh);
    let traffic = Traffic::new(cycle, topology.links(), setup.jobs);
    let plan = Plan { pattern, quota, law, messages, seed: setup.seed };
    Ok(Box::new(Wormhole {
        cycle,
        computes,
        fabric: if by_flit {
            Box::new(FlitLevel::new(topology, timing))
        } else {
            Box::new(PacketLevel::new(topology, timing))
        },
        communication: Communication::new(setup.mesh, plan, injection, traffic),
        runs: vec![(Time::ZERO, 0); setup.jobs],
        started: 0,
        ends: BinaryHeap::new(),
    }))
}

const MESSAGES: &str = "a number from 0 to 1e9";

/// Length of a cycle in whole microseconds.
fn cycle(params: &mut Params) -> Result<Time, SpecError> {
    const EXPECTED: &str = "seconds from 0.000001 to 1000000, a whole number of microseconds";
    let seconds = params.take("cycle", 1.0_f64, EXPECTED)?;
    let micros = seconds * 1e6;
    let is_whole = (micros - micros.round()).abs() <= 1e-9 * micros;
    if !(1.0..=1e12).contains(&micros.round()) || !is_whole {
        return Err(params.bad_value("cycle", &seconds.to_string(), EXPECTED));
    }
    Ok(Time::from_micros(micros.round() as i64))
}

impl Wormhole {
    /// Returns the first whole cycle that is not before `time`.
    fn cycle_from(&self, time: Time) -> i64 {
        let (micros, cycle) = (time.as_micros(), self.cycle.as_micros());
        micros.div_euclid(cycle) + i64::from(micros.rem_euclid(cycle) > 0)
    }

    fn end(&mut self, id: JobId, at: Time) {
        let (run, order) = self.runs[id as usize];
        self.ends.push(Reverse((at + run, order, id)));
    }

    /// Ends of jobs whose last packet has arrived.
    fn gather(&mut self) {
        for (id, cycle) in self.communication.take_finished() {
            self.end(id, Time::from_micros(cycle.saturating_mul(self.cycle.as_micros())));
        }
    }
}

impl Execution for Wormhole {
    fn start(&mut self, started: Started<'_>) {
        let run = if self.computes { started.job.run } else { Time::ZERO };
        self.runs[started.id as usize] = (run, self.started);
        self.started += 1;
        let now = self.cycle_from(started.now);
        if now > LAST_CYCLE {
            self.end(started.id, Time::MAX);
            return;
        }
        let packets = self.communication.begin(&started, now);
        if packets.is_empty() {
            let idle = if self.computes { Time::ZERO } else { self.cycle };
            self.end(started.id, started.now + idle);
        }
        for packet in packets {
            self.fabric.inject(packet, now);
        }
    }

    /// Goes through the cycles until the first end, or `until`.
    fn next_completion(&mut self, until: Time, stop: &Stop) -> Next {
        loop {
            self.gather();
            let first = self.ends.peek().map(|Reverse((end, ..))| *end);
            let limit = first
                .unwrap_or(until)
                .min(until)
                .as_micros()
                .div_euclid(self.cycle.as_micros())
                .min(LAST_CYCLE);
            while !self.fabric.run(limit, &mut self.communication, CYCLES) {
                if stop.is_thrown() {
                    return Next::Stopped;
                }
            }
            if !self.communication.has_finished() {
                let nobody = if self.communication.is_idle() { Next::Idle } else { Next::Later };
                return first.map_or(nobody, Next::At);
            }
        }
    }

    fn advance(&mut self, until: Time, done: &mut Vec<JobId>) {
        let never = Stop::default();
        while let Some(end) = self.next_completion(until, &never).time().filter(|end| *end <= until) {
            while let Some(&Reverse((at, _, job))) = self.ends.peek().filter(|Reverse((at, ..))| *at <= end) {
                debug_assert!(at <= until);
                self.ends.pop();
                done.push(job);
            }
        }
    }

    fn traffic(&mut self) -> Option<Traffic> {
        let mut traffic = self.communication.traffic.clone();
        traffic.flits = self.fabric.flits();
        Some(traffic)
    }
}
