//! Decides, first in `main` and after [`crate::fake::dispatch`], whether this process is a host or a janitor.

use std::env;
use std::path::Path;
use std::process::exit;

use crate::subject::{HOST_WORD, Subject, serve};
use crate::suite::scratch::{JANITOR_WORD, janitor};

/// Serves as the host of `subject`, or as a janitor, and then ends the process, if its first argument says so.
pub fn dispatch(subject: &dyn Subject) {
    let mut args = env::args_os().skip(1);
    let Some(first) = args.next() else { return };
    let rest = args.map(|arg| arg.to_string_lossy().into_owned());
    let done = if first == HOST_WORD {
        serve(subject, rest)
    } else if first == JANITOR_WORD {
        rest.take(1).try_for_each(|dir| janitor(Path::new(&dir)))
    } else {
        return;
    };
    // Whoever started this process reads its standard streams and not what it says in the end.
    exit(i32::from(done.is_err()))
}
