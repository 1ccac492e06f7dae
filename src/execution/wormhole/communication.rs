//! The jobs that communicate: what each still has to send, and when it is done.

use super::quota::{Messages, Plan};
use super::traffic::{Arrived, Traffic};
use super::worms::Packet;
use crate::execution::Started;
use crate::job::JobId;
use crate::machine::{Cuboid, Mesh, NodeId};

/// When a process hands its next packet to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Injection {
    /// As soon as the last flit of the one before has entered.
    Pipelined,
    /// When the one before has arrived.
    Blocking,
}

/// A job with packets to send or under way.
#[derive(Clone, Debug)]
struct Talk {
    id: JobId,
    /// Order among the jobs that have started.
    rank: u32,
    /// Nodes of its processes, in a row-major scan of the machine.
    nodes: Vec<NodeId>,
    messages: Messages,
    /// Packets that have not arrived.
    left: u64,
    since: i64,
}

/// All jobs that communicate.
#[derive(Debug)]
pub(super) struct Communication {
    mesh: Mesh,
    plan: Plan,
    injection: Injection,
    talks: Vec<Option<Talk>>,
    unused: Vec<u32>,
    started: u32,
    pub(super) traffic: Traffic,
    /// Jobs whose last packet has arrived, and in which cycle, that nobody has asked for yet.
    finished: Vec<(JobId, i64)>,
}

impl Communication {
    pub(super) fn new(mesh: &Mesh, plan: Plan, injection: Injection, traffic: Traffic) -> Self {
        Self {
            mesh: mesh.clone(),
            plan,
            injection,
            talks: Vec::new(),
            unused: Vec::new(),
            started: 0,
            traffic,
            finished: Vec::new(),
        }
    }

    /// Lets a job begin to communicate in cycle `now`, and returns the first packet of each process that sends. Empty
    /// if the job sends nothing.
    pub(super) fn begin(&mut self, started: &Started<'_>, now: i64) -> Vec<Packet> {
        let procs = started.job.procs as usize;
        let box_of = |nodes: &[NodeId]| Cuboid::around(&self.mesh, nodes).map(|place| place.sizes);
        let placed = (started.nodes.len() == procs).then(|| box_of(started.nodes)).flatten();
        let messages = self.plan.draw(started.job, placed);
        let left = messages.packets;
        if left == 0 {
            return Vec::new();
        }
        let mut nodes = started.nodes.to_vec();
        nodes.sort_unstable();
        let senders = messages.senders.len() as u32;
        let talk = Talk { id: started.id, rank: self.started, nodes, messages, left, since: now };
        self.started += 1;
        let slot = self.unused.pop().unwrap_or_else(|| {
            self.talks.push(None);
            self.talks.len() as u32 - 1
        });
        self.talks[slot as usize] = Some(talk);
        (0..senders).filter_map(|sender| self.next(slot, sender, now)).collect()
    }

    /// Returns the next packet of a sender; `None` once it has sent all.
    fn next(&mut self, slot: u32, sender: u32, created: i64) -> Option<Packet> {
        let talk = self.talks.get_mut(slot as usize)?.as_mut()?;
        let target = talk.messages.next(sender)?;
        let rank = talk.messages.senders[sender as usize].rank;
        let [source, target] = [rank, target].map(|rank| talk.nodes[rank as usize]);
        let key = u64::from(talk.rank) << 32 | u64::from(rank);
        Some(Packet { job: slot, sender, key, created, source, target })
    }

    /// Is told that the last flit of `packet` has left its processor's channel, and returns the packet that enters
    /// next; `None` if the sender has to wait or has sent all.
    pub(super) fn injected(&mut self, packet: &Packet) -> Option<Packet> {
        if self.injection == Injection::Blocking {
            return None;
        }
        let since = self.talks[packet.job as usize].as_ref()?.since;
        self.next(packet.job, packet.sender, since)
    }

    /// Is told that `packet` has arrived, and returns the packet that waited for it; `None` if none did.
    pub(super) fn arrived(&mut self, packet: &Packet, arrived: &Arrived, now: i64) -> Option<Packet> {
        let slot = packet.job as usize;
        let talk = self.talks[slot].as_mut()?;
        self.traffic.add(talk.id, arrived);
        talk.left -= 1;
        if talk.left == 0 {
            self.finished.push((talk.id, now));
            self.talks[slot] = None;
            self.unused.push(packet.job);
            return None;
        }
        match self.injection {
            Injection::Pipelined => None,
            Injection::Blocking => self.next(packet.job, packet.sender, now),
        }
    }

    /// Returns whether a job has finished since the last call of [`Self::take_finished`].
    pub(super) fn has_finished(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Returns whether no job has packets on their way.
    pub(super) fn is_idle(&self) -> bool {
        self.unused.len() == self.talks.len()
    }

    /// Returns the jobs that have finished, each with its cycle.
    pub(super) fn take_finished(&mut self) -> Vec<(JobId, i64)> {
        std::mem::take(&mut self.finished)
    }
}
