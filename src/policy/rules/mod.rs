//! The rules of the flag check, one file a subject.

mod environment;
mod forbidden;
mod grants;
mod list;
mod never;
mod operands;
mod pins;
mod prompt;
mod repeats;
mod table;
mod values;
mod widening;

pub(crate) use list::{run, without_dialect};
