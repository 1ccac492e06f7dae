//! One line of a log: the 18 fields of the Standard Workload Format.

/// Number of fields of a line of the Standard Workload Format.
pub const FIELDS: usize = 18;

/// What the fields are called in messages; field n of the format is entry n − 1.
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
    /// Fields 19 to 21 of logs whose header has `Shapes`, an extension of ours: the sides of the rectangle or cuboid that
    /// it asked for, along x, y and z.
    pub sides: Option<[u32; 3]>,
}

impl Record {
    /// A record of which nothing is known.
    pub const UNKNOWN: Self = Self {
        job: -1,
        submit_s: -1,
        wait_s: -1,
        run_s: -1,
        allocated_procs: -1,
        average_cpu_s: -1.0,
        used_memory_kb: -1,
        requested_procs: -1,
        requested_time_s: -1,
        requested_memory_kb: -1,
        status: -1,
        user: -1,
        group: -1,
        executable: -1,
        queue: -1,
        partition: -1,
        preceding_job: -1,
        think_time_s: -1,
        sides: None,
    };

    /// Which fields are unknown, that is −1 (field 6: negative); field n is entry n − 1.
    pub fn missing(&self) -> [bool; FIELDS] {
        [
            self.job == -1,
            self.submit_s == -1,
            self.wait_s == -1,
            self.run_s == -1,
            self.allocated_procs == -1,
            self.average_cpu_s < 0.0,
            self.used_memory_kb == -1,
            self.requested_procs == -1,
            self.requested_time_s == -1,
            self.requested_memory_kb == -1,
            self.status == -1,
            self.user == -1,
            self.group == -1,
            self.executable == -1,
            self.queue == -1,
            self.partition == -1,
            self.preceding_job == -1,
            self.think_time_s == -1,
        ]
    }

    /// Processors that a statistic should count: those allocated, or else those requested; `None` if neither is known.
    pub fn procs(&self) -> Option<i64> {
        [self.allocated_procs, self.requested_procs].into_iter().find(|&procs| procs > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
