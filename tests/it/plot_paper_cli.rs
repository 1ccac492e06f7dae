//! `meshreplay plot` for papers: plots of the width of a column or a page, and PDF.

use std::fs;

use meshreplay::figure::{PLOT_KINDS, PlotKind};

use super::plot_cli::results;
use super::support::{Tested, run};

/// The width and height of a drawing, and its view box.
fn sizes(svg: &str) -> (String, String, Vec<f64>) {
    let value = |name: &str| {
        let text = svg.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
        text.unwrap_or_default().to_owned()
    };
    let view = value("viewBox").split(' ').filter_map(|number| number.parse().ok()).collect();
    (value("width"), value("height"), view)
}

#[test]
fn every_kind_fits_its_paper() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    for PlotKind { name, .. } in PLOT_KINDS {
        for (size, width, height) in
            [("84mm", "84mm", None), ("17.4cm", "174mm", None), ("174x100mm", "174mm", Some("100mm"))]
        {
            let ran = run(at, &format!("plot out -o paper --kind {name} --size {size} --no-title -q"))?;
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
            let svg = fs::read_to_string(at.join(format!("paper/{name}.svg")))?;
            let (found, found_height, view) = sizes(&svg);
            assert_eq!(found, width, "{name}");
            assert!(height.is_none_or(|height| height == found_height), "{name}: {found_height}");
            // Labels of 12 units are 7 points if the view box has the width of the paper.
            let mm: f64 = width.trim_end_matches("mm").parse()?;
            assert!(
                (view[2] / (mm * 12.0 / 7.0 * 72.0 / 25.4) - 1.0).abs() < 0.01,
                "{name} at {size}: {view:?}"
            );
            // No bold title and no invalid coordinate.
            assert!(!svg.contains("font-weight=\"bold\"") && !svg.contains("NaN"), "{name}");
        }
    }
    // 300 pixels per inch of 84 mm.
    let ran = run(at, "plot out -o paper --kind load --size 84x60mm --format png --dpi 300 -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let png = fs::read(at.join("paper/load.png"))?;
    let side = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    assert_eq!((side(16), side(20)), (992, 709));
    Ok(())
}

/// The numbers in the first array after `key` in a PDF file.
fn numbers_after(pdf: &[u8], key: &str) -> Vec<f64> {
    let text = String::from_utf8_lossy(pdf).into_owned();
    let array = text.split(key).nth(1).and_then(|rest| rest.split(['[', ']']).nth(1)).unwrap_or_default();
    array.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn pages_have_the_size_of_their_paper() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    for PlotKind { name, .. } in PLOT_KINDS {
        let ran = run(at, &format!("plot out -o pages --kind {name} --format pdf --size 84x90mm -q"))?;
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
        // Panels may need several pages.
        let first = ran.stdout.lines().next().unwrap_or_default();
        let pdf = fs::read(at.join(first))?;
        let sides = numbers_after(&pdf, "/MediaBox");
        assert_eq!(sides.len(), 4, "{name}");
        for (side, mm) in sides[2..].iter().zip([84.0, 90.0]) {
            assert!((side - mm / 25.4 * 72.0).abs() < 0.01, "{name}: {sides:?}");
        }
        let text = String::from_utf8_lossy(&pdf);
        assert!(text.contains("+DejaVuSans\n") && text.contains("/FontFile2"), "{name}");
        // A single plot has the same page. Bytes may differ, because the order of fonts and colours varies.
        for file in ["one.pdf", "one.PDF"] {
            let ran = run(at, &format!("plot out -o {file} --kind {name} --size 84x90mm -q"))?;
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            let same = ran.stdout.lines().next().unwrap_or_default();
            let number =
                first.trim_start_matches("pages/").trim_start_matches(*name).trim_end_matches(".pdf");
            assert_eq!(same, file.replacen("one", &format!("one{number}"), 1));
            let again = fs::read(at.join(same))?;
            assert_eq!(
                (numbers_after(&again, "/MediaBox"), again.len()),
                (sides.clone(), pdf.len()),
                "{name}"
            );
        }
    }
    for (words, said) in [
        ("-o two.pdf", "a file holds one picture"),
        ("-o box.jpg --kind box", "--output box.jpg: expected a name that ends in .svg, .png or .pdf"),
        ("-o two.pdf --kind load waits", "a file holds one picture"),
        ("-o one.pdf --kind load --format png", "one.pdf is a file of the format pdf, but --format is png"),
    ] {
        let ran = run(at, &format!("plot out {words}"))?;
        assert_eq!(ran.code, Some(2), "{words}");
        assert!(ran.stderr.contains(said), "{words}: {}", ran.stderr);
    }
    // A PDF of another program is not overwritten.
    fs::write(at.join("foreign.pdf"), "%PDF-1.7\n%\n\n1 0 obj\n")?;
    let ran = run(at, "plot out -o foreign.pdf --kind load")?;
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stderr.contains("no page or picture"), "{}", ran.stderr);
    Ok(())
}
