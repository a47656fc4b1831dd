//! Whether the argv takes the prompt where the launch says that it is.

use crate::model::PromptChannel;
use crate::policy::code::Code;
use crate::policy::dialect::Takes;
use crate::policy::flags::{Context, Findings};
use crate::policy::parse::{FlagUse, Word};
use crate::policy::quote::quote;

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    match context.launch.prompt {
        PromptChannel::Stdin => {
            for usage in context.parsed.uses.iter().filter(|usage| takes_prompt(context, usage)) {
                let word = context.word(usage.word);
                let message = format!(
                    "the prompt is on standard input, but {} brings one of its own, and nobody reads the other",
                    quote(word)
                );
                findings.add(Code::PromptChannel, Some(usage.word), word, message);
            }
        }
        PromptChannel::Argument => {
            let mut carriers = carriers(context, |word| word.contains("{prompt}")).into_iter();
            if carriers.next().is_none() {
                let message = "the prompt is a word of the argv, but no word carries `{prompt}`".to_owned();
                findings.add(Code::PromptChannel, None, "{prompt}", message);
            }
            for index in carriers {
                let word = context.word(index);
                let message = format!("{} carries the prompt once more", quote(word));
                findings.add(Code::PromptChannel, Some(index), word, message);
            }
        }
        PromptChannel::File => {
            let named = |word: &str| word.contains("{prompt") || word.contains("{file");
            let values = context.parsed.uses.iter().filter(|usage| {
                let flag = context.dialect.flag(&usage.flag);
                flag.is_some_and(|flag| flag.takes() != Some(Takes::Completion))
            });
            let by_flag = values.flat_map(|usage| &usage.values).any(|value| named(&value.text));
            if !by_flag && carriers(context, holds_placeholder).is_empty() {
                let message = "the prompt is in a file, but no word holds a placeholder for one".to_owned();
                findings.add(Code::PromptChannel, None, "{file}", message);
            }
        }
    }
}

fn takes_prompt(context: &Context<'_>, usage: &FlagUse) -> bool {
    context.dialect.flag(&usage.flag).is_some_and(|flag| flag.takes() == Some(Takes::Prompt))
}

fn holds_placeholder(word: &str) -> bool {
    word.split_once('{').is_some_and(|(_, rest)| rest.find('}').is_some_and(|close| close > 0))
}

/// The words that the agent takes for the prompt and that `holds` accepts, in order: words that no flag takes, and
/// values of flags that take the prompt.
fn carriers(context: &Context<'_>, holds: impl Fn(&str) -> bool) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (index, word) in context.parsed.words.iter().enumerate() {
        if matches!(word, Word::Operand(text) | Word::Trailing(text) if holds(text)) {
            found.push(index);
        }
    }
    for usage in context.parsed.uses.iter().filter(|usage| !usage.refused && takes_prompt(context, usage)) {
        found.extend(usage.values.iter().filter(|value| holds(&value.text)).map(|value| value.word));
    }
    found.sort_unstable();
    found
}
