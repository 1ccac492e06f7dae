//! The parameter `search`: the published algorithm word for word, or an accelerated search with the same
//! placements.
//!
//! Papers compare the running times of their algorithms as written. The accelerated searches have other
//! costs, so only `search=plain` can be held against such a comparison.

use meshreplay_base::spec::{Params, SpecError};

/// Reads the parameter `search`. Returns true for `plain`.
pub(super) fn take_plain(params: &mut Params) -> Result<bool, SpecError> {
    params.choose_unwritten("search", &[("fast", false), ("plain", true)])
}
