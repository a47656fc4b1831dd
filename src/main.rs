//! The command line: parses arguments, calls one verb, maps its result to an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Fake agents and hosts are this same executable: which of them it is comes before everything else.
    argvow::fake::dispatch();
    argvow::suite::dispatch(&argvow::subject::Builtin);
    argvow::cli::main()
}
