//! One record of a log: the 18 fields of the Standard Workload Format.

pub mod status {
    //! How a job ended: the numbers of field 11 of the Standard Workload Format (Chapin et al., Benchmarks
    //! and Standards for the Evaluation of Parallel Job Schedulers, JSSPP 1999).

    use std::ops::RangeInclusive;

    /// Unknown, or not ended.
    pub const UNKNOWN: i64 = -1;
    /// The job failed, also by its time limit or its node.
    pub const FAILED: i64 = 0;
    /// The job completed.
    pub const COMPLETED: i64 = 1;
    /// The record is a part of an interrupted job. All its parts have the number of the job: 2 is followed by
    /// another part, the last one completed (3) or failed (4).
    pub const PARTS: RangeInclusive<i64> = 2..=4;
    /// The job was cancelled, before it started or while it ran.
    pub const CANCELLED: i64 = 5;
    /// Every number that has a meaning.
    pub const ALL: RangeInclusive<i64> = UNKNOWN..=CANCELLED;

    /// Returns what a status means, in words; `None` for a number without a meaning and for an unknown end.
    pub fn word(status: i64) -> Option<&'static str> {
        match status {
            FAILED => Some("failed"),
            COMPLETED => Some("completed"),
            CANCELLED => Some("cancelled"),
            part if PARTS.contains(&part) => Some("part of a job"),
            _ => None,
        }
    }
}

/// The number of fields on a line of the Standard Workload Format.
pub const FIELDS: usize = 18;

/// The names of the fields in messages. Field n of the format is entry n − 1.
pub const FIELD_NAMES: [&str; FIELDS] = [
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding job",
    "think time",
];

/// One job as the log records it. In every field −1 means *unknown*. The values are not checked: they may be
/// odd or negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Field 1: the job number in the log.
    pub job: i64,
    /// Field 2: the submit time in seconds, usually counted from the start of the log.
    pub submit_s: i64,
    /// Field 3: the wait time in seconds.
    pub wait_s: i64,
    /// Field 4: the run time in seconds.
    pub run_s: i64,
    /// Field 5: the number of processors that the job got.
    pub allocated_procs: i64,
    /// Field 6: the CPU time used per processor, in seconds. It is the only field that may have a fraction.
    pub average_cpu_s: f64,
    /// Field 7: the memory used per processor, in kilobytes.
    pub used_memory_kb: i64,
    /// Field 8: the number of processors that the job asked for.
    pub requested_procs: i64,
    /// Field 9: the run time that the job asked for, in seconds. It is the user's estimate.
    pub requested_time_s: i64,
    /// Field 10: the memory per processor that the job asked for, in kilobytes.
    pub requested_memory_kb: i64,
    /// Field 11: how the job ended. 1 is completed, 0 failed and 5 cancelled; 2 to 4 are parts of a job that
    /// was interrupted.
    pub status: i64,
    /// Field 12: the number of the user.
    pub user: i64,
    /// Field 13: the number of the user's group.
    pub group: i64,
    /// Field 14: the number of the application.
    pub executable: i64,
    /// Field 15: the number of the queue. By custom 0 is the interactive one.
    pub queue: i64,
    /// Field 16: the number of the partition.
    pub partition: i64,
    /// Field 17: the number of the job that had to end before this one was submitted.
    pub preceding_job: i64,
    /// Field 18: the time from that end to the submission, in seconds.
    pub think_time_s: i64,
    /// Fields 19 to 21: the sides, along x, y and z, of the rectangle or cuboid that the job asked for, in
    /// nodes. `None` if they are unknown or the log has none. They are an extension of this program, for logs
    /// whose header has an entry `Shapes`.
    pub sides: Option<[u32; 3]>,
    /// The number of the reason to wait among the names of the log ([`NameKind::Reason`]). Logs are not
    /// written with it.
    ///
    /// [`NameKind::Reason`]: super::NameKind::Reason
    pub reason: i64,
    /// The number of the list of the job's nodes among the names of the log ([`NameKind::Nodes`]); `None` if
    /// the log has no such lists. Logs are not written with it.
    ///
    /// [`NameKind::Nodes`]: super::NameKind::Nodes
    pub nodes: Option<u32>,
}

/// The index of field 6, the average CPU time, which is the only field that is no integer.
pub(super) const CPU: usize = 5;

impl Record {
    /// A record with all fields unknown.
    pub const UNKNOWN: Self = Self::from_fields([-1; FIELDS], -1.0);

    /// Returns the record with these fields. Field n of the format is entry n − 1 of `fields`, except field
    /// 6, which is `average_cpu_s`; entry 5 is ignored. The sides are unknown.
    pub const fn from_fields(fields: [i64; FIELDS], average_cpu_s: f64) -> Self {
        Self {
            job: fields[0],
            submit_s: fields[1],
            wait_s: fields[2],
            run_s: fields[3],
            allocated_procs: fields[4],
            average_cpu_s,
            used_memory_kb: fields[6],
            requested_procs: fields[7],
            requested_time_s: fields[8],
            requested_memory_kb: fields[9],
            status: fields[10],
            user: fields[11],
            group: fields[12],
            executable: fields[13],
            queue: fields[14],
            partition: fields[15],
            preceding_job: fields[16],
            think_time_s: fields[17],
            sides: None,
            reason: -1,
            nodes: None,
        }
    }

    /// Returns the fields of the record. Field n of the format is entry n − 1. Entry 5 is always −1, since
    /// field 6 ([`Self::average_cpu_s`]) is no integer.
    pub const fn fields(&self) -> [i64; FIELDS] {
        [
            self.job,
            self.submit_s,
            self.wait_s,
            self.run_s,
            self.allocated_procs,
            -1,
            self.used_memory_kb,
            self.requested_procs,
            self.requested_time_s,
            self.requested_memory_kb,
            self.status,
            self.user,
            self.group,
            self.executable,
            self.queue,
            self.partition,
            self.preceding_job,
            self.think_time_s,
        ]
    }

    /// Returns for each field whether it is unknown: −1, or negative in the case of field 6. Field n is entry
    /// n − 1.
    pub fn missing(&self) -> [bool; FIELDS] {
        let mut missing = self.fields().map(|value| value == -1);
        missing[CPU] = self.average_cpu_s < 0.0;
        missing
    }

    /// Returns the number of processors for statistics: the allocated processors, or else the requested ones.
    /// `None` if neither is positive.
    pub fn procs(&self) -> Option<i64> {
        [self.allocated_procs, self.requested_procs].into_iter().find(|&procs| procs > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_in_the_order_of_the_format() {
        let fields: [i64; FIELDS] = std::array::from_fn(|i| if i == CPU { -1 } else { i as i64 });
        let record = Record::from_fields(fields, 5.5);
        assert_eq!((record.fields(), record.think_time_s), (fields, 17));
        assert!(!record.missing()[CPU]);
    }

    #[test]
    fn nothing_is_known_of_the_unknown_record() {
        assert_eq!(Record::UNKNOWN.missing(), [true; FIELDS]);
        assert_eq!(Record::UNKNOWN.procs(), None);
    }

    #[test]
    fn allocated_processors_go_before_requested_ones() {
        let asked = Record { requested_procs: 8, ..Record::UNKNOWN };
        assert_eq!(asked.procs(), Some(8));
        assert_eq!(Record { allocated_procs: 0, ..asked }.procs(), Some(8));
        assert_eq!(Record { allocated_procs: 4, ..asked }.procs(), Some(4));
    }
}
