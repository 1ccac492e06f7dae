//! Which replays can run while their jobs are read, in memory that does not grow with the log.

use crate::study::options::Options;
use crate::study::replay_spec::ReplaySpec;
use meshreplay_alloc::allocator::follows_lists;
use meshreplay_base::spec::Spec;
use meshreplay_sim::execution::has_traffic;
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_workload::{Arrivals, Rules};

impl Options {
    /// Returns whether a result needs all jobs at once: means that leave out a share of them, outages, as
    /// jobs that have not run leave the results at the end, partitions, or columns over all rows.
    pub(in crate::study) fn need_all_jobs(&self) -> bool {
        self.trim.percent.is_some()
            || self.outages.is_some()
            || self.partitions
            || self.jobs && (self.by_shape || self.tidy || self.fragmentation.is_some())
    }
}

/// Returns whether jobs by these rules can only be made from all of them at once: arrivals are drawn for all,
/// and predictors are built from all.
pub(in crate::study) fn rules_need_all_jobs(rules: &Rules) -> bool {
    rules.arrivals != Arrivals::Recorded || rules.prediction().is_some()
}

/// Returns whether these algorithms need all jobs at once. The scheduler and the allocator that follow the
/// log do, and so do networks, which keep numbers of each job, and what comes from outside and is told of all
/// jobs.
pub(in crate::study) fn algorithms_need_all_jobs(scheduler: &Spec, allocator: &Spec, network: &Spec) -> bool {
    [scheduler, allocator, network].into_iter().any(Spec::is_guest)
        || scheduler.name == RECORDED
        || follows_lists(allocator)
        || has_traffic(network)
}

impl ReplaySpec {
    /// Returns whether the replay needs all jobs at once.
    pub(in crate::study) fn needs_all_jobs(&self) -> bool {
        let Self { rules, scheduler, allocator, network, partition, .. } = self;
        partition.is_some()
            || rules_need_all_jobs(rules)
            || algorithms_need_all_jobs(scheduler, allocator, network)
    }
}
