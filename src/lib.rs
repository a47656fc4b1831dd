//! argvow tests the sandbox policy of headless coding agents: the argv they are launched with, and the code that
//! launches them.

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
compile_error!(
    "argvow needs Linux on x86-64 or AArch64 for now: its supervisor is made by a system call of Linux, and is the first \
     thing that another system would have to have"
);

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
