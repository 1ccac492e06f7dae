//! Style checks: lengths of functions and files, leftovers, documentation of registry rows.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use meshreplay::allocator::{self, ALLOCATORS, Setup};
use meshreplay::machine::Mesh;
use meshreplay::machine::order::ORDERS;
use meshreplay::scheduler::{self, SCHEDULERS};
use meshreplay::spec::Spec;

use super::support::Tested;

const LINES_PER_FILE: usize = 1200;
const LINES_PER_FUNCTION: usize = 70;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `directory` with its text.
pub(crate) fn sources(directory: &Path) -> Result<BTreeMap<PathBuf, String>, Box<dyn std::error::Error>> {
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

/// Folders of the packages: the root and the folders below `crates`.
fn packages() -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    let crates = fs::read_dir(root().join("crates"))?.map(|entry| Ok(entry?.path()));
    std::iter::once(Ok(root().to_owned())).chain(crates).collect()
}

/// Every Rust file in these folders of every package, such as `src`, with its text.
fn sources_of_all(folders: &[&str]) -> Result<BTreeMap<PathBuf, String>, Box<dyn std::error::Error>> {
    let mut found = BTreeMap::new();
    for package in packages()? {
        for folder in folders.iter().map(|folder| package.join(folder)).filter(|folder| folder.is_dir()) {
            found.extend(sources(&folder)?);
        }
    }
    Ok(found)
}

/// The text of a file above its own tests.
pub(crate) fn code_of(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

#[test]
fn only_the_command_prints_and_looks_at_its_surroundings() -> Tested {
    for (path, text) in sources(&root().join("crates"))? {
        if path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "testing") {
            continue;
        }
        // Build scripts print instructions for Cargo.
        if path.ends_with("build.rs") {
            continue;
        }
        let code: String =
            code_of(&text).lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for word in ["println!", "eprintln!", "std::env", "process::exit", "env::var", "io::stdout"] {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
    Ok(())
}

/// (first line, number of lines) of each function, by indentation: from a line with `fn ` to the closing
/// brace at the same indentation.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let starts = |line: &str| {
        let words = line.trim_start();
        !words.starts_with("//")
            && !line.ends_with([';', '}'])
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
    for (path, text) in sources_of_all(&["src", "tests"])? {
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
    // Split, so that this file does not match.
    let words =
        [concat!("to", "do!"), concat!("unimple", "mented!"), concat!("FIX", "ME"), concat!("dbg", "!(")];
    for (path, text) in sources_of_all(&["src", "tests"])? {
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
    // Split, so that this file does not match.
    let words =
        [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("issues ", "show")];
    for file in String::from_utf8(tracked.stdout)?.split_terminator('\0') {
        // Compressed logs are not text, and a tracked file may be deleted in the working tree.
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        for word in words {
            assert!(!text.contains(word), "{file}: {word}");
        }
    }
    Ok(())
}

/// Returns the files of all test programs, each with the folder of its program.
fn test_files() -> Result<Vec<(PathBuf, PathBuf)>, Box<dyn std::error::Error>> {
    let tops = sources_of_all(&["tests"])?.into_keys().filter(|path| path.ends_with("main.rs"));
    let mut files = Vec::new();
    for top in tops.filter_map(|path| Some(path.parent()?.to_owned())) {
        files.extend(sources(&top)?.into_keys().map(|path| (top.clone(), path)));
    }
    Ok(files)
}

#[test]
fn no_test_file_is_forgotten() -> Tested {
    for (top, path) in test_files()? {
        // A folder's mod.rs is declared in the parent folder and declares the other files of its folder.
        let is_folder = path.ends_with("mod.rs");
        let named = if is_folder { path.parent().unwrap_or(&path) } else { path.as_path() };
        let folder = named.parent().unwrap_or(&top);
        let list = fs::read_to_string(folder.join(if folder == top { "main.rs" } else { "mod.rs" }))?;
        let stem = named.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        assert!(stem == "main" || list.contains(&format!("mod {stem};")), "{stem} is not in the list");
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
    let meshes: [Mesh; 3] = ["4x4".parse()?, "16".parse()?, "tree:4x4".parse()?];
    for row in ALLOCATORS {
        let mesh = meshes.iter().find(|mesh| row.serves(mesh)).ok_or(row.name)?.clone();
        assert!(!row.summary.is_empty() && !row.source.is_empty(), "{}", row.name);
        let resolved = allocator::build(&Spec::named(row.name), &Setup::new(&mesh, 0))?.spec;
        let again: Spec = resolved.to_string().parse()?;
        assert_eq!(allocator::build(&again, &Setup::new(&mesh, 0))?.spec, resolved);
        let short: Spec = allocator::short(&resolved).parse()?;
        assert_eq!(allocator::build(&short, &Setup::new(&mesh, 0))?.spec, resolved);
    }
    for row in SCHEDULERS {
        assert!(!row.summary.is_empty() && !row.source.is_empty(), "{}", row.name);
        let (_, resolved) = scheduler::build(&Spec::named(row.name))?;
        assert_eq!(scheduler::build(&resolved.to_string().parse()?)?.1, resolved);
    }
    Ok(())
}

/// Parses the documented parameters of a row, each with its default: `pass=batch (per-event), path (a file)`
/// gives `pass` with `batch`, and `path` without a default.
fn told(parameters: &str) -> Vec<(String, Option<String>)> {
    let (mut told, mut depth, mut word) = (Vec::new(), 0, String::new());
    for c in parameters.chars().chain([',']) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => told.push(std::mem::take(&mut word)),
            _ if depth == 0 => word.push(c),
            _ => {}
        }
    }
    let words = told.iter().filter_map(|text| text.split_whitespace().next());
    words
        .map(|word| match word.split_once('=') {
            Some((name, default)) => (name.to_owned(), Some(default.to_owned())),
            None => (word.to_owned(), None),
        })
        .collect()
}

#[test]
fn parameters_in_words_are_those_of_the_builders() -> Tested {
    type Build<'a> = &'a dyn Fn(&Spec) -> Result<Spec, String>;
    let check = |name: &str, parameters: &str, build: Build<'_>| -> Tested {
        let told = told(parameters);
        let mut names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        let refused = build(&format!("{name}:zzz=1").parse()?).err().ok_or("zzz is taken")?;
        let expected =
            if names.is_empty() { "it has none".to_owned() } else { format!("it has: {}", names.join(", ")) };
        assert!(refused.contains(&expected), "{name}: {refused}; its row says {parameters}");
        let Ok(resolved) = build(&Spec::named(name)) else { return Ok(()) };
        for (key, default) in told {
            let Some(default) = default else { continue };
            let given = build(&format!("{name}:{key}={default}").parse()?);
            assert_eq!(given.as_ref(), Ok(&resolved), "{name}: {key}={default} is not the default");
        }
        Ok(())
    };
    let meshes: [Mesh; 3] = ["4x4".parse()?, "16".parse()?, "tree:4x4".parse()?];
    // The members of best-of are themselves specs.
    for row in ALLOCATORS.iter().filter(|row| row.name != "best-of") {
        let mesh = meshes.iter().find(|mesh| row.serves(mesh)).ok_or(row.name)?;
        check(row.name, row.parameters, &|spec| {
            let built = allocator::build(spec, &Setup::new(mesh, 0));
            built.map(|built| built.spec).map_err(|error| error.to_string())
        })?;
    }
    for row in SCHEDULERS {
        check(row.name, row.parameters, &|spec| {
            scheduler::build(spec).map(|(_, spec)| spec).map_err(|error| error.to_string())
        })?;
    }
    Ok(())
}

#[test]
fn every_allocator_file_with_an_entry_is_registered() -> Tested {
    let registry = fs::read_to_string(root().join("crates/alloc/src/allocator/registry.rs"))?;
    for (path, text) in sources(&root().join("crates/alloc/src/allocator"))? {
        if text.contains("const ENTRY: AllocatorEntry") {
            let parent = path.parent().and_then(Path::file_name);
            let module = if path.ends_with("mod.rs") { parent } else { path.file_stem() };
            let module = module.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let rows = registry.split(|c: char| !c.is_alphanumeric() && !"_:".contains(c));
            let modules = rows.filter_map(|row| row.strip_suffix("::ENTRY"));
            let is_row = |path: &str| path.rsplit("::").next() == Some(module.as_str());
            assert!(modules.into_iter().any(is_row), "{module} is in no family of the registry");
            let mut source = text.lines().filter(|line| line.starts_with("//!") || line.contains("source: "));
            assert!(
                source.any(|line| line.contains(" 19") || line.contains(" 20")),
                "{module} cites nothing"
            );
        }
    }
    Ok(())
}
