//! The policy file `argvow.toml`: its shape, its faults with their places, and where it is found.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use toml::Spanned;

use crate::agents::Agent;
use crate::cli::error::CliError;
use crate::model::case::parse_duration;
use crate::model::source::{SourceError, from_toml};
use crate::model::{Assessment, CompletionChannel, Launch, Measurement, Outcome, PromptChannel, ReadOnly};
use crate::policy::Dialects;
use crate::suite::EDITION;

/// The file's name.
pub(crate) const NAME: &str = "argvow.toml";

/// Longer names make no good file names.
const LONGEST_NAME: usize = 100;

type Fault = Box<SourceError>;

/// What a user declares about their launches and their runners.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyFile {
    /// The edition of the catalogue that the user reviewed.
    pub edition: String,
    /// The launches, by name.
    pub launches: Vec<Declared>,
    /// The runners under test, by name.
    pub subjects: Vec<Subject>,
    /// Known faults: id and reason.
    pub baseline: BTreeMap<String, String>,
    /// Directories with cases of the user's own, as they are written.
    pub cases: Vec<String>,
    /// Dialects of the user's own, as they are written.
    pub agents: Vec<String>,
    agent_words: Vec<(String, std::ops::Range<usize>)>,
}

/// One launch of a policy file.
#[derive(Clone, Debug, PartialEq)]
pub enum Declared {
    /// Written down word for word.
    Launch(Box<Launch>),
    /// To be found out by running a command.
    Record {
        /// The launch's name.
        name: String,
        /// The agent's id.
        agent: String,
        /// What would be run.
        command: Vec<String>,
    },
}

impl Declared {
    /// The launch's name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Launch(launch) => &launch.name,
            Self::Record { name, .. } => name,
        }
    }
}

/// A runner under test.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name in the policy file.
    pub name: String,
    /// How it is plugged in.
    pub runner: Runner,
}

/// How a runner is plugged in.
#[derive(Clone, Debug, PartialEq)]
pub enum Runner {
    /// argvow's own.
    Builtin,
    /// A command that takes one call.
    Command(Vec<String>),
    /// A program that takes calls as JSON lines.
    Adapter(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    argvow: Spanned<i64>,
    edition: Spanned<String>,
    #[serde(default)]
    builtin: Vec<Spanned<String>>,
    #[serde(default)]
    cases: Vec<Spanned<String>>,
    #[serde(default)]
    agents: Vec<Spanned<String>>,
    #[serde(default)]
    launch: BTreeMap<Spanned<String>, RawLaunch>,
    #[serde(default)]
    subject: BTreeMap<Spanned<String>, RawSubject>,
    #[serde(default)]
    baseline: BTreeMap<Spanned<String>, Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLaunch {
    agent: Spanned<String>,
    argv: Option<Spanned<Vec<Spanned<String>>>>,
    record: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    prompt: PromptChannel,
    completion: Option<Spanned<String>>,
    cwd: Option<Spanned<String>>,
    #[serde(default)]
    env: BTreeMap<Spanned<String>, Spanned<String>>,
    #[serde(default)]
    env_from: Vec<Spanned<String>>,
    #[serde(default)]
    files: Vec<Spanned<String>>,
    boundary: Option<ReadOnly>,
    #[serde(default)]
    grants: Vec<String>,
    #[serde(default)]
    never: Vec<Spanned<String>>,
    #[serde(default)]
    sealed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSubject {
    command: Option<Spanned<Vec<Spanned<String>>>>,
    adapter: Option<Spanned<Vec<Spanned<String>>>>,
    builtin: Option<Spanned<bool>>,
    #[serde(default, rename = "prompt")]
    _prompt: PromptChannel,
    cancel: Option<Spanned<String>>,
    #[serde(default, rename = "outcome")]
    _outcome: BTreeMap<Outcome, Vec<Status>>,
    timeout_step: Option<Spanned<String>>,
    #[serde(default, rename = "zero_timeout")]
    _zero_timeout: bool,
    #[serde(default, rename = "acp")]
    _acp: bool,
}

/// How a runner's process ends: an exit status, or `signal:INT`.
struct Status;

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Statuses;
        impl Visitor<'_> for Statuses {
            type Value = Status;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an exit status from 0 to 255, or a text like \"signal:INT\"")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Status, E> {
                u8::try_from(value)
                    .map(|_| Status)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Status, E> {
                match value.strip_prefix("signal:") {
                    Some(name) if is_signal(name) => Ok(Status),
                    _ => Err(E::invalid_value(de::Unexpected::Str(value), &self)),
                }
            }
        }
        deserializer.deserialize_any(Statuses)
    }
}

fn is_signal(name: &str) -> bool {
    ["HUP", "INT", "QUIT", "ABRT", "KILL", "PIPE", "TERM", "SEGV", "USR1", "USR2", "ALRM", "XCPU"]
        .contains(&name)
}

/// Only the version, so that a newer file is told apart from a faulty one.
#[derive(Deserialize)]
struct Version {
    argvow: Option<Spanned<i64>>,
}

impl PolicyFile {
    /// Reads a policy file's text. Whether its agents exist is [`PolicyFile::check_agents`]' business.
    ///
    /// # Errors
    ///
    /// The first fault, with its place.
    pub fn parse(path: &Path, text: &str) -> Result<Self, Fault> {
        let source = Source { path, text };
        if let Ok(Version { argvow: Some(version) }) = toml::from_str::<Version>(text)
            && *version.get_ref() != 1
        {
            return Err(source.fault(
                &version,
                format!("this argvow reads version 1 of the policy file, not {}", version.get_ref()),
            ));
        }
        let raw: RawFile = from_toml(path, text).map_err(|mut error| {
            // A missing key has no place of its own; the whole file underlined tells nobody anything.
            if error.message.starts_with("missing field") && error.span.len() == text.len() {
                error.span = 0..0;
            }
            error.message = error.message.trim_end().replace('\n', "; ");
            Box::new(error)
        })?;
        debug_assert_eq!(*raw.argvow.get_ref(), 1);
        if raw.edition.get_ref() != EDITION {
            return Err(Box::new(
                source
                    .error(&raw.edition, format!("there is no edition `{}`", raw.edition.get_ref()))
                    .with_help(format!("this argvow has the edition `{EDITION}`")),
            ));
        }
        let mut agent_words = Vec::new();
        let mut launches = Vec::new();
        for (name, launch) in raw.launch {
            agent_words.push((launch.agent.get_ref().clone(), launch.agent.span()));
            launches.push(source.launch(&name, launch)?);
        }
        for set in BTreeSet::from_iter(raw.builtin) {
            if set.get_ref() != "v1" {
                return Err(Box::new(
                    source
                        .error(&set, format!("there is no built-in set `{}`", set.get_ref()))
                        .with_help("the built-in sets are: v1"),
                ));
            }
            launches.extend(Agent::ALL.map(|agent| Declared::Launch(Box::new(agent.v1()))));
        }
        let subjects = raw
            .subject
            .into_iter()
            .map(|(name, subject)| source.subject(&name, &subject))
            .collect::<Result<_, _>>()?;
        let mut baseline = BTreeMap::new();
        for (id, reason) in raw.baseline {
            if reason.get_ref().trim().is_empty() {
                return Err(source.fault(&reason, "a known fault needs a reason".to_owned()));
            }
            baseline.insert(id.into_inner(), reason.into_inner());
        }
        Ok(Self {
            edition: raw.edition.into_inner(),
            launches,
            subjects,
            baseline,
            cases: source.plain(raw.cases)?,
            agents: source.plain(raw.agents)?,
            agent_words,
        })
    }

    /// Holds the agents that the launches name against those that are known.
    ///
    /// # Errors
    ///
    /// The first unknown one, with its place.
    pub fn check_agents(&self, path: &Path, text: &str, dialects: &Dialects) -> Result<(), Fault> {
        for (agent, span) in &self.agent_words {
            if dialects.get(agent).is_none() {
                let known: Vec<&str> = Agent::ALL.iter().map(|agent| agent.id()).collect();
                return Err(Box::new(
                    SourceError::new(path, text, span.clone(), format!("there is no agent `{agent}`"))
                        .with_help(format!(
                            "argvow knows {}; others are described in files that `agents = [\"my-dialect.toml\"]` names",
                            known.join(", ")
                        )),
                ));
            }
        }
        Ok(())
    }
}

struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Source<'_> {
    fn error<T>(&self, place: &Spanned<T>, message: String) -> SourceError {
        SourceError::new(self.path, self.text, place.span(), message)
    }

    fn fault<T>(&self, place: &Spanned<T>, message: String) -> Fault {
        Box::new(self.error(place, message))
    }

    /// No word that reaches a process can hold a NUL byte.
    fn plain(&self, words: Vec<Spanned<String>>) -> Result<Vec<String>, Fault> {
        words.into_iter().map(|word| self.plain_word(word)).collect()
    }

    fn plain_word(&self, word: Spanned<String>) -> Result<String, Fault> {
        if word.get_ref().contains('\0') {
            return Err(self.fault(&word, "a NUL byte cannot be passed to a process".to_owned()));
        }
        Ok(word.into_inner())
    }

    fn name(&self, name: &Spanned<String>, what: &str) -> Result<String, Fault> {
        let text = name.get_ref();
        let good = text.len() <= LONGEST_NAME
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        if good {
            return Ok(text.clone());
        }
        Err(Box::new(
            self.error(name, format!("`{text}` cannot be the name of a {what}")).with_help(format!(
                "use letters, digits, `.`, `_` and `-`, beginning with a letter or digit, {LONGEST_NAME} at most: \
                 it becomes a file name"
            )),
        ))
    }

    fn argv(&self, words: Spanned<Vec<Spanned<String>>>, key: &str) -> Result<Vec<String>, Fault> {
        match words.get_ref().first() {
            None => {
                Err(self.fault(&words, format!("`{key}` is empty: its first word is the program to run")))
            }
            Some(program) if program.get_ref().is_empty() => {
                Err(self.fault(program, "the program has no name".to_owned()))
            }
            Some(_) => self.plain(words.into_inner()),
        }
    }

    fn launch(&self, key: &Spanned<String>, raw: RawLaunch) -> Result<Declared, Fault> {
        let name = self.name(key, "launch")?;
        if Agent::ALL.iter().any(|agent| agent.v1().name == name) {
            return Err(self.fault(key, format!("`{name}` is the name of a built-in launch: take another")));
        }
        let agent = raw.agent.into_inner();
        let argv = match (raw.argv, raw.record) {
            (Some(argv), None) => self.argv(argv, "argv")?,
            (None, Some(record)) => {
                return Ok(Declared::Record { name, agent, command: self.argv(record, "record")? });
            }
            (Some(_), Some(record)) => {
                return Err(self.fault(
                    &record,
                    format!("the launch `{name}` has both `argv` and `record`: keep the one that is meant"),
                ));
            }
            (None, None) => {
                return Err(self.fault(
                    key,
                    format!("the launch `{name}` has neither `argv` nor `record`: say what is run"),
                ));
            }
        };
        let completion = match raw.completion {
            None => CompletionChannel::Stdout,
            Some(word) => match word.get_ref().as_str() {
                "stdout" => CompletionChannel::Stdout,
                "none" => CompletionChannel::None,
                text if text.contains('{') && text.contains('}') => {
                    CompletionChannel::File(self.plain_word(word)?)
                }
                text => {
                    let message = format!("`{text}` is no completion channel");
                    return Err(Box::new(self.error(&word, message).with_help(
                        "use `stdout`, `none`, or a file with a placeholder for its place, such as `{file}`",
                    )));
                }
            },
        };
        let mut env = BTreeMap::new();
        for (variable, value) in raw.env {
            self.variable(&variable)?;
            env.insert(variable.into_inner(), self.plain_word(value)?);
        }
        for variable in &raw.env_from {
            self.variable(variable)?;
        }
        let mut launch = Launch {
            name,
            set: "policy".to_owned(),
            agent,
            argv,
            prompt: raw.prompt,
            completion,
            cwd: raw.cwd.map(|cwd| self.plain_word(cwd)).transpose()?,
            env,
            env_from: raw.env_from.into_iter().map(Spanned::into_inner).collect(),
            files: self.plain(raw.files)?,
            // Who claims nothing has claimed nothing.
            boundary: raw.boundary.unwrap_or(ReadOnly::NotEnforced),
            assessment: Assessment::not_measured(),
            grants: raw.grants,
            never: self.plain(raw.never)?,
            sealed: raw.sealed,
        };
        launch.assessment = assess(&launch);
        Ok(Declared::Launch(Box::new(launch)))
    }

    fn variable(&self, name: &Spanned<String>) -> Result<(), Fault> {
        let text = name.get_ref();
        if text.is_empty() || text.contains(['=', '\0']) {
            return Err(self.fault(name, format!("`{text}` cannot be the name of a variable")));
        }
        Ok(())
    }

    fn subject(&self, key: &Spanned<String>, raw: &RawSubject) -> Result<Subject, Fault> {
        let name = self.name(key, "subject")?;
        if let Some(cancel) = &raw.cancel {
            let signal = cancel.get_ref().strip_prefix("SIG").unwrap_or(cancel.get_ref());
            if !is_signal(signal) {
                return Err(self.fault(cancel, format!("`{}` is no signal", cancel.get_ref())));
            }
        }
        if let Some(step) = &raw.timeout_step {
            parse_duration(step.get_ref()).map_err(|message| self.fault(step, message))?;
        }
        let runner = match (&raw.command, &raw.adapter, &raw.builtin) {
            (Some(command), None, None) => Runner::Command(self.argv(command.clone(), "command")?),
            (None, Some(adapter), None) => Runner::Adapter(self.argv(adapter.clone(), "adapter")?),
            (None, None, Some(builtin)) if *builtin.get_ref() => Runner::Builtin,
            (None, None, Some(builtin)) => {
                return Err(self.fault(builtin, "`builtin` can only be true: leave it out".to_owned()));
            }
            _ => {
                return Err(self.fault(
                    key,
                    format!(
                        "the subject `{name}` needs exactly one of `command`, `adapter` and `builtin = true`"
                    ),
                ));
            }
        };
        Ok(Subject { name, runner })
    }
}

/// Variables that every measured run had.
const ORDINARY: [&str; 9] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

/// What is known about a launch of a policy file: what was measured about the built-in launch with the same words. A
/// hole is still one in another environment; a boundary that held may not.
fn assess(launch: &Launch) -> Assessment {
    let same = |v1: &Launch| v1.agent == launch.agent && v1.argv == launch.argv;
    let Some(v1) = Agent::ALL.into_iter().map(Agent::v1).find(same) else {
        return Assessment::not_measured();
    };
    let passed = |name: &String| v1.env_from.contains(name) || ORDINARY.contains(&name.as_str());
    let as_measured = launch.env.is_empty()
        && launch.files.is_empty()
        && launch.prompt == v1.prompt
        && launch.completion == v1.completion
        && launch.env_from.iter().all(passed);
    if as_measured || v1.assessment.measurement != Measurement::Held {
        v1.assessment
    } else {
        Assessment::not_measured()
    }
}

/// Finds the policy file: here or in a directory above, up to the root of the repository. Outside of a repository only
/// here: a file that somebody else left in `/tmp` is nobody's policy.
///
/// # Errors
///
/// When it cannot be told whether there is one: to go on as if there were none would check something else.
pub(crate) fn find() -> Result<Option<PathBuf>, CliError> {
    let read = |path: &Path| {
        let path = path.to_owned();
        move |source| CliError::Read { path, source }
    };
    let is_there = |path: PathBuf| match path.symlink_metadata() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(read(&path)(source)),
    };
    let here = std::env::current_dir().map_err(read(Path::new(".")))?;
    let mut found = None;
    let mut up = PathBuf::new();
    for (depth, dir) in here.ancestors().enumerate() {
        if found.is_none() && is_there(dir.join(NAME))? {
            found = Some((depth, up.join(NAME)));
        }
        if is_there(dir.join(".git"))? {
            return Ok(found.map(|(_, path)| path));
        }
        up.push("..");
    }
    Ok(found.filter(|(depth, _)| *depth == 0).map(|(_, path)| path))
}
