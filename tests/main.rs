//! All integration tests, one binary. Names are sentences.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod backend;
mod case_format;
mod cli;
mod house;
mod kill_matrix;
mod nothing_left;
mod observer;
mod policy;
mod process;
mod project;
mod readme;
mod report;
mod snapshots;
