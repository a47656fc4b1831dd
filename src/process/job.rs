//! One job from start to end on the calling thread: prompt in, output out, deadline, cancel, tear-down.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::process::kernel::QuietPipe;
use crate::process::machine::{BUFFER, Job, Source};
use crate::process::spawn::SpawnError;
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
    let cancelled =
        || cancel.is_some_and(Cancel::is_cancelled) || flag.is_some_and(|flag| flag.load(Ordering::SeqCst));
    if cancelled() {
        return Ok(Report::not_started(Ending::Cancelled, limits.containment));
    }
    if limits.timeout.is_zero() {
        return Ok(Report::not_started(Ending::TimedOut, limits.containment));
    }
    let _quiet = QuietPipe::new();
    let mut buffer = vec![0; BUFFER];
    let mut job = Job::start(command, input.into(), limits, Instant::now())?;
    loop {
        if cancelled() {
            job.cancel();
        }
        job.tick(Instant::now(), &mut buffer);
        if job.is_done() {
            return job.into_result();
        }
        let mut wake = job.wakes_at();
        if flag.is_some() {
            wake = wake.min(Instant::now() + FLAG_INTERVAL);
        }
        for source in wait(&job, cancel, wake)? {
            job.ready(source, &mut buffer);
        }
        drop(job.take_closing());
    }
}

/// Waits until something is ready, at the latest until `wake`.
fn wait(job: &Job<'_>, cancel: Option<&Cancel>, wake: Instant) -> Result<Vec<Source>, SpawnError> {
    let left = wake.saturating_duration_since(Instant::now());
    let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
    let (sources, mut fds): (Vec<_>, Vec<_>) = job
        .sources()
        .map(|(source, fd)| {
            let flags = if source == Source::Stdin { PollFlags::OUT } else { PollFlags::IN };
            (source, PollFd::from_borrowed_fd(fd, flags))
        })
        .unzip();
    if let Some(cancel) = cancel.filter(|_| job.heeds_cancel()) {
        fds.push(PollFd::from_borrowed_fd(cancel.wake(), PollFlags::IN));
    }
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(Vec::new()),
        Err(error) => return Err(SpawnError::Resources(error.into())),
    }
    let ready = sources.into_iter().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
    Ok(ready.map(|(source, _)| source).collect())
}
