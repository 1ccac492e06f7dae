//! scripts/fetch-traces.sh against a local HTTP server.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

const TEXT: &[u8] = b"; MaxProcs: 4\n1 0 -1 10 2 -1 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n";

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

/// Answers one request. Errors are ignored, because the client reports them.
fn answer(mut stream: TcpStream) -> Option<()> {
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    let request = lines.next()?.ok()?;
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let good = gzip(TEXT);
    let (status, body) = match request.split(' ').nth(1)? {
        "/l_good/good-1.swf.gz" => ("200 OK", good),
        "/l_good/changed-1.swf.gz" => ("200 OK", gzip(b"something else\n")),
        "/l_good/page-1.swf.gz" => ("200 OK", b"<html>".to_vec()),
        "/l_good/cut-1.swf.gz" => ("200 OK", good[..20].to_vec()),
        // Two endless answers: one stalls after its first byte, the other sends bytes for ever.
        "/l_good/stalled-1.swf.gz" => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx").ok()?;
            thread::sleep(std::time::Duration::from_secs(120));
            return None;
        }
        "/l_good/endless-1.swf.gz" => {
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n").ok()?;
            while stream.write_all(&[7; 4096]).is_ok() {}
            return None;
        }
        "/l_good/broken-1.swf.gz" => ("501 Not Implemented", Vec::new()),
        _ => ("404 Not Found", b"not found".to_vec()),
    };
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n").ok()?;
    stream.write_all(&body).ok()
}

/// Serves on a port of this machine until the tests end; returns the base address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        listener.incoming().flatten().for_each(|stream| _ = thread::spawn(|| answer(stream)));
    });
    format!("http://{address}")
}

fn is_there(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Runs the script with the same checksum for all logs and with `arguments`; `None` if a tool is missing.
fn fetch(directory: &Path, tool: &str, base: &str, arguments: &[&str]) -> Option<Output> {
    for needed in ["bash", "gzip", "awk", tool] {
        let found = Command::new("bash").args(["-c", &format!("command -v {needed}")]).output();
        if !found.is_ok_and(|output| output.status.success()) {
            println!("skipped: {needed} is not installed");
            return None;
        }
    }
    let digest: Vec<String> = Sha256::digest(TEXT).iter().map(|byte| format!("{byte:02x}")).collect();
    let digest = digest.concat();
    let names = [
        "good-1",
        "changed-1",
        "page-1",
        "cut-1",
        "broken-1",
        "gone-1",
        "stalled-1",
        "endless-1",
        "../out-1",
    ];
    let rows: Vec<String> = names.iter().map(|name| format!("{name}\tl_good\t{digest}\n")).collect();
    let table = directory.join("table.tsv");
    std::fs::write(&table, format!("# a table\n{}", rows.concat())).expect("a file");
    let output = Command::new("bash")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/fetch-traces.sh"))
        .args(["--base", base, "--with", tool])
        .arg("--table")
        .arg(table)
        .arg("--into")
        .arg(directory.join("logs"))
        .args(arguments)
        .env("no_proxy", "127.0.0.1")
        .output();
    Some(output.expect("bash runs"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory.join("logs")).expect("a directory");
    entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_good_log_is_fetched_once() {
    let base = serve();
    for tool in ["curl", "wget"] {
        let directory = tempfile::tempdir().expect("a directory");
        let Some(first) = fetch(directory.path(), tool, &base, &["good-1"]) else { continue };
        assert!(first.status.success(), "{}", text(&first.stderr));
        assert!(
            text(&first.stdout).contains("good-1.swf.gz: fetched, checksum verified"),
            "{}",
            text(&first.stdout)
        );
        assert_eq!(std::fs::read(directory.path().join("logs/good-1.swf.gz")).expect("a log"), gzip(TEXT));
        assert_eq!(files(directory.path()), ["good-1.swf.gz"]);
        let Some(second) = fetch(directory.path(), tool, &base, &["good-1.swf.gz"]) else { continue };
        assert!(text(&second.stdout).contains("good-1.swf.gz: already there"), "{}", text(&second.stdout));
        std::fs::write(directory.path().join("logs/good-1.swf.gz"), "rubbish").expect("a file");
        let Some(third) = fetch(directory.path(), tool, &base, &["good-1"]) else { continue };
        assert!(text(&third.stdout).contains("checksum verified"), "{}", text(&third.stdout));
    }
}

#[test]
fn what_is_not_the_log_is_reported_and_leaves_nothing() {
    let base = serve();
    for tool in ["curl", "wget"] {
        for (name, message) in [
            ("gone-1", "gone-1: gone, HTTP status 404 from http://"),
            ("changed-1", "changed-1: wrong checksum"),
            ("page-1", "is no intact gzip file"),
            ("cut-1", "is no intact gzip file"),
            ("broken-1", "broken-1: HTTP status 501"),
            ("never-1", "never-1: no such log in"),
        ] {
            let directory = tempfile::tempdir().expect("a directory");
            let Some(output) = fetch(directory.path(), tool, &base, &[name, "good-1"]) else { continue };
            assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stderr));
            assert!(text(&output.stderr).contains(message), "{tool}: {name}: {}", text(&output.stderr));
            assert!(text(&output.stderr).contains("1 of 2 logs not fetched"), "{}", text(&output.stderr));
            assert_eq!(files(directory.path()), ["good-1.swf.gz"], "{name}");
        }
    }
}

#[test]
fn no_server_is_reported() {
    // A port that was free a moment ago.
    let address =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    for tool in ["curl", "wget"] {
        let directory = tempfile::tempdir().expect("a directory");
        let Some(output) = fetch(directory.path(), tool, &format!("http://{address}/"), &["good-1"]) else {
            continue;
        };
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("good-1: no complete answer from"), "{}", text(&output.stderr));
        assert!(files(directory.path()).is_empty());
    }
}

#[test]
fn wrong_usage_is_explained_and_the_list_is_that_of_the_project() {
    if !is_there("bash") {
        println!("skipped: bash is not installed");
        return;
    }
    let script = |arguments: &[&str]| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/fetch-traces.sh");
        Command::new("bash").arg(path).args(arguments).output().expect("bash runs")
    };
    for (arguments, message) in [
        (&["--bse", "x"][..], "unknown option '--bse'"),
        (&["--base"], "--base needs a value"),
        (&[], "no log is named"),
    ] {
        let output = script(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
    let list = text(&script(&["--list"]).stdout);
    assert!(
        list.contains("NASA-iPSC-1993-3.1-cln") && list.contains("18239 jobs    128 processors"),
        "{list}"
    );
}

#[test]
fn stalled_and_endless_answers_are_given_up_and_no_name_leads_elsewhere() {
    let base = serve();
    for tool in ["curl", "wget"] {
        for (name, limit, expected) in [
            ("stalled-1", ["--seconds", "2"], "given up after 2 seconds"),
            ("endless-1", ["--bytes", "100000"], "more than 100000 bytes"),
            ("../out-1", ["--seconds", "9"], "'../out-1' is no name of a log"),
        ] {
            let directory = tempfile::tempdir().expect("a directory");
            let arguments = [&limit[..], &[name, "good-1"]].concat();
            let Some(output) = fetch(directory.path(), tool, &base, &arguments) else { continue };
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{tool} {name}: {said}");
            assert!(
                said.contains(expected) && said.contains("1 of 2 logs not fetched"),
                "{tool} {name}: {said}"
            );
            assert_eq!(files(directory.path()), ["good-1.swf.gz"], "{tool} {name}");
        }
    }
}
