//! The host: the process that a runner lives in while one case abuses it.
//!
//! It says that it is ready, reads one [`Call`], runs it, writes one [`Answer`], and stays until its standard input
//! ends, so that what the runner has left unreaped can be seen. A line `cancel` cancels the call.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::process::{Cancel, block_signals, ignore_signals, leak_descriptor};
use crate::subject::{Answer, Call, Subject};

/// The first argument of an executable that is to be a host.
pub const HOST_WORD: &str = "argvow-host";

/// What a host says first; the id of its bystander follows, if it has one.
pub const READY: &str = "ready";

/// Serves one call on the standard streams. `args` are the words after [`HOST_WORD`]: `tty=PATH`, `ignore`, `block`,
/// `leak`, `bystander`.
///
/// # Errors
///
/// When the streams break or what arrives is no call.
pub fn serve(subject: &dyn Subject, args: impl Iterator<Item = String>) -> io::Result<()> {
    let around = Surroundings::set_up(args)?;
    say(&around.ready())?;
    let mut line = String::new();
    if io::stdin().read_line(&mut line)? == 0 {
        return Ok(());
    }
    let call: Call = serde_json::from_str(&line).map_err(io::Error::other)?;
    let cancels = (0..call.at_once).map(|_| Cancel::new()).collect::<io::Result<Vec<_>>>()?;
    if call.cancelled {
        cancels.iter().for_each(Cancel::cancel);
    }
    let step = if call.cancels_half { 2 } else { 1 };
    let handles: Vec<Cancel> = cancels.iter().skip(step - 1).step_by(step).cloned().collect();
    let until_the_end = thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if line == "cancel" {
                handles.iter().for_each(Cancel::cancel);
            }
        }
    });
    thread::scope(|scope| {
        let calls: Vec<_> = (0..call.at_once)
            .zip(&cancels)
            .map(|(index, cancel)| {
                let call = call.numbered(index);
                scope.spawn(move || answer(subject, &call, cancel, index))
            })
            .collect();
        calls.into_iter().try_for_each(|call| call.join().unwrap_or_else(|_| Err(io::Error::other("panic"))))
    })?;
    // The harness looks at what is left before it ends our input.
    let _ = until_the_end.join();
    Ok(())
}

fn answer(subject: &dyn Subject, call: &Call, cancel: &Cancel, index: u32) -> io::Result<()> {
    let answer = Answer { index, ..subject.run(call, cancel) };
    say(&serde_json::to_string(&answer).map_err(io::Error::other)?)
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// What the case has put around the runner.
#[derive(Default)]
struct Surroundings {
    terminal: Option<File>,
    bystander: Option<Child>,
}

impl Surroundings {
    fn set_up(args: impl Iterator<Item = String>) -> io::Result<Self> {
        let mut around = Self::default();
        let signals = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];
        for arg in args {
            if let Some(path) = arg.strip_prefix("tty=") {
                // The first terminal that a session leader opens becomes its controlling one.
                around.terminal = Some(OpenOptions::new().read(true).write(true).open(path)?);
            } else if arg == "ignore" {
                ignore_signals(&signals);
            } else if arg == "block" {
                block_signals(&signals);
            } else if arg == "leak" {
                leak_descriptor()?;
            } else if arg == "bystander" {
                // Lives until its input ends, which is with this process at the latest.
                let cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
                around.bystander = Some(cat);
            }
        }
        Ok(around)
    }

    fn ready(&self) -> String {
        match &self.bystander {
            Some(child) => format!("{READY} {}", child.id()),
            None => READY.to_owned(),
        }
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        if let Some(mut child) = self.bystander.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}
