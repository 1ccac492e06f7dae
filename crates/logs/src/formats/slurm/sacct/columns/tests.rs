//! Columns of `sacct` in any order and with any separator.

use super::*;

#[test]
fn every_name_that_is_read_is_on_the_pages() {
    let mut told: Vec<&str> = READS.iter().flat_map(|(names, _)| names.split(", ")).collect();
    let mut names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
    told.sort_unstable();
    names.sort_unstable();
    assert_eq!(told, names);
}

#[test]
fn headings_are_recognised() {
    assert!(is_heading(b"JobID|Submit|Start|End|NNodes"));
    assert!(is_heading(b"Submit|jobidraw|"));
    assert!(is_heading(b"\"JobID\",\"Submit\",\"Start\",\"End\",\"State\",\"NNodes\""));
    assert!(is_heading(b"JobIDRaw\tSubmit\tStart\tElapsed\tState\tNNodes"));
    assert!(is_heading(b"JobIDRaw;Submit;Start;Elapsed;State;NNodes;JobName;ReqMem;MaxRSS;TRESUsageInTot;"));
    // Tables of other programs, and dumps without the needed columns.
    for other in [
        "jobid,submit,start,end,state,nnodes",
        "JobID,Submit,Start,End,NNodes",
        "JobID,Submit,Start,State,NNodes",
        "JobID,Submit,Start,End,State,NNodes,Walltime",
    ] {
        assert!(!is_heading(other.as_bytes()), "{other}");
    }
    for (heading, separator) in [
        ("JobID^|^Submit^|^Start^|^End^|^State^|^NNodes^|^", "^|^"),
        ("JobIDRaw::Submit::Start::End::State::NNodes", "::"),
        ("JobID~Submit~Start~End~State~NNodes~", "~"),
    ] {
        let found = Heading::parse(heading.as_bytes(), Unit::Nodes).expect(heading);
        assert_eq!(found.separator, Separator::Text(separator.into()), "{heading}");
        assert_eq!(found.columns.len(), 6, "{heading}");
    }
    let widths =
        "       JobID              Submit               Start                 End      State   NNodes ";
    assert_eq!(Separator::of(widths.as_bytes()), Some(Separator::Widths(Vec::new())));
    assert!(!is_heading(b"JobID Submit Start End State NNodes"));
    for other in
        ["1 0 -1 60 4", "JobID Submit", "JobID|Start", "a|b", "05/13/2024 10:00:00;E;1.host;user=x|y"]
    {
        assert!(!is_heading(other.as_bytes()), "{other}");
    }
}

#[test]
fn columns_stand_anywhere_and_better_names_go_first() {
    let heading = Heading::parse(b"NCPUS|JobName|End|Submit|AllocCPUS|JobID|Start|NNodes|", Unit::Nodes)
        .expect("whole");
    assert_eq!((heading.columns.len(), heading.free, heading.closes.get()), (8, vec![1], Some(true)));
    assert_eq!((heading.columns[0], heading.columns[4]), (None, Some(Column::AllocCpus)));
    assert_eq!(heading.fields[Column::Nodes as usize], 8);
    let two = Heading::parse(b"JobID|Submit|Start|End|NNodes|JobName|Comment", Unit::Nodes).expect("whole");
    assert_eq!(two.free, [5, 6]);
}

#[test]
fn missing_columns_are_named() {
    for (heading, unit, missing) in [
        ("Submit|Start|End|NNodes", Unit::Nodes, "JobID"),
        ("JobID|Start|End|NNodes", Unit::Nodes, "Submit"),
        ("JobID|Submit|ElapsedRaw|NNodes", Unit::Nodes, "Start"),
        ("JobID|Submit|Start|NNodes", Unit::Nodes, "End"),
        ("JobID|Submit|Start|End|AllocCPUS", Unit::Nodes, "NNodes"),
        ("JobID|Submit|Start|End|NNodes", Unit::Cpus, "AllocCPUS"),
        ("JobID|Submit|Start|End|NNodes|AllocCPUS", Unit::Gpus, "AllocTRES"),
    ] {
        let problem = Heading::parse(heading.as_bytes(), unit).expect_err(heading).to_string();
        assert!(problem.starts_with(&format!("the heading has no {missing}; this one has")), "{problem}");
        assert!(problem.contains("sacct -a -P -o JobIDRaw,Submit"), "{problem}");
    }
    assert!(
        Heading::parse(
            COMMAND.rsplit(' ').next().unwrap_or_default().replace(',', "|").as_bytes(),
            Unit::Gpus
        )
        .is_ok()
    );
}

#[test]
fn every_column_has_a_name() {
    for (_, column) in NAMES {
        assert!(!name_of(*column).is_empty());
    }
}
