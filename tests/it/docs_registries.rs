//! Pages of docs/ that are generated from registries: one for each allocator, family and scheduler, and lists
//! of rows.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::fs;

use meshreplay::allocator::{ALLOCATORS, AllocatorEntry, OnTrees, RECORDED};
use meshreplay::machine::order::ORDERS;
use meshreplay::scheduler::{self, SCHEDULERS};
use meshreplay::trace::{FORMATS, Format};

use super::docs::{GENERATED, PAGES, pages_below, place, printed, refreshed, root, rust_files};
use super::support::{Tested, assert_committed, blesses, columns, shared};
use meshreplay::text::grouped;

/// `text` of a table cell: bars are escaped.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The source file of a registry row, anywhere below `folder`: `first_fit.rs` or `first_fit/mod.rs` for
/// `first-fit`, or else the file that contains the name as a string.
fn source_of(folder: &str, name: &str) -> Result<String, Box<dyn Error>> {
    let stem = name.replace('-', "_");
    let files = rust_files(folder)?;
    let ends = [format!("/{stem}.rs"), format!("/{stem}/mod.rs")];
    let by_name = files.iter().find(|file| ends.iter().any(|end| file.ends_with(end)));
    let holds = |file: &&String| {
        fs::read_to_string(root().join(file)).is_ok_and(|text| text.contains(&format!("\"{name}\"")))
    };
    let found = by_name.or_else(|| files.iter().find(holds));
    found.cloned().ok_or_else(|| format!("no file of {folder} has {name}").into())
}

/// The module documentation of a Rust file, as Markdown without links into the code.
fn head_of(file: &str) -> Result<String, Box<dyn Error>> {
    let text = fs::read_to_string(root().join(file))?;
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let head: String = lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect();
    Ok(without_links(&head))
}

/// `text` with [`name`] and [`name`](path) replaced by `name`.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, behind)) = after.split_once("`]") else { break };
        let name = name.trim_start_matches("super::").trim_start_matches("crate::");
        let _ = write!(plain, "{before}`{name}`");
        rest = match behind.strip_prefix('(').and_then(|target| target.split_once(')')) {
            Some((_, behind)) => behind,
            None => behind,
        };
    }
    plain + rest
}

/// Splits `key=default (others), key=…` at commas outside brackets.
fn parameters_of(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match parts.last_mut() {
            Some(last) if c != ',' || depth > 0 => last.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.retain(|parameter| !parameter.is_empty());
    parts.iter().map(|parameter| parameter.trim().to_owned()).collect()
}

/// The head of a generated page: title, summary, a table of facts, and the list of parameters.
fn facts(name: &str, summary: &str, facts: &[(&str, &str)], parameters: &str) -> String {
    let mut text = format!("{GENERATED}# {name}\n\n**{summary}**\n\n| | |\n| --- | --- |\n");
    for (title, value) in facts {
        let _ = writeln!(text, "| {title} | {} |", cell(value));
    }
    text += "\n## Parameters\n\n";
    for parameter in parameters_of(parameters) {
        let (name, rest) = parameter.split_once(' ').unwrap_or((&parameter, ""));
        let line = format!("* `{name}` {rest}");
        text += line.trim_end();
        text.push('\n');
    }
    if parameters.is_empty() {
        text += "None.\n";
    }
    text
}

/// What *no place* costs under each contiguous allocator, in words: the seconds of the mean wait on the
/// bundled log.
fn waits_for_a_place() -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let is_on_mesh = |row: &&AllocatorEntry| row.max_dims > 1 && row.trees != OnTrees::Only;
    let contiguous = ALLOCATORS.iter().filter(is_on_mesh).filter(|row| row.kind.to_string() == "contiguous");
    let names: Vec<&str> = contiguous.map(|row| row.name).collect();
    let table = printed(
        root(),
        &format!(
            "meshreplay replay traces/lublin-256-10k.swf.gz -m 16x16 -s easy -a {} --why --no-timing -q \
             --columns wait_s_mean,wait_no_place_s_mean",
            names.join(" ")
        ),
    )?;
    let mut found = BTreeMap::new();
    for name in names {
        let of_name = |words: &Vec<&str>| words.first() == Some(&name);
        let words = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).find(of_name);
        let words = words.ok_or_else(|| format!("{name} is not in {table}"))?;
        let [.., wait_s, no_place_s] = words.as_slice() else { return Err(table.into()) };
        let overloaded = if words.contains(&"†") { "; overloaded" } else { "" };
        found.insert(
            name.to_owned(),
            format!(
                "{no_place_s} s of a mean wait of {wait_s} s (lublin-256-10k on 16x16, EASY{overloaded})"
            ),
        );
    }
    Ok(found)
}

/// The page of an allocator: its row, its drawings, and the head of its file. `no_place` has what waits for a
/// place cost.
fn allocator_page(row: &AllocatorEntry, no_place: Option<&String>) -> Result<String, Box<dyn Error>> {
    let file = source_of("crates/alloc/src/allocator", row.name)?;
    let [promises, kind, tori, code] =
        [row.default_promises().to_string(), row.kind.to_string(), row.tori.to_string(), format!("`{file}`")];
    let mut machines =
        format!("of at most {} dimension{}", row.max_dims, if row.max_dims == 1 { "" } else { "s" });
    if let Some(reason) = row.refuses_unavailable {
        let _ = write!(machines, ", without unavailable nodes: {reason}");
    }
    let (trees, is_of_trees) = (row.trees.to_string(), row.trees == OnTrees::Only);
    if is_of_trees {
        "trees of switches".clone_into(&mut machines);
    }
    let promises = if promises.is_empty() { "nothing" } else { &promises };
    let mut rows = vec![
        ("placements", kind.as_str()),
        ("promises", promises),
        ("machines", &machines),
        ("on tori", &tori),
        ("on trees", &trees),
        ("source", row.source),
        ("code", &code),
    ];
    rows.retain(|(title, _)| !(is_of_trees && title.starts_with("on ")));
    if let Some(seconds) = no_place {
        rows.insert(2, ("waits for a place", seconds));
    }
    let mut text = facts(row.name, row.summary, &rows, row.parameters);
    let up = if family_of(row.name)?.is_some() { "../README.md" } else { "README.md" };
    let _ = writeln!(
        text,
        "\n## A drawing\n\nOf seven jobs two have ended, and the last one, `#`, has come; see [how to read \
             it]({up}#the-drawings)."
    );
    let of_dims: [&[&str]; 3] = [&["48"], &["8x8"], &["8x8", "4x4x4"]];
    for machine in
        if is_of_trees { &["tree:8x8", "tree:4x4x4"] } else { of_dims[row.max_dims.clamp(1, 3) - 1] }
    {
        // The allocator `recorded` needs a log with the nodes of each job.
        let (log, map) = if row.name == RECORDED { ("sacct", " --node-map n{rank}") } else { ("swf", "") };
        let command = format!(
            "meshreplay show allocation docs/examples/seven-jobs.{log} --at 120 \\\n    --machine {machine} \
                 --allocator {}{map}",
            row.name
        );
        let _ = writeln!(text, "\n```console\n$ {command}\n```");
    }
    let _ = write!(text, "\n## How it works\n\n{}", head_of(&file)?);
    refreshed(&text)
}

/// The folder of an allocator's family below crates/alloc/src/allocator, or `None` for a single allocator.
fn family_of(name: &str) -> Result<Option<String>, Box<dyn Error>> {
    let folder = |file: &str| {
        let inside = file.strip_prefix("crates/alloc/src/allocator/").unwrap_or(file);
        inside.split_once('/').map(|(family, _)| family.to_owned())
    };
    let family = folder(&source_of("crates/alloc/src/allocator", name)?);
    let mut members = 0;
    for row in ALLOCATORS {
        members += usize::from(folder(&source_of("crates/alloc/src/allocator", row.name)?) == family);
    }
    Ok(family.filter(|_| members > 1))
}

/// The path of an allocator's page below docs/src.
fn page_of(name: &str) -> Result<String, Box<dyn Error>> {
    let family = family_of(name)?.map_or(String::new(), |family| format!("{family}/"));
    Ok(format!("allocators/{family}{name}.md"))
}

/// The name of a family, if it has one, and its rows.
type Family = (Option<String>, Vec<&'static AllocatorEntry>);

/// Families in the order of the registry. An allocator without a family is a family of one.
fn families() -> Result<Vec<Family>, Box<dyn Error>> {
    let mut families: Vec<Family> = Vec::new();
    for row in ALLOCATORS {
        let family = family_of(row.name)?;
        match families.iter_mut().find(|(name, _)| name.is_some() && *name == family) {
            Some((_, rows)) => rows.push(row),
            None => families.push((family, vec![row])),
        }
    }
    Ok(families)
}

/// The page of a family: the head of its mod.rs and its members.
fn family_page(family: &str, rows: &[&AllocatorEntry]) -> Result<String, Box<dyn Error>> {
    let head = head_of(&format!("crates/alloc/src/allocator/{family}/mod.rs"))?;
    let mut text =
        format!("{GENERATED}# Family: {family}\n\n{head}\n| allocator | description |\n| --- | --- |\n");
    for row in rows {
        let _ = writeln!(text, "| [{}]({}.md) | {} |", row.name, row.name, cell(row.summary));
    }
    Ok(text)
}

#[test]
fn every_allocator_has_its_page() -> Tested {
    let folder = format!("{PAGES}/allocators");
    let mut expected = BTreeMap::new();
    let no_place = waits_for_a_place()?;
    for (family, rows) in families()? {
        for row in &rows {
            expected.insert(
                format!("{PAGES}/{}", page_of(row.name)?),
                allocator_page(row, no_place.get(row.name))?,
            );
        }
        if let Some(family) = family {
            expected.insert(format!("{folder}/{family}/README.md"), family_page(&family, &rows)?);
        }
    }
    for page in pages_below(&folder)? {
        if page == format!("{folder}/README.md") || expected.contains_key(&page) {
            continue;
        }
        assert!(blesses(), "{page}: no allocator has this page; `make bless` removes it");
        fs::remove_file(root().join(&page))?;
    }
    for (page, text) in expected {
        assert_committed(&page, &text)?;
    }
    Ok(())
}

#[test]
fn every_scheduler_has_its_page() -> Tested {
    let folder = format!("{PAGES}/schedulers");
    let mut expected = vec![format!("{folder}/README.md")];
    for row in SCHEDULERS {
        let page = format!("{folder}/{}.md", row.name);
        assert_committed(&page, &scheduler_page(row)?)?;
        expected.push(page);
    }
    expected.sort_unstable();
    assert_eq!(pages_below(&folder)?, expected, "pages of schedulers that there are not");
    Ok(())
}

/// The page of a scheduler: its row and the head of its file.
fn scheduler_page(row: &scheduler::SchedulerEntry) -> Result<String, Box<dyn Error>> {
    let file = source_of("crates/sim/src/scheduler", row.name)?;
    let rows = [("promises", row.promises), ("source", row.source), ("code", &format!("`{file}`"))];
    let text = facts(row.name, row.summary, &rows, row.parameters);
    Ok(format!("{text}\n## How it works\n\n{}", head_of(&file)?))
}

/// The table of contents of the allocators: families, with their members indented.
pub(crate) fn contents_of_allocators() -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for (family, rows) in families()? {
        let mut indent = "";
        if let Some(family) = family {
            let _ = writeln!(text, "- [{family}](allocators/{family}/README.md)");
            indent = "  ";
        }
        for row in rows {
            let _ = writeln!(text, "{indent}- [{}]({})", row.name, page_of(row.name)?);
        }
    }
    Ok(text)
}

/// The rows of a registry that no command lists, as Markdown.
pub(crate) fn rows_of(registry: &str) -> Result<String, Box<dyn Error>> {
    match registry {
        "log formats" => Ok(formats()),
        "fields of sacct" | "fields of pbs" => {
            let name = registry.strip_prefix("fields of ").unwrap_or_default();
            Ok(reads(Format::find(name)?) + "\n")
        }
        "orders of nodes" => orders(),
        "recorded waits of the archive" => archive(),
        _ => Err(format!("no registry is called {registry}").into()),
    }
}

/// Logs of the archive, and of other places, in the table of recorded waits, with their names there.
const ARCHIVE: [(&str, &str); 12] = [
    ("KTH-SP2-1996-2.1-cln", "KTH SP2"),
    ("SDSC-SP2-1998-4.2-cln", "SDSC SP2"),
    ("HPC2N-2002-2.2-cln", "HPC2N"),
    ("LANL-CM5-1994-4.1-cln", "LANL CM5"),
    ("OSC-Clust-2000-3.1-cln", "OSC"),
    ("RICC-2010-2", "RICC"),
    ("UniLu-Gaia-2014-1", "UniLu Gaia"),
    ("SDSC-DS-2004-2.1-cln", "SDSC DataStar, pooled"),
    ("SDSC-Par-1996-3.1-cln", "SDSC Paragon, pooled"),
    ("Sandia-Ross-2001-1.1-cln", "Sandia Ross, pooled"),
    ("nonarchive-Mira-2018-waits", "Mira 2018 (not of the archive)"),
    ("nonarchive-Theta-2022-waits", "Theta 2022 (not of the archive)"),
];

/// The causes of recorded waits in logs that are not bundled, as rows of a table. Without one of the logs,
/// the rows of the page stay.
fn archive() -> Result<String, Box<dyn Error>> {
    let mut text = "\n| log | free to start % | overtaking starts % | starts later than recorded |\n\
                    | --- | --: | --: | --: |\n"
        .to_owned();
    for (log, name) in ARCHIVE {
        let Some(path) = shared(&format!("traces/{log}.swf.gz")) else {
            let page = fs::read_to_string(root().join(format!("{PAGES}/what-happened.md")))?;
            let rows = page.split("<!-- rows: recorded waits of the archive -->\n").nth(1);
            let rows = rows.and_then(|rest| rest.split("<!-- end -->").next());
            return Ok(rows.ok_or("no table of the archive")?.to_owned());
        };
        let at = place()?;
        printed(
            at.path(),
            &format!(
                "meshreplay replay {} -m auto -s recorded -a naive --why --no-timing -q -o t.csv",
                path.display()
            ),
        )?;
        let columns = columns(&at.path().join("t.csv"))?;
        let number = |column: &str| columns[column][0].parse::<f64>();
        let percent = |column: &str| number(column).map(|share| format!("{:.0}", 100.0 * share));
        let [free, overtaking] = ["wait_free_share", "overtaking_share"].map(percent);
        let [late, jobs] =
            ["starts_delayed", "jobs"].map(|column| number(column).map(|count| grouped(count, 0)));
        let _ = writeln!(text, "| {name} | {} | {} | {} of {} |", free?, overtaking?, late?, jobs?);
    }
    Ok(text + "\n")
}

/// The table of a format's fields and their meanings, or an empty text if the format documents none.
fn reads(format: &Format) -> String {
    let mut text = String::new();
    if !format.reads.is_empty() {
        text += "\n| field | becomes |\n| --- | --- |\n";
    }
    for (names, meaning) in format.reads {
        let _ = writeln!(text, "| {} | {} |", cell(names), cell(meaning));
    }
    text
}

/// Every log format with its facts.
fn formats() -> String {
    let mut text = String::new();
    for format in FORMATS {
        let names: Vec<String> =
            format.extensions.iter().map(|extension| format!("`.{extension}`, `.{extension}.gz`")).collect();
        let lines = [
            ("file names", if names.is_empty() { "any".to_owned() } else { names.join(", ") }),
            ("known by its lines", if format.recognises.is_some() { "yes" } else { "no" }.to_owned()),
            ("written", if format.writing.is_some() { "yes" } else { "no" }.to_owned()),
            ("parameters", if format.parameters.is_empty() { "none" } else { format.parameters }.to_owned()),
            (
                "cannot say",
                if format.lacks.is_empty() { "nothing that a replay can use" } else { format.lacks }
                    .to_owned(),
            ),
            ("source", format.source.to_owned()),
        ];
        let _ = writeln!(text, "\n### {}\n\n{}.\n\n| | |\n| --- | --- |", format.name, format.summary);
        for (title, value) in lines {
            let _ = writeln!(text, "| {title} | {} |", cell(&value));
        }
        text += &reads(format);
    }
    text + "\n"
}

/// Every order of nodes with a drawing.
fn orders() -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for row in ORDERS {
        let drawing =
            printed(root(), &format!("meshreplay show curve {} --machine 16x8 --style line", row.name))?;
        let _ = writeln!(
            text,
            "\n### {}\n\n{}. Source: {}.\n\n```text\n{drawing}```",
            row.name, row.summary, row.source
        );
    }
    Ok(text + "\n")
}

#[test]
fn parts_of_pages_are_found() {
    assert_eq!(parameters_of("a=1 (b, c), d=2"), ["a=1 (b, c)", "d=2"]);
    assert_eq!(
        without_links("see [`A`] and [`b::C`](super::C), [`super::d`], [1]"),
        "see `A` and `b::C`, `d`, [1]"
    );
}
