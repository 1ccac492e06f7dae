//! A history in which an allocator breaks a law, as text.

use std::fmt;

use super::draw::{LEGEND, in_use, proposed, side_by_side};
use super::event::Event;
use super::fault::{Fault, Proposal};
use super::law::Law;
use super::shrink::Case;
use super::step::{asked, listed};
use meshreplay_base::words::counted;
use meshreplay_machine::machine::Mesh;

/// The smallest history that was found in which an allocator breaks a law. It prints as text of many lines:
/// the law, the history, the request, the proposal, and the machine drawn as a mesh.
#[derive(Debug)]
pub struct Counterexample {
    /// The name of the allocator.
    pub subject: String,
    /// The name of the law.
    pub law: &'static str,
    /// The law as a sentence.
    pub words: &'static str,
    /// The machine.
    pub mesh: Mesh,
    /// The events, of which the last is the one that goes wrong.
    pub events: Vec<Event>,
    /// What goes wrong.
    pub fault: Fault,
}

impl Counterexample {
    pub(super) fn new(subject: &str, law: &Law, case: Case, fault: Fault) -> Self {
        let Case { mesh, events } = case;
        Self { subject: subject.to_owned(), law: law.name, words: law.words, mesh, events, fault }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { problem, request, proposals, steps, machine, held } = &self.fault;
        writeln!(f, "{} breaks the law '{}': {}.\n", self.subject, self.law, self.words)?;
        let size = format!("{}, {}", self.mesh, counted(self.mesh.available(), "node"));
        if steps.is_empty() {
            writeln!(f, "On the idle machine {size}:")?;
        } else {
            writeln!(f, "The smallest history that was found, on the machine {size}:")?;
        }
        for (i, step) in steps.iter().enumerate() {
            writeln!(f, "  {}. {step}", i + 1)?;
        }
        writeln!(
            f,
            "  {}. a job asks for {}, while {} free",
            steps.len() + 1,
            asked(request),
            are(machine.free_count())
        )?;
        for Proposal { who, nodes } in proposals {
            let nodes = nodes.as_ref().map_or("no nodes".to_owned(), |nodes| listed(nodes));
            writeln!(f, "     {who}: {nodes}")?;
        }
        writeln!(f, "  wrong: {problem}\n")?;
        let mut drawings = vec![("in use".to_owned(), in_use(machine, held))];
        for (i, Proposal { nodes, .. }) in proposals.iter().enumerate() {
            let title = if i == 0 { "proposed" } else { "expected" };
            drawings.push((title.to_owned(), proposed(machine, nodes.as_deref().unwrap_or_default())));
        }
        write!(f, "{}  {LEGEND}", side_by_side(&drawings))
    }
}

/// Returns how many nodes there are, with the verb.
fn are(count: u32) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{} {verb}", counted(count, "node"))
}
