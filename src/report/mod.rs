//! What a run looks like: one file per output format. Consumes events and nothing else, and is the only room that
//! prints.

mod diagnostic;
mod escape;
mod human;
mod jsonl;
mod output;
mod progress;
mod sinks;

pub use diagnostic::diagnostic;
pub use escape::{escape, escape_lines, shorten};
pub use human::{Human, Verbosity, exit_in_words, style};
pub use jsonl::Jsonl;
pub use output::{Colour, Output};
pub use progress::Progress;
pub use sinks::{FORMATS, Format, FormatName, Sinks};
