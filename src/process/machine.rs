//! What a job does when something happens to it. Waits for nothing and blocks on nothing: whoever drives it, one job on
//! its own thread or hundreds on one, tells it what is ready and what time it is.

use std::borrow::Cow;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::process::Containment;
use crate::process::capture::{Capped, HeadAndTail};
use crate::process::spawn::{Message, SpawnError, Stdio, Supervised};
use crate::process::supervisor::{STAGE_CHDIR, STAGE_EXEC};
use crate::process::terms::{Command, Ending, Limits, Report};

/// The size of the buffer that a driver lends: what a pipe holds.
pub(super) const BUFFER: usize = 64 << 10;

/// How long a sweep may take before the supervisor counts as lost. Above the supervisor's own limit.
const SWEEP_PATIENCE: Duration = Duration::from_millis(2500);

/// How often a pipe is read when everybody who could write is gone: more than the largest pipe holds.
const MOST_READS: usize = 256;

/// How far away a deadline is that the clock cannot hold.
const FAR: Duration = Duration::from_secs(86_400 * 365);

/// What a job waits for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Source {
    /// A message of the supervisor.
    Control,
    /// Room in the pipe to the agent.
    Stdin,
    /// Something from the agent, or the end.
    Stdout,
    /// The same, of standard error.
    Stderr,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Phase {
    /// The agent runs.
    Running,
    /// The agent has exited; its pipes may be held by others until then.
    Draining(Instant),
    /// The agent was told to end.
    Terminating(Instant),
    /// Everything is being killed.
    Sweeping(Instant),
    Done,
}

/// A job that was started.
pub(super) struct Job<'a> {
    agent: Supervised,
    command: Command,
    limits: Limits,
    input: Cow<'a, [u8]>,
    written: usize,
    deadline: Instant,
    phase: Phase,
    ending: Option<Ending>,
    failure: Option<SpawnError>,
    cancelled: bool,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    /// Not needed any more, but perhaps still registered with whoever drives the job.
    closing: Vec<OwnedFd>,
    out: Capped,
    err: HeadAndTail,
    /// Whether a writer of standard output was there when everything was killed.
    cut: bool,
    drained: bool,
    leftovers: usize,
    containment: Containment,
}

impl<'a> Job<'a> {
    /// Starts a job, whose deadline counts from `now`.
    pub(super) fn start(
        command: &Command,
        input: Cow<'a, [u8]>,
        limits: &Limits,
        now: Instant,
    ) -> Result<Self, SpawnError> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from);
        let ((stdin, to_agent), (from_agent, stdout), (errors, stderr)) = (pipe()?, pipe()?, pipe()?);
        for fd in [&to_agent, &from_agent, &errors] {
            let flags = fcntl_getfl(fd).map_err(io::Error::from)?;
            fcntl_setfl(fd, flags | OFlags::NONBLOCK).map_err(io::Error::from)?;
        }
        let stdio = Stdio { stdin, stdout, stderr };
        let agent = Supervised::spawn(
            &command.argv,
            &command.env,
            command.cwd.as_deref(),
            stdio,
            limits.containment,
        )?;
        Ok(Self {
            agent,
            command: command.clone(),
            limits: *limits,
            // An empty prompt is an end of file at once.
            stdin: (!input.is_empty()).then_some(to_agent),
            input,
            written: 0,
            deadline: later(now, limits.timeout),
            phase: Phase::Running,
            ending: None,
            failure: None,
            cancelled: false,
            stdout: Some(from_agent),
            stderr: Some(errors),
            closing: Vec::new(),
            out: Capped::new(limits.stdout_cap),
            err: HeadAndTail::new(limits.stderr_cap),
            cut: false,
            drained: false,
            leftovers: 0,
            containment: limits.containment,
        })
    }

    /// Asks for the end. Has no effect on an agent that has exited.
    pub(super) fn cancel(&mut self) {
        self.cancelled = true;
    }

    /// Whether a cancellation would change anything.
    pub(super) fn heeds_cancel(&self) -> bool {
        self.phase == Phase::Running
    }

    pub(super) fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// When [`Job::tick`] must be called at the latest.
    pub(super) fn wakes_at(&self) -> Instant {
        match self.phase {
            Phase::Running | Phase::Done => self.deadline,
            Phase::Draining(until) | Phase::Terminating(until) | Phase::Sweeping(until) => until,
        }
    }

    /// What it waits for now.
    pub(super) fn sources(&self) -> impl Iterator<Item = (Source, BorrowedFd<'_>)> {
        [
            (Source::Control, Some(self.agent.control())),
            (Source::Stdin, self.stdin.as_ref().map(AsFd::as_fd)),
            (Source::Stdout, self.stdout.as_ref().map(AsFd::as_fd)),
            (Source::Stderr, self.stderr.as_ref().map(AsFd::as_fd)),
        ]
        .into_iter()
        .filter_map(|(source, fd)| Some((source, fd?)))
    }

    /// The descriptors that are closed when what this gives back is dropped.
    pub(super) fn take_closing(&mut self) -> Vec<OwnedFd> {
        std::mem::take(&mut self.closing)
    }

    /// Does what the time demands.
    pub(super) fn tick(&mut self, now: Instant, buffer: &mut [u8]) {
        match self.phase {
            Phase::Running if self.cancelled => self.cut_short(Ending::Cancelled, now),
            Phase::Running if now >= self.deadline => self.cut_short(Ending::TimedOut, now),
            Phase::Draining(_) if self.stdout.is_none() && self.stderr.is_none() => self.start_sweep(now),
            Phase::Draining(until) | Phase::Terminating(until) if now >= until => self.start_sweep(now),
            Phase::Sweeping(until) if now >= until => self.lose(buffer),
            _ => {}
        }
    }

    /// Deals with a source that is ready.
    pub(super) fn ready(&mut self, source: Source, buffer: &mut [u8]) {
        match source {
            Source::Control => {
                while let Some(message) = self.agent.receive() {
                    self.hear(message, buffer);
                }
            }
            Source::Stdin => self.write_input(),
            Source::Stdout => self.read_stdout(buffer),
            Source::Stderr => {
                self.take_stderr(buffer);
            }
        }
    }

    /// What came of it, once it is done. Returns when the supervisor is gone too.
    pub(super) fn into_result(self) -> Result<Report, SpawnError> {
        drop(self.agent);
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(Report {
                // Lost without a word of the agent's end: the kernel has killed it with its supervisor.
                ending: self.ending.unwrap_or(Ending::Signaled(libc::SIGKILL)),
                stdout: self.out.into_bytes(),
                stderr: self.err.into_text(),
                drained: self.drained,
                leftovers: self.leftovers,
                containment: self.containment,
            }),
        }
    }

    fn hear(&mut self, message: Message, buffer: &mut [u8]) {
        let now = Instant::now();
        match message {
            Message::Failed { stage, errno } => {
                self.failure = Some(not_started(&self.command, stage, errno));
                self.phase = Phase::Done;
            }
            Message::Exited(status) => self.agent_ended(Ending::Exited(status), now),
            Message::Signaled(signal) => self.agent_ended(Ending::Signaled(signal), now),
            Message::Swept { killed, survivors } => {
                self.leftovers = usize::try_from(killed).unwrap_or(0);
                if survivors != 0 {
                    self.containment = Containment::Lost;
                }
                self.finish(buffer);
            }
            Message::Lost => self.lose(buffer),
        }
    }

    fn agent_ended(&mut self, ending: Ending, now: Instant) {
        if self.phase == Phase::Running {
            self.ending = Some(ending);
            self.close_stdin();
            self.phase = Phase::Draining(later(now, self.limits.drain_grace));
        }
    }

    fn cut_short(&mut self, ending: Ending, now: Instant) {
        self.ending = Some(ending);
        self.close_stdin();
        self.agent.terminate();
        self.phase = Phase::Terminating(later(now, self.limits.term_grace));
    }

    fn start_sweep(&mut self, now: Instant) {
        self.close_stdin();
        // What ends the output from here on is our own kill: it may have cut a writer short.
        self.cut = self.stdout.is_some();
        self.agent.sweep();
        self.phase = Phase::Sweeping(now + SWEEP_PATIENCE);
    }

    fn lose(&mut self, buffer: &mut [u8]) {
        self.agent.abandon();
        self.containment = Containment::Lost;
        self.finish(buffer);
    }

    fn finish(&mut self, buffer: &mut [u8]) {
        // Everybody who could write is gone, or given up on: what is in the pipes is all there will be, and a pipe
        // that would block holds nothing. One who was given up on may write on without end.
        for _ in 0..MOST_READS {
            if !self.stdout.as_ref().is_some_and(holds_something) {
                break;
            }
            self.take_stdout(buffer);
        }
        for _ in 0..MOST_READS {
            if !self.take_stderr(buffer) {
                break;
            }
        }
        if self.out.overflowed() && matches!(self.ending, Some(Ending::Exited(_) | Ending::Signaled(_))) {
            self.ending = Some(Ending::TooLarge);
        }
        self.drained = self.stdout.is_none() && !self.cut;
        self.phase = Phase::Done;
    }

    fn write_input(&mut self) {
        let Some(stdin) = &self.stdin else { return };
        match rustix::io::write(stdin, &self.input[self.written..]) {
            Ok(written) => self.written += written,
            Err(Errno::AGAIN | Errno::INTR) => return,
            // The agent does not want the rest. Its exit status decides what that means.
            Err(_) => self.written = self.input.len(),
        }
        if self.written == self.input.len() {
            self.close_stdin();
        }
    }

    fn close_stdin(&mut self) {
        self.closing.extend(self.stdin.take());
    }

    fn read_stdout(&mut self, buffer: &mut [u8]) {
        self.take_stdout(buffer);
        if self.out.overflowed() {
            let now = Instant::now();
            match self.phase {
                Phase::Running => self.cut_short(Ending::TooLarge, now),
                Phase::Draining(_) => {
                    self.ending = Some(Ending::TooLarge);
                    self.start_sweep(now);
                }
                _ => {}
            }
        }
    }

    /// Reads once.
    fn take_stdout(&mut self, buffer: &mut [u8]) {
        let Some(stdout) = &self.stdout else { return };
        match rustix::io::read(stdout, &mut *buffer) {
            Ok(got) if got > 0 => self.out.push(&buffer[..got]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            _ => self.closing.extend(self.stdout.take()),
        }
    }

    /// Reads once; false when there was nothing to read.
    fn take_stderr(&mut self, buffer: &mut [u8]) -> bool {
        let Some(stderr) = &self.stderr else { return false };
        match rustix::io::read(stderr, &mut *buffer) {
            Ok(got) if got > 0 => {
                self.err.push(&buffer[..got]);
                true
            }
            Err(Errno::AGAIN) => false,
            Err(Errno::INTR) => true,
            _ => {
                self.closing.extend(self.stderr.take());
                false
            }
        }
    }
}

/// `now` and a while; far away when the clock cannot hold that.
fn later(now: Instant, wait: Duration) -> Instant {
    now.checked_add(wait).unwrap_or(now + FAR)
}

/// Whether a read would return at once: bytes, or the end.
fn holds_something(fd: &OwnedFd) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(poll(&mut [PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)], Some(&now)), Ok(1))
}

fn not_started(command: &Command, stage: i32, errno: i32) -> SpawnError {
    let source = io::Error::from_raw_os_error(errno);
    match (stage, &command.cwd) {
        (STAGE_CHDIR, Some(dir)) => SpawnError::WorkingDir { dir: dir.clone().into_os_string(), source },
        (STAGE_EXEC, _) => {
            SpawnError::Program { program: command.argv.first().cloned().unwrap_or_default(), source }
        }
        _ => SpawnError::Resources(source),
    }
}
