//! Texts with placeholders for variables: `{allocator}, load {load}`, `{lead:.1} percent`, `at {*medium}`.

use std::fmt;

use serde::Deserialize;

/// A text with variables between braces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Template(pub(super) Vec<Piece>);

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text without variables.
    Text(String),
    /// `{name}` or `{name:.2}`: the value of a variable, with this many decimals if a number is given.
    Variable(String, Option<usize>),
    /// `{*set}`: the values of a set, separated by commas.
    Values(String),
}

/// The error that a text is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}': {problem}")]
pub(crate) struct TemplateError {
    text: String,
    problem: &'static str,
}

impl TryFrom<String> for Template {
    type Error = TemplateError;

    fn try_from(text: String) -> Result<Self, TemplateError> {
        Self::parse(&text)
    }
}

impl Template {
    /// Returns the template that is only this text. An expression uses it for the name of a variable.
    pub(super) fn variable(name: &str) -> Self {
        Self(vec![Piece::Text(name.to_owned())])
    }

    /// Returns the template in a text. Every brace must be closed, and a colon must be followed by the number of
    /// decimals.
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let error = |problem| TemplateError { text: text.to_owned(), problem };
        let (mut pieces, mut rest) = (Vec::new(), text);
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind.split_once('}').ok_or_else(|| error("a brace is not closed"))?;
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(match (name.strip_prefix('*'), name.split_once(":.")) {
                (Some(set), _) => Piece::Values(set.to_owned()),
                (None, None) => Piece::Variable(name.to_owned(), None),
                (None, Some((name, digits))) => {
                    let digits =
                        digits.parse().map_err(|_| error("behind ':.' stands no number of digits"))?;
                    Piece::Variable(name.to_owned(), Some(digits))
                }
            });
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Variable(name, None) => write!(f, "{{{name}}}"),
            Piece::Variable(name, Some(digits)) => write!(f, "{{{name}:.{digits}}}"),
            Piece::Values(set) => write!(f, "{{*{set}}}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_shown_as_it_was_written() {
        for text in ["", "no variable", "{a}", "{a} by {b:.2}, at {*medium}!"] {
            assert_eq!(Template::parse(text).map(|template| template.to_string()).as_deref(), Ok(text));
        }
        for text in ["{a", "{a:.x}"] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
