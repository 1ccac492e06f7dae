//! Quotes commands for a POSIX shell.

use std::borrow::Cow;

/// Returns the words as a command line. A word is quoted if a POSIX shell would otherwise interpret some of
/// its characters.
pub fn command_line<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let quoted = |word: W| quoted(word.as_ref()).into_owned();
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Returns the word, quoted if a POSIX shell would otherwise interpret some of its characters.
pub fn quoted(word: &str) -> Cow<'_, str> {
    // shlex quotes `=`, `,` and `%` too. A shell interprets them only at the beginning of a word, and no word
    // of ours begins with them.
    let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    // Quoting fails only at NUL characters, which are allowed here. No argument of a process can contain one.
    shlex::Quoter::new().allow_nul(true).quote(word).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_a_shell() {
        for word in ["a/b-1.swf.gz", "slurm:array=2,cpus=1", "é100%"] {
            assert_eq!(quoted(word), word);
        }
        for (word, text) in
            [("a b", "'a b'"), ("best-of:a|b", "'best-of:a|b'"), ("$HOME\n", "'$HOME\n'"), ("", "''")]
        {
            assert_eq!(quoted(word), text);
        }
        let words = ["a", "b c", "it's", "$HOME's !", "^\\", "\"", "~", "-x"];
        assert_eq!(shlex::split(&command_line(words)), Some(words.map(str::to_owned).to_vec()));
    }
}
