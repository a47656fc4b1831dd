//! A case: what a fake agent does, how it is called, and what must come of it. The shape of
//! `fixtures/cases/<area>/<name>.toml`; reading files is `suite`'s business.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::model::Outcome;

/// One case of the catalogue.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// `<area>/<name>`, from the file's path.
    #[serde(skip)]
    pub id: String,
    /// The right behaviour, as a sentence.
    pub title: String,
    /// The edition that it joined.
    pub since: String,
    /// Whether it counts without `--strict`.
    pub level: Level,
    /// Why the behaviour is right, and what goes wrong without it.
    pub why: String,
    /// Public reports of the fault.
    #[serde(default)]
    pub seen: Vec<String>,
    /// The runners under `fixtures/subjects` that this case must flag. Never empty: a case that nothing fails
    /// proves nothing.
    pub kills: Vec<String>,
    /// The fake agent.
    pub agent: FakeAgent,
    /// The process that the runner lives in.
    #[serde(default)]
    pub host: Host,
    /// How the runner is called.
    pub call: Call,
    /// What must come of it.
    pub expect: Expect,
}

/// How binding a case is.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Counts always.
    Must,
    /// A matter of policy: counts only with `--strict`.
    Should,
}

/// What the fake agent does from its start to its end.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct FakeAgent {
    /// The mark that must be passed for the case to have tested anything. Without one it is the mark at which the
    /// call is cancelled or the runner killed, and where there is none, the last step must have begun.
    #[serde(default)]
    pub reaches: Option<String>,
    /// What it does, in order. An agent that comes to the end of its steps exits 0.
    #[serde(default)]
    pub step: Vec<Step>,
}

/// One thing that a fake agent does. A step in a file is a table with exactly one of these keys.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Records that this point was passed.
    Mark(String),
    /// Reads standard input.
    Read(Read),
    /// Copies standard input to standard output until it ends, as `cat` does.
    Copy(True),
    /// Writes to a stream or a file.
    Write(Write),
    /// Closes streams.
    Close(Vec<Stream>),
    /// Closes every descriptor but the harness's own, as a daemon does.
    CloseAll(True),
    /// Starts another process and goes on once that one has recorded its birth.
    Spawn(Spawn),
    /// Runs several lists of steps at once, each in a process of its own, and goes on when all have ended.
    Parallel(Vec<Vec<Step>>),
    /// Says what a signal does from here on. Handled while sleeping or waiting.
    OnSignal(OnSignal),
    /// Sends itself a signal.
    Raise(Signal),
    /// Stops itself, as job control does to a background job that reads a terminal.
    Stop(True),
    /// Opens `/dev/tty`, asks there, and records whether there was one.
    Tty(Question),
    /// Asks on a stream and reads one line from standard input as the answer.
    Ask(Ask),
    /// Waits for an event.
    WaitFor(Event),
    /// Sleeps.
    Sleep(#[serde(deserialize_with = "duration", serialize_with = "as_millis")] Duration),
    /// Ends with this status.
    Exit(u8),
}

/// The word `true`, where a step has nothing else to say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct True;

impl<'de> Deserialize<'de> for True {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if bool::deserialize(deserializer)? {
            Ok(Self)
        } else {
            Err(de::Error::invalid_value(de::Unexpected::Bool(false), &"true"))
        }
    }
}

impl Serialize for True {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

/// How much of standard input is read.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Read {
    /// Everything, to the end of file.
    Eof,
    /// One line.
    Line,
}

/// What is written, and where.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// The text; exactly one of `text` and `hex` is given.
    #[serde(default)]
    pub text: Option<String>,
    /// The bytes, two digits each.
    #[serde(default)]
    pub hex: Option<String>,
    /// How many times.
    #[serde(default = "one")]
    pub repeat: u32,
    /// A pause before each repetition.
    #[serde(
        default,
        deserialize_with = "some_duration",
        serialize_with = "as_millis_opt",
        skip_serializing_if = "Option::is_none"
    )]
    pub every: Option<Duration>,
    /// The stream.
    #[serde(default)]
    pub to: Stream,
    /// A file in the agent's working directory, instead of a stream.
    #[serde(default)]
    pub file: Option<String>,
}

/// One of the three standard streams.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// Descriptor 0.
    Stdin,
    /// Descriptor 1.
    #[default]
    Stdout,
    /// Descriptor 2.
    Stderr,
}

/// A process that the fake starts.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Spawn {
    /// How it is started.
    #[serde(default)]
    pub via: Via,
    /// Where it stands among sessions and groups.
    #[serde(default, rename = "as")]
    pub kinship: Kinship,
    /// The streams that it keeps open; the others are `/dev/null` to it.
    #[serde(default)]
    pub holds: Vec<Stream>,
    /// What it does.
    #[serde(default)]
    pub step: Vec<Step>,
}

/// How a process is started.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// By fork alone.
    #[default]
    Fork,
    /// By fork and a fresh exec of the fake, so that nothing but descriptors is inherited.
    Exec,
}

/// Where a started process stands.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kinship {
    /// A child in its parent's group.
    #[default]
    Child,
    /// A child that leads a group of its own.
    OwnGroup,
    /// A child that leads a session of its own.
    OwnSession,
    /// A grandchild in a session that nobody leads, its parent gone: a daemon.
    DoubleFork,
}

/// What a signal does to the fake.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OnSignal {
    /// Which signal.
    pub signal: Signal,
    /// Ends with this status; without it the signal is noted and nothing more.
    #[serde(default)]
    pub exit: Option<u8>,
    /// How long it takes before it does so.
    #[serde(
        default,
        deserialize_with = "some_duration",
        serialize_with = "as_millis_opt",
        skip_serializing_if = "Option::is_none"
    )]
    pub after: Option<Duration>,
}

/// A signal by its name without `SIG`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// Terminal gone.
    Hup,
    /// Interrupt.
    Int,
    /// Quit.
    Quit,
    /// Abort.
    Abrt,
    /// Kill; cannot be handled.
    Kill,
    /// Broken pipe.
    Pipe,
    /// Terminate.
    Term,
    /// Invalid memory access.
    Segv,
    /// User-defined.
    Usr1,
}

impl Signal {
    /// The number on this system.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Hup => libc::SIGHUP,
            Self::Int => libc::SIGINT,
            Self::Quit => libc::SIGQUIT,
            Self::Abrt => libc::SIGABRT,
            Self::Kill => libc::SIGKILL,
            Self::Pipe => libc::SIGPIPE,
            Self::Term => libc::SIGTERM,
            Self::Segv => libc::SIGSEGV,
            Self::Usr1 => libc::SIGUSR1,
        }
    }
}

/// A question on the terminal.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What is asked.
    pub text: String,
}

/// A question on a stream, and what follows from the answer.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// What is asked.
    pub text: String,
    /// Where.
    #[serde(default)]
    pub to: Stream,
    /// What the fake does when the answer begins with `y`.
    #[serde(default)]
    pub granted: Vec<Step>,
    /// What it does on any other answer, and on end of file.
    #[serde(default)]
    pub refused: Vec<Step>,
}

/// An event that a fake waits for.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// All its children have ended.
    Children,
    /// Every agent of the case has passed the mark, and every cancelled call has been answered.
    Release,
}

/// What is special about the process that the runner lives in. Without a word here it has default signals, no
/// terminal and three descriptors.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Whether it has a controlling terminal, as a runner started by a person has.
    #[serde(default)]
    pub tty: bool,
    /// Whether it ignores TERM, INT and HUP, as under `nohup`.
    #[serde(default)]
    pub ignores_signals: bool,
    /// Whether it holds a descriptor above 2 that is not close-on-exec.
    #[serde(default)]
    pub leaks_descriptor: bool,
    /// Whether it blocks TERM, INT and HUP, as a program with a thread for signals does.
    #[serde(default)]
    pub blocks_signals: bool,
    /// Variables that it has besides `PATH`, `HOME`, `TMPDIR` and `LANG`.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Whether it has a child of its own that is no business of the runner's, and must live.
    #[serde(default)]
    pub bystander: bool,
}

/// How the runner under test is called.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// What it is told to spawn.
    #[serde(default)]
    pub program: Program,
    /// Words after the program.
    #[serde(default)]
    pub args: Vec<String>,
    /// The prompt.
    #[serde(default = "hello")]
    pub prompt: String,
    /// How many times the prompt is repeated.
    #[serde(default = "one")]
    pub prompt_repeat: u32,
    /// The deadline.
    #[serde(default = "long", deserialize_with = "duration")]
    pub timeout: Duration,
    /// When the call is cancelled.
    #[serde(default)]
    pub cancel_at: Option<Moment>,
    /// When the runner itself is killed with a signal it cannot handle.
    #[serde(default)]
    pub kill_runner_at: Option<Moment>,
    /// The directory it is told to run the agent in.
    #[serde(default)]
    pub working_dir: WorkingDir,
    /// The most bytes of completion that it may take in.
    #[serde(default)]
    pub stdout_cap: Option<u64>,
    /// How many such calls are made at once. `{index}` in the prompt and in `expect.completion` is the call's number.
    #[serde(default = "one")]
    pub at_once: u32,
    /// Whether only every second call is cancelled, those with odd numbers.
    #[serde(default)]
    pub cancels_half: bool,
}

/// What the runner is told to spawn.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Program {
    /// The fake agent.
    #[default]
    Agent,
    /// The fake agent by its bare name, to be found on `PATH`.
    AgentOnPath,
    /// A path where nothing is.
    Missing,
    /// A file that nobody may execute.
    NotExecutable,
    /// An executable text file without `#!`.
    NoShebang,
    /// A directory.
    Directory,
    /// The fake agent by a path with a space, a quote and a line feed in it.
    AgentWithOddName,
}

/// A point in a case's run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Moment {
    /// Before the runner is called.
    BeforeStart,
    /// When the fake passes this mark.
    Mark(String),
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(if text == "before-start" { Self::BeforeStart } else { Self::Mark(text) })
    }
}

/// The directory that the runner is told to run the agent in.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum WorkingDir {
    /// The case's own repository directory.
    #[default]
    Own,
    /// None: the agent inherits the runner's.
    Inherit,
    /// A path where nothing is.
    Missing,
    /// A path where a file is.
    File,
    /// A directory with a space, a quote and a letter beyond ASCII in its name.
    OddName,
}

/// What must come of a case. What is left out is not judged.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// How the call ends; left out when the runner does not live to tell.
    #[serde(default)]
    pub outcome: Option<Outcome>,
    /// How long the runner may take after the deadline, the cancellation or the agent's exit, whichever ended
    /// the call; scaled by slack.
    #[serde(default = "bound", deserialize_with = "duration")]
    pub returns_within: Duration,
    /// How many of the agent's processes are alive after the settle time.
    #[serde(default)]
    pub survivors: usize,
    /// How many of its processes the runner has left unreaped.
    #[serde(default)]
    pub zombies: Option<usize>,
    /// The completion, or what there was of it when the call was cut short.
    #[serde(default)]
    pub completion: Option<String>,
    /// How many times `completion` is repeated.
    #[serde(default = "one")]
    pub completion_repeat: u32,
    /// The most bytes of completion that may be reported.
    #[serde(default)]
    pub completion_at_most: Option<usize>,
    /// The exit status that is reported.
    #[serde(default)]
    pub code: Option<i32>,
    /// The signal that is reported.
    #[serde(default)]
    pub signal: Option<Signal>,
    /// A part of what is reported of standard error.
    #[serde(default)]
    pub stderr_has: Option<String>,
    /// The most bytes of standard error that may be reported.
    #[serde(default)]
    pub stderr_at_most: Option<usize>,
    /// What the fake agent saw.
    #[serde(default)]
    pub agent: ExpectAgent,
}

/// What the fake agent must have seen. What is left out is not judged.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ExpectAgent {
    /// False: nothing may be started. Without it, a case whose agent never comes to its point is not held.
    #[serde(default)]
    pub started: Option<bool>,
    /// The prompt arrived whole and was followed by end of file.
    #[serde(default)]
    pub prompt: Option<Whole>,
    /// Its words are those of the call, byte for byte.
    #[serde(default)]
    pub args: Option<Whole>,
    /// Its working directory is the one of the call.
    #[serde(default)]
    pub cwd: Option<WorkingDir>,
    /// What it found at `/dev/tty`.
    #[serde(default)]
    pub tty: Option<Tty>,
    /// The descriptors that it was started with.
    #[serde(default)]
    pub descriptors: Option<Vec<i32>>,
    /// Variables that must not have reached it.
    #[serde(default)]
    pub env_absent: Vec<String>,
    /// Variables that must have reached it.
    #[serde(default)]
    pub env_present: Vec<String>,
    /// Whether it must have been started with no signal blocked and, but for PIPE, none ignored.
    #[serde(default)]
    pub default_signals: bool,
    /// The signal that it must have been sent first.
    #[serde(default)]
    pub first_signal: Option<Signal>,
    /// What its question on standard input was answered with.
    #[serde(default)]
    pub answer: Option<Answer>,
    /// A file that must not be in its working directory afterwards.
    #[serde(default)]
    pub absent: Option<String>,
}

/// The word `whole`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Whole {
    /// All of it, unchanged.
    Whole,
}

/// What a fake found at `/dev/tty`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tty {
    /// No terminal: nobody can be asked.
    None,
    /// A terminal that somebody may sit at.
    Open,
}

/// What a question on standard input was answered with.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// End of file: nobody is there.
    Eof,
    /// Something that begins with `y`.
    Yes,
    /// Something else.
    Other,
}

fn one() -> u32 {
    1
}

fn hello() -> String {
    "hello".to_owned()
}

fn long() -> Duration {
    Duration::from_secs(20)
}

fn bound() -> Duration {
    Duration::from_secs(2)
}

/// Reads `300ms`, `10s` or `5m`.
///
/// # Errors
///
/// A sentence that says what is wrong with the text.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u32 = number
        .parse()
        .map_err(|_| format!("`{text}` is no duration: write it like `300ms`, `10s` or `5m`"))?;
    match unit {
        "ms" => Ok(Duration::from_millis(number.into())),
        "s" => Ok(Duration::from_secs(number.into())),
        "m" => Ok(Duration::from_secs(u64::from(number) * 60)),
        _ => Err(format!("`{text}` has no unit that is known here: use `ms`, `s` or `m`")),
    }
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    parse_duration(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}

fn some_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    duration(deserializer).map(Some)
}

fn as_millis<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{}ms", duration.as_millis()))
}

#[expect(clippy::ref_option, reason = "serde calls it with a reference to the field")]
fn as_millis_opt<S: serde::Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match duration {
        Some(duration) => as_millis(duration, serializer),
        None => serializer.serialize_none(),
    }
}

impl Case {
    /// What the shape of the file cannot say.
    ///
    /// # Errors
    ///
    /// A sentence that names the fault.
    pub fn validate(&self) -> Result<(), String> {
        if self.kills.is_empty() {
            return Err(
                "`kills` is empty: name a runner under fixtures/subjects that fails this case".to_owned()
            );
        }
        if self.expect.outcome.is_none() && self.call.kill_runner_at.is_none() {
            return Err("`expect.outcome` is missing: only a killed runner has none".to_owned());
        }
        if self.call.kill_runner_at == Some(Moment::BeforeStart) {
            return Err(
                "`kill_runner_at` takes a mark: a runner that was never called proves nothing".to_owned()
            );
        }
        if self.expect.agent.started == Some(true) {
            return Err(
                "`expect.agent.started` can only be false: that it was started is always asked".to_owned()
            );
        }
        let marks = self.agent.marks();
        let cancel = match &self.call.cancel_at {
            Some(Moment::Mark(mark)) => Some(mark),
            _ => None,
        };
        let kill = match &self.call.kill_runner_at {
            Some(Moment::Mark(mark)) => Some(mark),
            _ => None,
        };
        for mark in [self.agent.reaches.as_ref(), cancel, kill].into_iter().flatten() {
            if !marks.contains(&mark.as_str()) {
                return Err(format!(
                    "no step marks `{mark}`: add `mark = \"{mark}\"` where the agent passes it"
                ));
            }
        }
        if self.call.at_once == 0 {
            return Err("`call.at_once` is 0: then there is no call".to_owned());
        }
        if self.call.cancels_half && (self.call.at_once < 2 || cancel.is_none()) {
            return Err("`call.cancels_half` needs `at_once` of 2 or more, and `cancel_at` a mark".to_owned());
        }
        let waits = self.agent.steps().iter().any(|step| matches!(step, Step::WaitFor(Event::Release)));
        if waits && cancel.is_none() && self.agent.reaches.is_none() {
            return Err("`wait_for = \"release\"` needs a mark to be released at: `cancel_at` or `reaches`"
                .to_owned());
        }
        let tells = |wanted: fn(&Step) -> bool| self.agent.step.iter().any(wanted);
        let expect = &self.expect.agent;
        for (key, expected, told) in [
            ("prompt", expect.prompt.is_some(), tells(|step| matches!(step, Step::Read(Read::Eof)))),
            ("tty", expect.tty.is_some(), tells(|step| matches!(step, Step::Tty(_)))),
            ("answer", expect.answer.is_some(), tells(|step| matches!(step, Step::Ask(_)))),
            ("first_signal", expect.first_signal.is_some(), tells(|step| matches!(step, Step::OnSignal(_)))),
        ] {
            if expected && !told {
                return Err(format!("`expect.agent.{key}` needs a step of the agent that tells of it"));
            }
        }
        self.agent.steps().into_iter().try_for_each(Step::validate)
    }
}

impl FakeAgent {
    /// Every step, nested ones included.
    #[must_use]
    pub fn steps(&self) -> Vec<&Step> {
        let mut all = Vec::new();
        let mut todo: Vec<&Step> = self.step.iter().collect();
        while let Some(step) = todo.pop() {
            todo.extend(step.nested());
            all.push(step);
        }
        all
    }

    fn marks(&self) -> Vec<&str> {
        let mut marks = Vec::new();
        for step in self.steps() {
            if let Step::Mark(mark) = step {
                marks.push(mark.as_str());
            }
        }
        marks
    }
}

impl Step {
    fn nested(&self) -> Vec<&Self> {
        match self {
            Self::Spawn(spawn) => spawn.step.iter().collect(),
            Self::Parallel(lists) => lists.iter().flatten().collect(),
            Self::Ask(ask) => ask.granted.iter().chain(&ask.refused).collect(),
            _ => Vec::new(),
        }
    }

    fn executes(&self) -> bool {
        match self {
            Self::Spawn(spawn) if spawn.via == Via::Exec => true,
            _ => self.nested().iter().any(|step| step.executes()),
        }
    }

    fn validate(&self) -> Result<(), String> {
        match self {
            Self::Write(write) => write.bytes().map(|_| ()),
            // Only a chain of spawns says in one path where an executed process finds its steps.
            Self::Parallel(_) | Self::Ask(_) if self.nested().iter().any(|step| step.executes()) => {
                Err("a `spawn` with `via = \"exec\"` cannot stand within `parallel` or `ask`".to_owned())
            }
            Self::Mark(mark) if mark.is_empty() || mark == "before-start" => {
                Err(format!("`{mark}` cannot be a mark: take another word"))
            }
            _ => Ok(()),
        }
    }
}

impl Write {
    /// The bytes of one repetition.
    ///
    /// # Errors
    ///
    /// A sentence when there is not exactly one of `text` and `hex`, or when `hex` is not hexadecimal.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        match (&self.text, &self.hex) {
            (Some(text), None) => Ok(text.clone().into_bytes()),
            (None, Some(hex)) => {
                let digits = hex.chars().map(|c| c.to_digit(16)).collect::<Option<Vec<_>>>();
                match digits {
                    Some(digits) if digits.len() % 2 == 0 => {
                        Ok(digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
                    }
                    _ => Err(format!("`{hex}` is not hexadecimal, two digits a byte")),
                }
            }
            _ => Err("a `write` step takes exactly one of `text` and `hex`".to_owned()),
        }
    }
}
