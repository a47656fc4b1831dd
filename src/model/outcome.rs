//! How one call of a runner ended, in the words that policy files and cases use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kinds of ending that a runner must tell apart.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The agent exited 0 and said something.
    Ok,
    /// The agent exited with another status.
    Failed,
    /// The agent was ended by a signal that the runner did not send.
    Signal,
    /// The agent exited 0 and said nothing but white space.
    Empty,
    /// The deadline passed.
    Timeout,
    /// The caller cancelled.
    Cancelled,
    /// The agent said more than the cap allows.
    TooLarge,
    /// The completion is not UTF-8.
    NotUtf8,
    /// The program could not be started.
    Spawn,
    /// The working directory is missing or cannot be entered.
    WorkingDir,
    /// Talking to the agent failed in another way.
    Io,
}

impl Outcome {
    /// The word used in files and events.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Signal => "signal",
            Self::Empty => "empty",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::TooLarge => "too-large",
            Self::NotUtf8 => "not-utf8",
            Self::Spawn => "spawn",
            Self::WorkingDir => "working-dir",
            Self::Io => "io",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
