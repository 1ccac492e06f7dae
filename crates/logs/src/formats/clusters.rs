//! The clusters in one log. Their nodes and job numbers have nothing in common, so their jobs never share a
//! machine: a log of several clusters is an error, unless one of them is chosen, or each.
#![expect(clippy::arithmetic_side_effects, reason = "jobs and clusters are counted one by one")]

use crate::error::Problem;
use foldhash::HashMap;
use meshreplay_base::spec::Params;
use meshreplay_base::words::counted;

/// The name of the parameter of formats that chooses a cluster.
pub const OF_CLUSTER: &str = "of-cluster";

/// The choice of all clusters, each of which is a partition.
const EACH: &str = "each";

/// The most clusters that a message names.
const NAMED: usize = 12;

/// The clusters of one log.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    /// Name of the chosen cluster, or [`EACH`]; `None` if none was chosen.
    choice: Option<String>,
    /// Clusters seen, with their jobs, and the place of each. A column of another meaning has one for each
    /// job.
    seen: Vec<(Vec<u8>, u64)>,
    places: HashMap<Vec<u8>, usize>,
    /// The place of the last cluster in `seen`.
    last: usize,
}

impl Clusters {
    /// Takes the parameter of a format.
    pub(super) fn take(params: &mut Params) -> Self {
        Self { choice: params.take_text(OF_CLUSTER), ..Self::default() }
    }

    /// Counts a job, and returns whether it is read. Jobs without the name of a cluster are read unless one
    /// is chosen by name.
    pub(super) fn admits(&mut self, name: &[u8]) -> bool {
        let is_all = self.is_each() || self.choice.is_none();
        if name.is_empty() {
            return is_all;
        }
        if self.seen.get(self.last).is_none_or(|(last, _)| last != name) {
            self.last = self.places.get(name).copied().unwrap_or(self.seen.len());
            if self.last == self.seen.len() {
                self.places.insert(name.to_vec(), self.last);
                self.seen.push((name.to_vec(), 0));
            }
        }
        self.seen[self.last].1 += 1;
        is_all || self.choice.as_ref().is_some_and(|choice| choice.as_bytes() == name)
    }

    /// Returns true if the cluster of a job stands for its partition.
    pub(super) fn is_each(&self) -> bool {
        self.choice.as_deref() == Some(EACH)
    }

    /// Returns a number of the cluster of the last job if each cluster is read, as job numbers are unique in
    /// one cluster only; 0 otherwise.
    pub(super) fn identity(&self) -> u64 {
        if self.is_each() { self.last as u64 } else { 0 }
    }

    /// Fails at the end of a log of several clusters of which none is chosen, and of one without the chosen
    /// cluster. The message lists the clusters and ends with `remedy`.
    pub(super) fn finish(&self, remedy: &str) -> Result<(), Problem> {
        let is_seen = |choice: &String| self.seen.iter().any(|(name, _)| name == choice.as_bytes());
        let words = |name: &[u8], jobs: u64| {
            let name: String = String::from_utf8_lossy(name).chars().flat_map(char::escape_debug).collect();
            format!("{name} ({})", counted(jobs, "job"))
        };
        let mut list: Vec<String> =
            self.seen.iter().take(NAMED).map(|(name, jobs)| words(name, *jobs)).collect();
        if self.seen.len() > NAMED {
            list.push(format!("{} more", self.seen.len() - NAMED));
        }
        let list = list.join(", ");
        let text = match &self.choice {
            None if self.seen.len() > 1 => format!(
                "the log has jobs of {} clusters, which are machines of their own: {list}; --cluster NAME \
                     reads the jobs of one, and --cluster each takes clusters for partitions{remedy}",
                self.seen.len()
            ),
            Some(choice) if choice != EACH && !is_seen(choice) && list.is_empty() => {
                format!("no job names its cluster, so '{choice}' cannot be chosen; leave out --cluster")
            }
            Some(choice) if choice != EACH && !is_seen(choice) => {
                format!("no job is of cluster '{choice}'; expected one of: {list}")
            }
            _ => return Ok(()),
        };
        Err(Problem::Heading(text))
    }

    /// Returns the note on jobs that are not read; `None` if all are.
    pub(super) fn note(&self) -> Option<String> {
        let choice = self.choice.as_ref().filter(|_| !self.is_each())?;
        let others: u64 =
            self.seen.iter().filter(|(name, _)| name != choice.as_bytes()).map(|(_, jobs)| jobs).sum();
        (others > 0).then(|| format!("{} of other clusters left out", counted(others, "job")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clusters(choice: Option<&str>, names: &[&str]) -> (Vec<bool>, String) {
        let mut clusters = Clusters { choice: choice.map(str::to_owned), ..Clusters::default() };
        let admitted = names.iter().map(|name| clusters.admits(name.as_bytes())).collect();
        let problem = clusters.finish("").err().map(|problem| problem.to_string());
        (admitted, problem.or_else(|| clusters.note()).unwrap_or_default())
    }

    #[test]
    fn a_cluster_for_each_job_takes_linear_time() {
        let mut clusters = Clusters::default();
        // Comparing each with all others would take minutes.
        assert!((0..400_000).all(|at: u32| clusters.admits(at.to_string().as_bytes())));
    }

    #[test]
    fn jobs_of_several_clusters_need_a_choice() {
        let names = ["red", "red", "blue", "", "red"];
        for (choice, names, admitted, words) in [
            (
                None,
                &names[..],
                vec![true; 5],
                "2 clusters, which are machines of their own: red (3 jobs), blue (1 job)",
            ),
            (None, &names[..2], vec![true; 2], ""),
            (Some("each"), &names[..], vec![true; 5], ""),
            (
                Some("blue"),
                &names[..],
                vec![false, false, true, false, false],
                "3 jobs of other clusters left out",
            ),
            (
                Some("green"),
                &names[..2],
                vec![false; 2],
                "no job is of cluster 'green'; expected one of: red (2 jobs)",
            ),
            (Some("green"), &[""], vec![false], "no job names its cluster"),
        ] {
            let (found, text) = clusters(choice, names);
            assert_eq!(found, admitted, "{choice:?}");
            assert!(text.contains(words) && text.is_empty() == words.is_empty(), "{choice:?}: {text}");
        }
    }
}
