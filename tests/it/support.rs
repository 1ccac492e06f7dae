//! Helpers for several tests: runs of the program, files and their differences.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

pub(crate) use super::core_support::{Numbers, Tested, replay, shared, shared_log};

/// Gives SIGINT and SIGHUP their default action in child processes, even if this process ignores them, as in
/// the background of a script or under nohup. A signal with a handler here has its default action in
/// children.
#[cfg(unix)]
pub(crate) fn children_hear_interrupts() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let ends = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        signal_hook::flag::register_conditional_default(2, ends).expect("SIGINT can be handled");
        // The tests themselves ignore SIGHUP, as under nohup.
        let heard = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        signal_hook::flag::register(1, heard).expect("SIGHUP can be handled");
    });
}

/// Result of a run of the program.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout)?,
            stderr: String::from_utf8(output.stderr)?,
        })
    }
}

/// Runs the program in `directory` with this standard input and with UTC as its time zone.
pub(crate) fn run_with(directory: &Path, arguments: &[&str], stdin: &[u8]) -> Result<Ran, Box<dyn Error>> {
    run_in_zone(directory, arguments, stdin, "UTC")
}

/// Like [`run_with`], in the time zone `zone`.
pub(crate) fn run_in_zone(
    directory: &Path,
    arguments: &[&str],
    stdin: &[u8],
    zone: &str,
) -> Result<Ran, Box<dyn Error>> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(arguments)
        .current_dir(directory)
        .env("TZ", zone)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A program that fails early does not read its input.
        let _ = input.write_all(stdin);
    }
    let output = child.wait_with_output()?;
    Ran::of(output)
}

/// Runs the program in `directory` with arguments that hold no spaces.
pub(crate) fn run(directory: &Path, arguments: &str) -> Result<Ran, Box<dyn Error>> {
    run_with(directory, &arguments.split(' ').collect::<Vec<_>>(), b"")
}

/// Runs a command that must fail with this code, and returns standard error.
pub(crate) fn wrong(directory: &Path, code: i32, arguments: &str) -> Result<String, Box<dyn Error>> {
    let ran = run(directory, arguments)?;
    assert_eq!(ran.code, Some(code), "{arguments}: {}{}", ran.stdout, ran.stderr);
    Ok(ran.stderr)
}

/// Runs the program in `directory` on a terminal of this width, by `script` of util-linux. Returns standard
/// output and standard error without codes for bold text, or `None` without `script`.
pub(crate) fn on_terminal(
    directory: &Path,
    width: usize,
    arguments: &[&str],
) -> Result<Option<String>, Box<dyn Error>> {
    let shown = bold_on_terminal(directory, width, arguments)?;
    Ok(shown.map(|text| text.replace("\x1b[1m", "").replace("\x1b[0m", "")))
}

/// Like [`on_terminal`], with codes for bold text.
pub(crate) fn bold_on_terminal(
    directory: &Path,
    width: usize,
    arguments: &[&str],
) -> Result<Option<String>, Box<dyn Error>> {
    let typed = meshreplay::text::command_line([env!("CARGO_BIN_EXE_meshreplay")].iter().chain(arguments));
    let mut script = Command::new("script");
    script.args(["-qec", &format!("stty cols {width} rows 24; {typed}"), "/dev/null"]);
    let Ok(output) = script.current_dir(directory).env_remove("COLUMNS").stdin(Stdio::null()).output() else {
        println!("skipped: no `script` of util-linux");
        return Ok(None);
    };
    let text = String::from_utf8(output.stdout)?.replace("\r\n", "\n");
    assert!(output.status.success(), "{typed}: {text}");
    Ok(Some(text))
}

/// Replaces every `from` in `bytes` by `to`, which has the same length.
pub(crate) fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    while let Some(at) = bytes.windows(from.len()).position(|window| window == from) {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// Starts the program in `directory` with arguments that hold no spaces, and does not wait for it.
pub(crate) fn start(directory: &Path, arguments: &str) -> std::io::Result<Child> {
    Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(arguments.split(' '))
        .current_dir(directory)
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// The path of a file in traces/.
pub(crate) fn bundled(file: &str) -> String {
    format!("{}/traces/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Compares `text` with a golden file of tests/it/golden, see [`assert_committed`].
pub(crate) fn assert_golden(name: &str, text: &str) -> Tested {
    assert_committed(&format!("tests/it/golden/{name}"), text)
}

/// Compares `text` with the file at `path` below the project's root, and fails with the lines that differ.
/// With `BLESS=1` in the environment it writes the file instead; check the change in git.
pub(crate) fn assert_committed(path: &str, text: &str) -> Tested {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let committed = fs::read_to_string(&file).unwrap_or_default();
    if committed == text {
        return Ok(());
    }
    if blesses() {
        fs::create_dir_all(file.parent().ok_or("a file has a folder")?)?;
        fs::write(file, text)?;
        println!("blessed: {path}");
        return Ok(());
    }
    let remedy = "if the new lines (+) are right, run `make bless` and commit the file";
    Err(format!("{path} is not what the program gives; {remedy}\n{}", difference(&committed, text)).into())
}

/// Whether `BLESS=1` is set.
pub(crate) fn blesses() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

/// The lines from the first to the last difference: lines of `old` after `-`, then lines of `new` after `+`.
fn difference(old: &str, new: &str) -> String {
    use std::fmt::Write as _;
    const LINES: usize = 30;
    const LETTERS: usize = 200;
    let [old, new] = [old, new].map(|text| text.lines().collect::<Vec<_>>());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let mut text = format!("from line {} on:\n", head + 1);
    for (sign, lines) in [('-', &old), ('+', &new)] {
        let middle = &lines[head..lines.len() - tail];
        for line in middle.iter().take(LINES) {
            // Drawings have lines with thousands of characters.
            let _ = writeln!(text, "{sign} {}", line.chars().take(LETTERS).collect::<String>());
        }
        if middle.len() > LINES {
            let _ = writeln!(text, "{sign} … and {} more lines", middle.len() - LINES);
        }
    }
    text
}

#[test]
fn a_difference_is_shown_without_what_is_the_same() {
    assert_eq!(difference("a\nb\nc\n", "a\nx\ny\nc\n"), "from line 2 on:\n- b\n+ x\n+ y\n");
    assert_eq!(difference("", "a\n"), "from line 1 on:\n+ a\n");
    assert_eq!(difference("a\na\n", "a\n"), "from line 2 on:\n- a\n");
}

/// Every file below `directory` with its content.
pub(crate) fn contents(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, Box<dyn Error>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            let folder = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.extend(
                contents(&path)?.into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes)),
            );
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.insert(name, fs::read(&path)?);
        }
    }
    Ok(found)
}

/// Compares two directories byte by byte, and returns the names of the files that differ.
pub(crate) fn differences(a: &Path, b: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let (a, b) = (contents(a)?, contents(b)?);
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    Ok(names.filter(|name| a.get(*name) != b.get(*name)).cloned().collect())
}

/// The cells of a line of comma-separated values, with their quotes.
pub(crate) fn quoted_cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        is_quoted ^= c == '"';
        match cells.last_mut() {
            Some(cell) if c != ',' || is_quoted => cell.push(c),
            _ => cells.push(String::new()),
        }
    }
    cells
}

/// The cells of a line of comma-separated values.
pub(crate) fn csv_cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    cells
}

/// The columns of a CSV file.
pub(crate) fn columns(path: &Path) -> Result<BTreeMap<String, Vec<String>>, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let titles = csv_cells(lines.next().ok_or("no titles")?);
    let mut columns: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        for (title, cell) in titles.iter().zip(csv_cells(line)) {
            columns.entry(title.clone()).or_default().push(cell);
        }
    }
    Ok(columns)
}
