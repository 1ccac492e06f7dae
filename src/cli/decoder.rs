//! Decodes binary tables of logs in a process of its own: this program, started again. A damaged table can
//! make the decoder ask for any amount of memory, which ends a process at once. The other process has a limit
//! of memory on Linux, and its end is an error of the log.
//!
//! The table is its standard input and the text its standard output. Small tables take 10 ms longer.

use std::fs::File;
use std::io::{self, Read};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::frame::text_of_table;
use crate::trace::{LogLimits, set_table_converter};

/// The first argument of the process that decodes; the second one is its memory in bytes.
const DECODE: &str = "--decode-table-of-log";

/// The greatest length of a message of the process.
const LONGEST: u64 = 1 << 16;

/// Lets tables be decoded in a process of its own, unless this one embeds the command.
pub(super) fn separate_decoder() {
    set_table_converter(text_by_process);
}

/// Decodes the table on standard input if the arguments of this process ask for that, and returns its exit
/// code.
pub(super) fn decode_if_asked(mut words: impl Iterator<Item = std::ffi::OsString>) -> Option<u8> {
    let is_asked = words.nth(1).is_some_and(|word| word == DECODE);
    let memory_bytes = words.next().and_then(|word| word.to_str()?.parse().ok()).filter(|_| is_asked)?;
    super::hush_readers();
    limit_memory(memory_bytes);
    let decoded = standard_input().and_then(text_of_table).and_then(|mut text| {
        let mut output = io::stdout().lock();
        io::copy(&mut text, &mut output).map(|_| ())
    });
    Some(match decoded {
        Ok(()) => 0,
        // The reader has gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            // Without a standard error the exit code alone says that it failed.
            let _ = io::Write::write_all(&mut io::stderr(), error.to_string().as_bytes());
            1
        }
    })
}

/// Returns the file that is standard input.
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

/// Limits the memory of this process. Other systems than Linux count it in other ways.
fn limit_memory(bytes: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    if cfg!(target_os = "linux") {
        // Without the limit, the system's own decides.
        let _ = setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) });
    }
}

/// Returns the text of a table. Decodes it here if no process can be started.
fn text_by_process(file: File, limits: &LogLimits) -> io::Result<Box<dyn Read + Send>> {
    let started = std::env::current_exe().and_then(|program| {
        let mut command = Command::new(program);
        command.args([DECODE, &limits.memory_bytes.to_string()]);
        command.env("POLARS_MAX_THREADS", "1");
        command.stdin(Stdio::from(file.try_clone()?)).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()
    });
    let Ok(mut child) = started else { return text_of_table(file) };
    match child.stdout.take() {
        Some(text) => Ok(Box::new(DecodedText { text, child, memory_bytes: limits.memory_bytes })),
        None => text_of_table(file),
    }
}

/// The text that another process makes.
struct DecodedText {
    text: ChildStdout,
    child: Child,
    memory_bytes: u64,
}

impl Read for DecodedText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        if count > 0 || buffer.is_empty() {
            return Ok(count);
        }
        let mut message = String::new();
        if let Some(errors) = self.child.stderr.take() {
            // A message that is no text is not shown.
            let _ = errors.take(LONGEST).read_to_string(&mut message);
        }
        let status = self.child.wait()?;
        let problem = match status.code() {
            Some(0) => return Ok(0),
            Some(1) => message.trim().to_owned(),
            _ if message.contains("memory allocation of") => format!(
                "the table cannot be decoded in {} MB of memory; it is damaged, or --log-limits memory=BYTES \
                 allows more",
                self.memory_bytes / 1_000_000
            ),
            _ => format!("the table cannot be decoded: the process that decodes it has ended ({status})"),
        };
        Err(io::Error::new(io::ErrorKind::InvalidData, problem))
    }
}

impl Drop for DecodedText {
    fn drop(&mut self) {
        // It has ended already, unless only a part of the text was read.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
