//! The dump of `sacct -P`: one line for each job and each of its steps, fields separated by `|`, with a heading. Tabs, semicolons and
//! commas may separate them, too, as `--delimiter` asks for or a spreadsheet writes; then a field may stand in double quotes.
//!
//! Fields may come in any order; those that are not known are not read. Steps (`123.batch`, `123.0`) are part of their
//! jobs. Tasks of arrays (`123_4`, which is number 123000004 where the dump has no `JobIDRaw`), parts of heterogeneous jobs (`123+1`) and, with `sacct --duplicates`, runs that were
//! requeued are records of their own, as they are in the accounting. Tasks that still wait stand together
//! (`123_[5-9]`) and are one record.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "columns are positions in a line plus 1; instants are between the years 0 and 9999 and durations at \
              most 2^40 s"
)]

use memchr::memchr;

use super::job::{Accounting, SlurmJob, limit};
use super::sacct_columns::{BAR, COLUMNS, Column, Heading, READS, is_heading};
use super::sacct_fields::{Fields, agreeing, elapsed, malformed, sizes, split, split_cells};
use crate::spec::{Params, Spec, SpecError};
use crate::trace::error::Problem;
use crate::trace::facts::Facts;
use crate::trace::formats::cells::{Cells, Delimiter};
use crate::trace::formats::format::{Format, LineParser, Parsed, number_of_task};
use crate::trace::names::Names;
use crate::trace::times::Clock;

/// The row of this format.
pub(in crate::trace::formats) const FORMAT: Format = Format {
    name: "sacct",
    summary: "dump of Slurm's accounting: sacct -P with a heading, fields in any order, separated by bars, tabs, semicolons or commas",
    source: super::SOURCE,
    parameters: "unit=nodes|cpus|gpus time-zone=ZONE arrival=submit|eligible",
    reads: READS,
    lacks: "machine, applications, memory",
    extensions: &["sacct"],
    recognises: Some(is_heading),
    records_starts: true,
    repeats_jobs: true,
    expects_spaces: false,
    parser: |spec| Ok(Box::new(Sacct::new(spec)?)),
    writing: None,
};

/// The parser of one dump.
struct Sacct {
    accounting: Accounting,
    clock: Clock,
    /// The heading; `None` before it.
    heading: Option<Heading>,
    /// The fields of a line that has other separators than bars.
    cells: Cells,
    /// Whether a line of a job was read.
    has_jobs: bool,
}

impl Sacct {
    /// Makes the parser of one dump.
    fn new(spec: &Spec) -> Result<Self, SpecError> {
        let mut params = Params::new(spec);
        let (accounting, clock) = (Accounting::take(&mut params)?, Clock::take(&mut params)?);
        params.finish()?;
        Ok(Self { accounting, clock, heading: None, cells: Cells::default(), has_jobs: false })
    }

    /// Reads the job of the fields of a line.
    fn job<'a>(
        &mut self,
        heading: &Heading,
        fields: &Fields<'a>,
        number: i64,
    ) -> Result<SlurmJob<'a>, Problem> {
        let text = |column: Column| fields[column as usize];
        let clock = &mut self.clock;
        // Times that occur twice, as clocks are put back, are in the order that the life of a job has.
        let mut instant_after = |column: Column, earlier_s| {
            let found = clock.instant_after(text(column), earlier_s);
            found.map_err(|expected| malformed(heading, column, text(column), expected))
        };
        let submit_s = instant_after(Column::Submit, None)?;
        let start_s = instant_after(Column::Start, submit_s)?;
        let end_s = instant_after(Column::End, start_s.or(submit_s))?;
        let eligible_s = instant_after(Column::Eligible, submit_s)?;
        let elapsed_s = elapsed(heading, fields)?;
        let run = [Column::Start, Column::End].map(text);
        let read_s = start_s;
        let [start_s, end_s] = agreeing(clock, run, [start_s, end_s], elapsed_s);
        // What has the same time as the start, of which the run time has told the reading, is of the same instant.
        let at_start = |column: Column, time_s: Option<i64>| {
            if start_s != read_s && text(column) == text(Column::Start) { start_s } else { time_s }
        };
        let [submit_s, eligible_s] = [(Column::Submit, submit_s), (Column::Eligible, eligible_s)]
            .map(|(column, time_s)| at_start(column, time_s));
        // A job without a start that ran for no time has not started, unless the dump tells no starts.
        let has_run = |elapsed_s: &i64| *elapsed_s > 0 || !heading.has(&[Column::Start]);
        let nodes = heading.has(&[Column::NodeList]).then(|| text(Column::NodeList));
        let (allocated, requested) = sizes(heading, fields)?;
        let column = if text(Column::LimitRaw).is_empty() { Column::Limit } else { Column::LimitRaw };
        let limit_s =
            limit(text(column)).map_err(|expected| malformed(heading, column, text(column), expected))?;
        Ok(SlurmJob {
            number,
            submit_s,
            eligible_s,
            start_s: start_s.or_else(|| Some(end_s? - elapsed_s.filter(has_run)?)),
            end_s,
            elapsed_s,
            limit_s,
            state: text(Column::State),
            allocated,
            requested,
            user: text(Column::User),
            account: text(Column::Account),
            partition: text(Column::Partition),
            qos: text(Column::Qos),
            nodes,
        })
    }

    /// Reads a line below `heading`.
    fn line(&mut self, heading: &mut Heading, line: &[u8]) -> Result<Parsed, Problem> {
        let mut fields = [&b""[..]; COLUMNS];
        if heading.separator == BAR {
            split(heading, line, &mut fields)?;
            return self.fields(heading, &fields);
        }
        // The cells are put back at once; borrowing them would forbid to change what was counted.
        let mut cells = std::mem::take(&mut self.cells);
        let is_whole = cells.split(line, Delimiter::Byte(heading.separator), true);
        let parsed =
            split_cells(heading, &cells, is_whole, &mut fields).and_then(|()| self.fields(heading, &fields));
        self.cells = cells;
        parsed
    }

    /// Reads the fields of a line below `heading`.
    fn fields(&mut self, heading: &Heading, fields: &Fields<'_>) -> Result<Parsed, Problem> {
        let column = if heading.has(&[Column::JobIdRaw]) { Column::JobIdRaw } else { Column::JobId };
        let id = fields[column as usize];
        let digits = id.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let whole = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        let kind = id.get(digits).copied().unwrap_or_default();
        let (Some(number), 0 | b'_' | b'+' | b'.') = (whole(&id[..digits]), kind) else {
            return Err(malformed(
                heading,
                column,
                id,
                "the number of a job, such as 123, 123_4 or 123.batch",
            ));
        };
        // What stands in brackets has no points, so a point is that of a step. Other programs write numbers of jobs as 1.0.
        if let Some(point) = memchr(b'.', id) {
            let is_number = id[point + 1..].iter().all(u8::is_ascii_digit);
            if heading.separator != BAR && is_number && !self.has_jobs {
                return Err(malformed(
                    heading,
                    column,
                    id,
                    "a job before its steps, with a number such as 123; --input-format table reads tables of other programs",
                ));
            }
            self.accounting.steps += 1;
            return Ok(Parsed::Part);
        }
        // A task of an array, or a part of a heterogeneous job, unless it is a range of tasks that wait.
        let task = id.get(digits + 1..).and_then(whole).and_then(|index| number_of_task(number, index));
        let job = self.job(heading, fields, task.unwrap_or(number))?;
        self.has_jobs = true;
        Ok(Parsed::Record(self.accounting.record(&job), 0))
    }
}

impl LineParser for Sacct {
    /// The name of a job, which may be the first field, may begin with any character.
    fn has_semicolons(&self) -> bool {
        self.heading.is_some()
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        // Dumps that were put together have a heading each.
        let begins_anew = || matches!(line, [b'J' | b'j' | b'S' | b's' | b'"', ..]) && is_heading(line);
        match self.heading.take() {
            Some(mut heading) if !begins_anew() => {
                // The heading is put back at once; borrowing it would forbid to change what was counted.
                let parsed = self.line(&mut heading, line);
                self.heading = Some(heading);
                parsed
            }
            _ => {
                self.heading = Some(Heading::parse(line, self.accounting.unit())?);
                Ok(Parsed::Part)
            }
        }
    }

    fn forget_nodes(&mut self) {
        self.accounting.forget_nodes();
    }

    fn names(&self) -> Option<&Names> {
        Some(self.accounting.names())
    }

    fn facts(&mut self) -> Facts {
        let mut facts = self.accounting.facts();
        facts.add_clock(&self.clock);
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::names::NameKind;
    use crate::trace::record::Record;

    const HEADING: &str =
        "JobID|Submit|Start|End|State|NNodes|AllocCPUS|AllocTRES|Timelimit|User|JobName|NodeList";

    /// Reads lines below a heading: records, or what is wrong.
    fn read(spec: &str, heading: &str, lines: &[&str]) -> Result<(Vec<Record>, Facts), Problem> {
        let mut parser = Sacct::new(&spec.parse().expect("a spec")).expect("parameters");
        let mut records = Vec::new();
        for line in [heading].iter().chain(lines) {
            if let Parsed::Record(record, _) = parser.parse(line.as_bytes())? {
                records.push(record);
            }
        }
        Ok((records, parser.facts()))
    }

    #[test]
    fn steps_are_folded_away_and_arrays_and_heterogeneous_jobs_are_kept() -> Result<(), Problem> {
        let times = "2024-05-01T10:00:00|2024-05-01T10:01:00|2024-05-01T11:01:00|COMPLETED|2|8||1-00:00:00|anna|x|n[1-2]";
        let waits = "2024-05-01T10:00:00|Unknown|Unknown|PENDING|1|1|||anna|x|None assigned";
        let mut lines = Vec::new();
        for id in
            ["1", "1.batch", "1.extern", "1.0", "2_4", "2_4.batch", "3+0", "3+0.1", "3+1", "4.interactive"]
        {
            lines.push(format!("{id}|{times}"));
        }
        lines.push(format!("2_[5-9%2]|{waits}"));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (records, facts) = read("sacct", HEADING, &lines)?;
        assert_eq!(
            records.iter().map(|record| record.job).collect::<Vec<_>>(),
            [1, 2_000_004, 3_000_000, 3_000_001, 2]
        );
        let first = records[0];
        assert_eq!((first.submit_s, first.wait_s, first.run_s), (1_714_557_600, 60, 3600));
        assert_eq!((first.allocated_procs, first.requested_time_s, first.nodes), (2, 86_400, Some(1)));
        assert_eq!((records[4].run_s, records[4].allocated_procs, records[4].requested_procs), (-1, -1, 1));
        let counts = [("job steps, which are part of their jobs", 6), ("jobs that were still waiting", 1)];
        assert_eq!(facts.counts, counts);
        assert_eq!(facts.names.name(NameKind::Nodes, 1).as_deref(), Some("n[1-2]"));
        assert_eq!((facts.time_zone.as_deref(), facts.has_unix_times), (Some("UTC"), true));
        Ok(())
    }

    #[test]
    fn fields_may_stand_in_any_order_with_a_bar_at_the_end() -> Result<(), Problem> {
        let (records, _) = read(
            "sacct:unit=gpus,time-zone=Europe/Berlin",
            "NodeList|End|AllocTRES|ElapsedRaw|QOS|Submit|JobIDRaw|JobID|TimelimitRaw|",
            &["n1|2024-05-01T13:00:00|cpu=4,gres/gpu=3,node=1|3600|high|2024-05-01T11:00:00|77|70_1|90|"],
        )?;
        let record = records[0];
        assert_eq!(
            (record.job, record.submit_s, record.wait_s, record.run_s),
            (77, 1_714_554_000, 3600, 3600)
        );
        assert_eq!((record.allocated_procs, record.requested_time_s, record.queue), (3, 5400, 1));
        Ok(())
    }

    #[test]
    fn the_run_time_tells_which_of_two_readings_is_meant() -> Result<(), Problem> {
        let heading = "JobIDRaw|Submit|Start|End|ElapsedRaw|State|NNodes";
        let day = "2024-10-27T";
        // In Berlin 02:00 to 03:00 comes twice. The second start, the first one, the second end.
        for (start, end, elapsed, wait_s, run_s) in [
            ("02:50:00", "03:10:00", 1200, 7200, 1200),
            ("02:50:00", "03:10:00", 4800, 3600, 4800),
            ("02:10:00", "02:40:00", 5400, 1200, 5400),
            // The job was suspended, so that no reading agrees.
            ("02:50:00", "03:10:00", 100, 3600, 4800),
        ] {
            let line = format!("3|{day}01:50:00|{day}{start}|{day}{end}|{elapsed}|COMPLETED|4");
            let (records, _) = read("sacct:time-zone=Europe/Berlin", heading, &[&line])?;
            assert_eq!((records[0].wait_s, records[0].run_s), (wait_s, run_s), "{line}");
        }
        Ok(())
    }

    #[test]
    fn jobs_without_a_start_and_a_run_time_have_not_started() -> Result<(), Problem> {
        let heading = "JobID|Submit|Start|End|Elapsed|State|NNodes|AllocCPUS";
        let submit = "2024-05-01T10:00:00";
        for (rest, expected) in [
            ("None|2024-05-01T10:30:00|00:00:00|CANCELLED by 7|8|0", (-1, 0, -1)),
            ("Unknown|2024-05-01T10:30:00|00:10:00|TIMEOUT|8|8", (1200, 600, 8)),
            // Older versions give a job that was cancelled while it waited a start.
            ("2024-05-01T10:30:00|2024-05-01T10:30:00|00:00:00|CANCELLED by 7|8|0", (-1, 0, -1)),
            ("2024-05-01T10:30:00|2024-05-01T10:30:00|00:00:00|FAILED|8|8", (1800, 0, 8)),
            // A clock was set back while the job ran.
            ("2024-05-01T10:30:00|2024-05-01T10:29:00|00:00:00|NODE_FAIL|8|8", (1800, -1, 8)),
        ] {
            let (records, facts) = read("sacct", heading, &[&format!("2|{submit}|{rest}")])?;
            let record = records[0];
            assert_eq!((record.wait_s, record.run_s, record.allocated_procs), expected, "{rest}");
            let never = facts.counts.iter().any(|(what, _)| *what == "jobs that ended before they started");
            assert_eq!(never, expected.2 < 0, "{rest}");
            let early = facts.counts.iter().any(|(what, _)| *what == "ends before the start");
            assert_eq!(early, expected.1 < 0, "{rest}");
        }
        let heading = "JobID|Submit|End|Elapsed|State|NNodes";
        let (records, _) =
            read("sacct", heading, &[&format!("2|{submit}|2024-05-01T10:30:00|00:00:00|FAILED|8")])?;
        assert_eq!((records[0].wait_s, records[0].run_s), (1800, 0));
        Ok(())
    }

    #[test]
    fn what_has_the_time_of_the_start_has_its_reading_and_is_counted_once() -> Result<(), Problem> {
        let heading = "JobIDRaw|Submit|Eligible|Start|End|ElapsedRaw|State|NNodes";
        let day = "2024-10-27T";
        let line = format!("2|{day}02:50:00|{day}02:50:00|{day}02:50:00|{day}03:10:00|1200|COMPLETED|4");
        for arrival in ["submit", "eligible"] {
            let (records, facts) =
                read(&format!("sacct:time-zone=Europe/Berlin,arrival={arrival}"), heading, &[&line])?;
            assert_eq!((records[0].wait_s, records[0].run_s), (0, 1200));
            let counted = facts.counts.iter().find(|(what, _)| what.contains("clocks are put"));
            assert_eq!(counted.map(|(_, count)| *count), Some(3), "{:?}", facts.counts);
        }
        Ok(())
    }

    #[test]
    fn other_separators_give_the_same_jobs() -> Result<(), Problem> {
        let heading = "JobID|Submit|Start|End|Elapsed|State|JobName|NNodes|AllocTRES";
        let lines = [
            "1|2024-10-27T01:50:00|2024-10-27T02:50:00|2024-10-27T03:10:00|00:20:00|COMPLETED|x|4|cpu=8",
            "1.batch|2024-10-27T01:50:00|2024-10-27T02:50:00|2024-10-27T03:10:00|00:20:00|COMPLETED|batch|1|cpu=8",
            "2_7|2024-10-28T01:50:00|None|2024-10-28T02:10:00|00:00:00|CANCELLED by 7|a \"b\"|4|cpu=8",
            "3+0|2024-10-28T01:50:00|Unknown|Unknown|00:00:00|PENDING|y|4|cpu=8",
            "1.extern|2024-10-28T01:50:00|2024-10-28T01:50:00|2024-10-28T01:40:00|00:01:00|FAILED|z|2|cpu=8",
            "4|2024-10-28T01:50:00|2024-10-28T01:50:00|2024-10-28T01:40:00|00:01:00|FAILED|z|2|cpu=8,node=2",
        ];
        let bars = read("sacct:time-zone=Europe/Berlin", heading, &lines)?;
        assert_eq!(bars.0.len(), 4);
        for separator in ["\t", ";", ","] {
            // Fields with a separator or quotes stand in quotes.
            let quoted = |field: &str| {
                let is_plain = !field.contains(separator) && !field.contains('"');
                if is_plain { field.to_owned() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
            };
            let other = |line: &str| line.split('|').map(quoted).collect::<Vec<_>>().join(separator);
            for end in ["", separator] {
                let heading = other(heading) + end;
                assert!(is_heading(heading.as_bytes()), "{heading}");
                let others: Vec<String> = lines.iter().map(|line| other(line) + end).collect();
                let others: Vec<&str> = others.iter().map(String::as_str).collect();
                let found = read("sacct:time-zone=Europe/Berlin", &heading, &others)?;
                assert_eq!((&found.0, &found.1.counts), (&bars.0, &bars.1.counts), "{heading}");
            }
        }
        for (line, message) in
            [("1,2,3", "3 fields, expected 9"), ("1,2,3,4,5,6,\"7", "column 7 (quoted text)")]
        {
            let problem = read("sacct", &heading.replace('|', ","), &[line]).expect_err(line).to_string();
            assert!(problem.starts_with(message), "{problem}");
        }
        // Commas of a name without quotes belong to it.
        let named =
            "5,2024-05-01T10:00:00,2024-05-01T10:00:00,2024-05-01T10:00:09,00:00:09,FAILED,a,b,c,3,cpu=8";
        let without_lists = &heading.replace('|', ",").replace("AllocTRES", "AllocCPUS");
        let (records, _) = read("sacct", without_lists, &[named.replace("cpu=", "").as_str()])?;
        assert_eq!((records[0].run_s, records[0].allocated_procs), (9, 3));
        // Nobody can tell them from those of a list.
        let problem = read("sacct", &heading.replace('|', ","), &[named]).expect_err(named).to_string();
        assert!(problem.contains("sacct -P needs none"), "{problem}");
        Ok(())
    }

    #[test]
    fn separators_at_the_end_of_lines_are_told_from_empty_fields() -> Result<(), Problem> {
        let heading = "JobID|Submit|Start|End|State|NNodes|JobName|Timelimit";
        let times = "2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:00:09|FAILED|3";
        for separator in ["|", ";", ",", "\t"] {
            for [end_of_heading, end] in [["", ""], [separator, separator], ["", separator]] {
                let of = |text: &str, end: &str| text.replace('|', separator) + end;
                let lines = [of(&format!("5|{times}|a|7"), end), of(&format!("6|{times}|a 5|5|"), end)];
                let (records, _) =
                    read("sacct", &of(heading, end_of_heading), &lines.each_ref().map(String::as_str))?;
                let found: Vec<_> =
                    records.iter().map(|job| (job.allocated_procs, job.requested_time_s)).collect();
                assert_eq!(found, [(3, 420), (3, -1)], "{lines:?}");
            }
        }
        // A list that ends with an empty field is none whose line ends with a comma.
        let problem = read(
            "sacct",
            "JobID,Submit,Start,End,State,NodeList,Reservation",
            &[&format!("5,{},n1,n7,", times.replace("|3", "").replace('|', ","))],
        );
        assert!(problem.expect_err("a list").to_string().contains("sacct -P needs none"));
        Ok(())
    }

    #[test]
    fn numbers_with_a_fraction_are_no_steps_without_jobs() -> Result<(), Problem> {
        let heading = "JobID,Submit,Start,End,State,NNodes";
        let times = "2024-05-01T10:00:00,2024-05-01T10:00:00,2024-05-01T10:00:09,COMPLETED,2";
        let problem = read("sacct", heading, &[&format!("1.0,{times}")]).expect_err("no job").to_string();
        assert!(problem.contains("--input-format table"), "{problem}");
        let (records, _) = read("sacct", heading, &[&format!("1,{times}"), &format!("1.0,{times}")])?;
        assert_eq!(records.len(), 1);
        Ok(())
    }

    #[test]
    fn bars_in_names_of_jobs_do_no_harm() -> Result<(), Problem> {
        for name in ["x", "a|b", "|", "a||b|c"] {
            let line = format!(
                "5|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:00:09|FAILED|3|8|||anna|{name}|n[1-3]"
            );
            let (records, facts) = read("sacct", HEADING, &[&line])?;
            assert_eq!(
                (records[0].run_s, records[0].allocated_procs, records[0].status),
                (9, 3, 0),
                "{name}"
            );
            assert_eq!(facts.names.name(NameKind::Nodes, 1).as_deref(), Some("n[1-3]"), "{name}");
        }
        Ok(())
    }

    #[test]
    fn dumps_that_were_put_together_have_several_headings() -> Result<(), Problem> {
        let other = "Submit|JobID|Start|End|NodeList";
        let line = "2024-05-01T10:00:00|9|2024-05-01T10:00:00|2024-05-01T10:00:09|n[1-3]";
        let (records, _) = read("sacct", HEADING, &[other, line, other, line])?;
        assert_eq!((records.len(), records[1].allocated_procs), (2, 3));
        Ok(())
    }

    #[test]
    fn wrong_lines_say_what_was_expected() {
        const GOOD: [&str; 12] = [
            "5",
            "2024-05-01T10:00:00",
            "2024-05-01T10:00:00",
            "2024-05-01T10:00:09",
            "FAILED",
            "3",
            "8",
            "cpu=8",
            "1:00:00",
            "anna",
            "x",
            "n[1-3]",
        ];
        for (column, found, message) in [
            (
                1,
                "five",
                "column 1 (JobID): found 'five', expected the number of a job, such as 123, 123_4 or 123.batch",
            ),
            (1, "", "column 1 (JobID): found '', expected the number of a job"),
            (1, "12x", "column 1 (JobID): found '12x'"),
            (
                2,
                "yesterday",
                "column 2 (Submit): found 'yesterday', expected a time such as 2024-05-01T12:00:00",
            ),
            (3, "2024-05-01T25:00:00", "column 3 (Start): found '2024-05-01T25:00:00'"),
            (4, "2024-02-30T00:00:00", "column 4 (End): found '2024-02-30T00:00:00'"),
            (6, "two", "column 6 (NNodes): found 'two', expected a whole number, such as 48 or 1.5K"),
            (7, "-8", "column 7 (AllocCPUS): found '-8'"),
            (
                8,
                "cpu=x",
                "column 8 (AllocTRES): found 'cpu=x', expected resources such as cpu=8,gres/gpu=4,node=2",
            ),
            (9, "soon", "column 9 (Timelimit): found 'soon', expected a duration"),
        ] {
            let mut fields = GOOD;
            fields[column - 1] = found;
            let problem = read("sacct", HEADING, &[&fields.join("|")]).expect_err(found).to_string();
            assert!(problem.starts_with(message), "{problem}");
        }
        let short = read("sacct", HEADING, &[&GOOD[..4].join("|")]).expect_err("short").to_string();
        assert_eq!(short, "4 fields, expected 12");
        let heading = HEADING.replace("|JobName", "");
        let long = read("sacct", &heading, &[&GOOD.join("|")]).expect_err("long").to_string();
        assert_eq!(long, "column 12 (beyond the heading): found 'n[1-3]', expected the end of the line");
        for spec in ["sacct:unit=sockets", "sacct:time-zone=Mars", "sacct:arrival=soon", "sacct:colour=red"] {
            assert!(Sacct::new(&spec.parse().expect("a spec")).is_err(), "{spec}");
        }
    }
}
