//! What a fake reports: one line of JSON for each thing that happened to it, short enough to be written at once.

use serde::{Deserialize, Serialize};

use crate::model::case::{Answer, Tty};

/// One line.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Record {
    /// The script's nonce.
    pub nonce: String,
    /// The process that it happened to.
    pub pid: i32,
    /// Whether that is the process that the runner started.
    pub leader: bool,
    /// When, in nanoseconds of the monotonic clock.
    pub at_ns: u64,
    /// What.
    pub fact: Fact,
}

/// What happened.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The process exists and knows its script.
    Born {
        /// The fingerprint of its words.
        args: u64,
        /// Its working directory.
        cwd: String,
        /// Its open descriptors.
        descriptors: Vec<i32>,
        /// The watched variables that it has.
        variables: Vec<String>,
        /// The signals that it was started with blocked, a bit each, and those ignored but for PIPE, which our own
        /// runtime ignores before anybody can look.
        blocked: u64,
        /// See `blocked`.
        ignored: u64,
    },
    /// A step begins; its place among the steps, nested ones after their parents.
    Begin(Vec<usize>),
    /// A step is done.
    End(Vec<usize>),
    /// A mark was passed.
    Mark(String),
    /// Standard input was read.
    Read {
        /// How many bytes.
        bytes: u64,
        /// Their fingerprint.
        print: u64,
        /// Whether the end of file came.
        eof: bool,
    },
    /// What was found at `/dev/tty`.
    Tty(Tty),
    /// How a question on standard input was answered.
    Answer(Answer),
    /// A signal that the script speaks of arrived.
    Signal(i32),
    /// A write failed because nobody reads.
    BrokenPipe,
    /// A step could not be done.
    Fault(String),
    /// The process ends by itself with this status.
    Exit(u8),
}

/// Nanoseconds of the monotonic clock, which every process of this machine shares.
#[must_use]
pub fn now_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
