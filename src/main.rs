//! The command line: parses arguments, calls one verb, maps its result to an exit code.

fn main() {}
