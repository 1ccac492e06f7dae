//! Reads lists of trackable resources, such as `billing=8,cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=2G,node=2`.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "positions in an entry; at most nine digits on the fast path, other numbers are below 9e15, and \
         sums are checked"
)]

use crate::times::digits;
use crate::unit::Unit;

/// Nodes, CPUs and GPUs of a job; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Resources {
    pub(super) nodes: Option<i64>,
    pub(super) cpus: Option<i64>,
    pub(super) gpus: Option<i64>,
}

impl Resources {
    /// Returns the number that counts `unit`; `None` if it is unknown.
    pub(super) fn of(&self, unit: Unit) -> Option<i64> {
        match unit {
            Unit::Nodes => self.nodes,
            Unit::Cpus => self.cpus,
            Unit::Gpus => self.gpus,
        }
    }

    /// Returns these numbers, with `other` as a fallback for unknown ones.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.or(other.nodes),
            cpus: self.cpus.or(other.cpus),
            gpus: self.gpus.or(other.gpus),
        }
    }

    /// Parses a list of resources. An empty list leaves all numbers unknown; in any other list a missing
    /// `gres/gpu` means 0 GPUs. Returns `None` if one of the three numbers is malformed or a sum exceeds 64
    /// bits. Other resources are ignored.
    ///
    /// GPUs are counted by `gres/gpu`. Only if the list does not have it, GPUs by type (`gres/gpu:a100`) are
    /// added up.
    pub(super) fn parse(list: &[u8]) -> Option<Self> {
        let mut found = Self::default();
        if list.is_empty() {
            return Some(found);
        }
        let mut by_type = 0_i64;
        for entry in list.split(|&byte| byte == b',') {
            let Some(at) = memchr::memchr(b'=', entry) else { continue };
            let (name, value) = (&entry[..at], &entry[at + 1..]);
            match name {
                b"node" => found.nodes = Some(quantity(value)?),
                b"cpu" => found.cpus = Some(quantity(value)?),
                b"gres/gpu" => found.gpus = Some(quantity(value)?),
                _ if name.starts_with(b"gres/gpu:") => by_type = by_type.checked_add(quantity(value)?)?,
                _ => {}
            }
        }
        found.gpus = found.gpus.or(Some(by_type));
        Some(found)
    }
}

/// Returns the number that `text` spells, such as `48` or `1.5K`; the suffixes K, M, G, T and P count in
/// steps of 1024, as in Slurm. `None` if it is no number.
pub(super) fn quantity(text: &[u8]) -> Option<i64> {
    // The fast path: some digits and nothing else.
    if let Some(number) = digits(text) {
        return Some(number);
    }
    let text = std::str::from_utf8(text).ok()?;
    let power = text.chars().last().and_then(|last| "KMGTP".find(last.to_ascii_uppercase()));
    let (number, factor) = match power {
        Some(power) => (&text[..text.len() - 1], 1024_f64.powi(power as i32 + 1)),
        None => (text, 1.0),
    };
    let is_plain = number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value = number.parse::<f64>().ok().filter(|_| is_plain)? * factor;
    (value < 9e15).then_some(value.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_tell_nodes_cpus_and_gpus() {
        let resources = |nodes, cpus, gpus| Some(Resources { nodes, cpus, gpus });
        for (list, expected) in [
            ("billing=8,cpu=8,gres/gpu=4,mem=2M,node=2", resources(Some(2), Some(8), Some(4))),
            ("cpu=5,mem=4M,node=4,billing=5", resources(Some(4), Some(5), Some(0))),
            ("cpu=1,gres/gpu:a100=2,gres/gpu:v100=1", resources(None, Some(1), Some(3))),
            ("gres/gpu=3,gres/gpu:a100=2,gres/gpumem=80G", resources(None, None, Some(3))),
            ("node=1.50K,cpu=2K", resources(Some(1536), Some(2048), Some(0))),
            ("", resources(None, None, None)),
            ("cpu=many", None),
            ("cpu=-4", None),
            ("node=", None),
        ] {
            assert_eq!(Resources::parse(list.as_bytes()), expected, "{list}");
        }
    }

    /// Each of these numbers is small enough, and the sum of 1,025 of them is not.
    #[test]
    fn gpus_of_types_beyond_64_bits_are_malformed() {
        let list = vec!["gres/gpu:a=8999999999999999"; 1025].join(",");
        assert_eq!(Resources::parse(list.as_bytes()), None);
        let gpus = Resources::parse(&list.as_bytes()[..list.len() / 2]).and_then(|found| found.gpus);
        assert!(gpus.is_some_and(|gpus| gpus > 4_000_000_000_000_000_000));
    }

    #[test]
    fn quantities_have_suffixes_of_1024() {
        for (text, expected) in [
            ("0", Some(0)),
            ("123456789", Some(123_456_789)),
            ("12345678901", Some(12_345_678_901)),
            ("4K", Some(4096)),
            ("2m", Some(2 << 20)),
            ("K", None),
            ("1e3", None),
            ("1X", None),
            ("99999999999999999999", None),
            ("", None),
        ] {
            assert_eq!(quantity(text.as_bytes()), expected, "{text}");
        }
    }
}
