//! What a job is told and what it tells: plain data.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::process::Containment;

/// What is to be run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Command {
    /// Program first. A name without a slash is looked up on the `PATH` of `env`; a relative path is taken against
    /// the caller's directory.
    pub argv: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory; `None` inherits.
    pub cwd: Option<PathBuf>,
}

/// The bounds of a job.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// From the call to the moment the agent is told to end. Zero starts nothing.
    pub timeout: Duration,
    /// From TERM to KILL; ended early when nothing is left to wait for.
    pub term_grace: Duration,
    /// How long a descendant that holds a pipe may delay the answer after the agent's exit.
    pub drain_grace: Duration,
    /// The most bytes of standard output.
    pub stdout_cap: usize,
    /// How much of the head and of the tail of standard error is kept, each.
    pub stderr_cap: usize,
    /// The level of containment. Where the host does not offer it, nothing is started.
    pub containment: Containment,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(1200),
            term_grace: Duration::from_millis(100),
            drain_grace: Duration::from_millis(300),
            stdout_cap: 64 << 20,
            stderr_cap: 16 << 10,
            containment: Containment::Supervised,
        }
    }
}

/// How a job ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ending {
    /// The agent exited with a status.
    Exited(i32),
    /// A signal ended the agent; the runner did not send it.
    Signaled(i32),
    /// The deadline passed.
    TimedOut,
    /// It was cancelled.
    Cancelled,
    /// Standard output went beyond its cap.
    TooLarge,
}

/// What came of a job.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub ending: Ending,
    /// Standard output, up to the cap; what there was of it when the job was cut short.
    pub stdout: Vec<u8>,
    /// Head and tail of standard error.
    pub stderr: String,
    /// Whether standard output came to its end by itself. False when a descendant still held it after the drain grace
    /// and was killed: there might have been more.
    pub drained: bool,
    /// How many descendants were alive at the end and had to be killed.
    pub leftovers: usize,
    /// At what level the job was contained.
    pub containment: Containment,
}

impl Report {
    /// The report of a job whose time was over before it began.
    pub(super) fn not_started(ending: Ending, containment: Containment) -> Self {
        Self { ending, stdout: Vec::new(), stderr: String::new(), drained: true, leftovers: 0, containment }
    }
}
