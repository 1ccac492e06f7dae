//! Guest programs on systems without Unix pipes: refused.

use super::command::Command;
use meshreplay_base::stop::Stop;

/// A program that cannot be started.
pub(super) struct Process(std::convert::Infallible);

/// The reason for a missing answer, as on Unix.
#[expect(dead_code, reason = "no program can be started")]
pub(super) enum AskError {
    /// The replay is stopped.
    Stopped,
    /// The program has failed, with a description.
    Failed(String),
}

impl Process {
    /// Fails: guest programs require Unix.
    pub(super) fn start(_: &Command, _: usize, _: &Stop) -> Result<Self, String> {
        Err("programs as allocators, schedulers and networks need a Unix system".to_owned())
    }

    /// Never called, because no program can be started.
    pub(super) fn tell(&mut self, _: &str) {
        match self.0 {}
    }

    /// Never called, because no program can be started.
    pub(super) fn ask(&mut self, _: &str) -> Result<Vec<u8>, AskError> {
        match self.0 {}
    }

    /// Never called, because no program can be started.
    pub(super) fn with_stderr(&mut self, _: &str) -> String {
        match self.0 {}
    }
}
