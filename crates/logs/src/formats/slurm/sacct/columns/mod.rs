//! Finds the columns of a dump of `sacct` by its heading.

use std::cell::Cell;
use std::ops::Range;

use crate::error::Problem;
use crate::fields::words;
use crate::unit::Unit;

/// A column that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    JobId,
    JobIdRaw,
    Submit,
    Eligible,
    Start,
    End,
    State,
    AllocCpus,
    ReqCpus,
    Nodes,
    ReqNodes,
    AllocTres,
    ReqTres,
    Limit,
    LimitRaw,
    Elapsed,
    ElapsedRaw,
    User,
    Account,
    Partition,
    Qos,
    NodeList,
    Cluster,
    Reason,
}

/// The number of columns that are read.
pub(super) const COLUMNS: usize = Column::Reason as usize + 1;

/// Column names in headings. Later names are fallbacks, used by older versions.
const NAMES: &[(&str, Column)] = &[
    ("JobID", Column::JobId),
    ("JobIDRaw", Column::JobIdRaw),
    ("Submit", Column::Submit),
    ("Eligible", Column::Eligible),
    ("Start", Column::Start),
    ("End", Column::End),
    ("State", Column::State),
    ("AllocCPUS", Column::AllocCpus),
    ("NCPUS", Column::AllocCpus),
    ("ReqCPUS", Column::ReqCpus),
    ("NNodes", Column::Nodes),
    ("AllocNodes", Column::Nodes),
    ("ReqNodes", Column::ReqNodes),
    ("AllocTRES", Column::AllocTres),
    ("ReqTRES", Column::ReqTres),
    ("Timelimit", Column::Limit),
    ("TimelimitRaw", Column::LimitRaw),
    ("Elapsed", Column::Elapsed),
    ("ElapsedRaw", Column::ElapsedRaw),
    ("User", Column::User),
    ("UID", Column::User),
    ("Account", Column::Account),
    ("Group", Column::Account),
    ("Partition", Column::Partition),
    ("QOS", Column::Qos),
    ("QOSRAW", Column::Qos),
    ("NodeList", Column::NodeList),
    ("Cluster", Column::Cluster),
    ("Reason", Column::Reason),
];

/// Meaning of the columns, for the docs. Names of one row are alternatives, the preferred one first.
pub(super) const READS: &[(&str, &str)] = &[
    (
        "JobIDRaw, JobID",
        "job number; lines of steps (123.batch) are left out. Without JobIDRaw, task 4 of array 123 is \
             123000004, and so is part 4 of a heterogeneous job",
    ),
    ("Submit", "submit time with arrival=submit, or without Eligible"),
    ("Eligible", "submit time, unless arrival=submit"),
    ("Start", "start: the wait time is that from the submission"),
    ("End", "end: the run time is that from the start, also while the job is suspended"),
    ("ElapsedRaw, Elapsed", "run time if the start or the end is unknown"),
    ("State", "status: 1 completed, 5 cancelled or revoked, 0 ended in another way, −1 has not ended"),
    ("NNodes, AllocNodes", "processors with unit=nodes"),
    ("AllocCPUS, NCPUS", "processors with unit=cpus"),
    ("AllocTRES", "processors with unit=gpus, and where the columns above are missing"),
    ("ReqNodes, ReqCPUS", "requested processors"),
    ("ReqTRES", "requested processors where the columns above are missing"),
    ("TimelimitRaw, Timelimit", "requested time; a number counts minutes"),
    ("User, UID", "user, as a number"),
    ("Account, Group", "group, as a number"),
    ("QOS, QOSRAW", "queue, as a number"),
    ("Partition", "partition, as a number"),
    ("Cluster", "cluster: a log of several needs --cluster; partition with of-cluster=each"),
    ("NodeList", "list of nodes; also the number of nodes if no other column has it"),
    ("Reason", "last reason to wait other than priority and resources, for the causes of waiting"),
];

/// Columns of text that users choose, or that has `|` for other reasons, such as `intel|amd` of Constraints.
const FREE_TEXTS: [&str; 14] = [
    "JobName",
    "Comment",
    "AdminComment",
    "SystemComment",
    "SubmitLine",
    "WorkDir",
    "Reason",
    "Extra",
    "WCKey",
    "Constraints",
    "Container",
    "StdErr",
    "StdIn",
    "StdOut",
];

/// The other fields that `sacct --helpformat` names, of Slurm 17 to 25.
const UNREAD: &str = "AllocGRES AssocID AveCPU AveCPUFreq AveDiskRead AveDiskWrite AvePages AveRSS AveVMSize \
     BlockID ConsumedEnergy ConsumedEnergyRaw CPUTime CPUTimeRAW DBIndex DerivedExitCode ExitCode \
     FailedNode Flags GID Layout Licenses MaxDiskRead MaxDiskReadNode MaxDiskReadTask MaxDiskWrite \
     MaxDiskWriteNode MaxDiskWriteTask MaxPages MaxPagesNode MaxPagesTask MaxRSS MaxRSSNode MaxRSSTask \
     MaxVMSize MaxVMSizeNode MaxVMSizeTask McsLabel MinCPU MinCPUNode MinCPUTask NTasks Planned PlannedCPU \
     PlannedCPURAW Priority QOSREQ ReqCPUFreq ReqCPUFreqGov ReqCPUFreqMax ReqCPUFreqMin ReqGRES ReqMem \
     ReqReservation Reservation ReservationId Reserved Restarts ResvCPU ResvCPURAW SegmentSize SLUID \
     Suspended SystemCPU TotalCPU TRESUsageInAve TRESUsageInMax TRESUsageInMaxNode TRESUsageInMaxTask \
     TRESUsageInMin TRESUsageInMinNode TRESUsageInMinTask TRESUsageInTot TRESUsageOutAve TRESUsageOutMax \
     TRESUsageOutMaxNode TRESUsageOutMaxTask TRESUsageOutMin TRESUsageOutMinNode TRESUsageOutMinTask \
     TRESUsageOutTot UserCPU WCKeyID";

/// The command whose output is read best, for messages.
pub(super) const COMMAND: &str = "sacct -a -P -o \
     JobIDRaw,Submit,Eligible,Start,End,State,NNodes,AllocCPUS,AllocTRES,ReqTRES,TimelimitRaw,User,Account,\
     Partition,QOS,Reason,NodeList";

/// What separates the fields of a dump if nothing else is asked for.
pub(super) const BAR: u8 = b'|';

/// What may separate them in place of bars.
const OTHERS: [u8; 3] = [b'\t', b';', b','];

/// What separates the fields of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// Bars, without quotes.
    Bar,
    /// One of [`OTHERS`], with optional double quotes around fields.
    Quoted(u8),
    /// Any other text, such as `^|^`, without quotes.
    Text(Vec<u8>),
    /// Nothing, as columns have fixed widths: the place of each, which the line of dashes below the heading
    /// gives. Empty before that line.
    Widths(Vec<Range<usize>>),
}

impl Separator {
    /// Returns the separator of a heading; `None` if the line is none. Bars need the number of a job and the
    /// time of its submission. Without bars it must be a heading of Slurm to the letter, with all that is
    /// needed and nothing that `sacct` does not print, as tables of other programs look alike.
    fn from_heading(line: &[u8]) -> Option<Self> {
        if memchr::memchr(BAR, line).is_some() && Self::Bar.has_number_and_submission(line) {
            return Some(Self::Bar);
        }
        if let Some(quoted) = Self::quoted(line) {
            return is_whole(&quoted.names(line)).then_some(quoted);
        }
        if let Some(text) = text_between_names(line) {
            return Some(Self::Text(text));
        }
        let is_padded = line.first().is_some_and(|&byte| byte == b' ') || line.ends_with(b" ");
        let names: Vec<&[u8]> = words(line).collect();
        (is_padded && is_of_sacct(&names)).then(|| Self::Widths(Vec::new()))
    }

    /// Returns the separator among [`OTHERS`] that splits a heading into known names, if any.
    fn quoted(line: &[u8]) -> Option<Self> {
        OTHERS.map(Self::Quoted).into_iter().find(|separator| separator.has_number_and_submission(line))
    }

    /// Returns whether a heading has the number of a job and the time of its submission, if this separates
    /// its fields.
    fn has_number_and_submission(&self, line: &[u8]) -> bool {
        let names = self.names(line);
        let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted.as_bytes()));
        (has("JobID") || has("JobIDRaw")) && has("Submit")
    }

    /// Splits a line at each separator. Columns of fixed widths are words as long as their places are
    /// unknown.
    pub(super) fn split<'a>(&self, line: &'a [u8]) -> Vec<&'a [u8]> {
        match self {
            Self::Bar => line.split(|&byte| byte == BAR).collect(),
            Self::Quoted(separator) => line.split(|byte| byte == separator).collect(),
            Self::Text(text) => split_at(line, text),
            Self::Widths(places) if places.is_empty() => words(line).collect(),
            Self::Widths(places) => places.iter().map(|place| cut(line, place)).collect(),
        }
    }

    /// Returns the names of a heading, without blanks and quotes around them.
    fn names<'a>(&self, line: &'a [u8]) -> Vec<&'a [u8]> {
        let unquoted = |name: &'a [u8]| name.strip_prefix(b"\"")?.strip_suffix(b"\"");
        let names = self.split(line).into_iter().map(<[u8]>::trim_ascii);
        names.map(|name| unquoted(name).unwrap_or(name)).collect()
    }

    /// Returns whether a line ends with the separator.
    fn ends(&self, line: &[u8]) -> bool {
        // A tab may be the separator.
        let end = line.iter().rposition(|byte| !matches!(byte, b' ' | b'\r')).map_or(0, |last| last + 1);
        match self {
            Self::Bar => line[..end].ends_with(&[BAR]),
            Self::Quoted(byte) => line[..end].ends_with(&[*byte]),
            Self::Text(text) => line[..end].ends_with(text),
            Self::Widths(_) => false,
        }
    }
}

/// A parsed heading: the place of each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// What separates the fields.
    pub(super) separator: Separator,
    /// For each field of a line the column that it is; `None` if the field is not read.
    pub(super) columns: Vec<Option<Column>>,
    /// The number of the field of each column, from 1; 0 if the dump does not have it.
    pub(super) fields: [usize; COLUMNS],
    /// The indices of the fields that may hold the separator or line ends.
    pub(super) free: Vec<usize>,
    /// True if lines end with a separator, as `sacct -p` writes them, by the heading or the first conclusive
    /// line; `None` until then.
    pub(super) closes: Cell<Option<bool>>,
    /// Whether a field that stands without quotes has no separators, unless it is text that users choose.
    /// Lists of nodes and resources have commas.
    pub(super) is_certain: bool,
}

/// What the names of fields hold whose values are lists with commas.
const LISTS: [&[u8]; 5] = [b"NodeList", b"TRES", b"QOSREQ", b"Flags", b"Licenses"];

/// Returns whether a line is the heading of a dump.
pub(super) fn is_heading(line: &[u8]) -> bool {
    Separator::from_heading(line).is_some()
}

/// Returns whether the names of a heading are all of Slurm and have what is needed.
fn is_whole(names: &[&[u8]]) -> bool {
    is_of_sacct(names) && Heading::from_names(Separator::Bar, names).check(Unit::Nodes).is_ok()
}

/// Returns whether the names of a heading are all of Slurm, and among them are the number, the submission and
/// the state of a job.
fn is_of_sacct(names: &[&[u8]]) -> bool {
    let has = |wanted: &str| names.contains(&wanted.as_bytes());
    (has("JobID") || has("JobIDRaw"))
        && has("Submit")
        && has("State")
        && names.iter().all(|name| name.is_empty() || is_known(name))
}

/// Returns whether `sacct` prints a column of this name.
fn is_known(name: &[u8]) -> bool {
    known_names().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Returns the names of all columns that `sacct` prints.
fn known_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name).chain(FREE_TEXTS).chain(UNREAD.split(' '))
}

/// Returns the text between all names of a heading, such as `^|^`, if any.
fn text_between_names(line: &[u8]) -> Option<Vec<u8>> {
    /// The greatest length of a separator in bytes.
    const LONGEST: usize = 16;
    let line = line.trim_ascii();
    let prefix = |text: &[u8]| {
        let begins = |name: &&str| {
            text.get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name.as_bytes()))
        };
        known_names().filter(begins).map(str::len).max()
    };
    let rest = &line[prefix(line)?..];
    (1..=LONGEST.min(rest.len())).map(|length| rest.split_at(length)).find_map(|(text, after)| {
        let is_blank = text.iter().all(u8::is_ascii_whitespace) || text.contains(&b'"');
        if is_blank || prefix(after).is_none() {
            return None;
        }
        let names = split_at(line, text);
        is_of_sacct(&names).then(|| text.to_vec())
    })
}

/// Splits a line at each occurrence of `text`.
pub(super) fn split_at<'a>(line: &'a [u8], text: &[u8]) -> Vec<&'a [u8]> {
    let (mut fields, mut start) = (Vec::new(), 0);
    for at in memchr::memmem::find_iter(line, text) {
        fields.push(&line[start..at]);
        start = at + text.len();
    }
    fields.push(&line[start..]);
    fields
}

/// Returns the text in a range of a line, trimmed.
fn cut<'a>(line: &'a [u8], place: &Range<usize>) -> &'a [u8] {
    line.get(place.start.min(line.len())..place.end.min(line.len())).unwrap_or_default().trim_ascii()
}

impl Heading {
    /// Reads a heading. Fails if the columns lack submit times, end times or the number of `unit`; the
    /// problem names a command that gives them.
    pub(super) fn parse(line: &[u8], unit: Unit) -> Result<Self, Problem> {
        let separator =
            Separator::from_heading(line).or_else(|| Separator::quoted(line)).unwrap_or(Separator::Bar);
        let names = separator.names(line);
        // `sacct -p` ends each line with a bar, so that the last name is empty.
        let closes = names.len() > 1 && separator.ends(line);
        let names = if closes { &names[..names.len() - 1] } else { &names[..] };
        let heading = Self::from_names(separator, names);
        heading.closes.set(closes.then_some(true));
        heading.check(unit)?;
        Ok(heading)
    }

    /// Returns the heading of these names.
    fn from_names(separator: Separator, names: &[&[u8]]) -> Self {
        let (mut columns, mut fields, mut ranks) = (Vec::new(), [0_usize; COLUMNS], [usize::MAX; COLUMNS]);
        let mut free = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let known = NAMES.iter().position(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
            columns.push(None);
            if let Some(rank) = known {
                let column = NAMES[rank].1;
                // Of two names of one column, the first in the table wins.
                if rank < ranks[column as usize] {
                    if let Some(worse) = fields[column as usize].checked_sub(1) {
                        columns[worse] = None;
                    }
                    (fields[column as usize], ranks[column as usize]) = (at + 1, rank);
                    columns[at] = Some(column);
                }
            }
            if FREE_TEXTS.iter().any(|text| name.eq_ignore_ascii_case(text.as_bytes())) {
                free.push(at);
            }
        }
        // After a list with commas, field borders are ambiguous.
        let is_list = |name: &&[u8]| {
            let holds = |list: &&[u8]| name.windows(list.len()).any(|part| part.eq_ignore_ascii_case(list));
            LISTS.iter().any(holds)
        };
        let is_certain = separator != Separator::Quoted(b',') || !names.iter().any(is_list);
        let free = if is_certain { free } else { Vec::new() };
        Self { separator, columns, fields, free, closes: Cell::default(), is_certain }
    }

    /// Returns whether the last field is text that users choose, so that its line ends belong to it.
    pub(super) fn ends_free(&self) -> bool {
        self.free.last().is_some_and(|&last| last + 1 == self.columns.len())
    }

    /// Returns the number of fields of a line with `found` pieces, the last of them empty if `is_empty`. A
    /// final separator either precedes an empty field or ends the line.
    pub(super) fn without_end(&self, found: usize, is_empty: bool) -> usize {
        let expected = self.columns.len();
        let is_over = found > expected && is_empty;
        if self.closes.get().is_none() && self.is_certain {
            self.closes.set(match found {
                _ if found == expected => Some(false),
                _ if found == expected + 1 && is_empty => Some(true),
                _ => None,
            });
        }
        // Without a text that can have it, a separator that is one too many can only end the line.
        let is_end = self.closes.get() == Some(true)
            || self.is_certain && self.free.is_empty() && found == expected + 1;
        found - usize::from(is_over && is_end)
    }

    /// Returns whether the dump has one of these columns.
    pub(super) fn has(&self, columns: &[Column]) -> bool {
        columns.iter().any(|&column| self.fields[column as usize] > 0)
    }

    /// Fails if a required column is missing.
    fn check(&self, unit: Unit) -> Result<(), Problem> {
        use Column::{
            AllocCpus, AllocTres, Elapsed, ElapsedRaw, End, JobId, JobIdRaw, NodeList, Nodes, ReqCpus,
            ReqTres, Start, Submit,
        };
        let sizes: (&[Column], &str) = match unit {
            Unit::Nodes => (&[Nodes, AllocTres, NodeList], "NNodes"),
            Unit::Cpus => (&[AllocCpus, ReqCpus, AllocTres, ReqTres], "AllocCPUS"),
            Unit::Gpus => (&[AllocTres, ReqTres], "AllocTRES"),
        };
        let ends: &[Column] = &[End, Elapsed, ElapsedRaw];
        let needed = [
            (&[JobId, JobIdRaw][..], "JobID"),
            (&[Submit], "Submit"),
            (&[Start, End], "Start"),
            (ends, "End"),
            sizes,
        ];
        match needed.into_iter().find(|(columns, _)| !self.has(columns)) {
            Some((_, name)) => Err(Problem::Heading(format!(
                "the heading has no {name}; this one has all that is read: {COMMAND}"
            ))),
            None => Ok(()),
        }
    }
}

pub(super) fn name_of(column: Column) -> &'static str {
    NAMES.iter().find(|(_, named)| *named == column).map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests;
