//! Readers of results, which somebody may have damaged or made up: summaries, schedules, drawings.

use meshreplay::frame::{SavedTable, Selection};
use meshreplay::inspect::Input;
use meshreplay::report::safe_svg;
use meshreplay::trace::ReadOptions;

use super::{Target, scratch};

/// The formats in which results are kept; the first byte of an input chooses one.
const FORMATS: [&str; 5] = ["parquet", "arrow", "csv", "json", "jsonl"];

const SUMMARY_CSV: &[u8] =
    b"2replay,log,machine,scheduler,allocator,jobs,wait_s_mean\n0,tiny,4x4,easy,naive,10,2.5\n";
const JOBS_CSV: &[u8] = b"2replay,job,procs,submit_s,start_s,end_s,estimate_s,allocated,nodes,moves\n0,1,4,0.0,0.0,10.0,10.0,4,0-3,0\n";

/// Writes the input as a file of results in a folder of its own. Returns the folder.
fn folder(name: &str, stem: &str, bytes: &[u8]) -> std::path::PathBuf {
    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let folder = scratch::folder().join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).expect("a folder can be made");
    let format = FORMATS[usize::from(*first) % FORMATS.len()];
    std::fs::write(folder.join(format!("{stem}.{format}")), rest).expect("the folder takes it");
    folder
}

pub(crate) const SUMMARY: Target = Target {
    name: "result-summary",
    seeds: || {
        vec![
            SUMMARY_CSV.to_vec(),
            b"3[{\"replay\":0,\"machine\":\"4x4\"}]".to_vec(),
            b"4{\"replay\":0}\n{\"replay\":1}\n".to_vec(),
            b"0PAR1PAR1".to_vec(),
        ]
    },
    words: &["replay", "machine", "4x4", "naive", "\"", "[", "]", "PAR1", "ARROW1"],
    cost: 20,
    run: |bytes| match SavedTable::read(&folder("summary", "summary", bytes)) {
        Ok(sheet) => format!("{} rows", sheet.height().min(9)),
        Err(error) => error.to_string(),
    },
};

pub(crate) const SCHEDULE: Target = Target {
    name: "result-schedule",
    seeds: || {
        vec![JOBS_CSV.to_vec(), b"2job_id,submission_time,requested_number_of_resources,starting_time,finish_time,allocated_resources\n1,0,2,0,5,0-1\n".to_vec()]
    },
    words: &["0-3", "nodes", "start_s", "end_s", "1e99", "-1", "nan"],
    cost: 20,
    run: |bytes| {
        let folder = folder("schedule", "jobs", bytes);
        let count = |input: Input| input.jobs.walk()?.try_fold(0, |count, job| job.map(|_| count + 1));
        match Input::read(&folder, Selection::default(), &ReadOptions::default(), None).and_then(count) {
            Ok(count) => format!("{} jobs", count.min(9)),
            Err(error) => error.to_string(),
        }
    },
};

pub(crate) const DRAWING: Target = Target {
    name: "result-drawing",
    seeds: || {
        vec![
            b"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 4\"><g><rect class=\"paper\" \
             width=\"4\"/><text>a&amp;b</text></g></svg>"
                .to_vec(),
        ]
    },
    words: &[
        "<script>",
        "onload=\"x\"",
        "<svg",
        "</svg>",
        "<g>",
        "&#x1b;",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "&b;",
        "<![CDATA[",
        "url(x)",
        "style=\"\"",
        "<image href=\"x\"/>",
    ],
    cost: 1,
    run: |bytes| match safe_svg(std::str::from_utf8(bytes).unwrap_or_default()) {
        Ok(safe) => {
            let lower = safe.to_ascii_lowercase();
            assert!(!lower.contains("<script") && !lower.contains("<image"), "{safe}");
            // Text and values may say so; no attribute may have the name. Quotes in values are escaped.
            let tags = lower.split('<').skip(1).filter_map(|rest| rest.split('>').next());
            let names = tags.flat_map(|tag| tag.split('"').step_by(2));
            assert!(!names.into_iter().any(|name| name.contains("onload")), "{safe}");
            assert_eq!(safe_svg(&safe).as_deref(), Ok(safe.as_str()), "what is safe stays as it is");
            "safe".to_owned()
        }
        Err(problem) => problem,
    },
};
