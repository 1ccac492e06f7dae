//! Files that this program writes to disk. Each file is there as a whole or not at all: it gets its name only
//! when its content is complete. Devices, FIFOs and symbolic links are used as they are and never replaced.

mod checksum;
mod claim;
mod folder_lock;
mod new_file;
mod operations;
mod scratch;
mod sorter;
mod unfinished;

pub use checksum::hexadecimal;
pub use claim::{Claim, ClaimError};
pub use new_file::{
    Handle, NewFile, TEMPORARY, is_stream, remove_leftovers_beside, remove_own_leftovers, sync_directory,
};
pub use operations::{Double, Operation, create_dir_all, interpose, open, read, read_to_string, remove_file};
pub use scratch::Scratch;
pub use sorter::{SortKey, Sorted, Sorter};
pub use unfinished::{NewFolder, Unfinished, remove_unfinished};
