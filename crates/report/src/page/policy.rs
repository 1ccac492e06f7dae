//! The Content-Security-Policy of a page: the browser runs the page's own script and nothing else.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// Returns the element of the head that forbids everything but this style sheet and this script, which stand
/// in the page. A browser compares the SHA-256 of the text between the tags, so a page that was tampered with
/// runs nothing.
pub(super) fn policy(style: &str, script: &str) -> String {
    let source = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src \
         {}; base-uri 'none'; form-action 'none'\">",
        source(style),
        source(script)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // The example of the W3C's recommendation "Content Security Policy Level 3", section 8.2.
        let policy = policy("", "alert('Hello, world.');");
        let expected = "script-src 'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='";
        assert!(policy.contains(expected), "{policy}");
    }
}
