//! STUB until the policy room is merged: just enough of its interface to build `snapshot` and `cli` against.

use std::path::Path;

use crate::model::source::SourceError;
use crate::model::{Finding, Launch, Severity, Verdict};

/// What is known about an agent's command line.
#[derive(Clone, Debug)]
pub struct Dialect {
    id: String,
    name: String,
    program: String,
    forbidden: Vec<String>,
}

impl Dialect {
    /// The agent's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The product's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The executable's name.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The version of the agent that the table describes.
    #[must_use]
    pub fn version(&self) -> &str {
        "stub"
    }

    /// Every spelling that must not appear.
    pub fn forbidden(&self) -> impl Iterator<Item = &str> {
        self.forbidden.iter().map(String::as_str)
    }
}

/// Every dialect that is known.
#[derive(Clone, Debug)]
pub struct Dialects(Vec<Dialect>);

impl Dialects {
    /// The dialects in the binary.
    #[must_use]
    pub fn builtin() -> Self {
        let forbidden = [
            "--dangerously-skip-permissions",
            "--dangerously-bypass-approvals-and-sandbox",
            "--yolo",
            "--allow-all-tools",
        ];
        Self(
            crate::agents::Agent::ALL
                .into_iter()
                .map(|agent| Dialect {
                    id: agent.id().to_owned(),
                    name: agent.display_name().to_owned(),
                    program: agent.program().to_owned(),
                    forbidden: forbidden.iter().map(|&flag| flag.to_owned()).collect(),
                })
                .collect(),
        )
    }

    /// Adds a user's own dialect.
    ///
    /// # Errors
    ///
    /// The first fault in the text.
    pub fn add(&mut self, path: &Path, text: &str) -> Result<(), SourceError> {
        let _ = &self.0;
        Err(SourceError::new(path, text, 0..0, "the stub reads no dialects"))
    }

    /// The dialect of this agent.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Dialect> {
        self.0.iter().find(|dialect| dialect.id == id)
    }
}

/// What came of holding a launch against its agent's flag table.
#[derive(Clone, Debug)]
pub struct FlagReport {
    /// What a person should know.
    pub findings: Vec<Finding>,
    /// The verdict.
    pub verdict: Verdict,
    /// How many forbidden spellings were looked for.
    pub forbidden_checked: usize,
}

/// Holds a launch against its agent's flag table.
#[must_use]
pub fn check_flags(launch: &Launch, dialects: &Dialects) -> FlagReport {
    let forbidden: Vec<String> =
        dialects.get(&launch.agent).map(|dialect| dialect.forbidden.clone()).unwrap_or_default();
    let findings: Vec<Finding> = launch
        .argv
        .iter()
        .enumerate()
        .filter(|(_, word)| forbidden.contains(word) || launch.never.contains(word))
        .map(|(at, word)| Finding {
            code: "forbidden-flag".to_owned(),
            severity: Severity::Error,
            launch: launch.name.clone(),
            agent: launch.agent.clone(),
            arg: Some(at),
            text: word.clone(),
            message: "takes the boundary away".to_owned(),
            fix: "remove it".to_owned(),
        })
        .collect();
    let verdict = if findings.is_empty() { Verdict::Held } else { Verdict::Broken };
    FlagReport { findings, verdict, forbidden_checked: forbidden.len() + launch.never.len() }
}

/// A word of the argv that is a list of patterns: `prefix` and the patterns joined with `separator` are the word.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PatternList {
    /// The word's index in the argv.
    pub arg: usize,
    /// What stands before the first pattern, for example `--allowed-tools=`.
    pub prefix: String,
    /// What stands between two patterns.
    pub separator: String,
    /// The patterns.
    pub patterns: Vec<String>,
}

/// The words of a launch that are lists of patterns.
#[must_use]
pub fn pattern_lists(launch: &Launch, _dialects: &Dialects) -> Vec<PatternList> {
    let flags = ["--allowed-tools", "--allowedTools", "--allow-tool", "--deny-tool", "-t", "--tools"];
    let mut lists = Vec::new();
    for (at, pair) in launch.argv.windows(2).enumerate() {
        if flags.contains(&pair[0].as_str()) {
            lists.push(PatternList {
                arg: at + 1,
                prefix: String::new(),
                separator: ",".to_owned(),
                patterns: pair[1].split(',').map(str::to_owned).collect(),
            });
        }
    }
    lists
}
