//! Decides, before anything else happens in this executable, whether it was started as a fake agent.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use crate::fake::interpreter::{CHILD_WORD, Interpreter};
use crate::fake::script::{Script, script_path};
use crate::process::executed_name;

/// Plays the fake agent and never returns, if a script stands beside the name that this process was executed by.
///
/// To be called first in `main`: a fake has one thread and an untouched working directory.
pub fn dispatch() {
    let Some(executable) = executed_name().and_then(|name| std::path::absolute(name).ok()) else { return };
    let Ok(text) = fs::read_to_string(script_path(&executable)) else { return };
    let Some(script) = Script::from_text(&text) else { return };
    std::process::exit(play(executable, script))
}

fn play(executable: PathBuf, script: Script) -> i32 {
    let args: Vec<OsString> = std::env::args_os().collect();
    // What programs ask before they trust an agent. Not a run: it is not recorded.
    match args.get(1).and_then(|arg| arg.to_str()) {
        Some("--version") if args.len() == 2 => return print("0.0.0 (argvow fake agent)\n"),
        Some("--help") if args.len() == 2 => return print("Usage: a fake agent of argvow\n"),
        _ => {}
    }
    let place = match args.get(1) {
        Some(word) if word == CHILD_WORD => args.get(2).map(|place| place.to_string_lossy().into_owned()),
        _ => None,
    };
    // 71: a fake that cannot report must not look like an agent that did something.
    match Interpreter::start(executable, script, &args, place.as_deref()) {
        Ok(mut interpreter) => interpreter.play(),
        Err(_) => 71,
    }
}

fn print(text: &str) -> i32 {
    i32::from(std::io::stdout().write_all(text.as_bytes()).is_err())
}
