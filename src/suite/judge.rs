//! Holds what was seen of a case against what must come of it. No I/O.

use std::time::Duration;

use serde_json::{Value, json};

use crate::fake::Fact;
use crate::model::case::{Case, Moment, WorkingDir};
use crate::model::{Outcome, Verdict};
use crate::subject::Answer;
use crate::suite::observation::Observation;

/// What a run of a case amounts to.
#[derive(Debug)]
pub(super) enum Judgement {
    /// A verdict, with a sentence.
    Verdict(Verdict, String),
    /// The deadline came before the fake had done what the case is about. More time may help.
    NotReached(String),
}

/// Judges. `bound` is the case's own, scaled.
pub(super) fn judge(case: &Case, seen: &Observation, bound: Duration) -> Judgement {
    if seen.called_ns == 0 {
        let why = seen.silent.clone().unwrap_or_default();
        return Judgement::Verdict(Verdict::Inconclusive, why);
    }
    let reached = reached(case, seen);
    let cut = |answer: &Answer| matches!(answer.outcome, Outcome::Timeout | Outcome::Cancelled);
    let cut_short = seen.answers.is_empty() || seen.answers.values().any(cut);
    if !reached && cut_short && seen.killed_ns.is_none() && !starts_nothing(case) {
        let what = match (seen.born_ns(), &seen.silent) {
            (_, Some(silent)) => return Judgement::Verdict(Verdict::Broken, silent.clone()),
            (None, None) => "the agent had not started when the runner returned",
            (Some(_), None) => "the agent had not come to the point of the case when the runner returned",
        };
        return Judgement::NotReached(what.to_owned());
    }
    match faults(case, seen, bound).into_iter().next() {
        Some(fault) => Judgement::Verdict(Verdict::Broken, fault),
        None if !reached && !starts_nothing(case) => Judgement::Verdict(
            Verdict::Inconclusive,
            "the agent never came to the point of the case".to_owned(),
        ),
        None => Judgement::Verdict(Verdict::Held, case.title.clone()),
    }
}

/// What the judgement rests on.
pub(super) fn evidence(seen: &Observation, bound: Duration, attempts: u32) -> Value {
    let after = seen.answered_ns.map(|ns| (ns.saturating_sub(seen.due_ns())) as f64 / 1e6);
    json!({
        "outcome": seen.answers.values().next().map(|answer| answer.outcome.as_str()),
        "answers": seen.answers.len(),
        "attempted": seen.born_ns().is_some(),
        "returned_after_ms": after,
        "allowed_ms": bound.as_millis() as u64,
        "survivors": seen.survivors.iter().map(|process| process.name.clone()).collect::<Vec<_>>(),
        "zombies": seen.zombies.len(),
        "attempts": attempts,
    })
}

/// Whether the case is one in which no agent may start.
fn starts_nothing(case: &Case) -> bool {
    case.expect.agent.started == Some(false)
}

/// Whether every fake came to the point of the case: the mark it names, else the one at which the call was cancelled or
/// the runner killed (what comes after that is a race by design), else its last step.
fn reached(case: &Case, seen: &Observation) -> bool {
    let at_mark = |moment: &Option<Moment>| match moment {
        Some(Moment::Mark(mark)) => Some(mark.clone()),
        _ => None,
    };
    let mark = case.agent.reaches.clone();
    let mark = mark.or_else(|| at_mark(&case.call.kill_runner_at)).or_else(|| at_mark(&case.call.cancel_at));
    match mark {
        Some(mark) => seen.passed(&mark),
        None => {
            let last = case.agent.step.len().checked_sub(1);
            let there = seen.leader().filter(|record| match (&record.fact, last) {
                (Fact::Begin(place), Some(last)) => place == &[last],
                (Fact::Born { .. }, None) => true,
                _ => false,
            });
            there.count() >= seen.calls.max(1) as usize
        }
    }
}

/// Everything that is not as it must be, the weightiest first.
fn faults(case: &Case, seen: &Observation, bound: Duration) -> Vec<String> {
    let mut faults = Vec::new();
    let expect = &case.expect;
    let mut fault = |text: String| faults.push(text);

    let started = seen.born_ns().is_some();
    if starts_nothing(case) && (started || seen.found_absent) {
        fault("something was started, and nothing may be".to_owned());
    }
    if let Some(silent) = &seen.silent {
        fault(silent.clone());
    }
    host_faults(seen, &mut fault);
    for answer in seen.answers.values() {
        let expected = if is_cancelled(seen, answer) { Some(Outcome::Cancelled) } else { expect.outcome };
        if let Some(expected) = expected.filter(|&expected| answer.outcome != expected) {
            let said = match answer.stderr.as_str() {
                "" => String::new(),
                stderr => format!(" ({})", short(stderr)),
            };
            fault(format!("the outcome is `{}`, expected `{expected}`{said}", answer.outcome));
        }
    }
    if let Some(answered) = seen.answered_ns {
        let due = seen.due_ns();
        let late = Duration::from_nanos(answered.saturating_sub(due));
        if late > bound {
            let (late, bound) = (late.as_millis(), bound.as_millis());
            fault(format!("returned {late} ms after it was due, allowed are {bound} ms"));
        }
        let early = seen.called_ns.saturating_add(seen.timeout.as_nanos() as u64).saturating_sub(answered);
        if expect.outcome == Some(Outcome::Timeout) && !starts_nothing(case) && early > 2_000_000 {
            fault(format!("returned {} ms before the deadline", early / 1_000_000));
        }
    }
    if let (Some(died), Some(Outcome::Timeout), None) = (seen.died_ns, expect.outcome, seen.exited_ns()) {
        let deadline = seen.called_ns.saturating_add(seen.timeout.as_nanos() as u64);
        let early = deadline.saturating_sub(died);
        if early > 2_000_000 {
            fault(format!("the agent was ended {} ms before the deadline", early / 1_000_000));
        }
    }
    if seen.survivors.len() > expect.survivors {
        let names: Vec<String> = seen.survivors.iter().map(|p| format!("{} ({})", p.name, p.id)).collect();
        fault(format!("{} processes of the agent are alive: {}", names.len(), names.join(", ")));
    } else if seen.lifeline_held && expect.survivors == 0 {
        fault("a process of the agent is alive outside the runner's tree".to_owned());
    }
    if let Some(most) = expect.zombies
        && seen.zombies.len() > most
    {
        fault(format!("{} ended processes were not reaped", seen.zombies.len()));
    }
    if seen.bystander_gone {
        fault("a process that is no business of the runner's was ended".to_owned());
    }
    // What an agent was let do weighs more than what was said of it.
    agent_faults(case, seen, &mut fault);
    for answer in seen.answers.values().filter(|answer| !is_cancelled(seen, answer)) {
        answer_faults(case, answer, &mut fault);
    }
    faults
}

/// What no runner may do, whatever the case: start more agents than it was asked for, say more than its answers, leave
/// before it is told to, or lay hands on whoever watches it.
fn host_faults(seen: &Observation, fault: &mut impl FnMut(String)) {
    if seen.observer_lost {
        fault("the supervisor that watches the runner was ended".to_owned());
    }
    if seen.births() > seen.calls.max(1) as usize {
        fault(format!("{} agents were started for {} calls", seen.births(), seen.calls));
    }
    if seen.said_more {
        fault("the host said more than its answers".to_owned());
    }
    if seen.host_awaited && seen.killed_ns.is_none() {
        match seen.host_end {
            Some(0) => {}
            Some(status) if status < 0 => fault(format!("the host was ended by signal {}", -status)),
            Some(status) => fault(format!("the host ended with status {status}")),
            None => fault("the host did not end when its input did".to_owned()),
        }
    }
}

/// Whether it answers a call that the case has cancelled while others went on.
fn is_cancelled(seen: &Observation, answer: &Answer) -> bool {
    seen.cancels_half && answer.index % 2 == 1
}

fn answer_faults(case: &Case, answer: &Answer, fault: &mut impl FnMut(String)) {
    let expect = &case.expect;
    if let Some(text) = &expect.completion {
        let expected = text.repeat(expect.completion_repeat as usize);
        let expected = expected.replace("{index}", &answer.index.to_string());
        let got = answer.completion.as_deref().unwrap_or_default();
        if got != expected {
            let (got_len, want_len) = (got.len(), expected.len());
            fault(format!(
                "the completion is {got_len} bytes, {}, expected {want_len}, {}",
                short(got),
                short(&expected)
            ));
        }
    }
    let told = answer.completion.as_deref().unwrap_or_default().len();
    if let Some(most) = expect.completion_at_most
        && told > most
    {
        fault(format!("{told} bytes of completion were told, allowed are {most}"));
    }
    if expect.code.is_some() && answer.code != expect.code {
        fault(format!("the exit status is {:?}, expected {:?}", answer.code, expect.code));
    }
    let signal = expect.signal.map(crate::model::case::Signal::number);
    if signal.is_some() && answer.signal != signal {
        fault(format!("the signal is {:?}, expected {signal:?}", answer.signal));
    }
    if let Some(part) = &expect.stderr_has
        && !answer.stderr.contains(part)
    {
        fault(format!("standard error is {}, and {} is missing", short(&answer.stderr), short(part)));
    }
    if let Some(most) = expect.stderr_at_most
        && answer.stderr.len() > most
    {
        fault(format!("{} bytes of standard error were kept, allowed are {most}", answer.stderr.len()));
    }
}

fn agent_faults(case: &Case, seen: &Observation, fault: &mut impl FnMut(String)) {
    let expect = &case.expect.agent;
    for record in seen.leader() {
        match &record.fact {
            Fact::Born { args, cwd, descriptors, variables, blocked, ignored } => {
                if expect.args.is_some() && *args != seen.args_print {
                    fault("the agent's words are not those of the call".to_owned());
                }
                if expect.cwd.is_some() && *cwd != seen.cwd {
                    fault(format!("the agent ran in `{}`, expected {}", last(cwd), place(case)));
                }
                if let Some(expected) = &expect.descriptors
                    && descriptors != expected
                {
                    fault(format!(
                        "the agent was started with descriptors {descriptors:?}, expected {expected:?}"
                    ));
                }
                if let Some(name) = expect.env_absent.iter().find(|name| variables.contains(name)) {
                    fault(format!("the variable `{name}` reached the agent"));
                }
                if let Some(name) = expect.env_present.iter().find(|name| !variables.contains(name)) {
                    fault(format!("the variable `{name}` did not reach the agent"));
                }
                if expect.default_signals && (*blocked, *ignored) != (0, 0) {
                    fault(format!(
                        "the agent was started with signals blocked ({blocked:#x}) or ignored ({ignored:#x})"
                    ));
                }
            }
            Fact::Read { bytes, print, eof }
                if expect.prompt.is_some() && !(*eof && seen.prompts.contains(&(*bytes, *print))) =>
            {
                let sent = seen.prompts.first().map_or(0, |prompt| prompt.0);
                fault(format!("the agent read {bytes} bytes (end of file: {eof}), the prompt is {sent}"));
            }
            Fact::Tty(found) if expect.tty.is_some_and(|tty| tty != *found) => {
                fault("the agent could open a terminal, and somebody could be asked".to_owned());
            }
            Fact::Answer(got) if expect.answer.is_some_and(|answer| answer != *got) => {
                fault(format!("the agent's question was answered with {got:?}"));
            }
            _ => {}
        }
    }
    if let Some(signal) = expect.first_signal {
        let first = seen.leader().find_map(|record| match record.fact {
            Fact::Signal(number) => Some(number),
            _ => None,
        });
        if first != Some(signal.number()) {
            fault(format!("the agent was sent {first:?} first, expected {}", signal.number()));
        }
    }
    // What the agent had to see and never told of was not seen.
    let told = |wanted: fn(&Fact) -> bool| seen.leader().any(|record| wanted(&record.fact));
    let silent = [
        (
            expect.prompt.is_some(),
            told(|fact| matches!(fact, Fact::Read { .. })),
            "read its prompt to the end",
        ),
        (expect.tty.is_some(), told(|fact| matches!(fact, Fact::Tty(_))), "looked for a terminal"),
        (expect.answer.is_some(), told(|fact| matches!(fact, Fact::Answer(_))), "got an end to its question"),
    ];
    for (_, _, what) in silent.into_iter().filter(|(wanted, told, _)| *wanted && !*told) {
        fault(format!("the agent never {what}"));
    }
    if expect.absent.is_some() && seen.found_absent {
        fault(format!("`{}` is there", expect.absent.as_deref().unwrap_or_default()));
    }
}

fn place(case: &Case) -> &'static str {
    match case.expect.agent.cwd {
        Some(WorkingDir::Inherit) => "the caller's own directory",
        _ => "the directory of the call",
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn short(text: &str) -> String {
    if text.chars().count() <= 60 {
        return format!("{text:?}");
    }
    format!("{:?}…", text.chars().take(60).collect::<String>())
}
