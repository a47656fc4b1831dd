//! Words that are neither flags nor values: the sub-command, the prompt, and what has no business there.

use crate::model::PromptChannel;
use crate::policy::code::Code;
use crate::policy::flags::{Context, Findings};
use crate::policy::parse::Word;
use crate::policy::quote::{clause, quote};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let dialect = context.dialect;
    let words = &context.parsed.words;
    let mut others: &[String] = &[];
    if let Some(subcommand) = dialect.subcommand() {
        if words.iter().any(|word| matches!(word, Word::Subcommand(_))) {
            others = &subcommand.others;
        } else {
            let message = format!("{} is missing: {}", quote(&subcommand.needed), clause(&subcommand.why));
            findings.add(Code::MissingSubcommand, None, &subcommand.needed, message);
        }
    }
    let mut first = true;
    for (index, word) in words.iter().enumerate() {
        let Word::Operand(operand) = word else { continue };
        let is_first = std::mem::replace(&mut first, false);
        if is_first && others.contains(operand) {
            let message = format!("{} is a sub-command with flags of its own", quote(operand));
            findings.add(Code::UnknownSubcommand, Some(index), operand, message);
            continue;
        }
        if operand.starts_with('{') {
            let message = format!("{} is filled in at run time and may begin with `-`", quote(operand));
            findings.add(Code::OpenWord, Some(index), operand, message);
        }
        stray(context, index, operand, findings);
    }
    for (index, word) in words.iter().enumerate() {
        if let Word::Trailing(operand) = word {
            stray(context, index, operand, findings);
        }
    }
}

/// A word that nobody takes. The prompt may be one, where the launch says that it is.
fn stray(context: &Context<'_>, index: usize, operand: &str, findings: &mut Findings<'_>) {
    let dialect = context.dialect;
    let expected = match context.launch.prompt {
        PromptChannel::Stdin => dialect.operands().iter().any(|known| known == operand),
        PromptChannel::Argument => operand.contains("{prompt}"),
        PromptChannel::File => true,
    };
    if !expected && !dialect.rejects().iter().any(|rejected| rejected.word == operand) {
        let message = format!("{} is no flag and no value of one", quote(operand));
        findings.add(Code::StrayOperand, Some(index), operand, message);
    }
}
