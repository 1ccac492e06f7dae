//! Times the reading of dumps of Slurm's accounting, in bytes per second on one core.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use meshreplay::trace::{ReadOptions, read};

/// The number of jobs of a dump; each has two steps.
const JOBS: u32 = 100_000;

/// Writes a dump of `sacct -P` as a site keeps it: some 300 users, arrays, steps, lists of nodes that are all
/// different.
fn write_dump(path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(
        out,
        "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|Submit|Eligible|Start|End|State|Timelimit|TimelimitRaw|ElapsedRaw|NNodes|AllocCPUS|ReqCPUS|AllocTRES|ReqTRES|NodeList"
    )?;
    for job in 0..JOBS {
        // Multiplying by an odd number and taking the upper bits scatters the values (Fibonacci hashing).
        let random =
            |below: u32, salt: u32| (job.wrapping_mul(0x9E37_79B1).wrapping_add(salt * 77_777) >> 8) % below;
        let (day, hour, minute) = (1 + job * 27 / JOBS, random(24, 1), random(60, 2));
        let (nodes, first, user) = (1 + random(16, 3), random(900, 4), random(300, 5));
        let time = |minutes: u32| {
            let at = hour * 60 + minute + minutes;
            format!("2024-05-{:02}T{:02}:{:02}:{:02}", day + at / 1440, at / 60 % 24, at % 60, random(60, 6))
        };
        let (submit, start, end) = (time(0), time(random(300, 7)), time(300 + random(1000, 8)));
        let cpus = nodes * 128;
        let tres =
            format!("billing={cpus},cpu={cpus},gres/gpu={},mem={}G,node={nodes}", nodes * 4, nodes * 256);
        let list = format!("node[{first:04}-{:04}]", first + nodes - 1);
        let id = if job % 5 == 0 {
            format!("{}_{}", 4_000_000 + job / 50, job % 50)
        } else {
            (4_000_000 + job).to_string()
        };
        let raw = 4_000_000 + job;
        writeln!(
            out,
            "{id}|{raw}|run{user}|user{user}|account{}|batch|normal|{submit}|{submit}|{start}|{end}|COMPLETED|1-00:00:00|1440|{}|{nodes}|{cpus}|{cpus}|{tres}|{tres}|{list}",
            user % 40,
            60 * random(1000, 8)
        )?;
        for step in ["batch", "0"] {
            writeln!(
                out,
                "{id}.{step}|{raw}.{step}|{step}||account{}|||{start}|{start}|{start}|{end}|COMPLETED|||{}|{nodes}|{cpus}|{cpus}|cpu={cpus},mem={}G,node={nodes}||{list}",
                user % 40,
                60 * random(1000, 8),
                nodes * 256
            )?;
        }
    }
    out.flush()
}

/// Reads a dump with one time zone that never changes its offset and one that does.
fn sacct(criterion: &mut Criterion) {
    let Ok(directory) = tempfile::tempdir() else { return };
    let path = directory.path().join("dump.sacct");
    if write_dump(&path).is_err() {
        return;
    }
    let mut group = criterion.benchmark_group("read");
    group.sample_size(10).throughput(Throughput::Bytes(path.metadata().map_or(0, |file| file.len())));
    for format in ["sacct", "sacct:time-zone=Europe/Berlin"] {
        let options = ReadOptions { format: format.parse().ok(), ..ReadOptions::default() };
        group.bench_function(format, |bencher| {
            bencher.iter(|| {
                let mut procs = 0;
                let read = read(&path, options.clone(), |record| procs += record.allocated_procs);
                black_box((procs, read.is_ok()))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, sacct);
criterion_main!(benches);
