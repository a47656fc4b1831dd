//! Which rules run, and what is left of them for an agent that no dialect describes.

use crate::model::Launch;
use crate::policy::code::Code;
use crate::policy::dialect::Dialects;
use crate::policy::flags::{Context, Findings};
use crate::policy::quote::quote;
use crate::policy::rules::{
    environment, forbidden, grants, never, operands, pins, prompt, repeats, table, values, widening,
};

pub(crate) fn run(context: &Context<'_>, findings: &mut Findings<'_>) {
    forbidden::check(context, findings);
    environment::check(context, findings);
    pins::check(context, findings);
    repeats::check(context, findings);
    values::check(context, findings);
    table::check(context, findings);
    widening::check(context, findings);
    operands::check(context, findings);
    prompt::check(context, findings);
    grants::check(context.launch, findings);
    never::check(context, findings);
}

/// Without a table nothing can be parsed, but a word that is a forbidden flag of any known agent is still one.
pub(crate) fn without_dialect(launch: &Launch, dialects: &Dialects, findings: &mut Findings<'_>) {
    let message = format!("no dialect describes the agent {}", quote(&launch.agent));
    findings.add(Code::UnknownAgent, None, &launch.agent, message);
    grants::check(launch, findings);
    never::blank(launch, findings);
    for (index, word) in launch.argv.iter().enumerate() {
        if let Some(message) = forbidden::elsewhere(dialects, &launch.agent, word) {
            findings.add(Code::ForbiddenFlag, Some(index), word, message);
        }
        if launch.never.contains(word) {
            let message = format!("{} must never stand in this launch", quote(word));
            findings.add(Code::NeverWord, Some(index), word, message);
        }
    }
}
