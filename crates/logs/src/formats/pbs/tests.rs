//! Tests of accounting files.

use super::*;
use meshreplay_base::spec::Spec;

const PRO: &str = "05/13/2024 11:00:00;E;123.pbs01;user=anna group=phys account=\"a b\" jobname=run.sh \
     queue=workq ctime=1715594400 qtime=1715594401 etime=1715594402 start=1715594460 exec_host=n1/0*4+n2/0*4 \
     exec_vnode=(n1:ncpus=4)+(n2:ncpus=4) Resource_List.ncpus=8 Resource_List.nodect=2 \
     Resource_List.place=pack Resource_List.select=2:ncpus=4 Resource_List.walltime=01:00:00 session=4711 \
     end=1715598060 Exit_status=0 resources_used.cput=02:00:00 resources_used.walltime=01:00:00 run_count=1";
const TORQUE: &str = "05/13/2024 11:00:01;E;124[7].pbs01;user=bert group=chem jobname=t queue=batch \
     ctime=1715594401 qtime=1715594401 etime=1715594401 start=1715594500 exec_host=n3/0+n3/1+n4/0-1 \
     Resource_List.nodes=2:ppn=2 Resource_List.walltime=24:00 session=1 end=1715594600 Exit_status=271";

fn pbs(spec: &str) -> Pbs {
    let spec: Spec = spec.parse().expect("a spec");
    Pbs::new(Params::new(&spec)).expect("a parser")
}

fn record(pbs: &mut Pbs, line: &str) -> Result<Record, Problem> {
    match pbs.parse(line.as_bytes())? {
        Parsed::Record(record, 0) => Ok(record),
        other => panic!("{other:?}"),
    }
}

#[test]
fn ends_of_jobs_become_records() -> Result<(), Problem> {
    let mut nodes = pbs("pbs");
    let first = Record {
        job: 123,
        submit_s: 1_715_594_402,
        wait_s: 58,
        run_s: 3600,
        allocated_procs: 2,
        average_cpu_s: 3600.0,
        requested_time_s: 3600,
        status: 1,
        user: 1,
        group: 1,
        executable: 1,
        queue: 1,
        nodes: Some(1),
        ..Record::UNKNOWN
    };
    assert_eq!(record(&mut nodes, PRO)?, first);
    let second = record(&mut nodes, TORQUE)?;
    assert_eq!((second.job, second.wait_s, second.run_s, second.status), (124_000_007, 99, 100, 5));
    assert_eq!((second.allocated_procs, second.requested_time_s, second.user), (2, 86_400, 2));
    for line in ["05/13/2024 11:00:00;Q;125.pbs01;queue=workq", "05/13/2024 11:00:00;E;124[].pbs01;x=1"] {
        assert_eq!(nodes.parse(line.as_bytes())?, Parsed::NoJob);
    }
    assert_eq!(nodes.parse(b"05/13/2024 11:00:00;R;126.pbs01;")?, Parsed::NoJob);
    let facts = nodes.facts();
    assert_eq!(facts.names.of(NameKind::Nodes).collect::<Vec<_>>(), ["n1,n2", "n3,n4"]);
    assert_eq!(facts.counts.iter().map(|row| row.1).collect::<Vec<_>>(), [1, 1, 2]);
    assert!(facts.has_unix_times);
    Ok(())
}

#[test]
fn what_a_job_had_goes_before_what_it_asked_for() -> Result<(), Problem> {
    // Chunks of one CPU on one host, and processes of Torque that ask for one.
    let chunks = PRO
        .replace("exec_host=n1/0*4+n2/0*4", "exec_host=n2/0*32")
        .replace("ncpus=8", "ncpus=32")
        .replace("nodect=2", "nodect=32");
    let torque = TORQUE.replace("Resource_List.nodes", "Resource_List.ncpus=1 Resource_List.nodes");
    for (line, nodes, cpus) in [
        (chunks.as_str(), 1, 32),
        (torque.as_str(), 2, 4),
        (&PRO.replace("exec_host=n1/0*4+n2/0*4 exec_vnode=(n1:ncpus=4)+(n2:ncpus=4) ", ""), 2, 8),
    ] {
        assert_eq!(record(&mut pbs("pbs"), line)?.allocated_procs, nodes, "{line}");
        assert_eq!(record(&mut pbs("pbs:unit=cpus"), line)?.allocated_procs, cpus, "{line}");
    }
    let mut early = pbs("pbs");
    assert_eq!(record(&mut early, &PRO.replace("end=1715598060", "end=1715594400"))?.run_s, -1);
    assert!(early.facts().counts.contains(&(EARLY_ENDS, 1)));
    Ok(())
}

#[test]
fn units_and_submit_times_can_be_chosen() -> Result<(), Problem> {
    let mut cpus = pbs("pbs:unit=cpus,submit=ctime");
    let (first, second) = (record(&mut cpus, PRO)?, record(&mut cpus, TORQUE)?);
    assert_eq!((first.allocated_procs, first.wait_s, second.allocated_procs), (8, 60, 4));
    assert_eq!(record(&mut pbs("pbs:unit=gpus"), PRO)?.allocated_procs, 0);
    for (hosts, slots, odd) in [
        ("n3/0-3,5", 5, 0),
        ("n3/0,2,4", 3, 0),
        ("n3/0-15+n4/0-3,8-11+n5/2", 25, 0),
        ("n3/a,2", 1, 1),
        ("n3/0-3+n4/5-1", 5, 1),
        ("n3/0*4x+n4/1*-4", 2, 2),
        ("(n3:ncpus=x)+(n4:ncpus=4)", 5, 1),
    ] {
        let line = TORQUE.replace("n3/0+n3/1+n4/0-1", hosts);
        let mut cpus = pbs("pbs:unit=cpus");
        assert_eq!(record(&mut cpus, &line)?.allocated_procs, slots, "{hosts}");
        let counts = cpus.facts().counts;
        let found = counts.iter().find(|row| row.0 == ODD_SLOTS).map_or(0, |row| row.1);
        assert_eq!(found, odd, "{hosts}");
    }
    let wrong: Spec = "pbs:unit=racks".parse().expect("a spec");
    assert!(Pbs::new(Params::new(&wrong)).is_err());
    Ok(())
}

#[test]
fn unknown_starts_and_ends_are_no_instants() -> Result<(), Problem> {
    for (from, to, expected, count) in [
        ("start=1715594460", "start=0", (-1, 0, -1, 2), Some(NEVER_STARTED)),
        ("start=1715594460", "start=", (-1, 0, -1, 2), Some(NEVER_STARTED)),
        ("end=1715598060", "end=0", (58, -1, 2, -1), Some(STILL_RUNNING)),
        ("end=1715598060", "end=Unknown", (58, -1, 2, -1), Some(STILL_RUNNING)),
        ("ctime=1715594400", "ctime=0", (58, 3600, 2, -1), None),
    ] {
        let mut parser = pbs("pbs");
        let job = record(&mut parser, &PRO.replace(from, to))?;
        let found = (job.wait_s, job.run_s, job.allocated_procs, job.requested_procs);
        assert_eq!((found, job.nodes.is_some()), (expected, expected.2 > 0), "{to}");
        let counts = parser.facts().counts;
        assert_eq!(counts.iter().map(|row| row.0).collect::<Vec<_>>(), Vec::from_iter(count), "{to}");
    }
    let mut parser = pbs("pbs");
    let deleted = PRO.replace("start=1715594460", "start=0").replace("Exit_status=0", "Exit_status=271");
    assert_eq!(record(&mut parser, &deleted)?.status, 5);
    assert_eq!(parser.facts().counts, [(CANCELLED_EARLY, 1)]);
    Ok(())
}

#[test]
fn jobs_of_a_cray_and_of_cobalt_have_their_nodes() -> Result<(), Problem> {
    let login = PRO.replace("n1/0*4+n2/0*4", "login1/4");
    let cray = login.replace("Resource_List.ncpus=8", "Resource_List.mppwidth=256 Resource_List.mppnppn=16");
    let mut parser = pbs("pbs");
    let job = record(&mut parser, &cray)?;
    assert_eq!((job.allocated_procs, job.nodes), (16, None));
    assert_eq!(parser.facts().counts, [(CRAY, 1)]);
    let mut parser = pbs("pbs");
    assert_eq!(record(&mut parser, &cray.replace(" Resource_List.mppnppn=16", ""))?.allocated_procs, -1);
    assert_eq!(parser.facts().counts, [(CRAY, 1), (WITHOUT_NODES, 1)]);
    let cobalt = PRO
        .replace("n1/0*4+n2/0*4", "\"3840-3845,3850-3851\"")
        .replace("ctime=1715594400", "ctime=1715594400.25")
        .replace("start=1715594460", "start=1715594460.75")
        .replace("end=1715598060", "end=1715598060.5");
    let mut parser = pbs("pbs");
    let job = record(&mut parser, &cobalt)?;
    assert_eq!((job.submit_s, job.wait_s, job.run_s), (1_715_594_402, 59, 3600));
    let facts = parser.facts();
    assert_eq!((job.allocated_procs, facts.counts), (8, vec![(ROUNDED, 3)]));
    assert_eq!(facts.names.name(NameKind::Nodes, 1).as_deref(), Some("[3840-3845,3850-3851]"));
    Ok(())
}

#[test]
fn jobs_that_have_not_ended_are_counted() -> Result<(), Problem> {
    let mut parser = pbs("pbs");
    let lives =
        ["Q1 S1 E1", "Q2 S2", "Q3", "Q4 D4", "Q5 S5 D5 E5", "Q6 S6 R6", "S7 A7", "S123[]", "Q8 S8 R8 S8"];
    for event in lives.iter().flat_map(|life| life.split(' ')) {
        let (kind, id) = event.split_at(1);
        let line = PRO.replace(";E;123.pbs01;", &format!(";{kind};{id}.pbs01;"));
        parser.parse(line.as_bytes())?;
    }
    let counts = parser.facts().counts;
    let of = |what| counts.iter().find(|row| row.0 == what).map(|row| row.1);
    assert_eq!((of(STILL_WAITING), of(STILL_RUNNING)), (Some(2), Some(2)), "{counts:?}");
    Ok(())
}

#[test]
fn elements_of_arrays_have_numbers_of_their_own() {
    for (id, expected) in [
        ("123.srv", Some(Some(123))),
        ("123", Some(Some(123))),
        ("123[4].srv", Some(Some(123_000_004))),
        ("123-4.srv-1.example", Some(Some(123_000_004))),
        ("123-0.srv", Some(Some(123_000_000))),
        ("123[].srv", Some(None)),
        ("123-.srv", None),
        ("123[4.srv", None),
        ("x.srv", None),
    ] {
        assert_eq!(number_of(id), expected, "{id}");
    }
}

#[test]
fn wrong_lines_say_what_was_expected() {
    for (line, problem) in [
        ("05/13/2024 11:00:00", "1 field, expected 4"),
        (
            "05/13/2024 11:00:00;E;x.pbs;start=1",
            "column 3 (job): found 'x.pbs', expected the number of a job",
        ),
        ("05/13/2024 11:00:00;E;1.pbs;start=1", "column 4 (end): found '', expected the end"),
        (
            "05/13/2024 11:00:00;E;1.pbs;start=x end=2",
            "column 4 (start): found 'x', expected seconds since 1970",
        ),
    ] {
        let found = pbs("pbs").parse(line.as_bytes()).expect_err(line).to_string();
        assert!(found.starts_with(problem), "{line}: {found}");
    }
    assert!(is_line(PRO.as_bytes()) && !is_line(b"05/13/2024,10") && !is_line(b"1 2 3"));
}
