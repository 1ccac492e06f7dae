//! The traffic of a network as numbers.

use crate::execution::Traffic;

/// Numbers of one replay's packets; all 0 if there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrafficSummary {
    /// Packets that arrived.
    pub packets: u64,
    /// Mean number of links that they took.
    pub hops_mean: f64,
    /// Mean of the cycles from a packet's creation to the arrival of its last flit, its processor's queue included.
    pub latency_mean: f64,
    /// Median, to three digits.
    pub latency_p50: u64,
    /// 99th percentile, to three digits.
    pub latency_p99: u64,
    /// Mean of the cycles that a packet's header waited for channels in the network.
    pub blocked_mean: f64,
    /// 99th percentile, to three digits.
    pub blocked_p99: u64,
    /// Share of packets that waited for another job's packet.
    pub contended_share: f64,
    /// Flits by links and cycles from the first arrival of a job to the last end, 0 to 1; on a torus at the packet level,
    /// where both channels of a link move a flit per cycle, up to 2.
    pub link_utilization: f64,
    /// The same of the busiest link.
    pub link_utilization_max: f64,
}

impl TrafficSummary {
    /// Sums up the traffic of a replay of this makespan. O(jobs).
    pub fn of(traffic: &Traffic, makespan_s: f64) -> Self {
        let per_packet = |total: u64| share(total as f64, traffic.packets as f64);
        let cycles = makespan_s / traffic.cycle.as_seconds();
        let (all, most) = traffic.flits;
        Self {
            packets: traffic.packets,
            hops_mean: per_packet(traffic.hops),
            latency_mean: per_packet(traffic.latency.total),
            latency_p50: traffic.latency.quantile(0.5),
            latency_p99: traffic.latency.quantile(0.99),
            blocked_mean: per_packet(traffic.blocked.total),
            blocked_p99: traffic.blocked.quantile(0.99),
            contended_share: per_packet(traffic.jobs.iter().map(|job| job.contended).sum()),
            link_utilization: share(all as f64, cycles * traffic.links as f64),
            link_utilization_max: share(most as f64, cycles),
        }
    }
}

/// 0 of nothing.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
