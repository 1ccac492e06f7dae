//! The targets: functions of bytes that must neither panic nor take long, whatever the bytes are, and that
//! hold what they read to its laws.

mod files;
mod histories;
mod logs;
mod replays;
mod results;
mod scratch;
mod tables;
mod texts;
mod truth_kinds;
mod truths;

/// Something that reads bytes.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Inputs from which others are made.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Texts that mean something to what is tried.
    pub(crate) words: &'static [&'static str],
    /// How many inputs of the cheapest target an input costs.
    pub(crate) cost: u64,
    /// Reads an input, and returns its answer, such as the error. Panics if a law is broken.
    pub(crate) run: fn(&[u8]) -> String,
}

/// All targets.
pub(crate) const TARGETS: &[Target] = &[
    logs::SWF,
    logs::LENIENT,
    logs::GZIP,
    logs::DETECTED,
    logs::PREMAS,
    logs::NAS,
    logs::TABLE,
    logs::COLUMNS,
    logs::SACCT,
    logs::SLURM_JSON,
    logs::SLURM_JOBCOMP,
    logs::PBS,
    truths::TRUTHS,
    tables::TABLES,
    files::ORDER,
    files::TOPOLOGY,
    files::OUTAGES,
    files::UNAVAILABLE,
    files::NODE_MAP,
    files::PREDICTIONS,
    texts::STUDY,
    texts::SPEC,
    texts::MACHINE,
    texts::RULES,
    texts::NODE_LIST,
    texts::MANIFEST,
    histories::HISTORY,
    replays::REPLAY,
    results::SUMMARY,
    results::SCHEDULE,
    results::DRAWING,
];
