//! Laws of allocators: what every allocator must do on every history, as checks that a program can run.
//!
//! A [`Law`] is a row of [`LAWS`]: its name, the sentence that it stands for, and the check. [`Trial`] runs
//! one law on one machine: it makes a random history of requests, releases, and nodes that somebody else
//! takes, and holds the allocator to the law at every step. If the allocator breaks it, the history is made
//! smaller until nothing more can be left out, and comes back as a [`Counterexample`], which prints as text
//! with the machine drawn as a mesh.
//!
//! ```
//! use meshreplay_alloc::laws::{LAWS, Subject, Trial, Verdict};
//!
//! let subject = Subject::of_spec(&"hilbert+bf".parse()?);
//! for law in LAWS {
//!     let verdict = Trial { subject: &subject, law, seed: 1, events: 100 }.on(&"8x5".parse()?)?;
//!     assert!(!matches!(verdict, Verdict::Broken(_)), "{verdict:?}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "machines of some hundred nodes and histories of some thousand events, all in memory"
)]

mod counterexample;
mod course;
mod draw;
mod event;
mod fault;
mod history;
mod law;
mod machines;
mod shrink;
mod simpler;
mod smaller;
mod step;
mod subject;
mod survey;
mod trial;
mod variants;

pub use counterexample::Counterexample;
pub use event::Event;
pub use fault::Fault;
pub use history::{Answer, History};
pub use law::{LAWS, Law, find};
pub use machines::{MACHINES, with_holes};
pub use subject::{SEED, Subject, random_node_lists};
pub use survey::{Finding, Survey};
pub use trial::{Trial, Verdict};
pub use variants::variants;
