//! The output of `sacct --json`, whichever version of Slurm's data parser wrote it.
//!
//! Versions differ in three ways. Numbers are plain, or objects `{"set": true, "infinite": false, "number":
//! 5}`. States are a word, or a list of words. Some members are missing. The text is read as a stream, cut
//! behind each `}`, so that memory holds one job, and it does not matter whether the text has many lines or
//! one.

use super::job::{Accounting, SlurmJob};
use super::tres::Resources;
use crate::error::Problem;
use crate::facts::Facts;
use crate::fields::parsed;
use crate::formats::format::{Format, LineParser, Parsed};
use crate::formats::json_text::{Event, JsonText};
use crate::names::Names;
use crate::record::Record;

/// The row of this format.
pub(in crate::formats) const FORMAT: Format = Format {
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
    parser: |spec| {
        let accounting = Accounting::from_spec(spec)?;
        Ok(Box::new(SlurmJson { accounting, text: JsonText::new(), document: Document::default() }))
    },
    ..Format::UNNAMED
};

/// What is read of a job, and what it becomes.
const READS: &[(&str, &str)] = &[
    ("job_id", "job number"),
    ("time.submission", "submit time with arrival=submit, or without time.eligible"),
    ("time.eligible", "submit time, unless arrival=submit"),
    ("time.start", "start: the wait time is that from the submission"),
    ("time.end", "end: the run time is that from the start"),
    ("time.elapsed", "run time if the start or the end is unknown"),
    ("time.limit", "requested time, in minutes"),
    ("state.current", "status: 1 completed, 5 cancelled, 0 ended in another way, −1 has not ended"),
    ("state.reason", "last reason to wait other than priority and resources, for the causes of waiting"),
    ("allocation_nodes, tres.allocated", "processors, by the unit"),
    ("required.CPUs, tres.requested", "requested processors, by the unit"),
    ("user, account, qos, partition", "user, group, queue and partition, as numbers"),
    ("cluster", "cluster: a log of several needs --cluster; partition with of-cluster=each"),
    ("nodes", "list of nodes"),
];

/// What was read of the job that is being read.
#[derive(Default)]
struct Job {
    /// The numbers of [`NUMBERS`] and the texts of [`TEXTS`].
    numbers: [Number; NUMBERS.len()],
    texts: [Option<Vec<u8>>; TEXTS.len()],
    /// What the job got and what it asked for, and the sums of GPUs by type in both.
    resources: [Resources; 2],
    by_type: [i64; 2],
    problem: Option<Problem>,
}

/// An object or a list that is open.
struct Container {
    /// The length of its path.
    length: usize,
    is_list: bool,
}

/// The path of a job, and of all that it has.
const JOB: &[u8] = b"jobs.*";
const IN_JOB: &[u8] = b"jobs.*.";

/// Where the text is, and what was read of the job there.
#[derive(Default)]
struct Document {
    /// What is open, from the whole text on.
    open: Vec<Container>,
    /// The keys that lead to the member that was read last, with points between them.
    path: Vec<u8>,
    /// The number of open brackets within a member that is not read; 0 outside of such a member.
    ignored: usize,
    has_jobs: bool,
    job: Job,
    /// Whether the job is complete.
    is_over: bool,
    /// Description of a foreign text, found by a member that `sacct` never writes.
    other: Option<&'static str>,
}

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
        if self.open.last().is_some_and(|open| open.is_list) {
            self.begin(b"*");
        }
        match event {
            Event::Key(key) => {
                // Points separate keys, and a star is an entry of a list. No key that is read has any.
                self.begin(if key.contains(&b'.') || key == b"*" { b"" } else { key });
                self.other = self.other.or_else(|| other_text(self.open.len(), key));
            }
            Event::Object | Event::List if !self.is_read() => self.ignored = 1,
            Event::Object | Event::List => {
                self.has_jobs |= self.path == b"jobs";
                self.open.push(Container { length: self.path.len(), is_list: event == Event::List });
            }
            Event::End => self.end(),
            Event::Text(text) => self.text(text),
            Event::Plain(text) => self.number(text),
        }
    }

    /// Begins a member of what is open.
    fn begin(&mut self, key: &[u8]) {
        self.path.truncate(self.open.last().map_or(0, |open| open.length));
        if !self.path.is_empty() {
            self.path.push(b'.');
        }
        self.path.extend_from_slice(key);
    }

    /// Returns whether an object or a list that begins is read: the text, its list of jobs, and what stands
    /// in known members of jobs.
    fn is_read(&self) -> bool {
        match self.path.strip_prefix(IN_JOB) {
            Some(member) => is_read(member),
            None => self.open.is_empty() || self.path == b"jobs" || self.path == JOB,
        }
    }

    /// Ends an object or a list.
    fn end(&mut self) {
        self.path.truncate(self.open.pop().map_or(0, |open| open.length));
        self.is_over |= self.path == JOB;
        if let Some(list) = self.path.strip_prefix(IN_JOB).and_then(|path| place(&RESOURCES, path)) {
            self.job.end_resource(list);
        }
    }

    /// Takes a string.
    fn text(&mut self, text: &[u8]) {
        let Some(member) = self.path.strip_prefix(IN_JOB) else { return };
        let is_state = member.starts_with(b"state.current");
        let place = place(&TEXTS, if member == b"state.current" { b"state.current.*" } else { member });
        let Some(place) = place else { return self.number(text) };
        let kept = self.job.texts[place].get_or_insert_default();
        // Of a list of states the first one counts.
        if !is_state || kept.is_empty() {
            kept.clear();
            kept.extend_from_slice(text);
        }
    }

    /// Takes a number or a word, or a string where a number should be.
    fn number(&mut self, text: &[u8]) {
        let Some(member) = self.path.strip_prefix(IN_JOB) else { return };
        // A number is the value of its member, or the member `number` of it.
        let parts = [&b".number"[..], b".set", b".infinite"];
        let owner = parts.into_iter().find_map(|part| Some((member.strip_suffix(part)?, part)));
        let (owner, part) = owner.unwrap_or((member, parts[0]));
        let Some(place) = place(&NUMBERS, owner).filter(|_| text != b"null") else { return };
        let number = &mut self.job.numbers[place];
        match (part, text) {
            (b".set", b"false") | (b".infinite", b"true") => number.is_void = true,
            (b".number", _) => {
                number.value = parsed(text);
                if number.value.is_none() && self.job.problem.is_none() {
                    let name = if owner.starts_with(b"tres.") { "tres" } else { NUMBERS[place] };
                    self.job.problem = Some(Problem::value(name, text, "a whole number"));
                }
            }
            _ => {}
        }
    }
}

impl Job {
    /// Returns the number of a member.
    fn number(&self, member: &str) -> Number {
        place(&NUMBERS, member.as_bytes()).map_or(Number::default(), |place| self.numbers[place])
    }

    /// Returns the text of a member; `None` if the job does not have it.
    fn text(&self, member: &str) -> Option<&[u8]> {
        self.texts[place(&TEXTS, member.as_bytes())?].as_deref()
    }

    /// Stores the resource just read in a list of [`RESOURCES`].
    fn end_resource(&mut self, list: usize) {
        let count = std::mem::take(&mut self.numbers[COUNTS + list]).get();
        let [kind, name] = [0, 1].map(|part| self.texts[KINDS + 2 * list + part].take().unwrap_or_default());
        let resources = &mut self.resources[list];
        match (kind.as_slice(), name.as_slice()) {
            (b"node", _) => resources.nodes = count,
            (b"cpu", _) => resources.cpus = count,
            (b"gres", b"gpu") => resources.gpus = count,
            (b"gres", name) if name.starts_with(b"gpu:") => {
                // Beyond 64 bits it is clamped, and larger than any machine anyway.
                self.by_type[list] = self.by_type[list].saturating_add(count.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Returns the record of the job; `None` if it is of a cluster that is not read. The result is a problem
    /// if a number is malformed or missing.
    fn record(mut self, accounting: &mut Accounting) -> Result<Option<Record>, Problem> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let Some(id) = self.number("job_id").get() else {
            return Err(Problem::value("job_id", b"", "the number of the job, as sacct --json writes it"));
        };
        if self.number("time.submission").value.is_none() {
            let expected = format!("the time at which job {id} was submitted, as sacct --json writes it");
            return Err(Problem::value("time.submission", b"", &expected));
        }
        for (resources, by_type) in self.resources.iter_mut().zip(self.by_type) {
            let is_told = *resources != Resources::default() || by_type > 0;
            resources.gpus = resources.gpus.or(is_told.then_some(by_type));
        }
        let [allocated, requested] = self.resources;
        let nodes = self.number("allocation_nodes").get().filter(|&nodes| nodes > 0);
        let own = Resources { nodes, cpus: None, gpus: None };
        let asked = Resources { cpus: self.number("required.CPUs").get(), ..Resources::default() };
        let text = |member: &str| self.text(member).unwrap_or_default();
        let job = SlurmJob {
            number: id,
            submit_s: self.number("time.submission").instant(),
            eligible_s: self.number("time.eligible").instant(),
            start_s: self.number("time.start").instant(),
            end_s: self.number("time.end").instant(),
            elapsed_s: self.number("time.elapsed").get(),
            limit_s: self.number("time.limit").get().map(|minutes| minutes.saturating_mul(60)),
            state: text("state.current.*"),
            allocated: own.or(allocated),
            requested: asked.or(requested),
            user: text("user"),
            account: text("account"),
            partition: text("partition"),
            qos: text("qos"),
            cluster: text("cluster"),
            reason: text("state.reason"),
            nodes: self.text("nodes"),
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
        let record = job.record(&mut self.accounting)?;
        Ok(record.map_or(Parsed::Part, |record| Parsed::Record(record, 0)))
    }

    fn finish(&mut self) -> Result<Option<Record>, Problem> {
        if !self.text.is_whole() {
            return Err(Problem::Heading("the JSON text ends early; get the file again".to_owned()));
        }
        if !self.document.has_jobs {
            return Err(Problem::Heading(
                "the JSON text has no list 'jobs'; expected the output of sacct --json, or a table as CSV, \
                     Parquet or Arrow"
                    .to_owned(),
            ));
        }
        self.accounting.clusters.finish("")?;
        Ok(None)
    }

    fn identity(&self) -> Option<u64> {
        Some(self.accounting.clusters.identity())
    }

    fn names(&mut self) -> Option<&mut Names> {
        Some(&mut self.accounting.names)
    }

    fn facts(&mut self) -> Facts {
        self.accounting.facts()
    }
}

/// The numbers of a job that are read, by the keys that lead to them; `*` stands for the entries of a list.
const NUMBERS: [&str; 11] = [
    "job_id",
    "time.submission",
    "time.eligible",
    "time.start",
    "time.end",
    "time.elapsed",
    "time.limit",
    "allocation_nodes",
    "required.CPUs",
    "tres.allocated.*.count",
    "tres.requested.*.count",
];

/// The texts of a job that are read, as [`NUMBERS`].
const TEXTS: [&str; 12] = [
    "user",
    "account",
    "partition",
    "qos",
    "nodes",
    "cluster",
    "state.current.*",
    "state.reason",
    "tres.allocated.*.type",
    "tres.allocated.*.name",
    "tres.requested.*.type",
    "tres.requested.*.name",
];

/// The entries of the lists of resources. In the same order, the last two of [`NUMBERS`] and the last four of
/// [`TEXTS`] are theirs.
const RESOURCES: [&str; 2] = ["tres.allocated.*", "tres.requested.*"];

/// The places of the numbers and the texts of resources.
const COUNTS: usize = NUMBERS.len() - 2;
const KINDS: usize = TEXTS.len() - 4;

/// Returns the place of a member in [`NUMBERS`] or [`TEXTS`]; `None` if it is not read.
fn place(members: &[&str], path: &[u8]) -> Option<usize> {
    members.iter().position(|member| member.as_bytes() == path)
}

/// Returns whether a member is read, or another one within it.
fn is_read(path: &[u8]) -> bool {
    let mut members = NUMBERS.iter().chain(&TEXTS).filter_map(|member| member.as_bytes().strip_prefix(path));
    members.any(|within| matches!(within, [] | [b'.', ..]))
}

/// A number, which may be an object of three members in any order.
#[derive(Clone, Copy, Debug, Default)]
struct Number {
    value: Option<i64>,
    /// True if the number is flagged as not set, or as infinite.
    is_void: bool,
}

/// Slurm's *no value*; the next number is *no limit*.
const NO_VALUE: i64 = 0xffff_fffe;

impl Number {
    /// Returns the number; `None` if it is missing.
    fn get(self) -> Option<i64> {
        self.value.filter(|&value| !self.is_void && value != NO_VALUE && value != NO_VALUE + 1)
    }

    /// Returns the number; `None` if it is missing or 0, as instants are that have not come.
    fn instant(self) -> Option<i64> {
        self.get().filter(|&value| value > 0)
    }
}

/// Members that `sacct --json` never writes: nesting depth, keys, and a description of the text that has
/// them.
const OTHERS: [(usize, &[&[u8]], &str); 3] = [
    (1, &[b"nb_res", b"profiles"], BATSIM),
    (3, &[b"subtime", b"profile"], BATSIM),
    (
        3,
        &[b"submit_time", b"job_state", b"node_count"],
        "the queue of Slurm (squeue or scontrol with --json), which has no jobs that ended long ago; get \
             sacct --json",
    ),
];

/// Description of a Batsim workload, with a remedy.
const BATSIM: &str = "a workload of Batsim, which has profiles instead of run times; replay the jobs that \
     Batsim wrote (out_jobs.csv)";

/// Identifies a text other than the output of `sacct --json` by a member's key and its nesting depth.
fn other_text(depth: usize, key: &[u8]) -> Option<&'static str> {
    OTHERS.iter().find(|(place, keys, _)| *place == depth && keys.contains(&key)).map(|(.., what)| *what)
}

#[cfg(test)]
mod tests;
