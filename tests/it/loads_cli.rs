//! Loads in tables and plots: replays at different loads are never combined, and captions name the load.

use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, bundled, run};

/// Runs a command that has to succeed.
fn ran(directory: &Path, command: &str) -> Result<Ran, Box<dyn std::error::Error>> {
    let ran = run(directory, command)?;
    assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
    Ok(ran)
}

#[test]
fn gaps_between_arrivals_are_no_replications() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = format!(
        "logs = [\"{}\"]\nmachines = [\"4x4\"]\nallocators = [\"mc1x1\", \"random\"]\nschedulers = \
         [\"fcfs\"]\n\
         rules = [\"authors:arrivals=uniform:max=20\", \"authors:arrivals=uniform:max=2000\"]\n",
        bundled("tiny.swf")
    );
    fs::write(at.join("gaps.toml"), study)?;
    ran(at, "sweep gaps.toml -o gaps --jobs -q")?;
    // The page has a row for each gap, without a confidence interval.
    ran(at, "report gaps")?;
    let page = fs::read_to_string(at.join("gaps/report.html"))?;
    assert!(page.contains("4 replays. Press a title") && !page.contains("half of their 95"), "rows");
    // A box plot shows the first gap or the chosen one, and names it.
    for (chosen, shown) in [("", "up to 20 s apart"), (" --replay 2", "up to 2000 s apart")] {
        ran(at, &format!("plot gaps -k box -o plots --force{chosen}"))?;
        let picture = fs::read_to_string(at.join("plots/box.svg"))?;
        assert!(picture.contains(&format!(" · arrivals {shown}")), "{chosen}: {picture}");
    }
    ran(at, "plot gaps -k box -o plots --force --replay 0 2")?;
    let picture = fs::read_to_string(at.join("plots/box.svg"))?;
    // Each gap has a panel.
    let both = ["\nup to 20 s apart\n", "\nup to 2000 s apart\n"];
    assert!(
        both.iter().all(|name| picture.contains(name)) && !picture.contains(" · arrivals up"),
        "{picture}"
    );
    ran(at, "plot gaps -k frontier -o plots")?;
    let picture = fs::read_to_string(at.join("plots/frontier.svg"))?;
    assert!(picture.contains("Longest time between arrivals (s) beside points"), "{picture}");
    Ok(())
}

#[test]
fn a_chosen_replay_is_shown_with_its_own_arrival_scale() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!("replay {} -m 4x4 -a naive --arrival-scale 1 0.5 -o out -q", bundled("tiny.swf"));
    ran(at, &replay)?;
    for (chosen, scale) in [("", "arrivals × 1"), (" --replay 1", "arrivals × 0.5")] {
        ran(at, &format!("plot out -k cdf busy -o plots --force{chosen}"))?;
        for kind in ["cdf", "busy"] {
            let picture = fs::read_to_string(at.join(format!("plots/{kind}.svg")))?;
            assert!(picture.contains(scale), "{kind}{chosen}: {picture}");
        }
    }
    Ok(())
}

#[test]
fn rates_and_ratios_have_no_axis_in_common() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay =
        "replay synthetic:ratio=1,jobs=50 synthetic:rate=0.5,jobs=50 -m 8x8 -s fcfs -a naive -o out -q";
    ran(at, replay)?;
    let refused = run(at, "plot out -k load -o plots")?;
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(refused.stderr.contains("several loads of one kind"), "{}", refused.stderr);
    // Utilization is measured, so it does not depend on how the load was given.
    ran(at, "plot out -k utilization -o plots")?;
    Ok(())
}

#[test]
fn ratios_by_shape_have_no_interval_of_the_whole_replay() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    ran(at, &format!("replay {log} -m 16x16 -a mc1x1 first-fit --by-shape --no-timing -q -o out"))?;
    let table = ran(at, "table out --value wait_s_mean --relative-to mc1x1")?.stdout;
    assert!(table.contains('['), "{table}");
    let table = ran(
        at,
        "table out --frame shapes --rows nodes,shape --value wait_s_mean --columns allocator --relative-to \
             mc1x1",
    )?;
    assert!(!table.stdout.contains('['), "{}", table.stdout);
    let table = ran(at, "table out --frame shapes --value wait_s_mean")?.stdout;
    assert!(
        table.contains("which differ in nodes, shape") || table.contains("which differ in nodes"),
        "{table}"
    );
    Ok(())
}

#[test]
fn means_over_other_jobs_are_not_marked_as_the_best() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    ran(
        at,
        &format!(
            "replay {log} -m 16x16 -a mc1x1 first-fit --shape row --oversize skip --no-timing -q -o out"
        ),
    )?;
    ran(at, "report out")?;
    let page = fs::read_to_string(at.join("out/report.html"))?;
    assert!(page.contains("Replays with different numbers of jobs in their means"), "no sentence");
    // Only one of the two replays can be compared, so there is no best.
    assert_eq!(page.matches("<td class=\"best\"").count(), 0, "a number is marked");
    for value in [
        "wait_s_mean",
        "bounded_slowdown_mean",
        "pairwise_ratio_to_bound_mean",
        "contiguous_share",
        "turnaround_s_variance",
    ] {
        let table = ran(at, &format!("table out --value {value} --relative-to mc1x1"))?.stdout;
        assert!(table.contains("some ratios are of means over other jobs"), "{value}: {table}");
        ran(at, &format!("plot out -k ratio --value {value} -o plots"))?;
        let picture = fs::read_to_string(at.join("plots/ratio.svg"))?;
        assert!(picture.contains("some ratios are of means over other jobs"), "{value}");
    }
    let table = ran(at, "table out --value useful_utilization --relative-to mc1x1 --format markdown")?.stdout;
    assert!(!table.contains("other jobs") && table.contains("**"), "{table}");
    ran(at, &format!("replay {log} -m 16x16 -a mc1x1 first-fit --no-timing -q -o near-square"))?;
    let table = ran(at, "table near-square --value utilization --format markdown")?.stdout;
    assert!(
        table.contains("nodes that no job asked for, and none is marked") && !table.contains("**"),
        "{table}"
    );
    for more in ["", " --relative-to mc1x1"] {
        let table = ran(at, &format!("table out --value wait_s_mean --format markdown{more}"))?.stdout;
        assert!(!table.contains("**"), "{table}");
        assert_eq!(table.contains("and none is marked"), more.is_empty(), "{table}");
    }
    ran(at, "plot out -k ratio -o plots")?;
    let picture = fs::read_to_string(at.join("plots/ratio.svg"))?;
    assert!(picture.contains("some ratios are of means over other jobs"), "{picture}");
    Ok(())
}

#[test]
fn the_study_of_the_help_is_one() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let help = ran(at, "sweep --help")?.stdout;
    let study =
        help.split("Example, loads.toml:").nth(1).and_then(|rest| rest.split("A log may also").next());
    fs::create_dir(at.join("traces"))?;
    fs::copy(bundled("lublin-256-10k.swf.gz"), at.join("traces/lublin-256-10k.swf.gz"))?;
    fs::write(at.join("loads.toml"), study.ok_or("no example")?)?;
    let listed = ran(at, "sweep loads.toml -o loads --dry-run")?.stdout;
    assert!(listed.contains("to do"), "{listed}");
    Ok(())
}
