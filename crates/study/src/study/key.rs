//! Content keys: a result is named by a hash of everything that it depends on. Equal replays have equal names
//! on all machines, and different replays have different names.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::options::{OPTIONS, Options};
use super::replay_spec::{COORDINATES, ReplaySpec};
use meshreplay_alloc::allocator::follows_lists;
use meshreplay_base::disk::hexadecimal;
use meshreplay_base::memory;
use meshreplay_base::spec::{GUEST, Spec};
use meshreplay_sim::execution::has_traffic;
use meshreplay_sim::guest;
use meshreplay_sim::metrics::{Has, Needs};
use meshreplay_workload::Estimate;

/// Version of results. It changes when a release gives other results for the same replay, which invalidates
/// older results. Other releases keep it, so that sweeps can continue.
const RESULTS: &str = "2";

/// Returns the content key of a replay: the SHA-256, in hexadecimal, of its description, its options and the
/// version of results. The key also covers the contents of files that the allocator reads (parameters `path`
/// and `weights`) and of programs. For files of outages, nodes and predictions it covers the contents instead
/// of the paths.
pub fn content_key(spec: &ReplaySpec, options: &Options) -> String {
    let has = Has::NOTHING.with(Needs::Network, has_traffic(&spec.network));
    Keys::new(options, has).of(spec, options.why)
}

/// Lines of options before that of traffic, all of which are in every key: trimming, replications, timing.
const BEFORE_TRAFFIC: usize = 3;

/// Content keys of the replays of one study. Each file is read once, and the lines of the options are
/// formatted once.
pub(super) struct Keys {
    /// Lines of the options for an allocator that uses the node map.
    with_node_map: String,
    /// Lines of the options for any other allocator.
    without_node_map: String,
    /// Whether the lines of the options ask for the causes of waiting.
    why: bool,
    outages: Option<String>,
    node_map: Option<String>,
    /// SHA-256 of each file by path; `None` if it cannot be read.
    read: BTreeMap<String, Option<String>>,
    /// Cache of the file lines of the last scheduler, allocator and network, which consecutive replays of a
    /// study often share.
    last: Option<([Arc<Spec>; 3], FileLines)>,
}

/// Lines of a key for files of the allocator and for program files.
#[derive(Clone, Debug, Default)]
struct FileLines {
    allocator: String,
    programs: String,
}

impl Keys {
    /// Prepares the keys of replays with these options. `has` is that of their study.
    pub(super) fn new(options: &Options, has: Has) -> Self {
        let lines = |options: &Options| {
            let unnamed = options.without_paths();
            let mut lines: Vec<String> = OPTIONS.iter().filter_map(|option| option.line(&unnamed)).collect();
            // A result has columns for traffic if any replay of its study has a network.
            lines.insert(BEFORE_TRAFFIC, format!("traffic={}\n", has.has(Needs::Network)));
            lines.concat()
        };
        let without = Options { node_map: None, ..options.clone() };
        Self {
            with_node_map: lines(options),
            without_node_map: lines(&without),
            why: options.why,
            outages: outages_sha256(options),
            node_map: node_map_sha256(options),
            read: BTreeMap::new(),
            last: None,
        }
    }

    /// Returns the content key of a replay. `explains`: its results have the causes of waiting, asked or not.
    pub(super) fn of(&mut self, spec: &ReplaySpec, explains: bool) -> String {
        let mut text = format!("meshreplay {RESULTS}\n");
        let unnamed_spec = without_path(spec);
        for row in COORDINATES.iter().filter(|row| row.is_given(&unnamed_spec)) {
            text.extend([row.name, "=", &row.text(&unnamed_spec), "\n"]);
        }
        if explains && !self.why {
            text += "why=true\n";
        }
        let follows_lists = follows_lists(&spec.allocator);
        text += if follows_lists { &self.with_node_map } else { &self.without_node_map };
        let FileLines { allocator, programs } = self.file_lines(spec);
        text += &allocator;
        text.extend(self.outages.iter().map(|sha256| format!("outages_sha256={sha256}\n")));
        let node_map = self.node_map.iter().filter(|_| follows_lists);
        text.extend(node_map.map(|sha256| format!("node_map_sha256={sha256}\n")));
        let predictions = spec.rules.prediction().and_then(|given| given.path());
        let predictions = predictions.and_then(|path| self.sha256_of(path));
        text.extend(predictions.map(|sha256| format!("predictions_sha256={sha256}\n")));
        text += &programs;
        sha256(&text)
    }

    fn file_lines(&mut self, spec: &ReplaySpec) -> FileLines {
        let specs = [&spec.scheduler, &spec.allocator, &spec.network];
        if let Some((last, lines)) = &self.last
            && last.iter().zip(specs).all(|(one, other)| Arc::ptr_eq(one, other))
        {
            return lines.clone();
        }
        let mut lines = FileLines::default();
        for path in paths(&spec.allocator) {
            lines.allocator.extend(self.sha256_of(&path).map(|sha256| format!("path_sha256={sha256}\n")));
        }
        for path in guests(spec).flat_map(guest::files) {
            lines.programs.extend(self.sha256_of(&path).map(|sha256| format!("program_sha256={sha256}\n")));
        }
        self.last = Some((specs.map(Arc::clone), lines.clone()));
        lines
    }

    /// Returns the SHA-256 of a file in hexadecimal; `None` if it cannot be read.
    fn sha256_of(&mut self, path: &str) -> Option<String> {
        self.read.entry(path.to_owned()).or_insert_with(|| file_sha256(path)).clone()
    }
}

/// Returns the files of the allocator, the predictor and the programs of a replay that specs and commands
/// name: the SHA-256 of each content in hexadecimal, by path. Files that cannot be read are left out, because
/// the replay then fails anyway.
pub(super) fn files(spec: &ReplaySpec) -> BTreeMap<String, String> {
    let predictions = spec.rules.prediction().and_then(|given| given.path()).map(str::to_owned);
    let programs = guests(spec).flat_map(guest::files);
    let paths = paths(&spec.allocator).into_iter().chain(predictions).chain(programs);
    paths.filter_map(|path| file_sha256(&path).map(|sha256| (path, sha256))).collect()
}

fn guests(spec: &ReplaySpec) -> impl Iterator<Item = &Spec> {
    let specs = [&spec.scheduler, &spec.allocator, &spec.network];
    specs.into_iter().map(|spec| &**spec).filter(|spec| spec.is_guest())
}

/// Returns the content key of a planned replay: `key`, unless a guest is opaque, that is, an object of the
/// caller without a hash in its name or a program whose command names no file. Results of opaque guests
/// cannot be identified, so the key also depends on `unique`, and no other study finds the result.
pub(super) fn own_key(key: String, spec: &ReplaySpec, unique: &str) -> String {
    let has_hash = |guest: &Spec| guest.name == GUEST && guest.to_string().contains('#');
    if guests(spec).all(|guest| has_hash(guest) || !guest::files(guest).is_empty()) {
        key
    } else {
        sha256(&format!("{key} {unique}"))
    }
}

/// Returns a different text on each call.
pub(super) fn unique() -> String {
    // The standard library seeds its hashes from the operating system.
    let random = || RandomState::new().build_hasher().finish();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{} {since} {:x} {:x}", std::process::id(), random(), random())
}

/// Returns the SHA-256 of the outage file, in hexadecimal; `None` without a readable file.
pub(super) fn outages_sha256(options: &Options) -> Option<String> {
    file_sha256(options.outages.as_ref()?.path()?)
}

/// Returns the SHA-256 of the file that maps names to nodes, in hexadecimal; `None` without a readable file.
pub(super) fn node_map_sha256(options: &Options) -> Option<String> {
    file_sha256(options.node_map.as_ref()?.path()?)
}

/// Clears the path of a prediction file in the description of a replay.
fn without_path(spec: &ReplaySpec) -> Cow<'_, ReplaySpec> {
    let mut spec = Cow::Borrowed(spec);
    if matches!(spec.rules.estimate, Estimate::Predicted(_))
        && let Estimate::Predicted(prediction) = &mut Arc::make_mut(&mut spec.to_mut().rules).estimate
    {
        prediction.file.clear();
    }
    spec
}

/// Returns the SHA-256 of a file's content in hexadecimal; `None` if the file cannot be read.
fn file_sha256(path: &str) -> Option<String> {
    let content = memory::read_file(path.as_ref()).ok()?;
    Some(hexadecimal(&Sha256::digest(content)))
}

/// Parameters of allocators whose values are paths.
const FILES: [&str; 2] = ["path", "weights"];

/// Returns the paths of all files that the allocator or its members read.
fn paths(allocator: &Spec) -> Vec<String> {
    if allocator.is_guest() {
        return Vec::new();
    }
    let mut paths: Vec<String> = FILES.iter().filter_map(|&key| allocator.params.get(key).cloned()).collect();
    let members = allocator.members.iter().flat_map(|members| members.split('|'));
    for member in members.filter_map(|member| member.parse().ok()) {
        paths.extend(self::paths(&member));
    }
    paths
}

/// Returns the SHA-256 of `text` in hexadecimal.
pub fn sha256(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_of_members_count_too() -> Result<(), Box<dyn std::error::Error>> {
        let spec: Spec = "best-of:curve:order=file,path=a.txt|curve:order=file,path=b.txt|naive".parse()?;
        assert_eq!(paths(&spec), ["a.txt", "b.txt"]);
        assert_eq!(paths(&"curve:order=file,path=a.txt".parse()?), ["a.txt"]);
        assert_eq!(paths(&"slurm-torus3d:path=t.yaml,weights=s.conf".parse()?), ["t.yaml", "s.conf"]);
        assert!(paths(&"naive".parse()?).is_empty());
        Ok(())
    }

    #[test]
    fn objects_of_the_caller_are_found_again_by_a_hash_in_their_names()
    -> Result<(), Box<dyn std::error::Error>> {
        let key = |allocator: &str, unique| -> Result<String, Box<dyn std::error::Error>> {
            let spec = ReplaySpec::new("4x4".parse()?, "fcfs".parse()?, allocator.parse()?);
            Ok(own_key("key".to_owned(), &spec, unique))
        };
        assert_eq!(key("guest:Mine(weight=2)#0a", "1")?, key("guest:Mine(weight=2)#0a", "2")?);
        assert_ne!(key("guest:Mine", "1")?, key("guest:Mine", "2")?);
        Ok(())
    }

    #[test]
    fn a_key_depends_on_the_content_of_the_outages_and_not_on_their_path()
    -> Result<(), Box<dyn std::error::Error>> {
        let spec = ReplaySpec::new("4x4".parse()?, "fcfs".parse()?, "naive".parse()?);
        let folder = tempfile::tempdir()?;
        let key = |name: &str, text: &str| -> Result<(String, Options), Box<dyn std::error::Error>> {
            let path = folder.path().join(name);
            fs::write(&path, text)?;
            let outages = Some(path.to_str().ok_or("no text")?.parse()?);
            let options = Options { outages, ..Options::default() };
            Ok((content_key(&spec, &options), options))
        };
        let ((a, first), (b, second)) = (key("a.csv", "1,0,down\n")?, key("b.csv", "1,0,down\n")?);
        assert_eq!((&a, first.difference(&second)), (&b, None));
        assert_ne!(a, key("a.csv", "2,0,down\n")?.0);
        let drawn = Options { outages: Some("random:mtbf=1d,repair=1h".parse()?), ..Options::default() };
        assert_ne!(a, content_key(&spec, &drawn));
        assert!(first.difference(&drawn).is_some());
        Ok(())
    }

    #[test]
    fn only_keys_of_recorded_nodes_depend_on_the_node_map() -> Result<(), Box<dyn std::error::Error>> {
        let mapped = Options { node_map: Some("n{rank}".parse()?), ..Options::default() };
        for (allocator, depends) in [("naive", false), ("recorded", true)] {
            let spec = ReplaySpec::new("4x4".parse()?, "fcfs".parse()?, allocator.parse()?);
            let differs = content_key(&spec, &mapped) != content_key(&spec, &Options::default());
            assert_eq!(differs, depends, "{allocator}");
        }
        Ok(())
    }

    #[test]
    fn every_coordinate_stands_wherever_a_replay_is_named() -> Result<(), Box<dyn std::error::Error>> {
        let mut base = ReplaySpec::new("4x4".parse()?, "fcfs".parse()?, "naive".parse()?);
        base.log = "a".into();
        let options = Options::default();
        let mut keys = vec![content_key(&base, &options)];
        for row in COORDINATES {
            let other = row.example;
            let mut spec = base.clone();
            assert!((row.set)(&mut spec, other), "{}", row.name);
            assert_eq!(row.text(&spec), other);
            keys.push(content_key(&spec, &options));
            if row.name != "log_sha256" {
                let text = serde_json::to_string(&spec)?;
                assert_eq!(serde_json::from_str::<ReplaySpec>(&text)?, spec, "{text}");
            }
            let words = spec.argument_words();
            let given = base.argument_words() != words;
            assert_eq!(
                given,
                !["log", "log_sha256", "period"].contains(&row.name),
                "{}: {words:?}",
                row.name
            );
        }
        assert!(keys.iter().all(|key| key.len() == 64));
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 1 + COORDINATES.len());
        Ok(())
    }
}
