//! `meshreplay reproduce` on the command line, and expected values on the real logs.

use std::fs;
use std::path::Path;

use meshreplay::paper::{Dataset, MODEL, PAPERS, STREAM, stream_logs};
use meshreplay::study::{Options, Study};

use super::support::{Tested, bundled, csv_cells, run};

/// A row of the comparison as CSV: item, log, machine, published, measured, verdict.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) item: String,
    pub(super) log: String,
    pub(super) machine: String,
    pub(super) published: Option<f64>,
    pub(super) measured: Option<f64>,
    pub(super) verdict: String,
}

/// The rows of a comparison.
pub(super) fn rows(csv: &str) -> Vec<Row> {
    let row = |line: &str| {
        let cells = csv_cells(line);
        assert_eq!(cells.len(), 11, "{line}");
        let [published, measured, ratio] = [5, 6, 8].map(|i: usize| cells[i].parse::<f64>().ok());
        if let (Some(published), Some(measured), Some(ratio)) = (published, measured, ratio) {
            assert!((measured / published - ratio).abs() < 1e-9, "{line}");
        }
        let is_sentence = cells[6].is_empty() && cells[9].starts_with("not measured: ");
        let is_known = ["number", "comparisons"].contains(&cells[10].as_str());
        assert!(is_known || cells[10] == "sentence" && is_sentence, "{line}");
        assert_eq!(cells[10] == "comparisons", cells[10] != "number" && !cells[6].is_empty(), "{line}");
        let [item, log, machine, verdict] = [2, 3, 4, 9].map(|i: usize| cells[i].clone());
        Row { item, log, machine, published, measured, verdict }
    };
    csv.lines().skip(1).map(row).collect()
}

#[test]
fn fixed_orientation_is_below_first_fit_by_the_published_part() -> Tested {
    let directory = tempfile::tempdir()?;
    let ran = run(directory.path(), "reproduce chang-mohapatra1998 fig1 fig4a --format csv -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let rows = rows(&ran.stdout);
    for (item, expected) in [
        ("first-fit, jobs placed", "exact"),
        ("fixed-orientation, jobs placed", "exact"),
        ("fixed-orientation below first-fit at every ratio", "ordering holds"),
        ("adaptive-scan at most fixed-orientation at every ratio", "ordering holds"),
        ("fixed-orientation below first-fit by percent, ratio 1.5", "exact"),
    ] {
        let row = rows.iter().find(|row| row.item == item).ok_or(item)?;
        assert_eq!(row.verdict, expected, "{row:?}");
    }
    // Values of an independent program.
    for (curve, expected) in [("first-fit", 32.2), ("fixed-orientation", 18.3), ("adaptive-scan", 16.6)] {
        let item = format!("{curve}, FCFS, turnaround, ratio 1.5");
        let measured = rows.iter().find(|row| row.item == item).and_then(|row| row.measured).ok_or(curve)?;
        assert!((measured / expected - 1.0).abs() < 0.05, "{curve}: {measured}");
    }
    Ok(())
}

/// The measured value of an item.
pub(super) fn value(rows: &[Row], item: &str) -> Result<f64, String> {
    rows.iter().find(|row| row.item == item).and_then(|row| row.measured).ok_or_else(|| item.to_owned())
}

#[test]
fn gabl_is_lowest_and_first_fit_far_above_on_a_wormhole_network() -> Tested {
    let directory = tempfile::tempdir()?;
    let ran = run(
        directory.path(),
        "reproduce gabl2006 fig3 fig4 fig5 --format csv -q -o out --size 84mm --no-title",
    )?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for figure in ["fig3", "fig4", "fig5"] {
        let svg = fs::read_to_string(directory.path().join(format!("out/gabl2006-{figure}.svg")))?;
        assert!(svg.contains(" width=\"84mm\"") && !svg.contains("font-weight=\"bold\""), "{figure}");
    }
    let rows = rows(&ran.stdout);
    for (item, expected) in [
        ("finish times are the same, at 0.005, 0.01", "ordering holds"),
        ("gabl finishes before the others, at 0.025, 0.03, 0.035, 0.04, 0.08", "not decided: gabl at 0.025"),
        (
            "gabl is much below the others (by 5 percent or more), at 0.025, 0.03, 0.035, 0.04, 0.08",
            "not decided: gabl below mbs at 0.08, percent: 4.778",
        ),
        (
            "gabl finishes substantially before the others (by 5 percent or more), at 0.035, 0.04, 0.08",
            "differs: ",
        ),
        ("first-fit is far above (twice the others), at 0.035, 0.04", "ordering holds"),
        ("non-contiguous allocators are above first-fit, at 0.035, 0.04", "ordering holds"),
        ("gabl is above the others, at 0.08", "not decided: "),
    ] {
        let row = rows.iter().find(|row| row.item == item).ok_or(item)?;
        assert!(row.verdict.starts_with(expected), "{row:?}");
    }
    // The lead is small against non-contiguous allocators and large against first fit.
    for (other, low, high) in [("mbs", 0.5, 4.0), ("paging", 0.5, 4.0), ("first-fit", 5.0, 40.0)] {
        let lead = value(&rows, &format!("gabl below {other}, percent, load 0.04"))?;
        assert!((low..high).contains(&lead), "{other}: {lead}");
    }
    Ok(())
}

#[test]
fn utilization_at_heavy_load_is_that_of_an_independent_program() -> Tested {
    let directory = tempfile::tempdir()?;
    let ran = run(directory.path(), "reproduce qna2013 fig6 fig7 --format csv -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let rows = rows(&ran.stdout);
    for (pattern, allocator, words, expected) in [
        ("one-to-all", "qna", "71 to 76", 74.0),
        ("one-to-all", "first-fit", "at most 50", 51.0),
        ("all-to-all", "qna", "71 to 76", 77.0),
        ("all-to-all", "first-fit", "at most 50", 53.0),
    ] {
        let percent = value(&rows, &format!("{pattern}, {allocator}, utilization in percent ({words})"))?;
        assert!((percent - expected).abs() < 1.5, "{pattern} {allocator}: {percent}, expected {expected}");
    }
    Ok(())
}

#[test]
fn the_printed_base_of_a_scan_is_not_what_its_procedure_gives() -> Tested {
    let directory = tempfile::tempdir()?;
    let ran = run(directory.path(), "reproduce qna2013 fig1 --format csv -q")?;
    let rows = rows(&ran.stdout);
    for (item, expected) in [
        ("3x2 goes to (1, 4): last_covered begins with 0, as printed", "begins at (1, 3)"),
        ("3x2 goes to (1, 4): last_covered begins with -1", "begins at (0, 3)"),
        ("last_covered is 3, 3, 5, 0, 0 in the end: it begins with 0, as printed", "exact"),
        ("qna-scan takes the place of the repaired procedure", "exact"),
        ("6x2 goes to (0, 3, 3, 4) and (4, 0, 5, 1): it begins with -1 (qna)", "exact"),
    ] {
        let row = rows.iter().find(|row| row.item == item).ok_or(item)?;
        assert!(row.verdict.ends_with(expected), "{row:?}");
    }
    Ok(())
}

#[test]
fn every_embedded_study_can_be_planned() -> Tested {
    let log = bundled("tiny.swf");
    for paper in PAPERS {
        for figure in paper.figures {
            for embedded in figure.studies() {
                let label = format!("{} {} {}", paper.name, figure.name, embedded.name);
                let name = Path::new(&embedded.name);
                // Streams keep their names: mapping all of them to one file would repeat a log.
                let find = |name: &str| if name.contains("stream") { name.into() } else { (&log).into() };
                let planned = Study::plan(name, embedded.text, Options::default(), &find);
                if embedded.dataset == STREAM {
                    // The study uses the first generated streams only.
                    let used = embedded.text.matches("\"RedStorm-stream-").count();
                    let mut first = stream_logs().take(used).map(|(log, _)| format!("\"{log}\""));
                    assert!(used > 0 && first.all(|log| embedded.text.contains(&log)), "{label}");
                    continue;
                }
                let study = planned.map_err(|error| format!("{label}: {error}"))?;
                if embedded.dataset == MODEL {
                    assert!(study.logs.iter().all(|log| log.source.model.is_some()), "{label}");
                    assert_eq!(study.name, embedded.name, "{label}");
                    continue;
                }
                assert!(Dataset::find(&embedded.dataset).is_some(), "{label}");
                assert_eq!((study.name.as_str(), study.logs.len()), (embedded.name.as_str(), 1), "{label}");
                assert_eq!(study.logs[0].source.file, embedded.dataset, "{label}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_list_names_every_figure_and_wrong_names_are_usage_errors() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(at, "reproduce list")?;
    assert_eq!(ran.code, Some(0));
    for paper in PAPERS {
        assert!(ran.stdout.contains(paper.source));
        for figure in paper.figures {
            let line = |line: &str| {
                let words: Vec<&str> = line.split_whitespace().take(2).collect();
                words == [paper.name, figure.name] && line.contains(figure.title)
            };
            assert!(ran.stdout.lines().any(line), "{} {}", paper.name, figure.name);
        }
    }
    for (arguments, code, message) in [
        ("walker2011", 2, "error: unknown paper 'walker2011', did you mean 'walker2010'? (one of: "),
        ("walker2010 fig10", 2, "error: walker2010: unknown figure 'fig10', did you mean 'fig"),
        ("list fig3", 2, "error: `reproduce list` takes no figures; found 'fig3'"),
        (
            "walker2010 fig9 --traces none -q",
            1,
            "error: nothing could be measured: none of the logs is in none; --traces says where to look",
        ),
    ] {
        let ran = run(at, &format!("reproduce {arguments}"))?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(message), "{arguments}: {}", ran.stderr);
    }
    fs::write(at.join("file"), "")?;
    let ran = run(at, "reproduce walker2010 fig9 --traces file -q")?;
    assert!(ran.stderr.starts_with("error: file cannot be read as a directory of logs: "), "{}", ran.stderr);
    Ok(())
}
