//! Export of a schedule as the table of jobs that Batsim writes and evalys reads.

use std::fmt::Write;

use super::{Schedule, ScheduledJob};
use crate::machine::format_intervals;

/// The columns of the table, in Batsim's order.
const COLUMNS: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
                       final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
                       allocated_resources,consumed_energy";

/// Returns the table as comma-separated values. Fails with the number of the first job whose nodes are not known.
///
/// Every job counts as successful and has the profile `delay`. The energy is unknown and written as -1.
pub fn evalys(schedule: &Schedule, workload: &str) -> Result<String, i64> {
    let mut text = format!("{COLUMNS}\n");
    let workload = workload.replace(['"', '\n'], "'");
    for job in &schedule.jobs {
        let ScheduledJob { number, submit, start, end, estimate, procs, .. } = job;
        let nodes = job.nodes.as_ref().ok_or(*number)?;
        let [submit, start, end] = [submit, start, end].map(|time| time.as_seconds());
        let (run, wait, turnaround) = (end - start, start - submit, end - submit);
        let stretch = if turnaround > 0.0 { turnaround / run } else { 1.0 };
        let _ = write!(
            text,
            "{number},\"{workload}\",delay,{submit},{procs},{},1,COMPLETED_SUCCESSFULLY,{start},{run},{end},{wait},\
             {turnaround},{stretch},",
            estimate.as_seconds()
        );
        text += &format_intervals(nodes.iter().copied());
        text.push_str(",-1\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::job;
    use super::*;

    #[test]
    fn a_row_has_every_column() {
        let placed = ScheduledJob { nodes: Some(vec![(0, 3), (7, 7)]), ..job(4, [5, 15, 25], 5) };
        let schedule = Schedule { jobs: vec![placed], left_out: 0 };
        let text = evalys(&schedule, "log \"a\"");
        let row = "4,\"log 'a'\",delay,5,5,10,1,COMPLETED_SUCCESSFULLY,15,10,25,10,20,2,0-3 7,-1";
        assert_eq!(text, Ok(format!("{COLUMNS}\n{row}\n")));
        assert_eq!(COLUMNS.split(',').count(), 16);
        let unknown = Schedule { jobs: vec![job(9, [0, 0, 1], 1)], left_out: 0 };
        assert_eq!(evalys(&unknown, "a"), Err(9));
    }
}
