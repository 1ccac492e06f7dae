//! Reads JSON in pieces, as a stream of events, without holding the text or a tree of it.
//!
//! A piece may end anywhere: within a number, a string or an escape. Memory holds the open brackets and one
//! string.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "positions in a text; four hexadecimal digits fit 16 bits"
)]

use memchr::memchr2;

/// One event of a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Event<'a> {
    /// An object begins.
    Object,
    /// A list begins.
    List,
    /// The last object or list that began, ends.
    End,
    /// The name of the member that comes next.
    Key(&'a [u8]),
    /// A string.
    Text(&'a [u8]),
    /// A number, `true`, `false` or `null`, verbatim.
    Plain(&'a [u8]),
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A value; in the flagged case also the end of the list.
    Value {
        may_end: bool,
    },
    /// A key; in the flagged case also the end of the object.
    Key {
        may_end: bool,
    },
    Colon,
    /// A comma or the end of what is open.
    After,
    /// The rest of a string, which may be a key.
    String {
        is_key: bool,
    },
    /// The character after a backslash.
    Escape {
        is_key: bool,
    },
    /// The rest of `\uXXXX`, with the digits read and their value.
    Unicode {
        is_key: bool,
        digits: u8,
        value: u16,
    },
    /// The rest of a number or a word.
    Plain,
}

/// Greatest nesting depth. Slurm's output has about ten levels.
const DEPTH: usize = 64;

/// The state of a JSON text that is being read. Several texts may follow each other.
pub(in crate::formats) struct JsonText {
    state: State,
    /// Open brackets: true for an object, false for a list.
    open: Vec<bool>,
    /// Start of a string or number that continues in the next piece, or a string with escapes.
    token: Vec<u8>,
    /// High surrogate of a `\u` pair; 0 if none is pending.
    high: u16,
    has_begun: bool,
}

impl JsonText {
    /// Makes the state before a text.
    pub(in crate::formats) fn new() -> Self {
        let state = State::Value { may_end: false };
        Self { state, open: Vec::new(), token: Vec::new(), high: 0, has_begun: false }
    }

    /// Returns whether the text is whole: something was read and nothing is open.
    pub(in crate::formats) fn is_whole(&self) -> bool {
        self.has_begun && self.open.is_empty() && self.state == State::Value { may_end: false }
    }

    /// Reads a piece and calls `take` with each event. The error describes the fault in the JSON. O(length of
    /// the piece).
    pub(in crate::formats) fn push(
        &mut self,
        piece: &[u8],
        take: &mut impl FnMut(Event),
    ) -> Result<(), &'static str> {
        let mut rest = piece;
        while let [byte, after @ ..] = rest {
            match self.state {
                State::String { is_key } => rest = self.string(rest, is_key, take),
                State::Escape { is_key } => {
                    self.escape(*byte, is_key)?;
                    rest = after;
                }
                State::Unicode { is_key, digits, value } => {
                    self.unicode(*byte, is_key, digits, value)?;
                    rest = after;
                }
                State::Plain => rest = self.plain(rest, take)?,
                _ if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => rest = after,
                _ => {
                    self.has_begun = true;
                    if !self.mark(*byte, take)? {
                        self.state = State::Plain;
                        continue;
                    }
                    rest = after;
                }
            }
        }
        Ok(())
    }

    /// Takes a byte between strings and numbers. The result is false if a number or a word begins with it.
    fn mark(&mut self, byte: u8, take: &mut impl FnMut(Event)) -> Result<bool, &'static str> {
        match (self.state, byte) {
            (State::Value { .. }, b'{') => self.begin(true, take)?,
            (State::Value { .. }, b'[') => self.begin(false, take)?,
            (State::Value { .. }, b'"') => self.state = State::String { is_key: false },
            (State::Key { .. }, b'"') => self.state = State::String { is_key: true },
            (State::Value { may_end: true }, b']') | (State::Key { may_end: true }, b'}') => self.end(take),
            (State::After, b',') => {
                let is_object = self.open.last() == Some(&true);
                self.state =
                    if is_object { State::Key { may_end: false } } else { State::Value { may_end: false } };
            }
            (State::After, b'}') if self.open.last() == Some(&true) => self.end(take),
            (State::After, b']') if self.open.last() == Some(&false) => self.end(take),
            (State::Colon, b':') => self.state = State::Value { may_end: false },
            (State::Value { .. }, b'-' | b'0'..=b'9' | b't' | b'f' | b'n') if !self.open.is_empty() => {
                return Ok(false);
            }
            (State::Value { .. }, _) => return Err("a value was expected"),
            (State::Key { .. }, _) => return Err("a key in quotes was expected"),
            (State::Colon, _) => return Err("a colon after a key was expected"),
            _ => return Err("a comma or a closing bracket was expected"),
        }
        Ok(true)
    }

    /// Opens an object or a list.
    fn begin(&mut self, is_object: bool, take: &mut impl FnMut(Event)) -> Result<(), &'static str> {
        if self.open.len() == DEPTH {
            return Err("more than 64 brackets within each other");
        }
        self.open.push(is_object);
        self.state = if is_object { State::Key { may_end: true } } else { State::Value { may_end: true } };
        take(if is_object { Event::Object } else { Event::List });
        Ok(())
    }

    /// Closes what is open.
    fn end(&mut self, take: &mut impl FnMut(Event)) {
        self.open.pop();
        self.state = self.after_value();
        take(Event::End);
    }

    /// Returns the state after a value: a new text may begin if nothing is open.
    fn after_value(&self) -> State {
        if self.open.is_empty() { State::Value { may_end: false } } else { State::After }
    }

    /// Reads on in a string and returns what is left of `text`. A string that lies within the piece and has
    /// no escapes is not copied.
    fn string<'a>(&mut self, text: &'a [u8], is_key: bool, take: &mut impl FnMut(Event)) -> &'a [u8] {
        let Some(at) = memchr2(b'"', b'\\', text) else {
            self.token.extend_from_slice(text);
            return &[];
        };
        if text[at] == b'\\' {
            self.token.extend_from_slice(&text[..at]);
            self.state = State::Escape { is_key };
            return &text[at + 1..];
        }
        let whole = if self.token.is_empty() {
            &text[..at]
        } else {
            self.token.extend_from_slice(&text[..at]);
            self.token.as_slice()
        };
        take(if is_key { Event::Key(whole) } else { Event::Text(whole) });
        self.token.clear();
        self.state = if is_key { State::Colon } else { self.after_value() };
        &text[at + 1..]
    }

    /// Takes the character after a backslash.
    fn escape(&mut self, byte: u8, is_key: bool) -> Result<(), &'static str> {
        self.state = State::String { is_key };
        let plain = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                self.state = State::Unicode { is_key, digits: 0, value: 0 };
                return Ok(());
            }
            _ => return Err("an unknown escape in a string"),
        };
        self.token.push(plain);
        Ok(())
    }

    /// Takes a digit of `\uXXXX`. Characters beyond 16 bits come in two halves (UTF-16); a half alone is
    /// replaced.
    fn unicode(&mut self, byte: u8, is_key: bool, digits: u8, value: u16) -> Result<(), &'static str> {
        let digit = char::from(byte).to_digit(16).ok_or("four hexadecimal digits after \\u were expected")?;
        let value = value << 4 | digit as u16;
        if digits < 3 {
            self.state = State::Unicode { is_key, digits: digits + 1, value };
            return Ok(());
        }
        self.state = State::String { is_key };
        if (0xD800..0xDC00).contains(&value) {
            self.high = value;
            return Ok(());
        }
        let units = [std::mem::take(&mut self.high), value];
        let units = if units[0] == 0 { &units[1..] } else { &units[..] };
        let spelt: String =
            char::decode_utf16(units.iter().copied()).map(|c| c.unwrap_or('\u{fffd}')).collect();
        self.token.extend_from_slice(spelt.as_bytes());
        Ok(())
    }

    /// Reads on in a number or a word and returns what is left of `text`.
    fn plain<'a>(&mut self, text: &'a [u8], take: &mut impl FnMut(Event)) -> Result<&'a [u8], &'static str> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-');
        let length = text.iter().take_while(|byte| is_part(byte)).count();
        self.token.extend_from_slice(&text[..length]);
        if length == text.len() {
            return Ok(&[]);
        }
        let is_word = matches!(self.token.as_slice(), b"true" | b"false" | b"null");
        if !is_word && !matches!(self.token.as_slice(), [b'-', b'0'..=b'9', ..] | [b'0'..=b'9', ..]) {
            return Err("a value was expected");
        }
        take(Event::Plain(&self.token));
        self.token.clear();
        self.state = self.after_value();
        Ok(&text[length..])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a text in pieces of `step` bytes and writes down its events.
    fn events(text: &[u8], step: usize) -> Result<(String, bool), &'static str> {
        let (mut json, mut said) = (JsonText::new(), String::new());
        for piece in text.chunks(step) {
            json.push(piece, &mut |event| {
                let word = match event {
                    Event::Object => "{ ".to_owned(),
                    Event::List => "[ ".to_owned(),
                    Event::End => "end ".to_owned(),
                    Event::Key(key) => format!("{}: ", String::from_utf8_lossy(key)),
                    Event::Text(text) => format!("'{}' ", String::from_utf8_lossy(text)),
                    Event::Plain(text) => format!("{} ", String::from_utf8_lossy(text)),
                };
                said += &word;
            })?;
        }
        Ok((said, json.is_whole()))
    }

    #[test]
    fn events_do_not_depend_on_the_pieces() {
        let text = br#" {"a": [1, -2.5e3, true, null, [], {}], "b\"\\\/\n\u00e4\ud83d\ude00\ud83d": "}x{", "": {"c":false}}
            {"d":""}"#;
        let expected = "{ a: [ 1 -2.5e3 true null [ end { end end b\"\\/\n\u{e4}\u{1f600}: '}x{' : { c: \
             false end end { d: '' end ";
        for step in 1..=text.len() {
            assert_eq!(events(text, step), Ok((expected.to_owned(), true)), "pieces of {step}");
        }
    }

    #[test]
    fn malformed_texts_say_what_was_expected() {
        for (text, expected) in [
            ("{1", "a key in quotes was expected"),
            ("{\"a\" 1", "a colon after a key was expected"),
            ("{\"a\": }", "a value was expected"),
            ("{\"a\": 1 2", "a comma or a closing bracket was expected"),
            ("{\"a\": 1]", "a comma or a closing bracket was expected"),
            ("[1}", "a comma or a closing bracket was expected"),
            ("[1,]", "a value was expected"),
            ("{\"a\": nil,", "a value was expected"),
            ("[\"\\x", "an unknown escape in a string"),
            ("[\"\\u12g", "four hexadecimal digits"),
            ("<html>", "a value was expected"),
            ("}", "a value was expected"),
        ] {
            let found = events(text.as_bytes(), 1).expect_err(text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
        assert!(events("[".repeat(65).as_bytes(), 9).is_err());
        for open in ["", "{", "{\"a", "[1", "{\"a\":{}"] {
            assert_eq!(events(open.as_bytes(), 9).map(|(_, is_whole)| is_whole), Ok(false), "{open}");
        }
    }

    proptest! {
        #[test]
        fn whatever_serde_writes_is_read(
            texts in proptest::collection::vec(any::<String>(), 0..6),
            step in 1_usize..9,
        ) {
            let value = serde_json::json!({"texts": texts, "more": [{"n": 1.5}, null]});
            let expected = texts.iter().fold(String::new(), |words, text| words + "'" + text + "' ");
            let expected = format!("{{ more: [ {{ n: 1.5 end null end texts: [ {expected}end end ");
            for text in [value.to_string(), serde_json::to_string_pretty(&value).expect("text")] {
                prop_assert_eq!(events(text.as_bytes(), step), Ok((expected.clone(), true)));
            }
        }

        #[test]
        fn nothing_panics(text in "[\\[\\]{}:,\"a0\\\\u ]{0,30}", step in 1_usize..9) {
            let whole = events(text.as_bytes(), 99);
            prop_assert_eq!(events(text.as_bytes(), step), whole);
        }
    }
}
