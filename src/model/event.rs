//! What a run says, one event at a time. Every output format is rendered from these and from nothing else.

use serde::{Deserialize, Serialize};

use crate::model::{Check, Exit, Verdict};

/// One line of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The run begins.
    Start(Start),
    /// A check ended.
    Verdict(VerdictEvent),
    /// Something about a launch that a person should know.
    Finding(Finding),
    /// A capability that a launch gives.
    Grant(Grant),
    /// The run is over. Always the last event.
    Summary(Summary),
}

impl Event {
    /// The event as one line of JSON without its line feed: `{"v":1,"event":…}`.
    ///
    /// # Errors
    ///
    /// When serialisation fails, which plain data does not.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let body = serde_json::to_string(self)?;
        Ok(format!("{{\"v\":1,{}", body.strip_prefix('{').unwrap_or(&body)))
    }
}

/// What is about to run.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Start {
    /// The version of argvow.
    pub argvow: String,
    /// The edition of the catalogue.
    pub edition: String,
    /// How many verdicts will follow.
    pub selected: usize,
}

/// The verdict of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerdictEvent {
    /// What kind of check it was.
    pub check: Check,
    /// Which one: a launch's name, `area/name` for cases.
    pub id: String,
    /// What was judged: the launch set, or the subject.
    pub subject: String,
    /// The agent's id, where there is one.
    pub agent: Option<String>,
    /// What was found out.
    pub verdict: Verdict,
    /// The code to ask `argvow explain` about, where there is one.
    pub code: Option<String>,
    /// One sentence for a person, or several lines (a diff).
    pub detail: String,
    /// How long the check took, in milliseconds.
    pub elapsed_ms: u64,
    /// What the verdict rests on.
    pub evidence: serde_json::Value,
}

/// How bad a finding is. Only an error breaks a launch.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Must be known, need not be changed.
    Note,
    /// Leaves something open that cannot be proven closed.
    Warning,
    /// Breaks the launch.
    Error,
}

/// Something about one word of a launch.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Finding {
    /// Stable, kebab-case; `argvow explain CODE` tells more.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// The launch's name.
    pub launch: String,
    /// The agent's id.
    pub agent: String,
    /// The word's index in the argv, the program being 0; `None` when the finding is about no single word.
    pub arg: Option<usize>,
    /// The word, or the `NAME=value` of the environment.
    pub text: String,
    /// What is the matter, in one sentence.
    pub message: String,
    /// What to do about it, in one sentence.
    pub fix: String,
}

/// What a launch can make happen.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Read files of the repository.
    ReadRepo,
    /// Read any file of the user.
    ReadAnywhere,
    /// Read environment variables, and so secrets kept there.
    EnvRead,
    /// Write or delete files.
    Write,
    /// Run a program of its own choice.
    Exec,
    /// Open a connection.
    Network,
    /// Change refs, configuration or remotes of a repository.
    VcsMutate,
    /// Hand work to another agent or server with a boundary of its own.
    Delegate,
}

/// What a capability takes besides the argv.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Nothing: the pattern alone suffices.
    Argv,
    /// A file in the checkout.
    NeedsFile,
    /// Hostile configuration or environment.
    NeedsConfig,
}

/// A capability that a launch gives, with the command that proves it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Grant {
    /// The launch's name.
    pub launch: String,
    /// The agent's id.
    pub agent: String,
    /// What can happen.
    pub capability: Capability,
    /// What else it takes.
    pub tier: Tier,
    /// The word or pattern that gives it.
    pub because: String,
    /// The tool call or command that exercises it.
    pub witness: String,
    /// The version of the agent or tool it was measured on.
    pub measured: String,
}

/// The count of verdicts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Summary {
    /// How many held.
    pub held: usize,
    /// How many are broken.
    pub broken: usize,
    /// How many are a disclosed absence.
    pub not_enforced: usize,
    /// How many could not be observed.
    pub inconclusive: usize,
    /// How many the subject declared it lacks.
    pub not_applicable: usize,
    /// The exit code of the run.
    pub exit: u8,
}

impl Summary {
    /// Counts one verdict.
    pub fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Held => self.held += 1,
            Verdict::Broken => self.broken += 1,
            Verdict::NotEnforced => self.not_enforced += 1,
            Verdict::Inconclusive => self.inconclusive += 1,
            Verdict::NotApplicable => self.not_applicable += 1,
        }
    }

    /// How many verdicts were counted.
    #[must_use]
    pub fn total(&self) -> usize {
        self.held + self.broken + self.not_enforced + self.inconclusive + self.not_applicable
    }

    /// The exit that these counts amount to: broken wins over inconclusive; nothing counted is
    /// [`Exit::Nothing`].
    #[must_use]
    pub fn verdict_exit(&self) -> Exit {
        if self.broken > 0 {
            Exit::Broken
        } else if self.inconclusive > 0 {
            Exit::Inconclusive
        } else if self.total() > 0 {
            Exit::Held
        } else {
            Exit::Nothing
        }
    }
}
