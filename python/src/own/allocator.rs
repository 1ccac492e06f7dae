//! An allocator that is a class in Python.

use meshreplay::allocator::{Allocator, Foresight, Placement, Request, Served, Strategy, Submeshes};
use meshreplay::guest::{JobTable, Setup, check_placement};
use meshreplay::job::NodesFor;
use meshreplay::machine::{Machine, NodeSet};
use meshreplay::stop::Stop;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::{bytes, explained, made};

/// The allocator of one replay.
struct Own {
    /// An object of `meshreplay._own.AllocatorGuest`.
    guest: Py<PyAny>,
    label: String,
    stop: Stop,
    /// The free nodes that the array in Python shows, 64 in a word.
    shown: Vec<u64>,
    /// Whether the class wants to know what is taken, and what is released.
    is_told: [bool; 2],
    /// Whether a wrong placement ends the replay with a message. The laws find out by themselves.
    is_checked: bool,
    /// Whether the class has promised to serve a job whenever enough nodes are free.
    by_count: bool,
    /// The submeshes that serve a request; `None` unless the class is served by them.
    submeshes: Option<Submeshes>,
    jobs: JobTable,
}

/// Makes the allocator of one replay. Fails with a whole message.
pub(super) fn strategy(given: &Py<PyAny>, setup: &Setup<'_>, is_checked: bool) -> Result<Strategy, String> {
    let guest = made("AllocatorGuest", given, setup)?;
    let facts = Python::attach(|py| -> PyResult<(String, [bool; 2])> {
        let guest = guest.bind(py);
        Ok((guest.getattr("served")?.extract()?, guest.getattr("is_told")?.extract()?))
    });
    let (served, is_told) = facts.map_err(|error| format!("'{}': {error}", setup.label))?;
    let by_count = served == "count";
    let submeshes = (served == "submesh").then(|| setup.submeshes()).transpose()?;
    let shown = NodeSet::full(setup.mesh.nodes()).words().to_vec();
    let (label, stop, jobs) = (setup.label.to_owned(), setup.stop.clone(), JobTable::of(setup));
    let own = Own { guest, label, stop, shown, is_told, is_checked, by_count, submeshes, jobs };
    Ok(Strategy::of(own).served(match submeshes {
        Some(submeshes) => Served::BySubmesh(submeshes),
        None if by_count => Served::ByCount,
        None => Served::ByState(Foresight::Proposes),
    }))
}

impl Own {
    /// Returns the nodes that are free and not shown so, and the other way round, and remembers them as
    /// shown.
    fn changes(&mut self, machine: &Machine) -> (Vec<u32>, Vec<u32>) {
        let (mut freed, mut taken) = (Vec::new(), Vec::new());
        for (at, (shown, &free)) in self.shown.iter_mut().zip(machine.free().words()).enumerate() {
            let mut differ = *shown ^ free;
            while differ != 0 {
                let bit = differ.trailing_zeros();
                let node = at as u32 * 64 + bit;
                if free >> bit & 1 == 1 {
                    freed.push(node);
                } else {
                    taken.push(node);
                }
                // Clears the lowest bit that is set.
                differ &= differ - 1;
            }
            *shown = free;
        }
        (freed, taken)
    }

    fn fail(&self, problem: &str) {
        self.stop.fail(format!("allocator '{}': {problem}", self.label));
    }

    /// Fails with a problem and the number of the job, if one asks.
    fn fail_for(&self, request: &Request, problem: &str) {
        let of_job = self.jobs.of_request(request).map(|(_, facts)| format!("job {}: ", facts.number));
        self.fail(&(of_job.unwrap_or_default() + problem));
    }

    /// Returns the nodes of the answer; `None` if the request is refused, or if a number can be no node's.
    fn nodes(&self, answer: &[u8], machine: &Machine) -> Option<Vec<u32>> {
        let mut nodes = Vec::with_capacity(answer.len() / 8);
        for chunk in answer.chunks_exact(8) {
            let number = chunk.try_into().map_or(-1, i64::from_ne_bytes);
            let Ok(node) = u32::try_from(number) else {
                let last = machine.mesh().nodes() - 1;
                self.fail(&format!("its placement has node {number}, expected numbers from 0 to {last}"));
                return None;
            };
            nodes.push(node);
        }
        Some(nodes)
    }

    /// Tells the object that nodes were taken or released.
    fn tell(&mut self, is_release: bool, placement: &Placement) {
        if !self.is_told[usize::from(is_release)] || self.stop.is_thrown() {
            return;
        }
        for &node in &placement.nodes {
            let (word, bit) = (&mut self.shown[node as usize / 64], 1_u64 << (node % 64));
            if is_release { *word |= bit } else { *word &= !bit }
        }
        let told = Python::attach(|py| {
            let told = self.guest.call_method1(py, "told", (is_release, bytes(py, &placement.nodes)));
            told.map_err(|error| explained(py, &error))
        });
        if let Err(problem) = told {
            self.fail(&problem);
        }
    }
}

impl Own {
    /// Returns what the object answers to a request. Fails with its traceback.
    fn ask(&mut self, request: &Request, machine: &Machine) -> Result<Option<Vec<u8>>, String> {
        let (freed, taken) = self.changes(machine);
        let mesh = machine.mesh();
        // Sides along dimensions that the machine does not have are 1, or else no submesh fits.
        let is_flat = |sides: &[u32; 3]| sides[mesh.dims()..].iter().all(|&side| side == 1);
        let sides = request.sides_on(mesh).filter(is_flat);
        let job = self.jobs.of_request(request);
        let facts = job.map(|(job, facts)| (job, facts.number, facts.user, facts.estimate.as_seconds()));
        Python::attach(|py| {
            let ask = || -> PyResult<Option<Vec<u8>>> {
                let sides = sides.map(|sides| PyTuple::new(py, &sides[..mesh.dims()])).transpose()?;
                let words = (request.procs, sides, bytes(py, &freed), bytes(py, &taken), facts);
                let answer = self.guest.bind(py).call_method1("propose", words)?;
                let nodes: Option<Bound<'_, PyBytes>> = answer.extract()?;
                Ok(nodes.map(|nodes| nodes.as_bytes().to_vec()))
            };
            ask().map_err(|error| explained(py, &error))
        })
    }

    /// Returns what is wrong with an answer; `None` if nothing is.
    fn problem(&self, nodes: Option<&[u32]>, request: &Request, machine: &Machine) -> Option<String> {
        let Some(nodes) = nodes else {
            let (procs, free) = (request.procs, machine.free_count());
            let refused = format!(
                "it refused a job of {procs} processors while {free} nodes are free, and has promised served \
                     = \"count\""
            );
            return self.by_count.then_some(refused);
        };
        let expected = match self.submeshes {
            Some(Submeshes { sizes, .. }) => {
                NodesFor::of_submesh(sizes(request, machine.mesh()).first().copied())
            }
            None => NodesFor::exactly(request.procs),
        };
        check_placement(nodes, expected, machine).err()
    }
}

impl Allocator for Own {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if self.stop.is_thrown() {
            return None;
        }
        let nodes = match self.ask(request, machine) {
            Ok(Some(answer)) => Some(self.nodes(&answer, machine)?),
            Ok(None) => None,
            Err(problem) => {
                self.fail_for(request, &problem);
                return None;
            }
        };
        if let (true, Some(problem)) = (self.is_checked, self.problem(nodes.as_deref(), request, machine)) {
            self.fail_for(request, &problem);
            return None;
        }
        nodes.map(Placement::of)
    }

    fn taken(&mut self, placement: &Placement, _: &Machine) {
        self.tell(false, placement);
    }

    fn released(&mut self, placement: &Placement, _: &Machine) {
        self.tell(true, placement);
    }
}
