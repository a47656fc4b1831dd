//! Values: eaten ones, missing ones, refused ones, unknown ones, and pattern lists that cannot be cut for sure.

use crate::model::{CompletionChannel, PromptChannel};
use crate::policy::code::Code;
use crate::policy::dialect::{Arity, Class, Family, Flag, Takes};
use crate::policy::flags::{Context, Findings};
use crate::policy::keys;
use crate::policy::parse::{FlagUse, Word};
use crate::policy::quote::quote;

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    for usage in &context.parsed.uses {
        let Some(flag) = context.dialect.flag(&usage.flag) else { continue };
        let word = context.word(usage.word);
        if usage.missing {
            let message = format!("{} lacks its value", quote(word));
            findings.add(Code::MissingValue, Some(usage.word), word, message);
        }
        if usage.refused && flag.class() != Class::Forbidden {
            let message = format!(
                "{} {} refuses {}, so it does not count",
                context.dialect.name(),
                context.dialect.version(),
                quote(word)
            );
            findings.add(Code::RejectedValue, Some(usage.word), word, message);
            continue;
        }
        swallowed(context, flag, usage, findings);
        open(context, flag, usage, findings);
        unknown(context, flag, usage, findings);
    }
    prompt(context, findings);
    patterns(context, findings);
}

/// A value that reads like a flag: a dash, then a letter or another dash, and no white space.
fn looks_like_flag(word: &str) -> bool {
    let after = word.strip_prefix('-').unwrap_or_default();
    after.starts_with(|c: char| c.is_alphabetic() || c == '-') && !word.contains(char::is_whitespace)
}

fn swallowed(context: &Context<'_>, flag: &Flag, usage: &FlagUse, findings: &mut Findings<'_>) {
    for value in usage.values.iter().filter(|value| !value.attached) {
        let held_prompt = value.text.contains("{prompt}") && flag.takes() != Some(Takes::Prompt);
        let operand = context.dialect.operands().contains(&value.text);
        if looks_like_flag(&value.text) || held_prompt || operand {
            let message =
                format!("{} eats {} as its value", quote(context.word(usage.word)), quote(&value.text));
            findings.add(Code::SwallowedFlag, Some(value.word), &value.text, message);
        }
    }
}

/// Whether a word begins with what is filled in at run time. JSON and TOML begin with a brace as well.
fn begins_open(word: &str) -> bool {
    word.strip_prefix('{')
        .and_then(|rest| rest.split_once('}'))
        .is_some_and(|(name, _)| !name.is_empty() && !name.contains(['"', '\'', '=', ':', ',']))
}

/// A value that is filled in at run time, in a place where the parser takes only a word that does not begin like a
/// flag.
fn open(context: &Context<'_>, flag: &Flag, usage: &FlagUse, findings: &mut Findings<'_>) {
    for (nth, value) in usage.values.iter().enumerate().filter(|(_, value)| !value.attached) {
        let any_word = context.dialect.family() != Family::Clap
            && match flag.arity {
                Arity::One | Arity::Csv => true,
                Arity::Many => nth == 0,
                Arity::Switch | Arity::Optional => false,
            };
        // The caller makes this file and names it; no prompt and no repository has a say in it.
        let completion = flag.takes() == Some(Takes::Completion)
            && matches!(&context.launch.completion, CompletionChannel::File(path) if *path == value.text);
        if !any_word && !completion && begins_open(&value.text) {
            let message = format!("{} is filled in at run time and may begin with `-`", quote(&value.text));
            findings.add(Code::OpenWord, Some(value.word), &value.text, message);
        }
    }
}

/// A prompt that is passed as a word must be left over as one. Where none is, a flag that takes words as long as
/// they last has eaten it.
fn prompt(context: &Context<'_>, findings: &mut Findings<'_>) {
    let parsed = context.parsed;
    let takes = |usage: &FlagUse, takes: Takes| {
        context.dialect.flag(&usage.flag).is_some_and(|flag| flag.takes() == Some(takes))
    };
    let left = parsed.words.iter().any(|word| matches!(word, Word::Operand(_) | Word::Trailing(_)));
    let in_argv = context.launch.argv.iter().any(|word| word.contains("{prompt}"));
    let by_flag = parsed.uses.iter().any(|usage| takes(usage, Takes::Prompt));
    if context.launch.prompt != PromptChannel::Argument || left || in_argv || by_flag {
        return;
    }
    let eaten = parsed.uses.iter().rev().find_map(|usage| {
        let flag = context.dialect.flag(&usage.flag)?;
        let value = usage.values.last().filter(|value| !value.attached)?;
        let more = flag.arity == Arity::Many && usage.values.len() > 1;
        (more || flag.arity == Arity::Optional).then_some((usage, value))
    });
    if let Some((usage, value)) = eaten {
        let message = format!(
            "the prompt is a word of the argv, but none is left: {} eats {}",
            quote(context.word(usage.word)),
            quote(&value.text)
        );
        findings.add(Code::SwallowedFlag, Some(value.word), &value.text, message);
    }
}

fn unknown(context: &Context<'_>, flag: &Flag, usage: &FlagUse, findings: &mut Findings<'_>) {
    let word = context.word(usage.word);
    for value in &usage.values {
        let text = if value.attached { word.to_owned() } else { format!("{word} {}", value.text) };
        if flag.takes() == Some(Takes::KeyValues) {
            let judged = keys::judge(flag, &value.text);
            if judged.is_empty() {
                let message = format!("{} sets no key: it has no `=`", quote(&text));
                findings.add(Code::UnknownKey, Some(usage.word), &text, message);
            }
            for judged in judged {
                let path = judged.setting.path.join(".");
                if judged.key.is_none() {
                    let message = format!("the key {} is not in the table", quote(&path));
                    findings.add(Code::UnknownKey, Some(usage.word), &text, message);
                } else if judged.class.is_none() {
                    let message = format!(
                        "the value {} of {} is not in the table",
                        quote(&judged.setting.value),
                        quote(&path)
                    );
                    findings.add(Code::UnknownValue, Some(usage.word), &text, message);
                }
            }
        } else if flag.class_of(&value.text).is_none() {
            let message = format!("the value {} is not in the table", quote(&value.text));
            findings.add(Code::UnknownValue, Some(usage.word), &text, message);
        }
    }
}

fn patterns(context: &Context<'_>, findings: &mut Findings<'_>) {
    for list in context.parsed.pattern_lists(context.dialect) {
        let word = context.word(list.word);
        let adds = context.dialect.flag(&list.flag).is_some_and(|flag| flag.class() == Class::Widens);
        let empty = list.patterns.patterns.iter().any(|pattern| pattern.trim().is_empty());
        // An empty entry between two spaces is only white space.
        if adds && empty && (list.patterns.separator == ',' || list.patterns.join().trim().is_empty()) {
            let message = format!("{} holds an empty pattern", quote(word));
            findings.add(Code::EmptyPatterns, Some(list.word), word, message);
        }
        if !list.patterns.certain {
            let message = format!("{} can be cut into patterns in more than one way", quote(word));
            findings.add(Code::MalformedPattern, Some(list.word), word, message);
        }
    }
}
