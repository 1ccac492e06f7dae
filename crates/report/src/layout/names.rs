//! Names of logs, machines, schedulers and numbers for readers of papers.

use meshreplay_sim::metrics::{Display, Metric};

/// Titles of numbers in tables of papers, where they differ from [`Metric::title`].
const TITLES: [(&str, &str); 8] = [
    ("pairwise_sum_mean", "mean pairwise sum"),
    ("pairwise_mean_mean", "mean pairwise distance"),
    ("pairwise_ratio_to_bound_mean", "pairwise sum to lower bound"),
    ("wait_s_mean", "mean wait"),
    ("calls_ns_per_job", "allocator calls per job"),
    ("allocate_ns_p50", "median call"),
    ("allocate_ns_p99", "99th percentile of calls"),
    ("allocate_failures", "refused calls"),
];

/// Returns the title of a number without its unit, such as `mean pairwise distance`; `None` for numbers that
/// are called as elsewhere.
fn title(metric: &Metric) -> Option<&'static str> {
    TITLES.iter().find(|(name, _)| *name == metric.name()).map(|(_, title)| *title)
}

/// Returns the title of a number without its unit, such as `mean pairwise distance`.
pub(in super::super) fn title_of_number(metric: &Metric) -> String {
    title(metric).map_or_else(|| metric.full_title(), str::to_owned)
}

/// Returns the title of a number with its unit, such as `mean wait (s)`.
pub(in super::super) fn with_unit(metric: &Metric) -> String {
    match (title(metric), metric.display, metric.column.unit) {
        (_, Display::Percent(_), _) => format!("{} (%)", title_of_number(metric)),
        (Some(title), _, "") => title.to_owned(),
        (Some(title), _, unit) => format!("{title} ({unit})"),
        (None, ..) => metric.label(),
    }
}

/// Returns logs by shorter names: without year, version and cleaning, as in `KTH SP2` for
/// `KTH-SP2-1996-2.1-cln`. Logs whose short names are equal keep their own.
pub(super) fn logs(labels: &[&str]) -> Vec<String> {
    let short: Vec<String> = labels.iter().map(|label| log(label)).collect();
    let is_own = |name: &String| short.iter().filter(|other| *other == name).count() == 1;
    labels
        .iter()
        .zip(&short)
        .map(|(label, name)| if is_own(name) { name } else { *label }.to_owned())
        .collect()
}

/// Returns the part of a log's name before its year, with blanks for hyphens; the whole name without a year.
fn log(label: &str) -> String {
    let words: Vec<&str> = label.split('-').collect();
    let is_year =
        |word: &&str| word.len() == 4 && word.parse::<u16>().is_ok_and(|year| (1980..2100).contains(&year));
    match words.iter().position(is_year) {
        Some(at) if at > 0 => words[..at].join(" "),
        _ => label.to_owned(),
    }
}

/// Returns a scheduler by its name in the literature.
pub(super) fn scheduler(label: &str) -> String {
    match label {
        "fcfs" | "easy" => label.to_uppercase(),
        _ => label.to_owned(),
    }
}

/// Returns a machine with its kind behind its sides: `8x8 torus`.
pub(super) fn machine(label: &str) -> String {
    label.strip_prefix("torus:").map_or_else(|| label.to_owned(), |sides| format!("{sides} torus"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_lose_years_and_versions_unless_they_tell_them_apart() {
        let names = ["KTH-SP2-1996-2.1-cln", "LANL-CM5-1994-4.1-cln", "may", "synthetic:jobs=2000", "2001-a"];
        assert_eq!(logs(&names), ["KTH SP2", "LANL CM5", "may", "synthetic:jobs=2000", "2001-a"]);
        let alike = ["KTH-SP2-1996-2", "KTH-SP2-1996-2.1-cln"];
        assert_eq!(logs(&alike), alike);
    }
}
