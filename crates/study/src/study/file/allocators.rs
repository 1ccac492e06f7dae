//! The allocators of a study file, and files in place of one that has machines which an allocator cannot
//! serve.

use super::super::all::ALL;
use super::super::axes::resolve;
use super::StudyError;
use super::strings;
use super::toml_keys::{Keys, ListEntry};
use meshreplay_base::spec::{GivenSpec, Spec, SpecError};
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::guest::Guests;

/// The machines of a study file: the names in the file, and the machines without unavailable nodes.
pub(super) struct Machines<'a> {
    pub(super) names: &'a [String],
    pub(super) meshes: &'a [Mesh],
}

/// Returns the allocators of the file, in their canonical spelling. Fails if one cannot serve a machine of
/// the study.
pub(super) fn allocators(
    keys: &Keys<'_>,
    machines: &Machines<'_>,
) -> Result<Vec<ListEntry<GivenSpec>>, StudyError> {
    let texts = keys.required("allocators", strings(|text| Ok(text.to_owned())))?;
    let texts: Vec<String> = texts.into_iter().map(|(text, _)| text).collect();
    keys.required(
        "allocators",
        strings(|text| {
            let given: GivenSpec = text.parse().map_err(|error: SpecError| error.to_string())?;
            if given.spec == Spec::named(ALL) {
                return Ok(given);
            }
            for machine in machines.meshes {
                resolve(&given.spec, machine).map_err(|error| match error {
                    SpecError::Unsuited { .. } => format!("{error}{}", split(&texts, machines)),
                    _ => error.to_string(),
                })?;
            }
            let spec = Guests::default().find_allocator(&given.spec).map_err(|error| error.to_string())?;
            Ok(GivenSpec { spec, ..given })
        }),
    )
}

/// Allocators that serve the same machines.
struct Alike<'a> {
    machines: Vec<&'a str>,
    allocators: Vec<&'a str>,
}

/// Returns the lines of several study files in place of one, each with allocators that serve the same
/// machines. Empty if one file has all allocators that serve any machine.
fn split(allocators: &[String], machines: &Machines<'_>) -> String {
    let mut files: Vec<Alike<'_>> = Vec::new();
    for text in allocators {
        let Ok(GivenSpec { spec, .. }) = text.parse() else { continue };
        let is_served = |mesh| spec == Spec::named(ALL) || resolve(&spec, mesh).is_ok();
        let named = machines.names.iter().zip(machines.meshes);
        let served: Vec<&str> = named.filter(|(_, mesh)| is_served(mesh)).map(|(name, _)| &**name).collect();
        match files.iter_mut().find(|file| file.machines == served) {
            Some(file) => file.allocators.push(text),
            None if served.is_empty() => {}
            None => files.push(Alike { machines: served, allocators: vec![text] }),
        }
    }
    if files.len() < 2 {
        return String::new();
    }
    let lines = |Alike { machines, allocators }: &Alike<'_>| {
        format!("\n  machines = {machines:?}\n  allocators = {allocators:?}")
    };
    let lines: Vec<String> = files.iter().map(lines).collect();
    format!("; or split the study into {} files with these lines:{}", files.len(), lines.join("\nand"))
}
