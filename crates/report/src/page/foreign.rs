//! Untrusted SVG drawings: they are parsed, and only allowed elements and attributes are written again.

use std::fmt::Write;

use resvg::usvg::roxmltree::{Document, Node};

use super::escape::html;

/// The elements of our drawings. They cannot run code, load a file or draw outside the picture.
const ELEMENTS: &str = "svg g path circle rect line text title";
/// The attributes of these elements.
const ATTRIBUTES: &str = "class cx cy d data-generator fill fill-opacity font-family font-size font-weight \
     height opacity points r role rx stroke stroke-dasharray stroke-linejoin stroke-opacity stroke-width \
     text-anchor transform viewBox width x x1 x2 y y1 y2";
const NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// The largest depth of nested elements. Our drawings have three levels.
const DEEPEST: usize = 12;

/// The largest depth of nested elements that is parsed. The parser calls itself for every level and would
/// overflow the stack.
const NESTED: usize = 256;

/// Returns the drawing in `text`, written again from its parsed form. Fails with a sentence if it contains
/// anything outside the allow-list.
pub fn safe_svg(text: &str) -> Result<String, String> {
    if depth(text).is_none_or(|depth| depth > NESTED) {
        return Err("it is no drawing: its elements are not closed, or are nested too deeply".to_owned());
    }
    let document = Document::parse(text).map_err(|error| format!("it is no drawing: {error}"))?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Err(format!(
            "it is no drawing: found the element '{}', expected 'svg'",
            root.tag_name().name()
        ));
    }
    let mut safe = String::with_capacity(text.len());
    copy(root, DEEPEST, &mut safe)?;
    Ok(safe)
}

/// Returns the nesting depth of a document; `None` if a tag or a comment has no end.
fn depth(text: &str) -> Option<usize> {
    let (mut rest, mut depth, mut deepest) = (text, 0_usize, 0_usize);
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let unnested = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];
        if let Some((start, end)) = unnested.into_iter().find(|(start, _)| rest.starts_with(start)) {
            rest = rest[start.len()..].split_once(end)?.1;
            continue;
        }
        // A tag ends at the first `>` that stands outside of quotes.
        let mut quote = None;
        let end = rest.find(|c| {
            match quote {
                Some(open) if open == c => quote = None,
                None if c == '"' || c == '\'' => quote = Some(c),
                _ => {}
            }
            quote.is_none() && c == '>'
        })?;
        let tag = &rest[..end];
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else {
            deepest = deepest.max(depth + 1);
            depth += usize::from(!tag.ends_with('/'));
        }
        rest = &rest[end + 1..];
    }
    Some(deepest)
}

/// Appends an element with its content to `safe`. Fails if it is unknown or nested deeper than `deepest`
/// levels.
fn copy(element: Node<'_, '_>, deepest: usize, safe: &mut String) -> Result<(), String> {
    let name = element.tag_name().name();
    let is_known = is_among(ELEMENTS, name) && element.tag_name().namespace() == Some(NAMESPACE);
    if !is_known || deepest == 0 {
        return Err(format!(
            "it has the element '{}', which our drawings do not have there",
            printable(name)
        ));
    }
    // Writing to a string cannot fail.
    let _ = write!(safe, "<{name}");
    // Only the root element declares the namespace.
    if deepest == DEEPEST {
        let _ = write!(safe, " xmlns=\"{NAMESPACE}\"");
    }
    for attribute in element.attributes() {
        let (key, value) = (attribute.name(), attribute.value());
        let is_known = attribute.namespace().is_none() && is_among(ATTRIBUTES, key);
        // A value with `url(…)` could load something from outside.
        if !is_known || value.to_ascii_lowercase().contains("url") {
            return Err(format!(
                "it has the attribute '{}', which our drawings do not have so",
                printable(key)
            ));
        }
        let _ = write!(safe, " {key}=\"{}\"", html(value));
    }
    *safe += ">";
    for child in element.children() {
        if child.is_element() {
            copy(child, deepest - 1, safe)?;
        } else if child.is_text() {
            *safe += &html(child.text().unwrap_or_default());
        }
    }
    let _ = write!(safe, "</{name}>");
    Ok(())
}

/// Returns whether `word` is one of `words`, which are separated by blanks.
fn is_among(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}

/// Returns the first 40 characters of a name, with all but printable ASCII escaped, safe for a terminal.
fn printable(name: &str) -> String {
    name.chars().take(40).flat_map(char::escape_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_figures::draw::{Chart, Kind, Look, Point, Series, png};
    use meshreplay_figures::marked_svg;

    #[test]
    fn what_runs_or_refers_is_refused() {
        let inside = |content: &str| {
            format!("<svg xmlns=\"{NAMESPACE}\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">{content}</svg>")
        };
        for (content, found) in [
            ("<script>alert(1)</script>", "'script'"),
            ("<g onload=\"alert(1)\"/>", "'onload'"),
            ("<foreignObject><p/></foreignObject>", "'foreignObject'"),
            ("<a xlink:href=\"javascript:alert(1)\"><rect/></a>", "'a'"),
            ("<rect xlink:href=\"#x\"/>", "'href'"),
            ("<rect fill=\"URL(http://a)\"/>", "'fill'"),
            ("<rect style=\"background:url(a)\"/>", "'style'"),
            ("<image href=\"http://a\"/>", "'image'"),
            ("<h:script xmlns:h=\"http://www.w3.org/1999/xhtml\">alert(1)</h:script>", "'script'"),
            ("<h:title xmlns:h=\"http://www.w3.org/1999/xhtml\"/>", "'title'"),
            (&"<g>".repeat(5000), "no drawing"),
            (&("<g a=\"/>\"><!-- </g> -->".repeat(100_000) + &"</g>".repeat(100_000)), "nested too deeply"),
            (&("<g>".repeat(40) + &"</g>".repeat(40)), "'g'"),
        ] {
            let said = safe_svg(&inside(content)).err().unwrap_or_default();
            assert!(said.contains(found), "{content}: {said}");
        }
        assert!(safe_svg("<!DOCTYPE svg [<!ENTITY a \"b\">]><svg/>").is_err());
        assert!(safe_svg("<svg onload=\"alert(1)\"><script>alert(2)</script></svg>").is_err());
        assert!(safe_svg("<html/>").is_err() && safe_svg("").is_err());
        // Text for one parser must not become an element for another one.
        let odd = "<title><![CDATA[</title><script>alert(1)</script>]]></title><!-- --><?a b?>";
        let safe = safe_svg(&inside(odd)).unwrap_or_default();
        assert!(
            safe.contains("&lt;script&gt;") && !safe.contains("<script") && !safe.contains("<!"),
            "{safe}"
        );
    }

    #[test]
    fn our_own_drawings_stay_as_they_are() -> Result<(), Box<dyn std::error::Error>> {
        let points = [1.0, 2.0, 4.0].map(|x| Point { x, y: x * x, half_width: 0.5 }).to_vec();
        let (name, look) = ("a & <b>".to_owned(), Look::default());
        let series = vec![Series { name, look, kind: Kind::Curve, points }];
        let chart = Chart { title: "t".to_owned(), series, ..Chart::default() };
        let svg = chart.draw().svg();
        assert_eq!(png(&safe_svg(&marked_svg(&svg))?, 1.0)?, png(&svg, 1.0)?);
        Ok(())
    }
}
