//! What was measured of a network.

use hdrhistogram::Histogram;

use crate::job::{JobId, Time};

/// The packets of a whole replay.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// Length of a cycle.
    pub cycle: Time,
    /// Links between neighbours, each of one direction.
    pub links: u64,
    /// Flits that all links carried, and the busiest one did.
    pub flits: (u64, u64),
    /// Packets that arrived.
    pub packets: u64,
    /// Links that they took.
    pub hops: u64,
    /// Cycles from a packet's creation to the arrival of its last flit, to three digits.
    pub latency: Cycles,
    /// Cycles that a packet's header waited for channels behind its processor's.
    pub blocked: Cycles,
    /// By job.
    pub jobs: Vec<JobTraffic>,
}

/// The packets of one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobTraffic {
    /// Packets that arrived.
    pub packets: u64,
    /// Packets that waited for another job's packet at least once.
    pub contended: u64,
    /// Sum of latencies, in cycles.
    pub latency: u64,
    /// Sum of blocking times, in cycles.
    pub blocked: u64,
}

/// A distribution of cycles and their exact sum.
#[derive(Clone, Debug)]
pub struct Cycles {
    histogram: Option<Histogram<u64>>,
    /// Exact sum.
    pub total: u64,
}

impl Default for Cycles {
    fn default() -> Self {
        // Three digits are always accepted; without a histogram only totals would be reported.
        Self { histogram: Histogram::new(3).ok(), total: 0 }
    }
}

impl Cycles {
    fn add(&mut self, cycles: u64) {
        self.total += cycles;
        if let Some(histogram) = &mut self.histogram {
            // The histogram grows as needed, and every u64 has a place in it.
            let _ = histogram.record(cycles);
        }
    }

    /// Returns the smallest value that the share `q` of all does not exceed; 0 of nothing.
    pub fn quantile(&self, q: f64) -> u64 {
        self.histogram.as_ref().map_or(0, |histogram| histogram.value_at_quantile(q))
    }
}

/// A packet that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrived {
    pub(super) hops: u32,
    pub(super) latency: u64,
    pub(super) blocked: u64,
    /// Whether it has waited for another job's packet.
    pub(super) contended: bool,
}

impl Traffic {
    pub(super) fn new(cycle: Time, links: u64, jobs: usize) -> Self {
        Self {
            cycle,
            links,
            flits: (0, 0),
            packets: 0,
            hops: 0,
            latency: Cycles::default(),
            blocked: Cycles::default(),
            jobs: vec![JobTraffic::default(); jobs],
        }
    }

    pub(super) fn add(&mut self, job: JobId, packet: &Arrived) {
        self.packets += 1;
        self.hops += u64::from(packet.hops);
        self.latency.add(packet.latency);
        self.blocked.add(packet.blocked);
        let of_job = &mut self.jobs[job as usize];
        of_job.packets += 1;
        of_job.contended += u64::from(packet.contended);
        of_job.latency += packet.latency;
        of_job.blocked += packet.blocked;
    }
}
