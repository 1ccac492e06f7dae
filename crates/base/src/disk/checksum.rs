//! Checksums as text.

use std::fmt::Write;

/// Returns the bytes of a checksum as hexadecimal text, two digits per byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        // Writing to memory cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
