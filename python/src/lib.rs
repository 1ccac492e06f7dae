//! The native part of the Python package meshreplay: what needs the library in Rust. The classes that users
//! meet are written in Python, in `python/meshreplay`, on top of it.

#![expect(clippy::needless_pass_by_value, reason = "functions of Python take their arguments by value")]

mod arrow;
mod command;
mod error;
mod folder;
mod forms;
mod frame;
mod listing;
mod log;
mod own;
mod picture;
mod replaying;
mod run;
mod state;
mod table;
mod wait;

use pyo3::prelude::*;

/// The native part of meshreplay. Use the package `meshreplay`, whose functions are typed and explained.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::command::{generate, main};
    #[pymodule_export]
    use super::error::Error;
    #[pymodule_export]
    use super::folder::{check_directory, copy_results, read_frame, report, table_of, verdict_of};
    #[pymodule_export]
    use super::frame::{Frame, frame_of_csv, frame_of_ipc};
    #[pymodule_export]
    use super::listing::{coordinates, keywords, listing};
    #[pymodule_export]
    use super::log::{open_log, records};
    #[pymodule_export]
    use super::own::{JobRows, check, machine, order};
    #[pymodule_export]
    use super::picture::{picture, plot, plot_data};
    #[pymodule_export]
    use super::replaying::{replay, sweep};
    #[pymodule_export]
    use super::run::{Run, labels};
    #[pymodule_export]
    use super::table::write_table;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
