//! Predicted run times against published schedules of another simulator, job by job.

use meshreplay_base::job::Time;
use meshreplay_logs::ReadOptions;
use meshreplay_study::study::load;
use meshreplay_testing::gunzip;
use meshreplay_workload::Rules;

use super::support::{Tested, replay_by, shared};

/// The rules of the published schedules, with this estimate.
fn rules(estimate: &str) -> Result<Rules, meshreplay_base::spec::SpecError> {
    format!("requested:estimate={estimate},overrun=kill").parse()
}

/// A published schedule: the names of its columns, and the numbers of each job.
type Table = (Vec<String>, Vec<Vec<i64>>);

/// Reads a published schedule.
fn table(text: &str) -> Result<Table, Box<dyn std::error::Error>> {
    let mut lines = text.lines();
    let names = lines.next().unwrap_or_default().split(',').map(str::to_owned).collect();
    let mut rows = Vec::new();
    for line in lines {
        rows.push(line.split(',').map(str::parse).collect::<Result<_, _>>()?);
    }
    Ok((names, rows))
}

#[test]
fn starts_predictions_corrections_and_backfills_equal_published_schedules() -> Tested {
    for (log, machine) in [("KTH-SP2", "100"), ("SDSC-SP2", "128")] {
        for (policy, scheduler, estimate) in [
            ("easy-reqtime", "easy:pass=per-event", "recorded"),
            ("easy-fcfs-clairvoyant", "easy:pass=per-event", "predicted:exact+correct=error"),
            ("easy-sjbf-clairvoyant", "easy:backfill=sjbf,pass=per-event", "predicted:exact+correct=error"),
            ("easy-sjbf-tsafrir", "easy:backfill=sjbf,pass=per-event", "predicted:user-last-two"),
            ("easy-sjbf-learned", "easy:backfill=sjbf,pass=per-event", "from-file:FILE"),
        ] {
            let Some(path) = shared(&format!("oracle/easy/{log}.norm.swf.gz")) else { continue };
            let Some(file) = shared(&format!("oracle/easy-plus/{log}.{policy}.csv.gz")) else { continue };
            let (columns, mut expected) = table(&gunzip(&file)?)?;
            let rules = rules(&estimate.replace("FILE", &file.display().to_string()))?;
            let jobs = load(&path, ReadOptions::default(), rules.clone())?.workload.jobs;
            let outcome = replay_by(&rules, &jobs, [machine, scheduler, "naive"])?;
            let seconds = |time: Time| time.as_micros() / 1_000_000;
            let mut found: Vec<Vec<i64>> = Vec::new();
            for (job, record) in jobs.iter().zip(outcome.jobs.iter().map(|job| &job.record)) {
                let value = |column: &String| match column.as_str() {
                    "job" => job.number,
                    "start" => seconds(record.start),
                    "prediction" => seconds(record.prediction),
                    "corrections" => i64::from(record.corrections),
                    _ => i64::from(record.backfilled),
                };
                found.push(columns.iter().map(value).collect());
            }
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found.len(), expected.len(), "{log}, {policy}");
            assert_eq!(columns[..2], ["job", "start"], "{log}, {policy}");
            for (column, what) in columns.iter().enumerate() {
                let differences = found.iter().zip(&expected).filter(|(a, b)| a[column] != b[column]).count();
                println!("{log}, {policy}: {differences} of {} {what} differ", found.len());
                assert_eq!(differences, 0, "{log}, {policy}, {what}");
            }
        }
    }
    Ok(())
}
