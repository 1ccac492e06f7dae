//! The public interface against the last release: columns of results, arguments of commands, names with
//! default parameters, the Python package. A difference needs a decision on the next version number, see
//! docs/src/versions.md.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::process::Command;

use meshreplay::frame::FrameSchema;

use super::docs::{helps, printed, root};
use super::support::{Tested, assert_golden, blesses};

/// Compares the lines of the current interface with the last release, in any order.
fn assert_released(name: &str, today: &[String]) -> Tested {
    let name = format!("released/{name}.txt");
    if blesses() {
        return assert_golden(&name, &(today.join("\n") + "\n"));
    }
    let released = fs::read_to_string(root().join("tests/it/golden").join(&name))?;
    let decision = decision(&released, today);
    decision.map_or(Ok(()), |text| Err(format!("{name}: {text}").into()))
}

/// Returns the removed and added lines with the version numbers that they require, or `None` without
/// differences.
fn decision(released: &str, today: &[String]) -> Option<String> {
    let before: BTreeSet<&str> = released.lines().collect();
    let now: BTreeSet<&str> = today.iter().map(String::as_str).collect();
    let lines = |sign, a: &BTreeSet<&str>, b: &BTreeSet<&str>| -> String {
        a.difference(b).flat_map(|line| [sign, " ", line, "\n"]).collect()
    };
    let (gone, new) = (lines("-", &before, &now), lines("+", &now, &before));
    if gone.is_empty() && new.is_empty() {
        return None;
    }
    let number = if gone.is_empty() {
        "these lines are new, which takes a minor version:"
    } else {
        "scripts may rely on the lines with -. Keep them and deprecate them, or take a major version; a \
         changed default takes a minor version and a line under Changed defaults:"
    };
    let remedy = "Decide by docs/src/versions.md, write it into CHANGELOG.md, then run `make released`";
    Some(format!("the interface is not that of the last release; {number}\n{gone}{new}{remedy}"))
}

#[test]
fn a_change_asks_for_a_decision() {
    let now = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert_eq!(decision("a\nb\n", &now(&["b", "a"])), None);
    let added = decision("a\n", &now(&["a", "b"])).unwrap_or_default();
    assert!(added.contains("minor version:\n+ b\n") && !added.contains("major"), "{added}");
    let changed = decision("a x=1\n", &now(&["a x=2"])).unwrap_or_default();
    assert!(changed.contains("major version") && changed.contains("- a x=1\n+ a x=2\n"), "{changed}");
}

#[test]
fn columns_are_those_of_the_release() -> Tested {
    let line = |frame: &str, column: &meshreplay::metrics::ColumnInfo| -> Result<String, Box<dyn Error>> {
        let kind = serde_json::to_value(column.kind)?;
        let kind = kind.as_str().unwrap_or_default();
        Ok(format!("{frame} {} {kind} {}", column.name, column.unit).trim_end().to_owned())
    };
    let mut lines = Vec::new();
    for schema in FrameSchema::all() {
        for column in &schema.columns {
            lines.push(line(schema.name, column)?);
        }
    }
    assert_released("columns", &lines)
}

/// The value after `label` in brackets in a help text: `easy` in `[default: easy]`.
fn bracketed(text: &str, label: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("[{label}: "))?;
    Some(rest.split_once(']')?.0.to_owned())
}

/// The arguments of a command from its help, with defaults and possible values.
fn arguments(command: &str, help: &str) -> Vec<String> {
    let mut entries: Vec<(String, String)> = Vec::new();
    let body = help.lines().skip_while(|line| !line.starts_with("Usage:")).skip(1);
    for line in body.take_while(|line| !line.starts_with("Example")) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if (2..8).contains(&indent) && text.starts_with(['-', '<', '[']) {
            let (head, rest) = text.split_once("  ").unwrap_or((text, ""));
            entries.push((head.to_owned(), rest.to_owned()));
        } else if let Some((_, rest)) = entries.last_mut() {
            *rest = format!("{rest} {text}");
        }
    }
    let known = |head: &str| ["-h, --help", "-V, --version"].contains(&head);
    let entries = entries.into_iter().filter(|(head, _)| !known(head));
    let line = |(head, text): (String, String)| {
        let default = bracketed(&text, "default").map(|value| format!(" default: {value};"));
        let values = bracketed(&text, "possible values").map(|value| format!(" values: {value};"));
        format!("{command} {head}{}{}", default.unwrap_or_default(), values.unwrap_or_default())
    };
    entries.map(line).collect()
}

#[test]
fn arguments_are_those_of_the_release() -> Tested {
    let helps = helps("meshreplay")?;
    let lines: Vec<String> = helps
        .iter()
        .flat_map(|(command, help)| [vec![command.clone()], arguments(command, help)].concat())
        .collect();
    assert_released("arguments", &lines)
}

#[test]
fn names_and_default_parameters_are_those_of_the_release() -> Tested {
    let mut lines = Vec::new();
    for (family, columns) in [
        ("allocators", "name,parameters"),
        ("schedulers", "name,parameters"),
        ("predictors", "name,correction"),
        ("networks", "name,parameters"),
        ("orders", "name"),
        ("formats", "name,parameters"),
        ("models", "name,parameters"),
        ("plots", "name"),
    ] {
        let table = printed(root(), &format!("meshreplay list {family} --columns {columns}"))?;
        let rows = table.lines().skip(1);
        let words = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.extend(rows.map(|row| format!("{family} {}", words(row))));
    }
    assert_released("names", &lines)
}

#[test]
fn the_python_package_is_that_of_the_release() -> Tested {
    let output = Command::new("python3").arg(root().join("python/scripts/interface.py")).output();
    let Ok(output) = output else {
        println!("skipped: no python3");
        return Ok(());
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    assert_released("python", &text.lines().map(str::to_owned).collect::<Vec<_>>())
}
