//! Dialects: what is known about an agent's command line. Their shape, how they are read, and the set of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::agents::Agent;
use crate::model::source::{SourceError, from_toml};
use crate::model::{Capability, Severity};

/// One agent's command line.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dialect {
    schema: Spanned<u32>,
    id: Spanned<String>,
    name: Spanned<String>,
    program: Spanned<String>,
    version: Spanned<String>,
    parser: Family,
    repeat: Repeat,
    #[serde(default)]
    operands: Vec<String>,
    subcommand: Option<Subcommand>,
    #[serde(default, rename = "flag")]
    flags: Vec<Flag>,
    #[serde(default, rename = "env")]
    variables: Vec<Variable>,
    #[serde(default, rename = "pin")]
    pins: Vec<Pin>,
    #[serde(default)]
    rejects: Vec<RejectedWord>,
}

/// How an agent's parser reads words.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// A value is the next word, whatever it is; short switches cluster.
    Commander,
    /// A value is never a word that begins with `-`; short switches cluster.
    Clap,
    /// Names are whole words, `-nc` is one; no `=`.
    Pi,
}

/// What happens when a flag stands twice.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeat {
    /// The last one counts, and nothing is said.
    LastWins,
    /// The agent refuses to start.
    Error,
    /// All of them count.
    Accumulates,
}

/// What a flag, a value, a key or a variable does to the boundary.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Nothing.
    Neutral,
    /// Keeps files out that would change the answer.
    Seals,
    /// Takes rights away, or pins them.
    Narrows,
    /// Adds rights.
    Widens,
    /// Gives the boundary away.
    Forbidden,
}

/// How many words a flag takes.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arity {
    /// None.
    Switch,
    /// One.
    One,
    /// One, if the next word is no flag.
    Optional,
    /// All up to the next flag.
    Many,
    /// One, a list with commas.
    Csv,
}

/// What a flag's value is, where that matters.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Takes {
    /// A list of patterns or tool names.
    Patterns,
    /// `key=value`, the value being TOML.
    KeyValues,
    /// The prompt, or the file that holds it.
    Prompt,
    /// The file that the completion goes to.
    Completion,
}

/// What separates the patterns of a list.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Separator {
    /// A comma.
    #[default]
    Comma,
    /// A comma or a space.
    CommaOrSpace,
}

/// The sub-command that a launch needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subcommand {
    /// The word.
    pub needed: String,
    /// Words after it that select a command with a flag table of its own.
    #[serde(default)]
    pub others: Vec<String>,
    /// Why the launch needs it.
    pub why: String,
}

/// A flag with all its spellings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    names: Spanned<Vec<Spanned<String>>>,
    /// How many words it takes.
    pub arity: Arity,
    class: Spanned<Class>,
    why: Spanned<String>,
    evidence: Spanned<String>,
    /// Class per value.
    #[serde(default)]
    pub values: BTreeMap<String, Class>,
    /// The class of values that are not in `values`.
    pub other_values: Option<Class>,
    /// What it gives, if it widens.
    #[serde(default)]
    pub grants: Vec<Capability>,
    takes: Option<Spanned<Takes>>,
    /// What separates the patterns of its list.
    #[serde(default)]
    pub separator: Separator,
    /// What is known about each key.
    #[serde(default)]
    pub keys: BTreeMap<String, Key>,
    /// The variable that does the same.
    pub env: Option<Twin>,
    /// What happens when it stands twice, where it differs from the dialect's habit.
    pub repeat: Option<Repeat>,
    /// Whether the help text leaves it out.
    #[serde(default)]
    pub hidden: bool,
    /// When it came.
    pub since: Option<String>,
    /// When it went.
    pub removed: Option<String>,
    /// Why the described version refuses it.
    pub rejected: Option<String>,
}

/// A configuration key that a `key=value` flag sets.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    class: Spanned<Class>,
    /// Class per value, the value written as TOML writes it, strings without quotes.
    #[serde(default)]
    pub values: BTreeMap<String, Class>,
    /// The class of values that are not in `values`.
    pub other_values: Option<Class>,
    /// What it gives, if it widens.
    #[serde(default)]
    pub grants: Vec<Capability>,
    /// Whether what stands below it is a key like those at the top, and judged like them.
    #[serde(default)]
    pub nests: bool,
    why: Spanned<String>,
}

/// A variable that does what a flag does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twin {
    /// The variable.
    pub name: String,
    /// Values that switch it on; empty: every value that is not in `off`.
    #[serde(default)]
    pub on: Vec<String>,
    /// Values that leave it off.
    #[serde(default)]
    pub off: Vec<String>,
}

/// A variable that matters and has no flag.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// The variable; with `*` as its last character every variable that begins so.
    pub name: Spanned<String>,
    class: Spanned<Class>,
    /// Values that switch it on; empty: every value that is not in `off`.
    #[serde(default)]
    pub on: Vec<String>,
    /// Values that leave it off.
    #[serde(default)]
    pub off: Vec<String>,
    /// What it gives, if it widens.
    #[serde(default)]
    pub grants: Vec<Capability>,
    /// Whether it matters only where the launch sets it to a text without a placeholder, and not where it passes from
    /// the caller.
    #[serde(default)]
    pub set_only: bool,
    why: Spanned<String>,
    evidence: Spanned<String>,
}

/// A word whose absence is a finding.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Its name.
    pub id: String,
    /// How bad the absence is.
    pub severity: Severity,
    /// When it is asked for.
    #[serde(default)]
    pub when: When,
    /// The words any of which does it. Empty: no argv does.
    pub by: Vec<Spanned<PinBy>>,
    why: Spanned<String>,
    /// What to do about the absence.
    pub fix: String,
}

/// When a pin is asked for.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Always.
    #[default]
    Always,
    /// For launches that must be sealed.
    Sealed,
}

/// One way to pin.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinBy {
    /// A flag that is present.
    pub flag: Option<String>,
    /// A key that the flag sets.
    pub key: Option<String>,
    /// With one of these values.
    #[serde(default)]
    pub values: Vec<String>,
    /// With this pattern in its list.
    pub pattern: Option<String>,
    /// With a list that holds nothing but these, each as it is written here.
    #[serde(default)]
    pub only: Vec<String>,
    /// Only where this flag, which wins over it, does not stand.
    pub unless: Option<String>,
    /// A variable that the launch sets, to something that is neither empty nor in the user's home.
    pub env: Option<String>,
}

/// A word that is no flag and that the described version refuses.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectedWord {
    /// The word.
    pub word: String,
    /// What happens.
    pub why: String,
    /// What to do about it.
    pub fix: String,
}

impl Dialect {
    /// Reads a dialect.
    ///
    /// # Errors
    ///
    /// The first fault in the text, with its place.
    pub fn parse(path: &Path, text: &str) -> Result<Self, SourceError> {
        let dialect: Self = from_toml(path, text)?;
        dialect.validate().map_err(|fault| {
            let error = SourceError::new(path, text, fault.span, fault.message);
            match fault.help {
                Some(help) => error.with_help(help),
                None => error,
            }
        })?;
        Ok(dialect)
    }

    /// The name in policy files and events.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.get_ref()
    }

    /// The product's name for a person.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.get_ref()
    }

    /// The executable's name.
    #[must_use]
    pub fn program(&self) -> &str {
        self.program.get_ref()
    }

    /// The version that the table describes.
    #[must_use]
    pub fn version(&self) -> &str {
        self.version.get_ref()
    }

    /// How its parser reads words.
    #[must_use]
    pub fn family(&self) -> Family {
        self.parser
    }

    /// Words that are no flags and are expected.
    #[must_use]
    pub fn operands(&self) -> &[String] {
        &self.operands
    }

    /// The sub-command that a launch needs.
    #[must_use]
    pub fn subcommand(&self) -> Option<&Subcommand> {
        self.subcommand.as_ref()
    }

    /// Every flag, in the order of the file.
    #[must_use]
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// The flag with this spelling, whole and exact: what `explain` shows.
    #[must_use]
    pub fn flag(&self, spelling: &str) -> Option<&Flag> {
        self.flags.iter().find(|flag| flag.names().any(|name| name == spelling))
    }

    /// Variables that have no flag.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Words whose absence is a finding.
    #[must_use]
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Words that the described version refuses.
    #[must_use]
    pub fn rejects(&self) -> &[RejectedWord] {
        &self.rejects
    }

    /// What happens when `flag` stands twice.
    #[must_use]
    pub fn repeat(&self, flag: &Flag) -> Repeat {
        flag.repeat.unwrap_or(self.repeat)
    }

    /// Everything that gives the boundary away, in a form for a person: spellings of flags, flags with a value or
    /// key, variables with a value.
    #[must_use]
    pub fn forbidden(&self) -> Vec<String> {
        let mut words = Vec::new();
        for flag in &self.flags {
            if flag.class() == Class::Forbidden {
                words.extend(flag.names().map(str::to_owned));
            }
            let values = |values: &BTreeMap<String, Class>| {
                values
                    .iter()
                    .filter(|&(_, class)| *class == Class::Forbidden)
                    .map(|(value, _)| value.clone())
                    .collect::<Vec<_>>()
            };
            for name in flag.names() {
                words.extend(values(&flag.values).iter().map(|value| format!("{name} {value}")));
                for (pattern, key) in &flag.keys {
                    if key.class() == Class::Forbidden {
                        words.push(format!("{name} {pattern}"));
                    }
                    words.extend(values(&key.values).iter().map(|value| format!("{name} {pattern}={value}")));
                }
            }
        }
        for watched in self.watched().filter(|watched| watched.class == Class::Forbidden) {
            if watched.on.is_empty() {
                words.push(watched.name.to_owned());
            }
            words.extend(watched.on.iter().map(|value| format!("{}={value}", watched.name)));
        }
        words
    }

    /// The flag that no value or version makes harmless and that has this spelling.
    pub(crate) fn forbidden_flag(&self, spelling: &str) -> Option<&Flag> {
        self.flag(spelling).filter(|flag| flag.class() == Class::Forbidden)
    }

    /// Every variable that matters, those of flags too.
    pub(crate) fn watched(&self) -> impl Iterator<Item = Watched<'_>> {
        let twins = self.flags.iter().filter_map(|flag| {
            let twin = flag.env.as_ref()?;
            Some(Watched {
                name: &twin.name,
                class: flag.class(),
                on: &twin.on,
                off: &twin.off,
                grants: &flag.grants,
                set_only: false,
                why: flag.why(),
                flag: flag.names().next(),
            })
        });
        twins.chain(self.variables.iter().map(Variable::watched))
    }

    fn validate(&self) -> Result<(), Fault> {
        if *self.schema.get_ref() != 1 {
            return Err(Fault::new(self.schema.span(), "the schema must be 1"));
        }
        for field in [&self.id, &self.name, &self.program, &self.version] {
            filled(field)?;
        }
        if !self.id.get_ref().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
            return Err(Fault::new(self.id.span(), "an id has lower-case letters, digits and `-` only"));
        }
        if self.program.get_ref().contains('/') {
            return Err(Fault::new(self.program.span(), "the program is a name without a directory"));
        }
        let mut seen = BTreeSet::new();
        for flag in &self.flags {
            flag.validate(self.parser, &mut seen)?;
        }
        for variable in &self.variables {
            variable.validate()?;
        }
        for pin in &self.pins {
            filled(&pin.why)?;
            for by in &pin.by {
                self.validate_pin(by)?;
            }
        }
        Ok(())
    }

    fn validate_pin(&self, by: &Spanned<PinBy>) -> Result<(), Fault> {
        let fault = |message: String| Err(Fault::new(by.span(), message));
        let PinBy { flag, key, values, pattern, only, unless, env } = by.get_ref();
        let Some(name) = flag else {
            return if env.is_some()
                && key.is_none()
                && values.is_empty()
                && pattern.is_none()
                && only.is_empty()
            {
                Ok(())
            } else {
                fault("a pin is by a `flag` or by an `env` alone".to_owned())
            };
        };
        if env.is_some() {
            return fault("a pin is by a `flag` or by an `env`, not by both".to_owned());
        }
        if let Some(name) = unless.as_ref().filter(|name| self.flag(name).is_none()) {
            return fault(format!("no flag in this file is spelled {name:?}"));
        }
        let Some(flag) = self.flag(name) else {
            return fault(format!("no flag in this file is spelled {name:?}"));
        };
        if key.is_some() && (flag.takes() != Some(Takes::KeyValues) || values.is_empty() || pattern.is_some())
        {
            return fault("a pin by `key` needs a flag that takes `key-values`, and `values`".to_owned());
        }
        if pattern.is_some() && (flag.takes() != Some(Takes::Patterns) || !values.is_empty()) {
            return fault(
                "a pin by `pattern` needs a flag that takes `patterns`, and no `values`".to_owned(),
            );
        }
        if !only.is_empty()
            && (flag.takes() != Some(Takes::Patterns) || !values.is_empty() || pattern.is_some())
        {
            return fault("a pin by `only` needs a flag that takes `patterns`, and nothing else".to_owned());
        }
        Ok(())
    }
}

impl Flag {
    /// Every spelling, the usual one first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.get_ref().iter().map(|name| name.get_ref().as_str())
    }

    /// The first spelling, by which the flag is known.
    #[must_use]
    pub fn canonical(&self) -> &str {
        self.names().next().unwrap_or_default()
    }

    /// What it does to the boundary, unless its value says otherwise.
    #[must_use]
    pub fn class(&self) -> Class {
        *self.class.get_ref()
    }

    /// What it does to the boundary, in one sentence.
    #[must_use]
    pub fn why(&self) -> &str {
        self.why.get_ref()
    }

    /// How this is known, in letters that `fixtures/agents/README.md` explains.
    #[must_use]
    pub fn evidence(&self) -> &str {
        self.evidence.get_ref()
    }

    /// What its value is, where that matters.
    #[must_use]
    pub fn takes(&self) -> Option<Takes> {
        self.takes.as_ref().map(|takes| *takes.get_ref())
    }

    /// The class of a value; `None` when the table has values and this one is not among them.
    #[must_use]
    pub fn class_of(&self, value: &str) -> Option<Class> {
        class_of(self.class(), &self.values, self.other_values, value)
    }

    fn validate(&self, family: Family, seen: &mut BTreeSet<String>) -> Result<(), Fault> {
        if self.names.get_ref().is_empty() {
            return Err(Fault::new(self.names.span(), "a flag needs a name"));
        }
        for name in self.names.get_ref() {
            let fault = |message: String| Err(Fault::new(name.span(), message));
            let text = name.get_ref();
            let body = text.trim_start_matches('-');
            if !text.starts_with('-') || body.is_empty() || text.starts_with("---") {
                return fault(format!("{text:?} is no flag: a flag begins with `-` or `--`"));
            }
            if text.contains(|c: char| c == '=' || c.is_whitespace() || c.is_control()) {
                return fault(format!("{text:?} is no flag: a flag holds no `=` and no white space"));
            }
            if family != Family::Pi && !text.starts_with("--") && body.chars().count() != 1 {
                return fault(format!("{text:?} is no flag of this parser: a short name is one letter"));
            }
            if !seen.insert(text.clone()) {
                return fault(format!("the flag {text:?} stands in this file twice"));
            }
        }
        filled(&self.why)?;
        letters(&self.evidence)?;
        let explained = self.takes() == Some(Takes::Patterns);
        if !explained {
            grants(&self.class, &self.grants)?;
        }
        let fault = |message: &str| {
            let span = self.takes.as_ref().map_or_else(|| self.names.span(), Spanned::span);
            Err(Fault::new(span, message))
        };
        if self.keys.is_empty() == (self.takes() == Some(Takes::KeyValues)) {
            return fault("`takes = \"key-values\"` and `keys` go together");
        }
        if self.takes.is_some() && self.arity == Arity::Switch {
            return fault("a switch takes no value");
        }
        for key in self.keys.values() {
            filled(&key.why)?;
            grants(&key.class, &key.grants)?;
        }
        Ok(())
    }
}

impl Key {
    /// What it does to the boundary, unless its value says otherwise.
    #[must_use]
    pub fn class(&self) -> Class {
        *self.class.get_ref()
    }

    /// What it does to the boundary, in one sentence.
    #[must_use]
    pub fn why(&self) -> &str {
        self.why.get_ref()
    }

    /// The class of a value; `None` when the table has values and this one is not among them.
    #[must_use]
    pub fn class_of(&self, value: &str) -> Option<Class> {
        class_of(self.class(), &self.values, self.other_values, value)
    }
}

impl Variable {
    fn watched(&self) -> Watched<'_> {
        Watched {
            name: self.name.get_ref(),
            class: self.class(),
            on: &self.on,
            off: &self.off,
            grants: &self.grants,
            set_only: self.set_only,
            why: self.why(),
            flag: None,
        }
    }

    fn validate(&self) -> Result<(), Fault> {
        let name = self.name.get_ref();
        let start = name.strip_suffix('*').unwrap_or(name);
        if start.is_empty() || start.contains(['*', '=', '\0']) {
            let message = format!("{name:?} is no variable: a `*` may only be the last of its characters");
            return Err(Fault::new(self.name.span(), message));
        }
        filled(&self.why)?;
        letters(&self.evidence)?;
        grants(&self.class, &self.grants)
    }

    /// What it does to the boundary.
    #[must_use]
    pub fn class(&self) -> Class {
        *self.class.get_ref()
    }

    /// What it does to the boundary, in one sentence.
    #[must_use]
    pub fn why(&self) -> &str {
        self.why.get_ref()
    }

    /// How this is known, in letters that `fixtures/agents/README.md` explains.
    #[must_use]
    pub fn evidence(&self) -> &str {
        self.evidence.get_ref()
    }
}

impl Pin {
    /// What the absence lets happen, in one sentence.
    #[must_use]
    pub fn why(&self) -> &str {
        self.why.get_ref()
    }

    /// The words any of which does it.
    pub fn ways(&self) -> impl Iterator<Item = &PinBy> {
        self.by.iter().map(Spanned::get_ref)
    }
}

/// A variable that matters, a flag's twin or one of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched<'a> {
    pub(crate) name: &'a str,
    pub(crate) class: Class,
    pub(crate) on: &'a [String],
    pub(crate) off: &'a [String],
    pub(crate) grants: &'a [Capability],
    pub(crate) set_only: bool,
    pub(crate) why: &'a str,
    pub(crate) flag: Option<&'a str>,
}

/// The variables that matter whatever the agent is. A file of its own, in which flags are not allowed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shared {
    schema: Spanned<u32>,
    #[serde(default, rename = "env")]
    variables: Vec<Variable>,
}

impl Shared {
    fn validate(&self) -> Result<(), Fault> {
        if *self.schema.get_ref() != 1 {
            return Err(Fault::new(self.schema.span(), "the schema must be 1"));
        }
        self.variables.iter().try_for_each(Variable::validate)
    }
}

/// Dialects by id, and the variables that matter to all of them.
#[derive(Clone, Debug, Default)]
pub struct Dialects {
    by_id: BTreeMap<String, Dialect>,
    shared: Vec<Variable>,
}

impl Dialects {
    /// No dialects.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The dialects in the binary.
    ///
    /// # Errors
    ///
    /// When an embedded file is wrong, which a test rules out.
    pub fn builtin() -> Result<Self, SourceError> {
        let mut dialects = Self::new();
        for agent in Agent::ALL {
            let path = format!("fixtures/agents/{}.toml", agent.id());
            dialects.add(Path::new(&path), agent.dialect_source())?;
        }
        let path = Path::new("fixtures/agents/shared.toml");
        let text = include_str!("../../fixtures/agents/shared.toml");
        let shared: Shared = from_toml(path, text)?;
        shared.validate().map_err(|fault| SourceError::new(path, text, fault.span, fault.message))?;
        dialects.shared = shared.variables;
        Ok(dialects)
    }

    /// Every variable that matters whatever the agent is.
    pub(crate) fn shared(&self) -> impl Iterator<Item = Watched<'_>> {
        self.shared.iter().map(Variable::watched)
    }

    /// Adds the dialect in `text`, which `path` holds.
    ///
    /// # Errors
    ///
    /// When the text is wrong, or its id is taken.
    pub fn add(&mut self, path: &Path, text: &str) -> Result<&Dialect, SourceError> {
        use std::collections::btree_map::Entry;

        let dialect = Dialect::parse(path, text)?;
        let span = dialect.id.span();
        match self.by_id.entry(dialect.id().to_owned()) {
            Entry::Occupied(taken) => {
                let message = format!("the dialect {:?} exists already", taken.key());
                Err(SourceError::new(path, text, span, message).with_help("choose another id"))
            }
            Entry::Vacant(free) => Ok(free.insert(dialect)),
        }
    }

    /// The dialect with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Dialect> {
        self.by_id.get(id)
    }

    /// Every dialect, in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = &Dialect> {
        self.by_id.values()
    }
}

/// A fault in a dialect that its types do not rule out.
struct Fault {
    span: Range<usize>,
    message: String,
    help: Option<String>,
}

impl Fault {
    fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

fn filled(text: &Spanned<String>) -> Result<(), Fault> {
    if text.get_ref().trim().is_empty() {
        return Err(Fault::new(text.span(), "this must not be empty"));
    }
    Ok(())
}

fn letters(evidence: &Spanned<String>) -> Result<(), Fault> {
    let text = evidence.get_ref();
    if text.is_empty() || !text.chars().all(|c| "HPSDRX?".contains(c)) {
        return Err(Fault::new(evidence.span(), format!("{text:?} is no evidence"))
            .with_help("the letters are H, P, S, D, R, X and ?"));
    }
    Ok(())
}

fn grants(class: &Spanned<Class>, grants: &[Capability]) -> Result<(), Fault> {
    if *class.get_ref() == Class::Widens && grants.is_empty() {
        return Err(Fault::new(class.span(), "what widens must say what it `grants`"));
    }
    Ok(())
}

fn class_of(
    class: Class,
    values: &BTreeMap<String, Class>,
    other: Option<Class>,
    value: &str,
) -> Option<Class> {
    match values.get(value) {
        Some(&known) => Some(known),
        None if other.is_some() => other,
        None if values.is_empty() => Some(class),
        None => None,
    }
}
