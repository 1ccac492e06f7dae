//! Machines with unavailable nodes: every allocator, the optimum and the bound.

use meshreplay_alloc::allocator::Request;
use meshreplay_alloc::laws::variants;
use meshreplay_alloc::laws::{MACHINES, with_holes};
use meshreplay_machine::machine::{Machine, Mesh};
use meshreplay_machine::yardstick::{PairwiseBound, optimum};

use super::laws::{history, keep_on};
use meshreplay_testing::Tested;

#[test]
fn nothing_is_placed_on_an_unavailable_node_and_nothing_is_refused_for_one() -> Tested {
    for machine in MACHINES {
        for mesh in with_holes(&machine.parse()?, 41) {
            for law in ["free", "size", "serves", "whole"] {
                keep_on(&mesh, law, 40)?;
            }
        }
    }
    Ok(())
}

#[test]
fn allocators_on_machines_with_unavailable_nodes_forget_and_repeat() -> Tested {
    for machine in MACHINES {
        for mesh in with_holes(&machine.parse()?, 43).into_iter().step_by(3) {
            for law in ["repeats", "proposes", "forgets"] {
                keep_on(&mesh, law, 30)?;
            }
        }
    }
    Ok(())
}

#[test]
fn unavailable_nodes_are_told_like_placements_of_somebody_else() -> Tested {
    for machine in MACHINES {
        let whole: Mesh = machine.parse()?;
        for mesh in with_holes(&whole, 59) {
            for (spec, _) in
                variants(&mesh)?.into_iter().filter(|(_, promises)| promises.memory.ends_when_idle())
            {
                let (mut built, mut told) = (history(&spec, &mesh)?, history(&spec, &whole)?);
                for place in meshreplay_machine::machine::unavailable_submeshes(&mesh) {
                    let nodes = place.nodes(&told.machine);
                    told.take(&nodes);
                }
                // Beyond 64 nodes, every seventh size, the powers of two, at which buddies change, and all.
                let is_tried = |k: &u32| *k <= 64 || k.is_multiple_of(7) || k.is_power_of_two();
                let sizes = (1..mesh.available()).filter(is_tried).chain([mesh.available()]);
                for k in sizes {
                    let [a, b] =
                        [&mut built, &mut told].map(|history| history.ask(&Request::of(k)).placement);
                    // Snug weighs by the share of busy nodes. Unavailable nodes do not count.
                    assert!(a == b || spec.name == "snug", "{spec} on {mesh}: {a:?} or {b:?} for {k}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_bound_holds_and_the_optimum_takes_available_nodes() -> Tested {
    for machine in ["5x4", "torus:4x4", "3x2x3", "9"] {
        let whole: Mesh = machine.parse()?;
        for mesh in with_holes(&whole, 67) {
            let (free, mut bound) = (Machine::new(mesh.clone()), PairwiseBound::new(&mesh));
            for k in 1..=mesh.available() {
                let best = optimum(&mesh, free.free(), k, u64::MAX).map_err(|error| format!("{error:?}"))?;
                assert!(best.nodes.iter().all(|&node| mesh.is_available(node)), "{k} on {mesh}");
                assert!(best.pairwise_sum >= bound.of(k), "{k} on {mesh}");
            }
        }
    }
    Ok(())
}
