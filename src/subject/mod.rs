//! The ways to plug a runner in. Whatever it is, it lives in a host process of its own and gets one call.

mod builtin;
mod call;
mod host;
mod runner;

pub use builtin::Builtin;
pub use call::{Answer, Call};
pub use host::{HOST_WORD, READY, serve};
pub use runner::Subject;
