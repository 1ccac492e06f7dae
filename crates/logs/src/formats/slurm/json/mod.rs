//! The output of `sacct --json`, whichever version of Slurm's data parser wrote it.
//!
//! Versions differ in three ways. Numbers are plain, or objects `{"set": true, "infinite": false, "number": 5}`. States
//! are a word, or a list of words. Some members are missing. The text is read as a stream, cut behind each `}`, so that
//! memory holds one job, and it does not matter whether the text has many lines or one.

mod members;
mod text;

use self::members::{KEYS, Key, Number, other_text};
use self::text::{Event, JsonText};
use super::job::{Accounting, SlurmJob};
use super::tres::Resources;
use crate::error::Problem;
use crate::facts::Facts;
use crate::formats::format::{Format, LineParser, Parsed};
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
                self.other = self.other.or_else(|| other_text(self.path.len(), key));
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
mod tests;
