//! Violations of laws: the fault, and the smallest history with it as text, with the machine drawn as a mesh.
//! The highest y is the top row; a machine of three dimensions is drawn layer by layer.

use std::fmt;

use super::history::{Event, HeldPlacement, Step, asked, letter, listed};
use super::law::Law;
use super::shrink::Case;
use crate::allocator::{Placement, Request};
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Machine, Mesh, NodeId};

/// A violation of a law. It prints as one line.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong, in words.
    pub problem: String,
    /// The request with the wrong answer.
    pub request: Request,
    /// The proposal, and for a law that compares, the other one.
    pub(super) proposals: Vec<Proposal>,
    /// What happened before.
    pub(super) steps: Vec<Step>,
    /// The machine when the allocator was asked.
    pub(super) machine: Machine,
    /// Who held which nodes.
    pub(super) held: Vec<HeldPlacement>,
}

/// An answer to a request, for a drawing.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    /// Who gave the answer, in words that go before it.
    pub(super) who: &'static str,
    /// The nodes; `None` if the request was refused.
    pub(super) nodes: Option<Vec<NodeId>>,
}

impl Proposal {
    pub(super) fn of(who: &'static str, placement: Option<&Placement>) -> Self {
        Self { who, nodes: placement.map(|placement| placement.nodes.clone()) }
    }
}

/// Writes the problem, the machine and the request.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mesh = self.machine.mesh();
        write!(
            f,
            "{} ({} of {} free on {mesh})",
            self.problem,
            asked(&self.request),
            self.machine.free_count()
        )
    }
}

impl std::error::Error for Fault {}

/// The smallest history found that breaks a law. It prints as text of many lines: the law, the history, the
/// request, the proposal, and the machine drawn as a mesh.
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
    /// The events up to the one that goes wrong.
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

/// A node that no job can have.
const UNAVAILABLE: char = '▒';

/// A node that is free.
const FREE: char = '.';

/// A node of a proposal.
const PROPOSED: char = '@';

/// A node of a proposal that cannot be taken.
const WRONG: char = '!';

/// The widest line of drawings that stand side by side.
const WIDTH: usize = 100;

/// What the characters mean, for the line below the drawings.
const LEGEND: &str =
    "a letter: nodes in use   . free   @ proposed   ! proposed, but not free or named twice   ▒ unavailable";

/// Returns the machine with a letter at every node in use.
pub(super) fn in_use(machine: &Machine, held: &[HeldPlacement]) -> Vec<String> {
    grid(machine.mesh(), |node| {
        let holder = held.iter().find(|held| held.placement.nodes.contains(&node));
        holder.map_or(blank(machine, node), |held| letter(held.number))
    })
}

/// Returns the machine with the nodes of a proposal. Node numbers beyond the machine are not drawn.
pub(super) fn proposed(machine: &Machine, nodes: &[NodeId]) -> Vec<String> {
    grid(machine.mesh(), |node| match nodes.iter().filter(|&&other| other == node).count() {
        0 => blank(machine, node),
        1 if machine.free().contains(node) => PROPOSED,
        _ => WRONG,
    })
}

/// Returns the character of a free or unavailable node.
fn blank(machine: &Machine, node: NodeId) -> char {
    if machine.mesh().is_available(node) { FREE } else { UNAVAILABLE }
}

/// Returns a line for each row of each layer.
fn grid(mesh: &Mesh, character: impl Fn(NodeId) -> char) -> Vec<String> {
    let drawn = mesh.drawn();
    let [width, length, depth] = drawn.extents();
    let mut lines = Vec::new();
    for z in 0..depth {
        if depth > 1 {
            lines.push(format!("z={z}"));
        }
        for y in (0..length).rev() {
            lines.push((0..width).map(|x| character(drawn.node([x, y, z]))).collect());
        }
    }
    lines
}

/// Returns drawings under their titles, side by side if there is room, and indented by two blanks.
fn side_by_side(drawings: &[(String, Vec<String>)]) -> String {
    let chars = |text: &str| text.chars().count();
    let width = |(title, lines): &(String, Vec<String>)| {
        lines.iter().chain([title]).map(|line| chars(line)).max().unwrap_or(0)
    };
    let total: usize = drawings.iter().map(|drawing| width(drawing) + 3).sum();
    if total > WIDTH && drawings.len() > 1 {
        let each = drawings.iter().map(|drawing| side_by_side(std::slice::from_ref(drawing)));
        return each.collect::<Vec<_>>().join("\n");
    }
    let rows = drawings.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..=rows {
        let mut line = String::from(" ");
        for drawing in drawings {
            let cell = if row == 0 { Some(&drawing.0) } else { drawing.1.get(row - 1) };
            let cell = cell.map_or("", String::as_str);
            line.extend([" ", cell, &" ".repeat(width(drawing) - chars(cell) + 2)]);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
