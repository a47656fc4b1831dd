//! Words and patterns that the launch itself forbids, under every spelling of the flag that they name.

use crate::model::{Launch, Severity};
use crate::policy::code::Code;
use crate::policy::dialect::{Flag, Takes};
use crate::policy::flags::{Context, Findings};
use crate::policy::keys;
use crate::policy::parse::FlagUse;
use crate::policy::patterns::Patterns;
use crate::policy::quote::quote;

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let lists = context.parsed.pattern_lists(context.dialect);
    blank(context.launch, findings);
    for never in context.launch.never.iter().map(|never| never.trim()).filter(|never| !never.is_empty()) {
        // `--flag value` and `--flag=value` forbid the value only.
        let (name, value) = match never.split_once([' ', '=']) {
            Some((name, value)) if context.dialect.flag(name).is_some() => (name, Some(value.trim())),
            _ => (never, None),
        };
        let Some(flag) = context.dialect.flag(name) else {
            for (index, word) in context.launch.argv.iter().enumerate() {
                let attached = word.strip_prefix(never).is_some_and(|rest| rest.starts_with('='));
                let listed = lists.iter().filter(|list| list.word == index);
                let pattern =
                    listed.flat_map(|list| &list.patterns.patterns).any(|held| held.trim() == never);
                if word == never || attached || pattern {
                    add(findings, index, word, never);
                }
            }
            continue;
        };
        let named = |usage: &&FlagUse| {
            value.is_none_or(|value| usage.values.iter().any(|held| holds(flag, &held.text, value)))
        };
        for usage in context.parsed.uses_of(flag).filter(named) {
            add(findings, usage.word, context.word(usage.word), never);
        }
    }
}

/// Whether the value that a flag has is, sets or lists the forbidden one.
fn holds(flag: &Flag, held: &str, never: &str) -> bool {
    match flag.takes() {
        _ if held == never => true,
        Some(Takes::KeyValues) => keys::sets(flag, held, never),
        Some(Takes::Patterns) => {
            let held = Patterns::split(held, flag.separator).patterns;
            let never = Patterns::split(never, flag.separator).patterns;
            let mut named = never.iter().map(|pattern| pattern.trim()).filter(|pattern| !pattern.is_empty());
            named.any(|pattern| held.iter().any(|held| held.trim() == pattern))
        }
        _ => false,
    }
}

/// A blank entry forbids nothing, and whoever wrote it meant something.
pub(crate) fn blank(launch: &Launch, findings: &mut Findings<'_>) {
    for never in launch.never.iter().filter(|never| never.trim().is_empty()) {
        let message = format!("{} under `never` forbids nothing: it is blank", quote(never));
        let fix = "Name the word, or take the entry out.";
        findings.add_as(Code::NeverWord, Severity::Warning, None, never, message, fix);
    }
}

fn add(findings: &mut Findings<'_>, index: usize, word: &str, never: &str) {
    let message = if word == never {
        format!("{} must never stand in this launch", quote(word))
    } else if word.contains(never) {
        format!("{} holds {}, which must never stand in this launch", quote(word), quote(never))
    } else {
        format!("{} is {}, which must never stand in this launch", quote(word), quote(never))
    };
    findings.add(Code::NeverWord, Some(index), word, message);
}
