//! The list of all allocators, and the functions that find and build the allocator of a spec.

use super::seam::{AllocatorEntry, Built, Placement, Setup, Strategy};
use super::{
    anywhere, best_of, buddy, compaction, contiguous, curve, nearest, pieces, recorded, rfold, shells,
    slurm_torus3d, snug, tree,
};
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};
use meshreplay_machine::machine::order::ORDERS;
use meshreplay_machine::machine::{Machine, Mesh, unavailable_submeshes};

/// Allocators that share an idea, under a title for readers.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The title.
    pub title: &'static str,
    /// The allocators, from simple to elaborate.
    pub entries: &'static [AllocatorEntry],
}

/// All families. A new allocator is a row of one of them.
pub const FAMILIES: &[Family] = &[
    Family {
        title: "Any free nodes",
        entries: &[anywhere::random::ENTRY, anywhere::naive::ENTRY, anywhere::paging::ENTRY],
    },
    Family { title: "Along a curve", entries: &[curve::ENTRY] },
    Family {
        title: "Blocks of powers of two",
        entries: &[
            buddy::mbs::ENTRY,
            buddy::mbs::LAYERED,
            buddy::octet_mbs::ENTRY,
            buddy::granular_mbs::ENTRY,
            buddy::round_up_mbs::ENTRY,
        ],
    },
    Family {
        title: "Nearest nodes",
        entries: &[
            shells::mc::ENTRY,
            shells::mc1x1::ENTRY,
            shells::mc1x1_shells::ENTRY,
            nearest::gen_alg::ENTRY,
            nearest::mm::ENTRY,
            nearest::mm_inc::ENTRY,
            shells::mc_pair::ENTRY,
        ],
    },
    Family {
        title: "Best of several",
        entries: &[best_of::entry(|params, setup| best_of::build(params, setup, build_untold)), snug::ENTRY],
    },
    Family {
        title: "Several rectangles or cuboids",
        entries: &[pieces::anca::ENTRY, pieces::gabl::ENTRY, pieces::qna::ENTRY],
    },
    Family {
        title: "One rectangle or cuboid",
        entries: &[
            buddy::buddy_2d::ENTRY,
            contiguous::frame_sliding::ENTRY,
            contiguous::first_fit::ENTRY,
            contiguous::fixed_orientation::ENTRY,
            contiguous::best_fit::ENTRY,
            contiguous::worst_fit::ENTRY,
            contiguous::max_periphery::ENTRY,
            contiguous::all_shapes::ENTRY,
            contiguous::adaptive_scan::ENTRY,
            contiguous::busy_list::ENTRY,
            contiguous::rbs::ENTRY,
            contiguous::stack_based::ENTRY,
            contiguous::qna_scan::ENTRY,
            slurm_torus3d::ENTRY,
        ],
    },
    Family {
        title: "Cubes behind optical switches",
        entries: &[
            rfold::rfold_first_fit::ENTRY,
            rfold::rfold_folding::ENTRY,
            rfold::rfold_reconfig::ENTRY,
            rfold::rfold::ENTRY,
        ],
    },
    Family {
        title: "Trees of switches",
        entries: &[tree::slurm_tree::ENTRY, tree::slurm_block::ENTRY, tree::kueue::ENTRY],
    },
    Family {
        title: "Arrays whose jobs may move",
        entries: &[
            compaction::rows::LINEAR_FIRST_FIT,
            compaction::rows::LEFT,
            compaction::rows::RIGHT,
            compaction::rows::ORDERED,
            compaction::rows::COST_FREE,
        ],
    },
    Family { title: "As recorded", entries: &[recorded::ENTRY] },
];

/// All allocators, family by family. The command `list`, help texts, law tests and `--allocator all` use this
/// order.
pub const ALLOCATORS: &[AllocatorEntry] = &all::<{ count() }>();

/// Returns the number of allocators.
#[expect(clippy::arithmetic_side_effects, reason = "the length of a constant, at compile time")]
const fn count() -> usize {
    let (mut count, mut i) = (0, 0);
    while i < FAMILIES.len() {
        count += FAMILIES[i].entries.len();
        i += 1;
    }
    count
}

/// Returns the entries of all families.
#[expect(clippy::arithmetic_side_effects, reason = "positions in a constant, at compile time")]
const fn all<const N: usize>() -> [AllocatorEntry; N] {
    let mut all = [FAMILIES[0].entries[0]; N];
    let (mut next, mut i) = (0, 0);
    while i < FAMILIES.len() {
        let mut j = 0;
        while j < FAMILIES[i].entries.len() {
            all[next] = FAMILIES[i].entries[j];
            next += 1;
            j += 1;
        }
        i += 1;
    }
    all
}

/// Returns the family of a spec; `None` for guests and unknown names.
pub fn family(spec: &Spec) -> Option<&'static Family> {
    let (entry, _) = find(spec).ok()?;
    FAMILIES.iter().find(|family| family.entries.iter().any(|other| other.name == entry.name))
}

/// The name of the allocator that repeats recorded placements. It needs a log with lists of nodes.
pub const RECORDED: &str = recorded::ENTRY.name;

/// Returns true if the allocator, or a member of it, repeats recorded placements.
pub fn follows_lists(spec: &Spec) -> bool {
    let members = spec.members.iter().flat_map(|members| members.split('|'));
    spec.name == RECORDED
        || members.filter_map(|member| member.parse().ok()).any(|member| follows_lists(&member))
}

/// Finds the row of a spec. Returns the row and the spec. The abbreviation `ORDER+SELECT` for curve
/// allocators is replaced by its long form: `hilbert+bf` becomes `curve:order=hilbert,select=best-fit`. Any
/// other spec is returned unchanged. Fails if no row has the name.
pub fn find(spec: &Spec) -> Result<(&'static AllocatorEntry, Spec), SpecError> {
    if spec.name.contains(|letter: char| letter.is_ascii_uppercase()) {
        return Err(unknown_allocator(&spec.name));
    }
    let spec = curve::expand(spec).unwrap_or_else(|| spec.clone());
    match ALLOCATORS.iter().find(|entry| entry.name == spec.name) {
        Some(entry) => Ok((entry, spec)),
        None => Err(unknown_allocator(&spec.name)),
    }
}

/// Returns the error for a name that no row has. If the name in lower case is one, the hint is that name; if
/// it is the name of an order, such as `hilbert`, the hint appends a selection to it: `hilbert+bf`.
fn unknown_allocator(name: &str) -> SpecError {
    let mut error = unknown("allocator", name, ALLOCATORS.iter().map(|entry| entry.name));
    let lower = name.to_ascii_lowercase();
    let meant = if ORDERS.iter().any(|order| order.name == lower) {
        Some(format!("{lower}+bf"))
    } else {
        Some(lower).filter(|lower| lower != name && lower.contains('+'))
    };
    if let (SpecError::Unknown { hint, known, .. }, Some(meant)) = (&mut error, meant) {
        *hint = format!(", did you mean '{meant}'?");
        known.clear();
    }
    error
}

/// Returns the short form of an allocator's spec, see [`short`]. A text that is not the spec of an allocator
/// is returned unchanged.
pub fn short_label(text: &str) -> String {
    match text.parse::<Spec>() {
        Ok(spec) if find(&spec).is_ok() => short(&spec),
        _ => text.to_owned(),
    }
}

/// Returns a short form of a spec for tables. Parameters that have their default values are left out, and a
/// curve allocator becomes `ORDER+SELECT`, such as `hilbert+bf`. The members of best-of are shortened in the
/// same way.
pub fn short(spec: &Spec) -> String {
    if spec.is_guest() {
        return spec.to_string();
    }
    if let Some(members) = &spec.members {
        let bare = Spec::named(&spec.name);
        if defaults(&bare).is_some_and(|default| default == *spec) {
            return bare.name;
        }
        let short = |member: &str| member.parse().map_or_else(|_| member.to_owned(), |spec| short(&spec));
        return format!("{}:{}", spec.name, members.split('|').map(short).collect::<Vec<_>>().join("|"));
    }
    if let Some(short) = curve::abbreviate(spec) {
        return short;
    }
    let mut short = spec.clone();
    if spec.name != curve::ENTRY.name
        && let Some(default) = defaults(&Spec::named(&spec.name))
    {
        short.params.retain(|key, value| default.params.get(key) != Some(value));
    }
    short.to_string()
}

/// Returns the spec with every default written out; `None` if it cannot be built on a machine of one node.
fn defaults(spec: &Spec) -> Option<Spec> {
    let built = |machine: &str| Some(build(spec, &Setup::new(&machine.parse().ok()?, 0)).ok()?.spec);
    ["1", "tree:1"].into_iter().find_map(built)
}

/// Builds the allocator that `spec` names, and reports the unavailable nodes of the machine to it as taken,
/// see [`super::Strategy::taken`]. Fails if the name or a parameter is unknown, if a value is not allowed, or
/// if the allocator does not serve the machine.
pub fn build(spec: &Spec, setup: &Setup<'_>) -> Result<Built, SpecError> {
    let mut built = build_untold(spec, setup)?;
    tell_unavailable(&mut built.strategy, setup.mesh);
    Ok(built)
}

/// Reports the unavailable nodes of `mesh` to a new allocator, as taken by another holder.
pub fn tell_unavailable(strategy: &mut Strategy, mesh: &Mesh) {
    if mesh.unavailable().is_empty() {
        return;
    }
    let machine = Machine::new(mesh.clone());
    // Rectangles, as an allocator that lists the submeshes in use then lists few.
    for place in unavailable_submeshes(mesh) {
        strategy.taken(&Placement::of(place.nodes(&machine)), &machine);
    }
}

/// Builds the allocator that `spec` names, as if every node of the machine were available. Best-of builds its
/// members by this function and forwards all reports to them.
fn build_untold(spec: &Spec, setup: &Setup<'_>) -> Result<Built, SpecError> {
    let (entry, spec) = find(spec)?;
    if let Some(refusal) = entry.refusal(setup.mesh) {
        let problem = format!("{refusal}; `list allocators` shows others");
        return Err(SpecError::Unsuited { owner: spec.name, machine: setup.mesh.to_string(), problem });
    }
    let mut params = Params::new(&spec);
    let strategy = (entry.build)(&mut params, setup)?;
    let spec = params.finish()?;
    Ok(Built { promises: (entry.promises)(&spec), spec, strategy })
}
