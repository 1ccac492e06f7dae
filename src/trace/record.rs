//! What a log says of one job: the 18 fields of the Standard Workload Format.

/// The number of fields of a line of the Standard Workload Format.
pub const FIELDS: usize = 18;

/// The names of the fields in messages; field n of the format is entry n − 1.
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

/// One job as the log records it. Everywhere −1 means *unknown*; nothing is checked but that the fields are numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// Field 1: the log's own number of the job.
    pub job: i64,
    /// Field 2: when the job arrived, in seconds, usually from the start of the log.
    pub submit_s: i64,
    /// Field 3: how long it waited, in seconds.
    pub wait_s: i64,
    /// Field 4: how long it ran, in seconds.
    pub run_s: i64,
    /// Field 5: processors that it got.
    pub allocated_procs: i64,
    /// Field 6: CPU time used per processor, in seconds; the only field that may have a fraction.
    pub average_cpu_s: f64,
    /// Field 7: memory used per processor, in kilobytes.
    pub used_memory_kb: i64,
    /// Field 8: processors that it asked for.
    pub requested_procs: i64,
    /// Field 9: how long it asked to run, in seconds: the user's estimate.
    pub requested_time_s: i64,
    /// Field 10: memory per processor that it asked for, in kilobytes.
    pub requested_memory_kb: i64,
    /// Field 11: how it ended: 1 completed, 0 failed, 5 cancelled, 2 to 4 parts of a job that was interrupted.
    pub status: i64,
    /// Field 12: number of the user.
    pub user: i64,
    /// Field 13: number of the user's group.
    pub group: i64,
    /// Field 14: number of the application.
    pub executable: i64,
    /// Field 15: number of the queue; 0 is often the interactive one.
    pub queue: i64,
    /// Field 16: number of the partition.
    pub partition: i64,
    /// Field 17: the job that had to end before this one was submitted.
    pub preceding_job: i64,
    /// Field 18: how long after that end it was submitted, in seconds.
    pub think_time_s: i64,
    /// Fields 19 to 21 of logs whose header has `Shapes`, an extension of ours: the sides of the rectangle or cuboid
    /// that it asked for, along x, y and z.
    pub sides: Option<[u32; 3]>,
}

/// Index of the one field that is no integer, the average CPU time.
pub(super) const CPU: usize = 5;

impl Record {
    /// A record of which nothing is known.
    pub const UNKNOWN: Self = Self::from_fields([-1; FIELDS], -1.0);

    /// Returns the record with these fields; field n of the format is entry n − 1, but field 6 is `average_cpu_s`.
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
        }
    }

    /// Returns the fields of the record; field n of the format is entry n − 1, but entry 5 is always −1, since field 6
    /// ([`Self::average_cpu_s`]) is no integer.
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

    /// Tells for each field whether it is unknown, that is −1 (field 6: negative); field n is entry n − 1.
    pub fn missing(&self) -> [bool; FIELDS] {
        let mut missing = self.fields().map(|value| value == -1);
        missing[CPU] = self.average_cpu_s < 0.0;
        missing
    }

    /// Returns the processors that a statistic should count: those allocated, or else those requested; `None` if
    /// neither is known.
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
