//! `search=plain` against the accelerated search: the same nodes in the same order.

use meshreplay_alloc::allocator::{Placement, Request, Setup, Strategy, build};
use meshreplay_machine::machine::{Machine, Mesh};
use meshreplay_testing::{Numbers, Tested};

const SPECS: [&str; 11] = [
    "mc",
    "mc1x1",
    "mc1x1:fill=shells",
    "mc1x1:tie-break=2/1/2/3",
    "mc1x1-shells",
    "mc1x1-shells:ties=location",
    "gen-alg",
    "gen-alg:ties=location",
    "mm",
    "adaptive-scan",
    "fixed-orientation",
];

/// Plays random jobs to both searches.
fn compare(spec: &str, mesh: &Mesh, numbers: &mut Numbers) -> Tested {
    let plain = format!("{spec}{}search=plain", if spec.contains(':') { "," } else { ":" });
    let builds = |spec: &str| -> Result<Strategy, Box<dyn std::error::Error>> {
        Ok(build(&spec.parse()?, &Setup::new(mesh, 0))?.strategy)
    };
    let (mut fast, mut plain) = (builds(spec)?, builds(&plain)?);
    let (mut machine, mut held) = (Machine::new(mesh.clone()), Vec::<Placement>::new());
    let most = mesh.nodes().isqrt().max(2);
    for _ in 0..120 {
        let sides = [1 + numbers.below(most), 1 + numbers.below(most / 2 + 1), 1];
        let request = if spec.contains("mc") && numbers.below(2) == 0 {
            Request::of(sides[0] * sides[1])
        } else {
            Request::sides(sides)
        };
        let found = fast.propose(&request, &machine);
        assert_eq!(found, plain.propose(&request, &machine), "{spec} on {mesh}: {request:?}");
        match found {
            Some(placement) if numbers.below(5) > 0 => {
                machine.occupy(&placement.nodes)?;
                fast.accepted(&placement, &machine);
                plain.accepted(&placement, &machine);
                held.push(placement);
            }
            _ if !held.is_empty() => {
                let placement = held.swap_remove(numbers.below(held.len() as u32) as usize);
                machine.vacate(&placement.nodes);
                fast.released(&placement, &machine);
                plain.released(&placement, &machine);
            }
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn plain_searches_place_like_the_accelerated_ones() -> Tested {
    let mut numbers = Numbers(17);
    for text in ["12x9", "6x5x4", "40", "torus:9x8", "torus:5x4x4", "8x9:wrap=y", "16x16"] {
        let mesh: Mesh = text.parse()?;
        for spec in SPECS {
            compare(spec, &mesh, &mut numbers)?;
        }
    }
    Ok(())
}
