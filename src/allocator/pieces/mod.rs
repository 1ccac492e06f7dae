//! Allocators that cut a job into several free rectangles or cuboids if one does not fit.
//!
//! They try the whole request as one place and, failing that, smaller places until the request is served: `gabl` and
//! `qna` take as large a place as is free and go on with the rest (`repeated`), `anca` halves all parts of the
//! request again and again. A job that does not fit in one place is split into few, rather than scattered.

pub(super) mod anca;
pub(super) mod gabl;
pub(super) mod qna;
pub(super) mod repeated;
