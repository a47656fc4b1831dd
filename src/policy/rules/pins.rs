//! Words whose absence is a finding, and later words that take their place.

use crate::policy::code::Code;
use crate::policy::dialect::{Class, Flag, Pin, PinBy, Repeat, Takes, When};
use crate::policy::flags::{Context, Findings};
use crate::policy::keys;
use crate::policy::parse::{FlagUse, Word};
use crate::policy::quote::{clause, quote};

/// A word that speaks about a pin.
struct Vote {
    /// The flag's word.
    word: usize,
    /// What it says.
    text: String,
    /// Whether it pins.
    pins: bool,
    /// Whether another rule calls it an error already.
    forbidden: bool,
}

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    for pin in context.dialect.pins() {
        if pin.when == When::Always || context.launch.sealed {
            check_pin(context, pin, findings);
        }
    }
}

fn check_pin(context: &Context<'_>, pin: &Pin, findings: &mut Findings<'_>) {
    let code = if pin.when == When::Sealed { Code::NotSealed } else { Code::MissingPin };
    let mut loose: Option<(Code, Vote)> = None;
    for by in pin.ways() {
        if let Some((name, value)) = by.env.as_ref().and_then(|name| context.launch.env.get_key_value(name)) {
            if is_fresh(value) {
                return;
            }
            let text = format!("{name}={value}");
            let message = format!("{} does not pin the boundary: {}", quote(&text), clause(pin.why()));
            return findings.add_as(code, pin.severity, None, &text, message, &pin.fix);
        }
        // What wins over this way has the word.
        let winner = by.unless.as_ref().and_then(|name| context.dialect.flag(name));
        if winner.is_some_and(|flag| context.parsed.uses_of(flag).next().is_some()) {
            continue;
        }
        let Some(flag) = by.flag.as_ref().and_then(|name| context.dialect.flag(name)) else { continue };
        let mut votes: Vec<Vote> = votes(context, flag, by);
        // A list that only adds up cannot be taken back; everything else is what its last word says. Where a
        // second one is refused, the first counts and the repetition is an error of its own.
        let decisive = match (by.key.is_some(), context.dialect.repeat(flag)) {
            (false, Repeat::Accumulates) => votes.iter().rfind(|vote| vote.pins),
            (false, Repeat::Error) => votes.first(),
            _ => votes.last(),
        };
        if let Some(vote) = decisive.filter(|vote| vote.pins) {
            return place(context, vote, findings);
        }
        let pinned_before = votes.iter().any(|vote| vote.pins);
        if let Some(last) = votes.pop().filter(|_| loose.is_none()) {
            loose = Some((if pinned_before { Code::OverriddenPin } else { code }, last));
        }
    }
    match loose {
        Some((code, vote)) if !vote.forbidden || code == Code::OverriddenPin => {
            let message = format!("{} does not pin the boundary: {}", quote(&vote.text), clause(pin.why()));
            let severity = if code == Code::OverriddenPin { code.severity() } else { pin.severity };
            // What is there already need not be added.
            let fix = if code == Code::OverriddenPin { code.fix() } else { &pin.fix };
            findings.add_as(code, severity, Some(vote.word), &vote.text, message, fix);
        }
        Some(_) => {}
        None => {
            let missing = pin.ways().next().map_or_else(|| pin.id.clone(), in_words);
            let message = format!("{} is missing: {}", quote(&missing), clause(pin.why()));
            let message = if pin.by.is_empty() { pin.why().to_owned() } else { message };
            findings.add_as(code, pin.severity, None, &missing, message, &pin.fix);
        }
    }
}

/// Says where a word that pins stands before the sub-command.
fn place(context: &Context<'_>, vote: &Vote, findings: &mut Findings<'_>) {
    let subcommand = context.parsed.words.iter().position(|word| matches!(word, Word::Subcommand(_)));
    if subcommand.is_some_and(|subcommand| vote.word < subcommand) {
        let message =
            format!("{} stands before the sub-command, where it was not measured", quote(&vote.text));
        findings.add(Code::UnmeasuredPlace, Some(vote.word), &vote.text, message);
    }
}

/// Whether a place can be a fresh one: no place at all, and the user's home, are what the agent takes by itself.
fn is_fresh(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    !value.is_empty() && !["~", "{home", "$home", "${home"].iter().any(|home| value.starts_with(home))
}

fn in_words(by: &PinBy) -> String {
    let mut words: Vec<String> = by.flag.iter().chain(&by.env).cloned().collect();
    let value = by.values.first().or(by.pattern.as_ref());
    match (&by.key, value) {
        (Some(key), Some(value)) => words.push(format!("{key}={value:?}")),
        (_, Some(value)) if value.is_empty() => words.push("\"\"".to_owned()),
        (_, Some(value)) => words.push(value.clone()),
        _ => {}
    }
    words.join(" ")
}

/// What every use of the flag says about the pin. A word that the parser refuses says nothing.
fn votes(context: &Context<'_>, flag: &Flag, by: &PinBy) -> Vec<Vote> {
    let mut votes = Vec::new();
    for usage in context.parsed.uses_of(flag) {
        if usage.refused || usage.missing {
            votes.push(vote(context, usage, None, false, false));
            continue;
        }
        if let Some(key) = &by.key {
            for value in &usage.values {
                let judged = keys::judge(flag, &value.text);
                let below = format!("{key}.");
                let mut about = judged
                    .iter()
                    .map(|judged| (judged.setting.path.join("."), &judged.setting.value))
                    .filter(|(path, _)| path == key || path.starts_with(&below))
                    .peekable();
                if about.peek().is_some() {
                    // Seeing through quotes is right for what must not be there; what must be there has to stand
                    // there as it is, for an agent that does not know quotes would set another key.
                    let plain = value.text.split_once('=').is_some_and(|(written, _)| written.trim() == key);
                    let pins = plain && about.all(|(path, value)| path == *key && by.values.contains(value));
                    votes.push(vote(context, usage, Some(value.word), pins, false));
                }
            }
            continue;
        }
        let holds = |value: &str| {
            let listed = by.pattern.as_ref().is_none_or(|pattern| {
                crate::policy::patterns::Patterns::split(value, flag.separator)
                    .patterns
                    .iter()
                    .any(|found| found.trim() == pattern)
            });
            listed && (by.values.is_empty() || by.values.iter().any(|wanted| wanted == value))
        };
        // An entry that is no plain name may stand for more than it says, or take back what the others say.
        let plain = |value: &str| {
            let list = crate::policy::patterns::Patterns::split(value, flag.separator);
            list.certain && list.patterns.iter().all(|found| by.only.contains(found))
        };
        let pins = if !by.only.is_empty() {
            usage.values.iter().all(|value| plain(&value.text))
        } else if by.values.is_empty() && by.pattern.is_none() {
            flag.takes() != Some(Takes::Patterns) || usage.values.iter().any(|value| !value.text.is_empty())
        } else {
            usage.values.iter().any(|value| holds(&value.text))
        };
        let forbidden = usage.values.iter().any(|value| flag.class_of(&value.text) == Some(Class::Forbidden));
        votes.push(vote(context, usage, usage.values.first().map(|value| value.word), pins, forbidden));
    }
    votes
}

fn vote(context: &Context<'_>, usage: &FlagUse, value: Option<usize>, pins: bool, forbidden: bool) -> Vote {
    let word = context.word(usage.word);
    let text = match value.filter(|&value| value != usage.word) {
        Some(value) => format!("{word} {}", context.word(value)),
        None => word.to_owned(),
    };
    Vote { word: usage.word, text, pins, forbidden }
}
