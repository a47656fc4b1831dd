//! Finding the executable that a program's name means, before anything is started.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Where libc looks when there is no `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// The file that `name` means: itself when it holds a slash (against the caller's directory, not the child's),
/// else the first executable of that name on `path`.
///
/// # Errors
///
/// `NotFound` when there is none, `PermissionDenied` when there are only files that may not be executed.
pub(super) fn find(name: &OsStr, path: Option<&OsStr>) -> io::Result<PathBuf> {
    if name.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "the program's name is empty"));
    }
    if name.as_bytes().contains(&b'/') {
        return std::path::absolute(name);
    }
    let path = path.map_or_else(|| OsString::from(DEFAULT_PATH), OsStr::to_owned);
    let mut denied = false;
    for dir in env::split_paths(&path) {
        let candidate = if dir.as_os_str().is_empty() { Path::new(".").join(name) } else { dir.join(name) };
        match fs::metadata(&candidate) {
            Ok(meta) if meta.is_file() => {
                if rustix::fs::access(&candidate, rustix::fs::Access::EXEC_OK).is_ok() {
                    return std::path::absolute(candidate);
                }
                denied = true;
            }
            _ => {}
        }
    }
    Err(if denied { io::ErrorKind::PermissionDenied.into() } else { io::ErrorKind::NotFound.into() })
}
