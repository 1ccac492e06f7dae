//! The command `show network`: accepted load and latency of packets under a steady offered load.

use std::str::FromStr;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::ShowError;
use crate::draw::{Axis, Chart, Drawing, Kind, Point, Scale, Series};
use crate::looks;
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::Mesh;
use meshreplay_results::text::{Align, TextTable, csv_line, grouped};
use meshreplay_sim::execution::{Measured, OpenLoop, Windows};
use meshreplay_sim::metrics::Interval;

/// Curves of load and latency: one for each combination of machine, network and pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The machines.
    pub machines: Vec<Mesh>,
    /// The networks: the movement of packets, without traffic.
    pub networks: Vec<Spec>,
    /// The names of the communication patterns.
    pub patterns: Vec<String>,
    /// The offered loads, in flits per node and cycle.
    pub rates: Rates,
    /// The cycles of each measurement.
    pub windows: Windows,
    /// The seed of the first replication.
    pub seed: u64,
    /// The number of replications, each with the next seed; from 1.
    pub replications: u32,
}

/// Offered loads in flits per node and cycle, in the order given; never empty, each above 0 and at most 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates(Vec<f64>);

/// The largest number of loads in one argument.
const MOST_RATES: usize = 1000;
/// The number of loads in a range without a step.
const RATES: usize = 20;

/// Returns the loads that an argument names, if it is well formed.
fn rates(text: &str) -> Option<Vec<f64>> {
    let number = |text: &str| text.parse().ok().filter(|rate| *rate > 0.0 && *rate <= 1.0);
    let mut rates = Vec::new();
    for part in text.split(',') {
        let Some((from, rest)) = part.split_once("..") else {
            rates.push(number(part)?);
            continue;
        };
        let (to, step) = rest.split_once(':').map_or((rest, None), |(to, step)| (to, Some(step)));
        let (from, to): (f64, f64) = (number(from)?, number(to)?);
        let step = match step {
            Some(step) => number(step)?,
            None => Some((to - from) / (RATES - 1) as f64).filter(|step| *step > 0.0)?,
        };
        // A bit is added, since the last of a sum of steps may be above the end by rounding.
        let steps = ((to - from) / step + 1e-6).floor();
        if !(0.0..MOST_RATES as f64).contains(&steps) {
            return None;
        }
        // Loads are rounded to nine decimals, so that 6 steps of 0.01 give 0.06.
        rates.extend((0..=steps as u32).map(|i| ((from + f64::from(i) * step) * 1e9).round() / 1e9));
    }
    (rates.len() <= MOST_RATES).then_some(rates)
}

impl FromStr for Rates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        rates(text).map(Self).ok_or_else(|| {
            format!(
                "expected up to {MOST_RATES} loads above 0 and at most 1 flit per node and cycle, such as \
                 0.05, 0.01,0.02, 0.01..0.2 ({RATES} loads) or 0.01..0.2:0.005"
            )
        })
    }
}

/// A curve: its machine, network and pattern, and at each load the measurement of each replication.
struct Curve {
    machine: String,
    network: String,
    pattern: String,
    points: Vec<(f64, Vec<Measured>)>,
}

/// The output of the command.
pub struct Measurements {
    /// Shared properties of all curves, in words.
    pub shared: String,
    /// A row for each curve and load.
    pub table: TextTable,
    /// The same as comma-separated values, exact and with all columns.
    pub csv: String,
    /// The latencies by load, above the accepted by the offered load.
    pub drawing: Drawing,
}

/// Measures all curves. Fails if a network or a pattern does not exist or cannot be used on a machine.
pub fn network(curves: &Curves) -> Result<Measurements, ShowError> {
    let measured = measure(curves)?;
    let mut table = table(&measured, curves.replications > 1);
    let Windows { warm_up, measured: cycles } = curves.windows;
    let mut shared: Vec<String> = table
        .drop_constant(&["machine", "network", "pattern"])
        .into_iter()
        .map(|(title, cell)| format!("{title} {cell}"))
        .collect();
    let cycles = [warm_up, cycles].map(|cycles| grouped(f64::from(cycles), 0));
    shared.push(format!("{} cycles after {}", cycles[1], cycles[0]));
    shared.push(if curves.replications > 1 {
        format!("{} replications from seed {}", curves.replications, curves.seed)
    } else {
        format!("seed {}", curves.seed)
    });
    let shared = shared.join(" · ");
    let drawing = drawing(&measured, &shared);
    Ok(Measurements { shared, table, csv: csv(&measured), drawing })
}

/// Returns the curves with their measurements, in the order of machines, networks and patterns. Simulations
/// run on all processors.
fn measure(curves: &Curves) -> Result<Vec<Curve>, ShowError> {
    let mut tasks = Vec::new();
    let mut measured_curves = Vec::new();
    for machine in &curves.machines {
        for network in &curves.networks {
            let spec = OpenLoop::new(network, machine, curves.seed)?.1;
            for pattern in &curves.patterns {
                let rates = &curves.rates.0;
                tasks.extend(rates.iter().flat_map(|&rate| {
                    (0..curves.replications).map(move |i| (machine, network, pattern, rate, i))
                }));
                measured_curves.push(Curve {
                    machine: machine.to_string(),
                    network: spec.to_string(),
                    pattern: pattern.clone(),
                    points: rates.iter().map(|&rate| (rate, Vec::new())).collect(),
                });
            }
        }
    }
    let run = |(machine, network, pattern, rate, i): (&Mesh, &Spec, &String, f64, u32)| {
        let seed = curves.seed.wrapping_add(u64::from(i));
        OpenLoop::new(network, machine, seed)?.0.run(pattern, rate, curves.windows, seed)
    };
    let measured: Vec<Measured> = tasks.into_par_iter().map(run).collect::<Result<_, _>>()?;
    let points = measured_curves.iter_mut().flat_map(|curve| &mut curve.points);
    for (point, measured) in points.zip(measured.chunks(curves.replications.max(1) as usize)) {
        point.1 = measured.to_vec();
    }
    Ok(measured_curves)
}

/// Returns the mean of one number over the replications, with its interval; `None` if no replication has the
/// number.
fn mean(measured: &[Measured], number: impl Fn(&Measured) -> Option<f64>) -> Option<Interval> {
    Interval::of(&measured.iter().filter_map(number).collect::<Vec<_>>())
}

/// The number of decimals of loads.
const DECIMALS: usize = 4;

/// A number of a measurement: its name among comma-separated values, its title and its decimals in the table,
/// and the function that returns it, `None` if the measurement has none.
type Number = (&'static str, &'static str, usize, fn(&Measured) -> Option<f64>);

/// The numbers of a measurement.
const NUMBERS: [Number; 7] = [
    ("accepted", "accepted", DECIMALS, |measured| Some(measured.accepted)),
    ("latency_cycles_mean", "latency", 2, Measured::mean_latency),
    ("latency_cycles_p50", "p50", 0, |measured| Some(measured.latency.quantile(0.5) as f64)),
    ("latency_cycles_p99", "p99", 0, |measured| Some(measured.latency.quantile(0.99) as f64)),
    ("accepted_source_min", "source min", DECIMALS, |measured| Some(measured.of_sources[0])),
    ("accepted_source_max", "source max", DECIMALS, |measured| Some(measured.of_sources[1])),
    ("hops_mean", "hops", 2, |measured| Some(measured.hops)),
];

/// The number of [`NUMBERS`], from the first, whose intervals the table shows.
const WITH_INTERVALS: usize = 2;

/// Returns the table, with the half widths of intervals if there are several replications.
fn table(curves: &[Curve], are_replicated: bool) -> TextTable {
    let has_interval = |i: usize| are_replicated && i < WITH_INTERVALS;
    let mut columns = ["machine", "network", "pattern"].map(|title| (title, Align::Left)).to_vec();
    columns.push(("offered", Align::Right));
    for (i, (_, title, ..)) in NUMBERS.iter().enumerate() {
        columns.push((title, Align::Right));
        columns.extend(has_interval(i).then_some(("±", Align::Right)));
    }
    let mut table = TextTable::new(&columns);
    for curve in curves {
        for (rate, measured) in &curve.points {
            let mut cells = [&curve.machine, &curve.network, &curve.pattern].map(Clone::clone).to_vec();
            cells.push(trimmed(*rate));
            for (i, (_, _, decimals, number)) in NUMBERS.iter().enumerate() {
                let interval = mean(measured, number);
                let text = |part: fn(Interval) -> f64| {
                    interval.map_or_else(|| "–".to_owned(), |interval| grouped(part(interval), *decimals))
                };
                cells.push(text(|interval| interval.mean));
                cells.extend(has_interval(i).then(|| text(|interval| interval.half_width)));
            }
            table.add(cells);
        }
    }
    table
}

/// Returns the measurements as comma-separated values: means over the replications, each followed by the half
/// width of its interval, which is empty for one replication.
fn csv(curves: &[Curve]) -> String {
    let mut titles = ["machine", "network", "pattern", "offered", "replications"].map(str::to_owned).to_vec();
    titles.extend(NUMBERS.iter().flat_map(|(name, ..)| [(*name).to_owned(), format!("{name}_half_width")]));
    let mut text = csv_line(titles.iter().map(String::as_str));
    for curve in curves {
        for (rate, measured) in &curve.points {
            let mut cells = [&curve.machine, &curve.network, &curve.pattern].map(Clone::clone).to_vec();
            cells.extend([rate.to_string(), measured.len().to_string()]);
            for (.., number) in NUMBERS {
                let interval = mean(measured, number);
                cells.push(interval.map_or_else(String::new, |interval| interval.mean.to_string()));
                let half_width = interval.filter(|interval| interval.count > 1);
                cells.push(half_width.map_or_else(String::new, |interval| interval.half_width.to_string()));
            }
            text += &csv_line(cells.iter().map(String::as_str));
        }
    }
    text
}

/// Returns a load with at least four decimals, and with all of its decimals.
fn trimmed(rate: f64) -> String {
    let (short, long) = (format!("{rate:.DECIMALS$}"), rate.to_string());
    if long.len() > short.len() { long } else { short }
}

/// Returns the charts of the curves, each named by its differences to the others.
fn drawing(curves: &[Curve], shared: &str) -> Drawing {
    let parts: [fn(&Curve) -> &str; 3] =
        [|curve| &curve.machine, |curve| &curve.network, |curve| &curve.pattern];
    let differing =
        |part: &fn(&Curve) -> &str| curves.windows(2).any(|pair| part(&pair[0]) != part(&pair[1]));
    let name = |curve: &Curve| {
        let parts: Vec<&str> = parts.iter().filter(|part| differing(part)).map(|part| part(curve)).collect();
        if parts.is_empty() { curve.pattern.clone() } else { parts.join(" · ") }
    };
    let names: Vec<String> = curves.iter().map(name).collect();
    let looks = looks(&names.iter().map(|name| (name.as_str(), name.as_str())).collect::<Vec<_>>());
    let chart = |title: &str, y: Axis, of: &dyn Fn(&Measured) -> Option<f64>| {
        let series = curves.iter().zip(&names).zip(&looks).map(|((curve, name), &look)| {
            let point = |(x, measured): &(f64, Vec<Measured>)| {
                let Interval { mean, half_width, .. } = mean(measured, of)?;
                Some(Point { x: *x, y: mean, half_width })
            };
            let mut points: Vec<Point> = curve.points.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            Series { name: name.clone(), look, kind: Kind::Curve, points }
        });
        let x = Axis::titled("offered load (flits per node and cycle)");
        let (title, subtitle) = (title.to_owned(), shared.to_owned());
        Chart { title, subtitle, x, y, series: series.collect(), ..Chart::default() }.draw()
    };
    let latency = Axis { scale: Scale::Log, ..Axis::titled("mean latency (cycles)") };
    let accepted = Axis { shows: Some(0.0), ..Axis::titled("accepted load (flits per node and cycle)") };
    Drawing::stacked(vec![
        chart("Latency by load", latency, &Measured::mean_latency),
        chart("Accepted by offered load", accepted, &|measured| Some(measured.accepted)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_single_ones_lists_and_ranges() {
        for (text, expected) in [
            ("0.05", &[0.05][..]),
            ("0.05,1", &[0.05, 1.0]),
            ("0.1..0.4:0.1", &[0.1, 0.2, 0.3, 0.4]),
            ("0.1..0.35:0.1", &[0.1, 0.2, 0.3]),
            ("0.1..0.1:0.1", &[0.1]),
            ("1e-3,0.1..0.2:0.05", &[0.001, 0.1, 0.15, 0.2]),
        ] {
            assert_eq!(rates(text).as_deref(), Some(expected), "{text}");
        }
        let twenty: Vec<f64> = (1..=20).map(|i| f64::from(i) / 100.0).collect();
        assert_eq!(rates("0.01..0.2"), Some(twenty));
        for text in
            ["", "0", "-0.1", "1.1", "nan", "0.1,", "0.2..0.1", "0.1..0.2:0", "1e-6..1:1e-6", "0.1..0.1"]
        {
            assert_eq!(rates(text), None, "{text}");
        }
    }

    #[test]
    fn curves_of_several_networks_are_named_by_what_differs() -> Result<(), Box<dyn std::error::Error>> {
        let curves = Curves {
            machines: vec!["4x4".parse()?],
            networks: vec!["wormhole".parse()?, "wormhole:buffer=packet".parse()?],
            patterns: vec!["random".to_owned()],
            rates: "0.05,0.2".parse()?,
            windows: Windows { warm_up: 100, measured: 2000 },
            seed: 3,
            replications: 2,
        };
        let shown = network(&curves)?;
        assert_eq!(
            shown.shared,
            "machine 4x4 · pattern random · 2,000 cycles after 100 · 2 replications from seed 3"
        );
        assert_eq!(shown.table.text().lines().count(), 5);
        let svg = shown.drawing.svg();
        assert!(svg.contains("buffer=packet") && !svg.contains(">4x4"), "{svg}");
        let wrong = Curves { patterns: vec!["randon".to_owned()], ..curves };
        let message = network(&wrong).map(|_| ()).map_err(|error| error.to_string());
        assert!(
            message.is_err_and(|text| text.starts_with("unknown pattern 'randon', did you mean 'random'?"))
        );
        Ok(())
    }
}
