//! The command `meshreplay` in the process of Python.

use std::ffi::OsString;
use std::path::PathBuf;

use meshreplay::cli::embedded;
use meshreplay::trace::{SWF, Writer};
use meshreplay::workload::lublin::LublinOptions;
use meshreplay::workload::{LublinJobs, LublinLog, ModelLogError};
use pyo3::prelude::*;

use crate::error::{failure, message};
use crate::wait::wait_for;

/// Runs the command with the arguments `words` and returns its exit code. `program` is the path of the
/// command.
///
/// The command hears signals itself, as it does on its own: after Ctrl-C the process ends by the signal.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, program: PathBuf, words: Vec<OsString>) -> u8 {
    py.detach(move || embedded::run(program, words))
}

/// Writes a log of the model of Lublin and Feitelson, as `trace generate --model lublin` does.
#[pyfunction]
#[pyo3(signature = (path, jobs, procs, load, seed, typeless, published_sizes))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of the Python function")]
pub(crate) fn generate(
    py: Python<'_>,
    path: PathBuf,
    jobs: u32,
    procs: u32,
    load: Option<f64>,
    seed: u64,
    typeless: bool,
    published_sizes: bool,
) -> PyResult<()> {
    if load.is_some_and(|load| !load.is_finite() || load <= 0.0) {
        return Err(message("load: expected a number above 0, such as 0.7"));
    }
    let model = LublinJobs { options: LublinOptions { typeless, published_sizes }, load };
    let log = LublinLog { jobs, procs, model, seed };
    let written = wait_for(py, move || {
        let mut writer = Writer::create(&path, SWF, true)?;
        log.write(&mut writer, &mut |_| {})?;
        Ok::<_, ModelLogError>(writer.finish()?)
    })?;
    written.map_err(|error| failure(&error))
}
