//! Where snapshots are kept: a directory beside the policy file, or the binary itself.

use std::fs::{File, Permissions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use crate::snapshot::{Corrupt, Snapshot};

/// The reviewed `v1` launches, for a directory without a policy file.
const EMBEDDED: [(&str, &str); 5] = [
    ("v1-claude-code", include_str!("../../snapshots/v1-claude-code.snap")),
    ("v1-codex", include_str!("../../snapshots/v1-codex.snap")),
    ("v1-copilot", include_str!("../../snapshots/v1-copilot.snap")),
    ("v1-droid", include_str!("../../snapshots/v1-droid.snap")),
    ("v1-pi", include_str!("../../snapshots/v1-pi.snap")),
];

/// Snapshots by launch name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Store {
    /// Those in the binary. They cannot be changed.
    Embedded,
    /// Those in a directory, one `<launch>.snap` each.
    Dir(PathBuf),
}

/// Why a snapshot could not be read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file is there and cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is no snapshot.
    #[error("{}:{}: {}", path.display(), corrupt.line, corrupt.message)]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        corrupt: Corrupt,
    },
    /// The file cannot be written. What was there is still there.
    #[error("cannot write {}: {source}; the snapshot that was there, if any, is unchanged", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The snapshots are part of the binary.
    #[error("the built-in snapshots are part of argvow")]
    Embedded,
}

impl Store {
    /// The file of this launch's snapshot, as a person would name it.
    #[must_use]
    pub fn path(&self, launch: &str) -> PathBuf {
        let file = format!("{launch}.snap");
        match self {
            Self::Embedded => Path::new("snapshots").join(file),
            Self::Dir(dir) => dir.join(file),
        }
    }

    /// The snapshot of this launch; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When there is one and it cannot be read.
    pub fn read(&self, launch: &str) -> Result<Option<Snapshot>, StoreError> {
        let path = self.path(launch);
        let bytes = match self {
            Self::Embedded => {
                EMBEDDED.iter().find(|(name, _)| *name == launch).map(|(_, text)| text.as_bytes().to_vec())
            }
            Self::Dir(_) => match read_regular(&path) {
                Ok(bytes) => Some(bytes),
                Err(source) if source.kind() == ErrorKind::NotFound => None,
                Err(source) => return Err(StoreError::Read { path, source }),
            },
        };
        let Some(bytes) = bytes else { return Ok(None) };
        let read = String::from_utf8(bytes)
            .map_err(|fault| {
                let before = &fault.as_bytes()[..fault.utf8_error().valid_up_to()];
                let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
                Corrupt { line, message: "the file is not UTF-8".to_owned() }
            })
            .and_then(|text| Snapshot::from_file(&text));
        read.map(Some).map_err(|corrupt| StoreError::Corrupt { path, corrupt })
    }

    /// The reasons in this launch's snapshot, for one that cannot be read otherwise.
    #[must_use]
    pub fn salvage_reasons(&self, launch: &str) -> Vec<String> {
        let bytes = read_regular(&self.path(launch)).unwrap_or_default();
        Snapshot::reasons_in(&String::from_utf8_lossy(&bytes))
    }

    /// The names of all snapshots that are kept, sorted.
    ///
    /// # Errors
    ///
    /// When the directory is there and cannot be read.
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        let Self::Dir(dir) = self else {
            return Ok(EMBEDDED.iter().map(|(name, _)| (*name).to_owned()).collect());
        };
        let fail = |source| StoreError::Read { path: dir.clone(), source };
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(source) if source.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(fail(source)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(fail)?.file_name();
            if let Some(name) = file.to_string_lossy().strip_suffix(".snap") {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Replaces the snapshot of this launch in one step: whoever reads sees the old file or the new one.
    ///
    /// # Errors
    ///
    /// When the directory or the file cannot be written; the old file is then as it was.
    pub fn write(&self, launch: &str, body: &str) -> Result<(), StoreError> {
        let Self::Dir(dir) = self else { return Err(StoreError::Embedded) };
        let path = self.path(launch);
        let write = || {
            fs::create_dir_all(dir)?;
            let mut file = tempfile::Builder::new()
                .prefix(".argvow-")
                .permissions(Permissions::from_mode(0o666))
                .tempfile_in(dir)?;
            file.write_all(Snapshot::to_file(launch, body).as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            // The rename itself must survive a crash too.
            File::open(dir)?.sync_all()
        };
        write().map_err(|source| StoreError::Write { path: path.clone(), source })
    }
}

/// Reads a regular file: another kind could hold up the run without an end.
fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
