//! Machines of the parts of logs, given or sized by the logs.

use super::period::LogPeriod;
use super::survey::{LogSize, PartMachines, PartSurvey};
use super::{Draft, PlanError};
use crate::study::axes::LogPart;
use crate::study::log::LogSource;
use crate::study::planned::StudyLog;
use crate::study::replay_spec::ReplaySpec;
use crate::study::shared_jobs::{LoadJobsError, read};
use meshreplay_logs::Partitions;
use meshreplay_machine::machine::{AutoMachine, Mesh};

impl Draft {
    /// Finds the parts of each log and their machines, and adds a note on each machine that a log sizes.
    pub(super) fn size_machines(
        &mut self,
        surveys: &[Vec<PartSurvey>],
        notes: &mut Vec<String>,
    ) -> Result<(), PlanError> {
        for (log, parts) in self.logs.iter().zip(surveys) {
            let (mut found, mut groups) = (Vec::with_capacity(parts.len()), Vec::new());
            for part in parts {
                let machines = match part.machines {
                    PartMachines::Given => self.axes.machines.clone(),
                    PartMachines::All if self.axes.autos.is_empty() => self.axes.machines.clone(),
                    PartMachines::All => self.sized(log, part, notes)?,
                    PartMachines::Autos => {
                        let machines = self.autos(log, part)?;
                        groups.push((part, machines.clone()));
                        machines
                    }
                };
                found.push(LogPart { partition: part.partition.clone(), machines });
            }
            notes.extend(note_on_groups(log, &groups));
            self.axes.of_logs.push(found);
        }
        Ok(())
    }

    /// Returns whether the size of the machine of a replay follows from its use in this part of the log.
    pub(super) fn assumes_size(&self, part: &PartSurvey, spec: &ReplaySpec) -> bool {
        part.size.as_ref().is_ok_and(|size| size.is_of_use) && !self.axes.machines.contains(&spec.machine)
    }

    /// Returns the reason why recorded waits are not those of a given machine: the log has the number of its
    /// own nodes in its header or by their names, and this machine has another.
    pub(super) fn doubt_of_size(&self, part: &PartSurvey, spec: &ReplaySpec) -> Option<String> {
        // Pooled partitions are not compared either, for a reason that counts more.
        let (nodes, source) = part.own_nodes.filter(|_| !part.pools_partitions)?;
        let given = spec.machine.available();
        let has_other = u64::from(given) != nodes && self.axes.machines.contains(&spec.machine);
        let source = source.words();
        has_other.then(|| format!("its machine has the {nodes} {source}, and {} has {given}", spec.machine))
    }

    /// Reads logs again whose jobs were not kept, if parts or periods of them are replayed, which requires all
    /// jobs at once.
    pub(super) fn keep_parts(
        &self,
        logs: &mut [StudyLog],
        periods: &[LogPeriod],
    ) -> Result<(), LoadJobsError> {
        for (i, (log, period)) in logs.iter_mut().zip(periods).enumerate() {
            let is_stream = log.loaded.as_ref().is_some_and(|loaded| loaded.extent.is_some());
            let mut parts = self.axes.of_logs.get(i).into_iter().flatten();
            if is_stream && (period.period.is_some() || parts.any(|part| part.partition.is_some())) {
                let planned = StudyLog { loaded: None, ..log.clone() };
                log.loaded = Some(read(&planned, &self.axes.rules[0], usize::MAX)?);
            }
        }
        Ok(())
    }

    /// Returns the machines of a part of a log, and adds a note on each machine that the log sizes.
    fn sized(
        &self,
        log: &LogSource,
        part: &PartSurvey,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Mesh>, PlanError> {
        let name = part.name(&log.name);
        let mut machines = self.axes.machines.clone();
        let autos = self.autos(log, part)?;
        for ((place, auto), machine) in self.axes.autos.iter().zip(autos) {
            let without = match machine.nodes() - machine.available() {
                0 => String::new(),
                surplus => format!(" ({surplus} of its nodes are unavailable)"),
            };
            let note = |LogSize { nodes, source, .. }: &LogSize| {
                format!("{name}: machine '{auto}' is {machine}{without}, for the {nodes} {source}")
            };
            notes.extend(part.size.iter().map(note));
            machines.insert(*place, machine);
        }
        Ok(machines)
    }

    /// Returns the machines of a part of a log that the log sizes.
    fn autos(&self, log: &LogSource, part: &PartSurvey) -> Result<Vec<Mesh>, PlanError> {
        let name = part.name(&log.name);
        let unknown = |reason: &String| {
            PlanError::Unsuited(format!("{name}: {reason}; give the machine, such as 16x16"))
        };
        let nodes = part.size.as_ref().map_err(unknown)?.nodes;
        let on_nodes = |(_, machine): &(usize, AutoMachine)| {
            machine.on(nodes).ok_or_else(|| {
                PlanError::Unsuited(format!(
                    "{name}: machine '{machine}' would have {nodes} nodes, expected 1 to 2^24; give the \
                     machine, such as 16x16"
                ))
            })
        };
        self.axes.autos.iter().map(on_nodes).collect()
    }
}

/// Returns a note on partitions with their own machines; `None` without any.
fn note_on_groups(log: &LogSource, groups: &[(&PartSurvey, Vec<Mesh>)]) -> Option<String> {
    let words = |(part, machines): &(&PartSurvey, Vec<Mesh>)| {
        let name = part.partition.as_ref().map(Partitions::label).unwrap_or_default();
        let machines: Vec<String> = machines.iter().map(Mesh::to_string).collect();
        format!("{name} {}", machines.join(" and "))
    };
    let list: Vec<String> = groups.iter().map(words).collect();
    (!list.is_empty()).then(|| {
        format!(
            "{}: partitions that share no nodes are replayed on machines of their own: {}; --partition all \
                 pools them",
            log.name,
            list.join(", ")
        )
    })
}
