//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010.

mod fig12;
mod fig17;
mod fig7;
mod fig8;
mod fig9;
mod loads;
mod sentences;
mod sizes;

use super::comparisons::Comparisons;
use super::evidence::{At, Evidence};
use super::figure::{Embedded, Figure, Paper};
use super::item::{Item, Published};

/// The paper.
pub(super) const PAPER: Paper = Paper {
    name: "walker2010",
    source: "P. Walker, D. Bunde, V. Leung, \"Faster high-quality processor allocation\", 2010",
    versions: true,
    figures: &[
        Figure {
            name: "fig7",
            title: "Makespans of curves on a Red Storm cabinet; here, over a network and on streams made anew",
            experiment: fig7::MAKESPANS,
        },
        Figure {
            name: "fig7-sums",
            title: "Mean pairwise sums of the curves of Fig. 7, on streams made anew (not in the paper)",
            experiment: fig7::SUMS,
        },
        Figure { name: "fig8", title: "The logs", experiment: fig8::EXPERIMENT },
        Figure {
            name: "fig9",
            title: "Mean pairwise sum of curves and selections under EASY",
            experiment: fig9::EXPERIMENT,
        },
        Figure {
            name: "fig12",
            title: "Buddy strategies and the snake against MC1x1, in two and three dimensions",
            experiment: fig12::EXPERIMENT,
        },
        Figure {
            name: "fig13",
            title: "Utilization and mean pairwise sum by load, LLNL-T3D on 16x16",
            experiment: loads::FIG13,
        },
        Figure {
            name: "fig14",
            title: "Utilization and mean pairwise sum by load, LLNL-T3D on 8x8x4",
            experiment: loads::FIG14,
        },
        Figure {
            name: "fig15",
            title: "Utilization and mean pairwise sum by load, LLNL-uBGL on 16x16x8",
            experiment: loads::FIG15,
        },
        Figure {
            name: "fig16",
            title: "Utilization and mean pairwise sum by load, LLNL-uBGL on 64x32",
            experiment: loads::FIG16,
        },
        Figure { name: "fig17", title: "Seconds for a whole simulation", experiment: fig17::EXPERIMENT },
    ],
    sentences: sentences::SENTENCES,
};

/// A study file of this folder, whose name is that of the study.
macro_rules! study {
    ($name:literal, $dataset:expr) => {
        $crate::paper::figure::Embedded {
            name: $name,
            dataset: $dataset,
            text: include_str!(concat!("studies/", $name, ".toml")),
        }
    };
}
use study;

/// A printed table: the titles of its columns, then of each row its label and its cells.
struct Printed {
    columns: Vec<&'static str>,
    rows: Vec<(&'static str, Vec<Option<Published>>)>,
}

impl Printed {
    /// Reads tab-separated text; the first line that is no comment has the titles.
    fn parse(text: &'static str) -> Self {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let columns = lines.next().into_iter().flat_map(|line| line.split('\t').skip(1)).collect();
        let row = |line: &'static str| {
            let (label, cells) = line.split_once('\t')?;
            Some((label, cells.split('\t').map(Published::parse).collect()))
        };
        Self { columns, rows: lines.filter_map(row).collect() }
    }

    /// Every cell by row and column; a column is a dataset and a machine.
    fn cells(
        &self,
    ) -> impl Iterator<Item = (&'static str, &'static str, &'static str, Option<Published>)> + '_ {
        let place = |column: &'static str| column.split_once(' ').unwrap_or((column, ""));
        self.columns.iter().enumerate().flat_map(move |(j, &column)| {
            let (dataset, machine) = place(column);
            self.rows
                .iter()
                .map(move |(label, cells)| (*label, dataset, machine, cells.get(j).copied().flatten()))
        })
    }
}
