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
            let key = nearest(flag, own_path(flag, &setting.path));
            let class = key.and_then(|(_, key)| key.class_of(&setting.value));
            Judged { setting, key, class }
        })
        .collect()
}

/// Whether a word sets the key that `wanted` names, or one below it; where `wanted` has a value, to that value.
pub(crate) fn sets(flag: &Flag, word: &str, wanted: &str) -> bool {
    let valued = split(wanted).is_some();
    let wanted = if valued { settings(wanted) } else { settings(&format!("{wanted}=")) };
    settings(word).iter().any(|held| {
        wanted.iter().any(|wanted| {
            let same = |path: &[String]| path.starts_with(&wanted.path);
            (same(&held.path) || same(own_path(flag, &held.path))) && (!valued || held.value == wanted.value)
        })
    })
}

/// The path without the keys above it that nest.
fn own_path<'p>(flag: &Flag, mut path: &'p [String]) -> &'p [String] {
    let nesting = || flag.keys.iter().filter(|(_, key)| key.nests).map(|(pattern, _)| pattern);
    let below = |path: &'p [String]| {
        let pattern = nesting().find(|pattern| covers(pattern, path))?;
        path.get(pattern.split('.').count()..).filter(|below| !below.is_empty())
    };
    while let Some(rest) = below(path) {
        path = rest;
    }
    path
}

/// The row that covers the most of a path.
fn nearest<'a>(flag: &'a Flag, path: &[String]) -> Option<(&'a str, &'a Key)> {
    let covering = flag.keys.iter().filter(|(pattern, _)| covers(pattern, path));
    covering
        .max_by_key(|(pattern, _)| {
            let stars = pattern.split('.').filter(|&part| part == "*").count();
            (pattern.split('.').count(), usize::MAX - stars)
        })
        .map(|(pattern, key)| (pattern.as_str(), key))
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
