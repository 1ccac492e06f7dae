//! What may be overwritten without being asked: files that this program has drawn itself.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::figure::{MARKED, is_marked};

/// Refuses to overwrite a file that holds anything but an earlier page or picture of this program, unless `force`.
/// Devices and FIFOs hold nothing that could be lost.
pub(super) fn check(path: &Path, force: bool) -> Result<()> {
    if force || !path.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MARKED as u64).read_to_end(&mut head));
    read.with_context(|| format!("{} cannot be read", path.display()))?;
    if !head.is_empty() && !is_marked(&head) {
        bail!(
            "{} already exists and is no page or picture that meshreplay has drawn; --force overwrites it",
            path.display()
        );
    }
    Ok(())
}
