//! The check of a launch against its agent's flag table: runs every rule and sums them up in a verdict.

use crate::model::{Finding, Launch, Severity, Verdict};
use crate::policy::code::Code;
use crate::policy::dialect::{Dialect, Dialects};
use crate::policy::parse::{ParsedArgv, parse};
use crate::policy::rules;

/// What the flag table says about a launch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FlagReport {
    /// The launch's name.
    pub launch: String,
    /// The agent's id.
    pub agent: String,
    /// The version that the table describes; `None` when there is no table.
    pub version: Option<String>,
    /// What was found, in the order of the words; what is about no single word comes last.
    pub findings: Vec<Finding>,
    /// Broken by an error; inconclusive while a warning leaves something open; else held.
    pub verdict: Verdict,
    /// How many ways to give the boundary away were looked for.
    pub forbidden_checked: usize,
    /// The argv, read; `None` when there is no table.
    pub parsed: Option<ParsedArgv>,
}

/// Holds a launch against the flag table of its agent.
#[must_use]
pub fn check_flags(launch: &Launch, dialects: &Dialects) -> FlagReport {
    let dialect = dialects.get(&launch.agent);
    let parsed = dialect.map(|dialect| parse(dialect, &launch.argv));
    let mut findings = Findings { launch, found: Vec::new() };
    match (dialect, &parsed) {
        (Some(dialect), Some(parsed)) => {
            rules::run(&Context { launch, dialects, dialect, parsed }, &mut findings);
        }
        _ => rules::without_dialect(launch, dialects, &mut findings),
    }
    let mut found = findings.found;
    found.sort_by_key(|finding| finding.arg.unwrap_or(usize::MAX));
    let worst = found.iter().map(|finding| finding.severity).max();
    FlagReport {
        launch: launch.name.clone(),
        agent: launch.agent.clone(),
        version: dialect.map(|dialect| dialect.version().to_owned()),
        verdict: match worst {
            Some(Severity::Error) => Verdict::Broken,
            Some(Severity::Warning) => Verdict::Inconclusive,
            Some(Severity::Note) | None => Verdict::Held,
        },
        findings: found,
        forbidden_checked: dialect.map_or(0, |dialect| dialect.forbidden().len()),
        parsed,
    }
}

/// What a rule looks at.
pub(crate) struct Context<'a> {
    pub(crate) launch: &'a Launch,
    pub(crate) dialects: &'a Dialects,
    pub(crate) dialect: &'a Dialect,
    pub(crate) parsed: &'a ParsedArgv,
}

impl Context<'_> {
    /// The word at `index`, as it stands in the argv.
    pub(crate) fn word(&self, index: usize) -> &str {
        self.launch.argv.get(index).map_or("", String::as_str)
    }

    /// Whether the launch lists every one of these under its `grants`. A grant of a part, `capability:what`, does not
    /// count: no row of a table knows which part it gives.
    pub(crate) fn means(&self, grants: &[crate::model::Capability]) -> bool {
        grants.iter().all(|capability| {
            let name = serde_json::to_value(capability).unwrap_or_default();
            let name = name.as_str().unwrap_or_default();
            self.launch.grants.iter().any(|grant| grant == name)
        })
    }
}

/// Where rules put what they find.
pub(crate) struct Findings<'a> {
    launch: &'a Launch,
    found: Vec<Finding>,
}

impl Findings<'_> {
    /// Adds a finding with the code's own severity and fix.
    pub(crate) fn add(&mut self, code: Code, arg: Option<usize>, text: &str, message: String) {
        self.add_as(code, code.severity(), arg, text, message, code.fix());
    }

    /// Adds a finding whose severity or fix the table decides.
    pub(crate) fn add_as(
        &mut self,
        code: Code,
        severity: Severity,
        arg: Option<usize>,
        text: &str,
        message: String,
        fix: &str,
    ) {
        self.found.push(Finding {
            code: code.as_str().to_owned(),
            severity,
            launch: self.launch.name.clone(),
            agent: self.launch.agent.clone(),
            arg,
            text: text.to_owned(),
            message,
            fix: fix.to_owned(),
        });
    }
}
