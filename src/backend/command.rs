//! A command-line agent as a backend: the prompt on its standard input, the completion on its standard output.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::agents::{Agent, Fetch, FetchError};
use crate::backend::environment::environment;
use crate::backend::{CommandLine, LlmBackend, LlmError};
use crate::model::{Launch, Placeholders};
use crate::process::{Cancel, Command, Containment, Ending, Limits, Report, SpawnError, run};

/// The deadline of the agents' constructors.
const AGENT_TIMEOUT: Duration = Duration::from_secs(1200);

/// A backend without a command.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("the argv is empty: its first word is the program")]
pub struct EmptyArgv;

/// A completion, and what a careful caller wants to know besides.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Completion {
    /// The text.
    pub text: String,
    /// Head and tail of standard error: where agents say what they were refused, at exit 0.
    pub stderr: String,
    /// Whether standard output came to its end. False: a descendant still held it after the drain grace, and the
    /// text is what had come by then.
    pub drained: bool,
    /// How many descendants the agent left behind. They were killed.
    pub leftovers: usize,
    /// At what level the agent was contained.
    pub containment: Containment,
}

/// Runs a command for each completion.
#[derive(Clone, Debug)]
pub struct CommandBackend {
    name: String,
    identity: String,
    argv: Vec<String>,
    env_from: Vec<String>,
    env: BTreeMap<String, OsString>,
    working_dir: Option<PathBuf>,
    limits: Limits,
    cancel: Option<Cancel>,
    flag: Option<Arc<AtomicBool>>,
}

impl CommandBackend {
    /// A backend that is named by its own command line: a test double, or an agent that argvow does not know.
    ///
    /// # Errors
    ///
    /// When `argv` has no word.
    pub fn new(argv: Vec<String>, timeout: Duration) -> Result<Self, EmptyArgv> {
        if argv.is_empty() {
            return Err(EmptyArgv);
        }
        Ok(Self {
            name: CommandLine::new(&argv).to_string(),
            identity: serde_json::Value::from(argv.clone()).to_string(),
            argv,
            env_from: Vec::new(),
            env: BTreeMap::new(),
            working_dir: None,
            limits: Limits { timeout, ..Limits::default() },
            cancel: None,
            flag: None,
        })
    }

    /// Claude Code's `v1` launch. `fetch` is the executable that the prompt tells the model to run.
    ///
    /// # Errors
    ///
    /// When `fetch` cannot stand in an allowlist pattern.
    pub fn claude_cli(fetch: &str) -> Result<Self, FetchError> {
        Ok(Self::agent(Agent::ClaudeCode, Some(&Fetch::new(fetch)?)))
    }

    /// Codex's `v1` launch.
    #[must_use]
    pub fn codex_cli() -> Self {
        Self::agent(Agent::Codex, None)
    }

    /// Droid's `v1` launch. Measured versions refuse its trailing `-`: see [`Launch::assessment`].
    #[must_use]
    pub fn droid_cli() -> Self {
        Self::agent(Agent::Droid, None)
    }

    /// Copilot's `v1` launch. `fetch` is the executable that the prompt tells the model to run.
    ///
    /// # Errors
    ///
    /// When `fetch` cannot stand in an allowlist pattern.
    pub fn copilot_cli(fetch: &str) -> Result<Self, FetchError> {
        Ok(Self::agent(Agent::Copilot, Some(&Fetch::new(fetch)?)))
    }

    /// Pi's `v1` launch. Read-only is not enforced: it can write, commit and push.
    #[must_use]
    pub fn pi_cli() -> Self {
        Self::agent(Agent::Pi, None)
    }

    fn agent(agent: Agent, fetch: Option<&Fetch>) -> Self {
        let launch: Launch = agent.v1();
        let values =
            fetch.map_or_else(Placeholders::new, |fetch| Placeholders::new().with("fetch", fetch.as_str()));
        Self {
            name: agent.display_name().to_owned(),
            identity: launch.identity(),
            argv: launch.resolve(&values),
            env_from: launch.env_from,
            env: launch.env.into_iter().map(|(name, value)| (name, value.into())).collect(),
            working_dir: None,
            limits: Limits { timeout: AGENT_TIMEOUT, term_grace: agent.term_grace(), ..Limits::default() },
            cancel: None,
            flag: None,
        }
    }

    /// Runs the agent in this directory instead of the caller's.
    ///
    /// For an agent whose prompt names paths of a repository this is the repository's root: git resolves a path
    /// against the current directory, so from a subdirectory the agent sees an empty diff, exit 0, and nothing
    /// says so.
    #[must_use]
    pub fn with_working_dir(mut self, dir: &Path) -> Self {
        self.working_dir = Some(dir.to_owned());
        self
    }

    /// The deadline. Zero starts nothing.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = timeout;
        self
    }

    /// All bounds at once.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Cancels when `flag` becomes true. A flag cannot wake anybody, so it is looked at every 5 ms; a
    /// [`Cancel`] wakes at once.
    #[must_use]
    pub fn with_cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.flag = Some(flag);
        self
    }

    /// Cancels when `cancel` says so, at once.
    #[must_use]
    pub fn with_cancel_handle(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Sets a variable for the agent.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// Lets a variable of the caller through to the agent. Ordinary ones (`PATH`, `HOME`, locale, proxies,
    /// certificates) pass anyway; nothing else does.
    #[must_use]
    pub fn with_env_from(mut self, name: &str) -> Self {
        self.env_from.push(name.to_owned());
        self
    }

    /// What is spawned: for a check whether it is on `PATH`.
    #[must_use]
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }

    /// The whole command that runs.
    #[must_use]
    pub fn command(&self) -> CommandLine {
        CommandLine::new(&self.argv)
    }

    /// The directory that the agent runs in; `None` is the caller's.
    #[must_use]
    pub fn working_dir(&self) -> Option<&Path> {
        self.working_dir.as_deref()
    }

    /// Runs the agent once and tells more than [`LlmBackend::complete`] does.
    ///
    /// # Errors
    ///
    /// [`LlmError`] for every ending but exit 0 with some text.
    pub fn run(&self, prompt: &[u8]) -> Result<Completion, LlmError> {
        let command = Command {
            argv: self.argv.iter().map(OsString::from).collect(),
            env: environment(&self.env_from, &self.env),
            cwd: self.working_dir.clone(),
        };
        let report = run(&command, prompt, &self.limits, self.cancel.as_ref(), self.flag.as_deref())
            .map_err(|error| self.not_started(error))?;
        self.judge(report)
    }

    fn not_started(&self, error: SpawnError) -> LlmError {
        let command = self.command();
        match error {
            SpawnError::Program { source, .. } => LlmError::Spawn { command, source },
            SpawnError::WorkingDir { dir, source } => LlmError::WorkingDir { command, dir, source },
            SpawnError::Containment { source, .. } | SpawnError::Resources(source) => {
                LlmError::Io { command, source }
            }
        }
    }

    fn judge(&self, report: Report) -> Result<Completion, LlmError> {
        let command = self.command();
        let Report { ending, stdout: partial, stderr, drained, leftovers, containment } = report;
        if containment == Containment::Lost {
            return Err(LlmError::ContainmentLost { command, stderr, partial });
        }
        let (code, signal) = match ending {
            Ending::TimedOut => {
                return Err(LlmError::Timeout { command, timeout: self.limits.timeout, stderr, partial });
            }
            Ending::Cancelled => return Err(LlmError::Cancelled { command, stderr, partial }),
            Ending::TooLarge => {
                return Err(LlmError::TooLarge { command, cap: self.limits.stdout_cap, stderr, partial });
            }
            Ending::Signaled(signal) => (None, Some(signal)),
            Ending::Exited(code) => (Some(code), None),
        };
        if code != Some(0) {
            return Err(LlmError::Failed { command, code, signal, stderr, partial });
        }
        let text = String::from_utf8(partial).map_err(|error| {
            let valid_up_to = error.utf8_error().valid_up_to();
            LlmError::NotUtf8 { command: command.clone(), valid_up_to, bytes: error.into_bytes() }
        })?;
        if text.trim().is_empty() {
            return Err(LlmError::Empty { command, stderr });
        }
        Ok(Completion { text, stderr, drained, leftovers, containment })
    }
}

impl LlmBackend for CommandBackend {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> &str {
        &self.identity
    }

    fn complete(&self, prompt: &str) -> Result<String, LlmError> {
        self.run(prompt.as_bytes()).map(|completion| completion.text)
    }
}
