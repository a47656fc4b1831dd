//! Plain data that every other room speaks in: launches, boundaries, verdicts, cases, events. No I/O.

mod boundary;
pub mod case;
mod event;
mod exit;
mod launch;
mod outcome;
pub mod source;
pub mod text;
mod verdict;

pub use boundary::{Assessment, Measurement, ReadOnly};
pub use event::{Capability, Event, Finding, Grant, Severity, Start, Summary, Tier, VerdictEvent};
pub use exit::Exit;
pub use launch::{CompletionChannel, Launch, Placeholders, PromptChannel};
pub use outcome::Outcome;
pub use verdict::{Check, Verdict};
