//! Words as a shell takes them back.

/// A word as a POSIX shell takes it back, whatever it holds.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A command of these words.
pub(super) fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_a_shell() {
        for (word, text) in [
            ("a/b-1.swf.gz", "a/b-1.swf.gz"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("best-of:a|b", "'best-of:a|b'"),
            ("$HOME\n", "'$HOME\n'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), text);
        }
        assert_eq!(command(["a", "b c"]), "a 'b c'");
    }
}
