//! The directory of one run: the one copy of the executable that every fake is a link to, and a room per case.
//!
//! It goes with the run. A run that is killed leaves it to a janitor process, and what a janitor that is killed too
//! leaves behind, the next run sweeps: a directory whose lock nobody holds belongs to nobody.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use tempfile::TempDir;

/// How the directories of runs are named.
const PREFIX: &str = "argvow-run-";

/// The file that a run holds locked.
const LOCK: &str = "lock";

/// The first argument of the process that cleans up behind a killed run; the directory follows.
pub(super) const JANITOR_WORD: &str = "argvow-janitor";

/// The directory of a run.
#[derive(Debug)]
pub(super) struct Scratch {
    dir: TempDir,
    janitor: Option<Child>,
    _lock: File,
}

impl Scratch {
    /// Makes the directory with a copy of `executable` in it, and sweeps what earlier runs have left. To be called
    /// before any thread starts: a file that is being written cannot be executed, and a fork of another thread
    /// would hold it open.
    pub(super) fn new(executable: &Path) -> io::Result<Self> {
        // Fakes and hosts run elsewhere: nothing here may depend on the current directory.
        let parent = fs::canonicalize(std::env::temp_dir())?;
        sweep_stale(&parent);
        let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&parent)?;
        let lock = File::create(dir.path().join(LOCK))?;
        flock(&lock, FlockOperation::LockExclusive)?;
        let mut scratch = Self { dir, janitor: None, _lock: lock };
        fs::copy(executable, scratch.executable())?;
        scratch.janitor = Command::new(scratch.executable())
            .args([JANITOR_WORD.as_ref(), scratch.dir.path().as_os_str()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok();
        Ok(scratch)
    }

    /// The copy of the executable.
    pub(super) fn executable(&self) -> PathBuf {
        self.dir.path().join("argvow")
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.dir.path());
        if let Some(mut janitor) = self.janitor.take() {
            drop(janitor.stdin.take());
            let _ = janitor.wait();
        }
    }
}

/// Waits until the run that started this process is over, however it ended, and removes its directory.
///
/// It is a process of its own session, so that what ends the run does not end it too.
///
/// # Errors
///
/// When standard input breaks.
pub(super) fn janitor(dir: &Path) -> io::Result<()> {
    let _ = crate::process::become_session_leader();
    io::copy(&mut io::stdin(), &mut io::sink())?;
    // Only ever what a run has made, whatever the argument says.
    if dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX))
        && dir.join(LOCK).exists()
    {
        fs::remove_dir_all(dir)?;
    }
    Ok(())
}

/// How long a directory may be in the making.
const MAKING: Duration = Duration::from_secs(60);

/// The lock of a run of ours that was made a while ago. Anybody may put anything into a temporary directory.
fn open_lock(path: &Path) -> Option<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
    let lock = File::options().read(true).custom_flags(flags).open(path).ok()?;
    let meta = lock.metadata().ok()?;
    let ours = meta.uid() == rustix::process::getuid().as_raw();
    let old = meta.modified().ok()?.elapsed().is_ok_and(|age| age > MAKING);
    (meta.is_file() && ours && old).then_some(lock)
}

fn sweep_stale(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        // A directory without its lock yet is one that is being made, and one whose lock is young may be.
        let Some(lock) = open_lock(&entry.path().join(LOCK)) else { continue };
        if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
