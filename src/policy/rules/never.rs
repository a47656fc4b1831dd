//! Words and patterns that the launch itself forbids, under every spelling of the flag that they name.

use crate::policy::code::Code;
use crate::policy::flags::{Context, Findings};
use crate::policy::parse::FlagUse;
use crate::policy::quote::quote;

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let lists = context.parsed.pattern_lists(context.dialect);
    for never in &context.launch.never {
        // `--flag value` and `--flag=value` forbid the value only.
        let (name, value) = match never.split_once([' ', '=']) {
            Some((name, value)) if context.dialect.flag(name).is_some() => (name, Some(value.trim())),
            _ => (never.as_str(), None),
        };
        let Some(flag) = context.dialect.flag(name) else {
            for (index, word) in context.launch.argv.iter().enumerate() {
                let attached = word.strip_prefix(never.as_str()).is_some_and(|rest| rest.starts_with('='));
                let listed = lists.iter().filter(|list| list.word == index);
                let pattern =
                    listed.flat_map(|list| &list.patterns.patterns).any(|held| held.trim() == never);
                if word == never || attached || pattern {
                    add(findings, index, word, never);
                }
            }
            continue;
        };
        let named =
            |usage: &&FlagUse| value.is_none_or(|value| usage.values.iter().any(|held| held.text == value));
        for usage in context.parsed.uses_of(flag).filter(named) {
            add(findings, usage.word, context.word(usage.word), never);
        }
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
