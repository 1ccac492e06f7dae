//! Programs as guests where there are no Unix pipes: they are refused.

use super::command::Command;
use meshreplay_base::stop::Stop;

/// A program that cannot be started here.
pub(super) struct Process(std::convert::Infallible);

/// The reason why a program did not answer; the same as where there are programs.
pub(super) enum Unanswered {
    /// The replay was stopped.
    Stopped,
    /// The program has failed, in words.
    Failed(String),
}

impl Process {
    /// Fails: programs as guests need Unix.
    pub(super) fn start(_: &Command, _: usize, _: &Stop) -> Result<Self, String> {
        Err("programs as allocators, schedulers and networks need a Unix system".to_owned())
    }

    /// Never called, as there is no program.
    pub(super) fn tell(&mut self, _: &str) {
        match self.0 {}
    }

    /// Never called, as there is no program.
    pub(super) fn ask(&mut self, _: &str) -> Result<Vec<u8>, Unanswered> {
        match self.0 {}
    }

    /// Never called, as there is no program.
    pub(super) fn with_said(&mut self, _: &str) -> String {
        match self.0 {}
    }
}
