//! Files that this program writes. A file gets its name only when its content is complete, so each file is
//! either whole or absent. Devices, FIFOs and symbolic links are written through and never replaced.

mod claim;
mod earlier;
mod new_file;
mod operations;
mod sorter;
mod unfinished;

use std::fmt::Write;

pub use claim::{Claim, ClaimError};
pub use earlier::Earlier;
pub use new_file::{
    Handle, NewFile, TEMPORARY, is_stream, remove_leftovers_beside, remove_own_leftovers, sync_directory,
};
pub use operations::{Double, Operation, create_dir_all, interpose, open, read, read_to_string, remove_file};
pub use sorter::{Scratch, Sorted, Sorter};
pub use unfinished::{NewFolder, Unfinished, remove_unfinished};

/// Returns the bytes of a checksum as hexadecimal text, two digits per byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        // Writing to memory cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
