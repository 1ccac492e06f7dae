//! Readers of logs. Whatever strict reading takes, lenient reading takes in the same way, and what is read
//! can be replayed by the rules or is counted.

use std::fs;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use meshreplay::trace::{ReadOptions, Record, TraceError, read, validate};
use meshreplay::workload::{Rules, WorkloadBuilder};

use super::{Target, scratch};

const WORDS: &[&str] = &[
    "; MaxProcs: 4\n",
    "; UnixStartTime: 1700000000\n",
    "; TimeZoneString: Europe/Berlin\n",
    "-1",
    " ",
    "\t",
    ";",
];

const fn target(
    name: &'static str,
    words: &'static [&'static str],
    seeds: fn() -> Vec<Vec<u8>>,
    run: fn(&[u8]) -> String,
) -> Target {
    Target { name, seeds, words, cost: 1, run }
}

pub(crate) const SWF: Target = target("log-swf", WORDS, swf, |bytes| by_format("swf", "a.swf", bytes));
pub(crate) const LENIENT: Target = target("log-swf-lenient", WORDS, swf, |bytes| {
    let path = scratch::file("b.swf", bytes);
    answer(&read_all(&path, Some("swf"), true))
});
pub(crate) const GZIP: Target = target("log-gzip", &[], zipped, |bytes| by_format("swf", "a.swf.gz", bytes));
pub(crate) const DETECTED: Target = target("log-detected", WORDS, all, |bytes| {
    let path = scratch::file("unknown", bytes);
    answer(&read_all(&path, None, false))
});
pub(crate) const PREMAS: Target =
    target("log-premas", WORDS, premas, |bytes| by_format("premas", "a.premas", bytes));
pub(crate) const NAS: Target =
    target("log-nas-ipsc", WORDS, nas, |bytes| by_format("nas-ipsc", "a.nas", bytes));
pub(crate) const TABLE: Target = target(
    "log-table",
    &[
        "submit",
        "start",
        "end",
        "procs",
        "nodes",
        "2024-05-01 12:00:00",
        "01:02:03",
        "1-00:00:00",
        "45413.5",
        "\"\"",
        "run",
    ],
    table,
    |bytes| by_format("table", "a.csv", bytes),
);
pub(crate) const COLUMNS: Target =
    target("log-columns", WORDS, table, |bytes| by_format("columns:submit=1,run=2,procs=3", "a.txt", bytes));
pub(crate) const SACCT: Target = target(
    "log-sacct",
    &[
        "JobID",
        "Submit",
        "Start",
        "End",
        "NNodes",
        "AllocTRES",
        "cpu=4,node=1",
        "gres/gpu=2",
        "|",
        "COMPLETED",
        "Unknown",
        "12_[1-9%3]",
        "12+1",
        "None",
    ],
    || vec![from_tests("slurm.sacct"), gunzipped("may.sacct.gz")],
    |bytes| by_format("sacct", "a.sacct", bytes),
);
pub(crate) const SLURM_JSON: Target = target(
    "log-slurm-json",
    &[
        "{",
        "}",
        "[",
        "]",
        "\"jobs\":",
        "\"time\":",
        "\\u0000",
        "\\ud800",
        "\"number\":",
        "null",
        "true",
        "1e99",
        "\"set\":false",
    ],
    || vec![from_tests("slurm.json")],
    |bytes| by_format("slurm-json", "a.json", bytes),
);
pub(crate) const SLURM_JOBCOMP: Target = target(
    "log-slurm-jobcomp",
    &["JobId=", "SubmitTime=", "StartTime=", "EndTime=", "NodeCnt=", "Tres=", "NodeList=n[0-9]", "Unknown"],
    || vec![from_tests("slurm.jobcomp")],
    |bytes| by_format("slurm-jobcomp", "a.jobcomp", bytes),
);
pub(crate) const PBS: Target = target(
    "log-pbs",
    &[
        "01/02/2024 10:00:00;E;1.s;",
        "user=a",
        "qtime=1700000000",
        "start=1700000001",
        "end=1700000009",
        "exec_host=n0/0*4+n1/0",
        "Resource_List.ncpus=8",
        "Resource_List.nodes=2:ppn=4",
        "Exit_status=0",
        ";S;",
        ";R;",
    ],
    pbs,
    |bytes| by_format("pbs", "a.pbs", bytes),
);

/// Reads the input as a log of the format, strictly and leniently, and validates it.
fn by_format(format: &str, name: &str, bytes: &[u8]) -> String {
    let path = scratch::file(name, bytes);
    let strict = read_all(&path, Some(format), false);
    if let Ok(strict) = &strict {
        let lenient =
            read_all(&path, Some(format), true).expect("lenient reading takes what strict reading takes");
        assert!(*strict == lenient, "lenient reading gives other records");
        let mut builder = WorkloadBuilder::new(Rules::default());
        for record in strict {
            builder.add(record);
        }
        let workload = builder.finish(0);
        assert_eq!(workload.jobs.len() as u64 + workload.left_out.total(), strict.len() as u64);
    }
    answer(&strict)
}

fn read_all(path: &std::path::Path, format: Option<&str>, lenient: bool) -> Result<Vec<Record>, TraceError> {
    let format = format.map(|format| format.parse().expect("a format"));
    let options = ReadOptions { lenient, format, ..ReadOptions::default() };
    if lenient {
        // Its findings are for people; it must not break on any text.
        let _ = validate(path, options.clone(), 3);
    }
    let mut records = Vec::new();
    read(path, options, |record| records.push(*record))?;
    Ok(records)
}

fn answer(read: &Result<Vec<Record>, TraceError>) -> String {
    match read {
        Ok(records) => format!("{} records", "x".repeat(records.len().min(9))),
        Err(error) => error.to_string(),
    }
}

fn swf() -> Vec<Vec<u8>> {
    vec![
        include_bytes!("../../traces/tiny.swf").to_vec(),
        include_bytes!("../../traces/scattered.swf").to_vec(),
        b"1 0 -1 20 2 -1 -1 2 20 -1 1 3 1 -1 1 -1 -1 -1\n".to_vec(),
    ]
}

fn zipped() -> Vec<Vec<u8>> {
    let zip = |text: Vec<u8>| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&text).and_then(|()| encoder.finish()).expect("memory takes all")
    };
    let mut all: Vec<Vec<u8>> = swf().into_iter().map(zip).collect();
    all.push(all.concat());
    all
}

fn premas() -> Vec<Vec<u8>> {
    vec![b"1 0 10 4 4\n2 5 10 2 8\n".to_vec(), b"; x\n1 0 10 4\n".to_vec()]
}

fn nas() -> Vec<Vec<u8>> {
    vec![b"user1 sys 1 10 10/01/93 00:00:12\nuser2 cmd3 32 1000 10/01/93 00:01:12\n".to_vec()]
}

fn table() -> Vec<Vec<u8>> {
    vec![
        b"submit,start,end,procs\n2024-05-01 12:00:00,2024-05-01 12:01:00,2024-05-01 13:01:00,4\n".to_vec(),
        b"submit;run;procs;user\n0;10;2;\"a;b\"\n5;1:00:00;4;c\n".to_vec(),
        b"0 10 2\n5 10 4\n".to_vec(),
        b"0\t10\t2\n5\t10\t4\n".to_vec(),
    ]
}

fn pbs() -> Vec<Vec<u8>> {
    vec![
        b"10/01/2023 00:00:12;E;12.server;user=a group=g queue=q ctime=1696118400 qtime=1696118400 \
             start=1696118410 end=1696118500 exec_host=n0/0*4+n1/0*4 Resource_List.ncpus=8 \
             Resource_List.walltime=01:00:00 Exit_status=0\n"
            .to_vec(),
    ]
}

fn all() -> Vec<Vec<u8>> {
    [
        swf(),
        zipped(),
        premas(),
        nas(),
        table(),
        pbs(),
        vec![from_tests("slurm.sacct"), from_tests("slurm.json")],
    ]
    .concat()
}

fn from_tests(name: &str) -> Vec<u8> {
    let path = [env!("CARGO_MANIFEST_DIR"), "/tests/it/golden/", name].concat();
    let mut bytes = fs::read(path).expect("a committed log");
    bytes.truncate(6000);
    bytes
}

fn gunzipped(name: &str) -> Vec<u8> {
    let path = [env!("CARGO_MANIFEST_DIR"), "/traces/", name].concat();
    let file = fs::File::open(path).expect("a committed log");
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(file).take(4000).read_to_end(&mut text).expect("a whole log");
    text
}
