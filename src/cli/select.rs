//! Which of all launches and cases a run is about: filters and shards. Also: what a mistyped name may have meant.

use crate::cli::error::CliError;

/// A part of a run, for spreading it over machines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Shard {
    /// From 0.
    index: usize,
    total: usize,
}

impl Shard {
    /// Reads `I/N` with I from 1 to N.
    pub(crate) fn parse(text: &str) -> Result<Self, CliError> {
        let parts = text.split_once('/').and_then(|(index, total)| Some((number(index)?, number(total)?)));
        match parts {
            Some((index, total)) if (1..=total).contains(&index) => Ok(Self { index: index - 1, total }),
            _ => Err(CliError::Usage(format!("--shard {text} is not I/N with I from 1 to N"))),
        }
    }

    /// Reads what test runners put into the environment: the index counts from 0.
    pub(crate) fn from_runner(index: &str, total: &str) -> Result<Self, CliError> {
        match (number(index), number(total)) {
            (Some(index), Some(total)) if index < total => Ok(Self { index, total }),
            _ => Err(CliError::Usage(format!(
                "TEST_SHARD_INDEX={index} and TEST_TOTAL_SHARDS={total} name no shard: the index counts from 0"
            ))),
        }
    }
}

fn number(text: &str) -> Option<usize> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// What a run is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) filters: Vec<String>,
    pub(crate) shard: Option<Shard>,
}

impl Selection {
    /// Whether nothing is left out.
    pub(crate) fn is_everything(&self) -> bool {
        self.filters.is_empty() && self.shard.is_none()
    }

    /// Keeps what is selected of `items`, which must come in the same order every time. `place` counts the items of all
    /// calls, so that every item belongs to exactly one shard.
    pub(crate) fn keep<T>(&self, items: Vec<T>, place: &mut usize, id: impl Fn(&T) -> &str) -> Vec<T> {
        let mut kept = Vec::new();
        for item in items {
            if !self.filters.is_empty() && !self.filters.iter().any(|filter| matches(filter, id(&item))) {
                continue;
            }
            let mine = self.shard.is_none_or(|shard| *place % shard.total == shard.index);
            *place += 1;
            if mine {
                kept.push(item);
            }
        }
        kept
    }
}

/// An id is meant by itself, by a folder above it, and by a pattern in which `*` stands for any text.
fn matches(filter: &str, id: &str) -> bool {
    if !filter.contains('*') {
        let folder = filter.trim_end_matches('/');
        return id.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    }
    let mut parts = filter.split('*');
    let Some(mut rest) = parts.next().and_then(|first| id.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// `; did you mean …?` with the known names that are nearest to `word`, or nothing.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    // A comparison takes time that grows with the word; no name is that long.
    if word.len() > 200 {
        return String::new();
    }
    let inside = known.iter().copied().filter(|name| word.len() > 2 && name.contains(word));
    let mut near: Vec<&str> = similar::get_close_matches(word, &known, 3, 0.55);
    near.extend(inside);
    let mut named: Vec<String> = Vec::new();
    for name in near.into_iter().map(|name| format!("`{name}`")) {
        if !named.contains(&name) && named.len() < 4 {
            named.push(name);
        }
    }
    if named.is_empty() { String::new() } else { format!("; did you mean {}?", named.join(" or ")) }
}
