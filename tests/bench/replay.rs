//! Benches: parsing, single allocator calls, whole replays. `make bench`.
//!
//! They use logs of the Lublin-Feitelson model, so anybody can run them; the table of docs/src/speed.md is of
//! archive logs, as whole processes.

use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use meshreplay::allocator::{Built, Placement, Request, Setup, build};
use meshreplay::job::{Job, Shape, Time};
use meshreplay::machine::{Machine, Mesh, Submesh};
use meshreplay::metrics::{Meter, Monitor};
use meshreplay::spec::Spec;
use meshreplay::study::{JobSource, Options, Replay, ReplaySpec};
use meshreplay::trace::{ReadOptions, read};
use meshreplay::workload::lublin::{Lublin, LublinOptions};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/traces/lublin-256-10k.swf.gz");

/// The bundled log's text twenty times over, about 12 MB, as a plain file.
fn plain_log() -> std::io::Result<tempfile::NamedTempFile> {
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(LOG)?).read_to_end(&mut text)?;
    let mut file = tempfile::Builder::new().suffix(".swf").tempfile()?;
    for _ in 0..20 {
        file.write_all(&text)?;
    }
    Ok(file)
}

fn parsing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    let Ok(plain) = plain_log() else { return };
    for (label, path) in [("plain text", plain.path()), ("gzip", Path::new(LOG))] {
        let Ok(summary) = read(path, ReadOptions::default(), |_| {}) else { return };
        group.throughput(Throughput::BytesDecimal(summary.bytes));
        group.bench_function(label, |bencher| {
            bencher.iter(|| read(black_box(path), ReadOptions::default(), |_| {}).map(|log| log.records));
        });
    }
    group.finish();
}

/// A machine half of whose nodes are busy, in patches as jobs leave them.
fn half_full(machine: &str) -> Option<Machine> {
    let mesh: Mesh = machine.parse().ok()?;
    let busy = |node: &u32| {
        let [x, y, _] = mesh.coord(*node);
        u64::from(x / 5 * 7919 + y / 3 * 104_729).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 1
    };
    let busy: Vec<u32> = (0..mesh.nodes()).filter(busy).collect();
    let mut machine = Machine::new(mesh);
    machine.occupy(&busy).ok()?;
    Some(machine)
}

fn calls(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("allocate");
    for (machine, procs) in [("32x32", 64), ("16x8x8", 64), ("1024x1024", 64), ("1024x1024", 1024)] {
        let Some(state) = half_full(machine) else { continue };
        for allocator in ["naive", "mc1x1-shells", "mc1x1"] {
            let setup = Setup::new(state.mesh(), 1);
            let Ok(mut built) = build(&Spec::named(allocator), &setup) else { continue };
            group.sample_size(20).bench_function(format!("{allocator}, {procs} of {machine}"), |bencher| {
                bencher.iter(|| built.strategy.propose(black_box(&Request::of(procs)), &state));
            });
        }
    }
    group.finish();
}

/// 2,000 submeshes of sides up to 12 that are busy on 512×512, in random places.
fn busy_submeshes() -> Option<(Machine, Vec<Placement>)> {
    let mut machine = Machine::new(Mesh::new(&[512, 512]).ok()?);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut held = Vec::new();
    while held.len() < 2000 {
        let sizes = [rng.random_range(1..=12), rng.random_range(1..=12), 1];
        let base = [rng.random_range(0..=512 - sizes[0]), rng.random_range(0..=512 - sizes[1]), 0];
        let nodes = Submesh { base, sizes }.nodes(&machine);
        if machine.occupy(&nodes).is_ok() {
            held.push(Placement::of(nodes));
        }
    }
    Some((machine, held))
}

fn submeshes(criterion: &mut Criterion) {
    let Some((machine, held)) = busy_submeshes() else { return };
    let mesh = machine.mesh();
    let mut group = criterion.benchmark_group("submesh");
    group.sample_size(20);
    for name in ["first-fit", "first-fit:turn=yes", "rbs", "stack-based", "qna-scan", "adaptive-scan"] {
        let Ok(spec) = name.parse::<Spec>() else { continue };
        let Ok(Built { mut strategy, .. }) = build(&spec, &Setup::new(mesh, 1)) else { continue };
        for placement in &held {
            strategy.taken(placement, &machine);
        }
        for sides in [[4, 3, 1], [16, 12, 1], [60, 40, 1]] {
            let request = Request::sides(sides);
            let found = if strategy.propose(&request, &machine).is_some() { "found" } else { "refused" };
            let label = format!("{name}, {}x{} of 512x512, {found}", sides[0], sides[1]);
            group.bench_function(label, |bencher| {
                bencher.iter(|| strategy.propose(black_box(&request), &machine));
            });
        }
    }
    group.finish();
}

/// A machine of 1,048,576 nodes half of which are busy, in cubes of 8×8×8.
fn half_full_of_cubes(machine: &str) -> Option<Machine> {
    let mesh: Mesh = machine.parse().ok()?;
    let busy = |node: &u32| {
        let [x, y, z] = mesh.coord(*node);
        u64::from(x / 8 * 7919 + y / 8 * 104_729 + z / 8 * 1_299_709).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            >> 63
            == 1
    };
    let busy: Vec<u32> = (0..mesh.nodes()).filter(busy).collect();
    let mut machine = Machine::new(mesh);
    machine.occupy(&busy).ok()?;
    Some(machine)
}

/// First fit with every orientation on a mesh and on a torus. A request that is refused has tried all of
/// them.
fn slices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("slices");
    group.sample_size(20);
    for machine in ["128x128x64", "torus:128x128x64"] {
        let Some(state) = half_full_of_cubes(machine) else { continue };
        let Ok(spec) = "first-fit:turn=yes".parse::<Spec>() else { continue };
        let Ok(mut built) = build(&spec, &Setup::new(state.mesh(), 1)) else { continue };
        for sides in [[4, 4, 4], [8, 16, 24], [9, 17, 25], [63, 40, 17]] {
            let request = Request::sides(sides);
            let found = built.strategy.propose(&request, &state).is_some();
            let label = format!("{sides:?} of {machine}, {}", if found { "found" } else { "refused" });
            group.bench_function(label, |bencher| {
                bencher.iter(|| built.strategy.propose(black_box(&request), &state));
            });
        }
    }
    group.finish();
}

/// An array of 100,000 processors with 5,000 tasks, as many as leave an eighth of it free in blocks too
/// short.
fn compaction(criterion: &mut Criterion) {
    let Ok(mesh) = Mesh::new(&[100_000]) else { return };
    let machine = Machine::new(mesh.clone());
    let mut group = criterion.benchmark_group("compaction");
    group.sample_size(20);
    for name in ["left-compaction", "ordered-compaction", "cost-free-compaction"] {
        let Ok(Built { mut strategy, .. }) = build(&Spec::named(name), &Setup::new(&mesh, 1)) else {
            continue;
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut at = 0_u32;
        for _ in 0..5000 {
            let (gap, length) = (rng.random_range(0..=4_u32), rng.random_range(1..=34_u32));
            if at + gap + length > 100_000 {
                break;
            }
            let nodes = (at + gap..at + gap + length).collect();
            strategy.taken(&Placement::of(nodes), &machine);
            at += gap + length;
        }
        // The rest is one task, so that no block is long.
        strategy.taken(&Placement::of((at + 3..100_000).collect()), &machine);
        for procs in [64, 1024, 5000] {
            group.bench_function(format!("{name}, {procs} of 100,000"), |bencher| {
                bencher.iter(|| strategy.propose(black_box(&Request::of(procs)), &machine));
            });
        }
    }
    group.finish();
}

fn dispersal(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("dispersal");
    for machine in ["32x32", "torus:32x32"] {
        let Some(state) = half_full(machine) else { continue };
        let nodes: Vec<u32> = state.free().iter().take(128).collect();
        let mut meter = Meter::new(state.mesh());
        group.bench_function(format!("128 of {machine}"), |bencher| {
            bencher.iter(|| meter.measure(black_box(&nodes)));
        });
    }
    group.finish();
}

fn replays(criterion: &mut Criterion) {
    let Ok(model) = Lublin::new(1024, LublinOptions::default(), 1) else { return };
    let job = |(number, job): (i64, meshreplay::workload::lublin::LublinJob)| {
        let [submit, run] = [job.submit_s, job.run_s].map(Time::from_seconds);
        Job {
            number,
            submit,
            run,
            estimate: run,
            procs: job.procs,
            shape: Shape::NearSquare,
            ..Job::default()
        }
    };
    let jobs: Arc<Vec<Job>> = Arc::new((1..).zip(model).take(20_000).map(job).collect());
    let mut group = criterion.benchmark_group("replay");
    group.sample_size(10).throughput(Throughput::Elements(jobs.len() as u64));
    for (scheduler, allocator) in [
        ("fcfs", "naive"),
        ("easy", "naive"),
        ("easy", "hilbert+bf"),
        ("easy", "mc1x1-shells"),
        ("easy", "mc1x1"),
    ] {
        let (Ok(machine), Ok(scheduler), Ok(allocator)) =
            ("32x32".parse(), scheduler.parse(), allocator.parse())
        else {
            return;
        };
        let spec = ReplaySpec::new(machine, scheduler, allocator);
        let label = format!("20,000 jobs, 32x32, {}, {}", spec.scheduler, spec.allocator);
        let replay = Replay::new(spec, JobSource::recorded(Arc::clone(&jobs), 0));
        let options = Options { timed: true, ..Options::default() };
        group.bench_function(label, |bencher| {
            bencher.iter(|| {
                replay.run(&options, &Monitor::default()).map(|outcomes| outcomes[0].summary.clone())
            });
        });
    }
    group.finish();
}

/// One job on all nodes of a mesh whose processes send to random others; per hop.
fn network(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("network");
    group.sample_size(10);
    let run = Time::from_seconds(1);
    let job = Job {
        number: 1,
        submit: run,
        run,
        estimate: run,
        procs: 256,
        shape: Shape::NearSquare,
        ..Job::default()
    };
    let network = "wormhole:pattern=random,quota=per-processor,messages=500,law=constant";
    let (Ok(machine), Ok(allocator), Ok(network)) = ("16x16".parse(), "naive".parse(), network.parse())
    else {
        return;
    };
    let spec = ReplaySpec::new(machine, Spec::named("fcfs"), allocator);
    let source = JobSource::recorded(Arc::new(vec![job]), 0);
    let replay = Replay::new(ReplaySpec { network: Arc::new(network), ..spec }, source);
    let options = Options::default();
    let traffic = |replay: &Replay| replay.run(&options, &Monitor::default()).ok()?.remove(0).traffic;
    let Some(once) = traffic(&replay) else { return };
    group.throughput(Throughput::Elements(once.hops));
    group.bench_function("packet", |bencher| {
        bencher.iter(|| traffic(&replay).map(|traffic| traffic.packets));
    });
    group.finish();
}

criterion_group!(benches, parsing, calls, submeshes, slices, compaction, dispersal, network, replays);
criterion_main!(benches);
