//! `meshreplay plot` of several logs, machines and schedulers: filters, panels, and notes on omitted panels.

use std::fs;
use std::path::Path;

use meshreplay::figure::{PLOT_KINDS, PlotKind};

use super::support::{Tested, run};

/// Results of three logs on two machines at two loads, with all details.
fn results(at: &Path, allocators: &str) -> Tested {
    let ran = run(
        at,
        &format!(
            "replay synthetic:jobs=60,ratio=1 synthetic:jobs=60,ratio=1,sides=exponential \
             synthetic:jobs=40,ratio=2 -m 8x8 16x4 -s fcfs -a {allocators} --arrival-scale 1 0.8 \
             --oversize skip --placements --fragmentation 2x2 --why -o out -q"
        ),
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    Ok(())
}

/// The texts of a plot, and its height in millimetres.
fn drawn(at: &Path, arguments: &str) -> Result<(Vec<String>, f64), Box<dyn std::error::Error>> {
    let ran = run(at, &format!("plot out -o picture.svg -q {arguments}"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    let svg = fs::read_to_string(at.join("picture.svg"))?;
    let texts = svg.split("<text").skip(1).filter_map(|part| part.split('>').nth(1)?.split('<').next());
    let height = svg.split(" height=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let height = height.trim_end_matches("mm").parse().unwrap_or_default();
    Ok((texts.map(|text| text.trim().to_owned()).collect(), height))
}

#[test]
fn no_picture_on_paper_is_longer_than_200_mm() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for allocators in ["naive gabl first-fit hilbert+bf", "all"] {
        results(at, &format!("{allocators} --force"))?;
        for PlotKind { name, .. } in PLOT_KINDS {
            for width in [84, 174] {
                let (texts, height) = drawn(at, &format!("--kind {name} --size {width}mm --no-title"))?;
                assert!(height > 20.0 && height <= 200.0, "{name} at {width} mm: {height}");
                // Plots of jobs and nodes have a panel for each replay, and show only the first ones.
                let is_part = ["heat", "nodes", "gantt"].contains(name);
                let is_said =
                    texts.iter().any(|text| text.contains("The first ") && text.ends_with("replays."));
                assert_eq!(is_part, is_said, "{name} at {width} mm: {texts:?}");
                // Six panels fit if the legend is short. Bars of delays need several lines each, and causes
                // of waiting have two panels for each replay.
                let is_whole = !texts.iter().any(|text| text.ends_with(" panels."));
                assert!(
                    is_whole || allocators == "all" || ["delays", "why"].contains(name),
                    "{name} at {width} mm: {texts:?}"
                );
            }
        }
    }
    // A caption gives the number of omitted panels.
    let (texts, height) = drawn(at, "--kind box --size 84mm --no-title")?;
    assert!(texts.iter().any(|text| text.starts_with("The first ") && text.contains(" of ")), "{texts:?}");
    let (texts, low) = drawn(at, "--kind load --size 84x60mm")?;
    assert!(texts.iter().any(|text| text.ends_with("of 6 panels.")) && low < height, "{texts:?}");
    Ok(())
}

#[test]
fn panels_share_a_legend_and_filters_choose_them() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at, "naive gabl hilbert+bf")?;
    let count = |texts: &[String], name: &str| texts.iter().filter(|text| *text == name).count();
    for PlotKind { name, .. } in
        PLOT_KINDS.iter().filter(|kind| !["heat", "nodes", "gantt", "why"].contains(&kind.name))
    {
        let (texts, _) = drawn(at, &format!("--kind {name}"))?;
        let panels =
            texts.iter().filter(|text| text.ends_with(" · 8x8") || text.ends_with(" · 16x4")).count();
        assert_eq!(panels, 6, "{name}: {texts:?}");
        // A box plot has the name at each row, other plots once in the legend.
        assert_eq!(count(&texts, "hilbert+bf"), if *name == "box" { 6 } else { 1 }, "{name}: {texts:?}");
        let (texts, _) = drawn(at, &format!("--kind {name} --machine 8x8 --log synthetic:jobs=40,ratio=2"))?;
        assert!(!texts.iter().any(|text| text.contains("16x4")), "{name}: {texts:?}");
        assert!(texts.iter().any(|text| text.contains("synthetic:jobs=40,ratio=2")), "{name}: {texts:?}");
    }
    let (texts, _) =
        drawn(at, "--kind load --allocator gabl curve:order=hilbert,select=best-fit --scheduler fcfs")?;
    assert_eq!((count(&texts, "naive"), count(&texts, "gabl")), (0, 1), "{texts:?}");
    for (filter, said) in [
        ("--log tiny", "error: --log: unknown log 'tiny' (one of: "),
        ("--allocator gablo", "error: --allocator: unknown allocator 'gablo', did you mean 'gabl'?"),
        ("--machine 4x4", "error: --machine: unknown machine '4x4'"),
    ] {
        let ran = run(at, &format!("plot out {filter}"))?;
        assert_eq!(ran.code, Some(2), "{filter}");
        assert!(ran.stderr.starts_with(said), "{filter}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn axes_that_do_not_begin_at_0_say_so() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(
        at,
        "replay synthetic:jobs=200,ratio=1 -m 8x8 -s fcfs -a gabl random --arrival-scale 1 0.8 --no-timing \
         -o out -q",
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let has = |texts: &[String], wanted: &str| texts.iter().any(|text| text == wanted);
    // The means of gabl are less than half of random's. The numbers of jobs are equal, so their axis does not
    // start at 0.
    let (texts, _) = drawn(at, "--kind load --value pairwise_mean_mean")?;
    assert!(
        has(&texts, "pairwise mean (hops)") || has(&texts, "pairwise mean (hops), not from 0"),
        "{texts:?}"
    );
    let (texts, _) = drawn(at, "--kind load --value jobs")?;
    assert!(texts.iter().any(|text| text.ends_with(", not from 0")), "{texts:?}");
    let (texts, _) = drawn(at, "--kind load --value jobs --log-scale")?;
    assert!(!texts.iter().any(|text| text.contains("from 0")), "{texts:?}");
    // Ratios close to 1 are short bars.
    let (texts, _) = drawn(at, "--kind ratio --value makespan_s")?;
    assert!(has(&texts, "1.10") && has(&texts, "0.90"), "{texts:?}");
    Ok(())
}
