//! Variables that do what a flag does, or more: set by the launch, by a wrapper, or passed from the caller.

use crate::model::Severity;
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
        passes(context, findings, name);
    }
}

/// A variable that passes from the caller, or, where `name` holds a `*`, every one that may.
fn passes(context: &Context<'_>, findings: &mut Findings<'_>, name: &str) {
    let rows = match name.split_once('*') {
        Some((start, _)) => overlapping(context, start),
        None => rows(context, name),
    };
    for watched in rows {
        // A name is more use to a reader than the pattern that covers it.
        let shown = if name.contains('*') { watched.name } else { name };
        if watched.set_only || watched.class < Class::Widens || context.launch.env.contains_key(shown) {
            continue;
        }
        let what = if watched.class == Class::Forbidden { "give the boundary away" } else { "add rights" };
        let message = format!("{} passes from the caller and can {what}: {}", quote(shown), why(&watched));
        findings.add(Code::InheritedEnv, None, name, message);
    }
}

/// The rows that speak about one variable: those with its name, the agent's before the shared ones, else the pattern
/// that says the most.
fn rows<'a>(context: &Context<'a>, name: &str) -> Vec<Watched<'a>> {
    let own: Vec<Watched<'_>> = context.dialect.watched().filter(|watched| watched.name == name).collect();
    if !own.is_empty() {
        return own;
    }
    let shared: Vec<Watched<'_>> = context.dialects.shared().filter(|watched| watched.name == name).collect();
    if !shared.is_empty() {
        return shared;
    }
    let covers =
        |watched: &Watched<'_>| watched.name.strip_suffix('*').is_some_and(|start| name.starts_with(start));
    let all = context.dialects.shared().chain(context.dialect.watched());
    all.filter(covers).max_by_key(|watched| watched.name.len()).into_iter().collect()
}

/// Every row that speaks about a variable that begins with `start`. An agent's row takes the place of the shared one
/// with its name.
fn overlapping<'a>(context: &Context<'a>, start: &str) -> Vec<Watched<'a>> {
    let touches = |watched: &Watched<'_>| match watched.name.strip_suffix('*') {
        Some(covered) => covered.starts_with(start) || start.starts_with(covered),
        None => watched.name.starts_with(start),
    };
    let own: Vec<Watched<'_>> = context.dialect.watched().filter(touches).collect();
    let shared = context.dialects.shared().filter(touches);
    let shared: Vec<Watched<'_>> =
        shared.filter(|row| own.iter().all(|other| other.name != row.name)).collect();
    own.into_iter().chain(shared).collect()
}

fn set(context: &Context<'_>, findings: &mut Findings<'_>, arg: Option<usize>, name: &str, value: &str) {
    let text = format!("{name}={value}");
    for watched in rows(context, name) {
        // Where a placeholder stands the machine decides, as it does for what passes from the caller.
        if watched.set_only && value.contains('{') {
            continue;
        }
        let off = watched.off.iter().any(|off| off == value);
        let on = watched.on.iter().any(|on| on == value) || (watched.on.is_empty() && !off);
        match (watched.class, on, off) {
            (Class::Forbidden, true, _) => {
                let message = format!("{} gives the boundary away: {}", quote(&text), why(&watched));
                findings.add(Code::ForbiddenEnv, arg, &text, message);
            }
            (Class::Widens, true, _) => {
                let message = format!("{} adds rights: {}", quote(&text), why(&watched));
                let code = Code::WideningEnv;
                // What the launch means stays in sight as a note.
                let severity = if context.means(watched.grants) { Severity::Note } else { code.severity() };
                findings.add_as(code, severity, arg, &text, message, code.fix());
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
