//! The specs that laws are held to on a machine.

use meshreplay_base::spec::{Spec, SpecError};
use meshreplay_machine::machine::Mesh;
use meshreplay_machine::machine::order::ORDERS;

use crate::allocator::{self, ALLOCATORS, Promises, Setup};

/// Specs that are more than a name.
const TEXTS: &[&str] = &[
    "anca:split=full",
    "gabl:turn=yes",
    "gabl:search=area",
    "gabl:search=area,turn=yes",
    "qna:repeat=literal",
    "rbs:turn=yes",
    "first-fit:turn=yes",
    "best-of:paging|mm",
    "mc1x1:fill=shells",
    "paging:list=returned",
    "paging:list=returned,order=shuffled-snake",
    "mbs:join=no",
    "mc:search=plain",
    "mc1x1:search=plain",
    "mc1x1-shells:search=plain",
    "gen-alg:search=plain",
    "mm:search=plain",
    "adaptive-scan:search=plain",
    "fixed-orientation:search=plain",
];

/// Returns every row that serves the machine, its variants, and every curve with every selection where the
/// order exists for that many dimensions; each with what its resolved spec promises. Fails if one of them
/// cannot be built, which would be a fault of this crate.
pub fn variants(mesh: &Mesh) -> Result<Vec<(Spec, Promises)>, SpecError> {
    let mut specs: Vec<Spec> =
        ALLOCATORS.iter().filter(|entry| entry.serves(mesh)).map(|entry| Spec::named(entry.name)).collect();
    for order in ["row-major", "snake", "shuffled-row-major", "shuffled-snake"] {
        for size in ["0", "1"] {
            specs.push(Spec::named("paging").with("order", order).with("size", size));
        }
    }
    for text in TEXTS {
        specs.push(text.parse()?);
    }
    for order in ORDERS.iter().filter(|order| order.build(mesh).is_ok()) {
        for select in ["best-fit", "first-fit", "free-list", "sum-of-squares"] {
            specs.push(Spec::named("curve").with("order", order.name).with("select", select));
        }
    }
    let setup = Setup::new(mesh, 0);
    specs.into_iter().map(|spec| Ok((spec.clone(), allocator::build(&spec, &setup)?.promises))).collect()
}
