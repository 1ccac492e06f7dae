//! The job stream of the Red Storm experiment (walker-2010, Fig. 7), generated anew because it was never
//! published.

use std::path::Path;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use meshreplay_logs::{Header, Record, SWF, TraceError, Writer};

/// The name that study files use for the stream in the place of a dataset.
pub const STREAM: &str = "RedStorm-stream";

/// Returns the name and the seed of the log of each replication.
pub fn stream_logs() -> impl Iterator<Item = (String, u64)> {
    (1..=REPLICATIONS).map(|seed| (format!("{STREAM}-{seed}.swf"), seed))
}

/// The number of replications. It is large enough that the means differ by more than chance; the paper took
/// the mean of 3 runs.
const REPLICATIONS: u64 = 20;

/// The stream as (processors of a job, number of jobs).
const SIZES: [(i64, usize); 4] = [(2, 1820), (5, 660), (15, 620), (20, 660)];

/// The range of run times in seconds, drawn from a uniform distribution. The run times on the real machine
/// were never published, so only the order of allocators can be compared.
const RUNS_S: std::ops::RangeInclusive<i64> = 60..=140;

/// Writes one replication of the stream to `path`. All jobs arrive at time 0, in random order.
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
