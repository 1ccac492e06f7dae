//! What the paper says of its results, in our words, and what judges each sentence.

use crate::paper::sentence::{Judged, Sentence};

const fn judged(
    section: &'static str,
    figure: &'static str,
    claim: &'static str,
    by: &'static [&'static str],
) -> Sentence {
    Sentence { section, figure, claim, judged: Judged::By(by) }
}

const fn not_measurable(
    section: &'static str,
    figure: &'static str,
    claim: &'static str,
    reason: &'static str,
) -> Sentence {
    Sentence { section, figure, claim, judged: Judged::NotMeasurable(reason) }
}

/// What is said of each of Figs. 13 to 16.
const fn loads(figure: &'static str) -> [Sentence; 6] {
    [
        judged(
            "III-B",
            figure,
            "The general trend is that pairwise distance increases with utilization.",
            &["the sum rises with utilization"],
        ),
        judged(
            "III-B",
            figure,
            "Points are closer together at high utilization, as the machine saturates.",
            &["points are closest together at the highest utilization"],
        ),
        judged(
            "III-B",
            figure,
            "There are large violations of the trend under EASY, and none under FCFS.",
            &["large falls of the sum occur under EASY, not under FCFS"],
        ),
        judged(
            "III-B",
            figure,
            "The largest violations occur with Octet MBS.",
            &["the largest falls under EASY occur with Octet MBS"],
        ),
        judged(
            "III-B",
            figure,
            "The most frequent violations occur with Octet MBS.",
            &["the most frequent falls under EASY"],
        ),
        judged(
            "Figs. 13 to 16",
            figure,
            "Granular MBS is below MC1x1 and the snake at every load.",
            &["Granular MBS below MC1x1 and the snake at every load"],
        ),
    ]
}

/// Every sentence of the paper that states a result, those of each of Figs. 13 to 16 last.
pub(super) const SENTENCES: &[Sentence] = &{
    let figures = [loads("fig13"), loads("fig14"), loads("fig15"), loads("fig16")];
    let mut all = [OTHERS[0]; OTHERS.len() + 4 * 6];
    let mut i = 0;
    while i < all.len() {
        all[i] = if i < OTHERS.len() {
            OTHERS[i]
        } else {
            figures[(i - OTHERS.len()) / 6][(i - OTHERS.len()) % 6]
        };
        i += 1;
    }
    all
};

const OTHERS: &[Sentence] = &[
    not_measurable(
        "abstract, VI",
        "fig12",
        "A snake along the short sides first finds allocations of comparable quality to MC1x1.",
        "no number says what is comparable; its ratios to MC1x1 are in the table",
    ),
    judged(
        "abstract, I, VI",
        "fig12",
        "Granular MBS finds better allocations than MC1x1 where sizes of jobs and machine are powers of two.",
        &["Granular below MC1x1 and the snake on the LLNL logs"],
    ),
    judged(
        "abstract, VI",
        "fig17",
        "MC1x1 takes more than 200 times as long as the faster algorithms in some cases.",
        &["largest factor by which MC1x1 is slower"],
    ),
    judged(
        "Fig. 7",
        "fig7",
        "Makespans by that of MC1x1, of four curves with three selections.",
        &["makespan of "],
    ),
    judged(
        "II",
        "fig7",
        "From best to worst: column-major snake, spliced Hilbert, Zoltan Hilbert, row-major snake.",
        &[
            "order of the curves, mean",
            "order of the curves, bf",
            "order of the curves, ss",
            "order of the curves, ff",
        ],
    ),
    judged(
        "Fig. 7",
        "fig7",
        "Best fit and sum of squares are below first fit; which of them is lower depends on the curve.",
        &["order of the selections, "],
    ),
    not_measurable(
        "II",
        "fig7",
        "Statistics that the test suite computes take a small fraction of its time.",
        "it is a property of their program on their machine",
    ),
    judged("Fig. 8", "fig8", "Jobs and processors of five logs.", &["jobs", "processors"]),
    judged(
        "Fig. 9",
        "fig9",
        "Mean pairwise sums of three curves with three selections on eight machines.",
        &["column-snake+", "hilbert+", "row-snake+"],
    ),
    judged(
        "II",
        "fig9",
        "Hilbert is best on square meshes, the column-major snake on others.",
        &["hilbert < row-snake", "column-snake ≤ hilbert < row-snake"],
    ),
    judged(
        "Fig. 9",
        "fig9",
        "Best fit is below first fit, and that below the free list, with two exceptions.",
        &["bf < ff < fl"],
    ),
    judged(
        "II",
        "fig7-sums",
        "Simulations agree with the experiments where they overlap.",
        &["order of the curves, ", "order of the selections, "],
    ),
    judged(
        "III-B",
        "fig12",
        "Granular MBS beats Layered and Octet MBS in all cases, sometimes substantially.",
        &["Granular below Layered and Octet in all cases"],
    ),
    judged(
        "III-B",
        "fig12",
        "Layered MBS comes closest to Granular MBS on LLNL-uBGL 64x32; Granular wins more handily on 16x16x8.",
        &["Granular's lead on Layered is least on LLNL-uBGL 64x32"],
    ),
    judged(
        "III-B",
        "fig12",
        "More than 99 % of the jobs on LLNL-uBGL have sizes that are powers of 4.",
        &["More than 99 % of the jobs on LLNL-uBGL"],
    ),
    judged(
        "III-B",
        "fig12",
        "Octet MBS beats Layered MBS on all 3D meshes.",
        &["Octet below Layered on all 3D meshes"],
    ),
    judged(
        "III-B",
        "fig12",
        "Octet MBS is poor on 2D meshes, like a curve that nobody selected.",
        &["Octet poor on 2D meshes"],
    ),
    judged(
        "III-B",
        "fig12",
        "Granular MBS beats MC1x1 and the snake in both configurations of the LLNL logs.",
        &["Granular below MC1x1 and the snake on the LLNL logs"],
    ),
    judged(
        "III-B",
        "fig12",
        "It loses to both on SDSC-SP2 and KTH-SP2.",
        &["Granular above MC1x1 and the snake on SDSC-SP2 and KTH-SP2"],
    ),
    judged(
        "III-B",
        "fig12",
        "It loses by a small margin there and is substantially worse than MC1x1 on HPC2N.",
        &["Granular above MC1x1 on HPC2N, further than"],
    ),
    judged(
        "III-B",
        "fig12",
        "The share of powers of two corresponds roughly to the quality of Granular MBS.",
        &["The more jobs are powers of 2"],
    ),
    judged(
        "III-B",
        "fig12",
        "The LLNL logs consist of powers of two entirely.",
        &["all parallel jobs of the LLNL logs are powers of 2"],
    ),
    judged(
        "III-B",
        "fig12",
        "HPC2N has more jobs of powers of two than KTH-SP2, but Granular MBS is better on the latter.",
        &["HPC2N has more jobs of powers of 2", "Granular does better on KTH-SP2"],
    ),
    judged(
        "III-B",
        "fig12",
        "The largest block on 16x15 has 27 % of the processors.",
        &["the largest block of Granular MBS on 16x15"],
    ),
    judged(
        "III-B",
        "fig12",
        "Four ratios of Granular MBS to MC1x1: jobs of powers of two only, sides of powers of two only.",
        &["granular-mbs by mc1x1, powers of two only", "granular-mbs by mc1x1, all jobs"],
    ),
    judged(
        "III-B",
        "fig12",
        "Sizes that are powers of two help more than sides that are.",
        &["Sizes that are powers of two help more"],
    ),
    judged(
        "III-B",
        "fig12",
        "On KTH-SP2 and SDSC-SP2 removing other sizes than powers of two helps more than removing serial jobs.",
        &["Leaving out other sizes than powers of two"],
    ),
    judged(
        "III-B",
        "fig12",
        "The reverse is true for HPC2N, though the ratios are close.",
        &["The reverse on HPC2N"],
    ),
    judged(
        "III-B",
        "fig12",
        "Removing serial jobs helps in nearly all cases.",
        &["Leaving out serial jobs helps in nearly all cases"],
    ),
    judged(
        "III-B",
        "fig12",
        "HPC2N has a large share of serial jobs.",
        &["The share of serial jobs is largest on HPC2N"],
    ),
    not_measurable(
        "Fig. 12",
        "fig12",
        "The heights of the bars, and the percentages under them.",
        "they are drawn, not printed; what is measured stands beside no published number",
    ),
    not_measurable(
        "III-B",
        "fig13",
        "Small jobs that are backfilled onto spare processors cause the violations.",
        "it is an explanation, for which the paper has no measurement of its own",
    ),
    judged(
        "III-B",
        "fig13",
        "The best gain of Granular MBS on MC1x1 is that on LLNL-uBGL, so that on LLNL-T3D it is smaller.",
        &["the best gain of Granular MBS on MC1x1 is that on LLNL-uBGL"],
    ),
    judged(
        "III-B",
        "fig14",
        "The best gain of Granular MBS on MC1x1 is that on LLNL-uBGL, so that on LLNL-T3D it is smaller.",
        &["the best gain of Granular MBS on MC1x1 is that on LLNL-uBGL"],
    ),
    judged(
        "III-B",
        "fig15",
        "The trend is weaker for Granular MBS on LLNL-uBGL.",
        &["the sums of Granular MBS rise less with utilization"],
    ),
    judged(
        "III-B",
        "fig16",
        "The trend is weaker for Granular MBS on LLNL-uBGL.",
        &["the sums of Granular MBS rise less with utilization"],
    ),
    judged(
        "III-B",
        "fig16",
        "Granular and Layered MBS are essentially the same on LLNL-uBGL 64x32.",
        &["layered-mbs and granular-mbs are one line"],
    ),
    judged(
        "III-B",
        "fig16",
        "Granular MBS is at best 8.3 % below MC1x1, at a utilization of 67.5 %, and 9.6 % under FCFS.",
        &["largest gain of granular-mbs on mc1x1, ", "where the largest gain under easy is"],
    ),
    judged(
        "Fig. 17",
        "fig17",
        "Seconds of simulations, as ratios of MC1x1 to the others.",
        &["mc1x1-shells by "],
    ),
    judged("IV", "fig17", "The faster algorithms are much faster than MC1x1.", &["MC1x1 takes longest"]),
    judged(
        "IV",
        "fig17",
        "MC1x1 is slower by a factor of up to 27 on HPC2N and 205 on LANL-CM5.",
        &["largest factor by which MC1x1 is slower"],
    ),
    judged(
        "IV",
        "fig17",
        "The curve-based strategies are consistently slower than the buddy systems.",
        &["the snake is slower than the buddy systems"],
    ),
    judged(
        "IV",
        "fig17",
        "Seconds per job of MC1x1 grow with the machine, from 0.0056 on 16x16 to 0.15 on 32x32.",
        &["growth of seconds per job of MC1x1", "seconds per job of MC1x1 grow"],
    ),
    judged(
        "IV",
        "fig17",
        "MC1x1 runs significantly faster on cube-like shapes than on flat ones.",
        &["MC1x1 is faster on the cube-like shape"],
    ),
    judged(
        "IV",
        "fig17",
        "Curve- and MBS-based algorithms are relatively insensitive to the shape.",
        &["curves and buddies depend on the shape less than MC1x1"],
    ),
    judged(
        "IV",
        "fig17",
        "Octet MBS is anomalously slow on LANL-CM5 with 32x32.",
        &["Octet MBS is slow on 32x32", "Octet MBS, 32x32 by 16x8x8"],
    ),
    not_measurable(
        "IV",
        "fig17",
        "The timed version of MC1x1 is faster than the one whose distances are reported.",
        "the paper has no times of the other one",
    ),
];
