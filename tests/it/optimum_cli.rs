//! `show optimum`: the drawing, its table, and messages for wrong inputs.

use super::support::{Tested, run};

#[test]
fn show_optimum_draws_the_optimum_beside_allocators() -> Tested {
    let here = std::path::Path::new(".");
    let example = "show optimum --machine 5x5 --busy 1,1 2,1 3,3 0,4 4,0";
    let shown = run(here, &format!("{example} --procs 6 --allocator gen-alg hilbert+bf mbs"))?;
    let expected = "× · · · ·\n■ ■ ■ × ·\n■ ■ ■ · ·\n· × × · ·\n· · · · ×\n\n■ chosen  · free  × in use\n\n\
                    optimum of 6 of 20 free nodes: 0,2 1,2 2,2 0,3 1,3 2,3\n\n \
                    placement   pairwise sum  pairwise mean  to bound  to optimum\n \
                    bound                 25          1.667     1.000       1.000\n \
                    optimum               25          1.667     1.000       1.000\n \
                    gen-alg               26          1.733     1.040       1.040\n";
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    assert!(shown.stdout.starts_with(expected), "{}", shown.stdout);
    let four = run(here, &format!("{example} --procs 4"))?.stdout;
    assert!(four.contains(" optimum               8 "), "{four}");
    let one = run(here, "show optimum --machine torus:2x2x2 --procs 1")?.stdout;
    assert!(one.contains("z = 1\n· ·\n· ·\n") && one.contains('–'), "{one}");
    Ok(())
}

#[test]
fn show_optimum_says_what_is_wrong() -> Tested {
    let here = std::path::Path::new(".");
    let scattered: Vec<String> =
        (0..400).filter(|i| i * i % 7 < 3).map(|i| format!("{},{}", i % 20, i / 20)).collect();
    let hard = format!("--machine 20x20 --procs 40 --limit 1000000 --busy {}", scattered.join(" "));
    for (arguments, code, words) in [
        (
            "--machine 5x5 --procs 26",
            2,
            "--procs 26 cannot be placed: 25 of 25 nodes are free; expected 1 to 25",
        ),
        ("--machine 5x5 --procs 0", 2, "expected 1 to 25"),
        ("--machine 1 --procs 1 --busy 0", 2, "0 of 1 nodes are free; expected fewer --busy"),
        (
            "--machine 5x5 --procs 2 --busy 5,1",
            2,
            "5,1 is not on machine 5x5; expected coordinates 0 to 4, 0 to 4",
        ),
        ("--machine 5x5 --procs 2 --busy 1", 2, "1 is not on machine 5x5"),
        ("--machine 5x5 --procs 2 --busy 1,1,1", 2, "1,1,1 is not on machine 5x5"),
        ("--machine 5x5 --procs 2 --busy 1,x", 2, "'x' is not a coordinate; expected such as 3,1"),
        ("--machine 5x5 --procs 2 --busy 1,1 1,1", 2, "1,1 is given twice"),
        ("--machine 5y5 --procs 2", 2, "'5y5' is not a size"),
        ("--machine 5x5", 2, "--procs"),
        ("--machine 5x5 --procs 3 --allocator mmm", 2, "unknown allocator 'mmm'"),
        ("--machine 5x5 --procs 3 --allocator mm:tie=carried", 2, "no parameter 'tie'"),
        ("--machine 99x99 --procs 2000", 2, "at most 1000"),
        (&hard, 1, "--limit 1000000: no optimum was proven"),
    ] {
        let ran = run(here, &format!("show optimum {arguments}"))?;
        assert!(ran.code == Some(code) && ran.stderr.contains(words), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{arguments}");
    }
    Ok(())
}
