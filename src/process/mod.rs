//! Spawning, containing, talking to and ending processes. Knows no agent and no case.
//!
//! The only room with `unsafe`, and in it only the files that say so: `kernel` has the raw system calls,
//! `supervisor` runs in a process of its own on the caller's memory, `spawn` starts it, `own` is what a process
//! does to itself.

mod cancel;
mod capture;
mod containment;
mod job;
mod kernel;
mod machine;
mod own;
mod program;
mod set;
mod spawn;
mod supervisor;
mod terms;
mod tree;

pub use cancel::Cancel;
pub use containment::Containment;
pub use job::run;
pub use own::{
    Child, arm_expiry, become_session_leader, block_signals, close_all_but, close_descriptor, execute,
    executed_name, fork, handle_as_default, ignore_signals, lead_group, leak_descriptor, make_fifo, raise,
    wait_child, wait_signal,
};
pub use set::{JobCancel, JobId, JobSet};
pub use spawn::{Message, SpawnError, Stdio, Supervised};
pub use terms::{Command, Ending, Limits, Report};
pub use tree::{Process, descendants};
