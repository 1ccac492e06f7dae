use super::open_loop::*;
use crate::stop::Stop;
#[test]
fn explore() {
    let args = std::fs::read_to_string("/tmp/net/explore").unwrap();
    for line in args.lines().filter(|l| !l.starts_with('#')) {
        let w: Vec<&str> = line.split_whitespace().collect();
        let mesh: crate::machine::Mesh = w[0].parse().unwrap();
        let (net, spec) = OpenLoop::new(&w[1].parse().unwrap(), &mesh, 1).unwrap();
        let _ = spec;
        let windows = Windows { warm_up: w[4].parse().unwrap(), measured: w[5].parse().unwrap() };
        let begin = std::time::Instant::now();
        for seed in 1..=w[6].parse::<u64>().unwrap() {
            let m = net.run(w[2], w[3].parse().unwrap(), windows, seed, &Stop::default()).unwrap().unwrap();
            println!("{line}: accepted {:.4} ({:.4}..{:.4}) latency {:.2} hops {:.2} {:?}", m.accepted, m.of_sources[0], m.of_sources[1], m.mean_latency().unwrap_or(0.0), m.hops, begin.elapsed());
        }
    }
}
