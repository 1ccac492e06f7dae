//! Writes schedules in formats of other tools.

use super::InspectError;
use super::input::Input;
use crate::frame::Put;
use crate::text::to_cell;
use meshreplay_logs::Writer;
use meshreplay_study::audit;

/// Writes the schedule as a log in the Standard Workload Format. Header comments hold the facts from its
/// summary.
pub fn write_swf(input: &Input, mut writer: Writer) -> Result<(), InspectError> {
    let mut comments = vec!["Version: 2.2".to_owned()];
    comments.extend(["MaxJobs", "MaxRecords"].map(|name| format!("{name}: {}", input.jobs.count())));
    comments.push("MaxPartitions: 1".to_owned());
    if let Some(machine) = &input.machine {
        comments.extend(["MaxNodes", "MaxProcs"].map(|name| format!("{name}: {}", machine.available())));
        comments.push(format!("Partition: 1, machine {machine}"));
    }
    comments.push(format!("Note: schedule by meshreplay {}", env!("CARGO_PKG_VERSION")));
    let known = [("log", &input.log), ("scheduler", &input.scheduler), ("allocator", &input.allocator)];
    for (what, text) in known {
        comments.extend(text.as_ref().map(|text| format!("Note: {what} {text}")));
    }
    if input.has_outages {
        let count =
            input.outages.as_ref().map_or_else(String::new, |outages| format!("{} ", outages.killed.len()));
        comments.push(format!(
            "Note: nodes went down: a job has its last run, and {count}runs in which jobs were killed are \
                 left out"
        ));
    }
    for comment in comments {
        writer.comment(format!("; {}", comment.replace('\n', " ")).as_bytes())?;
    }
    for job in input.jobs.walk()? {
        writer.record(&audit::record(&job?))?;
    }
    Ok(writer.finish()?)
}

/// The number of bytes of a table that are handed over at a time.
const PART: usize = 64 << 10;

/// Hands over the schedule as a table of jobs in the CSV format that Batsim writes and evalys reads: to
/// `put`, in parts that end with a line. Fails before the first part if the nodes of a job are not known.
pub fn write_evalys<E: From<InspectError>>(input: &Input, put: Put<'_, E>) -> Result<(), E> {
    let no_nodes = |job| InspectError::NoNodes { name: input.name.clone(), job };
    if let Some(job) = input.jobs.first_without_nodes()? {
        return Err(no_nodes(job).into());
    }
    let workload = to_cell(input.log.as_deref().unwrap_or("log"));
    let mut text = audit::evalys_heading();
    for job in input.jobs.walk()? {
        let job = job?;
        let nodes = job.nodes.as_ref().ok_or_else(|| no_nodes(job.number))?;
        audit::evalys_row(&mut text, &job, nodes, &workload);
        if text.len() >= PART {
            put(&text)?;
            text.clear();
        }
    }
    put(&text)
}
