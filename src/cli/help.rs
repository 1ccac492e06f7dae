//! How help is arranged: headings for the options of `replay`, a short form on one screen, and usage lines in
//! the order that works: options that take several values come after the arguments without a name.

use clap::{Arg, Command};

/// The headings of the help of `replay` with the arguments below each, by their long names.
const HEADINGS: [(&str, &[&str]); 6] = [
    (
        "What to replay",
        &[
            "allocator",
            "scheduler",
            "order",
            "network",
            "arrival-scale",
            "arrivals",
            "seed",
            "replications",
            "shake",
            "partition",
            "period",
            "input-format",
            "time-zone",
            "dates",
            "unit",
            "cluster",
            "lenient",
            "log-limits",
        ],
    ),
    ("On which machine", &["machine", "topology", "unavailable", "outages", "on-outage", "node-map"]),
    (
        "Rules of the workload",
        &["rules", "status", "estimate", "overrun", "sizes", "shape", "oversize", "trim"],
    ),
    (
        "What to record",
        &[
            "why",
            "placements",
            "tidy",
            "by-shape",
            "contention",
            "fragmentation",
            "audit",
            "latency",
            "no-timing",
        ],
    ),
    ("Output", &["output", "force", "large", "format", "columns", "sort", "sparklines", "quiet"]),
    ("Performance", &["threads", "timing-rounds"]),
];

/// The options of `replay` that its short help shows.
const SHORT: [&str; 6] = ["machine", "allocator", "scheduler", "arrival-scale", "replications", "output"];

/// Returns the whole command with its help arranged.
pub(super) fn arranged(command: Command) -> Command {
    let command = command.mut_subcommand("replay", |replay| {
        replay.mut_args(|arg| {
            let heading = arg.get_long().and_then(heading);
            let is_hidden = arg.get_long().is_some_and(|long| !SHORT.contains(&long));
            let arg = arg.hide_short_help(is_hidden);
            if heading.is_some() { arg.help_heading(heading) } else { arg }
        })
    });
    let name = command.get_name().to_owned();
    with_usage(command, &name)
}

/// Returns the heading of an argument of `replay`.
fn heading(long: &str) -> Option<&'static str> {
    HEADINGS.iter().find(|(_, names)| names.contains(&long)).map(|(heading, _)| *heading)
}

/// Returns the command, called `path`, with usage lines for it and everything below it.
fn with_usage(command: Command, path: &str) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|each| each.get_name().to_owned()).collect();
    if below.is_empty() {
        let usage = usage(&command, path);
        return command.override_usage(usage);
    }
    below.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |each| with_usage(each, &format!("{path} {name}")))
    })
}

/// Returns the usage line of a command: arguments without a name, required options, all others.
fn usage(command: &Command, path: &str) -> String {
    let positional = command.get_positionals().filter(|arg| !arg.is_hide_set()).map(shown);
    let required = command.get_opts().filter(|arg| arg.is_required_set()).map(shown);
    let has_more = command.get_opts().any(|arg| !arg.is_required_set());
    let mut words: Vec<String> = std::iter::once(path.to_owned()).chain(positional).chain(required).collect();
    if has_more || command.get_arguments().any(|arg| !arg.is_positional() && !arg.get_action().takes_values())
    {
        words.push("[OPTIONS]".to_owned());
    }
    words.join(" ")
}

/// Returns an argument as usage lines show it: `<LOG>...`, `[NAME]`, `--machine <MACHINE>...`.
fn shown(arg: &Arg) -> String {
    let value = match arg.get_value_names() {
        Some([name, ..]) => name.to_string(),
        _ => arg.get_id().as_str().to_uppercase(),
    };
    let dots = if arg.get_num_args().is_some_and(|count| count.max_values() > 1) { "..." } else { "" };
    match arg.get_long() {
        Some(long) => format!("--{long} <{value}>{dots}"),
        None if arg.is_required_set() => format!("<{value}>{dots}"),
        None => format!("[{value}]{dots}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::cli::Arguments;

    #[test]
    fn every_option_of_replay_has_one_heading() {
        let command = Arguments::command();
        let replay = command.find_subcommand("replay").expect("there is a command replay");
        let options: BTreeSet<&str> = replay.get_arguments().filter_map(Arg::get_long).collect();
        let arranged: Vec<&str> = HEADINGS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(arranged.iter().copied().collect::<BTreeSet<_>>(), options);
        assert_eq!(arranged.len(), options.len());
        assert!(SHORT.iter().all(|name| options.contains(name)));
    }

    #[test]
    fn usage_has_logs_before_options() {
        let mut command = arranged(Arguments::command());
        let replay = command.find_subcommand_mut("replay").expect("there is a command replay");
        let usage = replay.render_usage().to_string();
        assert_eq!(
            usage,
            "Usage: meshreplay replay <LOG>... --machine <MACHINE>... --allocator <SPEC>... [OPTIONS]"
        );
    }

    #[test]
    fn short_help_fits_one_screen() {
        let mut command = arranged(Arguments::command());
        let replay = command.find_subcommand_mut("replay").expect("there is a command replay");
        let lines = replay.render_help().to_string().lines().count();
        assert!(lines <= 40, "{lines} lines");
    }
}
