//! All integration tests, one binary. Names are sentences.

mod cli;
mod project;
mod report;
mod snapshots;
