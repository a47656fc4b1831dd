//! One job from start to end: prompt in, output out, deadline, cancel, tear-down. One thread, no polling interval.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::process::capture::{Capped, HeadAndTail};
use crate::process::kernel::QuietPipe;
use crate::process::spawn::{Message, SpawnError, Stdio, Supervised};
use crate::process::supervisor::{STAGE_CHDIR, STAGE_EXEC};
use crate::process::{Cancel, Containment};

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
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(1200),
            term_grace: Duration::from_millis(100),
            drain_grace: Duration::from_millis(300),
            stdout_cap: 64 << 20,
            stderr_cap: 16 << 10,
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
    /// Whether standard output came to its end; false when a descendant still held it after the drain grace.
    pub drained: bool,
    /// How many descendants were alive at the end and had to be killed.
    pub leftovers: usize,
    /// At what level the job was contained.
    pub containment: Containment,
}

/// The longest that a caller's own flag goes unread; a [`Cancel`] needs no such interval.
const FLAG_INTERVAL: Duration = Duration::from_millis(5);

/// Runs `command` with `input` on its standard input and returns once nothing of its tree is alive.
///
/// `cancel` wakes the job at once; `flag` is a caller's own, looked at every 5 ms.
///
/// # Errors
///
/// When nothing was started. What the agent does is never an error here.
pub fn run(
    command: &Command,
    input: &[u8],
    limits: &Limits,
    cancel: Option<&Cancel>,
    flag: Option<&AtomicBool>,
) -> Result<Report, SpawnError> {
    let start = Instant::now();
    let mut job = Job::new(input, limits, start);
    let cancelled =
        || cancel.is_some_and(Cancel::is_cancelled) || flag.is_some_and(|flag| flag.load(Ordering::SeqCst));
    if cancelled() {
        return Ok(job.report(Ending::Cancelled));
    }
    if limits.timeout.is_zero() {
        return Ok(job.report(Ending::TimedOut));
    }

    let _quiet = QuietPipe::new();
    let mut agent = job.spawn(command)?;
    loop {
        job.look_at_the_clock(&agent, Instant::now(), cancelled());
        if job.phase == Phase::Done {
            break;
        }
        let interval = flag.map(|_| FLAG_INTERVAL);
        job.wait(&agent, cancel, interval)?;
        while let Some(message) = agent.receive() {
            job.hear(&agent, command, message)?;
        }
    }
    drop(agent);
    let ending = job.ending.unwrap_or(Ending::Signaled(libc::SIGKILL));
    Ok(job.report(ending))
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

struct Job<'a> {
    input: &'a [u8],
    limits: &'a Limits,
    deadline: Instant,
    phase: Phase,
    ending: Option<Ending>,
    stdin: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    out: Capped,
    err: HeadAndTail,
    drained: bool,
    leftovers: usize,
    containment: Containment,
    buffer: Vec<u8>,
}

/// How long a sweep may take before the supervisor counts as lost. Above the supervisor's own limit.
const SWEEP_PATIENCE: Duration = Duration::from_millis(2500);

impl<'a> Job<'a> {
    fn new(input: &'a [u8], limits: &'a Limits, start: Instant) -> Self {
        let far = start + Duration::from_secs(86_400 * 365);
        Self {
            input,
            limits,
            deadline: start.checked_add(limits.timeout).unwrap_or(far),
            phase: Phase::Running,
            ending: None,
            stdin: None,
            stdout: None,
            stderr: None,
            out: Capped::new(limits.stdout_cap),
            err: HeadAndTail::new(limits.stderr_cap),
            drained: false,
            leftovers: 0,
            containment: Containment::Supervised,
            buffer: Vec::new(),
        }
    }

    fn spawn(&mut self, command: &Command) -> Result<Supervised, SpawnError> {
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from);
        let ((stdin, ours_in), (ours_out, stdout), (ours_err, stderr)) = (pipe()?, pipe()?, pipe()?);
        for fd in [&ours_in, &ours_out, &ours_err] {
            let flags = fcntl_getfl(fd).map_err(io::Error::from)?;
            fcntl_setfl(fd, flags | OFlags::NONBLOCK).map_err(io::Error::from)?;
        }
        let stdio = Stdio { stdin, stdout, stderr };
        let agent = Supervised::spawn(&command.argv, &command.env, command.cwd.as_deref(), stdio)?;
        // An empty prompt is an end of file at once.
        self.stdin = (!self.input.is_empty()).then_some(ours_in);
        self.stdout = Some(ours_out);
        self.stderr = Some(ours_err);
        self.buffer = vec![0; 64 << 10];
        Ok(agent)
    }

    fn look_at_the_clock(&mut self, agent: &Supervised, now: Instant, cancelled: bool) {
        match self.phase {
            Phase::Running if cancelled => self.cut_short(agent, Ending::Cancelled, now),
            Phase::Running if now >= self.deadline => self.cut_short(agent, Ending::TimedOut, now),
            Phase::Draining(_) if self.stdout.is_none() && self.stderr.is_none() => {
                self.start_sweep(agent, now)
            }
            Phase::Draining(until) | Phase::Terminating(until) if now >= until => {
                self.start_sweep(agent, now)
            }
            Phase::Sweeping(until) if now >= until => self.lose(),
            _ => {}
        }
    }

    fn cut_short(&mut self, agent: &Supervised, ending: Ending, now: Instant) {
        self.ending = Some(ending);
        self.stdin = None;
        agent.terminate();
        self.phase = Phase::Terminating(now + self.limits.term_grace);
    }

    fn start_sweep(&mut self, agent: &Supervised, now: Instant) {
        self.stdin = None;
        agent.sweep();
        self.phase = Phase::Sweeping(now + SWEEP_PATIENCE);
    }

    fn lose(&mut self) {
        self.containment = Containment::Lost;
        self.finish();
    }

    fn finish(&mut self) {
        // Everybody who could write is gone, or given up on: what is in the pipes is all there will be, and a pipe
        // that would block holds nothing.
        let mut whole = true;
        while self.stdout.as_ref().is_some_and(holds_something) {
            whole &= self.take_stdout();
        }
        if !whole && matches!(self.ending, Some(Ending::Exited(_) | Ending::Signaled(_))) {
            self.ending = Some(Ending::TooLarge);
        }
        while self.read_stderr() {}
        self.drained = self.stdout.is_none();
        self.phase = Phase::Done;
    }

    /// Waits for the next thing to happen, and moves bytes.
    fn wait(
        &mut self,
        agent: &Supervised,
        cancel: Option<&Cancel>,
        interval: Option<Duration>,
    ) -> io::Result<()> {
        let until = match self.phase {
            Phase::Running | Phase::Done => self.deadline,
            Phase::Draining(until) | Phase::Terminating(until) | Phase::Sweeping(until) => until,
        };
        let left = until.saturating_duration_since(Instant::now());
        let left =
            interval.filter(|_| self.phase == Phase::Running).map_or(left, |interval| left.min(interval));
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };

        let cancel = cancel.filter(|_| self.phase == Phase::Running);
        let watched = [
            (Source::Control, Some(agent.control()), PollFlags::IN),
            (Source::Cancel, cancel.map(Cancel::wake), PollFlags::IN),
            (Source::Stdin, self.stdin.as_ref().map(AsFd::as_fd), PollFlags::OUT),
            (Source::Stdout, self.stdout.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (Source::Stderr, self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN),
        ];
        let (sources, mut fds): (Vec<_>, Vec<_>) = watched
            .into_iter()
            .filter_map(|(source, fd, flags)| Some((source, PollFd::from_borrowed_fd(fd?, flags))))
            .unzip();
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let ready: Vec<Source> = fds
            .iter()
            .zip(&sources)
            .filter(|(fd, _)| !fd.revents().is_empty())
            .map(|(_, &source)| source)
            .collect();
        for source in ready {
            match source {
                Source::Stdin => self.write_input(),
                Source::Stdout => self.read_stdout(agent),
                Source::Stderr => {
                    self.read_stderr();
                }
                Source::Control | Source::Cancel => {}
            }
        }
        Ok(())
    }

    fn hear(&mut self, agent: &Supervised, command: &Command, message: Message) -> Result<(), SpawnError> {
        let now = Instant::now();
        match message {
            Message::Started(_) => {}
            Message::Failed { stage, errno } => return Err(not_started(command, stage, errno)),
            Message::Exited(status) => self.agent_ended(Ending::Exited(status), now),
            Message::Signaled(signal) => self.agent_ended(Ending::Signaled(signal), now),
            Message::Empty => {
                if let Phase::Terminating(_) = self.phase {
                    self.start_sweep(agent, now);
                }
            }
            Message::Swept { killed, survivors } => {
                self.leftovers = usize::try_from(killed).unwrap_or(0);
                if survivors != 0 {
                    self.containment = Containment::Lost;
                }
                self.finish();
            }
            Message::Lost => self.lose(),
        }
        Ok(())
    }

    fn agent_ended(&mut self, ending: Ending, now: Instant) {
        if self.phase == Phase::Running {
            self.ending = Some(ending);
            self.stdin = None;
            self.phase = Phase::Draining(now + self.limits.drain_grace);
        }
    }

    fn write_input(&mut self) {
        let Some(stdin) = &self.stdin else { return };
        match rustix::io::write(stdin, self.input) {
            Ok(written) => self.input = &self.input[written..],
            Err(Errno::AGAIN | Errno::INTR) => return,
            // The agent does not want the rest. Its exit status decides what that means.
            Err(_) => self.input = &[],
        }
        if self.input.is_empty() {
            self.stdin = None;
        }
    }

    fn read_stdout(&mut self, agent: &Supervised) {
        if !self.take_stdout() && self.ending != Some(Ending::TooLarge) {
            let now = Instant::now();
            match self.phase {
                Phase::Running => self.cut_short(agent, Ending::TooLarge, now),
                Phase::Draining(_) => {
                    self.ending = Some(Ending::TooLarge);
                    self.start_sweep(agent, now);
                }
                _ => {}
            }
        }
    }

    /// Reads once; false when that went beyond the cap.
    fn take_stdout(&mut self) -> bool {
        let Some(stdout) = &self.stdout else { return true };
        match rustix::io::read(stdout, &mut *self.buffer) {
            Ok(0) => {
                self.stdout = None;
                true
            }
            Ok(got) => self.out.push(&self.buffer[..got]),
            Err(Errno::AGAIN | Errno::INTR) => true,
            Err(_) => {
                self.stdout = None;
                true
            }
        }
    }

    /// Reads once; false when there was nothing to read.
    fn read_stderr(&mut self) -> bool {
        let Some(stderr) = &self.stderr else { return false };
        match rustix::io::read(stderr, &mut *self.buffer) {
            Ok(0) => self.stderr = None,
            Ok(got) => {
                self.err.push(&self.buffer[..got]);
                return true;
            }
            Err(Errno::AGAIN) => return false,
            Err(Errno::INTR) => {}
            Err(_) => self.stderr = None,
        }
        self.stderr.is_some()
    }

    fn report(self, ending: Ending) -> Report {
        Report {
            ending,
            stdout: self.out.into_bytes(),
            stderr: self.err.into_text(),
            drained: self.drained,
            leftovers: self.leftovers,
            containment: self.containment,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Source {
    Control,
    Stdin,
    Stdout,
    Stderr,
    Cancel,
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
