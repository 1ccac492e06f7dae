//! Laws of allocators: properties of every allocator on every history, as checks that a program can run.
//!
//! A [`Law`] is a row of [`LAWS`]: its name, the law as a sentence, and the check. [`Trial`] checks one law
//! on one machine: it plays a random history of requests, releases, and nodes that other holders take, and
//! checks the law at every step. If the allocator breaks the law, the history is shrunk as far as possible
//! and returned as a [`Counterexample`], which prints as text with the machine drawn as a mesh.
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
mod event_source;
mod history;
mod law;
mod machines;
mod shrink;
mod trial;

pub use counterexample::{Counterexample, Fault};
pub use history::{Answer, Event, History};
pub use law::{LAWS, Law, find};
pub use machines::{MACHINES, variants, with_holes};
pub use trial::{Finding, SEED, Subject, Survey, Trial, Verdict, random_node_lists};
