//! Style as a test: who may use whom, how long things are, what is left over, what the registries say of themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use meshreplay::allocator::{self, ALLOCATORS, Setup};
use meshreplay::machine::Mesh;
use meshreplay::machine::order::ORDERS;
use meshreplay::scheduler::{self, SCHEDULERS};
use meshreplay::spec::Spec;

use super::support::Tested;

const LINES_PER_FILE: usize = 500;
const LINES_PER_FUNCTION: usize = 70;

/// Which rooms each room may use. Arrows run one way: whoever adds one here must not close a circle.
const ROOMS: &[(&str, &[&str])] = &[
    ("job", &[]),
    ("spec", &[]),
    ("disk", &[]),
    ("stop", &[]),
    ("trace", &["disk", "spec"]),
    ("workload", &["job", "spec", "trace"]),
    ("machine", &["spec", "stop"]),
    ("allocator", &["job", "machine", "spec"]),
    ("scheduler", &["job", "spec"]),
    ("execution", &["job", "machine", "spec"]),
    ("engine", &["allocator", "execution", "job", "machine", "scheduler", "stop"]),
    ("metrics", &["allocator", "engine", "execution", "job", "machine", "spec", "stop"]),
    (
        "study",
        &[
            "allocator",
            "engine",
            "execution",
            "job",
            "machine",
            "metrics",
            "scheduler",
            "spec",
            "trace",
            "workload",
        ],
    ),
    ("audit", &["job", "machine", "trace"]),
    ("frame", &["audit", "disk", "engine", "execution", "job", "machine", "metrics", "study"]),
    (
        "paper",
        &[
            "allocator",
            "engine",
            "execution",
            "frame",
            "job",
            "machine",
            "metrics",
            "spec",
            "study",
            "trace",
            "workload",
        ],
    ),
    ("text", &[]),
    ("figure", &["text"]),
    ("report", &["figure"]),
    (
        "cli",
        &[
            "allocator",
            "audit",
            "disk",
            "execution",
            "figure",
            "frame",
            "job",
            "machine",
            "metrics",
            "paper",
            "report",
            "scheduler",
            "spec",
            "study",
            "text",
            "trace",
            "workload",
        ],
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `directory` with its text.
fn sources(directory: &Path) -> Result<BTreeMap<PathBuf, String>, Box<dyn std::error::Error>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            found.insert(path, text);
        }
    }
    Ok(found)
}

/// The room of a file below src, and the rest of its text above its own tests.
fn room_and_code<'a>(path: &Path, text: &'a str) -> (String, &'a str) {
    let relative = path.strip_prefix(root().join("src")).unwrap_or(path);
    let first = relative.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned());
    let room = first.unwrap_or_default().trim_end_matches(".rs").to_owned();
    (room, text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text))
}

/// Rooms that `code` names after `crate::`.
fn rooms_used(code: &str) -> Vec<String> {
    let names = code.split("crate::").skip(1);
    names.map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect()
}

/// Lines that climb with `super::` as far as the crate's root, where rooms would be reached without being named.
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
        let Some((_, allowed)) = ROOMS.iter().find(|(name, _)| *name == room) else {
            return Err(format!("{}: no such room", path.display()).into());
        };
        let relative = path.strip_prefix(root().join("src"))?;
        assert!(!climbs_out(relative, code), "{}: rooms are named after crate::", path.display());
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for used in rooms_used(line) {
                let fine = used == room || allowed.contains(&used.as_str());
                assert!(fine, "{}: {room} must not use {used}: {line}", path.display());
                drawn.insert((room.clone(), used));
            }
        }
    }
    // No circle: with the rooms sorted as above, each uses earlier ones only.
    for (i, (room, allowed)) in ROOMS.iter().enumerate() {
        for used in *allowed {
            assert!(ROOMS[..i].iter().any(|(name, _)| name == used), "{room} uses {used}, which comes later");
            let arrow = ((*room).to_owned(), (*used).to_owned());
            assert!(drawn.contains(&arrow), "{room} no longer uses {used}: take the arrow away");
        }
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
        ("allocator/curve/mod.rs", "use super::Entry;", false),
    ] {
        assert_eq!(climbs_out(Path::new(path), code), out, "{path}: {code}");
    }
}

#[test]
fn only_the_frame_knows_polars_and_only_the_command_line_prints() -> Tested {
    for (path, text) in sources(&root().join("src"))? {
        let (room, code) = room_and_code(&path, &text);
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        if room != "frame" {
            assert!(!code.contains("polars::"), "{}", path.display());
        }
        if room != "cli" && room != "main" {
            for word in ["println!", "eprintln!", "std::env", "process::exit", "env::var", "io::stdout"] {
                assert!(!code.contains(word), "{}: {word}", path.display());
            }
        }
    }
    Ok(())
}

/// (first line, lines) of each function, by indentation: from a line with `fn ` to the closing brace below its start.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = |line: &str| {
        let words = line.trim_start();
        !words.starts_with("//")
            && !line.ends_with(';')
            && !line.contains('"')
            && words.split(' ').take(4).any(|word| word == "fn")
    };
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| starts(line)) {
        let indent = line.len() - line.trim_start().len();
        let end = format!("{}}}", " ".repeat(indent));
        let length = lines[i..].iter().position(|line| **line == end).map_or(1, |length| length + 1);
        found.push((i + 1, length));
    }
    found
}

#[test]
fn files_and_functions_are_short() -> Tested {
    let all = sources(&root().join("src"))?.into_iter().chain(sources(&root().join("tests"))?);
    for (path, text) in all {
        assert!(text.lines().count() <= LINES_PER_FILE, "{}: {} lines", path.display(), text.lines().count());
        for (line, length) in functions(&text) {
            assert!(length <= LINES_PER_FUNCTION, "{}:{line}: a function of {length} lines", path.display());
        }
    }
    Ok(())
}

#[test]
fn long_functions_are_seen() {
    let body = "        let x = 1;\n".repeat(80);
    let text = format!("impl A {{\n    pub(crate) fn long(&self) {{\n{body}    }}\n}}\nfn short() {{\n}}\n");
    assert_eq!(functions(&text), [(2, 82), (85, 2)]);
}

#[test]
fn nothing_is_left_over() -> Tested {
    // Spelt so that this file does not find itself.
    let words =
        [concat!("to", "do!"), concat!("unimple", "mented!"), concat!("FIX", "ME"), concat!("dbg", "!(")];
    for (path, text) in sources(&root().join("src"))?.into_iter().chain(sources(&root().join("tests"))?) {
        for word in words {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
        assert!(text.starts_with("//! "), "{}: its first line does not say what it is for", path.display());
    }
    Ok(())
}

#[test]
fn nothing_tells_where_it_was_written() -> Tested {
    let tracked = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(tracked) = tracked.ok().filter(|output| output.status.success()) else {
        println!("skipped: no git, or no clone");
        return Ok(());
    };
    // Spelt so that this file does not find itself.
    let words =
        [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("issues ", "show")];
    for file in String::from_utf8(tracked.stdout)?.split_terminator('\0') {
        // Compressed logs are no text, and a file that is about to be removed may be gone.
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        for word in words {
            assert!(!text.contains(word), "{file}: {word}");
        }
    }
    Ok(())
}

#[test]
fn no_test_file_is_forgotten() -> Tested {
    let main = fs::read_to_string(root().join("tests/it/main.rs"))?;
    for path in sources(&root().join("tests/it"))?.keys() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        assert!(stem == "main" || main.contains(&format!("mod {stem};")), "{stem} is not in main.rs");
    }
    Ok(())
}

#[test]
fn names_are_unique_and_in_kebab_case() {
    let families: [Vec<&str>; 3] = [
        ALLOCATORS.iter().map(|row| row.name).collect(),
        SCHEDULERS.iter().map(|row| row.name).collect(),
        ORDERS.iter().map(|row| row.name).collect(),
    ];
    for mut names in families {
        for name in &names {
            let kebab = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            assert!(kebab && !name.starts_with('-') && !name.ends_with('-'), "{name}");
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
    }
}

#[test]
fn every_row_names_its_source_and_its_spec_round_trips() -> Tested {
    let meshes: [Mesh; 2] = ["4x4".parse()?, "16".parse()?];
    for row in ALLOCATORS {
        let mesh = meshes.iter().find(|mesh| row.serves(mesh)).ok_or(row.name)?.clone();
        assert!(!row.summary.is_empty() && !row.source.is_empty(), "{}", row.name);
        let (_, resolved) = allocator::build(&Spec::named(row.name), &Setup { mesh: &mesh, seed: 0 })?;
        let again: Spec = resolved.to_string().parse()?;
        assert_eq!(allocator::build(&again, &Setup { mesh: &mesh, seed: 0 })?.1, resolved);
        let short: Spec = allocator::short(&resolved).parse()?;
        assert_eq!(allocator::build(&short, &Setup { mesh: &mesh, seed: 0 })?.1, resolved);
    }
    for row in SCHEDULERS {
        assert!(!row.summary.is_empty() && !row.source.is_empty(), "{}", row.name);
        let (_, resolved) = scheduler::build(&Spec::named(row.name))?;
        assert_eq!(scheduler::build(&resolved.to_string().parse()?)?.1, resolved);
    }
    Ok(())
}

#[test]
fn every_allocator_file_with_an_entry_is_registered() -> Tested {
    let registry = fs::read_to_string(root().join("src/allocator/mod.rs"))?;
    for (path, text) in sources(&root().join("src/allocator"))? {
        if text.contains("const ENTRY: Entry") {
            let parent = path.parent().and_then(Path::file_name);
            let module = if path.ends_with("mod.rs") { parent } else { path.file_stem() };
            let module = module.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            assert!(registry.contains(&format!("{module}::ENTRY")), "{module} is not in ALLOCATORS");
            assert!(text.contains(", 19") || text.contains(", 20"), "{module} cites nothing");
        }
    }
    Ok(())
}

#[test]
fn the_readme_has_every_allocator() -> Tested {
    let readme = fs::read_to_string(root().join("README.md"))?;
    let rows: Vec<String> = ALLOCATORS
        .iter()
        .map(|entry| format!("| `{}` | {} | {} |", entry.name, entry.summary, entry.kind))
        .collect();
    let found: Vec<&str> = readme
        .lines()
        .skip_while(|line| *line != "| allocator | what it does | kind |")
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert_eq!(found, rows, "the table of README.md is not that of the registry");
    Ok(())
}
