//! An SVG drawing in the making: lines, shapes and texts, with the CSS classes of a theme.

use std::fmt::Write;

use svg::Document;
use svg::Node;
use svg::node::element::{Circle, Group, Line, Path, Rectangle, Text, Title};

use super::letters::{LINE, SIZE, width};
use super::look::{Look, Marker};
use super::page::{Heading, Page, TITLE_LINE, wrapped};

/// The colour of text and axes.
pub(super) const INK: &str = "#222222";
/// The colour of subtitles.
pub(super) const QUIET: &str = "#666666";
/// The colour of grid lines.
pub(super) const GRID: &str = "#dddddd";
/// The colour of the background.
pub(super) const PAPER: &str = "#ffffff";

/// The point of a text that stands at its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture. All lengths are CSS pixels, unless it is printed: then the page gives its width in millimetres.
pub struct Drawing {
    width: f64,
    height: f64,
    /// The width and maybe the height on paper, in millimetres; `None` for a drawing on a screen.
    size_mm: Option<(f64, Option<f64>)>,
    elements: Vec<Box<dyn Node>>,
}

/// Returns a coordinate rounded to two decimals. This is exact enough for any screen and keeps files small.
pub(super) fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

impl Drawing {
    /// Returns an empty page. Screen readers read its title aloud.
    fn new(width: f64, height: f64, title: &str) -> Self {
        let (width, height) = (width.ceil(), height.ceil());
        let mut drawing = Self { width, height, size_mm: None, elements: vec![Title::new(title).into()] };
        drawing.rectangle((0.0, 0.0, width, height), (PAPER, "paper"), None);
        drawing
    }

    /// Returns an empty page with a heading that begins at x = `left`, or at the border if the page has a
    /// width. The page has at least the width and height of `size`, and is wider if the heading needs it.
    /// `title` is what screen readers read aloud.
    pub(super) fn titled(size: (f64, f64), left: f64, page: Page, heading: &Heading, title: &str) -> Self {
        let left = if page.width.is_some() { 4.0 } else { left };
        let titles = heading.title.iter().map(|line| width(line) * 1.25);
        let titles = titles.chain(heading.subtitle.iter().map(|line| width(line))).fold(0.0, f64::max);
        let mut drawing = Self::new(size.0.max(left + titles + 4.0), size.1, title);
        let mut y = 22.0;
        for line in &heading.title {
            drawing.heading((left, y), line);
            y += TITLE_LINE;
        }
        y += 1.0;
        for line in &heading.subtitle {
            drawing.text((left, y), Anchor::Start, (QUIET, "quiet"), line);
            y += LINE;
        }
        drawing
    }

    /// Returns the drawing as a figure on paper of this width and maybe height, in millimetres. A drawing
    /// that is wider than its page is made smaller as a whole.
    #[must_use]
    pub fn printed(self, size_mm: (f64, Option<f64>)) -> Self {
        Self { size_mm: Some(size_mm), ..self }
    }

    /// Returns one drawing with all `drawings` below each other. A single drawing is returned unchanged.
    pub fn stacked(mut drawings: Vec<Self>) -> Self {
        if drawings.len() == 1 {
            return drawings.remove(0);
        }
        let width = drawings.iter().map(|drawing| drawing.width).fold(0.0, f64::max);
        let height = drawings.iter().map(|drawing| drawing.height).sum();
        let mut stacked = Self { width, height, size_mm: None, elements: Vec::new() };
        stacked.rectangle((0.0, 0.0, width, height), (PAPER, "paper"), None);
        let mut top = 0.0;
        for drawing in drawings {
            let group = Group::new().set("transform", format!("translate(0 {})", round(top)));
            top += drawing.height;
            stacked.add(drawing.elements.into_iter().fold(group, Group::add));
        }
        stacked
    }

    /// Returns the drawings beside each other in lines of at most `columns`, below a heading. All columns are
    /// as wide as the widest drawing.
    pub(super) fn tiled(mut heading: Self, drawings: Vec<Self>, columns: usize) -> Self {
        let across = drawings.iter().map(|drawing| drawing.width).fold(0.0, f64::max);
        let mut y = heading.height;
        let mut drawings = drawings.into_iter();
        loop {
            let line: Vec<Self> = drawings.by_ref().take(columns.max(1)).collect();
            let high = line.iter().map(|drawing| drawing.height).fold(0.0, f64::max);
            if line.is_empty() {
                break;
            }
            for (i, drawing) in line.into_iter().enumerate() {
                let x = across * i as f64;
                heading.width = heading.width.max(x + drawing.width);
                let group = Group::new().set("transform", format!("translate({} {})", round(x), round(y)));
                heading.add(drawing.elements.into_iter().fold(group, Group::add));
            }
            y += high;
        }
        heading.height = y;
        let mut whole = Self { elements: Vec::new(), ..heading };
        whole.rectangle((0.0, 0.0, whole.width, whole.height), (PAPER, "paper"), None);
        whole.elements.extend(heading.elements);
        whole
    }

    /// Returns the width of the drawing in its own units.
    pub(super) fn width(&self) -> f64 {
        self.width
    }

    /// Returns the drawing with `height` more below it, which `draw` fills: it gets the y at which this space
    /// begins.
    pub(super) fn with_below(mut self, height: f64, draw: impl FnOnce(&mut Self, f64)) -> Self {
        let top = self.height;
        self.rectangle((0.0, top, self.width, height), (PAPER, "paper"), None);
        self.height += height;
        draw(&mut self, top);
        self
    }

    /// Returns the drawing as the text of an SVG file.
    pub fn svg(self) -> String {
        let (width, height) = (round(self.width), round(self.height));
        let document = Document::new().set("viewBox", format!("0 0 {width} {height}"));
        let document = match self.size_mm {
            None => document.set("width", width).set("height", height),
            Some((width_mm, height_mm)) => {
                let height_mm = height_mm.unwrap_or(self.height * width_mm / self.width);
                document
                    .set("width", format!("{width_mm}mm"))
                    .set("height", format!("{}mm", round(height_mm)))
            }
        };
        let document = document
            .set("role", "img")
            .set("font-family", "DejaVu Sans, Verdana, sans-serif")
            .set("font-size", SIZE);
        let mut text = self.elements.into_iter().fold(document, Document::add).to_string();
        text.push('\n');
        meshreplay_results::text::well_formed(text)
    }

    /// Adds a text of one line.
    pub(super) fn text(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        (colour, class): (&str, &str),
        words: &str,
    ) {
        self.add_text((x, y), anchor, (colour, class), words, |text| text);
    }

    /// Adds a text of one line, larger and bold.
    fn heading(&mut self, (x, y): (f64, f64), words: &str) {
        self.add_text((x, y), Anchor::Start, (INK, "ink"), words, |text| {
            text.set("font-weight", "bold").set("font-size", 14)
        });
    }

    /// Adds the label of a tick, whose middle is at `(x, y)`, or farther inside if it would reach out of the
    /// drawing.
    pub(super) fn label(&mut self, (x, y): (f64, f64), words: &str) {
        let half = width(words) / 2.0 + 1.0;
        let x = if 2.0 * half < self.width { x.clamp(half, self.width - half) } else { x };
        self.text((x, y), Anchor::Middle, (INK, "ink"), words);
    }

    /// Adds rows of squares of one colour as one element. Each run is given by the place of its first square,
    /// counted to the right and upwards from `origin`, and its length in squares, which have sides of `unit`.
    /// `overlap` is added to their height.
    pub(super) fn runs(
        &mut self,
        (origin, unit): ((f64, f64), f64),
        runs: &[(i64, i64, i64)],
        (colour, overlap): (&str, f64),
        words: &str,
    ) {
        let mut path = String::new();
        let mut at = (0, 0);
        for &(x, y, length) in runs {
            // Steps from the end of the last run are shorter than coordinates. Writing to a string cannot
            // fail.
            let _ = write!(path, "m{} {}h{length}", x - at.0, at.1 - y);
            at = (x + length, y);
        }
        let place = format!("translate({} {})", round(origin.0), round(origin.1 - unit / 2.0));
        let path = Path::new()
            .set("d", path)
            .set("fill", "none")
            .set("stroke", colour)
            .set("stroke-width", 1.0 + overlap)
            .set("class", "cell")
            .set("transform", format!("{place} scale({unit:.5})"));
        self.add(Group::new().add(Title::new(words)).add(path));
    }

    /// Adds a text that is read upwards, in two lines if it is longer than `room`. `(x, y)` is its middle.
    pub(super) fn upright(&mut self, (x, y): (f64, f64), room: f64, words: &str) {
        let mut lines = wrapped(words, room);
        if lines.len() > 2 {
            lines = wrapped(words, width(words) * 0.6);
        }
        let first = if lines.len() > 1 { x - 5.0 } else { x };
        for (i, line) in lines.iter().enumerate() {
            let x = first + 13.0 * i as f64;
            let turned = format!("rotate(-90 {} {})", round(x), round(y));
            self.add_text((x, y), Anchor::Middle, (INK, "ink"), line, |text| text.set("transform", turned));
        }
    }

    /// Adds a text of one line, after `more` has changed its attributes.
    fn add_text(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        (colour, class): (&str, &str),
        words: &str,
        more: impl FnOnce(Text) -> Text,
    ) {
        let name = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = Text::new(words)
            .set("x", round(x))
            .set("y", round(y))
            .set("text-anchor", name)
            .set("fill", colour)
            .set("class", class);
        self.add(more(text));
    }

    /// Adds a straight line. Its CSS class is `class` with the suffix `-line`.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), (colour, class): (&str, &str)) {
        let line = Line::new()
            .set("x1", round(from.0))
            .set("y1", round(from.1))
            .set("x2", round(to.0))
            .set("y2", round(to.1))
            .set("stroke", colour)
            .set("class", format!("{class}-line"));
        self.add(line);
    }

    /// Adds a rectangle, given as x, y, width and height. The pointer shows `words` as a tooltip; `None` for
    /// no tooltip.
    pub(super) fn rectangle(
        &mut self,
        (x, y, width, height): (f64, f64, f64, f64),
        (colour, class): (&str, &str),
        words: Option<&str>,
    ) {
        let rectangle = Rectangle::new()
            .set("x", round(x))
            .set("y", round(y))
            .set("width", round(width.max(0.0)))
            .set("height", round(height.max(0.0)))
            .set("fill", colour)
            .set("class", class);
        match words {
            Some(words) => self.add(Group::new().add(Title::new(words)).add(rectangle)),
            None => self.add(rectangle),
        }
    }

    /// Adds a curve through `points`. Adds nothing if there are fewer than two points.
    pub(super) fn curve(&mut self, points: &[(f64, f64)], look: Look) {
        if points.len() < 2 {
            return;
        }
        let path = Path::new()
            .set("d", along(points))
            .set("fill", "none")
            .set("stroke", look.colour())
            .set("stroke-width", 1.8)
            .set("stroke-linejoin", "round")
            .set("stroke-dasharray", look.dash())
            .set("class", "curve");
        self.add(path);
    }

    /// Adds the area between two curves. Adds nothing if the curves have fewer than four points together.
    pub(super) fn band(&mut self, low: &[(f64, f64)], high: &[(f64, f64)], look: Look) {
        let around: Vec<(f64, f64)> = low.iter().chain(high.iter().rev()).copied().collect();
        if around.len() < 4 {
            return;
        }
        let path = Path::new()
            .set("d", along(&around) + " Z")
            .set("fill", look.colour())
            .set("fill-opacity", 0.16)
            .set("class", "band");
        self.add(path);
    }

    /// Adds a marker. The pointer shows `words` as a tooltip; `None` for no tooltip.
    pub(super) fn marker(&mut self, (x, y): (f64, f64), look: Look, words: Option<&str>) {
        const R: f64 = 4.0;
        let (marker, is_filled) = look.marker();
        let corners = |corners: &[(f64, f64)]| {
            let corners: Vec<(f64, f64)> = corners.iter().map(|(dx, dy)| (x + dx * R, y + dy * R)).collect();
            Path::new().set("d", along(&corners) + " Z")
        };
        // An open marker is filled with the colour of the paper, so that it hides the curve below it.
        let (fill, class) = if is_filled { (look.colour(), "marker") } else { (PAPER, "paper marker") };
        let shape = match marker {
            Marker::Circle => {
                let circle = Circle::new().set("cx", round(x)).set("cy", round(y));
                let circle = circle.set("r", if is_filled { R } else { R - 0.5 });
                return self.add_marker(circle.set("fill", fill).set("class", class), look, words);
            }
            Marker::Cross | Marker::Plus => {
                let d = if marker == Marker::Cross {
                    format!("M{} {} l8 8 m0 -8 l-8 8", round(x - R), round(y - R))
                } else {
                    format!("M{} {} h10 m-5 -5 v10", round(x - R - 1.0), round(y))
                };
                let path = Path::new().set("d", d).set("fill", "none").set("stroke-width", 2);
                return self.add_marker(path.set("class", "marker"), look, words);
            }
            Marker::Square => corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Marker::Triangle => corners(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            Marker::Inverted => corners(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
            Marker::Diamond => corners(&[(0.0, -1.3), (1.2, 0.0), (0.0, 1.3), (-1.2, 0.0)]),
        };
        self.add_marker(shape.set("fill", fill).set("class", class), look, words);
    }

    /// Adds a dot that is seen on the paper and on any colour.
    pub(super) fn dot(&mut self, (x, y): (f64, f64)) {
        let circle = Circle::new().set("cx", round(x)).set("cy", round(y)).set("r", 3.5);
        self.add(
            circle
                .set("fill", PAPER)
                .set("class", "paper ink-line")
                .set("stroke", INK)
                .set("stroke-width", 1.5),
        );
    }

    /// Adds a hollow mark, through which what lies below it is seen. It has the colour of a curve and a
    /// tooltip, or that of texts.
    pub(super) fn hollow(&mut self, (x, y): (f64, f64), of: Option<(Look, &str)>) {
        let colour = of.map_or(INK, |(look, _)| look.colour());
        let class = if of.is_some() { "reference" } else { "reference ink-line" };
        let circle = Circle::new().set("cx", round(x)).set("cy", round(y)).set("r", 6.5).set("fill", "none");
        let circle = circle.set("class", class).set("stroke", colour).set("stroke-width", 1.6);
        match of {
            Some((_, words)) => self.add(Group::new().add(Title::new(words)).add(circle)),
            None => self.add(circle),
        }
    }

    /// Adds the outline of a rectangle, given as x, y, width and height, with a tooltip.
    pub(super) fn frame(&mut self, (x, y, width, height): (f64, f64, f64, f64), words: &str) {
        let rectangle = Rectangle::new()
            .set("x", round(x))
            .set("y", round(y))
            .set("width", round(width.max(0.0)))
            .set("height", round(height.max(0.0)))
            .set("fill", "none")
            .set("stroke", INK)
            .set("stroke-width", 1.6)
            .set("class", "reference ink-line");
        self.add(Group::new().add(Title::new(words)).add(rectangle));
    }

    /// Adds the shape of a marker with its outline and its tooltip.
    fn add_marker(&mut self, mut shape: impl Node, look: Look, words: Option<&str>) {
        shape.assign("stroke", look.colour());
        let mut group = Group::new();
        if let Some(words) = words {
            group = group.add(Title::new(words));
        }
        self.add(group.add(shape));
    }

    /// Adds an element on top of the earlier ones.
    fn add(&mut self, element: impl Into<Box<dyn Node>>) {
        self.elements.push(element.into());
    }
}

/// Returns the SVG path along `points`.
fn along(points: &[(f64, f64)]) -> String {
    let mut path = String::with_capacity(points.len() * 14);
    for (i, (x, y)) in points.iter().enumerate() {
        let command = if i == 0 { "M" } else { " L" };
        // Writing to a string cannot fail.
        let _ = write!(path, "{command}{} {}", round(*x), round(*y));
    }
    path
}
