//! Words that the table does not know, and words that the described version refuses.

use crate::policy::code::Code;
use crate::policy::dialect::Class;
use crate::policy::flags::{Context, Findings};
use crate::policy::parse::{FlagWord, Word};
use crate::policy::quote::{clause, quote};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if context.parsed.program().is_none_or(|index| index > 0) {
        let word = context.word(0);
        let message = format!("{} is not {}", quote(word), quote(context.dialect.program()));
        let at = context.launch.argv.first().map(|_| 0);
        findings.add(Code::UnknownProgram, at, word, message);
    }
    for (index, word) in context.parsed.words.iter().enumerate() {
        let text = context.word(index);
        match word {
            Word::Flag(flags) => unknown_flag(context, index, flags, findings),
            Word::Operand(operand) | Word::Trailing(operand) => {
                if let Some(rejected) = context.dialect.rejects().iter().find(|known| known.word == *operand)
                {
                    let message = format!("{} is refused: {}", quote(operand), clause(&rejected.why));
                    let severity = Code::RejectedWord.severity();
                    findings.add_as(Code::RejectedWord, severity, Some(index), text, message, &rejected.fix);
                }
            }
            _ => {}
        }
    }
    for usage in &context.parsed.uses {
        let Some(flag) = context.dialect.flag(&usage.flag) else { continue };
        if flag.class() == Class::Forbidden {
            continue;
        }
        let word = context.word(usage.word);
        let refused = match (&flag.rejected, &flag.removed) {
            (Some(why), _) => Some(why.clone()),
            (None, Some(version)) => Some(format!("it went with version {version}")),
            (None, None) => None,
        };
        if let Some(why) = refused {
            let message = format!("{} is refused: {why}", quote(word));
            findings.add(Code::RejectedFlag, Some(usage.word), word, message);
        }
    }
}

fn unknown_flag(context: &Context<'_>, index: usize, flags: &FlagWord, findings: &mut Findings<'_>) {
    let text = context.word(index);
    for part in flags.parts.iter().filter(|part| part.usage.is_none()) {
        let inside = if flags.parts.len() > 1 { format!(" in {}", quote(text)) } else { String::new() };
        // An abbreviation is worth a hint, since other parsers would accept it.
        let full = context
            .dialect
            .flags()
            .iter()
            .flat_map(|flag| flag.names())
            .find(|name| part.spelling.len() > 3 && name.starts_with(&part.spelling));
        let hint = full.map_or_else(String::new, |full| {
            format!("; it begins like {}, but {} takes no abbreviations", quote(full), context.dialect.name())
        });
        let message = format!(
            "{}{inside} is not in the flag table of {} {}{hint}",
            quote(&part.spelling),
            context.dialect.name(),
            context.dialect.version()
        );
        findings.add(Code::UnknownFlag, Some(index), text, message);
    }
}
