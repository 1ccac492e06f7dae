//! HTML reports: their statements and commands, and protection against scripts in names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use super::support::{Tested, bundled, run};

/// Runs the program, which must succeed, and returns what it printed.
fn fine(at: &Path, arguments: &str) -> Result<String, Box<dyn std::error::Error>> {
    let ran = run(at, arguments)?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran.stdout)
}

/// Returns the report on a directory.
fn report(at: &Path, folder: &str) -> Result<String, Box<dyn std::error::Error>> {
    fine(at, &format!("report {folder} -q -o page.html"))?;
    Ok(fs::read_to_string(at.join("page.html"))?)
}

/// Returns the text between the first `begin` and the next `end`.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let rest = text.split_once(begin).map_or("", |(_, rest)| rest);
    rest.split_once(end).map_or("", |(part, _)| part)
}

/// Returns the sentences of the answer.
fn answer(page: &str) -> Vec<&str> {
    let list = between(page, "<ul class=\"answer\">", "</ul>");
    list.split("<li>").skip(1).map(|item| between(item, "", "</li>")).collect()
}

/// Returns the sentences of the first screen, without tags.
fn first_screen(page: &str) -> Vec<String> {
    let screen = between(page, "<div class=\"plain\">", "</div>");
    screen.split("<p>").skip(1).map(|item| between(item, "", "</p>").to_owned()).collect()
}

/// Returns the amounts in a text: `2.4 %`, or `8.7 times`.
fn amounts(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split([' ', '(', ')']).collect();
    let pairs = words.windows(2).filter(|pair| ["%", "times"].contains(&pair[1]));
    pairs.filter(|pair| pair[0].parse::<f64>().is_ok()).map(|pair| pair.join(" ")).collect()
}

/// Returns the sentences below the table that the command printed.
fn printed(stdout: &str) -> Vec<&str> {
    stdout.trim_end().rsplit_once("\n\n").map_or(Vec::new(), |(_, sentences)| sentences.lines().collect())
}

#[test]
fn the_answer_is_what_the_command_printed() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let (tiny, lublin) = (bundled("tiny.swf"), bundled("lublin-256-10k.swf.gz"));
    for (i, arguments) in [
        format!("{lublin} -m 16x16 -a hilbert+bf random -s easy fcfs"),
        format!("{lublin} -m 16x16 -a hilbert+bf mbs --trim 5"),
        format!("{tiny} -m 4x4 8x8 -a naive random mc1x1"),
        "synthetic:jobs=120,ratio=1 -m 8x8 -s fcfs -a first-fit hilbert+bf mbs --replications 4".to_owned(),
        "synthetic:jobs=60,ratio=1 -m 8x8 -a mbs naive --arrival-scale 1 0.5 --network wormhole:messages=1"
            .to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let said = fine(at, &format!("replay {arguments} --no-timing -q -o out{i} --format table"))?;
        let page = report(at, &format!("out{i}"))?;
        assert!(!printed(&said).is_empty(), "{arguments}: {said}");
        assert_eq!(answer(&page), printed(&said), "{arguments}");
        // Every amount on the first screen is also in the closing lines.
        let screen = first_screen(&page).join(" ");
        assert!(!screen.is_empty() && !screen.contains("CI"), "{arguments}: {screen}");
        for amount in amounts(&screen) {
            assert!(printed(&said).join(" ").contains(&amount), "{arguments}: {amount} in {screen}");
        }
    }
    // A study with jobs gives the same answer. Without jobs differences have no confidence interval.
    let study = format!("logs = ['{lublin}']\nmachines = ['16x16']\nallocators = ['hilbert+bf', 'random']\n");
    fs::write(at.join("s.toml"), study)?;
    fine(at, "sweep s.toml -o with --jobs --no-timing -q")?;
    fine(at, "sweep s.toml -o without --no-timing -q")?;
    let said = fine(at, &format!("replay {lublin} -m 16x16 -a hilbert+bf random --no-timing -q"))?;
    assert_eq!(answer(&report(at, "with")?), printed(&said));
    let page = report(at, "without")?;
    assert!(
        answer(&page)[0].contains(" % less than random (no interval: jobs were not kept)"),
        "{:?}",
        answer(&page)
    );
    Ok(())
}

/// Returns the commands of a page, as a browser shows them.
fn commands(page: &str) -> Vec<String> {
    let text = |item: &str| {
        let text =
            item.split_once('>').map_or("", |(_, rest)| rest).split("</pre>").next().unwrap_or_default();
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&")
    };
    page.split("<pre id=\"command-").skip(1).map(text).collect()
}

/// Runs a command of a page, unchanged, in the directory of the results, as a shell does.
fn typed(folder: &Path, command: &str) -> Tested {
    let program = Path::new(env!("CARGO_BIN_EXE_meshreplay")).parent().ok_or("no directory")?;
    let path = format!("{}:{}", program.display(), std::env::var("PATH")?);
    let ran = Command::new("sh").args(["-c", command]).current_dir(folder).env("PATH", path).output()?;
    assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
    Ok(())
}

#[test]
fn the_command_gives_the_same_results() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::create_dir_all(at.join("my logs"))?;
    fs::copy(bundled("tiny.swf"), at.join("my logs/tiny.swf"))?;
    fs::copy(bundled("may.sacct.gz"), at.join("may.sacct.gz"))?;
    let job = |i: i64| {
        let (procs, run, partition) = (1 + i * 7 % 6, 20 + i * 37 % 200, 1 + i % 2);
        format!("{i} {} 5 {run} {procs} -1 -1 {procs} {run} -1 1 1 1 -1 0 {partition} -1 -1\n", i * 9)
    };
    let header =
        "; MaxProcs: 24 (8, 16)\n; MaxPartitions: 2\n; Partition: 1\n; Partition: 2 large one (new)\n";
    fs::write(at.join("two.swf"), header.to_owned() + &(1..=60).map(job).collect::<String>())?;
    fs::write(at.join("down.csv"), "time,node,state\n4,0,down\n90,0,up\n")?;
    let tiny = "my logs/tiny.swf";
    let of_tiny = "-m 4x4 8x8 -s easy:pass=per-event fcfs -a mc1x1:fill=nearest hilbert+bf --arrival-scale 1 \
         0.5 --seed 7 --placements";
    for (i, (log, arguments)) in [
        (tiny, of_tiny),
        ("synthetic:jobs=50,ratio=1", "-m 8x8 -a naive --replications 3 --rules requested --trim 5"),
        (
            tiny,
            "-m 4x4 -a naive best-of:mc1x1|naive --outages down.csv --on-outage drain --fragmentation 2x2",
        ),
        ("may.sacct.gz", "-m auto -a naive --partition batch --time-zone Europe/Berlin"),
        ("two.swf", "-m auto -a naive mc1x1 --partition each"),
    ]
    .iter()
    .enumerate()
    {
        let out = format!("deep/out {i}");
        let words = ["replay", log, "--no-timing", "-q", "-o", &out];
        let words: Vec<&str> = words.into_iter().chain(arguments.split(' ')).collect();
        let ran = super::support::run_with(at, &words, b"")?;
        assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
        let ran = super::support::run_with(at, &["report", &out, "-q", "-o", "page.html"], b"")?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let commands = commands(&fs::read_to_string(at.join("page.html"))?);
        assert!(
            !commands.is_empty() && commands.iter().all(|command| command.contains("meshreplay replay "))
        );
        let summary = |folder: &str| fs::read(at.join(folder).join("summary.parquet"));
        let again = format!("out {i}-rerun");
        for command in &commands {
            typed(&at.join(&out), command)?;
            // With several commands, each gives a part of the results.
            assert_eq!(summary(&out)? == summary(&again)?, commands.len() == 1, "{command}");
            fs::remove_dir_all(at.join(&again))?;
        }
    }
    Ok(())
}

#[test]
fn commands_of_studies_and_merged_parts_run_as_they_are_printed() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::create_dir_all(at.join("work/logs"))?;
    fs::copy(bundled("tiny.swf"), at.join("work/logs/tiny.swf"))?;
    let study = "logs = ['logs/tiny.swf']\nmachines = ['4x4']\nallocators = ['hilbert+bf', 'random']\n";
    fs::write(at.join("work/s.toml"), study)?;
    fine(at, "sweep work/s.toml -o whole --no-timing -q")?;
    for shard in 1..=2 {
        fine(at, &format!("sweep work/s.toml -o part{shard} --shard {shard}/2 --no-timing -q"))?;
    }
    fine(at, "merge part1 part2 -o a/merged -q")?;
    for folder in ["whole", "a/merged"] {
        let commands = commands(&report(at, folder)?);
        assert_eq!(commands.len(), 1);
        typed(&at.join(folder), &commands[0])?;
        fs::remove_dir_all(at.join(format!("{}-rerun", folder.trim_start_matches("a/"))))?;
    }
    // Without the paths of the logs the page has no commands.
    fs::remove_file(at.join("whole/place.json"))?;
    assert_eq!(commands(&report(at, "whole")?), [""; 0]);
    Ok(())
}

#[test]
fn the_table_shows_what_differs_and_says_what_is_best() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let lublin = bundled("lublin-256-10k.swf.gz");
    fine(at, &format!("replay {lublin} -m 16x16 -a naive hilbert+bf random --no-timing -q -o out"))?;
    let page = report(at, "out")?;
    let shared = between(&page, "<dl class=\"shared\">", "</dl>");
    let table = between(&page, "<table class=\"sortable\">", "</table>");
    for title in ["jobs", "scheduler", "wait", "utilization"] {
        assert!(shared.contains(&format!("<dt>{title}</dt>")), "{title}: {shared}");
        assert!(
            !table.contains(&format!(">{title} <span")) && !table.contains(&format!(">{title}<")),
            "{title}"
        );
    }
    let rows: Vec<&str> =
        between(table, "<tbody>", "</tbody>").lines().filter(|row| row.starts_with("<tr>")).collect();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row.starts_with("<tr><th scope=\"row\" class=\"words\">")), "{rows:?}");
    // Rows are sorted by the number of the answer.
    for (row, name) in rows.iter().zip(["hilbert+bf", "naive", "random"]) {
        assert!(row.contains(&format!("<span>{name}</span>")), "{row}");
        assert_eq!(row.contains(" (best)"), name == "hilbert+bf", "{row}");
    }
    // Every column title refers to an explanation, which the page contains once.
    let described: Vec<&str> =
        table.split("aria-describedby=\"").skip(1).map(|part| between(part, "", "\"")).collect();
    assert!(described.len() > 3);
    for id in described {
        assert_eq!(page.matches(&format!("<dd id=\"{id}\">")).count(), 1, "{id}");
    }
    // Replications are one row with the confidence interval of the mean. The best numbers are marked.
    fine(
        at,
        "replay synthetic:jobs=60,ratio=1 -m 8x8 -a mbs naive --replications 3 --arrival-scale 1 0.5 \
             --no-timing -q -o many",
    )?;
    let page = report(at, "many")?;
    let rows = between(&page, "<tbody>", "</tbody>");
    assert_eq!(rows.matches("<tr>").count(), 4);
    assert!(rows.contains(" ±") && page.contains("among the replays of the same scale"), "{rows}");
    Ok(())
}

#[test]
fn the_first_screen_says_what_was_replayed_and_compared() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = "synthetic:jobs=300,ratio=1";
    fine(at, &format!("replay {log} -m 8x8 -s fcfs -a all --placements --no-timing -q -o out"))?;
    let page = report(at, "out")?;
    let answer = between(&page, "<section aria-labelledby=\"answer\">", "</section>");
    assert_eq!(between(&page, "<h1>", "</h1>"), format!("{log} on 8x8"));
    assert!(answer.starts_with("\n<h2 id=\"answer\">On which nodes should a job run?</h2>"), "{answer}");
    for words in ["300 jobs over ", "a machine of 64 nodes (8x8)", "The scheduler fcfs decides"] {
        assert!(answer.contains(words), "{words}: {answer}");
    }
    // The example shows a job with a good and a bad placement.
    let example = between(answer, "<figure class=\"example\">", "</figure>");
    let [well, badly] = [1, 2].map(|i| example.split("pairwise sum ").nth(i).unwrap_or_default());
    let hops = |text: &str| between(text, "", " hops").parse::<u32>();
    assert!(hops(well)? < hops(badly)?, "{example}");
    // Captions and labels do not mention options.
    let results = page.split("<h2 id=\"origin\">").next().unwrap_or_default();
    let body = results.split_once("<body>").map_or("", |(_, body)| body);
    assert!(!body.contains(" --"), "{:?}", body.split(" --").nth(1).map(|rest| rest.get(..40)));

    // A single replay has no comparison.
    let tiny = bundled("tiny.swf");
    fine(at, &format!("replay {tiny} -m 4x4 -a naive --no-timing -q -o one"))?;
    let one = first_screen(&report(at, "one")?);
    assert!(one.len() == 2 && one[0].starts_with("Jobs waited ") && one[1].starts_with("Nothing is "));
    let lublin = bundled("lublin-256-10k.swf.gz");
    fine(at, &format!("replay {lublin} -m 16x16 8x32 -s easy fcfs -a naive --no-timing -q -o two"))?;
    let page = report(at, "two")?;
    assert!(page.contains("<h2 id=\"answer\">When should a job start?</h2>"));
    assert_eq!(between(&page, "<h1>", "</h1>"), "lublin-256-10k on 16x16 and 8x32");
    let screen = first_screen(&page).join(" ");
    let expected = "Overloaded (16x16, fcfs; 8x32, fcfs): when submissions ended, 40 % of the work (14 \
                    machine days) still waited: waits here grow with the length of the log and are not compared.";
    assert_eq!(screen, expected);
    assert!(!page.contains("class=\"example\""));
    Ok(())
}

#[test]
fn figures_highlight_at_most_eight_replays_that_rows_choose() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fine(at, "replay synthetic:jobs=300,ratio=1 -m 8x8 -a all --no-timing -q -o out")?;
    let page = report(at, "out")?;
    let table = between(&page, "<table class=\"sortable\">", "</table>");
    let looks: BTreeSet<&str> =
        table.split("data-look=\"").skip(1).map(|rest| between(rest, "", "\"")).collect();
    let rows = table.matches("<tr><th scope=\"row\"").count();
    assert!(rows > 30 && looks.len() == rows, "{rows} rows, {} looks", looks.len());
    // The highlighted ones have colours of their own.
    let chosen = table.split("aria-pressed=\"true\" data-look=\"look-").skip(1);
    let colours: BTreeSet<&str> = chosen.map(|rest| between(rest, "", "-")).collect();
    assert_eq!(colours.len(), table.matches("aria-pressed=\"true\"").count());
    // Allocators with equal numbers are named.
    assert!(
        page.contains(" and octet-mbs give the same numbers, apart from measured times."),
        "{}",
        between(&page, "<caption>", "</caption>")
    );
    let choices = table.matches("class=\"choice\" aria-pressed=\"true\"").count();
    assert!((3..=8).contains(&choices), "{choices}");
    // The figure has labels for the initial selection, and tooltips for the other points.
    let tradeoff = between(&page, "<figure id=\"tradeoff\">", "</figure>");
    assert_eq!(tradeoff.matches("class=\"look look-").count() + tradeoff.matches("hops, wait").count(), rows);
    // Figures have no legend of 40 names and no note on coinciding curves.
    for figure in ["ratio", "waits", "cdf"] {
        let figure = between(&page, &format!("<figure id=\"{figure}\">"), "</figure>");
        assert!(figure.contains("look look-") && !figure.contains(">\nrandom\n<"), "{figure}");
        assert!(!figure.contains("coincide"), "{figure}");
    }
    Ok(())
}

#[test]
fn internal_fragmentation_wins_no_star() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let lublin = bundled("lublin-256-10k.swf.gz");
    fine(at, &format!("replay {lublin} -m 16x16 -a naive first-fit buddy-2d --no-timing -q -o out"))?;
    let page = report(at, "out")?;
    let table = between(&page, "<table class=\"sortable\">", "</table>");
    assert!(table.contains(">internal fragmentation <") && table.contains(">useful utilization <"));
    let row = |name: &str| table.lines().find(|row| row.contains(&format!("<span>{name}</span>")));
    assert!(row("first-fit").is_some_and(|row| row.contains(" (best)")), "{table}");
    assert!(row("buddy-2d").is_some_and(|row| !row.contains(" (best)")), "{table}");
    let rule = "Replays with an internal fragmentation of 1 % or more have no ★ for placements";
    assert!(page.contains(rule));
    fine(at, &format!("replay {lublin} -m 16x16 -a naive first-fit --no-timing -q -o all-asked"))?;
    assert!(!report(at, "all-asked")?.contains(rule));
    Ok(())
}

#[test]
fn nothing_of_a_stranger_runs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let names = ["<script>alert(1)<", "javascript:alert(2)", "\"onload=alert(3)'", "</style><img"];
    for (i, name) in names.iter().enumerate() {
        // File names cannot contain slashes.
        let file = format!("{}.swf", name.replace('/', "_"));
        fs::copy(bundled("tiny.swf"), at.join(&file))?;
        let arguments = [
            "replay",
            &file,
            "-m",
            "4x4",
            "-a",
            "naive",
            "random",
            "--placements",
            "--no-timing",
            "-q",
            "-o",
        ];
        let out = format!("out{i}");
        let arguments: Vec<&str> = arguments.into_iter().chain([out.as_str()]).collect();
        let ran = super::support::run_with(at, &arguments, b"")?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let ran =
            super::support::run_with(at, &["report", &out, "-q", "-o", "page.html", "--title", name], b"")?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let page = fs::read_to_string(at.join("page.html"))?;
        assert_eq!(page.matches("<script").count(), 2, "{name}");
        let tags = page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
        for tag in tags.filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic())) {
            // Between quotation marks are values, so every second part has attribute names.
            let names: String = tag.split('"').step_by(2).collect();
            assert!(
                !names.contains(" on") && !names.contains(" style") && !tag.starts_with("img"),
                "{name}: <{tag}>"
            );
        }
        assert_policy(&page);
    }
    Ok(())
}

/// Asserts that the page's Content-Security-Policy allows only its style sheet and script, by hash.
fn assert_policy(page: &str) {
    let policy = between(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    let script = page
        .rsplit_once("<script>")
        .map_or("", |(_, rest)| rest.split("</script>").next().unwrap_or_default());
    let style = between(page, "<style>", "</style>");
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    for (name, text) in [("style-src", style), ("script-src", script)] {
        let source = between(policy, &format!("{name} 'sha256-"), "'");
        assert!(text.len() > 1000 && source == base64(&Sha256::digest(text)), "{name}: {source}");
    }
}

/// Base64 of RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| -> String {
        let bits =
            (0..3).fold(0_usize, |bits, i| bits << 8 | usize::from(three.get(i).copied().unwrap_or(0)));
        let digit = |i: usize| if i <= three.len() { DIGITS[bits >> (18 - 6 * i) & 63] as char } else { '=' };
        (0..4).map(digit).collect()
    };
    bytes.chunks(3).map(group).collect()
}
