//! Cancelling a job from elsewhere, at once.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// Cancels every job that holds a clone of it. A job that waits is woken; nothing polls.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    flag: AtomicBool,
    wake: OwnedFd,
}

impl Cancel {
    /// A handle that has not been used.
    ///
    /// # Errors
    ///
    /// When the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self(Arc::new(Inner { flag: AtomicBool::new(false), wake })))
    }

    /// Cancels. A second time changes nothing.
    pub fn cancel(&self) {
        if !self.0.flag.swap(true, Ordering::SeqCst) {
            // The counter is never read back, so one write wakes every waiter for good.
            let _ = rustix::io::write(&self.0.wake, &1u64.to_ne_bytes());
        }
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.flag.load(Ordering::SeqCst)
    }

    /// Readable once cancelled.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.0.wake.as_fd()
    }
}
