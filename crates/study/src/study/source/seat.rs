//! What a replay has among others that run at the same time.

use std::cell::Cell;
use std::sync::mpsc::Receiver;

use super::permits::Permit;
use super::stream::Batch;

/// The place of a replay among others: its permit to work, and the jobs that it is given.
pub(in crate::study) struct Seat<'a> {
    /// The permit.
    pub(in crate::study) permit: Permit<'a>,
    batches: Cell<Option<Receiver<Batch>>>,
}

impl<'a> Seat<'a> {
    /// Returns the place of a replay with this permit. The jobs of its log come through `batches`, once; without that, it reads
    /// the log on its own.
    pub(in crate::study) fn new(permit: Permit<'a>, batches: Option<Receiver<Batch>>) -> Self {
        Self { permit, batches: Cell::new(batches) }
    }

    /// Returns where the jobs come from; `None` if it has been asked before, or if the replay reads on its own. Who does not
    /// want them must drop it, as the reading thread waits for everyone else.
    pub(in crate::study) fn batches(&self) -> Option<Receiver<Batch>> {
        self.batches.take()
    }
}
