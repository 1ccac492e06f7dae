//! Readers of files that stand beside a log: orders of nodes, topologies, outages, places of nodes,
//! predictions.

use meshreplay::allocator::{self, Setup};
use meshreplay::job::{Job, Time};
use meshreplay::machine::node_map::NodeMapSource;
use meshreplay::machine::outages::OutageSource;
use meshreplay::machine::{Mesh, make_unavailable};
use meshreplay::prediction::Prediction;

use super::{Target, scratch};

fn mesh(text: &str) -> Mesh {
    text.parse().expect("a machine")
}

/// Builds the allocator that reads the file at the end of `spec`.
fn built(machine: &str, spec: &str, path: &std::path::Path) -> String {
    let text = spec.replace("PATH", &path.display().to_string());
    match allocator::build(&text.parse().expect("a spec"), &Setup::new(&mesh(machine), 1)) {
        Ok(built) => built.spec.name,
        Err(error) => error.to_string(),
    }
}

pub(crate) const ORDER: Target = Target {
    name: "file-order",
    seeds: || {
        vec![
            b"0 0\n1 1\n2 2\n3 3\n".to_vec(),
            b"3\n2\n1\n0\n".to_vec(),
            b"# x,y\n0,0\n0,1\n1,0\n1,1\n".to_vec(),
        ]
    },
    words: &["0", "1", "#", ",", "(0,1)"],
    cost: 1,
    run: |bytes| built("2x2", "curve:order=file,path=PATH", &scratch::file("order.txt", bytes)),
};

const TORUS: &[u8] = b"- topology: t\n  cluster_default: true\n  torus3d:\n    toruses:\n      - name: \
     a\n        dims: {x: 2, y: 2, z: 2}\n        nodes: n[0-7]\n        placements:\n          - dims: {x: \
     2, y: 1, z: 1}\n          - dims: {x: 2, y: 2, z: 2}\n";

pub(crate) const TOPOLOGY: Target = Target {
    name: "file-topology",
    seeds: || vec![TORUS.to_vec()],
    words: &[
        "dims:",
        "nodes:",
        "regions:",
        "placements:",
        "n[0-99999999]",
        "- ",
        "  ",
        "{",
        "}",
        "&a",
        "*a",
        "!!str",
        "|\n",
        ": ",
    ],
    cost: 1,
    run: |bytes| built("torus:2x2x2", "slurm-torus3d:path=PATH", &scratch::file("topology.yaml", bytes)),
};

pub(crate) const OUTAGES: Target = Target {
    name: "file-outages",
    seeds: || {
        vec![
            b"time,node,change\n0,3,down\n10,3,up\n".to_vec(),
            b"5 0-7 down\n# x\n9 0-7 up\n".to_vec(),
            b"1 (2,3) down\n".to_vec(),
        ]
    },
    words: &["down", "up", "0-63", "(1,2)", "time"],
    cost: 1,
    run: |bytes| {
        let path = scratch::file("outages.csv", bytes);
        match OutageSource::File(path.display().to_string()).on(&mesh("8x8"), 1, Time::ZERO) {
            Ok(mut outages) => {
                let (mut count, mut before) = (0, Time::from_micros(i64::MIN));
                while let Some(time) = outages.next_time() {
                    assert!(time >= before, "outages are in the order of time");
                    before = time;
                    let change = outages.take_due(time).expect("a change that is due");
                    assert!(change.node < 64);
                    count += 1;
                }
                format!("{count} changes")
            }
            Err(error) => error.to_string(),
        }
    },
};

pub(crate) const UNAVAILABLE: Target = Target {
    name: "file-unavailable",
    seeds: || vec![b"0-3\n(2,5)\n".to_vec(), b"1 2 3\n".to_vec(), b"(0,0)-(1,1)\n".to_vec()],
    words: &["0-63", "(1,2)", "(0,0)-(7,7)", "-"],
    cost: 1,
    run: |bytes| {
        let path = scratch::file("unavailable.txt", bytes);
        match make_unavailable(&mesh("8x8"), &path.display().to_string(), &path) {
            Ok(mesh) => {
                assert!(mesh.available() >= 1 && mesh.available() <= 64);
                format!("{} available", mesh.available())
            }
            Err(error) => error.to_string(),
        }
    },
};

pub(crate) const NODE_MAP: Target = Target {
    name: "file-node-map",
    seeds: || {
        vec![
            b"name,x,y\nn0,0,0\nn1,0,1\n".to_vec(),
            b"a 0\nb 1\nb 2\n".to_vec(),
            b"nid{x:02}-{y}".to_vec(),
            b"c{rank}".to_vec(),
        ]
    },
    words: &["n0", "{rank}", "{x}", "{y:09}", "{", "}", ",", "\t"],
    cost: 1,
    run: |bytes| {
        let path = scratch::file("map.csv", bytes);
        let pattern = std::str::from_utf8(bytes).unwrap_or_default().parse::<NodeMapSource>();
        let sources = [Ok(NodeMapSource::File(path.display().to_string())), pattern];
        let answers = sources.map(|source| match source.map(|source| source.on(&mesh("8x8"))) {
            Ok(Ok(map)) => {
                let found = map.nodes("n0", &mesh("8x8"));
                format!("{}", found.is_ok_and(|nodes| nodes.iter().all(|&node| node < 64)))
            }
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        });
        answers.concat()
    },
};

pub(crate) const PREDICTIONS: Target = Target {
    name: "file-predictions",
    seeds: || vec![b"job,prediction\n1,10\n2,20.5\n".to_vec(), b"1,10\n2,20\n".to_vec()],
    words: &["1,", "2,", "1e308", "-1"],
    cost: 1,
    run: |bytes| {
        let path = scratch::file("predictions.csv", bytes);
        let prediction: Prediction = format!("from-file:{}", path.display()).parse().expect("a predictor");
        let jobs = [1, 2].map(|number| Job { number, procs: 1, ..Job::default() });
        match prediction.build(&jobs) {
            Ok(mut predictor) => {
                let time = predictor.predict(0, &jobs[0]);
                assert!(time >= Time::ZERO, "a prediction below 0");
                "read".to_owned()
            }
            Err(error) => error.to_string(),
        }
    },
};
