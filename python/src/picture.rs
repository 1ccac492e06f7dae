//! Pictures of results.

use std::path::PathBuf;

use meshreplay::figure::{PLOT_KINDS, PlotOptions, Results, draw, marked_png, marked_svg, plot_kind};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{failure, message};
use crate::wait::wait_for;

/// Draws a picture of the results in `folder` and returns it as SVG.
#[pyfunction]
#[pyo3(signature = (folder, kind, value=None, log=false, relative_to=None, replay=None))]
pub(crate) fn plot(
    py: Python<'_>,
    folder: PathBuf,
    kind: &str,
    value: Option<String>,
    log: bool,
    relative_to: Option<String>,
    replay: Option<u32>,
) -> PyResult<String> {
    let Some(kind) = plot_kind(kind) else {
        let known: Vec<&str> = PLOT_KINDS.iter().map(|kind| kind.name).collect();
        return Err(message(format!("no plot '{kind}' (one of: {})", known.join(", "))));
    };
    wait_for(py, move || {
        let results = Results::read(&folder).map_err(|error| failure(&error))?;
        let (value, relative_to) = (value.as_deref(), relative_to.as_deref());
        let defaults = PlotOptions::of(&folder);
        let replays = replay.as_slice();
        let options = PlotOptions { value, log, relative_to, replays, is_asked: true, ..defaults };
        let drawing = (kind.draw)(&options, &results).map_err(|error| failure(&error))?;
        let missing = || message(format!("{}: the results do not hold {}", kind.name, kind.needs));
        Ok(marked_svg(&drawing.ok_or_else(missing)?.svg()))
    })?
}

/// Returns the pixels of an SVG drawing as a PNG file. `scale` is the number of pixels for each unit of the drawing.
#[pyfunction]
pub(crate) fn png(py: Python<'_>, svg: String, scale: f64) -> PyResult<Bound<'_, PyBytes>> {
    if !(0.1..=20.0).contains(&scale) {
        return Err(message(format!("scale={scale}: expected a number from 0.1 to 20")));
    }
    let bytes = wait_for(py, move || draw::png(&svg, scale))?.map_err(|error| failure(&error))?;
    Ok(PyBytes::new(py, &marked_png(&bytes)))
}
