//! The architecture as a test: the layers, which room may use which, no circles among files, no crowded folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::imports::House;
use super::support::Tested;
use super::tidy::{room_and_code, root, sources};

/// Most files and folders that one folder of src holds.
const ENTRIES_PER_FOLDER: usize = 20;

/// A layer of the crate, which is built with the feature of this name; the core is there without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Core,
    Lab,
    Cli,
}

/// Every room of src with its layer and the rooms that it may use, which stand above it in this table: so arrows run one
/// way. Whoever adds a room or an arrow adds it here.
const ROOMS: &[(&str, Layer, &str)] = &[
    ("job", Layer::Core, ""),
    ("spec", Layer::Core, ""),
    ("disk", Layer::Core, ""),
    ("stop", Layer::Core, ""),
    ("memory", Layer::Core, ""),
    ("words", Layer::Core, ""),
    ("trace", Layer::Core, "disk spec words"),
    ("prediction", Layer::Core, "job memory"),
    ("workload", Layer::Core, "job prediction spec trace"),
    ("machine", Layer::Core, "job memory spec stop words"),
    ("yardstick", Layer::Core, "machine"),
    ("allocator", Layer::Core, "job machine memory spec yardstick"),
    ("scheduler", Layer::Core, "job spec"),
    ("execution", Layer::Core, "job machine spec stop"),
    ("guest", Layer::Core, "allocator execution job machine scheduler spec stop words"),
    ("laws", Layer::Core, "allocator guest job machine spec stop words"),
    ("engine", Layer::Core, "allocator execution job machine memory prediction scheduler stop words"),
    ("metrics", Layer::Core, "allocator disk engine execution job machine memory spec stop yardstick"),
    ("audit", Layer::Core, "allocator disk engine job machine stop trace words"),
    (
        "study",
        Layer::Core,
        "allocator audit disk engine execution guest job machine memory metrics prediction scheduler spec stop trace words \
         workload",
    ),
    ("text", Layer::Lab, "metrics"),
    ("frame", Layer::Lab, "audit disk engine execution job machine memory metrics study text trace"),
    ("inspect", Layer::Lab, "allocator audit frame job machine spec text trace words workload"),
    ("sweep", Layer::Lab, "disk execution frame machine spec study text words"),
    (
        "figure",
        Layer::Lab,
        "allocator execution frame guest job machine metrics spec study text trace words workload yardstick",
    ),
    (
        "paper",
        Layer::Lab,
        "allocator engine execution figure frame job machine metrics spec study text trace workload",
    ),
    (
        "report",
        Layer::Lab,
        "allocator execution figure frame laws machine metrics paper prediction scheduler spec study text trace \
         words workload",
    ),
    (
        "cli",
        Layer::Cli,
        "allocator audit disk execution figure frame guest inspect laws machine metrics paper report scheduler spec study \
         sweep text trace words workload",
    ),
];

/// Returns the names after `crate::` in `code`; an empty one where a group follows.
fn rooms_used(code: &str) -> Vec<String> {
    let names = code.split("crate::").skip(1);
    names.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}

/// Whether `code` climbs with `super::` as far as the crate's root, where rooms would be reached without being named.
fn climbs_out(relative: &Path, code: &str) -> bool {
    let depth = relative.components().count() - usize::from(relative.ends_with("mod.rs"));
    code.contains(&"super::".repeat(depth))
}

#[test]
fn arrows_between_rooms_run_one_way() -> Tested {
    let mut drawn = BTreeSet::new();
    for (path, text) in sources(&root().join("src"))? {
        let (room, code) = room_and_code(&path, &text);
        if room == "lib" || room == "main" {
            continue;
        }
        let Some((_, _, allowed)) = ROOMS.iter().find(|(name, ..)| *name == room) else {
            return Err(format!("{}: no such room", path.display()).into());
        };
        let relative = path.strip_prefix(root().join("src"))?;
        assert!(!climbs_out(relative, code), "{}: rooms are named after crate::", path.display());
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for used in rooms_used(line) {
                let fine = used == room || allowed.split_whitespace().any(|name| name == used);
                assert!(fine, "{}: {room} must not use {used}: {line}", path.display());
                drawn.insert((room.clone(), used));
            }
        }
    }
    for (i, (room, layer, allowed)) in ROOMS.iter().enumerate() {
        for used in allowed.split_whitespace() {
            let above = ROOMS[..i].iter().find(|(name, ..)| *name == used);
            let Some((_, below, _)) = above else {
                return Err(format!("{room} uses {used}, which comes later").into());
            };
            assert!(below <= layer, "{room} is in {layer:?} and uses {used}, which is in {below:?}");
            let arrow = ((*room).to_owned(), used.to_owned());
            assert!(drawn.contains(&arrow), "{room} no longer uses {used}: take the arrow away");
        }
    }
    Ok(())
}

#[test]
fn rooms_are_built_with_the_feature_of_their_layer() -> Tested {
    let lib = fs::read_to_string(root().join("src/lib.rs"))?;
    for (room, layer, _) in ROOMS {
        let feature = match layer {
            Layer::Core => "",
            Layer::Lab => "#[cfg(feature = \"lab\")]\n",
            Layer::Cli => "#[cfg(feature = \"cli\")]\n",
        };
        let declared = [format!("{feature}pub mod {room};\n"), format!("{feature}mod {room};\n")];
        let found = declared.iter().any(|line| lib.contains(line));
        assert!(found, "lib.rs does not declare {room} as a room of {layer:?}");
        let gated = lib.contains(&format!("]\npub mod {room};\n"));
        assert_eq!(gated, *layer != Layer::Core, "{room}");
    }
    Ok(())
}

#[test]
fn no_files_import_each_other_in_a_circle() -> Tested {
    let circles = House::of(&root().join("src"))?.circles();
    assert!(circles.is_empty(), "files that import each other in a circle:\n{}", circles.join("\n"));
    Ok(())
}

#[test]
fn no_folder_is_crowded() -> Tested {
    let mut entries: BTreeMap<_, usize> = BTreeMap::new();
    for path in sources(&root().join("src"))?.keys() {
        let mut below = path.as_path();
        while let Some(folder) = below.parent().filter(|folder| folder.starts_with(root().join("src"))) {
            entries.entry(folder.to_owned()).or_default();
            below = folder;
        }
    }
    for (folder, count) in &mut entries {
        *count = fs::read_dir(folder)?.count();
        let rooms = if folder.ends_with("src") { ROOMS.len() + 2 } else { ENTRIES_PER_FOLDER };
        assert!(*count <= rooms, "{} holds {count} files and folders", folder.display());
    }
    Ok(())
}

#[test]
fn arrows_are_seen() {
    let code = "use crate::{job::Job, engine};\nlet x = crate::machine::Mesh::new(crate::spec::Spec);\n";
    assert_eq!(rooms_used(code), ["", "machine", "spec"], "a group names no room, which no table allows");
    for (path, code, out) in [
        ("job.rs", "use super::engine;", true),
        ("engine/mod.rs", "use super::frame;", true),
        ("engine/replay.rs", "use super::Parts;", false),
        ("engine/replay.rs", "use super::super::frame;", true),
        ("allocator/curve/mod.rs", "use super::seam::Entry;", false),
    ] {
        assert_eq!(climbs_out(Path::new(path), code), out, "{path}: {code}");
    }
}
