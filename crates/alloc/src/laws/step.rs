//! The events of a history, its steps in words, and the placements that are held.

use std::fmt;

use crate::allocator::{Placement, Request};
use meshreplay_base::job::Shape;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{NodeId, intervals};

/// One event of a history. Every event means something in every state, so that a history stays one when
/// events are taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A job asks for nodes, and gets what the allocator proposes. It does not wait if it is refused.
    Request(Request),
    /// The allocator is asked, but its proposal is not carried out.
    Ask(Request),
    /// The placement at this position of the list of held placements, oldest first, is released. The position
    /// is taken modulo the number of placements; without placements nothing happens.
    Release(u32),
    /// Another holder than a job takes the free ones of these nodes, in this order. Without free ones nothing
    /// happens.
    Take(Vec<NodeId>),
}

/// A placement that is carried out and not released.
#[derive(Clone, Debug)]
pub(super) struct HeldPlacement {
    pub(super) placement: Placement,
    /// The position among all placements that were carried out; it names the placement in drawings.
    pub(super) number: usize,
    /// Whether the holder is a job.
    pub(super) is_job: bool,
}

/// The effect of an event. Requests and releases name a placement by its number.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The number is `None` if the request was refused.
    Requested {
        request: Request,
        number: Option<usize>,
        nodes: Vec<NodeId>,
    },
    Asked {
        request: Request,
        nodes: Option<Vec<NodeId>>,
    },
    Released {
        number: usize,
    },
    Taken {
        number: usize,
        nodes: Vec<NodeId>,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested { request, number: Some(number), nodes } => {
                write!(f, "a job asks for {} and gets {}: {}", asked(request), listed(nodes), letter(*number))
            }
            Self::Requested { request, number: None, .. } => {
                write!(f, "a job asks for {} and is refused", asked(request))
            }
            Self::Asked { request, nodes: Some(nodes) } => {
                write!(f, "{} are proposed for {}, and nobody takes them", listed(nodes), asked(request))
            }
            Self::Asked { request, nodes: None } => write!(f, "{} are asked for and refused", asked(request)),
            Self::Released { number } => write!(f, "{} is released", letter(*number)),
            Self::Taken { number, nodes } => {
                write!(f, "somebody else takes {}: {}", listed(nodes), letter(*number))
            }
        }
    }
}

/// Returns nodes in words: `node 3`, `nodes 0-2 4`, with their rank order if it is not ascending.
pub(super) fn listed(nodes: &[NodeId]) -> String {
    match nodes {
        [] => "an empty list of nodes".to_owned(),
        [node] => format!("node {node}"),
        nodes if nodes.is_sorted() => format!("nodes {}", intervals(nodes)),
        nodes => {
            let list: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            format!("nodes {}", list.join(", "))
        }
    }
}

/// Returns a request in words, such as `3 processors` or `4 processors as 2x2`.
pub(super) fn asked(request: &Request) -> String {
    let shape =
        if request.shape == Shape::default() { String::new() } else { format!(" as {}", request.shape) };
    format!("{}{shape}", counted(request.procs, "processor"))
}

/// Returns the letter of a placement. Letters repeat after 26.
pub(super) fn letter(number: usize) -> char {
    char::from(b'a' + (number % 26) as u8)
}
