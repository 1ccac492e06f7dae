//! The results of replays in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use meshreplay::allocator;
use meshreplay::frame::{FinishedRun, RunPlace};
use meshreplay::report::{SummaryTable, verdict};
use meshreplay::scheduler;
use meshreplay::study::{Coordinate, Outcome, Study};
use meshreplay::text::Screen;
use pyo3::prelude::*;

use crate::error::{failure, message};
use crate::folder::format_called;
use crate::frame::Frame;
use crate::own::label;
use crate::state::{State, state};
use crate::wait::{in_own_process, wait_for};

/// Replays that have ended, with all results in memory. `meshreplay.Results` wraps it.
#[pyclass(frozen, module = "meshreplay._core")]
pub(crate) struct Run {
    study: Arc<Study>,
    /// The results; `None` if every replay failed, or if they are in a directory.
    finished: Option<Arc<FinishedRun>>,
    notes: Vec<String>,
    errors: BTreeMap<usize, String>,
    /// Whether these are all replays of the study.
    is_whole: bool,
}

/// A coordinate of a replay: its name, and the texts that name its value, the resolved one first.
type Labels = (&'static str, Vec<String>);

impl Run {
    pub(crate) fn new(
        study: Arc<Study>,
        run: Option<FinishedRun>,
        notes: Vec<String>,
        errors: BTreeMap<usize, String>,
    ) -> Self {
        Self { study, finished: run.map(Arc::new), notes, errors, is_whole: true }
    }

    /// Returns the results. Fails if every replay failed.
    fn run(&self) -> PyResult<&Arc<FinishedRun>> {
        self.finished.as_ref().ok_or_else(|| message("every replay failed, so there are no results"))
    }
}

#[pymethods]
impl Run {
    /// The notes of the program on logs and replays.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The replays that failed: the number, what was replayed, and the message.
    #[getter]
    fn errors(&self) -> Vec<(usize, String, String)> {
        let row = |(number, text): (&usize, &String)| (*number, self.study.label(*number), text.clone());
        self.errors.iter().map(row).collect()
    }

    /// Whether any replay has results.
    #[getter]
    fn has_results(&self) -> bool {
        self.finished.is_some()
    }

    /// The resolved run as JSON, as run.json has it.
    #[getter]
    fn manifest(&self) -> PyResult<String> {
        Ok(self.run()?.run.clone())
    }

    /// The summary.
    fn summary(&self) -> PyResult<Frame> {
        Ok(Frame::new("summary", self.run()?.summary.clone()))
    }

    /// A frame of details; `None` if there is none of this name.
    fn detail(&self, name: &str) -> PyResult<Option<Frame>> {
        let Some(kept) = self.run()?.details.iter().find(|kept| kept.name() == name) else { return Ok(None) };
        let frame = kept.frame().map_err(|error| failure(&error))?;
        Ok(frame.map(|frame| Frame::new(name, frame)))
    }

    /// The coordinates of every replay, in the order of their numbers.
    fn replays(&self) -> Vec<Vec<Labels>> {
        let labels = |cell: &meshreplay::study::PlannedReplay| {
            let texts = |row: &Coordinate| {
                let mut texts = labels(row.name, row.text(&cell.spec));
                let shown = row.shown(&cell.spec);
                if !texts.contains(&shown) {
                    texts.push(shown);
                }
                texts
            };
            Coordinate::listed().map(|row| (row.name, texts(row))).collect()
        };
        self.study.cells.iter().map(labels).collect()
    }

    /// The results of the replays in `numbers`; `None` if none of them has results.
    fn part(&self, numbers: BTreeSet<u64>) -> PyResult<Option<Self>> {
        in_own_process()?;
        let part = self.run()?.part(&numbers).map_err(|error| failure(&error))?;
        let of = |part| Self {
            is_whole: false,
            ..Self::new(Arc::clone(&self.study), Some(part), self.notes.clone(), BTreeMap::new())
        };
        Ok(part.map(of))
    }

    /// The answer in sentences; empty if nothing is compared.
    fn verdict(&self) -> PyResult<Vec<String>> {
        let (study, run) = self.renumbered()?;
        Ok(verdict(&study, &run, None))
    }

    /// The table of the summary: its titles, the cells of each row, and its text, as the command prints it
    /// into a pipe.
    fn table(&self, columns: Vec<String>) -> PyResult<(Vec<String>, Vec<Vec<String>>, String)> {
        let (study, run) = self.renumbered()?;
        let whole = SummaryTable::new(&study, &run, &columns, None).map_err(|error| failure(&error))?;
        let table = whole.table();
        let rows = table.rows().map(<[String]>::to_vec).collect();
        Ok((table.titles().map(str::to_owned).collect(), rows, whole.text(Screen::default())))
    }

    /// Writes the files of `replay -o`.
    fn save(&self, py: Python<'_>, folder: PathBuf, format: &str, force: bool) -> PyResult<()> {
        let format = format_called(format)?;
        let (study, run) = (Arc::clone(&self.study), Arc::clone(self.run()?));
        let saved = wait_for(py, move || run.save(&study, RunPlace { path: &folder, format, force }))?;
        saved.map_err(|error| failure(&error))
    }

    /// The machine at one moment of a replay, in seconds of the replay.
    fn state(&self, py: Python<'_>, number: usize, at_s: f64) -> PyResult<State> {
        let study = Arc::clone(&self.study);
        wait_for(py, move || state(&study, number, at_s))?
    }
}

impl Run {
    /// Returns the study of the replays that a part has, and the results by their positions in it. The
    /// replays of a whole run that have no results stay in the study, as the closing lines name them.
    fn renumbered(&self) -> PyResult<(Arc<Study>, Arc<FinishedRun>)> {
        let run = self.run()?;
        if self.is_whole {
            return Ok((Arc::clone(&self.study), Arc::clone(run)));
        }
        let of = |(number, _): &(u32, Vec<Outcome>)| self.study.cells[*number as usize].clone();
        let study = Study { cells: run.replays.iter().map(of).collect(), ..Study::clone(&self.study) };
        let replays = run.replays.iter().zip(0..).map(|((_, outcomes), at)| (at, outcomes.clone())).collect();
        let (summary, details) = (run.summary.clone(), Vec::new());
        let run = FinishedRun { run: run.run.clone(), replays, summary, details, keeps_earlier: false };
        Ok((Arc::new(study), Arc::new(run)))
    }
}

/// Returns the texts that name the value `text` of a coordinate: in full and, where that is another one, in
/// short.
#[pyfunction]
pub(crate) fn labels(coordinate: &str, text: String) -> Vec<String> {
    let short = match coordinate {
        "allocator" => allocator::short_label(&text),
        "scheduler" => {
            let known = text.parse().ok().filter(|spec| scheduler::build(spec).is_ok());
            known.map_or_else(|| text.clone(), |spec| scheduler::short(&spec).to_string())
        }
        _ => text.clone(),
    };
    // An algorithm of the caller goes by its label, too.
    let class = text.strip_prefix("guest:").map(|name| label(name).to_owned());
    let mut texts: Vec<String> = [text, short].into_iter().chain(class).collect();
    texts.dedup();
    texts
}
