//! The nodes that jobs had according to their log, as nodes of the machine of a replay.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use meshreplay_base::job::{Job, Time};
use meshreplay_logs::{NameKind, Names, NodeList, NodeListError};
use meshreplay_machine::machine::node_map::{NoNode, NodeMap, NodeMapError, NodeMapSource, natural_order};
use meshreplay_machine::machine::{Mesh, NodeId, NodeLists};

/// The reason why the nodes of a log cannot be those of a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordedNodesError {
    /// No job has a list.
    #[error(
        "{log}: no job has a list of nodes, and allocator 'recorded' places jobs by it; expected accounting \
         of Slurm or PBS with the nodes of jobs (NodeList, exec_host), a table with a column of them \
         (--columns nodes=NodeList), or another allocator"
    )]
    NoLists {
        /// The name of the log.
        log: String,
    },
    /// A list is malformed.
    #[error("{log}: job {job}: {problem}")]
    BadList {
        /// The name of the log.
        log: String,
        /// The log's number of the job.
        job: i64,
        /// What is wrong with the list.
        problem: NodeListError,
    },
    /// The node map cannot be read or does not suit the machine.
    #[error(transparent)]
    Map(#[from] NodeMapError),
    /// A name has no node.
    #[error(
        "{log}: job {job} had node '{name}': {problem} ({missing} of the {names} names of the log have \
         none); add it to --node-map, or give one that has the names of the log"
    )]
    NoNode {
        /// The name of the log.
        log: String,
        /// The log's number of the first job that had the node.
        job: i64,
        /// The name of the node.
        name: String,
        /// Why it has no node.
        problem: NoNode,
        /// The number of such names.
        missing: usize,
        /// The number of all names.
        names: usize,
    },
    /// There are more names than nodes, and no map.
    #[error(
        "{log}: its jobs had {names} different nodes ({first} to {last}), machine {machine} has {nodes}; \
         give a larger machine, or say with --node-map where these nodes are"
    )]
    TooManyNames {
        /// The name of the log.
        log: String,
        /// The number of names; a lower bound if a single list is too long.
        names: u64,
        /// The first name in natural order.
        first: String,
        /// The last name.
        last: String,
        /// The machine.
        machine: String,
        /// The number of its nodes.
        nodes: u32,
    },
    /// Two names stand for one node.
    #[error(
        "{log}: names '{first}' and '{second}' are both node {node} of machine {machine} by the node map; a \
             node has one name"
    )]
    TwoNames {
        /// The name of the log.
        log: String,
        /// The first name in natural order.
        first: String,
        /// The second name.
        second: String,
        /// The node.
        node: NodeId,
        /// The machine.
        machine: String,
    },
    /// Most lists are shorter than their jobs.
    #[error(
        "{log}: job {job} has {procs} processors and its list {nodes} nodes, and so have {short} of {of} \
         jobs of several processors: the log counts something else than nodes; read it with --input-format \
         FORMAT:unit=nodes, or give a --node-map in which each name has as many rows as its node has \
         processors"
    )]
    OtherUnit {
        /// The name of the log.
        log: String,
        /// The log's number of the first such job.
        job: i64,
        /// The number of its processors.
        procs: u32,
        /// The number of nodes of its list.
        nodes: usize,
        /// The number of such jobs.
        short: usize,
        /// The number of jobs of several processors that have lists.
        of: usize,
    },
}

/// The nodes of the jobs of a log on one machine, and what is odd about them.
#[derive(Clone, Debug, Default)]
pub(in crate::study) struct RecordedNodes {
    /// The nodes.
    pub(in crate::study) lists: Arc<NodeLists>,
    /// Notes on them, each a sentence without a full stop.
    pub(in crate::study) notes: Vec<String>,
}

/// Returns the nodes of `mesh` that `jobs` had according to the log called `log`, whose names are `names`.
/// `map` says where the nodes with these names are. Without it the names in natural order are the available
/// nodes in the order of their numbers. If `are_logged`, the recorded starts of the jobs are those of the
/// log, and a note counts the jobs whose lists have nodes that another job had at the same time.
pub(in crate::study) fn recorded_nodes(
    log: &str,
    jobs: &[Job],
    names: &Names,
    map: Option<&NodeMapSource>,
    mesh: &Mesh,
    are_logged: bool,
) -> Result<RecordedNodes, RecordedNodesError> {
    let known = Named::new(&lists(log, jobs, names, mesh)?);
    let mut notes = Vec::new();
    let map = if let Some(source) = map {
        source.on(mesh)?
    } else {
        known.check_count(log, mesh)?;
        notes.push(known.note(log, mesh));
        NodeMap::in_order(known.in_natural_order().cloned(), mesh)
    };
    let places = known.places(log, &map, mesh)?;
    let lists = NodeLists::new(known.lists.iter().map(|(number, list)| {
        (*number, list.iter().flat_map(|&name| &places[name as usize]).copied().collect())
    }));
    notes.extend(lengths(log, jobs, &lists)?);
    if are_logged {
        notes.extend(overlaps(log, jobs, &lists, &|node| known.name_at(&places, node)));
    }
    Ok(RecordedNodes { lists: Arc::new(lists), notes })
}

/// The lists of a log by their numbers, each with the log's number of the first job that has it.
type Lists = BTreeMap<u32, (i64, NodeList)>;

/// Reads the lists of `jobs`. Fails if there are none, if one is malformed, or if one is longer than any
/// machine.
fn lists(log: &str, jobs: &[Job], names: &Names, mesh: &Mesh) -> Result<Lists, RecordedNodesError> {
    let mut lists = Lists::new();
    for job in jobs {
        let Some(number) = job.logged.nodes.filter(|number| !lists.contains_key(number)) else { continue };
        let text = names.name(NameKind::Nodes, i64::from(number)).unwrap_or_default();
        let list = NodeList::parse(&text).map_err(|problem| RecordedNodesError::BadList {
            log: log.to_owned(),
            job: job.number,
            problem,
        })?;
        // Names are spelt out below, so that a list of billions of names has to be refused before.
        if list.count() > u64::from(meshreplay_machine::machine::mesh::MAX_NODES) {
            let name = |at| list.names().nth(at).unwrap_or_default();
            return Err(RecordedNodesError::TooManyNames {
                log: log.to_owned(),
                names: list.count(),
                first: name(0),
                last: name(1),
                machine: mesh.to_string(),
                nodes: mesh.available(),
            });
        }
        if list.count() > 0 {
            lists.insert(number, (job.number, list));
        }
    }
    if lists.is_empty() { Err(RecordedNodesError::NoLists { log: log.to_owned() }) } else { Ok(lists) }
}

/// The names of nodes in the lists of a log. A name is known by its number, from 0 in the order of first
/// appearance.
struct Named {
    /// The names.
    names: Vec<String>,
    /// The numbers of the names in natural order.
    sorted: Vec<usize>,
    /// For each name the log's number of a job that had the node.
    jobs: Vec<i64>,
    /// The lists by their numbers in the log, as numbers of names.
    lists: Vec<(u32, Vec<u32>)>,
}

impl Named {
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

    /// Returns the name of `node`, which is empty if the node has none. `places` has the nodes of each name.
    fn name_at(&self, places: &[Vec<NodeId>], node: NodeId) -> String {
        let at = places.iter().position(|nodes| nodes.contains(&node));
        at.map_or_else(String::new, |at| self.names[at].clone())
    }

    /// Fails if there are more names than `mesh` has available nodes.
    fn check_count(&self, log: &str, mesh: &Mesh) -> Result<(), RecordedNodesError> {
        if self.names.len() <= mesh.available() as usize {
            return Ok(());
        }
        let [first, last] = self.ends();
        Err(RecordedNodesError::TooManyNames {
            log: log.to_owned(),
            names: self.names.len() as u64,
            first,
            last,
            machine: mesh.to_string(),
            nodes: mesh.available(),
        })
    }

    /// Returns the note on a log without a map.
    fn note(&self, log: &str, mesh: &Mesh) -> String {
        let [first, last] = self.ends();
        format!(
            "{log} on {mesh}: without --node-map the {} names of its nodes, from {first} to {last}, are \
             taken in natural order as nodes 0, 1, 2 and so on, row by row",
            self.names.len()
        )
    }

    /// Returns the nodes of each name. Fails if a name has none, or if two names have the same.
    fn places(&self, log: &str, map: &NodeMap, mesh: &Mesh) -> Result<Vec<Vec<NodeId>>, RecordedNodesError> {
        let (mut places, mut missing) = (vec![Vec::new(); self.names.len()], Vec::new());
        let mut taken: BTreeMap<NodeId, usize> = BTreeMap::new();
        for &at in &self.sorted {
            match map.nodes(&self.names[at], mesh) {
                Ok(nodes) => {
                    for &node in &nodes {
                        if let Some(first) = taken.insert(node, at) {
                            return Err(RecordedNodesError::TwoNames {
                                log: log.to_owned(),
                                first: self.names[first].clone(),
                                second: self.names[at].clone(),
                                node,
                                machine: mesh.to_string(),
                            });
                        }
                    }
                    places[at] = nodes;
                }
                Err(problem) => missing.push((at, problem)),
            }
        }
        let count = missing.len();
        match missing.into_iter().next() {
            None => Ok(places),
            Some((at, problem)) => Err(RecordedNodesError::NoNode {
                log: log.to_owned(),
                job: self.jobs[at],
                name: self.names[at].clone(),
                problem,
                missing: count,
                names: self.names.len(),
            }),
        }
    }
}

/// Returns a note on the jobs whose lists have another number of nodes than they have processors; `None` if
/// there are none. Fails if more than half of the jobs of several processors have lists that are too short,
/// as in a log that counts processor cores.
fn lengths(log: &str, jobs: &[Job], lists: &NodeLists) -> Result<Option<String>, RecordedNodesError> {
    let listed =
        || jobs.iter().map(|job| (job, lists.nodes(job.logged.nodes).len())).filter(|&(_, nodes)| nodes > 0);
    let is_short = |&(job, nodes): &(&Job, usize)| nodes < job.procs as usize;
    let (short, of) = (listed().filter(is_short).count(), listed().filter(|(job, _)| job.procs > 1).count());
    if let (true, Some((job, nodes))) = (2 * short > of, listed().find(is_short)) {
        let (log, procs) = (log.to_owned(), job.procs);
        return Err(RecordedNodesError::OtherUnit { log, job: job.number, procs, nodes, short, of });
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

/// Returns a note on the jobs that had a node that another job had at the same time according to the log;
/// `None` if there are none.
fn overlaps(
    log: &str,
    jobs: &[Job],
    lists: &NodeLists,
    name_of: &dyn Fn(NodeId) -> String,
) -> Option<String> {
    let started = jobs.iter().filter_map(|job| Some((job.recorded_start()?, job)));
    let mut started: Vec<(Time, &Job)> = started.filter(|(_, job)| job.run > Time::ZERO).collect();
    // The sort is stable: of one instant, jobs stay in the order of the log.
    started.sort_by_key(|(start, _)| *start);
    // The job that has each node, and when it ends.
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
