//! Nodes as text: intervals such as `0-3 7`, as Batsim and evalys write them, and coordinates such as
//! `(3,1)`.

use std::fmt::Write;

use super::NodeId;
use meshreplay_base::words::excerpt;

/// Returns the text of a set of nodes as ascending intervals; an empty text if there are no nodes. O(k log
/// k).
#[inline]
pub fn intervals(nodes: &[NodeId]) -> String {
    let mut nodes = nodes.to_vec();
    nodes.sort_unstable();
    let ends = |run: &[NodeId]| Some((*run.first()?, *run.last()?));
    format_intervals(nodes.chunk_by(|a, b| b - a == 1).filter_map(ends))
}

/// Returns the text of intervals that are given by their first and last nodes; an empty text if there are
/// none.
pub fn format_intervals(intervals: impl IntoIterator<Item = (NodeId, NodeId)>) -> String {
    let mut text = String::new();
    for (first, last) in intervals {
        let blank = if text.is_empty() { "" } else { " " };
        // Writing to memory cannot fail.
        let _ = if first == last {
            write!(text, "{blank}{first}")
        } else {
            write!(text, "{blank}{first}-{last}")
        };
    }
    text
}

/// Returns coordinates as text, such as `(3,1)`.
pub(super) fn format_coordinates(coordinates: &[impl ToString]) -> String {
    format!("({})", coordinates.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// Returns a field of a table without blanks and quotation marks around it.
pub(super) fn unquoted(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}

/// Returns the beginning of a text in quotes, for messages.
pub(super) fn quote(text: &str) -> String {
    format!("'{}'", excerpt(text))
}

/// The error for a text that is not a set of nodes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{part}' is no node and no interval of nodes; expected such as 0-3 7")]
pub struct IntervalError {
    /// The part of the text that is neither a node nor an interval, cut after 20 characters.
    pub part: String,
}

/// Returns the intervals of a text in its order, each as its first and last node; an empty list if the text
/// has none. Blanks or commas separate intervals. O(length).
#[inline]
pub fn parse_intervals(text: &str) -> Result<Vec<(NodeId, NodeId)>, IntervalError> {
    let parts = text.split([' ', ',']).filter(|part| !part.is_empty());
    let parse = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some((first, last))
    };
    parts.map(|part| parse(part).ok_or_else(|| IntervalError { part: excerpt(part) })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_intervals_and_back() -> Result<(), IntervalError> {
        for (nodes, text) in
            [(&[][..], ""), (&[7], "7"), (&[2, 0, 3, 1, 7], "0-3 7"), (&[5, 4, 9, 8, 0], "0 4-5 8-9")]
        {
            assert_eq!(intervals(nodes), text);
            let count: u32 = parse_intervals(text)?.iter().map(|(first, last)| last - first + 1).sum();
            assert_eq!(count as usize, nodes.len());
        }
        assert_eq!(parse_intervals("3,5-6")?, [(3, 3), (5, 6)]);
        Ok(())
    }

    #[test]
    fn what_is_no_interval_is_named() {
        for (text, part) in
            [("0-3 x", "x"), ("4-2", "4-2"), ("-1", "-1"), ("1-2-3", "1-2-3"), ("99999999999", "99999999999")]
        {
            assert_eq!(parse_intervals(text).expect_err("wrong").part, part);
        }
    }
}
