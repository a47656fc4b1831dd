//! Hostile text in print: argv words, file names and agents' output reach a terminal only through here.

use std::borrow::Cow;

use crate::model::text;

/// One line of text in which every character that is not plain is written out.
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    text::escape(text)
}

/// The same for a text of several lines, whose line feeds stay.
#[must_use]
pub fn escape_lines(text: &str) -> String {
    text.split('\n').map(text::escape).collect::<Vec<_>>().join("\n")
}

/// The text escaped and, when it is longer than `most` characters, cut in the middle with the length said.
#[must_use]
pub fn shorten(text: &str, most: usize) -> String {
    // Escaping can only lengthen, so a text that is too long already need not be escaped whole.
    let count = text.chars().take(most + 1).count();
    if count <= most {
        let escaped = text::escape(text);
        if escaped.chars().count() <= most * 2 {
            return escaped.into_owned();
        }
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = {
        let reversed: Vec<char> = text.chars().rev().take(most / 4).collect();
        reversed.into_iter().rev().collect()
    };
    format!("{}…[{} bytes]…{}", text::escape(&head), text.len(), text::escape(&tail))
}
