//! `key=value` words: what they set, however the key is quoted and the value is written.

use crate::policy::dialect::{Class, Flag, Key};

/// One key that a word sets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Setting {
    /// The key's parts, without quotes and white space.
    pub path: Vec<String>,
    /// The value as TOML writes it, strings without quotes.
    pub value: String,
}

/// What the table says about a setting.
pub(crate) struct Judged<'a> {
    /// The setting.
    pub(crate) setting: Setting,
    /// The row that decides, if there is one.
    pub(crate) key: Option<(&'a str, &'a Key)>,
    /// The class; `None` when no row or no value is known.
    pub(crate) class: Option<Class>,
}

/// Everything that `key=value` may set. A table as the value counts as one setting for each key in it. Where the
/// key can be read in two ways, because an agent that does not know quotes cuts at every dot, both are given.
#[must_use]
pub fn settings(word: &str) -> Vec<Setting> {
    let Some((key, value)) = split(word) else { return Vec::new() };
    let mut paths = vec![parts(key, true)];
    let naive = parts(key, false);
    if !paths.contains(&naive) {
        paths.push(naive);
    }
    let value = read(value);
    let mut found = Vec::new();
    for path in paths {
        spread(path, &value, &mut found);
    }
    found
}

/// Every setting of a word, each with the row that decides: the one with the most parts, and among those the one
/// with the fewest `*`.
pub(crate) fn judge<'a>(flag: &'a Flag, word: &str) -> Vec<Judged<'a>> {
    settings(word)
        .into_iter()
        .map(|setting| {
            let key = row(flag, &setting.path);
            let class = key.and_then(|(_, key)| key.class_of(&setting.value));
            Judged { setting, key, class }
        })
        .collect()
}

/// The row that decides. Below a row that nests, the rest of the path is a path of its own.
fn row<'a>(flag: &'a Flag, mut path: &[String]) -> Option<(&'a str, &'a Key)> {
    loop {
        let (pattern, key) =
            flag.keys.iter().filter(|(pattern, _)| covers(pattern, path)).max_by_key(|(pattern, _)| {
                let stars = pattern.split('.').filter(|&part| part == "*").count();
                (pattern.split('.').count(), usize::MAX - stars)
            })?;
        match path.get(pattern.split('.').count()..) {
            Some(below) if key.nests && !below.is_empty() => path = below,
            _ => return Some((pattern, key)),
        }
    }
}

/// The key and the value. A `=` inside quotes belongs to the key, unless that leaves no value at all.
fn split(word: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    for (at, c) in word.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == '=' => return Some((&word[..at], &word[at + 1..])),
            None => {}
        }
    }
    word.split_once('=')
}

/// The parts of a dotted key; a dot inside quotes belongs to its part where quotes are known.
fn parts(key: &str, quotes: bool) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in key.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if quotes && (c == '"' || c == '\'') => quote = Some(c),
            None if c == '.' => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.iter().map(|part| unquote(part.trim())).collect()
}

/// A part of a key without its quotes, TOML's escapes read.
fn unquote(part: &str) -> String {
    match read(part) {
        toml::Value::String(text) => text,
        _ => part.trim_matches(['"', '\'']).trim().to_owned(),
    }
}

/// A value as TOML; what is no TOML is a bare string.
fn read(text: &str) -> toml::Value {
    let text = text.trim();
    let bare = || toml::Value::String(text.trim_matches(['"', '\'']).to_owned());
    // A line feed would let a value add keys of its own to the document that it is read in.
    if text.contains(['\n', '\r']) {
        return bare();
    }
    toml::from_str::<toml::Table>(&format!("value = {text}"))
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(bare)
}

fn spread(path: Vec<String>, value: &toml::Value, found: &mut Vec<Setting>) {
    match value {
        toml::Value::Table(table) if !table.is_empty() => {
            for (key, value) in table {
                let mut below = path.clone();
                below.push(key.clone());
                spread(below, value, found);
            }
        }
        toml::Value::String(text) => found.push(Setting { path, value: text.clone() }),
        other => found.push(Setting { path, value: other.to_string() }),
    }
}

fn covers(pattern: &str, path: &[String]) -> bool {
    let mut path = path.iter();
    pattern.split('.').all(|part| path.next().is_some_and(|word| part == "*" || part == word))
}
