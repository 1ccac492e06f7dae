//! A switch by which one thread stops the work of another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that is shared by all its clones. Once it is thrown it stays so. Long loops look at it from time to time
/// and give up if it is thrown.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Throws the switch.
    pub fn throw(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the switch was thrown. This costs one load from memory.
    pub fn is_thrown(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// All switches are equal, so that two values are not different merely because they hold different switches.
impl PartialEq for Stop {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Stop {}
