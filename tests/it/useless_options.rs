//! An option without effect, or one that contradicts another, is an error.

use std::error::Error;
use std::fs;

use meshreplay::figure::draw::Drawing;
use meshreplay::figure::{LoadAxis, PLOT_KINDS, PlotKind, PlotOptions, Results, Setting, Span};

use super::support::{Tested, bundled, run, run_with, wrong};

/// A directory with results of three allocators.
fn results(options: &str) -> Result<tempfile::TempDir, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::copy(bundled("tiny.swf"), at.join("tiny.swf"))?;
    let replay = "replay tiny.swf -m 4x4 -a random naive mc1x1 -q -o out";
    let ran = run(at, format!("{replay} {options}").trim_end())?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    Ok(directory)
}

#[test]
fn an_option_that_the_study_file_has_too_is_a_mistake() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::copy(bundled("tiny.swf"), at.join("tiny.swf"))?;
    fs::write(at.join("out.csv"), "10,0-5,down\n500,0-5,up\n")?;
    let study = "logs = ['tiny.swf']\nmachines = ['4x4']\nallocators = ['naive']\n";
    let keys = "outages = 'out.csv'\non_outage = 'requeue:limit=3'\nnode_map = 'n{rank}'\n";
    fs::write(at.join("plain.toml"), study)?;
    fs::write(at.join("full.toml"), format!("{study}{keys}"))?;
    for (option, line) in [("--outages no.csv", 4), ("--on-outage drain", 5), ("--node-map n{rank+1}", 6)] {
        let said = wrong(at, 1, &format!("sweep full.toml -o a --no-timing {option}"))?;
        let flag = option.split(' ').next().unwrap_or_default();
        let place = format!("full.toml:{line}: key '");
        let problem = format!("{flag} is given, too; leave one of them out");
        assert!(said.contains(&place) && said.contains(&problem) && !at.join("a").exists(), "{said}");
    }
    // An error in an option does not name a line of the study file.
    let said = wrong(at, 1, "sweep plain.toml -o a --no-timing --outages no.csv")?;
    assert!(said.contains("--outages: ") && !said.contains("plain.toml:1"), "{said}");
    Ok(())
}

#[test]
fn options_of_groups_need_groups() -> Tested {
    let directory = results("")?;
    let at = directory.path();
    for option in ["--sort jobs", "--top 1"] {
        for others in ["", " --rows allocator", " --value wait_s_mean", " --relative-to naive"] {
            let said = wrong(at, 2, &format!("table out{others} {option}"))?;
            assert!(said.contains("needs --by"), "{said}");
        }
    }
    let said = wrong(at, 2, "table out --by user --top 0")?;
    assert!(said.contains("expected a whole number from 1") && !said.contains(" to "), "{said}");
    Ok(())
}

#[test]
fn options_of_the_plots_of_reproduce_need_a_directory() -> Tested {
    let directory = tempfile::tempdir()?;
    for option in ["-o out", "--traces .", "--format csv", "--threads 1"] {
        let said = wrong(directory.path(), 2, &format!("reproduce list {option}"))?;
        assert!(said.contains("`reproduce list` measures nothing"), "{said}");
    }
    for option in [
        "--pictures png",
        "--size 84mm",
        "--no-title",
        "--pictures png --scale 3",
        "--pictures png --dpi 300",
    ] {
        let said = wrong(directory.path(), 2, &format!("reproduce walker2010 fig9 --traces . {option}"))?;
        assert!(said.contains("--output <DIR>"), "{option}: {said}");
        // With `-o` the options are accepted, and the error is about the missing logs.
        let said =
            wrong(directory.path(), 1, &format!("reproduce walker2010 fig9 --traces . -o out {option}"))?;
        assert!(said.contains("none of the logs is in ."), "{option}: {said}");
    }
    Ok(())
}

#[test]
fn numbers_of_pixels_need_pictures_with_pixels() -> Tested {
    let directory = results("")?;
    let at = directory.path();
    for option in ["--dpi 300", "--scale 3"] {
        for command in
            ["plot out -k waits -o plots", "plot out -k waits -o waits.pdf", "reproduce walker2010 fig9 -o d"]
        {
            let said = wrong(at, 2, &format!("{command} {option}"))?;
            assert!(said.contains("has none; leave it out, or choose png"), "{command} {option}: {said}");
        }
        let drawn = run(at, &format!("plot out -k waits -o waits.png {option}"))?;
        assert_eq!(drawn.code, Some(0), "{}", drawn.stderr);
    }
    Ok(())
}

#[test]
fn options_of_pictures_have_an_effect() -> Tested {
    let directory = results("--trim 20 --placements")?;
    let at = directory.path();
    for (kind, option) in [
        ("waits", "--value pairwise_sum"),
        ("gantt", "--log-scale"),
        ("box", "--relative-to naive"),
        ("cdf", "--axis factor"),
        ("ratio", "--replay 1"),
        ("frontier", "--window 0..9"),
    ] {
        let said = wrong(at, 2, &format!("plot out --kind {kind} {option}"))?;
        assert!(said.contains(&format!("has no effect on --kind {kind}")), "{said}");
    }
    let ran = run(at, "plot out --kind waits box --value run_s -o pictures")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let drawn = fs::read_to_string(at.join("pictures/box.svg"))?;
    assert!(drawn.contains("also those that --trim leaves out"));
    for kind in ["box", "waits", "cdf", "gantt", "nodes"] {
        let said = wrong(at, 1, &format!("plot out --kind {kind} --window 900000..900001"))?;
        assert!(said.contains(&format!("{kind}: there is nothing in --window")), "{said}");
    }
    Ok(())
}

#[test]
fn kinds_of_plots_take_what_changes_them_and_nothing_else() -> Tested {
    let directory = results("-s fcfs --arrival-scale 1 0.5 --placements --fragmentation 2x2 --why")?;
    let folder = directory.path().join("out");
    let results = Results::read(&folder)?;
    // A failure to draw is also compared, as the text of its error.
    let drawn = |kind: &PlotKind, options: &PlotOptions<'_>| match (kind.draw)(options, &results) {
        Ok(panels) => panels.draw_on(options.page).into_iter().map(Drawing::svg).collect(),
        Err(error) => error.to_string(),
    };
    for kind in PLOT_KINDS {
        for setting in [
            Setting::Value,
            Setting::Log,
            Setting::Axis,
            Setting::RelativeTo,
            Setting::Replay,
            Setting::Window,
        ] {
            let changes = [None, Some("run_s"), Some("wait_s_mean")].into_iter().any(|value| {
                let plain = PlotOptions { value, is_asked: true, ..PlotOptions::new(&folder) };
                let chosen = match setting {
                    Setting::Value => PlotOptions { value: Some("turnaround_s_mean"), ..plain },
                    Setting::Log => PlotOptions { log: true, ..plain },
                    Setting::Axis => PlotOptions { axis: Some(LoadAxis::Factor), ..plain },
                    Setting::RelativeTo => PlotOptions { relative_to: Some("random"), ..plain },
                    Setting::Replay => PlotOptions { replays: &[1], ..plain },
                    Setting::Window => PlotOptions { window_s: Some(Span::new(0.0, 50.0)), ..plain },
                };
                drawn(kind, &plain) != drawn(kind, &chosen)
            });
            assert_eq!(changes, kind.takes.contains(&setting), "{} {setting:?}", kind.name);
        }
    }
    Ok(())
}

#[test]
fn a_file_gets_the_format_that_its_name_says() -> Tested {
    let directory = results("")?;
    let at = directory.path();
    let said = wrong(at, 2, "export out --replay 0 --to swf -o j.premas")?;
    assert!(said.contains("is the name of another format") && !at.join("j.premas").exists(), "{said}");
    let swf = run(at, "export out --replay 0 --to swf -o -")?.stdout;
    // A schedule may come from a pipe.
    let ran = run_with(at, &["audit", "-", "-m", "4x4"], swf.as_bytes())?;
    assert!(ran.code == Some(0) && ran.stdout.contains("10 jobs at"), "{}{}", ran.stdout, ran.stderr);
    // A log has no replays to choose from.
    fs::write(at.join("j.swf"), swf)?;
    for option in ["--replay 5", "--seed 1"] {
        let said = wrong(at, 2, &format!("audit j.swf -m 4x4 {option}"))?;
        assert!(said.contains("j.swf holds no replays"), "{said}");
    }
    // A number that an imprecise parser would change in the last digit.
    for format in ["csv", "json"] {
        let text = run(at, &format!("table out --value pairwise_mean_mean --format {format}"))?.stdout;
        assert!(text.contains("1.8266666666666667"), "{text}");
    }
    let ran = run(at, "report out -o -")?;
    assert!(ran.stdout.starts_with("<!DOCTYPE html>") && !at.join("-").exists(), "{}", ran.stderr);
    Ok(())
}

#[test]
fn ratios_are_over_the_seeds_that_both_results_have() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = "replay synthetic:ratio=1.2,jobs=500 -m 8x8 -s fcfs -a first-fit naive -q --no-timing -o u \
         --format csv";
    let ran = run(at, &format!("{replay} --replications until:within=0.1,min=3,max=40"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let summary = super::support::columns(&at.join("u/summary.csv"))?;
    let waits = |allocator: &str| -> Vec<f64> {
        let of = summary["allocator"].iter().zip(&summary["wait_s_mean"]);
        of.filter(|(name, _)| *name == allocator).filter_map(|(_, wait)| wait.parse().ok()).collect()
    };
    let (first_fit, naive) = (waits("first-fit"), waits("naive"));
    assert_ne!(first_fit.len(), naive.len(), "one of them is repeated more often");
    let common = first_fit.len().min(naive.len());
    let ratio = first_fit[..common].iter().sum::<f64>() / naive[..common].iter().sum::<f64>();
    let table = "table u --value wait_s_mean --relative-to naive";
    let exact = run(at, &format!("{table} --format csv"))?.stdout;
    let found = exact.lines().find_map(|line| line.strip_prefix("first-fit,")).ok_or("no row")?;
    assert!((found.parse::<f64>()? / ratio - 1.0).abs() < 1e-12, "{found}, {ratio}");
    let text = run(at, table)?.stdout;
    let row = text.lines().find(|line| line.trim_start().starts_with("first-fit")).ok_or("no row")?;
    assert!(row.contains('[') && text.contains("over the seeds that both of its results have"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&run(at, &format!("{table} --format json"))?.stdout)?;
    let of_json = json[0].as_object().and_then(|row| row.values().find_map(serde_json::Value::as_f64));
    assert_eq!(of_json.map(f64::to_bits), Some(found.parse::<f64>()?.to_bits()));
    Ok(())
}
