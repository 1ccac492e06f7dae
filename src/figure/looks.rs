//! Which look a curve has: that of its allocator, the same in every plot.

use crate::allocator::{self, ALLOCATORS};
use crate::figure::draw::Style;
use crate::machine::order::ORDERS;

/// Series whose markers would be the same in one plot get others, of their own colour, as long as there are any; then
/// other colours and dashes, and if there are more series than those, some look like others.
pub fn separate(styles: &mut [&mut Style]) {
    const MOST_TRIED: usize = 96;
    for i in 1..styles.len() {
        let (before, after) = styles.split_at_mut(i);
        let own = *after[0];
        let is_marked = |look: &Style| !before.iter().any(|other| other.is_marked_like(*look));
        let is_free = |look: &Style| !before.iter().any(|other| other.looks_like(*look));
        let free = || (own.0..own.0 + MOST_TRIED).map(Style).find(is_free);
        *after[0] = own.remarked().find(is_marked).or_else(free).unwrap_or(own);
    }
}

/// The look of an allocator, by its place in the registry; of a curve, by its order. The same in every plot.
pub fn style(short: &str) -> Style {
    let place = |name: &str| ALLOCATORS.iter().position(|entry| entry.name == name);
    let Some((entry, spec)) = short.parse().ok().and_then(|spec| allocator::find(&spec).ok()) else {
        return Style(short.bytes().map(usize::from).sum());
    };
    let order =
        spec.params.get("order").and_then(|order| ORDERS.iter().position(|other| other.name == order));
    let of_entry = place(entry.name).unwrap_or_default();
    match (entry.name, order) {
        ("curve", Some(order)) => {
            let select = spec.params.get("select").map_or(0, String::len);
            Style(of_entry + 8 * (1 + order) + select)
        }
        _ => Style(of_entry + short.len() - entry.name.len().min(short.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_belong_to_allocators() {
        assert_eq!(style("mc1x1"), style("mc1x1"));
        assert_ne!(style("gabl"), style("qna"));
        assert_ne!(style("hilbert+bf").colour(), "");
        let separated = |mut styles: Vec<Style>| {
            separate(&mut styles.iter_mut().collect::<Vec<_>>());
            styles
        };
        assert_eq!(separated([3, 3, 4].map(Style).to_vec()), [3, 11, 4].map(Style));
        // More series than looks.
        let styles = separated((0..200).map(|i| Style(i % 37)).collect());
        for (i, style) in styles.iter().enumerate().take(24) {
            assert!(!styles[..i].iter().any(|other| style.looks_like(*other)), "{i}: {styles:?}");
        }
    }
}
