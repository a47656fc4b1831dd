//! What an argv means: dialects, the parser, pattern lists, and the check against the flag table.

mod code;
mod dialect;
mod flags;
mod keys;
mod parse;
mod patterns;
mod quote;
mod rules;

pub use code::Code;
pub use dialect::{
    Arity, Class, Dialect, Dialects, Family, Flag, Key, Pin, PinBy, RejectedWord, Repeat, Separator,
    Subcommand, Takes, Twin, Variable, When,
};
pub use flags::{FlagReport, check_flags};
pub use keys::{Setting, settings};
pub use parse::{
    FlagPart, FlagUse, FlagValue, FlagWord, ParsedArgv, PatternList, Tail, TailKind, Word, parse,
};
pub use patterns::Patterns;
