//! Damaged logs with a truth for each job: a mutation touches some lines of a sound log. Jobs of other lines
//! are read as before, or reading fails, or it counts at least as many oddities as lost jobs. Touched lines
//! give at most one job each.
//!
//! A hash of the input chooses the format, strict or lenient reading, and the mutations.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Range;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use meshreplay::trace::{LogSummary, ReadOptions, Record, TraceError, read};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::truth_kinds::{KINDS, Kind};
use super::{Target, scratch};

/// The jobs of a log.
const JOBS: usize = 24;

pub(crate) const TRUTHS: Target = Target {
    name: "log-truths",
    seeds: || (0..64_u8).map(|first| vec![first]).collect(),
    words: &[],
    cost: 1,
    run,
};

/// What identifies a job and its schedule. Names are numbered by appearance, so a damaged line changes them.
type Schedule = [i64; 5];

/// What is read of a log.
struct Jobs {
    schedules: Vec<Schedule>,
    /// How many lines and values are said to be odd or left out, by what is said.
    words: BTreeMap<&'static str, u64>,
}

impl Jobs {
    fn read(kind: &Kind, bytes: &[u8], lenient: bool) -> Result<Self, TraceError> {
        let path = scratch::file("truth", bytes);
        let format = (!kind.format.is_empty()).then(|| kind.format.parse().expect("a format"));
        let mut schedules = Vec::new();
        let options = ReadOptions { format, lenient, ..ReadOptions::default() };
        let summary: LogSummary = read(&path, options, |record: &Record| {
            let Record { submit_s, wait_s, run_s, allocated_procs, requested_procs, .. } = *record;
            schedules.push([submit_s, wait_s, run_s, allocated_procs, requested_procs]);
        })?;
        summary.check_jobs()?;
        let skipped = ("skipped", summary.irregularities.skipped());
        let mut words = BTreeMap::new();
        for (what, count) in summary.facts.counts.into_iter().chain([skipped]) {
            *words.entry(what).or_default() += count;
        }
        Ok(Self { schedules, words })
    }

    /// Returns how many words say more than those of the sound log.
    fn words_beyond(&self, sound: &Self) -> u64 {
        let usual = |what: &str| sound.words.get(what).copied().unwrap_or_default();
        self.words.iter().map(|(what, count)| count.saturating_sub(usual(what))).sum()
    }
}

/// Returns what the sound log of a kind gives.
fn sound(at: usize) -> &'static Jobs {
    static SOUND: [OnceLock<Jobs>; KINDS.len()] = [const { OnceLock::new() }; KINDS.len()];
    SOUND[at].get_or_init(|| {
        let (kind, text) = (&KINDS[at], KINDS[at].text(JOBS));
        let jobs = Jobs::read(kind, text.as_bytes(), false).expect(kind.name);
        assert_eq!(jobs.schedules.len(), JOBS, "{}: {text}", kind.name);
        jobs
    })
}

/// Lines that were mutated.
struct Mutated {
    lines: Vec<Vec<u8>>,
    /// The places of the lines that were touched, by their numbers in the sound log.
    touched: BTreeSet<usize>,
}

impl Mutated {
    /// Mutates some lines of a text.
    fn new(text: &str, heading_lines: usize, job_lines: usize, random: &mut ChaCha8Rng) -> Self {
        let lines = text.lines().map(|line| line.as_bytes().to_vec()).collect();
        let mut mutated = Self { lines, touched: BTreeSet::new() };
        for _ in 0..random.random_range(1..4) {
            mutated.step(random);
        }
        // A heading stands again, or the file is cut.
        let at = random.random_range(0..mutated.lines.len());
        match random.random_range(0..12) {
            0 if heading_lines > 0 && at >= heading_lines => {
                // Not within a job.
                let at = at - (at - heading_lines) % job_lines;
                let heading = text.lines().take(heading_lines).flat_map(|line| [line.as_bytes(), b"\n"]);
                let heading = heading.collect::<Vec<_>>().concat();
                mutated.lines[at].splice(0..0, heading);
            }
            1 => {
                mutated.touched.extend(at..mutated.lines.len());
                let length = random.random_range(0..=mutated.lines[at].len());
                mutated.lines[at].truncate(length);
                mutated.lines.truncate(at + 1);
            }
            _ => {}
        }
        mutated
    }

    fn step(&mut self, random: &mut ChaCha8Rng) {
        const SIGNS: &[u8] = b"\"\"\"\"',;:*|\t\n\r \\[]{}=-0129a\x1b\x00\xff";
        let at = random.random_range(0..self.lines.len());
        self.touched.insert(at);
        let sign = SIGNS[random.random_range(0..SIGNS.len())];
        // The line end is lost.
        if random.random_range(0..20) == 0 && at + 1 < self.lines.len() {
            let next = std::mem::take(&mut self.lines[at + 1]);
            self.lines[at].extend(next);
            self.touched.insert(at + 1);
            return;
        }
        let line = &mut self.lines[at];
        let place = if line.is_empty() { 0 } else { random.random_range(0..line.len()) };
        match random.random_range(0..9) {
            // A quote where a field begins is the worst.
            0 => {
                let begin = line[..place].iter().rposition(|byte| b",|\t ;=:".contains(byte));
                line.insert(begin.map_or(0, |begin| begin + 1), b'"');
            }
            1 if !line.is_empty() => drop(line.remove(place)),
            2 if !line.is_empty() => line[place] = sign,
            3 => line.truncate(place),
            4 => line.extend(vec![sign; 3]),
            5 => line.insert(0, sign),
            _ => line.insert(place, sign),
        }
    }

    /// Returns the text, and the most jobs that the touched lines may give: a line feed may make two of one.
    fn text(&self) -> (Vec<u8>, usize) {
        let touched = self.touched.iter().filter_map(|at| self.lines.get(*at)).flatten();
        let most = self.touched.len() + touched.filter(|byte| **byte == b'\n').count();
        (self.lines.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect(), most)
    }
}

/// Reads a compressed log of which some bytes are damaged: an error, or all of it.
fn compressed(kind: &Kind, sound: &Jobs, random: &mut ChaCha8Rng) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let text = kind.text(JOBS);
    let mut bytes =
        encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).expect("memory takes all");
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(2..bytes.len());
        match random.random_range(0..4) {
            0 => bytes.truncate(at.max(3)),
            1 => bytes.insert(at, random.random()),
            _ => bytes[at] = random.random(),
        }
    }
    match Jobs::read(kind, &bytes, random.random()) {
        Ok(jobs) => {
            assert!(jobs.schedules == sound.schedules, "gzip: {}", bytes.escape_ascii());
            "[gzip: read]".to_owned()
        }
        Err(error) => format!("[gzip: refused] {error}"),
    }
}

fn run(bytes: &[u8]) -> String {
    let seed: [u8; 32] = Sha256::digest(bytes).into();
    let mut random = ChaCha8Rng::from_seed(seed);
    let at = random.random_range(0..=KINDS.len());
    let (kind, before) = (&KINDS[at % KINDS.len()], sound(at % KINDS.len()));
    if at == KINDS.len() {
        return compressed(kind, before, &mut random);
    }
    let [heading_lines, job_lines] = [kind.heading, kind.line].map(|text| text.lines().count());
    let mutated = Mutated::new(&kind.text(JOBS), heading_lines, job_lines, &mut random);
    let lenient = random.random();
    let (text, most_of_touched) = mutated.text();
    let name = if lenient { format!("{} lenient", kind.name) } else { kind.name.to_owned() };
    let jobs = match Jobs::read(kind, &text, lenient) {
        Ok(jobs) => jobs,
        Err(error) => return format!("[{name}: refused] {error}"),
    };
    let words = jobs.words_beyond(before);
    let (count, shown) = (jobs.schedules.len(), text.escape_ascii());
    let is_touched = |lines: Range<usize>| mutated.touched.range(lines).next().is_some();
    // The first lines of the jobs that no mutation has touched, by the number of the job.
    let untouched = (heading_lines..).step_by(job_lines).take(JOBS).enumerate();
    let untouched = untouched.filter(|(_, line)| !is_touched(*line..line + job_lines));
    if is_touched(0..heading_lines) {
        // The columns may have another meaning, of which a note says what they are read as.
        let least = untouched.count();
        // Lenient reading may skip several lines as one job that is not whole.
        let is_told = least <= count + words as usize || lenient && words > 0;
        assert!(is_told, "{name}: {count} jobs, {words} words: {shown}");
    } else {
        let mut found: BTreeMap<Schedule, usize> = BTreeMap::new();
        for schedule in jobs.schedules {
            *found.entry(schedule).or_default() += 1;
        }
        let mut lost = Vec::new();
        for (job, line) in untouched {
            match found.get_mut(&before.schedules[job]) {
                Some(count) if *count > 0 => *count -= 1,
                _ => lost.push(line + 1),
            }
        }
        let others: usize = found.values().sum();
        assert!(lost.len() <= words as usize, "{name}: lines {lost:?} are lost, {words} words: {shown}");
        assert!(others <= most_of_touched, "{name}: {others} jobs are invented: {shown}");
    }
    let outcome = if words > 0 { "counted" } else { "read" };
    format!("[{name}: {outcome}] {}", "x".repeat(JOBS.abs_diff(count).min(5)))
}
