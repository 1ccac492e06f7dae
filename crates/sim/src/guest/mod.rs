//! Guests: allocators, schedulers and execution models from outside this program.
//!
//! A guest is named by a spec, and everything about results treats it like the registered algorithms:
//! placements pass the same checks, and numbers, tables, plots and comparisons show it under its label. There
//! are two kinds:
//!
//! * `exec:./mine --flag` is a program that speaks a line protocol over standard input and output, described
//!   in docs/src/own-algorithms.md.
//! * `guest:NAME` is an object of the caller, such as a Python class or a type of another crate. The caller
//!   puts a factory into [`Guests`] under this name, and passes the table to `study::Axes` or
//!   `study::Replay`.
//!
//! The factory builds an instance for every replay, on the thread of the replay. A failing guest calls
//! [`meshreplay_base::stop::Stop::fail`] of its [`Setup`] with a complete message and then returns an
//! arbitrary value: `None` or no jobs. The message ends this replay; other replays go on.
//!
//! ```
//! use meshreplay_alloc::allocator::{Allocator, Placement, Request, Strategy};
//! use meshreplay_machine::machine::Machine;
//! use meshreplay_sim::guest::Guests;
//!
//! /// Takes the free nodes with the highest numbers.
//! struct Highest;
//!
//! impl Allocator for Highest {
//!     fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
//!         let free: Vec<u32> = machine.free().iter().collect();
//!         Some(Placement::of(free[free.len() - request.procs as usize..].to_vec()))
//!     }
//! }
//!
//! let guests = Guests::default().with_allocator("highest", |_| Ok(Strategy::of(Highest)));
//! assert!(guests.find_allocator(&"guest:highest".parse()?).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a machine has 1 to 2^24 nodes, texts have some bytes for each, and a program's time is at most \
              604,800 s; casts of numbers with fractions clamp"
)]

mod dispatched;
mod exec;
mod own_run_times;
mod setup;
mod table;

pub use self::dispatched::{Dispatched, Dispatcher};
pub use self::exec::files;
pub use self::own_run_times::{OwnRunTimes, RunTime};
pub use self::setup::Setup;
pub use self::setup::check_placement;
pub use self::setup::{JobFacts, JobTable};
pub use self::table::Guests;
pub use self::table::subject;
pub use meshreplay_alloc::allocator::BuildError as GuestError;
