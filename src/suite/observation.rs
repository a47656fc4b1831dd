//! What was seen of a case, and what follows from it by arithmetic alone.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::fake::{Fact, Record};
use crate::process::Process;
use crate::subject::Answer;

/// What was seen of a case.
#[derive(Debug, Default)]
pub(super) struct Observation {
    /// What the runner said, by the number of the call.
    pub(super) answers: BTreeMap<u32, Answer>,
    /// How many calls were made.
    pub(super) calls: u32,
    /// Whether only the calls with odd numbers were cancelled.
    pub(super) cancels_half: bool,
    /// Why there is no answer, where that is known.
    pub(super) silent: Option<String>,
    /// Moments in nanoseconds of the monotonic clock.
    pub(super) called_ns: u64,
    pub(super) answered_ns: Option<u64>,
    pub(super) cancelled_ns: Option<u64>,
    pub(super) killed_ns: Option<u64>,
    pub(super) released_ns: Option<u64>,
    /// The deadline that the runner was given.
    pub(super) timeout: Duration,
    /// What the fake recorded.
    pub(super) records: Vec<Record>,
    /// Processes alive after the settle time.
    pub(super) survivors: Vec<Process>,
    /// Whether the process that is no business of the runner's is gone.
    pub(super) bystander_gone: bool,
    /// Processes that the runner left unreaped.
    pub(super) zombies: Vec<Process>,
    /// When the last process of the agent was seen to be gone.
    pub(super) died_ns: Option<u64>,
    /// How the host ended once it was told to: its status, or the negative of a signal.
    pub(super) host_end: Option<i32>,
    /// Whether it was waited for that.
    pub(super) host_awaited: bool,
    /// Whether the host, or what ran in it, ended the harness's own supervisor.
    pub(super) observer_lost: bool,
    /// Whether the host said more than its answers.
    pub(super) said_more: bool,
    /// Whether somebody held the lifeline after the settle time.
    pub(super) lifeline_held: bool,
    /// Whether the file that must be absent is there.
    pub(super) found_absent: bool,
    /// The fingerprints of what an agent should have got: one prompt for each call.
    pub(super) prompts: Vec<(u64, u64)>,
    pub(super) args_print: u64,
    /// The directory that the agent should have been in, and that of the host.
    pub(super) cwd: String,
}

impl Observation {
    /// The facts of the process that the runner started.
    pub(super) fn leader(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.leader)
    }

    /// When the agent was born; of several, the first: that a runner starts the others later gives it no more time.
    pub(super) fn born_ns(&self) -> Option<u64> {
        let born = self.leader().filter(|record| matches!(record.fact, Fact::Born { .. }));
        born.map(|record| record.at_ns).min()
    }

    /// How often an agent was started.
    pub(super) fn births(&self) -> usize {
        self.leader().filter(|record| matches!(record.fact, Fact::Born { .. })).count()
    }

    /// Whether every agent passed `mark`.
    pub(super) fn passed(&self, mark: &str) -> bool {
        let passed = |record: &&Record| matches!(&record.fact, Fact::Mark(passed) if passed == mark);
        self.records.iter().filter(passed).count() >= self.calls.max(1) as usize
    }

    /// When the agent ended by itself; of several, when the last did.
    pub(super) fn exited_ns(&self) -> Option<u64> {
        let exits = self.leader().filter(|record| matches!(record.fact, Fact::Exit(_))).count();
        // Cancelled agents do not get there.
        let cancelled = if self.cancels_half { self.calls / 2 } else { 0 };
        let all = exits + cancelled as usize >= self.calls as usize;
        if all { self.last(|fact| matches!(fact, Fact::Exit(_))) } else { None }
    }

    fn last(&self, wanted: impl Fn(&Fact) -> bool) -> Option<u64> {
        self.leader().filter(|record| wanted(&record.fact)).map(|record| record.at_ns).max()
    }

    /// The moment at which the runner has no reason to go on, by what is known so far.
    pub(super) fn due_ns(&self) -> u64 {
        let start = self.born_ns().unwrap_or(self.called_ns);
        let deadline = start.saturating_add(self.timeout.as_nanos() as u64);
        // Where only half are cancelled, the others are released once all of that half are answered.
        let cancelled = self.cancelled_ns.filter(|_| !self.cancels_half || self.released_ns.is_none());
        [cancelled, self.killed_ns, self.exited_ns()].into_iter().flatten().fold(deadline, u64::min)
    }
}
