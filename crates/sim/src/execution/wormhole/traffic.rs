//! Measurements of a network: packets, hops, latencies and blocking times.

use hdrhistogram::Histogram;

use meshreplay_base::job::Time;

/// The measurements of a whole replay.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// The length of a cycle.
    pub cycle: Time,
    /// Links between neighbours, each in one direction.
    pub links: u64,
    /// Flits carried by all links, and by the busiest link.
    pub flits: (u64, u64),
    /// Packets that have arrived.
    pub packets: u64,
    /// Hops of these packets, in total.
    pub hops: u64,
    /// Latencies of the packets: cycles from the creation of a packet to the arrival of its last flit.
    pub latency: Cycles,
    /// Blocking times of the packets: cycles of a header waiting for channels after the channel of its
    /// own processor.
    pub blocked: Cycles,
    /// Packets that waited at least once for a packet of another job.
    pub contended: u64,
}

/// The measurements of one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobTraffic {
    /// Packets of the job that have arrived.
    pub packets: u64,
    /// Packets that waited at least once for a packet of another job.
    pub contended: u64,
    /// Sum of the latencies in cycles.
    pub latency: u64,
    /// Sum of the blocking times in cycles.
    pub blocked: u64,
}

/// A distribution of numbers of cycles.
#[derive(Clone, Debug)]
pub struct Cycles {
    /// The distribution to three significant digits.
    histogram: Option<Histogram<u64>>,
    /// The exact sum.
    pub total: u64,
}

impl Default for Cycles {
    fn default() -> Self {
        // Three digits are always accepted; without a histogram only totals would be reported.
        Self { histogram: Histogram::new(3).ok(), total: 0 }
    }
}

impl Cycles {
    /// Adds a number of cycles.
    pub(super) fn add(&mut self, cycles: u64) {
        self.total += cycles;
        if let Some(histogram) = &mut self.histogram {
            // The histogram grows as needed, and accepts every u64.
            let _ = histogram.record(cycles);
        }
    }

    /// Returns the quantile `q`, from 0 to 1, to three significant digits; 0 if the distribution is empty.
    pub fn quantile(&self, q: f64) -> u64 {
        self.histogram.as_ref().map_or(0, |histogram| histogram.value_at_quantile(q))
    }
}

/// The measurements of a packet that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PacketStats {
    /// Links crossed.
    pub(super) hops: u32,
    /// Latency in cycles.
    pub(super) latency: u64,
    /// Blocking time in cycles.
    pub(super) blocked: u64,
    /// Whether the packet has waited for a packet of another job.
    pub(super) contended: bool,
}

impl Traffic {
    /// Returns measurements without any packet.
    pub(super) fn new(cycle: Time, links: u64) -> Self {
        Self {
            cycle,
            links,
            flits: (0, 0),
            packets: 0,
            hops: 0,
            latency: Cycles::default(),
            blocked: Cycles::default(),
            contended: 0,
        }
    }

    /// Adds the measurements of a packet.
    pub(super) fn add(&mut self, packet: &PacketStats) {
        self.packets += 1;
        self.hops += u64::from(packet.hops);
        self.contended += u64::from(packet.contended);
        self.latency.add(packet.latency);
        self.blocked.add(packet.blocked);
    }
}

impl JobTraffic {
    /// Adds the measurements of a packet of the job.
    pub(super) fn add(&mut self, packet: &PacketStats) {
        self.packets += 1;
        self.contended += u64::from(packet.contended);
        self.latency += packet.latency;
        self.blocked += packet.blocked;
    }
}
