//! The exit codes of the command line, in one place.

/// How a run of `argvow` ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u8)]
pub enum Exit {
    /// Every boundary held, every case passed, every snapshot matches.
    Held = 0,
    /// A boundary is broken, a case failed, a snapshot differs, or a baseline entry is stale.
    Broken = 1,
    /// The command line or the policy file is wrong.
    Usage = 2,
    /// Nothing was selected.
    Nothing = 3,
    /// Something could not be observed, and nothing is known to be broken.
    Inconclusive = 4,
    /// A bug of ours.
    Bug = 70,
    /// Interrupted by a signal.
    Interrupted = 130,
}

impl Exit {
    /// The number that the process exits with.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}
