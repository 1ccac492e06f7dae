//! Helpers for the tests of several crates: optional material outside the repository, and numbers for
//! histories.

use std::error::Error;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};

/// The result of a test.
pub type Tested = Result<(), Box<dyn Error>>;

/// Returns a file of this repository by its path in it.
pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Returns a file of the material in `../shared`; `None`, with a line that the test is skipped, if it is
/// absent.
pub fn shared(file: &str) -> Option<PathBuf> {
    let path = in_repository("../shared").join(file);
    if path.exists() {
        return Some(path);
    }
    // Bypasses the test harness, which would capture the line.
    let _ = writeln!(std::io::stderr(), "skipped: ../shared/{file} is absent");
    None
}

/// Returns the text of a gzip file.
pub fn gunzip(path: &Path) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

/// A 64-bit linear congruential generator for histories, with the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    /// Returns the next number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}
