//! What was seen of a case, and what follows from it by arithmetic alone.

use std::time::Duration;

use crate::fake::{Fact, Record};
use crate::process::Process;
use crate::subject::Answer;

/// What was seen of a case.
#[derive(Debug, Default)]
pub(super) struct Observation {
    /// What the runner said.
    pub(super) answer: Option<Answer>,
    /// Why there is no answer, where that is known.
    pub(super) silent: Option<String>,
    /// Moments in nanoseconds of the monotonic clock.
    pub(super) called_ns: u64,
    pub(super) answered_ns: Option<u64>,
    pub(super) cancelled_ns: Option<u64>,
    pub(super) killed_ns: Option<u64>,
    /// The deadline that the runner was given.
    pub(super) timeout: Duration,
    /// What the fake recorded.
    pub(super) records: Vec<Record>,
    /// Processes alive after the settle time.
    pub(super) survivors: Vec<Process>,
    /// Processes that the runner left unreaped.
    pub(super) zombies: Vec<Process>,
    /// Whether somebody held the lifeline after the settle time.
    pub(super) lifeline_held: bool,
    /// Whether the file that must be absent is there.
    pub(super) found_absent: bool,
    /// The fingerprints of what the agent should have got.
    pub(super) prompt_bytes: u64,
    pub(super) prompt_print: u64,
    pub(super) args_print: u64,
    /// The directory that the agent should have been in, and that of the host.
    pub(super) cwd: String,
}

impl Observation {
    /// The facts of the process that the runner started.
    pub(super) fn leader(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.leader)
    }

    /// When the agent was born.
    pub(super) fn born_ns(&self) -> Option<u64> {
        self.leader().find(|record| matches!(record.fact, Fact::Born { .. })).map(|record| record.at_ns)
    }

    /// Whether the agent passed `mark`.
    pub(super) fn passed(&self, mark: &str) -> bool {
        self.records.iter().any(|record| matches!(&record.fact, Fact::Mark(passed) if passed == mark))
    }

    /// When the agent ended by itself.
    pub(super) fn exited_ns(&self) -> Option<u64> {
        self.leader().find(|record| matches!(record.fact, Fact::Exit(_))).map(|record| record.at_ns)
    }

    /// The moment at which the runner has no reason to go on, by what is known so far.
    pub(super) fn due_ns(&self) -> u64 {
        let start = self.born_ns().unwrap_or(self.called_ns);
        let deadline = start.saturating_add(self.timeout.as_nanos() as u64);
        [self.cancelled_ns, self.killed_ns, self.exited_ns()].into_iter().flatten().fold(deadline, u64::min)
    }
}
