//! `meshreplay plot` of several logs, machines and schedulers: filters, panels, and pages of panels.

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

/// The texts of an SVG drawing, and its height in millimetres.
fn texts_of(svg: &str) -> (Vec<String>, f64) {
    let texts = svg.split("<text").skip(1).filter_map(|part| part.split('>').nth(1)?.split('<').next());
    let height = svg.split(" height=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let height = height.trim_end_matches("mm").parse().unwrap_or_default();
    (texts.map(|text| text.trim().to_owned()).collect(), height)
}

/// The texts of a plot in a single file, and its height in millimetres.
fn drawn(at: &Path, arguments: &str) -> Result<(Vec<String>, f64), Box<dyn std::error::Error>> {
    let ran = run(at, &format!("plot out -o picture.svg -q {arguments}"))?;
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "picture.svg\n"), "{arguments}: {}", ran.stderr);
    Ok(texts_of(&fs::read_to_string(at.join("picture.svg"))?))
}

#[test]
fn no_page_is_longer_than_200_mm_and_no_panel_is_left_out() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at, "naive gabl first-fit hilbert+bf")?;
    for PlotKind { name, .. } in PLOT_KINDS {
        // Plots of jobs, nodes and causes have panels for each replay.
        let panels = match *name {
            "heat" | "nodes" | "gantt" => 24,
            "why" => 48,
            _ => 6,
        };
        for width in [84, 174] {
            let case = format!("{name} at {width} mm");
            let ran = run(at, &format!("plot out -o picture.svg --kind {name} --size {width}mm --no-title"))?;
            if ran.code == Some(2) {
                assert!(
                    name == &"why" && ran.stderr.contains(" files (at most 12); --log,"),
                    "{case}: {}",
                    ran.stderr
                );
                continue;
            }
            assert_eq!(ran.code, Some(0), "{case}: {}", ran.stderr);
            let files: Vec<&str> = ran.stdout.lines().collect();
            let said =
                format!("{name}: one page has no room for all panels, which are in {} files", files.len());
            assert_eq!(ran.stderr.contains(&said), files.len() > 1, "{case}: {}", ran.stderr);
            let mut shown = 0;
            for (i, file) in files.iter().enumerate() {
                let number = if files.len() > 1 { format!("-{}", i + 1) } else { String::new() };
                assert_eq!(*file, format!("picture{number}.svg"));
                let (texts, height) = texts_of(&fs::read_to_string(at.join(file))?);
                assert!(height > 20.0 && height <= 200.0, "{case}: {height}");
                let whole = texts.join(" ");
                let counted = whole.split(" Panel").nth(1);
                assert_eq!(counted.is_some(), files.len() > 1, "{case}: {texts:?}");
                let counted = counted.and_then(|text| text.split('.').next()).unwrap_or_default();
                let ends: Vec<usize> = counted.split(' ').filter_map(|word| word.parse().ok()).collect();
                let [first, last, all] = match *ends.as_slice() {
                    [one, all] => [one, one, all],
                    [first, last, all] => [first, last, all],
                    _ => [1, panels, panels],
                };
                assert_eq!((first, all), (shown + 1, panels), "{case}");
                shown = last;
            }
            assert_eq!(shown, panels, "{case}");
        }
    }
    // Without --kind, a kind that would fill too many files is left out, and stderr says so.
    results(at, "naive gabl first-fit hilbert+bf mbs random snug paging mc1x1 --force")?;
    let ran = run(at, "plot out -o all --kind gantt --size 84mm")?;
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    let ran = run(at, "plot out -o all --size 84mm")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("note: left out gantt: the panels would fill"), "{}", ran.stderr);
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
