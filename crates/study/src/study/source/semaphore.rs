//! Permits to work: of the replays of a sweep that have begun, only as many work at a time as there are permits.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A number of permits, which those who ask for them get in the order in which they have asked (a counting semaphore).
pub(in crate::study) struct Semaphore {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The number of permits that nobody holds.
    free: usize,
    /// The numbers of those who wait, the longest first, and the next number.
    queue: VecDeque<u64>,
    next: u64,
}

impl Semaphore {
    /// Makes so many permits, at least one.
    pub(in crate::study) fn new(count: usize) -> Self {
        let state = State { free: count.max(1), queue: VecDeque::new(), next: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns a place in the queue, which becomes a permit by [`SemaphorePermit::take`].
    pub(in crate::study) fn queue(&self) -> SemaphorePermit<'_> {
        let at = Cell::new(Place::Nowhere);
        let permit = SemaphorePermit { semaphore: self, at };
        permit.queue();
        permit
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing can panic in the middle of a change of the state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where somebody stands who wants a permit.
#[derive(Clone, Copy)]
enum Place {
    /// Neither in the queue nor with a permit.
    Nowhere,
    /// In the queue, with this number.
    Queued(u64),
    /// With a permit.
    Working,
}

/// A place in the queue for a permit, or a permit. It is given back when it is dropped.
pub(in crate::study) struct SemaphorePermit<'a> {
    semaphore: &'a Semaphore,
    at: Cell<Place>,
}

impl SemaphorePermit<'_> {
    /// Takes a place at the end of the queue.
    fn queue(&self) {
        let mut state = self.semaphore.state();
        let number = state.next;
        // 64 bits hold as many places as anybody can take.
        state.next = number.wrapping_add(1);
        state.queue.push_back(number);
        self.at.set(Place::Queued(number));
    }

    /// Waits until all who stand before it in the queue have got a permit and one is free, and takes that. Nothing happens
    /// if it stands in no queue.
    pub(in crate::study) fn take(&self) {
        let Place::Queued(number) = self.at.get() else { return };
        let is_waiting = |state: &mut State| state.free == 0 || state.queue.front() != Some(&number);
        let permits = self.semaphore;
        let waited = permits.changed.wait_while(permits.state(), is_waiting);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        state.queue.pop_front();
        state.free = state.free.saturating_sub(1);
        self.at.set(Place::Working);
        drop(state);
        // The next one may find a further permit.
        permits.changed.notify_all();
    }

    /// Gives the permit back, or leaves the queue.
    fn leave(&self) {
        let mut state = self.semaphore.state();
        match self.at.replace(Place::Nowhere) {
            Place::Nowhere => return,
            Place::Queued(number) => state.queue.retain(|&other| other != number),
            Place::Working => state.free = state.free.saturating_add(1),
        }
        drop(state);
        self.semaphore.changed.notify_all();
    }

    /// Calls `wait` without the permit, and then takes one again. Returns what `wait` has returned.
    pub(in crate::study) fn release_while<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.leave();
        let found = wait();
        self.queue();
        self.take();
        found
    }
}

impl Drop for SemaphorePermit<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// Never do more work than there are permits, and everybody gets one as often as it asks.
    #[test]
    fn no_more_work_than_there_are_permits() {
        for count in 1..4 {
            let (permits, working, most) = (Semaphore::new(count), AtomicUsize::new(0), AtomicUsize::new(0));
            let work = || {
                most.fetch_max(working.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::sleep(Duration::from_micros(50));
                working.fetch_sub(1, Ordering::SeqCst);
            };
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        let permit = permits.queue();
                        permit.take();
                        for _ in 0..50 {
                            work();
                            permit.release_while(thread::yield_now);
                        }
                        work();
                    });
                }
            });
            assert_eq!(most.into_inner(), count);
            assert_eq!(permits.state().free, count);
            assert!(permits.state().queue.is_empty());
        }
    }

    /// Permits come in the order of the places that were taken, whichever thread asks first, and a place that was left is
    /// waited for by nobody.
    #[test]
    fn permits_come_in_the_order_of_the_queue() {
        let permits = &Semaphore::new(1);
        let (to_test, order) = channel();
        thread::scope(|scope| {
            let first = permits.queue();
            first.take();
            let [second, left, third] = [(); 3].map(|()| permits.queue());
            for (name, permit) in [("third", third), ("second", second)] {
                let to_test = to_test.clone();
                scope.spawn(move || {
                    permit.take();
                    // Sending fails only if the test has failed.
                    let _ = to_test.send(name);
                });
                thread::sleep(Duration::from_millis(10));
            }
            drop(left);
            assert!(order.try_recv().is_err());
            drop(first);
        });
        assert_eq!(order.try_iter().collect::<Vec<_>>(), ["second", "third"]);
    }
}
