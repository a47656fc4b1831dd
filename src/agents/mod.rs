//! The agents that argvow knows, one file each: its launch, its claimed boundary, what was measured about it.

mod agent;
mod claude_code;
mod codex;
mod copilot;
mod droid;
mod fetch;
mod pi;
mod profile;

pub use agent::Agent;
pub use fetch::{Fetch, FetchError};
