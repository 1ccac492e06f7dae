//! The lines of Batsim's table as text. A stray quote makes one cell of several lines, and a row without its
//! last cells has no start, so either would hide jobs without a word.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::{BATSIM, ScheduleError};
use crate::frame::FileFormat;
use meshreplay_base::disk;
use meshreplay_base::words::{counted, excerpt};

/// The bytes of the first line among which the name of the column is looked for.
const HEADING: u64 = 1 << 16;

/// Fails if a file in CSV whose heading is Batsim's has a line with a stray quote or with another number of
/// cells than the heading. Files that cannot be read are not checked, and texts may not go over lines.
pub(super) fn check_lines(path: &Path) -> Result<(), ScheduleError> {
    // A pipe has been read, and gives nothing again.
    if !matches!(FileFormat::of_path(path), None | Some(FileFormat::Csv)) || !path.is_file() {
        return Ok(());
    }
    let Ok(mut file) = disk::open(path).map(BufReader::new) else { return Ok(()) };
    let mut heading = Vec::new();
    if Read::by_ref(&mut file).take(HEADING).read_until(b'\n', &mut heading).is_err() || !is_batsim(&heading)
    {
        return Ok(());
    }
    let wrong = |line: usize, fault: Fault| ScheduleError::Line {
        path: path.to_owned(),
        line,
        found: fault.found,
        expected: fault.expected,
    };
    let cells = count_cells(trimmed(&heading)).map_err(|fault| wrong(1, fault))?;
    for (line, text) in (2..).zip(file.split(b'\n').map_while(Result::ok)) {
        let text = trimmed(&text);
        let found = count_cells(text).map_err(|fault| wrong(line, fault))?;
        // An empty line is no row.
        if found != cells && !text.is_empty() {
            let found = format!("a line of {}", counted(found, "cell"));
            let expected = format!(
                "{}, as in the heading; correct the line, or get the file again",
                counted(cells, "cell")
            );
            return Err(wrong(line, Fault { found, expected }));
        }
    }
    Ok(())
}

/// Returns whether a column of the heading is Batsim's, also where quotes are wrong.
fn is_batsim(heading: &[u8]) -> bool {
    let name = |cell: &[u8]| {
        let cell = cell.trim_ascii();
        let cell = cell.strip_prefix(b"\xef\xbb\xbf").unwrap_or(cell);
        let cell = cell.strip_prefix(b"\"").unwrap_or(cell);
        cell.strip_suffix(b"\"").unwrap_or(cell) == BATSIM.as_bytes()
    };
    heading.split(|&byte| byte == b',').any(name)
}

/// Returns a line without its end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// What is wrong with a line.
#[derive(Debug)]
struct Fault {
    found: String,
    expected: String,
}

/// Returns the number of cells of a line. A cell is in quotes as a whole or has none; within, two stand for
/// one. Fails at any other quote.
fn count_cells(line: &[u8]) -> Result<usize, Fault> {
    let mut rest = line;
    let mut count: usize = 0;
    loop {
        count = count.saturating_add(1);
        let length = if let Some(text) = rest.strip_prefix(b"\"") {
            quoted_length(text).and_then(|length| length.checked_add(1))
        } else {
            let length = rest.iter().position(|&byte| byte == b',').unwrap_or(rest.len());
            Some(length).filter(|&length| !rest[..length].contains(&b'"'))
        };
        match length.map(|length| &rest[length..]) {
            Some([]) => return Ok(count),
            Some([b',', next @ ..]) => rest = next,
            _ => return Err(stray(line, rest, count)),
        }
    }
}

/// Returns the length of a text in quotes with its closing quote; `None` without one.
fn quoted_length(text: &[u8]) -> Option<usize> {
    let mut at: usize = 0;
    while let Some(quote) = text.get(at..)?.iter().position(|&byte| byte == b'"') {
        at = at.checked_add(quote)?.checked_add(1)?;
        if text.get(at) != Some(&b'"') {
            return Some(at);
        }
        at = at.checked_add(1)?;
    }
    None
}

/// Returns the fault of a line with a stray quote in the cell of this number, with which `rest` begins.
fn stray(line: &[u8], rest: &[u8], cell: usize) -> Fault {
    let (found, expected) = if line.iter().fold(false, |open, byte| open ^ (*byte == b'"')) {
        (
            "a quote is not closed on its line and would hide the jobs up to the next one".to_owned(),
            "an even number of quotes on each line",
        )
    } else {
        (
            format!("a quote within cell {cell}: '{}'", excerpt(&String::from_utf8_lossy(rest))),
            "quotes around a whole cell, and two for one within it",
        )
    };
    Fault { found, expected: expected.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_as_csv_has_them() {
        for (line, cells) in [
            ("", 1),
            ("1,2,", 3),
            ("\"a, b\",2", 2),
            ("\"\",\"a \"\"b\"\"\",\"\"\"\"", 3),
            ("\"3,600,2\"", 1),
            ("\"x\"\",600,\"", 1),
        ] {
            assert_eq!(count_cells(line.as_bytes()).ok(), Some(cells), "{line}");
        }
        for (line, found) in [
            ("1,\"x", "a quote is not closed"),
            ("1,12\" wide", "a quote is not closed"),
            ("1,6\"00\",2", "a quote within cell 2: '6"),
            ("\"x\"y,6\"\"", "a quote within cell 1"),
        ] {
            let fault = count_cells(line.as_bytes()).expect_err(line);
            assert!(fault.found.starts_with(found), "{line}: {fault:?}");
        }
    }

    #[test]
    fn only_texts_of_batsim_are_checked() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let checked = |name: &str, text: &str| -> Result<String, std::io::Error> {
            let path = directory.path().join(name);
            std::fs::write(&path, text)?;
            Ok(check_lines(&path).map_or_else(|error| error.to_string(), |()| String::new()))
        };
        let heading = "job_id,starting_time,metadata\r\n";
        assert_eq!(checked("sound.csv", &format!("{heading}1,2,\r\n2,3,\"a, b\"\r\n\r\n"))?, "");
        assert_eq!(checked("ours.csv", "job,user\n1,\"a\nb\"\n2\n")?, "");
        assert_eq!(checked("noext", "PAR1\"\n\"\"\",\n")?, "");
        for (rows, found) in [
            ("1,2,\n3,4\n5,6,\n", ":3: a line of 2 cells; expected 3 cells, as in the heading"),
            ("1,2,\n\"3,4,\"\n", ":3: a line of 1 cell;"),
            ("1,2,\n3,\"4,\"\n", ":3: a line of 2 cells"),
            ("1,2,,\n", ":2: a line of 4 cells"),
            ("1,2,\"a\nb\"\n", ":2: a quote is not closed on its line"),
        ] {
            let message = checked("wrong.csv", &[heading, rows].concat())?;
            assert!(message.contains(found), "{message}");
        }
        Ok(())
    }
}
