//! Which replays can run while their jobs are read, in memory that does not grow with the log. This is the one place that
//! says it.

use crate::study::options::Options;
use crate::study::replay_spec::ReplaySpec;
use meshreplay_alloc::allocator::follows_lists;
use meshreplay_base::spec::Spec;
use meshreplay_sim::execution::has_traffic;
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_workload::{Arrivals, Rules};

impl Options {
    /// Returns what needs all jobs at once, in words; `None` if nothing does.
    pub(in crate::study) fn need_all_jobs(&self) -> Option<&'static str> {
        [
            (self.trim.percent.is_some(), "means leave out a share of all jobs"),
            (self.jobs && self.by_shape, "jobs are counted by shape"),
            (self.jobs && self.tidy, "tidy jobs are kept"),
            (self.outages.is_some(), "jobs that have not run leave the results at the end"),
            (self.jobs && self.fragmentation.is_some(), "the course of fragmentation is kept"),
            (self.partitions, "jobs are those of a partition"),
        ]
        .into_iter()
        .find_map(|(needs, why)| needs.then_some(why))
    }
}

/// Returns whether jobs by these rules can only be made from all of them at once: arrivals are drawn for all, and predictors
/// are built from all.
pub(in crate::study) fn rules_need_all_jobs(rules: &Rules) -> bool {
    rules.arrivals != Arrivals::Recorded || rules.prediction().is_some()
}

/// Returns whether these algorithms need all jobs at once. The scheduler and the allocator that follow the log do, and so do
/// networks, which keep numbers of each job, and what comes from outside and is told of all jobs.
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
