//! Guests, that is algorithms as objects of the caller or as external programs, give the same results as the
//! built-in algorithms.

use std::fs;
use std::sync::Arc;

use meshreplay_alloc::allocator::{Allocator, Foresight, Placement, Request, Served, Strategy};
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::Machine;
use meshreplay_sim::execution::Started;
use meshreplay_sim::guest::{Dispatched, Dispatcher, Guests, OwnRunTimes, RunTime};
use meshreplay_sim::metrics::Monitor;
use meshreplay_sim::scheduler::View;
use meshreplay_study::study::{JobSource, Options, Outcome, Replay, ReplaySpec, RunError};
use meshreplay_testing::in_repository;

use crate::support::{Numbers, Tested, placements, records};

/// Generated jobs that compete for 8x8 nodes.
fn jobs(count: i64) -> Vec<Job> {
    let (mut numbers, mut submit) = (Numbers(20), 0);
    let job = |number| {
        submit += i64::from(numbers.below(40));
        let run = Time::from_seconds(1 + i64::from(numbers.below(300)));
        let estimate = run + Time::from_seconds(i64::from(numbers.below(200)));
        let procs = 1 + numbers.below(if number % 7 == 0 { 40 } else { 12 });
        Job { number, submit: Time::from_seconds(submit), run, estimate, procs, ..Job::default() }
    };
    (1..=count).map(job).collect()
}

/// Replays generated jobs on 8x8 nodes with a scheduler, an allocator and a network.
fn replayed(guests: &Guests, specs: [&str; 3]) -> Result<Outcome, RunError> {
    replayed_on("8x8", guests, specs)
}

/// Replays the jobs on this machine.
fn replayed_on(
    machine: &str,
    guests: &Guests,
    [scheduler, allocator, network]: [&str; 3],
) -> Result<Outcome, RunError> {
    let mut spec =
        ReplaySpec::new(machine.parse().expect("a machine"), scheduler.parse()?, allocator.parse()?);
    spec.network = Arc::new(network.parse()?);
    let mut replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs(300)), 0));
    replay.guests = guests.clone();
    let options = Options { jobs: true, placements: true, ..Options::default() };
    Ok(replay.run(&options, &Monitor::default())?.remove(0))
}

/// The error of a replay that fails.
fn failure(guests: &Guests, specs: [&str; 3]) -> String {
    replayed(guests, specs).err().map(|error| error.to_string()).unwrap_or_default()
}

/// Asserts that two replays have the same starts, ends and nodes.
fn assert_same(guests: &Guests, ours: [&str; 3], theirs: [&str; 3]) -> Tested {
    let (a, b) = (replayed(guests, ours)?, replayed(guests, theirs)?);
    assert_eq!(records(&a), records(&b), "{ours:?} {theirs:?}");
    assert_eq!(placements(&a), placements(&b), "{ours:?} {theirs:?}");
    Ok(())
}

/// Takes the free nodes with the lowest numbers, but fails at its `dies_at`-th proposal.
struct Lowest {
    dies_at: u32,
    stop: Stop,
}

impl Allocator for Lowest {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.dies_at = self.dies_at.saturating_sub(1);
        if self.dies_at == 0 {
            self.stop.fail("guest:lowest: it was tired".to_owned());
            return None;
        }
        Some(Placement::of(machine.free().iter().take(request.procs as usize).collect()))
    }
}

fn lowest(dies_at: u32, is_counted: bool) -> Guests {
    Guests::default().with_allocator("lowest", move |setup| {
        let strategy = Strategy::of(Lowest { dies_at, stop: setup.stop.clone() });
        Ok(if is_counted { strategy } else { strategy.served(Served::ByState(Foresight::Proposes)) })
    })
}

#[test]
fn an_object_of_the_caller_allocates_as_ours_does() -> Tested {
    for scheduler in ["fcfs", "easy", "conservative"] {
        let specs = |allocator| [scheduler, allocator, "recorded"];
        assert_same(&lowest(u32::MAX, true), specs("naive"), specs("guest:lowest"))?;
    }
    assert_same(&lowest(u32::MAX, false), ["fcfs", "naive", "recorded"], ["fcfs", "guest:lowest", "recorded"])
}

#[test]
fn a_guest_that_fails_ends_its_replay_with_its_message() {
    for dies_at in [1, 2, 60, 200] {
        for is_counted in [true, false] {
            let found = failure(&lowest(dies_at, is_counted), ["fcfs", "guest:lowest", "recorded"]);
            // The message names the instant of a replay. An allocator that is asked for sizes fails before.
            let message = found.strip_prefix("at ").and_then(|rest| rest.split_once(" s: "));
            assert!(message.is_some() || !is_counted, "{dies_at}: {found}");
            let message = message.map_or(found.as_str(), |(_, message)| message);
            assert_eq!(message, "guest:lowest: it was tired", "{dies_at} {is_counted}");
        }
    }
    let found = failure(&lowest(9, true), ["fcfs", "guest:lowst", "recorded"]);
    assert!(found.contains("unknown allocator 'lowst', did you mean 'lowest'?"), "{found}");
    let found = failure(&Guests::default(), ["guest:mine", "naive", "recorded"]);
    assert!(
        found.contains("found 'guest:mine', expected another scheduler; guest:NAME is an object"),
        "{found}"
    );
    let dead = Guests::default().with_allocator("dead", |_| Err("guest:dead: no licence".to_owned()));
    assert_eq!(failure(&dead, ["fcfs", "guest:dead", "recorded"]), "guest:dead: no licence");
}

/// Starts the oldest jobs while they fit, all in one answer.
struct Oldest;

impl Dispatcher for Oldest {
    fn dispatch(&mut self, view: &dyn View, refused: &[JobId]) -> Vec<JobId> {
        let mut free = view.free();
        let fits = |waiting: &meshreplay_sim::scheduler::Waiting| {
            let is_next = refused.is_empty() && waiting.nodes.least <= free;
            free -= if is_next { waiting.nodes.least } else { 0 };
            is_next
        };
        view.queue().iter().take_while(fits_of(fits)).map(|waiting| waiting.job).collect()
    }
}

/// Converts a function with state to a condition.
fn fits_of<T>(mut is_so: impl FnMut(&T) -> bool) -> impl FnMut(&T) -> bool {
    move |value| is_so(value)
}

/// Starts every waiting job, even refused ones.
struct Greedy;

impl Dispatcher for Greedy {
    fn dispatch(&mut self, view: &dyn View, _refused: &[JobId]) -> Vec<JobId> {
        view.queue().iter().map(|waiting| waiting.job).collect()
    }
}

/// Starts the same jobs at each call.
struct Fixed(&'static [JobId]);

impl Dispatcher for Fixed {
    fn dispatch(&mut self, _view: &dyn View, _refused: &[JobId]) -> Vec<JobId> {
        self.0.to_vec()
    }
}

#[test]
fn an_object_of_the_caller_schedules_as_ours_does() -> Tested {
    let guests = Guests::default()
        .with_scheduler("oldest", |setup| Ok(Box::new(Dispatched::new(Oldest, setup.label, setup.stop))))
        .with_scheduler("greedy", |setup| Ok(Box::new(Dispatched::new(Greedy, setup.label, setup.stop))))
        .with_scheduler("idle", |setup| Ok(Box::new(Dispatched::new(Fixed(&[]), setup.label, setup.stop))))
        .with_scheduler("twice", |setup| {
            Ok(Box::new(Dispatched::new(Fixed(&[0, 0]), setup.label, setup.stop)))
        })
        .with_scheduler("wrong", |setup| {
            Ok(Box::new(Dispatched::new(Fixed(&[299]), setup.label, setup.stop)))
        });
    for allocator in ["naive", "first-fit", "mbs"] {
        assert_same(&guests, ["fcfs", allocator, "recorded"], ["guest:oldest", allocator, "recorded"])?;
    }
    let found = failure(&guests, ["guest:greedy", "naive", "recorded"]);
    assert!(found.contains("scheduler 'guest:greedy' starts job ") && found.contains("refused"), "{found}");
    let found = failure(&guests, ["guest:idle", "naive", "recorded"]);
    assert!(found.contains("job 1 of ") && found.contains("'guest:idle' does not name it, or"), "{found}");
    for (name, words) in [("twice", "which its list has twice"), ("wrong", "job 299, which does not wait")] {
        let found = failure(&guests, [&format!("guest:{name}"), "naive", "recorded"]);
        assert!(found.contains(words), "{found}");
    }
    Ok(())
}

/// Multiplies every run time.
struct Times(i64);

impl RunTime for Times {
    fn run_time(&mut self, started: &Started<'_>) -> Option<Time> {
        Some(Time::from_micros(started.job.run.as_micros() * self.0))
    }
}

#[test]
fn an_object_of_the_caller_says_how_long_jobs_run() -> Tested {
    let times = |factor| {
        Guests::default().with_network("times", move |_| Ok(Box::new(OwnRunTimes::new(Times(factor)))))
    };
    assert_same(&times(1), ["easy", "naive", "recorded"], ["easy", "naive", "guest:times"])?;
    let doubled = replayed(&times(2), ["fcfs", "naive", "guest:times"])?;
    for (record, job) in doubled.jobs.iter().map(|job| &job.record).zip(jobs(300)) {
        assert_eq!(record.end - record.start, job.run + job.run);
    }
    Ok(())
}

/// Returns a program for `sh` that answers the greeting with `hello` and then runs `rest`.
fn script(folder: &tempfile::TempDir, hello: &str, rest: &str) -> Result<String, Box<dyn std::error::Error>> {
    let path = folder.path().join("guest.sh");
    fs::write(&path, format!("read question\n{hello}\n{rest}\n"))?;
    Ok(format!("exec:timeout=0.5 sh {}", path.display()))
}

#[test]
#[cfg(unix)]
fn programs_that_misbehave_are_told_apart() -> Tested {
    let folder = tempfile::tempdir()?;
    let hello = r#"echo '{"id":0,"protocol":1,"what":{"is":["new"]}}'"#;
    let then = |text: &str| format!("read question\n{text}");
    for (hello, rest, words) in [
        (
            "echo no licence >&2; exit 3",
            "",
            "the program ended (exit status: 3) before it answered; its last lines on standard error:\n    \
                 no licence (asked to 'hello')",
        ),
        (
            hello,
            &then("echo lost >&2; kill -9 $$"),
            "the program ended (signal: 9 (SIGKILL)) before it answered",
        ),
        (
            hello,
            "exit 0",
            "the program ended (exit status: 0) before it answered; it wrote nothing to standard error",
        ),
        ("exec >&-; sleep 20", "", "it closed its standard output"),
        ("echo hello", "", "it answered 'hello', expected one line with a JSON object"),
        ("echo '{\"id\":0}'", "", "missing field `protocol`"),
        ("echo '{\"id\":0,\"protocol\":2}'", "", "it speaks version 2 of the protocol, expected 1"),
        ("echo '{\"id\":0,\"error\":\"too many nodes\"}'", "", "it says: too many nodes"),
        ("echo '{\"id\":0,\"protocol\":1,\"served\":\"always\"}'", "", "unknown variant `always`"),
        ("echo '{\"id\":0,\"protocol\":1,\"free\":false}'", "", "it says \"free\":false"),
        (&format!("{hello}; {hello}"), "cat >/dev/null", "it answered question 0 twice"),
        ("sleep 20", "", "it did not answer within 0.5 s"),
        (hello, &then("sleep 20"), "it did not answer within 0.5 s, which exec:timeout=SECONDS changes"),
        ("yes", "", "it answered 'y'"),
        ("cat /dev/zero", "", "it wrote a line of more than"),
        (
            "yes flood >&2",
            "",
            "it did not answer within 0.5 s, which exec:timeout=SECONDS changes; its last lines on standard \
                 error:\n    flood",
        ),
        (hello, &then("echo '{\"id\":1,\"nodes\":[0,0,0]}'"), "its placement has"),
        (hello, &then("echo '{\"id\":1,\"nodes\":7}'"), "which is no answer to this question"),
        (hello, &then("echo '{\"id\":9,\"nodes\":null}'"), "expected \"id\":1"),
    ] {
        let spec = script(&folder, hello, rest)?;
        let found = failure(&Guests::default(), ["fcfs", &spec, "recorded"]);
        assert!(found.starts_with(&format!("allocator '{spec}': ")), "{hello} {rest}: {found}");
        assert!(found.contains(words), "{hello} {rest}: {found}");
    }
    let counted = r#"echo '{"id":0,"protocol":1,"served":"count"}'"#;
    let spec = script(&folder, counted, &then("echo '{\"id\":1,\"nodes\":null}'"))?;
    let found = failure(&Guests::default(), ["fcfs", &spec, "recorded"]);
    assert!(found.contains("and has promised \"served\":\"count\""), "{found}");
    fs::write(folder.path().join("plain.txt"), "")?;
    for (program, words) in [
        (format!("exec:{}/none", folder.path().display()), "paths are relative to the current directory"),
        (format!("exec:{}/plain.txt", folder.path().display()), "may not be executed"),
        ("exec:no-such-program-anywhere".to_owned(), "on the path"),
    ] {
        for (place, role) in ["scheduler", "allocator", "network"].into_iter().enumerate() {
            let mut specs = ["fcfs", "naive", "recorded"];
            specs[place] = &program;
            let found = failure(&Guests::default(), specs);
            assert!(found.contains(words) && found.contains(role), "{found}");
        }
    }
    Ok(())
}

#[test]
#[cfg(unix)]
fn programs_that_do_not_read_are_noticed_and_all_are_gone_afterwards() -> Tested {
    let folder = tempfile::tempdir()?;
    let pids = folder.path().join("pids");
    // The program saves its process id and the id of a child, and stops reading. One line with the free nodes
    // of 512x512 fills the pipe.
    let rest = format!("echo $$ >> {0}; sleep 60 & echo $! >> {0}; wait", pids.display());
    let spec = script(&folder, r#"echo '{"id":0,"protocol":1}'"#, &rest)?;
    let run = Time::from_seconds(1);
    let job = Job { number: 1, run, estimate: run, procs: 3, ..Job::default() };
    let replay = ReplaySpec::new("512x512".parse()?, "fcfs".parse()?, spec.parse()?);
    let replay = Replay::new(replay, JobSource::recorded(Arc::new(vec![job]), 0));
    let found = replay.run(&Options::default(), &Monitor::default()).err().map(|error| error.to_string());
    assert!(found.is_some_and(|found| found.contains("it did not read its standard input within 0.5 s")));
    let numbers = fs::read_to_string(&pids)?;
    assert_eq!(numbers.lines().count(), 2);
    for number in numbers.lines() {
        // The child is killed too, and reaped by its new parent, which takes a while on a busy machine.
        // Without the signal the child would run for a minute.
        let stat = || fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let is_gone = |stat: &str| stat.is_empty() || stat.contains(") Z ");
        let waits = (0..1000).take_while(|_| !is_gone(&stat()));
        waits.for_each(|_| std::thread::sleep(std::time::Duration::from_millis(20)));
        assert!(is_gone(&stat()), "{number} is still there: {}", stat());
    }
    Ok(())
}

#[test]
#[cfg(unix)]
fn a_program_that_promises_submeshes_is_held_to_it() -> Tested {
    let folder = tempfile::tempdir()?;
    let by_submesh = r#"echo '{"id":0,"protocol":1,"served":"submesh"}'"#;
    for (nodes, words) in [("null", "is free, and has promised"), ("[0,63]", "its placement")] {
        let answer = format!("read question\necho '{{\"id\":1,\"nodes\":{nodes}}}'");
        let spec = script(&folder, by_submesh, &answer)?;
        let found = failure(&Guests::default(), ["fcfs", &spec, "recorded"]);
        assert!(found.contains(words), "{nodes}: {found}");
    }
    Ok(())
}

#[test]
#[cfg(unix)]
fn a_program_that_chatters_on_standard_error_is_served() -> Tested {
    let folder = tempfile::tempdir()?;
    // Each answer comes after 100,000 lines on standard error. With one job at a time, the nodes are the same
    // as for `naive`.
    let rest = "n=1\nwhile read question; do seq 100000 >&2; echo \"{\\\"id\\\":$n,\\\"start\\\":[0]}\"; \
         n=$((n+1)); done";
    let spec = script(&folder, r#"echo '{"id":0,"protocol":1}'"#, rest)?;
    let spec = spec.replace("timeout=0.5", "timeout=60");
    let run = Time::from_seconds(1);
    let job = Job { number: 1, run, estimate: run, procs: 3, ..Job::default() };
    let replay = ReplaySpec::new("4x4".parse()?, spec.parse()?, "naive".parse()?);
    let replay = Replay::new(replay, JobSource::recorded(Arc::new(vec![job]), 0));
    let options = Options { jobs: true, ..Options::default() };
    assert_eq!(replay.run(&options, &Monitor::default())?[0].jobs[0].record.end, run);
    Ok(())
}

/// Returns the command of an example in the documentation, or `None` with a message if there is no Python.
fn example(file: &str) -> Option<String> {
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no python3");
        return None;
    }
    Some(format!("exec:timeout=60 python3 {}", in_repository("docs/examples").join(file).display()))
}

#[test]
#[cfg(unix)]
fn the_examples_in_python_do_what_ours_do() -> Tested {
    let Some(naive) = example("naive.py") else { return Ok(()) };
    let own = |file| example(file).unwrap_or_default();
    let none = Guests::default();
    for scheduler in ["fcfs", "easy"] {
        assert_same(&none, [scheduler, "naive", "recorded"], [scheduler, &naive, "recorded"])?;
        let first_fit = own("first_fit.py");
        for machine in ["8x8", "torus:8x8", "8x8:wrap=y"] {
            let on = |allocator| replayed_on(machine, &none, [scheduler, allocator, "recorded"]);
            let (a, b) = (on("first-fit")?, on(&first_fit)?);
            assert_eq!(records(&a), records(&b), "{scheduler} {machine}");
            assert_eq!(placements(&a), placements(&b), "{scheduler} {machine}");
        }
    }
    for allocator in ["naive", "first-fit", "hilbert+bf"] {
        assert_same(&none, ["fcfs", allocator, "recorded"], [&own("fcfs.py"), allocator, "recorded"])?;
    }
    assert_same(&none, ["easy", "naive", "recorded"], [&own("easy.py"), "naive", "recorded"])?;
    // All three guests together.
    let network = format!("{} 0", own("dispersal.py"));
    assert_same(&none, ["easy", "naive", "recorded"], [&own("easy.py"), &naive, &network])
}

#[test]
#[cfg(unix)]
fn the_example_of_easy_lets_a_job_wait_that_does_not_fit_while_nodes_are_down() -> Tested {
    let Some(command) = example("easy.py") else { return Ok(()) };
    let mut jobs = jobs(300);
    for job in jobs.iter_mut().step_by(9) {
        job.procs = 64;
    }
    let jobs = Arc::new(jobs);
    for on_outage in ["requeue", "drain"] {
        let replayed = |scheduler: &str| -> Result<Outcome, RunError> {
            let mut spec =
                ReplaySpec::new("8x8".parse().expect("a machine"), scheduler.parse()?, "naive".parse()?);
            spec.network = Arc::new("recorded".parse()?);
            let (outages, on_outage) = (Some("random:mtbf=6h,repair=10min".parse()?), on_outage.parse()?);
            let options = Options { jobs: true, placements: true, outages, on_outage, ..Options::default() };
            let replay = Replay::new(spec, JobSource::recorded(Arc::clone(&jobs), 0));
            Ok(replay.run(&options, &Monitor::default())?.remove(0))
        };
        let (ours, example) = (replayed("easy")?, replayed(&command)?);
        assert_eq!(records(&ours), records(&example), "{on_outage}");
        assert_eq!(placements(&ours), placements(&example), "{on_outage}");
    }
    Ok(())
}

#[test]
#[cfg(unix)]
fn the_example_of_dispersal_makes_jobs_run_longer_than_under_its_reference() -> Tested {
    let Some(command) = example("dispersal.py") else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let reference = folder.path().join("jobs.csv");
    // Jobs of the reference have their nodes this many hops apart.
    let hops = |i: usize| (i % 5) as f64;
    let rows: Vec<String> = (0..120).map(|i| format!("0,{}\n1,9\n", hops(i))).collect();
    std::fs::write(&reference, format!("replay,pairwise_mean\n{}", rows.concat()))?;
    let command = format!("{command} 0.5 {}", reference.display());
    for (machine, largest) in [("8x8", 14.0), ("torus:8x8", 8.0)] {
        let mut spec = ReplaySpec::new(machine.parse()?, "fcfs".parse()?, "random".parse()?);
        spec.network = Arc::new(command.parse()?);
        let replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs(120)), 0));
        let options = Options { jobs: true, ..Options::default() };
        let outcome = replay.run(&options, &Monitor::default())?.remove(0);
        for (i, (finished, job)) in outcome.jobs.iter().zip(jobs(120)).enumerate() {
            let (record, dispersal) = (&finished.record, &finished.measures.dispersal);
            let pairs = f64::from(job.procs) * (f64::from(job.procs) - 1.0) / 2.0;
            let spread = if pairs > 0.0 { dispersal.pairwise_sum as f64 / pairs / largest } else { 0.0 };
            let before = hops(i) / largest;
            let expected = job.run.as_seconds() * (1.0 + 0.5 * spread) / (1.0 + 0.5 * before);
            let found = (record.end - record.start).as_seconds();
            assert!((found - expected).abs() < 2e-6, "{machine}: job {}: {found} {expected}", job.number);
        }
    }
    Ok(())
}

#[test]
#[cfg(unix)]
fn the_example_in_c_does_what_first_fit_does() -> Tested {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("first_fit");
    let source = in_repository("docs/examples/first_fit.c");
    let mut compiled = std::process::Command::new("cc");
    compiled.args(["-O2", "-Wall", "-Werror", "-o"]).arg(&program).arg(source);
    let Ok(output) = compiled.output() else {
        println!("skipped: there is no C compiler cc");
        return Ok(());
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let command = format!("exec:timeout=60 {}", program.display());
    for scheduler in ["fcfs", "easy"] {
        let specs = |allocator| [scheduler, allocator, "recorded"];
        assert_same(&Guests::default(), specs("first-fit"), specs(&command))?;
    }
    Ok(())
}
