//! Tables with every sufficient subset of submission, start, end, wait and run time, in every unit and every
//! format of dates, give the jobs of the written cluster.

use std::rc::Rc;

use super::round_trip::writers::table::{
    DATES, DURATIONS, Dates, Durations, Look, SUBSETS, Time, Unit, write_as,
};
use super::round_trip::{Differences, Writer};

/// Number of clusters tried per style, because not every style can represent every cluster.
const TRIED: u64 = 12;

/// A plain table of numbers, times and sizes.
fn look(times: &'static [Time], dates: Dates, durations: Durations, unit: Unit) -> Look {
    Look {
        delimiter: ',',
        times,
        dates,
        durations,
        unit,
        has_order: true,
        missing: "",
        has_epochs: false,
        in_cpus: false,
        others: vec!["JobID", "State"],
        has_mark: false,
        order: 0,
    }
}

#[test]
fn every_sufficient_subset_of_times_gives_the_same_jobs() {
    let (mut found, mut seed, mut looks) = (Differences::new(), 0, 0);
    for times in SUBSETS {
        for dates in DATES {
            for durations in DURATIONS {
                for unit in [Unit::Name(0), Unit::Name(1), Unit::Parameter] {
                    let look = look(times, dates, durations, unit);
                    let writer: Writer = Rc::new(move |cluster| write_as(cluster, &look));
                    let mut seeds = seed..seed + TRIED;
                    looks += u64::from(seeds.any(|seed| found.add(seed, &writer)));
                    seed += 1;
                }
            }
        }
    }
    assert!(looks > 5000, "{looks} looks were tried");
    let report = found.report("table");
    assert!(report.is_empty(), "{report}");
}
