//! `argvow check`: everything that needs no real agent.

use std::time::Instant;

use serde_json::json;

use crate::cli::error::CliError;
use crate::cli::options;
use crate::cli::policy_file::Declared;
use crate::cli::project::Project;
use crate::cli::session::{Session, elapsed_ms};
use crate::cli::suite;
use crate::model::{Check, Event, Exit, Finding, Launch, Measurement, Severity, Verdict, VerdictEvent};
use crate::policy::check_flags;
use crate::report::shorten;
use crate::snapshot::{Comparison, Store, StoreError, compare, render, unified_diff};
use crate::suite::Stop;

/// Runs the verb. Gives back the exit code and what could not be written.
pub(crate) fn run(
    options: &options::Run,
    names: &[String],
    stop: &Stop,
) -> Result<(Exit, Vec<String>), CliError> {
    let project = Project::load(options.common.config.as_deref())?;
    let mut place = 0;
    let launches = options.selection.keep(project.named(names)?, &mut place, |launch| launch.name());
    let plan = if names.is_empty() {
        suite::plan(&project, &project.subjects, options, &mut place)
    } else {
        Vec::new()
    };
    let mut session = Session::open(options, &project.baseline)?;
    let orphans =
        if names.is_empty() && options.selection.is_everything() { orphans(&project) } else { Vec::new() };
    session.start(&project.edition, 2 * launches.len() + orphans.len() + suite::count(&plan));
    if project.store == Store::Embedded {
        session.remark(
            "no-policy-file",
            Severity::Note,
            "",
            "there is no argvow.toml here: these are argvow's own launches and its own runner, not yours"
                .to_owned(),
            "write one; with `--config argvow.toml` a missing file is an error",
        );
    }
    for launch in launches {
        if stop.is_stopped() {
            break;
        }
        match launch {
            Declared::Launch(launch) => check_launch(&project, launch, &mut session),
            Declared::Record { name, agent, .. } => not_recorded(name, agent, &mut session),
        }
    }
    for orphan in orphans {
        session.event(Event::Verdict(orphan));
    }
    if names.is_empty() && options.selection.is_everything() && project.subjects.is_empty() {
        session.remark(
            "suite-not-run",
            Severity::Note,
            "",
            "the policy file declares no subject, so no runner was tested".to_owned(),
            "add `[subject.builtin]` with `builtin = true`, or your own runner",
        );
    }
    suite::run_plan(&plan, options, stop, &mut session);
    Ok(session.finish(stop, &project.known_ids()))
}

fn check_launch(project: &Project, launch: &Launch, session: &mut Session<'_>) {
    let (snapshot, outdated) = check_snapshot(project, launch);
    session.event(Event::Verdict(snapshot));

    let started = Instant::now();
    let report = check_flags(launch, &project.dialects);
    // What keeps the verdict from being held: errors break it, warnings leave it open.
    let worst = match report.verdict {
        Verdict::Broken => Severity::Error,
        _ => Severity::Warning,
    };
    let reasons: Vec<&Finding> = report.findings.iter().filter(|finding| finding.severity == worst).collect();
    let mut detail: Vec<String> = reasons
        .iter()
        .map(|finding| match finding.arg {
            Some(at) => format!("argument {at} ({}): {}", shorten(&finding.text, 120), finding.message),
            None => finding.message.clone(),
        })
        .collect();
    if detail.is_empty() {
        detail.push(format!("none of {} forbidden spellings", report.forbidden_checked));
    }
    let dialect = project.dialects.get(&launch.agent).map(|dialect| dialect.version());
    session.event(Event::Verdict(VerdictEvent {
        check: Check::Flag,
        id: launch.name.clone(),
        subject: launch.set.clone(),
        agent: Some(launch.agent.clone()),
        verdict: report.verdict,
        code: reasons.first().map(|finding| finding.code.clone()),
        detail: detail.join("\n"),
        elapsed_ms: elapsed_ms(started),
        evidence: json!({ "forbidden_checked": report.forbidden_checked, "dialect_version": dialect }),
    }));
    for finding in report.findings {
        session.event(Event::Finding(finding));
    }
    session.event(Event::Finding(measured_boundary(launch)));
    if let Some(finding) = outdated {
        session.event(Event::Finding(finding));
    }
}

fn check_snapshot(project: &Project, launch: &Launch) -> (VerdictEvent, Option<Finding>) {
    let started = Instant::now();
    let now = render(launch, &project.dialects, &[]);
    let path = project.store.path(&launch.name);
    let accept = match project.store {
        Store::Dir(_) => format!("review it, then run `argvow accept {}`", launch.name),
        Store::Embedded => "this binary and its built-in snapshots disagree".to_owned(),
    };
    let mut outdated = None;
    let (verdict, code, detail) = match project.store.read(&launch.name) {
        Ok(None) => (
            Verdict::Broken,
            Some("snapshot-missing"),
            format!("there is no {}: {accept}\n{}", path.display(), unified_diff("", &now)),
        ),
        Ok(Some(reviewed)) => match compare(&reviewed, &now) {
            Comparison::Same => (Verdict::Held, None, String::new()),
            Comparison::Outdated { diff } => {
                outdated = Some(finding(
                    launch,
                    "snapshot-outdated",
                    Severity::Warning,
                    "the launch is as reviewed; what is known about it has changed since".to_owned(),
                    diff,
                    format!("run `argvow accept {}`", launch.name),
                ));
                (Verdict::Held, None, String::new())
            }
            Comparison::Differs { diff } => (
                Verdict::Broken,
                Some("snapshot-differs"),
                format!("the launch is not the one in {}: {accept}\n{diff}", path.display()),
            ),
        },
        Err(error @ StoreError::Corrupt { .. }) => {
            (Verdict::Broken, Some("snapshot-unreadable"), format!("{error}: {accept}"))
        }
        Err(error) => (
            Verdict::Broken,
            Some("snapshot-unreadable"),
            format!("{error}: make it a file that can be read, in a directory that can be entered"),
        ),
    };
    let event = VerdictEvent {
        check: Check::Snapshot,
        id: launch.name.clone(),
        subject: launch.set.clone(),
        agent: Some(launch.agent.clone()),
        verdict,
        code: code.map(str::to_owned),
        detail,
        elapsed_ms: elapsed_ms(started),
        evidence: json!({
            "argv": launch.argv,
            "claimed": launch.boundary,
            "measured": measured_word(launch),
            "measured_version": launch.assessment.version,
            "measured_in_words": launch.assessment.in_words(),
            "notes": launch.assessment.notes,
        }),
    };
    (event, outdated)
}

/// A measurement in one word, spelled as verdicts are.
pub(crate) fn measured_word(launch: &Launch) -> &'static str {
    match launch.assessment.measurement {
        Measurement::Held => "held",
        Measurement::Broken { .. } => "broken",
        Measurement::NotEnforced { .. } => "not-enforced",
        Measurement::NotMeasured => "not-measured",
    }
}

/// A claim never stands alone: this says what was measured about it.
fn measured_boundary(launch: &Launch) -> Finding {
    let overclaims = match launch.assessment.measurement {
        Measurement::Broken { .. } => true,
        Measurement::NotEnforced { .. } => launch.boundary.is_enforced(),
        Measurement::Held | Measurement::NotMeasured => false,
    };
    let severity = if overclaims { Severity::Warning } else { Severity::Note };
    let claimed = launch.boundary.as_str();
    let fix = match launch.assessment.measurement {
        Measurement::Held => "",
        _ => "take this launch for no boundary: run it where what it can reach may be changed",
    };
    finding(
        launch,
        "measured-boundary",
        severity,
        format!("claims {claimed}; measured: {}", launch.assessment.in_words()),
        claimed.to_owned(),
        fix.to_owned(),
    )
}

fn finding(
    launch: &Launch,
    code: &str,
    severity: Severity,
    message: String,
    text: String,
    fix: String,
) -> Finding {
    Finding {
        code: code.to_owned(),
        severity,
        launch: launch.name.clone(),
        agent: launch.agent.clone(),
        arg: None,
        text,
        message,
        fix,
    }
}

fn not_recorded(name: &str, agent: &str, session: &mut Session<'_>) {
    for check in [Check::Snapshot, Check::Flag] {
        session.event(Event::Verdict(VerdictEvent {
            check,
            id: name.to_owned(),
            subject: "policy".to_owned(),
            agent: Some(agent.to_owned()),
            verdict: Verdict::Inconclusive,
            code: Some("not-recorded".to_owned()),
            detail: "this version does not record yet: write the launch's `argv` into the policy file"
                .to_owned(),
            elapsed_ms: 0,
            evidence: json!({}),
        }));
    }
}

/// Snapshots that no launch answers to. A launch that was removed would leave the check in silence otherwise: its
/// snapshot has to go too, and that is what a reviewer sees.
fn orphans(project: &Project) -> Vec<VerdictEvent> {
    // What cannot be listed cannot be read either, and each launch says so.
    let names = project.store.names().unwrap_or_default();
    let orphaned =
        names.into_iter().filter(|name| !project.launches.iter().any(|launch| launch.name() == name));
    orphaned
        .map(|name| VerdictEvent {
            check: Check::Snapshot,
            subject: "policy".to_owned(),
            agent: None,
            verdict: Verdict::Broken,
            code: Some("snapshot-orphaned".to_owned()),
            detail: format!(
                "{} was reviewed, and no launch has this name any more: bring the launch back, or delete the file",
                project.store.path(&name).display()
            ),
            elapsed_ms: 0,
            evidence: json!({}),
            id: name,
        })
        .collect()
}
