//! Lists with commas, and messages on arguments that do not parse where the parser's own would not help.

use std::error::Error as _;
use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, Command, CommandFactory as _, Error};

use super::Arguments;
use crate::spec::is_similar;
use crate::text::grouped;
use crate::trace::Format;

/// Options with lists of specs.
const SPECS: [&str; 6] = ["-a", "--allocator", "-s", "--scheduler", "--network", "--show"];
/// Options with lists of machines.
const MACHINES: [&str; 2] = ["-m", "--machine"];

/// Returns the words of a command with each list of specs or machines that has commas as several words.
///
/// A comma separates two specs unless it precedes a parameter: `mc1x1,curve:order=hilbert,select=best-fit` is
/// two specs. It separates two machines unless the first has `without=`, or all are plain numbers, as in
/// `4,4`.
pub(super) fn split_lists(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let (mut split, mut option, mut is_over) = (Vec::new(), String::new(), false);
    for word in words {
        let Some(text) = word.to_str().filter(|_| !is_over) else {
            split.push(word);
            continue;
        };
        is_over = text == "--";
        if let Some((name, values)) = text.split_once('=').filter(|(name, _)| name.starts_with("--")) {
            option.clear();
            split.extend(items(name, values).into_iter().map(|item| format!("{name}={item}").into()));
        } else if text.starts_with('-') && text.len() > 1 {
            text.clone_into(&mut option);
            split.push(word);
        } else {
            split.extend(items(&option, text).into_iter().map(OsString::from));
        }
    }
    split
}

/// Returns the items of a list of specs or machines; of another option's value, the value itself.
fn items(option: &str, text: &str) -> Vec<String> {
    let is_parameter = |part: &str| match (part.find('='), part.find(':')) {
        (Some(equals), Some(colon)) => equals < colon,
        (equals, _) => equals.is_some(),
    };
    let mut items: Vec<String> = Vec::new();
    let is_program = ["exec:", "guest:"].iter().any(|kind| text.starts_with(kind));
    let is_list = if MACHINES.contains(&option) {
        !text.split(',').all(|part| part.parse::<u64>().is_ok())
    } else {
        SPECS.contains(&option) && !is_program
    };
    for part in text.split(',') {
        match items.last_mut() {
            Some(last) if !is_list || part.is_empty() || is_parameter(part) || last.contains("without=") => {
                *last += ",";
                *last += part;
            }
            _ => items.push(part.to_owned()),
        }
    }
    items
}

/// Returns the error with a message in the words of the mistake: a log behind an option that takes several
/// values, a log in place of a command, values with commas between them, or a number of the wrong kind.
/// Suggestions of names that are not similar are removed. Any other error is returned unchanged.
pub(super) fn explain(mut error: Error) -> Error {
    if error.kind() == ErrorKind::UnknownArgument {
        // `--` is for values that begin with a hyphen, which no argument here has.
        error.remove(ContextKind::Suggested);
        let given = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
        let is_near = |name: &str| is_similar(given.trim_start_matches('-'), name.trim_start_matches('-'));
        if error.get(ContextKind::SuggestedArg).is_some_and(|name| !is_near(&name.to_string())) {
            error.remove(ContextKind::SuggestedArg);
        }
        return error;
    }
    let text = |kind| error.get(kind).map(ToString::to_string);
    if let (ErrorKind::InvalidSubcommand, Some(given)) = (error.kind(), text(ContextKind::InvalidSubcommand))
    {
        return if is_log(&given) {
            raw(format!(
                "'{given}' is no command; to replay it as a log: meshreplay replay {given} --machine auto \
                 --allocator hilbert+bf mc1x1"
            ))
        } else {
            error
        };
    }
    if error.kind() == ErrorKind::InvalidValue && text(ContextKind::InvalidValue).as_deref() == Some("papers")
    {
        return raw("papers are listed by `meshreplay reproduce list`".to_owned());
    }
    let (ErrorKind::ValueValidation, Some(argument), Some(value)) =
        (error.kind(), text(ContextKind::InvalidArg), text(ContextKind::InvalidValue))
    else {
        return error;
    };
    let option = argument.split(' ').next().unwrap_or_default();
    let is_list = option.starts_with('-') && argument.ends_with("...");
    let misplaced =
        || is_list.then(|| misplaced(option, &value).or_else(|| separated(option, &value))).flatten();
    let number = || {
        let expected = expected_number(&error.source()?.to_string())?;
        Some(format!("invalid value '{value}' for '{argument}': expected {expected}"))
    };
    match misplaced().or_else(number) {
        Some(message) => raw(message),
        None => error,
    }
}

/// Returns an error with this message.
fn raw(message: String) -> Error {
    Error::raw(ErrorKind::ValueValidation, message + "\n\nFor more information, try '--help'.\n")
}

/// Returns whether `text` names a file, or has the name of a log.
fn is_log(text: &str) -> bool {
    Path::new(text).is_file() || Format::of_path(Path::new(text)).is_some()
}

/// Returns the error with control characters of its message spelled out, as arguments may come from names of
/// files. A message without any keeps its bold letters.
pub(super) fn printable(error: Error) -> Error {
    let message = error.render().to_string();
    if message.lines().all(|line| !line.contains(char::is_control)) {
        return error;
    }
    let lines: Vec<_> = message.trim_end().split('\n').map(crate::text::printable).collect();
    let message = lines.join("\n");
    Error::raw(error.kind(), message.strip_prefix("error: ").unwrap_or(&message).to_owned() + "\n")
}

/// Returns the message that `value` is a file and stands where values of `option` are expected; `None` if
/// there is no such file and its name is not the name of a log either.
fn misplaced(option: &str, value: &str) -> Option<String> {
    let path = Path::new(value);
    let what = if path.is_dir() {
        "a directory"
    } else if path.exists() {
        "a file"
    } else if value == "-" {
        "standard input"
    } else {
        // `16x8.swf` has the name of a log even if no such file exists.
        Format::of_path(path).map(|_| "the name of a log")?
    };
    Some(format!(
        "'{value}' is {what}: logs and directories come before {option}, which takes several values, or \
             after --"
    ))
}

/// Returns the message that the values in `value` are to be separated by blanks; `None` if there is no comma
/// in it, or only commas between the parameters of one spec.
fn separated(option: &str, value: &str) -> Option<String> {
    if takes_commas(&Arguments::command(), option) {
        return None;
    }
    let is_list = value.split(',').all(|part| !part.is_empty());
    let (first, rest) = value.split_once(',').filter(|(first, _)| is_list && !first.contains(':'))?;
    if rest.contains('=') {
        return Some(format!("'{value}': parameters follow a colon, as in {first}:{rest}"));
    }
    let spaced = value.replace(',', " ");
    let what = if option == "--machine" {
        format!("a mesh is {}, and several arrays are", value.replace(',', "x"))
    } else {
        "values are separated by blanks, as in".to_owned()
    };
    Some(format!("'{value}' has commas: {what} {option} {spaced}"))
}

/// Returns whether values of an option of the command or of one of its commands may have commas, between them
/// or, as coordinates do, inside.
fn takes_commas(command: &Command, option: &str) -> bool {
    let name = option.trim_start_matches('-');
    let is_it = |argument: &&Arg| argument.get_long() == Some(name);
    let has_inside = |argument: &Arg| {
        argument.get_value_names().is_some_and(|names| names.iter().any(|name| name.contains(',')))
    };
    let has = |argument: &Arg| argument.get_value_delimiter().is_some() || has_inside(argument);
    command.get_arguments().find(is_it).is_some_and(has)
        || command.get_subcommands().any(|command| takes_commas(command, option))
}

/// Returns what was expected instead of a number that failed to parse with `message`, in plain words; `None`
/// if the message is not one of the standard library's or of the parser's.
fn expected_number(message: &str) -> Option<String> {
    let plain = match message {
        "invalid digit found in string" | "cannot parse integer from empty string" => "a whole number",
        "number too large to fit in target type" => "a smaller number",
        "number too small to fit in target type" => "a larger number",
        "number would be zero for non-zero type" => "a whole number from 1",
        "invalid float literal" | "cannot parse float from empty string" => "a number",
        _ => {
            let (_, range) = message.split_once(" is not in ")?;
            return range_words(range);
        }
    };
    Some(plain.to_owned())
}

/// Returns a range such as `1..=100000` in words; `None` if it has another form.
fn range_words(range: &str) -> Option<String> {
    let (least, most) = range.split_once("..")?;
    let least: u64 = least.parse().ok()?;
    let most: u64 = match most.strip_prefix('=') {
        Some(most) => most.parse().ok()?,
        None => most.parse::<u64>().ok()?.checked_sub(1)?,
    };
    let least = grouped(least as f64, 0);
    // Where any number will do, there is no end to name.
    if most >= u64::MAX - 1 {
        return Some(format!("a whole number from {least}"));
    }
    Some(format!("a whole number from {least} to {}", grouped(most as f64, 0)))
}
