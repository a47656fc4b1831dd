//! From the process's arguments to its exit code: parses, calls one verb, reports what kept it from its work.

use std::panic::catch_unwind;
use std::process::ExitCode;

use clap::Parser as _;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::cli::args::{Args, Verb};
use crate::cli::error::CliError;
use crate::cli::options::{Common, Run};
use crate::cli::{accept, check, completions, explain, list, suite};
use crate::model::Exit;
use crate::report::{Colour, Output, diagnostic, escape_lines};
use crate::suite::Stop;

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    // The default hook has said on standard error what happened and where.
    let exit = catch_unwind(run).unwrap_or_else(|_| {
        let mut notes = Output::stderr(Colour::Auto);
        notes.print(
            "argvow: this is a fault in argvow itself. Please report the lines above, the command line and the policy \
             file.\n",
        );
        Exit::Bug
    });
    ExitCode::from(exit.code())
}

fn run() -> Exit {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // A reader that went away is no fault.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Held };
        }
    };
    let stop = Stop::default();
    let mut colour = Colour::Auto;
    let result = listen(&stop).and_then(|()| verb(args.verb, &stop, &mut colour));
    let mut notes = Output::stderr(colour);
    match result {
        Ok((exit, faults)) => {
            for fault in &faults {
                notes.print(&format!("argvow: {}\n", escape_lines(fault)));
            }
            // A report that was asked for and is not there must not look like a pass.
            if !faults.is_empty() && exit == Exit::Held { Exit::Usage } else { exit }
        }
        Err(_) if stop.is_stopped() => Exit::Interrupted,
        Err(CliError::Source(error)) => {
            let text = diagnostic(&error, notes.colour());
            notes.print(&text);
            Exit::Usage
        }
        Err(error) => {
            notes.print(&format!("argvow: {}\n", escape_lines(&error.to_string())));
            Exit::Usage
        }
    }
}

/// The first signal asks the run to stop and clean up; the second ends the process at once.
fn listen(stop: &Stop) -> Result<(), CliError> {
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, i32::from(Exit::Interrupted.code()), stop.flag())
            .and_then(|_| flag::register(signal, stop.flag()))
            .map_err(|error| CliError::Usage(format!("cannot listen for signals: {error}")))?;
    }
    Ok(())
}

fn verb(verb: Verb, stop: &Stop, colour: &mut Colour) -> Result<(Exit, Vec<String>), CliError> {
    let mut common = |common| {
        let common = Common::from(common);
        *colour = common.colour;
        common
    };
    let plain = |exit: Exit, mut out: Output| {
        let fault = out.take_error().map(|error| format!("cannot write to standard output: {error}"));
        (exit, fault.into_iter().collect())
    };
    match verb {
        Verb::Check(args) => {
            let options = Run::resolve(args.run)?;
            *colour = options.common.colour;
            check::run(&options, &args.launches, stop)
        }
        Verb::Suite(args) => {
            let options = Run::resolve(args.run)?;
            *colour = options.common.colour;
            suite::run(&options, args.subject.as_deref(), stop)
        }
        Verb::Accept(args) => {
            let common = common(args.common);
            let mut out = Output::stdout(common.colour);
            let exit = accept::run(&common, &args.launches, args.reason.as_deref(), &mut out)?;
            Ok(plain(exit, out))
        }
        Verb::List(args) => {
            let common = common(args.common);
            let (mut out, mut notes) = (Output::stdout(common.colour), Output::stderr(common.colour));
            let exit = list::run(&common, args.what, args.format.into(), &mut out, &mut notes)?;
            Ok(plain(exit, out))
        }
        Verb::Explain(args) => {
            let common = common(args.common);
            let mut out = Output::stdout(common.colour);
            let exit = explain::run(&common, &args.id, &mut out)?;
            Ok(plain(exit, out))
        }
        Verb::Completions { shell } => {
            let mut out = Output::stdout(Colour::Never);
            let exit = completions::run(shell, &mut out);
            Ok(plain(exit, out))
        }
    }
}
