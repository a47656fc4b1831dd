//! The ways to plug a runner in. Whatever it is, it lives in a host process of its own and gets one call.

mod builtin;
mod call;
mod host;

pub use builtin::Builtin;
pub use call::{Answer, Call};
pub use host::{HOST_WORD, READY, serve};

use crate::process::Cancel;

/// A runner under test.
///
/// ```
/// use argvow::model::Outcome;
/// use argvow::process::Cancel;
/// use argvow::subject::{Answer, Call, Subject};
///
/// /// Refuses to run anything.
/// struct Refuses;
///
/// impl Subject for Refuses {
///     fn run(&self, _call: &Call, _cancel: &Cancel) -> Answer {
///         Answer::of(Outcome::Spawn)
///     }
/// }
/// ```
pub trait Subject: Send + Sync {
    /// Runs the agent of `call` once and returns when it is over. `cancel` fires when the caller has changed its
    /// mind.
    fn run(&self, call: &Call, cancel: &Cancel) -> Answer;
}
