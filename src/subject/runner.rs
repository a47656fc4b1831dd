//! What a runner has to be to be put to the test.

use crate::process::Cancel;
use crate::subject::{Answer, Call};

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
