//! Many cases against one subject, in parallel, as a stream of events.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, fs, io, process, thread};

use serde_json::json;
use thiserror::Error;

use crate::model::case::{Case, Step};
use crate::model::{Check, Event, Outcome, Verdict, VerdictEvent};
use crate::process::{Command, Ending, Limits, run as run_process};
use crate::suite::drive::{Drive, host_command};
use crate::suite::judge::{Judgement, evidence, judge};
use crate::suite::room::{Room, Setup};
use crate::suite::scratch::Scratch;
use crate::suite::stop::Stop;

/// How a suite is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The subject.
    pub runner: Runner,
    /// How many cases run at once; `None` chooses by the number of cores.
    pub jobs: Option<NonZeroUsize>,
    /// By what every bound is multiplied; `None` measures the cost of starting a process here.
    pub slack: Option<f64>,
    /// The executable that fakes are links to; `None` is this one. It must call [`crate::fake::dispatch`] first.
    pub executable: Option<PathBuf>,
}

/// What lives in the host process.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Runner {
    /// argvow's own command backend.
    #[default]
    Builtin,
    /// A program that speaks the host's protocol on its standard streams.
    Host {
        /// What it is called in events.
        name: String,
        /// The command, without the words that say what is special about the host.
        command: Vec<OsString>,
    },
}

impl Runner {
    /// What the subject is called in events.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Builtin => "builtin",
            Self::Host { name, .. } => name,
        }
    }
}

/// Why a suite could not be run at all.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// The scratch directory, the fakes or the hosts could not be made.
    #[error("cannot prepare the run: {0}")]
    Prepare(#[from] io::Error),
}

/// How often a case is run whose agent did not come to its point before the deadline, each time with the deadline
/// doubled.
const ATTEMPTS: u32 = 3;

/// The longest deadline of a repeated run: an agent that came to nothing within so long is not merely slow.
const LONGEST_REPEAT: Duration = Duration::from_secs(10);

/// What a process start may cost before bounds grow.
const USUAL_START: Duration = Duration::from_millis(10);

/// Runs `cases` against a subject and hands every verdict to `on_event`, in the order given.
///
/// # Errors
///
/// When the run cannot be prepared. What goes wrong within a case is that case's verdict.
pub fn run(
    cases: &[&Case],
    options: &Options,
    stop: &Stop,
    on_event: &mut dyn FnMut(Event),
) -> Result<(), SuiteError> {
    let pairs: Vec<_> = cases.iter().map(|&case| (case, &options.runner)).collect();
    run_pairs(&pairs, options, stop, on_event)
}

/// Runs each case against the runner beside it, which replaces that of `options`, and hands every verdict to
/// `on_event`, in the order given.
///
/// # Errors
///
/// When the run cannot be prepared. What goes wrong within a case is that case's verdict.
pub fn run_pairs(
    pairs: &[(&Case, &Runner)],
    options: &Options,
    stop: &Stop,
    on_event: &mut dyn FnMut(Event),
) -> Result<(), SuiteError> {
    if pairs.is_empty() {
        return Ok(());
    }
    // Who is alive is read there: with that of another process namespace every answer would be about somebody else.
    let own = fs::read_link("/proc/self").ok().and_then(|id| id.to_str()?.parse::<u32>().ok());
    if own != Some(process::id()) {
        return Err(
            io::Error::other("/proc is missing or belongs to another process namespace: mount it").into()
        );
    }
    let executable = options.executable.clone().map_or_else(env::current_exe, Ok)?;
    let scratch = Scratch::new(&executable)?;
    let slack = match options.slack {
        Some(slack) => slack,
        None => measure_slack(&scratch)?,
    };
    let plan = Plan { pairs, slack, stop, scratch: &scratch };

    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    // Cases mostly wait: more of them than cores keeps the cores busy.
    let jobs = options.jobs.map_or((8 * cores).min(32), NonZeroUsize::get);
    let (heavy, mut light): (Vec<usize>, Vec<usize>) =
        (0..pairs.len()).partition(|&index| is_heavy(pairs[index].0));
    // The longest first, so that none is left to wait for alone.
    light.sort_by_key(|&index| Reverse(least_time(pairs[index].0)));
    let mut in_order = InOrder { waiting: BTreeMap::new(), next: 0, on_event };
    plan.run_all(&light, jobs, &mut in_order);
    plan.run_all(&heavy, 1, &mut in_order);
    Ok(())
}

/// Whether a case moves so much data, or starts so much at once, that others beside it would be timed wrongly.
fn is_heavy(case: &Case) -> bool {
    case.id.starts_with("large-pipe/") || case.call.at_once > 1
}

/// How long a case takes at least.
fn least_time(case: &Case) -> Duration {
    if case.expect.outcome == Some(Outcome::Timeout) { case.call.timeout } else { Duration::ZERO }
}

/// Hands verdicts on in the order of the cases, as soon as that can be done.
struct InOrder<'a> {
    waiting: BTreeMap<usize, Event>,
    next: usize,
    on_event: &'a mut dyn FnMut(Event),
}

impl InOrder<'_> {
    fn take(&mut self, index: usize, event: Event) {
        self.waiting.insert(index, event);
        while let Some(event) = self.waiting.remove(&self.next) {
            (self.on_event)(event);
            self.next += 1;
        }
    }
}

struct Plan<'a> {
    pairs: &'a [(&'a Case, &'a Runner)],
    slack: f64,
    stop: &'a Stop,
    scratch: &'a Scratch,
}

impl Plan<'_> {
    fn run_all(&self, indices: &[usize], jobs: usize, in_order: &mut InOrder<'_>) {
        let next = AtomicUsize::new(0);
        let (tell, told) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..jobs.min(indices.len()) {
                let (tell, next) = (tell.clone(), &next);
                scope.spawn(move || {
                    while let Some(&index) = indices.get(next.fetch_add(1, Ordering::SeqCst)) {
                        if self.stop.is_stopped() {
                            break;
                        }
                        // The receiver lives as long as this scope.
                        let _ = tell.send((index, self.run_one(index)));
                    }
                });
            }
            drop(tell);
            for (index, event) in told {
                in_order.take(index, event);
            }
        });
    }

    fn run_one(&self, index: usize) -> Event {
        let (case, runner) = self.pairs[index];
        let host = match runner {
            Runner::Builtin => host_command(self.scratch.executable().into()),
            Runner::Host { command, .. } => command.clone(),
        };
        let start = Instant::now();
        let mut attempts = 0;
        let (verdict, detail, evidence) = loop {
            attempts += 1;
            let drive = Drive {
                case,
                host: &host,
                slack: self.slack,
                patience: 1 << (attempts - 1),
                stop: self.stop,
            };
            let number = index + self.pairs.len() * attempts as usize;
            let expect = &case.expect.agent;
            let watched = [&expect.env_absent[..], &expect.env_present].concat();
            let setup = Setup { steps: &case.agent.step, watched: &watched };
            let seen = Room::new(self.scratch.path(), number, &self.scratch.executable(), &setup)
                .and_then(|room| drive.run(&room));
            let bound = Duration::from_nanos(drive.scaled(case.expect.returns_within));
            match seen.map(|seen| (judge(case, &seen, bound), evidence(&seen, bound, attempts))) {
                Ok((Judgement::Verdict(verdict, detail), evidence)) => break (verdict, detail, evidence),
                Ok((Judgement::NotReached(_), _))
                    if attempts < ATTEMPTS && case.call.timeout * (1 << attempts) <= LONGEST_REPEAT => {}
                Ok((Judgement::NotReached(why), evidence)) => break (Verdict::Inconclusive, why, evidence),
                Err(error) => {
                    break (Verdict::Inconclusive, format!("the case could not be run: {error}"), json!({}));
                }
            }
        };
        Event::Verdict(VerdictEvent {
            check: Check::Case,
            id: case.id.clone(),
            subject: runner.name().to_owned(),
            agent: None,
            verdict,
            code: None,
            detail,
            elapsed_ms: start.elapsed().as_millis() as u64,
            evidence,
        })
    }
}

/// By what bounds are multiplied on this machine: the middle of five starts of a fake agent against the usual cost
/// of one, and never below 1.
fn measure_slack(scratch: &Scratch) -> io::Result<f64> {
    let room = Room::new(
        scratch.path(),
        0,
        &scratch.executable(),
        &Setup { steps: &[Step::Exit(0)], watched: &[] },
    )?;
    let command = Command {
        argv: vec![room.program(crate::model::case::Program::Agent).into()],
        env: room.environment(),
        cwd: Some(room.host_dir()),
    };
    let mut costs = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        let report = run_process(&command, b"", &Limits::default(), None, None).map_err(io::Error::other)?;
        if report.ending != Ending::Exited(0) {
            let why = format!("a fake agent that should exit with 0 does not here: {:?}", report.ending);
            return Err(io::Error::other(why));
        }
        costs.push(start.elapsed());
    }
    costs.sort_unstable();
    Ok((costs[2].as_secs_f64() / USUAL_START.as_secs_f64()).clamp(1.0, 20.0))
}
