//! The reservation of one waiting job.

use crate::job::Time;

/// The reservation of a waiting job: it takes `procs` nodes from `start` on for a time of `length`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation {
    pub(super) procs: u32,
    pub(super) length: Time,
    pub(super) start: Time,
}
