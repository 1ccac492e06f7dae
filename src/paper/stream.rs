//! The job stream of the Red Storm experiment, walker-2010, Fig. 7, made anew.

use std::path::Path;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::trace::{Header, Record, SWF, TraceError, Writer};

/// What the stream is called where a dataset is meant.
pub const STREAM: &str = "RedStorm-stream";

/// Returns its replications, as many as it takes until means differ by more than chance: the name of each log, and its
/// seed.
pub fn stream_logs() -> impl Iterator<Item = (String, u64)> {
    (1..=REPLICATIONS).map(|seed| (format!("{STREAM}-{seed}.swf"), seed))
}

/// The paper took the mean of 3 runs.
const REPLICATIONS: u64 = 20;

/// Jobs by number of processors.
const SIZES: [(i64, usize); 4] = [(2, 1820), (5, 660), (15, 620), (20, 660)];

/// Run times in seconds, drawn uniformly: those of the real machine were never published, so only orders can be
/// compared.
const RUNS_S: std::ops::RangeInclusive<i64> = 60..=140;

/// Writes a replication of the stream to `path`: all jobs at time 0, mixed.
pub fn write_stream(path: &Path, seed: u64) -> Result<(), TraceError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sizes: Vec<i64> =
        SIZES.iter().flat_map(|&(procs, jobs)| std::iter::repeat_n(procs, jobs)).collect();
    sizes.shuffle(&mut rng);
    let mut writer = Writer::create(path, SWF, true)?;
    let mut header = Header::default();
    header.push(b"; MaxProcs: 80");
    writer.header(&header)?;
    for (job, procs) in (1..).zip(sizes) {
        let run_s = rng.random_range(RUNS_S);
        writer.record(&Record {
            job,
            submit_s: 0,
            wait_s: -1,
            run_s,
            allocated_procs: procs,
            requested_procs: procs,
            requested_time_s: run_s,
            status: 1,
            ..Record::UNKNOWN
        })?;
    }
    writer.finish()
}
