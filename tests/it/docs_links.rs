//! The pages of docs/ have no broken links, and the options in their commands exist.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::docs::{all_pages, helps, root};
use super::support::Tested;

/// The targets of a page's links within the project. Code blocks are skipped.
pub(crate) fn targets(text: &str) -> Vec<String> {
    let mut prose = String::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if !is_code {
            let _ = writeln!(prose, "{line}");
        }
    }
    let ends = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let links = ends.map(|(target, _)| target.to_owned());
    links.filter(|target| !target.starts_with("http")).collect()
}

/// The anchor of a heading: lower case letters and digits, hyphens for blanks, no other characters.
fn anchor(heading: &str) -> String {
    let kept = heading
        .trim()
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .collect::<String>();
    kept.replace(' ', "-")
}

#[test]
fn links_lead_somewhere() -> Tested {
    for page in all_pages()? {
        let text = fs::read_to_string(root().join(&page))?;
        for target in targets(&text) {
            let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
            let here = PathBuf::from(&page);
            let path = if file.is_empty() { here } else { here.parent().unwrap_or(Path::new("")).join(file) };
            assert!(root().join(&path).exists(), "{page}: nothing is at {target}");
            if !heading.is_empty() {
                let text = fs::read_to_string(root().join(&path))?;
                let mut headings = text.lines().filter_map(|line| line.strip_prefix('#'));
                let found = headings.any(|line| anchor(line.trim_start_matches('#')) == heading);
                assert!(found, "{page}: no heading for {target}");
            }
        }
    }
    Ok(())
}

/// The commands of a page's blocks of `sh`, continued lines joined.
fn commands_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for block in text.split("```sh\n").skip(1) {
        let block = block.split("\n```").next().unwrap_or_default().replace("\\\n", " ");
        let lines = block.lines().map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned());
        found.extend(lines.filter(|line| line.contains("meshreplay ")));
    }
    found
}

#[test]
fn options_of_commands_exist() -> Tested {
    let helps: BTreeMap<String, String> = helps("meshreplay")?.into_iter().collect();
    for page in all_pages()? {
        for line in commands_of(&fs::read_to_string(root().join(&page))?) {
            // Another program that runs ours, such as `parallel`, may come first with its own options.
            let Some((_, words)) = line.split_once("meshreplay ") else { continue };
            let words: Vec<&str> = words.split_whitespace().collect();
            let name = |count: usize| format!("meshreplay {}", words[..count.min(words.len())].join(" "));
            let help = helps.get(&name(2)).or_else(|| helps.get(&name(1)));
            let help = help.ok_or_else(|| format!("{page}: no such command: {line}"))?;
            for word in words.iter().filter(|word| word.starts_with("--") && word.len() > 2) {
                let option = word.split('=').next().unwrap_or_default().trim_matches('\'');
                assert!(help.contains(option), "{page}: {option} is no option: {line}");
            }
        }
    }
    Ok(())
}

#[test]
fn links_and_commands_are_found() {
    assert_eq!(targets("a [b](c.md#d)\n```\n[x](y)\n```\n[z](w) [h](https://h)"), ["c.md#d", "w"]);
    assert_eq!(anchor(" Why EASY is not one algorithm"), "why-easy-is-not-one-algorithm");
    assert_eq!(commands_of("```sh\nmeshreplay a \\\n    --b   # c\nls\n```\n"), ["meshreplay a      --b"]);
}

#[test]
fn no_two_pages_write_into_one_directory() -> Tested {
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for page in all_pages()? {
        let text = fs::read_to_string(root().join(&page))?;
        // Examples of generated reference pages are independent of each other.
        let lines =
            text.lines().filter(|line| line.contains("replay ") && !text.starts_with("<!-- Generated"));
        for name in lines.filter_map(|line| line.split_once(" -o ")?.1.split_whitespace().next()) {
            let name = name.trim_matches(|c: char| !c.is_alphanumeric());
            let other = pages.entry(name.to_owned()).or_insert_with(|| page.clone());
            // Several pages mention the study `loads`, and DIR is a placeholder.
            let is_common = ["loads", "DIR"].contains(&name);
            assert!(is_common || *other == page, "{name}: {other} and {page}");
        }
    }
    Ok(())
}
