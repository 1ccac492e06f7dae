//! Writes schedules in formats of other tools.

use super::error::InspectError;
use super::input::Input;
use crate::audit;
use crate::text::to_cell;
use crate::trace::{TraceError, Writer};

/// Writes the schedule as a log in the Standard Workload Format. The facts of its summary stand in the header comments.
pub fn write_swf(input: &Input, mut writer: Writer) -> Result<(), TraceError> {
    let jobs = &input.schedule.jobs;
    let mut comments = vec!["Version: 2.2".to_owned()];
    comments.extend(["MaxJobs", "MaxRecords"].map(|name| format!("{name}: {}", jobs.len())));
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
            "Note: nodes went down: a job has its last run, and {count}runs in which jobs were killed are left out"
        ));
    }
    for comment in comments {
        writer.comment(format!("; {}", comment.replace('\n', " ")).as_bytes())?;
    }
    jobs.iter().try_for_each(|job| writer.record(&audit::record(job)))?;
    writer.finish()
}

/// Returns the schedule as a table of jobs in the CSV format that Batsim writes and evalys reads. Fails if the nodes of
/// a job are not known.
pub fn evalys(input: &Input) -> Result<String, InspectError> {
    let no_nodes = |job| InspectError::NoNodes { name: input.name.clone(), job };
    audit::evalys(&input.schedule, &to_cell(input.log.as_deref().unwrap_or("log"))).map_err(no_nodes)
}
