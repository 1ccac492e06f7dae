//! The fields that a column of a table can hold, with the names under which tables know them.

use crate::trace::record::CPU;

/// One field of a job in a table: a row of [`FIELDS`].
#[derive(Debug)]
pub(super) struct Field {
    /// The name in specs.
    pub(super) name: &'static str,
    /// What the field holds.
    pub(super) kind: Kind,
    /// The names of columns that hold the field, in small letters and without anything but letters and digits, the best
    /// one first; separated by blanks. It is empty if only `--columns` can name the column.
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
    /// The instant at which the job started.
    Start,
    /// The instant at which the job ended.
    End,
    /// The way in which the job ended, field 11.
    Status,
    /// The list of the job's nodes.
    Nodes,
    /// The sides of the submesh that the job asks for.
    Shape,
}

const fn field(name: &'static str, kind: Kind, synonyms: &'static str) -> Field {
    Field { name, kind, synonyms }
}

/// The number of fields.
pub(super) const COUNT: usize = 22;

/// Every field. The first 18 are those of the Standard Workload Format in their order, by its older names here.
pub(super) const FIELDS: [Field; COUNT] = [
    field("job", Kind::Job, "jobid job id jobnumber jobno jobidraw cobaltjobid"),
    field(
        "submit",
        Kind::Submit,
        "submit submittime submits submission submissiontime submittimestamp submitted submittedat arrival arrivaltime \
         qtime created createdat creationtime queued queuedat queuedtimestamp",
    ),
    field("wait", Kind::Duration(2), "wait waittime waits waiting waitingtime queuetime queuewait"),
    field(
        "run",
        Kind::Duration(3),
        "run runtime runs runtimeseconds elapsedraw elapsed elapsedtime duration wallclock wallclocktime walltimeused \
         usedwalltime runminutes runtimeminutes runhours runtimehours",
    ),
    field(
        "procs",
        Kind::Procs(4),
        "procs processors nnodes numnodes nodecount nodes allocnodes nodesused numberofnodes nprocs numprocs \
         usedprocs allocprocs allocatedprocs ncpus numcpus alloccpus cpus cores ncores numcores size",
    ),
    field("cpu", Kind::Number(CPU), ""),
    field("memory", Kind::Number(6), ""),
    field(
        "req-procs",
        Kind::Procs(7),
        "reqprocs requestedprocs requestedprocessors reqnodes requestednodes nodesrequested reqcpus requestedcpus",
    ),
    field(
        "req-time",
        Kind::Duration(8),
        "reqtime requestedtime timelimit timelimitraw timelimitminutes requestedwalltime walltimerequested walltime \
         walltimelimit reqwalltime walltimeseconds estimate estimates estimatedruntime",
    ),
    field("req-memory", Kind::Number(9), ""),
    field("status", Kind::Status, "status state jobstate jobstatus"),
    field("user", Kind::Name(11), "user username userid uid owner usernamegenid"),
    field(
        "group",
        Kind::Name(12),
        "group groupname groupid gid account accountname project projectname projectnamegenid",
    ),
    field("app", Kind::Name(13), "app application executable exe jobname"),
    field("queue", Kind::Name(14), "queue queuename qos"),
    field("partition", Kind::Name(15), "partition partitionname"),
    field("preceding", Kind::Number(16), ""),
    field("think", Kind::Duration(17), ""),
    field("shape", Kind::Shape, "shape"),
    field("start", Kind::Start, "start starttime starts started startedat starttimestamp begin begintime"),
    field(
        "end",
        Kind::End,
        "end endtime ends ended endedat endtimestamp finish finishtime finished finishedat stop stoptime",
    ),
    field("nodes", Kind::Nodes, "nodelist nodenames hosts hostlist hostnames exechost location"),
];

/// Returns the place of the field with this name in [`FIELDS`]; `None` if there is none.
pub(super) fn find(name: &str) -> Option<usize> {
    FIELDS.iter().position(|field| field.name == name)
}

/// Returns the name of a column without its signs and in small letters, such as `starttime` for `Start_Time`.
pub(super) fn plain(column: &str) -> String {
    column.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the seconds in one unit of a column of durations, as its name tells it; 1 if it tells nothing. The column
/// `TimelimitRaw` of Slurm has minutes.
pub(super) fn seconds_in(column: &str) -> u32 {
    let name = plain(column);
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if ends(&["minutes", "mins", "timelimitraw"]) {
        60
    } else if ends(&["hours", "hrs"]) {
        3600
    } else {
        1
    }
}

/// Returns the sides of a text such as `4x4x2` or `8x4`, where missing sides are 1, or no sides for `-1`, an unknown
/// shape. Returns `None` if the text is neither.
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
    fn units_are_told_by_names() {
        for (name, seconds) in
            [("Run_Time", 1), ("run (minutes)", 60), ("TimelimitRaw", 60), ("wall_hours", 3600)]
        {
            assert_eq!(seconds_in(name), seconds, "{name}");
        }
    }
}
