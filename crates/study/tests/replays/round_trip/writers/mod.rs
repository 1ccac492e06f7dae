//! Writers for every readable format. They follow the public format descriptions and share no code with the
//! readers.

mod foreign;
mod job_table;
mod pbs;
mod plain;
mod sacct;
mod slurm;
mod swf;
pub(crate) mod table;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::cluster::{Cluster, SECOND_MS};
use super::truth::Written;

/// Writes a cluster; the random numbers choose the style of the log. `None` if the format cannot represent
/// the cluster.
pub(crate) type Write = fn(&Cluster, &mut ChaCha8Rng) -> Option<Written>;

/// The writers, with the names of their formats.
pub(crate) const WRITERS: &[(&str, Write)] = &[
    ("swf", swf::write),
    ("sacct", sacct::write),
    ("slurm-json", slurm::json),
    ("slurm-jobcomp", slurm::jobcomp),
    ("pbs-pro", pbs::pro),
    ("torque", pbs::torque),
    ("cobalt", pbs::cobalt),
    ("cray", pbs::cray),
    ("grid-engine", foreign::grid_engine),
    ("lsf", foreign::lsf),
    ("slurmdbd", job_table::write),
    ("table", table::write),
    ("columns", plain::columns),
    ("premas", plain::premas),
    ("nas-ipsc", plain::nas),
];

/// Alternative words in the count of repeated lines.
pub(crate) const TWICE: &[&str] = &["twice", "duplicate", "again", "more than once", "repeat"];
/// Words of jobs that never started.
pub(crate) const NEVER: &[&str] = &["before they started", "never started"];
pub(crate) const WAITING: &[&str] = &["waiting"];
pub(crate) const RUNNING: &[&str] = &["running"];
/// Words for jobs whose start replaces a missing submission.
pub(crate) const UNSUBMITTED: &[&str] = &["without a submit time"];
pub(crate) const RERUNS: &[&str] = &["requeue", "run again"];

/// Writes the cluster with the writer of this name.
pub(crate) fn written(name: &str, cluster: &Cluster, look: u64) -> Option<Written> {
    let (_, write) = WRITERS.iter().find(|(known, _)| *known == name)?;
    let written = write(cluster, &mut ChaCha8Rng::seed_from_u64(look))?;
    // Some files have line ends of Windows, and some lack the last line end.
    let text = if look % 7 == 3 { written.text.replace('\n', "\r\n") } else { written.text.clone() };
    let text = if look % 5 == 3 { text.trim_end_matches(['\r', '\n']).to_owned() } else { text };
    Some(Written { text, ..written })
}

/// Formats a time in a zone.
pub(crate) fn local(time_s: i64, zone: &str, format: &str) -> String {
    let zone = TimeZone::get(zone).expect("a zone");
    Timestamp::from_second(time_s).expect("a time").to_zoned(zone).strftime(format).to_string()
}

/// Whether the local time occurs twice because clocks are put back.
pub(crate) fn comes_twice(time_s: i64, zone: &str) -> bool {
    let zone = TimeZone::get(zone).expect("a zone");
    let civil = zone.to_datetime(Timestamp::from_second(time_s).expect("a time"));
    zone.to_ambiguous_timestamp(civil).is_ambiguous()
}

/// Formats milliseconds as seconds, without trailing zeros.
pub(crate) fn decimal(time_ms: i64) -> String {
    let whole = time_ms.div_euclid(SECOND_MS);
    match time_ms.rem_euclid(SECOND_MS) {
        0 => whole.to_string(),
        rest => format!("{whole}.{rest:03}").trim_end_matches('0').to_owned(),
    }
}

/// Formats node names like Slurm: `n[1-3,7]`.
pub(crate) fn bracketed(names: &[&str]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (letters, number) = name.split_at(name.len() - digits);
        match groups.iter_mut().find(|(known, _)| *known == letters) {
            Some((_, numbers)) => numbers.push(number),
            None => groups.push((letters, vec![number])),
        }
    }
    let spelt = groups.into_iter().map(|(letters, numbers)| match numbers.as_slice() {
        [one] => format!("{letters}{one}"),
        several => format!("{letters}[{}]", ranges(several).join(",")),
    });
    spelt.collect::<Vec<_>>().join(",")
}

/// Joins consecutive numbers with the same number of digits to ranges.
fn ranges(numbers: &[&str]) -> Vec<String> {
    let mut ranges: Vec<(&str, &str)> = Vec::new();
    for number in numbers {
        let value = |text: &str| text.parse::<u32>().expect("digits");
        match ranges.last_mut() {
            Some((_, last)) if value(last) + 1 == value(number) && last.len() == number.len() => {
                *last = number;
            }
            _ => ranges.push((number, number)),
        }
    }
    let spelt = |(first, last): (&str, &str)| {
        if first == last { first.to_owned() } else { format!("{first}-{last}") }
    };
    ranges.into_iter().map(spelt).collect()
}

/// Formats a run time like Slurm: `[D-]HH:MM:SS`.
pub(crate) fn clock(length_s: i64) -> String {
    let (days, rest) = (length_s / 86_400, length_s % 86_400);
    let clock = format!("{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
    if days > 0 { format!("{days}-{clock}") } else { clock }
}
