//! argvow's own command backend as a subject.

use crate::backend::{CommandBackend, LlmError};
use crate::model::Outcome;
use crate::process::{Cancel, Limits};
use crate::subject::{Answer, Call, Subject};

/// The reference runner.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtin;

impl Subject for Builtin {
    fn run(&self, call: &Call, cancel: &Cancel) -> Answer {
        let defaults = Limits::default();
        let limits = Limits {
            timeout: call.timeout(),
            stdout_cap: call.stdout_cap.map_or(defaults.stdout_cap, |cap| cap as usize),
            ..defaults
        };
        let Ok(mut backend) = CommandBackend::new(call.argv.clone(), call.timeout()) else {
            return Answer::of(Outcome::Spawn);
        };
        backend = backend.with_limits(limits).with_cancel_handle(cancel.clone());
        if let Some(dir) = &call.working_dir {
            backend = backend.with_working_dir(dir);
        }
        match backend.run(call.whole_prompt().as_bytes()) {
            Ok(completion) => Answer {
                completion: Some(completion.text),
                code: Some(0),
                stderr: completion.stderr,
                ..Answer::of(Outcome::Ok)
            },
            Err(error) => failed(&error),
        }
    }
}

fn failed(error: &LlmError) -> Answer {
    let (code, signal) = match error {
        LlmError::Failed { code, signal, .. } => (*code, *signal),
        _ => (None, None),
    };
    Answer {
        completion: Some(String::from_utf8_lossy(error.partial()).into_owned()),
        code,
        signal,
        stderr: error.stderr().to_owned(),
        ..Answer::of(error.outcome())
    }
}
