//! Orders of nodes, for allocators in Python.

use meshreplay::machine::Mesh;
use meshreplay::machine::order as orders;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::bytes;
use crate::error::failure;

/// Returns all nodes of a machine in an order, 4 bytes each.
#[pyfunction]
pub(crate) fn order<'py>(py: Python<'py>, name: &str, machine: &str) -> PyResult<Bound<'py, PyBytes>> {
    let mesh = machine.parse::<Mesh>().map_err(|error| failure(&error))?;
    let order = orders::build(name, &mesh).map_err(|error| failure(&error))?;
    Ok(bytes(py, order.nodes()))
}

/// Returns the spelling of a machine, the nodes along each dimension, and whether each wraps around.
#[pyfunction]
pub(crate) fn machine(text: &str) -> PyResult<(String, Vec<u32>, Vec<bool>)> {
    let mesh = text.parse::<Mesh>().map_err(|error| failure(&error))?;
    let dims = mesh.dims();
    Ok((mesh.to_string(), mesh.extents()[..dims].to_vec(), mesh.wrap()[..dims].to_vec()))
}
