//! One temporary project with everything around it scrubbed: what a test says is all that the binary sees.

#![expect(clippy::unwrap_used, reason = "a project that cannot be made fails its test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use tempfile::TempDir;

/// The first two lines of every policy file.
pub(crate) const HEAD: &str = "argvow = 1\nedition = \"2026-12\"\n";

/// A launch of Claude Code that nothing is wrong with, seven patterns long.
pub(crate) const REVIEWER: &str = r#"argvow = 1
edition = "2026-12"

[launch.reviewer]
agent = "claude-code"
argv = ["claude", "-p", "--output-format", "text", "--permission-mode", "default", "--allowed-tools",
        "Bash({fetch} agent:*),Bash(git diff:*),Read,Grep,Glob,Bash(git log:*),Bash(git show:*)"]
boundary = "tool-allowlist"
"#;

#[must_use]
pub(crate) struct Project {
    dir: TempDir,
}

impl Project {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join(".git")).unwrap();
        Self { dir }
    }

    /// A project with this policy file.
    #[track_caller]
    pub(crate) fn with(policy: &str) -> Self {
        Self::new().file("argvow.toml", policy)
    }

    #[track_caller]
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    #[track_caller]
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// The binary, with nothing of this machine's environment and no agent on its path.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_argvow"));
        command.env_clear().env("PATH", self.path("bin")).env("HOME", self.dir.path());
        command.current_dir(self.dir.path());
        command
    }

    /// The same for a test that talks to the process while it runs.
    pub(crate) fn spawn(&self, args: &[&str]) -> std::process::Child {
        std::process::Command::new(env!("CARGO_BIN_EXE_argvow"))
            .args(args)
            .env_clear()
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Assert {
        self.command().args(args).assert()
    }

    /// Runs, expects this exit code, and gives back standard output.
    #[track_caller]
    pub(crate) fn stdout(&self, args: &[&str], code: i32) -> String {
        let assert = self.run(args).code(code);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    }

    /// Runs with `--format jsonl`, expects this exit code, and gives back the events.
    #[track_caller]
    pub(crate) fn events(&self, args: &[&str], code: i32) -> Vec<Value> {
        let mut all = args.to_vec();
        all.extend(["--format", "jsonl"]);
        events(&self.stdout(&all, code))
    }

    /// Every file with its content.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut tree = BTreeMap::new();
        walk(self.dir.path(), &mut tree);
        tree
    }
}

#[track_caller]
pub(crate) fn events(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The verdicts of this kind of check.
pub(crate) fn verdicts<'a>(events: &'a [Value], check: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == "verdict" && event["check"] == check).collect()
}

/// The findings with this code.
pub(crate) fn findings<'a>(events: &'a [Value], code: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == "finding" && event["code"] == code).collect()
}

fn walk(dir: &Path, tree: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, tree);
        } else {
            tree.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
}
