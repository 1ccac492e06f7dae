//! Priority orders: the order in which a pass of [`super::easy`] or [`super::first_fit_queue`] considers
//! waiting jobs.
//!
//! Each order has a value for a job, and smaller values come first. In the table r is the estimate in
//! seconds, n the number of processors, s the submission in seconds and w the time waited in seconds.
//!
//! | order | value | source |
//! | --- | --- | --- |
//! | arrival | s | |
//! | sjf, ljf | r, −r | shortest and longest job first |
//! | smallest, largest | n, −n | |
//! | ssd | r·n | smallest demand |
//! | wfp3 | −(w/r)³·n | W. Tang, Z. Lan, N. Desai, D. Buettner, "Fault-aware, utility-based job scheduling on Blue Gene/P systems", CLUSTER 2009 |
//! | unicef | −w/(log₂ n·r) | W. Tang, N. Desai, D. Buettner, Z. Lan, "Analyzing and adjusting user runtime estimates to improve job scheduling on the Blue Gene/P", IPDPS 2010 |
//! | f1 | log₁₀ r·n + 870·log₁₀ s | D. Carastan-Santos, R. de Camargo, "Obtaining dynamic scheduling policies with simulation and machine learning", SC 2017 |
//! | f2 | √r·n + 25600·log₁₀ s | the same |
//! | f3 | r·n + 6.86·10⁶·log₁₀ s | the same |
//! | f4 | r·√n + 530000·log₁₀ s | the same |
//!
//! Equal values are considered in the order of arrival. From wfp3 on, r and s below 1 s count as 1 s, and
//! log₂ n below 1 counts as 1, since the formulae are not defined there.
//!
//! The queue and its index are kept in the order of arrival, so this order sorts nothing. In wfp3 and unicef
//! the order changes while jobs wait, so the Q waiting jobs are sorted at each pass in which a job fits by
//! count: O(Q·log Q). All others are kept sorted from pass to pass, see [`super::ranked`].

use std::iter;
use std::vec::IntoIter;

use super::ranked::{Cursor, OrderedQueue, Value};
use super::wait_queue::{Admission, Slot, WaitQueue, Waiting};
use meshreplay_base::job::Time;
use meshreplay_base::spec::{Params, SpecError};

/// The name of an order, and its constructor.
type Row = (&'static str, fn() -> Order);

/// The orders with their names, the default first.
const ROWS: [Row; 12] = [
    ("arrival", || Order::Arrival),
    ("sjf", || Order::fixed(|job, _| job.estimate.as_seconds())),
    ("ljf", || Order::fixed(|job, _| -job.estimate.as_seconds())),
    ("smallest", || Order::fixed(|job, _| f64::from(job.procs))),
    ("largest", || Order::fixed(|job, _| -f64::from(job.procs))),
    // In microseconds the products are integers, so equal demands compare as equal.
    ("ssd", || Order::fixed(|job, _| job.estimate.as_micros() as f64 * f64::from(job.procs))),
    ("wfp3", || {
        Order::Aging(|job, now| -(waited_s(job, now) / estimate_s(job)).powi(3) * f64::from(job.procs))
    }),
    ("unicef", || {
        Order::Aging(|job, now| {
            -waited_s(job, now) / (f64::from(job.procs).log2().max(1.0) * estimate_s(job))
        })
    }),
    ("f1", || {
        Order::fixed(|job, _| estimate_s(job).log10() * f64::from(job.procs) + 870.0 * log_submit(job))
    }),
    ("f2", || {
        Order::fixed(|job, _| estimate_s(job).sqrt() * f64::from(job.procs) + 25_600.0 * log_submit(job))
    }),
    ("f3", || Order::fixed(|job, _| estimate_s(job) * f64::from(job.procs) + 6.86e6 * log_submit(job))),
    ("f4", || {
        Order::fixed(|job, _| estimate_s(job) * f64::from(job.procs).sqrt() + 530_000.0 * log_submit(job))
    }),
];

/// Returns the names of the orders, the default first.
pub fn orders() -> [&'static str; ROWS.len()] {
    ROWS.map(|(name, _)| name)
}

/// The order of waiting jobs, with its state between passes.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// By arrival.
    Arrival,
    /// By a value of each job that is constant while it waits, the smallest first.
    Fixed(Box<OrderedQueue>),
    /// By a value of each job at the current time, the smallest first.
    Aging(Value),
}

impl Order {
    /// Creates an order by a value that is constant while a job waits.
    fn fixed(value: Value) -> Self {
        Self::Fixed(Box::new(OrderedQueue::by(value)))
    }

    /// Takes the parameter `order`. Fails for an unknown order.
    pub(super) fn take(params: &mut Params) -> Result<Self, SpecError> {
        Ok(params.choose("order", &ROWS)?())
    }

    /// Returns the jobs of `queue` in this order, as the candidates of one pass.
    ///
    /// If no job needs at most `free` nodes, orders other than arrival return no candidates, which saves the
    /// sort.
    pub(super) fn candidates(&mut self, queue: &WaitQueue, free: u32, now: Time) -> Candidates<'_> {
        if matches!(self, Self::Arrival) {
            return Candidates::Arrival { from: 0 };
        }
        if queue.first(0, &Admission::by_count(free)).is_none() {
            return Candidates::Sorted(Vec::new().into_iter());
        }
        match self {
            Self::Arrival => Candidates::Arrival { from: 0 },
            Self::Fixed(ranked) => {
                ranked.update(queue);
                Candidates::Ranked { ranked: ranked.as_mut(), place: Cursor::default(), from: 0 }
            }
            Self::Aging(value) => {
                let mut sorted: Vec<(f64, Waiting)> =
                    queue.iter().map(|job| (value(&job, now), job)).collect();
                sorted
                    .sort_unstable_by(|(a, job), (b, other)| a.total_cmp(b).then(job.slot.cmp(&other.slot)));
                Candidates::Sorted(sorted.into_iter().map(|(_, job)| job).collect::<Vec<_>>().into_iter())
            }
        }
    }
}

/// Returns the order by estimate, the shortest first. Estimates above 285 years count as equal if they differ
/// by less than two microseconds, because only shorter ones are exact as floats.
pub(super) fn by_estimate() -> OrderedQueue {
    OrderedQueue::by(|job, _| job.estimate.as_micros() as f64)
}

/// Returns the time that a job has waited, in seconds.
fn waited_s(job: &Waiting, now: Time) -> f64 {
    (now - job.submit).as_seconds()
}

/// Returns the estimate in seconds, at least 1.
fn estimate_s(job: &Waiting) -> f64 {
    job.estimate.as_seconds().max(1.0)
}

/// Returns the decimal logarithm of the submission in seconds, at least that of 1 s.
fn log_submit(job: &Waiting) -> f64 {
    job.submit.as_seconds().max(1.0).log10()
}

/// The waiting jobs not yet considered by a pass. During the pass jobs may leave the queue, but none may
/// arrive.
#[derive(Debug)]
pub(super) enum Candidates<'a> {
    /// In the order of arrival, from slot `from` on. The queue's index finds the next one.
    Arrival { from: Slot },
    /// In a fixed order, from `place` on, of the jobs from slot `from` on.
    Ranked { ranked: &'a mut OrderedQueue, place: Cursor, from: Slot },
    /// In the order sorted at the start of the pass.
    Sorted(IntoIter<Waiting>),
}

impl Candidates<'_> {
    /// Returns the next candidate unconditionally, or `None` if there is none.
    pub(super) fn head(&mut self, queue: &WaitQueue) -> Option<Waiting> {
        match self {
            Self::Arrival { from } => {
                let head = queue.head()?;
                *from = head.slot + 1;
                Some(head)
            }
            Self::Ranked { .. } | Self::Sorted(_) => self.next(queue, &Admission::ANY),
        }
    }

    /// Returns the candidates that `admission` admits now, sorted by estimate, equal estimates in their
    /// order. `shortest` is the queue in the order of arrival, sorted by estimate. O(√Q) for the order of
    /// arrival, otherwise O(Q).
    pub(super) fn shortest_first<'a>(
        &mut self,
        shortest: &'a mut OrderedQueue,
        queue: &WaitQueue,
        admission: &Admission,
    ) -> Candidates<'a> {
        if let Self::Arrival { from } = *self {
            shortest.update(queue);
            return Candidates::Ranked { ranked: shortest, place: Cursor::default(), from };
        }
        let mut rest = self.again();
        let mut admitted: Vec<Waiting> = iter::from_fn(|| rest.next(queue, admission)).collect();
        admitted.sort_by_key(|job| job.estimate);
        Candidates::Sorted(admitted.into_iter())
    }

    /// Returns a copy of the candidates, so that `self` is unchanged while the copy is consumed.
    fn again(&mut self) -> Candidates<'_> {
        match self {
            Self::Arrival { from } => Candidates::Arrival { from: *from },
            Self::Ranked { ranked, place, from } => Candidates::Ranked { ranked, place: *place, from: *from },
            Self::Sorted(jobs) => Candidates::Sorted(jobs.clone()),
        }
    }

    /// Returns the next candidate that `admission` admits, or `None` if there is none. Skips the candidates
    /// before it for the rest of the pass.
    pub(super) fn next(&mut self, queue: &WaitQueue, admission: &Admission) -> Option<Waiting> {
        match self {
            Self::Arrival { from } => {
                let job = queue.get(queue.first(*from, admission)?)?;
                *from = job.slot + 1;
                Some(job)
            }
            Self::Ranked { ranked, place, from } => {
                iter::from_fn(|| ranked.next(place, queue, admission)).find(|job| job.slot >= *from)
            }
            Self::Sorted(jobs) => jobs.find(|job| admission.admits(job.nodes, job.estimate)),
        }
    }

    /// Returns the slot of the first candidate that `admission` admits, for [`Self::skip_to`], or `None` if
    /// it admits none. In an order other than arrival: slot 0 if it admits any.
    pub(super) fn first(&mut self, queue: &WaitQueue, admission: &Admission) -> Option<Slot> {
        let admits = match self {
            Self::Arrival { from } => return queue.first(*from, admission),
            Self::Ranked { .. } => self.again().next(queue, admission).is_some(),
            Self::Sorted(jobs) => jobs.as_slice().iter().any(|job| admission.admits(job.nodes, job.estimate)),
        };
        admits.then_some(0)
    }

    /// Skips the candidates before `first`, if later admissions of the pass are not more permissive. Has no
    /// effect in an order other than arrival.
    pub(super) fn skip_to(&mut self, first: Slot) {
        if let Self::Arrival { from } = self {
            *from = first.max(*from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::job::NodesFor;
    use meshreplay_base::spec::Spec;

    fn order(name: &str) -> Result<Order, SpecError> {
        Order::take(&mut Params::new(&Spec::named("easy").with("order", name)))
    }

    /// Returns the order called `name` at `now_s` of jobs given as (submission, processors, estimate).
    fn ranked(name: &str, now_s: i64, jobs: &[(i64, u32, i64)]) -> Result<Vec<u32>, SpecError> {
        let mut queue = WaitQueue::default();
        for (job, &(submit_s, procs, estimate_s)) in (0..).zip(jobs) {
            let (submit, estimate) = (Time::from_seconds(submit_s), Time::from_seconds(estimate_s));
            let nodes = NodesFor::exactly(procs);
            queue.push(Waiting { slot: 0, job, submit, procs, nodes, estimate });
        }
        let mut order = order(name)?;
        let mut candidates = order.candidates(&queue, u32::MAX, Time::from_seconds(now_s));
        Ok(std::iter::from_fn(|| candidates.next(&queue, &Admission::by_count(u32::MAX)))
            .map(|job| job.job)
            .collect())
    }

    #[test]
    fn each_order_ranks_as_worked_out_by_hand() -> Result<(), SpecError> {
        let jobs = [(0, 8, 100), (10, 2, 400), (20, 4, 50), (30, 4, 50), (100, 1, 0)];
        for (name, expected) in [
            ("arrival", [0, 1, 2, 3, 4]),
            ("sjf", [4, 2, 3, 0, 1]),
            ("ljf", [1, 0, 2, 3, 4]),
            ("smallest", [4, 1, 2, 3, 0]),
            ("largest", [0, 2, 3, 1, 4]),
            // Demands 800, 800, 200, 200, 0.
            ("ssd", [4, 2, 3, 0, 1]),
            // At 200 s: 64, 0.214, 186.6, 157.2, 10⁶.
            ("wfp3", [4, 2, 3, 0, 1]),
            // At 200 s: 0.667, 0.475, 1.8, 1.7, 100.
            ("unicef", [4, 2, 3, 0, 1]),
            // For f1: 16, 875.2, 1138.7, 1291.9, 1740. In all four the logarithm of s outweighs the rest.
            ("f1", [0, 1, 2, 3, 4]),
            ("f2", [0, 1, 2, 3, 4]),
            ("f3", [0, 1, 2, 3, 4]),
            ("f4", [0, 1, 2, 3, 4]),
        ] {
            assert_eq!(ranked(name, 200, &jobs)?, expected, "{name}");
        }
        Ok(())
    }

    #[test]
    fn the_functions_weigh_size_against_age() -> Result<(), SpecError> {
        // log₁₀ s is 3 and 3.0086 (1020 s): the differences are 7.48, 220, 59,000 and 4558.
        let jobs = |procs, estimate_s| [(1000, procs, estimate_s), (1020, 1, 1)];
        for (name, below, above) in [
            ("f1", (3, 100), (4, 100)),
            ("f2", (1, 48_000), (1, 49_500)),
            ("f3", (5, 11_790), (5, 11_810)),
            ("f4", (4, 2275), (4, 2285)),
        ] {
            assert_eq!(ranked(name, 2000, &jobs(below.0, below.1))?, [0, 1], "{name}");
            assert_eq!(ranked(name, 2000, &jobs(above.0, above.1))?, [1, 0], "{name}");
        }
        Ok(())
    }

    #[test]
    fn an_unknown_order_names_all_of_them() {
        let message = order("fifo").expect_err("unknown").to_string();
        assert!(message.starts_with("parameter 'order' of 'easy' is 'fifo': expected one of: arrival, sjf"));
        assert!(message.ends_with("f3, f4"), "{message}");
    }
}
