//! STUB until the policy room is merged: just enough of its interface to build `snapshot` and `cli` against.

use std::path::Path;

use serde::Serialize;

use crate::agents::Agent;
use crate::model::source::SourceError;
use crate::model::{Finding, Launch, Severity, Verdict};

/// What a finding about a launch is about.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Code {
    /// A flag gives the boundary away.
    ForbiddenFlag,
}

impl Code {
    /// Every code.
    pub const ALL: &[Self] = &[Self::ForbiddenFlag];

    /// The code as it stands in events.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        "forbidden-flag"
    }

    /// What was found.
    #[must_use]
    pub fn title(self) -> &'static str {
        "A flag that gives the boundary away"
    }

    /// Why it matters.
    #[must_use]
    pub fn explanation(self) -> &'static str {
        "Some flags switch the boundary off."
    }

    /// What to do about it.
    #[must_use]
    pub fn fix(self) -> &'static str {
        "Remove the word."
    }
}

/// What a flag does to the boundary.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Gives it away.
    Forbidden,
}

/// One flag.
#[derive(Clone, Debug)]
pub struct Flag(String);

impl Flag {
    /// Every spelling.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [self.0.as_str()].into_iter()
    }

    /// What it does to the boundary.
    #[must_use]
    pub fn class(&self) -> Class {
        Class::Forbidden
    }

    /// The same in one sentence.
    #[must_use]
    pub fn why(&self) -> &str {
        let _ = &self.0;
        "takes the boundary away"
    }
}

/// What is known about an agent's command line.
#[derive(Clone, Debug)]
pub struct Dialect {
    id: String,
    name: String,
    program: String,
    forbidden: Vec<Flag>,
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
        let _ = &self.id;
        "stub"
    }

    /// Everything that gives the boundary away.
    #[must_use]
    pub fn forbidden(&self) -> Vec<String> {
        self.forbidden.iter().map(|flag| flag.0.clone()).collect()
    }

    /// The flag with this spelling.
    #[must_use]
    pub fn flag(&self, spelling: &str) -> Option<&Flag> {
        self.forbidden.iter().find(|flag| flag.0 == spelling)
    }

    /// Every flag.
    #[must_use]
    pub fn flags(&self) -> &[Flag] {
        &self.forbidden
    }
}

/// Every dialect that is known.
#[derive(Clone, Debug)]
pub struct Dialects(Vec<Dialect>);

impl Dialects {
    /// The dialects in the binary.
    ///
    /// # Errors
    ///
    /// When an embedded file is wrong.
    pub fn builtin() -> Result<Self, SourceError> {
        let forbidden = [
            "--dangerously-skip-permissions",
            "--dangerously-bypass-approvals-and-sandbox",
            "--yolo",
            "--allow-all-tools",
        ];
        Ok(Self(
            Agent::ALL
                .into_iter()
                .map(|agent| Dialect {
                    id: agent.id().to_owned(),
                    name: agent.display_name().to_owned(),
                    program: agent.program().to_owned(),
                    forbidden: forbidden.iter().map(|&flag| Flag(flag.to_owned())).collect(),
                })
                .collect(),
        ))
    }

    /// Adds a user's own dialect.
    ///
    /// # Errors
    ///
    /// The first fault in the text.
    pub fn add(&mut self, path: &Path, text: &str) -> Result<&Dialect, SourceError> {
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
    let forbidden = dialects.get(&launch.agent).map(Dialect::forbidden).unwrap_or_default();
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

/// A word, cut into patterns.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Patterns {
    /// What stands between two patterns.
    pub separator: char,
    /// The patterns.
    pub patterns: Vec<String>,
    /// Whether there is no other way to cut it.
    pub certain: bool,
}

/// A pattern list of an argv.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PatternList {
    /// The index of the word that it stands in.
    pub word: usize,
    /// What stands before the list in the same word.
    pub prefix: String,
    /// The list.
    pub patterns: Patterns,
}

/// An argv, read.
#[derive(Clone, Debug)]
pub struct ParsedArgv(Vec<String>);

impl ParsedArgv {
    /// The pattern lists.
    #[must_use]
    pub fn pattern_lists(&self, _dialect: &Dialect) -> Vec<PatternList> {
        let flags = ["--allowed-tools", "--allowedTools", "--allow-tool", "--deny-tool", "-t", "--tools"];
        let mut lists = Vec::new();
        for (at, pair) in self.0.windows(2).enumerate() {
            if flags.contains(&pair[0].as_str()) {
                lists.push(PatternList {
                    word: at + 1,
                    prefix: String::new(),
                    patterns: Patterns {
                        separator: ',',
                        patterns: pair[1].split(',').map(str::to_owned).collect(),
                        certain: true,
                    },
                });
            }
        }
        lists
    }
}

/// Reads an argv.
#[must_use]
pub fn parse(_dialect: &Dialect, argv: &[String]) -> ParsedArgv {
    ParsedArgv(argv.to_vec())
}
