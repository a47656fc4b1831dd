//! The command line: one file per verb. Raw arguments become resolved options exactly once; the rooms do the work.

mod accept;
mod args;
mod check;
mod codes;
mod completions;
mod entry;
mod error;
mod explain;
mod flags;
mod list;
mod options;
mod policy_file;
mod project;
mod select;
mod session;
mod suite;

pub use entry::main;
pub use policy_file::{Declared, PolicyFile, Runner, Subject};
