//! Converts a log to another format.
//! Also counts the processors that its jobs had in use at once when they really ran.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "submit times that count are at least 0 and at least the origin; numbers of names are positions \
         in a list plus 1"
)]

use super::rules::rule_set::{LeftOut, Reason, Rules};
use meshreplay_base::job::Job;
use meshreplay_logs::status::CANCELLED;
use meshreplay_logs::{
    Format, InUse, LogEntry, LogSummary, LogUnit, NameKind, NodeRuns, Reader, Record, SiteSize, TraceError,
    Writer, copy, quoted,
};

/// No job starts more than this many seconds before the submission of an earlier record, so usage up to then
/// is final. A log that violates this is counted without settling.
const SETTLED_S: i64 = 7 * 86_400;

/// Opens the log that is converted once more.
pub type Again<'a> = &'a dyn Fn() -> Result<Reader, TraceError>;

/// What a conversion has read and left out.
#[derive(Debug)]
pub struct Converted {
    /// The facts about the log that was read.
    pub summary: LogSummary,
    /// Counts of the records that were left out.
    pub left_out: LeftOut,
    /// Jobs with lists of nodes, which no format that can be written has.
    pub lists: u64,
}

/// Copies a log to `writer`, whose format is `to`.
///
/// If `to` is a format for the simulator of P. Walker, D. Bunde and V. Leung (2010), only the records that
/// they kept are copied, with the run times that they took. Estimates stay as recorded, even if they are
/// below the run time; that simulator raises them itself. If `to` is not the format of the log, a comment
/// names that format, provided that `to` has comments.
///
/// A log of a read-only format is read twice, through `again` the second time, since its header needs facts
/// known only at the end: the origin of submit times and its time zone, the size of the machine and, with
/// `keeps_names`, the names. Submit times since 1970 are shifted to the first submission. Without `again`,
/// memory holds the records. `unit` is what processors of the log are.
pub fn convert(
    reader: Reader,
    again: Option<Again<'_>>,
    unit: LogUnit,
    writer: &mut Writer,
    to: &'static Format,
    keeps_names: bool,
) -> Result<Converted, TraceError> {
    let from = reader.format();
    if from != to {
        writer.comment(b"; Version: 2.2")?;
        let note = format!("; Note: converted by meshreplay from a log of format {}", from.name);
        writer.comment(note.as_bytes())?;
    }
    let is_ruled = from != to && to.writing.is_some_and(|writing| writing.by_authors_rules);
    let (rules, mut left_out) = (Rules::default(), LeftOut::default());
    let mut choose = |record: &Record| {
        if !is_ruled {
            return Some(*record);
        }
        let accepted = rules.accept(record).map(|(_, run_s)| Record { run_s, ..*record });
        accepted.map_err(|reason| left_out.add(reason, 1)).ok()
    };
    if from.writing.is_some() {
        let summary = copy(reader, writer, None, choose)?;
        return Ok(Converted { summary, left_out, lists: 0 });
    }
    let mut surveyed = survey(reader, again.is_some(), again.is_none())?;
    if let (true, Some(again)) = (surveyed.is_late, again) {
        surveyed = survey(again()?, false, false)?;
    }
    let LogSurvey { summary, peak, lists, runs, records, .. } = surveyed;
    write_header(&summary, size(&summary, runs, unit, peak), keeps_names, writer)?;
    let origin_s = summary.origin_s();
    let mut write = |record: &Record| {
        let submit_s = if record.submit_s < 0 { record.submit_s } else { record.submit_s - origin_s };
        choose(&Record { submit_s, ..*record }).map_or(Ok(()), |chosen| writer.record(&chosen))
    };
    let Some(again) = again else {
        records.iter().try_for_each(write)?;
        return Ok(Converted { summary, left_out, lists });
    };
    let mut reader = again()?;
    reader.forget_nodes();
    while let Some(entry) = reader.next_entry()? {
        if let LogEntry::Record { record, .. } = entry {
            write(record)?;
        }
    }
    let path = summary.path.clone();
    if reader.finish()?.sha256 != summary.sha256 {
        return Err(TraceError::Changed(path));
    }
    Ok(Converted { summary, left_out, lists })
}

/// Facts about a whole log.
struct LogSurvey {
    summary: LogSummary,
    /// The greatest number of processors in use at once, or that of the largest job; `None` if no size is
    /// known.
    peak: Option<i64>,
    /// Whether that number is wrong, as a job started before a time that was counted.
    is_late: bool,
    /// The runs, from which the size of the machine follows.
    runs: NodeRuns,
    /// The number of jobs with lists of nodes.
    lists: u64,
    /// The records, if they are kept.
    records: Vec<Record>,
}

/// Reads a log to its end. If `settles`, runs that ended long ago are forgotten, so that memory does not grow
/// with the log.
fn survey(mut reader: Reader, settles: bool, keeps: bool) -> Result<LogSurvey, TraceError> {
    let (mut in_use, mut records, mut runs) = (InUse::default(), Vec::new(), NodeRuns::limited());
    let (mut largest, mut last_s, mut lists) = (None, 0, 0);
    while let Some(entry) = reader.next_entry()? {
        let LogEntry::Record { record, .. } = entry else { continue };
        runs.add_record(record);
        lists += u64::from(record.nodes.is_some());
        if let Some(procs) = record.procs() {
            largest = largest.max(Some(procs));
            if record.submit_s >= 0 && record.wait_s >= 0 && has_run(record) {
                if settles && record.submit_s > last_s {
                    last_s = record.submit_s;
                    in_use.settle(last_s - SETTLED_S);
                }
                let start_s = record.submit_s.saturating_add(record.wait_s);
                in_use.add(start_s, start_s.saturating_add(record.run_s), procs);
            }
        }
        if keeps {
            records.push(*record);
        }
    }
    let is_late = in_use.is_late();
    let peak = largest.max(i64::try_from(in_use.most()).ok().filter(|&most| most > 0));
    Ok(LogSurvey { summary: reader.finish()?, peak, is_late, runs, lists, records })
}

/// Returns the size of the machine of a surveyed log, with a note on its source; `None` if no size is known.
fn size(summary: &LogSummary, runs: NodeRuns, unit: LogUnit, peak: Option<i64>) -> Option<(u64, String)> {
    let peak = u64::try_from(peak?).ok()?;
    let mut runs = runs.on_nodes(&summary.facts.names);
    let (node_use, levels) = (runs.node_use(&|_| true), runs.levels(&|_| true));
    Some(match SiteSize::of_use(&node_use, &levels, unit, runs.largest()) {
        SiteSize::Known(size, source) => {
            (size, format!("the {}, as the log does not tell the size of the machine", source.words()))
        }
        SiteSize::Unknown(_) => (
            peak,
            "the most that jobs held at once, as the log does not tell the size of the machine".to_owned(),
        ),
    })
}

/// Returns true if a job held nodes, if only for a moment. A job cancelled while waiting held none, although
/// it ends at its start.
fn has_run(record: &Record) -> bool {
    record.run_s > 0 || record.run_s == 0 && record.status != CANCELLED
}

/// Writes the header of a surveyed log. `size`, with a note on its source, stands for a missing machine size.
fn write_header(
    summary: &LogSummary,
    size: Option<(u64, String)>,
    keeps_names: bool,
    writer: &mut Writer,
) -> Result<(), TraceError> {
    writer.comment(format!("; MaxJobs: {}", summary.records).as_bytes())?;
    writer.comment(format!("; MaxRecords: {}", summary.records).as_bytes())?;
    if let (None, Some((procs, source))) = (summary.header.processors(), size) {
        for line in [
            format!("MaxNodes: {procs}"),
            format!("MaxProcs: {procs}"),
            format!("Note: MaxProcs is {source}"),
        ] {
            writer.comment(format!("; {line}").as_bytes())?;
        }
    }
    writer.header(&summary.header)?;
    if !keeps_names {
        return Ok(());
    }
    for (kind, key) in NameKind::all().filter_map(|kind| Some((kind, kind.header_key()?))) {
        for (i, name) in summary.facts.names.of(kind).enumerate() {
            writer.comment(format!("; {key}: {} {}", i + 1, quoted(&name)).as_bytes())?;
        }
    }
    Ok(())
}

/// Returns the names of a log as rows of kind, number and name, in the order of kinds and numbers.
pub fn names_rows(summary: &LogSummary) -> Vec<[String; 3]> {
    let names = &summary.facts.names;
    let rows = NameKind::all().filter(|kind| kind.header_key().is_some()).flat_map(|kind| {
        let row = move |(i, name): (usize, String)| [kind.word().to_string(), (i + 1).to_string(), name];
        names.of(kind).enumerate().map(row)
    });
    rows.collect()
}

/// Reasons for dropping records in a conversion, in report order, with words for a list. ([`Reason::words`]
/// follow a count.)
pub const CONVERSION_REASONS: [(Reason, &str); 4] = [
    (Reason::CancelledEarly, "cancelled before the start"),
    (Reason::NoProcessors, "no allocated processors"),
    (Reason::Status, "status"),
    (Reason::NoRunTime, "no run time"),
];

/// Returns the largest number of processors that `jobs` had in use at once when they really ran; 0 if no job
/// has a recorded wait.
pub fn most_in_use(jobs: &[Job]) -> u64 {
    let mut used = InUse::default();
    for job in jobs {
        if let Some(start) = job.recorded_start() {
            used.add(start, start + job.run, i64::from(job.procs));
        }
    }
    used.most()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::job::{Logged, Time};

    #[test]
    fn jobs_count_from_their_recorded_start() {
        let at = Time::from_seconds;
        let job = |submit, wait: Option<i64>, run, procs| {
            let logged = Logged { wait: wait.map(at), ..Logged::default() };
            Job { submit: at(submit), run: at(run), procs, logged, ..Job::default() }
        };
        let jobs = [
            job(0, Some(0), 10, 4),
            job(0, Some(10), 5, 3),
            job(3, Some(9), 1, 2),
            job(0, None, 9, 8),
            job(12, Some(0), 0, 9),
        ];
        // The last job has zero length, and adds to the others.
        assert_eq!((most_in_use(&jobs[..4]), most_in_use(&jobs)), (5, 14));
        assert_eq!(most_in_use(&jobs[3..4]), 0);
    }
}
