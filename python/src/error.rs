//! The exception of the package, with the messages of the program.

use std::error::Error as StdError;

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    meshreplay,
    Error,
    PyValueError,
    "A wrong input or a failed replay, in the words of the program."
);

/// Returns the exception with an error and its causes, as the command prints them.
pub(crate) fn failure(error: &dyn StdError) -> PyErr {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Transparent errors show their cause already.
        let next = error.to_string();
        if !text.ends_with(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    Error::new_err(text)
}

/// Returns the exception with this message.
pub(crate) fn message(text: impl Into<String>) -> PyErr {
    Error::new_err(text.into())
}
