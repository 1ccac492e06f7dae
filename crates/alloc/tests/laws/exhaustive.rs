//! Exhaustive small cases: all short histories of every allocator, all states of small machines.

use meshreplay_alloc::allocator::Request;
use meshreplay_alloc::laws::variants;
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::{Machine, Mesh};

use super::laws::history;
use super::naive_twins::{gen_alg, mc, mc_pair, mc1x1, mc1x1_in_shells, mc1x1_shells, mc1x1_tied, mm};
use super::snug_twin::snug;
use meshreplay_testing::Tested;

/// One step of a history: a request for a number of processors, or the release of a placement by its
/// position.
#[derive(Clone, Copy, Debug)]
enum Step {
    Allocate(u32),
    Release(u32),
}

/// Plays every history that begins with `done` and has `left` more steps, each from the start.
fn play(spec: &Spec, mesh: &Mesh, done: &mut Vec<Step>, left: usize) -> Tested {
    let mut history = history(spec, mesh)?;
    for step in done.iter() {
        match *step {
            Step::Allocate(procs) => {
                history
                    .request(&Request::of(procs))
                    .map_err(|fault| format!("{spec}: {fault} after {done:?}"))?;
            }
            Step::Release(i) => history.release(i),
        }
    }
    if left == 0 {
        return Ok(());
    }
    let requests = (1..=mesh.nodes()).map(Step::Allocate);
    let steps: Vec<Step> = requests.chain((0..history.held() as u32).map(Step::Release)).collect();
    for step in steps {
        done.push(step);
        play(spec, mesh, done, left - 1)?;
        done.pop();
    }
    Ok(())
}

#[test]
fn all_short_histories_obey_the_laws() -> Tested {
    for (machine, steps) in
        [("3", 6), ("4", 5), ("2x2", 5), ("3x2", 4), ("2x2x2", 3), ("torus:3x2", 4), ("3x2:wrap=x", 4)]
    {
        let mesh: Mesh = machine.parse()?;
        for (spec, _) in variants(&mesh)? {
            play(&spec, &mesh, &mut Vec::new(), steps)?;
        }
    }
    Ok(())
}

#[test]
fn centre_based_allocators_equal_their_definitions_in_every_state() -> Tested {
    for machine in [
        "7",
        "3x3",
        "4x3",
        "2x2x2",
        "3x2x2",
        "torus:3x3",
        "torus:5x2",
        "torus:8",
        "4x3:wrap=y",
        "3x2x2:wrap=xz",
    ] {
        let mesh: Mesh = machine.parse()?;
        for busy in 0_u32..1 << mesh.nodes() {
            let nodes: Vec<u32> = (0..mesh.nodes()).filter(|node| busy >> node & 1 == 1).collect();
            let mut state = Machine::new(mesh.clone());
            state.occupy(&nodes)?;
            check_state(&state, machine)?;
        }
    }
    Ok(())
}

/// Checks every request in one state: the same set of nodes as by the definition.
pub(crate) fn check_state(state: &Machine, label: &str) -> Tested {
    use meshreplay_alloc::allocator::{Setup, build};
    type Twin = fn(&Machine, u32) -> Vec<u32>;
    let twins: [(&str, Twin); 16] = [
        ("mc", mc),
        ("mc1x1:tie-break=2/1/2/3", mc1x1_tied),
        ("mc1x1", mc1x1),
        ("mc1x1:fill=shells", mc1x1_in_shells),
        ("mc1x1-shells", mc1x1_shells),
        ("mc-pair", mc_pair),
        ("gen-alg", gen_alg),
        ("mm", mm),
        ("snug", snug),
        ("mc:search=plain", mc),
        ("mc1x1:tie-break=2/1/2/3,search=plain", mc1x1_tied),
        ("mc1x1:search=plain", mc1x1),
        ("mc1x1:fill=shells,search=plain", mc1x1_in_shells),
        ("mc1x1-shells:search=plain", mc1x1_shells),
        ("gen-alg:search=plain", gen_alg),
        ("mm:search=plain", mm),
    ];
    for (name, twin) in twins {
        let mut allocator = build(&name.parse()?, &Setup::new(state.mesh(), 0))?.strategy;
        for procs in 1..=state.free_count() {
            let mut found = allocator.propose(&Request::of(procs), state).ok_or("refused")?.nodes;
            found.sort_unstable();
            let free: Vec<u32> = state.free().iter().collect();
            assert_eq!(found, twin(state, procs), "{name} on {label}: {procs} of {free:?}");
        }
    }
    Ok(())
}
