//! The reference runner's public face: one prompt in, one completion out.

mod command;
mod command_line;
mod environment;
mod error;
mod llm;

pub use command::{CommandBackend, Completion, EmptyArgv};
pub use command_line::CommandLine;
pub use error::LlmError;
pub use llm::LlmBackend;
