//! Directories of results.

use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;

use meshreplay::disk::{Claim, TEMPORARY};
use meshreplay::figure::{Span, check_overwrite};
use meshreplay::frame;
use meshreplay::report::{Report, ReportOptions};
use pyo3::prelude::*;

use crate::error::failure;
use crate::frame::Frame;
use crate::wait::wait_for;

/// Reads a frame of a directory of results; `None` if the directory does not hold it.
#[pyfunction]
pub(crate) fn read_frame(py: Python<'_>, folder: PathBuf, name: String) -> PyResult<Option<Frame>> {
    let title = name.clone();
    let found = wait_for(py, move || frame::read_frame(&folder, &name))?.map_err(|error| failure(&error))?;
    Ok(found.map(|found| Frame::new(&title, found)))
}

/// Writes the report on the results in `folder` and returns notes on missing data.
#[pyfunction]
#[pyo3(signature = (folder, path, title, window_s, show, force))]
pub(crate) fn report(
    py: Python<'_>,
    folder: PathBuf,
    path: PathBuf,
    title: Option<String>,
    window_s: Option<(f64, f64)>,
    show: Vec<String>,
    force: bool,
) -> PyResult<Vec<String>> {
    let window_s = window_s.map(|(low, high)| Span::new(low, high));
    let options = ReportOptions { title, window_s, show };
    wait_for(py, move || {
        check_overwrite(&path, force).map_err(|error| failure(&error))?;
        let _claim = Claim::beside(&path).map_err(|error| failure(&error))?;
        let (report, notes) = Report::from_folder(&folder, &options, &AtomicUsize::default())
            .map_err(|error| failure(&error))?;
        frame::write_whole(&path, report.html().as_bytes(), TEMPORARY).map_err(|error| failure(&error))?;
        Ok(notes)
    })?
}
