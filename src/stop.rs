//! A switch that stops long work from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch, the same one in all its clones. It is thrown once and stays so; long loops ask it now and then.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Throws the switch.
    pub fn throw(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the switch was thrown. One load from memory.
    pub fn is_thrown(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What carries a switch is the same whichever switch it is.
impl PartialEq for Stop {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Stop {}
