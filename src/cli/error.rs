//! What a user can get wrong, which always ends in exit code 2. Bugs of ours are no part of this: they panic and end in 70.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::model::source::SourceError;
use crate::snapshot::StoreError;
use crate::suite::CatalogueError;

/// Why a verb could not do its work.
#[derive(Debug, Error)]
pub(crate) enum CliError {
    /// The command line asks for something that is not there or makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A file of the user's is wrong.
    #[error(transparent)]
    Source(#[from] Box<SourceError>),
    /// A file of the user's cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A snapshot cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CatalogueError> for CliError {
    fn from(error: CatalogueError) -> Self {
        match error {
            CatalogueError::Source(source) => Self::Source(source),
            CatalogueError::Read { path, source } => Self::Read { path, source },
        }
    }
}
