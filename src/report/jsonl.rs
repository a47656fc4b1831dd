//! JSON lines: one event a line, exactly as a program reads them. Nothing in a line acts on a terminal.

use std::io::{self, Write};

use crate::model::Event;
use crate::model::text::escape_json;
use crate::report::Format;

/// The `jsonl` format.
#[derive(Debug, Default)]
pub struct Jsonl;

impl Format for Jsonl {
    fn event(&mut self, event: &Event, out: &mut dyn Write) -> io::Result<()> {
        let line = escape_json(&event.to_json().map_err(io::Error::other)?);
        writeln!(out, "{line}")?;
        out.flush()
    }
}
