//! An allocator that is a class in Python.

use meshreplay::allocator::{Allocator, Foresight, Placement, Request, Served, Strategy};
use meshreplay::guest::{Setup, check_placement};
use meshreplay::job::NodesFor;
use meshreplay::machine::{Machine, NodeSet};
use meshreplay::stop::Stop;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

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
}

/// Makes the allocator of one replay. Fails with a whole message.
pub(super) fn strategy(given: &Py<PyAny>, setup: &Setup<'_>, is_checked: bool) -> Result<Strategy, String> {
    let guest = made("AllocatorGuest", given, setup, true)?;
    let facts = Python::attach(|py| -> PyResult<(bool, [bool; 2])> {
        let guest = guest.bind(py);
        Ok((guest.getattr("by_count")?.extract()?, guest.getattr("is_told")?.extract()?))
    });
    let (by_count, is_told) = facts.map_err(|error| format!("'{}': {error}", setup.label))?;
    let shown = NodeSet::full(setup.mesh.nodes()).words().to_vec();
    let own =
        Own { guest, label: setup.label.to_owned(), stop: setup.stop.clone(), shown, is_told, is_checked };
    let served = if by_count { Served::ByCount } else { Served::ByState(Foresight::Proposes) };
    Ok(Strategy::of(own).served(served))
}

impl Own {
    /// Returns the nodes that are free and not shown so, and the other way round, and remembers them as shown.
    fn changes(&mut self, machine: &Machine) -> (Vec<u32>, Vec<u32>) {
        let (mut freed, mut taken) = (Vec::new(), Vec::new());
        for (at, (shown, &free)) in self.shown.iter_mut().zip(machine.free().words()).enumerate() {
            let mut differ = *shown ^ free;
            while differ != 0 {
                let bit = differ.trailing_zeros();
                let node = at as u32 * 64 + bit;
                if free >> bit & 1 == 1 {
                    freed.push(node)
                } else {
                    taken.push(node)
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

impl Allocator for Own {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if self.stop.is_thrown() {
            return None;
        }
        let (freed, taken) = self.changes(machine);
        let dims = machine.mesh().dims();
        let answer = Python::attach(|py| {
            let ask = || -> PyResult<Option<Vec<u8>>> {
                let sides = request.sides_on(machine.mesh());
                let sides = sides.map(|sides| pyo3::types::PyTuple::new(py, &sides[..dims])).transpose()?;
                let words = (request.procs, sides, bytes(py, &freed), bytes(py, &taken));
                let answer = self.guest.bind(py).call_method1("propose", words)?;
                let nodes: Option<Bound<'_, PyBytes>> = answer.extract()?;
                Ok(nodes.map(|nodes| nodes.as_bytes().to_vec()))
            };
            ask().map_err(|error| explained(py, &error))
        });
        match answer {
            Ok(None) => None,
            Ok(Some(answer)) => {
                let nodes = self.nodes(&answer, machine)?;
                let checked = check_placement(&nodes, NodesFor::exactly(request.procs), machine);
                if let (Err(problem), true) = (checked, self.is_checked) {
                    self.fail(&problem);
                    return None;
                }
                Some(Placement::of(nodes))
            }
            Err(problem) => {
                self.fail(&problem);
                None
            }
        }
    }

    fn taken(&mut self, placement: &Placement, _: &Machine) {
        self.tell(false, placement);
    }

    fn released(&mut self, placement: &Placement, _: &Machine) {
        self.tell(true, placement);
    }
}
