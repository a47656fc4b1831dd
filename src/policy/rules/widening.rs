//! Flags that add rights which the launch does not say it means.

use crate::model::{Capability, CompletionChannel, Severity};
use crate::policy::code::Code;
use crate::policy::dialect::{Class, Flag, Takes};
use crate::policy::flags::{Context, Findings};
use crate::policy::keys;
use crate::policy::parse::FlagUse;
use crate::policy::quote::{clause, quote};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    for usage in context.parsed.uses.iter().filter(|usage| !usage.refused) {
        let Some(flag) = context.dialect.flag(&usage.flag) else { continue };
        match flag.takes() {
            // What a pattern gives is a matter of the pattern, and not of the flag.
            Some(Takes::Patterns) if flag.grants.is_empty() => {}
            Some(Takes::KeyValues) => by_key(context, flag, usage, findings),
            _ => by_flag(context, flag, usage, findings),
        }
    }
}

fn by_flag(context: &Context<'_>, flag: &Flag, usage: &FlagUse, findings: &mut Findings<'_>) {
    let worst = usage.values.iter().filter_map(|value| flag.class_of(&value.text)).max();
    if worst.unwrap_or(flag.class()) != Class::Widens {
        return;
    }
    let completion = match &context.launch.completion {
        CompletionChannel::File(path) if flag.takes() == Some(Takes::Completion) => {
            usage.values.iter().all(|value| value.text == *path)
        }
        _ => false,
    };
    let text = usage
        .values
        .iter()
        .filter(|value| !value.attached)
        .fold(context.word(usage.word).to_owned(), |text, value| format!("{text} {}", value.text));
    let why = match flag.class() {
        Class::Widens => format!(": {}", clause(flag.why())),
        _ => format!(" by its value (what the flag is for: {})", clause(flag.why())),
    };
    report(context, usage, &text, &flag.grants, &why, completion, findings);
}

fn by_key(context: &Context<'_>, flag: &Flag, usage: &FlagUse, findings: &mut Findings<'_>) {
    for value in &usage.values {
        let widens = keys::judge(flag, &value.text)
            .into_iter()
            .find(|judged| judged.class == Some(Class::Widens))
            .and_then(|judged| judged.key);
        if let Some((_, key)) = widens {
            let word = context.word(usage.word);
            let text = if value.attached { word.to_owned() } else { format!("{word} {}", value.text) };
            report(context, usage, &text, &key.grants, &format!(": {}", clause(key.why())), false, findings);
        }
    }
}

fn report(
    context: &Context<'_>,
    usage: &FlagUse,
    text: &str,
    grants: &[Capability],
    why: &str,
    meant: bool,
    findings: &mut Findings<'_>,
) {
    let code = Code::WideningFlag;
    let meant = meant || context.means(grants);
    let severity = if meant { Severity::Note } else { code.severity() };
    let message = format!("{} adds rights{why}", quote(text));
    findings.add_as(code, severity, Some(usage.word), text, message, code.fix());
}
