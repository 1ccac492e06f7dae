//! Readers of texts: studies, specs, machines, rules, lists of nodes, and the description of a finished
//! study.

use std::path::{Path, PathBuf};

use meshreplay::allocator::{self, Setup};
use meshreplay::machine::{AutoMachine, Mesh};
use meshreplay::study::{Manifest, Options, Study};
use meshreplay::trace::NodeList;
use meshreplay::workload::Rules;
use meshreplay::{scheduler, spec};

use super::{Target, scratch};

fn utf8(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

pub(crate) const STUDY: Target = Target {
    name: "text-study",
    seeds: || {
        vec![
            b"logs = ['a.swf']\nmachines = ['4x4', 'torus:8']\nallocators = ['naive', \
                 'hilbert+bf']\nschedulers = ['easy', 'fcfs']\n\
              seeds = [1, 2]\narrival_scales = [1.0, 0.5]\nreplications = 2\nname = 'n'\n"
                .to_vec(),
            b"logs = ['synthetic:jobs=5']\nmachines = ['8x8']\nallocators = ['mm']\nnetworks = ['recorded', \
                 'wormhole']\n".to_vec(),
            b"logs = ['a.swf']\nmachines = ['auto']\nallocators = ['random']\nunavailable = ['0-1']\nrules = \
                 ['requested:sizes=powers']\n".to_vec(),
        ]
    },
    words: &[
        "logs",
        "machines",
        "allocators",
        "schedulers",
        "networks",
        "seeds",
        "arrival_scales",
        "replications",
        "partitions",
        "node_map",
        "outages",
        "on_outage",
        "input_format",
        "rules",
        "unavailable",
        "each",
        "auto",
        "= [",
        "'''",
        "{ }",
        "[[a]]",
        "random:mtbf=1d,repair=1h",
        "9223372036854775807",
        "1e999",
    ],
    cost: 20,
    run: |bytes| {
        let text = utf8(bytes);
        // Large machines and workloads cost what they say, and are no matter of reading.
        if large(text) {
            return String::new();
        }
        let log = scratch::file("a.swf", include_bytes!("../../traces/tiny.swf"));
        let find = |_: &str| -> PathBuf { log.clone() };
        match Study::plan(Path::new("s.toml"), text, Options::default(), &find) {
            Ok(study) => {
                assert!(!study.cells.is_empty());
                let manifest = Manifest::from(&study);
                let json = serde_json::to_string(&manifest).expect("a study is JSON");
                let read = serde_json::from_str::<Manifest>(&json).expect("a study is read again");
                assert_eq!(serde_json::to_string(&read).expect("a study is JSON"), json);
                format!("{} cells", study.cells.len())
            }
            Err(error) => error.to_string(),
        }
    },
};

/// Returns whether the text has a number that could stand for a large machine or for many jobs.
fn large(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 2)
}

pub(crate) const SPEC: Target = Target {
    name: "text-spec",
    seeds: || {
        let allocators = allocator::ALLOCATORS.iter().map(|entry| entry.name.as_bytes().to_vec());
        let schedulers = scheduler::SCHEDULERS.iter().map(|entry| entry.name.as_bytes().to_vec());
        let more = [
            "curve:order=hilbert,select=best-fit",
            "best-of:mc|mm",
            "easy:pass=per-event,order=sjf",
            "guest:x",
            "exec:true",
            "hilbert+bf",
        ];
        allocators.chain(schedulers).chain(more.map(|text| text.as_bytes().to_vec())).collect()
    },
    words: &[
        "order=",
        "select=",
        "size=",
        "seed=",
        "best-of:",
        "|",
        "+bf",
        "=",
        ":",
        ",",
        "pass=batch",
        "segment=",
        "step_time=",
    ],
    cost: 2,
    run: |bytes| {
        let text = utf8(bytes);
        // Files and programs are other targets.
        if text.contains("path") || text.contains("weights") || text.starts_with("exec") {
            return String::new();
        }
        let given = match text.parse::<spec::Spec>() {
            Ok(given) => given,
            Err(error) => return error.to_string(),
        };
        assert_eq!(given.to_string().parse::<spec::Spec>().expect("what was written is read"), given);
        let mesh: Mesh = "4x4".parse().expect("a machine");
        let allocator = match allocator::build(&given, &Setup::new(&mesh, 1)) {
            Ok(built) => {
                let again =
                    allocator::build(&built.spec, &Setup::new(&mesh, 1)).expect("a resolved spec is a spec");
                assert_eq!(again.spec, built.spec, "a resolved spec resolves to itself");
                allocator::short(&built.spec)
            }
            Err(error) => error.to_string(),
        };
        let scheduler = match scheduler::build(&given) {
            Ok((_, resolved)) => {
                let (_, again) = scheduler::build(&resolved).expect("a resolved spec is a spec");
                assert_eq!(again, resolved);
                resolved.name
            }
            Err(error) => error.to_string(),
        };
        allocator + &scheduler
    },
};

pub(crate) const MACHINE: Target = Target {
    name: "text-machine",
    seeds: || {
        let texts = [
            "4",
            "16x8",
            "torus:8x8x4",
            "8x4:wrap=x",
            "ocs:6x2x2x2",
            "auto:3d",
            "torus:auto",
            "4x4:without=0-3",
            "16777216",
        ];
        texts.map(|text| text.as_bytes().to_vec()).to_vec()
    },
    words: &[
        "torus:", "mesh:", "ocs:", "wrap=", "x", "y", "z", ":", "without=", "1d", "3d", "auto", "\u{d7}",
    ],
    cost: 1,
    run: |bytes| {
        let text = utf8(bytes);
        let auto = text.parse::<AutoMachine>().is_ok();
        match text.parse::<Mesh>() {
            Ok(mesh) => {
                assert!(mesh.nodes() >= 1 && mesh.available() >= 1);
                let written = mesh.to_string();
                assert_eq!(written.parse::<Mesh>().expect("what was written is read"), mesh, "{written}");
                format!("{auto}")
            }
            Err(error) => format!("{auto} {error}"),
        }
    },
};

pub(crate) const RULES: Target = Target {
    name: "text-rules",
    seeds: || {
        vec![
            b"authors".to_vec(),
            b"requested:estimate=factor=2,overrun=kill,sizes=powers-of-two".to_vec(),
            Rules::default().to_string().into_bytes(),
        ]
    },
    words: &[
        "authors",
        "requested",
        "allocated",
        "estimate=",
        "factor=",
        "predicted:",
        "uniform:max=",
        "arrivals=",
        "shape=",
        "oversize=skip",
        "overrun=",
        "sizes=",
        "status=",
    ],
    cost: 1,
    run: |bytes| match utf8(bytes).parse::<Rules>() {
        Ok(rules) => {
            let written = rules.to_string();
            let again = written.parse::<Rules>().expect("what was written is read");
            assert_eq!(again.to_string(), written);
            "rules".to_owned()
        }
        Err(error) => error.to_string(),
    },
};

pub(crate) const NODE_LIST: Target = Target {
    name: "text-node-list",
    seeds: || {
        ["n[0-9]", "n[01-03,7]c[0-1],m5", "a,b,c", "n1/0*4+n2/0", "rack[0-1]n[00-15]"]
            .map(|text| text.as_bytes().to_vec())
            .to_vec()
    },
    words: &["[", "]", "-", ",", "+", "/0*4", "(null)", "0001", "99999999999999999999"],
    cost: 1,
    run: |bytes| match NodeList::parse(utf8(bytes)) {
        Ok(list) => {
            let count = list.count();
            if count <= 10_000 {
                assert_eq!(list.names().count() as u64, count, "as many names as are counted");
            } else {
                assert_eq!(list.names().take(100).count(), 100);
            }
            "list".to_owned()
        }
        Err(error) => error.to_string(),
    },
};

pub(crate) const MANIFEST: Target = Target {
    name: "text-manifest",
    seeds: || {
        let text = "logs = ['a.swf']\nmachines = ['4x4']\nallocators = ['naive', 'hilbert+bf']\nschedulers = \
             ['easy']\n";
        let log = scratch::file("a.swf", include_bytes!("../../traces/tiny.swf"));
        let study =
            Study::plan(Path::new("s.toml"), text, Options::default(), &|_| log.clone()).expect("a study");
        vec![serde_json::to_vec(&Manifest::from(&study)).expect("a study is JSON")]
    },
    words: &[
        "\"key\":",
        "\"machine\":",
        "\"allocator\":",
        "null",
        "[]",
        "{}",
        "\"4x4\"",
        "\"seed\":",
        "1e99",
        "\"options\":",
    ],
    cost: 1,
    run: |bytes| match serde_json::from_slice::<Manifest>(bytes) {
        Ok(manifest) => {
            let written = serde_json::to_vec(&manifest).expect("a study is JSON");
            let again = serde_json::from_slice::<Manifest>(&written).expect("a study is read again");
            assert_eq!(serde_json::to_vec(&again).expect("a study is JSON"), written);
            "manifest".to_owned()
        }
        Err(error) => error.to_string(),
    },
};
