//! Many jobs on one thread.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::epoll;
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::io::Errno;

use crate::process::kernel::QuietPipe;
use crate::process::machine::{BUFFER, Job, Source};
use crate::process::spawn::SpawnError;
use crate::process::terms::{Command, Ending, Limits, Report};

/// Names a job of a [`JobSet`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct JobId(u64);

/// Jobs that one thread drives, hundreds of them: no thread and, once its prompt is written, four descriptors a job.
/// Each has a supervisor of its own, so none can touch another's processes.
pub struct JobSet {
    epoll: OwnedFd,
    jobs: BTreeMap<u64, Job<'static>>,
    /// Over before it began, not yet taken.
    over: Vec<(JobId, Result<Report, SpawnError>)>,
    wake: Arc<Wake>,
    next: u64,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Wake {
    event: OwnedFd,
    cancelled: Mutex<Vec<u64>>,
}

/// Cancels a job of a [`JobSet`] from any thread.
#[derive(Clone, Debug)]
pub struct JobCancel {
    id: u64,
    wake: Arc<Wake>,
}

/// The token of the event by which other threads wake the set.
const WAKE: u64 = u64::MAX;

impl JobCancel {
    /// Cancels the job, if it still runs.
    pub fn cancel(&self) {
        self.wake.cancelled.lock().unwrap_or_else(PoisonError::into_inner).push(self.id);
        let _ = rustix::io::write(&self.wake.event, &1u64.to_ne_bytes());
    }
}

impl JobSet {
    /// A set without jobs.
    ///
    /// # Errors
    ///
    /// When the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &event, epoll::EventData::new_u64(WAKE), epoll::EventFlags::IN)?;
        let wake = Arc::new(Wake { event, cancelled: Mutex::new(Vec::new()) });
        Ok(Self { epoll, jobs: BTreeMap::new(), over: Vec::new(), wake, next: 0, buffer: vec![0; BUFFER] })
    }

    /// Starts a job, whose deadline counts from now.
    ///
    /// # Errors
    ///
    /// When it could not be started for lack of anything. A program that turns out not to be executable is told by
    /// [`JobSet::wait`].
    pub fn start(&mut self, command: &Command, input: Vec<u8>, limits: &Limits) -> Result<JobId, SpawnError> {
        let id = self.next;
        self.next += 1;
        if limits.timeout.is_zero() {
            self.over.push((JobId(id), Ok(Report::not_started(Ending::TimedOut, limits.containment))));
            return Ok(JobId(id));
        }
        let job = Job::start(command, input.into(), limits, Instant::now())?;
        for (source, fd) in job.sources() {
            let flags = if source == Source::Stdin { epoll::EventFlags::OUT } else { epoll::EventFlags::IN };
            epoll::add(&self.epoll, fd, epoll::EventData::new_u64(id << 2 | token(source)), flags)
                .map_err(io::Error::from)?;
        }
        self.jobs.insert(id, job);
        Ok(JobId(id))
    }

    /// A handle that cancels `id` from any thread.
    #[must_use]
    pub fn canceller(&self, id: JobId) -> JobCancel {
        JobCancel { id: id.0, wake: Arc::clone(&self.wake) }
    }

    /// How many jobs have been started and not been taken by [`JobSet::wait`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.jobs.len() + self.over.len()
    }

    /// Whether there is no job to wait for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits for a job to end, and takes it. `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the kernel does not let us wait.
    pub fn wait(&mut self) -> io::Result<Option<(JobId, Result<Report, SpawnError>)>> {
        let _quiet = QuietPipe::new();
        loop {
            if let Some(over) = self.over.pop() {
                return Ok(Some(over));
            }
            if self.jobs.is_empty() {
                return Ok(None);
            }
            self.turn()?;
        }
    }

    /// Lets the time pass for every job, waits once, and deals with what is ready.
    fn turn(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let mut wake = now + Duration::from_secs(3600);
        for job in self.jobs.values_mut() {
            job.tick(now, &mut self.buffer);
            wake = wake.min(job.wakes_at());
        }
        self.collect();
        if !self.over.is_empty() {
            return Ok(());
        }
        let left = wake.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        let mut events = Vec::with_capacity(256);
        match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in events {
            let token = event.data.u64();
            if token == WAKE {
                self.take_cancellations();
            } else if let Some(job) = self.jobs.get_mut(&(token >> 2)) {
                job.ready(source(token), &mut self.buffer);
            }
        }
        for job in self.jobs.values_mut() {
            // A copy in a process that another thread has forked would keep a closed descriptor registered.
            for fd in job.take_closing() {
                let _ = epoll::delete(&self.epoll, &fd);
            }
        }
        self.collect();
        Ok(())
    }

    fn take_cancellations(&mut self) {
        let mut count = [0u8; 8];
        let _ = rustix::io::read(&self.wake.event, &mut count);
        let ids = std::mem::take(&mut *self.wake.cancelled.lock().unwrap_or_else(PoisonError::into_inner));
        for id in ids {
            if let Some(job) = self.jobs.get_mut(&id) {
                job.cancel();
            }
        }
    }

    /// Moves what is done to what is over.
    fn collect(&mut self) {
        let done: Vec<u64> = self.jobs.iter().filter(|(_, job)| job.is_done()).map(|(&id, _)| id).collect();
        for id in done {
            if let Some(job) = self.jobs.remove(&id) {
                for (_, fd) in job.sources() {
                    let _ = epoll::delete(&self.epoll, fd);
                }
                self.over.push((JobId(id), job.into_result()));
            }
        }
    }
}

fn token(source: Source) -> u64 {
    match source {
        Source::Control => 0,
        Source::Stdin => 1,
        Source::Stdout => 2,
        Source::Stderr => 3,
    }
}

fn source(token: u64) -> Source {
    match token & 3 {
        0 => Source::Control,
        1 => Source::Stdin,
        2 => Source::Stdout,
        _ => Source::Stderr,
    }
}
