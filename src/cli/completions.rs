//! `argvow completions`: from the same definition as the command line itself.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::args::Args;
use crate::model::Exit;
use crate::report::Output;

/// Runs the verb.
pub(crate) fn run(shell: Shell, out: &mut Output) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "argvow", &mut script);
    out.print(&String::from_utf8_lossy(&script));
    Exit::Held
}
