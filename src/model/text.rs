//! Which characters may reach a terminal or a reviewed file as they are, and how the others are written.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether `c` shows as itself. Control characters act on a terminal; bidirectional, zero-width and look-alike
/// space characters make a text read as something that it is not.
#[must_use]
pub fn is_plain(c: char) -> bool {
    let hidden = matches!(
        c,
        '\u{a0}'
            | '\u{ad}'
            | '\u{600}'..='\u{605}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{1680}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3000}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    !c.is_control() && !hidden
}

/// Writes every character that is not plain as `\n`, `\t` or `\u{…}`. For print, not for parsing.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            c if is_plain(c) => escaped.push(c),
            c => {
                // Writing to a string does not fail.
                let _ = write!(escaped, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(escaped)
}

/// The text as a JSON string in which nothing is hidden. A JSON parser gives it back unchanged.
#[must_use]
pub fn quote(text: &str) -> String {
    escape_json(&serde_json::Value::from(text).to_string())
}

/// Any JSON text with everything that is not plain written as `\uXXXX`, which means the same to a parser: such
/// characters stand nowhere in JSON but within strings.
#[must_use]
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_plain(c) {
            escaped.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    escaped
}
