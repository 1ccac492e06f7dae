//! Programs that serve as allocators, schedulers and execution models: `exec:COMMAND`.
//!
//! Each replay starts the program once and ends it when the replay ends. The two exchange lines, each a JSON
//! object, over the program's standard input and output; the program prints what it likes to standard error,
//! of which the last lines stand in messages. `docs/src/own-algorithms.md` describes the protocol.

mod command;
mod messages;
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
