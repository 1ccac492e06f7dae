//! The output of `sacct --json`, whichever version of Slurm's data parser wrote it.
//!
//! Versions differ in three ways. Numbers are plain, or objects `{"set": true, "infinite": false, "number": 5}`. States
//! are a word, or a list of words. Some members are missing. The text is read as a stream, cut behind each `}`, so that
//! memory holds one job, and it does not matter whether the text has many lines or one.

use super::job::{Accounting, SlurmJob};
use super::json_members::{KEYS, Key, Number};
use super::json_text::{Event, JsonText};
use super::tres::Resources;
use crate::trace::error::Problem;
use crate::trace::facts::Facts;
use crate::trace::formats::format::{Format, LineParser, Parsed};
use crate::trace::names::Names;
use crate::trace::record::Record;

/// The row of this format.
pub(in crate::trace::formats) const FORMAT: Format = Format {
    name: "slurm-json",
    summary: "Slurm's accounting as JSON: sacct --json, of any version of the data parser",
    source: super::SOURCE,
    parameters: super::job::PARAMETERS,
    reads: READS,
    lacks: "machine, applications, memory",
    extensions: &["json"],
    recognises: Some(|line| line.trim_ascii_start().starts_with(b"{")),
    records_starts: true,
    repeats_jobs: true,
    expects_spaces: false,
    parser: |spec| {
        let accounting = Accounting::of(spec)?;
        Ok(Box::new(SlurmJson { accounting, text: JsonText::new(), document: Document::default() }))
    },
    writing: None,
};

/// What is read of a job, and what it becomes.
const READS: &[(&str, &str)] = &[
    ("job_id", "job number"),
    ("time.submission", "submit time, unless arrival=eligible"),
    ("time.eligible", "submit time with arrival=eligible"),
    ("time.start", "start: the wait time is that from the submission"),
    ("time.end", "end: the run time is that from the start"),
    ("time.elapsed", "run time if the start or the end is unknown"),
    ("time.limit", "requested time, in minutes"),
    ("state.current", "status: 1 completed, 5 cancelled, 0 ended in another way, −1 has not ended"),
    ("allocation_nodes, tres.allocated", "processors, by the unit"),
    ("required.CPUs, tres.requested", "requested processors, by the unit"),
    ("user, account, qos, partition", "user, group, queue and partition, as numbers"),
    ("nodes", "list of nodes"),
];

/// What was read of the job that is being read.
#[derive(Default)]
struct Job {
    numbers: [Number; KEYS],
    state: Vec<u8>,
    texts: [Vec<u8>; 5],
    /// Whether the job has the member `nodes`.
    has_nodes: bool,
    allocated: Resources,
    requested: Resources,
    /// The type and the name of the resource that is being read.
    kind: Vec<u8>,
    name: Vec<u8>,
    /// The sums of GPUs by type, of those allocated and those requested.
    by_type: [i64; 2],
    problem: Option<Problem>,
}

/// The place of a text in [`Job::texts`]; `None` if the member is no text.
const fn text_of(key: Key) -> Option<usize> {
    match key {
        Key::User => Some(0),
        Key::Account => Some(1),
        Key::Partition => Some(2),
        Key::Qos => Some(3),
        Key::Nodes => Some(4),
        _ => None,
    }
}

/// Where the text is, and what was read of the job there.
#[derive(Default)]
struct Document {
    /// The members that are open, from the whole text on.
    path: Vec<Key>,
    /// Whether each open member is a list.
    lists: Vec<bool>,
    /// The member whose value comes next.
    key: Key,
    /// The number of open brackets within a member that is not read; 0 outside of such a member.
    ignored: usize,
    has_jobs: bool,
    job: Job,
    /// Whether the job is complete.
    is_over: bool,
    /// What the text is instead, by a member that only other programs write; `None` if it has none.
    other: Option<&'static str>,
}

/// Members that `sacct --json` does not write: how many objects and lists they stand in, their keys, and what the text is that
/// has them.
const OTHERS: [(usize, &[&[u8]], &str); 2] = [
    (
        1,
        &[b"nb_res", b"profiles"],
        "a workload of Batsim, which has profiles instead of run times; replay the jobs that Batsim wrote (out_jobs.csv)",
    ),
    (
        3,
        &[b"submit_time", b"job_state", b"node_count"],
        "the queue of Slurm (squeue or scontrol with --json), which has no jobs that ended long ago; get sacct --json",
    ),
];

impl Document {
    /// Takes the next event.
    fn take(&mut self, event: Event) {
        if self.ignored > 0 {
            match event {
                Event::Object | Event::List => self.ignored += 1,
                Event::End => self.ignored -= 1,
                _ => {}
            }
            return;
        }
        if self.lists.last().is_none_or(|&is_list| is_list) {
            self.key = Key::Item;
        }
        match event {
            Event::Key(key) => {
                self.key = Key::of(key);
                let is_other = |(depth, keys, _): &&(usize, &[&[u8]], _)| {
                    *depth == self.path.len() && self.key == Key::Other && keys.contains(&key)
                };
                self.other = self.other.or_else(|| OTHERS.iter().find(is_other).map(|(.., what)| *what));
            }
            Event::Object | Event::List if !self.is_read() => self.ignored = 1,
            Event::Object | Event::List => {
                self.has_jobs |= self.path.len() == 1 && self.key == Key::Jobs;
                self.path.push(self.key);
                self.lists.push(event == Event::List);
            }
            Event::End => self.end(),
            Event::Text(text) => self.text(text),
            Event::Plain(text) => self.plain(text),
        }
    }

    /// Returns whether a member that begins is read: the text, its list of jobs, and what stands in known members of jobs.
    fn is_read(&self) -> bool {
        match self.path.len() {
            0 | 2 => true,
            1 => self.key == Key::Jobs,
            _ => self.key != Key::Other,
        }
    }

    /// Ends an object or a list.
    fn end(&mut self) {
        match self.path.as_slice() {
            [_, Key::Jobs, Key::Item, Key::Tres, list @ (Key::Allocated | Key::Requested), Key::Item] => {
                let list = *list;
                self.resource(list);
            }
            [_, Key::Jobs, Key::Item] => self.is_over = true,
            _ => {}
        }
        self.path.pop();
        self.lists.pop();
    }

    /// Keeps the resource that was read, as one of those allocated or requested.
    fn resource(&mut self, list: Key) {
        let job = &mut self.job;
        let count = std::mem::take(&mut job.numbers[Key::Count as usize]).get();
        let is_allocated = list == Key::Allocated;
        let resources = if is_allocated { &mut job.allocated } else { &mut job.requested };
        match (job.kind.as_slice(), job.name.as_slice()) {
            (b"node", _) => resources.nodes = count,
            (b"cpu", _) => resources.cpus = count,
            (b"gres", b"gpu") => resources.gpus = count,
            (b"gres", name) if name.starts_with(b"gpu:") => {
                // Beyond 64 bits it is clamped, and larger than any machine anyway.
                let by_type = &mut job.by_type[usize::from(!is_allocated)];
                *by_type = by_type.saturating_add(count.unwrap_or_default());
            }
            _ => {}
        }
        job.kind.clear();
        job.name.clear();
    }

    /// Takes a string.
    fn text(&mut self, text: &[u8]) {
        let [_, Key::Jobs, Key::Item, inside @ ..] = self.path.as_slice() else { return };
        let job = &mut self.job;
        let kept = match (inside, self.key) {
            ([], key) => {
                job.has_nodes |= key == Key::Nodes;
                text_of(key).map(|at| &mut job.texts[at])
            }
            // Of a list of states the first one counts.
            ([Key::State], Key::Current) | ([Key::State, Key::Current], Key::Item)
                if job.state.is_empty() =>
            {
                Some(&mut job.state)
            }
            ([Key::Tres, _, Key::Item], Key::Type) => Some(&mut job.kind),
            ([Key::Tres, _, Key::Item], Key::Name) => Some(&mut job.name),
            _ => None,
        };
        match kept {
            Some(kept) => {
                kept.clear();
                kept.extend_from_slice(text);
            }
            None => self.plain(text),
        }
    }

    /// Takes a number or a word, or a string where a number should be.
    fn plain(&mut self, text: &[u8]) {
        let [_, Key::Jobs, Key::Item, inside @ ..] = self.path.as_slice() else { return };
        // A number is the value of its member, or the member `number` of it.
        let (within, owner, part) = match inside {
            [within @ .., owner] if matches!(self.key, Key::Set | Key::Infinite | Key::Number) => {
                (within, *owner, self.key)
            }
            _ => (inside, self.key, Key::Number),
        };
        let is_number = match within {
            [] => matches!(owner, Key::JobId | Key::AllocationNodes),
            [Key::Time] => {
                matches!(
                    owner,
                    Key::Submission | Key::Eligible | Key::Start | Key::End | Key::Elapsed | Key::Limit
                )
            }
            [Key::Required] => owner == Key::Cpus,
            [Key::Tres, _, Key::Item] => owner == Key::Count,
            _ => false,
        };
        if !is_number || text == b"null" {
            return;
        }
        let number = &mut self.job.numbers[owner as usize];
        match (part, text) {
            (Key::Set, b"false") | (Key::Infinite, b"true") => number.is_void = true,
            (Key::Number, _) => {
                number.value = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
                if number.value.is_none() && self.job.problem.is_none() {
                    self.job.problem = Some(Problem::value(owner.path(), text, "a whole number"));
                }
            }
            _ => {}
        }
    }
}

impl Job {
    /// Returns the record of the job. The result is a problem if a number is malformed or missing.
    fn record(mut self, accounting: &mut Accounting) -> Result<Record, Problem> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let numbers = self.numbers;
        let number = |key: Key| numbers[key as usize];
        let Some(id) = number(Key::JobId).get() else {
            return Err(Problem::value("job_id", b"", "the number of the job, as sacct --json writes it"));
        };
        if number(Key::Submission).value.is_none() {
            let expected = format!("the time at which job {id} was submitted, as sacct --json writes it");
            return Err(Problem::value("time.submission", b"", &expected));
        }
        for (resources, by_type) in [&mut self.allocated, &mut self.requested].into_iter().zip(self.by_type) {
            let is_told = *resources != Resources::default() || by_type > 0;
            resources.gpus = resources.gpus.or(is_told.then_some(by_type));
        }
        let nodes = number(Key::AllocationNodes).get().filter(|&nodes| nodes > 0);
        let own = Resources { nodes, cpus: None, gpus: None };
        let asked = Resources { cpus: number(Key::Cpus).get(), ..Resources::default() };
        let [user, account, partition, qos, list] = &self.texts;
        let job = SlurmJob {
            number: id,
            submit_s: number(Key::Submission).instant(),
            eligible_s: number(Key::Eligible).instant(),
            start_s: number(Key::Start).instant(),
            end_s: number(Key::End).instant(),
            elapsed_s: number(Key::Elapsed).get(),
            limit_s: number(Key::Limit).get().map(|minutes| minutes.saturating_mul(60)),
            state: &self.state,
            allocated: own.or(self.allocated),
            requested: asked.or(self.requested),
            user,
            account,
            partition,
            qos,
            nodes: self.has_nodes.then_some(list),
        };
        Ok(accounting.record(&job))
    }
}

/// The parser of one text.
struct SlurmJson {
    accounting: Accounting,
    text: JsonText,
    document: Document,
}

impl LineParser for SlurmJson {
    fn separator(&self) -> u8 {
        b'}'
    }

    fn has_semicolons(&self) -> bool {
        true
    }

    /// Reads the text up to the next `}`. Jobs are objects, so that at most one ends here.
    fn parse(&mut self, piece: &[u8]) -> Result<Parsed, Problem> {
        let document = &mut self.document;
        let pushed = self.text.push(piece, &mut |event| document.take(event));
        pushed.map_err(|problem| Problem::Heading(format!("the JSON text is malformed: {problem}")))?;
        if let Some(other) = document.other {
            return Err(Problem::Heading(format!("the JSON text is {other}")));
        }
        if !std::mem::take(&mut document.is_over) {
            return Ok(Parsed::Part);
        }
        let job = std::mem::take(&mut document.job);
        Ok(Parsed::Record(job.record(&mut self.accounting)?, 0))
    }

    fn finish(&mut self) -> Result<Option<Record>, Problem> {
        if !self.text.is_whole() {
            return Err(Problem::Heading("the JSON text ends early; get the file again".to_owned()));
        }
        if !self.document.has_jobs {
            return Err(Problem::Heading(
                "the JSON text has no list 'jobs'; expected the output of sacct --json, or a table as CSV, Parquet or Arrow"
                    .to_owned(),
            ));
        }
        Ok(None)
    }

    fn forget_nodes(&mut self) {
        self.accounting.forget_nodes();
    }

    fn names(&self) -> Option<&Names> {
        Some(self.accounting.names())
    }

    fn facts(&mut self) -> Facts {
        self.accounting.facts()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use serde_json::{Value, json};

    use super::*;
    use crate::trace::names::NameKind;
    use crate::trace::{LogSummary, ReadOptions, TraceError, read};

    /// A number as the versions of the data parser write it: plain, or as an object of three members.
    fn number(version: u32, value: i64) -> Value {
        if version < 40 { json!(value) } else { json!({"set": true, "infinite": false, "number": value}) }
    }

    /// A job as version `version` of the data parser writes it.
    fn job(version: u32, state: &str) -> Value {
        let state = if version < 40 { json!(state) } else { json!([state, "REQUEUED"]) };
        let count =
            |kind: &str, name: &str, count: i64| json!({"type": kind, "name": name, "id": 1, "count": count});
        json!({
            "job_id": 12,
            "account": "physics",
            "user": "anna",
            "partition": "batch",
            "qos": "normal",
            "nodes": "n[1-2]",
            "allocation_nodes": 2,
            "association": {"user": "bert", "nodes": "x", "job_id": 99},
            "array": {"job_id": 10, "task_id": number(version, 3)},
            "required": {"CPUs": 6, "memory_per_node": number(version, 7)},
            "state": {"current": state, "reason": "None"},
            "steps": [{"time": {"start": number(version, 1)}, "nodes": {"count": 9}, "tres": {"allocated": [count("node", "", 9)]}}],
            "time": {
                "elapsed": 95, "eligible": 1_714_557_600, "start": 1_714_557_660, "end": 1_714_557_760,
                "submission": 1_714_557_600, "limit": number(version, 60), "system": {"seconds": 5},
            },
            "tres": {
                "allocated": [count("cpu", "", 8), count("node", "", 2), count("gres", "gpu", 4), count("gres", "gpu:a100", 4)],
                "requested": [count("cpu", "", 6), count("node", "", 2), count("gres", "gpu:a100", 3)],
            },
        })
    }

    fn read_text(text: &str, format: &str, lenient: bool) -> Result<(Vec<Record>, LogSummary), TraceError> {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(text.as_bytes()).expect("written");
        let format = Some(format.parse().expect("a spec"));
        let options = ReadOptions { lenient, format, ..ReadOptions::default() };
        let mut records = Vec::new();
        let summary = read(file.path(), options, |record| records.push(*record))?;
        Ok((records, summary))
    }

    #[test]
    fn every_version_gives_the_same_jobs_on_many_lines_and_on_one() -> Result<(), TraceError> {
        let expected = Record {
            job: 12,
            submit_s: 1_714_557_600,
            wait_s: 60,
            run_s: 100,
            allocated_procs: 2,
            requested_procs: 2,
            requested_time_s: 3600,
            status: 0,
            user: 1,
            group: 1,
            queue: 1,
            partition: 1,
            nodes: Some(1),
            ..Record::UNKNOWN
        };
        for version in [38, 40] {
            let text = json!({"meta": {"plugin": {"jobs": []}}, "errors": [], "jobs": [job(version, "TIMEOUT"), job(version, "FAILED")]});
            for text in [text.to_string(), serde_json::to_string_pretty(&text).expect("text") + "\n"] {
                for (format, size) in [("auto", 2), ("slurm-json:unit=cpus", 8), ("slurm-json:unit=gpus", 4)]
                {
                    let (records, summary) = read_text(&text, format, false)?;
                    let requested =
                        [(2, 2), (8, 6), (4, 3)].iter().find(|(of, _)| *of == size).map_or(0, |pair| pair.1);
                    let expected = Record { allocated_procs: size, requested_procs: requested, ..expected };
                    assert_eq!(records, [expected, expected], "{version} {format}");
                    assert_eq!(summary.lines, text.lines().count() as u64);
                    assert_eq!(summary.facts.names.name(NameKind::Nodes, 1).as_deref(), Some("n[1-2]"));
                }
            }
        }
        Ok(())
    }

    #[test]
    fn gpus_of_types_beyond_64_bits_are_clamped() -> Result<(), TraceError> {
        let mut huge = job(40, "COMPLETED");
        let of = |name: &str| json!({"type": "gres", "name": name, "id": 1, "count": i64::MAX - 1});
        huge["tres"]["allocated"] = json!([of("gpu:a"), of("gpu:b"), of("gpu:c")]);
        let (records, _) = read_text(&json!({"jobs": [huge]}).to_string(), "slurm-json:unit=gpus", false)?;
        assert_eq!(records[0].allocated_procs, i64::MAX);
        Ok(())
    }

    #[test]
    fn numbers_that_are_not_set_are_unknown() -> Result<(), TraceError> {
        let mut waits = job(40, "PENDING");
        waits["time"]["start"] = json!({"set": false, "infinite": false, "number": 0});
        waits["time"]["end"] = json!(0);
        waits["time"]["limit"] = json!({"number": 0, "infinite": true, "set": false});
        waits["nodes"] = json!("None assigned");
        let (records, summary) = read_text(&json!({"jobs": [waits]}).to_string(), "auto", false)?;
        assert_eq!((records[0].run_s, records[0].wait_s, records[0].requested_time_s), (-1, -1, -1));
        assert_eq!(summary.facts.counts, [("jobs that were still waiting", 1)]);
        let mut endless = job(38, "COMPLETED");
        endless["time"]["limit"] = json!(0xffff_ffff_u32);
        endless["state"]["current"] = json!(["COMPLETED"]);
        let (records, _) = read_text(&json!({"jobs": [endless]}).to_string(), "auto", false)?;
        assert_eq!((records[0].requested_time_s, records[0].status), (-1, 1));
        Ok(())
    }

    #[test]
    fn wrong_jobs_are_skipped_leniently_and_wrong_texts_are_refused() {
        let mut bad = job(40, "FAILED");
        bad["time"]["start"] = json!("noon");
        let mut late = job(40, "FAILED");
        late["time"]["submission"] = Value::Null;
        let text = serde_json::to_string_pretty(
            &json!({"jobs": [job(40, "FAILED"), bad, late, {}, job(40, "FAILED")]}),
        );
        let text = text.expect("text");
        let message = read_text(&text, "auto", false).expect_err("strict").to_string();
        assert!(
            message.contains(": time.start: found 'noon', expected a whole number; --lenient skips"),
            "{message}"
        );
        let (records, summary) = read_text(&text, "auto", true).expect("lenient");
        assert_eq!((records.len(), summary.irregularities.skipped()), (2, 3));
        for (text, problem) in [
            (
                "{\"jobs\": [{\"job_id\": 1}]}",
                "time.submission: found '', expected the time at which job 1 was submitted",
            ),
            ("{\"jobs\": [{}]}", "job_id: found '', expected the number of the job"),
            ("{\"jobs\": [", "the JSON text ends early; get the file again"),
            ("{\"meta\": {}}\n", "the JSON text has no list 'jobs'; expected the output of sacct --json"),
            ("{\"jobs\" [", "the JSON text is malformed: a colon after a key was expected"),
            ("{\"jobs\": {]}", "the JSON text is malformed: a key in quotes was expected"),
        ] {
            let message = read_text(text, "auto", false).expect_err(text).to_string();
            assert!(message.contains(problem), "{message}");
        }
    }

    #[test]
    fn a_long_line_is_no_trouble() -> Result<(), TraceError> {
        let jobs = vec![job(40, "COMPLETED"); 3000];
        let text = json!({"jobs": jobs}).to_string();
        assert!(text.len() > 2 << 20 && !text.contains('\n'));
        let (records, summary) = read_text(&text, "auto", false)?;
        assert_eq!((records.len(), summary.lines, summary.format.name), (3000, 1, "slurm-json"));
        Ok(())
    }
}
