//! One run's events on their way to the reports: counted, held against the baseline, and summed up in an exit code.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde_json::{Map, Value};

use crate::cli::error::CliError;
use crate::cli::options;
use crate::model::{Check, Event, Exit, Finding, Severity, Start, Summary, Verdict};
use crate::report::{Output, Progress, Sinks};
use crate::suite::Stop;

/// A run from its start event to its summary.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    sinks: Sinks,
    baseline: &'a BTreeMap<String, String>,
    summary: Summary,
    /// The same without what the baseline knows.
    counted: Summary,
    ran: BTreeSet<String>,
    unsound: BTreeSet<String>,
}

impl<'a> Session<'a> {
    /// Opens every report.
    pub(crate) fn open(
        options: &options::Run,
        baseline: &'a BTreeMap<String, String>,
    ) -> Result<Self, CliError> {
        let out = Output::stdout(options.common.colour);
        let progress = Progress::new(options.progress && Output::stderr_is_terminal());
        let verbosity = options.common.verbosity;
        let mut sinks = Sinks::new(options.format, verbosity, out, progress);
        for (format, path) in &options.reports {
            sinks
                .add_file(*format, verbosity, path)
                .map_err(|source| CliError::Write { path: path.clone(), source })?;
        }
        Ok(Self {
            sinks,
            baseline,
            summary: Summary::default(),
            counted: Summary::default(),
            ran: BTreeSet::new(),
            unsound: BTreeSet::new(),
        })
    }

    /// Says what will run.
    pub(crate) fn start(&mut self, edition: &str, selected: usize) {
        self.sinks.event(&Event::Start(Start {
            argvow: env!("CARGO_PKG_VERSION").to_owned(),
            edition: edition.to_owned(),
            selected,
        }));
    }

    /// Takes an event of a check.
    pub(crate) fn event(&mut self, mut event: Event) {
        if let Event::Verdict(verdict) = &mut event {
            self.summary.count(verdict.verdict);
            // A launch cannot be excused: its name says nothing of the fault, so an entry would hide every later one too.
            let of_launch = matches!(verdict.check, Check::Snapshot | Check::Flag);
            let reason = if of_launch { None } else { self.baseline.get(&verdict.id) };
            if !of_launch {
                self.ran.insert(verdict.id.clone());
                if verdict.verdict != Verdict::Held {
                    self.unsound.insert(verdict.id.clone());
                }
            }
            match reason {
                Some(reason) if verdict.verdict == Verdict::Broken => {
                    if !verdict.evidence.is_object() {
                        verdict.evidence = Value::Object(Map::new());
                    }
                    verdict.evidence["baseline"] = Value::from(reason.as_str());
                    // Known, and so no reason to fail; but a run of nothing else is not a run of nothing.
                    self.counted.count(Verdict::NotEnforced);
                }
                _ => self.counted.count(verdict.verdict),
            }
        }
        self.sinks.event(&event);
    }

    /// A finding about no launch.
    pub(crate) fn remark(&mut self, code: &str, severity: Severity, text: &str, message: String, fix: &str) {
        self.event(Event::Finding(Finding {
            code: code.to_owned(),
            severity,
            launch: String::new(),
            agent: String::new(),
            arg: None,
            text: text.to_owned(),
            message,
            fix: fix.to_owned(),
        }));
    }

    /// Ends the run: stale baseline entries, the summary, the report files. Gives back the exit code and what could not
    /// be written.
    pub(crate) fn finish(mut self, stop: &Stop, known_ids: &BTreeSet<&str>) -> (Exit, Vec<String>) {
        let mut stale = false;
        for (id, reason) in self.baseline {
            if self.ran.contains(id) && !self.unsound.contains(id) {
                stale = true;
                self.remark(
                    "baseline-stale",
                    Severity::Error,
                    id,
                    format!("a known fault is gone: it ran and held ({reason})"),
                    "remove the entry from [baseline]",
                );
            } else if !known_ids.contains(id.as_str()) {
                self.remark(
                    "baseline-unmatched",
                    Severity::Warning,
                    id,
                    "a [baseline] entry names no case, and nothing else can be excused".to_owned(),
                    "correct the id or remove the entry",
                );
            }
        }
        let exit = if stop.is_stopped() {
            Exit::Interrupted
        } else if stale {
            Exit::Broken
        } else {
            self.counted.verdict_exit()
        };
        self.summary.exit = exit.code();
        self.sinks.event(&Event::Summary(self.summary));
        (exit, self.sinks.finish())
    }
}

/// Milliseconds since a check began.
pub(crate) fn elapsed_ms(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
