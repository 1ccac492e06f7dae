//! Laws for the whole registry: properties of every registered allocator in every history.

use meshreplay_alloc::allocator::{self, Request, Setup};
use meshreplay_alloc::laws::variants;
use meshreplay_alloc::laws::{self, History, LAWS, MACHINES, Subject, Trial, Verdict};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::Mesh;

use meshreplay_testing::{Numbers, Tested};

#[test]
fn promises_are_those_of_the_resolved_spec() -> Tested {
    let mesh: Mesh = "8x8".parse()?;
    for (text, exact, complete) in [
        ("paging", true, true),
        ("paging:size=0", true, true),
        ("paging:size=1", false, false),
        ("anca", false, false),
        ("anca:split=full", false, true),
        ("gabl", true, true),
        ("qna", true, true),
        ("best-of:paging|mm", true, true),
    ] {
        let found = allocator::build(&text.parse()?, &Setup::new(&mesh, 0))?.promises;
        assert_eq!((found.exact, found.complete), (exact, complete), "{text}");
    }
    let paged = allocator::build(&"best-of:paging:size=1|mm".parse()?, &Setup::new(&mesh, 0));
    let message = paged.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.ends_with("expected members that take exactly as many nodes as requested"), "{message}");
    Ok(())
}

/// Checks a law for every registered allocator on every machine that it serves. `events` is the length of
/// each history. Most laws have three histories: jobs only, with nodes taken by other holders, with outages.
fn all_keep(law: &str, events: usize) -> Tested {
    for machine in MACHINES {
        keep_on(&machine.parse()?, law, events)?;
    }
    Ok(())
}

/// Checks a law for every registered allocator on one machine.
pub(crate) fn keep_on(mesh: &Mesh, law: &str, events: usize) -> Tested {
    let law = laws::find(law)?;
    for (spec, _) in variants(mesh)? {
        let trial = Trial { subject: &Subject::of_spec(&spec), law, seed: 11, events };
        if let Verdict::Broken(counterexample) = trial.on(mesh)? {
            return Err(format!("on {mesh}: {counterexample}").into());
        }
    }
    Ok(())
}

#[test]
fn placements_are_free_and_disjoint() -> Tested {
    all_keep("free", 150)
}

#[test]
fn placements_are_of_the_size_promised() -> Tested {
    all_keep("size", 150)
}

#[test]
fn allocators_refuse_only_what_they_may() -> Tested {
    all_keep("serves", 150)
}

#[test]
fn the_same_history_gives_the_same_placements() -> Tested {
    all_keep("repeats", 200)
}

#[test]
fn a_refused_request_changes_nothing() -> Tested {
    all_keep("refuses", 200)
}

#[test]
fn what_is_proposed_and_not_taken_changes_nothing() -> Tested {
    all_keep("proposes", 400)
}

#[test]
fn once_everything_is_released_an_allocator_is_as_new() -> Tested {
    all_keep("forgets", 300)
}

#[test]
fn allocators_follow_what_others_have_chosen() -> Tested {
    all_keep("state", 360)
}

#[test]
fn an_idle_machine_can_be_taken_whole() -> Tested {
    all_keep("whole", 0)
}

#[test]
fn a_job_of_one_processor_is_placed_on_an_idle_machine() -> Tested {
    all_keep("places", 0)
}

#[test]
fn every_law_is_tested() {
    let tested =
        ["free", "size", "serves", "places", "whole", "repeats", "refuses", "proposes", "forgets", "state"];
    assert!(LAWS.iter().map(|law| law.name).eq(tested));
}

/// Returns the history of a registered allocator on a machine.
pub(crate) fn history(spec: &Spec, mesh: &Mesh) -> Result<History, Box<dyn std::error::Error>> {
    Ok(History::new(&Subject::of_spec(spec), mesh)?)
}

#[test]
fn naive_equals_the_free_list_in_order_of_node_numbers() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        // Row-major order runs along the longest dimension first, which is x if the sides decrease.
        if !mesh.extents().is_sorted_by(|a, b| a >= b) {
            continue;
        }
        let mut twins = [
            history(&Spec::named("naive"), &mesh)?,
            history(&"curve:order=row-major,select=free-list".parse()?, &mesh)?,
        ];
        let mut numbers = Numbers(2);
        for _ in 0..300 {
            let [a, b] = &mut twins;
            if a.held() > 0 && numbers.below(mesh.nodes() + 1) >= a.machine.free_count() {
                let position = numbers.below(a.held() as u32);
                a.release(position);
                b.release(position);
                continue;
            }
            let procs = 1 + numbers.below(mesh.nodes().div_ceil(3));
            assert_eq!(a.request(&Request::of(procs))?, b.request(&Request::of(procs))?, "{machine}");
        }
    }
    Ok(())
}
