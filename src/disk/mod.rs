//! Files that this program leaves on disk: each is there whole or not at all, under a name that is only taken when its
//! content is complete. Devices, FIFOs and symbolic links are used as what they are and never replaced.

mod checksum;
mod claim;
mod new_file;
mod unfinished;

pub use checksum::hexadecimal;
pub use claim::{Claim, ClaimError};
pub use new_file::{NewFile, TEMPORARY, is_stream, sync_directory};
pub use unfinished::{NewFolder, Unfinished, remove_unfinished};
