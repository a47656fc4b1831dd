//! Reads a snapshot file back: insta's front matter, then the body. Says at which line a file is corrupt.

use thiserror::Error;

use crate::snapshot::render::{IDENTITY, INHERITED, NOTHING, word};

const FENCE: &str = "---";

/// The keys that a line `key: value` may have.
const VALUES: [&str; 10] = [
    "agent",
    "program",
    "prompt",
    "completion",
    "working directory",
    "sealed",
    "claimed boundary",
    "measured",
    "measured note",
    "reason",
];

/// The titles that a section may have.
const SECTIONS: [&str; 6] =
    ["arguments", "environment set", "environment passed", "files", "intended grants", "never"];

/// A snapshot file that was read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Snapshot {
    body: String,
    argv: Vec<String>,
    reasons: Vec<String>,
}

/// A snapshot file that cannot be read.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("line {line}: {message}")]
pub struct Corrupt {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl Snapshot {
    /// The text of a snapshot file.
    #[must_use]
    pub fn to_file(launch: &str, body: &str) -> String {
        format!("{FENCE}\nsource: argvow\nexpression: {}\n{FENCE}\n{body}", word(launch))
    }

    /// Reads a snapshot file.
    ///
    /// # Errors
    ///
    /// The first line that no snapshot has.
    pub fn from_file(text: &str) -> Result<Self, Corrupt> {
        let text = text.replace("\r\n", "\n");
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, line)| line.trim_end()) != Some(FENCE) {
            return Err(corrupt(0, "a snapshot begins with `---`"));
        }
        for (at, line) in lines.by_ref() {
            if line.trim_end() == FENCE {
                return Self::from_lines(lines);
            }
            // What insta itself writes there differs by version: only that these are `key: value` matters.
            if !line.contains(':') {
                return Err(corrupt(at, "the part between the two `---` holds lines like `key: value`"));
            }
        }
        Err(corrupt(text.lines().count(), "the second `---` is missing"))
    }

    /// Reads a body alone.
    ///
    /// # Errors
    ///
    /// The first line that no snapshot has.
    pub fn from_body(body: &str) -> Result<Self, Corrupt> {
        Self::from_lines(body.lines().enumerate())
    }

    fn from_lines<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Result<Self, Corrupt> {
        let mut body = String::new();
        let mut program = None;
        let mut words = Vec::new();
        let mut reasons = Vec::new();
        let mut section = "";
        let mut list: Option<List> = None;
        let mut last = 0;
        for (at, line) in lines {
            last = at;
            body.push_str(line);
            body.push('\n');
            if let Some(item) = line.strip_prefix("    ") {
                let pattern = unword(at, item)?;
                match &mut list {
                    Some(list) => list.patterns.push(pattern),
                    None => return Err(corrupt(at, "no list stands above this line")),
                }
                continue;
            }
            words.extend(list.take().map(List::word));
            if let Some(item) = line.strip_prefix("  ") {
                match section {
                    "" => return Err(corrupt(at, "no section stands above this line")),
                    "arguments" if item.starts_with('(') => list = Some(List::open(at, item)?),
                    "arguments" => words.push(unword(at, item)?),
                    _ => drop(unword(at, item)?),
                }
            } else if let Some(title) = line.strip_suffix(':').filter(|title| SECTIONS.contains(title)) {
                section = title;
            } else if is_fixed(line) {
                section = "";
            } else if let Some((key, value)) = line.split_once(": ").filter(|(key, _)| VALUES.contains(key)) {
                section = "";
                let value = unword(at, value)?;
                match key {
                    "program" => program = Some(value),
                    "reason" => reasons.push(value),
                    _ => {}
                }
            } else {
                return Err(corrupt(at, "no snapshot has such a line"));
            }
        }
        words.extend(list.take().map(List::word));
        let program = program.ok_or_else(|| corrupt(last, "the line `program: …` is missing"))?;
        words.insert(0, program);
        // An editor's empty line at the end is no change.
        let body = format!("{}\n", body.trim_end_matches('\n'));
        Ok(Self { body, argv: words, reasons })
    }

    /// The reasons in a text that is no whole snapshot: every line that is one.
    #[must_use]
    pub fn reasons_in(text: &str) -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("reason: "));
        lines.filter_map(|value| unword(0, value).ok()).collect()
    }

    /// The body: what was reviewed.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The argv that the body tells of, program first.
    #[must_use]
    pub fn argv(&self) -> &[String] {
        &self.argv
    }

    /// The reasons given so far, oldest first.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}

struct List {
    prefix: String,
    separator: String,
    patterns: Vec<String>,
}

impl List {
    fn open(at: usize, item: &str) -> Result<Self, Corrupt> {
        let fault = || corrupt(at, "a list begins with `(a list, separated by \",\")`");
        let mut rest = item.strip_prefix("(a list").ok_or_else(fault)?;
        let mut prefix = String::new();
        if let Some(after) = rest.strip_prefix(" after ") {
            (prefix, rest) = leading_string(after).ok_or_else(fault)?;
        }
        let rest = rest.strip_prefix(", separated by ").ok_or_else(fault)?;
        let (separator, rest) = leading_string(rest).ok_or_else(fault)?;
        if rest == ")" { Ok(Self { prefix, separator, patterns: Vec::new() }) } else { Err(fault()) }
    }

    fn word(self) -> String {
        format!("{}{}", self.prefix, self.patterns.join(&self.separator))
    }
}

/// The JSON string that `text` begins with, and what follows it.
fn leading_string(text: &str) -> Option<(String, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let value = stream.next()?.ok()?;
    text.get(stream.byte_offset()..).map(|rest| (value, rest))
}

/// Whether a line says that there is nothing to say.
fn is_fixed(line: &str) -> bool {
    let rest = |key: &str, value: &str| {
        line.strip_prefix(key).and_then(|rest| rest.strip_prefix(": ")) == Some(value)
    };
    line.is_empty()
        || line == IDENTITY
        || rest("working directory", INHERITED)
        || SECTIONS.iter().any(|title| rest(title, NOTHING))
}

fn unword(at: usize, text: &str) -> Result<String, Corrupt> {
    if text.starts_with('"') {
        return serde_json::from_str(text).map_err(|_| corrupt(at, "the quoted text is not a JSON string"));
    }
    if word(text) != text {
        return Err(corrupt(at, "this text must stand in quotes"));
    }
    Ok(text.to_owned())
}

fn corrupt(at: usize, message: &str) -> Corrupt {
    Corrupt { line: at + 1, message: message.to_owned() }
}
