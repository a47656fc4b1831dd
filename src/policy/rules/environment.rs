//! Variables that do what a flag does, or more: set by the launch, by a wrapper, or passed from the caller.

use crate::policy::code::Code;
use crate::policy::dialect::{Class, Watched};
use crate::policy::flags::{Context, Findings};
use crate::policy::parse::Word;
use crate::policy::quote::{clause, quote};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    for (name, value) in &context.launch.env {
        set(context, findings, None, name, value);
    }
    for (index, word) in context.parsed.words.iter().enumerate() {
        let assignment = match word {
            Word::Wrapper(word) => word.split_once('='),
            _ => None,
        };
        if let Some((name, value)) = assignment {
            set(context, findings, Some(index), name, value);
        }
    }
    for name in &context.launch.env_from {
        for watched in context.dialect.watched() {
            let passes =
                name.strip_suffix('*').map_or(name == watched.name, |start| watched.name.starts_with(start));
            if passes && watched.class >= Class::Widens && !context.launch.env.contains_key(watched.name) {
                let what =
                    if watched.class == Class::Forbidden { "give the boundary away" } else { "add rights" };
                let message = format!(
                    "{} passes from the caller and can {what}: {}",
                    quote(watched.name),
                    why(&watched)
                );
                findings.add(Code::InheritedEnv, None, name, message);
            }
        }
    }
}

fn set(context: &Context<'_>, findings: &mut Findings<'_>, arg: Option<usize>, name: &str, value: &str) {
    let text = format!("{name}={value}");
    for watched in context.dialect.watched().filter(|watched| watched.name == name) {
        let off = watched.off.iter().any(|off| off == value);
        let on = watched.on.iter().any(|on| on == value) || (watched.on.is_empty() && !off);
        match (watched.class, on, off) {
            (Class::Forbidden, true, _) => {
                let message = format!("{} gives the boundary away: {}", quote(&text), why(&watched));
                findings.add(Code::ForbiddenEnv, arg, &text, message);
            }
            (Class::Widens, true, _) if !context.means(watched.grants) => {
                let message = format!("{} adds rights: {}", quote(&text), why(&watched));
                findings.add(Code::WideningEnv, arg, &text, message);
            }
            (Class::Forbidden | Class::Widens, false, false) => {
                let message = format!(
                    "{} is neither a value that switches it on nor one that leaves it off: {}",
                    quote(&text),
                    why(&watched)
                );
                findings.add(Code::DoubtfulEnv, arg, &text, message);
            }
            _ => {}
        }
    }
}

fn why(watched: &Watched<'_>) -> String {
    match watched.flag {
        Some(flag) => format!("it does what {} does: {}", quote(flag), clause(watched.why)),
        None => clause(watched.why),
    }
}
