//! Flags, values and keys that give the boundary away, under every spelling.

use crate::policy::code::Code;
use crate::policy::dialect::{Class, Dialect, Dialects, Takes};
use crate::policy::flags::{Context, Findings};
use crate::policy::keys;
use crate::policy::parse::{FlagUse, TailKind, Word};
use crate::policy::quote::{clause, quote};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    for usage in &context.parsed.uses {
        known(context, usage, findings);
    }
    // Where no word is the program, any of them may be what a wrapper runs.
    let wrapped = context.parsed.program().is_none();
    for (index, word) in context.parsed.words.iter().enumerate() {
        let text = context.word(index);
        match word {
            Word::Flag(flags) => {
                for part in flags.parts.iter().filter(|part| part.usage.is_none()) {
                    if let Some(message) = unknown(context, &part.spelling, text) {
                        findings.add(Code::ForbiddenFlag, Some(index), text, message);
                    }
                }
            }
            // A wrapper may hold a whole command line of its own: `sh -c "claude --flag"`.
            _ if matches!(word, Word::Wrapper(_)) || wrapped => {
                let names = text.split(|c: char| c.is_whitespace() || "'\"`;&|()".contains(c)).map(name_of);
                if let Some(message) = names.into_iter().find_map(|name| unknown(context, name, text)) {
                    findings.add(Code::ForbiddenFlag, Some(index), text, message);
                }
            }
            _ => {}
        }
    }
}

/// What is wrong with a word that is a forbidden flag of some other agent than `agent`.
pub(crate) fn elsewhere(dialects: &Dialects, agent: &str, word: &str) -> Option<String> {
    let name = name_of(word);
    dialects.iter().filter(|other| other.id() != agent).find_map(|other| {
        let (flag, form) = spelled(other, name)?;
        Some(format!(
            "{} is unknown to {} and{form} gives the boundary away in {}: {}",
            quote(word),
            quote(agent),
            other.name(),
            clause(flag)
        ))
    })
}

fn name_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

/// A flag that the dialect forbids in every use, spelled as it is or negated, and why.
fn spelled<'a>(dialect: &'a Dialect, name: &str) -> Option<(&'a str, &'static str)> {
    if let Some(flag) = dialect.forbidden_flag(name) {
        return Some((flag.why(), ""));
    }
    let negated = name.strip_prefix("--no-").map(|rest| format!("--{rest}"))?;
    dialect.forbidden_flag(&negated).map(|flag| (flag.why(), ", without its `no-`,"))
}

/// A word that the agent does not know but that is a forbidden flag negated, or of another agent.
fn unknown(context: &Context<'_>, name: &str, word: &str) -> Option<String> {
    match spelled(context.dialect, name) {
        Some((why, "")) => Some(format!("{} gives the boundary away: {}", quote(word), clause(why))),
        Some((why, _)) => Some(format!(
            "{} names a flag that gives the boundary away, in a form that {} {} does not know: {}",
            quote(word),
            context.dialect.name(),
            context.dialect.version(),
            clause(why)
        )),
        None => elsewhere(context.dialects, context.dialect.id(), name),
    }
}

fn known(context: &Context<'_>, usage: &FlagUse, findings: &mut Findings<'_>) {
    let Some(flag) = context.dialect.flag(&usage.flag) else { return };
    let word = context.word(usage.word);
    if flag.class() == Class::Forbidden {
        let text = text_of(context, usage);
        let refused = matches!(
            &context.parsed.words[usage.word],
            Word::Flag(flags) if flags.tail.as_ref().is_some_and(|tail| tail.kind == TailKind::Refused)
        );
        let form = if refused {
            format!(", in a form that {} {} refuses", context.dialect.name(), context.dialect.version())
        } else {
            String::new()
        };
        let alias = if word.contains(flag.canonical()) || usage.spelling == flag.canonical() {
            String::new()
        } else {
            format!(" ({} is another name of it)", quote(flag.canonical()))
        };
        let message =
            format!("{} gives the boundary away{form}{alias}: {}", quote(&text), clause(flag.why()));
        return findings.add(Code::ForbiddenFlag, Some(usage.word), &text, message);
    }
    for value in &usage.values {
        let text =
            if value.attached { word.to_owned() } else { format!("{word} {}", context.word(value.word)) };
        if flag.takes() == Some(Takes::KeyValues) {
            for judged in keys::judge(flag, &value.text) {
                if let (Some((_, key)), Some(Class::Forbidden)) = (judged.key, judged.class) {
                    let message = format!(
                        "{} gives the boundary away by {}: {}",
                        quote(&text),
                        quote(&judged.setting.path.join(".")),
                        clause(key.why())
                    );
                    findings.add(Code::ForbiddenFlag, Some(usage.word), &text, message);
                    break;
                }
            }
            continue;
        }
        // Commander leaves the `=` of `-X=value` in the value, and nobody should rely on that.
        let stripped = value.text.strip_prefix('=').unwrap_or(&value.text);
        if [value.text.as_str(), stripped].iter().any(|text| flag.class_of(text) == Some(Class::Forbidden)) {
            let message = format!(
                "{} gives the boundary away by its value (what the flag is for: {})",
                quote(&text),
                clause(flag.why())
            );
            findings.add(Code::ForbiddenFlag, Some(usage.word), &text, message);
        }
    }
}

/// The flag's word with the values that stand in words of their own.
fn text_of(context: &Context<'_>, usage: &FlagUse) -> String {
    let mut text = context.word(usage.word).to_owned();
    for value in usage.values.iter().filter(|value| !value.attached) {
        text.push(' ');
        text.push_str(&value.text);
    }
    text
}
