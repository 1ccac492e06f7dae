//! Subjects of the laws: allocators, including guest programs.

use std::sync::Arc;

use super::setup::Setup;
use super::table::Guests;
use meshreplay_alloc::laws::{SEED, Subject, random_node_lists};
use meshreplay_base::spec::Spec;

/// Returns a registered allocator or a program as a subject of the laws.
pub fn subject(spec: &Spec) -> Subject<'static> {
    if !spec.is_guest() {
        return Subject::of_spec(spec);
    }
    let (spec, label) = (spec.clone(), spec.to_string());
    Subject::of_program(label.clone(), move |mesh, stop| {
        let lists = Arc::new(random_node_lists(mesh));
        let setup = Setup { label: &label, mesh, jobs: &[], seed: SEED, stop, lists: Some(&lists) };
        Guests::default().allocator(&spec, &setup)
    })
}
