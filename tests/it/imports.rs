//! The import graph of the sources: which file names what of which other file, as far as paths say it.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use super::tidy::{room_and_code, sources};

/// A module: the names from the crate's root to it.
type Module = Vec<String>;

/// Every module with the paths that its code names.
pub(crate) struct House {
    paths: BTreeMap<Module, Vec<Vec<String>>>,
}

impl House {
    /// Reads the sources below `src`; tests at the end of files and in files of their own are left out.
    pub(crate) fn of(src: &Path) -> Result<Self, Box<dyn Error>> {
        let mut paths = BTreeMap::new();
        for (path, text) in sources(src)? {
            let (_, code) = room_and_code(&path, &text);
            if path.ends_with("tests.rs") {
                continue;
            }
            let relative = path.strip_prefix(src)?.with_extension("");
            let mut module: Module =
                relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            if module.last().is_some_and(|last| ["mod", "lib"].contains(&last.as_str())) {
                module.pop();
            }
            let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            paths.insert(module, named(&code.join("\n")));
        }
        Ok(Self { paths })
    }

    /// Returns the module that a path leads to from `module`: the deepest one on its way, through names that a `mod.rs`
    /// hands on from its children. `None` if the path does not begin in this crate.
    fn target(&self, module: &[String], path: &[String], depth: usize) -> Option<Module> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Module::new(),
            "self" => module.to_vec(),
            "super" => module[..module.len().checked_sub(1)?].to_vec(),
            _ => {
                rest = path;
                module.to_vec()
            }
        };
        while let Some((name, further)) = rest.split_first() {
            if name == "super" {
                at.pop();
                rest = further;
                continue;
            }
            let child: Module = at.iter().chain([name]).cloned().collect();
            if self.paths.contains_key(&child) {
                (at, rest) = (child, further);
                continue;
            }
            let handed_on = self.paths[&at].iter().find(|path| path.len() > 1 && path.last() == Some(name));
            return match handed_on {
                Some(path) if depth < 8 => self.target(&at, path, depth + 1).or(Some(at)),
                _ => Some(at),
            };
        }
        Some(at)
    }

    /// Returns the arrows between the files and folders that lie side by side in one folder, by folder. Between a folder's
    /// `mod.rs` and what lies in it there are none: it hands on names both ways.
    fn arrows(&self) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
        let mut arrows: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (module, paths) in &self.paths {
            let begins_here =
                |path: &&Vec<String>| ["crate", "super"].contains(&path.first().map_or("", String::as_str));
            for path in paths.iter().filter(begins_here) {
                let Some(target) = self.target(module, path, 0) else { continue };
                let shared = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (module.get(shared), target.get(shared)) {
                    let folder = arrows.entry(module[..shared].to_vec()).or_default();
                    folder.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        arrows
    }

    /// Returns each circle in words; none if the files can be put in an order in which imports run one way.
    pub(crate) fn circles(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (folder, mut arrows) in self.arrows() {
            // What uses nothing that is left is on no circle, and neither is what nothing uses: both are taken away until
            // nothing changes.
            loop {
                let left: BTreeSet<String> = arrows.keys().cloned().collect();
                for used in arrows.values_mut() {
                    used.retain(|name| left.contains(name));
                }
                let used_by_any: BTreeSet<String> = arrows.values().flatten().cloned().collect();
                let before = arrows.len();
                arrows.retain(|name, used| !used.is_empty() && used_by_any.contains(name));
                if arrows.len() == before {
                    break;
                }
            }
            for (from, used) in arrows {
                found.push(format!("{}: {from} uses {used:?}", folder.join("/")));
            }
        }
        found
    }
}

/// Returns the paths that `code` names from `crate`, `super` or `self`, and those of its `use` lines, groups written out.
fn named(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if !is_name(before) && before != ':' {
                read_path(&code[at..], &[], &mut found);
            }
        }
    }
    for (at, _) in code.match_indices("use ") {
        let rest = &code[at + 4..];
        if code[..at].ends_with(['\n', ' '])
            && !["crate", "super", "self"].iter().any(|s| rest.starts_with(s))
        {
            read_path(rest, &[], &mut found);
        }
    }
    found
}

/// Reads one path at the beginning of `text`, with the group at its end if there is one, and returns what follows it.
fn read_path<'a>(mut text: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let mut path = before.to_vec();
    loop {
        text = text.trim_start();
        if let Some(mut group) = text.strip_prefix('{') {
            loop {
                group = read_path(group, &path, found).trim_start();
                match group.strip_prefix(',') {
                    Some(next) if !next.trim_start().starts_with('}') => group = next,
                    next => {
                        let rest = next.unwrap_or(group).trim_start();
                        return rest.strip_prefix('}').unwrap_or(rest);
                    }
                }
            }
        }
        let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        if length > 0 {
            path.push(text[..length].to_owned());
        }
        text = &text[length..];
        match text.strip_prefix("::") {
            Some(rest) if length > 0 => text = rest,
            _ => break,
        }
    }
    // `use a::{self, B}` names a itself.
    if path.len() > before.len() + usize::from(before.is_empty())
        && path.last().is_some_and(|last| last == "self")
    {
        path.pop();
    }
    found.push(path);
    // `as NAME` belongs to the path.
    let renamed = text.trim_start().strip_prefix("as ").map(str::trim_start);
    renamed.map_or(text, |name| name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'))
}

#[test]
fn paths_and_groups_are_read() {
    let code = "use super::{a::{B, c::D}, self as e};\npub use child::X;\nlet x = crate::job::Time::of(1);\n";
    let mut found: Vec<String> = named(code).iter().map(|path| path.join("::")).collect();
    found.sort();
    for path in ["super::a::B", "super::a::c::D", "child::X", "crate::job::Time::of"] {
        assert!(found.iter().any(|found| found == path), "{path}: {found:?}");
    }
}

#[test]
fn circles_are_seen() {
    let house = |files: &[(&str, &str)]| House {
        paths: files
            .iter()
            .map(|(module, code)| (module.split('/').map(str::to_owned).collect(), named(code)))
            .collect(),
    };
    let rooms = [("a", "pub use x::X;"), ("a/x", "use super::y::Y;"), ("b", "")];
    let one_way = house(&[rooms[0], rooms[1], rooms[2], ("a/y", "use crate::b::B;")]);
    assert!(one_way.circles().is_empty(), "{:?}", one_way.circles());
    let round = house(&[rooms[0], rooms[1], rooms[2], ("a/y", "use super::X;")]);
    assert_eq!(round.circles(), ["a: x uses {\"y\"}", "a: y uses {\"x\"}"]);
}
