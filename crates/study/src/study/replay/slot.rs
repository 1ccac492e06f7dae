//! Per-replay state in a sweep.

use std::cell::Cell;
use std::sync::mpsc::Receiver;

use super::TakeRows;
use crate::study::source::{Batch, SemaphorePermit};

/// Connects a replay with the sweep that runs it. The default is a replay on its own.
#[derive(Default)]
pub(in crate::study) struct ReplaySlot<'a> {
    /// Takes the rows of streamed jobs. Without it, all jobs are kept in memory if the options ask for them.
    pub(in crate::study) rows: Option<TakeRows<'a>>,
    /// The permit to work; `None` if any number of replays may work.
    pub(in crate::study) permit: Option<SemaphorePermit<'a>>,
    /// The jobs of the log for the first replication, which a team shares; `None` if the replay reads the log on its own. Drop
    /// the receiver if unused; otherwise the reader blocks.
    pub(in crate::study) batches: Cell<Option<Receiver<Batch>>>,
}
