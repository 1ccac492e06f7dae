//! Allocators that cut a job into several free submeshes if no single free submesh is large enough.
//!
//! They first look for one submesh for the whole request, and then for smaller ones until the request is
//! served. `gabl` and `qna` take the largest submesh that is free and go on with the rest of the request
//! (`repeated`). `anca` halves all parts of the request again and again. So a job that does not fit into one
//! submesh gets a few submeshes rather than scattered nodes.
#![expect(clippy::arithmetic_side_effects, reason = "pieces are within a request of at most 2^24 nodes")]

pub(super) mod anca;
pub(super) mod gabl;
pub(super) mod qna;
pub(super) mod repeated;
