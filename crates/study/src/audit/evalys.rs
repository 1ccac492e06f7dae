//! Export of schedules as Batsim's table of jobs, which evalys reads.

use std::fmt::Write;

use super::ScheduledJob;
use meshreplay_machine::machine::{NodeId, format_intervals};

/// The columns of the table, in Batsim's order.
const COLUMNS: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy";

/// Returns the line with the names of the columns.
pub fn evalys_heading() -> String {
    format!("{COLUMNS}\n")
}

/// Appends the row of a job as comma-separated values to `text`. `nodes` are its nodes, as intervals from
/// first to last.
///
/// Every job counts as successful and has the profile `delay`. The unknown energy is -1. The stretch of a job
/// without run time is empty.
pub fn evalys_row(text: &mut String, job: &ScheduledJob, nodes: &[(NodeId, NodeId)], workload: &str) {
    let ScheduledJob { number, submit, start, end, estimate, procs, .. } = job;
    let [submit, start, end] = [submit, start, end].map(|time| time.as_seconds());
    let (run, wait, turnaround) = (end - start, start - submit, end - submit);
    let stretch = if run > 0.0 { (turnaround / run).to_string() } else { String::new() };
    let workload = workload.replace(['"', '\n'], "'");
    let _ = write!(
        text,
        "{number},\"{workload}\",delay,{submit},{procs},{},1,COMPLETED_SUCCESSFULLY,{start},{run},{end},{wait},{turnaround},{stretch},",
        estimate.as_seconds()
    );
    *text += &format_intervals(nodes.iter().copied());
    text.push_str(",-1\n");
}

#[cfg(test)]
mod tests {
    use super::super::fixture::job;
    use super::*;

    #[test]
    fn a_row_has_every_column() {
        let mut text = evalys_heading();
        evalys_row(&mut text, &job(4, [5, 15, 25], 5), &[(0, 3), (7, 7)], "log \"a\"");
        let row = "4,\"log 'a'\",delay,5,5,10,1,COMPLETED_SUCCESSFULLY,15,10,25,10,20,2,0-3 7,-1";
        assert_eq!(text, format!("{COLUMNS}\n{row}\n"));
        assert_eq!(COLUMNS.split(',').count(), 16);
        let mut none = String::new();
        evalys_row(&mut none, &job(4, [5, 15, 15], 1), &[(0, 0)], "log");
        assert!(none.ends_with(",15,0,15,10,10,,0,-1\n"), "{none}");
    }
}
