//! Tests of the network as a whole: formulas, both levels of detail against each other, conservation of
//! flits, no deadlock.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::fabric::{Packet, Timing};
use super::flit_level::FlitLevel;
use super::packet_level::PacketLevel;
use super::pattern::Pattern;
use super::topology::{Lanes, Rings, TieRule, Topology};
use super::*;
use crate::execution::build;
use meshreplay_base::job::{Job, Shape};
use meshreplay_machine::machine::{Mesh, NodeId};

type Tested = Result<(), Box<dyn std::error::Error>>;

/// The start of a job and its nodes.
type Start = (Time, Vec<NodeId>);

const MACHINES: [&str; 7] = ["6x5", "9", "3x4x2", "torus:5x4", "torus:4x3x2", "torus:7", "torus:2x2"];

fn job(procs: u32, run_s: i64) -> Job {
    let run = Time::from_seconds(run_s);
    Job {
        number: 1,
        submit: Time::ZERO,
        run,
        estimate: run,
        procs,
        shape: Shape::NearSquare,
        ..Job::default()
    }
}

/// The rules of rings by default.
const RINGS: Rings = Rings { ties: TieRule::Parity, lanes: Lanes::Balanced, seed: 1 };

/// Returns the network of both levels of detail: of packets and of flits.
fn fabrics(mesh: &Mesh, timing: Timing) -> [Box<dyn Fabric>; 2] {
    let topology = Topology::new(mesh, RINGS);
    [Box::new(PacketLevel::new(topology.clone(), timing)), Box::new(FlitLevel::new(topology, timing))]
}

/// Sends single packets, each of its own job and all from different nodes, given as (cycle, source, target)
/// in the order of the cycles. Returns the measurements of each job.
fn send(mesh: &Mesh, network: &mut dyn Fabric, packets: &[(i64, NodeId, NodeId)]) -> Vec<JobTraffic> {
    let (pattern, quota, law) = (Pattern::OneToAll, Quota::Total, Law::Constant);
    let plan = Plan { pattern, quota, law, messages: 1.0, seed: 1 };
    let traffic = Traffic::new(Time::from_seconds(1), 1);
    let mut communication = Communication::new(mesh, plan, Injection::Pipelined, traffic);
    let two = job(2, 0);
    for (id, &(cycle, source, target)) in (0..).zip(packets) {
        while {
            network.run(cycle, &mut communication, u32::MAX);
            !communication.take_finished().is_empty()
        } {}
        let started = Started { id, job: &two, nodes: &[0, 1], now: Time::from_seconds(cycle) };
        for packet in communication.begin(&started, cycle).expect("few messages") {
            network.inject(Packet { source, target, ..packet }, cycle);
        }
    }
    while {
        network.run(i64::MAX, &mut communication, u32::MAX);
        !communication.take_finished().is_empty()
    } {}
    communication.by_job
}

#[test]
fn a_packet_alone_takes_what_the_formula_says() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (length, routing, gathers) in [
            (8, 3, false),
            (1, 0, false),
            (1, 3, true),
            (40, 0, false),
            (2, 5, false),
            (8, 3, true),
            (5, 0, true),
        ] {
            let timing = Timing { length, routing, gathers };
            for source in 0..mesh.nodes() {
                for target in (0..mesh.nodes()).filter(|&target| target != source) {
                    let hops = mesh.l1(mesh.coord(source), mesh.coord(target));
                    let latency = u64::from((hops + 1) * (routing + 1) + length);
                    let expected = JobTraffic { packets: 1, contended: 0, latency, blocked: 0 };
                    for mut network in fabrics(&mesh, timing) {
                        let found = send(&mesh, &mut *network, &[(3, source, target)]);
                        assert_eq!(found, [expected], "{machine} {timing:?} {source} {target}");
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns the blocked cycles of each packet on a row of nodes, at every level.
fn blocked(packets: &[(i64, NodeId, NodeId)]) -> Result<Vec<Vec<u64>>, Box<dyn std::error::Error>> {
    let mesh: Mesh = "8".parse()?;
    let timing = Timing { length: 8, routing: 3, gathers: false };
    let of = |mut network: Box<dyn Fabric>| {
        send(&mesh, &mut *network, packets).iter().map(|packet| packet.blocked).collect()
    };
    Ok(fabrics(&mesh, timing).into_iter().map(of).collect())
}

#[test]
fn two_packets_take_turns_on_a_link() -> Tested {
    // Both ask for the link from 1 to 2 in cycle 8. The older packet holds it until its last flit has left.
    // The other follows P + ts = 11 cycles later.
    assert_eq!(blocked(&[(0, 0, 2), (4, 1, 2)])?, vec![[0, 11]; 2]);
    // The first to ask goes first, even if it is younger. Packet 1 has the link to node 2 from cycle 4 on. It
    // leaves the link as its last flit moves on to node 3 in cycle 21, which is 13 cycles after packet 0
    // asked.
    assert_eq!(blocked(&[(0, 0, 3), (0, 1, 4)])?, vec![[13, 0]; 2]);
    // Packets in opposite directions, and packets without a common link, do not wait.
    assert_eq!(blocked(&[(0, 0, 3), (0, 5, 1)])?, vec![[0, 0]; 2]);
    assert_eq!(blocked(&[(0, 0, 2), (0, 3, 5)])?, vec![[0, 0]; 2]);
    // Each processor has one channel from the network.
    assert_eq!(blocked(&[(0, 1, 3), (0, 5, 3)])?, vec![[0, 8]; 2]);
    Ok(())
}

#[test]
fn two_packets_of_any_kind_are_the_same_on_both_levels() -> Tested {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for machine in ["6x5", "9", "3x4x2"] {
        let mesh: Mesh = machine.parse()?;
        for _ in 0..3000 {
            let (length, routing) = (random.random_range(1..12), random.random_range(0..5));
            let timing = Timing { length, routing, gathers: random.random_bool(0.5) };
            let mut nodes: Vec<NodeId> = (0..mesh.nodes()).collect();
            nodes.shuffle(&mut random);
            let packets = [(0, nodes[0], nodes[1]), (random.random_range(0..9), nodes[2], nodes[3])];
            let mut found =
                fabrics(&mesh, timing).into_iter().map(|mut network| send(&mesh, &mut *network, &packets));
            let first = found.next();
            assert!(found.all(|other| first == Some(other)), "{machine} {timing:?} {packets:?}");
        }
    }
    Ok(())
}

/// The ends of jobs, and the measurements of the network and of each job.
type Replayed = (Vec<Time>, Traffic, Vec<Option<JobTraffic>>);

/// Runs jobs with the given starts and nodes.
fn replay(machine: &str, spec: &str, jobs: &[Start]) -> Result<Replayed, Box<dyn std::error::Error>> {
    let mesh: Mesh = machine.parse()?;
    let (mut model, _) = build(&spec.parse()?, &Setup { mesh: &mesh, jobs: jobs.len(), seed: 9 })?;
    let (mut ends, mut done) = (vec![Time::ZERO; jobs.len()], Vec::new());
    let mut starts = (0..).zip(jobs).peekable();
    loop {
        let start = starts.peek().map(|(_, (start, _))| *start);
        let completion = model.next_completion(start.unwrap_or(Time::MAX), &Stop::default()).time();
        let Some(now) = start.into_iter().chain(completion).min() else { break };
        model.advance(now, &mut done);
        done.drain(..).for_each(|id: JobId| ends[id as usize] = now);
        while let Some((id, (_, nodes))) = starts.next_if(|(_, (start, _))| *start == now) {
            model.start(Started { id, job: &job(nodes.len() as u32, i64::from(id)), nodes, now });
        }
    }
    let by_job = (0..).zip(jobs).map(|(id, _)| model.traffic_of(id)).collect();
    Ok((ends, model.traffic().ok_or("no traffic")?, by_job))
}

/// Returns jobs that share out the nodes of a machine, twice. The second set starts long after the first.
fn jobs(machine: &str, random: &mut ChaCha8Rng) -> Result<Vec<Start>, Box<dyn std::error::Error>> {
    let mesh: Mesh = machine.parse()?;
    let mut jobs = Vec::new();
    for begin in [0, 1_000_000_000_000] {
        let mut nodes: Vec<NodeId> = (0..mesh.nodes()).collect();
        nodes.shuffle(random);
        let mut rest = nodes.as_slice();
        while !rest.is_empty() {
            let (job, others) = rest.split_at(random.random_range(1..=rest.len().min(9)));
            jobs.push((Time::from_micros(begin + random.random_range(0..40_000_000)), job.to_vec()));
            rest = others;
        }
    }
    jobs.sort();
    Ok(jobs)
}

#[test]
fn both_levels_move_every_packet_in_the_same_cycle_on_meshes() -> Tested {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for (pattern, _) in PATTERNS {
        for (quota, messages) in [("total", 20), ("per-processor", 6), ("rounds", 2)] {
            for injection in ["pipelined", "blocking"] {
                for (machine, timing) in [
                    ("8x8", "length=8,ts=3"),
                    ("5x4x3", "length=3,ts=0"),
                    ("30", "length=1,ts=1"),
                    ("8x8", "length=8,ts=3,buffer=packet"),
                    ("5x4x2", "length=2,ts=0,buffer=packet"),
                    ("20", "length=1,ts=1,buffer=packet"),
                    ("7x6", "length=20,ts=2,compute=none,cycle=0.5"),
                ] {
                    let jobs = jobs(machine, &mut random)?;
                    let of = |level: &str| {
                        let spec = format!(
                            "wormhole:pattern={pattern},quota={quota},messages={messages},injection={injection},{timing},level={level}"
                        );
                        replay(machine, &spec, &jobs)
                    };
                    let (packets, flits) = (of("packet")?, of("flit")?);
                    let case = format!("{pattern} {quota} {injection} {machine}");
                    assert_eq!(packets.0, flits.0, "{case}");
                    assert_eq!(packets.2, flits.2, "{case}");
                    assert_eq!(packets.1.flits, flits.1.flits, "{case}");
                    assert!(packets.1.packets > 0 && packets.1.hops == flits.1.hops, "{case}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn on_a_torus_the_levels_differ_by_links_that_two_channels_share() -> Tested {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for machine in ["torus:8x8", "torus:4x4x4", "torus:9"] {
        let jobs = jobs(machine, &mut random)?;
        // The more equally both channels of a link are used, the more often they share it.
        for (lanes, bound) in [("dateline", 1.05), ("wrapping", 1.1), ("balanced", 1.1)] {
            let of = |level: &str| {
                let spec = format!(
                    "wormhole:pattern=random,quota=per-processor,messages=200,level={level},halfway=up,vc={lanes}"
                );
                replay(machine, &spec, &jobs)
            };
            let ((_, packet, _), (_, flit, _)) = (of("packet")?, of("flit")?);
            assert_eq!((packet.packets, packet.hops), (flit.packets, flit.hops));
            assert_eq!(packet.flits.0, flit.flits.0);
            let [least, most] = [packet.latency.total, flit.latency.total].map(|total| total as f64);
            assert!(least <= most && most < bound * least, "{machine} {lanes} {least} {most}");
        }
    }
    Ok(())
}

/// Runs a job on a whole machine, and calls `check` after each cycle. Returns the packets and the hops.
fn converse<F: Fabric>(mesh: &Mesh, network: &mut F, check: impl Fn(&F)) -> (u64, u64) {
    let (pattern, quota, law) = (Pattern::Random, Quota::PerProcessor, Law::Constant);
    let plan = Plan { pattern, quota, law, messages: 30.0, seed: 1 };
    let mut communication =
        Communication::new(mesh, plan, Injection::Pipelined, Traffic::new(Time::from_seconds(1), 1));
    let nodes: Vec<NodeId> = (0..mesh.nodes()).collect();
    let all = job(mesh.nodes(), 0);
    let started = Started { id: 0, job: &all, nodes: &nodes, now: Time::ZERO };
    for packet in communication.begin(&started, 0).expect("few messages") {
        network.inject(packet, 0);
    }
    let mut cycle = 0;
    while !communication.has_finished() {
        network.run(cycle, &mut communication, u32::MAX);
        check(network);
        cycle += 1;
    }
    assert_eq!(communication.traffic.packets, 30 * u64::from(mesh.nodes()));
    (communication.traffic.packets, communication.traffic.hops)
}

#[test]
fn flits_are_neither_lost_nor_made() -> Tested {
    for machine in ["8x8", "torus:6x5", "4x6:wrap=y"] {
        let mesh: Mesh = machine.parse()?;
        let timing = Timing { length: 6, routing: 2, gathers: false };
        let mut network = FlitLevel::new(Topology::new(&mesh, RINGS), timing);
        let (packets, hops) = converse(&mesh, &mut network, FlitLevel::check);
        // Each flit enters once, crosses its links once, and leaves once.
        assert_eq!(network.moves, 6 * (2 * packets + hops));
    }
    Ok(())
}

#[test]
fn a_long_conversation_can_be_interrupted() -> Tested {
    let mesh: Mesh = "8x8".parse()?;
    for level in ["packet", "flit"] {
        let spec = format!("wormhole:messages=1e9,level={level}");
        let (mut model, _) = build(&spec.parse()?, &Setup { mesh: &mesh, jobs: 1, seed: 9 })?;
        let nodes: Vec<NodeId> = (0..64).collect();
        model.start(Started { id: 0, job: &job(64, 1), nodes: &nodes, now: Time::ZERO });
        let stop = Stop::default();
        stop.throw();
        assert_eq!(model.next_completion(Time::MAX, &stop), Next::Stopped, "{level}");
    }
    Ok(())
}

#[test]
fn a_million_random_packets_arrive() -> Tested {
    for (machine, level, messages) in [
        ("16x16", "packet", 4000),
        ("torus:16x16", "packet", 1000),
        ("torus:8x8", "flit", 500),
        ("6x5x4", "flit", 500),
        ("6x5x4:wrap=xz", "packet,buffer=packet", 500),
        ("torus:8x8", "flit,buffer=packet,vc=wrapping", 500),
        ("torus:7x8", "packet,vc=dateline,halfway=random", 1000),
        ("torus:6x4x5", "packet,vc=wrapping,halfway=random", 1000),
        ("torus:2x9", "flit,vc=balanced,halfway=up", 1000),
    ] {
        let mesh: Mesh = machine.parse()?;
        let spec = format!(
            "wormhole:pattern=random,quota=per-processor,law=constant,messages={messages},level={level}"
        );
        let (_, traffic, _) = replay(machine, &spec, &[(Time::ZERO, (0..mesh.nodes()).collect())])?;
        assert_eq!(traffic.packets, messages * u64::from(mesh.nodes()), "{machine} {level}");
    }
    Ok(())
}

#[test]
fn memory_does_not_grow_with_the_packets_sent() -> Tested {
    let mesh: Mesh = "8x8".parse()?;
    let most = [100.0, 10_000.0].map(|messages| {
        let (pattern, quota, law) = (Pattern::Random, Quota::PerProcessor, Law::Constant);
        let plan = Plan { pattern, quota, law, messages, seed: 1 };
        let traffic = Traffic::new(Time::from_seconds(1), 1);
        let mut communication = Communication::new(&mesh, plan, Injection::Pipelined, traffic);
        let mut network =
            PacketLevel::new(Topology::new(&mesh, RINGS), Timing { length: 8, routing: 3, gathers: false });
        let nodes: Vec<NodeId> = (0..64).collect();
        let started = Started { id: 0, job: &job(64, 0), nodes: &nodes, now: Time::ZERO };
        for packet in communication.begin(&started, 0).expect("few messages") {
            network.inject(packet, 0);
        }
        network.run(i64::MAX, &mut communication, u32::MAX);
        assert!(communication.has_finished());
        network.most_packets()
    });
    // Each packet in the network owns a channel, and a channel has one owner.
    assert!(most[0] > 64 && most[1] <= 64 * 6, "{most:?}");
    Ok(())
}

#[test]
fn jobs_without_packets_last_their_run_time_or_a_cycle() -> Tested {
    let nodes: Vec<NodeId> = (0..6).collect();
    let second = Time::from_seconds;
    // The run time of job i is i seconds.
    let jobs =
        vec![(second(0), vec![7]), (second(1), nodes.clone()), (Time::from_micros(1_500_000), vec![8])];
    for (spec, expected) in [
        ("wormhole:messages=0", [0, 2_000_000, 3_500_000]),
        ("wormhole:messages=0,compute=none", [1_000_000, 2_000_000, 2_500_000]),
        ("wormhole:messages=0,compute=none,cycle=0.25", [250_000, 1_250_000, 1_750_000]),
        // One packet over one hop takes 2 · 4 + 8 cycles, then comes the run time.
        ("wormhole:pattern=ring,messages=1,law=constant,ts=0,length=1", [0, 0, 3_500_000]),
    ] {
        let (mut ends, traffic, _) = replay("3x3", spec, &jobs)?;
        if traffic.packets > 0 {
            assert!(ends[1] > second(2), "{spec}");
            ends[1] = Time::ZERO;
        }
        assert_eq!(ends, expected.map(Time::from_micros), "{spec}");
    }
    Ok(())
}

#[test]
fn run_time_is_added_after_the_messages_which_begin_with_a_whole_cycle() -> Tested {
    // Two processes side by side, one packet: (1 + 1)(3 + 1) + 8 = 16 cycles.
    let one = "wormhole:pattern=one-to-all,messages=1,law=constant";
    for (spec, start, expected) in [
        (format!("{one},compute=none"), 0, 16_000_000),
        (format!("{one},compute=none"), 1, 17_000_000),
        (format!("{one},compute=none,cycle=0.5"), 700_000, 9_000_000),
        (format!("{one},compute=none,ts=0,length=1"), 0, 3_000_000),
    ] {
        let (ends, ..) = replay("4x4", &spec, &[(Time::from_micros(start), vec![5, 6])])?;
        assert_eq!(ends, [Time::from_micros(expected)], "{spec}");
    }
    // The second job has a run time of a second, and the first none.
    let jobs = [(Time::ZERO, vec![5, 6]), (Time::ZERO, vec![9, 10])];
    assert_eq!(replay("4x4", one, &jobs)?.0, [16, 17].map(Time::from_seconds));
    Ok(())
}
