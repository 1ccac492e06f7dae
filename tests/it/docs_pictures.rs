//! The pictures of docs/ are current plots of small replays, and the page on kinds of plots has a row for
//! each kind.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use meshreplay::figure::PLOT_KINDS;

use super::docs::{GENERATED, PAGES, place, printed, root};
use super::docs_registries::cell;
use super::support::{Tested, assert_committed};

#[test]
fn pictures_are_what_plot_draws() -> Tested {
    let at = place()?;
    let mut kinds_by_example: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for kind in PLOT_KINDS {
        kinds_by_example.entry(kind.example.unwrap_or_default()).or_default().push(kind.name);
    }
    // Kinds without an example show measured durations, which differ in every run.
    kinds_by_example.remove("");
    for (number, (example, kinds)) in kinds_by_example.into_iter().enumerate() {
        printed(at.path(), &format!("meshreplay replay {example} -o out{number} > table.txt"))?;
        let said =
            printed(at.path(), &format!("meshreplay plot out{number} --kind {} --quiet", kinds.join(" ")))?;
        for kind in kinds {
            let drawn = fs::read_to_string(at.path().join(format!("out{number}/{kind}.svg")));
            let drawn = drawn.map_err(|error| format!("{kind}: {error}: {said}"))?;
            assert_committed(&format!("{PAGES}/images/{kind}.svg"), &drawn)?;
        }
    }
    Ok(())
}

#[test]
fn the_front_page_shows_what_the_program_is_about() -> Tested {
    let at = place()?;
    let page = fs::read_to_string(root().join(PAGES).join("README.md"))?;
    let code = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    let commands: Vec<&str> = code.lines().collect();
    let [replay, plot] = commands.as_slice() else {
        return Err(format!("the page has two commands: {commands:?}").into());
    };
    printed(at.path(), replay)?;
    printed(at.path(), plot)?;
    assert_committed(&format!("{PAGES}/images/front.svg"), &fs::read_to_string(at.path().join("front.svg"))?)
}

#[test]
fn the_picture_of_a_dump_is_that_of_its_page() -> Tested {
    let at = place()?;
    let page = fs::read_to_string(root().join(PAGES).join("your-own-data.md"))?;
    let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    let replay = commands.first().ok_or("the page has a command")?;
    assert!(replay.contains(" -o may") && page.contains("\nmeshreplay plot may --kind waits\n"), "{replay}");
    printed(at.path(), replay)?;
    printed(at.path(), "meshreplay plot may --kind waits --quiet")?;
    assert_committed(
        &format!("{PAGES}/images/your-own-data.svg"),
        &fs::read_to_string(at.path().join("may/waits.svg"))?,
    )
}

#[test]
fn every_kind_of_plot_is_on_its_page() -> Tested {
    let mut text = format!(
        "{GENERATED}# Kinds of plots\n\nWhat `meshreplay plot --kind` draws of saved results. \
             [Pictures](../pictures.md) says how.\n"
    );
    for kind in PLOT_KINDS {
        let _ = writeln!(
            text,
            "\n## {}\n\n{}. It needs results that hold {}.",
            kind.name,
            kind.summary,
            cell(kind.needs)
        );
        match kind.example {
            Some(example) => {
                let _ = writeln!(
                    text,
                    "\n![{0}](../images/{0}.svg)\n\n```sh\nmeshreplay replay {example} -o {0}\nmeshreplay \
                         plot {0} --kind {0}\n```",
                    kind.name
                );
            }
            None => text += "\nIt shows measured times; `make replay` puts one into its report.\n",
        }
    }
    assert_committed(&format!("{PAGES}/reference/plots.md"), &text)
}
