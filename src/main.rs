//! The command line: parses arguments, calls one verb, maps its result to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A fake agent and a host are this same executable: they are told apart here, before anything else runs.
    argvow::cli::main()
}
