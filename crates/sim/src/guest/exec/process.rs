//! A program that runs along with a replay: lines go to its standard input and come from its standard output.
//!
//! All pipes are non-blocking and polled together, so a program can block the replay neither by not reading
//! nor by filling a pipe. The program has its own process group: Ctrl-C on a terminal reaches only this
//! process, which then kills the group.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::command::Command;
use meshreplay_base::stop::Stop;

/// The longest time between two checks of the stop switch.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Time for a program to exit after its standard input is closed, or after it has closed a pipe.
const GRACE: Duration = Duration::from_millis(300);

/// Bytes of standard error that are kept.
const STDERR_BYTES: usize = 4096;

/// Lines of standard error that messages quote.
const STDERR_LINES: usize = 8;

/// A running program, killed on drop.
pub(super) struct Process {
    child: Child,
    /// The pipes, `None` once closed.
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// Bytes still to be written to the program.
    outbox: Vec<u8>,
    /// Bytes read from the program but not consumed: at most one line, and whatever was read along with it.
    inbox: Vec<u8>,
    /// The last bytes of standard error.
    stderr_tail: VecDeque<u8>,
    timeout: Duration,
    /// Limit of a line from the program, in bytes.
    longest: usize,
    stop: Stop,
    /// Whether the program has answered every question, so that it may exit by itself.
    may_exit: bool,
    /// Whether the process was reaped, so that its number may belong to another one.
    is_reaped: bool,
}

/// The reason for a missing answer.
pub(super) enum AskError {
    /// The replay is stopped.
    Stopped,
    /// The program has failed, with a description.
    Failed(String),
}

/// A problem with the pipes to a program.
enum PipeError {
    /// The program has closed this pipe, usually by ending.
    Closed(&'static str),
    /// Anything else, with a description.
    Other(String),
}

impl Process {
    /// Starts the program, with lines of at most `longest` bytes. Fails with a description if it cannot be
    /// started.
    pub(super) fn start(command: &Command, longest: usize, stop: &Stop) -> Result<Self, String> {
        let [program, arguments @ ..] = command.words.as_slice() else {
            return Err("the command is missing".to_owned());
        };
        let mut new = std::process::Command::new(program);
        new.args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = new.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound if program.contains('/') => {
                format!("there is no program {program}; paths are relative to the current directory")
            }
            ErrorKind::NotFound => {
                format!(
                    "there is no program {program} on the path; write ./{program} for one in this directory"
                )
            }
            ErrorKind::PermissionDenied => {
                format!("{program} may not be executed ({error}); chmod +x makes a file a program")
            }
            _ => format!("{program} cannot be started: {error}"),
        })?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Self {
            child,
            stdin,
            stdout,
            stderr,
            outbox: Vec::new(),
            inbox: Vec::new(),
            stderr_tail: VecDeque::new(),
            timeout: command.timeout,
            longest,
            stop: stop.clone(),
            may_exit: false,
            is_reaped: false,
        };
        process.set_non_blocking().map_err(|error| format!("{program} has no pipes: {error}"))?;
        Ok(process)
    }

    fn set_non_blocking(&self) -> std::io::Result<()> {
        let pipes = [
            self.stdin.as_ref().map(AsFd::as_fd),
            self.stdout.as_ref().map(AsFd::as_fd),
            self.stderr.as_ref().map(AsFd::as_fd),
        ];
        for pipe in pipes.into_iter().flatten() {
            ioctl_fionbio(pipe, true)?;
        }
        Ok(())
    }

    /// Queues a line that needs no answer. It is sent with the next question.
    pub(super) fn tell(&mut self, line: &str) {
        self.outbox.extend_from_slice(line.as_bytes());
        self.outbox.push(b'\n');
    }

    /// Sends a line and returns the next line of the program, without its end.
    pub(super) fn ask(&mut self, line: &str) -> Result<Vec<u8>, AskError> {
        self.tell(line);
        self.may_exit = false;
        let deadline = Instant::now() + self.timeout;
        loop {
            self.write().map_err(|error| self.failed(error))?;
            if let Some(end) = self.inbox.iter().position(|&byte| byte == b'\n') {
                let rest = self.inbox.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.inbox, rest);
                line.pop();
                self.may_exit = true;
                return Ok(line);
            }
            if self.inbox.len() > self.longest {
                let longest = self.longest;
                let problem = format!("it wrote a line of more than {longest} bytes");
                return Err(self.failed(PipeError::Other(problem)));
            }
            if self.stop.is_thrown() {
                return Err(AskError::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let what = if self.outbox.is_empty() { "answer" } else { "read its standard input" };
                let seconds = self.timeout.as_secs_f64();
                let problem =
                    format!("it did not {what} within {seconds} s, which exec:timeout=SECONDS changes");
                return Err(self.failed(PipeError::Other(problem)));
            }
            self.wait(left.min(POLL_INTERVAL)).map_err(|error| self.failed(error))?;
        }
    }

    /// Writes as much of the outbox as the pipe accepts.
    fn write(&mut self) -> Result<(), PipeError> {
        while let Some(stdin) = self.stdin.as_mut().filter(|_| !self.outbox.is_empty()) {
            match stdin.write(&self.outbox) {
                Ok(written) => drop(self.outbox.drain(..written)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => {
                    self.stdin = None;
                    return Err(PipeError::Closed("input"));
                }
            }
        }
        Ok(())
    }

    /// Waits until a pipe is ready and reads the available bytes.
    fn wait(&mut self, time: Duration) -> Result<(), PipeError> {
        let Some(stdout) = &self.stdout else { return Err(PipeError::Closed("output")) };
        let mut pipes = vec![PollFd::new(stdout, PollFlags::IN)];
        let writes = self.stdin.as_ref().filter(|_| !self.outbox.is_empty());
        pipes.extend(writes.map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        pipes.extend(self.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
        match poll(&mut pipes, Some(&time)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(PipeError::Other(format!("its pipes cannot be watched: {error}"))),
        }
        let is_ready = |pipe: Option<&PollFd<'_>>| pipe.is_some_and(|pipe| !pipe.revents().is_empty());
        let (has_output, has_errors) =
            (is_ready(pipes.first()), is_ready(pipes.last().filter(|_| self.stderr.is_some())));
        if has_errors {
            self.read_stderr();
        }
        if has_output { self.read() } else { Ok(()) }
    }

    /// Reads once from standard output.
    fn read(&mut self) -> Result<(), PipeError> {
        let mut bytes = [0; 16_384];
        match self.stdout.as_mut().map(|pipe| pipe.read(&mut bytes)) {
            Some(Ok(0)) | None => Err(PipeError::Closed("output")),
            Some(Ok(read)) => {
                self.inbox.extend_from_slice(&bytes[..read]);
                Ok(())
            }
            Some(Err(error)) if [ErrorKind::WouldBlock, ErrorKind::Interrupted].contains(&error.kind()) => {
                Ok(())
            }
            Some(Err(error)) => Err(PipeError::Other(format!("its standard output cannot be read: {error}"))),
        }
    }

    /// Reads once from standard error and keeps the last bytes. Returns whether there were any.
    fn read_stderr(&mut self) -> bool {
        let mut bytes = [0; 16_384];
        match self.stderr.as_mut().map(|pipe| pipe.read(&mut bytes)) {
            Some(Ok(0)) => {
                self.stderr = None;
                false
            }
            Some(Ok(read)) => {
                self.stderr_tail.extend(&bytes[..read]);
                let surplus = self.stderr_tail.len().saturating_sub(STDERR_BYTES);
                self.stderr_tail.drain(..surplus);
                true
            }
            _ => false,
        }
    }

    /// Describes a failure: the problem, the exit status and the last lines of standard error.
    fn failed(&mut self, error: PipeError) -> AskError {
        if self.stop.is_thrown() {
            return AskError::Stopped;
        }
        let problem = match error {
            PipeError::Closed(which) => {
                self.ended().unwrap_or_else(|| format!("it closed its standard {which}"))
            }
            PipeError::Other(problem) => problem,
        };
        AskError::Failed(self.with_stderr(&problem))
    }

    /// Returns a problem with the program's last lines of standard error.
    pub(super) fn with_stderr(&mut self, problem: &str) -> String {
        // A limited number of times, because a program may never stop writing.
        for _ in 0..8 {
            if !self.read_stderr() {
                break;
            }
        }
        let bytes: Vec<u8> = self.stderr_tail.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let plain = |line: &str| line.replace('\t', "    ").replace(char::is_control, "");
        let lines: Vec<String> = text.lines().map(plain).filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(STDERR_LINES)..];
        if last.is_empty() {
            return format!("{problem}; it wrote nothing to standard error");
        }
        format!("{problem}; its last lines on standard error:\n    {}", last.join("\n    "))
    }

    /// Describes how the program ended, if it has ended or does within the grace period.
    fn ended(&mut self) -> Option<String> {
        self.has_ended_within(GRACE).then(|| match self.end() {
            Ok(status) => format!("the program ended ({status}) before it answered"),
            Err(error) => format!("the program ended ({error})"),
        })
    }

    /// Kills the program and its process group and returns the exit status, which is the program's own if it
    /// had already ended.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        if !self.is_reaped {
            // Until the program is reaped, the number of its group is its own.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        self.is_reaped = true;
        self.child.wait()
    }

    /// Waits at most `time` for the program to end, and returns whether it has. The process is not reaped, so
    /// its number is not reused.
    fn has_ended_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        let mut nap = Duration::from_micros(200);
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(Pid::from_child(&self.child)), how) {
                Ok(None) => {}
                Ok(Some(_)) | Err(_) => return true,
            }
            if Instant::now() >= deadline || self.stop.is_thrown() {
                return false;
            }
            self.read_stderr();
            thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(10));
        }
    }
}

/// Lets a program that has answered everything exit by itself after its standard input is closed, and kills
/// every other program with its process group.
impl Drop for Process {
    fn drop(&mut self) {
        (self.stdin, self.stdout) = (None, None);
        if self.may_exit && !self.is_reaped && !self.stop.is_thrown() {
            self.has_ended_within(GRACE);
        }
        let _ = self.end();
    }
}
