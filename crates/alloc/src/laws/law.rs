//! The laws: the table, and the check of each.

use super::counterexample::{Fault, Proposal};
use super::event_source::{EventSource, Mix};
use super::history::{Answer, Event, History, listed};
use crate::allocator::{BuildError, Built, Memory, Promises, Request};
use meshreplay_base::spec::{SpecError, unknown};
use meshreplay_machine::machine::{Mesh, NodeId};

/// A law: something that every allocator does on every history, or every allocator that promises it.
#[derive(Debug)]
pub struct Law {
    /// Its name in messages, in one word.
    pub name: &'static str,
    /// The law as a sentence.
    pub words: &'static str,
    /// Returns whether an allocator that was built for a machine promises it.
    pub(super) promised: fn(&Built, &Mesh) -> bool,
    /// The kinds of histories for the check; empty if the law is about one state.
    pub(super) mixes: &'static [Mix],
    pub(super) check: fn(&mut EventSource<'_>) -> CheckResult,
}

/// What a check returns.
type CheckResult = Result<(), CheckError>;

/// Why a check ends early.
pub(super) enum CheckError {
    /// The allocator does not serve the machine.
    Build(BuildError),
    /// The law is broken.
    Fault(Box<Fault>),
}

impl From<BuildError> for CheckError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<Box<Fault>> for CheckError {
    fn from(fault: Box<Fault>) -> Self {
        Self::Fault(fault)
    }
}

/// All laws, in the order of the tables. If a history cannot go on because nodes cannot be taken, only the
/// first law reports it.
pub const LAWS: &[Law] = &[
    Law {
        name: "free",
        words: "a placement names nodes that exist and are free, each of them once, and the allocator does \
             not fail",
        promised: |_, _| true,
        mixes: &[Mix::Jobs, Mix::Shared, Mix::Outages],
        check: free,
    },
    Law {
        name: "size",
        words: "a placement has as many nodes as the allocator promises for the request",
        promised: |_, _| true,
        mixes: &[Mix::Jobs, Mix::Shared, Mix::Outages],
        check: |source| answers(source, Answer::wrong_size),
    },
    Law {
        name: "serves",
        words: "a request is refused only if fewer nodes are free than it takes",
        promised: |built, _| built.promises.complete,
        mixes: &[Mix::Jobs, Mix::Shared, Mix::Outages],
        check: |source| answers(source, Answer::wrong_refusal),
    },
    Law {
        name: "places",
        words: "a job of one processor gets a node of an idle machine",
        // An allocator in slices serves jobs of whole slices alone.
        promised: |built, _| built.spec.params.get("slice").is_none_or(|slice| slice == "1"),
        mixes: &[],
        check: places,
    },
    Law {
        name: "whole",
        words: "one job can have all nodes of an idle machine",
        // With unavailable nodes, allocators that round up may need more nodes than are left.
        promised: |built, mesh| {
            built.promises.complete && (built.promises.exact || mesh.unavailable().is_empty())
        },
        mixes: &[],
        check: whole,
    },
    Law {
        name: "repeats",
        words: "the same history gives the same placements",
        promised: |_, _| true,
        mixes: &[Mix::Jobs],
        check: repeats,
    },
    Law {
        name: "refuses",
        words: "a request for more nodes than are free gets none, and changes no later answer",
        promised: |_, _| true,
        mixes: &[Mix::Jobs],
        check: refuses,
    },
    Law {
        name: "proposes",
        words: "a proposal that nobody carries out changes no later answer",
        promised: |built, _| built.promises.memory.ends_when_idle(),
        mixes: &[Mix::Asks],
        check: proposes,
    },
    Law {
        name: "forgets",
        words: "once all nodes are free again, an allocator decides like a new one",
        promised: |built, _| built.promises.memory.ends_when_idle(),
        mixes: &[Mix::Jobs, Mix::Shared, Mix::Outages],
        check: forgets,
    },
    Law {
        name: "state",
        words: "which nodes are in use decides, and not how they came to be so",
        promised: |built, _| built.promises.memory == Memory::None,
        mixes: &[Mix::Shared],
        check: state,
    },
];

/// Finds the law with a name. Fails if there is none.
pub fn find(name: &str) -> Result<&'static Law, SpecError> {
    let known = || LAWS.iter().map(|law| law.name);
    LAWS.iter().find(|law| law.name == name).ok_or_else(|| unknown("law", name, known()))
}

fn free(source: &mut EventSource<'_>) -> CheckResult {
    let mut history = source.history()?;
    while let Some(event) = source.next(&history) {
        let Some(answer) = history.hear(&event) else { continue };
        // A proposal must be right even if it is not carried out.
        history.carry_out(&answer)?;
        if matches!(event, Event::Ask(_)) && answer.placement.is_some() {
            history.release(history.held() as u32 - 1);
        }
    }
    Ok(())
}

/// Holds every answer of a history to `judge`, which returns what is wrong with it.
fn answers(source: &mut EventSource<'_>, judge: fn(&Answer, Promises) -> Option<String>) -> CheckResult {
    let mut history = source.history()?;
    while let Some(event) = source.next(&history) {
        let Some(answer) = history.hear(&event) else { continue };
        if let Some(problem) = judge(&answer, history.promises()) {
            return Err(history.fault(problem, &answer).into());
        }
        if !carry_out_request(&mut history, &event, &answer) {
            break;
        }
    }
    Ok(())
}

/// Carries out the answer to a request. Returns false if the history cannot go on.
fn carry_out_request(history: &mut History, event: &Event, answer: &Answer) -> bool {
    match event {
        Event::Request(_) => history.carry_out(answer).is_ok(),
        _ => answer.failure.is_none(),
    }
}

fn places(source: &mut EventSource<'_>) -> CheckResult {
    let mut history = source.history()?;
    let answer = history.ask(&Request::of(1));
    // A failure is the business of the first law.
    if answer.placement.is_some() || answer.failure.is_some() || answer.takes.least > answer.free {
        return Ok(());
    }
    Err(history.fault(format!("refused, though all {} nodes are free", answer.free), &answer).into())
}

fn whole(source: &mut EventSource<'_>) -> CheckResult {
    let mut history = source.history()?;
    let available = source.mesh.available();
    let answer = history.ask(&Request::of(available));
    let mut nodes = answer.placement.as_ref().map(|placement| placement.nodes.clone()).unwrap_or_default();
    nodes.sort_unstable();
    let failed = answer.failure.is_some();
    if failed || nodes.into_iter().eq((0..source.mesh.nodes()).filter(|&node| source.mesh.is_available(node)))
    {
        return Ok(());
    }
    Err(history
        .fault(format!("the request for all nodes, {available} of them, does not get them"), &answer)
        .into())
}

/// Fails if the answers of two histories differ. `other` introduces the second answer in the message.
fn same(history: &History, answers: [&Answer; 2], other: &'static str) -> CheckResult {
    let [one, two] = answers.map(|answer| answer.placement.as_ref());
    // A failure is the business of the first law.
    if one == two || answers.iter().any(|answer| answer.failure.is_some()) {
        return Ok(());
    }
    let listed = |answer: &Answer| {
        answer.placement.as_ref().map_or("no nodes".to_owned(), |placement| listed(&placement.nodes))
    };
    let [mine, theirs] = answers.map(listed);
    let problem =
        if mine == theirs { "moves or sides differ".to_owned() } else { format!("{mine}, not {theirs}") };
    let mut fault = history.fault(problem, answers[0]);
    fault.proposals.push(Proposal::of(other, two));
    Err(fault.into())
}

/// Lets an event happen in two histories, whose answers must be the same. Returns false if they cannot go on.
fn step(histories: [&mut History; 2], event: &Event, other: &'static str) -> Result<bool, CheckError> {
    let [one, two] = histories;
    let (Some(first), Some(second)) = (one.hear(event), two.hear(event)) else { return Ok(true) };
    same(one, [&first, &second], other)?;
    Ok(carry_out_request(one, event, &first) && carry_out_request(two, event, &second))
}

fn repeats(source: &mut EventSource<'_>) -> CheckResult {
    let (mut once, mut again) = (source.history()?, source.history()?);
    while let Some(event) = source.next(&once) {
        if !step([&mut again, &mut once], &event, "the first time it proposed")? {
            break;
        }
    }
    Ok(())
}

fn refuses(source: &mut EventSource<'_>) -> CheckResult {
    let (mut plain, mut asked) = (source.history()?, source.history()?);
    while let Some(event) = source.next(&plain) {
        let answer = asked.hear(&Event::Ask(Request::of(asked.machine.free_count() + 1)));
        if let Some(answer) = answer.filter(|answer| answer.placement.is_some()) {
            return Err(asked.fault("nodes for more processors than are free".to_owned(), &answer).into());
        }
        if !step([&mut asked, &mut plain], &event, "without the requests that were too large it proposes")? {
            break;
        }
    }
    Ok(())
}

fn proposes(source: &mut EventSource<'_>) -> CheckResult {
    let (mut plain, mut asked) = (source.history()?, source.history()?);
    while let Some(event) = source.next(&plain) {
        if matches!(event, Event::Ask(_)) {
            asked.hear(&event);
        } else if !step([&mut asked, &mut plain], &event, "without being asked before, it proposes")? {
            break;
        }
    }
    Ok(())
}

fn forgets(source: &mut EventSource<'_>) -> CheckResult {
    let (mut used, mut new) = (source.history()?, None);
    while let Some(event) = source.next(&used) {
        let goes_on = match &mut new {
            Some(new) => step([&mut used, new], &event, "a new allocator proposes")?,
            None => used.hear(&event).is_none_or(|answer| carry_out_request(&mut used, &event, &answer)),
        };
        if !goes_on {
            break;
        }
        if used.held() == 0 && matches!(event, Event::Release(_)) {
            new = Some(source.history()?);
        }
    }
    Ok(())
}

fn state(source: &mut EventSource<'_>) -> CheckResult {
    let mut used = source.history()?;
    while let Some(event) = source.next(&used) {
        let Some(answer) = used.hear(&event) else { continue };
        if matches!(event, Event::Ask(_)) {
            let mut fresh = source.history()?;
            let is_busy = |&node: &NodeId| !used.machine.free().contains(node);
            fresh.take(&(0..source.mesh.nodes()).rev().filter(is_busy).collect::<Vec<_>>());
            let other = fresh.ask(&answer.request);
            same(&used, [&answer, &other], "told of the same nodes at once, it proposes")?;
        } else if !carry_out_request(&mut used, &event, &answer) {
            break;
        }
    }
    Ok(())
}
