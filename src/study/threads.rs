//! Running cells: what the threads that replay and the one that waits for them share, and the loop of both.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rayon::ThreadPool;

use crate::metrics::Monitor;

/// How far a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not begun.
    Waiting,
    /// It is being replayed.
    Running,
    /// It has ended, well or not.
    Ended,
}

/// One monitor per cell, how far each is, and the switch that stops them all.
#[derive(Debug)]
pub struct Running {
    monitors: Vec<Monitor>,
    states: Vec<AtomicU8>,
    stopped: AtomicBool,
}

impl Running {
    /// For `cells` cells, none of which has begun.
    pub fn new(cells: usize) -> Self {
        Self {
            monitors: (0..cells).map(|_| Monitor::default()).collect(),
            states: (0..cells).map(|_| AtomicU8::new(State::Waiting as u8)).collect(),
            stopped: AtomicBool::new(false),
        }
    }

    /// The monitor of a cell.
    pub fn monitor(&self, cell: usize) -> &Monitor {
        &self.monitors[cell]
    }

    fn begin(&self, cell: usize) {
        self.states[cell].store(State::Running as u8, Ordering::Relaxed);
    }

    fn end(&self, cell: usize) {
        self.states[cell].store(State::Ended as u8, Ordering::Relaxed);
    }

    /// How far a cell is.
    pub fn state(&self, cell: usize) -> State {
        match self.states[cell].load(Ordering::Relaxed) {
            0 => State::Waiting,
            1 => State::Running,
            _ => State::Ended,
        }
    }

    /// Stops the cells that run, and those that would.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.monitors.iter().for_each(|monitor| monitor.stop.throw());
    }

    /// Whether they were stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// What happens to cells while they run, told to the thread that waits for them.
#[derive(Debug)]
pub(super) enum Event<T> {
    /// A cell has ended; or it has panicked, with this message.
    Ended(usize, Result<T, String>),
    /// Nothing, for a tenth of a second.
    Tick,
}

/// Does `work` for each of `cells` on the threads of `pool`, begun in their order, and tells `on_event` as they end, in
/// whatever order that is. A panic ends only its own cell.
pub(super) fn run_all<T: Send>(
    pool: &ThreadPool,
    running: &Running,
    cells: impl IntoIterator<Item = usize>,
    work: &(dyn Fn(usize) -> T + Sync),
    on_event: &mut dyn FnMut(Event<T>),
) {
    let (sender, receiver) = mpsc::channel();
    let cells: Vec<usize> = cells.into_iter().collect();
    let next = AtomicUsize::new(0);
    // One task per thread, not one per cell: a thread that waits, as for Parquet's own threads, begins any task that it
    // finds, and would replay the rest of the study before it keeps what it has.
    let drain = |sender: mpsc::Sender<_>| {
        while let Some(&cell) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
            running.begin(cell);
            let result = catch_unwind(AssertUnwindSafe(|| work(cell)));
            running.end(cell);
            // Without a receiver nobody waits for this result any more.
            let _ = sender.send((cell, result.map_err(|panic| message(panic.as_ref()))));
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 0..pool.current_num_threads() {
            let (sender, drain) = (sender.clone(), &drain);
            scope.spawn(move |_| drain(sender));
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok((cell, result)) => on_event(Event::Ended(cell, result)),
                Err(RecvTimeoutError::Timeout) => on_event(Event::Tick),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_else(|| "for an unknown reason".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_only_its_own_cell() -> Result<(), rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
        let mut ended = Vec::new();
        let work = |cell: usize| {
            assert!(cell != 3, "cell {cell} is odd");
            cell * 10
        };
        run_all(&pool, &Running::new(6), 0..6, &work, &mut |event| {
            if let Event::Ended(cell, result) = event {
                ended.push((cell, result));
            }
        });
        ended.sort_by_key(|(cell, _)| *cell);
        let expected =
            |cell| if cell == 3 { Err("panicked: cell 3 is odd".to_owned()) } else { Ok(cell * 10) };
        assert_eq!(ended, (0..6).map(|cell| (cell, expected(cell))).collect::<Vec<_>>());
        Ok(())
    }
}
