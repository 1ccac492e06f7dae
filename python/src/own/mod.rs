//! Algorithms that are classes in Python. `meshreplay._own` has what users see, and objects that are called
//! from here with numbers and bytes.

mod allocator;
mod execution;
mod laws;
mod orders;
mod scheduler;

use std::sync::Arc;

use meshreplay::guest::{Guests, Setup};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

pub(crate) use self::laws::check;
pub(crate) use self::orders::{machine, order};
pub(crate) use self::scheduler::JobRows;

/// A class or an object of Python with its name in specs, `guest:LABEL#HASH`.
pub(crate) type Named = (String, Py<PyAny>);

/// Returns the table of the allocators, schedulers and execution models of one call.
pub(crate) fn guests([allocators, schedulers, networks]: [Vec<Named>; 3]) -> Guests {
    let mut guests = Guests::default();
    for (name, given) in allocators {
        let given = Arc::new(given);
        guests =
            guests.with_allocator(&name, move |setup| allocator::strategy(&given, &by_class(setup), true));
    }
    for (name, given) in schedulers {
        let given = Arc::new(given);
        guests = guests.with_scheduler(&name, move |setup| scheduler::scheduler(&given, &by_class(setup)));
    }
    for (name, given) in networks {
        let given = Arc::new(given);
        guests = guests.with_network(&name, move |setup| execution::network(&given, &by_class(setup)));
    }
    guests
}

/// Returns the label of a class or an object, which its name `LABEL#HASH` begins with.
pub(crate) fn label(name: &str) -> &str {
    name.rsplit_once('#').map_or(name, |(label, _)| label)
}

/// Returns the facts for a guest that messages call by its label.
fn by_class<'a>(setup: &Setup<'a>) -> Setup<'a> {
    Setup { label: label(setup.label.strip_prefix("guest:").unwrap_or(setup.label)), ..*setup }
}

/// Makes the object of a class of `meshreplay._own` for one replay, and begins with its seed. Fails with a
/// whole message.
fn made(class: &str, given: &Py<PyAny>, setup: &Setup<'_>) -> Result<Py<PyAny>, String> {
    let label = setup.label;
    Python::attach(|py| {
        let make = || py.import("meshreplay._own")?.getattr(class)?.call1((given, setup.mesh.to_string()));
        let guest = make().map_err(|error| format!("'{label}' cannot be made: {}", explained(py, &error)))?;
        let begun = guest.getattr("own").and_then(|own| own.call_method1("begin", (setup.seed,)));
        begun.map_err(|error| format!("begin(self, seed) of '{label}' failed: {}", explained(py, &error)))?;
        Ok(guest.unbind())
    })
}

/// Returns the text of an error with its traceback.
fn explained(py: Python<'_>, error: &PyErr) -> String {
    let text = py.import("meshreplay._own").and_then(|own| {
        own.getattr("explained")?.call1((error.clone_ref(py).into_value(py),))?.extract::<String>()
    });
    text.unwrap_or_else(|_| error.to_string())
}

/// Returns nodes as 4 bytes each, in the byte order of this machine.
fn bytes<'py>(py: Python<'py>, nodes: &[u32]) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = nodes.iter().flat_map(|node| node.to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}
