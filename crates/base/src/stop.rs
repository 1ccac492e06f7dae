//! A switch by which one thread stops the work of another, and by which a part of a replay says that it
//! cannot go on.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A switch that is shared by all its clones. Once it is thrown it stays so. Long loops look at it from time
/// to time and give up if it is thrown.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    is_thrown: AtomicBool,
    reason: OnceLock<String>,
}

impl Stop {
    /// Throws the switch.
    pub fn throw(&self) {
        self.0.is_thrown.store(true, Ordering::Relaxed);
    }

    /// Throws the switch because a part of the replay cannot go on, such as an allocator from outside that
    /// has died. The replay then fails, and `reason`, a whole message, is what it fails with. If the switch
    /// is thrown already, the first reason stands: what goes wrong while a replay is being stopped is no
    /// failure.
    pub fn fail(&self, reason: String) {
        if !self.is_thrown() {
            // This fails only if another thread fails at the same moment. Then its reason stands.
            let _ = self.0.reason.set(reason);
        }
        self.throw();
    }

    /// Returns the reason that was given to [`Self::fail`]; `None` if the switch is not thrown or was thrown
    /// without one.
    pub fn reason(&self) -> Option<&str> {
        self.0.reason.get().map(String::as_str)
    }

    /// Returns whether the switch was thrown. This costs one load from memory.
    pub fn is_thrown(&self) -> bool {
        self.0.is_thrown.load(Ordering::Relaxed)
    }
}

/// All switches are equal, so that two values are not different merely because they hold different switches.
impl PartialEq for Stop {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Stop {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_stands() {
        let stop = Stop::default();
        assert_eq!((stop.is_thrown(), stop.reason()), (false, None));
        stop.fail("it died".to_owned());
        stop.fail("its pipe is closed".to_owned());
        assert_eq!((stop.is_thrown(), stop.reason()), (true, Some("it died")));
        let stopped = Stop::default();
        stopped.throw();
        stopped.clone().fail("its pipe is closed".to_owned());
        assert_eq!((stopped.is_thrown(), stopped.reason()), (true, None));
    }
}
