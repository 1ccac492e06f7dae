//! Runs of arms on logs of the workload model and on pieces of real logs.

use std::error::Error;
use std::fs;
use std::path::Path;

use meshreplay::cli::embedded;
use meshreplay::frame::FinishedRun;
use meshreplay::study::{Outcome, Progress, Running, Study, sweep};
use rayon::prelude::*;

use super::arms::guests;

/// Real logs whose pieces are tried: the cleaned ones of the archive, and two that need no cleaning.
pub(super) const REAL: [&str; 12] = [
    "HPC2N-2002-2.2-cln.swf.gz",
    "KTH-SP2-1996-2.1-cln.swf.gz",
    "LANL-CM5-1994-4.1-cln.swf.gz",
    "LLNL-Atlas-2006-2.1-cln.swf.gz",
    "LLNL-T3D-1996-2.swf.gz",
    "NASA-iPSC-1993-3.1-cln.swf.gz",
    "OSC-Clust-2000-3.1-cln.swf.gz",
    "SDSC-DS-2004-2.1-cln.swf.gz",
    "SDSC-Par-1996-3.1-cln.swf.gz",
    "SDSC-SP2-1998-4.2-cln.swf.gz",
    "Sandia-Ross-2001-1.1-cln.swf.gz",
    "UniLu-Gaia-2014-1.swf.gz",
];

/// The replays of one log.
#[derive(Clone)]
pub(super) struct Runs {
    pub(super) study: Study,
    /// By cell of the study.
    pub(super) outcomes: Vec<Outcome>,
}

/// Returns outcomes as a finished run.
pub(super) fn finished(replays: Vec<(u32, Vec<Outcome>)>) -> FinishedRun {
    FinishedRun {
        run: String::new(),
        replays,
        summary: polars_core::frame::DataFrame::empty(),
        details: Vec::new(),
        keeps_earlier: false,
    }
}

/// Replays the arms on a log.
pub(super) fn runs(log: &str, machine: &str, schedulers: &[&str], arms: &[&str], seed: u64) -> Runs {
    let seed = seed.to_string();
    let mut words = vec![log, "--machine", machine, "--oversize", "skip", "--no-timing", "--seed", &seed];
    words.push("--scheduler");
    words.extend(schedulers);
    words.push("--allocator");
    words.extend(arms);
    let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    let mut draft = embedded::replay_draft(&words, guests()).expect("arguments of replay").draft;
    draft.options.jobs = false;
    let study = embedded::plan(draft, &mut Vec::new()).expect("a study");
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let mut outcomes: Vec<Option<Outcome>> = vec![None; cells.len()];
    let running = Running::new(cells.len());
    sweep(&study, &cells, &pool, &running, &|_, outcomes| Ok(outcomes), None, &mut |news| {
        if let Progress::Ended(cell, ended) = news {
            outcomes[cell] = ended.expect("a replay that ends").pop();
        }
    });
    Runs { study, outcomes: outcomes.into_iter().map(|one| one.expect("an outcome")).collect() }
}

/// Replays the arms on each piece of a log of so many days.
pub(super) fn pieces(log: &Path, days: u64, arms: &[&str]) -> Result<Vec<Runs>, Box<dyn Error>> {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(fs::File::open(log)?), &mut text)?;
    let (header, jobs): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(';'));
    let submit = |line: &&str| line.split_whitespace().nth(1).and_then(|field| field.parse::<f64>().ok());
    let mut jobs: Vec<(f64, &str)> = jobs.iter().filter_map(|line| Some((submit(line)?, *line))).collect();
    jobs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (first, last) = (jobs[0].0, jobs[jobs.len() - 1].0);
    let span = days as f64 * 86_400.0;
    let piece = |job: &(f64, &str)| ((job.0 - first) / span) as u64;
    let folder = tempfile::tempdir()?;
    let mut files = Vec::new();
    for (k, jobs) in jobs.chunk_by(|a, b| piece(a) == piece(b)).enumerate() {
        let is_short =
            piece(&jobs[0]) == piece(&(last, "")) && last - first < (piece(&jobs[0]) as f64 + 0.8) * span;
        if jobs.len() < 1000 || is_short {
            continue;
        }
        let file = folder.path().join(format!("{k}.swf"));
        let lines = header.iter().copied().chain(jobs.iter().map(|job| job.1));
        fs::write(&file, lines.map(|line| line.to_owned() + "\n").collect::<String>())?;
        files.push(file.to_string_lossy().into_owned());
    }
    Ok(files.par_iter().map(|file| runs(file, "auto", &["easy"], arms, 1)).collect())
}
