//! `show blocks` and drawings next to each other. The blocks of every buddy strategy tile the machine and
//! their parent blocks.

use std::collections::BTreeMap;

use meshreplay::allocator::{self, ALLOCATORS, Block, Setup};
use meshreplay::machine::Mesh;
use meshreplay::spec::Spec;

use super::docs::root;
use super::support::{Ran, Tested, run};

fn show(arguments: &str) -> Result<Ran, Box<dyn std::error::Error>> {
    run(tempfile::tempdir()?.path(), &format!("show {arguments}"))
}

/// Rows of the table: sizes, number of blocks and number of top-level blocks.
fn table(text: &str) -> Vec<(String, u32, u32)> {
    let lines = text.lines().skip_while(|line| !line.contains("splits into")).skip(1);
    lines
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            Some((words[0].to_owned(), words.get(2)?.parse().ok()?, words.get(3)?.parse().ok()?))
        })
        .collect()
}

#[test]
fn blocks_of_every_strategy_tile_the_machine_and_their_parents() -> Tested {
    let mut seen = 0;
    for machine in ["5x4", "10x10", "16x15", "7", "5x5x4", "4x1x3", "torus:6x3"] {
        let mesh: Mesh = machine.parse()?;
        for entry in ALLOCATORS.iter().filter(|entry| entry.serves(&mesh)) {
            let built = allocator::build(&Spec::named(entry.name), &Setup::new(&mesh, 0))?;
            let blocks = built.strategy.blocks.map_or_else(Vec::new, |blocks| blocks(&mesh));
            seen += usize::from(!blocks.is_empty());
            let is_in = |node: u32, block: &Block| {
                let at = mesh.coord(node);
                (0..3).all(|d| (block.base[d]..block.base[d] + block.sizes[d]).contains(&at[d]))
            };
            let mut parts: BTreeMap<u32, Vec<&Block>> = BTreeMap::new();
            for block in &blocks {
                if let Some(parent) = block.parent {
                    parts.entry(parent).or_default().push(block);
                }
            }
            for node in 0..mesh.nodes() {
                let tops = blocks.iter().filter(|block| block.parent.is_none() && is_in(node, block));
                assert_eq!(tops.count(), usize::from(!blocks.is_empty()), "{} {machine}: {node}", entry.name);
                for (&parent, parts) in &parts {
                    let within = parts.iter().filter(|part| is_in(node, part)).count();
                    let expected = usize::from(is_in(node, &blocks[parent as usize]));
                    assert_eq!(within, expected, "{} {machine}: {node} in {parent}", entry.name);
                }
            }
            for (number, block) in (0..).zip(&blocks) {
                assert_eq!(parts.contains_key(&number), block.class > 0, "{} {machine}", entry.name);
            }
        }
    }
    // mbs serves only the six flat machines, the five other strategies serve all seven.
    assert_eq!(seen, 6 + 5 * 7, "buddy strategies seen");
    Ok(())
}

#[test]
fn the_published_partitions_are_drawn() -> Tested {
    let found = show("blocks --machine 5x4 --allocator mbs")?;
    let expected = "mbs\n\na a a a e\na a a a d\na a a a c\na a a a b\n\nmbs: 5 top-level blocks on 5x4\n\n \
         size  nodes  blocks  top-level  splits into\n 4x4      16       1          1  4 of 2x2\n 2x2       \
         4       4          0  4 of 1x1\n 1x1       1      20          4\n";
    assert_eq!((found.code, found.stdout.as_str()), (Some(0), expected), "{}", found.stderr);

    for (arguments, tops) in [
        ("5x4 --allocator granular-mbs", &["4x4", "1x4"][..]),
        ("10x10 --allocator granular-mbs", &["8x8", "8x2", "2x8", "2x2"]),
        ("5x5x4 --allocator round-up-mbs", &["4x4x4", "4x1x4", "1x4x4", "1x1x4"]),
        ("16x15 --allocator granular-mbs", &["16x8", "16x4", "16x2", "16x1"]),
        ("5 --allocator buddy-2d", &["4", "1"]),
    ] {
        let found = show(&format!("blocks --machine {arguments}"))?;
        assert_eq!(found.code, Some(0), "{}", found.stderr);
        let named: Vec<(String, u32)> =
            table(&found.stdout).into_iter().filter(|row| row.2 > 0).map(|row| (row.0, row.2)).collect();
        assert_eq!(named, tops.iter().map(|top| ((*top).to_owned(), 1)).collect::<Vec<_>>(), "{arguments}");
    }
    let sizes = table(&show("blocks --machine 16x15 --allocator mbs")?.stdout);
    assert_eq!(sizes[0], ("8x8".to_owned(), 2, 2), "{sizes:?}");
    assert_eq!(table(&show("blocks --machine 5x5x4 --allocator octet-mbs")?.stdout)[2].2, 36);
    Ok(())
}

#[test]
fn layers_and_allocators_are_side_by_side() -> Tested {
    let solid = show("blocks --machine 3x2x2 --allocator layered-mbs")?.stdout;
    assert!(
        solid.starts_with("layered-mbs\n\nz = 0    z = 1\n\na a e    b b f\na a c    b b d\n\n"),
        "{solid}"
    );
    // Layers that do not fit into the line are on the next lines.
    let deep = show("blocks --machine 32x1x3 --allocator layered-mbs")?.stdout;
    let heads: Vec<&str> = deep.lines().filter(|line| line.starts_with("z =")).collect();
    assert_eq!(heads.len(), 3, "{deep}");

    let two = show("blocks --machine 3x2 --compare mbs,granular-mbs --size 1x2")?;
    let expected = "mbs      granular-mbs\n\n· · ·    · · a\n· · ·    · · a\n\nmbs: 3 top-level blocks on \
         3x2\n\
                    granular-mbs: 2 top-level blocks on 3x2\n\
                    drawn are the blocks of 1x2; · is in none of that size\n\n allocator     size";
    assert!(two.stdout.starts_with(expected), "{}{}", two.stdout, two.stderr);
    assert_eq!(show("blocks --machine 3x2 --allocator mbs granular-mbs --size 1x2")?.stdout, two.stdout);

    let curves = show("curve --compare hilbert,row-snake --machine 2x2 --style line")?;
    let expected = "hilbert                      row-snake\n\n";
    assert!(curves.stdout.starts_with(expected), "{}{}", curves.stdout, curves.stderr);
    let rows: Vec<&str> = curves.stdout.lines().skip(2).collect();
    for (row, part) in rows.iter().zip(show("curve row-snake --machine 2x2 --style line")?.stdout.lines()) {
        assert!(row.ends_with(part), "{row}: {part}");
    }
    assert_eq!(
        show("curve hilbert --compare row-snake --machine 2x2")?.stdout,
        show("curve --compare hilbert row-snake --machine 2x2")?.stdout
    );
    Ok(())
}

#[test]
fn letters_have_colours_where_color_says() -> Tested {
    let log = root().join("docs/examples/seven-jobs.swf");
    let drawn = |color: &str| -> Result<String, Box<dyn std::error::Error>> {
        let ran = show(format!("allocation {} -m 8x8 -a mc1x1 --at 120 {color}", log.display()).trim())?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        Ok(ran.stdout)
    };
    // Output to a pipe has no colours without `--color always`.
    let (plain, coloured) = (drawn("")?, drawn("--color always")?);
    assert!(!plain.contains('\x1b') && plain == drawn("--color never")? && plain == drawn("--color auto")?);
    let mut bare = String::new();
    for (i, part) in coloured.split('\x1b').enumerate() {
        bare += if i == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) };
    }
    assert!(coloured.contains("\x1b[30;48;5;") && bare == plain, "{coloured:?}");
    let blocks = show("blocks -m 8x8 -a mbs --color always")?;
    assert!(blocks.stdout.contains('\x1b'), "{}", blocks.stderr);
    Ok(())
}

#[test]
fn the_busiest_moment_is_drawn_by_default() -> Tested {
    let log = root().join("docs/examples/seven-jobs.swf");
    let drawn = |at: &str| show(&format!("allocation {} -m 8x8 -a mc1x1 naive{at}", log.display()));
    let ran = drawn("")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (when, at) = ran
        .stdout
        .lines()
        .find_map(|line| {
            let at = line.strip_prefix("at ")?.strip_suffix(" s, when most nodes are in use with mc1x1")?;
            Some((format!("{line}\n"), at.to_owned()))
        })
        .ok_or("no moment")?;
    assert_eq!(ran.stdout.replace(&when, ""), drawn(&format!(" --at {at}"))?.stdout);
    Ok(())
}

#[test]
fn what_cannot_be_drawn_is_explained() -> Tested {
    for (arguments, message) in [
        (
            "blocks --machine 5x4 --allocator hilbert+bf",
            "'hilbert+bf' does not work by blocks that split; expected one of mbs, layered-mbs, octet-mbs, \
             granular-mbs, round-up-mbs, buddy-2d",
        ),
        ("blocks --machine 5x4 --allocator mb", "unknown allocator 'mb', did you mean"),
        ("blocks --machine 5x4x2 --allocator mbs", "'mbs' cannot serve machine 5x4x2"),
        (
            "blocks --machine 5x4 --allocator mbs --size 3x3",
            "--size 3x3: there is no such block; expected one of 4x4, 2x2, 1x1",
        ),
        ("blocks --machine 5x4 --allocator mbs --size 3y3", "expected the sizes of a block, such as 4x4"),
        ("blocks --machine 5x4 --allocator mbs --size 0x3", "expected the sizes of a block, such as 4x4"),
        ("blocks --machine 5x4 --compare mbs,", "the name is missing"),
        ("blocks --machine 5x4", "--allocator"),
        ("curve --compare hilbert,hilbrt --machine 4x4", "unknown order 'hilbrt', did you mean 'hilbert'?"),
    ] {
        let wrong = show(arguments)?;
        assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(2), ""), "{arguments}: {}", wrong.stderr);
        assert!(wrong.stderr.contains(message), "{arguments}: {}", wrong.stderr);
    }
    Ok(())
}

fn show_curve(arguments: &str) -> (Option<i32>, String, String) {
    let Ran { code, stdout, stderr } = show(&format!("curve {arguments}")).expect("the tool runs");
    (code, stdout, stderr)
}

#[test]
fn show_curve_prints_ranks_with_the_highest_row_first() {
    let expected = "15 12 11 10\n14 13  8  9\n 1  2  7  6\n 0  3  4  5\n";
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("mine");
    let ranks = [0, 3, 4, 5, 1, 2, 7, 6, 14, 13, 8, 9, 15, 12, 11, 10];
    let pairs: Vec<String> = (0..).zip(ranks).map(|(node, rank)| format!("{node} {rank}\n")).collect();
    std::fs::write(&path, pairs.concat()).expect("a file");
    let (code, shown, _) = show_curve(&format!("--order-file {} --machine 4x4", path.display()));
    assert_eq!((code, shown.as_str()), (Some(0), expected));
    let (code, _, complaint) = show_curve(&format!("--order-file {} --machine 5x4", path.display()));
    assert_eq!(code, Some(1));
    assert!(
        complaint.contains("mine:17: found the end after 16 nodes, expected the 20 nodes of 5x4;"),
        "{complaint}"
    );

    let (_, shown, _) = show_curve("column-snake --machine 4x2");
    assert_eq!(shown, "1 2 5 6\n0 3 4 7\n");
    let (_, shown, _) = show_curve("column-snake --machine 4x2 --style line");
    assert!(shown.starts_with("┌─┐ ┌─┐\n○ └─┘ ●\n"), "{shown}");
}

#[test]
fn show_curve_explains_wrong_options() {
    for (arguments, message) in [
        ("hilbrt --machine 4x4", "unknown order 'hilbrt', did you mean 'hilbert'?"),
        ("spliced-hilbert --machine 4x4x4", "'spliced-hilbert' cannot serve machine 4x4x4"),
        ("hilbert --machine 0x4", "size 1 is 0"),
        ("--machine 4x4", "required"),
    ] {
        let (code, shown, complaint) = show_curve(arguments);
        assert_eq!((code, shown.as_str()), (Some(2), ""), "{arguments}: {complaint}");
        assert!(complaint.contains(message), "{arguments}: {complaint}");
    }
}
