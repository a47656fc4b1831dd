//! A fault in a file that a user wrote: what, and where. Printing it is `report`'s business.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;

/// A fault at a place in a text file.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[error("{}:{}:{}: {message}", path.display(), self.line(), self.column())]
pub struct SourceError {
    /// The file, as the user would name it.
    pub path: PathBuf,
    /// The whole text of the file.
    pub text: String,
    /// The offending bytes of the text; empty where only a position is known.
    pub span: Range<usize>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to do about it, where that is not plain from the message.
    pub help: Option<String>,
}

impl SourceError {
    /// A fault at `span` of `text`.
    #[must_use]
    pub fn new(path: &Path, text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        let end = span.end.min(text.len());
        let start = span.start.min(end);
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            span: start..end,
            message: message.into(),
            help: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The line of the fault, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.before().matches('\n').count() + 1
    }

    /// The column of the fault in characters, from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        let before = self.before();
        before.rsplit('\n').next().unwrap_or(before).chars().count() + 1
    }

    fn before(&self) -> &str {
        let mut at = self.span.start.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        &self.text[..at]
    }
}

/// Reads a value from TOML.
///
/// # Errors
///
/// The first fault in the text, with its place.
pub fn from_toml<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, SourceError> {
    toml::from_str(text)
        .map_err(|error| SourceError::new(path, text, error.span().unwrap_or(0..0), error.message()))
}
