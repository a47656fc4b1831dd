//! The catalogue of cases: the embedded one, and directories of a user's own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::model::case::Case;
use crate::model::source::{SourceError, from_toml};

/// The edition of the embedded catalogue.
pub const EDITION: &str = "2026-12";

const AREAS: [&str; 12] = [
    "cancel",
    "cleanup",
    "concurrency",
    "environment",
    "exit",
    "large-pipe",
    "output",
    "permission",
    "prompt",
    "spawn",
    "timeout",
    "working-dir",
];

const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cases.rs"));

/// Cases by id.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    cases: BTreeMap<String, Case>,
}

/// Why a catalogue could not be read.
#[derive(Debug, Error)]
pub enum CatalogueError {
    /// A case file is wrong.
    #[error(transparent)]
    Source(#[from] Box<SourceError>),
    /// A directory or file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The directory or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Catalogue {
    /// The catalogue in the binary.
    ///
    /// # Errors
    ///
    /// When an embedded file is wrong, which a test rules out.
    pub fn embedded() -> Result<Self, CatalogueError> {
        let mut catalogue = Self::default();
        for (id, text) in EMBEDDED {
            catalogue.add(id, &PathBuf::from(format!("fixtures/cases/{id}.toml")), text)?;
        }
        Ok(catalogue)
    }

    /// Adds every `<area>/<name>.toml` below `dir`.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is wrong.
    pub fn add_dir(&mut self, dir: &Path) -> Result<(), CatalogueError> {
        for area in list(dir)?.iter().filter(|path| path.is_dir()) {
            for file in list(area)?.iter().filter(|path| path.extension().is_some_and(|ext| ext == "toml")) {
                let text = fs::read_to_string(file)
                    .map_err(|source| CatalogueError::Read { path: file.clone(), source })?;
                self.add(&format!("{}/{}", stem(area), stem(file)), file, &text)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, id: &str, path: &Path, text: &str) -> Result<(), CatalogueError> {
        let at_start = |message: String| Box::new(SourceError::new(path, text, 0..0, message));
        let area = id.split('/').next().unwrap_or(id);
        if !AREAS.contains(&area) {
            return Err(at_start(format!("`{area}` is no area; areas are {}", AREAS.join(", "))).into());
        }
        let mut case: Case = from_toml(path, text).map_err(Box::new)?;
        // Editions are dates, so they sort as text.
        if case.since.as_str() > EDITION {
            let message =
                format!("`since` is {}, and this argvow knows editions up to {EDITION}", case.since);
            return Err(at_start(message).into());
        }
        id.clone_into(&mut case.id);
        if let Err(message) = case.validate() {
            return Err(at_start(message).into());
        }
        if self.cases.insert(id.to_owned(), case).is_some() {
            return Err(at_start(format!("the case `{id}` exists already")).into());
        }
        Ok(())
    }

    /// Every case, in the order of ids.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.cases.values()
    }

    /// The case with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Case> {
        self.cases.get(id)
    }
}

fn list(dir: &Path) -> Result<Vec<PathBuf>, CatalogueError> {
    let read = |source| CatalogueError::Read { path: dir.to_owned(), source };
    let mut paths = fs::read_dir(dir)
        .map_err(read)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()
        .map_err(read)?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
