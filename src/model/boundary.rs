//! What is said to enforce read-only, and what was measured about it. The two are always shown together.

use serde::{Deserialize, Serialize};

/// The mechanism that a launch *claims* keeps the agent from changing anything.
///
/// A claim is not a measurement: see [`Assessment`].
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadOnly {
    /// The kernel: namespaces, Landlock, seccomp, set up by the agent for what it runs.
    OsSandbox,
    /// The agent's own permission check against patterns that the argv lists.
    ToolAllowlist,
    /// Whatever the agent does when the argv says nothing.
    AgentDefault,
    /// Nothing. The agent can write, commit and push, and this is disclosed.
    NotEnforced,
}

impl ReadOnly {
    /// Whether anything at all is claimed to enforce the boundary.
    #[must_use]
    pub fn is_enforced(self) -> bool {
        self != Self::NotEnforced
    }

    /// The word used in policy files, snapshots and events.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OsSandbox => "os-sandbox",
            Self::ToolAllowlist => "tool-allowlist",
            Self::AgentDefault => "agent-default",
            Self::NotEnforced => "not-enforced",
        }
    }
}

/// What a real run of the agent showed about a launch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Measurement {
    /// Every attempted act was refused, and the same acts were seen under a control.
    Held,
    /// An act that read-only forbids happened.
    Broken {
        /// What has to be run to see it.
        witness: String,
    },
    /// Nothing enforces read-only, and nothing claims to.
    NotEnforced {
        /// What the agent was seen to do.
        witness: String,
    },
    /// Nobody has run this launch against the real agent.
    NotMeasured,
}

/// A measurement with its source: which version it was seen on, and what a reader must know besides.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Assessment {
    /// What was seen.
    pub measurement: Measurement,
    /// The version of the agent it was seen on; empty when nothing was measured.
    pub version: String,
    /// Facts that do not change the measurement but that a user must not learn by surprise.
    pub notes: Vec<String>,
}

impl Assessment {
    /// The assessment of a launch that nobody has run.
    #[must_use]
    pub fn not_measured() -> Self {
        Self { measurement: Measurement::NotMeasured, version: String::new(), notes: Vec::new() }
    }

    /// One line for a person, for example `BROKEN on 2.1.332: git diff --output=F writes F`.
    #[must_use]
    pub fn in_words(&self) -> String {
        match &self.measurement {
            Measurement::Held => format!("held on {}", self.version),
            Measurement::Broken { witness } => format!("BROKEN on {}: {witness}", self.version),
            Measurement::NotEnforced { witness } => format!("NOT ENFORCED on {}: {witness}", self.version),
            Measurement::NotMeasured => "never: nobody has run this argv against the agent".to_owned(),
        }
    }
}
