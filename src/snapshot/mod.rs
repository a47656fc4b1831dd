//! Reviewed launches as files: how a launch is written down, kept, compared and accepted.

mod accept;
mod compare;
mod parse;
mod render;
mod store;

pub use accept::{Accepted, accept};
pub use compare::{Comparison, compare, unified_diff};
pub use parse::{Corrupt, Snapshot};
pub use render::render;
pub use store::{Store, StoreError};
