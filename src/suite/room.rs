//! The room of one case: its fake agent, its directories, its two FIFOs. Nothing in it is shared with another case.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::fake::{Script, script_path};
use crate::model::case::{Program, Step, WorkingDir};
use crate::process::make_fifo;

/// How long any process of a fake lives at most.
const LIFE: Duration = Duration::from_secs(60);

/// Names that a shell, or a program that takes words apart, does not leave in one piece.
const ODD_DIR: &str = "it's a répo";
const ODD_AGENT: &str = "bin/it's $an\nagent";

/// What a fake agent is told.
pub(super) struct Setup<'a> {
    pub(super) steps: &'a [Step],
    pub(super) watched: &'a [String],
}

/// A case's room.
#[derive(Debug)]
pub(super) struct Room {
    dir: PathBuf,
    /// Read by the harness alone; held open for writing too, so that it never ends.
    pub(super) records: File,
    /// Ends when no process of the fake is alive.
    pub(super) lifeline: File,
    /// Whatever is written into it stays there, and releases every agent that waits.
    gate: File,
    pub(super) nonce: String,
}

impl Room {
    pub(super) fn new(
        parent: &Path,
        number: usize,
        executable: &Path,
        agent: &Setup<'_>,
    ) -> io::Result<Self> {
        let dir = parent.join(format!("case-{number}"));
        for sub in ["bin", "repo", "host", ODD_DIR] {
            fs::create_dir_all(dir.join(sub))?;
        }
        let nonce = format!("{}-{number}", std::process::id());
        let (records, lifeline, gate) = (dir.join("records"), dir.join("lifeline"), dir.join("gate"));
        for fifo in [&records, &lifeline, &gate] {
            make_fifo(fifo)?;
        }
        let script = Script {
            nonce: nonce.clone(),
            life_ms: LIFE.as_millis() as u64,
            records: records.clone(),
            lifeline: lifeline.clone(),
            gate: gate.clone(),
            watched: agent.watched.to_vec(),
            step: agent.steps.to_vec(),
        };
        let room = Self {
            records: OpenOptions::new()
                .read(true)
                .write(true)
                .custom_flags(libc::O_NONBLOCK)
                .open(&records)?,
            lifeline: OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&lifeline)?,
            gate: OpenOptions::new().read(true).write(true).open(&gate)?,
            dir,
            nonce,
        };
        for name in [room.agent(), room.dir.join(ODD_AGENT)] {
            fs::write(script_path(&name), script.to_text()?)?;
            fs::hard_link(executable, &name).or_else(|_| symlink(executable, &name))?;
        }
        fs::write(room.dir.join("no-shebang"), "touch \"$0.ran\"\n")?;
        fs::set_permissions(room.dir.join("no-shebang"), fs::Permissions::from_mode(0o755))?;
        fs::write(room.dir.join("not-executable"), "#!/bin/sh\n")?;
        fs::set_permissions(room.dir.join("not-executable"), fs::Permissions::from_mode(0o644))?;
        Ok(room)
    }

    fn agent(&self) -> PathBuf {
        self.dir.join("bin/claude")
    }

    /// What the runner is told to spawn.
    pub(super) fn program(&self, program: Program) -> String {
        let path = match program {
            Program::Agent => self.agent(),
            Program::AgentOnPath => return "claude".to_owned(),
            Program::Missing => self.dir.join("bin/no-such-agent"),
            Program::NotExecutable => self.dir.join("not-executable"),
            Program::NoShebang => self.dir.join("no-shebang"),
            Program::Directory => self.dir.join("bin"),
            Program::AgentWithOddName => self.dir.join(ODD_AGENT),
        };
        path.to_string_lossy().into_owned()
    }

    /// The directory that the runner is told to run the agent in.
    pub(super) fn working_dir(&self, which: WorkingDir) -> Option<PathBuf> {
        match which {
            WorkingDir::Own => Some(self.dir.join("repo")),
            WorkingDir::Inherit => None,
            WorkingDir::Missing => Some(self.dir.join("no-such-directory")),
            WorkingDir::File => Some(self.dir.join("not-executable")),
            WorkingDir::OddName => Some(self.dir.join(ODD_DIR)),
        }
    }

    /// The directory that the agent is in when it was put where it was told to be.
    pub(super) fn expected_cwd(&self, which: WorkingDir) -> PathBuf {
        self.working_dir(which).unwrap_or_else(|| self.host_dir())
    }

    /// The directory that the host is in: never the agent's own.
    pub(super) fn host_dir(&self) -> PathBuf {
        self.dir.join("host")
    }

    /// Lets every agent go on that waits for it.
    pub(super) fn release(&self) -> io::Result<()> {
        (&self.gate).write_all(b"!")
    }

    /// Whether a file is where the agent, or a shell that was never to be asked, would have put it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.dir.join("repo").join(name).exists() || self.host_dir().join(name).exists()
    }

    /// Whether the text file without `#!` was run by a shell.
    pub(super) fn script_ran(&self) -> bool {
        self.dir.join("no-shebang.ran").exists()
    }

    /// The environment of the host.
    pub(super) fn environment(&self) -> Vec<(OsString, OsString)> {
        let mut path = self.dir.join("bin").into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        vec![
            ("PATH".into(), path),
            ("HOME".into(), self.host_dir().into()),
            ("TMPDIR".into(), self.host_dir().into()),
            ("LANG".into(), "C.UTF-8".into()),
        ]
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}
