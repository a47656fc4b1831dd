//! argvow tests the sandbox policy of headless coding agents: the argv they are launched with, and the code that
//! launches them.

#[cfg(not(unix))]
compile_error!("argvow needs Unix: sessions, process groups and signals are what it is about");

pub mod agents;
pub mod backend;
pub mod cli;
pub mod fake;
pub mod model;
pub mod policy;
pub mod process;
pub mod report;
pub mod snapshot;
pub mod subject;
pub mod suite;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
