//! A launch: the one value that is shown, snapshotted, checked and executed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Assessment, ReadOnly};

/// How the prompt reaches the agent.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptChannel {
    /// Written to the agent's standard input, which is then closed.
    #[default]
    Stdin,
    /// A word of the argv.
    Argument,
    /// A file that a word of the argv names.
    File,
}

impl PromptChannel {
    /// The word used in policy files and snapshots.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdin => "stdin",
            Self::Argument => "argument",
            Self::File => "file",
        }
    }
}

/// Where the completion comes from.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum CompletionChannel {
    /// The agent's standard output.
    #[default]
    Stdout,
    /// A file, written with a placeholder where a machine keeps it, for example `{file}`.
    File(String),
    /// The caller takes no completion.
    None,
}

impl CompletionChannel {
    /// The word used in policy files and snapshots.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stdout => "stdout",
            Self::File(path) => path,
            Self::None => "none",
        }
    }
}

/// Program, arguments, prompt channel, working directory and environment of one agent process.
///
/// Words may hold placeholders such as `{fetch}` or `{repo}` where a machine keeps things. The same value is
/// rendered into the snapshot, held against the flag table and, with its placeholders filled in, executed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Launch {
    /// Unique in its policy; also the name of the snapshot file.
    pub name: String,
    /// The set it belongs to: `v1` for the built-in launches, `policy` for a policy file's own.
    pub set: String,
    /// The agent's id, for example `claude-code`.
    pub agent: String,
    /// Program first, one element a word. Never empty.
    pub argv: Vec<String>,
    /// How the prompt reaches the agent.
    pub prompt: PromptChannel,
    /// Where the completion comes from.
    pub completion: CompletionChannel,
    /// The working directory; `None` inherits the caller's.
    pub cwd: Option<String>,
    /// Variables that the launch sets.
    pub env: BTreeMap<String, String>,
    /// Names of variables that pass from the caller.
    pub env_from: Vec<String>,
    /// Files that the launch hands to the agent.
    pub files: Vec<String>,
    /// What is claimed to enforce read-only.
    pub boundary: ReadOnly,
    /// What was measured about that claim.
    pub assessment: Assessment,
    /// What the launch is meant to allow.
    pub grants: Vec<String>,
    /// Words that must not appear, on top of the agent's own forbidden flags.
    pub never: Vec<String>,
    /// Whether every ambient source of configuration must be excluded by the argv.
    pub sealed: bool,
}

impl Launch {
    /// A launch of one's own: prompt on standard input, completion on standard output, nothing set in the environment,
    /// nothing claimed and nothing measured. Every field can be set afterwards.
    #[must_use]
    pub fn new(name: &str, agent: &str, argv: Vec<String>) -> Self {
        Self {
            name: name.to_owned(),
            set: "policy".to_owned(),
            agent: agent.to_owned(),
            argv,
            prompt: PromptChannel::Stdin,
            completion: CompletionChannel::Stdout,
            cwd: None,
            env: BTreeMap::new(),
            env_from: Vec::new(),
            files: Vec::new(),
            boundary: ReadOnly::NotEnforced,
            assessment: Assessment::not_measured(),
            grants: Vec::new(),
            never: Vec::new(),
            sealed: false,
        }
    }

    /// What a real run of the agent showed about the claim in [`Launch::boundary`]. The two belong together wherever
    /// either is shown.
    #[must_use]
    pub fn assessment(&self) -> &Assessment {
        &self.assessment
    }

    /// What is spawned: the first word of the argv.
    #[must_use]
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    /// The argv that is executed: every placeholder that `values` knows is filled in, inside its word. No value
    /// is itself searched for placeholders, and none can add a word.
    #[must_use]
    pub fn resolve(&self, values: &Placeholders) -> Vec<String> {
        self.argv.iter().map(|word| values.fill(word)).collect()
    }

    /// Everything that could change the answer and nothing that could not: the argv with its placeholders, as one
    /// JSON array. Two launches have the same identity exactly when their argvs are the same.
    #[must_use]
    pub fn identity(&self) -> String {
        serde_json::Value::from(self.argv.clone()).to_string()
    }
}

/// Values for the placeholders of a launch.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Placeholders(BTreeMap<String, String>);

impl Placeholders {
    /// No values: every placeholder stays as it is written.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value: `with("fetch", "/opt/fetch")` fills in `{fetch}`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// Fills in `word` in one pass from left to right.
    #[must_use]
    pub fn fill(&self, word: &str) -> String {
        let mut filled = String::with_capacity(word.len());
        let mut rest = word;
        while let Some(open) = rest.find('{') {
            filled.push_str(&rest[..open]);
            let tail = &rest[open + 1..];
            match tail.find('}').and_then(|close| Some((close, self.0.get(&tail[..close])?))) {
                Some((close, value)) => {
                    filled.push_str(value);
                    rest = &tail[close + 1..];
                }
                None => {
                    filled.push('{');
                    rest = tail;
                }
            }
        }
        filled.push_str(rest);
        filled
    }
}
