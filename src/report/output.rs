//! Standard output and standard error: colour where it is wanted, and a reader that went away is no fault of ours.

use std::io::{self, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};

/// When to print in colour.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set; elsewhere when `CLICOLOR_FORCE` is.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Colour {
    fn choice(self, auto: impl FnOnce() -> ColorChoice) -> ColorChoice {
        match self {
            Self::Auto => auto(),
            Self::Always => ColorChoice::AlwaysAnsi,
            Self::Never => ColorChoice::Never,
        }
    }
}

/// A stream of a person's or a program's choosing.
pub struct Output {
    writer: Box<dyn Write>,
    colour: bool,
    closed: bool,
    error: Option<io::Error>,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Output").field("colour", &self.colour).field("closed", &self.closed).finish()
    }
}

impl Output {
    /// Standard output.
    #[must_use]
    pub fn stdout(colour: Colour) -> Self {
        let choice = colour.choice(|| AutoStream::choice(&io::stdout()));
        Self::new(Box::new(AutoStream::new(io::stdout(), choice)), choice)
    }

    /// Standard error.
    #[must_use]
    pub fn stderr(colour: Colour) -> Self {
        let choice = colour.choice(|| AutoStream::choice(&io::stderr()));
        Self::new(Box::new(AutoStream::new(io::stderr(), choice)), choice)
    }

    fn new(writer: Box<dyn Write>, choice: ColorChoice) -> Self {
        Self { writer, colour: choice != ColorChoice::Never, closed: false, error: None }
    }

    /// Whether colours reach the reader.
    #[must_use]
    pub fn colour(&self) -> bool {
        self.colour
    }

    /// Whether a person may be looking at standard error.
    #[must_use]
    pub fn stderr_is_terminal() -> bool {
        io::stderr().is_terminal()
    }

    /// Writes `text`. Once the reader is gone nothing more is written and nothing fails; the verdict still counts.
    pub fn print(&mut self, text: &str) {
        let _ = self.write_all(text.as_bytes());
        let _ = self.flush();
    }

    /// What kept the text from being written, other than that nobody reads it any more.
    pub fn take_error(&mut self) -> Option<io::Error> {
        self.error.take()
    }

    fn settle<T>(&mut self, result: io::Result<T>, otherwise: T) -> T {
        result.unwrap_or_else(|error| {
            self.closed = true;
            if error.kind() != io::ErrorKind::BrokenPipe {
                self.error = Some(error);
            }
            otherwise
        })
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(buffer.len());
        }
        match self.writer.write(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            result => Ok(self.settle(result, buffer.len())),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.closed {
            let result = self.writer.flush();
            self.settle(result, ());
        }
        Ok(())
    }
}
