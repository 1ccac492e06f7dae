//! A connected program: numbered questions, and answers parsed from JSON.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::command::Command;
use super::process::{AskError, Process};
use crate::guest::setup::Setup;
use meshreplay_base::job::{JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Levels, Machine, NodeId};

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

// The JSON messages of the protocol, version 1, described in `docs/src/own-algorithms.md`. Fields may be
// added; both sides ignore unknown fields.

/// The supported version of the protocol.
const PROTOCOL: u32 = 1;

/// A message to the program: a question with a number, or a notice without.
#[derive(Serialize)]
struct Question<'a, B> {
    pub(super) message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<u64>,
    #[serde(flatten)]
    pub(super) body: &'a B,
}

/// The first question: the role of the program, and the machine.
#[derive(Serialize)]
struct Hello<'a> {
    protocol: u32,
    role: &'a str,
    machine: Shape,
    jobs: usize,
    seed: u64,
}

/// A machine.
#[derive(Serialize)]
struct Shape {
    text: String,
    extents: Vec<u32>,
    wraps: Vec<bool>,
    /// The children of a group per level of a tree of switches, the top first.
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<Vec<u32>>,
    nodes: u32,
    unavailable: Vec<NodeId>,
}

impl<'a> Hello<'a> {
    /// Creates the greeting to a program in the role of an allocator, a scheduler or a network.
    pub(super) fn new(role: &'a str, setup: &Setup<'_>) -> Self {
        let mesh = setup.mesh;
        let machine = Shape {
            text: mesh.to_string(),
            extents: mesh.extents()[..mesh.dims()].to_vec(),
            wraps: mesh.wrap()[..mesh.dims()].to_vec(),
            levels: mesh.levels().map(Levels::fans),
            nodes: mesh.nodes(),
            unavailable: mesh.unavailable().iter().flat_map(|&(first, last)| first..=last).collect(),
        };
        Self { protocol: PROTOCOL, role, machine, jobs: setup.jobs.len(), seed: setup.seed }
    }
}

/// The answer to the greeting.
#[derive(Deserialize)]
pub(super) struct Introduction {
    /// The version of the protocol that the program implements.
    pub(super) protocol: u32,
    /// When the program serves a request, see [`ServicePromise`].
    #[serde(default)]
    pub(super) served: ServicePromise,
    /// Whether `propose` includes the free nodes.
    #[serde(default = "yes")]
    pub(super) free: bool,
    /// Whether the program gets notices: `taken` and `released`, or `ended`.
    #[serde(default)]
    pub(super) notices: bool,
}

fn yes() -> bool {
    true
}

/// The promise of an allocator program: when it serves a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ServicePromise {
    /// Whenever as many nodes are free as the job has processors.
    Count,
    /// Whenever a submesh with the sides of the request, not turned, is free.
    Submesh,
    /// At its own discretion.
    #[default]
    State,
}

/// A request for nodes.
#[derive(Serialize)]
pub(super) struct Propose {
    pub(super) procs: u32,
    /// The sides of the requested submesh, or `None` if the job has none on this machine.
    pub(super) sides: Option<Vec<u32>>,
    /// A digit for each node, 1 for free. `None` if the program does not want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) free: Option<String>,
    /// The requesting job. Without one these fields are left out.
    #[serde(flatten)]
    pub(super) requester: Option<RequestingJob>,
}

/// A requesting job.
#[derive(Serialize)]
pub(super) struct RequestingJob {
    pub(super) job: JobId,
    pub(super) number: i64,
    pub(super) user: Option<i64>,
    pub(super) estimate_s: f64,
}

/// Returns a digit for each node in the order of their numbers, 1 for free.
pub(super) fn digits(machine: &Machine) -> String {
    let nodes = machine.mesh().nodes() as usize;
    let mut text = String::with_capacity(nodes + 64);
    for word in machine.free().words() {
        text.extend((0..64).map(|bit| if word >> bit & 1 == 1 { '1' } else { '0' }));
    }
    text.truncate(nodes);
    text
}

/// The nodes of a placement. As an answer, null refuses the job.
#[derive(Serialize, Deserialize)]
pub(super) struct Nodes {
    // With a deserializer of its own, a missing field is an error instead of null.
    #[serde(deserialize_with = "Option::deserialize")]
    pub(super) nodes: Option<Vec<NodeId>>,
}

/// The question for the jobs that start now.
#[derive(Serialize)]
pub(super) struct Dispatch {
    pub(super) now_s: f64,
    pub(super) free: u32,
    pub(super) queue: Vec<WaitingJob>,
    pub(super) running: Vec<RunningJob>,
    pub(super) refused: Vec<JobId>,
}

/// A waiting job.
#[derive(Serialize)]
pub(super) struct WaitingJob {
    pub(super) job: JobId,
    pub(super) submit_s: f64,
    pub(super) procs: u32,
    pub(super) nodes: u32,
    pub(super) estimate_s: f64,
}

/// A running job.
#[derive(Serialize)]
pub(super) struct RunningJob {
    pub(super) job: JobId,
    pub(super) nodes: u32,
    pub(super) start_s: f64,
    pub(super) end_s: f64,
}

/// The jobs that start now.
#[derive(Deserialize)]
pub(super) struct Start {
    pub(super) start: Vec<JobId>,
}

/// The question for the run time of a job.
#[derive(Serialize)]
pub(super) struct RunTimeQuestion<'a> {
    pub(super) job: JobId,
    pub(super) now_s: f64,
    pub(super) procs: u32,
    pub(super) nodes: &'a [NodeId],
    pub(super) recorded_s: f64,
    pub(super) estimate_s: f64,
}

/// The run time of a job.
#[derive(Deserialize)]
pub(super) struct RunTimeAnswer {
    pub(super) run_s: f64,
}

/// A job that has ended.
#[derive(Serialize)]
pub(super) struct Ended {
    pub(super) job: JobId,
}

/// Converts seconds of the protocol to microseconds. `None` if they are not a length of time.
pub(super) fn length(seconds: f64) -> Option<Time> {
    let micros = (seconds * 1e6).round();
    // The conversion to an integer clamps.
    (seconds.is_finite() && seconds >= 0.0).then(|| Time::from_micros(micros as i64))
}

#[cfg(test)]
mod tests {
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
