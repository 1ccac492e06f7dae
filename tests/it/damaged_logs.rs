//! Damaged logs and results: errors with an exit code, in time, and without leftovers.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use meshreplay::frame::{FileFormat, write_to};
use polars_core::prelude::{Column, DataFrame};

use super::support::{Tested, contents, run, wrong};

const CSV: &str = "id,name,submit,start,end,nodes\n1,a,0,0,10,2\n2,b,5,10,20,2\n3,c,6,20,30,4\n";

/// Returns a table of these jobs in a binary format.
fn table(format: FileFormat) -> Result<Vec<u8>, Box<dyn Error>> {
    let columns =
        [("id", [1_i64, 2, 3]), ("submit", [0, 5, 6]), ("start", [0, 10, 20]), ("end", [10, 20, 30])];
    let columns = columns.into_iter().chain([("nodes", [2, 2, 4])]);
    let columns = columns.map(|(name, values)| Column::new(name.into(), values.to_vec())).collect();
    let mut bytes = Vec::new();
    write_to(&mut bytes, &mut DataFrame::new_infer_height(columns)?, format, "{}")?;
    Ok(bytes)
}

#[test]
fn damaged_binary_tables_end_no_command() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for format in [FileFormat::Parquet, FileFormat::Arrow] {
        let sound = table(format)?;
        fs::write(at.join("jobs.bin"), &sound)?;
        let ran = run(at, "trace validate jobs.bin")?;
        assert!(ran.code == Some(0) && ran.stdout.contains("jobs: 3"), "{}{}", ran.stdout, ran.stderr);
        // Every so many-th byte in turn; `make fuzz` tries more.
        for place in (6..sound.len()).step_by(sound.len() / 24) {
            let mut damaged = sound.clone();
            damaged[place] ^= 0x6d;
            fs::write(at.join("jobs.bin"), &damaged)?;
            let ran = run(at, "trace validate jobs.bin")?;
            assert!(matches!(ran.code, Some(0 | 1)), "byte {place}: {:?} {}", ran.code, ran.stderr);
        }
        fs::write(at.join("jobs.bin"), [&sound[..], &sound[..]].concat())?;
        let message = wrong(at, 1, "trace info jobs.bin")?;
        assert!(message.contains("put together"), "{message}");
    }
    Ok(())
}

/// A quote that is not closed would hide the jobs up to the next one.
#[test]
fn stray_quotes_in_schedules_of_batsim_are_errors() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let job =
        |job: u32, text: &str| format!("{job},{0},2,90,1,{0},90,{1},0-1,{text}\n", 200 * job, 200 * job + 90);
    let heading = "job_id,submission_time,requested_number_of_resources,requested_time,success,starting_time,\
                   execution_time,finish_time,allocated_resources,metadata\n";
    let table = |texts: [&str; 6]| {
        heading.to_owned() + &(1..).zip(texts).map(|(number, text)| job(number, text)).collect::<String>()
    };
    fs::write(at.join("sound.csv"), table(["", "\"a, b\"", "", "\"\"", "\"a \"\"b\"\"\"", ""]))?;
    assert_eq!(run(at, "audit sound.csv -m 2x2")?.code, Some(0));
    for (texts, line) in [(["", "\"x", "", "", "y\"", ""], 3), (["", "", "12\" wide", "", "", "\"z"], 4)] {
        fs::write(at.join("stray.csv"), table(texts))?;
        for arguments in ["audit stray.csv -m 2x2", "compare sound.csv stray.csv"] {
            let message = wrong(at, 2, arguments)?;
            assert!(message.contains(&format!("stray.csv:{line}: a quote is not closed")), "{message}");
        }
    }
    Ok(())
}

#[test]
fn files_that_cannot_be_compared_are_no_differences() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let swf = |wait: &str| {
        format!(
            "1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 1 -1 -1 -1\n2 5 {wait} 9 2 -1 -1 2 9 -1 1 1 1 -1 1 -1 -1 -1\n"
        )
    };
    fs::write(at.join("a.swf"), swf("5"))?;
    fs::write(at.join("b.swf"), swf("6"))?;
    fs::write(at.join("c.swf"), swf("x"))?;
    for (arguments, code) in [
        ("compare a.swf a.swf", 0),
        ("compare a.swf b.swf", 1),
        ("compare a.swf c.swf", 2),
        ("compare a.swf missing.swf", 2),
        ("audit a.swf -m 2x2", 0),
        ("audit c.swf -m 2x2", 2),
    ] {
        let ran = run(at, arguments)?;
        assert_eq!(ran.code, Some(code), "{arguments}: {}{}", ran.stdout, ran.stderr);
    }
    Ok(())
}

#[test]
fn arguments_of_dates_are_idle_in_formats_without_them() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("a.swf"), "1 0 5 20 2 -1 -1 2 20 -1 1 3 1 -1 1 -1 -1 -1\n")?;
    for arguments in ["trace info a.swf", "trace info a.swf --input-format swf"] {
        let ran = run(at, &format!("{arguments} --time-zone Europe/Berlin"))?;
        let text = ran.stdout + &ran.stderr;
        assert!(ran.code == Some(0) && text.contains("--time-zone changes nothing"), "{arguments}: {text}");
    }
    let message = wrong(at, 2, "trace info a.swf --input-format swf --time-zone Nowhere")?;
    assert!(message.contains("Nowhere"), "{message}");
    Ok(())
}

#[test]
fn carriage_returns_and_escapes_of_headings_and_names_reach_no_file() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let csv = CSV.replace("name", "na\u{1b}[2Jme,us\rer").replace(",a,", ",a,x\u{1b}[31m\ry,");
    fs::write(at.join("a.csv"), csv.replace(",b,", ",b,z,").replace(",c,", ",c,z,"))?;
    let columns = "--columns user=3,submit=submit,start=start,end=end,procs=nodes,job=id";
    let ran = run(at, &format!("trace convert a.csv a.swf {columns} --time-zone UTC"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for format in ["csv", "json"] {
        let replay = "-m 4x4 -s fcfs -a naive --no-timing -q --time-zone UTC";
        let ran = run(at, &format!("replay a.csv {columns} {replay} -o out-{format} --format {format}"))?;
        assert!(ran.code == Some(0) && !ran.stdout.contains('\u{1b}'), "{}{}", ran.stdout, ran.stderr);
    }
    for (name, bytes) in contents(at)?.into_iter().filter(|(name, _)| name != "a.csv") {
        assert!(!bytes.iter().any(|byte| matches!(byte, b'\r' | 0x1b)), "{name}: {}", bytes.escape_ascii());
    }
    Ok(())
}

/// A limit of the size of files is an error, and leaves neither files nor a dead process.
#[cfg(target_os = "linux")]
#[test]
fn files_beyond_the_limit_of_the_system_are_errors() -> Tested {
    let directory = tempfile::tempdir()?;
    let at: &Path = directory.path();
    let program = env!("CARGO_BIN_EXE_meshreplay");
    let replay = "replay synthetic:jobs=3000,rate=0.8,service=20 -m 8x8 -a hilbert+bf -o out --no-timing -q";
    let output = Command::new("sh")
        .current_dir(at)
        .args(["-c", &format!("ulimit -f 8; '{program}' {replay}")])
        .output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && stderr.contains("error:"), "{}: {stderr}", output.status);
    let left = contents(at)?;
    assert!(left.is_empty(), "{:?}", left.keys());
    Ok(())
}
