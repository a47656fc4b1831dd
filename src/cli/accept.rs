//! `argvow accept`: shows what changed, then makes it the reviewed state.

use std::collections::BTreeSet;

use crate::cli::error::CliError;
use crate::cli::options::Common;
use crate::cli::policy_file::Declared;
use crate::cli::project::Project;
use crate::model::{Exit, Severity, Verdict};
use crate::policy::check_flags;
use crate::report::{Output, Verbosity, escape, escape_lines, style};
use crate::snapshot::{Store, accept, render};

/// Runs the verb.
pub(crate) fn run(
    options: &Common,
    names: &[String],
    reason: Option<&str>,
    out: &mut Output,
) -> Result<Exit, CliError> {
    let project = Project::load(options.config.as_deref())?;
    let Store::Dir(dir) = &project.store else {
        return Err(CliError::Usage(
            "there is no policy file here, and the built-in snapshots are part of argvow: write an argvow.toml with \
             `argvow = 1`, an `edition` and your launches, then accept those"
                .to_owned(),
        ));
    };
    if reason.is_some_and(|reason| reason.trim().is_empty()) {
        return Err(CliError::Usage("--reason is empty: say why the change is right".to_owned()));
    }
    let launches = project.named(names)?;
    if launches.is_empty() {
        out.print("the policy file has no launch: nothing to accept\n");
        return Ok(Exit::Nothing);
    }
    let (mut written, mut unrecorded) = (0, 0);
    for declared in &launches {
        let launch = match declared {
            Declared::Launch(launch) => launch,
            Declared::Record { name, .. } => {
                unrecorded += 1;
                out.print(&format!("{name}: this version does not record yet; nothing was written\n"));
                continue;
            }
        };
        // A reason belongs to a change, or to a launch that was named: not to every launch of the file.
        let changed = match project.store.read(&launch.name) {
            Ok(Some(old)) => render(launch, &project.dialects, old.reasons()) != old.body(),
            _ => true,
        };
        let reason = reason.filter(|_| changed || !names.is_empty());
        let accepted = accept(&project.store, launch, &project.dialects, reason)?;
        if accepted.diff.is_empty() {
            if options.verbosity > Verbosity::Quiet {
                out.print(&format!("{}: as reviewed\n", launch.name));
            }
            continue;
        }
        written += 1;
        let what = if accepted.new { "new snapshot" } else { "accepted" };
        out.print(&format!("{}: {what}\n{}", launch.name, coloured(&accepted.diff)));
    }
    for declared in &launches {
        if let Declared::Launch(launch) = declared {
            let report = check_flags(launch, &project.dialects);
            if report.verdict != Verdict::Held {
                let codes: BTreeSet<&str> = report
                    .findings
                    .iter()
                    .filter(|finding| finding.severity > Severity::Note)
                    .map(|finding| finding.code.as_str())
                    .collect();
                let codes = codes.into_iter().collect::<Vec<_>>().join(", ");
                out.print(&format!(
                    "{}: `argvow check` will not pass all the same: flags {} ({codes})\n",
                    launch.name,
                    report.verdict.as_str()
                ));
            }
        }
    }
    if options.verbosity > Verbosity::Quiet {
        let dir = dir.display().to_string();
        out.print(&format!("{written} of {} snapshots written in {}\n", launches.len(), escape(&dir)));
    }
    Ok(if unrecorded > 0 { Exit::Inconclusive } else { Exit::Held })
}

fn coloured(diff: &str) -> String {
    let mut text = String::new();
    for line in escape_lines(diff).lines() {
        let style = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => style::HEAD,
            [b'+', ..] => style::GOOD,
            [b'-', ..] => style::BAD,
            _ => anstyle::Style::new(),
        };
        text.push_str(&format!("  {style}{line}{style:#}\n"));
    }
    text
}
