//! Dependencies: licences, crates in several versions, and the page of reasons for each dependency, which is
//! generated from the comments in Cargo.toml. The tests work offline.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::docs::root;
use crate::support::{Tested, assert_committed};

/// Licences compatible with ours. An expression with OR needs one side in this list, one with AND both.
const LICENCES: [&str; 11] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Zlib",
];

/// Whether a licence expression is satisfied by [`LICENCES`].
fn is_free(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    let is_one = |part: &str| part.split(" OR ").any(|licence| LICENCES.contains(&licence.trim()));
    plain.split(" AND ").all(is_one)
}

#[test]
fn expressions_of_licences_are_understood() {
    for free in [
        "MIT",
        "Unlicense OR MIT",
        "MIT/Apache-2.0",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 / MIT",
    ] {
        assert!(is_free(free), "{free}");
    }
    for other in ["GPL-3.0", "MIT AND GPL-3.0", "", "MPL-2.0"] {
        assert!(!is_free(other), "{other}");
    }
}

/// The output of `cargo metadata --offline` for this system's packages, or `None` if some are not downloaded.
fn packages() -> Result<Option<Vec<Value>>, Box<dyn std::error::Error>> {
    let target = Command::new("rustc").arg("-vV").output()?;
    let target = String::from_utf8(target.stdout)?;
    let target = target.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo.args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", target]);
    let output = cargo.current_dir(root()).output()?;
    if !output.status.success() {
        println!("skipped: cargo metadata --offline: {}", String::from_utf8_lossy(&output.stderr).trim());
        return Ok(None);
    }
    let all: Value = serde_json::from_slice(&output.stdout)?;
    let built: BTreeSet<&str> = all["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|node| node["id"].as_str())
        .collect();
    let packages = all["packages"].as_array().into_iter().flatten();
    Ok(Some(packages.filter(|of| of["id"].as_str().is_some_and(|id| built.contains(id))).cloned().collect()))
}

#[test]
fn every_crate_may_be_given_on() -> Tested {
    let Some(packages) = packages()? else { return Ok(()) };
    let licence = |of: &Value| of["license"].as_str().unwrap_or_default().to_owned();
    let wrong: Vec<String> = packages
        .iter()
        .filter(|of| of["source"].is_string() && !is_free(&licence(of)))
        .map(|of| format!("{} {}: '{}'", of["name"], of["version"], licence(of)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Every package is from the registry, with a checksum in Cargo.lock, or from this workspace.
    let foreign = |of: &&Value| of["source"].as_str().is_some_and(|source| !source.starts_with("registry+"));
    assert_eq!(packages.iter().filter(foreign).count(), 0);
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    let (crates, sums) =
        (lock.matches("source = \"registry+").count(), lock.matches("checksum = \"").count());
    assert_eq!(crates, sums, "crates without a checksum");
    Ok(())
}

/// Crates in several versions, because Polars or the crates for fonts and PDF need older ones.
const TWICE: [&str; 10] = [
    "base64",
    "bitflags",
    "float-cmp",
    "foldhash",
    "getrandom",
    "hashbrown",
    "itertools",
    "kurbo",
    "miniz_oxide",
    "syn",
];

#[test]
fn no_other_crate_is_built_in_several_versions() -> Tested {
    let Some(packages) = packages()? else { return Ok(()) };
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for of in &packages {
        versions
            .entry(of["name"].as_str().unwrap_or_default())
            .or_default()
            .insert(of["version"].as_str().unwrap_or_default());
    }
    let new: Vec<_> = versions.iter().filter(|(name, of)| of.len() > 1 && !TWICE.contains(name)).collect();
    assert!(new.is_empty(), "{new:?}: is there a version that others use already?");
    Ok(())
}

/// Returns the dependencies in Cargo.toml: crate, version and reason.
fn dependencies(manifest: &str) -> Result<Vec<[String; 3]>, String> {
    let mut found = Vec::new();
    let mut is_in = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_in = line.ends_with("dependencies]");
            continue;
        }
        let Some((name, rest)) = line.split_once(" = ").filter(|_| is_in) else { continue };
        if name.starts_with("meshreplay") || name.ends_with(".workspace") {
            continue;
        }
        // The reason is the comment after the specification.
        let (given, reason) = rest.split_once(" # ").unwrap_or((rest, ""));
        let version = given
            .split('"')
            .find(|part| part.trim_start_matches('=').starts_with(|c: char| c.is_ascii_digit()));
        let version = version.ok_or_else(|| format!("{name} has no version"))?;
        found.push([name, version, reason].map(str::to_owned));
    }
    Ok(found)
}

#[test]
fn the_page_says_why_each_dependency_is_trusted() -> Tested {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let mut page = String::from(
        "# Dependencies\n\n\
         Direct dependencies, with the reasons from `Cargo.toml`. `Cargo.lock` pins every crate with its \
         checksum. Tests check that all crates come from the registry, that their licences are compatible \
         with ours, and that no crate but those listed in the test is built in two versions. Our own code \
         has no `unsafe`.\n\n\
         | crate | version | why |\n| --- | --- | --- |\n",
    );
    for [name, version, reason] in dependencies(&manifest)? {
        assert!(!reason.is_empty(), "Cargo.toml gives no reason for {name}");
        let reason = reason.replace('|', "\\|");
        writeln!(page, "| `{name}` | {version} | {reason} |")?;
    }
    page += "\nThe Python package has its own list in `python/Cargo.toml`.\n";
    assert_committed("docs/developers/dependencies.md", &page)
}
