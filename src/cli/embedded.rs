//! The command line for a program that embeds it, as the Python package does: the whole command, and the
//! arguments of `replay` and `plot` as keywords. Such a program has the names, the values and the messages of
//! the command without writing them again.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, io};

use clap::{Arg, ArgAction, Args, Command};

use super::plot::drawing::{DrawingArgs, PixelArgs};
use super::reading::prepare_readers;
use super::replay::{self, OF_PROGRAM, OF_READING, unplanned};
use super::{Failure, usage};
use crate::figure::draw::{Drawing, Panels, PlotColumn};
use crate::figure::{PLOT_KINDS, Results, format_of_file, plot_kind};
use crate::frame::FileFormat;
use crate::guest::Guests;
use crate::study::{Draft, FlagValue, OPTIONS, Options, ReplayOption, Study};

/// The path under which this program is called again. It is set where the process is another program that has
/// the command in it.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Runs the command that `words` give, without the name of the program, and returns its exit code. After a
/// signal that the command hears, such as Ctrl-C, the process ends by it. `program` is the path under which
/// scripts call the command again.
pub fn run(program: PathBuf, words: impl IntoIterator<Item = OsString>) -> u8 {
    // The first call in a process decides.
    let _ = PROGRAM.set(program);
    super::run([OsString::from("meshreplay")].into_iter().chain(words))
}

/// Returns the path under which this program is called again.
pub(super) fn program() -> io::Result<PathBuf> {
    PROGRAM.get().map_or_else(env::current_exe, |path| Ok(path.clone()))
}

/// What an argument of `replay` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: the argument is a switch, which gives an option this value.
    Switch(bool),
    /// One value.
    Value,
    /// One value or several.
    Values,
}

/// The subject of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// How a log is read.
    Reading,
    /// What is replayed, how, and what is measured.
    Replay,
    /// What a picture of results shows, and how.
    Drawing,
    /// How many pixels a picture has.
    Pixels,
}

/// An argument of `replay` or `plot`, as a keyword of a function has it.
#[derive(Clone, Debug)]
pub struct Keyword {
    /// The name with underscores: that of the option in [`OPTIONS`], or else that of the argument.
    pub name: String,
    /// The argument with its dashes.
    pub flag: String,
    /// Its values.
    pub takes: Takes,
    /// Its subject.
    pub about: About,
    /// Whether it must be given.
    pub is_required: bool,
    /// The help text, in one paragraph.
    pub help: String,
    /// The names that its value may have; empty if they are not a list.
    pub choices: Vec<String>,
    /// The values that it has if it is not given; empty if there are none.
    pub defaults: Vec<String>,
}

/// Returns the arguments of `replay` that say how logs are read and what is replayed, in the order of its
/// help.
pub fn replay_keywords() -> Vec<Keyword> {
    let command = bare::<replay::Args>("replay");
    let named = command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
    let of_replay = named.filter(|(_, long)| !OF_PROGRAM.contains(long));
    let about = |long| if OF_READING.contains(&long) { About::Reading } else { About::Replay };
    of_replay.map(|(arg, long)| keyword(arg, long, option(long), about(long))).collect()
}

/// Returns the arguments of `plot` that say what a picture shows and how many pixels it has, in the order of
/// its help.
pub fn plot_keywords() -> Vec<Keyword> {
    let keywords_of = |command: Command, about: About| -> Vec<Keyword> {
        let named = command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
        named.map(|(arg, long)| keyword(arg, long, None, about)).collect()
    };
    let mut keywords = keywords_of(bare::<DrawingArgs>("plot"), About::Drawing);
    keywords.extend(keywords_of(bare::<PixelArgs>("plot"), About::Pixels));
    keywords
}

/// Draws a picture of the results in `folder` and returns it as SVG. `words` are those arguments of `plot`
/// that say what it shows. The error is the message of the command.
pub fn drawn(folder: &Path, kind: &str, words: &[String]) -> Result<String, String> {
    let (args, panels) = panels(folder, kind, words)?;
    // A picture in a notebook may be long.
    Ok(Drawing::stacked(args.drawn(&panels)).svg())
}

/// Returns the numbers that [`drawn`] draws.
pub fn plotted(folder: &Path, kind: &str, words: &[String]) -> Result<Vec<PlotColumn>, String> {
    Ok(panels(folder, kind, words)?.1.data())
}

/// Returns the panels of a picture, at least one.
fn panels(folder: &Path, kind: &str, words: &[String]) -> Result<(DrawingArgs, Panels), String> {
    let Some(kind) = plot_kind(kind) else {
        let known: Vec<&str> = PLOT_KINDS.iter().map(|kind| kind.name).collect();
        return Err(format!("no plot '{kind}' (one of: {})", known.join(", ")));
    };
    let args: DrawingArgs = parsed("plot", words)?;
    args.check(&[kind]).map_err(|error| error.to_string())?;
    let whole = |error| format!("{:#}", anyhow::Error::new(error));
    let results = Results::read(folder).map_err(whole)?;
    let panels = args.panels(kind, folder, &results, true).map_err(whole)?;
    let missing = || format!("{}: the results do not hold {}", kind.name, kind.needs);
    if panels.panels.is_empty() { Err(missing()) } else { Ok((args, panels)) }
}

/// Returns an SVG drawing as the content of a file with this name. `words` are those arguments of `plot` that
/// say how many pixels it has. The error is the message of the command.
pub fn picture(svg: &str, file: &Path, words: &[String]) -> Result<Vec<u8>, String> {
    let args: PixelArgs = parsed("plot", words)?;
    let format = format_of_file(file).map_err(|error| error.to_string())?;
    args.check(format).map_err(|error| error.to_string())?;
    (format.write)(svg, args.factor()).map_err(|error| error.to_string())
}

/// What arguments of `replay` describe.
#[derive(Clone, Debug)]
pub struct ReplayDraft {
    /// The study. Outcomes hold their jobs, as with `-o`.
    pub draft: Draft,
    /// The number of replays that run at once; `None` for the number of cores.
    pub threads: Option<NonZeroUsize>,
}

/// Returns the draft of a study from arguments of `replay`. `guest:NAME` is one of `guests`. The error is the
/// message of the command.
pub fn replay_draft(words: &[String], guests: Guests) -> Result<ReplayDraft, String> {
    prepare_readers();
    let args: replay::Args = parsed("replay", words)?;
    let mut draft = args.draft(guests).map_err(|error| format!("{error:#}"))?;
    (draft.options.jobs, draft.most_kept) = (true, usize::MAX);
    Ok(ReplayDraft { draft, threads: args.threads })
}

/// Plans the study of a file, whose cells keep their jobs. `change` adds algorithms of the caller to it. The
/// error is the message of the command.
pub fn study(file: &Path, change: &dyn Fn(&mut Draft)) -> Result<Study, String> {
    prepare_readers();
    let options = Options { jobs: true, ..Options::default() };
    Study::read_with(file, options, change).map_err(|error| format!("{:#}", anyhow::Error::new(error)))
}

/// Returns a message if `path` is no directory and has the ending of a file with a table.
pub fn unsuited_directory(path: &Path) -> Option<String> {
    let expected = "expected a directory, without the ending of a table; tables are files in it";
    (ending(path).is_some() && !path.is_dir()).then(|| format!("{}: {expected}", path.display()))
}

/// Returns a message if `path` has the ending of a file that is no page.
pub fn unsuited_page(path: &Path) -> Option<String> {
    let is_other = ending(path).is_some_and(|ending| ending != "html");
    let expected = "a report is a page; expected a name that ends in .html";
    is_other.then(|| format!("{}: {expected}", path.display()))
}

/// Returns the ending of a file with tables or pictures; `None` if it has another one, or none.
fn ending(path: &Path) -> Option<&'static str> {
    FileFormat::of_path(path).map(FileFormat::extension).or_else(|| replay::other_ending(path))
}

/// Reads the logs and plans the study. Adds notes for the user to `notes`, even if planning fails. The error
/// is the message of the command.
pub fn plan(draft: Draft, notes: &mut Vec<String>) -> Result<Study, String> {
    draft.plan(notes).map_err(|error| match unplanned(error) {
        Failure::Failed(error) | Failure::Usage(error) => format!("{error:#}"),
        Failure::Reported => String::new(),
    })
}

/// Returns a command with these arguments alone.
fn bare<A: Args>(name: &'static str) -> Command {
    A::augment_args(Command::new(name).no_binary_name(true).disable_help_flag(true))
}

/// Returns the arguments that `words` give. The error is the message of the command.
fn parsed<A: Args>(name: &'static str, words: &[String]) -> Result<A, String> {
    let matches = bare::<A>(name).try_get_matches_from(words);
    let args = matches.and_then(|matches| A::from_arg_matches(&matches));
    args.map_err(|error| plain(&usage::explain(error).to_string()))
}

/// Returns the option that the argument of this name sets, if there is one.
fn option(long: &str) -> Option<&'static ReplayOption> {
    OPTIONS.iter().find(|row| row.flag.as_ref().is_some_and(|flag| flag.name == long))
}

/// Returns the keyword of an argument, which sets `option` if it sets one.
fn keyword(arg: &Arg, long: &str, option: Option<&ReplayOption>, about: About) -> Keyword {
    let gives = option.and_then(|row| row.flag.as_ref()).map(|flag| flag.gives);
    let takes = match (gives, arg.get_action()) {
        (Some(FlagValue::Value(value)), _) => Takes::Switch(value == "true"),
        (_, ArgAction::SetTrue) => Takes::Switch(true),
        (_, ArgAction::Append) => Takes::Values,
        _ => Takes::Value,
    };
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let defaults = match (option, takes) {
        (_, Takes::Switch(_)) | (Some(_), _) => Vec::new(),
        _ => arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect(),
    };
    let choices = match takes {
        Takes::Switch(_) => Vec::new(),
        _ => arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
    };
    Keyword {
        name: option.map_or(long, |row| row.name).replace('-', "_"),
        flag: format!("--{long}"),
        takes,
        about,
        is_required: arg.is_required_set(),
        help: help.split_whitespace().collect::<Vec<_>>().join(" "),
        choices,
        defaults,
    }
}

/// Returns the message of a parser's error without its heading and without the hints that concern only a
/// shell.
fn plain(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let end = ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|hint| text.find(hint)).min();
    text[..end.unwrap_or(text.len())].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_the_options_by_their_own_names() {
        let keywords = replay_keywords();
        for row in OPTIONS.iter().filter(|row| row.flag.as_ref().is_some_and(|flag| flag.in_replay.is_none()))
        {
            assert!(keywords.iter().any(|keyword| keyword.name == row.name), "{}", row.name);
        }
        let found = |name: &str| keywords.iter().find(|keyword| keyword.name == name);
        assert_eq!(found("timed").map(|keyword| keyword.takes), Some(Takes::Switch(false)));
        assert_eq!(found("machine").map(|keyword| keyword.takes), Some(Takes::Values));
        assert_eq!(found("time_zone").map(|keyword| keyword.about), Some(About::Reading));
        assert!(found("output").is_none() && found("logs").is_none());
    }

    #[test]
    fn keywords_of_plots_are_those_of_the_command() {
        let keywords = plot_keywords();
        let takes = |name: &str| {
            let found = keywords.iter().find(|keyword| keyword.name == name);
            found.map(|keyword| (keyword.takes, keyword.about))
        };
        assert_eq!(takes("no_title"), Some((Takes::Switch(true), About::Drawing)));
        assert_eq!(takes("replay"), Some((Takes::Values, About::Drawing)));
        assert_eq!(takes("dpi"), Some((Takes::Value, About::Pixels)));
        assert!(takes("kind").is_none() && takes("format").is_none());
        let words = |text: &str| [text.to_owned()];
        let wrong = drawn(Path::new("nowhere"), "load", &words("--size=84")).err().unwrap_or_default();
        assert!(wrong.contains("expected a width such as 84mm"), "{wrong}");
        let wrong = drawn(Path::new("nowhere"), "loads", &[]).err().unwrap_or_default();
        assert!(wrong.starts_with("no plot 'loads' (one of: load"), "{wrong}");
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"96\" height=\"96\"/>";
        let of = |file: &str, word: &str| picture(svg, Path::new(file), &words(word));
        // 96 units are an inch: 50 pixels.
        assert_eq!(of("a.png", "--dpi=50").map(|png| png[19]), Ok(50));
        assert!(picture(svg, Path::new("a.pdf"), &[]).is_ok_and(|pdf| pdf.starts_with(b"%PDF")));
        assert!(of("a.pdf", "--scale=1").is_err_and(|error| error.contains("pdf has none")));
        assert!(of("a.jpg", "--scale=1").is_err() && of("a.png", "--dpi=1").is_err());
    }

    #[test]
    fn words_mean_what_they_mean_to_the_command() -> Result<(), String> {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let ReplayDraft { draft, threads } = replay_draft(
            &words("a.swf --machine=4x4 --machine=16 --allocator=naive --no-timing"),
            Guests::default(),
        )?;
        assert_eq!((draft.axes.machines.len(), draft.options.timed, threads), (2, false, None));
        assert_eq!(draft.options, Options { jobs: true, ..Options::default() });
        let failure = |allocator: &str| {
            let words = words(&format!("a.swf --machine=4x4 --allocator={allocator}"));
            replay_draft(&words, Guests::default()).err().unwrap_or_default()
        };
        let object = failure("guest:mine");
        assert!(object.contains("found 'guest:mine', expected another allocator"), "{object}");
        let wrong = failure("nave");
        assert!(wrong.contains("'nave'") && !wrong.contains("--help"), "{wrong}");
        Ok(())
    }
}
