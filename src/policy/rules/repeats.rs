//! Flags that stand more than once.

use crate::policy::code::Code;
use crate::policy::dialect::{Arity, Class, Repeat};
use crate::policy::flags::{Context, Findings};
use crate::policy::parse::FlagUse;
use crate::policy::quote::quote;

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    for flag in context.dialect.flags() {
        let uses: Vec<&FlagUse> = context.parsed.uses_of(flag).collect();
        let Some((first, later)) = uses.split_first() else { continue };
        for usage in later {
            let word = context.word(usage.word);
            match context.dialect.repeat(flag) {
                Repeat::Accumulates => {}
                Repeat::Error => {
                    let message = format!(
                        "{} repeats {}, and {} {} refuses a flag that stands twice",
                        quote(word),
                        quote(context.word(first.word)),
                        context.dialect.name(),
                        context.dialect.version()
                    );
                    findings.add(Code::RejectedRepeat, Some(usage.word), word, message);
                }
                Repeat::LastWins => {
                    let said = |usage: &FlagUse| {
                        usage.values.iter().map(|value| value.text.clone()).collect::<Vec<_>>()
                    };
                    // Saying the same twice changes nothing, and so does repeating what is neutral.
                    let matters = flag.class() != Class::Neutral && flag.arity != Arity::Switch;
                    if matters && said(usage) != said(first) {
                        let message = format!(
                            "{} repeats {}, and the last one wins in silence",
                            quote(word),
                            quote(context.word(first.word))
                        );
                        findings.add(Code::RepeatedFlag, Some(usage.word), word, message);
                    }
                }
            }
        }
    }
}
