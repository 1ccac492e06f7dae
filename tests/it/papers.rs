//! Published numbers: walker-2010, Fig. 9, and the reference values for logs of later versions.

use super::support::{Tested, replay, shared_log};

/// Means of pairwise sums under EASY for best fit, first fit and free list, as `targets` prints them.
type Row = (&'static str, &'static str, [f64; 3]);

fn check(log: &str, machine: &str, rows: &[Row], tolerance: f64) -> Tested {
    let Some(loaded) = shared_log(log) else { return Ok(()) };
    for (order, _, expected) in rows.iter().filter(|row| row.1 == machine) {
        for (select, expected) in ["bf", "ff", "free-list"].iter().zip(expected) {
            let allocator = format!("{order}+{select}");
            let found =
                replay(&loaded.workload.jobs, machine, "easy", &allocator)?.summary.get("pairwise_sum_mean");
            let found = found.ok_or("no jobs")?;
            assert!(
                (found - expected).abs() <= tolerance,
                "{log}, {machine}, {allocator}: {found}, not {expected}"
            );
        }
    }
    Ok(())
}

#[test]
fn nasa_equals_figure_9_of_walker_2010_to_the_printed_digit() -> Tested {
    let rows = [
        ("column-snake", "16x8", [2687.0, 2701.0, 2733.0]),
        ("hilbert", "16x8", [2696.0, 2714.0, 2742.0]),
        ("row-snake", "16x8", [3072.0, 3081.0, 3096.0]),
    ];
    check("NASA-iPSC-1993-3.1-cln", "16x8", &rows, 0.5)
}

#[test]
fn nasa_equals_the_reference_values() -> Tested {
    let rows = [("column-snake", "16x8", [2686.852, 2701.157, 2733.326])];
    check("NASA-iPSC-1993-3.1-cln", "16x8", &rows, 0.000_51)?;
    let rows =
        [("hilbert", "16x8", [2696.1, 2713.7, 2742.0]), ("row-snake", "16x8", [3072.1, 3080.6, 3096.2])];
    check("NASA-iPSC-1993-3.1-cln", "16x8", &rows, 0.051)
}

#[test]
fn sdsc_sp2_equals_the_reference_values() -> Tested {
    let rows = [
        ("column-snake", "16x8", [1374.2, 1385.3, 1419.4]),
        ("hilbert", "16x8", [1374.6, 1391.1, 1423.7]),
        ("row-snake", "16x8", [1552.1, 1558.4, 1575.5]),
    ];
    check("SDSC-SP2-1998-4.2-cln", "16x8", &rows, 0.051)
}

#[test]
fn lanl_cm5_equals_the_reference_values() -> Tested {
    let rows = [
        ("hilbert", "32x32", [210_701.4, 211_541.0, 218_745.3]),
        ("row-snake", "32x32", [225_090.6, 225_922.0, 229_980.7]),
        ("column-snake", "64x16", [239_909.7, 241_572.4, 249_690.0]),
        ("hilbert", "64x16", [240_770.0, 242_786.8, 250_403.4]),
        ("row-snake", "64x16", [317_075.1, 317_248.3, 318_085.5]),
        ("column-snake", "128x8", [374_683.6, 378_009.1, 394_244.2]),
        ("hilbert", "128x8", [374_683.6, 378_009.1, 394_244.2]),
        ("row-snake", "128x8", [546_480.1, 545_640.1, 546_935.9]),
    ];
    for machine in ["32x32", "64x16", "128x8"] {
        check("LANL-CM5-1994-4.1-cln", machine, &rows, 0.051)?;
    }
    Ok(())
}

#[test]
fn kth_equals_the_authors_own_simulator() -> Tested {
    let Some(loaded) = shared_log("KTH-SP2-1996-2") else { return Ok(()) };
    for (machine, allocator, expected) in [
        ("10x10", "mc1x1", 574.038),
        ("5x5x4", "mc1x1", 407.623),
        ("10x10", "mc1x1-shells", 575.399),
        ("5x5x4", "mc1x1-shells", 413.634),
        ("10x10", "column-snake+bf", 598.379),
        ("10x10", "column-snake+ff", 600.645),
        ("10x10", "column-snake+fl", 604.444),
        ("5x5x4", "column-snake+bf", 417.715),
        ("5x5x4", "column-snake+ff", 418.857),
        ("5x5x4", "column-snake+fl", 422.841),
    ] {
        let found =
            replay(&loaded.workload.jobs, machine, "easy", allocator)?.summary.get("pairwise_sum_mean");
        let found = found.ok_or("no jobs")?;
        assert!((found - expected).abs() <= 0.001, "{machine}, {allocator}: {found}, not {expected}");
    }
    Ok(())
}

#[test]
fn the_authors_rules_leave_as_many_jobs_as_they_had() {
    for (log, jobs) in [
        ("NASA-iPSC-1993-3.1-cln", 18_239),
        ("LANL-CM5-1994-4.1-cln", 122_057),
        ("SDSC-SP2-1998-4.2-cln", 54_034),
        ("KTH-SP2-1996-2", 28_489),
        ("HPC2N-2002-2.2-cln", 202_871),
    ] {
        if let Some(loaded) = shared_log(log) {
            assert_eq!(loaded.workload.jobs.len(), jobs, "{log}");
        }
    }
}
