//! One job from start to end on the calling thread: prompt in, output out, deadline, cancel, tear-down.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::process::Cancel;
use crate::process::kernel::QuietPipe;
use crate::process::machine::{BUFFER, Job, Source};
use crate::process::spawn::SpawnError;
use crate::process::terms::{Command, Ending, Limits, Report};

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
