//! `argvow suite`, and the suite's part of `argvow check`: cases against the declared subjects.

use serde_json::json;

use crate::cli::error::CliError;
use crate::cli::options;
use crate::cli::policy_file::{Runner, Subject};
use crate::cli::project::Project;
use crate::cli::select::did_you_mean;
use crate::cli::session::Session;
use crate::model::case::{Case, Level};
use crate::model::{Check, Event, Exit, Verdict, VerdictEvent};
use crate::suite::{self, Stop};

/// What one subject is held to.
#[derive(Debug)]
pub(crate) enum Planned<'a> {
    /// Cases against argvow's own runner.
    Builtin(Vec<&'a Case>),
    /// A subject that this version cannot run.
    Unsupported(&'a Subject),
}

/// Runs the verb. Gives back the exit code and what could not be written.
pub(crate) fn run(
    options: &options::Run,
    subject: Option<&str>,
    stop: &Stop,
) -> Result<(Exit, Vec<String>), CliError> {
    let project = Project::load(options.common.config.as_deref())?;
    let builtin = Subject { name: "builtin".to_owned(), runner: Runner::Builtin };
    let chosen = match subject {
        None if project.subjects.is_empty() => vec![builtin],
        None => project.subjects.clone(),
        Some(name) => {
            let declared = project.subjects.iter().find(|subject| subject.name == name).cloned();
            match declared.or_else(|| (name == "builtin").then_some(builtin)) {
                Some(subject) => vec![subject],
                None => {
                    let known = project.subjects.iter().map(|subject| &*subject.name).chain(["builtin"]);
                    return Err(CliError::Usage(format!(
                        "there is no subject `{name}`{}",
                        did_you_mean(name, known)
                    )));
                }
            }
        }
    };
    let plan = plan(&project, &chosen, options, &mut 0);
    let mut session = Session::open(options, &project.baseline)?;
    session.start(&project.edition, count(&plan));
    run_plan(&plan, options, stop, &mut session);
    Ok(session.finish(stop, &project.known_ids()))
}

/// What will be run. `place` counts for shards.
pub(crate) fn plan<'a>(
    project: &'a Project,
    subjects: &'a [Subject],
    options: &options::Run,
    place: &mut usize,
) -> Vec<Planned<'a>> {
    let mut plan = Vec::new();
    let mut builtin = false;
    for subject in subjects {
        match subject.runner {
            // The same runner under two names is still one.
            Runner::Builtin if builtin => {}
            Runner::Builtin => {
                builtin = true;
                let counts = |case: &&Case| {
                    (options.strict || case.level == Level::Must) && case.since <= project.edition
                };
                let cases: Vec<&Case> = project.catalogue.cases().filter(counts).collect();
                let cases = options.selection.keep(cases, place, |case| &case.id);
                if !cases.is_empty() {
                    plan.push(Planned::Builtin(cases));
                }
            }
            Runner::Command(_) | Runner::Adapter(_) => {
                let kept = options.selection.keep(vec![subject], place, |subject| &subject.name);
                plan.extend(kept.into_iter().map(Planned::Unsupported));
            }
        }
    }
    plan
}

/// How many verdicts the plan gives.
pub(crate) fn count(plan: &[Planned<'_>]) -> usize {
    plan.iter()
        .map(|planned| match planned {
            Planned::Builtin(cases) => cases.len(),
            Planned::Unsupported(_) => 1,
        })
        .sum()
}

/// Runs the plan.
pub(crate) fn run_plan(plan: &[Planned<'_>], options: &options::Run, stop: &Stop, session: &mut Session<'_>) {
    for planned in plan {
        if stop.is_stopped() {
            break;
        }
        match planned {
            Planned::Builtin(cases) => {
                let result = suite::run(cases, &options.suite, stop, &mut |event| session.event(event));
                if let Err(error) = result {
                    session.event(unknown("builtin", "suite-not-prepared", error.to_string()));
                }
            }
            Planned::Unsupported(subject) => session.event(unknown(
                &subject.name,
                "subject-unsupported",
                "this version runs only the built-in runner: no case was run against this subject".to_owned(),
            )),
        }
    }
}

/// What is said about a subject that no case was run against.
fn unknown(subject: &str, code: &str, detail: String) -> Event {
    Event::Verdict(VerdictEvent {
        check: Check::Case,
        id: subject.to_owned(),
        subject: subject.to_owned(),
        agent: None,
        verdict: Verdict::Inconclusive,
        code: Some(code.to_owned()),
        detail,
        elapsed_ms: 0,
        evidence: json!({}),
    })
}
