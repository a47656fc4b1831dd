//! How a launch is written down: one fact a line, one word a line, one pattern a line, nothing twice.
//!
//! What a reviewer reads must be what runs, so words that are not plain printable text stand in JSON's quotes.

use crate::model::text::{is_plain, quote};
use crate::model::{Assessment, Launch};
use crate::policy::{Dialects, parse};

/// What stands where a section has no line. No word looks like it: one that begins with `(` is quoted.
pub(super) const NOTHING: &str = "(none)";

/// What stands where the caller's own directory is used.
pub(super) const INHERITED: &str = "(inherited)";

/// A launch is known by its argv alone, placeholders included, and that stands above already.
pub(super) const IDENTITY: &str = "identity: (the argv above)";

/// The body of the launch's snapshot. `reasons` are what people gave when they accepted it.
#[must_use]
pub fn render(launch: &Launch, dialects: &Dialects, reasons: &[String]) -> String {
    let mut lines = vec![
        format!("agent: {}", word(&launch.agent)),
        format!("program: {}", word(launch.program())),
        "arguments:".to_owned(),
    ];
    arguments(launch, dialects, &mut lines);
    lines.push(IDENTITY.to_owned());
    lines.push(format!("prompt: {}", launch.prompt.as_str()));
    lines.push(format!("completion: {}", word(launch.completion.as_str())));
    lines.push(match &launch.cwd {
        Some(cwd) => format!("working directory: {}", word(cwd)),
        None => format!("working directory: {INHERITED}"),
    });
    let set: Vec<String> = launch.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    section("environment set", &set, &mut lines);
    section("environment passed", &launch.env_from, &mut lines);
    section("files", &launch.files, &mut lines);
    section("intended grants", &launch.grants, &mut lines);
    section("never", &launch.never, &mut lines);
    lines.push(format!("sealed: {}", if launch.sealed { "yes" } else { "no" }));
    lines.push(format!("claimed boundary: {}", launch.boundary.as_str()));
    lines.extend(measured(&launch.assessment));
    lines.extend(reasons.iter().map(|reason| format!("reason: {}", word(reason))));
    let mut body = lines.join("\n");
    body.push('\n');
    body
}

fn measured(assessment: &Assessment) -> Vec<String> {
    let mut lines = vec![format!("measured: {}", word(&assessment.in_words()))];
    lines.extend(assessment.notes.iter().map(|note| format!("measured note: {}", word(note))));
    lines
}

fn section(title: &str, items: &[String], lines: &mut Vec<String>) {
    if items.is_empty() {
        lines.push(format!("{title}: {NOTHING}"));
        return;
    }
    lines.push(format!("{title}:"));
    lines.extend(items.iter().map(|item| format!("  {}", word(item))));
}

/// A pattern list that could be cut in another way, or that does not give its word back exactly, is written as one
/// word: a reader must not be shown patterns that the agent would not see.
fn arguments(launch: &Launch, dialects: &Dialects, lines: &mut Vec<String>) {
    let lists = dialects
        .get(&launch.agent)
        .map(|dialect| parse(dialect, &launch.argv).pattern_lists(dialect))
        .unwrap_or_default();
    for (at, text) in launch.argv.iter().enumerate().skip(1) {
        let list = lists.iter().find(|list| list.word == at).filter(|list| {
            let patterns = &list.patterns;
            let separator = patterns.separator.to_string();
            patterns.certain
                && !text.is_empty()
                && format!("{}{}", list.prefix, patterns.patterns.join(&separator)) == *text
        });
        match list {
            Some(list) => {
                let after = match list.prefix.as_str() {
                    "" => String::new(),
                    prefix => format!(" after {}", quote(prefix)),
                };
                let separator = quote(&list.patterns.separator.to_string());
                lines.push(format!("  (a list{after}, separated by {separator})"));
                lines.extend(list.patterns.patterns.iter().map(|pattern| format!("    {}", word(pattern))));
            }
            None => lines.push(format!("  {}", word(text))),
        }
    }
}

/// A text as it stands in a snapshot: itself where that is plain, else a JSON string.
pub(super) fn word(text: &str) -> String {
    let itself = !text.is_empty()
        && !text.starts_with(['"', '(', ' '])
        && !text.ends_with(' ')
        && text.chars().all(is_plain);
    if itself { text.to_owned() } else { quote(text) }
}
