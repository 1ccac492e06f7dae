//! Members of `sacct --json` that are read, and the two notations of numbers.

/// The numbers of a job that are read, by the keys that lead to them; `*` stands for the entries of a list.
pub(super) const NUMBERS: [&str; 11] = [
    "job_id",
    "time.submission",
    "time.eligible",
    "time.start",
    "time.end",
    "time.elapsed",
    "time.limit",
    "allocation_nodes",
    "required.CPUs",
    "tres.allocated.*.count",
    "tres.requested.*.count",
];

/// The texts of a job that are read, as [`NUMBERS`].
pub(super) const TEXTS: [&str; 12] = [
    "user",
    "account",
    "partition",
    "qos",
    "nodes",
    "cluster",
    "state.current.*",
    "state.reason",
    "tres.allocated.*.type",
    "tres.allocated.*.name",
    "tres.requested.*.type",
    "tres.requested.*.name",
];

/// The entries of the lists of resources. In the same order, the last two of [`NUMBERS`] and the last four of
/// [`TEXTS`] are theirs.
pub(super) const RESOURCES: [&str; 2] = ["tres.allocated.*", "tres.requested.*"];

/// The places of the numbers and the texts of resources.
pub(super) const COUNTS: usize = NUMBERS.len() - 2;
pub(super) const KINDS: usize = TEXTS.len() - 4;

/// Returns the place of a member in [`NUMBERS`] or [`TEXTS`]; `None` if it is not read.
pub(super) fn place(members: &[&str], path: &[u8]) -> Option<usize> {
    members.iter().position(|member| member.as_bytes() == path)
}

/// Returns whether a member is read, or another one within it.
pub(super) fn is_read(path: &[u8]) -> bool {
    let mut members = NUMBERS.iter().chain(&TEXTS).filter_map(|member| member.as_bytes().strip_prefix(path));
    members.any(|within| matches!(within, [] | [b'.', ..]))
}

/// A number, which may be an object of three members in any order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number {
    pub(super) value: Option<i64>,
    /// True if the number is flagged as not set, or as infinite.
    pub(super) is_void: bool,
}

/// Slurm's *no value*; the next number is *no limit*.
const NO_VALUE: i64 = 0xffff_fffe;

impl Number {
    /// Returns the number; `None` if it is missing.
    pub(super) fn get(self) -> Option<i64> {
        self.value.filter(|&value| !self.is_void && value != NO_VALUE && value != NO_VALUE + 1)
    }

    /// Returns the number; `None` if it is missing or 0, as instants are that have not come.
    pub(super) fn instant(self) -> Option<i64> {
        self.get().filter(|&value| value > 0)
    }
}

/// Members that `sacct --json` never writes: nesting depth, keys, and a description of the text that has
/// them.
const OTHERS: [(usize, &[&[u8]], &str); 3] = [
    (1, &[b"nb_res", b"profiles"], BATSIM),
    (3, &[b"subtime", b"profile"], BATSIM),
    (
        3,
        &[b"submit_time", b"job_state", b"node_count"],
        "the queue of Slurm (squeue or scontrol with --json), which has no jobs that ended long ago; get \
             sacct --json",
    ),
];

/// Description of a Batsim workload, with a remedy.
const BATSIM: &str = "a workload of Batsim, which has profiles instead of run times; replay the jobs that \
     Batsim wrote (out_jobs.csv)";

/// Identifies a text other than the output of `sacct --json` by a member's key and its nesting depth.
pub(super) fn other_text(depth: usize, key: &[u8]) -> Option<&'static str> {
    OTHERS.iter().find(|(place, keys, _)| *place == depth && keys.contains(&key)).map(|(.., what)| *what)
}
