//! The fields that a column of a table can hold, with the names under which tables know them.

use crate::record::CPU;
use crate::times::{MINUTES, TimeUnit};

/// One field of a job in a table: a row of [`FIELDS`].
#[derive(Debug)]
pub(super) struct Field {
    /// The name in specs.
    pub(super) name: &'static str,
    /// What the field holds.
    pub(super) kind: Kind,
    /// The names of columns that hold the field, in small letters and without anything but letters and
    /// digits, the best one first; separated by blanks. It is empty if only `--columns` can name the column.
    pub(super) synonyms: &'static str,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A number. It is the field of the record with this index, from 0.
    Number(usize),
    /// A number of processors. It is the field of the record with this index.
    Procs(usize),
    /// A duration. It is the field of the record with this index.
    Duration(usize),
    /// A name. It is the field of the record with this index.
    Name(usize),
    /// The number of the job, field 1.
    Job,
    /// The submit time, field 2.
    Submit,
    /// Start time.
    Start,
    /// End time.
    End,
    /// Outcome of the job, field 11.
    Status,
    /// The list of the job's nodes.
    Nodes,
    /// The sides of the submesh that the job asks for.
    Shape,
    /// Name of the cluster, which has a machine of its own.
    Cluster,
}

const fn field(name: &'static str, kind: Kind, synonyms: &'static str) -> Field {
    Field { name, kind, synonyms }
}

/// The number of fields.
pub(super) const COUNT: usize = 23;

/// All fields: first the 18 of the Standard Workload Format in order, under their older names in specs.
pub(super) const FIELDS: [Field; COUNT] = [
    field("job", Kind::Job, "jobid job id idjob jobnumber jobno jobidraw cobaltjobid"),
    field(
        "submit",
        Kind::Submit,
        "submit submittime submits submission submissiontime submittimestamp submitted submittedat arrival \
         arrivaltime qtime created createdat creationtime queued queuedat queuedtimestamp submittedtime \
         timesubmitted submitts submitdate datesubmit datesubmitted timesubmit submitat timequeued queueat \
         qdate",
    ),
    field("wait", Kind::Duration(2), "wait waittime waits waiting waitingtime queuetime queuewait"),
    field(
        "run",
        Kind::Duration(3),
        "run runtime runs runningtime executiontime elapsedraw elapsed elapsedtime duration wallclock \
         wallclocktime walltimeused usedwalltime",
    ),
    field(
        "procs",
        Kind::Procs(4),
        "procs processors nnodes numnodes nodecount nodes allocnodes nodesused numberofnodes nodesalloc \
         nodealloc allocatednodes nodesallocated nprocs numprocs usedprocs allocprocs allocatedprocs ncpus \
         numcpus alloccpus cpus cores ncores numcores size requestednumberofresources",
    ),
    field("cpu", Kind::Number(CPU), ""),
    field("memory", Kind::Number(6), ""),
    field(
        "req-procs",
        Kind::Procs(7),
        "reqprocs requestedprocs requestedprocessors reqnodes nodesreq requestednodes nodesrequested \
         numnodesrequested reqcpus cpusreq requestedcpus cpusrequested requestcpus",
    ),
    field(
        "req-time",
        Kind::Duration(8),
        "reqtime requestedtime timereq timerequested timelimit timelimitraw requestedwalltime \
         walltimerequested walltime walltimelimit reqwalltime wclimit walllimit estimate estimates \
         estimatedruntime",
    ),
    field("req-memory", Kind::Number(9), ""),
    field("status", Kind::Status, "status state jobstate jobstatus finalstate exitstate success"),
    field("user", Kind::Name(11), "user username userid uid owner iduser usernamegenid"),
    field(
        "group",
        Kind::Name(12),
        "group groupname groupid gid idgroup account accountname project projectname projectnamegenid",
    ),
    field("app", Kind::Name(13), "app application executable exe jobname"),
    field("queue", Kind::Name(14), "queue queuename qos"),
    field("partition", Kind::Name(15), "partition partitionname"),
    field("preceding", Kind::Number(16), ""),
    field("think", Kind::Duration(17), ""),
    field("shape", Kind::Shape, "shape"),
    field(
        "start",
        Kind::Start,
        "start starttime starts started startedat startedtime starttimestamp startts startdate datestart \
         timestart timestarted startingtime begin begintime executionstart jobcurrentstartdate \
         jobstartdate",
    ),
    field(
        "end",
        Kind::End,
        "end endtime ends ended endedat endedtime endtimestamp endts enddate dateend timeend timeended \
         finish finishtime finished finishedat finishedtime completiontime completedat completiondate \
         stop stoptime",
    ),
    field("cluster", Kind::Cluster, "cluster clustername"),
    field("nodes", Kind::Nodes, "nodelist nodenames hosts hostlist hostnames exechost location"),
];

/// Returns the place of a field in [`FIELDS`] by its name.
pub(super) fn find(name: &str) -> Option<usize> {
    FIELDS.iter().position(|field| field.name == name)
}

/// Returns the name of a column without its signs and in small letters, such as `starttime` for `Start_Time`.
pub(super) fn plain(column: &str) -> String {
    column.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the unit in a column's name, if any. Slurm's `TimelimitRaw` has minutes.
pub(super) fn unit_of(column: &str) -> Option<&'static TimeUnit> {
    if plain(column) == "timelimitraw" {
        Some(MINUTES)
    } else {
        TimeUnit::of_column(column).map(|(_, unit)| unit)
    }
}

impl Kind {
    /// Returns whether the field is an instant or a duration.
    pub(super) fn is_time(self) -> bool {
        matches!(self, Self::Duration(_)) || self.is_instant()
    }

    /// Returns whether the field is an instant.
    pub(super) fn is_instant(self) -> bool {
        matches!(self, Self::Submit | Self::Start | Self::End)
    }
}

/// Returns the sides of a text such as `4x4x2` or `8x4`, where missing sides are 1, or no sides for `-1`, an
/// unknown shape. Returns `None` if the text is neither.
#[expect(clippy::option_option, reason = "a text that is no shape is not the same as an unknown shape")]
pub(super) fn sides(cell: &[u8]) -> Option<Option<[u32; 3]>> {
    if cell == b"-1" {
        return Some(None);
    }
    let mut sides = [1; 3];
    for (d, side) in std::str::from_utf8(cell).ok()?.split('x').enumerate() {
        *sides.get_mut(d)? = side.parse().ok().filter(|&side: &u32| side > 0)?;
    }
    Some(Some(sides))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_synonyms_belong_to_one_field_each() {
        let mut seen = std::collections::HashSet::new();
        for field in &FIELDS {
            assert!(seen.insert(format!("={}", field.name)), "{} is there twice", field.name);
            for synonym in field.synonyms.split_whitespace() {
                assert_eq!(plain(synonym), synonym);
                assert!(seen.insert(synonym.to_owned()), "{synonym} is there twice");
            }
        }
    }

    #[test]
    fn units_stand_in_names() {
        for (name, unit) in [
            ("Run_Time", None),
            ("run (minutes)", Some("minutes")),
            ("TimelimitRaw", Some("minutes")),
            ("wall_hours", Some("hours")),
        ] {
            assert_eq!(unit_of(name).map(|unit| unit.name), unit, "{name}");
        }
    }
}
