//! How much of a job's tree is known to be in the runner's hands. Disclosed in every result.

use std::fmt;

/// The level at which a job was contained.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Containment {
    /// The supervisor was killed or did not answer: the agent was killed, a descendant of it may live.
    Lost,
    /// A supervising process per job is the subreaper of everything the agent starts, whatever sessions and
    /// groups it makes, and ends it all, also when the runner is killed (but for the kernel's killer for want of memory,
    /// which ends whatever shares the runner's memory, the supervisor too: then the agent alone dies with it). It contains a careless agent; one that
    /// kills its supervisor is a case for [`Containment::Lost`].
    Supervised,
    /// The supervisor is the first process of a process namespace. What is in there cannot signal it, and when it
    /// goes, however it goes, the kernel kills all of it: it contains an agent that attacks its supervisor. Takes
    /// the right to make a namespace (`CAP_SYS_ADMIN`), may disturb an agent that makes namespaces itself, and the
    /// agent sees the ids of the outside in `/proc`.
    PidNamespace,
}

impl fmt::Display for Containment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost => "lost",
            Self::Supervised => "supervised",
            Self::PidNamespace => "pid-namespace",
        })
    }
}
