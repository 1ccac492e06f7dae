//! A cancellation switch, which stops a replay from another thread, or from a part of the replay that has
//! failed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A switch that all clones share. Once thrown it stays thrown. Long loops check it from time to time and
/// give up.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    is_thrown: AtomicBool,
    reason: OnceLock<String>,
    /// Whether the reason names the instant that it is about.
    is_dated: AtomicBool,
}

impl Stop {
    /// Throws the switch.
    pub fn throw(&self) {
        self.0.is_thrown.store(true, Ordering::Relaxed);
    }

    /// Throws the switch because a part of the replay has failed, such as a guest allocator that died. The
    /// replay then fails with `reason`, a whole message. If the switch is thrown already, the first reason
    /// stays: failures while a replay is being stopped do not count.
    pub fn fail(&self, reason: String) {
        if !self.is_thrown() {
            // This fails only if another thread fails at the same moment. Its reason then counts.
            let _ = self.0.reason.set(reason);
        }
        self.throw();
    }

    /// As [`Self::fail`], with a reason that names its own instant, which may be an earlier one.
    pub fn fail_dated(&self, reason: String) {
        if !self.is_thrown() {
            self.0.is_dated.store(true, Ordering::Relaxed);
        }
        self.fail(reason);
    }

    /// Returns whether the reason of the failure names its own instant.
    pub fn is_dated(&self) -> bool {
        self.0.is_dated.load(Ordering::Relaxed)
    }

    /// Returns the reason of [`Self::fail`]; `None` without one.
    pub fn reason(&self) -> Option<&str> {
        self.0.reason.get().map(String::as_str)
    }

    /// Returns whether the switch was thrown. Costs one load.
    pub fn is_thrown(&self) -> bool {
        self.0.is_thrown.load(Ordering::Relaxed)
    }
}

/// All switches are equal, so that values do not differ by their switches.
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
