//! One call of a runner and its answer, as they go over the host's standard streams: one line of JSON each.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Outcome;

/// What a runner is asked to do.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Program first.
    pub argv: Vec<String>,
    /// The prompt, once.
    pub prompt: String,
    /// How many times the prompt stands on the agent's standard input.
    pub prompt_repeat: u32,
    /// The deadline in milliseconds.
    pub timeout_ms: u64,
    /// The agent's working directory; `null` inherits.
    pub working_dir: Option<PathBuf>,
    /// The most bytes of completion that may be taken in; `null` is the runner's own default.
    pub stdout_cap: Option<u64>,
    /// The call is cancelled before it begins.
    pub cancelled: bool,
    /// How many such calls are made at once, each on a thread of its own. `{index}` in the prompt is the number of
    /// the call, from 0. An answer follows for each.
    #[serde(default = "one")]
    pub at_once: u32,
    /// Whether the line `cancel` cancels only the calls with odd numbers.
    #[serde(default)]
    pub cancels_half: bool,
}

fn one() -> u32 {
    1
}

impl Call {
    /// The whole prompt.
    #[must_use]
    pub fn whole_prompt(&self) -> String {
        self.prompt.repeat(self.prompt_repeat as usize)
    }

    /// The call with this number among those made at once.
    #[must_use]
    pub fn numbered(&self, index: u32) -> Self {
        Self { prompt: self.prompt.replace("{index}", &index.to_string()), at_once: 1, ..self.clone() }
    }

    /// The deadline.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

/// How it ended, as the runner tells its caller.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The kind of ending.
    pub outcome: Outcome,
    /// The completion, or what there was of it when the call was cut short.
    #[serde(default)]
    pub completion: Option<String>,
    /// The exit status, where one is reported.
    #[serde(default)]
    pub code: Option<i32>,
    /// The signal, where one is reported.
    #[serde(default)]
    pub signal: Option<i32>,
    /// What is reported of standard error.
    #[serde(default)]
    pub stderr: String,
    /// Which of the calls made at once it answers.
    #[serde(default)]
    pub index: u32,
}

impl Answer {
    /// An answer that says nothing more than how it ended.
    #[must_use]
    pub fn of(outcome: Outcome) -> Self {
        Self { outcome, completion: None, code: None, signal: None, stderr: String::new(), index: 0 }
    }
}
