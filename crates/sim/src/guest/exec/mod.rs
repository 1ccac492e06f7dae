//! Programs as allocators, schedulers and execution models: `exec:COMMAND`.
//!
//! Each replay starts the program and ends it with the replay. The two exchange lines, each a JSON object,
//! over the program's standard input and output. Messages quote the last lines of the program's standard
//! error. `docs/src/own-algorithms.md` describes the protocol.

mod command;
#[cfg(unix)]
mod process;
#[cfg(not(unix))]
#[path = "process_elsewhere.rs"]
mod process;
mod program;
mod roles;

pub(super) use self::command::Command;
pub use self::command::files;
pub(super) use self::roles::{allocator, network, scheduler};
