//! A wormhole-routed network: jobs run as long as their messages take.
//!
//! A job injects its packets into a network that all jobs share. It ends after the arrival of its last packet
//! plus, if run times count, its recorded run time. So dispersal and contention, which the allocator causes,
//! decide the run times. The model is that of the `ProcSimity` simulator as described by S. Bani-Mohammad, M.
//! Ould-Khaoua, I. Ababneh, L. Mackenzie, ICPADS 2006, and R. Zolfaghari, IJEAT 2013. Their gaps are filled
//! by parameters or by the rules here.
//!
//! * The network advances in cycles. A job starts to communicate in the first cycle that begins at its start
//!   or later. A flit takes one cycle per link. A header is routed for `ts` cycles in each node.
//!   [`packet_level`] simulates this by packets; tests compare it with a simulation of every flit.
//! * A job without packets (one processor, or a drawn number of 0) lasts its recorded run time, or one cycle
//!   if recorded run times do not count.
//! * The processes of a job are arranged along the sides of the job, turned as the placement is. Which node
//!   runs which process is decided by `mapping`, by default in a row-major scan of the machine ([`mapping`]).
//! * If a placement has more nodes than processes, the first nodes in this order communicate.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "machines of the network have at most 2^20 nodes, packets 2^16 flits, and a process sends at \
         most 2^30 rounds of 2^20 messages; cycles end 2^18 before the end of 64 bits, and sums of cycles \
         grow by at most 2^20 with each cycle that is simulated"
)]

mod fabric;
#[cfg(test)]
mod flit_level;
mod mapping;
mod open_loop;
mod packet_level;
mod pattern;
mod quota;
#[cfg(test)]
mod tests;
mod topology;
mod traffic;
mod wheel;
mod worms;

pub use open_loop::{Measured, OpenLoop, Windows, patterns};
pub use traffic::{JobTraffic, Traffic};

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use self::fabric::{Fabric, Packet, Processors, Timing};
#[cfg(test)]
use self::flit_level::FlitLevel;
use self::mapping::Mapping;
use self::packet_level::PacketLevel;
use self::pattern::PATTERNS;
use self::quota::{Law, Messages, Plan, Quota};
use self::topology::{Lanes, Rings, TieRule, Topology};
use self::traffic::PacketStats;
use super::{Execution, NetworkEntry, Next, Setup, Started};
use meshreplay_base::job::{JobId, Time};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeId, Submesh};

/// The row of the registry.
pub(super) const ENTRY: NetworkEntry = NetworkEntry {
    name: "wormhole",
    summary: "jobs last as long as their messages take on a wormhole-routed network that all share",
    source: "S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, ICPADS 2006; R. Zolfaghari, IJEAT \
         2013",
    parameters: "pattern=all-to-all (one-to-all, near-neighbour, ring, random, n-body, fft, transpose), \
         messages=5, mapping=nodes (curve, rcb), law=exponential (constant), quota=total (per-processor, \
         rounds), injection=pipelined (blocking), length=8 flits, ts=3 cycles, buffer=flit (packet), cycle=1 \
         s, compute=recorded (none), level=packet; on tori halfway=parity (up, random), vc=balanced \
         (wrapping, dateline)",
    build,
};

/// The execution model.
struct Wormhole {
    /// The length of a cycle.
    cycle: Time,
    /// Whether a job runs for its recorded run time after its last packet.
    computes: bool,
    fabric: Box<dyn Fabric>,
    communication: Communication,
    /// By job: the run time after communication, and the rank among the starts.
    runs: Vec<(Time, u64)>,
    /// Number of jobs that have started.
    started: u64,
    /// Ends of the jobs that have received all packets: time, rank among the starts, job.
    ends: BinaryHeap<Reverse<(Time, u64, JobId)>>,
    /// The message about a job that sends more than fits into memory.
    problem: Option<String>,
}

/// Simulated cycles between two checks of the stop switch, a few milliseconds.
const CYCLES: u32 = 1 << 14;

/// The last simulated cycle. Events are planned up to 2^17 cycles ahead without overflow.
const LAST_CYCLE: i64 = i64::MAX - (1 << 18);

/// The largest number of nodes. Channels of larger machines would take gigabytes.
const MOST_NODES: u32 = 1 << 20;

/// Builds the model. Fails if a parameter is invalid or the machine unsuited.
fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Box<dyn Execution>, SpecError> {
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
    let transport = Transport::take(params, setup.mesh, setup.seed)?;
    let cycle = cycle(params)?;
    let computes = params.choose("compute", &[("recorded", true), ("none", false)])?;
    check_machine(params, setup.mesh)?;
    let mapping = Mapping::take(params, setup.mesh)?;
    let (fabric, links) = transport.build(setup.mesh);
    let traffic = Traffic::new(cycle, links);
    let plan = Plan { pattern, quota, law, messages, seed: setup.seed };
    Ok(Box::new(Wormhole {
        cycle,
        computes,
        fabric,
        communication: Communication::new(setup.mesh, plan, injection, traffic).mapped(mapping),
        runs: vec![(Time::ZERO, 0); setup.jobs],
        started: 0,
        ends: BinaryHeap::new(),
        problem: None,
    }))
}

/// The level of detail of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// One event per hop of a packet.
    Packet,
    /// Every move of every flit, for tests.
    #[cfg(test)]
    Flit,
}

/// The values of parameter `level`.
const LEVELS: &[(&str, Level)] = &[
    ("packet", Level::Packet),
    #[cfg(test)]
    ("flit", Level::Flit),
];

/// The transport of packets: the parameters of a wormhole spec that do not concern the messages.
#[derive(Clone, Copy, Debug)]
struct Transport {
    timing: Timing,
    rings: Rings,
    level: Level,
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
    fn take(params: &mut Params, mesh: &Mesh, seed: u64) -> Result<Self, SpecError> {
        let timing = Timing {
            length: whole(params, "length", 8, 1)?,
            routing: whole(params, "ts", 3, 0)?,
            gathers: params.choose("buffer", &[("flit", false), ("packet", true)])?,
        };
        let level = params.choose("level", LEVELS)?;
        let has_rings = mesh.wraps_any();
        let ties = params.choose_if(has_rings, "halfway", TieRule::NAMES)?;
        let lanes = params.choose_if(has_rings, "vc", Lanes::NAMES)?;
        Ok(Self { timing, rings: Rings { ties, lanes, seed }, level })
    }

    /// Creates the empty network on `mesh`, and returns it with the number of links.
    fn build(&self, mesh: &Mesh) -> (Box<dyn Fabric>, u64) {
        let topology = Topology::new(mesh, self.rings);
        let links = topology.links();
        let fabric: Box<dyn Fabric> = match self.level {
            Level::Packet => Box::new(PacketLevel::new(topology, self.timing)),
            #[cfg(test)]
            Level::Flit => Box::new(FlitLevel::new(topology, self.timing)),
        };
        (fabric, links)
    }
}

/// Fails if the machine is too large, or has switches.
fn check_machine(params: &Params, mesh: &Mesh) -> Result<(), SpecError> {
    let problem = if mesh.nodes() > MOST_NODES {
        format!("it is for machines of at most {MOST_NODES} nodes; 'recorded' serves larger ones")
    } else if mesh.cube().is_some() {
        "its links follow the switches, job by job; 'recorded' serves it".to_owned()
    } else if mesh.levels().is_some() {
        "how many cables join the switches of a tree is not known; 'recorded' serves it".to_owned()
    } else {
        return Ok(());
    };
    Err(SpecError::Unsuited { owner: params.owner().to_owned(), machine: mesh.to_string(), problem })
}

/// Values that parameter `messages` accepts.
const MESSAGES: &str = "a number from 0 to 1e9";

/// Takes parameter `cycle` in whole microseconds. Fails for fractions of a microsecond, or out of range.
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
    /// Returns the first cycle that begins at `time` or later.
    fn cycle_from(&self, time: Time) -> i64 {
        let (micros, cycle) = (time.as_micros(), self.cycle.as_micros());
        micros.div_euclid(cycle) + i64::from(micros.rem_euclid(cycle) > 0)
    }

    /// Plans the end of a job that has communicated until `at`.
    fn end(&mut self, id: JobId, at: Time) {
        let (run, order) = self.runs[id as usize];
        self.ends.push(Reverse((at + run, order, id)));
    }

    /// Plans the ends of the jobs whose last packet has arrived.
    fn collect_ends(&mut self) {
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
        let packets = self.communication.begin(&started, now).unwrap_or_else(|problem| {
            self.problem.get_or_insert(problem);
            Vec::new()
        });
        if packets.is_empty() {
            let idle = if self.computes { Time::ZERO } else { self.cycle };
            self.end(started.id, started.now + idle);
        }
        for packet in packets {
            self.fabric.inject(packet, now);
        }
    }

    /// Simulates up to the first end of a job, or up to `until`.
    fn next_completion(&mut self, until: Time, stop: &Stop) -> Next {
        if let Some(problem) = self.problem.take() {
            stop.fail(problem);
            return Next::Stopped;
        }
        loop {
            self.collect_ends();
            let first = self.ends.peek().map(|Reverse((end, ..))| *end);
            // Stop at the first planned end, because the engine may start jobs there.
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
                let none = if self.communication.is_idle() { Next::Idle } else { Next::Later };
                return first.map_or(none, Next::At);
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

    fn traffic_of(&self, job: JobId) -> Option<JobTraffic> {
        Some(self.communication.by_job.get(job as usize).copied().unwrap_or_default())
    }

    fn traffic(&mut self) -> Option<Traffic> {
        let mut traffic = self.communication.traffic.clone();
        traffic.flits = self.fabric.flits();
        Some(traffic)
    }
}

/// When a process injects its next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Injection {
    /// As soon as the last flit of the packet before has entered the network.
    Pipelined,
    /// After the packet before has arrived.
    Blocking,
}

/// A job with packets to send or in flight.
#[derive(Clone, Debug)]
struct CommunicatingJob {
    /// The job.
    id: JobId,
    /// Rank among the jobs that have started.
    rank: u32,
    /// The nodes of the processes, by rank.
    nodes: Vec<NodeId>,
    /// The messages to send.
    messages: Messages,
    /// Packets that have not arrived.
    left: u64,
    /// The cycle of the start.
    since: i64,
}

/// The communicating jobs.
#[derive(Debug)]
struct Communication {
    mesh: Mesh,
    /// The rule for drawing messages.
    plan: Plan,
    injection: Injection,
    mapping: Mapping,
    /// The jobs by slot. The slots of finished jobs are reused.
    active: Vec<Option<CommunicatingJob>>,
    /// The empty slots.
    unused: Vec<u32>,
    /// Number of jobs that have started to communicate.
    started: u32,
    /// The measurements of the packets that have arrived.
    traffic: Traffic,
    /// The same by job, up to the last job that has sent packets.
    by_job: Vec<JobTraffic>,
    /// Jobs that have finished since the last [`Self::take_finished`], with the cycles of their last
    /// arrivals.
    finished: Vec<(JobId, i64)>,
}

impl Communication {
    /// Creates an empty list of jobs.
    fn new(mesh: &Mesh, plan: Plan, injection: Injection, traffic: Traffic) -> Self {
        Self {
            mesh: mesh.clone(),
            plan,
            injection,
            mapping: Mapping::Nodes,
            active: Vec::new(),
            unused: Vec::new(),
            started: 0,
            traffic,
            by_job: Vec::new(),
            finished: Vec::new(),
        }
    }

    /// Returns the list with another mapping of processes to nodes.
    fn mapped(self, mapping: Mapping) -> Self {
        Self { mapping, ..self }
    }

    /// Starts the communication of a job in cycle `now`. Returns the first packet of each sending process,
    /// none if the job sends nothing. Fails with a message if the job sends too much.
    fn begin(&mut self, started: &Started<'_>, now: i64) -> Result<Vec<Packet>, String> {
        let procs = started.job.procs as usize;
        let box_of = |nodes: &[NodeId]| Submesh::around(&self.mesh, nodes).map(|place| place.sizes);
        // The sides of the bounding submesh, if the placement may fill it. They matter only if they are the
        // sides of the job in another order.
        let placed = (started.nodes.len() == procs).then(|| box_of(started.nodes)).flatten();
        let messages = self.plan.draw(started.job, placed)?;
        let left = messages.packets;
        if left == 0 {
            return Ok(Vec::new());
        }
        self.by_job.resize(self.by_job.len().max(started.id as usize + 1), JobTraffic::default());
        let nodes = self.mapping.nodes(&self.mesh, started.nodes, &messages.processes, self.plan.pattern);
        let senders = messages.senders.len() as u32;
        let job = CommunicatingJob { id: started.id, rank: self.started, nodes, messages, left, since: now };
        self.started += 1;
        let slot = self.unused.pop().unwrap_or_else(|| {
            self.active.push(None);
            self.active.len() as u32 - 1
        });
        self.active[slot as usize] = Some(job);
        Ok((0..senders).filter_map(|sender| self.next(slot, sender, now)).collect())
    }

    /// Returns the next packet of a sender, or `None` after its last packet.
    fn next(&mut self, slot: u32, sender: u32, created: i64) -> Option<Packet> {
        let job = self.active.get_mut(slot as usize)?.as_mut()?;
        let target = job.messages.next(sender)?;
        let (rank, number) = job.messages.last_sent(sender);
        let [source, target] = [rank, target].map(|rank| job.nodes[rank as usize]);
        // Packets are ordered by the start of their job, then by process.
        let key = u64::from(job.rank) << 32 | u64::from(rank);
        Some(Packet { job: slot, sender, key, number, created, source, target })
    }

    /// Returns whether no job has packets to send or under way.
    fn is_idle(&self) -> bool {
        self.unused.len() == self.active.len()
    }

    /// Returns the jobs that have finished, each with the cycle of its last arrival, and removes them.
    fn take_finished(&mut self) -> Vec<(JobId, i64)> {
        std::mem::take(&mut self.finished)
    }
}

impl Processors for Communication {
    fn injected(&mut self, packet: &Packet, _now: i64) -> Option<Packet> {
        if self.injection == Injection::Blocking {
            return None;
        }
        let since = self.active[packet.job as usize].as_ref()?.since;
        self.next(packet.job, packet.sender, since)
    }

    fn arrived(&mut self, packet: &Packet, arrived: &PacketStats, now: i64) -> Option<Packet> {
        let slot = packet.job as usize;
        let job = self.active[slot].as_mut()?;
        self.traffic.add(arrived);
        self.by_job[job.id as usize].add(arrived);
        job.left -= 1;
        if job.left == 0 {
            self.finished.push((job.id, now));
            self.active[slot] = None;
            self.unused.push(packet.job);
            return None;
        }
        match self.injection {
            Injection::Pipelined => None,
            Injection::Blocking => self.next(packet.job, packet.sender, now),
        }
    }

    fn has_finished(&self) -> bool {
        !self.finished.is_empty()
    }
}
