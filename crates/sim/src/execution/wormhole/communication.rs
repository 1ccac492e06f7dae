//! The communicating jobs: their remaining packets, and the arrival of each job's last packet.

use super::fabric::{Packet, Processors};
use super::quota::{Messages, Plan};
use super::traffic::{JobTraffic, PacketStats, Traffic};
use crate::execution::Started;
use meshreplay_base::job::JobId;
use meshreplay_machine::machine::{Mesh, NodeId, Submesh};

/// When a process injects its next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Injection {
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
    /// The nodes of the processes, in a row-major scan of the machine.
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
pub(super) struct Communication {
    mesh: Mesh,
    /// The rule for drawing messages.
    plan: Plan,
    injection: Injection,
    /// The jobs by slot. The slots of finished jobs are reused.
    active: Vec<Option<CommunicatingJob>>,
    /// The empty slots.
    unused: Vec<u32>,
    /// Number of jobs that have started to communicate.
    started: u32,
    /// The measurements of the packets that have arrived.
    pub(super) traffic: Traffic,
    /// The same by job, up to the last job that has sent packets.
    pub(super) by_job: Vec<JobTraffic>,
    /// Jobs that have finished since the last [`Self::take_finished`], with the cycles of their last
    /// arrivals.
    finished: Vec<(JobId, i64)>,
}

impl Communication {
    /// Creates an empty list of jobs.
    pub(super) fn new(mesh: &Mesh, plan: Plan, injection: Injection, traffic: Traffic) -> Self {
        Self {
            mesh: mesh.clone(),
            plan,
            injection,
            active: Vec::new(),
            unused: Vec::new(),
            started: 0,
            traffic,
            by_job: Vec::new(),
            finished: Vec::new(),
        }
    }

    /// Starts the communication of a job in cycle `now`. Returns the first packet of each sending process,
    /// none if the job sends nothing. Fails with a message if the job sends too much.
    pub(super) fn begin(&mut self, started: &Started<'_>, now: i64) -> Result<Vec<Packet>, String> {
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
        let mut nodes = started.nodes.to_vec();
        // Node numbers ascend in a row-major scan of the machine.
        nodes.sort_unstable();
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
    pub(super) fn is_idle(&self) -> bool {
        self.unused.len() == self.active.len()
    }

    /// Returns the jobs that have finished, each with the cycle of its last arrival, and removes them.
    pub(super) fn take_finished(&mut self) -> Vec<(JobId, i64)> {
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
