//! Pictures of results.

use std::path::PathBuf;

use meshreplay::cli::embedded;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{failure, message};
use crate::frame::Frame;
use crate::wait::wait_for;

/// Draws a picture of the results in `folder` and returns it as SVG. `words` are the arguments of `plot` that
/// say what it shows.
#[pyfunction]
pub(crate) fn plot(py: Python<'_>, folder: PathBuf, kind: String, words: Vec<String>) -> PyResult<String> {
    wait_for(py, move || embedded::drawn(&folder, &kind, &words))?.map_err(message)
}

/// Returns the numbers that [`plot`] draws.
#[pyfunction]
pub(crate) fn plot_data(
    py: Python<'_>,
    folder: PathBuf,
    kind: String,
    words: Vec<String>,
) -> PyResult<Frame> {
    let columns = wait_for(py, move || embedded::plotted(&folder, &kind, &words))?.map_err(message)?;
    Frame::of_plot(columns).map_err(|error| failure(&error))
}

/// Returns an SVG drawing as the content of a file of this name. `words` are the arguments of `plot` that say
/// how many pixels it has.
#[pyfunction]
pub(crate) fn picture(
    py: Python<'_>,
    svg: String,
    file: PathBuf,
    words: Vec<String>,
) -> PyResult<Bound<'_, PyBytes>> {
    let bytes = wait_for(py, move || embedded::picture(&svg, &file, &words))?.map_err(message)?;
    Ok(PyBytes::new(py, &bytes))
}
