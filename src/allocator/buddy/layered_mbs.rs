//! Layered MBS: the multiple buddy strategy on the squares of every layer of a three-dimensional mesh.
//!
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §III-A.
//!
//! 1. Each layer z is partitioned as MBS partitions a two-dimensional mesh; blocks are one node deep.
//! 2. Requests are served as in `buddy`.
//!
//! With one layer it is MBS.

use super::mbs::{Mbs, layers};
use super::system::Buddy;
use crate::allocator::seam::{Entry, Kind, Promises};

pub(crate) const ENTRY: Entry = Entry {
    name: "layered-mbs",
    summary: "MBS on each layer of a 3D mesh; blocks are flat squares",
    source: "Walker, Bunde, Leung, 2010",
    parameters: "",
    max_dims: 3,
    kind: Kind::NonContiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |_, setup| Ok(Box::new(Mbs { buddy: Buddy::new(setup.mesh, &layers(setup.mesh)) })),
};
