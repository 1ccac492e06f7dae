//! The command of a spec `exec:COMMAND`: the program with its arguments, its time limit, and the files that
//! it names.

use std::fs;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use meshreplay_base::spec::{EXEC, Spec, SpecError};

/// The default time limit of an answer, in seconds.
const DEFAULT_TIMEOUT_S: f64 = 10.0;

/// The longest time limit of an answer, in seconds: a week.
const LONGEST_TIMEOUT_S: f64 = 604_800.0;

/// A program with its arguments, such as `timeout=2 ./mine --flag`. Words are split as in a shell, without
/// any other expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guest) struct Command {
    /// The program and its arguments, at least one word.
    pub words: Vec<String>,
    /// Time limit of an answer.
    pub timeout: Duration,
}

impl FromStr for Command {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let malformed = |problem: &str| SpecError::Malformed {
            text: format!("{EXEC}:{text}"),
            problem: problem.to_owned(),
        };
        let words = shlex::split(text).ok_or_else(|| malformed("it has an open quote"))?;
        let mut words = words.into_iter().peekable();
        let mut timeout = Duration::from_secs_f64(DEFAULT_TIMEOUT_S);
        while let Some(given) = words.peek().and_then(|word| word.strip_prefix("timeout=")) {
            let seconds = given.parse().ok().filter(|seconds| (0.001..=LONGEST_TIMEOUT_S).contains(seconds));
            let Some(seconds) = seconds else {
                return Err(SpecError::BadValue {
                    owner: EXEC.to_owned(),
                    key: "timeout".to_owned(),
                    found: given.to_owned(),
                    expected: "a number of seconds from 0.001 to 604800, as in exec:timeout=2 ./mine"
                        .to_owned(),
                });
            };
            timeout = Duration::from_secs_f64(seconds);
            words.next();
        }
        let words: Vec<String> = words.collect();
        if words.first().is_none_or(String::is_empty) {
            return Err(malformed("the command is missing, as in exec:./mine"));
        }
        Ok(Self { words, timeout })
    }
}

impl Command {
    /// Returns the words that name regular files, each once: the program if given by a path, and arguments
    /// such as `mine.py` or `--table=weights.txt`.
    fn named_files(&self) -> Vec<&str> {
        let is_file = |text: &&str| fs::metadata(Path::new(text)).is_ok_and(|data| data.is_file());
        let mut files = Vec::new();
        for word in &self.words {
            let after = word.split_once('=').map(|(_, after)| after);
            files.extend(std::iter::once(word.as_str()).chain(after).find(is_file));
        }
        files.sort_unstable();
        files.dedup();
        files
    }
}

/// Returns the files named by the command of `spec`. Empty if the spec is not a program, or if its command
/// names no file, as in `exec:mine`, a program on the search path.
pub fn files(spec: &Spec) -> Vec<String> {
    let command = spec.members.as_deref().filter(|_| spec.name == EXEC);
    let command = command.and_then(|text| text.parse::<Command>().ok());
    command.iter().flat_map(Command::named_files).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() -> Result<(), SpecError> {
        let command: Command = "timeout=2.5 ./mine --flag 'two words' timeout=3".parse()?;
        assert_eq!(command.words, ["./mine", "--flag", "two words", "timeout=3"]);
        assert_eq!(command.timeout, Duration::from_millis(2500));
        assert_eq!("./mine".parse::<Command>()?.timeout, Duration::from_secs(10));
        for (text, words) in [
            ("", "the command is missing"),
            ("timeout=1", "the command is missing"),
            ("'' a", "the command is missing"),
            ("./mine 'a", "open quote"),
            ("timeout=0 ./mine", "parameter 'timeout' of 'exec' is '0'"),
            ("timeout=x ./mine", "expected a number of seconds"),
            ("timeout=inf ./mine", "expected a number of seconds"),
        ] {
            let message = text.parse::<Command>().expect_err("malformed").to_string();
            assert!(message.contains(words), "{text}: {message}");
        }
        Ok(())
    }

    #[test]
    fn files_that_a_command_names_are_found() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["mine.py", "weights=a.txt"] {
            fs::write(path(name), name)?;
        }
        let found = |text: String| -> Result<Vec<String>, SpecError> { Ok(files(&text.parse()?)) };
        assert_eq!(found(format!("exec:python3 {}", path("mine.py")))?, [path("mine.py")]);
        assert_eq!(found(format!("exec:a {0} --w={0}", path("mine.py")))?, [path("mine.py")]);
        assert_eq!(found(format!("exec:a {}", path("weights=a.txt")))?, [path("weights=a.txt")]);
        assert!(found(format!("exec:a {}", folder.path().display()))?.is_empty());
        assert!(found("naive".to_owned())?.is_empty());
        Ok(())
    }
}
