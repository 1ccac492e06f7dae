//! Maps the recorded nodes of jobs to nodes of the replay's machine.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use meshreplay_base::job::{Job, Time};
use meshreplay_logs::{NameKind, Names, NodeList};
use meshreplay_machine::machine::node_map::{NodeMap, NodeMapError, NodeMapSource, natural_order};
use meshreplay_machine::machine::{Mesh, NodeId, NodeLists};

/// The reason why recorded nodes cannot be mapped to the machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordedNodesError {
    /// The node map cannot be read or does not suit the machine.
    #[error(transparent)]
    Map(#[from] NodeMapError),
    /// The node lists are missing, malformed, or do not suit the machine or the map.
    #[error("{log}: {problem}")]
    Lists {
        /// The name of the log.
        log: String,
        /// The problem, what was expected, and a remedy, in words.
        problem: String,
    },
}

impl RecordedNodesError {
    /// The error that no job has a list.
    pub(in crate::study) fn no_lists(log: &str) -> Self {
        let problem = "no job has a list of nodes, and allocator 'recorded' places jobs by it; expected \
                       accounting of Slurm or PBS with the nodes of jobs (NodeList, exec_host), a table with \
                       a \
                       column of them (--columns nodes=NodeList), or another allocator";
        Self::Lists { log: log.to_owned(), problem: problem.to_owned() }
    }
}

/// The recorded nodes of the jobs of a log on one machine, with notes.
#[derive(Clone, Debug, Default)]
pub(in crate::study) struct RecordedNodes {
    /// The nodes.
    pub(in crate::study) lists: Arc<NodeLists>,
    /// Notes for the user, each a sentence without a full stop.
    pub(in crate::study) notes: Vec<String>,
}

/// Maps the recorded nodes of `jobs` to nodes of `mesh`. `names` are the names of the log called `log`, and
/// `map` has the nodes of these names. Without a map, the names in natural order are the available nodes in
/// the order of their numbers. If `are_logged`, the recorded starts of the jobs are those of the log, and a
/// note counts lists that overlap with running jobs.
pub(in crate::study) fn recorded_nodes(
    log: &str,
    jobs: &[Job],
    names: &Names,
    map: Option<&NodeMapSource>,
    mesh: &Mesh,
    are_logged: bool,
) -> Result<RecordedNodes, RecordedNodesError> {
    let unsuited = |problem| RecordedNodesError::Lists { log: log.to_owned(), problem };
    let lists = lists(jobs, names, mesh).map_err(unsuited)?;
    if lists.is_empty() {
        return Err(RecordedNodesError::no_lists(log));
    }
    let known = NodeNames::new(&lists);
    let mut notes = Vec::new();
    let map = if let Some(source) = map {
        source.on(mesh)?
    } else {
        known.check_count(mesh).map_err(unsuited)?;
        notes.push(known.note(log, mesh));
        NodeMap::in_order(known.in_natural_order().cloned(), mesh)
    };
    let places = known.places(&map, mesh).map_err(unsuited)?;
    let lists = NodeLists::new(known.lists.iter().map(|(number, list)| {
        (*number, list.iter().flat_map(|&name| &places[name as usize]).copied().collect())
    }));
    notes.extend(lengths(log, jobs, &lists).map_err(unsuited)?);
    if are_logged {
        notes.extend(overlaps(log, jobs, &lists, &|node| known.name_at(&places, node)));
    }
    Ok(RecordedNodes { lists: Arc::new(lists), notes })
}

/// Node lists by their numbers, each with the log's number of its first job.
type Lists = BTreeMap<u32, (i64, NodeList)>;

/// Reads the lists of `jobs`. Fails if one is malformed or longer than any machine.
fn lists(jobs: &[Job], names: &Names, mesh: &Mesh) -> Result<Lists, String> {
    let mut lists = Lists::new();
    for job in jobs {
        let Some(number) = job.logged.nodes.filter(|number| !lists.contains_key(number)) else { continue };
        let text = names.name(NameKind::Nodes, i64::from(number)).unwrap_or_default();
        let list = NodeList::parse(&text).map_err(|problem| format!("job {}: {problem}", job.number))?;
        // A list of billions of names is refused before its names are spelt out.
        if list.count() > u64::from(meshreplay_machine::machine::mesh::MAX_NODES) {
            let name = |at| list.names().nth(at).unwrap_or_default();
            return Err(too_many_names(list.count(), [name(0), name(1)], mesh));
        }
        if list.count() > 0 {
            lists.insert(number, (job.number, list));
        }
    }
    Ok(lists)
}

/// The problem that a log without a map has more names than `mesh` has nodes. `ends` are the first and the
/// last name.
fn too_many_names(names: u64, ends: [String; 2], mesh: &Mesh) -> String {
    let ([first, last], nodes) = (ends, mesh.available());
    format!(
        "its jobs had {names} different nodes ({first} to {last}), machine {mesh} has {nodes}; give a larger \
         machine, or say with --node-map where these nodes are"
    )
}

/// The node names in the lists of a log, numbered from 0 in the order of first appearance.
struct NodeNames {
    /// The names.
    names: Vec<String>,
    /// Numbers of the names in natural order.
    sorted: Vec<usize>,
    /// For each name, the log's number of a job that had the node.
    jobs: Vec<i64>,
    /// Lists by their numbers in the log, as numbers of names.
    lists: Vec<(u32, Vec<u32>)>,
}

impl NodeNames {
    fn new(given: &Lists) -> Self {
        let (mut names, mut jobs, mut numbers) = (Vec::new(), Vec::new(), HashMap::new());
        let mut lists = Vec::with_capacity(given.len());
        for (&number, (job, list)) in given {
            let number_of = |name: String| {
                if let Some(&known) = numbers.get(&name) {
                    return known;
                }
                let new = names.len() as u32;
                names.push(name.clone());
                jobs.push(*job);
                numbers.insert(name, new);
                new
            };
            lists.push((number, list.names().map(number_of).collect()));
        }
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        sorted.sort_by(|&a, &b| natural_order(&names[a], &names[b]));
        Self { names, sorted, jobs, lists }
    }

    /// Returns the names in natural order.
    fn in_natural_order(&self) -> impl DoubleEndedIterator<Item = &String> {
        self.sorted.iter().map(|&name| &self.names[name])
    }

    /// Returns the first and the last name.
    fn ends(&self) -> [String; 2] {
        let mut names = self.in_natural_order();
        let first = names.next().cloned().unwrap_or_default();
        let last = names.next_back().cloned().unwrap_or_else(|| first.clone());
        [first, last]
    }

    /// Returns the name of `node`; empty if it has none. `places` are the nodes of each name.
    fn name_at(&self, places: &[Vec<NodeId>], node: NodeId) -> String {
        let at = places.iter().position(|nodes| nodes.contains(&node));
        at.map_or_else(String::new, |at| self.names[at].clone())
    }

    /// Fails if there are more names than `mesh` has available nodes.
    fn check_count(&self, mesh: &Mesh) -> Result<(), String> {
        let names = self.names.len();
        if names <= mesh.available() as usize {
            return Ok(());
        }
        Err(too_many_names(names as u64, self.ends(), mesh))
    }

    /// The note on a log without a map.
    fn note(&self, log: &str, mesh: &Mesh) -> String {
        let [first, last] = self.ends();
        format!(
            "{log} on {mesh}: without --node-map the {} names of its nodes, from {first} to {last}, are \
             taken in natural order as nodes 0, 1, 2 and so on, row by row",
            self.names.len()
        )
    }

    /// Returns the nodes of each name. Fails if a name has none, or if two names share a node.
    fn places(&self, map: &NodeMap, mesh: &Mesh) -> Result<Vec<Vec<NodeId>>, String> {
        let (mut places, mut missing) = (vec![Vec::new(); self.names.len()], Vec::new());
        let mut taken: BTreeMap<NodeId, usize> = BTreeMap::new();
        for &at in &self.sorted {
            let name = &self.names[at];
            match map.nodes(name, mesh) {
                Ok(nodes) => {
                    for &node in &nodes {
                        if let Some(first) = taken.insert(node, at) {
                            return Err(format!(
                                "names '{}' and '{name}' are both node {node} of machine {mesh} by the node \
                                 map; a node has one name",
                                self.names[first]
                            ));
                        }
                    }
                    places[at] = nodes;
                }
                Err(problem) => missing.push((at, problem)),
            }
        }
        let Some((at, problem)) = missing.first() else { return Ok(places) };
        Err(format!(
            "job {} had node '{}': {problem} ({} of the {} names of the log have none); add it to \
                 --node-map, \
             or give one that has the names of the log",
            self.jobs[*at],
            self.names[*at],
            missing.len(),
            self.names.len()
        ))
    }
}

/// Returns a note on jobs with lists of another length than their processors; `None` without any. Fails if
/// more than half of the jobs of several processors have lists that are too short, as in a log that counts
/// processor cores.
fn lengths(log: &str, jobs: &[Job], lists: &NodeLists) -> Result<Option<String>, String> {
    let listed =
        || jobs.iter().map(|job| (job, lists.nodes(job.logged.nodes).len())).filter(|&(_, nodes)| nodes > 0);
    let is_short = |&(job, nodes): &(&Job, usize)| nodes < job.procs as usize;
    let (short, of) = (listed().filter(is_short).count(), listed().filter(|(job, _)| job.procs > 1).count());
    if let (true, Some((job, nodes))) = (2 * short > of, listed().find(is_short)) {
        return Err(format!(
            "job {} has {} processors and its list {nodes} nodes, and so have {short} of {of} jobs of \
                 several \
             processors: the log counts something else than nodes; read it with --input-format \
             FORMAT:unit=nodes, or give a --node-map in which each name has as many rows as its node has \
             processors",
            job.number, job.procs
        ));
    }
    let differs = |&(job, nodes): &(&Job, usize)| nodes != job.procs as usize;
    let count = listed().filter(differs).count();
    Ok(listed().find(differs).map(|(job, nodes)| {
        format!(
            "{log}: {count} of {} lists of nodes have another length than their jobs have processors, the \
             first that of job {} ({nodes} nodes, {} processors); of longer lists the first free nodes \
             count, shorter ones are filled up with the nearest free nodes",
            listed().count(),
            job.number,
            job.procs
        )
    }))
}

/// Returns a note on jobs whose lists overlap with running jobs; `None` without any.
fn overlaps(
    log: &str,
    jobs: &[Job],
    lists: &NodeLists,
    name_of: &dyn Fn(NodeId) -> String,
) -> Option<String> {
    let started = jobs.iter().filter_map(|job| Some((job.recorded_start()?, job)));
    let mut started: Vec<(Time, &Job)> = started.filter(|(_, job)| job.run > Time::ZERO).collect();
    // The sort is stable: jobs that start together stay in the order of the log.
    started.sort_by_key(|(start, _)| *start);
    // The last job of each node, and its end.
    let mut held: BTreeMap<NodeId, (Time, i64)> = BTreeMap::new();
    let (mut later, mut first) = (BTreeSet::new(), None);
    for (i, (start, job)) in started.into_iter().enumerate() {
        for &node in lists.nodes(job.logged.nodes) {
            let end = start + job.run;
            let Some(holder) = held.get_mut(&node) else {
                held.insert(node, (end, job.number));
                continue;
            };
            if start < holder.0 {
                later.insert(i);
                first = first.or(Some((node, holder.1, job.number)));
            }
            if end > holder.0 {
                *holder = (end, job.number);
            }
        }
    }
    let (node, one, other) = first?;
    let name = name_of(node);
    Some(format!(
        "{log}: {} of {} jobs have nodes in their lists that another job had at the same time, the first \
         node {name} of jobs {one} and {other}; one of them gets other nodes",
        later.len(),
        jobs.len()
    ))
}
