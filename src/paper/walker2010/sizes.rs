//! Fig. 12, the percentages under the bars and the text about them: sizes of jobs, and of blocks.

use super::fig12::{SHAPES, ratio};
use super::{Comparisons, Evidence, Item, Published};
use crate::allocator;
use crate::machine::Mesh;
use crate::paper::item::Tolerance;

/// The numbers under the bars of a log: what share of its jobs is serial, and what shares of the parallel ones have sizes
/// that are powers of two, four and eight.
pub(super) fn percentages(found: &Evidence, dataset: &str, log: &str) -> Vec<Item> {
    let Some(facts) = found.facts(dataset) else { return Vec::new() };
    let [two, four, eight] = facts.powers;
    [
        ("serial jobs, percent", facts.serial),
        ("parallel jobs, powers of 2, percent", two),
        ("parallel jobs, powers of 4, percent", four),
        ("parallel jobs, powers of 8, percent", eight),
    ]
    .map(|(item, share)| Item::new(item, log, "").measured(100.0 * share))
    .to_vec()
}

const KTH: &str = "KTH-SP2-1996";
const HPC2N: &str = "HPC2N-2002";
const SP2: &str = "SDSC-SP2-1998";
const T3D: &str = "LLNL-T3D-1996";
const UBGL: &str = "LLNL-uBGL-2006";

/// What the text says of sizes.
pub(super) fn judge(found: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    let power = |dataset: &str, place: usize| found.facts(dataset).map(|facts| 100.0 * facts.powers[place]);
    for log in [T3D, UBGL] {
        if let (Some(name), Some(percent), Some(all)) =
            (found.log(log), power(log, 0), Published::parse("100"))
        {
            let item = Item::new("all parallel jobs of the LLNL logs are powers of 2, percent", &name, "");
            items.push(item.compared(all, percent, Tolerance::Absolute(0.5)));
        }
    }
    let [mut fours, mut more, mut better, mut serial] = [(); 4].map(|()| Comparisons::default());
    fours.below(("99 percent", Some(99.0)), ("parallel jobs of a power of 4 on LLNL-uBGL", power(UBGL, 1)));
    more.below(("powers of 2 on KTH-SP2, percent", power(KTH, 0)), ("on HPC2N", power(HPC2N, 0)));
    for (kth, hpc2n) in SHAPES[0].1.into_iter().zip(SHAPES[1].1) {
        let granular = |dataset, machine| ratio(found, dataset, machine, "authors", "granular-mbs");
        better.below(
            (&format!("granular-mbs by mc1x1 on KTH-SP2 {kth}"), granular(KTH, kth)),
            (&format!("on HPC2N {hpc2n}"), granular(HPC2N, hpc2n)),
        );
    }
    let share = |dataset: &str| found.facts(dataset).map(|facts| 100.0 * facts.serial);
    for other in [KTH, SP2, T3D, UBGL] {
        serial.below((&format!("serial jobs of {other}, percent"), share(other)), (HPC2N, share(HPC2N)));
    }
    items.extend(fours.item("More than 99 % of the jobs on LLNL-uBGL are powers of 4", "", ""));
    items.extend(corresponds(found, &power));
    items.extend(more.item("HPC2N has more jobs of powers of 2 than KTH-SP2", "", ""));
    items.extend(better.item("Granular does better on KTH-SP2 than on HPC2N all the same", "", ""));
    items.extend(serial.item("The share of serial jobs is largest on HPC2N", "", ""));
    items.extend(largest_block());
    items
}

/// The larger the share of powers of two, the lower Granular MBS by MC1x1 (mean of both shapes), for all pairs of logs but
/// HPC2N and KTH-SP2, which the paper itself excepts. "Roughly", it says.
fn corresponds(found: &Evidence, power: &dyn Fn(&str, usize) -> Option<f64>) -> Option<Item> {
    let granular = |(dataset, machines): (&str, [&str; 2])| {
        let [flat, cube] = machines.map(|machine| ratio(found, dataset, machine, "authors", "granular-mbs"));
        Some(f64::midpoint(flat?, cube?))
    };
    let mut comparisons = Comparisons::default();
    for (i, a) in SHAPES.into_iter().enumerate() {
        for b in SHAPES.into_iter().skip(i + 1).filter(|b| (a.0, b.0) != (KTH, HPC2N)) {
            let (Some(of_a), Some(of_b)) = (power(a.0, 0), power(b.0, 0)) else { continue };
            // Logs that have as many say nothing.
            let (more, fewer) = match of_a.total_cmp(&of_b) {
                std::cmp::Ordering::Less => ((b, of_b), (a, of_a)),
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => ((a, of_a), (b, of_b)),
            };
            let name =
                |(log, percent): ((&str, _), f64)| format!("{} with {percent:.1} % powers of 2", log.0);
            comparisons.below((&name(more), granular(more.0)), (&name(fewer), granular(fewer.0)));
        }
    }
    let fact =
        "The more jobs are powers of 2, the lower is Granular by MC1x1, roughly (but for HPC2N and KTH-SP2)";
    comparisons.nearly(fact, "", "")
}

/// The share of 16×15 that its largest block has.
fn largest_block() -> Option<Item> {
    let mesh: Mesh = "16x15".parse().ok()?;
    let largest = |name: &str| {
        let setup = allocator::Setup { mesh: &mesh, seed: 0 };
        let blocks = allocator::build(&name.parse().ok()?, &setup).ok()?.strategy.blocks?(&mesh);
        let nodes = blocks.iter().map(|block| block.sizes.iter().product::<u32>()).max()?;
        Some(100.0 * f64::from(nodes) / f64::from(mesh.nodes()))
    };
    let item = Item::new("the largest block of Granular MBS on 16x15, percent of the nodes", "", "16x15");
    let item = item.compared(Published::parse("27")?, largest("granular-mbs")?, Tolerance::Absolute(0.5));
    let mbs = largest("mbs")?;
    Some(item.because(&format!(
        "the paper's own construction pairs two 8x8 to 16x8; 8x8, {mbs:.1} %, is the largest block of MBS"
    )))
}
