//! `meshreplay replay`: replays logs, as a study that the arguments describe.

mod args;
mod rounds;

pub(super) use args::{Args, OF_PROGRAM, OF_READING, other_ending};

use std::collections::BTreeSet;
use std::io::Write;
use std::num::NonZeroUsize;

use anyhow::anyhow;

use self::args::Format;
use self::rounds::Rounds;
use super::interrupt::Saving;
use super::runner::{ResultSink, Runner, Tally, check_room, reading, writing};
use super::{Failure, by_subject, complain, note, terminal, unwritten, write_notes};
use crate::frame::{
    self, FileFormat, FinishedRun, RunFolderError, RunPlace, RunResults, check_table, write_table,
};
use crate::guest::Guests;
use crate::machine::topology::TopologyError;
use crate::metrics::{FinishedJob, Has};
use crate::report::{Sparklines, SummaryTable, check_columns, verdict};
use crate::study::{Labels, Outcome, PlanError, ReplaySpec, Study, SweepError, TakeCellRows};
use crate::text::Screen;
use crate::trace::{LogNames, TraceError};
use crate::words::counted;

/// Replays every combination of the repeated arguments.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    args.check_output().map_err(Failure::Usage)?;
    let of_draft = |error: anyhow::Error| {
        if error.is::<TopologyError>() { Failure::Failed(error) } else { Failure::Usage(error) }
    };
    let draft = args.draft(Guests::default()).map_err(of_draft)?;
    // Before a log is read, and once more when it is known which allocators `all` has.
    let sorted: Vec<String> = args.sort.iter().map(|metric| metric.name().to_owned()).collect();
    let named = [("--columns", args.shown_columns()), ("--sort", sorted)];
    let check = |has: Has| {
        let check_one = |(argument, columns): &(&str, Vec<String>)| {
            check_columns(columns, has).map_err(|error| Failure::Usage(anyhow!("{argument}: {error}")))
        };
        named.iter().try_for_each(check_one)
    };
    check(draft.axes.has(&draft.options))?;
    let mut notes = Vec::new();
    let line = reading(args.quiet, &args.logs);
    let planned = draft.plan(&mut notes);
    line.finish_and_clear();
    if let Ok(study) = &planned {
        study.sort_notes(&mut notes);
    }
    write_notes(args.quiet, &notes);
    let study = planned.map_err(unplanned)?;
    check(study.has)?;
    let all: Vec<usize> = (0..study.cells.len()).collect();
    if let Some((path, _)) = args.summary_file() {
        check_table(path, args.force)?;
    }
    if args.folder().is_some() {
        check_room(&study, &all, args.file_format(), args.large)?;
    }
    let one = args.timing_rounds.and(NonZeroUsize::new(1));
    let runner = Runner::new(one.or(args.threads), study.cells.len(), args.quiet)?;
    let place = |path| RunPlace { path, format: args.file_format(), force: args.force };
    let results = RunResults::open(&study, args.folder().map(place))?;
    let parts = results.parts();
    let rows = parts.as_ref().map(|parts| {
        move |number, seed, names: &LogNames, left: Vec<FinishedJob>| {
            Ok(parts.take(number, seed, names, &left)?)
        }
    });
    let rows = rows.as_ref().map(|rows| rows as &TakeCellRows<'_>);
    let results = Some(results);
    let (errors, said, failure) = (Vec::new(), BTreeSet::new(), None);
    let sparklines = args.sparklines.then(Sparklines::default);
    let rounds = args.timing_rounds.map(|_| Rounds::default());
    let mut output = Output { args, study: &study, results, sparklines, rounds, errors, said, failure };
    let tally = runner.run(&study, &all, &|_, outcomes| Ok(outcomes), rows, &mut output);
    if let (Some(rounds), Some(count)) = (&mut output.rounds, args.timing_rounds) {
        rounds.run(&runner, &study, count - 1);
    }
    output.end(tally, runner.is_interrupted())
}

/// Returns the failure of a command whose study cannot be planned.
pub(super) fn unplanned(error: PlanError) -> Failure {
    match error {
        PlanError::Spec(error) => Failure::Usage(error.into()),
        PlanError::SameName { .. } | PlanError::Useless { .. } => Failure::Usage(error.into()),
        PlanError::Log { source, .. } => match *source {
            TraceError::Format(error) => Failure::Usage(error.into()),
            source => Failure::Failed(source.into()),
        },
        other => Failure::Failed(other.into()),
    }
}

/// Writes outcomes into the output directory, if there is one, and to standard output.
struct Output<'a> {
    args: &'a Args,
    study: &'a Study,
    /// The results; `None` once they are finished.
    results: Option<RunResults<'a>>,
    /// The curves of finished replays; `None` without `--sparklines`.
    sparklines: Option<Sparklines>,
    /// The cost of calls in each round; `None` without `--timing-rounds`.
    rounds: Option<Rounds>,
    /// The number of each replay that failed, and the error.
    errors: Vec<(usize, SweepError)>,
    /// The printed notes. A note about a log is printed once, not for each replay of it.
    said: BTreeSet<String>,
    /// The error that keeps further results from being written; `None` if there was none.
    failure: Option<RunFolderError>,
}

impl ResultSink<Vec<Outcome>> for Output<'_> {
    fn ended(&mut self, number: usize, ended: Result<Vec<Outcome>, SweepError>) -> Vec<String> {
        let notes = match &ended {
            Ok(outcomes) if !self.args.quiet => self.study.notes_on(number, outcomes),
            _ => Vec::new(),
        };
        if let (Some(sparklines), Ok(outcomes)) = (&mut self.sparklines, &ended) {
            sparklines.add(number, &self.study.cells[number].spec, outcomes);
        }
        if let (Some(rounds), Ok(outcomes)) = (&mut self.rounds, &ended) {
            rounds.add(number, outcomes);
        }
        let outcomes = ended.map_err(|error| self.errors.push((number, error))).ok();
        if let Some(Err(error)) = self.results.as_mut().map(|results| results.add(number, outcomes)) {
            self.failure.get_or_insert(error);
        }
        let new: Vec<String> = notes.into_iter().filter(|note| self.said.insert(note.clone())).collect();
        by_subject(&new)
    }

    fn is_lost(&self) -> bool {
        self.failure.is_some()
    }

    fn abandon(&mut self, tally: Tally) -> String {
        match self.finish() {
            Ok(keeps_earlier) => self.interrupted(keeps_earlier, tally),
            Err(error) => format!("{error:#}"),
        }
    }
}

impl Output<'_> {
    /// Writes the results and reports how the replays ended.
    fn end(mut self, tally: Tally, is_interrupted: bool) -> Result<(), Failure> {
        if let Some(error) = self.failure {
            return Err(error.into());
        }
        let saving = Saving::begin();
        let keeps_earlier = self.finish()?;
        if is_interrupted {
            saving.leave();
            return Err(anyhow!(self.interrupted(keeps_earlier, tally)).into());
        }
        for (number, error) in &self.errors {
            let ReplaySpec { log, machine, labels, .. } = &self.study.cells[*number].spec;
            let Labels { scheduler, allocator, .. } = &**labels;
            complain(&format!("error: {log} on {machine} under {scheduler} with {allocator}: {error}"));
        }
        if let (true, Some(folder)) = (keeps_earlier, self.args.folder()) {
            note(false, &format!("{} keeps the results of the same run, which are more", folder.display()));
        }
        if self.errors.is_empty() { Ok(()) } else { Err(Failure::Reported) }
    }

    /// Writes and prints the finished replays. Returns whether the directory keeps the results of an earlier
    /// run, because that run has more of them.
    fn finish(&mut self) -> anyhow::Result<bool> {
        let Some(results) = self.results.take() else { return Ok(false) };
        let line = writing(self.args.quiet);
        let run = results.finish();
        line.finish_and_clear();
        let Some(mut run) = run? else { return Ok(false) };
        let bytes = self.printed(&mut run)?;
        if let Some((path, format)) = self.args.summary_file() {
            write_table(path, format, &mut run)?;
        }
        let mut out = std::io::stdout();
        out.write_all(&bytes).and_then(|()| out.flush()).map_err(unwritten)?;
        Ok(run.keeps_earlier)
    }

    /// Returns the summary for standard output.
    fn printed(&mut self, run: &mut FinishedRun) -> anyhow::Result<Vec<u8>> {
        let table = || SummaryTable::new(self.study, run, &self.args.shown_columns(), self.args.sort);
        let screen = terminal::screen();
        let mut below = self.sparklines.as_mut().map(|curves| curves.text(screen)).unwrap_or_default();
        below += &self.rounds.as_ref().map(|rounds| rounds.text(self.study, screen)).unwrap_or_default();
        let answered = |table: String, screen: Screen| {
            let table = table + &below;
            let sentences = verdict(self.study, run, self.args.folder());
            let gap = if sentences.is_empty() { "" } else { "\n" };
            (table + gap + &screen.hanging(&sentences.join("\n"), 2)).into_bytes()
        };
        Ok(match self.args.format {
            // The files hold the binary format; standard output gets a readable table.
            Format::File(FileFormat::Parquet | FileFormat::Arrow) if self.args.output.is_some() => {
                answered(table()?.text(screen), screen)
            }
            Format::Table => answered(table()?.text(screen), screen),
            Format::Markdown => answered(table()?.markdown(), Screen::default()),
            Format::Latex => table()?.latex().into_bytes(),
            Format::File(format) => {
                let mut bytes = Vec::new();
                frame::write_to(&mut bytes, &mut run.summary, format, &run.run)?;
                if format == FileFormat::Json {
                    bytes.push(b'\n');
                }
                bytes
            }
        })
    }

    /// Returns the message about an interrupt.
    fn interrupted(&self, keeps_earlier: bool, Tally { finished, .. }: Tally) -> String {
        let rest = match self.args.folder() {
            Some(folder) if keeps_earlier => {
                format!("; {} keeps the results of the same run, which are more", folder.display())
            }
            _ if finished > 0 => " and are kept".to_owned(),
            _ => String::new(),
        };
        format!("interrupted: {finished} of {} finished{rest}", counted(self.study.cells.len(), "replay"))
    }
}
