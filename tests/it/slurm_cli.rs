//! `meshreplay sweep --submit slurm` and `--status` with fakes of Slurm's programs. tests/slurm runs a real
//! Slurm.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use meshreplay::study::{Flag, FlagValue, OPTIONS, ReplayOption};

use super::support::{Ran, Tested, bundled, contents, differences, replaced, run, run_with};

const PROGRAM: &str = env!("CARGO_BIN_EXE_meshreplay");

/// Six cells, two to each of three shards.
const SIX: &str = "name = 'six & more'\nlogs = ['tiny.swf']\nmachines = ['4x4', '8x4']\n\
                   allocators = ['naive', 'random', 'hilbert+bf']\n";

/// Fake sbatch: saves its arguments, one per line, and its script; prints job number 11, then 12.
const SBATCH: &str = "#!/bin/sh
jobs=$(ls \"$FAKE\" | grep -c arguments)
printf '%s\\n' \"$@\" > \"$FAKE/arguments$jobs\"
for script; do :; done
cp \"$script\" \"$FAKE/script$jobs\"
echo $((jobs + 11))
";

const REFUSES: &str = "#!/bin/sh
echo 'sbatch: error: invalid partition specified: nope' >&2
echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2
exit 1
";

/// Fake squeue: prints the file `queue`, or fails as for unknown jobs if there is no such file.
const SQUEUE: &str = "#!/bin/sh
echo \"$@\" > \"$FAKE/asked\"
cat \"$FAKE/queue\" 2>/dev/null && exit 0
echo 'slurm_load_jobs error: Invalid job id specified' >&2
exit 1
";

/// A study in a directory whose name needs quotes, and a directory of fake programs.
struct Site {
    directory: tempfile::TempDir,
}

impl Site {
    fn new(programs: &[(&str, &str)]) -> Result<Self, Box<dyn Error>> {
        let site = Self { directory: tempfile::tempdir()? };
        fs::create_dir(site.at())?;
        fs::create_dir(site.programs())?;
        fs::copy(bundled("tiny.swf"), site.at().join("tiny.swf"))?;
        fs::write(site.at().join("six.toml"), SIX)?;
        for (name, script) in programs {
            site.program(name, script)?;
        }
        Ok(site)
    }

    fn at(&self) -> PathBuf {
        self.directory.path().join("it's 100% $HOME")
    }

    fn programs(&self) -> PathBuf {
        self.directory.path().join("programs")
    }

    fn program(&self, name: &str, script: &str) -> Tested {
        let path = self.programs().join(name);
        fs::write(&path, script)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(())
    }

    /// Reads a file that a fake program has saved.
    fn kept(&self, name: &str) -> Result<String, Box<dyn Error>> {
        Ok(fs::read_to_string(self.programs().join(name))?)
    }

    /// A command whose PATH has the fakes and the few tools that they need, but never the system's Slurm.
    fn command(&self, program: &str) -> Command {
        let tools = self.directory.path().join("tools");
        if fs::create_dir(&tools).is_ok() {
            for tool in ["ls", "grep", "cp", "cat", "sleep"] {
                let found = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(tool));
                if let Some(path) = found.iter().find(|path| path.exists()) {
                    std::os::unix::fs::symlink(path, tools.join(tool)).expect("a new directory takes links");
                }
            }
        }
        let mut command = Command::new(program);
        let path = format!("{}:{}", self.programs().display(), tools.display());
        command.current_dir(self.at()).env("PATH", path).env("FAKE", self.programs()).stdin(Stdio::null());
        command.env_remove("SLURM_JOB_ID");
        command
    }

    fn run(&self, arguments: &str) -> Result<Ran, Box<dyn Error>> {
        Ran::of(self.command(PROGRAM).args(arguments.split(' ')).output()?)
    }

    /// The output of `--status out`, which must end with this code.
    fn status(&self, code: i32) -> Result<String, Box<dyn Error>> {
        let ran = self.run("sweep --status out")?;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), ""), "{}", ran.stdout);
        Ok(ran.stdout)
    }

    /// The absolute path of a file of the study's directory.
    fn path(&self, file: &str) -> Result<String, Box<dyn Error>> {
        Ok(fs::canonicalize(self.at())?.join(file).display().to_string())
    }

    /// The same path, quoted for a shell.
    fn quoted(&self, file: &str) -> Result<String, Box<dyn Error>> {
        Ok(shlex::try_quote(&self.path(file)?)?.into_owned())
    }
}

#[test]
fn submitted_shards_end_as_a_local_sweep() -> Tested {
    let site = Site::new(&[("sbatch", SBATCH), ("squeue", SQUEUE)])?;
    let ran = site.run("sweep six.toml -o out --no-timing --jobs --submit slurm:array=3,cpus=2,qos=low")?;
    let note = "note: 6 of 6 cells are missing; job 11 runs them in 3 shards, then job 12 merges; \
         `meshreplay sweep --status out` tells how far they are\n";
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", note));
    let arguments = site.kept("arguments0")?;
    let scripts = fs::canonicalize(site.at())?.join("out/slurm").display().to_string();
    let common = |log: &str, cpus: u32| {
        format!(
            "--parsable\n--job-name=meshreplay-six___more\n--chdir={scripts}\n--output={log}\n--open-mode=append\n\
             --requeue\n--ntasks=1\n--cpus-per-task={cpus}\n--qos=low\n"
        )
    };
    assert_eq!(arguments, common("shard-%A_%a.log", 2) + &format!("--array=1-3\n{scripts}/shards.sh\n"));
    let merge = common("merge-%A.log", 1) + &format!("--dependency=afterany:11\n{scripts}/merge.sh\n");
    assert_eq!(site.kept("arguments1")?, merge);

    // Two tasks are in the queue, and one has ended without a result.
    fs::write(site.programs().join("queue"), "11 1 RUNNING\n11 2 PENDING\n12 N/A PENDING\n")?;
    let expected = "study six & more: 6 cells: 0 done, 2 running, 2 queued, 0 failed, 2 to do\n\
                    to do: wait for jobs 11, 12; their logs are in out/slurm\n";
    assert_eq!(site.status(1)?, expected);
    assert_eq!(site.kept("asked")?, "--noheader --array --format=%F %K %T --jobs=11,12\n");
    fs::remove_file(site.programs().join("queue"))?;
    let text = site.status(1)?;
    let sweep = format!("meshreplay sweep {} -o out --no-timing --jobs", site.quoted("six.toml")?);
    let next = format!("to resubmit: {sweep} --submit slurm:array=3,cpus=2,qos=low\nto finish: {sweep}\n");
    assert!(text.ends_with(&format!("6 to do\n{next}")), "{text}");

    // Run the scripts: one task twice at the same time, as after a requeue, and another task is killed first.
    let task = |number: u32| {
        let mut shell = site.command("/bin/sh");
        shell.arg(site.programs().join("script0")).env("SLURM_ARRAY_TASK_ID", number.to_string());
        shell.stderr(Stdio::null()).spawn()
    };
    let mut killed = task(3)?;
    killed.kill()?;
    killed.wait()?;
    for mut child in [task(1)?, task(1)?, task(2)?, task(3)?] {
        assert!(child.wait()?.success());
    }
    let output = site.command("/bin/sh").arg(site.programs().join("script1")).output()?;
    let said = "study six & more: 6 cells: 6 done, 0 running, 0 queued, 0 failed, 0 to do\n";
    let stdout = String::from_utf8(output.stdout)?;
    assert_eq!(output.status.code(), Some(0), "{stdout}{}", String::from_utf8(output.stderr)?);
    assert!(stdout.starts_with(said) && stdout.ends_with("out/summary.parquet holds them all\n"), "{stdout}");
    let ran = run(&site.at(), "sweep six.toml -o local --no-timing --jobs -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    fs::remove_dir_all(site.at().join("out/slurm"))?;
    assert_eq!(differences(&site.at().join("local"), &site.at().join("out"))?, ["place.json"]);
    let ran = site.run("sweep six.toml -o out --no-timing --jobs --submit slurm")?;
    assert_eq!(ran.stderr, "note: 6 cells are done already; nothing is submitted\n");
    Ok(())
}

/// Each flag of `sweep` alone, with the flag that it needs, and all flags together but for the one that
/// excludes another: without times there is no latency.
fn sets_of_flags() -> Vec<String> {
    let given = |row: &ReplayOption, flag: &Flag| match flag.gives {
        FlagValue::Value(_) => flag.argument(),
        FlagValue::Argument(_) => format!("{} {}", flag.argument(), row.example),
    };
    let rows = || OPTIONS.iter().filter_map(|row| Some((row, row.flag.as_ref()?)));
    let flags: Vec<_> = rows().filter(|(_, flag)| flag.is_of_sweep).collect();
    let with_needed = |(row, flag): &(&ReplayOption, &Flag)| {
        let needed = rows().find(|(_, other)| Some(other.name) == flag.needs);
        needed.map(|(row, flag)| given(row, flag) + " ").unwrap_or_default() + &given(row, flag)
    };
    let together = flags.iter().filter(|(_, flag)| flag.name != "latency");
    let all: Vec<String> = together.map(|(row, flag)| given(row, flag)).collect();
    flags.iter().map(with_needed).chain([all.join(" ")]).collect()
}

#[test]
fn shards_have_every_option_of_whoever_submits() -> Tested {
    let sets = sets_of_flags();
    assert!(sets.len() >= 5, "{sets:?}");
    for flags in sets {
        let site = Site::new(&[("sbatch", SBATCH), ("squeue", SQUEUE)])?;
        fs::write(site.at().join("six.toml"), SIX.replace(", '8x4'", ""))?;
        let command = format!("sweep six.toml -o out -q {flags}");
        let ran = site.run(&format!("{command} --submit slurm:array=2"))?;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{flags}");
        let submitted = fs::read_to_string(site.at().join("out/slurm/submitted.json"))?;
        let status = site.status(1)?;
        let finish = status.lines().find(|line| line.starts_with("to finish: ")).unwrap_or_default();
        for flag in flags.split(' ') {
            assert!(finish.contains(flag), "{flags}: {status}");
        }
        for (script, task) in [("script0", "1"), ("script0", "2"), ("script1", "")] {
            let mut shell = site.command("/bin/sh");
            let output = shell.arg(site.programs().join(script)).env("SLURM_ARRAY_TASK_ID", task).output()?;
            assert_eq!(output.status.code(), Some(0), "{flags}: {}", String::from_utf8(output.stderr)?);
        }
        let mut cells = 0;
        for entry in fs::read_dir(site.at().join("out/cells"))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let key = name.split('.').next().unwrap_or_default();
            assert!(submitted.contains(key), "{flags}: {name} is none of those submitted: {submitted}");
            // KEY.parquet is the summary; files of details have another word before the extension.
            cells += usize::from(name.matches('.').count() == 1);
        }
        assert_eq!(cells, 3, "{flags}");
        assert!(site.status(0)?.contains(": 3 cells: 3 done, "), "{flags}");
        // The original command finds nothing to do.
        let ran = site.run(&command.replace(" -q", ""))?;
        let nothing = "note: 3 cells: 3 were done, 0 replayed; out/summary.parquet is written";
        // The lines before are notes of planning, as on a node map without recorded nodes.
        let told: Vec<&str> = ran.stderr.lines().collect();
        let are_notes = told.iter().all(|line| line.starts_with("note: ") || line.starts_with("  "));
        let is_last = told.last().is_some_and(|last| last.starts_with(nothing));
        assert!(ran.code == Some(0) && are_notes && is_last, "{flags}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn only_shards_that_miss_cells_are_submitted_again() -> Tested {
    let site = Site::new(&[("sbatch", SBATCH), ("squeue", SQUEUE)])?;
    let ran = site.run("sweep six.toml -o out --shard 2/3 --no-timing -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = site.run("sweep six.toml -o out --no-timing --submit slurm:array=3 -q")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(site.kept("arguments0")?.contains("\n--array=1,3\n"), "{}", site.kept("arguments0")?);
    // The number of shards is limited to the number of cells.
    let ran = site.run("sweep six.toml -o fresh --no-timing --submit slurm:array=100 -q")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(site.kept("arguments2")?.contains("\n--array=1-6\n"), "{}", site.kept("arguments2")?);
    Ok(())
}

#[test]
fn a_dry_run_shows_scripts_and_commands_and_writes_nothing() -> Tested {
    let site = Site::new(&[("sbatch", SBATCH)])?;
    let options = "account=a,array=2,mem=2G,partition=batch,time=1:00:00";
    let ran = site.run(&format!("sweep six.toml -o out --contention --dry-run --submit slurm:{options}"))?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(!site.at().join("out").exists() && site.kept("arguments0").is_err());
    let (study, out) = (site.quoted("six.toml")?, site.quoted("out")?);
    let (shards, merge) = (site.quoted("out/slurm/shards.sh")?, site.quoted("out/slurm/merge.sh")?);
    let here = shlex::try_quote(site.path("six.toml")?.trim_end_matches("/six.toml"))?.into_owned();
    let plain = site.path("out/slurm")?;
    let chdir = format!("--chdir={plain}");
    let chdir = shlex::try_quote(&chdir)?;
    let passed = "--account=a --mem=2G --partition=batch --time=1:00:00";
    let own = |log: &str| {
        format!(
            "sbatch --parsable --job-name=meshreplay-six___more {chdir} --output={log} --open-mode=append \
             --requeue --ntasks=1 --cpus-per-task=1 {passed}"
        )
    };
    let expected = format!(
        "{plain}/shards.sh:\n\n#!/bin/sh\n# One shard of a study; any task may run again, even twice at a \
         time.\n\
         cd {here} || exit 1\n\
         exec {PROGRAM} sweep {study} -o {out} --threads 1 --contention \
         --shard \"$SLURM_ARRAY_TASK_ID/2\"\n\n\
         {plain}/merge.sh:\n\n#!/bin/sh\n# The summary of a study, whatever has become of its shards.\n\
         {PROGRAM} merge {out} -o {out} --partial\nexec {PROGRAM} sweep --status {out}\n\n\
         Commands, JOB being what the first one prints:\n\n\
         {} --array=1-2 {shards}\n{} --dependency=afterany:JOB {merge}\n",
        own("shard-%A_%a.log"),
        own("merge-%A.log")
    );
    assert_eq!(ran.stdout, expected);
    Ok(())
}

#[test]
fn a_missing_or_failing_sbatch_gets_one_clear_line() -> Tested {
    let site = Site::new(&[("squeue", SQUEUE)])?;
    let submit = "sweep six.toml -o out --no-timing --submit slurm:partition=nope";
    let refused = "sbatch refuses: invalid partition specified: nope; Batch job submission failed: Invalid \
         partition name specified; correct --submit, or ask `sinfo` what there is";
    let first = SBATCH.replace("\necho ", "\n[ $jobs = 0 ] || exit 1\necho ");
    let merge = format!("meshreplay merge {} -o {0}", site.quoted("out")?);
    for (sbatch, message) in [
        (
            None,
            "nothing is submitted: there is no sbatch on the path; submit where Slurm is installed, or see \
             what would be with --dry-run"
                .to_owned(),
        ),
        (Some(REFUSES), format!("nothing is submitted: {refused}")),
        (
            Some("#!/bin/sh\necho Submitted\n"),
            "nothing is submitted: sbatch printed 'Submitted', expected the number of a job; see `squeue \
             --me` for what it made"
                .to_owned(),
        ),
        (
            Some(&first),
            format!(
                "job 11 runs the shards, but none is submitted that merges: sbatch refuses: no reason given; \
                 correct --submit, or ask `sinfo` what there is; after it, run {merge}"
            ),
        ),
    ] {
        if let Some(sbatch) = sbatch {
            site.program("sbatch", sbatch)?;
        }
        let ran = site.run(submit)?;
        let expected = format!("error: {message}\n");
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(1), "", expected.as_str()));
    }
    // The first submission is still known.
    fs::write(site.programs().join("queue"), "11 1 RUNNING\n11 2 PENDING\n")?;
    assert!(site.status(1)?.contains("0 done, 1 running, 1 queued, 0 failed, 4 to do\n"));
    assert_eq!(site.kept("asked")?, "--noheader --array --format=%F %K %T --jobs=11\n");
    Ok(())
}

#[test]
fn a_refused_submission_leaves_the_study_as_it_was() -> Tested {
    let site = Site::new(&[("squeue", SQUEUE)])?;
    let ran = site.run("sweep six.toml -o done --no-timing -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = site.run("sweep six.toml -o half --no-timing --shard 1/3 -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let status = site.run("sweep --status half")?.stdout;
    // The next submissions replace the scripts and fail, so the old scripts must come back.
    site.program("sbatch", SBATCH)?;
    let ran = site.run("sweep six.toml -o sent --no-timing --submit slurm:array=2 -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    fs::remove_file(site.programs().join("sbatch"))?;
    for sbatch in [None, Some(REFUSES), Some("#!/bin/sh\necho Submitted\n")] {
        if let Some(sbatch) = sbatch {
            site.program("sbatch", sbatch)?;
        }
        for folder in ["done", "half", "sent", "fresh"] {
            let at = site.at().join(folder);
            let before = if at.exists() { contents(&at)? } else { BTreeMap::new() };
            let ran = site.run(&format!("sweep six.toml -o {folder} --submit slurm:partition=nope"))?;
            assert_eq!(ran.code, Some(1), "{}", ran.stderr);
            assert!(ran.stderr.starts_with("error: nothing is submitted: "), "{}", ran.stderr);
            assert_eq!(at.exists(), folder != "fresh", "{folder}");
            if at.exists() {
                assert!(contents(&at)? == before, "{folder}");
                assert_eq!(at.join("slurm").exists(), folder == "sent", "{folder}");
            }
        }
    }
    assert!(site.run("sweep --status done")?.stdout.contains(" 6 done"));
    assert_eq!(site.run("sweep --status half")?.stdout, status);
    Ok(())
}

#[test]
fn wrong_submissions_are_usage_errors_and_leave_nothing() -> Tested {
    let site = Site::new(&[("sbatch", SBATCH)])?;
    for (arguments, message) in [
        ("--submit pbs", "unknown batch system 'pbs' (one of: slurm)"),
        (
            "--submit slurm:nodes=2",
            "'slurm' has no parameter 'nodes' (it has: account, array, cpus, mem, partition, qos, time)",
        ),
        (
            "--submit slurm:array=0",
            "parameter 'array' of 'slurm' is '0': expected a whole number from 1 to 65536",
        ),
        ("--submit slurm:array=1-8", "is '1-8': expected a whole number from 1 to 65536"),
        ("--submit slurm:partition=a;b", "is 'a;b': expected letters, digits and _ . @ + -, such as batch"),
        ("--submit slurm:partition=a,b", "malformed spec 'slurm:partition=a,b': 'b' is not key=value"),
        (
            "--submit slurm:time=soon",
            "is 'soon': expected M, M:S, H:M:S, D-H, D-H:M or D-H:M:S, such as 2:30:00",
        ),
        (
            "--submit slurm:mem=4GB",
            "is '4GB': expected a whole number, and K, M, G or T if it is not megabytes",
        ),
        ("--submit slurm --shard 1/2", "cannot be used with"),
        ("--submit slurm --threads 2", "cannot be used with"),
    ] {
        let ran = site.run(&format!("sweep six.toml -o out {arguments}"))?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments}");
        assert!(ran.stderr.contains(message), "{arguments}\n{}", ran.stderr);
    }
    for arguments in
        ["sweep six.toml --status out", "sweep --status out -o out", "sweep six.toml", "sweep -o out"]
    {
        assert_eq!(site.run(arguments)?.code, Some(2), "{arguments}");
    }
    assert!(!site.at().join("out").exists());
    Ok(())
}

#[test]
fn a_status_says_what_is_left_of_a_local_sweep() -> Tested {
    let site = Site::new(&[])?;
    let ran = site.run("sweep six.toml -o out --no-timing --shard 1/3 -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let next = format!("to finish: meshreplay sweep {} -o out --no-timing\n", site.quoted("six.toml")?);
    let counted = "study six & more: 6 cells: 2 done, 0 running, 0 queued, 0 failed, 4 to do\n";
    assert_eq!(site.status(1)?, format!("{counted}{next}"));
    // A directory without the files that contain its options.
    fs::remove_file(site.at().join("out/unfinished.json"))?;
    fs::remove_file(site.at().join("out/place.json"))?;
    let usual = "to finish: meshreplay sweep STUDY.toml -o out --no-timing\n\
                 STUDY.toml stands for the file of the study; leave out options that are keys of that file\n";
    assert_eq!(site.status(1)?, format!("{counted}{usual}"));
    // Run the printed command in a shell.
    assert_eq!(site.run("sweep six.toml -o out --no-timing --shard 2/3 -q")?.code, Some(0));
    let command = next.trim_start_matches("to finish: ").replacen("meshreplay", PROGRAM, 1);
    assert!(site.command("/bin/sh").args(["-c", &command]).stderr(Stdio::null()).status()?.success());
    let all = "study six & more: 6 cells: 6 done, 0 running, 0 queued, 0 failed, 0 to do\n";
    assert_eq!(site.status(0)?, format!("{all}out/summary.parquet holds them all\n"));
    assert!(!site.at().join("out/unfinished.json").exists());
    // Killed between the last cell and the summary.
    fs::remove_file(site.at().join("out/summary.parquet"))?;
    assert_eq!(site.status(1)?, format!("{all}to finish: meshreplay merge out -o out\n"));
    assert_eq!(site.run("merge out -o out -q")?.code, Some(0));
    assert_eq!(site.status(0)?, format!("{all}out/summary.parquet holds them all\n"));
    Ok(())
}

#[test]
fn a_status_names_failed_cells_until_they_succeed() -> Tested {
    let site = Site::new(&[])?;
    fs::write(site.at().join("six.toml"), SIX.replace("8x4", "3x3"))?;
    let ran = site.run("sweep six.toml -o out --no-timing -q")?;
    assert_eq!(ran.code, Some(1));
    let text = site.status(1)?;
    let mut lines = text.lines();
    let counted = "study six & more: 6 cells: 3 done, 0 running, 0 queued, 3 failed, 0 to do";
    assert_eq!(lines.next(), Some(counted));
    // The status lists the same failures as the sweep.
    let mut said: Vec<&str> = ran.stderr.lines().filter(|line| !line.ends_with("are kept")).collect();
    let mut named: Vec<&str> = lines.by_ref().take(6).collect();
    said.sort_unstable();
    named.sort_unstable();
    assert_eq!(named, said);
    assert!(lines.next().is_some_and(|line| line.starts_with("to finish: meshreplay sweep ")), "{text}");
    // A failure is dropped when the cell has a result from anywhere, here from a copied file.
    let cells = fs::read_dir(site.at().join("out/cells"))?.collect::<Result<Vec<_>, _>>()?;
    let files: Vec<PathBuf> = cells.into_iter().map(|entry| entry.path()).collect();
    let finished = files.iter().find(|name| name.extension().is_some_and(|end| end == "parquet"));
    for failed in files.iter().filter(|name| name.to_string_lossy().ends_with(".failed.txt")) {
        let result = failed.to_string_lossy().replace(".failed.txt", ".parquet");
        let finished = finished.ok_or("no cell is finished")?;
        let key = |path: &Path| path.file_name().map(|name| name.as_encoded_bytes()[..64].to_vec());
        let (Some(from), Some(to)) = (key(finished), key(failed)) else { continue };
        fs::write(result, replaced(fs::read(finished)?, &from, &to))?;
    }
    assert_eq!(site.run("merge out -o out -q")?.code, Some(0));
    assert!(site.status(0)?.contains("6 done, 0 running, 0 queued, 0 failed, 0 to do\n"));
    let left = fs::read_dir(site.at().join("out/cells"))?.flatten();
    assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().contains("failed")));
    Ok(())
}

#[test]
fn a_status_without_a_study_or_a_queue_says_so() -> Tested {
    let site = Site::new(&[("sbatch", SBATCH)])?;
    for (folder, problem) in [
        (".", ". holds no study.json; expected a directory that `meshreplay sweep -o` made"),
        ("none", "none holds no study.json; expected a directory that `meshreplay sweep -o` made"),
        ("six.toml", "six.toml holds no study.json; expected a directory that `meshreplay sweep -o` made"),
    ] {
        let ran = run_with(&site.at(), &["sweep", "--status", folder], b"")?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
        assert_eq!(ran.stderr, format!("error: {problem}\n"));
    }
    let ran = site.run("sweep six.toml -o out --no-timing --submit slurm -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let note = "note: there is no squeue on the path; cells of tasks that run or wait count as to do\n";
    assert!(site.status(1)?.contains(note));
    site.program("squeue", "#!/bin/sh\necho 'squeue: error: cannot reach the controller' >&2\nexit 1\n")?;
    let note = "note: squeue: cannot reach the controller; cells of tasks that run or wait count as to do\n";
    assert!(site.status(1)?.contains(note));
    fs::write(site.at().join("out/slurm/submitted.json"), "[{]")?;
    let ran = site.run("sweep --status out")?;
    assert_eq!(ran.code, Some(1));
    let problem = "error: out/slurm/submitted.json is damaged; delete it, its jobs are then not counted: ";
    assert!(ran.stderr.starts_with(problem), "{}", ran.stderr);
    Ok(())
}
