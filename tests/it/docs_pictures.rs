//! The pictures of docs/ are what `plot` draws of small replays, and the page on kinds of plots has a row for each kind.

use std::fmt::Write;
use std::fs;

use meshreplay::figure::PLOT_KINDS;

use super::docs::{GENERATED, PAGES, place, printed};
use super::docs_registries::cell;
use super::support::{Tested, assert_committed};

/// The replays that pictures are drawn of: a directory, the command that fills it, and the kinds that are drawn of it.
/// Kinds that show times are not among them: every run measures others.
const REPLAYS: &[(&str, &str, &[&str])] = &[
    (
        "loads",
        "replay traces/lublin-256-10k.swf.gz --machine 16x16 --allocator naive hilbert+bf mbs granular-mbs gabl mc1x1 snug \
         --arrival-scale 1 0.9 0.8 --no-timing --quiet",
        &["utilization"],
    ),
    (
        "small",
        "replay synthetic:jobs=200,ratio=1 --machine 8x8 --scheduler fcfs --allocator first-fit hilbert+bf mbs \
         --arrival-scale 1 0.8 --no-timing --quiet",
        &["load", "ratio"],
    ),
    (
        "few",
        "replay synthetic:jobs=40,ratio=1 --machine 8x8 --scheduler fcfs --allocator first-fit hilbert+bf mbs \
         --placements --no-timing --quiet",
        &["waits", "busy", "nodes", "gantt"],
    ),
    (
        "array",
        "replay docs/examples/seven-jobs.swf --machine 48 --allocator linear-first-fit left-compaction cost-free-compaction \
         --no-timing --quiet",
        &["delays"],
    ),
];

#[test]
fn pictures_are_what_plot_draws() -> Tested {
    let at = place()?;
    for (directory, command, kinds) in REPLAYS {
        printed(at.path(), &format!("meshreplay {command} -o {directory} > table.txt"))?;
        let said =
            printed(at.path(), &format!("meshreplay plot {directory} --kind {} --quiet", kinds.join(" ")))?;
        for kind in *kinds {
            let drawn = fs::read_to_string(at.path().join(directory).join(format!("{kind}.svg")));
            let drawn = drawn.map_err(|error| format!("{kind}: {error}: {said}"))?;
            assert_committed(&format!("{PAGES}/images/{kind}.svg"), &drawn)?;
        }
    }
    Ok(())
}

#[test]
fn every_kind_of_plot_is_on_its_page() -> Tested {
    let mut text = format!(
        "{GENERATED}# Kinds of plots\n\nWhat `meshreplay plot --kind` draws of saved results. [Pictures](../pictures.md) says how.\n"
    );
    for kind in PLOT_KINDS {
        let _ = writeln!(
            text,
            "\n## {}\n\n{}. It needs results that hold {}.",
            kind.name,
            kind.summary,
            cell(&kind.needs.to_string())
        );
        match REPLAYS.iter().find(|(_, _, kinds)| kinds.contains(&kind.name)) {
            Some((_, command, _)) => {
                let _ = writeln!(
                    text,
                    "\n![{0}](../images/{0}.svg)\n\n```sh\nmeshreplay {command} -o out\nmeshreplay plot out --kind {0}\n```",
                    kind.name
                );
            }
            None => text += "\nIt shows measured times; `make replay` puts one into its report.\n",
        }
    }
    assert_committed(&format!("{PAGES}/reference/plots.md"), &text)
}
