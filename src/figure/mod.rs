//! Results as pictures.

pub mod draw;
pub(crate) mod mark;

pub use mark::{MARKED, is_marked, marked_png, marked_svg};
