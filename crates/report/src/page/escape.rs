//! Escapes text and JSON for HTML pages.

/// Returns `text` escaped for the content of an HTML element or for an attribute.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns JSON escaped for a script element. A browser ends such an element at the first `</`, even within a
/// string.
pub(super) fn json(text: &str) -> String {
    text.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_its_element() {
        assert_eq!(html("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
        assert_eq!(json("\"</script>\""), "\"\\u003c/script>\"");
    }
}
