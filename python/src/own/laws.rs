//! The laws of allocators, for classes in Python and for names.

use std::sync::Arc;

use meshreplay::allocator::{BuildError, Built, Memory, Promises, Served, tell_unavailable};
use meshreplay::guest::{self, Setup};
use meshreplay::laws::{MACHINES, Subject, Survey};
use meshreplay::machine::Mesh;
use meshreplay::report::laws_table;
use meshreplay::spec::Spec;
use pyo3::prelude::*;

use super::allocator::strategy;
use crate::error::failure;
use crate::wait::wait_for;

/// The name of an allocator, the law that it breaks, and the counterexample.
type Broken = (String, String, String);

/// Holds allocators to the laws: names, or names with a class or an object. Returns the table, and what is
/// broken.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    allocators: Vec<(String, Option<Py<PyAny>>)>,
    machines: Vec<String>,
    seed: u64,
    events: usize,
) -> PyResult<(String, Vec<Broken>)> {
    let machines = if machines.is_empty() { MACHINES.map(str::to_owned).to_vec() } else { machines };
    let parsed = machines.iter().map(|text| text.parse::<Mesh>().map_err(|error| failure(&error)));
    let machines: Vec<Mesh> = parsed.collect::<PyResult<_>>()?;
    let mut subjects = Vec::new();
    for (name, given) in allocators {
        subjects.push(match given {
            Some(given) => subject(name, given, seed),
            None => guest::subject(&name.parse::<Spec>().map_err(|error| failure(&error))?),
        });
    }
    wait_for(py, move || {
        let survey = Survey { subjects: &subjects, machines: &machines, seed, events };
        let findings = survey.findings().map_err(|error| failure(&error))?;
        let broken = findings.iter().filter_map(|finding| {
            let counterexample = finding.broken.as_ref()?;
            Some((finding.subject.to_owned(), finding.law.name.to_owned(), counterexample.to_string()))
        });
        Ok((laws_table(&findings).text(), broken.collect()))
    })?
}

/// Returns the subject of a class or an object, which begins with `seed`.
fn subject(name: String, given: Py<PyAny>, seed: u64) -> Subject<'static> {
    let (given, label) = (Arc::new(given), name.clone());
    Subject::new(name, move |mesh, stop| {
        let setup = Setup { label: &label, mesh, jobs: &[], seed, stop, lists: None };
        let mut strategy = strategy(&given, &setup, false).map_err(BuildError::Failed)?;
        tell_unavailable(&mut strategy, mesh);
        let complete = matches!(strategy.served, Served::ByCount);
        let memory = match strategy.served {
            _ if !forgets(&given) => Memory::Lasting,
            Served::ByState(_) => Memory::None,
            _ => Memory::UntilIdle,
        };
        let promises = Promises { exact: strategy.is_exact(), complete, memory };
        Ok(Built { spec: Spec::named("guest"), promises, strategy })
    })
}

/// Returns whether a class says that it decides like a new one once all nodes are free.
fn forgets(given: &Py<PyAny>) -> bool {
    Python::attach(|py| given.getattr(py, "forgets").and_then(|forgets| forgets.extract(py)).unwrap_or(true))
}
