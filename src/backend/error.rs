//! Why a completion did not come about. Every kind of ending that a caller may treat differently is one variant.

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::backend::CommandLine;
use crate::model::Outcome;

/// Why there is no completion. Carries the whole command.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The program is missing, may not be executed, or is no executable.
    #[error("cannot start `{command}`: {source}")]
    Spawn {
        /// The command.
        command: CommandLine,
        /// What the system said.
        source: io::Error,
    },
    /// The working directory is missing or cannot be entered. Not the same as a missing program.
    #[error("cannot run `{command}` in {dir:?}: {source}")]
    WorkingDir {
        /// The command.
        command: CommandLine,
        /// The directory.
        dir: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The agent ended with another status than 0, or by a signal that was not ours.
    #[error("`{command}` {}{}", ending(*code, *signal), tail(stderr))]
    Failed {
        /// The command.
        command: CommandLine,
        /// The exit status, if it exited.
        code: Option<i32>,
        /// The signal, if one ended it.
        signal: Option<i32>,
        /// Head and tail of standard error.
        stderr: String,
        /// What had come of the completion.
        partial: Vec<u8>,
    },
    /// The agent exited 0 and said nothing but white space.
    #[error("`{command}` exited 0 and said nothing{}", tail(stderr))]
    Empty {
        /// The command.
        command: CommandLine,
        /// Head and tail of standard error.
        stderr: String,
    },
    /// The deadline passed. With a deadline of zero nothing was started.
    #[error("`{command}` did not finish within {timeout:?}{}", tail(stderr))]
    Timeout {
        /// The command.
        command: CommandLine,
        /// The deadline.
        timeout: Duration,
        /// Head and tail of standard error.
        stderr: String,
        /// What had come of the completion.
        partial: Vec<u8>,
    },
    /// The caller cancelled.
    #[error("`{command}` was cancelled")]
    Cancelled {
        /// The command.
        command: CommandLine,
        /// Head and tail of standard error.
        stderr: String,
        /// What had come of the completion.
        partial: Vec<u8>,
    },
    /// The completion went beyond the cap.
    #[error("`{command}` said more than {cap} bytes")]
    TooLarge {
        /// The command.
        command: CommandLine,
        /// The most bytes that were allowed.
        cap: usize,
        /// Head and tail of standard error.
        stderr: String,
        /// The completion up to the cap.
        partial: Vec<u8>,
    },
    /// The completion is no text. Nothing is replaced: the bytes are here.
    #[error("`{command}` said something that is not UTF-8, at byte {valid_up_to}")]
    NotUtf8 {
        /// The command.
        command: CommandLine,
        /// How many bytes are text.
        valid_up_to: usize,
        /// All of it.
        bytes: Vec<u8>,
    },
    /// The agent's supervisor was killed or did not answer: a process of the agent may be alive.
    #[error("`{command}` got rid of its supervisor: a process that it started may be alive")]
    ContainmentLost {
        /// The command.
        command: CommandLine,
        /// Head and tail of standard error.
        stderr: String,
        /// What had come of the completion.
        partial: Vec<u8>,
    },
    /// Talking to the agent failed in another way.
    #[error("cannot talk to `{command}`: {source}")]
    Io {
        /// The command.
        command: CommandLine,
        /// What the system said.
        source: io::Error,
    },
}

impl LlmError {
    /// The kind of ending, in the words of policy files and cases.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Spawn { .. } => Outcome::Spawn,
            Self::WorkingDir { .. } => Outcome::WorkingDir,
            Self::Failed { signal: Some(_), .. } => Outcome::Signal,
            Self::Failed { .. } => Outcome::Failed,
            Self::Empty { .. } => Outcome::Empty,
            Self::Timeout { .. } => Outcome::Timeout,
            Self::Cancelled { .. } => Outcome::Cancelled,
            Self::TooLarge { .. } => Outcome::TooLarge,
            Self::NotUtf8 { .. } => Outcome::NotUtf8,
            Self::ContainmentLost { .. } | Self::Io { .. } => Outcome::Io,
        }
    }

    /// Head and tail of what the agent said on standard error, where it ran.
    #[must_use]
    pub fn stderr(&self) -> &str {
        match self {
            Self::Failed { stderr, .. }
            | Self::Empty { stderr, .. }
            | Self::Timeout { stderr, .. }
            | Self::Cancelled { stderr, .. }
            | Self::TooLarge { stderr, .. }
            | Self::ContainmentLost { stderr, .. } => stderr,
            _ => "",
        }
    }

    /// What had come of the completion, where it ran.
    #[must_use]
    pub fn partial(&self) -> &[u8] {
        match self {
            Self::Failed { partial, .. }
            | Self::Timeout { partial, .. }
            | Self::Cancelled { partial, .. }
            | Self::TooLarge { partial, .. }
            | Self::ContainmentLost { partial, .. }
            | Self::NotUtf8 { bytes: partial, .. } => partial,
            _ => &[],
        }
    }
}

fn ending(code: Option<i32>, signal: Option<i32>) -> String {
    match (code, signal) {
        (_, Some(signal)) => format!("was ended by signal {signal}"),
        (Some(code), None) => format!("exited with status {code}"),
        (None, None) => "ended in an unknown way".to_owned(),
    }
}

/// The last line of standard error, for the end of a message.
fn tail(stderr: &str) -> String {
    match stderr.trim_end().rsplit('\n').next() {
        None | Some("") => String::new(),
        Some(line) => format!(": {}", line.escape_debug()),
    }
}
