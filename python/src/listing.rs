//! The registries as frames, and the keywords of replays and pictures.

use meshreplay::cli::embedded::{About, Keyword, Takes, plot_keywords, replay_keywords};
use meshreplay::machine::Mesh;
use meshreplay::report::LISTINGS;
use meshreplay::spec::Spec;
use meshreplay::study::{Coordinate, ReplaySpec};
use polars_core::prelude::{Column, DataFrame, NamedFrom, Series};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{failure, message};
use crate::frame::Frame;
use crate::run::labels;

/// Returns a registry, such as that of the allocators, as a frame.
#[pyfunction]
pub(crate) fn listing(name: &str) -> PyResult<Frame> {
    let Some((_, table)) = LISTINGS.into_iter().find(|(other, _)| *other == name) else {
        let known: Vec<&str> = LISTINGS.iter().map(|(name, _)| *name).collect();
        return Err(message(format!("no list '{name}' (one of: {})", known.join(", "))));
    };
    let table = table();
    let rows: Vec<Vec<&str>> = table
        .names()
        .filter_map(|name| Some(table.row(name)?.into_iter().map(|(_, cell)| cell).collect()))
        .collect();
    let columns = table.titles().enumerate().map(|(i, title)| {
        let cells: Vec<&str> = rows.iter().map(|row| row.get(i).copied().unwrap_or_default()).collect();
        Column::from(Series::new(title.into(), cells))
    });
    let frame = DataFrame::new_infer_height(columns.collect()).map_err(|error| failure(&error))?;
    Ok(Frame::new("", frame))
}

/// Returns the names of the coordinates of replays, each with the name of the column that has its resolved
/// value, and the texts of its default, which results without the column have.
#[pyfunction]
pub(crate) fn coordinates() -> PyResult<Vec<(&'static str, &'static str, Vec<String>)>> {
    let one = Mesh::new(&[1]).map_err(|error| message(error.to_string()))?;
    let default = ReplaySpec::new(one, Spec::named("easy"), Spec::named("naive"));
    Ok(Coordinate::listed()
        .map(|row| (row.name, row.column(), labels(row.name, row.text(&default))))
        .collect())
}

/// Returns the keywords that say how a log is read, what is replayed, what a picture shows, and how many
/// pixels it has.
#[pyfunction]
pub(crate) fn keywords(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    replay_keywords().iter().chain(&plot_keywords()).map(|keyword| described(py, keyword)).collect()
}

/// Returns a keyword as a dictionary.
fn described<'py>(py: Python<'py>, keyword: &Keyword) -> PyResult<Bound<'py, PyDict>> {
    let Keyword { name, flag, takes, about, is_required, help, choices, defaults } = keyword;
    let row = PyDict::new(py);
    row.set_item("name", name)?;
    row.set_item("flag", flag)?;
    let (takes, gives) = match takes {
        Takes::Switch(gives) => ("switch", Some(*gives)),
        Takes::Value => ("value", None),
        Takes::Values => ("values", None),
    };
    row.set_item("takes", takes)?;
    row.set_item("gives", gives)?;
    let about = match about {
        About::Reading => "reading",
        About::Replay => "replay",
        About::Drawing => "drawing",
        About::Pixels => "pixels",
    };
    row.set_item("about", about)?;
    row.set_item("required", is_required)?;
    row.set_item("help", help)?;
    row.set_item("choices", choices)?;
    row.set_item("defaults", defaults)?;
    Ok(row)
}
