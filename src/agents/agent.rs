//! The closed list of agents, and the launches built from each agent's file.

use std::time::Duration;

use crate::agents::profile::Profile;
use crate::agents::{claude_code, codex, copilot, droid, pi};
use crate::model::{Launch, ReadOnly};

/// A coding-agent CLI that argvow knows.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Agent {
    /// Claude Code, `claude`.
    ClaudeCode,
    /// Codex CLI, `codex`.
    Codex,
    /// GitHub Copilot CLI, `copilot`.
    Copilot,
    /// Factory Droid, `droid`.
    Droid,
    /// Pi, `pi`.
    Pi,
}

impl Agent {
    /// Every agent, by id.
    pub const ALL: [Self; 5] = [Self::ClaudeCode, Self::Codex, Self::Copilot, Self::Droid, Self::Pi];

    fn profile(self) -> &'static Profile {
        match self {
            Self::ClaudeCode => &claude_code::PROFILE,
            Self::Codex => &codex::PROFILE,
            Self::Copilot => &copilot::PROFILE,
            Self::Droid => &droid::PROFILE,
            Self::Pi => &pi::PROFILE,
        }
    }

    /// The agent with this id.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.id() == id)
    }

    /// The id in policy files and events, for example `claude-code`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.profile().id
    }

    /// The product's name for a person, for example `Claude Code`.
    #[must_use]
    pub fn display_name(self) -> &'static str {
        self.profile().name
    }

    /// The executable's name, for example `claude`.
    #[must_use]
    pub fn program(self) -> &'static str {
        self.profile().program
    }

    /// What its `v1` launch claims to be kept read-only by. What was measured stands in
    /// [`Launch::assessment`].
    #[must_use]
    pub fn read_only(self) -> ReadOnly {
        self.profile().boundary
    }

    /// Whether anything at all is claimed to enforce read-only.
    #[must_use]
    pub fn is_enforced(self) -> bool {
        self.read_only().is_enforced()
    }

    /// The boundary in words, for example `NOT read-only: it can write, commit and push`.
    #[must_use]
    pub fn boundary_in_words(self) -> &'static str {
        self.profile().in_words
    }

    /// How long the agent needs after TERM to end the children that a KILL would orphan.
    #[must_use]
    pub fn term_grace(self) -> Duration {
        Duration::from_millis(self.profile().term_grace_ms)
    }

    /// The agent's flag table as TOML, the text of `fixtures/agents/<id>.toml`.
    #[must_use]
    pub fn dialect_source(self) -> &'static str {
        self.profile().dialect
    }

    /// The launch that is deployed today, with `{fetch}` where its allowlist names the fetch command.
    #[must_use]
    pub fn v1(self) -> Launch {
        let profile = self.profile();
        let argv = profile.v1.iter().map(|&word| word.to_owned()).collect();
        Launch {
            set: "v1".to_owned(),
            cwd: Some("{repo}".to_owned()),
            env_from: profile.env_from.iter().map(|&name| name.to_owned()).collect(),
            boundary: profile.boundary,
            assessment: (profile.assessment)(),
            ..Launch::new(&format!("v1-{}", profile.id), profile.id, argv)
        }
    }
}
