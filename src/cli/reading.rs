//! The arguments that say how a log is read. Every command that reads logs has them.

use std::env;

use anyhow::{Result, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use jiff::tz::TimeZone;

use crate::frame::read_tables_of_logs;
use crate::spec::{Spec, SpecError};
use crate::trace::{Columns, LogLimits, Partitions, ReadOptions, formats, set_local_zone};

/// Prepares the readers of logs: sets the time zone of this machine, if it is known, and the decoder of
/// Parquet and Arrow tables, which is in the crate of results.
pub(in crate::cli) fn prepare_readers() {
    read_tables_of_logs();
    let named = env::var("TZ").is_ok_and(|text| zones(&text).iter().any(|zone| set_local_zone(zone)));
    let zone = TimeZone::try_system().ok().filter(|_| !named);
    if let Some(name) = zone.as_ref().and_then(TimeZone::iana_name) {
        set_local_zone(name);
    }
}

/// Returns the zones that the variable TZ may name, the likeliest first: a name, also behind a colon or as a
/// path, or rules such as `CET-1CEST`. A zone without dates of its changes gets the dates of the United
/// States, as on POSIX systems.
fn zones(text: &str) -> Vec<String> {
    const CHANGES: &str = ";M3.2.0;M11.1.0";
    let name = text.strip_prefix(':').unwrap_or(text);
    let name = name.rsplit_once("/zoneinfo/").map_or(name, |(_, name)| name);
    let rules = format!("{}{}", formats::POSIX, name.replace(',', ";"));
    vec![name.to_owned(), rules.clone(), rules + CHANGES]
}

/// Arguments that complete logs.
#[expect(clippy::struct_field_names, reason = "fields have the names of arguments")]
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::cli) struct Zone {
    /// Time zone of dates without one, such as Europe/Berlin or -05:00 [default: this machine's, named in a
    /// note]. A time that occurs twice, as clocks are put back, is the first one, unless that is before the
    /// job's submission or start, or contradicts the run time in a dump of Slurm.
    #[arg(long, value_name = "ZONE", value_parser = time_zone, allow_hyphen_values = true)]
    time_zone: Option<String>,

    /// Order of day and month in dates such as 05/04/2024: month-first or day-first [default: the order in
    /// which all dates of a table exist, or else the month first, with a note].
    #[arg(long, value_name = "ORDER", value_parser = ["month-first", "day-first"])]
    dates: Option<String>,

    /// What the sizes of jobs count, in formats that count several things: nodes, cpus or gpus [default: that
    /// of the format].
    #[arg(long, value_name = "UNIT", value_parser = units())]
    unit: Option<String>,

    /// Read only the jobs of this cluster, in logs that name it: a dump of sacct or a table with a column
    /// Cluster. each takes clusters for partitions, and a replay has one row for each of them.
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
}

/// Returns the parser of `--unit`, which takes the word of other tools for CPUs as well.
fn units() -> impl TypedValueParser<Value = String> {
    let cpus = PossibleValue::new("cpus").alias("cores");
    let units = PossibleValuesParser::new([PossibleValue::new("nodes"), cpus, PossibleValue::new("gpus")]);
    units.map(|unit| if unit == "cores" { "cpus".to_owned() } else { unit })
}

/// How a log is read.
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::cli) struct Reading {
    /// Format of the log, such as sacct, pbs, nas-ipsc or table [default: by its name or its first line].
    /// `meshreplay list formats` shows all.
    #[arg(id = "input_format", long = "input-format", value_name = "FORMAT", value_parser = formats::parse)]
    format: Option<Spec>,

    /// Read the log as a table: FIELD=COLUMN,… by name or number of each column, such as
    /// submit=Submit,start=Start,end=End,procs=NNodes, with the fields of the format table.
    #[arg(long, value_name = "COLUMNS", conflicts_with = "input_format")]
    columns: Option<Columns>,

    /// Read only the jobs of this partition, by name or number: batch, or batch+debug for both. `meshreplay
    /// trace info` shows the partitions.
    #[arg(long, value_name = "NAME", value_parser = str::parse::<Partitions>)]
    partition: Option<Partitions>,

    #[command(flatten)]
    zone: Zone,

    /// Skip and count malformed lines instead of stopping at the first.
    #[arg(long)]
    lenient: bool,

    /// How much a log may ask for [default: expansion=200,line=1048576]: how many times as much text as bytes
    /// a compressed log has, once that is 268 MB (67 MB for Parquet and Arrow), the bytes of its longest
    /// line, and with memory=BYTES the memory in which Parquet and Arrow are decoded on Linux, otherwise 4
    /// GiB.
    #[arg(long, value_name = "LIMITS", value_parser = str::parse::<LogLimits>)]
    log_limits: Option<LogLimits>,
}

impl Reading {
    /// Returns the options of reading a log. Fails as [`Self::format`] does.
    pub(in crate::cli) fn options(&self) -> Result<ReadOptions> {
        let limits = self.log_limits.unwrap_or_default();
        Ok(ReadOptions {
            lenient: self.lenient,
            format: self.format()?,
            partition: self.partition.clone(),
            limits,
        })
    }

    /// Returns the argument `--partition` after a blank; empty if it is not given.
    pub(in crate::cli) fn partition_words(&self) -> String {
        self.partition.as_ref().map(|partition| format!(" --partition {partition}")).unwrap_or_default()
    }

    /// Returns the spec of the format; `None` if the readers find it out. Fails if the format has no such
    /// parameter.
    fn format(&self) -> Result<Option<Spec>> {
        self.zone.complete(self.format.as_ref(), self.columns.as_ref())
    }
}

impl Zone {
    /// Returns true if each cluster is a partition.
    pub(in crate::cli) fn is_each_cluster(&self) -> bool {
        self.cluster.as_deref() == Some("each")
    }

    /// Returns the spec of the format with these arguments and columns; `None` if nothing is given. Fails if
    /// the format has no such parameter, or if both a format and columns are given.
    pub(in crate::cli) fn complete(
        &self,
        format: Option<&Spec>,
        columns: Option<&Columns>,
    ) -> Result<Option<Spec>> {
        if let (Some(format), Some(_)) = (format, columns) {
            bail!("the format {format} and columns of a table are given; expected one of them");
        }
        let given = [
            ("time-zone", &self.time_zone),
            ("dates", &self.dates),
            ("unit", &self.unit),
            (formats::OF_CLUSTER, &self.cluster),
        ];
        let given = given.into_iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let mut spec = format.cloned().or_else(|| columns.map(Columns::spec));
        for (key, value) in given {
            let other = spec.as_ref().and_then(|spec| spec.params.get(key)).filter(|other| *other != value);
            if let Some(other) = other {
                bail!("--{key} is {value}, and the format has {key}={other}; expected one of them");
            }
            spec = Some(formats::with_parameter(spec.take(), key, value));
        }
        if let Some(spec) = &spec {
            formats::parse(&spec.to_string())?;
        }
        Ok(spec)
    }
}

/// Returns the name of a time zone in an argument.
fn time_zone(text: &str) -> Result<String, SpecError> {
    let parsed = formats::parse(&format!("{}:time-zone={text}", formats::AUTO)).map(|_| text.to_owned());
    parsed.map_err(|error| match error {
        // The parameter is this option.
        SpecError::BadValue { found, expected, .. } => SpecError::NoSuchValue { found, expected },
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_of_the_zone_has_names_and_rules() {
        for (text, index, zone) in [
            ("Europe/Berlin", 0, "Europe/Berlin"),
            (":Europe/Berlin", 0, "Europe/Berlin"),
            ("/usr/share/zoneinfo/Europe/Berlin", 0, "Europe/Berlin"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", 1, "posix:CET-1CEST;M3.5.0;M10.5.0/3"),
            ("CET-1CEST", 2, "posix:CET-1CEST;M3.2.0;M11.1.0"),
        ] {
            assert_eq!(zones(text)[index], zone);
            assert!(time_zone(zone).is_ok(), "{zone}");
        }
    }
}
