//! Arguments for pictures of results, shared by `plot` and programs that embed the command.

use std::path::Path;

use anyhow::{anyhow, bail};

use crate::cli::one_of;
use crate::figure::draw::{Drawing, Page, Panels, SizeMm};
use crate::figure::{
    Clock, FigureError, Filter, LoadAxis, PLOT_KINDS, PictureFormat, PlotKind, PlotOptions, Results, Setting,
    TimeWindow,
};
use crate::report::summary_column;

/// What is drawn of the results, and on how large a page.
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::cli) struct DrawingArgs {
    /// Column of the summary that a picture shows. The default is turnaround for load (the pairwise mean if
    /// turnaround is the same in all curves), the pairwise mean for utilization and frontier, and the
    /// pairwise sum for ratio.
    #[arg(long, value_name = "COLUMN")]
    value: Option<String>,

    #[command(flatten)]
    filters: FilterArgs,

    /// Use a logarithmic axis for the values in pictures by load, boxes and distributions.
    #[arg(long)]
    log_scale: bool,

    /// Measure of load on the horizontal axis: the arrival rate, the resulting utilization, or the factor
    /// of arrival times [default: arrivals].
    #[arg(long, value_parser = one_of(&LOAD_AXES), value_name = "LOAD")]
    axis: Option<LoadAxis>,

    /// Baseline allocator of ratios, for each log, machine and scheduler its own [default: mc1x1, or else the
    /// first].
    #[arg(long, value_name = "SPEC")]
    relative_to: Option<String>,

    /// Numbers of the replays that pictures of jobs and nodes show, as in the summary. In a study they are
    /// the numbers of the cells, from 0. The default are those at the first load.
    #[arg(long, value_name = "N", num_args = 1..)]
    replay: Vec<u32>,

    /// Time that pictures of jobs and nodes show, FROM..TO in seconds of the replay or as dates of the log,
    /// such as 1996-09-23..1996-09-30 or 1996-09-23T12:00. Distributions are of the jobs that arrive in it.
    #[arg(long, value_name = "FROM..TO", value_parser = window, allow_hyphen_values = true)]
    window: Option<TimeWindow>,

    #[command(flatten)]
    paper: PaperArgs,
}

/// Which results a picture or a table shows.
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::cli) struct FilterArgs {
    /// Show results of these logs only. In a picture, several logs, machines or schedulers have a panel each.
    #[arg(long, value_name = "NAME", num_args = 1..)]
    log: Vec<String>,

    /// Show results on these machines only.
    #[arg(short, long, value_name = "MACHINE", num_args = 1..)]
    machine: Vec<String>,

    /// Show results of these schedulers only.
    #[arg(short, long, value_name = "SPEC", num_args = 1..)]
    scheduler: Vec<String>,

    /// Show results of these allocators only.
    #[arg(short, long, value_name = "SPEC", num_args = 1..)]
    allocator: Vec<String>,
}

impl FilterArgs {
    /// Returns the filters that the user gave.
    pub(in crate::cli) fn given(&self) -> Vec<Filter<'_>> {
        let filter = |option, column, names| Filter { option, column, names };
        let mut filters = vec![
            filter("--log", "log", &*self.log),
            filter("--machine", "machine", &self.machine),
            filter("--scheduler", "scheduler", &self.scheduler),
            filter("--allocator", "allocator", &self.allocator),
        ];
        filters.retain(|filter| !filter.names.is_empty());
        filters
    }
}

/// Size of a figure on paper, and whether the title is left to a caption.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(in crate::cli) struct PaperArgs {
    /// Size of a figure on paper: its width, such as 84mm, or width and height, such as 174x90mm. Labels are
    /// 7 points high.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    size: Option<SizeMm>,

    /// Leave out title and subtitle, for figures with a caption.
    #[arg(long)]
    no_title: bool,
}

impl PaperArgs {
    pub(in crate::cli) fn page(self) -> Page {
        Page { is_untitled: self.no_title, ..self.size.map_or_else(Page::default, Page::from_mm) }
    }

    /// Returns a drawing for this page with the size that it has on paper.
    pub(in crate::cli) fn printed(self, drawing: Drawing) -> Drawing {
        match self.size {
            Some(size) => drawing.printed(size),
            None => drawing,
        }
    }
}

/// How many pixels a picture has.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(in crate::cli) struct PixelArgs {
    /// Number of pixels for each unit of the drawing, for png [default: 2].
    #[arg(long, value_name = "FACTOR", value_parser = between(0.1, 20.0))]
    scale: Option<f64>,

    /// Number of pixels for each inch of paper, for png, in place of --scale.
    #[arg(long, value_name = "N", value_parser = between(20.0, 2400.0), conflicts_with = "scale")]
    dpi: Option<f64>,
}

/// What the horizontal axis of pictures by load may show.
const LOAD_AXES: [(&str, LoadAxis); 3] =
    [("arrivals", LoadAxis::Arrivals), ("utilization", LoadAxis::Utilization), ("factor", LoadAxis::Factor)];

impl DrawingArgs {
    /// Fails if an argument has no effect on any of the kinds that the user has named.
    pub(in crate::cli) fn check(&self, kinds: &[&PlotKind]) -> anyhow::Result<()> {
        let given = [
            (Setting::Value, self.value.is_some()),
            (Setting::Log, self.log_scale),
            (Setting::Axis, self.axis.is_some()),
            (Setting::RelativeTo, self.relative_to.is_some()),
            (Setting::Replay, !self.replay.is_empty()),
            (Setting::Window, self.window.is_some()),
        ];
        let is_useless = |setting: Setting| !kinds.iter().any(|kind| kind.takes.contains(&setting));
        match given.into_iter().find(|&(setting, is_given)| is_given && is_useless(setting)) {
            Some((setting, _)) if !kinds.is_empty() => {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
                let others =
                    PLOT_KINDS.iter().filter(|kind| kind.takes.contains(&setting)).map(|kind| kind.name);
                let (argument, names) = (setting.argument(), names.join(" "));
                let others = others.collect::<Vec<_>>().join(", ");
                bail!("{argument} has no effect on --kind {names}; leave it out, or draw one of: {others}")
            }
            _ => Ok(()),
        }
    }

    /// Returns the panels of this kind of the results in `folder`; none if the results lack the data.
    /// `is_asked` is true if the user named the kind.
    pub(in crate::cli) fn panels(
        &self,
        kind: &PlotKind,
        folder: &Path,
        results: &Results,
        is_asked: bool,
    ) -> Result<Panels, FigureError> {
        let filters = self.filters.given();
        let filtered = if filters.is_empty() { None } else { Some(results.filtered(&filters)?) };
        let results = filtered.as_ref().unwrap_or(results);
        let clock = self.window.as_ref().and_then(|_| Clock::for_replays(folder, results, &self.replay));
        let mut options = PlotOptions {
            folder,
            value: self.value.as_deref(),
            log: self.log_scale,
            relative_to: self.relative_to.as_deref(),
            axis: self.axis,
            replays: &self.replay,
            window_s: self.window.as_ref().map(|window| window.seconds(clock.as_ref())).transpose()?,
            page: self.paper.page(),
            is_asked,
        };
        let mut panels = (kind.draw)(&options, results);
        // A title of tables names a column of the summary, unless the kind has another column of this name.
        let titled = options.value.and_then(|value| summary_column(value).ok());
        if let (Err(FigureError::UnknownColumn { .. }), Some(name)) = (&panels, &titled) {
            options.value = Some(name);
            match (kind.draw)(&options, results) {
                Err(FigureError::UnknownColumn { .. }) => {}
                other => panels = other,
            }
        }
        let panels = panels?;
        let whole = PlotOptions { window_s: None, ..options };
        if panels.panels.is_empty()
            && is_asked
            && options.window_s.is_some()
            && !(kind.draw)(&whole, results)?.panels.is_empty()
        {
            return Err(FigureError::NothingInWindow { kind: kind.name });
        }
        Ok(panels)
    }

    /// Returns the drawings of panels: none without panels, and several if a page has no room for all.
    pub(in crate::cli) fn drawn(&self, panels: &Panels) -> Vec<Drawing> {
        let drawings = panels.draw_on(self.paper.page()).into_iter();
        drawings.map(|drawing| self.paper.printed(drawing)).collect()
    }
}

/// Default number of pixels for each unit of a drawing.
const USUAL_SCALE: f64 = 2.0;

impl PixelArgs {
    /// Fails if a number of pixels is given for a format that has none.
    pub(in crate::cli) fn check(self, format: &PictureFormat) -> anyhow::Result<()> {
        let given =
            [("--scale", self.scale), ("--dpi", self.dpi)].into_iter().find(|(_, value)| value.is_some());
        if let (Some((option, _)), false) = (given, format.has_pixels) {
            bail!(
                "{option} says how many pixels a picture has, and {} has none; leave it out, or choose png",
                format.name
            );
        }
        Ok(())
    }

    /// Returns the number of pixels for each CSS pixel (1/96 inch).
    pub(in crate::cli) fn factor(self) -> f64 {
        self.dpi.map_or(self.scale.unwrap_or(USUAL_SCALE), |dpi| dpi / 96.0)
    }
}

/// Returns the parser of a number in this range.
fn between(least: f64, most: f64) -> impl Fn(&str) -> anyhow::Result<f64> + Clone {
    move |text: &str| match text.parse::<f64>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => bail!("expected a number from {least} to {most}"),
    }
}

/// Returns the size of a figure in an argument: `84mm`, `8.4cm`, `174x90mm`.
pub(in crate::cli) fn size(text: &str) -> anyhow::Result<SizeMm> {
    let wrong =
        || anyhow!("expected a width such as 84mm, or width and height such as 174x90mm, of 30 to 1000 mm");
    let (number, mm) = match (text.strip_suffix("mm"), text.strip_suffix("cm")) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 10.0),
        (None, None) => return Err(wrong()),
    };
    let side = |text: &str| -> anyhow::Result<f64> {
        let side = mm * text.trim().parse::<f64>().map_err(|_| wrong())?;
        if (30.0..=1000.0).contains(&side) { Ok(side) } else { Err(wrong()) }
    };
    match number.split_once('x') {
        None => Ok(SizeMm { width: side(number)?, height: None }),
        Some((width, height)) => Ok(SizeMm { width: side(width)?, height: Some(side(height)?) }),
    }
}

pub(in crate::cli) fn window(text: &str) -> anyhow::Result<TimeWindow> {
    let wrong =
        "expected FROM..TO in seconds, such as 86400..172800, or dates, such as 1996-09-23..1996-09-30";
    TimeWindow::parse(text).ok_or_else(|| anyhow!(wrong))
}
