//! The result of one check. Never a bool: what could not be observed must never look green.

use serde::{Deserialize, Serialize};

/// What a check found out.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The act was attempted, its effect is absent, and the observer is known to see it when it happens.
    Held,
    /// The effect was seen, or the right behaviour was not.
    Broken,
    /// Nothing enforces this, and that is disclosed.
    NotEnforced,
    /// The check could not observe what it is about. Never a pass.
    Inconclusive,
    /// The subject declared that it lacks what this check is about.
    NotApplicable,
}

impl Verdict {
    /// The word used in events and in print.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Broken => "broken",
            Self::NotEnforced => "not-enforced",
            Self::Inconclusive => "inconclusive",
            Self::NotApplicable => "not-applicable",
        }
    }
}

/// What kind of check a verdict comes from.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// A launch against its reviewed snapshot.
    Snapshot,
    /// A launch against its agent's flag table.
    Flag,
    /// What a launch allows against what it is meant to allow.
    Grant,
    /// A fake agent against a runner.
    Case,
    /// A fake agent against an ACP client.
    Acp,
    /// The real agent, driven by a scripted model.
    Probe,
}

impl Check {
    /// The word used in events and in print.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Flag => "flag",
            Self::Grant => "grant",
            Self::Case => "case",
            Self::Acp => "acp",
            Self::Probe => "probe",
        }
    }
}
