//! Files that this program writes to disk. Each file is there as a whole or not at all: it gets its name only when its
//! content is complete. Devices, FIFOs and symbolic links are used as they are and never replaced.

mod checksum;
mod claim;
mod new_file;
mod unfinished;

pub use checksum::hexadecimal;
pub use claim::{Claim, ClaimError};
pub use new_file::{NewFile, TEMPORARY, is_stream, remove_leftovers_beside, sync_directory};
pub use unfinished::{NewFolder, Unfinished, remove_unfinished};
