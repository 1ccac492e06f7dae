//! A connected program: numbered questions, and answers parsed from JSON.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::command::Command;
use super::messages::{Hello, Introduction, PROTOCOL, Question};
use super::process::{AskError, Process};
use crate::guest::setup::Setup;
use meshreplay_base::stop::Stop;

/// A running program with the number of its next question.
pub(super) struct Program {
    process: Process,
    /// The program in messages: its role and spec.
    label: String,
    stop: Stop,
    next: u64,
}

impl Program {
    /// Starts a program in a role and exchanges greetings. Fails with a complete message.
    pub(super) fn start(
        command: &Command,
        role: &'static str,
        setup: &Setup<'_>,
    ) -> Result<(Self, Introduction), String> {
        let label = format!("{role} '{}'", setup.label);
        // A placement on all nodes, each with its number and a comma, and as much again for other fields.
        let longest = (1 << 20) + 20 * setup.mesh.nodes() as usize;
        let process = Process::start(command, longest, setup.stop);
        let process = process.map_err(|problem| format!("{label}: {problem}"))?;
        let mut program = Self { process, label, stop: setup.stop.clone(), next: 0 };
        let introduction: Option<Introduction> = program.ask("hello", &Hello::new(role, setup));
        let failed = || setup.stop.reason().unwrap_or("interrupted").to_owned();
        let introduction = introduction.ok_or_else(failed)?;
        if introduction.protocol != PROTOCOL {
            let found = introduction.protocol;
            return Err(format!(
                "{}: it speaks version {found} of the protocol, expected {PROTOCOL}",
                program.label
            ));
        }
        Ok((program, introduction))
    }

    /// Sends a question and returns the answer. `None` if the replay is stopped or the program fails, which
    /// stops the replay. A failed program is not asked again.
    pub(super) fn ask<Q: Serialize, A: DeserializeOwned>(&mut self, message: &str, body: &Q) -> Option<A> {
        if self.stop.is_thrown() {
            return None;
        }
        let id = self.next;
        self.next += 1;
        // Serialization cannot fail: there are no maps with keys other than strings.
        let question = serde_json::to_string(&Question { message, id: Some(id), body }).unwrap_or_default();
        let answered = match self.process.ask(&question) {
            Ok(line) => read(&line, id),
            Err(AskError::Failed(problem)) => {
                self.stop.fail(format!("{}: {problem} (asked to '{message}')", self.label));
                return None;
            }
            Err(AskError::Stopped) => return None,
        };
        match answered {
            Ok(answer) => Some(answer),
            Err(problem) => {
                self.fail(&format!("{problem} (asked to '{message}')"));
                None
            }
        }
    }

    /// Sends a notice, which has no answer.
    pub(super) fn tell<B: Serialize>(&mut self, message: &str, body: &B) {
        let notice = serde_json::to_string(&Question { message, id: None, body }).unwrap_or_default();
        self.process.tell(&notice);
    }

    /// Stops the replay because of an invalid answer.
    pub(super) fn fail(&mut self, problem: &str) {
        let problem = self.process.with_stderr(problem);
        self.stop.fail(format!("{}: {problem}", self.label));
    }
}

/// Parses the answer to question `id`. Fails with a description.
fn read<A: DeserializeOwned>(line: &[u8], id: u64) -> Result<A, String> {
    let shown = || {
        let text = String::from_utf8_lossy(line).replace(char::is_control, " ");
        let start: String = text.chars().take(120).collect();
        if start.len() < text.len() { format!("{start}…") } else { start }
    };
    let expected = "expected one line with a JSON object";
    // A JSON array would be read as the fields in their order.
    if line.trim_ascii_start().first() == Some(&b'[') {
        return Err(format!("it answered '{}', {expected}", shown()));
    }
    let head: Head = serde_json::from_slice(line)
        .map_err(|error| format!("it answered '{}', {expected} ({error})", shown()))?;
    match head.id {
        Some(found) if found == id => {}
        Some(found) if found < id => {
            return Err(format!(
                "it answered question {found} twice: '{}', expected an answer to {id}",
                shown()
            ));
        }
        _ => {
            return Err(format!(
                "it answered '{}', expected \"id\":{id}, the number of the question",
                shown()
            ));
        }
    }
    if let Some(error) = head.error {
        return Err(format!("it says: {error}"));
    }
    serde_json::from_slice(line)
        .map_err(|error| format!("it answered '{}', which is no answer to this question: {error}", shown()))
}

/// The fields of every answer.
#[derive(Deserialize)]
struct Head {
    id: Option<u64>,
    error: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::super::messages::Nodes;
    use super::*;

    #[test]
    fn answers_are_read_and_nonsense_is_shown() {
        let answer = |line: &str| read::<Nodes>(line.as_bytes(), 7).map(|answer| answer.nodes);
        assert_eq!(answer(r#"{"id":7,"nodes":[1,2],"news":{"a":1}}"#), Ok(Some(vec![1, 2])));
        assert_eq!(answer(r#" {"nodes":null,"id":7} "#), Ok(None));
        for (line, words) in [
            ("", "it answered '', expected one line with a JSON object"),
            ("hello", "it answered 'hello', expected one line"),
            ("[7]", "it answered '[7]', expected one line with a JSON object"),
            (r#"{"id":7,"node":[1]}"#, "no answer to this question: missing field `nodes`"),
            (r#"{"nodes":[1]}"#, "expected \"id\":7"),
            (r#"{"id":8,"nodes":[1]}"#, "expected \"id\":7"),
            (r#"{"id":6,"nodes":[1]}"#, "answered question 6 twice"),
            (r#"{"id":7,"error":"no idea"}"#, "it says: no idea"),
            (r#"{"id":7,"nodes":[1,-2]}"#, "no answer to this question: invalid value: integer `-2`"),
            (r#"{"id":7,"nodes":"all"}"#, "no answer to this question"),
        ] {
            let message = answer(line).expect_err("nonsense");
            assert!(message.contains(words), "{line}: {message}");
        }
    }
}
