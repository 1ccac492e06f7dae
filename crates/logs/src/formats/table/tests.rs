//! Tables as sites write them: steps of jobs, dates of spreadsheets.

use super::*;

#[test]
fn steps_of_jobs_are_left_out_whatever_separates_the_columns() -> Result<(), Box<dyn std::error::Error>> {
    let dump = "JobID|User|Submit|Start|End|Elapsed|State|NNodes\n\
                1|anna|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|4\n\
                1.batch||2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|1\n\
                1.0||2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|4\n\
                2_3|bob|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|4\n\
                2_3.extern||2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|4\n\
                2_3.12||2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|4\n\
                1.batch||2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|1\n\
                2_3.0+0||2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|4\n\
                2_3.5||2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|4\n\
                5.0|eve|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T11:00:00|01:00:00|COMPLETED|4";
    for delimiter in [",", "\t", ";"] {
        let mut parser = (TABLE.parser)(&"table:time-zone=UTC".parse()?)?;
        let mut jobs = Vec::new();
        for line in dump.replace('|', delimiter).lines() {
            if let Parsed::Record(record, _) = parser.parse(line.as_bytes())? {
                jobs.push(record.job);
            }
        }
        // A job number with a fraction is no step unless its job came before.
        assert_eq!(jobs, [1, 2_000_003, 5], "{delimiter:?}");
        let counts = parser.facts().counts;
        assert!(counts.contains(&(STEPS, 7)), "{counts:?}");
    }
    Ok(())
}

#[test]
fn days_of_spreadsheets_are_named() -> Result<(), Box<dyn std::error::Error>> {
    for (lines, is_named) in [
        ("45000.5,45000.5,45000.75,4\n45001.25,45001.25,45002,4\n", true),
        ("45000,45000,45001,4\n", false),
        ("45000.5,45000.5,90000.75,4\n", false),
        ("0.5,45000.5,45000.75,4\n", false),
    ] {
        let mut parser = (TABLE.parser)(&"table".parse()?)?;
        for line in ["submit,start,end,procs"].into_iter().chain(lines.lines()) {
            parser.parse(line.as_bytes())?;
        }
        let facts = parser.facts();
        let named = facts.notes.iter().any(|note| note.contains("the days of a spreadsheet"));
        assert_eq!(named, is_named, "{lines}{:?}", facts.notes);
    }
    Ok(())
}

/// Splitting all lines again for each of them would take minutes.
#[test]
fn quoted_text_over_many_lines_takes_linear_time() -> Result<(), Box<dyn std::error::Error>> {
    for line in ["", "\"\"", "\",\""] {
        let mut parser = (TABLE.parser)(&"table:quoted-newlines=yes".parse()?)?;
        parser.parse(b"name,submit,start,end,procs")?;
        parser.parse(b"\"run")?;
        let read = (0..1_000_000).find_map(|_| parser.parse(line.as_bytes()).err());
        let problem = read.or_else(|| parser.finish().err()).expect("an open quote").to_string();
        assert!(problem.contains("expected a closing quote"), "{problem}");
    }
    Ok(())
}

/// Files in Parquet and Arrow have types of columns that no field of a job has.
#[test]
fn columns_of_unread_types_are_named() -> Result<(), Box<dyn std::error::Error>> {
    for is_binary in [true, false] {
        let mut parser = (TABLE.parser)(&"table".parse()?)?;
        if is_binary {
            parser.trust_quotes();
        }
        for line in ["submit,start,end,nodes,\"nodelist (type not read: fixed-size list)\"", "1,2,3,4,"] {
            parser.parse(line.as_bytes())?;
        }
        let notes = parser.facts().notes;
        let note = "column 'nodelist' is not read: its type is fixed-size list".to_owned();
        assert_eq!(notes.contains(&note), is_binary, "{notes:?}");
    }
    Ok(())
}
