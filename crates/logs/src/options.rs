//! How a log is read, and how much it may ask for.

use std::fmt;
use std::str::FromStr;

use super::names::Partitions;
use meshreplay_base::spec::Spec;

/// The options of reading a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Whether lines that do not follow the format are skipped and counted. Otherwise reading stops at the
    /// first of them.
    pub lenient: bool,
    /// Spec of the format, such as `nas-ipsc` or `columns:submit=3,run=5,procs=2`. `None` recognises the
    /// format by the file name, then by the first line that is neither blank nor a comment; by default it is
    /// SWF, or a table if that line does not begin with a number. The name [`AUTO`](super::formats::AUTO)
    /// does the same, and passes its parameters to the recognised format.
    pub format: Option<Spec>,
    /// The partitions whose records are read. With `None` all records are.
    pub partition: Option<Partitions>,
    /// How much a log may ask for.
    pub limits: LogLimits,
}

/// The limits of a log while it is read. No result depends on them: a log is read as a whole, or it is
/// refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimits {
    /// Greatest expansion of a gzip file or a binary table. Logs expand 5 to 40 times; gzip reaches 1,032 for
    /// a repeated byte. Applies beyond 256 MiB of text, for tables beyond 64 MiB.
    pub expansion: u64,
    /// Memory in bytes in which a binary table is decoded, where a process of its own decodes it.
    pub memory_bytes: u64,
    /// The greatest length of a line in bytes. It is far beyond the lines of any log. A file without line
    /// ends is refused early because of it, and is not read into memory as a whole.
    pub line_bytes: usize,
}

/// The expansion limit applies beyond this many bytes of text. Text of binary tables takes longer to make.
const MUCH_TEXT: u64 = 256 << 20;
const MUCH_TEXT_OF_TABLE: u64 = 64 << 20;

impl Default for LogLimits {
    fn default() -> Self {
        Self::USUAL
    }
}

impl LogLimits {
    /// The default limits.
    pub const USUAL: Self = Self { expansion: 200, memory_bytes: 4 << 30, line_bytes: 1 << 20 };

    /// Returns true if the expansion from `compressed` to `text` bytes is that of a decompression bomb, or of
    /// a binary table.
    pub(super) fn refuses(self, text: u64, compressed: u64, is_table: bool) -> bool {
        text > if is_table { MUCH_TEXT_OF_TABLE } else { MUCH_TEXT }
            && text.checked_div(self.expansion.max(1)).is_some_and(|times| times > compressed)
    }
}

/// The number of bytes that are read at a time. A chunk of this size stays in the second-level cache of the
/// processor while it is hashed and parsed.
pub(super) const CHUNK: usize = 256 << 10;

/// The least memory in which tables are decoded. The program alone takes half of it.
const LEAST_MEMORY: usize = 512 << 20;

/// Returns what the text of limits may be, for messages.
fn expected() -> String {
    format!(
        "expected expansion=N, line=BYTES, memory=BYTES or several, N from 1, the bytes of a line from \
             {CHUNK} and the memory from {LEAST_MEMORY}, such as expansion=1000,line=16777216"
    )
}

/// Writes the limits, such as `expansion=200,line=1048576`; the memory if it is not the usual.
impl fmt::Display for LogLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expansion={},line={}", self.expansion, self.line_bytes)?;
        let is_usual = self.memory_bytes == Self::USUAL.memory_bytes;
        if is_usual { Ok(()) } else { write!(f, ",memory={}", self.memory_bytes) }
    }
}

/// Reads one limit or several; the others have their defaults.
impl FromStr for LogLimits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut limits = Self::default();
        let mut seen = Vec::new();
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(expected)?;
            // Text is read in chunks, so that a limit below their size would let longer lines pass.
            let least = match name {
                "line" => CHUNK,
                "memory" => LEAST_MEMORY,
                _ => 1,
            };
            let value = value.parse().ok().filter(|&value: &usize| value >= least).ok_or_else(expected)?;
            match name {
                _ if seen.contains(&name) => return Err(format!("{name} stands twice; {}", expected())),
                "expansion" => limits.expansion = value as u64,
                "line" => limits.line_bytes = value,
                "memory" => limits.memory_bytes = value as u64,
                _ => return Err(expected()),
            }
            seen.push(name);
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_they_are_written() {
        let limits = |expansion, line_bytes| Ok(LogLimits { expansion, line_bytes, ..LogLimits::USUAL });
        let large = LogLimits { memory_bytes: 8 << 30, ..LogLimits::USUAL };
        assert_eq!(large.to_string().parse(), Ok(large));
        let usual = LogLimits::default();
        assert_eq!(usual.to_string().parse(), Ok(usual));
        assert_eq!("line=300000".parse::<LogLimits>(), limits(usual.expansion, 300_000));
        assert_eq!("expansion=1000,line=500000".parse::<LogLimits>(), limits(1000, 500_000));
        for text in [
            "",
            "line",
            "line=0",
            "line=x",
            "lines=5",
            "line=5",
            "line=300000,line=300000",
            "expansion=-1",
            "memory=1000",
            "line=300000;expansion=3",
        ] {
            assert!(text.parse::<LogLimits>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_much_text_is_refused() {
        let limits = LogLimits { expansion: 10, ..LogLimits::default() };
        assert!(!limits.refuses(MUCH_TEXT, 1, false) && limits.refuses(MUCH_TEXT + 1, 1, false));
        assert!(limits.refuses(MUCH_TEXT, 1, true) && !limits.refuses(MUCH_TEXT_OF_TABLE, 1, true));
        assert!(
            !limits.refuses(20 * MUCH_TEXT, 2 * MUCH_TEXT, false)
                && limits.refuses(21 * MUCH_TEXT, 2 * MUCH_TEXT, false)
        );
    }
}
