//! The fake agent: this very executable under another name, doing what its script says and recording it.

mod dispatch;
mod fingerprint;
mod interpreter;
mod record;
mod script;

pub use dispatch::dispatch;
pub use fingerprint::Fingerprint;
pub use record::{Fact, Record, now_ns};
pub use script::{Script, script_path};
