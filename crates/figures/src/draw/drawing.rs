//! An SVG drawing in the making: lines, shapes and texts, with the CSS classes of a theme.

use std::fmt::Write;

use svg::node::element::{Circle, Group, Line, Path, Rectangle, Text, Title};
use svg::{Document, Node};

use super::look::{Look, Marker};
use super::page::{Heading, Names, SizeMm, TITLE_LINE};
use super::text::{LINE, SIZE, width, wrapped};

/// A colour, and the CSS class with which a page restyles it for another theme.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style<'a> {
    pub(super) colour: &'a str,
    pub(super) class: &'a str,
}

/// The style of text and axes.
pub(super) const INK: Style<'_> = Style { colour: "#222222", class: "ink" };
/// The style of subtitles and notes.
pub(super) const QUIET: Style<'_> = Style { colour: "#666666", class: "quiet" };
/// The style of grid lines.
pub(super) const GRID: Style<'_> = Style { colour: "#dddddd", class: "grid" };
/// The style of the background.
pub(super) const PAPER: Style<'_> = Style { colour: "#ffffff", class: "paper" };

/// The part of a text at its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The number of patterns of bars.
pub(crate) const PATTERNS: usize = 6;

/// A point of a drawing, in pixels from its upper left corner.
pub(super) type Position = (f64, f64);

/// The squares of a grid: the position of the origin, and the side of a square, in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Squares {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) side: f64,
}

/// Squares side by side: the column and the row of the first, counted to the right and upwards from the
/// origin, and their number.
#[derive(Clone, Copy, Debug)]
pub(super) struct SquareRun {
    pub(super) x: i64,
    pub(super) y: i64,
    pub(super) length: i64,
}

/// A picture. Lengths are CSS pixels; a printed picture is scaled to its size on paper.
pub struct Drawing {
    width: f64,
    height: f64,
    /// The size on paper; `None` for a drawing on a screen.
    size_mm: Option<SizeMm>,
    /// Whether curves, bars and markers have the CSS classes of their looks.
    has_looks: bool,
    /// The name of the only panel; empty for several panels, or without a name.
    pub panel: String,
    /// A sentence on the content that has no room; empty for none.
    pub left_out: String,
    elements: Vec<Box<dyn Node>>,
}

impl Look {
    /// Returns the line and the marker of a curve as an SVG element, for a legend outside of drawings.
    pub fn sample(self) -> String {
        let mut drawing = Drawing { has_looks: true, ..Drawing::empty(30.0, 12.0) };
        drawing.curve(&[(1.0, 6.0), (29.0, 6.0)], self);
        drawing.marker(15.0, 6.0, self, None);
        drawing.svg()
    }
}

/// Returns a coordinate rounded to two decimals: exact enough for any screen, and short in files.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

impl Drawing {
    fn empty(width: f64, height: f64) -> Self {
        let (panel, left_out) = (String::new(), String::new());
        Self { width, height, size_mm: None, has_looks: false, panel, left_out, elements: Vec::new() }
    }

    /// Returns the CSS class of a part of a curve with the classes of its look, which come first so that
    /// [`Self::line`] can add its suffix.
    pub(super) fn class_of(&self, class: &str, look: Look) -> String {
        if self.has_looks { format!("{} {class}", look.class()) } else { class.to_owned() }
    }

    /// Returns an empty page with a heading, which begins at x = `left` or at the border. The page has at
    /// least this width and height, and is wider if the heading needs it.
    pub(super) fn titled(heading: &Heading<'_>, left: f64, width: f64, height: f64) -> Self {
        let left = if heading.is_at_border { 4.0 } else { left };
        let (width, height) = (width.max(left + heading.width() + 4.0).ceil(), height.ceil());
        // Screen readers read the title of a page aloud.
        let name = (!heading.name.is_empty()).then(|| Title::new(heading.name).into());
        let elements: Vec<Box<dyn Node>> = name.into_iter().collect();
        let has_looks = heading.names == Names::Outside;
        let mut drawing = Self { has_looks, elements, ..Self::empty(width, height) };
        drawing.rectangle(0.0, 0.0, width, height, PAPER, None);
        let mut y = 22.0;
        for line in &heading.title {
            let text = text_at(left, y, Anchor::Start, INK, line);
            drawing.add(text.set("font-weight", "bold").set("font-size", 14));
            y += TITLE_LINE;
        }
        y += 1.0;
        for line in &heading.subtitle {
            if !line.is_empty() {
                drawing.text(left, y, Anchor::Start, QUIET, line);
            }
            y += LINE;
        }
        drawing
    }

    /// Returns the drawing as a figure on paper. A drawing wider than its page is scaled down.
    #[must_use]
    pub fn printed(self, size: SizeMm) -> Self {
        Self { size_mm: Some(size), ..self }
    }

    /// Sets the sentence on the content that has no room, unless it is empty.
    #[must_use]
    pub(super) fn leaving_out(self, left_out: String) -> Self {
        if left_out.is_empty() { self } else { Self { left_out, ..self } }
    }

    /// Stacks drawings below each other, on paper at the width of the first. A single drawing is returned
    /// unchanged.
    pub fn stacked(mut drawings: Vec<Self>) -> Self {
        if drawings.len() == 1 {
            return drawings.remove(0);
        }
        let size_mm = drawings.first().and_then(|first| first.size_mm);
        let size_mm = size_mm.map(|size| SizeMm { height: None, ..size });
        Self { size_mm, ..Self::empty(0.0, 0.0) }.tiled(drawings, 1, 0.0)
    }

    /// Returns this heading with the drawings below it, in lines of at most `columns`, from x = `left` on.
    /// All columns are as wide as the widest drawing.
    pub(super) fn tiled(self, drawings: Vec<Self>, columns: usize, left: f64) -> Self {
        let columns = columns.max(1);
        let widest = drawings.iter().map(|drawing| drawing.width).fold(0.0, f64::max);
        let mut whole = Self { elements: Vec::new(), ..self };
        let mut groups = Vec::new();
        let mut drawings = drawings.into_iter().peekable();
        while drawings.peek().is_some() {
            let (top, mut high) = (whole.height, 0.0_f64);
            for (i, drawing) in drawings.by_ref().take(columns).enumerate() {
                let x = left + widest * i as f64;
                whole.width = whole.width.max(x + drawing.width);
                high = high.max(drawing.height);
                let group = Group::new().set("transform", format!("translate({} {})", round(x), round(top)));
                groups.push(drawing.elements.into_iter().fold(group, Group::add));
            }
            whole.height += high;
        }
        whole.rectangle(0.0, 0.0, whole.width, whole.height, PAPER, None);
        whole.elements.extend(self.elements);
        whole.elements.extend(groups.into_iter().map(Into::into));
        whole
    }

    /// Returns the width of the drawing in its own units.
    pub(super) fn width(&self) -> f64 {
        self.width
    }

    /// Returns the height of the drawing in its own units.
    pub(super) fn height(&self) -> f64 {
        self.height
    }

    /// Extends the drawing by `height` at the bottom. `draw` fills the new space and gets its top y.
    pub(super) fn with_below(mut self, height: f64, draw: impl FnOnce(&mut Self, f64)) -> Self {
        let top = self.height;
        self.rectangle(0.0, top, self.width, height, PAPER, None);
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
            Some(size) => {
                let height_mm = size.height.unwrap_or(self.height * size.width / self.width);
                let document = document.set("width", format!("{}mm", size.width));
                document.set("height", format!("{}mm", round(height_mm)))
            }
        };
        let document = document
            .set("role", "img")
            .set("font-family", "DejaVu Sans, Verdana, sans-serif")
            .set("font-size", SIZE);
        let text = self.elements.into_iter().fold(document, Document::add).to_string();
        meshreplay_results::text::well_formed(text + "\n")
    }

    /// Adds a text of one line.
    pub(super) fn text(&mut self, x: f64, y: f64, anchor: Anchor, style: Style<'_>, words: &str) {
        self.add(text_at(x, y, anchor, style, words));
    }

    /// Adds the label of a tick with its middle at `(x, y)`, or farther inside if it would reach out of the
    /// drawing.
    pub(super) fn label(&mut self, x: f64, y: f64, words: &str) {
        let half = width(words) / 2.0 + 1.0;
        let x = if 2.0 * half < self.width { x.clamp(half, self.width - half) } else { x };
        self.text(x, y, Anchor::Middle, INK, words);
    }

    /// Adds a confidence interval: an upright line with its ends.
    pub(super) fn whisker(&mut self, x: f64, high: f64, low: f64) {
        self.line(x, high, x, low, INK);
        for y in [high, low] {
            self.line(x - 3.0, y, x + 3.0, y, INK);
        }
    }

    /// Adds the title below an axis with its middle at x, in as many lines as the width of the drawing needs,
    /// see [`title_height`].
    pub(super) fn title_below(&mut self, x: f64, y: f64, words: &str) {
        for (i, line) in wrapped(words, self.width - 8.0).iter().enumerate() {
            self.label(x, y + LINE * i as f64, line);
        }
    }

    /// Adds lines over a rectangle, which tell it apart in grey print: none for pattern 0 of [`PATTERNS`].
    pub(super) fn hatch(&mut self, [left, top, width, height]: [f64; 4], pattern: usize) {
        const STEP: f64 = 5.0;
        let mut path = String::new();
        let mut line = |[x1, y1, x2, y2]: [f64; 4]| {
            // Writing to a string cannot fail.
            let _ = write!(path, "M{} {} L{} {} ", round(x1), round(y1), round(x2), round(y2));
        };
        let steps = |from: f64, to: f64| {
            (1..).map(move |i| from + STEP * f64::from(i)).take_while(move |at| *at < to)
        };
        let (right, bottom) = (left + width, top + height);
        if [1, 2, 4].contains(&pattern) {
            for from in steps(left - height, right) {
                let (low, high) = ((left - from).max(0.0), (right - from).min(height));
                let (rises, falls) = (pattern != 2, pattern != 1);
                if rises {
                    line([from + low, bottom - low, from + high, bottom - high]);
                }
                if falls {
                    line([from + low, top + low, from + high, top + high]);
                }
            }
        }
        match pattern {
            3 => steps(top, bottom).for_each(|y| line([left, y, right, y])),
            5 => steps(left, right).for_each(|x| line([x, top, x, bottom])),
            _ => {}
        }
        if !path.is_empty() {
            let path = Path::new().set("d", path.trim_end()).set("stroke-width", 1.3).set("fill", "none");
            self.add(path.set("stroke", PAPER.colour).set("class", "hatch"));
        }
    }

    /// Adds runs of squares of one colour as one element. `overlap` is added to the height of the squares, as
    /// a part of it.
    pub(super) fn runs(
        &mut self,
        squares: Squares,
        runs: &[SquareRun],
        colour: &str,
        overlap: f64,
        words: &str,
    ) {
        let mut path = String::new();
        let mut end = (0, 0);
        for &SquareRun { x, y, length } in runs {
            // Steps from the end of the last run are shorter than coordinates. Writing to a string cannot
            // fail.
            let _ = write!(path, "m{} {}h{length}", x - end.0, end.1 - y);
            end = (x + length, y);
        }
        let Squares { x, y, side } = squares;
        let origin = format!("translate({} {})", round(x), round(y - side / 2.0));
        let path = Path::new()
            .set("d", path)
            .set("fill", "none")
            .set("stroke", colour)
            .set("stroke-width", 1.0 + overlap)
            .set("class", "cell")
            .set("transform", format!("{origin} scale({side:.5})"));
        self.add_with_tooltip(path, Some(words));
    }

    /// Adds a text that is read upwards around `(x, y)`, in two lines of about the same length if it is
    /// longer than `room`.
    pub(super) fn upright(&mut self, x: f64, y: f64, room: f64, words: &str) {
        let room = if width(words) > room { width(words) * 0.6 } else { f64::INFINITY };
        let lines = wrapped(words, room);
        let first = if lines.len() > 1 { x - 5.0 } else { x };
        for (i, line) in lines.iter().enumerate() {
            let x = first + 13.0 * i as f64;
            let rotation = format!("rotate(-90 {} {})", round(x), round(y));
            self.add(text_at(x, y, Anchor::Middle, INK, line).set("transform", rotation));
        }
    }

    /// Adds a straight line. Its CSS class is that of `style` with the suffix `-line`.
    pub(super) fn line(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, style: Style<'_>) {
        let line = placed(Line::new(), [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)]);
        self.add(line.set("stroke", style.colour).set("class", format!("{}-line", style.class)));
    }

    /// Adds a rectangle. The pointer shows `words` as a tooltip; `None` for no tooltip.
    pub(super) fn rectangle(
        &mut self,
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        style: Style<'_>,
        words: Option<&str>,
    ) {
        let rectangle = rectangle_at(x, y, width, height).set("fill", style.colour);
        self.add_with_tooltip(rectangle.set("class", style.class), words);
    }

    /// Adds the outline of a rectangle with a tooltip.
    pub(super) fn frame(&mut self, x: f64, y: f64, width: f64, height: f64, words: &str) {
        let rectangle = rectangle_at(x, y, width, height)
            .set("fill", "none")
            .set("stroke", INK.colour)
            .set("stroke-width", 1.6)
            .set("class", "reference ink-line");
        self.add_with_tooltip(rectangle, Some(words));
    }

    /// Adds a curve through `points`. Adds nothing if there are fewer than two points.
    pub(super) fn curve(&mut self, points: &[Position], look: Look) {
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
            .set("class", self.class_of("curve", look));
        self.add(path);
    }

    /// Adds the area between two curves. Adds nothing if the curves have fewer than four points together.
    pub(super) fn band(&mut self, low: &[Position], high: &[Position], look: Look) {
        let around: Vec<Position> = low.iter().chain(high.iter().rev()).copied().collect();
        if around.len() < 4 {
            return;
        }
        let path = Path::new()
            .set("d", along(&around) + " Z")
            .set("fill", look.colour())
            .set("fill-opacity", 0.16)
            .set("class", self.class_of("band", look));
        self.add(path);
    }

    /// Adds a marker. The pointer shows `words` as a tooltip; `None` for no tooltip.
    pub(super) fn marker(&mut self, x: f64, y: f64, look: Look, words: Option<&str>) {
        const R: f64 = 4.0;
        let (marker, is_filled) = look.marker();
        let corners = |corners: &[(f64, f64)]| {
            let corners: Vec<Position> = corners.iter().map(|(dx, dy)| (x + dx * R, y + dy * R)).collect();
            Path::new().set("d", along(&corners) + " Z")
        };
        // An open marker is filled with the colour of the paper, so that it hides the curve below it.
        let (fill, class) =
            if is_filled { (look.colour(), "marker") } else { (PAPER.colour, "paper marker") };
        let class = self.class_of(class, look);
        let shape = match marker {
            Marker::Circle => {
                let circle = circle_at(x, y, if is_filled { R } else { R - 0.5 });
                return self.add_marker(circle.set("fill", fill).set("class", class), look, words);
            }
            Marker::Cross | Marker::Plus => {
                let d = if marker == Marker::Cross {
                    format!("M{} {} l8 8 m0 -8 l-8 8", round(x - R), round(y - R))
                } else {
                    format!("M{} {} h10 m-5 -5 v10", round(x - R - 1.0), round(y))
                };
                let path = Path::new().set("d", d).set("fill", "none").set("stroke-width", 2);
                return self.add_marker(path.set("class", class), look, words);
            }
            Marker::Square => corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
            Marker::Triangle => corners(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]),
            Marker::Inverted => corners(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]),
            Marker::Diamond => corners(&[(0.0, -1.3), (1.2, 0.0), (0.0, 1.3), (-1.2, 0.0)]),
        };
        self.add_marker(shape.set("fill", fill).set("class", class), look, words);
    }

    /// Adds the shape of a marker with its outline and its tooltip.
    fn add_marker(&mut self, mut shape: impl Node, look: Look, words: Option<&str>) {
        shape.assign("stroke", look.colour());
        let title = words.map(Title::new);
        self.add(title.into_iter().fold(Group::new(), Group::add).add(shape));
    }

    /// Adds a dot that is visible on paper and on any colour.
    pub(super) fn dot(&mut self, x: f64, y: f64) {
        let circle = circle_at(x, y, 3.5).set("fill", PAPER.colour).set("class", "paper ink-line");
        self.add(circle.set("stroke", INK.colour).set("stroke-width", 1.5));
    }

    /// Adds a hollow circle, which does not hide what lies below it. It has the colour of a curve and a
    /// tooltip, or the colour of text.
    pub(super) fn hollow(&mut self, x: f64, y: f64, curve: Option<(Look, &str)>) {
        let (colour, class) =
            curve.map_or((INK.colour, "reference ink-line"), |(look, _)| (look.colour(), "reference"));
        let circle = circle_at(x, y, 6.5).set("fill", "none").set("class", class);
        let circle = circle.set("stroke", colour).set("stroke-width", 1.6);
        self.add_with_tooltip(circle, curve.map(|(_, words)| words));
    }

    /// Adds an element, in a group with a tooltip if there are `words`.
    fn add_with_tooltip(&mut self, element: impl Into<Box<dyn Node>>, words: Option<&str>) {
        match words {
            Some(words) => self.add(Group::new().add(Title::new(words)).add(element)),
            None => self.add(element),
        }
    }

    /// Adds an element on top of the earlier ones.
    fn add(&mut self, element: impl Into<Box<dyn Node>>) {
        self.elements.push(element.into());
    }
}

/// Returns the height of the lines of a title below an axis after the first, in a drawing of this width.
pub(super) fn title_height(words: &str, room: Option<f64>) -> f64 {
    room.map_or(0.0, |room| LINE * (wrapped(words, room - 8.0).len().max(1) - 1) as f64)
}

fn text_at(x: f64, y: f64, anchor: Anchor, style: Style<'_>, words: &str) -> Text {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let text = placed(Text::new(words), [("x", x), ("y", y)]).set("text-anchor", anchor);
    text.set("fill", style.colour).set("class", style.class)
}

fn rectangle_at(x: f64, y: f64, width: f64, height: f64) -> Rectangle {
    let sides = [("x", x), ("y", y), ("width", width.max(0.0)), ("height", height.max(0.0))];
    placed(Rectangle::new(), sides)
}

fn circle_at(x: f64, y: f64, radius: f64) -> Circle {
    placed(Circle::new(), [("cx", x), ("cy", y)]).set("r", radius)
}

/// Sets coordinates of an element, rounded.
fn placed<E: Node, const N: usize>(mut element: E, coordinates: [(&str, f64); N]) -> E {
    for (name, value) in coordinates {
        element.assign(name, round(value));
    }
    element
}

/// Returns the SVG path along `points`.
fn along(points: &[Position]) -> String {
    let mut path = String::with_capacity(points.len() * 14);
    for (i, (x, y)) in points.iter().enumerate() {
        let command = if i == 0 { "M" } else { " L" };
        // Writing to a string cannot fail.
        let _ = write!(path, "{command}{} {}", round(*x), round(*y));
    }
    path
}
