//! The members of `sacct --json` that are read, and the two ways in which numbers are written.

/// The members that are read, by their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Key {
    /// A member that is not read, with all that it holds.
    #[default]
    Other,
    /// An entry of a list, or the whole text.
    Item,
    Jobs,
    JobId,
    User,
    Account,
    Partition,
    Qos,
    Nodes,
    AllocationNodes,
    State,
    Current,
    Time,
    Submission,
    Eligible,
    Start,
    End,
    Elapsed,
    Limit,
    Required,
    Cpus,
    Tres,
    Allocated,
    Requested,
    Type,
    Name,
    Count,
    Set,
    Infinite,
    Number,
}

/// The number of kinds of members.
pub(super) const KEYS: usize = Key::Number as usize + 1;

impl Key {
    /// Returns the member of a key.
    pub(super) fn of(key: &[u8]) -> Self {
        match key {
            b"jobs" => Self::Jobs,
            b"job_id" => Self::JobId,
            b"user" => Self::User,
            b"account" => Self::Account,
            b"partition" => Self::Partition,
            b"qos" => Self::Qos,
            b"nodes" => Self::Nodes,
            b"allocation_nodes" => Self::AllocationNodes,
            b"state" => Self::State,
            b"current" => Self::Current,
            b"time" => Self::Time,
            b"submission" => Self::Submission,
            b"eligible" => Self::Eligible,
            b"start" => Self::Start,
            b"end" => Self::End,
            b"elapsed" => Self::Elapsed,
            b"limit" => Self::Limit,
            b"required" => Self::Required,
            b"CPUs" => Self::Cpus,
            b"tres" => Self::Tres,
            b"allocated" => Self::Allocated,
            b"requested" => Self::Requested,
            b"type" => Self::Type,
            b"name" => Self::Name,
            b"count" => Self::Count,
            b"set" => Self::Set,
            b"infinite" => Self::Infinite,
            b"number" => Self::Number,
            _ => Self::Other,
        }
    }

    /// Returns the name of a number of a job in messages.
    pub(super) const fn path(self) -> &'static str {
        match self {
            Self::JobId => "job_id",
            Self::Submission => "time.submission",
            Self::Eligible => "time.eligible",
            Self::Start => "time.start",
            Self::End => "time.end",
            Self::Elapsed => "time.elapsed",
            Self::Limit => "time.limit",
            Self::AllocationNodes => "allocation_nodes",
            Self::Cpus => "required.CPUs",
            _ => "tres",
        }
    }
}

/// A number, which may be an object of three members in any order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number {
    pub(super) value: Option<i64>,
    /// Whether it is said that the number is not set, or infinite.
    pub(super) is_void: bool,
}

/// The greatest number of 32 bits and the one below it stand for *no limit* and *no value* in Slurm.
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

/// Members that `sacct --json` does not write: how many objects and lists they stand in, their keys, and what the text is that
/// has them.
const OTHERS: [(usize, &[&[u8]], &str); 3] = [
    (1, &[b"nb_res", b"profiles"], BATSIM),
    (3, &[b"subtime", b"profile"], BATSIM),
    (
        3,
        &[b"submit_time", b"job_state", b"node_count"],
        "the queue of Slurm (squeue or scontrol with --json), which has no jobs that ended long ago; get sacct --json",
    ),
];

/// What a workload of Batsim is, and what to do.
const BATSIM: &str = "a workload of Batsim, which has profiles instead of run times; replay the jobs that Batsim wrote (out_jobs.csv)";

/// Returns what a text is that has a member of this key within so many objects and lists, if that is not the output of
/// `sacct --json`.
pub(super) fn other_text(depth: usize, key: &[u8]) -> Option<&'static str> {
    OTHERS.iter().find(|(place, keys, _)| *place == depth && keys.contains(&key)).map(|(.., what)| *what)
}
