//! The host: the process that a runner lives in while one case abuses it.
//!
//! It says that it is ready, reads one [`Call`], runs it, writes one [`Answer`], and stays until its standard input
//! ends, so that what the runner has left unreaped can be seen. A line `cancel` cancels the call.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::thread;

use crate::process::{Cancel, ignore_signals, leak_descriptor};
use crate::subject::{Answer, Call, Subject};

/// The first argument of an executable that is to be a host.
pub const HOST_WORD: &str = "argvow-host";

/// What a host says first.
pub const READY: &str = "ready";

/// Serves one call on the standard streams. `args` are the words after [`HOST_WORD`]: `tty=PATH`, `ignore`, `leak`.
///
/// # Errors
///
/// When the streams break or what arrives is no call.
pub fn serve(subject: &dyn Subject, args: impl Iterator<Item = String>) -> io::Result<()> {
    let _terminal = set_up(args)?;
    say(READY)?;
    let mut line = String::new();
    if io::stdin().read_line(&mut line)? == 0 {
        return Ok(());
    }
    let call: Call = serde_json::from_str(&line).map_err(io::Error::other)?;
    let cancel = Cancel::new()?;
    if call.cancelled {
        cancel.cancel();
    }
    let handle = cancel.clone();
    let until_the_end = thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            if line == "cancel" {
                handle.cancel();
            }
        }
    });
    let answer: Answer = subject.run(&call, &cancel);
    say(&serde_json::to_string(&answer).map_err(io::Error::other)?)?;
    // The harness looks at what is left before it ends our input.
    let _ = until_the_end.join();
    Ok(())
}

fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

fn set_up(args: impl Iterator<Item = String>) -> io::Result<Option<File>> {
    let mut terminal = None;
    for arg in args {
        if let Some(path) = arg.strip_prefix("tty=") {
            // The first terminal that a session leader opens becomes its controlling one.
            terminal = Some(OpenOptions::new().read(true).write(true).open(path)?);
        } else if arg == "ignore" {
            ignore_signals(&[libc::SIGTERM, libc::SIGINT, libc::SIGHUP]);
        } else if arg == "leak" {
            leak_descriptor()?;
        }
    }
    Ok(terminal)
}
